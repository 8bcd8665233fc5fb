//! Which complexity class does a curve of costs belong to? Each candidate shape `a + b·f(n)` is fitted by least squares;
//! the simplest shape among those that fit about equally well is the answer, and the fit of the runner-up says how sure it is.

/// A shape that costs grow in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 1
    Constant,
    /// log n
    Logarithmic,
    /// n
    Linear,
    /// n log n
    Linearithmic,
    /// n²
    Quadratic,
    /// n³
    Cubic,
    /// 2ⁿ
    Exponential,
}

impl Class {
    /// All of them, the simplest first.
    pub const ALL: [Class; 7] = [
        Class::Constant,
        Class::Logarithmic,
        Class::Linear,
        Class::Linearithmic,
        Class::Quadratic,
        Class::Cubic,
        Class::Exponential,
    ];

    /// In words and machine output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Constant => "constant",
            Class::Logarithmic => "log n",
            Class::Linear => "n",
            Class::Linearithmic => "n log n",
            Class::Quadratic => "n^2",
            Class::Cubic => "n^3",
            Class::Exponential => "2^n",
        }
    }

    fn at(self, n: f64) -> f64 {
        match self {
            Class::Constant => 0.0,
            Class::Logarithmic => n.max(1.0).log2(),
            Class::Linear => n,
            Class::Linearithmic => n * n.max(1.0).log2(),
            Class::Quadratic => n * n,
            Class::Cubic => n * n * n,
            Class::Exponential => n.exp2(),
        }
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The class.
    pub class: Class,
    /// `a` of `a + b·f(n)`.
    pub a: f64,
    /// `b`.
    pub b: f64,
    /// The share of the variation that it explains.
    pub r2: f64,
    /// The best of the other classes, and its share.
    pub runner_up: (Class, f64),
}

impl Fit {
    /// Its value at a size.
    pub fn at(&self, n: f64) -> f64 {
        self.a + self.b * self.class.at(n)
    }
}

/// Costs that differ by less than this share of their mean do not grow.
const FLAT: f64 = 0.001;

/// Fits a curve of (size, cost); `None` with fewer than three sizes, which any shape fits.
pub fn fit(curve: &[(u64, u64)]) -> Option<Fit> {
    let mut sizes: Vec<u64> = curve.iter().map(|p| p.0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < 3 {
        return None;
    }
    let points: Vec<(f64, f64)> = curve.iter().map(|p| (p.0 as f64, p.1 as f64)).collect();
    let n = points.len() as f64;
    let mean = points.iter().map(|p| p.1).sum::<f64>() / n;
    let variation: f64 = points.iter().map(|p| (p.1 - mean).powi(2)).sum();
    let low = points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let mut fits: Vec<(Class, f64, f64, f64)> = Vec::new();
    for class in Class::ALL.into_iter().skip(1) {
        if let Some((a, b)) = least_squares(&points, class) {
            let rest: f64 = points.iter().map(|p| (p.1 - a - b * class.at(p.0)).powi(2)).sum();
            let r2 = if variation > 0.0 { 1.0 - rest / variation } else { 0.0 };
            // What falls with the size is no class of growth.
            fits.push((class, a, b, if b > 0.0 { r2 } else { f64::NEG_INFINITY }));
        }
    }
    fits.sort_by(|x, y| y.3.total_cmp(&x.3));
    let (best, second) = (*fits.first()?, *fits.get(1)?);
    if high - low <= FLAT * mean.abs() {
        return Some(Fit {
            class: Class::Constant,
            a: mean,
            b: 0.0,
            r2: 1.0,
            runner_up: (best.0, best.3.max(0.0)),
        });
    }
    Some(Fit { class: best.0, a: best.1, b: best.2, r2: best.3, runner_up: (second.0, second.3.max(0.0)) })
}

fn least_squares(points: &[(f64, f64)], class: Class) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let x: Vec<f64> = points.iter().map(|p| class.at(p.0)).collect();
    if x.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let (mx, my) = (x.iter().sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
    let sxy: f64 = x.iter().zip(points).map(|(x, p)| (x - mx) * (p.1 - my)).sum();
    let b = sxy / sxx;
    (sxx > 0.0 && b.is_finite()).then_some((my - b * mx, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64) -> f64, sizes: &[u64]) -> Vec<(u64, u64)> {
        sizes.iter().map(|n| (*n, f(*n as f64).round() as u64)).collect()
    }

    #[test]
    fn each_class_is_recognised() {
        let sizes = [4, 8, 12, 16, 24, 32];
        let cases: [(Class, &dyn Fn(f64) -> f64); 7] = [
            (Class::Constant, &|_| 500.0),
            (Class::Logarithmic, &|n| 1000.0 + 300.0 * n.log2()),
            (Class::Linear, &|n| 40.0 + 17.0 * n),
            (Class::Linearithmic, &|n| 100.0 + 9.0 * n * n.log2()),
            (Class::Quadratic, &|n| 30.0 * n * n + 20.0),
            (Class::Cubic, &|n| 2.0 * n * n * n + 7.0),
            (Class::Exponential, &|n| 3.0 * n.exp2() + 50.0),
        ];
        for (class, f) in cases {
            let fit = fit(&curve(f, &sizes)).unwrap();
            assert_eq!(fit.class, class, "{fit:?}");
            assert!(fit.r2 > 0.999, "{fit:?}");
            assert!(fit.runner_up.1 <= fit.r2);
        }
    }

    #[test]
    fn two_points_fit_anything() {
        assert_eq!(fit(&[(1, 2), (2, 4)]), None);
        assert_eq!(fit(&[(1, 2), (1, 4), (1, 4)]), None);
    }

    #[test]
    fn sizes_beyond_any_power_are_no_problem() {
        let fit = fit(&curve(|n| 3.0 * n, &[1000, 2000, 4000, 8000])).unwrap();
        assert_eq!(fit.class, Class::Linear);
    }
}

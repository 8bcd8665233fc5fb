//! Mean, maximum and spread of a few numbers.

/// What is said of the results of several trials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// How many there are.
    pub count: usize,
    /// Their mean; 0 where there is none.
    pub mean: f64,
    /// The largest; 0 where there is none.
    pub max: f64,
    /// Standard deviation of the sample (divided by n - 1); 0 below two.
    pub deviation: f64,
}

impl Sample {
    /// Of these numbers.
    pub fn of(numbers: &[f64]) -> Sample {
        let count = numbers.len();
        if count == 0 {
            return Sample::default();
        }
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        Sample {
            count,
            mean,
            max: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            deviation: if count < 2 { 0.0 } else { (squares / (count - 1) as f64).sqrt() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_example() {
        let s = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((s.count, s.mean, s.max), (8, 5.0, 9.0));
        assert!((s.deviation - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn few_numbers() {
        assert_eq!(Sample::of(&[]), Sample::default());
        assert_eq!(Sample::of(&[3.0]), Sample { count: 1, mean: 3.0, max: 3.0, deviation: 0.0 });
    }
}

//! Wilcoxon's signed-rank test: do two heuristics differ, given their results under equal seeds? It assumes no
//! distribution of the results. Up to [`EXACT`] pairs that differ the p-value is exact, equal differences included; above,
//! it is the normal approximation with corrections for equal differences and for continuity.

/// Up to so many pairs the p-value is exact.
pub const EXACT: usize = 20;

/// The answer of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Pairs that differ; equal pairs say nothing and are left out.
    pub pairs: usize,
    /// Sum of the ranks of the positive differences.
    pub plus: f64,
    /// Sum of the ranks of the negative ones.
    pub minus: f64,
    /// Probability of ranks at least as uneven if neither were better (two-sided); 1 where no pair differs.
    pub p: f64,
}

/// The test over differences of paired results. What is no number is left out.
pub fn signed_rank(differences: &[f64]) -> SignedRank {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0 && !d.is_nan()).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = sorted.len();
    // Ranks are doubled: means of neighbouring ranks become whole numbers.
    let mut ranks: Vec<u64> = Vec::with_capacity(n);
    let mut ties = 0.0;
    while ranks.len() < n {
        let first = ranks.len();
        let equal = sorted[first..].iter().take_while(|d| d.abs() == sorted[first].abs()).count();
        ranks.extend(std::iter::repeat_n((2 * first + equal + 1) as u64, equal));
        let t = equal as f64;
        ties += t * t * t - t;
    }
    let plus: u64 = ranks.iter().zip(&sorted).filter(|(_, d)| **d > 0.0).map(|(r, _)| r).sum();
    let minus: u64 = ranks.iter().sum::<u64>() - plus;
    let p = match n {
        0 => 1.0,
        n if n <= EXACT => exact(&ranks, plus.min(minus)),
        n => approximate(n as f64, plus.min(minus) as f64 / 2.0, ties),
    };
    SignedRank { pairs: n, plus: plus as f64 / 2.0, minus: minus as f64 / 2.0, p }
}

/// Of all ways to give signs to the ranks: the share in which either sum is at most `smaller`.
fn exact(ranks: &[u64], smaller: u64) -> f64 {
    let total: u64 = ranks.iter().sum();
    // Ways to reach each sum of positive ranks.
    let mut ways = vec![0u64; total as usize + 1];
    ways[0] = 1;
    for rank in ranks {
        for sum in (*rank as usize..ways.len()).rev() {
            ways[sum] += ways[sum - *rank as usize];
        }
    }
    let below: u64 = ways[..=smaller as usize].iter().sum();
    (2.0 * below as f64 / (1u64 << ranks.len()) as f64).min(1.0)
}

fn approximate(n: f64, smaller: f64, ties: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let z = ((mean - smaller - 0.5) / variance.sqrt()).max(0.0);
    // Both tails.
    complementary_error(z / std::f64::consts::SQRT_2).clamp(0.0, 1.0)
}

/// erfc(x) for x ≥ 0: the series near 0, the continued fraction beyond.
fn complementary_error(x: f64) -> f64 {
    let scale = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.5 {
        // erf(x) = 2 exp(-x²)/√π · Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1))
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
            if term < sum * 1e-17 {
                break;
            }
        }
        return 1.0 - 2.0 * scale * sum;
    }
    // erfc(x) = exp(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))))
    let fraction = (1..=60).rev().fold(x, |below, k| x + f64::from(k) / 2.0 / below);
    scale / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, by: f64) {
        assert!((a - b).abs() <= by, "{a} is not {b}");
    }

    #[test]
    fn heights_of_plants() {
        // Darwin's fifteen pairs of maize plants, in eighths of an inch.
        let d = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75].map(f64::from);
        let t = signed_rank(&d);
        assert_eq!((t.pairs, t.minus, t.plus), (15, 24.0, 96.0));
        close(t.p, 0.041259765625, 1e-15);
    }

    #[test]
    fn depression_scales() {
        // Hollander and Wolfe: V = 40, one-sided 0.01953.
        let x = [1830, 500, 1620, 2480, 1680, 1880, 1550, 3060, 1300];
        let y = [878, 647, 598, 2050, 1060, 1290, 1060, 3140, 1290];
        let d: Vec<f64> = x.iter().zip(y).map(|(a, b)| f64::from(a - b)).collect();
        let t = signed_rank(&d);
        assert_eq!((t.plus, t.minus), (40.0, 5.0));
        close(t.p, 0.0390625, 1e-15);
    }

    #[test]
    fn the_smallest_possible_values() {
        assert_eq!(signed_rank(&[]).p, 1.0);
        assert_eq!(signed_rank(&[0.0, 0.0]).p, 1.0);
        assert_eq!(signed_rank(&[1.0]).p, 1.0);
        assert_eq!(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0]).p, 0.0625);
        assert_eq!(signed_rank(&[-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]).p, 0.03125);
    }

    #[test]
    fn ties_are_exact_too() {
        // Ranks 1.5 1.5 3.5 3.5 with one small negative: sums of at most 1.5 are {}, {a}, {b}: 3 of 16, both tails.
        let t = signed_rank(&[1.0, -1.0, 2.0, 2.0, 0.0]);
        assert_eq!((t.pairs, t.plus, t.minus), (4, 8.5, 1.5));
        assert_eq!(t.p, 0.375);
        // A tie of everything: the sign test.
        assert_eq!(signed_rank(&[3.0; 8]).p, 2.0 / 256.0);
        assert_eq!(signed_rank(&[3.0, -3.0]).p, 1.0);
    }

    #[test]
    fn the_approximation_agrees_with_the_exact_value() {
        let d: Vec<f64> = (1..=30).map(|i| if i % 3 == 0 { -f64::from(i) } else { f64::from(i) }).collect();
        let t = signed_rank(&d);
        let ranks: Vec<u64> = (1..=30).map(|r| 2 * r).collect();
        close(t.p, exact(&ranks, (2.0 * t.minus) as u64), 5e-3);
        let tied: Vec<f64> = (0..40).map(|i| f64::from(i % 5) - 1.5).collect();
        let t = signed_rank(&tied);
        assert!(t.p > 0.0 && t.p < 0.2, "{}", t.p);
        // A symmetric sample says nothing.
        let even: Vec<f64> = (1..=25).flat_map(|i| [f64::from(i), -f64::from(i)]).collect();
        close(signed_rank(&even).p, 1.0, 1e-9);
    }

    #[test]
    fn both_ways_to_the_error_function() {
        for (x, y) in [(0.0, 1.0), (0.5, 0.479500122), (1.0, 0.157299207), (2.0, 0.004677735)] {
            close(complementary_error(x), y, 1e-9);
        }
        close(complementary_error(3.0), 2.209_049_7e-5, 1e-12);
        close(complementary_error(2.499_999_9), complementary_error(2.500_000_1), 1e-9);
        assert!(complementary_error(30.0) >= 0.0);
    }

    #[test]
    fn odd_input_is_harmless() {
        let t = signed_rank(&[f64::NAN, f64::INFINITY, -f64::INFINITY, 1.0]);
        assert_eq!(t.pairs, 3);
        assert!(t.p <= 1.0);
    }
}

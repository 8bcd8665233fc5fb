//! A number over time in a few characters, and rates of what is counted. Memory is bounded however long it goes on.

use std::collections::VecDeque;
use std::time::Duration;

/// Points that are kept.
const HISTORY: usize = 240;
/// Rates are those of about this long.
const RECENT: Duration = Duration::from_secs(3);
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A number that rises over time.
#[derive(Debug, Default)]
pub struct Curve {
    /// So far apart; every other point goes when there are too many.
    points: Vec<(Duration, u64)>,
    apart: Duration,
    last: (Duration, u64),
    gained: Option<Duration>,
}

impl Curve {
    /// The number now.
    pub fn add(&mut self, elapsed: Duration, number: u64) {
        if number > self.last.1 {
            self.gained = Some(elapsed);
        }
        self.last = (elapsed, number);
        if self.points.last().is_none_or(|l| elapsed >= l.0 + self.apart) {
            self.points.push(self.last);
        }
        if self.points.len() > HISTORY {
            self.apart = (self.apart * 2).max(elapsed / HISTORY as u32);
            let mut keep = false;
            self.points.retain(|_| {
                keep = !keep;
                keep
            });
        }
    }

    /// When it rose last.
    pub fn gained(&self) -> Option<Duration> {
        self.gained
    }

    /// For a terminal so wide.
    pub fn shown(&self, width: usize) -> String {
        self.sparkline((width / 5).clamp(6, 20))
    }

    /// In so many characters.
    fn sparkline(&self, width: usize) -> String {
        let Some(first) = self.points.first() else { return String::new() };
        let last = self.last;
        let span = last.0.saturating_sub(first.0).as_secs_f64().max(1e-9);
        let top = last.1.max(1) as f64;
        let at = |i: usize| {
            let t = first.0.as_secs_f64() + span * (i + 1) as f64 / width as f64;
            if i + 1 == width {
                return last.1 as f64;
            }
            let after = self.points.partition_point(|p| p.0.as_secs_f64() <= t + 1e-9);
            self.points[after.saturating_sub(1)].1 as f64
        };
        (0..width).map(|i| BARS[((at(i) / top * 7.0).round() as usize).min(7)]).collect()
    }
}

/// How fast some numbers rise.
#[derive(Debug)]
pub struct Rates<const N: usize> {
    recent: VecDeque<(Duration, [f64; N])>,
}

impl<const N: usize> Default for Rates<N> {
    fn default() -> Rates<N> {
        Rates { recent: VecDeque::new() }
    }
}

impl<const N: usize> Rates<N> {
    /// The numbers now.
    pub fn add(&mut self, elapsed: Duration, numbers: [f64; N]) {
        self.recent.push_back((elapsed, numbers));
        while self.recent.len() > 2 && elapsed.saturating_sub(self.recent[1].0) > RECENT {
            self.recent.pop_front();
        }
    }

    /// Each of them by the second, lately.
    pub fn by_second(&self) -> [f64; N] {
        let (Some(a), Some(b)) = (self.recent.front(), self.recent.back()) else { return [0.0; N] };
        let seconds = b.0.saturating_sub(a.0).as_secs_f64();
        match seconds > 0.0 {
            true => std::array::from_fn(|i| (b.1[i] - a.1[i]).max(0.0) / seconds),
            false => [0.0; N],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_keep_their_curve() {
        let mut curve = Curve::default();
        let mut rates = Rates::<1>::default();
        for s in 0..100_000u64 {
            curve.add(Duration::from_secs(s), s);
            rates.add(Duration::from_secs(s), [7.0 * s as f64]);
        }
        assert!(curve.points.len() <= HISTORY && rates.recent.len() < 10);
        assert_eq!(curve.sparkline(8).chars().last(), Some('█'));
        assert_eq!(curve.sparkline(8).chars().next(), Some('▂'));
        assert_eq!(curve.gained(), Some(Duration::from_secs(99_999)));
        assert_eq!(rates.by_second(), [7.0]);
        assert_eq!(Rates::<2>::default().by_second(), [0.0, 0.0]);
    }
}

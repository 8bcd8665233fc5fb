//! How long each run may take: a small share of everything, doubled after each round, never more than what is left.

use std::time::Duration;

/// The numbers of the paper's algorithm 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The time for everything.
    pub total: Duration,
    /// The share of it that the first runs get.
    pub portion: f64,
    /// The least a run gets.
    pub floor: Duration,
    /// Runs of a round.
    pub step: usize,
    /// What the time of a run is multiplied by after each round.
    pub ratio: f64,
}

impl Schedule {
    /// The paper's numbers; the floor is the public tool's.
    pub fn new(total: Duration) -> Schedule {
        Schedule { total, portion: 0.005, floor: Duration::from_secs(30), step: 20, ratio: 2.0 }
    }

    /// The round of a run, both from 0.
    pub fn round(&self, run: usize) -> usize {
        run / self.step.max(1)
    }

    /// The time of a run that begins when so much of the budget is used up; `None`: there is none left.
    pub fn time(&self, run: usize, elapsed: Duration) -> Option<Duration> {
        let left = self.total.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        let small = self.floor.max(self.total.mul_f64(self.portion.clamp(0.0, 1.0)));
        let growth = self.ratio.max(1.0).powi(self.round(run).min(64) as i32);
        let seconds = (small.as_secs_f64() * growth).min(left.as_secs_f64());
        Some(Duration::from_secs_f64(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_hours_begin_with_three_minutes() {
        let s = Schedule::new(Duration::from_secs(36_000));
        let at = |run| s.time(run, Duration::ZERO).map(|d| d.as_secs());
        assert_eq!([at(0), at(19), at(20), at(40)], [Some(180), Some(180), Some(360), Some(720)]);
    }

    #[test]
    fn no_run_is_shorter_than_the_floor_or_longer_than_what_is_left() {
        let s = Schedule::new(Duration::from_secs(100));
        assert_eq!(s.time(0, Duration::ZERO), Some(Duration::from_secs(30)));
        assert_eq!(s.time(3, Duration::from_secs(90)), Some(Duration::from_secs(10)));
        assert_eq!(s.time(4, Duration::from_secs(100)), None);
        assert_eq!(s.time(usize::MAX, Duration::ZERO), Some(Duration::from_secs(100)));
    }
}

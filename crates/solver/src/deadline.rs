//! The time limit of one query, handed down through every loop that can be long. Must be polled, never waited on.

use std::time::{Duration, Instant};

/// A point in time after which work must stop; `None` inside means no limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// No limit.
    pub const NONE: Deadline = Deadline(None);

    /// `limit` from now.
    pub fn after(limit: Option<Duration>) -> Deadline {
        Deadline(limit.and_then(|l| Instant::now().checked_add(l)))
    }

    /// Has the time passed?
    pub fn passed(&self) -> bool {
        self.0.is_some_and(|d| Instant::now() >= d)
    }

    /// Time left (zero when passed); `None` without limit.
    pub fn left(&self) -> Option<Duration> {
        self.0.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// An earlier deadline: `numerator / denominator` of the time left.
    pub fn fraction(&self, numerator: u32, denominator: u32) -> Deadline {
        Deadline(self.0.map(|d| {
            let now = Instant::now();
            (now + d.saturating_duration_since(now) * numerator / denominator).min(d)
        }))
    }
}

//! Several searches for the same thing, each on a thread of its own, that tell each other their best input. They meet when
//! each has done a fixed amount of counted work, never by the clock, so that what they learn from each other, and the
//! answer, follow from the seed. A member that has finished says so and nobody waits for it any longer.

use crate::path::Values;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How long a member waits before it looks whether it is over.
const LOOK: Duration = Duration::from_millis(50);

/// What a member says at a meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its best input and what that costs.
    pub best: Option<(u64, Values)>,
    /// It has what was looked for: everybody may stop.
    pub done: bool,
}

#[derive(Default)]
struct Seat {
    /// What it said, by meeting.
    words: Vec<Word>,
    left: bool,
}

struct Table {
    seats: Vec<Seat>,
}

/// See the module text.
pub struct Meeting {
    table: Mutex<Table>,
    changed: Condvar,
}

impl Meeting {
    /// The members of a meeting.
    pub fn of(members: usize) -> Vec<Member> {
        let seats = (0..members).map(|_| Seat::default()).collect();
        let meeting = Arc::new(Meeting { table: Mutex::new(Table { seats }), changed: Condvar::new() });
        (0..members).map(|seat| Member { meeting: Arc::clone(&meeting), seat, met: 0 }).collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // A member that panicked has changed one seat only, by one assignment.
        self.table.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// One of the searches.
pub struct Member {
    meeting: Arc<Meeting>,
    seat: usize,
    met: usize,
}

impl Member {
    /// Which one.
    pub fn number(&self) -> usize {
        self.seat
    }

    /// How many there are.
    pub fn members(&self) -> usize {
        self.meeting.table().seats.len()
    }

    /// The last word, for this meeting and all that follow.
    pub fn leave(self, word: Word) {
        self.meeting.table().seats[self.seat].words.push(word);
    }

    /// Says something and waits for what the others say at this meeting: the best of all (of equals, the first member's)
    /// and whether anybody is done. `None` when `is_over` says so first.
    pub fn meet(&mut self, word: Word, mut is_over: impl FnMut() -> bool) -> Option<Word> {
        let mut table = self.meeting.table();
        table.seats[self.seat].words.push(word);
        self.meeting.changed.notify_all();
        let at = self.met;
        while !table.seats.iter().all(|s| s.left || s.words.len() > at) {
            if is_over() {
                return None;
            }
            let waited = self.meeting.changed.wait_timeout(table, LOOK);
            table = waited.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
        }
        self.met += 1;
        let mut all = Word::default();
        for seat in &table.seats {
            // Who has left before this meeting says the last word again.
            let Some(word) = seat.words.get(at).or(seat.words.last()) else { continue };
            all.done |= word.done;
            let cost = |w: &Word| w.best.as_ref().map(|b| b.0);
            if cost(word) > cost(&all) {
                all.best.clone_from(&word.best);
            }
        }
        Some(all)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.meeting.table().seats[self.seat].left = true;
        self.meeting.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(cost: u64, by: &str, done: bool) -> Word {
        Word { best: Some((cost, vec![(by.into(), vec![1])])), done }
    }

    #[test]
    fn all_learn_the_same_and_nobody_waits_for_who_has_left() {
        let heard: Vec<Vec<Option<Word>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = Meeting::of(3)
                .into_iter()
                .map(|mut member| {
                    scope.spawn(move || {
                        let n = member.number() as u64;
                        // The first leaves after one meeting, the second after two.
                        (0..=n)
                            .map(|k| member.meet(word(10 * k + n % 2, &n.to_string(), k == 2), || false))
                            .collect()
                    })
                })
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let first = Some(word(1, "1", false));
        assert!(heard.iter().all(|h| h[0] == first), "{heard:?}");
        assert_eq!((&heard[1][1], &heard[2][1]), (&Some(word(11, "1", false)), &Some(word(11, "1", false))));
        assert_eq!(heard[2][2], Some(word(20, "2", true)));
    }

    #[test]
    fn waiting_ends_when_time_is_up() {
        let mut members = Meeting::of(2);
        assert_eq!(members[0].meet(Word::default(), || true), None);
    }
}

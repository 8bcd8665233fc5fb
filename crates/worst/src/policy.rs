//! Policies: which sides to take at a decision, by its place and perhaps by the decisions just before. Learned from a path
//! or made by a search; the places are the same for every size of the input, so a policy of a small size guides a large one.

use crate::guide::{Choice, Guide};
use crate::path::{Decision, Path, Site};
use std::collections::{BTreeMap, VecDeque};

/// A decision as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Its place.
    pub site: Site,
    /// A number for the decisions before it.
    pub history: u64,
}

/// The last decisions of a path.
#[derive(Clone, Debug)]
pub(crate) struct History {
    length: usize,
    last: VecDeque<(Site, u32)>,
}

impl History {
    pub fn new(length: usize) -> History {
        History { length, last: VecDeque::with_capacity(length + 1) }
    }

    /// After these decisions.
    pub fn of(length: usize, decisions: &[Decision]) -> History {
        let mut history = History::new(length);
        for d in &decisions[decisions.len().saturating_sub(length)..] {
            history.push(d.site, d.arm);
        }
        history
    }

    pub fn push(&mut self, site: Site, arm: u32) {
        if self.length == 0 {
            return;
        }
        self.last.push_back((site, arm));
        if self.last.len() > self.length {
            self.last.pop_front();
        }
    }

    /// The key of a decision that comes now, looking back `length` decisions.
    pub fn key(&self, site: Site, length: usize) -> Key {
        let mut history = length as u64;
        for (s, arm) in self.last.iter().rev().take(length) {
            history = (history.rotate_left(11) ^ s.0 ^ u64::from(*arm)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        Key { site, history }
    }
}

/// The sides that a path took, by decision: one, several, or none.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    history: usize,
    arms: BTreeMap<Key, Vec<u32>>,
}

impl Policy {
    /// What a path decided, with histories of this length.
    pub fn of_path(path: &Path, history: usize) -> Policy {
        let mut policy = Policy { history, arms: BTreeMap::new() };
        let mut before = History::new(history);
        for d in &path.decisions {
            let arms = policy.arms.entry(before.key(d.site, history)).or_default();
            if !arms.contains(&d.arm) {
                arms.push(d.arm);
            }
            before.push(d.site, d.arm);
        }
        policy
    }

    /// The length of its histories.
    pub fn history(&self) -> usize {
        self.history
    }

    /// Number of decisions it knows.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    /// Does it know none?
    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// May this side be taken? What it does not know, it allows.
    pub(crate) fn allows(&self, history: &History, site: Site, arm: u32) -> bool {
        self.arms.get(&history.key(site, self.history)).is_none_or(|arms| arms.contains(&arm))
    }
}

/// Wishes: one side for each decision, with the longest history that has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub arms: BTreeMap<Key, u32>,
}

/// The longest history of wishes.
pub(crate) const LONGEST: usize = 2;

impl Wishes {
    /// What a path mostly did, with histories of this length.
    pub fn of_path(path: &Path, length: usize) -> Wishes {
        let mut counts: BTreeMap<Key, BTreeMap<u32, u32>> = BTreeMap::new();
        let mut before = History::new(length);
        for d in &path.decisions {
            *counts.entry(before.key(d.site, length)).or_default().entry(d.arm).or_default() += 1;
            before.push(d.site, d.arm);
        }
        let most = |arms: BTreeMap<u32, u32>| {
            arms.into_iter().max_by_key(|(arm, n)| (*n, std::cmp::Reverse(*arm))).map_or(0, |a| a.0)
        };
        Wishes { arms: counts.into_iter().map(|(key, arms)| (key, most(arms))).collect() }
    }
}

/// A path that does what is wished for; where nothing is, it follows its witness. It remembers the decisions it met.
pub(crate) struct Wishing<'w> {
    pub wishes: &'w Wishes,
    pub history: History,
    /// Decisions it met, by history length: key, arms in order of their number.
    pub met: BTreeMap<Key, Vec<u32>>,
}

impl<'w> Wishing<'w> {
    pub fn new(wishes: &'w Wishes, before: &[Decision]) -> Wishing<'w> {
        Wishing { wishes, history: History::of(LONGEST, before), met: BTreeMap::new() }
    }
}

impl Guide for Wishing<'_> {
    fn choose(&mut self, choice: &Choice<'_>) -> usize {
        let mut wish = None;
        for length in (0..=LONGEST).rev() {
            let key = self.history.key(choice.site, length);
            if wish.is_none() {
                wish = self.wishes.arms.get(&key).copied();
            }
            self.met.entry(key).or_insert_with(|| {
                let mut arms = choice.arms.to_vec();
                arms.sort_unstable();
                arms
            });
        }
        wish.and_then(|arm| choice.arms.iter().position(|a| *a == arm)).unwrap_or(0)
    }

    fn took(&mut self, site: Site, arm: u32) {
        self.history.push(site, arm);
    }
}

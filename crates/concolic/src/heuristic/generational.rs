//! Generational search: all branches of one path are negated and their children run; the next path to expand is the
//! child that covered most new branches.

use super::{Heuristic, View};
use crate::tree::Step;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A path that was run and not expanded yet.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Parent {
    /// Branches that it covered first.
    score: usize,
    /// Older ones first among equals.
    number: Reverse<u64>,
    last: Step,
}

/// See the module text.
#[derive(Debug, Default)]
pub struct Generational {
    parents: BinaryHeap<Parent>,
    /// What is left of the generation that is being run.
    children: VecDeque<Step>,
    runs: u64,
}

impl Heuristic for Generational {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        loop {
            while let Some(step) = self.children.pop_front() {
                if view.tree.arm(step).is_open() {
                    return Some(step);
                }
            }
            let parent = self.parents.pop()?;
            let path = view.tree.path_to(parent.last);
            self.children = path.iter().flat_map(|step| view.tree.alternatives(*step)).collect();
        }
    }

    fn ran(&mut self, view: View<'_>) {
        self.runs += 1;
        if let Some(last) = view.path.last() {
            let score = view.stats.newly_covered().len();
            self.parents.push(Parent { score, number: Reverse(self.runs), last: *last });
        }
    }
}

//! Control-flow directed search: the branch of the last path whose other side is nearest to an uncovered branch, counted in
//! branches over the interprocedural control flow graph.
//!
//! Where the run that follows covers nothing new, the search goes on from its path, one branch nearer at each step and at most
//! a few steps far; where that fails it comes back to the next nearest branch.

use super::{Heuristic, View};
use crate::tree::Step;
use forkwise_ir::{BranchDistances, FAR, Program};

/// Branches tried on one path: on the first, and on those that were reached on the way to something uncovered.
const TRIES: u32 = 250;
const TRIES_ON_THE_WAY: u32 = 5;
/// Steps on the way.
const STEPS: usize = 5;

/// The branches of one path, nearest first.
#[derive(Debug)]
struct Level {
    branches: Vec<(u32, Step)>,
    next: usize,
    tries: u32,
}

/// See the module text.
#[derive(Debug)]
pub struct Cfds {
    distances: BranchDistances,
    /// Edges covered when distances were computed.
    covered: usize,
    levels: Vec<Level>,
    /// Distance of the branch that was chosen last.
    chosen: u32,
}

impl Cfds {
    /// For a program.
    pub fn new(program: &Program) -> Cfds {
        Cfds {
            distances: BranchDistances::new(program),
            covered: usize::MAX,
            levels: Vec::new(),
            chosen: FAR,
        }
    }

    /// The branches of the last path from a position on, no farther than `farthest`.
    fn level(&mut self, view: View<'_>, from: usize, farthest: u32, tries: u32) -> Level {
        if self.covered != view.coverage.log.len() {
            self.covered = view.coverage.log.len();
            self.distances.update(view.program, &view.coverage.edges);
        }
        let mut branches: Vec<(u32, Step)> = view
            .candidates()
            .filter(|(i, _)| *i >= from)
            .map(|(_, step)| (view.tree.edge(step).map_or(FAR, |e| self.distances.of_edge(e)), step))
            .filter(|(distance, _)| *distance <= farthest)
            .collect();
        branches.sort_by_key(|b| b.0);
        Level { branches, next: 0, tries }
    }
}

impl Heuristic for Cfds {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        if self.levels.is_empty() {
            let level = self.level(view, 0, FAR, TRIES);
            self.levels.push(level);
        }
        while let Some(level) = self.levels.last_mut() {
            while level.tries > 0
                && let Some((distance, step)) = level.branches.get(level.next).copied()
            {
                level.next += 1;
                if view.tree.arm(step).is_open() {
                    level.tries -= 1;
                    self.chosen = distance;
                    return Some(step);
                }
            }
            self.levels.pop();
        }
        None
    }

    fn ran(&mut self, view: View<'_>) {
        if !view.stats.newly_covered().is_empty() {
            self.levels.clear();
            return;
        }
        let Some(negated) = view.stats.just_negated(view.path) else { return };
        if self.levels.len() <= STEPS && self.chosen > 0 && self.chosen != FAR {
            let level = self.level(view, negated + 1, self.chosen - 1, TRIES_ON_THE_WAY);
            self.levels.push(level);
        }
    }
}

//! The 40 features of a branch on a path: what a learned heuristic knows of it. 1 to 12 come from the program's text,
//! 13 to 40 from what has happened so far. [`TABLE`] names and explains them; names are what weight files use.
//!
//! A branch means the arm that the path took, its opposite the arm that is to be tried instead. Nothing here allocates
//! per branch: a heuristic asks for thousands of branches before each run.

use crate::heuristic::View;
use crate::stats::NO_ARM;
use crate::tree::Step;

/// How many features there are.
pub const COUNT: usize = 40;

/// Positions on a path that count as near.
const NEAR: usize = 5;
/// Times that count as often, where a branch failed to be negated.
const OFTEN: u32 = 10;
/// Branches of a large function.
const LARGE: u32 = 10;

/// A feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name in weight files.
    pub name: &'static str,
    /// What it says of a branch.
    pub meaning: &'static str,
}

const fn feature(name: &'static str, meaning: &'static str) -> Feature {
    Feature { name, meaning }
}

/// All features; feature n is at n - 1.
pub const TABLE: [Feature; COUNT] = [
    feature("in-main", "the branch is in main"),
    feature(
        "continues-loop",
        "its arm stays in a loop that the other arm leaves, or goes back to a loop's head",
    ),
    feature("exits-loop", "its arm leaves the loop it is in"),
    feature("nested", "it lies inside the statement of another branch"),
    feature("external-call", "its condition uses the result of a function that is not the user's"),
    feature("integer", "its condition compares or tests integers"),
    feature("text", "its condition compares a character with a constant, or has a constant string"),
    feature("pointer", "its condition compares pointers or reads through one"),
    feature("local", "its condition reads a local variable or a parameter"),
    feature("in-loop-body", "it is in the body of a loop"),
    feature("case", "its arm is a case of a switch"),
    feature("default", "its arm is the default of a switch"),
    feature("path-first", "it is in the first tenth of the path"),
    feature("path-last", "it is in the last tenth of the path"),
    feature("path-most-frequent", "no branch is on the path more often"),
    feature("path-least-frequent", "no branch is on the path less often"),
    feature("newly-covered", "the last run was the first to take it"),
    feature("after-negated", "it comes right after the branch that was negated for the last run"),
    feature("context-1-tried", "it was negated before after the same branch"),
    feature("context-2-tried", "it was negated before after the same 2 branches"),
    feature("context-3-tried", "it was negated before after the same 3 branches"),
    feature("context-4-tried", "it was negated before after the same 4 branches"),
    feature("context-5-tried", "it was negated before after the same 5 branches"),
    feature("negated-10", "it was negated more than 10 times"),
    feature("negated-20", "it was negated more than 20 times"),
    feature("negated-30", "it was negated more than 30 times"),
    feature("near-negated", "it is at most 5 branches from the one that was negated for the last run"),
    feature("failed", "negating it failed more than 10 times"),
    feature("opposite-failed", "negating its opposite failed more than 10 times"),
    feature("opposite-uncovered", "its opposite was never taken"),
    feature("opposite-uncovered-1", "its opposite and the branches right behind that were never taken"),
    feature("negated-last-10", "it was negated for one of the last 10 runs"),
    feature("negated-last-20", "it was negated for one of the last 20 runs"),
    feature("negated-last-30", "it was negated for one of the last 30 runs"),
    feature("in-most-uncovered", "it is in the function with the most branches that were never taken"),
    feature("to-unreached-top-10", "its opposite leads into a function never entered, of the largest 10 %"),
    feature("to-unreached-top-20", "its opposite leads into a function never entered, of the largest 20 %"),
    feature("to-unreached-top-30", "its opposite leads into a function never entered, of the largest 30 %"),
    feature(
        "to-unreached-large",
        "its opposite leads into a function never entered with more than 10 branches",
    ),
    feature("in-last-reached", "it is in the function that was entered for the first time last"),
];

/// The features of the branches of one path. It can be used for one path after the other.
#[derive(Debug, Default)]
pub struct BranchFeatures {
    /// The arm at each position of the path, `NO_ARM` where the program decides without branching.
    arms: Vec<u32>,
    /// How often each arm is on the path.
    counts: Vec<u32>,
    most: u32,
    least: u32,
    /// Position of the decision that was negated for the last run.
    just_negated: Option<usize>,
}

impl BranchFeatures {
    /// Of the view's path.
    pub fn new(view: View<'_>) -> BranchFeatures {
        let mut out = BranchFeatures::default();
        out.read(view);
        out
    }

    /// The view's path is the one that is asked for from now on.
    pub fn read(&mut self, view: View<'_>) {
        for arm in self.arms.drain(..).filter(|a| *a != NO_ARM) {
            self.counts[arm as usize] = 0;
        }
        self.counts.resize(view.program.edges.len(), 0);
        self.most = 0;
        for step in view.path {
            let arm = view.stats.arm_of(view.tree.edge(*step));
            self.arms.push(arm);
            if arm != NO_ARM {
                self.counts[arm as usize] += 1;
                self.most = self.most.max(self.counts[arm as usize]);
            }
        }
        let counts = self.arms.iter().filter(|a| **a != NO_ARM).map(|a| self.counts[*a as usize]);
        self.least = counts.min().unwrap_or(0);
        self.just_negated = view.stats.just_negated(view.path);
    }

    /// Of the decision at a position of the path, of which `other` is to be tried; feature n is bit n - 1. The view must
    /// be of the path that was read.
    pub fn bits(&self, view: View<'_>, position: usize, other: Step) -> u64 {
        let View { tree, stats, .. } = view;
        let n = self.arms.len();
        let arm = self.arms[position];
        let mut bits = 0u64;
        let mut set = |number: u32, when: bool| bits |= u64::from(when) << (number - 1);
        set(13, position * 10 < n);
        set(14, (n - 1 - position) * 10 < n);
        if let Some(negated) = self.just_negated {
            set(18, position == negated + 1);
            set(27, position != negated && position.abs_diff(negated) <= NEAR);
        }
        let tried = stats.contexts_tried(self.arms[..=position].iter().rev().copied());
        for k in 1..=tried as u32 {
            set(18 + k, true);
        }
        if arm != NO_ARM {
            let count = self.counts[arm as usize];
            set(15, count == self.most);
            set(16, count == self.least);
            set(17, stats.is_newly_covered(arm));
            let negated = stats.times_negated(arm);
            set(24, negated > 10);
            set(25, negated > 20);
            set(26, negated > 30);
            set(28, stats.times_failed(arm) > OFTEN);
            set(32, stats.negated_within(arm, 10));
            set(33, stats.negated_within(arm, 20));
            set(34, stats.negated_within(arm, 30));
            let func = stats.function_of(arm);
            set(35, func.is_some() && func == stats.most_uncovered());
            set(40, func.is_some() && func == stats.last_reached());
        }
        let opposite = stats.arm_of(tree.edge(other));
        if opposite != NO_ARM {
            set(29, stats.times_failed(opposite) > OFTEN);
            if !stats.is_covered(opposite) {
                set(30, true);
                let mut behind = stats.arms_behind(view.program, opposite);
                set(31, behind.all(|e| !stats.is_covered(stats.arm_of(Some(e)))));
            }
            let (mut largest, mut large) = (1.0f64, false);
            for f in stats.facts.called_after(opposite) {
                if !stats.is_reached(*f) {
                    largest = largest.min(stats.size_rank(*f));
                    large |= stats.arms_in(*f) > LARGE;
                }
            }
            set(36, largest < 0.1);
            set(37, largest < 0.2);
            set(38, largest < 0.3);
            set(39, large);
        }
        // These are of the edge itself: a case and the default can lead to one block.
        let facts = tree.edge(view.path[position]).map_or(0, |e| stats.facts.edge(e).bits());
        bits | u64::from(facts)
    }

    /// The arm at a position of the path.
    pub(crate) fn arm(&self, position: usize) -> u32 {
        self.arms[position]
    }
}

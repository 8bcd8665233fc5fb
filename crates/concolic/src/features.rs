//! The 40 features of a branch on a path: what a learned heuristic knows of it. 1 to 12 come from the program's text,
//! 13 to 40 from what has happened so far. [`BranchFeatures::TABLE`] names and explains them; names are what weight files use.

use crate::heuristic::View;
use crate::tree::Step;
use forkwise_ir::Program;
use rustc_hash::FxHashMap;

/// How many features there are.
pub const COUNT: usize = 40;

/// Positions on a path that count as near.
const NEAR: usize = 5;
/// Times that count as often, where a branch failed to be negated.
const OFTEN: u32 = 10;
/// Branches of a large function.
const LARGE: u32 = 10;
/// Blocks without a branch that are followed behind an arm.
const STRAIGHT: usize = 16;

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
    feature("after-negated", "it comes right after the branch that was just negated"),
    feature("context-1-tried", "it was negated before after the same branch"),
    feature("context-2-tried", "it was negated before after the same 2 branches"),
    feature("context-3-tried", "it was negated before after the same 3 branches"),
    feature("context-4-tried", "it was negated before after the same 4 branches"),
    feature("context-5-tried", "it was negated before after the same 5 branches"),
    feature("negated-10", "it was negated more than 10 times"),
    feature("negated-20", "it was negated more than 20 times"),
    feature("negated-30", "it was negated more than 30 times"),
    feature("near-negated", "it is at most 5 branches from the one that was just negated"),
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

/// The features of the branches of one path.
pub struct BranchFeatures<'a> {
    view: View<'a>,
    /// How often each edge is on the path.
    counts: FxHashMap<u32, u32>,
    most: u32,
    least: u32,
}

impl<'a> BranchFeatures<'a> {
    /// Of the last path.
    pub fn new(view: View<'a>) -> BranchFeatures<'a> {
        let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
        for edge in view.path.iter().filter_map(|s| view.tree.edge(*s)) {
            *counts.entry(edge).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        let least = counts.values().copied().min().unwrap_or(0);
        BranchFeatures { view, counts, most, least }
    }

    /// Of the decision at a position of the path, of which `other` is to be tried; feature n is bit n - 1.
    pub fn bits(&self, position: usize, other: Step) -> u64 {
        let View { tree, path, stats, .. } = self.view;
        let n = path.len();
        let taken = path[position];
        let mut bits = 0u64;
        let mut set = |number: u32, when: bool| bits |= u64::from(when) << (number - 1);
        set(13, position * 10 < n);
        set(14, (n - 1 - position) * 10 < n);
        if let Some(negated) = stats.just_negated(path) {
            set(18, position == negated + 1);
            set(27, position != negated && position.abs_diff(negated) <= NEAR);
        }
        for k in 1..=5 {
            set(18 + k as u32, stats.context_tried(tree, taken, k));
        }
        if let Some(edge) = tree.edge(taken) {
            set(15, self.counts[&edge] == self.most);
            set(16, self.counts[&edge] == self.least);
            set(17, stats.newly_covered().contains(&edge));
            let negated = stats.times_negated(edge);
            set(24, negated > 10);
            set(25, negated > 20);
            set(26, negated > 30);
            set(28, stats.times_failed(edge) > OFTEN);
            set(32, stats.negated_within(edge, 10));
            set(33, stats.negated_within(edge, 20));
            set(34, stats.negated_within(edge, 30));
            let func = self.function(edge);
            set(35, func.is_some() && func == stats.most_uncovered());
            set(40, func.is_some() && func == stats.last_reached());
        }
        if let Some(opposite) = tree.edge(other) {
            let uncovered = |edge: u32| self.view.coverage.edges[edge as usize] == 0;
            set(29, stats.times_failed(opposite) > OFTEN);
            set(30, uncovered(opposite));
            let behind = Behind::new(self.view.program, opposite);
            set(31, uncovered(opposite) && behind.arms.iter().all(|e| uncovered(*e)));
            let unreached: Vec<u32> = behind
                .calls
                .into_iter()
                .filter(|f| {
                    let function = &self.view.program.functions[*f as usize];
                    function.n_blocks > 0 && !function.is_library && !stats.is_reached(*f)
                })
                .collect();
            let among = |share: f64| unreached.iter().any(|f| stats.size_rank(*f) < share);
            set(36, among(0.1));
            set(37, among(0.2));
            set(38, among(0.3));
            set(39, unreached.iter().any(|f| stats.facts.arms_in(*f) > LARGE));
        }
        let facts = tree.edge(taken).map_or(0, |e| stats.facts.edge(e).bits());
        bits | u64::from(facts)
    }

    fn function(&self, edge: u32) -> Option<u32> {
        let from = self.view.program.edges[edge as usize].from;
        self.view.program.blocks.get(from as usize).map(|b| b.func)
    }
}

/// What follows an arm up to the next branch.
struct Behind {
    /// Arms of that branch.
    arms: Vec<u32>,
    /// Functions that are called on the way.
    calls: Vec<u32>,
}

impl Behind {
    fn new(program: &Program, edge: u32) -> Behind {
        let mut out = Behind { arms: Vec::new(), calls: Vec::new() };
        let mut block = program.edges[edge as usize].block;
        for _ in 0..STRAIGHT {
            let Some(b) = program.blocks.get(block as usize) else { break };
            out.calls.extend(b.calls.iter().map(|c| c.0));
            match &b.succs[..] {
                [only] => block = program.edges[*only as usize].block,
                arms => {
                    out.arms = arms.to_vec();
                    break;
                }
            }
        }
        out
    }
}

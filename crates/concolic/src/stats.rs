//! What has happened to branches so far: how often each was negated and with what success, which contexts were tried,
//! what the last run covered, which functions were reached. Kept as runs go by; heuristics and features only read it.

use crate::rerun::Origin;
use crate::tree::{Step, Tree, is_users};
use forkwise_ir::{Facts, Program};
use forkwise_vm::Vm;
use rustc_hash::FxHashSet;

/// Longest context that is kept.
pub const LONGEST_CONTEXT: usize = 5;

/// What is counted for an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    negated: u32,
    failed: u32,
    /// The run before which it was last negated, plus one.
    last: u32,
}

/// See the module text.
pub struct Stats {
    /// What the program's text says.
    pub facts: Facts,
    edges: Vec<Counts>,
    runs: u32,
    contexts: [FxHashSet<u64>; LONGEST_CONTEXT],
    /// Position on the last path of the decision that was negated for it, and the way it went instead.
    just_negated: Option<(usize, Step)>,
    /// Arms of the user's branches that the last run was the first to take.
    newly: Vec<u32>,
    functions: Functions,
}

/// The user's functions.
struct Functions {
    reached: Vec<bool>,
    last_reached: Option<u32>,
    /// Arms nobody has taken yet.
    uncovered: Vec<u32>,
    /// The function with the most of them.
    most_uncovered: Option<u32>,
    /// Share of the user's functions that are larger, from 0 to 1.
    rank: Vec<f64>,
}

impl Functions {
    fn new(program: &Program, facts: &Facts) -> Functions {
        let n = program.functions.len();
        let mine: Vec<u32> = (0..n as u32)
            .filter(|f| {
                let f = &program.functions[*f as usize];
                f.n_blocks > 0 && !f.is_library
            })
            .collect();
        let mut by_size = mine.clone();
        by_size.sort_by_key(|f| std::cmp::Reverse(facts.arms_in(*f)));
        let mut out = Functions {
            reached: vec![false; n],
            last_reached: None,
            uncovered: vec![0; n],
            most_uncovered: None,
            rank: vec![1.0; n],
        };
        for f in &mine {
            out.uncovered[*f as usize] = facts.arms_in(*f);
        }
        for (i, f) in by_size.iter().enumerate() {
            out.rank[*f as usize] = i as f64 / by_size.len() as f64;
        }
        out
    }

    fn covered(&mut self, program: &Program, facts: &Facts, edges: &[u32]) {
        for edge in edges {
            let block = program.edges[*edge as usize].block as usize;
            let Some(func) = program.blocks.get(block).map(|b| b.func) else { continue };
            let f = &program.functions[func as usize];
            if f.is_library {
                continue;
            }
            if f.entry_edge == *edge {
                self.reached[func as usize] = true;
                self.last_reached = Some(func);
            }
            if facts.branch_of(*edge).is_some() {
                self.uncovered[func as usize] = self.uncovered[func as usize].saturating_sub(1);
            }
        }
        let most = self.uncovered.iter().enumerate().max_by_key(|(i, n)| (**n, std::cmp::Reverse(*i)));
        self.most_uncovered = most.filter(|(_, n)| **n > 0).map(|(i, _)| i as u32);
    }
}

impl Stats {
    /// Nothing has happened yet.
    pub fn new(program: &Program) -> Stats {
        let facts = Facts::new(program);
        Stats {
            edges: vec![Counts::default(); program.edges.len()],
            runs: 0,
            contexts: Default::default(),
            just_negated: None,
            newly: Vec::new(),
            functions: Functions::new(program, &facts),
            facts,
        }
    }

    /// A run begins with `path` behind it.
    pub(crate) fn run_begins(&mut self, path: &[Step], origin: &Origin) {
        self.just_negated = match origin {
            Origin::Beginning { .. } => None,
            Origin::Negation { .. } => path.iter().copied().enumerate().next_back(),
        };
    }

    /// A run has ended; before it `covered` edges had been covered.
    pub(crate) fn run_ended(&mut self, vm: &Vm, covered: usize) {
        self.runs += 1;
        let new = &vm.coverage.log[covered..];
        self.newly.clear();
        let mine = |e: &&u32| self.facts.branch_of(**e).is_some() && is_users(&vm.program, **e);
        self.newly.extend(new.iter().filter(mine));
        if !new.is_empty() {
            self.functions.covered(&vm.program, &self.facts, new);
        }
    }

    /// The decision that `taken` made was negated, with or without success.
    pub(crate) fn negated(&mut self, tree: &Tree, taken: Step, success: bool) {
        for k in 1..=LONGEST_CONTEXT {
            self.contexts[k - 1].insert(context(tree, taken, k));
        }
        if let Some(edge) = tree.edge(taken) {
            let counts = &mut self.edges[edge as usize];
            counts.negated += 1;
            counts.failed += u32::from(!success);
            counts.last = self.runs + 1;
        }
    }

    /// Times an edge was negated.
    pub fn times_negated(&self, edge: u32) -> u32 {
        self.edges[edge as usize].negated
    }

    /// Times that failed.
    pub fn times_failed(&self, edge: u32) -> u32 {
        self.edges[edge as usize].failed
    }

    /// Was an edge negated for one of the last `runs` runs?
    pub fn negated_within(&self, edge: u32, runs: u32) -> bool {
        let last = self.edges[edge as usize].last;
        last > 0 && self.runs - (last - 1) <= runs
    }

    /// Was this context tried: the decision of `step` and the `k` before it?
    pub fn context_tried(&self, tree: &Tree, step: Step, k: usize) -> bool {
        self.contexts[k - 1].contains(&context(tree, step, k))
    }

    /// Position on the last path of the decision that was negated for it; `None` where `path` is not a path that went
    /// this way.
    pub fn just_negated(&self, path: &[Step]) -> Option<usize> {
        let (position, step) = self.just_negated?;
        (path.get(position) == Some(&step)).then_some(position)
    }

    /// Arms of the user's branches that the last run was the first to take.
    pub fn newly_covered(&self) -> &[u32] {
        &self.newly
    }

    /// Has a function been entered?
    pub fn is_reached(&self, func: u32) -> bool {
        self.functions.reached[func as usize]
    }

    /// The function of the user's that was entered for the first time last.
    pub fn last_reached(&self) -> Option<u32> {
        self.functions.last_reached
    }

    /// The function of the user's with the most arms that nobody has taken.
    pub fn most_uncovered(&self) -> Option<u32> {
        self.functions.most_uncovered
    }

    /// Share of the user's functions with more arms than this one, from 0 to 1.
    pub fn size_rank(&self, func: u32) -> f64 {
        self.functions.rank[func as usize]
    }
}

/// A number for a decision and the `k` before it.
fn context(tree: &Tree, step: Step, k: usize) -> u64 {
    let mut h = 0u64;
    let mut at = Some(step);
    for _ in 0..=k {
        let Some(step) = at else { break };
        let edge = tree.edge(step).map_or(0, |e| u64::from(e) + 1);
        h = (h.rotate_left(5) ^ edge).wrapping_mul(0x517c_c1b7_2722_0a95);
        at = tree.node(step.node).parent;
    }
    h
}

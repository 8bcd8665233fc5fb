//! What has happened to branches so far: how often each was negated and with what success, which contexts were tried,
//! what the last run covered, which functions were reached. Kept as runs go by; heuristics and features only read it.
//!
//! What is counted is counted per arm. Cases of a switch that lead to one block are one arm, as in coverage; its number is
//! that of its first edge.

use crate::rerun::Origin;
use crate::tree::{Step, Tree};
use forkwise_ir::{Facts, Program};
use forkwise_vm::Vm;
use rustc_hash::FxHashSet;

/// Longest context that is kept.
pub const LONGEST_CONTEXT: usize = 5;

/// No arm: the program decides without branching.
pub const NO_ARM: u32 = u32::MAX;

/// What is known of an arm.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    negated: u32,
    failed: u32,
    /// The run before which it was last negated, plus one.
    last: u32,
    /// The run that was the first to take it, from 1; 0: none was.
    first: u32,
}

/// See the module text.
pub struct Stats {
    /// What the program's text says.
    pub facts: Facts,
    /// Per edge: its arm, and the function it is in.
    arm_of: Vec<u32>,
    function_of: Vec<Option<u32>>,
    /// Per arm.
    arms: Vec<Counts>,
    runs: u32,
    contexts: [FxHashSet<u64>; LONGEST_CONTEXT],
    /// Position on the last path of the decision that was negated for it, and the way it went instead.
    just_negated: Option<(usize, Step)>,
    /// Arms of the user's branches that the last run was the first to take.
    newly: Vec<u32>,
    /// Edges of the coverage log that were looked at.
    logged: usize,
    functions: Functions,
}

/// What is known of a function.
#[derive(Clone, Copy, Debug)]
struct Function {
    /// Is it the user's, with code?
    mine: bool,
    reached: bool,
    /// Arms of its branches; those of functions that are not the user's are not counted.
    arms: u32,
    /// Arms nobody has taken yet.
    uncovered: u32,
    /// Share of the user's functions that are larger, from 0 to 1; 1 where there is no branch at all.
    rank: f64,
}

#[derive(Debug)]
struct Functions {
    all: Vec<Function>,
    last_reached: Option<u32>,
    /// The function with the most uncovered arms.
    most_uncovered: Option<u32>,
}

impl Functions {
    fn new(program: &Program, arm_of: &[u32], facts: &Facts) -> Functions {
        let mut all: Vec<Function> = Vec::with_capacity(program.functions.len());
        for (number, f) in program.functions.iter().enumerate() {
            let mine = f.n_blocks > 0 && !f.is_library;
            let branches = facts.branches_of(number as u32).iter().map(|b| &program.branches[*b as usize]);
            let edges = branches.flat_map(|b| b.first_edge..b.first_edge + b.arms);
            let arms = edges.filter(|e| mine && arm_of[*e as usize] == *e).count() as u32;
            all.push(Function { mine, reached: false, arms, uncovered: arms, rank: 1.0 });
        }
        let mut sizes: Vec<u32> = all.iter().filter(|f| f.mine).map(|f| f.arms).collect();
        sizes.sort_unstable();
        for f in all.iter_mut().filter(|f| f.arms > 0) {
            let larger = sizes.len() - sizes.partition_point(|s| *s <= f.arms);
            f.rank = larger as f64 / sizes.len() as f64;
        }
        Functions { all, last_reached: None, most_uncovered: None }
    }

    /// Which function has the most uncovered arms now? The first one among equals.
    fn compare(&mut self) {
        let most = self.all.iter().enumerate().max_by_key(|(i, f)| (f.uncovered, std::cmp::Reverse(*i)));
        self.most_uncovered = most.filter(|(_, f)| f.uncovered > 0).map(|(i, _)| i as u32);
    }
}

impl Stats {
    /// Nothing has happened yet.
    pub fn new(program: &Program) -> Stats {
        let facts = Facts::new(program);
        let mut arm_of: Vec<u32> = (0..program.edges.len() as u32).collect();
        let mut targets: Vec<(u32, u32)> = Vec::new();
        for branch in &program.branches {
            let edges = branch.first_edge..branch.first_edge + branch.arms;
            targets.clear();
            targets.extend(edges.map(|e| (program.edges[e as usize].block, e)));
            targets.sort_unstable();
            for same in targets.chunk_by(|a, b| a.0 == b.0) {
                same.iter().for_each(|(_, e)| arm_of[*e as usize] = same[0].1);
            }
        }
        let functions = Functions::new(program, &arm_of, &facts);
        let function = |block: u32| program.blocks.get(block as usize).map(|b| b.func);
        let function_of = program.edges.iter().map(|e| function(e.block)).collect();
        Stats {
            arms: vec![Counts::default(); program.edges.len()],
            runs: 0,
            contexts: Default::default(),
            just_negated: None,
            newly: Vec::new(),
            logged: 0,
            functions,
            arm_of,
            function_of,
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

    /// A run has ended.
    pub(crate) fn run_ended(&mut self, vm: &Vm) {
        self.runs += 1;
        self.newly.clear();
        let program = &*vm.program;
        let new = &vm.coverage.log[self.logged..];
        self.logged = vm.coverage.log.len();
        for edge in new {
            let arm = self.arm_of[*edge as usize];
            if self.arms[arm as usize].first != 0 {
                continue;
            }
            self.arms[arm as usize].first = self.runs;
            let Some(func) = self.function_of[*edge as usize] else { continue };
            let known = &mut self.functions.all[func as usize];
            if !known.mine {
                continue;
            }
            if program.functions[func as usize].entry_edge == *edge {
                known.reached = true;
                self.functions.last_reached = Some(func);
            }
            if self.facts.branch_of(*edge).is_some() {
                known.uncovered = known.uncovered.saturating_sub(1);
                self.newly.push(arm);
            }
        }
        if !new.is_empty() {
            self.functions.compare();
        }
    }

    /// The decision that `taken` made was negated, with or without success.
    pub(crate) fn negated(&mut self, tree: &Tree, taken: Step, success: bool) {
        let arm_of = &self.arm_of;
        let back = std::iter::successors(Some(taken), |s| tree.node(s.node).parent);
        let arms = back.map(|s| tree.edge(s).map_or(NO_ARM, |e| arm_of[e as usize]));
        for (tried, context) in self.contexts.iter_mut().zip(contexts(arms)) {
            tried.insert(context);
        }
        let arm = self.arm_of(tree.edge(taken));
        if arm != NO_ARM {
            let counts = &mut self.arms[arm as usize];
            counts.negated += 1;
            counts.failed += u32::from(!success);
            counts.last = self.runs + 1;
        }
    }

    /// The arm of an edge; `NO_ARM` without one. Everything below is asked for arms.
    pub fn arm_of(&self, edge: Option<u32>) -> u32 {
        edge.map_or(NO_ARM, |e| self.arm_of[e as usize])
    }

    /// Times an arm was negated, failures included.
    pub fn times_negated(&self, arm: u32) -> u32 {
        self.arms[arm as usize].negated
    }

    /// Times that failed.
    pub fn times_failed(&self, arm: u32) -> u32 {
        self.arms[arm as usize].failed
    }

    /// Was an arm negated for one of the last `runs` runs, or in vain since?
    pub fn negated_within(&self, arm: u32, runs: u32) -> bool {
        let last = self.arms[arm as usize].last;
        last > 0 && self.runs - (last - 1) <= runs
    }

    /// Was an arm taken by any run?
    pub fn is_covered(&self, arm: u32) -> bool {
        self.arms[arm as usize].first != 0
    }

    /// Was the last run the first to take an arm?
    pub fn is_newly_covered(&self, arm: u32) -> bool {
        self.runs != 0 && self.arms[arm as usize].first == self.runs
    }

    /// Arms of the user's branches that the last run was the first to take.
    pub fn newly_covered(&self) -> &[u32] {
        &self.newly
    }

    /// The longest context that was tried: 0 if none was, otherwise `k` where the first of `arms` was negated before after
    /// the `k` that follow it here, from the last one backwards. Shorter contexts were tried, too.
    pub fn contexts_tried(&self, arms: impl Iterator<Item = u32>) -> usize {
        self.contexts.iter().zip(contexts(arms)).take_while(|(tried, c)| tried.contains(c)).count()
    }

    /// Position on the last path of the decision that was negated for it; `None` where `path` is not a path that went
    /// this way.
    pub fn just_negated(&self, path: &[Step]) -> Option<usize> {
        let (position, step) = self.just_negated?;
        (path.get(position) == Some(&step)).then_some(position)
    }

    /// Edges of the branch that is met first after an arm; none where something else comes first.
    pub fn arms_behind(&self, program: &Program, arm: u32) -> std::ops::Range<u32> {
        let next = self.facts.next_branch(arm).map(|b| &program.branches[b as usize]);
        next.map_or(0..0, |b| b.first_edge..b.first_edge + b.arms)
    }

    /// The function that an arm is in.
    pub fn function_of(&self, arm: u32) -> Option<u32> {
        self.function_of[arm as usize]
    }

    /// Has a function been entered? Only the user's are counted.
    pub fn is_reached(&self, func: u32) -> bool {
        self.functions.all[func as usize].reached
    }

    /// The function of the user's that was entered for the first time last.
    pub fn last_reached(&self) -> Option<u32> {
        self.functions.last_reached
    }

    /// The function of the user's with the most arms that nobody has taken.
    pub fn most_uncovered(&self) -> Option<u32> {
        self.functions.most_uncovered
    }

    /// Arms of a function of the user's; 0 for others.
    pub fn arms_in(&self, func: u32) -> u32 {
        self.functions.all[func as usize].arms
    }

    /// Share of the user's functions with more arms than this one, from 0 to 1; 1 for functions without branches, and for
    /// those that are not the user's.
    pub fn size_rank(&self, func: u32) -> f64 {
        self.functions.all[func as usize].rank
    }
}

/// Numbers for an arm with the one before it, the two before it, and so on; `arms` are the arm and those before it,
/// backwards. Where fewer are before it, it is those.
fn contexts(mut arms: impl Iterator<Item = u32>) -> [u64; LONGEST_CONTEXT] {
    let mix = |h: u64, arm: u32| (h.rotate_left(5) ^ u64::from(arm)).wrapping_mul(0x517c_c1b7_2722_0a95);
    let mut h = mix(1, arms.next().unwrap_or(NO_ARM));
    std::array::from_fn(|_| {
        if let Some(arm) = arms.next() {
            h = mix(h, arm);
        }
        h
    })
}

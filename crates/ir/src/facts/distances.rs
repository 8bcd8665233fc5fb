//! How many branches away an uncovered arm is, over the whole program.
//!
//! A path may go into the functions that a block calls, or pass over them at the cost of their shortest way; it does not
//! go back to callers. Library code is passed through but never a goal. What does not depend on coverage is computed
//! once, and an update costs a walk over the reversed steps. Calls through pointers cost nothing and lead nowhere.

use super::arms;
use super::graph::Graph;
use crate::program::{Edge, Program};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The distance of what cannot be reached.
pub const FAR: u32 = u32::MAX;

/// See the module text.
#[derive(Debug)]
pub struct BranchDistances {
    /// Arms on the way over the calls of each block.
    over_calls: Vec<u32>,
    /// Reversed steps: those that lead to block b are `steps[first_step[b]..first_step[b + 1]]`, as (from, arms).
    first_step: Vec<u32>,
    steps: Vec<(u32, u32)>,
    /// Arms of the user's code: where they come from and which they are.
    goals: Vec<(u32, u32)>,
    /// Per block: arms that are followed from its start to reach an uncovered one, that one not counted.
    to_uncovered: Vec<u32>,
    /// Per edge.
    of_edge: Vec<u32>,
    /// Blocks by distance, while distances are computed; kept for its memory.
    buckets: Vec<Vec<u32>>,
}

impl BranchDistances {
    /// Everything that does not depend on coverage. Distances are [`FAR`] until the first update.
    pub fn new(program: &Program) -> BranchDistances {
        let through = shortest_ways(program);
        let mut over_calls = Vec::with_capacity(program.blocks.len());
        // (to, from, arms)
        let mut list: Vec<(u32, u32, u32)> = Vec::new();
        for (from, block) in program.blocks.iter().enumerate() {
            let mut gone = 0u32;
            for (callee, _) in &block.calls {
                let f = &program.functions[*callee as usize];
                if f.n_blocks != 0 && gone != FAR {
                    list.push((program.edges[f.entry_edge as usize].block, from as u32, gone));
                }
                gone = gone.saturating_add(through[*callee as usize]);
            }
            over_calls.push(gone);
        }
        let cost = step_costs(program);
        for (from, block) in program.blocks.iter().enumerate() {
            let over = over_calls[from];
            if over != FAR {
                let step = |edge: &u32| (program.edges[*edge as usize].block, from as u32, over + cost[from]);
                list.extend(block.succs.iter().map(step));
            }
        }
        list.sort_unstable();
        list.dedup();
        let mut first_step = vec![0u32; program.blocks.len() + 1];
        for (to, ..) in &list {
            first_step[*to as usize + 1] += 1;
        }
        for i in 1..first_step.len() {
            first_step[i] += first_step[i - 1];
        }
        let mut goals = Vec::new();
        for branch in &program.branches {
            if !program.functions[branch.func as usize].is_library {
                goals.extend(arms(branch).map(|edge| (branch.block, edge as u32)));
            }
        }
        BranchDistances {
            over_calls,
            first_step,
            steps: list.into_iter().map(|(_, from, arms)| (from, arms)).collect(),
            goals,
            to_uncovered: vec![FAR; program.blocks.len()],
            of_edge: vec![FAR; program.edges.len()],
            buckets: Vec::new(),
        }
    }

    /// Computes all distances again. `covered` has a byte for each edge, 0 when it was never followed; edges that it
    /// does not have are uncovered.
    pub fn update(&mut self, program: &Program, covered: &[u8]) {
        self.to_uncovered.fill(FAR);
        let uncovered = |edge: u32| covered.get(edge as usize).is_none_or(|c| *c == 0);
        for i in 0..self.goals.len() {
            let (from, edge) = self.goals[i];
            if uncovered(edge) {
                self.reach(from, self.over_calls[from as usize]);
            }
        }
        let mut distance = 0;
        while distance < self.buckets.len() {
            let Some(block) = self.buckets[distance].pop() else {
                distance += 1;
                continue;
            };
            if self.to_uncovered[block as usize] as usize != distance {
                continue;
            }
            let range =
                self.first_step[block as usize] as usize..self.first_step[block as usize + 1] as usize;
            for i in range {
                let (from, arms) = self.steps[i];
                self.reach(from, (distance as u32).saturating_add(arms));
            }
        }
        for (edge, distance) in self.of_edge.iter_mut().enumerate() {
            *distance = self.to_uncovered[program.edges[edge].block as usize].saturating_add(1);
        }
        for (_, edge) in &self.goals {
            if uncovered(*edge) {
                self.of_edge[*edge as usize] = 0;
            }
        }
    }

    /// A block can be this far from an uncovered arm.
    fn reach(&mut self, block: u32, distance: u32) {
        // Nobody is guided by distances in the millions, and each distance is a bucket.
        if distance >= self.to_uncovered[block as usize] || distance > 1 << 20 {
            return;
        }
        self.to_uncovered[block as usize] = distance;
        if self.buckets.len() <= distance as usize {
            self.buckets.resize_with(distance as usize + 1, Vec::new);
        }
        self.buckets[distance as usize].push(block);
    }

    /// Arms that are followed after this edge to reach an uncovered one, which counts; 0 when the edge is an uncovered
    /// arm itself, [`FAR`] when there is none ahead.
    pub fn of_edge(&self, edge: u32) -> u32 {
        self.of_edge[edge as usize]
    }

    /// Arms that are followed from the start of a block before an uncovered one; [`FAR`] when there is none ahead.
    pub fn of_block(&self, block: u32) -> u32 {
        self.to_uncovered[block as usize]
    }
}

/// Per block: 1 if what leaves it are arms of a branch.
fn step_costs(program: &Program) -> Vec<u32> {
    let mut cost = vec![0; program.blocks.len()];
    for branch in &program.branches {
        cost[branch.block as usize] = 1;
    }
    cost
}

/// Per function: the fewest arms from its start to its return, those of functions it calls included; [`FAR`] if it never
/// returns. Blocks are settled by ascending distance from the return (as in Dijkstra's algorithm; Knuth showed that it may
/// add up several ways, here those through the calls).
fn shortest_ways(program: &Program) -> Vec<u32> {
    let n = program.blocks.len();
    let mut through = vec![FAR; program.functions.len()];
    let cost = step_costs(program);
    let backward = {
        let arrow = |edge: &Edge| (edge.from != u32::MAX).then_some((edge.block, edge.from));
        Graph::new(n, &program.edges.iter().filter_map(arrow).collect::<Vec<_>>())
    };
    let mut calls = Vec::new();
    for (i, b) in program.blocks.iter().enumerate() {
        calls.extend(b.calls.iter().map(|(callee, _)| (*callee, i as u32)));
    }
    let callers = Graph::new(program.functions.len(), &calls);
    // Per block: calls whose way is not known yet, the way over the others, and the way behind them.
    let mut open: Vec<u32> = program.blocks.iter().map(|b| b.calls.len() as u32).collect();
    let mut over = vec![0u32; n];
    let mut behind: Vec<u32> = program.blocks.iter().map(|b| if b.returns { 0 } else { FAR }).collect();
    let mut settled = vec![false; n];
    let mut heap = BinaryHeap::new();
    let mut known: Vec<u32> = Vec::new();
    for (i, f) in program.functions.iter().enumerate() {
        if f.n_blocks == 0 && !f.noreturn {
            through[i] = 0;
            known.push(i as u32);
        }
    }
    heap.extend((0..n).filter(|i| open[*i] == 0 && behind[*i] == 0).map(|i| Reverse((0, i as u32))));
    loop {
        while let Some(function) = known.pop() {
            for &block in callers.successors(function) {
                let i = block as usize;
                open[i] -= 1;
                over[i] = over[i].saturating_add(through[function as usize]);
                if open[i] == 0 && behind[i] != FAR {
                    heap.push(Reverse((over[i].saturating_add(behind[i]), block)));
                }
            }
        }
        let Some(Reverse((distance, block))) = heap.pop() else { return through };
        if std::mem::replace(&mut settled[block as usize], true) {
            continue;
        }
        for &from in backward.successors(block) {
            let i = from as usize;
            let there = distance.saturating_add(cost[i]);
            if there < behind[i] {
                behind[i] = there;
                if open[i] == 0 {
                    heap.push(Reverse((over[i].saturating_add(there), from)));
                }
            }
        }
        let func = program.blocks[block as usize].func;
        let entry = program.functions[func as usize].entry_edge;
        if program.edges.get(entry as usize).is_some_and(|edge| edge.block == block) {
            through[func as usize] = distance;
            known.push(func);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Block, Branch, Function};
    use proptest::prelude::*;

    /// Functions of four blocks. Per block: where it may go (two make a branch), whom it calls, whether it returns.
    type Shape = Vec<Vec<(Vec<u32>, Vec<u32>, bool)>>;

    /// The last function is the library's; calls of a number behind it are of a function without body.
    fn program(shape: &Shape) -> Program {
        let mut p = Program::default();
        for (func, blocks) in shape.iter().enumerate() {
            let first_block = p.blocks.len() as u32;
            p.functions.push(Function {
                entry_edge: p.edges.len() as u32,
                first_block,
                n_blocks: blocks.len() as u32,
                is_library: func + 1 == shape.len(),
                ..Function::default()
            });
            p.edges.push(Edge { block: first_block, from: u32::MAX, ..Edge::default() });
            for (i, (targets, calls, returns)) in blocks.iter().enumerate() {
                let from = first_block + i as u32;
                let first_edge = p.edges.len() as u32;
                let targets = if *returns { &[][..] } else { targets };
                for to in targets {
                    p.edges.push(Edge { block: first_block + to, from, ..Edge::default() });
                }
                let arms = targets.len() as u32;
                if arms > 1 {
                    let func = func as u32;
                    p.branches.push(Branch {
                        func,
                        block: from,
                        first_edge,
                        arms,
                        counter: u32::MAX,
                        loc: 0,
                    });
                }
                p.blocks.push(Block {
                    func: func as u32,
                    succs: (first_edge..first_edge + arms).collect(),
                    calls: calls.iter().map(|callee| (*callee, 0)).collect(),
                    returns: *returns,
                    ..Block::default()
                });
            }
        }
        p.functions.push(Function::default());
        p
    }

    /// Distances of blocks as they are defined, by repeating until nothing changes.
    fn naive(p: &Program, covered: &[u8]) -> Vec<u32> {
        let n = p.blocks.len();
        let cost = step_costs(p);
        let mut through: Vec<u32> =
            p.functions.iter().map(|f| if f.n_blocks == 0 { 0 } else { FAR }).collect();
        let (mut back, mut near) = (vec![FAR; n], vec![FAR; n]);
        for _ in 0..4 * n {
            for (i, b) in p.blocks.iter().enumerate() {
                let over = b.calls.iter().fold(0u32, |sum, (f, _)| sum.saturating_add(through[*f as usize]));
                let mut gone = 0u32;
                for (callee, _) in &b.calls {
                    let f = &p.functions[*callee as usize];
                    if f.n_blocks > 0 {
                        near[i] = near[i].min(gone.saturating_add(near[f.first_block as usize]));
                    }
                    gone = gone.saturating_add(through[*callee as usize]);
                }
                let mut rest = if b.returns { 0 } else { FAR };
                for edge in &b.succs {
                    let to = p.edges[*edge as usize].block as usize;
                    let goal = cost[i] == 1
                        && covered[*edge as usize] == 0
                        && !p.functions[b.func as usize].is_library;
                    let ahead = if goal { 0 } else { near[to].saturating_add(cost[i]) };
                    near[i] = near[i].min(over.saturating_add(ahead));
                    rest = rest.min(back[to].saturating_add(cost[i]));
                }
                back[i] = over.saturating_add(rest);
                if p.functions[b.func as usize].first_block == i as u32 {
                    through[b.func as usize] = back[i];
                }
            }
        }
        near
    }

    fn shapes() -> impl Strategy<Value = Shape> {
        let targets = proptest::collection::vec(0u32..4, 0..3);
        let calls = proptest::collection::vec(0u32..5, 0..3);
        let block = (targets, calls, proptest::bool::weighted(0.3));
        proptest::collection::vec(proptest::collection::vec(block, 4), 4)
    }

    proptest! {
        #[test]
        fn as_the_definition_says(shape in shapes(), bits in proptest::collection::vec(0u8..4, 64)) {
            let p = program(&shape);
            let covered: Vec<u8> = bits.iter().map(|b| u8::from(*b > 0)).collect();
            let mut distances = BranchDistances::new(&p);
            // What an earlier update left behind must not matter.
            distances.update(&p, &[]);
            distances.update(&p, &covered);
            let expected = naive(&p, &covered);
            for (block, expected) in expected.iter().enumerate() {
                prop_assert_eq!(distances.of_block(block as u32), *expected, "block {}", block);
            }
        }
    }

    #[test]
    fn what_never_returns_is_not_passed_and_libraries_are_no_goal() {
        let to = |targets: &[u32], calls: &[u32], returns| (targets.to_vec(), calls.to_vec(), returns);
        let end = to(&[], &[], true);
        // Function 0 calls 1 before its branch; 1 runs forever; 2, the library's, has an uncovered branch of its own.
        let main = vec![to(&[1, 1], &[1], false), end.clone()];
        let forever = vec![to(&[0], &[], false)];
        let library = vec![to(&[1, 1], &[], false), end.clone()];
        let mut p = program(&vec![main, forever, library]);
        let mut distances = BranchDistances::new(&p);
        distances.update(&p, &[]);
        assert_eq!([0, 1, 2, 3].map(|b| distances.of_block(b)), [FAR; 4]);
        let arm = p.branches[0].first_edge;
        assert_eq!(distances.of_edge(arm), 0, "it is uncovered, if a path gets there after all");
        p.blocks[0].calls = vec![(2, 0), (3, 0)];
        let mut distances = BranchDistances::new(&p);
        distances.update(&p, &[]);
        assert_eq!((distances.of_block(0), distances.of_edge(arm)), (1, 0), "over one branch of the library");
    }
}

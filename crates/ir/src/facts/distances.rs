//! How many branches away an uncovered arm is, over the whole program.
//!
//! A path may go into the functions that a block calls, or pass over them at the cost of their shortest way; it does not
//! go back to callers. Library code is passed through but never a goal. What does not depend on coverage is computed
//! once, and an update costs a walk over the reversed steps. Calls through pointers cost nothing and lead nowhere.

use super::arms;
use crate::program::Program;

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
            if !program.functions[branch.func as usize].is_library && over_calls[branch.block as usize] != FAR
            {
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
/// returns.
fn shortest_ways(program: &Program) -> Vec<u32> {
    let initial = |f: &crate::program::Function| if f.n_blocks == 0 && !f.noreturn { 0 } else { FAR };
    let mut through: Vec<u32> = program.functions.iter().map(initial).collect();
    let mut back = vec![FAR; program.blocks.len()];
    let cost = step_costs(program);
    // Who has to be looked at again when a block's or a function's way gets shorter.
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); program.blocks.len()];
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); program.functions.len()];
    for (i, b) in program.blocks.iter().enumerate() {
        b.succs.iter().for_each(|e| before[program.edges[*e as usize].block as usize].push(i as u32));
        b.calls.iter().for_each(|(callee, _)| callers[*callee as usize].push(i as u32));
    }
    let mut todo: std::collections::VecDeque<u32> = (0..program.blocks.len() as u32).rev().collect();
    let mut queued = vec![true; program.blocks.len()];
    while let Some(i) = todo.pop_front() {
        queued[i as usize] = false;
        let b = &program.blocks[i as usize];
        let next = b.succs.iter().map(|e| back[program.edges[*e as usize].block as usize]).min();
        let rest = if b.returns { 0 } else { next.unwrap_or(FAR).saturating_add(cost[i as usize]) };
        let length = b.calls.iter().fold(rest, |sum, (f, _)| sum.saturating_add(through[*f as usize]));
        if length >= back[i as usize] {
            continue;
        }
        back[i as usize] = length;
        let mut again = |list: &[u32]| {
            for j in list {
                if !std::mem::replace(&mut queued[*j as usize], true) {
                    todo.push_back(*j);
                }
            }
        };
        again(&before[i as usize]);
        let f = &program.functions[b.func as usize];
        if program.edges[f.entry_edge as usize].block == i {
            through[b.func as usize] = length;
            again(&callers[b.func as usize]);
        }
    }
    through
}

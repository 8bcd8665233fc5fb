//! How many instructions away uncovered code is: through calls, over returns, per state through its call stack.
//!
//! The lengths of functions and blocks are computed once; distances to uncovered blocks are computed again when
//! coverage has changed, but not more often than the program's size justifies (counted in executed instructions, so
//! that runs repeat). Calls through pointers are steps of length one. Library code is passed through, but it does
//! not count as uncovered: the user's code is what a search wants to reach.

use forkwise_ir::{Block, Program};
use forkwise_vm::State;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The distance of what cannot be reached.
pub const UNREACHABLE: u32 = u32::MAX;

/// Frames of a deep stack that are looked at; code further out is too far away to guide a search.
const MAX_FRAMES: usize = 256;

/// See the module text.
#[derive(Debug)]
pub struct Distances {
    /// Shortest way from the first instruction of a function to its return.
    through_function: Vec<u32>,
    /// Shortest way from the first instruction of a block to its function's return.
    to_return: Vec<u32>,
    /// Shortest way from the first instruction of a block to an uncovered block.
    to_uncovered: Vec<u32>,
    /// Reversed steps: those of block b are `steps[first_step[b]..first_step[b + 1]]`, as (from, length).
    first_step: Vec<u32>,
    steps: Vec<(u32, u32)>,
    /// Edges covered when the distances were computed, and instructions executed.
    computed_at: Option<(usize, u64)>,
    /// How many times they were computed.
    version: u64,
}

impl Distances {
    /// Everything that does not depend on coverage. Distances are [`UNREACHABLE`] until the first `refresh`.
    pub fn new(program: &Program) -> Distances {
        let (through_function, to_return) = lengths(program);
        let (first_step, steps) = reversed_steps(program, &through_function);
        Distances {
            through_function,
            to_return,
            to_uncovered: vec![UNREACHABLE; program.blocks.len()],
            first_step,
            steps,
            computed_at: None,
            version: 0,
        }
    }

    /// Brings the distances up to date if `covered` (1 per covered block, `edges` edges in all) has changed and
    /// enough instructions were executed since they were last computed.
    pub fn refresh(&mut self, program: &Program, covered: &[u8], edges: usize, instructions: u64) {
        if let Some((seen, at)) = self.computed_at {
            let pause = 20 * program.blocks.len() as u64;
            if seen == edges || instructions < at.saturating_add(pause) {
                return;
            }
        }
        self.computed_at = Some((edges, instructions));
        self.version += 1;
        self.to_uncovered.fill(UNREACHABLE);
        let mut heap = BinaryHeap::new();
        for (b, block) in program.blocks.iter().enumerate() {
            if covered[b] == 0 && !program.functions[block.func as usize].is_library {
                self.to_uncovered[b] = 0;
                heap.push(Reverse((0u32, b as u32)));
            }
        }
        while let Some(Reverse((d, b))) = heap.pop() {
            if d > self.to_uncovered[b as usize] {
                continue;
            }
            let range = self.first_step[b as usize] as usize..self.first_step[b as usize + 1] as usize;
            for (from, length) in &self.steps[range] {
                let there = d.saturating_add(*length);
                if there < self.to_uncovered[*from as usize] {
                    self.to_uncovered[*from as usize] = there;
                    heap.push(Reverse((there, *from)));
                }
            }
        }
    }

    /// How many times the distances were computed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// From the start of a block.
    pub fn of_block(&self, block: u32) -> u32 {
        self.to_uncovered[block as usize]
    }

    /// From where a state is, over its callers.
    pub fn of_state(&self, program: &Program, st: &State) -> u32 {
        let mut best = UNREACHABLE;
        let mut gone = 0u32;
        for (i, frame) in st.frames().take(MAX_FRAMES).enumerate() {
            let (near, back) = match (i, st.pending_edge) {
                (0, Some(edge)) => {
                    let block = program.edges[edge as usize].block as usize;
                    (self.to_uncovered[block], self.to_return[block])
                }
                _ => match program.position(frame.func, frame.pc) {
                    // The innermost frame is about to execute its operation; its callers are in the middle of theirs.
                    Some((block, done)) => self.within(program, block, done, i != 0),
                    None => (UNREACHABLE, 1),
                },
            };
            best = best.min(gone.saturating_add(near));
            gone = gone.saturating_add(back);
            if gone >= best || gone == UNREACHABLE {
                break;
            }
        }
        best
    }

    /// (to uncovered code, to the return) from inside a block of which `done` instructions have begun. The last of
    /// them is finished (apart from a call in it) when `in_call`.
    fn within(&self, program: &Program, block: u32, done: u32, in_call: bool) -> (u32, u32) {
        let b = &program.blocks[block as usize];
        let ahead = done.saturating_sub(!in_call as u32);
        let mut near = UNREACHABLE;
        let mut gone = 0u32;
        for (callee, before) in b.calls.iter().filter(|c| c.1 >= ahead) {
            let f = &program.functions[*callee as usize];
            if f.n_blocks != 0 {
                let entry = program.edges[f.entry_edge as usize].block as usize;
                near =
                    near.min((before - ahead).saturating_add(gone).saturating_add(self.to_uncovered[entry]));
            }
            gone = gone.saturating_add(self.through_function[*callee as usize]);
        }
        let rest = gone.saturating_add(b.insts.saturating_sub(ahead));
        let mut back = if b.returns { rest } else { UNREACHABLE };
        for edge in &b.succs {
            let next = program.edges[*edge as usize].block as usize;
            near = near.min(rest.saturating_add(self.to_uncovered[next]));
            back = back.min(rest.saturating_add(self.to_return[next]));
        }
        (near, back)
    }
}

/// The block of the instruction that a state executes next.
pub(crate) fn block_of(program: &Program, st: &State) -> Option<u32> {
    match st.pending_edge {
        Some(edge) => program.edges.get(edge as usize).map(|e| e.block),
        None => program.position(st.frame.func, st.frame.pc).map(|p| p.0),
    }
}

/// Instructions to get through a call to `callee`; code without a body is one step, if it comes back.
fn initial_length(program: &Program, callee: u32) -> u32 {
    let f = &program.functions[callee as usize];
    match (f.n_blocks, f.noreturn) {
        (0, false) => 1,
        _ => UNREACHABLE,
    }
}

/// Instructions of a block, its calls included.
fn block_length(b: &Block, through_function: &[u32]) -> u32 {
    b.calls.iter().fold(b.insts, |sum, (callee, _)| sum.saturating_add(through_function[*callee as usize]))
}

/// (through each function, from each block to its function's return).
fn lengths(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let mut through: Vec<u32> =
        (0..program.functions.len() as u32).map(|f| initial_length(program, f)).collect();
    let mut back = vec![UNREACHABLE; program.blocks.len()];
    // Who has to be looked at again when a block's or a function's length falls.
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
        let rest = if b.returns { 0 } else { next.unwrap_or(UNREACHABLE) };
        let length = rest.saturating_add(block_length(b, &through));
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
    (through, back)
}

/// The steps a path can make, by the block they lead to: to a successor over the whole block, or into a function it
/// calls.
fn reversed_steps(program: &Program, through: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut list: Vec<(u32, u32, u32)> = Vec::new();
    for (i, b) in program.blocks.iter().enumerate() {
        let mut gone = 0u32;
        for (callee, offset) in &b.calls {
            let f = &program.functions[*callee as usize];
            let there = offset.saturating_add(gone);
            if f.n_blocks != 0 && gone != UNREACHABLE {
                list.push((program.edges[f.entry_edge as usize].block, i as u32, there));
            }
            gone = gone.saturating_add(through[*callee as usize]);
        }
        if gone != UNREACHABLE {
            let length = gone.saturating_add(b.insts);
            for edge in &b.succs {
                list.push((program.edges[*edge as usize].block, i as u32, length));
            }
        }
    }
    list.sort_unstable();
    let mut first = vec![0u32; program.blocks.len() + 1];
    for (to, ..) in &list {
        first[*to as usize + 1] += 1;
    }
    for i in 1..first.len() {
        first[i] += first[i - 1];
    }
    (first, list.into_iter().map(|(_, from, length)| (from, length)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_ir::{Edge, Function};

    /// main: block 0 (10 instructions, calls f after 4) → block 1 (5, returns) or block 2 (7, returns);
    /// f: block 3 (3) → block 4 (2, returns) or block 5 (100, returns).
    fn program() -> Program {
        let mut p = Program::default();
        let mut block = |func, insts, calls: Vec<(u32, u32)>, returns| {
            p.blocks.push(Block { func, insts, calls, returns, ..Block::default() });
        };
        block(0, 10, vec![(1, 4)], false);
        block(0, 5, vec![], true);
        block(0, 7, vec![], true);
        block(1, 3, vec![], false);
        block(1, 2, vec![], true);
        block(1, 100, vec![], true);
        for (from, to) in [(u32::MAX, 0), (0, 1), (0, 2), (u32::MAX, 3), (3, 4), (3, 5)] {
            if from != u32::MAX {
                let edge = p.edges.len() as u32;
                p.blocks[from as usize].succs.push(edge);
            }
            p.edges.push(Edge { block: to, from, ..Edge::default() });
        }
        p.functions.push(Function { name: "main".into(), entry_edge: 0, n_blocks: 3, ..Function::default() });
        p.functions.push(Function {
            name: "f".into(),
            entry_edge: 3,
            first_block: 3,
            n_blocks: 3,
            ..Function::default()
        });
        p
    }

    #[test]
    fn lengths_go_through_calls() {
        let d = Distances::new(&program());
        assert_eq!(d.through_function, [10 + 5 + 5, 5]);
        assert_eq!(d.to_return, [20, 5, 7, 5, 2, 100]);
    }

    #[test]
    fn distances_go_into_and_over_calls() {
        let p = program();
        let mut d = Distances::new(&p);
        d.refresh(&p, &[1, 1, 0, 1, 1, 1], 1, 0);
        // Over the call: 10 of its own and 5 of f.
        assert_eq!((d.of_block(0), d.of_block(2), d.of_block(3)), (15, 0, UNREACHABLE));
        d.refresh(&p, &[1, 1, 0, 1, 1, 0], 1, 1_000_000);
        assert_eq!(d.of_block(5), UNREACHABLE, "nothing is computed while coverage stays the same");
        d.refresh(&p, &[1, 1, 0, 1, 1, 0], 2, 1_000_000);
        // Into the call: 4 instructions, then 3 of f.
        assert_eq!((d.of_block(0), d.of_block(3), d.of_block(5)), (7, 3, 0));
        assert_eq!(d.version(), 2);
    }

    #[test]
    fn inside_a_block_what_lies_behind_does_not_count() {
        let p = program();
        let mut d = Distances::new(&p);
        d.refresh(&p, &[1, 1, 0, 1, 1, 0], 1, 0);
        // In the call (the fifth instruction): five more of main's own, then block 2; 5 + 5 back.
        assert_eq!(d.within(&p, 0, 5, true), (5, 10));
        // About to execute the call.
        assert_eq!(d.within(&p, 0, 5, false), (3, 16));
    }

    #[test]
    fn functions_that_never_return_are_not_passed() {
        let mut p = program();
        p.blocks[4].returns = false;
        p.blocks[5].returns = false;
        let mut d = Distances::new(&p);
        assert_eq!(d.through_function, [UNREACHABLE, UNREACHABLE]);
        d.refresh(&p, &[1, 1, 0, 1, 1, 1], 1, 0);
        assert_eq!(d.of_block(0), UNREACHABLE);
    }
}

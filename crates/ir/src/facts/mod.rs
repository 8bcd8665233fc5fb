//! What a program's text says about its branches, computed once: loops, dominators, nesting, what conditions are made of.
//!
//! `Facts` holds everything that searches ask per block or edge, as flat tables; nothing in it changes while a program
//! runs, and none of it decides what a program does. [`BranchDistances`] is what depends on coverage. Read `edges` for
//! the meaning of each of the twelve facts about an arm, `nesting` for how nested statements are told from the rest.

mod distances;
mod dominators;
mod edges;
mod graph;
mod loops;
mod nesting;

pub use distances::{BranchDistances, FAR};
pub(crate) use dominators::Dominators;
pub use edges::EdgeFacts;
pub(crate) use graph::{Graph, NONE};
pub(crate) use loops::Loops;

use crate::program::{Branch, Function, Program};
use loops::is_back_arrow;
use std::ops::Range;

/// See the module text.
#[derive(Debug, Default)]
pub struct Facts {
    /// Per edge.
    edges: Vec<EdgeFacts>,
    /// Per edge: its branch, or `u32::MAX`.
    branch_of: Vec<u32>,
    /// Per block: its interval in the dominator tree of its function.
    intervals: Vec<(u32, u32)>,
    /// Per block: its function and its depth in loops.
    blocks: Vec<(u32, u32)>,
    /// Branches of function f: `first_branch[f]..first_branch[f + 1]` of `by_function`.
    first_branch: Vec<u32>,
    by_function: Vec<u32>,
    /// Per function: arms of its branches.
    arms: Vec<u32>,
}

/// The control flow of one function, in numbers local to it, while facts about it are computed.
struct Flow<'p> {
    program: &'p Program,
    function: &'p Function,
    first_block: u32,
    dominators: Dominators,
    loops: Loops,
    /// Jumps back to a loop's header: (header, from).
    latches: Vec<(u32, u32)>,
}

impl<'p> Flow<'p> {
    fn new(program: &'p Program, function: &'p Function) -> Flow<'p> {
        let (first_block, n) = (function.first_block, function.n_blocks);
        let mut arrows = Vec::new();
        for local in 0..n {
            for edge in &program.blocks[(first_block + local) as usize].succs {
                arrows.push((local, program.edges[*edge as usize].block - first_block));
            }
        }
        let forward = Graph::new(n as usize, &arrows);
        let backward = forward.reversed();
        let dominators = Dominators::new(&forward, &backward, 0);
        let loops = Loops::new(&backward, &dominators);
        let back = arrows.iter().filter(|(from, to)| is_back_arrow(&dominators, *from, *to));
        let latches = back.map(|(from, to)| (*to, *from)).collect();
        Flow { program, function, first_block, dominators, loops, latches }
    }

    /// A program's block in local numbers.
    fn local(&self, block: u32) -> u32 {
        block - self.first_block
    }

    /// The block an edge leads to, in local numbers.
    fn target(&self, edge: u32) -> u32 {
        self.local(self.program.edges[edge as usize].block)
    }

    /// Does the edge leave the innermost loop of a block?
    fn leaves_loop(&self, block: u32, edge: u32) -> bool {
        let header = self.loops.innermost[block as usize];
        header != NONE && !self.loops.contains(header, self.target(edge))
    }

    /// Does the edge lead back to the header of a loop that the block is in?
    fn is_back(&self, block: u32, edge: u32) -> bool {
        is_back_arrow(&self.dominators, block, self.target(edge))
    }
}

impl Facts {
    /// Of a whole program.
    pub fn new(program: &Program) -> Facts {
        let mut facts = Facts {
            edges: vec![EdgeFacts::default(); program.edges.len()],
            branch_of: vec![u32::MAX; program.edges.len()],
            intervals: vec![(0, 0); program.blocks.len()],
            blocks: program.blocks.iter().map(|b| (b.func, b.loop_depth)).collect(),
            first_branch: vec![0; program.functions.len() + 1],
            by_function: Vec::with_capacity(program.branches.len()),
            arms: vec![0; program.functions.len()],
        };
        facts.list_branches(program);
        for (number, function) in program.functions.iter().enumerate() {
            if function.n_blocks == 0 {
                continue;
            }
            let flow = Flow::new(program, function);
            let first = function.first_block as usize;
            facts.intervals[first..first + function.n_blocks as usize]
                .copy_from_slice(&flow.dominators.intervals());
            let own = facts.first_branch[number] as usize..facts.first_branch[number + 1] as usize;
            edges::describe(&flow, &facts.by_function[own], &mut facts.edges);
        }
        facts
    }

    fn list_branches(&mut self, program: &Program) {
        for (number, branch) in program.branches.iter().enumerate() {
            self.first_branch[branch.func as usize + 1] += 1;
            self.arms[branch.func as usize] += branch.arms;
            self.branch_of[arms(branch)].fill(number as u32);
        }
        for f in 1..self.first_branch.len() {
            self.first_branch[f] += self.first_branch[f - 1];
        }
        self.by_function.extend(0..program.branches.len() as u32);
        self.by_function.sort_by_key(|b| program.branches[*b as usize].func);
    }

    /// Natural loops around a block.
    pub fn loop_depth(&self, block: u32) -> u32 {
        self.blocks[block as usize].1
    }

    /// Of an arm of a branch; nothing of other edges.
    pub fn edge(&self, edge: u32) -> EdgeFacts {
        self.edges[edge as usize]
    }

    /// Does every way from the start of a function to block `b` lead over block `a`? A block dominates itself, and
    /// none of another function.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (first, last) = self.intervals[a as usize];
        self.blocks[a as usize].0 == self.blocks[b as usize].0
            && (first..=last).contains(&self.intervals[b as usize].0)
    }

    /// The branch or switch that an edge is an arm of (a number into `Program::branches`).
    pub fn branch_of(&self, edge: u32) -> Option<u32> {
        Some(self.branch_of[edge as usize]).filter(|branch| *branch != u32::MAX)
    }

    /// The branches of a function (numbers into `Program::branches`).
    pub fn branches_of(&self, func: u32) -> &[u32] {
        let (first, end) = (self.first_branch[func as usize], self.first_branch[func as usize + 1]);
        &self.by_function[first as usize..end as usize]
    }

    /// Arms of all branches of a function together: its size, as searches measure it.
    pub fn arms_in(&self, func: u32) -> u32 {
        self.arms[func as usize]
    }
}

/// The arms of a branch, as positions in tables of edges.
fn arms(branch: &Branch) -> Range<usize> {
    branch.first_edge as usize..(branch.first_edge + branch.arms) as usize
}

//! Control flow: numbers of blocks, edges and branches; how deep blocks lie in loops.
//!
//! Edges are numbered for the whole program before any function is lowered, because addresses of blocks are
//! constants. Arms of a branch have consecutive numbers. Nothing here emits code.

use super::Lowering;
use crate::facts::{Dominators, Graph, Loops, NONE};
use crate::instrument::first_counter;
use crate::llvm::{BasicBlock, Value};
use crate::program::{Block, Branch, Condition, Edge};
use llvm_sys::LLVMOpcode;
use rustc_hash::FxHashMap;

/// The control-flow graph of one function, in numbers local to it.
pub(crate) struct Cfg<'m> {
    pub blocks: Vec<BasicBlock<'m>>,
    /// Number of the function's first block in the program.
    pub first_block: u32,
    pub entry_edge: u32,
    /// Per block: its edges (program numbers) and their target blocks (local).
    pub succs: Vec<Vec<(u32, u32)>>,
    /// Branch number of blocks that end in one.
    pub branch: Vec<u32>,
    /// Reachable blocks in reverse post-order.
    pub order: Vec<u32>,
    /// Position in `order`, `u32::MAX` when unreachable.
    pub position: Vec<u32>,
}

/// Successors in edge order: the arms of a branch, the cases of a switch and then its default.
pub(crate) fn arms<'m>(terminator: Value<'m>) -> Vec<BasicBlock<'m>> {
    let mut list = terminator.successors();
    match terminator.opcode() {
        LLVMOpcode::LLVMBr | LLVMOpcode::LLVMIndirectBr => list,
        LLVMOpcode::LLVMSwitch => {
            list.rotate_left(1);
            list
        }
        // Exceptions are never thrown in C, and assembly never jumps: the first target is the normal one.
        LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => {
            list.truncate(1);
            list
        }
        _ => Vec::new(),
    }
}

/// The numbers of the successors of a conditional branch or of a switch with more than one target, in the order of
/// [`arms`]; `None` for every other terminator. This is what a branch is, for the engine and for native coverage.
pub(crate) fn branch_arms(terminator: Value<'_>) -> Option<Vec<u32>> {
    let count = terminator.successors().len() as u32;
    match terminator.opcode() {
        LLVMOpcode::LLVMBr if terminator.is_conditional() => Some((0..count).collect()),
        LLVMOpcode::LLVMSwitch if count > 1 => Some((1..count).chain([0]).collect()),
        _ => None,
    }
}

impl<'m> Lowering<'m> {
    /// Numbers blocks, edges and branches of a function with a body.
    pub(crate) fn build_cfg(&mut self, function: Value<'m>, number: u32) -> Cfg<'m> {
        let blocks: Vec<_> = function.blocks().collect();
        let index: FxHashMap<_, _> = blocks.iter().enumerate().map(|(i, b)| (*b, i as u32)).collect();
        let first_block = self.program.blocks.len() as u32;
        let entry_edge = self.program.edges.len() as u32;
        self.program.edges.push(Edge { block: first_block, from: u32::MAX, ..Edge::default() });
        let mut succs = Vec::with_capacity(blocks.len());
        let mut branch = vec![u32::MAX; blocks.len()];
        let mut next_counter = first_counter(function);
        for (i, block) in blocks.iter().enumerate() {
            let from = first_block + i as u32;
            let mut edges = Vec::new();
            let targets = block.terminator().map(arms).unwrap_or_default();
            let first_edge = self.program.edges.len() as u32;
            for target in &targets {
                let local = index.get(target).copied().unwrap_or(0);
                let edge = self.program.edges.len() as u32;
                self.program.edges.push(Edge { block: first_block + local, from, ..Edge::default() });
                self.block_edges.entry(*target).or_insert(edge);
                edges.push((edge, local));
            }
            if block.terminator().and_then(branch_arms).is_some() {
                branch[i] = self.program.branches.len() as u32;
                let arms = targets.len() as u32;
                let counter = next_counter.unwrap_or(u32::MAX);
                next_counter = next_counter.map(|next| next + arms);
                self.program.conditions.push(Condition::default());
                self.program.branches.push(Branch {
                    func: number,
                    block: from,
                    first_edge,
                    arms,
                    counter,
                    loc: 0,
                });
            }
            self.program.blocks.push(Block {
                func: number,
                succs: edges.iter().map(|(e, _)| *e).collect(),
                loop_header: u32::MAX,
                ..Block::default()
            });
            succs.push(edges);
        }
        // A block whose address is taken may have no edge of its own left.
        for (i, block) in blocks.iter().enumerate() {
            if !self.block_edges.contains_key(block) && i > 0 {
                let edge = self.program.edges.len() as u32;
                let target = first_block + i as u32;
                self.program.edges.push(Edge { block: target, from: u32::MAX, ..Edge::default() });
                self.block_edges.insert(*block, edge);
                self.orphan_edges.push(edge);
            }
        }
        let arrows: Vec<(u32, u32)> = (0u32..)
            .zip(&succs)
            .flat_map(|(from, list): (u32, &Vec<(u32, u32)>)| list.iter().map(move |(_, to)| (from, *to)))
            .collect();
        let forward = Graph::new(blocks.len(), &arrows);
        let backward = forward.reversed();
        let dominators = Dominators::new(&forward, &backward, 0);
        let loops = Loops::new(&backward, &dominators);
        for local in 0..blocks.len() {
            let block = &mut self.program.blocks[first_block as usize + local];
            block.loop_depth = loops.depth[local];
            let header = loops.innermost[local];
            block.loop_header = if header == NONE { NONE } else { first_block + header };
        }
        let Dominators { order, position, .. } = dominators;
        Cfg { blocks, first_block, entry_edge, succs, branch, order, position }
    }
}

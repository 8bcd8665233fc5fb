//! Control flow: numbers of blocks, edges and branches, dominators and natural loops.
//!
//! Edges are numbered for the whole program before any function is lowered, because addresses of blocks are
//! constants. Arms of a branch have consecutive numbers. Nothing here emits code.

use super::Lowering;
use crate::instrument::first_counter;
use crate::llvm::{BasicBlock, Value};
use crate::program::{Block, Branch, Edge};
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
        let (order, position) = reverse_post_order(&succs);
        Cfg { blocks, first_block, entry_edge, succs, branch, order, position }
    }

    /// Writes loop depth and innermost header into the program's blocks.
    pub(crate) fn find_loops(&mut self, cfg: &Cfg<'m>) {
        for (local, (depth, header)) in loops(cfg).into_iter().enumerate() {
            let block = &mut self.program.blocks[cfg.first_block as usize + local];
            block.loop_depth = depth;
            block.loop_header = if header == u32::MAX { header } else { cfg.first_block + header };
        }
    }
}

fn reverse_post_order(succs: &[Vec<(u32, u32)>]) -> (Vec<u32>, Vec<u32>) {
    let n = succs.len();
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut stack = Vec::new();
    if n > 0 {
        seen[0] = true;
        stack.push((0u32, 0usize));
    }
    while let Some((block, next)) = stack.pop() {
        match succs[block as usize].get(next) {
            Some(&(_, target)) => {
                stack.push((block, next + 1));
                if !seen[target as usize] {
                    seen[target as usize] = true;
                    stack.push((target, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    let mut position = vec![u32::MAX; n];
    for (i, block) in order.iter().enumerate() {
        position[*block as usize] = i as u32;
    }
    (order, position)
}

/// Immediate dominators by position in reverse post-order (the iterative algorithm of Cooper, Harvey and Kennedy).
fn dominators(cfg: &Cfg<'_>, preds: &[Vec<u32>]) -> Vec<u32> {
    let n = cfg.order.len();
    let mut idom = vec![u32::MAX; n];
    if n == 0 {
        return idom;
    }
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..n {
            let mut new = u32::MAX;
            for &pred in &preds[at] {
                if idom[pred as usize] == u32::MAX {
                    continue;
                }
                new = if new == u32::MAX { pred } else { meet(&idom, new, pred) };
            }
            if new != idom[at] {
                idom[at] = new;
                changed = true;
            }
        }
    }
    idom
}

fn meet(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}

/// Per block: loop depth and header of the innermost natural loop.
fn loops(cfg: &Cfg<'_>) -> Vec<(u32, u32)> {
    let n = cfg.order.len();
    let mut preds = vec![Vec::new(); n];
    for (at, &block) in cfg.order.iter().enumerate() {
        for &(_, target) in &cfg.succs[block as usize] {
            preds[cfg.position[target as usize] as usize].push(at as u32);
        }
    }
    let idom = dominators(cfg, &preds);
    // Depth in the dominator tree makes the test "h dominates u" a walk of bounded length.
    let dominates = |h: u32, mut u: u32| {
        while u > h {
            u = idom[u as usize];
        }
        u == h
    };
    // `inner[b]` is the innermost loop (by header) found so far; loops are handled from the inside out, that is
    // by descending position of the header, and an inner loop is skipped over by jumping to its header.
    let mut inner = vec![u32::MAX; n];
    let mut parent = vec![u32::MAX; n];
    for header in (0..n as u32).rev() {
        let mut work: Vec<u32> =
            preds[header as usize].iter().copied().filter(|&u| dominates(header, u)).collect();
        if work.is_empty() {
            continue;
        }
        while let Some(block) = work.pop() {
            // The outermost loop known to contain the block stands for it.
            let mut top = block;
            let mut known = inner[block as usize];
            while known != u32::MAX {
                top = known;
                if parent[known as usize] == u32::MAX {
                    break;
                }
                known = parent[known as usize];
            }
            if inner[block as usize] == u32::MAX {
                inner[block as usize] = header;
                if block == header {
                    continue;
                }
                work.extend(&preds[block as usize]);
            } else if top != header && parent[top as usize] == u32::MAX {
                parent[top as usize] = header;
                work.extend(&preds[top as usize]);
            }
        }
        inner[header as usize] = header;
    }
    let mut result = vec![(0, u32::MAX); cfg.blocks.len()];
    for (at, &block) in cfg.order.iter().enumerate() {
        let (mut depth, mut loop_at) = (0, inner[at]);
        while loop_at != u32::MAX {
            depth += 1;
            loop_at = parent[loop_at as usize];
        }
        if inner[at] != u32::MAX {
            result[block as usize] = (depth, cfg.order[inner[at] as usize]);
        }
    }
    result
}

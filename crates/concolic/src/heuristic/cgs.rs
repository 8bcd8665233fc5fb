//! Context-guided search: breadth first over the execution tree, leaving out branches whose context, the branches before
//! them, was tried already. Branches that dominate the one in question say nothing about its context: they are left out.
//! An arm dominates what the block behind it dominates, if no other way leads into that block.

use super::{Heuristic, View};
use crate::tree::{NodeId, Step};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};

/// Branches in a context.
const LENGTH: usize = 5;

/// See the module text.
#[derive(Debug, Default)]
pub struct Cgs {
    /// Decisions that were not looked at yet, by depth.
    waiting: BTreeMap<u32, VecDeque<NodeId>>,
    /// Contexts that were tried.
    tried: FxHashSet<u64>,
    /// Decisions of the tree that are known here.
    known: usize,
    /// Arms with new contexts, of the decision being looked at.
    arms: VecDeque<Step>,
    /// Per block: does one arm alone lead into it, jumps back not counted?
    one_way: Vec<bool>,
}

/// Blocks with one way in.
fn one_way(view: View<'_>) -> Vec<bool> {
    let mut ways = vec![0u32; view.program.blocks.len()];
    for (number, edge) in view.program.edges.iter().enumerate() {
        let number = number as u32;
        let Some(ways) = ways.get_mut(edge.block as usize) else { continue };
        let back = edge.from != u32::MAX && view.stats.facts.dominates(edge.block, edge.from);
        if !back && view.stats.arm_of(Some(number)) == number {
            *ways += 1;
        }
    }
    ways.into_iter().map(|n| n == 1).collect()
}

impl Cgs {
    /// A number for the context of an arm.
    fn context(&self, view: View<'_>, step: Step) -> u64 {
        let mix = |h: u64, v: u64| (h.rotate_left(5) ^ v).wrapping_mul(0x517c_c1b7_2722_0a95);
        let arm = |step: Step| u64::from(view.stats.arm_of(view.tree.edge(step)));
        let mut h = mix(1, arm(step));
        // Where the branch itself is, and where each branch before it led to.
        let block = view.tree.edge(step).map(|e| view.program.edges[e as usize].from);
        let mut before = view.tree.node(step.node).parent;
        let mut n = 0;
        while let Some(at) = before
            && n < LENGTH
        {
            before = view.tree.node(at.node).parent;
            let other = view.tree.edge(at).map(|e| view.program.edges[e as usize].block);
            if let (Some(block), Some(other)) = (block, other)
                && self.one_way[other as usize]
                && view.stats.facts.dominates(other, block)
            {
                continue;
            }
            h = mix(h, arm(at));
            n += 1;
        }
        h
    }
}

impl Heuristic for Cgs {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        loop {
            while let Some(step) = self.arms.pop_front() {
                if view.tree.arm(step).is_open() && self.tried.insert(self.context(view, step)) {
                    return Some(step);
                }
            }
            let mut first = self.waiting.first_entry()?;
            match first.get_mut().pop_front() {
                Some(node) => {
                    let arms = 0..view.tree.node(node).arms.len() as u32;
                    self.arms = arms.map(|arm| Step { node, arm }).collect();
                }
                None => {
                    first.remove();
                }
            }
        }
    }

    fn ran(&mut self, view: View<'_>) {
        if self.one_way.is_empty() {
            self.one_way = one_way(view);
        }
        for node in self.known..view.tree.len() {
            let node = node as NodeId;
            self.waiting.entry(view.tree.node(node).depth).or_default().push_back(node);
        }
        self.known = view.tree.len();
    }
}

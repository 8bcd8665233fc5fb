//! The execution tree as it is told afterwards: every fork and every end, with what was spent between them. The first so many
//! nodes are kept; what happens below them is counted where it began. Nothing here decides anything; the tree that
//! searches walk is `tree`.

use crate::ledger::PathClass;
use forkwise_vm::{State, Vm};

/// Nodes that are kept.
const MOST: usize = 1 << 16;
/// No node, edge or test.
pub const NONE: u32 = u32::MAX;

/// What happened between a fork and the next one on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordNode {
    /// The part of the path before the fork; `NONE` at a beginning.
    pub parent: u32,
    /// The edge it began with, where the fork was about a branch.
    pub edge: u32,
    /// The place of that fork, as a location number.
    pub location: u32,
    /// Instructions executed.
    pub instructions: u64,
    /// Time of the solver, in nanoseconds.
    pub solver_nanos: u64,
    /// Forks that are not nodes of their own any more.
    pub forks: u32,
    /// Paths that ended here; more than one where forks are not nodes any more.
    pub paths: u32,
    /// How the last of them ended.
    pub end: Option<PathClass>,
    /// The first test that came of it.
    pub test: u32,
}

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Record {
    nodes: Vec<RecordNode>,
    /// Forks that are not nodes of their own.
    left_out: u64,
}

impl Record {
    /// The nodes, parents before their children.
    pub fn nodes(&self) -> &[RecordNode] {
        &self.nodes
    }

    /// Forks below nodes that are kept.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn add(&mut self, vm: &Vm, state: &State, parent: u32) -> Option<u32> {
        if self.nodes.len() >= MOST {
            return None;
        }
        self.nodes.push(RecordNode {
            parent,
            edge: state.pending_edge.unwrap_or(NONE),
            location: vm.current_loc(state),
            instructions: 0,
            solver_nanos: 0,
            forks: 0,
            paths: 0,
            end: None,
            test: NONE,
        });
        Some(self.nodes.len() as u32 - 1)
    }

    /// A state from which nothing was forked yet: a beginning.
    pub fn begin(&mut self, vm: &Vm, state: &mut State) {
        state.place.fresh = false;
        state.place.node = self.add(vm, state, NONE).unwrap_or(0);
    }

    /// A state is about to run; one that was forked off gets its own node.
    pub fn runs(&mut self, vm: &Vm, state: &mut State) {
        if state.place.fresh {
            state.place.fresh = false;
            if let Some(own) = self.add(vm, state, state.place.node) {
                state.place.node = own;
            }
        }
    }

    /// A state ran, and so much was spent.
    pub fn ran(&mut self, state: &State, instructions: u64, solver_nanos: u64) {
        if let Some(node) = self.nodes.get_mut(state.place.node as usize) {
            // The count is corrected when a path ends inside a block, so a difference may be negative.
            node.instructions = node.instructions.wrapping_add(instructions);
            node.solver_nanos = node.solver_nanos.wrapping_add(solver_nanos);
        }
    }

    /// Siblings were forked from a state, which goes on.
    pub fn forked(&mut self, vm: &Vm, state: &mut State) {
        let before = state.place.node;
        match self.add(vm, state, before) {
            Some(own) => state.place.node = own,
            None => {
                self.left_out += 1;
                if let Some(node) = self.nodes.get_mut(before as usize) {
                    node.forks += 1;
                }
            }
        }
    }

    /// A path ended, and perhaps became a test.
    pub fn ended(&mut self, vm: &Vm, state: &State, class: PathClass, test: Option<u64>) {
        let mut node = state.place.node;
        if state.place.fresh {
            // Ended the moment it was forked.
            node = self.add(vm, state, node).unwrap_or(node);
        }
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.paths += 1;
            node.end = Some(class);
            if let (NONE, Some(test)) = (node.test, test) {
                node.test = u32::try_from(test).unwrap_or(NONE);
            }
        }
    }

    /// The tree in at most `most` nodes, and how many forks and paths were folded into them: parts of paths without an alternative are
    /// joined, and what is deepest goes into the node above it.
    pub fn folded(&self, most: usize) -> Vec<RecordNode> {
        let mut children = vec![0u32; self.nodes.len()];
        // Nodes of states that never ran do not exist, so every node counts.
        for node in &self.nodes {
            if let Some(n) = children.get_mut(node.parent as usize) {
                *n += 1;
            }
        }
        let mut depth = vec![0u32; self.nodes.len()];
        let mut by_depth: Vec<usize> = Vec::new();
        // A node with one child that ended nowhere itself is the beginning of its child.
        let mut joined = vec![false; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let above = self.nodes.get(node.parent as usize);
            joined[i] = above.is_some_and(|p| p.paths == 0) && children[node.parent as usize] == 1;
            depth[i] = above.map_or(0, |_| depth[node.parent as usize] + u32::from(!joined[i]));
            if !joined[i] {
                let d = depth[i] as usize;
                by_depth.resize(by_depth.len().max(d + 1), 0);
                by_depth[d] += 1;
            }
        }
        let mut kept = 0;
        let deepest = by_depth.iter().take_while(|n| {
            kept += **n;
            kept <= most
        });
        let deepest = deepest.count() as u32;
        // Where each node went.
        let mut at = vec![NONE; self.nodes.len()];
        let mut out: Vec<RecordNode> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let above = at.get(node.parent as usize).copied().unwrap_or(NONE);
            let into = out.get_mut(above as usize).filter(|_| joined[i] || depth[i] >= deepest);
            let Some(into) = into else {
                if depth[i] < deepest || node.parent == NONE {
                    at[i] = out.len() as u32;
                    out.push(RecordNode { parent: above, ..*node });
                }
                continue;
            };
            at[i] = above;
            into.instructions = into.instructions.wrapping_add(node.instructions);
            into.solver_nanos = into.solver_nanos.wrapping_add(node.solver_nanos);
            into.forks += node.forks + u32::from(!joined[i]);
            into.paths += node.paths;
            into.end = node.end.or(into.end);
            if into.test == NONE {
                into.test = node.test;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(parent: u32, paths: u32) -> RecordNode {
        RecordNode {
            parent,
            edge: NONE,
            location: 0,
            instructions: 10,
            solver_nanos: 1,
            forks: 0,
            paths,
            end: (paths > 0).then_some(PathClass::Exit),
            test: NONE,
        }
    }

    #[test]
    fn parts_without_an_alternative_are_joined_and_the_deepest_are_folded() {
        // 0 - 1 - { 2, 3 - { 4, 5 } }
        let nodes = vec![node(NONE, 0), node(0, 0), node(1, 1), node(1, 0), node(3, 1), node(3, 1)];
        let record = Record { nodes, left_out: 0 };
        let all = record.folded(100);
        assert_eq!(all.len(), 5);
        assert_eq!((all[0].instructions, all[0].parent), (20, NONE));
        assert_eq!((all[1].parent, all[2].parent, all[3].parent, all[4].parent), (0, 0, 2, 2));
        let few = record.folded(3);
        assert_eq!(few.len(), 3);
        assert_eq!((few[2].paths, few[2].forks, few[2].instructions), (2, 2, 30));
        assert_eq!(few.iter().map(|n| n.instructions).sum::<u64>(), 60);
        assert_eq!(record.folded(0).len(), 1, "a beginning always stays");
        assert!(Record::default().folded(5).is_empty());
    }
}

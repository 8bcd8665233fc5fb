//! What comes right after an arm: the functions that are called and the branch that is met before anything else is decided.
//!
//! Only the arm's own function is looked at, along jumps that have no choice. An endless chain of them meets no branch.

use crate::program::Program;
use std::ops::Range;

/// See the module text.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Per edge that is an arm: the next branch, or `u32::MAX`.
    next: Vec<u32>,
    /// Functions called on the way: those of edge e are `called[first[e]..first[e + 1]]`.
    first: Vec<u32>,
    called: Vec<u32>,
}

impl Ahead {
    /// `branch_of` gives the branch of each edge, `u32::MAX` for edges that are no arms.
    pub(super) fn new(program: &Program, branch_of: &[u32]) -> Ahead {
        let mut branch_at = vec![u32::MAX; program.blocks.len()];
        for (number, branch) in program.branches.iter().enumerate() {
            branch_at[branch.block as usize] = number as u32;
        }
        let mut ahead =
            Ahead { next: vec![u32::MAX; program.edges.len()], first: vec![0], called: Vec::new() };
        // The edge from which a block was last seen, so that chains that bite their tail end.
        let mut seen = vec![u32::MAX; program.blocks.len()];
        for (number, edge) in program.edges.iter().enumerate() {
            let start = ahead.called.len();
            let mut at = (branch_of[number] != u32::MAX).then_some(edge.block);
            while let Some(block) = at {
                if std::mem::replace(&mut seen[block as usize], number as u32) == number as u32 {
                    break;
                }
                let info = &program.blocks[block as usize];
                let with_body = info.calls.iter().filter(|c| program.functions[c.0 as usize].n_blocks != 0);
                ahead.called.extend(with_body.map(|c| c.0));
                ahead.next[number] = branch_at[block as usize];
                at = match info.succs[..] {
                    [only] if ahead.next[number] == u32::MAX => Some(program.edges[only as usize].block),
                    _ => None,
                };
            }
            let mut own = ahead.called.split_off(start);
            own.sort_unstable();
            own.dedup();
            ahead.called.append(&mut own);
            ahead.first.push(ahead.called.len() as u32);
        }
        ahead
    }

    pub(super) fn next_branch(&self, edge: u32) -> Option<u32> {
        Some(self.next[edge as usize]).filter(|branch| *branch != u32::MAX)
    }

    pub(super) fn called(&self, edge: u32) -> &[u32] {
        let range: Range<usize> = self.first[edge as usize] as usize..self.first[edge as usize + 1] as usize;
        &self.called[range]
    }
}

//! Merging a phi with the values that flow into it, so that loops need no copies.
//!
//! Two groups of one slot that are joined by a copy become one when their live ranges never meet; the copy then
//! copies a slot to itself and disappears. Copies in deep loops are tried first. Functions that call something that
//! returns twice are left alone.

use super::function::{Body, CONST_BIT, Stretch};
use super::slots::Ranges;
use crate::op::Op;

impl Body<'_, '_> {
    /// For each group, the group whose slots it takes; and the live ranges, those of merged groups joined.
    pub(crate) fn coalesce(&mut self) -> (Vec<u32>, Vec<Ranges>) {
        let mut merged: Vec<u32> = (0..self.groups.len() as u32).collect();
        if self.returns_twice {
            return (merged, Vec::new());
        }
        let stretches = self.stretches();
        let flow = self.flow(&stretches);
        let mut ranges = self.live_ranges(&stretches, &flow);
        for list in &mut ranges[..self.param_groups as usize] {
            // The caller writes parameters before the first operation.
            if let Some(first) = list.first_mut() {
                first.0 = 0;
            }
        }
        for (_, dst, src) in self.copies(&stretches) {
            let (a, b) = (find(&merged, dst), find(&merged, src));
            if a == b || meet(&ranges[a as usize], &ranges[b as usize]) {
                continue;
            }
            // A parameter's place is fixed, so it must be the one that stays.
            let (keep, gone) = if b < self.param_groups { (b, a) } else { (a, b) };
            if gone < self.param_groups {
                continue;
            }
            let joined = join(&ranges[keep as usize], &ranges[gone as usize]);
            ranges[keep as usize] = joined;
            ranges[gone as usize] = Ranges::new();
            merged[gone as usize] = keep;
        }
        for group in 0..merged.len() {
            merged[group] = find(&merged, group as u32);
        }
        (merged, ranges)
    }

    /// Copies between groups of one slot: (priority, destination, source), most important first.
    fn copies(&self, stretches: &[Stretch]) -> Vec<(u32, u32, u32)> {
        let mut list = Vec::new();
        for stretch in stretches {
            let (code, block) = match stretch {
                Stretch::Block(b) => (&self.blocks[*b as usize], *b),
                Stretch::Edge(e) => (&self.edges[*e as usize].code, self.edges[*e as usize].source),
            };
            let depth = self.cx.program.blocks[(self.cfg.first_block + block) as usize].loop_depth;
            for op in &code.ops {
                let Op::Copy { dst, src } = *op else { continue };
                if src & CONST_BIT != 0 {
                    continue;
                }
                let (dst, src) = (self.slot_group[dst as usize], self.slot_group[src as usize]);
                if self.groups[dst as usize].n == 1 && self.groups[src as usize].n == 1 {
                    list.push((u32::MAX - depth, dst, src));
                }
            }
        }
        // Stable: within one depth, program order.
        list.sort_by_key(|(priority, _, _)| *priority);
        list
    }
}

fn find(merged: &[u32], mut group: u32) -> u32 {
    while merged[group as usize] != group {
        group = merged[group as usize];
    }
    group
}

/// Do two sorted lists of ranges share a position?
fn meet(a: &Ranges, b: &Ranges) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.1 < y.0 {
            i += 1;
        } else if y.1 < x.0 {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

fn join(a: &Ranges, b: &Ranges) -> Ranges {
    let mut list: Ranges = a.iter().chain(b).copied().collect();
    list.sort_unstable();
    list
}

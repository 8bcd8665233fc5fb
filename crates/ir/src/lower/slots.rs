//! Packing virtual slots into a small frame.
//!
//! Each group of slots gets one interval over the linear layout that covers everywhere it is live; groups whose
//! intervals do not meet share slots (linear scan, lowest slot first). Memory per fork depends on the frame's
//! size. Functions that call something that returns twice share nothing.

use super::function::{Body, CONST_BIT, Stretch};
use super::operands::{self, Access};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Where the groups are in the frame, after the constants.
pub(crate) struct Frame {
    /// First slot of each group.
    pub start: Vec<u32>,
    /// Slots in all.
    pub size: u32,
}

/// One access to a group at a position.
#[derive(Clone, Copy)]
struct Touch {
    stretch: u32,
    position: u32,
    reads: bool,
}

/// Stretches with their positions and the way control flows between them.
pub(crate) struct Flow {
    pub bounds: Vec<(u32, u32)>,
    pub preds: Vec<Vec<u32>>,
}

impl Body<'_, '_> {
    /// Positions of stretches (two per operation) and their predecessors.
    pub(crate) fn flow(&self, stretches: &[Stretch]) -> Flow {
        let mut bounds = Vec::with_capacity(stretches.len());
        let mut of_block = vec![0; self.blocks.len()];
        let mut next = 0;
        for (i, stretch) in stretches.iter().enumerate() {
            let n = match stretch {
                Stretch::Block(b) => {
                    of_block[*b as usize] = i as u32;
                    self.blocks[*b as usize].ops.len()
                }
                Stretch::Edge(e) => self.edges[*e as usize].code.ops.len(),
            };
            bounds.push((next, (next + 2 * n as u32).saturating_sub(1).max(next)));
            next += 2 * n as u32;
        }
        let detours: FxHashSet<u32> = self.edges.iter().flat_map(|e| e.edges.iter().copied()).collect();
        let mut preds: Vec<Vec<u32>> = vec![Vec::new(); stretches.len()];
        for (i, stretch) in stretches.iter().enumerate() {
            let i = i as u32;
            match stretch {
                Stretch::Edge(e) => {
                    let edge = &self.edges[*e as usize];
                    preds[of_block[edge.target as usize] as usize].push(i);
                    preds[i as usize].push(of_block[edge.source as usize]);
                }
                Stretch::Block(b) => {
                    for &(edge, target) in &self.cfg.succs[*b as usize] {
                        let to = of_block[target as usize] as usize;
                        if !detours.contains(&edge) && preds[to].last() != Some(&i) {
                            preds[to].push(i);
                        }
                    }
                }
            }
        }
        Flow { bounds, preds }
    }

    /// Where each group is live: sorted, disjoint, inclusive position ranges. A value of several slots may be written
    /// slot by slot, so inside a stretch its range has no holes.
    pub(crate) fn live_ranges(&mut self, stretches: &[Stretch], flow: &Flow) -> Vec<Ranges> {
        let mut touches: Vec<Vec<Touch>> = vec![Vec::new(); self.groups.len()];
        for (i, stretch) in stretches.iter().enumerate() {
            let code = match stretch {
                Stretch::Block(b) => &mut self.blocks[*b as usize],
                Stretch::Edge(e) => &mut self.edges[*e as usize].code,
            };
            for (k, op) in code.ops.iter_mut().enumerate() {
                let at = flow.bounds[i].0 + 2 * k as u32;
                let late = operands::may_reuse(op) as u32;
                operands::visit_all(op, &mut self.out.sites, &mut |slot, access| {
                    if *slot & CONST_BIT == 0 {
                        let group = self.slot_group[*slot as usize];
                        let reads = access != Access::Write;
                        let position = if reads { at } else { at + late };
                        touches[group as usize].push(Touch { stretch: i as u32, position, reads });
                    }
                });
            }
        }
        let mut marks = Marks::new(stretches.len());
        let sizes = self.groups.iter().map(|g| g.n);
        touches.iter().zip(sizes).map(|(list, n)| marks.ranges(list, n, flow)).collect()
    }

    /// Assigns frame slots; `merged[g]` is the group whose slots `g` takes, `ranges` tells where each is live.
    pub(crate) fn pack(&mut self, merged: &[u32], ranges: &[Ranges]) -> Frame {
        let n = self.groups.len();
        if self.returns_twice {
            return Frame {
                start: self.groups.iter().map(|g| g.first).collect(),
                size: self.slot_group.len() as u32,
            };
        }
        let mut intervals = Vec::new();
        for group in 0..n as u32 {
            let is_param = group < self.param_groups;
            let list = &ranges[group as usize];
            if merged[group as usize] != group && !is_param {
                continue;
            }
            match (list.first(), list.last()) {
                // Parameters are written by the caller, before the first operation.
                _ if is_param => intervals.push((0, false, group, list.last().map_or(0, |r| r.1))),
                (Some(first), Some(last)) => intervals.push((first.0, true, group, last.1)),
                _ => {}
            }
        }
        intervals.sort_unstable();
        scan(&intervals, merged, n, |g| self.groups[g as usize].n)
    }
}

/// Inclusive ranges of positions.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// Scratch space for computing live ranges, reused from group to group by stamping.
struct Marks {
    group: u32,
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    writes: Vec<u32>,
    touched: Vec<u32>,
}

impl Marks {
    fn new(n: usize) -> Marks {
        let fresh = || vec![0; n];
        Marks { group: 0, live_in: fresh(), live_out: fresh(), writes: fresh(), touched: fresh() }
    }

    fn ranges(&mut self, touches: &[Touch], n: u32, flow: &Flow) -> Ranges {
        self.group += 1;
        let me = self.group;
        let (mut work, mut seen) = (Vec::new(), Vec::new());
        for touch in touches {
            let at = touch.stretch as usize;
            if self.touched[at] != me {
                self.touched[at] = me;
                seen.push(touch.stretch);
                if touch.reads {
                    work.push(touch.stretch);
                }
            }
            if !touch.reads {
                self.writes[at] = me;
            }
        }
        // Walk backwards from every read that no write in its own stretch precedes.
        while let Some(at) = work.pop() {
            if self.live_in[at as usize] == me {
                continue;
            }
            self.live_in[at as usize] = me;
            if self.touched[at as usize] != me {
                self.touched[at as usize] = me;
                seen.push(at);
            }
            for &pred in &flow.preds[at as usize] {
                self.live_out[pred as usize] = me;
                if self.writes[pred as usize] != me {
                    work.push(pred);
                }
            }
        }
        seen.sort_unstable();
        let (mut list, mut next) = (Ranges::new(), 0);
        for stretch in seen {
            let at = stretch as usize;
            let from = next;
            while touches.get(next).is_some_and(|t| t.stretch == stretch) {
                next += 1;
            }
            let (start, end) = flow.bounds[at];
            let first_new = list.len();
            let mut open = (self.live_out[at] == me).then_some(end);
            if n > 1 {
                let last = open.or(touches[from..next].last().map(|t| t.position));
                let whole = self.live_in[at] == me;
                let first = if whole { Some(start) } else { touches[from..next].first().map(|t| t.position) };
                if let (Some(first), Some(last)) = (first, last) {
                    list.push((first, last.max(first)));
                }
                continue;
            }
            for touch in touches[from..next].iter().rev() {
                if touch.reads {
                    open = open.or(Some(touch.position));
                } else {
                    list.push((touch.position, open.take().unwrap_or(touch.position)));
                }
            }
            if self.live_in[at] == me {
                list.push((start, open.unwrap_or(start)));
            }
            list[first_new..].reverse();
        }
        list
    }
}

/// Linear scan over intervals (start, is not a parameter, group, end), sorted. Parameters come first and in order,
/// which places them at the frame's start.
fn scan(
    intervals: &[(u32, bool, u32, u32)],
    merged: &[u32],
    n: usize,
    size_of: impl Fn(u32) -> u32,
) -> Frame {
    let mut start = vec![0; n];
    let mut size = 0;
    let mut free: BTreeSet<u32> = BTreeSet::new();
    let mut active: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    for &(low, _, group, high) in intervals {
        while let Some(&Reverse((end, old))) = active.peek() {
            if end >= low {
                break;
            }
            active.pop();
            let first = start[old as usize];
            free.extend(first..first + size_of(old));
        }
        let need = size_of(group);
        let first = first_run(&free, need, size);
        for slot in first..first + need {
            free.remove(&slot);
        }
        size = size.max(first + need);
        start[group as usize] = first;
        active.push(Reverse((high, group)));
    }
    for group in 0..n {
        start[group] = start[merged[group] as usize];
    }
    Frame { start, size }
}

/// The lowest run of `need` free slots; slots from `size` on are all free.
fn first_run(free: &BTreeSet<u32>, need: u32, size: u32) -> u32 {
    let (mut first, mut length) = (u32::MAX, 0);
    for &slot in free {
        if length > 0 && slot == first + length {
            length += 1;
        } else {
            (first, length) = (slot, 1);
        }
        if length == need {
            return first;
        }
    }
    // A free run that reaches the end of the frame can be continued beyond it.
    if length > 0 && first + length == size { first } else { size }
}

//! Dominators: which node lies on every way from the entry to another (the iterative algorithm of Cooper, Harvey and
//! Kennedy). On a reversed graph the same tree tells post-dominators. Nodes that cannot be reached dominate nothing but
//! themselves.

use super::graph::{Graph, NONE};

/// The dominator tree of a graph.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// Immediate dominator of each node; [`NONE`] for the entry and for unreachable nodes.
    pub idom: Vec<u32>,
    /// Reachable nodes in reverse post-order.
    pub order: Vec<u32>,
    /// Position in `order`, [`NONE`] when unreachable.
    pub position: Vec<u32>,
}

impl Dominators {
    /// `backward` is `forward` reversed.
    pub(crate) fn new(forward: &Graph, backward: &Graph, entry: u32) -> Dominators {
        let (order, position) = forward.order_from(entry);
        // Everything by position, so that "earlier" is a comparison.
        let mut up = vec![NONE; order.len()];
        if let Some(first) = up.first_mut() {
            *first = 0;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for at in 1..order.len() {
                let mut new = NONE;
                for pred in backward.successors(order[at]) {
                    let pred = position[*pred as usize];
                    if pred == NONE || up[pred as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE { pred } else { meet(&up, new, pred) };
                }
                if new != up[at] {
                    up[at] = new;
                    changed = true;
                }
            }
        }
        let mut idom = vec![NONE; forward.nodes()];
        for (at, node) in order.iter().enumerate().skip(1) {
            idom[*node as usize] = order[up[at] as usize];
        }
        Dominators { idom, order, position }
    }

    /// Does every way to `b` lead over `a`? Costs a walk up the tree; see [`Dominators::intervals`].
    pub(crate) fn dominates(&self, a: u32, b: u32) -> bool {
        let mut at = b;
        // Positions fall on the way up.
        while at != a && self.position[at as usize] != NONE && self.idom[at as usize] != NONE {
            if self.position[at as usize] < self.position[a as usize] {
                return false;
            }
            at = self.idom[at as usize];
        }
        at == a
    }

    /// Per node an interval (first, last) of numbers such that `a` dominates `b` exactly when a's interval contains
    /// b's first number. Unreachable nodes have intervals of their own, behind all others.
    pub(crate) fn intervals(&self) -> Vec<(u32, u32)> {
        let n = self.idom.len();
        let mut size = vec![1u32; n];
        for node in self.order.iter().skip(1).rev() {
            size[self.idom[*node as usize] as usize] += size[*node as usize];
        }
        let mut result = vec![(0, 0); n];
        // Children get consecutive stretches of their parent's interval.
        let mut next = vec![0u32; n];
        for node in &self.order {
            let first = match self.idom[*node as usize] {
                NONE => 0,
                parent => {
                    let first = next[parent as usize];
                    next[parent as usize] += size[*node as usize];
                    first
                }
            };
            result[*node as usize] = (first, first + size[*node as usize] - 1);
            next[*node as usize] = first + 1;
        }
        let mut free = self.order.len() as u32;
        for (node, place) in result.iter_mut().enumerate() {
            if self.position[node] == NONE {
                *place = (free, free);
                free += 1;
            }
        }
        result
    }
}

fn meet(up: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = up[a as usize];
        }
        while b > a {
            b = up[b as usize];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dominators(nodes: usize, arrows: &[(u32, u32)]) -> Dominators {
        let forward = Graph::new(nodes, arrows);
        Dominators::new(&forward, &forward.reversed(), 0)
    }

    /// What can be reached from the entry when one node is taken out.
    fn reachable_without(nodes: usize, arrows: &[(u32, u32)], out: u32) -> Vec<bool> {
        let mut seen = vec![false; nodes];
        let mut work: Vec<u32> = if out == 0 { vec![] } else { vec![0] };
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                work.extend(
                    arrows.iter().filter(|(from, to)| *from == node && *to != out).map(|(_, to)| *to),
                );
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn as_the_definition_says(
            (nodes, arrows) in (1usize..14).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((0..n as u32, 0..n as u32), 0..3 * n))
            })
        ) {
            let tree = dominators(nodes, &arrows);
            let intervals = tree.intervals();
            let reachable = reachable_without(nodes, &arrows, NONE);
            for a in 0..nodes {
                let without = reachable_without(nodes, &arrows, a as u32);
                for b in 0..nodes {
                    let expected = a == b || (reachable[a] && reachable[b] && !without[b]);
                    prop_assert_eq!(tree.dominates(a as u32, b as u32), expected, "{} over {}", a, b);
                    let (first, last) = intervals[a];
                    prop_assert_eq!((first..=last).contains(&intervals[b].0), expected, "{} over {}", a, b);
                }
            }
        }
    }

    #[test]
    fn nothing_has_no_dominators() {
        let tree = dominators(0, &[]);
        assert!(tree.order.is_empty() && tree.intervals().is_empty());
    }
}

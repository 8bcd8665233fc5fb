//! Natural loops: a header and all nodes that lead back to it without leaving what it dominates. Loops with the same
//! header are one. Cycles that can be entered at several places (irreducible control flow) have no header and are no
//! loops.

use super::dominators::Dominators;
use super::graph::{Graph, NONE};

/// The loops of a graph; a loop is named by its header.
#[derive(Debug)]
pub(crate) struct Loops {
    /// Header of the innermost loop of each node, or [`NONE`].
    pub innermost: Vec<u32>,
    /// Per header: the header of the loop around its loop, or [`NONE`].
    pub outer: Vec<u32>,
    /// How many loops each node is in.
    pub depth: Vec<u32>,
}

impl Loops {
    pub(crate) fn new(backward: &Graph, dominators: &Dominators) -> Loops {
        let n = backward.nodes();
        let mut innermost = vec![NONE; n];
        let mut outer = vec![NONE; n];
        let mut outermost = vec![NONE; n];
        let mut work = Vec::new();
        // From the inside out, that is by descending position of the header; a loop that is already known is skipped
        // over by jumping to its header.
        for &header in dominators.order.iter().rev() {
            let preds = backward.successors(header).iter().copied();
            let latches = preds.filter(|u| is_back_arrow(dominators, *u, header));
            work.extend(latches);
            if work.is_empty() {
                continue;
            }
            innermost[header as usize] = header;
            outermost[header as usize] = header;
            while let Some(node) = work.pop() {
                if dominators.position[node as usize] == NONE {
                    continue;
                }
                let known = innermost[node as usize];
                if known == NONE {
                    innermost[node as usize] = header;
                    work.extend(backward.successors(node));
                    continue;
                }
                let top = find_outermost(&mut outermost, known);
                if top != header {
                    outer[top as usize] = header;
                    outermost[top as usize] = header;
                    work.extend(backward.successors(top));
                }
            }
        }
        let mut depth = vec![0; n];
        // An outer header comes before an inner one.
        for &node in &dominators.order {
            let header = innermost[node as usize];
            if header == node {
                let around = outer[node as usize];
                depth[node as usize] = 1 + if around == NONE { 0 } else { depth[around as usize] };
            } else if header != NONE {
                depth[node as usize] = depth[header as usize];
            }
        }
        Loops { innermost, outer, depth }
    }

    /// Is the node in the loop with this header?
    pub(crate) fn contains(&self, header: u32, node: u32) -> bool {
        let mut at = self.innermost[node as usize];
        while at != NONE && at != header && self.depth[at as usize] > self.depth[header as usize] {
            at = self.outer[at as usize];
        }
        at == header
    }
}

/// Does the arrow lead back to the header of a loop?
pub(crate) fn is_back_arrow(dominators: &Dominators, from: u32, to: u32) -> bool {
    dominators.position[from as usize] != NONE && dominators.dominates(to, from)
}

/// The outermost loop known so far around a loop, with the way shortened for the next time.
fn find_outermost(outermost: &mut [u32], header: u32) -> u32 {
    let mut top = header;
    while outermost[top as usize] != top {
        top = outermost[top as usize];
    }
    let mut at = header;
    while outermost[at as usize] != top {
        at = std::mem::replace(&mut outermost[at as usize], top);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn loops(nodes: usize, arrows: &[(u32, u32)]) -> (Loops, Dominators) {
        let forward = Graph::new(nodes, arrows);
        let backward = forward.reversed();
        let dominators = Dominators::new(&forward, &backward, 0);
        (Loops::new(&backward, &dominators), dominators)
    }

    /// The bodies of all natural loops by their definition: header, and per node whether it is in it.
    fn bodies(nodes: usize, arrows: &[(u32, u32)], dominators: &Dominators) -> Vec<(u32, Vec<bool>)> {
        let mut list = Vec::new();
        for header in 0..nodes as u32 {
            let back = |(from, to): &&(u32, u32)| *to == header && is_back_arrow(dominators, *from, *to);
            let mut work: Vec<u32> = arrows.iter().filter(back).map(|(from, _)| *from).collect();
            if work.is_empty() {
                continue;
            }
            let mut body = vec![false; nodes];
            body[header as usize] = true;
            while let Some(node) = work.pop() {
                if dominators.position[node as usize] != NONE
                    && !std::mem::replace(&mut body[node as usize], true)
                {
                    work.extend(arrows.iter().filter(|(_, to)| *to == node).map(|(from, _)| *from));
                }
            }
            list.push((header, body));
        }
        list
    }

    proptest! {
        #[test]
        fn as_the_definition_says(
            (nodes, arrows) in (1usize..14).prop_flat_map(|n| {
                (Just(n), proptest::collection::vec((0..n as u32, 0..n as u32), 0..3 * n))
            })
        ) {
            let (loops, dominators) = loops(nodes, &arrows);
            let bodies = bodies(nodes, &arrows, &dominators);
            for node in 0..nodes {
                let around = bodies.iter().filter(|(_, body)| body[node]);
                prop_assert_eq!(loops.depth[node] as usize, around.count(), "depth of {}", node);
                for (header, body) in &bodies {
                    prop_assert_eq!(loops.contains(*header, node as u32), body[node]);
                }
            }
        }
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_loop() {
        let (found, _) = loops(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]);
        assert_eq!(found.depth, [0; 4]);
    }
}

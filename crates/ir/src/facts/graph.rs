//! Directed graphs over small numbers, as flat arrays: what dominators, loops and dependence are computed on.
//!
//! Node 0 is the entry. Nothing here knows what a block is, and no graph, however strange, makes it recurse.

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// Successor lists: those of node n are `targets[first[n]..first[n + 1]]`.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    first: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// From the arrows (from, to), in the order in which each node's are given.
    pub(crate) fn new(nodes: usize, arrows: &[(u32, u32)]) -> Graph {
        let mut first = vec![0u32; nodes + 1];
        for (from, _) in arrows {
            first[*from as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut targets = vec![0; arrows.len()];
        for (from, to) in arrows {
            let place = &mut next[*from as usize];
            targets[*place as usize] = *to;
            *place += 1;
        }
        Graph { first, targets }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        &self.targets[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// Every arrow turned round.
    pub(crate) fn reversed(&self) -> Graph {
        let mut arrows = Vec::with_capacity(self.targets.len());
        for from in 0..self.nodes() as u32 {
            arrows.extend(self.successors(from).iter().map(|to| (*to, from)));
        }
        Graph::new(self.nodes(), &arrows)
    }

    /// The nodes reachable from `entry` in reverse post-order, and each node's position in it ([`NONE`] when
    /// unreachable).
    pub(crate) fn order_from(&self, entry: u32) -> (Vec<u32>, Vec<u32>) {
        let n = self.nodes();
        let mut seen = vec![false; n];
        let mut order = Vec::with_capacity(n);
        let mut stack = Vec::new();
        if (entry as usize) < n {
            seen[entry as usize] = true;
            stack.push((entry, 0usize));
        }
        while let Some((node, next)) = stack.pop() {
            match self.successors(node).get(next) {
                Some(&target) => {
                    stack.push((node, next + 1));
                    if !std::mem::replace(&mut seen[target as usize], true) {
                        stack.push((target, 0));
                    }
                }
                None => order.push(node),
            }
        }
        order.reverse();
        let mut position = vec![NONE; n];
        for (i, node) in order.iter().enumerate() {
            position[*node as usize] = i as u32;
        }
        (order, position)
    }
}

//! Which branches are nested in the statement of another branch.
//!
//! Control dependence says which branch decides whether a block runs; it is taken within one round of each loop, so that
//! a `break` does not decide about the loop's own test: a jump back counts as one to the loop's exits. It also holds for
//! all that follows an early `return` or `break`, which nobody calls nested; lexical scopes (debug information) tell these
//! apart. Without scopes dependence alone decides.

use super::dominators::Dominators;
use super::edges::is_switch;
use super::graph::{Graph, NONE};
use super::{Flow, arms};
use crate::program::Condition;

/// See the module text. Both tables are parallel to the list of branches asked for.
pub(super) struct Nesting {
    pub nested: Vec<bool>,
    /// Where the arms of a branch come together again: a local block, or [`NONE`].
    pub join: Vec<u32>,
}

/// One way in which a branch depends on another: on which (its place in the list), and over which arm.
type Dependence = (u32, u32);

pub(super) fn nested_branches(flow: &Flow<'_>, branches: &[u32]) -> Nesting {
    let n = flow.function.n_blocks;
    let rounds = Rounds::new(flow);
    let mut branch_at = vec![NONE; n as usize];
    for (i, number) in branches.iter().enumerate() {
        branch_at[flow.local(flow.program.branches[*number as usize].block) as usize] = i as u32;
    }
    let mut depends: Vec<Vec<Dependence>> = vec![Vec::new(); branches.len()];
    let mut join = vec![NONE; branches.len()];
    for (i, number) in branches.iter().enumerate() {
        let branch = &flow.program.branches[*number as usize];
        let block = flow.local(branch.block);
        let end = rounds.after.idom[block as usize];
        join[i] = if end < n { end } else { NONE };
        let mut last = NONE;
        for edge in arms(branch) {
            // What lies on the way from the arm to where all arms meet runs only if the arm is taken.
            let mut at = rounds.next(flow, block, edge as u32);
            if std::mem::replace(&mut last, at) == at {
                continue;
            }
            while at != end && at != NONE {
                if let Some(&other) = branch_at.get(at as usize).filter(|b| **b != NONE && **b != i as u32) {
                    depends[other as usize].push((i as u32, edge as u32));
                }
                at = rounds.after.idom[at as usize];
            }
        }
    }
    let mut lexical = Lexical::new(flow, branches, &depends);
    let order = flow.dominators.order.iter().map(|block| branch_at[*block as usize]).filter(|b| *b != NONE);
    for branch in order {
        lexical.nested[branch as usize] = lexical.is_nested(branch);
    }
    Nesting { nested: lexical.nested, join }
}

/// The control flow of one round of each loop. Behind the blocks come one node for each loop, reached by its jumps back and
/// leading to its exits, and one for the end of the function.
struct Rounds {
    /// Node of the loop with this header.
    node_of: Vec<u32>,
    /// Post-dominators.
    after: Dominators,
}

impl Rounds {
    fn new(flow: &Flow<'_>) -> Rounds {
        let n = flow.function.n_blocks;
        let mut node_of = vec![NONE; n as usize];
        let mut nodes = n;
        for block in 0..n {
            if flow.loops.innermost[block as usize] == block {
                node_of[block as usize] = nodes;
                nodes += 1;
            }
        }
        let end = nodes;
        let mut arrows = Vec::new();
        let mut has_exit = vec![false; (end - n) as usize];
        let mut exits = Vec::new();
        for block in 0..n {
            let succs = &flow.program.blocks[(flow.first_block + block) as usize].succs;
            if succs.is_empty() {
                arrows.push((block, end));
            }
            for edge in succs {
                let target = flow.target(*edge);
                if flow.is_back(block, *edge) {
                    arrows.push((block, node_of[target as usize]));
                    continue;
                }
                arrows.push((block, target));
                let mut header = flow.loops.innermost[block as usize];
                while header != NONE && !flow.loops.contains(header, target) {
                    let node = node_of[header as usize];
                    has_exit[(node - n) as usize] = true;
                    exits.push((node, target));
                    header = flow.loops.outer[header as usize];
                }
            }
        }
        exits.sort_unstable();
        exits.dedup();
        arrows.extend(exits);
        arrows.extend((n..end).filter(|node| !has_exit[(node - n) as usize]).map(|node| (node, end)));
        connect_endless(flow, end, &mut arrows);
        let forward = Graph::new(end as usize + 1, &arrows);
        let backward = forward.reversed();
        Rounds { node_of, after: Dominators::new(&backward, &forward, end) }
    }

    /// The node an edge leads to.
    fn next(&self, flow: &Flow<'_>, block: u32, edge: u32) -> u32 {
        let target = flow.target(edge);
        if flow.is_back(block, edge) { self.node_of[target as usize] } else { target }
    }
}

/// Lets cycles without a way out end somewhere, so that every node has post-dominators: at the node that comes last.
fn connect_endless(flow: &Flow<'_>, end: u32, arrows: &mut Vec<(u32, u32)>) {
    let backward = Graph::new(end as usize + 1, &arrows.iter().map(|(a, b)| (*b, *a)).collect::<Vec<_>>());
    let mut reached = vec![false; end as usize + 1];
    let mut work = vec![end];
    let mut late = flow.dominators.order.iter().rev();
    loop {
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                work.extend(backward.successors(node));
            }
        }
        match late.find(|node| !reached[**node as usize]) {
            Some(node) => {
                arrows.push((*node, end));
                work.push(*node);
            }
            None => return,
        }
    }
}

/// Dependence seen together with the source's scopes.
struct Lexical<'a> {
    flow: &'a Flow<'a>,
    branches: &'a [u32],
    depends: &'a [Vec<Dependence>],
    unknown: Condition,
    /// Results so far, in the order of the flow.
    nested: Vec<bool>,
    known: Vec<bool>,
    /// When a branch was last looked at, to look at each once per question.
    seen: Vec<u32>,
}

impl<'a> Lexical<'a> {
    fn new(flow: &'a Flow<'a>, branches: &'a [u32], depends: &'a [Vec<Dependence>]) -> Lexical<'a> {
        let n = branches.len();
        Lexical {
            flow,
            branches,
            depends,
            unknown: Condition::default(),
            nested: vec![false; n],
            known: vec![false; n],
            seen: vec![NONE; n],
        }
    }

    fn is_nested(&mut self, branch: u32) -> bool {
        let mut work = vec![branch];
        self.seen[branch as usize] = branch;
        self.known[branch as usize] = true;
        while let Some(at) = work.pop() {
            for (on, arm) in &self.depends[at as usize] {
                if std::mem::replace(&mut self.seen[*on as usize], branch) == branch {
                    continue;
                }
                if self.encloses(*on, *arm, branch) {
                    return true;
                }
                // Where that is nested in nothing, nothing lies around this one either.
                if !self.known[*on as usize] || self.nested[*on as usize] {
                    work.push(*on);
                }
            }
        }
        false
    }

    fn condition(&self, branch: u32) -> &Condition {
        self.flow.program.conditions.get(self.branches[branch as usize] as usize).unwrap_or(&self.unknown)
    }

    /// Does the statement of branch `outer` lie around branch `inner`, which depends on the arm of it?
    fn encloses(&self, outer: u32, arm: u32, inner: u32) -> bool {
        let (a, b) = (self.condition(outer), self.condition(inner));
        let branch = &self.flow.program.branches[self.branches[outer as usize] as usize];
        // An `if` has a scope of its own. A `while` has none: what follows it depends on its exit, if the loop can be
        // left otherwise, too.
        let owns_scope = a.scope != a.statement_scope;
        if !owns_scope && self.flow.leaves_loop(self.flow.local(branch.block), arm) {
            return false;
        }
        // Nor has a `switch`; but its body has.
        let is_switch = is_switch(self.flow.program, self.flow.function, branch);
        if is_switch && self.is_around(b.statement_scope, a.statement_scope) {
            return false;
        }
        // Scopes that are not known or of different functions (one of them inlined) say nothing.
        a.scope == 0
            || b.scope == 0
            || self.is_around(a.scope, b.scope)
            || self.root(a.scope) != self.root(b.scope)
    }

    /// The outermost scope around a scope: its function's. 0 when it is not known.
    fn root(&self, scope: u32) -> u32 {
        let mut at = scope;
        while let Some(&around) = self.flow.program.scopes.get(at as usize).filter(|around| **around != 0) {
            at = around;
        }
        at
    }

    /// Is scope `outer` the same as `inner`, or around it? Scope 0 is around none: it is not known.
    fn is_around(&self, outer: u32, inner: u32) -> bool {
        let mut at = inner;
        while at != 0 && at != outer {
            at = self.flow.program.scopes.get(at as usize).copied().unwrap_or(0);
        }
        at != 0
    }
}

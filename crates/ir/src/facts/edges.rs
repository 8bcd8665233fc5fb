//! The twelve static facts about an arm of a branch.
//!
//! Their numbers are those of the features in the papers on parametric search. All but 2, 3, 11 and 12 are the same for
//! every arm of a branch. Exact meanings are at the constants of [`EdgeFacts`].

use super::graph::NONE;
use super::nesting::nested_branches;
use super::{Flow, arms};
use crate::op::Op;
use crate::program::{Branch, Condition, Function, Program};

/// A set of facts about one arm of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EdgeFacts(u16);

impl EdgeFacts {
    /// 1: the branch is in `main`.
    pub const IN_MAIN: EdgeFacts = EdgeFacts::number(1);
    /// 2: the arm leads back to a loop's header, or it stays in the innermost loop of a branch whose other arm leaves it.
    pub const CONTINUES_LOOP: EdgeFacts = EdgeFacts::number(2);
    /// 3: the arm leaves the innermost loop that the branch is in.
    pub const EXITS_LOOP: EdgeFacts = EdgeFacts::number(3);
    /// 4: whether the branch is reached is decided by another branch whose statement it lies in; also the later parts of
    /// a condition with `&&` or `||`. What follows an early `return` or `break` is not nested in its `if`.
    pub const NESTED: EdgeFacts = EdgeFacts::number(4);
    /// 5: the condition uses the result of a function that is not the user's code.
    pub const EXTERNAL_CALL: EdgeFacts = EdgeFacts::number(5);
    /// 6: the condition compares or tests integers.
    pub const INTEGER: EdgeFacts = EdgeFacts::number(6);
    /// 7: the condition compares a character with a constant one, or calls a function with a constant string.
    pub const TEXT: EdgeFacts = EdgeFacts::number(7);
    /// 8: the condition compares pointers or reads through one.
    pub const POINTER: EdgeFacts = EdgeFacts::number(8);
    /// 9: the condition reads a local variable or a parameter.
    pub const LOCAL: EdgeFacts = EdgeFacts::number(9);
    /// 10: the branch is in a loop whose own test it is not.
    pub const IN_LOOP_BODY: EdgeFacts = EdgeFacts::number(10);
    /// 11: the arm is a case of a switch.
    pub const CASE: EdgeFacts = EdgeFacts::number(11);
    /// 12: the arm is the default of a switch that has code for it.
    pub const DEFAULT: EdgeFacts = EdgeFacts::number(12);
    /// How many facts there are; they are numbered from 1.
    pub const COUNT: u32 = 12;

    const fn number(n: u32) -> EdgeFacts {
        EdgeFacts(1 << (n - 1))
    }

    /// Are all of these facts true?
    pub fn has(self, facts: EdgeFacts) -> bool {
        self.0 & facts.0 == facts.0
    }

    /// Is the fact with this number (1 to 12) true? Others are not.
    pub fn is(self, number: u32) -> bool {
        (1..=Self::COUNT).contains(&number) && self.has(Self::number(number))
    }

    /// Fact n as bit n - 1.
    pub fn bits(self) -> u16 {
        self.0
    }

    fn set(&mut self, facts: EdgeFacts, when: bool) {
        if when {
            self.0 |= facts.0;
        }
    }
}

/// Writes the facts about all arms of a function's branches.
pub(super) fn describe(flow: &Flow<'_>, branches: &[u32], edges: &mut [EdgeFacts]) {
    if branches.is_empty() {
        return;
    }
    let program = flow.program;
    let unknown = Condition::default();
    let nesting = nested_branches(flow, branches);
    let in_main = flow.function.name == "main";
    for (i, number) in branches.iter().enumerate() {
        let branch = &program.branches[*number as usize];
        let condition = program.conditions.get(*number as usize).unwrap_or(&unknown);
        let block = flow.local(branch.block);
        let external = |f: &u32| program.functions.get(*f as usize).is_some_and(is_external);
        let mut common = EdgeFacts::default();
        common.set(EdgeFacts::IN_MAIN, in_main);
        common.set(EdgeFacts::NESTED, nesting.nested[i]);
        common.set(EdgeFacts::EXTERNAL_CALL, condition.calls.iter().any(external));
        common.set(EdgeFacts::INTEGER, condition.integer);
        common.set(EdgeFacts::TEXT, condition.text);
        common.set(EdgeFacts::POINTER, condition.pointer);
        common.set(EdgeFacts::LOCAL, condition.local);
        common.set(EdgeFacts::IN_LOOP_BODY, in_loop_body(flow, branch));
        let leaves = arms(branch).any(|edge| flow.leaves_loop(block, edge as u32));
        let is_switch = is_switch(program, flow.function, branch);
        for edge in arms(branch) {
            let arm = edge as u32;
            let exits = flow.leaves_loop(block, arm);
            let mut facts = common;
            facts.set(EdgeFacts::EXITS_LOOP, exits);
            facts.set(EdgeFacts::CONTINUES_LOOP, (leaves && !exits) || flow.is_back(block, arm));
            let last = edge + 1 == arms(branch).end;
            facts.set(EdgeFacts::CASE, is_switch && !last);
            facts.set(EdgeFacts::DEFAULT, is_switch && last && nesting.join[i] != flow.target(arm));
            edges[edge] = facts;
        }
    }
}

/// Is this not the user's own code?
fn is_external(function: &Function) -> bool {
    function.is_library || function.n_blocks == 0
}

/// Does the branch end its block as a switch?
pub(super) fn is_switch(program: &Program, function: &Function, branch: &Branch) -> bool {
    let end = program.blocks[branch.block as usize].end.checked_sub(1);
    matches!(end.and_then(|pc| function.code.get(pc as usize)), Some(Op::Switch { .. }))
}

/// Is the branch in a loop, its own one not counted if it is that loop's test? The test is the branch that can leave the
/// loop from its header or right back to it, or that has the same place in the source as the jump back (that is how
/// `while (a && b)` is translated).
fn in_loop_body(flow: &Flow<'_>, branch: &Branch) -> bool {
    let block = flow.local(branch.block);
    let depth = flow.loops.depth[block as usize];
    if depth != 1 {
        return depth > 1;
    }
    let header = flow.loops.innermost[block as usize];
    let leaves = arms(branch).any(|edge| flow.leaves_loop(block, edge as u32));
    let back = arms(branch).any(|edge| flow.is_back(block, edge as u32));
    debug_assert_ne!(header, NONE);
    !leaves || !(block == header || back || at_jump_back(flow, branch, header))
}

/// Does the branch stand where a jump back to the header does?
fn at_jump_back(flow: &Flow<'_>, branch: &Branch, header: u32) -> bool {
    let program = flow.program;
    let place = |loc: u32| {
        let at = program.locations.get(loc as usize)?;
        (at.line != 0).then_some((at.file, at.line, at.column))
    };
    let Some(here) = place(branch.loc) else { return false };
    flow.latches.iter().any(|(to, block)| {
        *to == header && {
            let end = program.blocks[(flow.first_block + block) as usize].end.checked_sub(1);
            let loc = end.and_then(|pc| flow.function.locs.get(pc as usize));
            loc.and_then(|loc| place(*loc)) == Some(here)
        }
    })
}

//! Which slots an operation reads and writes.
//!
//! Liveness, dead-code removal and the final renaming all go through [`visit`], so an operation's operands are
//! listed exactly once. Slots of call arguments live in the call site and are visited by `visit_all`.

use crate::op::{Op, Slot};
use crate::program::CallSite;

/// A slot that is not there (the result of a call that returns nothing).
pub(crate) const NO_SLOT: Slot = u32::MAX;

/// How an operation touches a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
    /// Part of the value is replaced, the rest stays.
    Update,
}

/// Calls `f` on every slot operand of the operation itself.
pub(crate) fn visit(op: &mut Op, f: &mut impl FnMut(&mut Slot, Access)) {
    use Access::*;
    match op {
        Op::Copy { dst, src } | Op::CopyN { dst, src, .. } => {
            f(src, Read);
            f(dst, Write);
        }
        Op::Add { dst, a, b, .. }
        | Op::Sub { dst, a, b, .. }
        | Op::Mul { dst, a, b, .. }
        | Op::UDiv { dst, a, b, .. }
        | Op::SDiv { dst, a, b, .. }
        | Op::URem { dst, a, b, .. }
        | Op::SRem { dst, a, b, .. }
        | Op::And { dst, a, b }
        | Op::Or { dst, a, b }
        | Op::Xor { dst, a, b }
        | Op::Shl { dst, a, b, .. }
        | Op::LShr { dst, a, b, .. }
        | Op::AShr { dst, a, b, .. }
        | Op::Eq { dst, a, b, .. }
        | Op::Ne { dst, a, b, .. }
        | Op::Ult { dst, a, b, .. }
        | Op::Ule { dst, a, b, .. }
        | Op::Slt { dst, a, b, .. }
        | Op::Sle { dst, a, b, .. }
        | Op::WideBin { dst, a, b, .. }
        | Op::WideCmp { dst, a, b, .. }
        | Op::FpBin { dst, a, b, .. }
        | Op::FpCmp { dst, a, b, .. } => {
            f(a, Read);
            f(b, Read);
            f(dst, Write);
        }
        Op::Select { dst, c, a, b, .. } => {
            f(c, Read);
            f(a, Read);
            f(b, Read);
            f(dst, Write);
        }
        Op::Trunc { dst, a, .. }
        | Op::ZExt { dst, a, .. }
        | Op::SExt { dst, a, .. }
        | Op::WideCast { dst, a, .. }
        | Op::FpNeg { dst, a, .. }
        | Op::FpConv { dst, a, .. }
        | Op::FpToInt { dst, a, .. }
        | Op::IntToFp { dst, a, .. }
        | Op::Bitcast { dst, a, .. }
        | Op::AddImm { dst, a, .. } => {
            f(a, Read);
            f(dst, Write);
        }
        Op::ExtractElem { dst, base, idx, .. } => {
            f(base, Read);
            f(idx, Read);
            f(dst, Write);
        }
        Op::InsertElem { base, val, idx, .. } => {
            f(val, Read);
            f(idx, Read);
            f(base, Update);
        }
        Op::Lea { dst, base, idx, .. } | Op::LoadX { dst, base, idx, .. } => {
            f(base, Read);
            f(idx, Read);
            f(dst, Write);
        }
        Op::Load { dst, ptr, .. } | Op::LoadWide { dst, ptr, .. } => {
            f(ptr, Read);
            f(dst, Write);
        }
        Op::Store { val, ptr, .. } | Op::StoreWide { val, ptr, .. } => {
            f(val, Read);
            f(ptr, Read);
        }
        Op::StoreX { val, base, idx, .. } => {
            f(val, Read);
            f(base, Read);
            f(idx, Read);
        }
        Op::Alloca { dst, size, .. } => {
            f(size, Read);
            f(dst, Write);
        }
        Op::Br { c, .. } => f(c, Read),
        Op::BrEq { a, b, .. }
        | Op::BrNe { a, b, .. }
        | Op::BrUlt { a, b, .. }
        | Op::BrUle { a, b, .. }
        | Op::BrSlt { a, b, .. }
        | Op::BrSle { a, b, .. } => {
            f(a, Read);
            f(b, Read);
        }
        Op::Switch { a, .. } | Op::IndirectBr { a, .. } => f(a, Read),
        Op::Ret { src, .. } => f(src, Read),
        Op::Call { dst, .. }
        | Op::CallExternal { dst, .. }
        | Op::Intrinsic { dst, .. }
        | Op::InlineAsm { dst, .. } => f(dst, Write),
        Op::CallPointer { ptr, dst, .. } => {
            f(ptr, Read);
            f(dst, Write);
        }
        Op::Jump { .. } | Op::Goto { .. } | Op::Unreachable | Op::Unsupported { .. } => {}
    }
}

/// The call site of a call-like operation.
pub(crate) fn site_of(op: &Op) -> Option<u32> {
    match *op {
        Op::Call { site, .. }
        | Op::CallExternal { site, .. }
        | Op::CallPointer { site, .. }
        | Op::Intrinsic { site, .. }
        | Op::InlineAsm { site, .. } => Some(site),
        _ => None,
    }
}

/// Calls `f` on every slot, call arguments (before the results) included; missing slots are left out.
pub(crate) fn visit_all(op: &mut Op, sites: &mut [CallSite], f: &mut impl FnMut(&mut Slot, Access)) {
    if let Some(site) = site_of(op) {
        for slot in &mut sites[site as usize].slots {
            f(slot, Access::Read);
        }
    }
    visit(op, &mut |slot, access| {
        if *slot != NO_SLOT {
            f(slot, access);
        }
    });
}

/// May the operation be removed when nobody reads its result? Loads and divisions may not: they can find a bug.
pub(crate) fn is_pure(op: &Op) -> bool {
    matches!(
        op,
        Op::Copy { .. }
            | Op::CopyN { .. }
            | Op::Add { .. }
            | Op::Sub { .. }
            | Op::Mul { .. }
            | Op::And { .. }
            | Op::Or { .. }
            | Op::Xor { .. }
            | Op::Shl { .. }
            | Op::LShr { .. }
            | Op::AShr { .. }
            | Op::Eq { .. }
            | Op::Ne { .. }
            | Op::Ult { .. }
            | Op::Ule { .. }
            | Op::Slt { .. }
            | Op::Sle { .. }
            | Op::Select { .. }
            | Op::Trunc { .. }
            | Op::ZExt { .. }
            | Op::SExt { .. }
            | Op::WideCmp { .. }
            | Op::WideCast { .. }
            | Op::FpBin { .. }
            | Op::FpNeg { .. }
            | Op::FpCmp { .. }
            | Op::FpConv { .. }
            | Op::FpToInt { .. }
            | Op::IntToFp { .. }
            | Op::Bitcast { .. }
            | Op::ExtractElem { .. }
            | Op::InsertElem { .. }
            | Op::AddImm { .. }
            | Op::Lea { .. }
    )
}

/// Does the operation read all its operands before it writes its one result slot? Only then may the result take
/// the slot of an operand that dies here.
pub(crate) fn may_reuse(op: &Op) -> bool {
    use crate::op::FpFormat;
    let small = |f: &FpFormat| f.slots() == 1;
    match op {
        Op::FpBin { fmt, .. } | Op::FpNeg { fmt, .. } => small(fmt),
        Op::FpConv { from, to, .. } => small(from) && small(to),
        Op::FpToInt { fmt, w, .. } | Op::IntToFp { fmt, w, .. } => small(fmt) && *w <= 64,
        Op::CopyN { .. }
        | Op::WideBin { .. }
        | Op::WideCmp { .. }
        | Op::WideCast { .. }
        | Op::Bitcast { .. }
        | Op::ExtractElem { .. }
        | Op::InsertElem { .. }
        | Op::LoadWide { .. } => false,
        other => site_of(other).is_none(),
    }
}

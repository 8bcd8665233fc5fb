//! LLVM intrinsics: one entry, which hands each to the file of its family.
//!
//! Every intrinsic has a concrete form that does not touch the expression manager and a symbolic one; the two must
//! agree (their tests evaluate the symbolic form under random assignments). Read `int` for integers, `fp` for
//! floating point, `memory` for copying and filling, `misc` for the stack, variadic arguments and traps.

mod fp;
mod int;
mod memory;
mod misc;
#[cfg(test)]
mod tests;

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::state::State;
use crate::value::Value;
use forkwise_expr::Expr;
use forkwise_ir::{CallSite, Intrinsic, Slot};

impl Vm {
    /// Executes an intrinsic of the running function.
    pub(crate) fn intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        site: u32,
    ) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let site = &program.functions[st.frame.func as usize].sites[site as usize];
        self.intrinsic_at(st, id, w, dst, site)
    }

    /// Executes an intrinsic with the arguments of `site`; also for library functions that are one.
    pub(crate) fn intrinsic_at(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        site: &CallSite,
    ) -> Result<Flow, Termination> {
        use Intrinsic::*;
        match id {
            Memcpy | Memmove | Memset => self.memory_intrinsic(st, id, site)?,
            StackRestore | VaStart | VaEnd | VaCopy | Trap | DebugTrap | UbsanTrap => {
                self.effect_intrinsic(st, id, site)?
            }
            VaArg => self.variadic_argument(st, w, dst, site)?,
            // Everything below only computes: nothing to do when nobody wants the result.
            _ if site.ret_slots == 0 => {}
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow
            | SAddSat | UAddSat | SSubSat | USubSat | SShlSat | UShlSat | SMin | SMax | UMin | UMax | Abs
            | Ctpop | Ctlz | Cttz | Bswap | Bitreverse | Fshl | Fshr | SCmp | UCmp => {
                self.int_intrinsic(st, id, w, dst, site)?
            }
            Fabs | Copysign | Sqrt | Fma | Floor | Ceil | FpTrunc | Round | RoundEven | Rint | MinNum
            | MaxNum | Minimum | Maximum | Ldexp | IsFpClass | Lrint | Lround | FpToSiSat | FpToUiSat => {
                self.fp_intrinsic(st, id, w, dst, site)?
            }
            StackSave | ObjectSize | ReturnAddress | FrameAddress | GetRounding | ReadCycleCounter | Nop
            | PtrMask => self.query_intrinsic(st, id, w, dst, site)?,
        }
        Ok(Flow::Next)
    }

    /// A symbolic operand of `w` bits. Calls through wrong declarations may bring another width along.
    fn operand(&mut self, st: &State, slot: Slot, w: u32) -> Expr {
        if w > 64 {
            return self.wide_expr(st, slot, w);
        }
        let v = st.frame.regs[slot as usize];
        match v.sym {
            Some(e) if self.exprs.width(e) != w => {
                let v = self.adjust_width(e, w);
                self.expr_of(v, w)
            }
            _ => self.expr_of(v, w),
        }
    }
}

/// The first slot of argument `i`.
fn argument(site: &CallSite, i: usize) -> Result<Slot, Termination> {
    let at: usize = site.args.iter().take(i).map(|t| t.slots() as usize).sum();
    let needed = site.args.get(i).map_or(1, |t| t.slots() as usize);
    match site.slots.get(at..at + needed) {
        Some([first, ..]) => Ok(*first),
        _ => Err(Fault::new(FaultKind::BadCall, format!("argument {} is missing", i + 1)).end()),
    }
}

/// The value of a single-slot argument.
fn argument_value(st: &State, site: &CallSite, i: usize) -> Result<Value, Termination> {
    Ok(st.frame.regs[argument(site, i)? as usize])
}

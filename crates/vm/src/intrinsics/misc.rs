//! The remaining intrinsics: saved stacks, variadic argument lists, object sizes, traps, and questions about the
//! machine, all answered deterministically.
//!
//! A variadic list is x86-64's 24 bytes with both register areas marked as used up, so that the code clang made
//! for `va_arg` finds every argument in the overflow area, which `call` has laid out.

use super::{argument, argument_value};
use crate::fault::{Fault, FaultKind, Termination, UbKind};
use crate::machine::Vm;
use crate::memory::Byte;
use crate::state::State;
use crate::value::{Value, mask};
use crate::wide::slot_count;
use forkwise_expr::Op;
use forkwise_ir::{ArgType, CallSite, Intrinsic, Slot};

/// Size of a `va_list` on x86-64.
const VA_LIST_SIZE: u64 = 24;
/// Where the pointer to the overflow area is in it.
const OVERFLOW_AREA: u64 = 8;

impl Vm {
    /// Intrinsics that act and give no value.
    pub(super) fn effect_intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        site: &CallSite,
    ) -> Result<(), Termination> {
        match id {
            Intrinsic::StackRestore => {
                let v = argument_value(st, site, 0)?;
                let keep = self.concretize(st, v, 64, "a saved stack")?;
                let keep = usize::try_from(keep).unwrap_or(usize::MAX).min(st.frame.allocas.len());
                let later = st.frame.allocas.split_off(keep);
                self.free_stack(st, &later);
                Ok(())
            }
            Intrinsic::VaStart => {
                let list = argument_value(st, site, 0)?;
                let area = st.frame.varargs.unwrap_or(0);
                let words = [48 | 176 << 32, area, 0u64];
                let bytes: Vec<Byte> =
                    words.iter().flat_map(|w| w.to_le_bytes()).map(Byte::Concrete).collect();
                self.store_bytes(st, list, &bytes)
            }
            Intrinsic::VaCopy => {
                let (to, from) = (argument_value(st, site, 0)?, argument_value(st, site, 1)?);
                self.copy_memory(st, to, from, VA_LIST_SIZE)
            }
            Intrinsic::Trap => Err(Fault::new(FaultKind::Abort, "trap: the program ended itself").end()),
            Intrinsic::DebugTrap => Err(Fault::new(FaultKind::Abort, "debug trap").end()),
            Intrinsic::UbsanTrap => {
                let kind = argument_value(st, site, 0)?;
                let (kind, text) = match check_name(kind.bits) {
                    // A trap does not say which of the two it is.
                    "divrem_overflow" => (UbKind::DivisionOverflow, "division by zero or division overflow"),
                    name => crate::builtins::describe_check(name),
                };
                Err(Fault::new(FaultKind::Undefined(kind), text).end())
            }
            // va_end, whose list needs nothing.
            _ => Ok(()),
        }
    }

    /// The `va_arg` instruction: the next value of the overflow area.
    pub(super) fn variadic_argument(
        &mut self,
        st: &mut State,
        w: u32,
        dst: Slot,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let list = argument_value(st, site, 0)?;
        let area_at = self.sym_add_imm(list, OVERFLOW_AREA);
        let area = self.load_value(st, area_at, 64)?;
        let mut at = self.concretize(st, area, 64, "a list of arguments")?;
        // As `call` lays them out: eight bytes each, wider scalars sixteen and aligned.
        let size = if w > 64 {
            at = at.wrapping_add(15) & !15;
            (w as u64).div_ceil(128) * 16
        } else {
            8
        };
        let bytes = self.load_bytes(st, Value::concrete(at), w.div_ceil(8) as u64)?;
        self.store_value(st, area_at, Value::concrete(at.wrapping_add(size)), 64)?;
        if site.ret_slots == 0 {
            return Ok(());
        }
        for (i, chunk) in bytes.chunks(8).take(slot_count(w) as usize).enumerate() {
            let bits = (w - 64 * i as u32).min(64);
            st.frame.regs[dst as usize + i] = self.value_from_bytes(chunk, bits);
        }
        Ok(())
    }

    /// Intrinsics that give one value and change nothing.
    pub(super) fn query_intrinsic(
        &mut self,
        st: &mut State,
        id: Intrinsic,
        w: u32,
        dst: Slot,
        site: &CallSite,
    ) -> Result<(), Termination> {
        let v = match id {
            Intrinsic::StackSave => Value::concrete(st.frame.allocas.len() as u64),
            Intrinsic::ObjectSize => self.object_size(st, w, site)?,
            Intrinsic::PtrMask => {
                let (p, m) = (argument(site, 0)?, argument(site, 1)?);
                let (p, m) = (st.frame.regs[p as usize], st.frame.regs[m as usize]);
                match (p.sym, m.sym) {
                    (None, None) => Value::concrete(p.bits & m.bits),
                    _ => self.sym_bin(Op::And, 64, p, m),
                }
            }
            // The address of the frame: that of its first variable, which is as good as any and never repeats.
            Intrinsic::FrameAddress => {
                let level = argument_value(st, site, 0)?.bits as usize;
                let base = st.frames().nth(level).and_then(|f| f.allocas.first().copied().or(f.varargs));
                Value::concrete(base.unwrap_or(0))
            }
            // To nearest, as `FLT_ROUNDS` counts.
            Intrinsic::GetRounding => Value::concrete(1),
            // Time passes with instructions: the same in every run.
            Intrinsic::ReadCycleCounter => Value::concrete(st.instructions),
            // Return addresses are not part of this machine's memory; null ends every walk over them.
            _ => Value::concrete(0),
        };
        st.frame.regs[dst as usize] = v;
        for i in 1..site.ret_slots {
            st.frame.regs[(dst + i) as usize] = Value::concrete(0);
        }
        Ok(())
    }

    /// Bytes from the pointer to the end of its object. Arguments: pointer, "unknown is zero", "null is unknown".
    fn object_size(&mut self, st: &mut State, w: u32, site: &CallSite) -> Result<Value, Termination> {
        let w = match site.ret {
            Some(ArgType::Int(n)) => n.min(64),
            _ => w.clamp(1, 64),
        };
        let flag = |i: usize| argument_value(st, site, i).is_ok_and(|v| v.bits & 1 == 1);
        let (least, null_unknown) = (flag(1), flag(2));
        let unknown = if least { 0 } else { mask(w as u8) };
        let p = argument_value(st, site, 0)?;
        let size = match (p.sym, st.mem.object(p.bits)) {
            (Some(_), _) => unknown,
            // Past the end nothing is left.
            (None, Some(o)) => o.size.saturating_sub(p.bits.wrapping_sub(o.base)),
            (None, None) if p.bits == 0 && !null_unknown => 0,
            (None, None) => unknown,
        };
        Ok(Value::concrete(size.min(mask(w as u8))))
    }
}

/// The check behind a number of `llvm.ubsantrap`, by the name of its handler in the sanitizer's runtime (the order
/// is that of clang's list of handlers).
fn check_name(number: u64) -> &'static str {
    const NAMES: [&str; 25] = [
        "add_overflow",
        "builtin_unreachable",
        "cfi_check_fail",
        "divrem_overflow",
        "dynamic_type_cache_miss",
        "float_cast_overflow",
        "function_type_mismatch",
        "implicit_conversion",
        "invalid_builtin",
        "invalid_objc_cast",
        "load_invalid_value",
        "missing_return",
        "mul_overflow",
        "negate_overflow",
        "nullability_arg",
        "nullability_return_v1",
        "nonnull_arg",
        "nonnull_return_v1",
        "out_of_bounds",
        "pointer_overflow",
        "shift_out_of_bounds",
        "sub_overflow",
        "type_mismatch_v1",
        "alignment_assumption",
        "vla_bound_not_positive",
    ];
    usize::try_from(number).ok().and_then(|i| NAMES.get(i).copied()).unwrap_or("unknown")
}

//! Symbolic forms of the plain operations: pure, no forks. Operations that can fail (division, shifts) are checked
//! here before they are built.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Termination, UbKind};
use crate::machine::Vm;
use crate::memory::Byte;
use crate::state::State;
use crate::value::{Value, mask};
use forkwise_expr::{Expr, Op as EOp, SymbolId};
use forkwise_ir::Slot;

impl Vm {
    /// A value that was read: every so often, instead of a concrete one, fresh symbols that are known to have it. They
    /// are no inputs, and no test mentions them.
    pub(crate) fn disguise(&mut self, st: &mut State, v: Value, w: u32) -> Value {
        if v.sym.is_some() || self.config.concrete_inputs || self.config.replay_path.is_some() {
            return v;
        }
        self.concrete_reads += 1;
        if !self.concrete_reads.is_multiple_of(u64::from(self.config.concrete_to_symbolic)) {
            return v;
        }
        let n = w.div_ceil(8);
        let first = self.symbols_for(&format!("concrete read {}", self.concrete_reads), n);
        let mut witness = st.witness.bytes.clone();
        witness.resize(witness.len().max((first + n) as usize), 0);
        witness[first as usize..(first + n) as usize].copy_from_slice(&v.bits.to_le_bytes()[..n as usize]);
        st.witness = self.new_witness(witness);
        let bytes: Vec<Byte> =
            (first..first + n).map(|s| Byte::Symbolic(self.exprs.symbol(SymbolId(s)))).collect();
        let fresh = self.value_from_bytes(&bytes, w);
        let e = self.expr_of(fresh, w);
        let known = self.exprs.constant(w, v.bits);
        let same = self.exprs.eq(e, known);
        self.assume_true(st, same);
        fresh
    }

    #[inline(never)]
    pub(crate) fn sym_bin(&mut self, op: EOp, w: u32, a: Value, b: Value) -> Value {
        let (a, b) = (self.expr_of(a, w), self.expr_of(b, w));
        let e = self.exprs.bin(op, a, b);
        self.value_of(e)
    }

    #[inline(never)]
    pub(crate) fn sym_bitwise(&mut self, op: EOp, a: Value, b: Value) -> Value {
        let w = match (a.sym, b.sym) {
            (Some(e), _) | (_, Some(e)) => self.exprs.width(e),
            (None, None) => 64,
        };
        self.sym_bin(op, w, a, b)
    }

    #[inline(never)]
    pub(crate) fn sym_ne(&mut self, w: u32, a: Value, b: Value) -> Value {
        let (a, b) = (self.expr_of(a, w), self.expr_of(b, w));
        let e = self.exprs.bin(EOp::Eq, a, b);
        let e = self.exprs.not(e);
        self.value_of(e)
    }

    #[inline(never)]
    pub(crate) fn sym_select(&mut self, w: u32, c: Expr, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        let (a, b) = (self.expr_of(a, w), self.expr_of(b, w));
        let e = self.exprs.ite(c, a, b);
        self.value_of(e)
    }

    pub(crate) fn sym_extract(&mut self, e: Expr, lo: u32, w: u32) -> Value {
        let e = self.exprs.extract(e, lo, w);
        self.value_of(e)
    }

    pub(crate) fn sym_zext(&mut self, e: Expr, w: u32) -> Value {
        let e = self.exprs.zext(e, w);
        self.value_of(e)
    }

    pub(crate) fn sym_sext(&mut self, e: Expr, w: u32) -> Value {
        let e = self.exprs.sext(e, w);
        self.value_of(e)
    }

    pub(crate) fn sym_add_imm(&mut self, v: Value, imm: u64) -> Value {
        match v.sym {
            None => Value::concrete(v.bits.wrapping_add(imm)),
            Some(_) if imm == 0 => v,
            Some(e) => {
                let k = self.exprs.constant(64, imm);
                let e = self.exprs.bin(EOp::Add, e, k);
                self.value_of(e)
            }
        }
    }

    /// base + idx * scale + off
    #[inline(never)]
    pub(crate) fn sym_lea(&mut self, base: Value, idx: Value, scale: u64, off: u64) -> Value {
        let scaled = match idx.sym {
            None => Value::concrete(idx.bits.wrapping_mul(scale)),
            Some(_) if scale == 1 => idx,
            Some(_) => self.sym_bin(EOp::Mul, 64, idx, Value::concrete(scale)),
        };
        let sum = match (base.sym, scaled.sym) {
            (None, None) => Value::concrete(base.bits.wrapping_add(scaled.bits)),
            _ => self.sym_bin(EOp::Add, 64, base, scaled),
        };
        self.sym_add_imm(sum, off)
    }

    /// Division and remainder that the fast path left over: zero, minus one, or symbolic operands.
    pub(crate) fn divide(
        &mut self,
        st: &mut State,
        op: EOp,
        w: u8,
        dst: Slot,
        a: Value,
        b: Value,
    ) -> Result<Flow, Termination> {
        let by_zero = |_: &mut Vm, _: &State| Fault::new(FaultKind::DivisionByZero, "divide by zero").end();
        let eb = self.expr_of(b, w as u32);
        let ea = self.expr_of(a, w as u32);
        if self.config.check_div_zero || b.sym.is_none() {
            let zero = self.exprs.constant(w as u32, 0);
            let bad = self.exprs.eq(eb, zero);
            if b.sym.is_none() && b.bits == 0 {
                return Err(by_zero(self, st));
            }
            self.check_never(st, bad, by_zero)?;
        }
        if matches!(op, EOp::SDiv | EOp::SRem) {
            // The one quotient that does not fit: the hardware traps on it.
            let ones = self.exprs.constant(w as u32, mask(w));
            let least = self.exprs.constant(w as u32, 1 << (w - 1));
            let (x, y) = (self.exprs.eq(eb, ones), self.exprs.eq(ea, least));
            let bad = self.exprs.and(x, y);
            let end = |_: &mut Vm, _: &State| {
                Fault::new(
                    FaultKind::Undefined(UbKind::DivisionOverflow),
                    "signed division overflows: the least value divided by -1",
                )
                .end()
            };
            if self.exprs.is_true(bad) {
                return Err(end(self, st));
            }
            self.check_never(st, bad, end)?;
        }
        let e = self.exprs.bin(op, ea, eb);
        st.frame.regs[dst as usize] = self.value_of(e);
        Ok(Flow::Next)
    }

    /// Shifts that the fast path left over: oversized or symbolic.
    pub(crate) fn shift(
        &mut self,
        st: &mut State,
        op: EOp,
        w: u8,
        dst: Slot,
        a: Value,
        b: Value,
    ) -> Result<Flow, Termination> {
        let (ea, eb) = (self.expr_of(a, w as u32), self.expr_of(b, w as u32));
        if self.config.check_overshift {
            let end = |_: &mut Vm, _: &State| {
                Fault::new(FaultKind::OversizedShift, "shift by the width of the type or more").end()
            };
            // A width that the shift amount cannot even express is always in range.
            if (w as u64) <= mask(w) {
                let limit = self.exprs.constant(w as u32, w as u64);
                let bad = self.exprs.bin(EOp::Ule, limit, eb);
                if self.exprs.is_true(bad) {
                    return Err(end(self, st));
                }
                self.check_never(st, bad, end)?;
            }
        }
        let e = self.exprs.bin(op, ea, eb);
        st.frame.regs[dst as usize] = self.value_of(e);
        Ok(Flow::Next)
    }
}

//! Integers of more than 64 bits, which lie in several slots (least significant first), and bit casts between
//! values of different slot structure.
//!
//! Concrete operands never touch the expression manager. What can be done slot by slot is done so even when slots
//! are symbolic, so that expressions stay as narrow as possible; the rest is built on the whole value. The meaning
//! of every operator is `forkwise_expr::semantics`; nothing here may decide it anew.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::state::State;
use crate::value::{Value, mask, sext};
use forkwise_expr::{Bits, Expr, Op as EOp, semantics};
use forkwise_ir::{IntOp, IntPred, Slot};

/// The number of slots of a value of `w` bits.
#[inline]
pub(crate) const fn slot_count(w: u32) -> u32 {
    w.div_ceil(64)
}

/// Bits of slot `i` of a value of `w` bits.
#[inline]
pub(crate) const fn slot_width(w: u32, i: u32) -> u32 {
    let left = w - 64 * i;
    if left < 64 { left } else { 64 }
}

fn operator(op: IntOp) -> EOp {
    match op {
        IntOp::Add => EOp::Add,
        IntOp::Sub => EOp::Sub,
        IntOp::Mul => EOp::Mul,
        IntOp::UDiv => EOp::UDiv,
        IntOp::SDiv => EOp::SDiv,
        IntOp::URem => EOp::URem,
        IntOp::SRem => EOp::SRem,
        IntOp::And => EOp::And,
        IntOp::Or => EOp::Or,
        IntOp::Xor => EOp::Xor,
        IntOp::Shl => EOp::Shl,
        IntOp::LShr => EOp::LShr,
        IntOp::AShr => EOp::AShr,
    }
}

/// The low `w` bits (1 to 128) set.
pub(crate) const fn mask128(w: u32) -> u128 {
    u128::MAX >> (128 - w)
}

/// Sign-extends the low `w` bits (1 to 128).
pub(crate) const fn sext128(v: u128, w: u32) -> i128 {
    ((v << (128 - w)) as i128) >> (128 - w)
}

/// The operators whose result in at most 128 bits the host computes directly; divisors are not zero.
fn bin_u128(op: IntOp, w: u32, a: u128, b: u128) -> u128 {
    let signed = |v| sext128(v, w);
    let amount = |b: u128| if b < w as u128 { Some(b as u32) } else { None };
    let r = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::Mul => a.wrapping_mul(b),
        IntOp::UDiv => a / b,
        IntOp::URem => a % b,
        IntOp::SDiv => signed(a).wrapping_div(signed(b)) as u128,
        IntOp::SRem => signed(a).wrapping_rem(signed(b)) as u128,
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::Shl => amount(b).map_or(0, |s| a << s),
        IntOp::LShr => amount(b).map_or(0, |s| a >> s),
        IntOp::AShr => (signed(a) >> amount(b).unwrap_or(w - 1)) as u128,
    };
    r & mask128(w)
}

impl Vm {
    // ---- values in several slots

    /// The concrete value of `w` (at most 128) bits at `slot`, if no part of it is symbolic.
    #[inline]
    pub(crate) fn wide_u128(&self, st: &State, slot: Slot, w: u32) -> Option<u128> {
        let low = st.frame.regs[slot as usize].as_concrete()?;
        if w <= 64 {
            return Some(low as u128);
        }
        let high = st.frame.regs[slot as usize + 1].as_concrete()?;
        Some(low as u128 | (high as u128) << 64)
    }

    /// Writes a concrete value of `w` (at most 128) bits; bits above `w` must be zero.
    #[inline]
    pub(crate) fn set_wide_u128(&self, st: &mut State, dst: Slot, w: u32, v: u128) {
        st.frame.regs[dst as usize] = Value::concrete(v as u64);
        if w > 64 {
            st.frame.regs[dst as usize + 1] = Value::concrete((v >> 64) as u64);
        }
    }

    /// The concrete value of `w` bits at `slot`, if no part of it is symbolic.
    pub(crate) fn wide_bits(&self, st: &State, slot: Slot, w: u32) -> Option<Bits> {
        let slots = &st.frame.regs[slot as usize..(slot + slot_count(w)) as usize];
        let limbs: Option<Vec<u64>> = slots.iter().map(|v| v.as_concrete()).collect();
        Some(Bits::from_limbs(w, &limbs?))
    }

    /// Writes a concrete value of `w` bits.
    pub(crate) fn set_wide_bits(&self, st: &mut State, dst: Slot, w: u32, v: &Bits) {
        debug_assert_eq!(v.width(), w);
        for (i, limb) in v.limbs().iter().enumerate() {
            st.frame.regs[dst as usize + i] = Value::concrete(*limb);
        }
    }

    /// The value of `w` bits at `slot` as one expression.
    pub(crate) fn wide_expr(&mut self, st: &State, slot: Slot, w: u32) -> Expr {
        if let Some(v) = self.wide_bits(st, slot, w) {
            return self.exprs.constant_bits(&v);
        }
        let slots = &st.frame.regs[slot as usize..(slot + slot_count(w)) as usize];
        let mut whole = self.expr_of(slots[0], slot_width(w, 0));
        for (i, v) in slots.iter().enumerate().skip(1) {
            let e = self.expr_of(*v, slot_width(w, i as u32));
            whole = self.exprs.concat(e, whole);
        }
        whole
    }

    /// Writes an expression of `w` bits into its slots.
    pub(crate) fn set_wide(&mut self, st: &mut State, dst: Slot, w: u32, e: Expr) {
        debug_assert_eq!(self.exprs.width(e), w);
        if w <= 64 {
            st.frame.regs[dst as usize] = self.value_of(e);
            return;
        }
        for i in 0..slot_count(w) {
            st.frame.regs[(dst + i) as usize] = self.sym_extract(e, 64 * i, slot_width(w, i));
        }
    }

    // ---- operations

    /// An operator on integers of more than 64 bits.
    pub(crate) fn wide_bin(
        &mut self,
        st: &mut State,
        op: IntOp,
        w: u32,
        dst: Slot,
        a: Slot,
        b: Slot,
    ) -> Result<Flow, Termination> {
        let divides = matches!(op, IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem);
        let shifts = matches!(op, IntOp::Shl | IntOp::LShr | IntOp::AShr);
        if w <= 128
            && let (Some(x), Some(y)) = (self.wide_u128(st, a, w), self.wide_u128(st, b, w))
        {
            if divides && y == 0 {
                return Err(division_by_zero());
            }
            if shifts && self.config.check_overshift && y >= w as u128 {
                return Err(oversized_shift());
            }
            self.set_wide_u128(st, dst, w, bin_u128(op, w, x, y));
            return Ok(Flow::Next);
        }
        if matches!(op, IntOp::And | IntOp::Or | IntOp::Xor) {
            for i in 0..slot_count(w) {
                let (x, y) = (st.frame.regs[(a + i) as usize], st.frame.regs[(b + i) as usize]);
                st.frame.regs[(dst + i) as usize] = match (op, x.sym.is_none() & y.sym.is_none()) {
                    (IntOp::And, true) => Value::concrete(x.bits & y.bits),
                    (IntOp::Or, true) => Value::concrete(x.bits | y.bits),
                    (IntOp::Xor, true) => Value::concrete(x.bits ^ y.bits),
                    _ => self.sym_bin(operator(op), slot_width(w, i), x, y),
                };
            }
            return Ok(Flow::Next);
        }
        let divisor = self.wide_bits(st, b, w);
        if divides {
            self.check_wide_divisor(st, w, b, divisor.as_ref())?;
        }
        if shifts && self.config.check_overshift {
            self.check_wide_shift(st, w, b)?;
        }
        if let (Some(x), Some(y)) = (self.wide_bits(st, a, w), &divisor) {
            self.set_wide_bits(st, dst, w, &semantics::bin_bits(operator(op), &x, y));
            return Ok(Flow::Next);
        }
        let x = self.wide_expr(st, a, w);
        let e = match divisor {
            Some(by) if shifts => self.shift_by_constant(op, w, x, &by),
            _ => {
                let y = self.wide_expr(st, b, w);
                self.exprs.bin(operator(op), x, y)
            }
        };
        self.set_wide(st, dst, w, e);
        Ok(Flow::Next)
    }

    /// A shift of a symbolic value by a known amount is only a choice of bits.
    fn shift_by_constant(&mut self, op: IntOp, w: u32, x: Expr, by: &Bits) -> Expr {
        let far = by.bit_length() > 32 || by.low_u64() >= w as u64;
        let by = if far { w } else { by.low_u64() as u32 };
        match op {
            _ if by == 0 => x,
            IntOp::AShr => {
                let by = by.min(w - 1);
                let high = self.exprs.extract(x, by, w - by);
                self.exprs.sext(high, w)
            }
            _ if far => self.exprs.constant(w, 0),
            IntOp::LShr => {
                let high = self.exprs.extract(x, by, w - by);
                self.exprs.zext(high, w)
            }
            _ => {
                let low = self.exprs.extract(x, 0, w - by);
                let zero = self.exprs.constant(by, 0);
                self.exprs.concat(low, zero)
            }
        }
    }

    fn check_wide_divisor(
        &mut self,
        st: &mut State,
        w: u32,
        b: Slot,
        concrete: Option<&Bits>,
    ) -> Result<(), Termination> {
        match concrete {
            Some(v) if v.is_zero() => Err(division_by_zero()),
            Some(_) => Ok(()),
            None if !self.config.check_div_zero => Ok(()),
            None => {
                let y = self.wide_expr(st, b, w);
                let zero = self.exprs.constant(w, 0);
                let bad = self.exprs.eq(y, zero);
                self.check_never(st, bad, |_, _| division_by_zero())
            }
        }
    }

    fn check_wide_shift(&mut self, st: &mut State, w: u32, b: Slot) -> Result<(), Termination> {
        let y = self.wide_expr(st, b, w);
        let limit = self.exprs.constant(w, w as u64);
        let bad = self.exprs.bin(EOp::Ule, limit, y);
        if self.exprs.is_true(bad) {
            return Err(oversized_shift());
        }
        self.check_never(st, bad, |_, _| oversized_shift())
    }

    /// A comparison of integers of more than 64 bits.
    pub(crate) fn wide_cmp(
        &mut self,
        st: &mut State,
        pred: IntPred,
        w: u32,
        dst: Slot,
        a: Slot,
        b: Slot,
    ) -> Result<Flow, Termination> {
        if w <= 128
            && let (Some(x), Some(y)) = (self.wide_u128(st, a, w), self.wide_u128(st, b, w))
        {
            let holds = match pred {
                IntPred::Eq => x == y,
                IntPred::Ne => x != y,
                IntPred::Ult => x < y,
                IntPred::Ule => x <= y,
                IntPred::Slt => sext128(x, w) < sext128(y, w),
                IntPred::Sle => sext128(x, w) <= sext128(y, w),
            };
            st.frame.regs[dst as usize] = Value::concrete(holds as u64);
            return Ok(Flow::Next);
        }
        let e = match pred {
            IntPred::Eq | IntPred::Ne => {
                // One comparison a slot: those of concrete slots disappear.
                let mut equal = self.exprs.bool(true);
                for i in 0..slot_count(w) {
                    let (x, y) = (st.frame.regs[(a + i) as usize], st.frame.regs[(b + i) as usize]);
                    let n = slot_width(w, i);
                    let (x, y) = (self.expr_of(x, n), self.expr_of(y, n));
                    let same = self.exprs.eq(x, y);
                    equal = self.exprs.and(equal, same);
                }
                if pred == IntPred::Ne { self.exprs.not(equal) } else { equal }
            }
            IntPred::Ult | IntPred::Ule | IntPred::Slt | IntPred::Sle => {
                let op = match pred {
                    IntPred::Ult => EOp::Ult,
                    IntPred::Ule => EOp::Ule,
                    IntPred::Slt => EOp::Slt,
                    _ => EOp::Sle,
                };
                let (x, y) = (self.wide_expr(st, a, w), self.wide_expr(st, b, w));
                self.exprs.bin(op, x, y)
            }
        };
        st.frame.regs[dst as usize] = self.value_of(e);
        Ok(Flow::Next)
    }

    /// Truncation and extension where either side has more than 64 bits.
    pub(crate) fn wide_cast(
        &mut self,
        st: &mut State,
        signed: bool,
        from: u32,
        to: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        let last = slot_count(from) - 1;
        let last_width = slot_width(from, last);
        // What fills everything above the source: zero, or the sign in all bits.
        let top = st.frame.regs[(a + last) as usize];
        let fill = match top.sym {
            _ if !signed || to <= from => Value::concrete(0),
            None => Value::concrete((sext(top.bits, last_width as u8) >> 63) as u64),
            Some(e) => {
                let sign = self.exprs.extract(e, last_width - 1, 1);
                self.sym_sext(sign, 64)
            }
        };
        let mut out = Vec::with_capacity(slot_count(to) as usize);
        for i in 0..slot_count(to) {
            let want = slot_width(to, i);
            if i > last {
                out.push(self.low_bits(fill, want));
                continue;
            }
            let v = st.frame.regs[(a + i) as usize];
            let have = slot_width(from, i);
            out.push(match v.sym {
                _ if want <= have => self.low_bits(v, want),
                None if signed => Value::concrete(sext(v.bits, have as u8) as u64 & mask(want as u8)),
                None => v,
                Some(e) if signed => self.sym_sext(e, want),
                Some(e) => self.sym_zext(e, want),
            });
        }
        st.frame.regs[dst as usize..dst as usize + out.len()].copy_from_slice(&out);
        Ok(Flow::Next)
    }

    fn low_bits(&mut self, v: Value, w: u32) -> Value {
        match v.sym {
            None => Value::concrete(v.bits & mask(w as u8)),
            Some(e) => self.sym_extract(e, 0, w),
        }
    }

    /// Reinterprets the bits of a value as the slots of another type.
    pub(crate) fn bitcast(
        &mut self,
        st: &mut State,
        shape: u32,
        dst: Slot,
        a: Slot,
    ) -> Result<Flow, Termination> {
        let program = self.program.clone();
        let shape = &program.functions[st.frame.func as usize].bitcasts[shape as usize];
        // The source as a list of (first bit, width, value), one entry a slot, in order.
        let mut source = Vec::new();
        let (mut bit, mut slot) = (0u32, a);
        for leaf in &shape.from {
            for i in 0..slot_count(*leaf) {
                let n = slot_width(*leaf, i);
                source.push((bit, n, st.frame.regs[slot as usize]));
                bit += n;
                slot += 1;
            }
        }
        let mut out = Vec::new();
        let (mut at, mut first) = (0u32, 0usize);
        for leaf in &shape.to {
            for i in 0..slot_count(*leaf) {
                let n = slot_width(*leaf, i);
                while first < source.len() && source[first].0 + source[first].1 <= at {
                    first += 1;
                }
                out.push(self.gather(&source[first..], at, n));
                at += n;
            }
        }
        st.frame.regs[dst as usize..dst as usize + out.len()].copy_from_slice(&out);
        Ok(Flow::Next)
    }

    /// Bits `at .. at + n` (at most 64 of them) of consecutive pieces; beyond the last piece they are zero.
    fn gather(&mut self, pieces: &[(u32, u32, Value)], at: u32, n: u32) -> Value {
        let mut bits = 0u64;
        let mut sym: Option<Expr> = None;
        let mut done = 0;
        for (start, width, v) in pieces {
            if done == n {
                break;
            }
            let lo = at + done - start;
            let take = (width - lo).min(n - done);
            match v.sym {
                None => {
                    let part = v.bits >> lo & mask(take as u8);
                    bits |= part << done;
                    if let Some(low) = sym {
                        let high = self.exprs.constant(take, part);
                        sym = Some(self.exprs.concat(high, low));
                    }
                }
                Some(e) => {
                    let high = self.exprs.extract(e, lo, take);
                    sym = Some(match sym {
                        Some(low) => self.exprs.concat(high, low),
                        None if done == 0 => high,
                        None => {
                            let low = self.exprs.constant(done, bits);
                            self.exprs.concat(high, low)
                        }
                    });
                }
            }
            done += take;
        }
        match sym {
            None => Value::concrete(bits),
            Some(e) => self.sym_zext(e, n),
        }
    }
}

fn division_by_zero() -> Termination {
    Fault::new(FaultKind::DivisionByZero, "divide by zero").end()
}

fn oversized_shift() -> Termination {
    Fault::new(FaultKind::OversizedShift, "shift by the width of the type or more").end()
}

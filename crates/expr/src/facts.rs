//! What is known of a node's value from its structure alone: an unsigned range and bits that are fixed. Computed
//! once when a node is made, from its operands' facts, so deep expressions need no traversal. Must be sound for
//! every operator; no path condition enters here.

use crate::build::Exprs;
use crate::node::{Expr, Kind, Op, Width};
use crate::semantics::{mask, to_signed};
use crate::store::Node;

/// Sound facts about a value of at most 64 bits; wider values have [`Facts::UNKNOWN_WIDE`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    /// Smallest value.
    pub lo: u64,
    /// Largest value.
    pub hi: u64,
    /// Bits that are zero in every value.
    pub zeros: u64,
    /// Bits that are one in every value.
    pub ones: u64,
}

/// All bits up to the highest set bit of `v`.
fn fill(v: u64) -> u64 {
    if v == 0 { 0 } else { u64::MAX >> v.leading_zeros() }
}

impl Facts {
    pub const UNKNOWN_WIDE: Facts = Facts { lo: 0, hi: u64::MAX, zeros: 0, ones: 0 };

    pub fn unknown(width: Width) -> Facts {
        if width > 64 { Facts::UNKNOWN_WIDE } else { Facts { lo: 0, hi: mask(width), zeros: 0, ones: 0 } }
    }

    pub fn constant(width: Width, v: u64) -> Facts {
        Facts { lo: v, hi: v, zeros: !v & mask(width), ones: v }
    }

    fn range(lo: u64, hi: u64) -> Facts {
        Facts { lo, hi, zeros: 0, ones: 0 }
    }

    fn bits(width: Width, zeros: u64, ones: u64) -> Facts {
        Facts { lo: 0, hi: mask(width), zeros, ones }
    }

    /// The one value, when there is only one.
    pub fn single(&self) -> Option<u64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Do all values have their highest bit clear?
    pub fn non_negative(&self, width: Width) -> bool {
        self.hi >> (width - 1) == 0
    }

    fn negative(&self, width: Width) -> bool {
        self.lo >> (width - 1) == 1
    }

    /// What holds when one of two values is taken.
    pub fn either(self, other: Facts) -> Facts {
        Facts {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// What holds when both facts are true of one value.
    fn both(self, other: Facts) -> Facts {
        Facts {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
    }

    /// Lets the range and the bits sharpen each other.
    fn refine(mut self, width: Width) -> Facts {
        let m = mask(width);
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(!self.zeros & m);
        debug_assert!(self.lo <= self.hi, "contradictory facts {self:?}");
        // The leading bits on which both ends agree are fixed.
        let fixed = m & !fill(self.lo ^ self.hi);
        self.ones |= self.lo & fixed;
        self.zeros |= !self.lo & fixed;
        self
    }

    fn trailing_zeros(&self) -> u32 {
        self.zeros.trailing_ones()
    }
}

/// Known bits of `a + b + carry`.
fn sum_bits(width: Width, a: Facts, b: Facts, carry: u64) -> Facts {
    let m = mask(width);
    let most = (!a.zeros & m).wrapping_add(!b.zeros & m).wrapping_add(carry);
    let least = a.ones.wrapping_add(b.ones).wrapping_add(carry);
    // A carry into a position is fixed when the largest and the smallest sum agree on it.
    let no_carry = !(most ^ a.zeros ^ b.zeros);
    let sure_carry = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (no_carry | sure_carry) & m;
    Facts::bits(width, !most & known, least & known)
}

fn complement(width: Width, a: Facts) -> Facts {
    let m = mask(width);
    Facts { lo: m - a.hi, hi: m - a.lo, zeros: a.ones, ones: a.zeros }
}

fn add(w: Width, a: Facts, b: Facts) -> Facts {
    let m = mask(w);
    let bits = sum_bits(w, a, b, 0);
    let (lo, lo_over) = (a.lo.wrapping_add(b.lo) & m, u128::from(a.lo) + u128::from(b.lo) > u128::from(m));
    let (hi, hi_over) = (a.hi.wrapping_add(b.hi) & m, u128::from(a.hi) + u128::from(b.hi) > u128::from(m));
    if lo_over == hi_over { bits.both(Facts::range(lo, hi)) } else { bits }
}

fn sub(w: Width, a: Facts, b: Facts) -> Facts {
    let bits = sum_bits(w, a, complement(w, b), 1);
    // Either no pair borrows or every pair does.
    if a.lo >= b.hi || a.hi < b.lo {
        let m = mask(w);
        return bits.both(Facts::range(a.lo.wrapping_sub(b.hi) & m, a.hi.wrapping_sub(b.lo) & m));
    }
    bits
}

fn mul(w: Width, a: Facts, b: Facts) -> Facts {
    let zeros = (a.trailing_zeros() + b.trailing_zeros()).min(w);
    let low = if zeros == 0 { 0 } else { mask(zeros) };
    let bits = Facts::bits(w, low, 0);
    match a.hi.checked_mul(b.hi) {
        Some(hi) if hi <= mask(w) => bits.both(Facts::range(a.lo * b.lo, hi)),
        _ => bits,
    }
}

fn udiv(w: Width, a: Facts, b: Facts) -> Facts {
    let lo = a.lo.checked_div(b.hi).unwrap_or(mask(w));
    // A zero divisor gives all ones.
    let hi = a.hi.checked_div(b.lo).unwrap_or(mask(w));
    Facts::range(lo, hi)
}

fn urem(a: Facts, b: Facts) -> Facts {
    if a.hi < b.lo {
        return a;
    }
    let hi = if b.lo > 0 { a.hi.min(b.hi - 1) } else { a.hi };
    Facts::range(0, hi)
}

fn shl(w: Width, a: Facts, b: Facts) -> Facts {
    let m = mask(w);
    if b.lo >= u64::from(w) {
        return Facts::constant(w, 0);
    }
    let Some(k) = b.single() else {
        return Facts::bits(w, if b.lo == 0 { 0 } else { mask(b.lo as u32) }, 0);
    };
    let bits = Facts::bits(w, (a.zeros << k | ((1 << k) - 1)) & m, a.ones << k & m);
    if a.hi <= m >> k { bits.both(Facts::range(a.lo << k, a.hi << k)) } else { bits }
}

fn lshr(w: Width, a: Facts, b: Facts) -> Facts {
    let by = |v: u64, k: u64| if k >= u64::from(w) { 0 } else { v >> k };
    let range = Facts::range(by(a.lo, b.hi), by(a.hi, b.lo));
    match b.single() {
        Some(k) if k < u64::from(w) => {
            let high = mask(w) & !(mask(w) >> k);
            range.both(Facts::bits(w, a.zeros >> k | high, a.ones >> k))
        }
        _ => range,
    }
}

fn truncate(w: Width, a: Facts) -> Facts {
    let m = mask(w);
    let bits = Facts::bits(w, a.zeros & m, a.ones & m);
    // One block of 2^w values: the low parts stay in order.
    if a.lo & !m == a.hi & !m { bits.both(Facts::range(a.lo & m, a.hi & m)) } else { bits }
}

fn sext(from: Width, to: Width, a: Facts) -> Facts {
    let high = mask(to) & !mask(from);
    if a.non_negative(from) {
        return Facts { zeros: a.zeros | high, ..a };
    }
    if a.negative(from) {
        return Facts { lo: a.lo | high, hi: a.hi | high, zeros: a.zeros, ones: a.ones | high };
    }
    let low = mask(from) >> 1;
    Facts::bits(to, a.zeros & low, a.ones & low)
}

fn compare(op: Op, w: Width, a: Facts, b: Facts) -> Facts {
    let decided = match op {
        Op::Eq if a.hi < b.lo || b.hi < a.lo || a.zeros & b.ones != 0 || a.ones & b.zeros != 0 => Some(false),
        Op::Eq => match (a.single(), b.single()) {
            (Some(x), Some(y)) => Some(x == y),
            _ => None,
        },
        Op::Ult if a.hi < b.lo => Some(true),
        Op::Ult if a.lo >= b.hi => Some(false),
        Op::Ule if a.hi <= b.lo => Some(true),
        Op::Ule if a.lo > b.hi => Some(false),
        Op::Slt | Op::Sle => match (signed_range(w, a), signed_range(w, b)) {
            ((_, ahi), (blo, _)) if ahi < blo || op == Op::Sle && ahi == blo => Some(true),
            ((alo, _), (_, bhi)) if alo > bhi || op == Op::Slt && alo == bhi => Some(false),
            _ => None,
        },
        _ => None,
    };
    decided.map_or(Facts::unknown(1), |v| Facts::constant(1, u64::from(v)))
}

/// The range of the values read as two's complement.
fn signed_range(w: Width, a: Facts) -> (i64, i64) {
    if a.non_negative(w) || a.negative(w) {
        return (to_signed(w, a.lo), to_signed(w, a.hi));
    }
    let sign = 1 << (w - 1);
    (to_signed(w, a.ones | sign), to_signed(w, !a.zeros & (sign - 1)))
}

fn binary(op: Op, w: Width, a: Facts, b: Facts) -> Facts {
    match op {
        Op::And => Facts { lo: 0, hi: a.hi.min(b.hi), zeros: a.zeros | b.zeros, ones: a.ones & b.ones },
        Op::Or => Facts {
            lo: a.lo.max(b.lo),
            hi: fill(a.hi | b.hi),
            zeros: a.zeros & b.zeros,
            ones: a.ones | b.ones,
        },
        Op::Xor => Facts {
            lo: 0,
            hi: fill(a.hi | b.hi),
            zeros: a.zeros & b.zeros | a.ones & b.ones,
            ones: a.zeros & b.ones | a.ones & b.zeros,
        },
        Op::Add => add(w, a, b),
        Op::Sub => sub(w, a, b),
        Op::Mul => mul(w, a, b),
        Op::UDiv => udiv(w, a, b),
        Op::URem => urem(a, b),
        Op::SDiv if a.non_negative(w) && b.non_negative(w) => udiv(w, a, b),
        Op::SRem if a.non_negative(w) && b.non_negative(w) => urem(a, b),
        // The remainder has the dividend's sign and is no larger in magnitude.
        Op::SRem if a.non_negative(w) => Facts::range(0, a.hi),
        Op::Shl => shl(w, a, b),
        Op::LShr => lshr(w, a, b),
        Op::AShr if a.non_negative(w) => lshr(w, a, b),
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => compare(op, w, a, b),
        _ => Facts::unknown(w),
    }
}

impl Exprs {
    #[inline]
    pub(crate) fn facts(&self, e: Expr) -> Facts {
        self.store.facts[e.index()]
    }

    /// A sound unsigned range of an expression of at most 64 bits from its structure alone (no path condition).
    /// Wider expressions: everything.
    pub fn range(&mut self, e: Expr) -> (u64, u64) {
        let f = self.facts(e);
        (f.lo, f.hi)
    }

    /// Bits known to be zero and bits known to be one (expressions of at most 64 bits; wider: none).
    pub fn known_bits(&mut self, e: Expr) -> (u64, u64) {
        let f = self.facts(e);
        (f.zeros, f.ones)
    }

    /// A sound range of the value read as two's complement (at most 64 bits).
    pub fn signed_range(&self, e: Expr) -> (i64, i64) {
        let w = self.width(e);
        debug_assert!(w <= 64, "signed range of {w} bits");
        let (lo, hi) = signed_range(w, self.facts(e));
        match self.kind(e) {
            Kind::SExt(a) => {
                let (alo, ahi) = signed_range(self.width(a), self.facts(a));
                (lo.max(alo), hi.min(ahi))
            }
            // Sums of promoted bytes: `c - '0'`.
            Kind::Bin(Op::Add, x, c) if let Some(c) = self.const_u64(c) => {
                let (xlo, xhi) = match self.kind(x) {
                    Kind::SExt(a) => signed_range(self.width(a), self.facts(a)),
                    _ => signed_range(w, self.facts(x)),
                };
                let c = i128::from(to_signed(w, c));
                let (slo, shi) = (i128::from(xlo) + c, i128::from(xhi) + c);
                let limit = 1i128 << (w - 1);
                if slo < -limit || shi >= limit {
                    return (lo, hi);
                }
                (lo.max(slo as i64), hi.min(shi as i64))
            }
            _ => (lo, hi),
        }
    }

    /// The facts of a node from those of its operands.
    pub(crate) fn facts_of(&self, n: &Node) -> Facts {
        if n.width > 64 {
            return Facts::UNKNOWN_WIDE;
        }
        let w = n.width;
        let facts = match n.kind() {
            Kind::Const => return Facts::constant(w, n.value().expect("at most 64 bits")),
            Kind::Symbol(_) | Kind::Fp(..) => return Facts::unknown(w),
            Kind::Un(Op::Not, a) => complement(w, self.facts(a)),
            Kind::Un(_, a) => sub(w, Facts::constant(w, 0), self.facts(a)),
            Kind::Bin(Op::Concat, a, b) => {
                let (a, b, shift) = (self.facts(a), self.facts(b), self.width(b));
                Facts {
                    lo: a.lo << shift | b.lo,
                    hi: a.hi << shift | b.hi,
                    zeros: a.zeros << shift | b.zeros,
                    ones: a.ones << shift | b.ones,
                }
            }
            Kind::Bin(op, a, b) => match self.width(a) {
                operands if operands > 64 => return Facts::unknown(w),
                operands => binary(op, operands, self.facts(a), self.facts(b)),
            },
            Kind::Ite(_, t, f) => self.facts(t).either(self.facts(f)),
            Kind::Extract(a, _) if self.width(a) > 64 => return Facts::unknown(w),
            Kind::Extract(a, lo) => {
                let a = self.facts(a);
                let shifted =
                    Facts { lo: a.lo >> lo, hi: a.hi >> lo, zeros: a.zeros >> lo, ones: a.ones >> lo };
                truncate(w, shifted)
            }
            Kind::ZExt(a) => {
                let (from, a) = (self.width(a), self.facts(a));
                Facts { zeros: a.zeros | mask(w) & !mask(from), ..a }
            }
            Kind::SExt(a) => sext(self.width(a), w, self.facts(a)),
            Kind::Lookup(t, index) => {
                let (table, index) = (self.store.table(t), self.facts(index));
                // Past the end reads as zero.
                if index.hi < table.elements.len() as u64 {
                    table.facts
                } else {
                    table.facts.either(Facts::constant(w, 0))
                }
            }
        };
        facts.refine(w)
    }

    /// What holds for every element of a table.
    pub(crate) fn table_facts(&self, elements: &[Expr]) -> Facts {
        elements.iter().skip(1).fold(self.facts(elements[0]), |f, &e| f.either(self.facts(e)))
    }
}

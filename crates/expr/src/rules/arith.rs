//! Rules for addition, subtraction, negation and multiplication. Constants move outwards and to the right, so that
//! they meet and combine; `x - c` does not exist. Division is in `division`.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op};

pub(super) fn add(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) == 1 {
        first!(ex; AddOneBit => add_one_bit(a, b));
    }
    if ex.is_const(b) {
        first!(ex;
            AddZero => add_zero(a, b),
            AddConstants => add_constants(a, b),
            AddConstSub => add_const_sub(a, b),
            AddNotConst => add_not_const(a, b),
        );
        return None;
    }
    first!(ex;
        AddSelf => add_self(a, b),
        AddMultiples => add_multiples(a, b),
        AddHoist => add_hoist(a, b),
        AddSubHoist => add_sub_hoist(a, b),
        AddNeg => add_neg(a, b),
        AddCancelSub => add_cancel_sub(a, b),
        AddComplement => add_complement(a, b),
        AddDisjoint => add_disjoint(a, b),
    );
    None
}

/// a + b → a ^ b, in one bit
fn add_one_bit(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    Some(ex.bin(Op::Xor, a, b))
}

/// x + 0 → x
fn add_zero(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then_some(x)
}

/// (x + c1) + c2 → x + (c1 + c2)
fn add_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, x, c1) = ex.kind(a) else { return None };
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Add, c1, c2);
    Some(ex.bin(Op::Add, x, c))
}

/// (c1 - x) + c2 → (c1 + c2) - x
fn add_const_sub(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Sub, c1, x) = ex.kind(a) else { return None };
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Add, c1, c2);
    Some(ex.bin(Op::Sub, c, x))
}

/// ~x + c → (c - 1) - x
fn add_not_const(ex: &mut Exprs, a: Expr, c: Expr) -> Option<Expr> {
    let Kind::Un(Op::Not, x) = ex.kind(a) else { return None };
    let minus_one = ex.ones(ex.width(a));
    let c = ex.bin(Op::Add, c, minus_one);
    Some(ex.bin(Op::Sub, c, x))
}

/// x + x → x << 1
fn add_self(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if a != b {
        return None;
    }
    let one = ex.constant(ex.width(a), 1);
    Some(ex.bin(Op::Shl, a, one))
}

/// x * c + x * d → x * (c + d): sums that grow in a loop stay one product
fn add_multiples(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    if w > 64 {
        return None;
    }
    let ((x, c), (y, d)) = (multiple(ex, a), multiple(ex, b));
    if x != y {
        return None;
    }
    let k = ex.constant(w, c.wrapping_add(d));
    Some(ex.bin(Op::Mul, x, k))
}

/// An expression as a base and a factor; a shift to the left is a concatenation with zeros below.
fn multiple(ex: &Exprs, e: Expr) -> (Expr, u64) {
    match ex.kind(e) {
        Kind::Bin(Op::Mul, x, c) => match ex.const_u64(c) {
            Some(c) => (x, c),
            None => (e, 1),
        },
        Kind::Bin(Op::Concat, high, low) if ex.const_u64(low) == Some(0) => match ex.kind(high) {
            Kind::Extract(x, 0) if ex.width(x) == ex.width(e) => (x, 1 << ex.width(low)),
            _ => (e, 1),
        },
        _ => (e, 1),
    }
}

/// (x + c) + y → (x + y) + c
fn add_hoist(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    hoist_constant(ex, Op::Add, a, b)
}

/// (x ∘ c) ∘ y → (x ∘ y) ∘ c, for an associative and commutative operator
pub(super) fn hoist_constant(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    for (inner, y) in [(a, b), (b, a)] {
        if let Kind::Bin(o, x, c) = ex.kind(inner)
            && o == op
            && ex.is_const(c)
        {
            let rest = ex.bin(op, x, y);
            return Some(ex.bin(op, rest, c));
        }
    }
    None
}

/// (c - x) + y → (y - x) + c
fn add_sub_hoist(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (inner, y) in [(a, b), (b, a)] {
        if let Kind::Bin(Op::Sub, c, x) = ex.kind(inner)
            && ex.is_const(c)
        {
            let rest = ex.bin(Op::Sub, y, x);
            return Some(ex.bin(Op::Add, rest, c));
        }
    }
    None
}

/// x + -y → x - y
fn add_neg(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (x, negated) in [(a, b), (b, a)] {
        if let Kind::Un(Op::Neg, y) = ex.kind(negated) {
            return Some(ex.bin(Op::Sub, x, y));
        }
    }
    None
}

/// (x - y) + y → x
fn add_cancel_sub(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (difference, y) in [(a, b), (b, a)] {
        if let Kind::Bin(Op::Sub, x, s) = ex.kind(difference)
            && s == y
        {
            return Some(x);
        }
    }
    None
}

/// x + ~x → all ones
fn add_complement(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    complementary(ex, a, b).then(|| ex.ones(ex.width(a)))
}

/// Is one the bitwise negation of the other?
pub(super) fn complementary(ex: &Exprs, a: Expr, b: Expr) -> bool {
    matches!(ex.kind(a), Kind::Un(Op::Not, x) if x == b)
        || matches!(ex.kind(b), Kind::Un(Op::Not, x) if x == a)
}

/// a + b → a | b, when no bit can be set in both and both are put together from parts
fn add_disjoint(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let w = ex.width(a);
    let parts = |e| matches!(ex.kind(e), Kind::ZExt(_) | Kind::Bin(Op::Concat, ..));
    if w > 64 || !parts(a) || !parts(b) {
        return None;
    }
    let may_be_one = |e| !ex.facts(e).zeros & crate::semantics::mask(w);
    (may_be_one(a) & may_be_one(b) == 0).then(|| ex.bin(Op::Or, a, b))
}

pub(super) fn sub(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) == 1 {
        first!(ex; SubOneBit => sub_one_bit(a, b));
    }
    first!(ex;
        SubSelf => sub_self(a, b),
        SubConst => sub_const(a, b),
        SubFromZero => sub_from_zero(a, b),
        SubFromOnes => sub_from_ones(a, b),
        SubNeg => sub_neg(a, b),
        SubCancel => sub_cancel(a, b),
        SubCommon => sub_common(a, b),
        SubHoistLeft => sub_hoist_left(a, b),
        SubHoistRight => sub_hoist_right(a, b),
        SubSubConst => sub_sub_const(a, b),
        SubConstSub => sub_const_sub(a, b),
        SubNot => sub_not(a, b),
    );
    None
}

/// a - b → a ^ b, in one bit
fn sub_one_bit(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    Some(ex.bin(Op::Xor, a, b))
}

/// x - x → 0
fn sub_self(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| ex.zero(ex.width(a)))
}

/// x - c → x + (-c)
fn sub_const(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    if !ex.is_const(c) {
        return None;
    }
    let minus = ex.neg(c);
    Some(ex.bin(Op::Add, x, minus))
}

/// 0 - x → -x
fn sub_from_zero(ex: &mut Exprs, c: Expr, x: Expr) -> Option<Expr> {
    ex.is_zero(c).then(|| ex.neg(x))
}

/// -1 - x → ~x
fn sub_from_ones(ex: &mut Exprs, c: Expr, x: Expr) -> Option<Expr> {
    ex.is_ones(c).then(|| ex.not(x))
}

/// x - -y → x + y
fn sub_neg(ex: &mut Exprs, x: Expr, b: Expr) -> Option<Expr> {
    let Kind::Un(Op::Neg, y) = ex.kind(b) else { return None };
    Some(ex.bin(Op::Add, x, y))
}

/// (x + y) - x → y; x - (x + y) → -y; (x - y) - x → -y; x - (x - y) → y
fn sub_cancel(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Bin(Op::Add, x, y) if x == b => return Some(y),
        Kind::Bin(Op::Add, x, y) if y == b => return Some(x),
        Kind::Bin(Op::Sub, x, y) if x == b => return Some(ex.neg(y)),
        _ => {}
    }
    match ex.kind(b) {
        Kind::Bin(Op::Add, x, y) if x == a => Some(ex.neg(y)),
        Kind::Bin(Op::Add, x, y) if y == a => Some(ex.neg(x)),
        Kind::Bin(Op::Sub, x, y) if x == a => Some(y),
        _ => None,
    }
}

/// (x + y) - (x + z) → y - z
fn sub_common(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::Bin(Op::Add, p, q), Kind::Bin(Op::Add, r, s)) = (ex.kind(a), ex.kind(b)) else { return None };
    let (y, z) = if p == r {
        (q, s)
    } else if p == s {
        (q, r)
    } else if q == r {
        (p, s)
    } else if q == s {
        (p, r)
    } else {
        return None;
    };
    Some(ex.bin(Op::Sub, y, z))
}

/// (x + c) - y → (x - y) + c
fn sub_hoist_left(ex: &mut Exprs, a: Expr, y: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, x, c) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let rest = ex.bin(Op::Sub, x, y);
    Some(ex.bin(Op::Add, rest, c))
}

/// x - (y + c) → (x - y) + (-c)
fn sub_hoist_right(ex: &mut Exprs, x: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, y, c) = ex.kind(b) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let rest = ex.bin(Op::Sub, x, y);
    Some(ex.bin(Op::Sub, rest, c))
}

/// (c - x) - y → c - (x + y)
fn sub_sub_const(ex: &mut Exprs, a: Expr, y: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Sub, c, x) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let sum = ex.bin(Op::Add, x, y);
    Some(ex.bin(Op::Sub, c, sum))
}

/// x - (c - y) → (x + y) - c
fn sub_const_sub(ex: &mut Exprs, x: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Sub, c, y) = ex.kind(b) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let sum = ex.bin(Op::Add, x, y);
    Some(ex.bin(Op::Sub, sum, c))
}

/// x - ~y → (x + y) + 1
fn sub_not(ex: &mut Exprs, x: Expr, b: Expr) -> Option<Expr> {
    let Kind::Un(Op::Not, y) = ex.kind(b) else { return None };
    let sum = ex.bin(Op::Add, x, y);
    let one = ex.constant(ex.width(x), 1);
    Some(ex.bin(Op::Add, sum, one))
}

pub(super) fn neg(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    first!(ex;
        NegOneBit => neg_one_bit(a),
        NegNeg => neg_neg(a),
        NegSub => neg_sub(a),
        NegAddConst => neg_add_const(a),
        NegNot => neg_not(a),
        NegMulConst => neg_mul_const(a),
    );
    None
}

/// -x → x, in one bit
fn neg_one_bit(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    (ex.width(a) == 1).then_some(a)
}

/// -(-x) → x
fn neg_neg(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Un(Op::Neg, x) => Some(x),
        _ => None,
    }
}

/// -(x - y) → y - x
fn neg_sub(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    match ex.kind(a) {
        Kind::Bin(Op::Sub, x, y) => Some(ex.bin(Op::Sub, y, x)),
        _ => None,
    }
}

/// -(x + c) → (-c) - x
fn neg_add_const(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, x, c) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let minus = ex.neg(c);
    Some(ex.bin(Op::Sub, minus, x))
}

/// -(~x) → x + 1
fn neg_not(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Un(Op::Not, x) = ex.kind(a) else { return None };
    let one = ex.constant(ex.width(a), 1);
    Some(ex.bin(Op::Add, x, one))
}

/// -(x * c) → x * (-c)
fn neg_mul_const(ex: &mut Exprs, a: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Mul, x, c) = ex.kind(a) else { return None };
    if !ex.is_const(c) {
        return None;
    }
    let minus = ex.neg(c);
    Some(ex.bin(Op::Mul, x, minus))
}

pub(super) fn mul(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.width(a) == 1 {
        first!(ex; MulOneBit => mul_one_bit(a, b));
    }
    if ex.is_const(b) {
        first!(ex;
            MulZero => mul_zero(a, b),
            MulOne => mul_one(a, b),
            MulMinusOne => mul_minus_one(a, b),
            MulConstants => mul_constants(a, b),
            MulDistribute => mul_distribute(a, b),
            MulPower => mul_power(a, b),
            MulNegConst => mul_neg_const(a, b),
        );
    }
    first!(ex; MulBool => mul_bool(a, b), MulHoist => mul_hoist(a, b));
    None
}

/// a * b → a & b, in one bit
fn mul_one_bit(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    Some(ex.and(a, b))
}

/// x * 0 → 0
fn mul_zero(ex: &mut Exprs, _: Expr, c: Expr) -> Option<Expr> {
    ex.is_zero(c).then_some(c)
}

/// x * 1 → x
fn mul_one(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_one(c).then_some(x)
}

/// x * -1 → -x
fn mul_minus_one(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    ex.is_ones(c).then(|| ex.neg(x))
}

/// (x * c1) * c2 → x * (c1 * c2)
fn mul_constants(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Mul, x, c1) = ex.kind(a) else { return None };
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Mul, c1, c2);
    Some(ex.bin(Op::Mul, x, c))
}

/// (x + c1) * c2 → x * c2 + c1 * c2
fn mul_distribute(ex: &mut Exprs, a: Expr, c2: Expr) -> Option<Expr> {
    let Kind::Bin(Op::Add, x, c1) = ex.kind(a) else { return None };
    if !ex.is_const(c1) {
        return None;
    }
    let c = ex.bin(Op::Mul, c1, c2);
    let scaled = ex.bin(Op::Mul, x, c2);
    Some(ex.bin(Op::Add, scaled, c))
}

/// x * 2^k → x << k
fn mul_power(ex: &mut Exprs, x: Expr, c: Expr) -> Option<Expr> {
    let k = ex.power_of_two(c)?;
    let by = ex.constant(ex.width(x), u64::from(k));
    Some(ex.bin(Op::Shl, x, by))
}

/// -x * c → x * (-c)
fn mul_neg_const(ex: &mut Exprs, a: Expr, c: Expr) -> Option<Expr> {
    let Kind::Un(Op::Neg, x) = ex.kind(a) else { return None };
    let minus = ex.neg(c);
    Some(ex.bin(Op::Mul, x, minus))
}

/// x * zext(b) → ite(b, x, 0), b of one bit
fn mul_bool(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    for (x, extended) in [(a, b), (b, a)] {
        if let Kind::ZExt(bit) = ex.kind(extended)
            && ex.width(bit) == 1
        {
            let zero = ex.zero(ex.width(x));
            return Some(ex.ite(bit, x, zero));
        }
    }
    None
}

/// (x * c) * y → (x * y) * c
fn mul_hoist(ex: &mut Exprs, a: Expr, b: Expr) -> Option<Expr> {
    if ex.is_const(b) {
        return None;
    }
    hoist_constant(ex, Op::Mul, a, b)
}

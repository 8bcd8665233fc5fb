//! Rules for addition, subtraction, multiplication and division.

use crate::rule_cases;
use crate::support::*;

rule_cases! {
    fold_constants: |g| { let w = g.any_width(); add(g.constant(w), g.constant(w)) };
    known_value: |g| { let w = g.pick(&[16, 32]); lshr(zext(g.sym(), w), zext(add(zext(extract(g.sym(), 0, 2), 8), c(8, 9)), w)) };
    add_zero: |g| { let w = g.any_width(); add(c(w, 0), g.opaque(w)) };
    add_constants: |g| { let w = g.any_width(); add(add(g.opaque(w), g.constant(w)), g.constant(w)) };
    add_const_sub: |g| { let w = g.any_width(); add(sub(g.constant(w), g.opaque(w)), g.constant(w)) };
    add_not_const: |g| { let w = g.any_width(); add(not(g.opaque(w)), g.constant(w)) };
    add_hoist: |g| { let w = g.any_width(); add(g.opaque(w), add(g.opaque(w), g.constant(w))) };
    add_sub_hoist: |g| { let w = g.any_width(); add(g.opaque(w), sub(g.constant(w), g.opaque(w))) };
    add_neg: |g| { let w = g.any_width(); add(neg(g.opaque(w)), g.opaque(w)) };
    add_cancel_sub: |g| { let w = g.any_width(); let y = g.opaque(w); add(sub(g.opaque(w), y.clone()), y) };
    add_self: |g| { let w = g.any_width(); let x = g.opaque(w); add(x.clone(), x) };
    add_multiples: |g| { let w = g.pick(&[8, 16, 32, 64]); let x = g.input(w); add(mul(x.clone(), g.small(w, 3, 7)), mul(x, g.small(w, 1, 4))) };
    add_complement: |g| { let w = g.any_width(); let x = g.opaque(w); add(not(x.clone()), x) };
    add_disjoint: |g| { let w = g.pick(&[16, 32, 64]); add(shl(zext(g.sym(), w), c(w, 8)), zext(g.sym(), w)) };
    add_one_bit: |g| add(g.bool(), g.bool());
    sub_const: |g| { let w = g.any_width(); sub(g.opaque(w), g.constant(w)) };
    sub_self: |g| { let w = g.any_width(); let x = g.opaque(w); sub(x.clone(), x) };
    sub_from_zero: |g| { let w = g.any_width(); sub(c(w, 0), g.opaque(w)) };
    sub_from_ones: |g| { let w = g.any_width(); sub(ones(w), g.opaque(w)) };
    sub_neg: |g| { let w = g.any_width(); sub(g.opaque(w), neg(g.opaque(w))) };
    sub_cancel: |g| {
        let w = g.any_width();
        let (x, y) = (g.opaque(w), g.opaque(w));
        match g.number(0, 3) {
            0 => sub(add(x.clone(), y), x),
            1 => sub(x.clone(), add(x, y)),
            2 => sub(sub(x.clone(), y), x),
            _ => sub(x.clone(), sub(x, y)),
        }
    };
    sub_common: |g| {
        let w = g.any_width();
        let x = g.opaque(w);
        let (y, z) = (g.opaque(w), g.opaque(w));
        if g.number(0, 1) == 0 { sub(add(x.clone(), y), add(x, z)) } else { sub(add(y, x.clone()), add(x, z)) }
    };
    sub_hoist_left: |g| { let w = g.any_width(); sub(add(g.opaque(w), g.constant(w)), g.opaque(w)) };
    sub_hoist_right: |g| { let w = g.any_width(); sub(g.opaque(w), add(g.opaque(w), g.constant(w))) };
    sub_sub_const: |g| { let w = g.any_width(); sub(sub(g.small(w, 1, 2), g.opaque(w)), g.opaque(w)) };
    sub_const_sub: |g| { let w = g.any_width(); sub(g.opaque(w), sub(g.small(w, 1, 2), g.opaque(w))) };
    sub_not: |g| { let w = g.any_width(); sub(g.opaque(w), not(g.opaque(w))) };
    sub_one_bit: |g| sub(g.bool(), g.bool());
    neg_neg: |g| { let w = g.any_width(); neg(neg(g.opaque(w))) };
    neg_sub: |g| { let w = g.any_width(); neg(sub(g.opaque(w), g.opaque(w))) };
    neg_add_const: |g| { let w = g.any_width(); neg(add(g.opaque(w), g.constant(w))) };
    neg_not: |g| { let w = g.any_width(); neg(not(g.opaque(w))) };
    neg_mul_const: |g| { let w = g.pick(&[16, 32, 64, 65, 128]); neg(mul(g.input(w), g.small(w, 5, 7))) };
    neg_one_bit: |g| neg(g.bool());
    mul_zero: |g| { let w = g.any_width(); mul(g.opaque(w), c(w, 0)) };
    mul_one: |g| { let w = g.any_width(); mul(g.opaque(w), c(w, 1)) };
    mul_minus_one: |g| { let w = g.any_width(); mul(g.opaque(w), ones(w)) };
    mul_constants: |g| { let w = g.pick(&[16, 32, 64, 65, 128]); mul(mul(g.input(w), g.small(w, 5, 7)), g.constant(w)) };
    mul_distribute: |g| { let w = g.any_width(); mul(add(g.input(w), g.small(w, 1, 3)), g.constant(w)) };
    mul_power: |g| { let w = g.any_width(); mul(g.opaque(w), shl(c(w, 1), g.small(w, 0, u64::from(w) - 1))) };
    mul_neg_const: |g| { let w = g.pick(&[16, 32, 64, 65, 128]); mul(neg(g.input(w)), g.small(w, 5, 7)) };
    mul_bool: |g| { let w = g.any_width(); mul(zext(g.bool(), w), g.opaque(w)) };
    mul_hoist: |g| { let w = g.pick(&[16, 32, 64, 65, 128]); mul(g.input(w), mul(g.input(w), g.small(w, 5, 7))) };
    mul_one_bit: |g| mul(g.bool(), g.bool());
    udiv_zero: |g| { let w = g.any_width(); udiv(g.opaque(w), c(w, 0)) };
    udiv_one: |g| { let w = g.any_width(); udiv(g.opaque(w), c(w, 1)) };
    udiv_power: |g| { let w = g.any_width(); udiv(g.opaque(w), shl(c(w, 1), g.small(w, 1, u64::from(w) - 1))) };
    udiv_constants: |g| { let w = g.pick(&[8, 16, 32, 64]); udiv(udiv(g.opaque(w), g.small(w, 3, 30)), g.small(w, 3, 30)) };
    udiv_narrow: |g| { let w = g.pick(&[16, 32, 64]); udiv(zext(g.sym(), w), g.small(w, 3, 300)) };
    urem_zero: |g| { let w = g.any_width(); urem(g.opaque(w), c(w, 0)) };
    urem_power: |g| { let w = g.any_width(); urem(g.opaque(w), shl(c(w, 1), g.small(w, 0, u64::from(w) - 1))) };
    urem_small: |g| { let w = g.pick(&[16, 32, 64]); urem(zext(g.sym(), w), g.small(w, 257, 300)) };
    urem_narrow: |g| { let w = g.pick(&[16, 32, 64]); urem(zext(g.sym(), w), zext(g.sym(), w)) };
    sdiv_zero: |g| { let w = g.any_width(); sdiv(g.opaque(w), c(w, 0)) };
    sdiv_one: |g| { let w = g.any_width(); sdiv(g.opaque(w), c(w, 1)) };
    sdiv_minus_one: |g| { let w = g.any_width(); sdiv(g.opaque(w), ones(w)) };
    sdiv_non_negative: |g| { let w = g.pick(&[16, 32, 64]); sdiv(zext(g.sym(), w), zext(g.sym(), w)) };
    sdiv_power: |g| { let w = g.pick(&[3, 8, 16, 32, 64, 65, 128]); sdiv(g.opaque(w), shl(c(w, 1), g.small(w, 1, u64::from(w) - 1))) };
    sdiv_narrow: |g| {
        let w = g.pick(&[16, 32, 64]);
        let d = if g.number(0, 1) == 0 { g.constant(w) } else { sext(g.sym(), w) };
        let n = sext(if g.number(0, 2) == 0 { c(8, 0x80) } else { g.sym() }, w);
        sdiv(n, if g.number(0, 3) == 0 { sext(g.sym(), w) } else { d })
    };
    srem_zero: |g| { let w = g.any_width(); srem(g.opaque(w), c(w, 0)) };
    srem_one: |g| { let w = g.any_width(); let d = g.pick(&[c(w, 1), ones(w)]); srem(g.opaque(w), d) };
    srem_non_negative: |g| { let w = g.pick(&[16, 32, 64]); srem(zext(g.sym(), w), g.small(w, 3, 300)) };
    srem_negative_divisor: |g| { let w = g.pick(&[8, 16, 32, 64]); srem(g.opaque(w), neg(g.small(w, 2, 100))) };
    srem_power: |g| { let w = g.pick(&[3, 8, 16, 32, 64, 65, 128]); srem(g.opaque(w), shl(c(w, 1), g.small(w, 1, u64::from(w) - 1))) };
    srem_narrow: |g| { let w = g.pick(&[16, 32, 64]); srem(sext(g.sym(), w), sext(g.sym(), w)) };
    div_one_bit: |g| { let (a, b) = (g.bool(), g.bool()); if g.number(0, 1) == 0 { udiv(a, b) } else { sdiv(a, b) } };
    rem_one_bit: |g| { let (a, b) = (g.bool(), g.bool()); if g.number(0, 1) == 0 { urem(a, b) } else { srem(a, b) } };
    shift_zero: |g| { let w = g.any_width(); let op = g.pick(&[shl, lshr, ashr]); op(g.opaque(w), c(w, 0)) };
    shift_of_zero: |g| {
        let w = g.any_width();
        match g.number(0, 2) {
            0 => shl(c(w, 0), g.opaque(w)),
            1 => lshr(c(w, 0), g.opaque(w)),
            _ => ashr(ones(w), g.opaque(w)),
        }
    };
    shift_too_far: |g| {
        let w = g.pick(&[16, 32, 64, 65, 128]);
        let op = g.pick(&[shl, lshr, ashr]);
        op(g.opaque(w), g.small(w, u64::from(w), 5000))
    };
    shl_add_const: |g| { let w = g.any_width(); shl(add(g.opaque(w), g.small(w, 1, 3)), g.small(w, 1, u64::from(w) - 1)) };
    shl_const: |g| { let w = g.any_width(); shl(g.opaque(w), g.small(w, 1, u64::from(w) - 1)) };
    lshr_const: |g| { let w = g.any_width(); lshr(g.opaque(w), g.small(w, 1, u64::from(w) - 1)) };
    ashr_const: |g| { let w = g.any_width(); ashr(g.opaque(w), g.small(w, 1, u64::from(w) - 1)) };
    ashr_non_negative: |g| { let w = g.pick(&[16, 32, 64]); ashr(zext(g.sym(), w), g.opaque(w)) };
}

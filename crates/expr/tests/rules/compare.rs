//! Rules for comparisons.

use crate::rule_cases;
use crate::support::*;

rule_cases! {
    eq_self: |g| { let w = g.any_width(); let x = g.opaque(w); eq(x.clone(), x) };
    eq_bool: |g| { let b = g.bool(); eq(b, g.constant(1)) };
    eq_zext: |g| { let w = g.pick(&[16, 32, 64, 128]); eq(zext(g.opaque(8), w), g.small(w, 0, 300)) };
    eq_sext: |g| { let w = g.pick(&[16, 32, 64, 128]); eq(sext(g.opaque(8), w), g.constant(w)) };
    eq_concat: |g| { let w = g.pick(&[16, 32, 64, 128]); eq(g.input(w), g.constant(w)) };
    eq_add_const: |g| { let w = g.any_width(); eq(add(g.opaque(w), c(w, 1)), g.constant(w)) };
    eq_sub_const: |g| { let w = g.any_width(); eq(sub(c(w, 1), g.opaque(w)), g.constant(w)) };
    eq_sub_zero: |g| { let w = g.any_width(); eq(sub(g.opaque(w), g.opaque(w)), c(w, 0)) };
    eq_xor_const: |g| { let w = g.any_width(); eq(xor(g.opaque(w), c(w, 1)), g.constant(w)) };
    eq_xor_zero: |g| { let w = g.any_width(); eq(xor(g.opaque(w), g.opaque(w)), c(w, 0)) };
    eq_not_const: |g| { let w = g.any_width(); eq(not(g.opaque(w)), g.constant(w)) };
    eq_neg_const: |g| { let w = g.any_width(); eq(neg(g.opaque(w)), g.constant(w)) };
    eq_or_zero: |g| { let w = g.any_width(); eq(or(g.opaque(w), g.opaque(w)), c(w, 0)) };
    eq_and_ones: |g| { let w = g.any_width(); eq(and(g.opaque(w), g.opaque(w)), ones(w)) };
    eq_mul_odd: |g| { let w = g.pick(&[8, 16, 32, 64]); let k = g.number(1, 40) * 2 + 1; let x = g.input(w); eq(mul(x, c(w, k)), mul(c(w, k), g.constant(w))) };
    eq_udiv: |g| { let w = g.pick(&[8, 16, 32, 64]); eq(udiv(g.opaque(w), g.small(w, 3, 30)), g.constant(w)) };
    eq_ite_branch: |g| {
        let w = g.pick(&[16, 32, 64]);
        let k = g.constant(w);
        let j = g.pick(&[k.clone(), c(w, 77)]);
        let x = g.opaque(w);
        eq(if g.number(0, 1) == 0 { ite(g.bool(), j, x) } else { ite(g.bool(), x, j) }, k)
    };
    eq_not_not: |g| { let w = g.any_width(); eq(not(g.opaque(w)), not(g.opaque(w))) };
    eq_neg_neg: |g| { let w = g.any_width(); eq(neg(g.opaque(w)), neg(g.opaque(w))) };
    eq_not_bool: |g| { let (a, b) = (xor(g.bool(), g.bool()), g.bool()); eq(not(a), b) };
    eq_add_common: |g| {
        let w = g.any_width();
        let (x, y, z) = (g.opaque(w), g.opaque(w), g.opaque(w));
        match g.number(0, 2) {
            0 => eq(add(x.clone(), y), x),
            1 => eq(add(x.clone(), y), add(z, x)),
            _ => eq(add(x, c(w, 1)), add(y, c(w, 3))),
        }
    };
    eq_extended: |g| {
        let w = g.pick(&[32, 64, 128]);
        let n = g.pick(&[8, 16]);
        if g.number(0, 1) == 0 { eq(zext(g.opaque(8), w), zext(g.opaque(n), w)) } else { eq(sext(g.opaque(8), w), sext(g.opaque(n), w)) }
    };
    eq_split: |g| { let w = g.pick(&[16, 32, 128]); if g.number(0, 1) == 0 { eq(g.input(w), g.input(w)) } else { eq(g.input(w), zext(g.opaque(11), w)) } };
    order_self: |g| { let w = g.any_width(); let x = g.opaque(w); let op = g.pick(&[ult, ule, slt, sle]); op(x.clone(), x) };
    order_one_bit: |g| { let op = g.pick(&[ult, ule, slt, sle]); op(g.bool(), g.bool()) };
    ule_const: |g| { let w = g.width(); if g.number(0, 1) == 0 { ule(g.opaque(w), g.constant(w)) } else { ule(g.constant(w), g.opaque(w)) } };
    ult_extreme: |g| {
        let w = g.width();
        let k = g.pick(&[c(w, 0), c(w, 1), ones(w), sub(ones(w), c(w, 1))]);
        if g.number(0, 1) == 0 { ult(g.opaque(w), k) } else { ult(k, g.opaque(w)) }
    };
    ult_zext_const: |g| { let w = g.pick(&[16, 32, 64]); let k = g.small(w, 2, 300); if g.number(0, 1) == 0 { ult(zext(g.opaque(8), w), k) } else { ult(k, zext(g.opaque(8), w)) } };
    ult_sext_const: |g| {
        let w = g.pick(&[16, 32, 64]);
        let k = match g.number(0, 2) { 0 => g.small(w, 2, 300), 1 => neg(g.small(w, 3, 300)), _ => g.constant(w) };
        if g.number(0, 1) == 0 { ult(sext(g.opaque(8), w), k) } else { ult(k, sext(g.opaque(8), w)) }
    };
    ult_extended: |g| {
        let op = g.pick(&[ult, ule]);
        let n = g.pick(&[8, 16]);
        if g.number(0, 1) == 0 { op(zext(g.opaque(8), 32), zext(g.opaque(n), 32)) } else { op(sext(g.opaque(n), 32), sext(g.opaque(8), 32)) }
    };
    ult_concat_const: |g| {
        let (h, l) = (g.pick(&[8, 16]), g.pick(&[8, 16]));
        let x = concat(g.opaque(h), g.opaque(l));
        let k = g.small(h, 1, 200);
        if g.number(0, 1) == 0 { ult(x, concat(k, c(l, 0))) } else { ult(concat(k, ones(l)), x) }
    };
    ult_common_high: |g| { let h = g.opaque(8); let op = g.pick(&[ult, ule]); op(concat(h.clone(), g.opaque(16)), concat(h, g.opaque(16))) };
    ult_add_const: |g| {
        let w = g.pick(&[16, 32, 64]);
        let x = add(if g.number(0, 1) == 0 { zext(g.sym(), w) } else { or(g.opaque(w), shl(c(w, 3), c(w, 9))) }, if g.number(0, 1) == 0 { g.small(w, 0, 0x300) } else { neg(g.small(w, 0, 0x300)) });
        let k = g.small(w, 0, 0x500);
        if g.number(0, 1) == 0 { ult(x, k) } else { ult(k, x) }
    };
    ult_udiv: |g| { let w = g.pick(&[8, 16, 32, 64]); let x = udiv(g.opaque(w), g.small(w, 3, 30)); let k = g.small(w, 2, 70); if g.number(0, 1) == 0 { ult(x, k) } else { ult(k, x) } };
    sle_const: |g| { let w = g.width(); if g.number(0, 1) == 0 { sle(g.opaque(w), g.constant(w)) } else { sle(g.constant(w), g.opaque(w)) } };
    slt_extreme: |g| {
        let w = g.width();
        let min = shl(c(w, 1), c(w, u64::from(w) - 1));
        let k = g.pick(&[add(min.clone(), c(w, 1)), min.clone(), not(min.clone()), sub(not(min), c(w, 1))]);
        if g.number(0, 1) == 0 { slt(g.opaque(w), k) } else { slt(k, g.opaque(w)) }
    };
    slt_range: |g| { let w = g.pick(&[16, 32, 64]); let k = g.pick(&[c(w, 200), neg(c(w, 200)), c(w, 128), c(w, 127), neg(c(w, 129))]); let op = g.pick(&[slt, sle]); if g.number(0, 1) == 0 { op(sext(g.opaque(8), w), k) } else { op(k, sext(g.opaque(8), w)) } };
    slt_non_negative: |g| { let w = g.pick(&[16, 32, 64]); let op = g.pick(&[slt, sle]); op(zext(g.opaque(8), w), zext(g.opaque(9), w)) };
    slt_sext_const: |g| { let w = g.pick(&[16, 32, 64]); let k = if g.number(0, 1) == 0 { g.small(w, 1, 120) } else { neg(g.small(w, 1, 120)) }; if g.number(0, 1) == 0 { slt(sext(g.opaque(8), w), k) } else { slt(k, sext(g.opaque(8), w)) } };
    slt_extended: |g| { let n = g.pick(&[8, 16]); let op = g.pick(&[slt, sle]); if g.number(0, 1) == 0 { op(sext(g.opaque(n), 32), sext(g.opaque(8), 32)) } else { op(zext(g.opaque(n), 100), zext(g.opaque(8), 100)) } };
    slt_concat_zero: |g| { let x = concat(g.opaque(8), g.opaque(24)); if g.number(0, 1) == 0 { slt(x, c(32, 0)) } else { slt(ones(32), x) } };
    slt_add_const: |g| {
        let w = g.pick(&[16, 32, 64]);
        let x = if g.number(0, 1) == 0 { zext(g.opaque(8), w) } else { sext(g.opaque(8), w) };
        let x = sub(x, g.small(w, 1, 100));
        let k = if g.number(0, 1) == 0 { g.small(w, 1, 100) } else { neg(g.small(w, 1, 100)) };
        if g.number(0, 1) == 0 { slt(x, k) } else { slt(k, x) }
    };
}

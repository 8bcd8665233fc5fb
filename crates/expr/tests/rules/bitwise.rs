//! Rules for and, or, xor, not.

use crate::rule_cases;
use crate::support::*;

rule_cases! {
    and_zero: |g| { let w = g.any_width(); and(c(w, 0), g.opaque(w)) };
    and_ones: |g| { let w = g.any_width(); and(g.opaque(w), ones(w)) };
    and_constants: |g| { let w = g.pick(&[8, 16, 32, 64, 65, 128]); and(and(g.opaque(w), not(c(w, 0x10))), g.constant(w)) };
    and_or_const: |g| { let w = g.pick(&[8, 16, 32, 64, 65, 128]); and(or(g.opaque(w), c(w, 0x14)), not(g.small(w, 2, 16))) };
    and_covered: |g| { let w = g.pick(&[16, 32, 64]); and(zext(g.sym(), w), not(shl(g.small(w, 0, 255), c(w, 8)))) };
    and_mask: |g| { let w = g.any_width(); and(g.opaque(w), g.constant(w)) };
    and_self: |g| { let w = g.any_width(); let x = g.opaque(w); and(x.clone(), x) };
    and_complement: |g| { let w = g.any_width(); let x = g.opaque(w); and(not(x.clone()), x) };
    and_absorb: |g| {
        let w = g.pick(&[1, 8, 32, 128]);
        let (x, y) = (g.opaque(w), g.opaque(w));
        match g.number(0, 3) {
            0 => and(x.clone(), or(x, y)),
            1 => and(and(x.clone(), y), x),
            2 => and(x.clone(), and(y, not(x))),
            _ => and(or(not(x.clone()), y), x),
        }
    };
    and_sign_mask: |g| { let w = g.any_width(); and(sext(g.bool(), w), g.opaque(w)) };
    and_equalities: |g| {
        let w = g.pick(&[16, 32, 64]);
        let x = mul(g.input(w), g.input(w));
        let (p, q) = (eq(x.clone(), g.small(w, 0, 5)), eq(x, g.small(w, 6, 9)));
        if g.number(0, 1) == 0 { and(p, q) } else { and(p, not(q)) }
    };
    or_zero: |g| { let w = g.any_width(); or(c(w, 0), g.opaque(w)) };
    or_ones: |g| { let w = g.any_width(); or(g.opaque(w), ones(w)) };
    or_constants: |g| { let w = g.any_width(); or(or(g.opaque(w), g.constant(w)), g.constant(w)) };
    or_covered: |g| { let w = g.pick(&[8, 32, 64]); or(or(g.opaque(w), c(w, 0x3f)), g.small(w, 1, 0x3f)) };
    or_self: |g| { let w = g.any_width(); let x = g.opaque(w); or(x.clone(), x) };
    or_complement: |g| { let w = g.any_width(); let x = g.opaque(w); or(not(x.clone()), x) };
    or_absorb: |g| {
        let w = g.pick(&[1, 8, 32, 128]);
        let (x, y) = (g.opaque(w), g.opaque(w));
        match g.number(0, 3) {
            0 => or(x.clone(), and(x, y)),
            1 => or(or(x.clone(), y), x),
            2 => or(x.clone(), or(y, not(x))),
            _ => or(and(not(x.clone()), y), x),
        }
    };
    or_sign_mask: |g| { let w = g.any_width(); or(g.opaque(w), sext(g.bool(), w)) };
    xor_zero: |g| { let w = g.any_width(); xor(c(w, 0), g.opaque(w)) };
    xor_ones: |g| { let w = g.any_width(); xor(g.opaque(w), ones(w)) };
    xor_constants: |g| { let w = g.any_width(); xor(xor(g.opaque(w), c(w, 2)), g.constant(w)) };
    xor_self: |g| { let w = g.any_width(); let x = g.opaque(w); xor(x.clone(), x) };
    xor_not: |g| { let w = g.any_width(); if g.number(0, 1) == 0 { xor(not(g.opaque(w)), g.opaque(w)) } else { xor(not(g.opaque(w)), c(w, 1)) } };
    xor_hoist: |g| { let w = g.any_width(); xor(g.opaque(w), xor(g.opaque(w), c(w, 2))) };
    xor_cancel: |g| { let w = g.any_width(); let x = g.opaque(w); xor(xor(g.opaque(w), x.clone()), x) };
    bitwise_split: |g| {
        let op = g.pick(&[and, or, xor]);
        let w = g.pick(&[32, 64, 128]);
        match g.number(0, 3) {
            0 => op(shl(zext(g.sym(), w), c(w, 8)), zext(g.sym(), w)),
            1 => op(zext(g.opaque(16), w), g.constant(w)),
            2 => op(concat(g.opaque(w - 8), c(8, 0)), zext(g.opaque(13), w)),
            _ => op(concat(g.opaque(w - 16), concat(c(8, 5), g.sym())), concat(g.sym(), g.opaque(w - 8))),
        }
    };
    not_not: |g| { let w = g.any_width(); not(not(g.opaque(w))) };
    not_neg: |g| { let w = g.any_width(); not(neg(g.opaque(w))) };
    not_xor_const: |g| { let w = g.any_width(); not(xor(g.opaque(w), c(w, 1))) };
    not_compare: |g| { let w = g.any_width(); let op = g.pick(&[ult, ule, slt, sle]); not(op(g.opaque(w), g.opaque(w))) };
}

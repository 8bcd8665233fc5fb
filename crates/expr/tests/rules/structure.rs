//! Rules for if-then-else, extraction, extension, concatenation and lookup.

use crate::rule_cases;
use crate::support::*;

rule_cases! {
    ite_same: |g| { let w = g.any_width(); let x = g.opaque(w); ite(g.bool(), x.clone(), x) };
    ite_const_condition: |g| { let w = g.any_width(); ite(g.constant(1), g.opaque(w), g.opaque(w)) };
    ite_not_condition: |g| { let w = g.any_width(); ite(not(xor(g.bool(), g.bool())), g.opaque(w), g.opaque(w)) };
    ite_bool: |g| {
        let (b, x) = (g.bool(), g.bool());
        match g.number(0, 5) {
            0 => ite(b, c(1, 1), x),
            1 => ite(b, c(1, 0), x),
            2 => ite(b, x, c(1, 1)),
            3 => ite(b, x, c(1, 0)),
            4 => ite(b.clone(), b, x),
            _ => ite(b.clone(), x, b),
        }
    };
    ite_to_extension: |g| {
        let w = g.any_width();
        let v = g.pick(&[c(w, 1), ones(w)]);
        if g.number(0, 1) == 0 { ite(g.bool(), v, c(w, 0)) } else { ite(g.bool(), c(w, 0), v) }
    };
    ite_nested: |g| {
        let w = g.any_width();
        let b = g.bool();
        let inner = ite(b.clone(), g.opaque(w), g.opaque(w));
        if g.number(0, 1) == 0 { ite(b, inner, g.opaque(w)) } else { ite(b, g.opaque(w), inner) }
    };
    ite_merge: |g| {
        let w = g.any_width();
        let (p, q, x, y) = (g.bool(), g.bool(), g.opaque(w), g.opaque(w));
        match g.number(0, 3) {
            0 => ite(p, x.clone(), ite(q, x, y)),
            1 => ite(p, x.clone(), ite(q, y, x)),
            2 => ite(p, ite(q, x, y.clone()), y),
            _ => ite(p, ite(q, y.clone(), x), y),
        }
    };
    ite_equal: |g| { let w = g.any_width(); let (x, y) = (g.opaque(w), g.opaque(w)); if g.number(0, 1) == 0 { ite(eq(x.clone(), y.clone()), x, y) } else { ite(eq(x.clone(), y.clone()), y, x) } };
    ite_hoist_zext: |g| {
        let w = g.pick(&[16, 32, 128]);
        let k = g.small(w, 0, 255);
        match g.number(0, 2) {
            0 => ite(g.bool(), zext(g.opaque(8), w), zext(g.opaque(8), w)),
            1 => ite(g.bool(), zext(g.opaque(8), w), k),
            _ => ite(g.bool(), k, zext(g.opaque(8), w)),
        }
    };
    ite_hoist_sext: |g| {
        let w = g.pick(&[16, 32, 64]);
        let k = sext(g.constant(8), w);
        match g.number(0, 2) {
            0 => ite(g.bool(), sext(g.opaque(8), w), sext(g.opaque(8), w)),
            1 => ite(g.bool(), sext(g.opaque(8), w), k),
            _ => ite(g.bool(), k, sext(g.opaque(8), w)),
        }
    };
    ite_hoist_concat: |g| {
        let x = g.opaque(16);
        let (p, q) = (g.opaque(24), g.opaque(24));
        if g.number(0, 1) == 0 { ite(g.bool(), concat(x.clone(), p), concat(x, q)) } else { ite(g.bool(), concat(p, x.clone()), concat(q, x)) }
    };
    ite_constants: |g| {
        let w = g.pick(&[8, 32, 64, 128]);
        let x = ite(g.bool(), g.small(w, 2, 9), g.small(w, 10, 19));
        let op = g.pick(&[add, mul, xor, and, ult, eq, slt, sub, udiv, shl]);
        match g.number(0, 3) {
            0 => op(x, g.constant(w)),
            1 => op(g.constant(w), x),
            2 => not(x),
            _ => op(x.clone(), add(x, c(w, 1))),
        }
    };
    extract_all: |g| { let w = g.any_width(); extract(g.opaque(w), 0, w) };
    extract_extract: |g| { let lo = g.number(0, 10) as u32; extract(extract(g.opaque(64), 7, 41), lo, 13) };
    extract_concat: |g| { let lo = g.number(0, 40) as u32; let n = g.number(1, 23) as u32; extract(concat(g.opaque(24), concat(g.opaque(16), g.opaque(24))), lo, n) };
    extract_zext: |g| { let lo = g.number(0, 40) as u32; let n = g.number(1, 23) as u32; extract(zext(g.opaque(24), 64), lo, n) };
    extract_sext: |g| { let lo = g.number(0, 40) as u32; let n = g.number(1, 23) as u32; extract(sext(g.opaque(24), 64), lo, n) };
    extract_ite: |g| extract(ite(g.bool(), c(32, 0x1234_5678), c(32, 0xdead_beef)), g.number(0, 16) as u32, 11);
    extract_bitwise: |g| { let op = g.pick(&[and, or, xor]); let x = g.opaque(32); extract(op(x, c(32, 0xa5c3_9617)), g.number(0, 20) as u32, 9) };
    extract_not: |g| extract(not(g.opaque(32)), g.number(0, 20) as u32, 9);
    extract_arith: |g| {
        let op = g.pick(&[add, sub, mul]);
        let e = g.pick(&[zext, sext]);
        let x = op(e(g.opaque(8), 32), e(g.opaque(8), 32));
        extract(match g.number(0, 2) { 0 => neg(x), 1 => add(x, c(32, 0x1234_5678)), _ => x }, 0, g.pick(&[8, 16, 24]))
    };
    zext_zext: |g| zext(zext(g.opaque(8), 16), g.pick(&[17, 64, 128]));
    zext_ite: |g| zext(ite(g.bool(), c(8, 3), c(8, 0x85)), g.pick(&[17, 64, 128]));
    zext_extract: |g| { let x = udiv(g.input(32), g.small(32, 300, 400)); zext(extract(x, 0, 24), g.pick(&[25, 32, 64, 128])) };
    zext_arith: |g| {
        let op = g.pick(&[add, mul]);
        let y = if g.number(0, 1) == 0 { zext(g.sym(), 16) } else { g.small(16, 3, 250) };
        zext(op(zext(g.sym(), 16), y), g.pick(&[17, 32, 128]))
    };
    sext_sext: |g| sext(sext(g.opaque(8), 16), g.pick(&[17, 64, 128]));
    sext_zext: |g| sext(zext(g.opaque(8), 16), g.pick(&[17, 64, 128]));
    sext_non_negative: |g| sext(udiv(g.input(8), c(8, 3)), g.pick(&[17, 64, 128]));
    sext_ite: |g| sext(ite(g.bool(), c(8, 3), c(8, 0x85)), g.pick(&[17, 64, 128]));
    sext_arith: |g| {
        let op = g.pick(&[add, mul]);
        let k = if g.number(0, 1) == 0 { g.small(16, 1, 60) } else { neg(g.small(16, 1, 60)) };
        let x = if g.number(0, 1) == 0 { sext(g.sym(), 16) } else { zext(g.sym(), 16) };
        sext(op(x, if g.number(0, 1) == 0 { k } else { sext(g.sym(), 16) }), g.pick(&[17, 32, 128]))
    };
    concat_zero_high: |g| { let w = g.any_width(); concat(c(w, 0), g.opaque(w)) };
    concat_zext_high: |g| { let w = g.pick(&[8, 60]); concat(zext(g.opaque(8), 24), g.opaque(w)) };
    concat_sext_high: |g| { let w = g.pick(&[8, 60]); concat(sext(g.opaque(8), 24), g.opaque(w)) };
    concat_assoc: |g| { let w = g.pick(&[8, 60]); concat(concat(g.opaque(8), g.opaque(9)), g.opaque(w)) };
    concat_adjacent: |g| {
        let x = match g.number(0, 3) {
            0 => g.opaque(32),
            1 => add(zext(g.sym(), 32), c(32, 5)),
            2 => or(g.opaque(32), c(32, 0x4411)),
            _ => sub(zext(g.sym(), 32), zext(g.sym(), 32)),
        };
        let b = |i: u32| extract(x.clone(), 8 * i, 8);
        match g.number(0, 2) {
            0 => concat(b(3), concat(b(2), concat(b(1), b(0)))),
            1 => concat(concat(concat(b(3), b(2)), b(1)), b(0)),
            _ => concat(b(2), concat(b(1), g.opaque(8))),
        }
    };
    concat_constants: |g| concat(c(8, 7), concat(c(5, 3), g.opaque(16)));
    concat_sign: |g| { let x = g.opaque(16); concat(extract(x.clone(), 15, 1), x) };
    concat_ite: |g| {
        let b = g.bool();
        let x = ite(b.clone(), c(8, 0x12), c(8, 0x9a));
        match g.number(0, 2) {
            0 => concat(x, ite(b, c(8, 5), c(8, 6))),
            1 => concat(x, c(13, 0x77)),
            _ => concat(c(8, 1), concat(x, g.opaque(8))),
        }
    };
    concat_bitwise: |g| {
        let op = g.pick(&[or, xor, and]);
        let x = op(g.opaque(32), c(32, 0xa5a5_a5a5));
        concat(extract(x.clone(), 16, 8), extract(x, 8, 8))
    };
    concat_not: |g| concat(not(g.opaque(8)), not(g.opaque(9)));
    lookup_const: |g| { let t = table(g, 5); lookup(t, g.small(32, 0, 7)) };
    lookup_zext_index: |g| { let t = table(g, 256); lookup(t, zext(g.sym(), 64)) };
    lookup_trim: |g| { let n = g.number(1, 40); let t = table(g, n); let base = g.small(32, 0, 20); lookup(t, add(zext(extract(g.sym(), 0, 3), 32), base)) };
    lookup_uniform: |g| { let x = g.opaque(32); let n = g.number(1, 256) as usize; lookup(vec![x; n], zext(g.sym(), 64)) };
    lookup_affine: |g| {
        let (w, k) = (g.pick(&[4, 8, 32]), g.number(0, 300));
        lookup((0..256).map(|i| c(w, i + k)).collect(), zext(g.sym(), 64))
    };
    lookup_runs: |g| {
        let n = g.pick(&[200u64, 256]);
        let (a, b) = (g.number(0, 100), g.number(101, 199));
        let (p, q) = if g.number(0, 1) == 0 { (0, 1) } else { (g.number(0, 9), g.number(0, 9)) };
        lookup((0..n).map(|i| c(8, if i < a || i == b { p } else { q })).collect(), zext(g.sym(), 32))
    };
    lookup_pair: |g| { let n = g.number(1, 2); let t = table(g, n); lookup(t, zext(g.bool(), 32)) };
    lookup_map: |g| {
        let n = g.pick(&[200u64, 256]);
        let t = (0..n).map(|i| c(16, i * i % 1009)).collect();
        let x = lookup(t, zext(g.sym(), 64));
        let op = g.pick(&[eq, ult, ule, slt, sle, and]);
        let k = g.small(16, 0, 900);
        if g.number(0, 1) == 0 { op(x, k) } else { op(k, x) }
    };
}

/// A table of random constants and terms.
fn table(g: &mut crate::Gen, n: u64) -> Vec<Term> {
    (0..n).map(|_| if g.number(0, 3) == 0 { g.opaque(16) } else { g.constant(16) }).collect()
}

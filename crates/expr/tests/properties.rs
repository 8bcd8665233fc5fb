//! Properties of whole terms: what the manager builds means what was asked for, and ranges and known bits hold.

mod support;

use forkwise_expr::semantics::{bin_bits, bin_u64, extract_bits, mask, sext_bits, to_signed, un_bits};
use forkwise_expr::{Assignment, Bits, Evaluator, Expr, Exprs, FpOp, Kind, Op, Width};
use proptest::prelude::*;
use support::{
    ROUNDING_MODES, Rng, SYMBOLS, Term, bin, c, check_same, concat, extract, ite, lookup, sext, zext,
};

/// A random term of the width.
fn term(rng: &mut Rng, width: Width, depth: u32) -> Term {
    if depth == 0 || rng.range(0, 9) == 0 {
        return leaf(rng, width);
    }
    let d = depth - 1;
    let sub = |rng: &mut Rng, w| term(rng, w, d);
    match rng.range(0, 13) {
        0 => ite(sub(rng, 1), sub(rng, width), sub(rng, width)),
        1 => {
            let (below, above) = (rng.range(0, 9) as u32, rng.range(0, 9) as u32);
            extract(sub(rng, width + below + above), below, width)
        }
        2 | 3 if width > 1 => {
            let n = rng.range(1, u64::from(width) - 1) as u32;
            let inner = sub(rng, n);
            if rng.range(0, 1) == 0 { zext(inner, width) } else { sext(inner, width) }
        }
        4 | 5 if width > 1 => {
            let n = rng.range(1, u64::from(width) - 1) as u32;
            concat(sub(rng, width - n), sub(rng, n))
        }
        6 => Term::Un(rng.pick(&[Op::Not, Op::Neg]), sub(rng, width).into()),
        7 => {
            let n = rng.range(1, 12);
            let w = rng.range(3, 9) as u32;
            let elements = (0..n).map(|_| term(rng, width, d.min(1))).collect();
            lookup(elements, sub(rng, w))
        }
        8 | 9 if width == 1 => {
            let w = rng.pick(&[1, 2, 8, 9, 16, 32, 64, 65, 128]);
            bin(rng.pick(&[Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle]), sub(rng, w), sub(rng, w))
        }
        10 if matches!(width, 1 | 16 | 32 | 64) => float(rng, width, d),
        _ => {
            let ops: Vec<Op> = Op::ALL
                .into_iter()
                .filter(|op| !op.is_unary() && !op.is_comparison() && *op != Op::Concat)
                .collect();
            bin(rng.pick(&ops), sub(rng, width), sub(rng, width))
        }
    }
}

fn leaf(rng: &mut Rng, width: Width) -> Term {
    match rng.range(0, 2) {
        0 => Term::Const(rng.value(width)),
        1 if width > 8 => {
            let t = leaf_bytes(rng, 8);
            if rng.range(0, 1) == 0 { zext(t, width) } else { sext(t, width) }
        }
        _ => leaf_bytes(rng, width),
    }
}

fn leaf_bytes(rng: &mut Rng, width: Width) -> Term {
    let mut t = Term::Sym(rng.range(0, u64::from(SYMBOLS) - 1) as u32);
    while t.width() < width {
        t = concat(Term::Sym(rng.range(0, u64::from(SYMBOLS) - 1) as u32), t);
    }
    if t.width() > width { extract(t, 0, width) } else { t }
}

fn float(rng: &mut Rng, width: Width, d: u32) -> Term {
    let w = if width == 1 { rng.pick(&[16, 32, 64]) } else { width };
    let (op, arg) = if width == 1 {
        (rng.pick(&[FpOp::Eq, FpOp::Lt, FpOp::Le, FpOp::IsNan]), w)
    } else {
        match rng.range(0, 4) {
            0 => (FpOp::ToFloat, rng.pick(&[16, 32, 64])),
            1 => (rng.pick(&[FpOp::ToSigned, FpOp::ToUnsigned]), rng.pick(&[16, 32, 64])),
            2 => (rng.pick(&[FpOp::FromSigned, FpOp::FromUnsigned]), rng.pick(&[1, 8, 24, 25, 32, 64, 65])),
            3 => (FpOp::RoundToIntegral(rng.pick(&ROUNDING_MODES)), w),
            _ => {
                (rng.pick(&[FpOp::Add, FpOp::Sub, FpOp::Mul, FpOp::Div, FpOp::Rem, FpOp::Sqrt, FpOp::Fma]), w)
            }
        }
    };
    Term::Fp(op, width, (0..op.arity()).map(|_| term(rng, arg, d)).collect())
}

/// Range and known bits of every node below `e` hold under the assignment.
fn check_facts(ex: &mut Exprs, e: Expr, bytes: &[u8]) {
    let mut evaluator = Evaluator::default();
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        match ex.kind(e) {
            Kind::Const | Kind::Symbol(_) => {}
            Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) | Kind::Lookup(_, a) => {
                todo.push(a)
            }
            Kind::Bin(_, a, b) => todo.extend([a, b]),
            Kind::Ite(a, b, c) => todo.extend([a, b, c]),
            Kind::Fp(_, a, b, c) => todo.extend([Some(a), b, c].into_iter().flatten()),
        }
        let w = ex.width(e);
        if w > 64 {
            continue;
        }
        let v = evaluator.eval_u64(ex, e, Assignment { id: 1, bytes });
        assert!(v <= mask(w));
        let (lo, hi) = ex.range(e);
        let (zeros, ones) = ex.known_bits(e);
        let (slo, shi) = ex.signed_range(e);
        assert!(lo <= v && v <= hi, "{v:#x} not in {lo:#x}..={hi:#x}: {}", ex.display(e));
        assert!(
            v & zeros == 0 && v & ones == ones,
            "{v:#x}, zeros {zeros:#x}, ones {ones:#x}: {}",
            ex.display(e)
        );
        let s = to_signed(w, v);
        assert!(slo <= s && s <= shi, "{s} not in {slo}..={shi}: {}", ex.display(e));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_terms_keep_their_meaning(seed: u64, width in prop::sample::select(vec![1u32, 2, 7, 8, 16, 31, 32, 64, 65, 80, 128])) {
        let mut rng = Rng(seed);
        let depth = rng.range(1, 5) as u32;
        let t = term(&mut rng, width, depth);
        let mut ex = Exprs::new();
        let e = t.build(&mut ex);
        check_same(&t, &ex, e, &mut rng, 6);
        for _ in 0..3 {
            let bytes = rng.bytes(SYMBOLS as usize);
            check_facts(&mut ex, e, &bytes);
        }
    }

    #[test]
    fn bits_agree_with_u128(a: u128, b: u128, small in 0u32..140, width in 65u32..=128) {
        let m = u128::MAX >> (128 - width);
        let (x, y) = (a & m, if small < 130 { u128::from(small) } else { b & m });
        let signed = |v: u128| ((v << (128 - width)) as i128) >> (128 - width);
        let run = |op| bin_bits(op, &Bits::from_u128(width, x), &Bits::from_u128(width, y)).to_u128();
        let shift = y < u128::from(width);
        prop_assert_eq!(run(Op::And), x & y);
        prop_assert_eq!(run(Op::Or), x | y);
        prop_assert_eq!(run(Op::Xor), x ^ y);
        prop_assert_eq!(run(Op::Add), x.wrapping_add(y) & m);
        prop_assert_eq!(run(Op::Sub), x.wrapping_sub(y) & m);
        prop_assert_eq!(run(Op::Mul), x.wrapping_mul(y) & m);
        prop_assert_eq!(run(Op::UDiv), x.checked_div(y).unwrap_or(m));
        prop_assert_eq!(run(Op::URem), x.checked_rem(y).unwrap_or(x));
        if y != 0 {
            prop_assert_eq!(run(Op::SDiv), signed(x).wrapping_div(signed(y)) as u128 & m);
            prop_assert_eq!(run(Op::SRem), signed(x).wrapping_rem(signed(y)) as u128 & m);
        }
        prop_assert_eq!(run(Op::Shl), if shift { x << y & m } else { 0 });
        prop_assert_eq!(run(Op::LShr), if shift { x >> y } else { 0 });
        prop_assert_eq!(run(Op::AShr), (signed(x) >> y.min(u128::from(width) - 1)) as u128 & m);
        prop_assert_eq!(run(Op::Eq), u128::from(x == y));
        prop_assert_eq!(run(Op::Ult), u128::from(x < y));
        prop_assert_eq!(run(Op::Ule), u128::from(x <= y));
        prop_assert_eq!(run(Op::Slt), u128::from(signed(x) < signed(y)));
        prop_assert_eq!(run(Op::Sle), u128::from(signed(x) <= signed(y)));
        prop_assert_eq!(un_bits(Op::Neg, &Bits::from_u128(width, x)).to_u128(), x.wrapping_neg() & m);
    }

    /// Beyond 128 bits: the quotient and remainder multiply back, and a divided product gives its factor.
    #[test]
    fn wide_division_is_consistent(a: [u64; 4], b: [u64; 2], width in 129u32..=256) {
        let (x, y) = (Bits::from_limbs(width, &a), Bits::from_limbs(width, &b));
        prop_assume!(!y.is_zero());
        let (q, r) = (bin_bits(Op::UDiv, &x, &y), bin_bits(Op::URem, &x, &y));
        let back = bin_bits(Op::Add, &bin_bits(Op::Mul, &q, &y), &r);
        prop_assert_eq!(back, x);
        prop_assert_eq!(bin_bits(Op::Ult, &r, &y).low_u64(), 1);
    }

    #[test]
    fn parts_make_the_whole(limbs: [u64; 4], width in 2u32..=256, cut in 1u32..256) {
        let x = Bits::from_limbs(width, &limbs);
        let cut = cut.min(width - 1);
        let (high, low) = (extract_bits(&x, cut, width - cut), extract_bits(&x, 0, cut));
        prop_assert_eq!(&bin_bits(Op::Concat, &high, &low), &x);
        let wider = sext_bits(&x, width + 70);
        prop_assert_eq!(extract_bits(&wider, 0, width), x.clone());
        let sign = u64::from(x.bit(width - 1));
        prop_assert_eq!(extract_bits(&wider, width, 64).low_u64(), sign.wrapping_neg());
    }

    /// The two implementations of the operators meet at 64 bits.
    #[test]
    fn word_and_wide_agree(a: u64, b: u64, small in 0u64..130) {
        for op in Op::ALL.into_iter().filter(|op| !op.is_unary() && *op != Op::Concat) {
            for y in [b, small] {
                // Sign-extended to 65 bits, signed operators and low bits of wrapping ones mean the same.
                if matches!(op, Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Slt | Op::Sle | Op::Eq) {
                    let wide = bin_bits(op, &sext_bits(&Bits::from_u64(64, a), 65), &sext_bits(&Bits::from_u64(64, y), 65));
                    prop_assert_eq!(wide.low_u64(), bin_u64(op, 64, a, y));
                }
                if matches!(op, Op::UDiv | Op::URem | Op::LShr | Op::Ult | Op::Ule) && y != 0 {
                    let wide = bin_bits(op, &Bits::from_u64(65, a), &Bits::from_u64(65, y));
                    prop_assert_eq!(wide.low_u64(), if op == Op::LShr && y == 64 { 0 } else { bin_u64(op, 64, a, y) });
                }
            }
        }
    }
}

/// Every operator at every width: operands that are bytes, constants, and extended.
#[test]
fn every_operator_at_every_width() {
    let mut rng = Rng(1);
    for width in (1..=65).chain([128]) {
        for op in Op::ALL {
            for round in 0..6 {
                let mut operand = |k: u64| match (round + k) % 3 {
                    0 => leaf_bytes(&mut rng, width),
                    1 => Term::Const(rng.value(width)),
                    _ if width > 8 => zext(leaf_bytes(&mut rng, 8), width),
                    _ => c(width, 1),
                };
                let (a, b) = (operand(round / 3), operand(0));
                let t = if op.is_unary() { Term::Un(op, a.into()) } else { bin(op, a, b) };
                let mut ex = Exprs::new();
                let e = t.build(&mut ex);
                check_same(&t, &ex, e, &mut rng, 12);
                let bytes = rng.bytes(SYMBOLS as usize);
                check_facts(&mut ex, e, &bytes);
            }
        }
    }
}

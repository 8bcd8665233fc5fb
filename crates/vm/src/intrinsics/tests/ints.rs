//! Wide integers, bit casts and integer intrinsics.

use super::super::int::concrete;
use super::*;
use forkwise_ir::{IntOp, IntPred, Intrinsic};

const WIDTHS: [u32; 18] = [1, 2, 3, 7, 8, 16, 31, 32, 33, 63, 64, 65, 80, 127, 128, 129, 192, 200];

const PAIRS: [Intrinsic; 18] = [
    Intrinsic::SAddOverflow,
    Intrinsic::UAddOverflow,
    Intrinsic::SSubOverflow,
    Intrinsic::USubOverflow,
    Intrinsic::SMulOverflow,
    Intrinsic::UMulOverflow,
    Intrinsic::SAddSat,
    Intrinsic::UAddSat,
    Intrinsic::SSubSat,
    Intrinsic::USubSat,
    Intrinsic::SShlSat,
    Intrinsic::UShlSat,
    Intrinsic::SMin,
    Intrinsic::SMax,
    Intrinsic::UMin,
    Intrinsic::UMax,
    Intrinsic::SCmp,
    Intrinsic::UCmp,
];

fn overflows(id: Intrinsic) -> bool {
    use Intrinsic::*;
    matches!(id, SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow)
}

/// Runs an integer intrinsic on operands of `w` bits in all mixtures of concrete and symbolic.
fn check(bench: &mut Bench, id: Intrinsic, w: u32, values: &[Bits]) {
    let three_way = matches!(id, Intrinsic::SCmp | Intrinsic::UCmp);
    let results = if overflows(id) {
        vec![w, 1]
    } else if three_way {
        vec![8]
    } else {
        vec![w]
    };
    let ret = Some(ArgType::Int(results[0]));
    let ret_slots = results.iter().map(|w| slot_count(*w)).sum();
    agree(bench, &format!("{id:?} i{w}"), values, &results, &|vm, st, slots, dst| {
        let args: Vec<_> = slots.iter().map(|s| (ArgType::Int(w), *s)).collect();
        vm.intrinsic_at(st, id, w, dst, &site(&args, ret.clone(), ret_slots))
    });
}

#[test]
fn two_operand_intrinsics_agree() {
    let mut r = Random(7);
    let mut bench = Bench::new();
    for id in PAIRS {
        for w in WIDTHS {
            for _ in 0..12 {
                let values = [r.int(w), r.int(w)];
                check(&mut bench, id, w, &values);
            }
        }
    }
}

#[test]
fn one_operand_intrinsics_agree() {
    let mut r = Random(8);
    let mut bench = Bench::new();
    for w in WIDTHS {
        for _ in 0..20 {
            for id in
                [Intrinsic::Abs, Intrinsic::Ctpop, Intrinsic::Ctlz, Intrinsic::Cttz, Intrinsic::Bitreverse]
            {
                let v = r.int(w);
                check(&mut bench, id, w, &[v]);
            }
        }
    }
    for w in [16, 32, 48, 64, 80, 128, 192] {
        for _ in 0..10 {
            let v = r.int(w);
            check(&mut bench, Intrinsic::Bswap, w, &[v]);
        }
    }
}

#[test]
fn funnel_shifts_agree() {
    let mut r = Random(9);
    let mut bench = Bench::new();
    for w in WIDTHS {
        for id in [Intrinsic::Fshl, Intrinsic::Fshr] {
            for _ in 0..12 {
                let values = [r.int(w), r.int(w), r.int(w)];
                check(&mut bench, id, w, &values);
            }
        }
    }
}

#[test]
fn eight_bits_are_what_the_host_says() {
    use Intrinsic::*;
    let one = |id, a: u8| concrete(id, 8, 8, &[a as u128]).0 as u8;
    for a in 0..=255u8 {
        assert_eq!(one(Abs, a), (a as i8).wrapping_abs() as u8);
        assert_eq!(one(Ctpop, a), a.count_ones() as u8);
        assert_eq!(one(Ctlz, a), a.leading_zeros() as u8);
        assert_eq!(one(Cttz, a), a.trailing_zeros() as u8);
        assert_eq!(one(Bitreverse, a), a.reverse_bits());
        for b in 0..=255u8 {
            let two = |id| concrete(id, 8, 8, &[a as u128, b as u128]);
            let flagged = |id| {
                let (r, o) = two(id);
                (r as u8, o.unwrap())
            };
            let (x, y) = (a as i8, b as i8);
            let signed = |(r, o): (i8, bool)| (r as u8, o);
            assert_eq!(flagged(SAddOverflow), signed(x.overflowing_add(y)));
            assert_eq!(flagged(SSubOverflow), signed(x.overflowing_sub(y)));
            assert_eq!(flagged(SMulOverflow), signed(x.overflowing_mul(y)));
            assert_eq!(flagged(UAddOverflow), a.overflowing_add(b));
            assert_eq!(flagged(USubOverflow), a.overflowing_sub(b));
            assert_eq!(flagged(UMulOverflow), a.overflowing_mul(b));
            let plain = |id| two(id).0 as u8;
            assert_eq!(plain(SAddSat), x.saturating_add(y) as u8);
            assert_eq!(plain(SSubSat), x.saturating_sub(y) as u8);
            assert_eq!(plain(UAddSat), a.saturating_add(b));
            assert_eq!(plain(USubSat), a.saturating_sub(b));
            assert_eq!(plain(SMin), x.min(y) as u8);
            assert_eq!(plain(SMax), x.max(y) as u8);
            assert_eq!(plain(UMin), a.min(b));
            assert_eq!(plain(UMax), a.max(b));
            assert_eq!(plain(SCmp), x.cmp(&y) as i8 as u8);
            assert_eq!(plain(UCmp), a.cmp(&b) as i8 as u8);
            let rotate = |id| concrete(id, 8, 8, &[a as u128, a as u128, b as u128]).0 as u8;
            assert_eq!(rotate(Fshl), a.rotate_left(b as u32));
            assert_eq!(rotate(Fshr), a.rotate_right(b as u32));
            if b < 8 {
                let wide = (x as i32) << b;
                assert_eq!(plain(SShlSat), wide.clamp(-128, 127) as u8);
                assert_eq!(plain(UShlSat), ((a as u32) << b).min(255) as u8);
                let pair = (a as u16) << 8 | b as u16;
                for s in 1..8 {
                    let funnel = |id| concrete(id, 8, 8, &[a as u128, b as u128, s as u128]).0 as u8;
                    assert_eq!(funnel(Fshl), (pair << s >> 8) as u8);
                    assert_eq!(funnel(Fshr), (pair >> s) as u8);
                }
            }
        }
    }
    assert_eq!(concrete(Bswap, 32, 32, &[0x1122_3344]).0, 0x4433_2211);
    assert_eq!(concrete(UMulOverflow, 128, 128, &[1 << 64, 1 << 64]), (0, Some(true)));
    assert_eq!(concrete(SMulOverflow, 65, 65, &[1 << 32, 1 << 32]), (1 << 64, Some(true)));
    assert_eq!(concrete(SMulOverflow, 66, 66, &[1 << 32, 1 << 32]), (1 << 64, Some(false)));
}

#[test]
fn wide_operators_agree() {
    use IntOp::*;
    let mut r = Random(10);
    let mut bench = Bench::new();
    for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr] {
        for w in [65, 96, 127, 128, 129, 256] {
            for _ in 0..8 {
                let (a, mut b) = (r.int(w), r.int(w));
                if matches!(op, UDiv | SDiv | URem | SRem) && b.is_zero() {
                    b = Bits::from_u64(w, 3);
                }
                agree(&mut bench, &format!("{op:?} i{w}"), &[a, b], &[w], &|vm, st, s, dst| {
                    vm.wide_bin(st, op, w, dst, s[0], s[1])
                });
            }
        }
    }
}

#[test]
fn a_wide_division_by_zero_is_found() {
    for symbolic in [false, true] {
        let mut bench = Bench::new();
        let a = bench.put(&Bits::from_u64(128, 10), false);
        let b = bench.put(&Bits::from_u64(128, 0), symbolic);
        let dst = bench.reserve(2);
        let r = bench.vm.wide_bin(&mut bench.st, IntOp::UDiv, 128, dst, a, b);
        // A symbolic divisor is zero under the witness: that path ends, the others go on.
        let ended: Vec<Termination> = bench.vm.ended.drain(..).map(|e| e.termination).collect();
        let fault = if symbolic {
            assert!(r.is_ok());
            assert!(!bench.get(b, 128).is_zero());
            ended.into_iter().next().unwrap()
        } else {
            r.unwrap_err()
        };
        assert!(matches!(fault, Termination::Fault(f) if f.kind == crate::FaultKind::DivisionByZero));
    }
}

#[test]
fn wide_comparisons_agree() {
    use IntPred::*;
    let mut r = Random(11);
    let mut bench = Bench::new();
    for pred in [Eq, Ne, Ult, Ule, Slt, Sle] {
        for w in [65, 128, 130, 192] {
            for i in 0..12 {
                let a = r.int(w);
                let b = if i % 3 == 0 { a.clone() } else { r.int(w) };
                agree(&mut bench, &format!("{pred:?} i{w}"), &[a, b], &[1], &|vm, st, s, dst| {
                    vm.wide_cmp(st, pred, w, dst, s[0], s[1])
                });
            }
        }
    }
}

#[test]
fn wide_casts_agree_with_the_semantics() {
    use forkwise_expr::semantics::{extract_bits, sext_bits, zext_bits};
    let mut r = Random(12);
    let mut bench = Bench::new();
    let widths = [1, 8, 33, 64, 65, 80, 128, 130, 200];
    for from in widths {
        for to in widths {
            for signed in [false, true] {
                let v = r.int(from);
                let expected = match (to < from, signed) {
                    (true, _) => extract_bits(&v, 0, to),
                    (false, true) => sext_bits(&v, to),
                    (false, false) => zext_bits(&v, to),
                };
                for symbolic in [false, true] {
                    bench.reset();
                    let a = bench.put(&v, symbolic);
                    let dst = bench.reserve(slot_count(to));
                    bench.vm.wide_cast(&mut bench.st, signed, from, to, dst, a).unwrap();
                    assert_eq!(bench.get(dst, to), expected, "{from} to {to}, signed {signed}, of {v}");
                }
            }
        }
    }
}

#[test]
fn bit_casts_move_bits_and_nothing_else() {
    use forkwise_expr::semantics::{concat_bits, extract_bits};
    let shapes: [(&[u32], &[u32]); 7] = [
        (&[32, 32, 32, 32], &[64, 64]),
        (&[64, 64], &[8; 16]),
        (&[128], &[16; 8]),
        (&[80, 48], &[128]),
        (&[1; 8], &[8]),
        (&[100, 28], &[7, 57, 64]),
        (&[64], &[32, 32]),
    ];
    let casts = shapes.iter().map(|(f, t)| BitcastShape { from: f.to_vec(), to: t.to_vec() }).collect();
    let mut bench = Bench::with_bitcasts(casts);
    let mut r = Random(13);
    for (n, (from, to)) in shapes.iter().enumerate() {
        for mask in 0..16u32 {
            bench.reset();
            let mut whole: Option<Bits> = None;
            let mut first = None;
            for (i, w) in from.iter().enumerate() {
                let v = r.int(*w);
                let slot = bench.put(&v, mask >> (i % 4) & 1 == 1);
                first = first.or(Some(slot));
                whole = Some(match whole {
                    Some(low) => concat_bits(&v, &low),
                    None => v,
                });
            }
            let dst = bench.reserve(to.iter().map(|w| slot_count(*w)).sum());
            bench.vm.bitcast(&mut bench.st, n as u32, dst, first.unwrap()).unwrap();
            let (mut at, mut bit) = (dst, 0);
            for w in *to {
                assert_eq!(bench.get(at, *w), extract_bits(whole.as_ref().unwrap(), bit, *w));
                at += slot_count(*w);
                bit += w;
            }
        }
    }
}

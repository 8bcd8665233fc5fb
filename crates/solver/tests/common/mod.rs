//! Random expressions and small helpers shared by the integration tests.
#![allow(dead_code)]

use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, FpOp, Op, SymbolId};
use forkwise_solver::{Config, ConstraintSet};

/// A small deterministic generator (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| (self.next() >> 40) as u8).collect()
    }
}

/// The configuration in which every query reaches the bit-blaster.
pub fn bare() -> Config {
    Config {
        independence: true,
        cache: false,
        model_reuse: false,
        ranges: false,
        smt: None,
        ..Config::default()
    }
}

/// A word of any width made of the symbols `first ..`.
pub fn word(ex: &mut Exprs, first: u32, width: u32) -> Expr {
    let bytes = width.div_ceil(8);
    let mut e = ex.symbol(SymbolId(first));
    for i in 1..bytes {
        let s = ex.symbol(SymbolId(first + i));
        e = ex.concat(s, e);
    }
    ex.extract(e, 0, width)
}

pub const BINARY: [Op; 19] = [
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::Concat,
];

pub fn holds(ex: &Exprs, e: Expr, bytes: &[u8]) -> bool {
    Evaluator::default().eval_u64(ex, e, Assignment { id: 0, bytes }) == 1
}

/// A random expression over `symbols` input bytes, of any width up to `max_width`.
pub fn expression(ex: &mut Exprs, r: &mut Random, symbols: u32, max_width: u32, steps: usize) -> Expr {
    let mut pool: Vec<Expr> = (0..symbols).map(|s| ex.symbol(SymbolId(s))).collect();
    for _ in 0..steps {
        let a = pool[r.below(pool.len())];
        let b = if r.below(3) == 0 {
            let v = [r.next() & 0xff, r.next(), 0, 1, u64::MAX, 0x80][r.below(6)];
            let w = ex.width(a);
            ex.constant(w, v)
        } else {
            pool[r.below(pool.len())]
        };
        let (wa, wb) = (ex.width(a), ex.width(b));
        let e = match r.below(12) {
            0 => ex.not(a),
            1 => ex.neg(a),
            2 => {
                let width = 1 + r.below(wa as usize) as u32;
                let lo = r.below((wa - width + 1) as usize) as u32;
                ex.extract(a, lo, width)
            }
            3 | 4 => {
                let width = wa + r.below((max_width.saturating_sub(wa) + 1) as usize) as u32;
                if r.below(2) == 0 { ex.zext(a, width) } else { ex.sext(a, width) }
            }
            5 => {
                let b = fit(ex, b, wa);
                let c = pool[r.below(pool.len())];
                let c = fit(ex, c, 1);
                ex.ite(c, a, b)
            }
            6 => {
                let n = 1 + r.below(12);
                let elements: Vec<Expr> = (0..n)
                    .map(|_| {
                        if r.below(4) == 0 {
                            let x = pool[r.below(pool.len())];
                            fit(ex, x, 8)
                        } else {
                            let v = r.next();
                            ex.constant(8, v)
                        }
                    })
                    .collect();
                let t = ex.make_table(&elements);
                let index = if wa > 64 { ex.extract(a, 0, 8) } else { a };
                ex.lookup(t, index)
            }
            7 if wa + wb <= max_width => ex.concat(a, b),
            _ => {
                let op = BINARY[r.below(18)];
                let b = fit(ex, b, wa);
                ex.bin(op, a, b)
            }
        };
        pool.push(e);
    }
    pool[pool.len() - 1]
}

/// Cut or sign-extended to a width.
pub fn fit(ex: &mut Exprs, e: Expr, width: u32) -> Expr {
    match ex.width(e) {
        w if w > width => ex.extract(e, 0, width),
        _ => ex.sext(e, width),
    }
}

/// A random condition; half of them compare with a value the expression takes under `bytes`.
pub fn condition(
    ex: &mut Exprs,
    r: &mut Random,
    symbols: u32,
    max_width: u32,
    steps: usize,
    bytes: &[u8],
) -> Expr {
    let e = expression(ex, r, symbols, max_width, steps);
    let value = Evaluator::default().eval(ex, e, Assignment { id: 0, bytes });
    let k = if r.below(2) == 0 {
        ex.constant_bits(&value)
    } else {
        let (w, v) = (ex.width(e), r.next());
        ex.constant(w, v)
    };
    let op = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle][r.below(5)];
    let c = if r.below(2) == 0 { ex.bin(op, e, k) } else { ex.bin(op, k, e) };
    if r.below(3) == 0 { ex.not(c) } else { c }
}

/// A path condition that `bytes` satisfies.
pub fn path(
    ex: &mut Exprs,
    r: &mut Random,
    symbols: u32,
    max_width: u32,
    length: usize,
    bytes: &[u8],
) -> ConstraintSet {
    let mut set = ConstraintSet::default();
    for _ in 0..length {
        let steps = 1 + r.below(6);
        let c = condition(ex, r, symbols, max_width, steps, bytes);
        let c = if holds(ex, c, bytes) { c } else { ex.not(c) };
        set.add(ex, c);
    }
    set
}

pub const FLOAT_OPS: [FpOp; 20] = {
    use forkwise_expr::RoundingMode::*;
    [
        FpOp::Add,
        FpOp::Sub,
        FpOp::Mul,
        FpOp::Div,
        FpOp::Sqrt,
        FpOp::Fma,
        FpOp::Rem,
        FpOp::RoundToIntegral(NearestEven),
        FpOp::RoundToIntegral(NearestAway),
        FpOp::RoundToIntegral(Zero),
        FpOp::RoundToIntegral(Up),
        FpOp::RoundToIntegral(Down),
        FpOp::Eq,
        FpOp::Lt,
        FpOp::Le,
        FpOp::IsNan,
        FpOp::ToFloat,
        FpOp::ToSigned,
        FpOp::ToUnsigned,
        FpOp::FromSigned,
    ]
};

pub fn z3_present() -> bool {
    let present = Config::default().smt.is_some();
    if !present {
        eprintln!("z3 is not installed: nothing to compare with");
    }
    present
}

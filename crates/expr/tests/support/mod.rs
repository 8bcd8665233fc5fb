//! Terms that are nothing but their meaning: a plain tree evaluated operator by operator through `semantics`, and
//! built through the manager. Whatever the manager does on the way, both must give the same values.

#![allow(dead_code)]

use forkwise_expr::semantics::{bin_bits, extract_bits, fp_bits, sext_bits, un_bits, zext_bits};
use forkwise_expr::{Assignment, Bits, Evaluator, Expr, Exprs, FpOp, Op, RoundingMode, SymbolId, Width};
use std::rc::Rc;

/// A plain term.
#[derive(Clone, Debug)]
pub enum Term {
    Const(Bits),
    Sym(u32),
    Un(Op, Rc<Term>),
    Bin(Op, Rc<Term>, Rc<Term>),
    Ite(Rc<Term>, Rc<Term>, Rc<Term>),
    Extract(Rc<Term>, u32, Width),
    ZExt(Rc<Term>, Width),
    SExt(Rc<Term>, Width),
    Lookup(Vec<Term>, Rc<Term>),
    Fp(FpOp, Width, Vec<Term>),
}

impl Term {
    pub fn width(&self) -> Width {
        match self {
            Term::Const(b) => b.width(),
            Term::Sym(_) => 8,
            Term::Un(_, a) => a.width(),
            Term::Bin(Op::Concat, a, b) => a.width() + b.width(),
            Term::Bin(op, a, _) => op.result_width(a.width()),
            Term::Ite(_, t, _) => t.width(),
            Term::Extract(_, _, w) | Term::ZExt(_, w) | Term::SExt(_, w) | Term::Fp(_, w, _) => *w,
            Term::Lookup(t, _) => t[0].width(),
        }
    }

    pub fn build(&self, ex: &mut Exprs) -> Expr {
        match self {
            Term::Const(b) => ex.constant_bits(b),
            Term::Sym(s) => ex.symbol(SymbolId(*s)),
            Term::Un(op, a) => {
                let a = a.build(ex);
                if *op == Op::Not { ex.not(a) } else { ex.neg(a) }
            }
            Term::Bin(op, a, b) => {
                let (a, b) = (a.build(ex), b.build(ex));
                ex.bin(*op, a, b)
            }
            Term::Ite(c, t, f) => {
                let (c, t, f) = (c.build(ex), t.build(ex), f.build(ex));
                ex.ite(c, t, f)
            }
            Term::Extract(a, lo, w) => {
                let a = a.build(ex);
                ex.extract(a, *lo, *w)
            }
            Term::ZExt(a, w) => {
                let a = a.build(ex);
                ex.zext(a, *w)
            }
            Term::SExt(a, w) => {
                let a = a.build(ex);
                ex.sext(a, *w)
            }
            Term::Lookup(elements, i) => {
                let elements: Vec<Expr> = elements.iter().map(|e| e.build(ex)).collect();
                let i = i.build(ex);
                let t = ex.make_table(&elements);
                ex.lookup(t, i)
            }
            Term::Fp(op, w, args) => {
                let args: Vec<Expr> = args.iter().map(|a| a.build(ex)).collect();
                ex.fp(*op, *w, &args)
            }
        }
    }

    pub fn eval(&self, bytes: &[u8]) -> Bits {
        match self {
            Term::Const(b) => b.clone(),
            Term::Sym(s) => Bits::from_u64(8, u64::from(bytes.get(*s as usize).copied().unwrap_or(0))),
            Term::Un(op, a) => un_bits(*op, &a.eval(bytes)),
            Term::Bin(op, a, b) => bin_bits(*op, &a.eval(bytes), &b.eval(bytes)),
            Term::Ite(c, t, f) => if c.eval(bytes).low_u64() == 1 { t } else { f }.eval(bytes),
            Term::Extract(a, lo, w) => extract_bits(&a.eval(bytes), *lo, *w),
            Term::ZExt(a, w) => zext_bits(&a.eval(bytes), *w),
            Term::SExt(a, w) => sext_bits(&a.eval(bytes), *w),
            Term::Lookup(elements, i) => match elements.get(i.eval(bytes).low_u64() as usize) {
                Some(e) => e.eval(bytes),
                None => Bits::from_u64(self.width(), 0),
            },
            Term::Fp(op, w, args) => {
                let args: Vec<Bits> = args.iter().map(|a| a.eval(bytes)).collect();
                fp_bits(*op, *w, &args)
            }
        }
    }
}

pub fn c(width: Width, v: u64) -> Term {
    Term::Const(Bits::from_u64(width, v))
}
pub fn ones(width: Width) -> Term {
    Term::Const(un_bits(Op::Not, &Bits::from_u64(width, 0)))
}
pub fn bin(op: Op, a: Term, b: Term) -> Term {
    Term::Bin(op, Rc::new(a), Rc::new(b))
}
pub fn not(a: Term) -> Term {
    Term::Un(Op::Not, Rc::new(a))
}
pub fn neg(a: Term) -> Term {
    Term::Un(Op::Neg, Rc::new(a))
}
pub fn ite(cond: Term, t: Term, f: Term) -> Term {
    Term::Ite(Rc::new(cond), Rc::new(t), Rc::new(f))
}
pub fn extract(a: Term, lo: u32, w: Width) -> Term {
    Term::Extract(Rc::new(a), lo, w)
}
pub fn zext(a: Term, w: Width) -> Term {
    Term::ZExt(Rc::new(a), w)
}
pub fn sext(a: Term, w: Width) -> Term {
    Term::SExt(Rc::new(a), w)
}
pub fn concat(a: Term, b: Term) -> Term {
    bin(Op::Concat, a, b)
}
pub fn lookup(elements: Vec<Term>, index: Term) -> Term {
    Term::Lookup(elements, Rc::new(index))
}

macro_rules! binary_helpers {
    ($($name:ident $op:ident),*) => {
        $(pub fn $name(a: Term, b: Term) -> Term {
            bin(Op::$op, a, b)
        })*
    };
}
binary_helpers!(
    add Add, sub Sub, mul Mul, udiv UDiv, sdiv SDiv, urem URem, srem SRem, and And, or Or, xor Xor, shl Shl,
    lshr LShr, ashr AShr, eq Eq, ult Ult, ule Ule, slt Slt, sle Sle
);

/// A small deterministic generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In `lo..=hi`.
    pub fn range(&mut self, lo: u64, hi: u64) -> u64 {
        lo + self.next() % (hi - lo + 1)
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.range(0, from.len() as u64 - 1) as usize].clone()
    }

    /// Of any width, with a liking for extremes.
    pub fn value(&mut self, width: Width) -> Bits {
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
        match self.range(0, 7) {
            0 => Bits::from_u64(width, 0),
            1 => un_bits(Op::Not, &Bits::from_u64(width, 0)),
            2 => Bits::from_u64(width, self.range(0, 9)),
            3 => un_bits(Op::Neg, &Bits::from_u64(width, self.range(1, 9))),
            4 => bin_bits(
                Op::Shl,
                &Bits::from_u64(width, 1),
                &Bits::from_u64(width, self.range(0, u64::from(width) - 1)),
            ),
            5 => {
                let sign = bin_bits(
                    Op::Shl,
                    &Bits::from_u64(width, 1),
                    &Bits::from_u64(width, u64::from(width) - 1),
                );
                bin_bits(Op::Add, &sign, &Bits::from_u64(width, self.next() % 3))
            }
            _ => Bits::from_limbs(width, &limbs),
        }
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n)
            .map(|_| match self.range(0, 5) {
                0 => 0,
                1 => self.pick(&[1, 0x7f, 0x80, 0xff]),
                2 => self.range(0, 12) as u8,
                _ => self.next() as u8,
            })
            .collect()
    }
}

pub const SYMBOLS: u32 = 24;

/// Values of the built expression and of the term agree on random assignments.
pub fn check_same(term: &Term, ex: &Exprs, e: Expr, rng: &mut Rng, rounds: usize) {
    let mut evaluator = Evaluator::default();
    assert_eq!(ex.width(e), term.width(), "width of {term:?}");
    for round in 0..rounds {
        let bytes = match round {
            0 => vec![0; SYMBOLS as usize],
            1 => vec![0xff; SYMBOLS as usize],
            _ => rng.bytes(SYMBOLS as usize),
        };
        let got = evaluator.eval(ex, e, Assignment { id: 0, bytes: &bytes });
        let want = term.eval(&bytes);
        assert_eq!(got, want, "{term:?}\nbecame {}\nunder {bytes:?}", ex.display(e));
    }
}

pub const ROUNDING_MODES: [RoundingMode; 5] = [
    RoundingMode::NearestEven,
    RoundingMode::NearestAway,
    RoundingMode::Zero,
    RoundingMode::Up,
    RoundingMode::Down,
];

//! One test per rewrite rule: it fires on terms made for it, and the result means what the term means.

#![allow(missing_docs)]

#[path = "../support/mod.rs"]
mod support;

mod arith;
mod bitwise;
mod compare;
mod float;
mod proof;
mod structure;

use forkwise_expr::Exprs;
use support::{Rng, SYMBOLS, Term, c, concat, extract, mul, ult};

/// Makes random terms of the shape a rule is for.
pub struct Gen {
    pub rng: Rng,
}

pub type Case = fn(&mut Gen) -> Term;

impl Gen {
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.rng.pick(from)
    }

    /// A width of at least two bits, of at most 64.
    pub fn width(&mut self) -> u32 {
        self.pick(&[2, 3, 7, 8, 13, 16, 24, 31, 32, 33, 48, 63, 64])
    }

    /// A width of at least two bits, wide ones included.
    pub fn any_width(&mut self) -> u32 {
        self.pick(&[2, 5, 8, 16, 32, 63, 64, 65, 80, 128])
    }

    pub fn sym(&mut self) -> Term {
        Term::Sym(self.rng.range(0, u64::from(SYMBOLS) - 1) as u32)
    }

    /// Input bytes put together and cut to the width.
    pub fn input(&mut self, w: u32) -> Term {
        let mut t = self.sym();
        while t.width() < w {
            t = concat(self.sym(), t);
        }
        if t.width() > w { extract(t, 0, w) } else { t }
    }

    /// A term that no rule sees through.
    pub fn opaque(&mut self, w: u32) -> Term {
        if w == 1 {
            return self.bool();
        }
        mul(self.input(w), self.input(w))
    }

    pub fn bool(&mut self) -> Term {
        let a = self.rng.range(0, 11) as u32;
        ult(Term::Sym(a), Term::Sym(a + 1 + self.rng.range(0, 11) as u32))
    }

    /// Any constant.
    pub fn constant(&mut self, w: u32) -> Term {
        Term::Const(self.rng.value(w))
    }

    pub fn number(&mut self, lo: u64, hi: u64) -> u64 {
        self.rng.range(lo, hi)
    }

    /// A constant between the two values.
    pub fn small(&mut self, w: u32, lo: u64, hi: u64) -> Term {
        let v = self.rng.range(lo, hi);
        c(w, v)
    }
}

fn count(ex: &Exprs, name: &str) -> u64 {
    ex.rule_counts().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("there is no rule {name}")).1
}

/// Does the rule fire on the case's terms, and do they keep their meaning?
pub fn check(name: &str, case: Case) {
    let rule = name.replace('_', "-");
    let mut fired = 0;
    const SEEDS: u64 = 80;
    for seed in 0..SEEDS {
        let mut g = Gen { rng: Rng(seed) };
        let term = case(&mut g);
        let mut ex = Exprs::new();
        let e = term.build(&mut ex);
        fired += u64::from(count(&ex, &rule) > 0);
        support::check_same(&term, &ex, e, &mut g.rng, 30);
    }
    assert!(fired * 4 >= SEEDS, "{rule} fired for {fired} of {SEEDS} terms");
}

/// Declares a test per rule and lists them all.
#[macro_export]
macro_rules! rule_cases {
    ($($name:ident: $case:expr;)*) => {
        pub const CASES: &[(&str, $crate::Case)] = &[$((stringify!($name), $case)),*];
        $(#[test]
        fn $name() {
            $crate::check(stringify!($name), $case);
        })*
    };
}

#[test]
fn every_rule_has_a_test() {
    let tested: Vec<String> = [arith::CASES, bitwise::CASES, compare::CASES, float::CASES, structure::CASES]
        .concat()
        .iter()
        .map(|(name, _)| name.replace('_', "-"))
        .collect();
    let ex = Exprs::new();
    let missing: Vec<&str> =
        ex.rule_counts().map(|(n, _)| n).filter(|n| !tested.iter().any(|t| t == n)).collect();
    assert!(missing.is_empty(), "rules without a test: {missing:?}");
}

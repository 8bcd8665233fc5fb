//! Hard arithmetic, one query at a time, by each back end: which one decides it and how fast.
//!
//! `cargo run --release -p forkwise-solver --example hard [SECONDS]`

use forkwise_expr::{Assignment, Expr, Exprs, Op, SymbolId};
use forkwise_solver::{Config, ConstraintSet, SatEngine, Solver};
use std::time::{Duration, Instant};

fn word(ex: &mut Exprs, first: u32, bytes: u32) -> Expr {
    let mut e = ex.symbol(SymbolId(first));
    for i in 1..bytes {
        let s = ex.symbol(SymbolId(first + i));
        e = ex.concat(s, e);
    }
    e
}

/// A named query.
fn queries(ex: &mut Exprs) -> Vec<(&'static str, Expr)> {
    let mut all = Vec::new();
    let (x, y) = (word(ex, 0, 4), word(ex, 4, 4));
    let one = ex.constant(32, 1);
    let ten = ex.constant(32, 10);

    let q = ex.bin(Op::UDiv, x, ten);
    let r = ex.bin(Op::URem, x, ten);
    let back = ex.bin(Op::Mul, q, ten);
    let back = ex.bin(Op::Add, back, r);
    let same = ex.eq(back, x);
    all.push(("x/10*10 + x%10 != x", ex.not(same)));

    let q = ex.bin(Op::UDiv, x, y);
    let r = ex.bin(Op::URem, x, y);
    let back = ex.bin(Op::Mul, q, y);
    let back = ex.bin(Op::Add, back, r);
    let same = ex.eq(back, x);
    all.push(("x/y*y + x%y != x", ex.not(same)));

    let y1 = ex.bin(Op::Add, y, one);
    let left = ex.bin(Op::Mul, x, y1);
    let right = ex.bin(Op::Mul, x, y);
    let right = ex.bin(Op::Add, right, x);
    let same = ex.eq(left, right);
    all.push(("x*(y+1) != x*y + x", ex.not(same)));

    let (wx, wy) = (ex.zext(x, 64), ex.zext(y, 64));
    let product = ex.bin(Op::Mul, wx, wy);
    let n = ex.constant(64, 1_000_003 * 1_000_033);
    let factors = ex.eq(product, n);
    let lx = ex.bin(Op::Ult, one, x);
    let ly = ex.bin(Op::Ult, one, y);
    let both = ex.and(lx, ly);
    all.push(("x*y = 1000003*1000033", ex.and(factors, both)));

    let square = ex.bin(Op::Mul, x, x);
    let k = ex.constant(32, 1_234_567_889);
    all.push(("x*x = 1234567889", ex.eq(square, k)));
    let k = ex.constant(32, 3);
    all.push(("x*x = 3 (no root)", ex.eq(square, k)));

    let m = ex.constant(32, 0x9e37_79b9);
    let mut h = ex.constant(32, 5381);
    for i in 0..8 {
        let c = ex.symbol(SymbolId(i));
        let c = ex.zext(c, 32);
        h = ex.bin(Op::Xor, h, c);
        h = ex.bin(Op::Mul, h, m);
    }
    let target = ex.constant(32, 0xdead_beef);
    all.push(("hash of 8 bytes", ex.eq(h, target)));

    let d = ex.bin(Op::SDiv, x, y);
    let k = ex.constant(32, 12345);
    let c = ex.eq(d, k);
    let rem = ex.bin(Op::SRem, x, y);
    let k = ex.constant(32, 777);
    let e = ex.eq(rem, k);
    all.push(("x/y = 12345, x%y = 777", ex.and(c, e)));
    all
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(10);
    let timeout = Some(Duration::from_secs(seconds));
    let bare =
        Config { timeout, cache: false, model_reuse: false, ranges: false, smt: None, ..Config::default() };
    let configs = [
        ("own", Config { sat: SatEngine::Own, ..bare.clone() }),
        ("CaDiCaL", Config { sat: SatEngine::Cadical, ..bare }),
        ("z3", Config { smt_only: true, timeout, ..Config::default() }),
        ("chain", Config { timeout, ..Config::default() }),
    ];
    let count = queries(&mut Exprs::new()).len();
    for i in 0..count {
        let mut line = String::new();
        for (name, config) in &configs {
            let mut ex = Exprs::new();
            let (title, c) = queries(&mut ex)[i];
            if line.is_empty() {
                line = format!("{title:26}");
            }
            let start = Instant::now();
            let hint = Assignment { id: 0, bytes: &[] };
            let answer = Solver::new(config.clone()).check(&mut ex, &ConstraintSet::default(), c, hint);
            line += &format!("  {name} {} {:.3} s", answer.verdict(), start.elapsed().as_secs_f64());
        }
        println!("{line}");
    }
}

//! How many expressions a second the manager makes and evaluates, on the kind of terms a C program causes.
//! Run with `cargo run --release -p forkwise-expr --example construct`.

use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, Op, SymbolId};
use std::time::Instant;

const ROUNDS: u64 = 400_000;

fn report(name: &str, calls: u64, ex: &Exprs, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let rate = calls as f64 / seconds / 1e6;
    println!("{name}: {rate:.1} M/s ({calls} calls, {} nodes, {} MB)", ex.live(), ex.memory_bytes() >> 20);
}

fn main() {
    // Mixing hash: mostly new nodes that no rule removes.
    let mut ex = Exprs::new();
    let bytes: Vec<Expr> = (0..64).map(|i| ex.symbol(SymbolId(i))).collect();
    let start = Instant::now();
    let mut hash = ex.constant(32, 5381);
    for i in 0..ROUNDS {
        let wide = ex.zext(bytes[i as usize % 64], 32);
        let factor = ex.constant(32, 33);
        let scaled = ex.bin(Op::Mul, hash, factor);
        hash = ex.bin(Op::Xor, scaled, wide);
    }
    report("hash chain, constructors", ROUNDS * 4, &ex, start);
    let values: Vec<u8> = (0..64).collect();
    let mut evaluator = Evaluator::default();
    let start = Instant::now();
    evaluator.eval_u64(&ex, hash, Assignment { id: 1, bytes: &values });
    report("hash chain, evaluation", ex.live() as u64, &ex, start);

    // Parsing digits: byte loads, promotions, comparisons, stores and loads of an int on the stack.
    let mut ex = Exprs::new();
    let bytes: Vec<Expr> = (0..64).map(|i| ex.symbol(SymbolId(i))).collect();
    let mut calls = 0;
    let start = Instant::now();
    for round in 0..ROUNDS / 40 {
        let mut n = ex.constant(32, round);
        for &b in &bytes[..10] {
            let c = ex.sext(b, 32);
            let zero = ex.constant(32, 48);
            let digit = ex.bin(Op::Sub, c, zero);
            let nine = ex.constant(32, 9);
            ex.bin(Op::Ule, digit, nine);
            let ten = ex.constant(32, 10);
            let scaled = ex.bin(Op::Mul, n, ten);
            n = ex.bin(Op::Add, scaled, digit);
            let parts: Vec<Expr> = (0..4).map(|i| ex.extract(n, 8 * i, 8)).collect();
            let high = ex.concat(parts[3], parts[2]);
            let high = ex.concat(high, parts[1]);
            n = ex.concat(high, parts[0]);
            calls += 15;
        }
    }
    report("atoi through memory, constructors", calls, &ex, start);

    // The same conditions again and again: everything is found.
    let mut calls = 0;
    let start = Instant::now();
    for _ in 0..ROUNDS / 8 {
        for &b in &bytes[..8] {
            let c = ex.zext(b, 32);
            let quote = ex.constant(32, 34);
            let same = ex.eq(c, quote);
            ex.not(same);
            calls += 4;
        }
    }
    report("repeated conditions, constructors", calls, &ex, start);
}

//! Queries per second by family of queries and configuration of the chain: byte compares, 32-bit words,
//! multiplication as in atoi, table lookups, and all mixed. Synthetic; real traces are measured by `xtask bench`.
//!
//! `cargo run --release -p forkwise-solver --example families [PATHS] [SECONDS] [FAMILY] [CONFIGURATION]`

use forkwise_expr::{Assignment, Expr, Exprs, FpOp, Op, SymbolId, TableId};
use forkwise_solver::{Answer, Config, ConstraintSet, SatEngine, Solver};
use std::time::{Duration, Instant};

const INPUT: u32 = 32;
const STEPS: usize = 24;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

fn byte(ex: &mut Exprs, r: &mut Random) -> Expr {
    ex.symbol(SymbolId(r.below(u64::from(INPUT)) as u32))
}

fn word(ex: &mut Exprs, r: &mut Random) -> Expr {
    let first = r.below(u64::from(INPUT / 4)) as u32 * 4;
    let mut e = ex.symbol(SymbolId(first));
    for i in 1..4 {
        let s = ex.symbol(SymbolId(first + i));
        e = ex.concat(s, e);
    }
    e
}

fn compare(ex: &mut Exprs, r: &mut Random, a: Expr, b: Expr) -> Expr {
    ex.bin([Op::Eq, Op::Ult, Op::Slt, Op::Ule][r.below(4) as usize], a, b)
}

fn bytes_family(ex: &mut Exprs, r: &mut Random) -> Expr {
    let a = byte(ex, r);
    let b = if r.below(2) == 0 { byte(ex, r) } else { ex.constant(8, r.next()) };
    compare(ex, r, a, b)
}

fn words_family(ex: &mut Exprs, r: &mut Random) -> Expr {
    let (a, b) = (word(ex, r), word(ex, r));
    let k = ex.constant(32, r.next());
    let op = [Op::Add, Op::Sub, Op::Xor, Op::And][r.below(4) as usize];
    let sum = ex.bin(op, a, b);
    compare(ex, r, sum, k)
}

fn atoi_family(ex: &mut Exprs, r: &mut Random) -> Expr {
    let first = r.below(u64::from(INPUT - 4)) as u32;
    let ten = ex.constant(32, 10);
    let zero = ex.constant(32, u64::from(b'0'));
    let mut value = ex.constant(32, 0);
    for i in 0..4 {
        let c = ex.symbol(SymbolId(first + i));
        let c = ex.sext(c, 32);
        let digit = ex.bin(Op::Sub, c, zero);
        value = ex.bin(Op::Mul, value, ten);
        value = ex.bin(Op::Add, value, digit);
    }
    match r.below(3) {
        0 => {
            let other = word(ex, r);
            let low = ex.extract(other, 0, 16);
            let low = ex.zext(low, 32);
            let product = ex.bin(Op::Mul, value, low);
            let k = ex.constant(32, r.next());
            ex.bin(Op::Ult, product, k)
        }
        1 => {
            let k = ex.constant(32, r.below(12_000));
            ex.eq(value, k)
        }
        _ => {
            let k = ex.constant(32, r.below(12_000));
            ex.bin(Op::Slt, value, k)
        }
    }
}

fn table_family(ex: &mut Exprs, r: &mut Random, table: TableId) -> Expr {
    let i = byte(ex, r);
    let first = ex.lookup(table, i);
    let j = byte(ex, r);
    let mixed = ex.bin(Op::Xor, first, j);
    let e = if r.below(2) == 0 { ex.lookup(table, mixed) } else { mixed };
    let k = ex.constant(8, r.next());
    compare(ex, r, e, k)
}

fn float_family(ex: &mut Exprs, r: &mut Random) -> Expr {
    let (a, b) = (word(ex, r), word(ex, r));
    let k = ex.constant(32, u64::from((r.below(2000) as f32 / 8.0 - 100.0).to_bits()));
    let e = match r.below(4) {
        0 => ex.fp(FpOp::Add, 32, &[a, b]),
        1 => ex.fp(FpOp::Mul, 32, &[a, k]),
        2 => ex.fp(FpOp::FromSigned, 32, &[a]),
        _ => a,
    };
    let limit = ex.constant(32, u64::from((r.below(1000) as f32).to_bits()));
    ex.fp([FpOp::Lt, FpOp::Le, FpOp::Lt, FpOp::Eq][r.below(4) as usize], 1, &[e, limit])
}

fn run(family: &str, config: &Config, paths: u64, budget: Duration) -> (u64, f64, u64, u64, String) {
    let mut solver = Solver::new(config.clone());
    let mut ex = Exprs::new();
    let mut seed = Random(77);
    let elements: Vec<Expr> = (0..256).map(|_| ex.constant(8, seed.next())).collect();
    let table = ex.make_table(&elements);
    let start = Instant::now();
    let mut queries = 0;
    'paths: for path in 0..paths {
        let mut r = Random(path * 7919 + 13);
        let mut hint: Vec<u8> = (0..INPUT).map(|_| r.next() as u8).collect();
        let mut set = ConstraintSet::default();
        for step in 0..STEPS {
            let cond = match (family, step % 4) {
                ("bytes", _) | ("mixed", 0) => bytes_family(&mut ex, &mut r),
                ("words", _) | ("mixed", 1) => words_family(&mut ex, &mut r),
                ("float", _) => float_family(&mut ex, &mut r),
                ("atoi", _) | ("mixed", 2) => atoi_family(&mut ex, &mut r),
                _ => table_family(&mut ex, &mut r, table),
            };
            let negated = ex.not(cond);
            let flip = r.below(2) == 0;
            let mut taken = None;
            for c in if flip { [cond, negated] } else { [negated, cond] } {
                if let Answer::Sat(model) = solver.check(&mut ex, &set, c, Assignment { id: 0, bytes: &hint })
                {
                    taken = Some((c, model));
                }
                queries += 1;
            }
            if let Some((c, model)) = taken {
                set.add(&mut ex, c);
                model.iter().for_each(|&(s, v)| hint[s.0 as usize] = v);
            }
            if start.elapsed() > budget {
                break 'paths;
            }
        }
    }
    let s = solver.stats();
    let detail = format!(
        "trivial {} cache {} models {} sat-calls {} smt {} conflicts {} timeouts {}",
        s.trivial, s.cache_hits, s.model_hits, s.sat_calls, s.smt_calls, s.conflicts, s.timeouts
    );
    (queries, s.nanos as f64 / 1e9, s.sat, s.unsat, detail)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let paths = args.next().and_then(|a| a.parse().ok()).unwrap_or(60);
    let seconds = args.next().and_then(|a| a.parse().ok()).unwrap_or(10);
    let only_family = args.next().unwrap_or_default();
    let only_config = args.next().unwrap_or_default();
    let timeout = Some(Duration::from_secs(5));
    let all = Config { timeout, ..Config::default() };
    let bare = Config { cache: false, model_reuse: false, ranges: false, smt: None, ..all.clone() };
    let configs = [
        ("chain", all.clone()),
        ("chain, no cache", Config { cache: false, ..all.clone() }),
        ("chain, no models", Config { model_reuse: false, ..all.clone() }),
        ("chain, no ranges", Config { ranges: false, ..all.clone() }),
        ("blaster, default", bare.clone()),
        ("blaster, own SAT", Config { sat: SatEngine::Own, ..bare.clone() }),
        ("blaster, CaDiCaL", Config { sat: SatEngine::Cadical, ..bare.clone() }),
        ("z3 alone", Config { smt_only: true, ..all }),
    ];
    for family in ["bytes", "words", "atoi", "tables", "float", "mixed"] {
        for (name, config) in &configs {
            if !family.contains(&only_family) || !name.contains(&only_config) {
                continue;
            }
            let (queries, time, sat, unsat, detail) =
                run(family, config, paths, Duration::from_secs(seconds));
            println!(
                "{family:8} {name:18} {:9.0} queries/s  ({queries} queries, {sat} sat, {unsat} unsat; {detail})",
                queries as f64 / time
            );
        }
    }
}

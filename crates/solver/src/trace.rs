//! Query logs: every `check` of a run with its whole path condition, compact enough to keep and exact enough to run
//! again through any configuration of the chain.
//!
//! The format is text, one item a line. A definition line makes the next expression (numbered from 0); `h` changes
//! the hint (`h LENGTH INDEX:VALUE …`); `q KEEP ADDED… ; CONDITION VERDICT` is a query whose path condition is the
//! first KEEP constraints of the previous query's and the added ones. Reading a damaged log gives an error that
//! names the line, never a panic.

use crate::chain::Solver;
use crate::{Answer, Config, ConstraintSet, Stats};
use forkwise_expr::{Assignment, Bits, Expr, Exprs, FpOp, Kind, Op, RoundingMode, SymbolId};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

const HEADER: &str = "forkwise-trace 1";

/// A log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("cannot read the query log {0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// A line does not follow the format.
    #[error("the query log {path}, line {line}: {what}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

/// Writes a log.
pub struct Writer {
    out: BufWriter<File>,
    numbers: FxHashMap<Expr, u32>,
    next: u32,
    /// The previous query's path condition, by number.
    previous: Vec<u32>,
    hint: Vec<u8>,
}

impl Writer {
    /// Creates (or empties) the file.
    pub fn create(path: &Path) -> std::io::Result<Writer> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(out, "{HEADER}")?;
        Ok(Writer { out, numbers: FxHashMap::default(), next: 0, previous: Vec::new(), hint: Vec::new() })
    }

    /// Forgets which expressions were written; to be called before handles are reused.
    pub fn forget(&mut self) {
        self.numbers.clear();
    }

    /// Appends a query and its answer (`sat`, `unsat` or `unknown`).
    pub fn query(
        &mut self,
        ex: &Exprs,
        set: &ConstraintSet,
        cond: Expr,
        hint: Assignment<'_>,
        verdict: &str,
    ) -> std::io::Result<()> {
        let mut now = Vec::with_capacity(set.len());
        for c in set.iter() {
            now.push(self.define(ex, c)?);
        }
        let cond = self.define(ex, cond)?;
        self.write_hint(hint.bytes)?;
        let keep = self.previous.iter().zip(&now).take_while(|(a, b)| a == b).count();
        write!(self.out, "q {keep}")?;
        for n in &now[keep..] {
            write!(self.out, " {n}")?;
        }
        writeln!(self.out, " ; {cond} {verdict}")?;
        self.previous = now;
        Ok(())
    }

    fn write_hint(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.hint == bytes {
            return Ok(());
        }
        write!(self.out, "h {}", bytes.len())?;
        for (i, &b) in bytes.iter().enumerate() {
            if self.hint.get(i).copied().unwrap_or(0) != b {
                write!(self.out, " {i}:{b}")?;
            }
        }
        writeln!(self.out)?;
        self.hint = bytes.to_vec();
        Ok(())
    }

    /// The number of an expression; it and everything below it is written first.
    fn define(&mut self, ex: &Exprs, root: Expr) -> std::io::Result<u32> {
        let mut todo = vec![root];
        let mut missing = Vec::new();
        while let Some(&e) = todo.last() {
            if self.numbers.contains_key(&e) {
                todo.pop();
                continue;
            }
            missing.clear();
            operands(ex, e, &mut missing);
            missing.retain(|m| !self.numbers.contains_key(m));
            if !missing.is_empty() {
                todo.append(&mut missing);
                continue;
            }
            self.write_node(ex, e)?;
            self.numbers.insert(e, self.next);
            self.next += 1;
            todo.pop();
        }
        Ok(self.numbers[&root])
    }

    fn write_node(&mut self, ex: &Exprs, e: Expr) -> std::io::Result<()> {
        let width = ex.width(e);
        let n = |x: Expr| self.numbers[&x];
        let out = &mut self.out;
        match ex.kind(e) {
            Kind::Const => {
                write!(out, "c {width} ")?;
                let bits = ex.bits(e).expect("a constant has bits");
                for limb in bits.limbs().iter().rev() {
                    write!(out, "{limb:016x}")?;
                }
                writeln!(out)
            }
            Kind::Symbol(s) => writeln!(out, "s {}", s.0),
            Kind::Un(op, a) => writeln!(out, "u {op:?} {}", n(a)),
            Kind::Bin(op, a, b) => writeln!(out, "b {op:?} {} {}", n(a), n(b)),
            Kind::Ite(c, t, f) => writeln!(out, "i {} {} {}", n(c), n(t), n(f)),
            Kind::Extract(a, lo) => writeln!(out, "x {} {lo} {width}", n(a)),
            Kind::ZExt(a) => writeln!(out, "z {} {width}", n(a)),
            Kind::SExt(a) => writeln!(out, "g {} {width}", n(a)),
            Kind::Lookup(t, index) => {
                write!(out, "l {}", n(index))?;
                for &element in ex.table(t) {
                    write!(out, " {}", n(element))?;
                }
                writeln!(out)
            }
            Kind::Fp(op, a, b, c) => {
                write!(out, "f {op:?} {width}")?;
                for x in [Some(a), b, c].into_iter().flatten() {
                    write!(out, " {}", n(x))?;
                }
                writeln!(out)
            }
        }
    }
}

fn operands(ex: &Exprs, e: Expr, out: &mut Vec<Expr>) {
    match ex.kind(e) {
        Kind::Const | Kind::Symbol(_) => {}
        Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => out.push(a),
        Kind::Bin(_, a, b) => out.extend([a, b]),
        Kind::Ite(c, t, f) => out.extend([c, t, f]),
        Kind::Fp(_, a, b, c) => out.extend([Some(a), b, c].into_iter().flatten()),
        Kind::Lookup(t, index) => {
            out.push(index);
            out.extend_from_slice(ex.table(t));
        }
    }
}

/// A log in memory, ready to be run again and again.
pub struct Trace {
    ex: Exprs,
    queries: Vec<Recorded>,
}

struct Recorded {
    set: ConstraintSet,
    cond: Expr,
    hint: Rc<[u8]>,
    hint_id: u64,
    verdict: String,
}

/// What running a log again gave.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Queries answered before the time was up.
    pub queries: usize,
    /// Answers `sat`.
    pub sat: usize,
    /// Answers `unsat`.
    pub unsat: usize,
    /// Answers `unknown`.
    pub unknown: usize,
    /// Answers `sat` recorded as `unsat` or the other way round.
    pub contradictions: usize,
    /// Time spent in the chain.
    pub elapsed: Duration,
    /// The chain's counters.
    pub stats: Stats,
}

impl Report {
    /// Queries per second.
    pub fn rate(&self) -> f64 {
        self.queries as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Reads a log and runs it once.
pub fn replay(path: &Path, config: Config) -> Result<Report, TraceError> {
    Ok(Trace::read(path)?.replay(config, None))
}

impl Trace {
    /// Reads a log.
    pub fn read(path: &Path) -> Result<Trace, TraceError> {
        let io = |e| TraceError::Io(path.to_path_buf(), e);
        let mut reader = BufReader::new(File::open(path).map_err(io)?);
        let mut parser = Parser::default();
        let mut bytes = Vec::new();
        let mut line = 0;
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(io)? == 0 {
                break;
            }
            line += 1;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end();
            let done = match line {
                1 if text == HEADER => Some(()),
                1 => None,
                _ => parser.line(text),
            };
            done.ok_or_else(|| {
                let shown: String = text.chars().take(80).collect();
                let what = match line {
                    1 => format!("not a query log (it starts with `{shown}`, not with `{HEADER}`)"),
                    _ => format!("cannot understand `{shown}`"),
                };
                TraceError::Format { path: path.to_path_buf(), line, what }
            })?;
        }
        if line == 0 {
            let what = "the file is empty".to_string();
            return Err(TraceError::Format { path: path.to_path_buf(), line: 1, what });
        }
        Ok(Trace { ex: parser.ex, queries: parser.queries })
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Has it no queries?
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Runs the queries in their order through a new chain, for at most `budget`.
    pub fn replay(&mut self, config: Config, budget: Option<Duration>) -> Report {
        let mut solver = Solver::new(config);
        let mut report = Report::default();
        let start = Instant::now();
        for q in &self.queries {
            let hint = Assignment { id: q.hint_id, bytes: &q.hint };
            let answer = solver.check(&mut self.ex, &q.set, q.cond, hint);
            report.queries += 1;
            match &answer {
                Answer::Sat(_) => report.sat += 1,
                Answer::Unsat => report.unsat += 1,
                Answer::Unknown(_) => report.unknown += 1,
            }
            let both = [answer.verdict(), &q.verdict];
            report.contradictions += usize::from(both == ["sat", "unsat"] || both == ["unsat", "sat"]);
            if budget.is_some_and(|b| start.elapsed() >= b) {
                break;
            }
        }
        report.stats = solver.stats().clone();
        report.elapsed = Duration::from_nanos(report.stats.nanos);
        report
    }
}

#[derive(Default)]
struct Parser {
    ex: Exprs,
    nodes: Vec<Expr>,
    /// Path conditions of the previous query, by number of constraint lines added.
    sets: Vec<ConstraintSet>,
    hint: Vec<u8>,
    shared_hint: Option<Rc<[u8]>>,
    hint_id: u64,
    queries: Vec<Recorded>,
}

/// Longest hint and widest word a log may name; anything larger is damage.
const MAX_HINT: usize = 1 << 28;
const MAX_WIDTH: u32 = 1 << 16;
const MAX_SYMBOL: u32 = 1 << 28;

impl Parser {
    /// Understands one line, or not.
    fn line(&mut self, text: &str) -> Option<()> {
        let mut words = text.split_ascii_whitespace();
        match words.next()? {
            "q" => self.query(words),
            "h" => {
                let len: usize = words.next()?.parse().ok().filter(|&l| l <= MAX_HINT)?;
                self.hint.resize(len, 0);
                for word in words {
                    let (index, value) = word.split_once(':')?;
                    *self.hint.get_mut(index.parse::<usize>().ok()?)? = value.parse().ok()?;
                }
                self.shared_hint = None;
                Some(())
            }
            kind => {
                let rest: Vec<&str> = words.collect();
                let e = self.node(kind, &rest)?;
                self.nodes.push(e);
                Some(())
            }
        }
    }

    fn query<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) -> Option<()> {
        let keep: usize = words.next()?.parse().ok()?;
        if self.sets.is_empty() {
            self.sets.push(ConstraintSet::default());
        }
        if keep >= self.sets.len() {
            return None;
        }
        self.sets.truncate(keep + 1);
        for word in words.by_ref() {
            if word == ";" {
                break;
            }
            let c = self.expr(word).filter(|&c| self.ex.width(c) == 1)?;
            let mut set = self.sets[self.sets.len() - 1].clone();
            set.add(&mut self.ex, c);
            self.sets.push(set);
        }
        let cond = self.expr(words.next()?).filter(|&c| self.ex.width(c) == 1)?;
        let verdict = words.next()?.to_string();
        let hint = self.shared_hint.get_or_insert_with(|| {
            self.hint_id += 1;
            self.hint.as_slice().into()
        });
        self.queries.push(Recorded {
            set: self.sets[self.sets.len() - 1].clone(),
            cond,
            hint: Rc::clone(hint),
            hint_id: self.hint_id,
            verdict,
        });
        words.next().is_none().then_some(())
    }

    fn expr(&self, word: &str) -> Option<Expr> {
        self.nodes.get(word.parse::<usize>().ok()?).copied()
    }

    fn width(&self, word: &str) -> Option<u32> {
        word.parse().ok().filter(|w| (1..=MAX_WIDTH).contains(w))
    }

    /// Builds a node; widths are checked here because the constructors take wrong ones for a bug of their caller.
    fn node(&mut self, kind: &str, words: &[&str]) -> Option<Expr> {
        let e = |i: usize| words.get(i).and_then(|w| self.expr(w));
        let count = |n: usize| (words.len() == n).then_some(());
        let w = |x: Expr| self.ex.width(x);
        Some(match kind {
            "c" => {
                count(2)?;
                let width = self.width(words[0])?;
                let digits = words[1].as_bytes();
                if digits.len() != width.div_ceil(64) as usize * 16 || !digits.is_ascii() {
                    return None;
                }
                let limbs: Option<Vec<u64>> = (0..digits.len() / 16)
                    .rev()
                    .map(|i| u64::from_str_radix(&words[1][i * 16..(i + 1) * 16], 16).ok())
                    .collect();
                self.ex.constant_bits(&Bits::from_limbs(width, &limbs?))
            }
            "s" => {
                count(1)?;
                let s = words[0].parse().ok().filter(|&s| s < MAX_SYMBOL)?;
                self.ex.symbol(SymbolId(s))
            }
            "u" => {
                count(2)?;
                match (words[0], e(1)?) {
                    ("Not", a) => self.ex.not(a),
                    ("Neg", a) => self.ex.neg(a),
                    _ => return None,
                }
            }
            "b" => {
                count(3)?;
                let op = *Op::ALL.iter().find(|op| format!("{op:?}") == words[0])?;
                let (a, b) = (e(1)?, e(2)?);
                let fits = op == Op::Concat || w(a) == w(b);
                if op.is_unary() || !fits || w(a) + w(b) > 2 * MAX_WIDTH {
                    return None;
                }
                self.ex.bin(op, a, b)
            }
            "i" => {
                count(3)?;
                let (c, t, f) = (e(0)?, e(1)?, e(2)?);
                (w(c) == 1 && w(t) == w(f)).then_some(())?;
                self.ex.ite(c, t, f)
            }
            "x" => {
                count(3)?;
                let (a, lo, width) = (e(0)?, words[1].parse::<u32>().ok()?, self.width(words[2])?);
                (lo.checked_add(width)? <= w(a)).then_some(())?;
                self.ex.extract(a, lo, width)
            }
            "z" | "g" => {
                count(2)?;
                let (a, width) = (e(0)?, self.width(words[1])?);
                (width >= w(a)).then_some(())?;
                if kind == "z" { self.ex.zext(a, width) } else { self.ex.sext(a, width) }
            }
            "l" => {
                let index = e(0)?;
                let elements: Option<Vec<Expr>> = (1..words.len()).map(e).collect();
                let elements = elements?;
                let first = *elements.first()?;
                elements.iter().all(|&x| w(x) == w(first)).then_some(())?;
                let table = self.ex.make_table(&elements);
                self.ex.lookup(table, index)
            }
            "f" => {
                let op = float_ops().find(|op| Some(&&*format!("{op:?}")) == words.first())?;
                let width = self.width(words.get(1)?)?;
                let args: Option<Vec<Expr>> = (2..words.len()).map(e).collect();
                let args = args?;
                float_fits(op, width, &args.iter().map(|&a| w(a)).collect::<Vec<_>>()).then_some(())?;
                self.ex.fp(op, width, &args)
            }
            _ => return None,
        })
    }
}

fn float_ops() -> impl Iterator<Item = FpOp> {
    use FpOp::{Add, Div, Eq, Fma, FromSigned, FromUnsigned, IsNan, Le, Lt, Mul, Rem, Sqrt, Sub};
    use FpOp::{RoundToIntegral, ToFloat, ToSigned, ToUnsigned};
    use RoundingMode::{Down, NearestAway, NearestEven, Up, Zero};
    let plain = [Add, Sub, Mul, Div, Rem, Sqrt, Fma, Eq, Lt, Le, IsNan, ToFloat, ToSigned, ToUnsigned];
    let modes = [NearestEven, NearestAway, Zero, Up, Down].map(RoundToIntegral);
    plain.into_iter().chain([FromSigned, FromUnsigned]).chain(modes)
}

/// Are these the widths of a well-formed operation?
fn float_fits(op: FpOp, width: u32, args: &[u32]) -> bool {
    let float = |w: u32| matches!(w, 16 | 32 | 64 | 80 | 128);
    args.len() == op.arity()
        && args.iter().all(|&a| a == args[0])
        && match op {
            FpOp::FromSigned | FpOp::FromUnsigned => float(width),
            FpOp::ToSigned | FpOp::ToUnsigned => float(args[0]),
            FpOp::ToFloat => float(width) && float(args[0]),
            _ if op.is_predicate() => width == 1 && float(args[0]),
            _ => float(args[0]) && width == args[0],
        }
}

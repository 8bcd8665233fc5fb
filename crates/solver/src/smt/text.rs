//! A query as SMT-LIB 2 text: one nested `let` per node, in topological order, so that shared nodes are printed once.
//! (As `define-fun`s they would be macros to z3, which expands them again and again: 100 times slower on tables.)
//!
//! Every expression is a bit-vector (conditions have one bit). Tables become multiplexer trees over the index bits,
//! never array stores. Floating point is in `float`. Printing must not recurse: expressions are deep.

use super::float;
use forkwise_expr::{Expr, Exprs, Kind, Op, SymbolId, TableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A printed query.
pub(crate) struct Script {
    /// Declarations, definitions and assertions.
    pub text: String,
    /// Symbols that occur, sorted; they are called `s0`, `s1`, ….
    pub symbols: Vec<SymbolId>,
    pub has_float: bool,
}

pub(super) struct Printer<'a> {
    pub ex: &'a Exprs,
    /// Constants that floating-point results are read through.
    pub declarations: String,
    /// Conditions on them.
    pub side_conditions: String,
    /// Opened `let`s.
    lets: String,
    open: usize,
    symbols: Vec<SymbolId>,
    done: FxHashSet<Expr>,
    has_float: bool,
}

/// The script that asserts all of `conditions`. The error says which operation has no SMT-LIB form.
pub(crate) fn script(ex: &Exprs, conditions: &[Expr]) -> Result<Script, String> {
    let mut p = Printer {
        ex,
        declarations: String::new(),
        side_conditions: String::new(),
        lets: String::new(),
        open: 0,
        symbols: Vec::new(),
        done: FxHashSet::default(),
        has_float: false,
    };
    for &c in conditions {
        p.define(c)?;
    }
    p.symbols.sort_unstable();
    let mut text = String::with_capacity(p.lets.len() + 64 * conditions.len());
    for s in &p.symbols {
        let _ = writeln!(text, "(declare-const s{} (_ BitVec 8))", s.0);
    }
    let _ = write!(text, "{}(assert\n{}(and true{}", p.declarations, p.lets, p.side_conditions);
    for &c in conditions {
        let _ = write!(text, " (= {} #b1)", p.name(c));
    }
    text.extend(std::iter::repeat_n(')', p.open + 2));
    text.push('\n');
    Ok(Script { text, symbols: p.symbols, has_float: p.has_float })
}

impl Printer<'_> {
    /// How a defined expression is referred to.
    pub fn name(&self, e: Expr) -> String {
        match self.ex.kind(e) {
            Kind::Const => {
                let bits = self.ex.bits(e).expect("a constant has bits");
                constant(bits.width(), |i| bits.bit(i))
            }
            Kind::Symbol(s) => format!("s{}", s.0),
            _ => format!("e{}", e.index()),
        }
    }

    fn define(&mut self, root: Expr) -> Result<(), String> {
        let mut todo = vec![root];
        let mut missing = Vec::new();
        while let Some(&e) = todo.last() {
            if self.done.contains(&e) {
                todo.pop();
                continue;
            }
            missing.clear();
            self.operands(e, &mut missing);
            missing.retain(|c| !self.done.contains(c));
            if !missing.is_empty() {
                todo.append(&mut missing);
                continue;
            }
            self.print(e)?;
            self.done.insert(e);
            todo.pop();
        }
        Ok(())
    }

    fn operands(&self, e: Expr, out: &mut Vec<Expr>) {
        match self.ex.kind(e) {
            Kind::Const | Kind::Symbol(_) => {}
            Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => out.push(a),
            Kind::Bin(_, a, b) => out.extend([a, b]),
            Kind::Ite(c, t, f) => out.extend([c, t, f]),
            Kind::Fp(_, a, b, c) => out.extend([Some(a), b, c].into_iter().flatten()),
            Kind::Lookup(t, index) => {
                out.push(index);
                out.extend_from_slice(self.ex.table(t));
            }
        }
    }

    /// Names a term.
    pub fn define_as(&mut self, name: &str, body: &str) {
        let _ = writeln!(self.lets, "(let (({name} {body}))");
        self.open += 1;
    }

    fn print(&mut self, e: Expr) -> Result<(), String> {
        let width = self.ex.width(e);
        let body = match self.ex.kind(e) {
            Kind::Const => return Ok(()),
            Kind::Symbol(s) => {
                self.symbols.push(s);
                return Ok(());
            }
            Kind::Un(Op::Not, a) => format!("(bvnot {})", self.name(a)),
            Kind::Un(_, a) => format!("(bvneg {})", self.name(a)),
            Kind::Bin(op, a, b) => {
                let (a, b) = (self.name(a), self.name(b));
                match operator(op) {
                    (text, true) => format!("(ite ({text} {a} {b}) #b1 #b0)"),
                    (text, false) => format!("({text} {a} {b})"),
                }
            }
            Kind::Ite(c, t, f) => {
                format!("(ite (= {} #b1) {} {})", self.name(c), self.name(t), self.name(f))
            }
            Kind::Extract(a, lo) => format!("((_ extract {} {lo}) {})", lo + width - 1, self.name(a)),
            Kind::ZExt(a) => format!("((_ zero_extend {}) {})", width - self.ex.width(a), self.name(a)),
            Kind::SExt(a) => format!("((_ sign_extend {}) {})", width - self.ex.width(a), self.name(a)),
            Kind::Lookup(t, index) => self.lookup(e, t, index),
            Kind::Fp(op, a, b, c) => {
                self.has_float = true;
                let args: Vec<Expr> = [Some(a), b, c].into_iter().flatten().collect();
                float::print(self, e, op, &args)?
            }
        };
        let name = self.name(e);
        self.define_as(&name, &body);
        Ok(())
    }

    /// A multiplexer tree; equal subtrees are shared.
    fn lookup(&mut self, e: Expr, t: TableId, index: Expr) -> String {
        let width = self.ex.width(e);
        let index_width = self.ex.width(index);
        let index_name = self.name(index);
        let zero = constant(width, |_| false);
        let mut level: Vec<String> = self.ex.table(t).iter().map(|&x| self.name(x)).collect();
        let mut known: FxHashMap<(u32, String, String), String> = FxHashMap::default();
        let mut bit = 0;
        while level.len() > 1 && bit < index_width {
            let test = format!("(= ((_ extract {bit} {bit}) {index_name}) #b1)");
            let mut next = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                let (even, odd) = (&pair[0], pair.get(1).unwrap_or(&zero));
                if even == odd {
                    next.push(even.clone());
                    continue;
                }
                let key = (bit, even.clone(), odd.clone());
                if let Some(name) = known.get(&key) {
                    next.push(name.clone());
                    continue;
                }
                let name = format!("t{}x{}", e.index(), known.len());
                self.define_as(&name, &format!("(ite {test} {odd} {even})"));
                known.insert(key, name.clone());
                next.push(name);
            }
            level = next;
            bit += 1;
        }
        if bit == index_width {
            return level.swap_remove(0);
        }
        let rest = constant(index_width - bit, |_| false);
        format!("(ite (= ((_ extract {} {bit}) {index_name}) {rest}) {} {zero})", index_width - 1, level[0])
    }
}

/// A constant of any width.
pub(super) fn constant(width: u32, bit: impl Fn(u32) -> bool) -> String {
    let mut text = String::with_capacity(width as usize + 2);
    text.push_str("#b");
    for i in (0..width).rev() {
        text.push(if bit(i) { '1' } else { '0' });
    }
    text
}

/// SMT-LIB's name of an operator, and whether it is a predicate.
fn operator(op: Op) -> (&'static str, bool) {
    match op {
        Op::And => ("bvand", false),
        Op::Or => ("bvor", false),
        Op::Xor => ("bvxor", false),
        Op::Add => ("bvadd", false),
        Op::Sub => ("bvsub", false),
        Op::Mul => ("bvmul", false),
        Op::UDiv => ("bvudiv", false),
        Op::SDiv => ("bvsdiv", false),
        Op::URem => ("bvurem", false),
        Op::SRem => ("bvsrem", false),
        Op::Shl => ("bvshl", false),
        Op::LShr => ("bvlshr", false),
        Op::AShr => ("bvashr", false),
        Op::Concat => ("concat", false),
        Op::Eq => ("=", true),
        Op::Ult => ("bvult", true),
        Op::Ule => ("bvule", true),
        Op::Slt => ("bvslt", true),
        Op::Sle => ("bvsle", true),
        Op::Not | Op::Neg => unreachable!("{op:?} is not binary"),
    }
}

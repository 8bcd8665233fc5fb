//! Expressions to words of the circuit, each node once.
//!
//! The memo is keyed by expression handle and must be dropped when handles may be reused
//! ([`Translator::forget`]); the circuit itself stays. Iterative: deep expressions do not overflow the stack.
//! Operators are built in `words`, floating point in `float`.

use super::float;
use super::graph::{Graph, Lit, Stop};
use super::words::{self, Shift, Word};
use forkwise_expr::{Expr, Exprs, Kind, Op, SymbolId};

/// Expressions to words.
#[derive(Default)]
pub(crate) struct Translator {
    /// By expression index: position of its first literal in `pool`, plus one.
    start: Vec<u32>,
    pool: Vec<Lit>,
    todo: Vec<Expr>,
}

impl Translator {
    /// Drops everything keyed by expression handles.
    pub fn forget(&mut self) {
        self.start.clear();
        self.pool.clear();
    }

    /// The literal of a condition.
    pub fn condition(&mut self, g: &mut Graph, ex: &mut Exprs, e: Expr) -> Result<Lit, Stop> {
        debug_assert_eq!(ex.width(e), 1);
        self.translate(g, ex, e)?;
        Ok(self.word(ex, e)[0])
    }

    fn known(&self, e: Expr) -> bool {
        self.start.get(e.index()).is_some_and(|&s| s != 0)
    }

    /// The word of a translated expression.
    pub fn word(&self, ex: &Exprs, e: Expr) -> &[Lit] {
        let start = self.start[e.index()] as usize - 1;
        &self.pool[start..start + ex.width(e) as usize]
    }

    /// Translates `e` and everything below it.
    pub fn translate(&mut self, g: &mut Graph, ex: &mut Exprs, e: Expr) -> Result<(), Stop> {
        self.todo.clear();
        self.todo.push(e);
        let mut children = Vec::new();
        while let Some(&e) = self.todo.last() {
            if self.known(e) {
                self.todo.pop();
                continue;
            }
            children.clear();
            needed(ex, e, &mut children);
            let before = self.todo.len();
            let todo = &mut self.todo;
            let start = &self.start;
            todo.extend(children.iter().filter(|c| start.get(c.index()).is_none_or(|&s| s == 0)).copied());
            if self.todo.len() > before {
                continue;
            }
            g.alive()?;
            let word = self.build(g, ex, e)?;
            debug_assert_eq!(word.len(), ex.width(e) as usize);
            if self.start.len() <= e.index() {
                self.start.resize((e.index() + 1).max(ex.len()), 0);
            }
            self.start[e.index()] = self.pool.len() as u32 + 1;
            self.pool.extend(word);
            self.todo.pop();
        }
        Ok(())
    }

    fn build(&self, g: &mut Graph, ex: &mut Exprs, e: Expr) -> Result<Word, Stop> {
        let width = ex.width(e) as usize;
        Ok(match ex.kind(e) {
            Kind::Const => {
                let bits = ex.bits(e).expect("a constant has bits");
                words::constant(width, |i| bits.bit(i as u32))
            }
            Kind::Symbol(s) => (0..8).map(|bit| g.input(input_number(s, bit))).collect(),
            Kind::Un(op, a) => {
                let a = self.word(ex, a);
                match op {
                    Op::Not => words::not(a),
                    Op::Neg => words::neg(g, a),
                    _ => unreachable!("{op:?} is not unary"),
                }
            }
            Kind::Bin(op, a, b) => binary(g, op, self.word(ex, a), self.word(ex, b))?,
            Kind::Ite(c, t, f) => {
                let c = self.word(ex, c)[0];
                words::mux(g, c, self.word(ex, t), self.word(ex, f))
            }
            Kind::Extract(a, lo) => self.word(ex, a)[lo as usize..lo as usize + width].to_vec(),
            Kind::ZExt(a) => {
                let mut word = self.word(ex, a).to_vec();
                word.resize(width, Lit::of(false));
                word
            }
            Kind::SExt(a) => {
                let mut word = self.word(ex, a).to_vec();
                let sign = word[word.len() - 1];
                word.resize(width, sign);
                word
            }
            Kind::Lookup(t, index) => {
                let (low, high, inside) = reachable(ex, t, index);
                let table = ex.table(t);
                // Elements below the least index are never read: repeating the first one read shares its nodes.
                let elements: Vec<Word> =
                    (0..=high).map(|i| self.word(ex, table[i.max(low)]).to_vec()).collect();
                words::select(g, &elements, self.word(ex, index), inside)?
            }
            Kind::Fp(op, a, b, c) => {
                let args: Vec<&[Lit]> =
                    [Some(a), b, c].into_iter().flatten().map(|x| self.word(ex, x)).collect();
                float::operation(g, op, width, &args)?
            }
        })
    }
}

/// The number of a symbol's bit as an input of the circuit.
pub(crate) fn input_number(s: SymbolId, bit: u32) -> u32 {
    s.0 * 8 + bit
}

/// The first and the last element of a table that an index can reach, and whether it always stays inside.
fn reachable(ex: &mut Exprs, t: forkwise_expr::TableId, index: Expr) -> (usize, usize, bool) {
    let last = ex.table(t).len() - 1;
    if ex.width(index) > 64 {
        return (0, last, false);
    }
    let (low, high) = ex.range(index);
    ((low as usize).min(last), (high as usize).min(last), high as usize <= last)
}

/// The operands a node's word is built from.
fn needed(ex: &mut Exprs, e: Expr, out: &mut Vec<Expr>) {
    match ex.kind(e) {
        Kind::Const | Kind::Symbol(_) => {}
        Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) => out.push(a),
        Kind::Bin(_, a, b) => out.extend([a, b]),
        Kind::Ite(c, t, f) => out.extend([c, t, f]),
        Kind::Fp(_, a, b, c) => out.extend([Some(a), b, c].into_iter().flatten()),
        Kind::Lookup(t, index) => {
            let (low, high, _) = reachable(ex, t, index);
            out.push(index);
            out.extend_from_slice(&ex.table(t)[low..=high]);
        }
    }
}

fn binary(g: &mut Graph, op: Op, a: &[Lit], b: &[Lit]) -> Result<Word, Stop> {
    let bitwise = |g: &mut Graph, f: fn(&mut Graph, Lit, Lit) -> Lit| -> Word {
        a.iter().zip(b).map(|(&x, &y)| f(g, x, y)).collect()
    };
    Ok(match op {
        Op::And => bitwise(g, Graph::and),
        Op::Or => bitwise(g, Graph::or),
        Op::Xor => bitwise(g, Graph::xor),
        Op::Add => words::add(g, a, b),
        Op::Sub => words::sub(g, a, b),
        Op::Mul => words::mul(g, a, b)?,
        Op::UDiv => words::divide(g, a, b)?.0,
        Op::URem => words::divide(g, a, b)?.1,
        Op::SDiv => words::divide_signed(g, a, b)?.0,
        Op::SRem => words::divide_signed(g, a, b)?.1,
        Op::Shl => words::shift(g, Shift::Left, a, b),
        Op::LShr => words::shift(g, Shift::Right, a, b),
        Op::AShr => words::shift(g, Shift::RightSigned, a, b),
        Op::Eq => vec![words::eq(g, a, b)],
        Op::Ult => vec![words::less(g, a, b, false)],
        Op::Ule => vec![words::less(g, a, b, true)],
        Op::Slt => vec![words::less_signed(g, a, b, false)],
        Op::Sle => vec![words::less_signed(g, a, b, true)],
        Op::Concat => [b, a].concat(),
        Op::Not | Op::Neg => unreachable!("{op:?} is not binary"),
    })
}

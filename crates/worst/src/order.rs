//! Conditions that only compare whole inputs with each other: what sorting, searching and priority queues ask. Whether
//! such a list can hold is a question about a graph, answered in a few microseconds where a general solver takes
//! milliseconds, and the values that satisfy it stay near those that were there before. Any other condition makes it
//! answer that it does not know; it is never wrong.

use forkwise_expr::{Assignment, Expr, Exprs, Kind, Op, SymbolId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A number that consists of whole input bytes, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Word {
    first: u32,
    bytes: u32,
}

impl Word {
    fn value(self, a: Assignment<'_>, signed: bool) -> i128 {
        let raw =
            (0..self.bytes).rev().fold(0u64, |v, i| v << 8 | u64::from(a.get(SymbolId(self.first + i))));
        let bits = 8 * self.bytes;
        match signed && raw >> (bits - 1) & 1 == 1 {
            true => i128::from(raw) - (1i128 << bits),
            false => i128::from(raw),
        }
    }

    /// Writes a value into an assignment.
    pub fn put(self, bytes: &mut Vec<u8>, value: i128) {
        let (first, end) = (self.first as usize, (self.first + self.bytes) as usize);
        bytes.resize(bytes.len().max(end), 0);
        bytes[first..end].copy_from_slice(&(value as u64).to_le_bytes()[..self.bytes as usize]);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Less,
    LessOrEqual,
    Equal,
    Different,
}

/// `a` relation `b`.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    relation: Relation,
    a: Word,
    b: Word,
    /// How the numbers are read; equality does not care.
    signed: Option<bool>,
}

/// Can the conditions hold?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Yes, with these values.
    Yes(Vec<(Word, i128)>),
    /// No.
    No,
    /// They are not all of the simple kind.
    Unknown,
}

/// See the module text. It remembers what it has read.
#[derive(Default)]
pub(crate) struct Orders {
    read: FxHashMap<Expr, Option<Comparison>>,
}

impl Orders {
    /// Handles may mean something else from now on.
    pub fn forget(&mut self) {
        self.read.clear();
    }

    fn comparison(&mut self, ex: &Exprs, c: Expr) -> Option<Comparison> {
        *self.read.entry(c).or_insert_with(|| read(ex, c))
    }

    /// Can all of them hold? `near` is an assignment that satisfies most.
    pub fn decide(
        &mut self,
        ex: &Exprs,
        conditions: impl Iterator<Item = Expr>,
        near: Assignment<'_>,
    ) -> Verdict {
        let mut all = Vec::new();
        for c in conditions {
            match self.comparison(ex, c) {
                Some(comparison) => all.push(comparison),
                None => return Verdict::Unknown,
            }
        }
        let all = join_bytes(all);
        let Some(signed) = agreed(&all) else { return Verdict::Unknown };
        solve(&all, signed, near)
    }
}

/// Are all numbers read alike, of one width, and none part of another? How.
fn agreed(all: &[Comparison]) -> Option<bool> {
    let mut signed = all.iter().filter_map(|c| c.signed);
    let first = signed.next();
    if signed.any(|s| Some(s) != first) {
        return None;
    }
    let Some(width) = all.first().map(|c| c.a.bytes) else { return Some(first.unwrap_or(false)) };
    if all.iter().any(|c| c.a.bytes != width || c.b.bytes != width) {
        return None;
    }
    // Of one width: two overlap if and only if they begin less than a width apart.
    let most = all.iter().map(|c| c.a.first.max(c.b.first)).max()? as usize;
    let mut begins = vec![false; most + 1];
    all.iter().for_each(|c| (begins[c.a.first as usize], begins[c.b.first as usize]) = (true, true));
    let mut last: Option<usize> = None;
    for at in (0..=most).filter(|at| begins[*at]) {
        if last.is_some_and(|last| at - last < width as usize) {
            return None;
        }
        last = Some(at);
    }
    Some(first.unwrap_or(false))
}

/// Equality of numbers is known as equality of each of their bytes, one condition for each: puts them together again.
fn join_bytes(all: Vec<Comparison>) -> Vec<Comparison> {
    let is_byte = |c: &Comparison| c.relation == Relation::Equal && c.a.bytes == 1;
    let Some(width) = all.iter().map(|c| c.a.bytes).max().filter(|_| all.iter().any(is_byte)) else {
        return all;
    };
    let (bytes, mut joined): (Vec<Comparison>, Vec<Comparison>) = all.into_iter().partition(is_byte);
    let pairs: BTreeSet<(u32, u32)> = bytes.iter().map(|c| ordered(c.a.first, c.b.first)).collect();
    let starts = pairs.iter().filter(|(a, b)| {
        let before = a.checked_sub(1).zip(b.checked_sub(1));
        before.is_none_or(|before| !pairs.contains(&before))
    });
    for (a, b) in starts {
        let length = (0..).take_while(|i| pairs.contains(&(a + i, b + i))).count() as u32;
        // Numbers that are equal byte by byte and nothing else: their width is not known, and four is usual.
        let width = if width == 1 && length.is_multiple_of(4) { 4 } else { width };
        let whole = length / width * width;
        joined.extend((0..whole).step_by(width as usize).map(|i| equal(a + i, b + i, width)));
        joined.extend((whole..length).map(|i| equal(a + i, b + i, 1)));
    }
    joined
}

fn equal(a: u32, b: u32, bytes: u32) -> Comparison {
    let (a, b) = (Word { first: a, bytes }, Word { first: b, bytes });
    Comparison { relation: Relation::Equal, a, b, signed: None }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// A conjunction that says that two numbers are equal, byte by byte.
fn equal_bytes(ex: &Exprs, c: Expr) -> Option<(Word, Word)> {
    let (mut todo, mut pairs) = (vec![c], Vec::new());
    while let Some(c) = todo.pop() {
        match ex.kind(c) {
            Kind::Bin(Op::And, a, b) if pairs.len() + todo.len() < 8 => todo.extend([a, b]),
            Kind::Bin(Op::Eq, a, b) => match (ex.kind(a), ex.kind(b)) {
                (Kind::Symbol(a), Kind::Symbol(b)) => pairs.push(ordered(a.0, b.0)),
                _ => return None,
            },
            _ => return None,
        }
    }
    pairs.sort_unstable();
    let (a, b) = *pairs.first()?;
    let in_row = |(i, pair): (u32, &(u32, u32))| *pair == (a + i, b + i);
    let bytes = pairs.len() as u32;
    (0u32..).zip(&pairs).all(in_row).then_some((Word { first: a, bytes }, Word { first: b, bytes }))
}

fn read(ex: &Exprs, c: Expr) -> Option<Comparison> {
    let (inner, negated) = match ex.kind(c) {
        Kind::Un(Op::Not, inner) => (inner, true),
        _ => (c, false),
    };
    if let Some((a, b)) = equal_bytes(ex, inner) {
        let relation = if negated { Relation::Different } else { Relation::Equal };
        return Some(Comparison { relation, a, b, signed: None });
    }
    let Kind::Bin(op, a, b) = ex.kind(inner) else { return None };
    if !op.is_comparison() {
        return None;
    }
    let (a, b) = (word(ex, a)?, word(ex, b)?);
    let signed = match op {
        Op::Slt | Op::Sle => Some(true),
        Op::Ult | Op::Ule => Some(false),
        _ => None,
    };
    let (relation, a, b) = match (op, negated) {
        (Op::Eq, false) => (Relation::Equal, a, b),
        (Op::Eq, true) => (Relation::Different, a, b),
        (Op::Slt | Op::Ult, false) => (Relation::Less, a, b),
        (Op::Slt | Op::Ult, true) => (Relation::LessOrEqual, b, a),
        (_, false) => (Relation::LessOrEqual, a, b),
        (_, true) => (Relation::Less, b, a),
    };
    Some(Comparison { relation, a, b, signed })
}

/// An expression that is nothing but consecutive input bytes.
fn word(ex: &Exprs, e: Expr) -> Option<Word> {
    match ex.kind(e) {
        Kind::Symbol(s) => Some(Word { first: s.0, bytes: 1 }),
        Kind::Bin(Op::Concat, hi, lo) => {
            let (hi, lo) = (word(ex, hi)?, word(ex, lo)?);
            let whole = Word { first: lo.first, bytes: lo.bytes + hi.bytes };
            (lo.first + lo.bytes == hi.first && whole.bytes <= 8).then_some(whole)
        }
        _ => None,
    }
}

/// The graph: an edge leads from what is not greater to what is not less. Words of one strongly connected part are
/// equal; the parts, in an order that the edges allow, get different values.
fn solve(all: &[Comparison], signed: bool, near: Assignment<'_>) -> Verdict {
    // Words by their first symbol: they do not overlap, so one number tells them apart.
    let most = all.iter().map(|c| c.a.first.max(c.b.first)).max().map_or(0, |m| m as usize + 1);
    let mut numbers = vec![usize::MAX; most];
    let mut words: Vec<Word> = Vec::new();
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(all.len());
    for c in all {
        for w in [c.a, c.b] {
            let number = &mut numbers[w.first as usize];
            if *number == usize::MAX {
                *number = words.len();
                words.push(w);
            }
        }
        let (a, b) = (numbers[c.a.first as usize] as u32, numbers[c.b.first as usize] as u32);
        match c.relation {
            Relation::Less | Relation::LessOrEqual => pairs.push((a, b)),
            Relation::Equal => pairs.extend([(a, b), (b, a)]),
            Relation::Different => {}
        }
    }
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); words.len()];
    for (a, b) in pairs {
        // A path compares the same numbers again and again, often the same pair twice in a row.
        let after = &mut edges[a as usize];
        if after.last() != Some(&(b as usize)) {
            after.push(b as usize);
        }
    }
    let (part, parts) = connected(&edges);
    let part_of = |w: Word| part[numbers[w.first as usize]];
    let strict = |c: &&Comparison| matches!(c.relation, Relation::Less | Relation::Different);
    if all.iter().filter(strict).any(|c| part_of(c.a) == part_of(c.b)) {
        return Verdict::No;
    }
    // The value of a part before: that of its least word.
    let mut before = vec![i128::MAX; parts];
    for (w, p) in words.iter().zip(&part) {
        before[*p] = before[*p].min(w.value(near, signed));
    }
    let order = topological(&edges, &part, &before);
    let Some(first) = words.first() else { return Verdict::Yes(Vec::new()) };
    let Some(values) = ascending(before, 8 * first.bytes, signed) else { return Verdict::Unknown };
    let mut of_part = vec![0; parts];
    order.iter().zip(values).for_each(|(p, v)| of_part[*p] = v);
    let mut values: Vec<(Word, i128)> = words.iter().zip(&part).map(|(w, p)| (*w, of_part[*p])).collect();
    values.sort_unstable();
    Verdict::Yes(values)
}

/// Different values, in ascending order, as near to the given ones as they can be; `None` if there are not so many.
fn ascending(mut values: Vec<i128>, bits: u32, signed: bool) -> Option<Vec<i128>> {
    let (low, high) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    values.sort_unstable();
    let n = values.len() as i128;
    for i in 1..values.len() {
        values[i] = values[i].max(values[i - 1] + 1);
    }
    let mut most = high;
    for v in values.iter_mut().rev() {
        *v = (*v).min(most);
        most = *v - 1;
    }
    (high - low + 1 >= n && values.first().is_none_or(|v| *v >= low)).then_some(values)
}

/// Parts in an order that the edges allow; where they leave a choice, by their value before.
fn topological(edges: &[Vec<usize>], part: &[usize], before: &[i128]) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); before.len()];
    let mut waits = vec![0usize; before.len()];
    for (a, list) in edges.iter().enumerate() {
        for b in list {
            if part[a] != part[*b] {
                after[part[a]].push(part[*b]);
                waits[part[*b]] += 1;
            }
        }
    }
    let mut ready: BinaryHeap<Reverse<(i128, usize)>> =
        (0..before.len()).filter(|p| waits[*p] == 0).map(|p| Reverse((before[p], p))).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse((_, p))) = ready.pop() {
        order.push(p);
        for q in &after[p] {
            waits[*q] -= 1;
            if waits[*q] == 0 {
                ready.push(Reverse((before[*q], *q)));
            }
        }
    }
    order
}

/// Strongly connected parts (Tarjan, without recursion): the part of each node, and their number.
fn connected(edges: &[Vec<usize>]) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low, mut part) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    let (mut stack, mut next, mut parts) = (Vec::new(), 0, 0);
    for root in 0..n {
        if index[root] != NONE {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((v, i)) = calls.pop() {
            if i == 0 {
                (index[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
            } else {
                low[v] = low[v].min(low[edges[v][i - 1]]);
            }
            let mut i = i;
            let mut deeper = None;
            while let Some(&w) = edges[v].get(i) {
                i += 1;
                if index[w] == NONE {
                    deeper = Some(w);
                    break;
                }
                if part[w] == NONE {
                    low[v] = low[v].min(index[w]);
                }
            }
            if let Some(w) = deeper {
                calls.push((v, i));
                calls.push((w, 0));
                continue;
            }
            if low[v] == index[v] {
                while let Some(w) = stack.pop() {
                    part[w] = parts;
                    if w == v {
                        break;
                    }
                }
                parts += 1;
            }
        }
    }
    (part, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_explore::Random;
    use forkwise_expr::Evaluator;

    fn int(ex: &mut Exprs, k: u32) -> Expr {
        let bytes: Vec<Expr> = (0..4).map(|i| ex.symbol(SymbolId(4 * k + i))).collect();
        let low = ex.concat(bytes[1], bytes[0]);
        let low = ex.concat(bytes[2], low);
        ex.concat(bytes[3], low)
    }

    const NEAR: Assignment<'static> = Assignment { id: 77, bytes: &[] };

    #[test]
    fn cycles_with_a_strict_edge_cannot_hold() {
        let mut ex = Exprs::new();
        let v: Vec<Expr> = (0..3).map(|k| int(&mut ex, k)).collect();
        let ab = ex.bin(Op::Slt, v[0], v[1]);
        let bc = ex.bin(Op::Sle, v[1], v[2]);
        let ca = ex.bin(Op::Sle, v[2], v[0]);
        let mut orders = Orders::default();
        assert_eq!(orders.decide(&ex, [ab, bc, ca].into_iter(), NEAR), Verdict::No);
        assert!(matches!(orders.decide(&ex, [ab, bc].into_iter(), NEAR), Verdict::Yes(_)));
        let eq = ex.eq(v[0], v[1]);
        let differ = ex.not(eq);
        let ba = ex.bin(Op::Sle, v[1], v[0]);
        let ab = ex.bin(Op::Sle, v[0], v[1]);
        assert_eq!(orders.decide(&ex, [ab, ba, differ].into_iter(), NEAR), Verdict::No);
        assert!(matches!(orders.decide(&ex, [ab, ba, eq].into_iter(), NEAR), Verdict::Yes(_)));
    }

    #[test]
    fn other_conditions_are_left_to_the_solver() {
        let mut ex = Exprs::new();
        let (a, b) = (int(&mut ex, 0), int(&mut ex, 1));
        let k = ex.constant(32, 5);
        let below = ex.bin(Op::Slt, a, k);
        let sum = ex.bin(Op::Add, a, b);
        let strange = ex.bin(Op::Slt, sum, b);
        let (signed, unsigned) = (ex.bin(Op::Slt, a, b), ex.bin(Op::Ult, b, a));
        let mut orders = Orders::default();
        for list in [vec![below], vec![strange], vec![signed, unsigned]] {
            assert_eq!(orders.decide(&ex, list.into_iter(), NEAR), Verdict::Unknown);
        }
    }

    #[test]
    fn answers_hold_and_refusals_are_right() {
        // Few values and many comparisons, so that both answers are frequent; all assignments are tried.
        let mut random = Random::new(11);
        let (mut yes, mut no) = (0, 0);
        for round in 0..400 {
            let mut ex = Exprs::new();
            let v: Vec<Expr> = (0..4).map(|k| int(&mut ex, k)).collect();
            let mut list = Vec::new();
            for _ in 0..3 + random.below(5) {
                let (a, b) = (v[random.below(4) as usize], v[random.below(4) as usize]);
                if a == b {
                    continue;
                }
                let c = match random.below(3) {
                    0 => ex.eq(a, b),
                    1 => ex.bin(Op::Slt, a, b),
                    _ => ex.bin(Op::Sle, a, b),
                };
                list.push(if random.below(2) == 0 { c } else { ex.not(c) });
            }
            let holds = |ex: &Exprs, bytes: &[u8], id: u64| {
                let mut eval = Evaluator::default();
                list.iter().all(|c| eval.eval_u64(ex, *c, Assignment { id, bytes }) == 1)
            };
            match Orders::default().decide(&ex, list.iter().copied(), NEAR) {
                Verdict::Yes(values) => {
                    let mut bytes = Vec::new();
                    values.into_iter().for_each(|(w, value)| w.put(&mut bytes, value));
                    assert!(holds(&ex, &bytes, 1), "round {round}");
                    yes += 1;
                }
                Verdict::No => {
                    for n in 0..256u32 {
                        let mut bytes = vec![0; 16];
                        (0..4).for_each(|k| bytes[4 * k] = (n >> (2 * k) & 3) as u8);
                        assert!(!holds(&ex, &bytes, 1000 + u64::from(n)), "round {round}");
                    }
                    no += 1;
                }
                Verdict::Unknown => panic!("round {round}: all are comparisons"),
            }
        }
        assert!(yes > 50 && no > 50, "{yes} {no}");
    }

    #[test]
    fn equalities_of_bytes_are_equalities_of_numbers() {
        let mut ex = Exprs::new();
        let v: Vec<Expr> = (0..3).map(|k| int(&mut ex, k)).collect();
        let mut list = Vec::new();
        for i in 0..4 {
            let (a, b) = (ex.symbol(SymbolId(i)), ex.symbol(SymbolId(8 + i)));
            list.push(ex.eq(a, b));
        }
        list.push(ex.bin(Op::Slt, v[0], v[1]));
        let mut orders = Orders::default();
        let Verdict::Yes(values) = orders.decide(&ex, list.iter().copied(), NEAR) else { panic!() };
        assert!(values[0].1 == values[2].1 && values[0].1 < values[1].1, "{values:?}");
        list.push(ex.bin(Op::Slt, v[1], v[2]));
        assert_eq!(orders.decide(&ex, list.iter().copied(), NEAR), Verdict::No);
        // Three bytes of four are no number.
        list.remove(0);
        assert_eq!(orders.decide(&ex, list.into_iter(), NEAR), Verdict::Unknown);
    }

    #[test]
    fn values_stay_where_they_were() {
        let mut ex = Exprs::new();
        let v: Vec<Expr> = (0..3).map(|k| int(&mut ex, k)).collect();
        let mut bytes = vec![0; 12];
        (bytes[0], bytes[4], bytes[8]) = (30, 10, 20);
        let list = [ex.bin(Op::Slt, v[1], v[2]), ex.bin(Op::Slt, v[2], v[0])];
        let near = Assignment { id: 5, bytes: &bytes };
        let Verdict::Yes(values) = Orders::default().decide(&ex, list.into_iter(), near) else { panic!() };
        assert_eq!(values.iter().map(|v| v.1).collect::<Vec<_>>(), [30, 10, 20]);
    }
}

//! Inputs as lists of numbers, for whoever changes them without knowing the program. How wide the numbers of an input are
//! is learnt from the conditions that the program branched on, and so are the constants it compares with; without any
//! evidence an input whose size is a multiple of four holds integers of four bytes, any other holds bytes.

use crate::path::{Path, Values};
use forkwise_explore::Random;
use forkwise_expr::{Expr, Exprs, Kind, Op, SymbolId};
use std::collections::{BTreeMap, BTreeSet};

/// Constants that are remembered.
const CONSTANTS: usize = 256;
/// Expressions of a path that are looked at.
const LOOKS: usize = 20_000;

/// What conditions tell about inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Numbers that were seen as a whole: first symbol and width.
    words: BTreeMap<(u32, u32), u32>,
    constants: BTreeSet<i64>,
}

impl Layout {
    /// Reads the conditions of a path.
    pub fn read(&mut self, ex: &Exprs, path: &Path) {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Expr> = path.conditions();
        todo.reverse();
        while let Some(e) = todo.pop() {
            if seen.len() >= LOOKS || !seen.insert(e) {
                continue;
            }
            if let Some((first, bytes)) = word(ex, e) {
                *self.words.entry((first, bytes)).or_default() += 1;
                continue;
            }
            match ex.kind(e) {
                Kind::Bin(op, a, b) => {
                    if let (true, Some(c)) = (op.is_comparison(), constant(ex, a).or_else(|| constant(ex, b)))
                        && self.constants.len() < CONSTANTS
                    {
                        self.constants.insert(c);
                    }
                    // Whole numbers that are compared for equality are compared byte by byte.
                    let bytewise = op == Op::Eq
                        && matches!((ex.kind(a), ex.kind(b)), (Kind::Symbol(_), Kind::Symbol(_)));
                    if !bytewise {
                        todo.extend([a, b]);
                    }
                }
                Kind::Un(_, a) | Kind::Extract(a, _) | Kind::ZExt(a) | Kind::SExt(a) | Kind::Lookup(_, a) => {
                    todo.push(a);
                }
                Kind::Ite(a, b, c) => todo.extend([a, b, c]),
                Kind::Fp(_, a, b, c) => todo.extend([Some(a), b, c].into_iter().flatten()),
                Kind::Const | Kind::Symbol(_) => {}
            }
        }
    }

    /// The width of the numbers of the input whose symbols begin here.
    fn width(&self, first: u32, size: usize) -> usize {
        let end = first + size as u32;
        let mut votes: BTreeMap<u32, u32> = BTreeMap::new();
        for ((_, bytes), n) in self.words.range((first, 0)..(end, 0)) {
            *votes.entry(*bytes).or_default() += n;
        }
        let most = votes.into_iter().max_by_key(|(bytes, n)| (*n, *bytes)).map(|v| v.0 as usize);
        match most.filter(|w| matches!(w, 1 | 2 | 4 | 8) && size.is_multiple_of(*w)) {
            Some(width) => width,
            None if size >= 4 && size.is_multiple_of(4) => 4,
            None => 1,
        }
    }
}

fn constant(ex: &Exprs, e: Expr) -> Option<i64> {
    let width = ex.width(e);
    let raw = (ex.is_const(e) && (8..=64).contains(&width)).then(|| ex.const_u64(e))??;
    let unused = 64 - width;
    Some((raw << unused) as i64 >> unused)
}

/// An expression that is nothing but consecutive input bytes, lowest first.
fn word(ex: &Exprs, e: Expr) -> Option<(u32, u32)> {
    match ex.kind(e) {
        Kind::Symbol(SymbolId(s)) => Some((s, 1)),
        Kind::Bin(Op::Concat, hi, lo) => {
            let ((hi, more), (lo, bytes)) = (word(ex, hi)?, word(ex, lo)?);
            (lo + bytes == hi && bytes + more <= 8).then_some((lo, bytes + more))
        }
        _ => None,
    }
}

/// Numbers of an input, each with where it is.
#[derive(Clone, Debug)]
pub(crate) struct Genes {
    places: Vec<(usize, usize, usize)>,
    constants: Vec<i64>,
}

impl Genes {
    /// The numbers of inputs of this shape, without any evidence.
    pub fn of(values: &Values) -> Genes {
        Genes::shaped(values, |_, bytes| Layout::default().width(0, bytes))
    }

    /// The numbers of the inputs of a path.
    pub fn by(layout: &Layout, path: &Path) -> Genes {
        let first = |i: usize| path.inputs.get(i).map_or(u32::MAX / 2, |input| input.first);
        let mut genes = Genes::shaped(&path.values, |i, bytes| layout.width(first(i), bytes));
        genes.constants = layout.constants.iter().copied().collect();
        genes
    }

    fn shaped(values: &Values, width: impl Fn(usize, usize) -> usize) -> Genes {
        let mut places = Vec::new();
        for (i, (_, bytes)) in values.iter().enumerate() {
            let width = width(i, bytes.len());
            places.extend((0..bytes.len() / width).map(|k| (i, k * width, width)));
        }
        Genes { places, constants: Vec::new() }
    }

    /// Do inputs of this shape have these numbers?
    pub fn fits(&self, values: &Values) -> bool {
        let fits =
            |(i, at, width): &(usize, usize, usize)| values.get(*i).is_some_and(|v| v.1.len() >= at + width);
        self.places.iter().all(fits)
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn get(&self, values: &Values, gene: usize) -> i64 {
        let (i, at, width) = self.places[gene];
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(&values[i].1[at..at + width]);
        let unused = match width {
            // Bytes are characters more often than numbers.
            1 => 0,
            _ => 64 - 8 * width as u32,
        };
        (u64::from_le_bytes(bytes) << unused) as i64 >> unused
    }

    pub fn set(&self, values: &mut Values, gene: usize, value: i64) {
        let (i, at, width) = self.places[gene];
        values[i].1[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }

    pub fn swap(&self, values: &mut Values, a: usize, b: usize) {
        let (x, y) = (self.get(values, a), self.get(values, b));
        self.set(values, a, y);
        self.set(values, b, x);
    }

    fn some(&self, random: &mut Random) -> usize {
        random.below(self.places.len() as u64) as usize
    }

    /// Two places in order, often near each other.
    fn stretch(&self, random: &mut Random) -> (usize, usize) {
        let a = self.some(random);
        let b = match random.below(2) {
            0 => self.some(random),
            _ => (a + 1 + random.below(8) as usize).min(self.len() - 1),
        };
        (a.min(b), a.max(b))
    }

    /// A new number: one that the program compares with, or any.
    fn new_number(&self, random: &mut Random) -> i64 {
        match self.constants.is_empty() || random.below(2) == 0 {
            true => number(random),
            false => self.constants[random.below(self.constants.len() as u64) as usize],
        }
    }

    /// A change of one kind: a number replaced, moved by a little, made equal or next to another, two exchanged, one taken
    /// out and put in elsewhere, a stretch reversed, repeated, made equal or made to rise.
    pub fn change(&self, random: &mut Random, values: &mut Values) {
        if self.places.is_empty() {
            return;
        }
        match random.below(11) {
            0 => self.set(values, self.some(random), self.new_number(random)),
            1 => {
                let a = self.some(random);
                let by = random.below(4) as i64 + 1;
                let by = if random.below(2) == 0 { by } else { -by };
                self.set(values, a, self.get(values, a).wrapping_add(by));
            }
            2 => {
                let value = self.get(values, self.some(random));
                self.set(values, self.some(random), value);
            }
            3 => {
                let value = self.get(values, self.some(random));
                let by = if random.below(2) == 0 { 1 } else { -1 };
                self.set(values, self.some(random), value.wrapping_add(by));
            }
            4 | 5 => self.swap(values, self.some(random), self.some(random)),
            6 => {
                let (a, b) = self.stretch(random);
                let up = random.below(2) == 0;
                for k in 0..b - a {
                    match up {
                        true => self.swap(values, a + k, a + k + 1),
                        false => self.swap(values, b - k, b - k - 1),
                    }
                }
            }
            7 => {
                let (a, b) = self.stretch(random);
                (0..(b - a).div_ceil(2)).for_each(|k| self.swap(values, a + k, b - k));
            }
            8 => {
                let (a, b) = self.stretch(random);
                let to = self.some(random);
                let copied: Vec<i64> = (a..=b).map(|g| self.get(values, g)).collect();
                for (k, value) in copied.into_iter().enumerate().take(self.len() - to) {
                    self.set(values, to + k, value);
                }
            }
            9 => {
                let (a, b) = self.stretch(random);
                let value = match random.below(4) {
                    0 => self.new_number(random),
                    _ => self.get(values, a),
                };
                (a..=b).for_each(|g| self.set(values, g, value));
            }
            _ => {
                let (a, b) = self.stretch(random);
                let by = if random.below(2) == 0 { 1 } else { -1 };
                let start = self.get(values, a);
                (a..=b).for_each(|g| self.set(values, g, start.wrapping_add((g - a) as i64 * by)));
            }
        }
    }

    /// Inputs as people try them first: all numbers equal, rising, falling, alternating, rising in pairs, up and down.
    pub fn shapes(&self, like: &Values) -> Vec<Values> {
        let n = self.len() as i64;
        let mut all = Vec::new();
        let mut add = |f: &dyn Fn(i64) -> i64| {
            let mut values = like.clone();
            (0..self.len()).for_each(|g| self.set(&mut values, g, f(g as i64)));
            all.push(values);
        };
        for k in [0, 1, -1, i64::MAX].into_iter().chain(self.constants.iter().copied().take(16)) {
            add(&|_| k);
        }
        add(&|i| i + 1);
        add(&|i| n - i);
        add(&|i| i ^ 1);
        add(&|i| i % 2);
        add(&|i| i.min(n - 1 - i));
        add(&|i| (n - 1 - i).max(i));
        add(&|i| i % 8);
        add(&|i| -1 - i);
        all
    }
}

/// A number as people choose them: mostly small.
pub(crate) fn number(random: &mut Random) -> i64 {
    match random.below(8) {
        0 => random.next_u64() as i64,
        1 => [0, 1, -1, i64::from(i32::MAX), i64::from(i32::MIN)][random.below(5) as usize],
        2 | 3 => random.below(257) as i64,
        _ => random.below(4097) as i64 - 2048,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_vm::Input;
    use std::rc::Rc;

    #[test]
    fn numbers_are_read_and_written() {
        let mut values: Values =
            vec![("a".into(), vec![1, 0, 0, 0, 255, 255, 255, 255]), ("b".into(), vec![7])];
        let genes = Genes::of(&values);
        assert_eq!(genes.len(), 3);
        assert_eq!([genes.get(&values, 0), genes.get(&values, 1), genes.get(&values, 2)], [1, -1, 7]);
        genes.swap(&mut values, 0, 1);
        assert_eq!([genes.get(&values, 0), genes.get(&values, 1)], [-1, 1]);
    }

    #[test]
    fn changes_keep_the_shape() {
        let mut random = Random::new(1);
        let mut values: Values = vec![("a".into(), vec![0; 40]), ("b".into(), vec![0; 3])];
        let genes = Genes::of(&values);
        (0..2000).for_each(|_| genes.change(&mut random, &mut values));
        assert_eq!((values[0].1.len(), values[1].1.len()), (40, 3));
        assert!(genes.fits(&values) && genes.shapes(&values).iter().all(|v| genes.fits(v)));
        let mut nothing: Values = Vec::new();
        Genes::of(&nothing).change(&mut random, &mut nothing);
        assert!(!genes.fits(&nothing));
    }

    #[test]
    fn conditions_tell_widths_and_constants() {
        let mut ex = Exprs::new();
        let symbols: Vec<Expr> = (0..8).map(|s| ex.symbol(SymbolId(s))).collect();
        let a = ex.bin(Op::Concat, symbols[1], symbols[0]);
        let limit = ex.constant(16, 0xfffe);
        let condition = ex.bin(Op::Slt, a, limit);
        let decision = crate::path::Decision {
            site: crate::path::Site(1),
            context: crate::path::Site(1),
            arm: 0,
            condition,
        };
        let input = Input { name: "a".into(), first: 0, size: 8, address: 0 };
        let path = Path {
            decisions: vec![decision],
            cost: 1,
            values: vec![("a".into(), vec![0; 8])],
            inputs: Rc::new(vec![input]),
            root: 0,
        };
        let mut layout = Layout::default();
        layout.read(&ex, &path);
        let genes = Genes::by(&layout, &path);
        assert_eq!((genes.len(), &genes.constants[..]), (4, &[-2][..]));
    }
}

//! Rules for table lookups: tables shrink to what the index can reach, and tables with little in them become plain
//! expressions. Comparisons and masks with a constant go into constant tables, where the result is often a few
//! ranges of the index. A position past the end reads as zero and must keep doing so.

use super::first;
use crate::build::Exprs;
use crate::node::{Expr, Kind, Op, TableId, Width};
use crate::semantics::mask;
use std::rc::Rc;

/// Larger tables are not scanned for patterns.
const MAX_SCAN: usize = 4096;
/// A two-valued table becomes comparisons when one of the values covers at most so many ranges.
const MAX_RUNS: usize = 4;

pub(super) fn lookup(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    first!(ex;
        LookupConst => lookup_const(t, index),
        LookupZExtIndex => lookup_zext_index(t, index),
        LookupTrim => lookup_trim(t, index),
        LookupUniform => lookup_uniform(t, index),
        LookupPair => lookup_pair(t, index),
    );
    let table = ex.store.table(t);
    if table.all_const && table.width <= 64 && table.elements.len() <= MAX_SCAN {
        first!(ex; LookupAffine => lookup_affine(t, index), LookupRuns => lookup_runs(t, index));
    }
    None
}

fn element(ex: &mut Exprs, t: TableId, i: u64) -> Expr {
    let table = ex.store.table(t);
    match usize::try_from(i).ok().and_then(|i| table.elements.get(i)) {
        Some(&e) => e,
        None => {
            let width = table.width;
            ex.zero(width)
        }
    }
}

/// t[k] → the element
fn lookup_const(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    let i = ex.const_u64(index)?;
    Some(element(ex, t, i))
}

/// t[zext(i)] → t[i]
fn lookup_zext_index(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    let Kind::ZExt(i) = ex.kind(index) else { return None };
    Some(ex.lookup(t, i))
}

/// t[i] → t[lo..=hi][i - lo], for the range of i
fn lookup_trim(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    let elements = Rc::clone(&ex.store.table(t).elements);
    let (len, f) = (elements.len() as u64, ex.facts(index));
    if f.lo >= len {
        return Some(ex.zero(ex.store.table(t).width));
    }
    let end = f.hi.min(len - 1);
    if f.lo == 0 && end == len - 1 {
        return None;
    }
    let trimmed = ex.make_table(&elements[f.lo as usize..=end as usize]);
    let start = ex.constant(ex.width(index), f.lo);
    let rebased = ex.bin(Op::Sub, index, start);
    Some(ex.lookup(trimmed, rebased))
}

/// Can the index never be past the end?
fn inside(ex: &Exprs, t: TableId, index: Expr) -> bool {
    ex.facts(index).hi < ex.store.table(t).elements.len() as u64
}

/// A table of one value → that value, or ite(i < length, value, 0)
fn lookup_uniform(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    let elements = &ex.store.table(t).elements;
    let (value, len) = (elements[0], elements.len() as u64);
    if elements.iter().any(|&e| e != value) {
        return None;
    }
    if inside(ex, t, index) || ex.is_zero(value) {
        return Some(value);
    }
    let end = ex.constant(ex.width(index), len);
    let reached = ex.bin(Op::Ult, index, end);
    let zero = ex.zero(ex.width(value));
    Some(ex.ite(reached, value, zero))
}

/// A table of two elements → ite(lowest bit of i, t[1], t[0]), when i is 0 or 1
fn lookup_pair(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    if ex.facts(index).hi > 1 {
        return None;
    }
    let (zero, one) = (element(ex, t, 0), element(ex, t, 1));
    let bit = ex.extract(index, 0, 1);
    Some(ex.ite(bit, one, zero))
}

/// t[i] = i + k for all i → the index, cut or extended, plus k
fn lookup_affine(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    if !inside(ex, t, index) {
        return None;
    }
    let table = ex.store.table(t);
    let (w, m) = (table.width, mask(table.width));
    let value = |e: Expr| ex.const_u64(e).expect("a constant of at most 64 bits");
    let k = value(table.elements[0]);
    if !table.elements.iter().enumerate().all(|(i, &e)| value(e) == k.wrapping_add(i as u64) & m) {
        return None;
    }
    let n = ex.width(index);
    let resized = if n > w { ex.extract(index, 0, w) } else { ex.zext(index, w) };
    let offset = ex.constant(w, k);
    Some(ex.bin(Op::Add, resized, offset))
}

/// A table of two values of which one fills few ranges → ite(i in the ranges, one, other)
fn lookup_runs(ex: &mut Exprs, t: TableId, index: Expr) -> Option<Expr> {
    let covered = inside(ex, t, index);
    let table = ex.store.table(t);
    let width = table.width;
    let elements = Rc::clone(&table.elements);
    let zero = ex.zero(width);
    let (p, mut q) = (elements[0], None);
    // What lies past the end is one more element, a zero.
    for &e in elements.iter().chain((!covered).then_some(&zero)) {
        if e != p && e != *q.get_or_insert(e) {
            return None;
        }
    }
    let q = q?;
    let (p_runs, q_runs) = (runs(&elements, p), runs(&elements, q));
    // A value that also lies past the end would need an open range: take the other one then.
    let open = |v: Expr| !covered && v == zero;
    let (value, other, ranges) = match (open(p), open(q)) {
        (true, _) => (q, p, q_runs),
        (_, true) => (p, q, p_runs),
        _ if p_runs.len() <= q_runs.len() => (p, q, p_runs),
        _ => (q, p, q_runs),
    };
    if ranges.len() > MAX_RUNS {
        return None;
    }
    let member = in_ranges(ex, index, &ranges, covered.then_some(elements.len() as u64 - 1));
    Some(ex.ite(member, value, other))
}

/// The maximal ranges of positions that hold the value.
fn runs(elements: &[Expr], value: Expr) -> Vec<(u64, u64)> {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for (i, _) in elements.iter().enumerate().filter(|&(_, &e)| e == value) {
        let i = i as u64;
        match found.last_mut() {
            Some((_, last)) if *last + 1 == i => *last = i,
            _ => found.push((i, i)),
        }
        if found.len() > MAX_RUNS {
            break;
        }
    }
    found
}

/// Is the index in one of the ranges? `largest`: the index is never larger.
fn in_ranges(ex: &mut Exprs, index: Expr, ranges: &[(u64, u64)], largest: Option<u64>) -> Expr {
    let w = ex.width(index);
    let mut any = ex.bool(false);
    for &(first, last) in ranges {
        let (lo, hi) = (ex.constant(w, first), ex.constant(w, last));
        let member = if first == last {
            ex.eq(index, lo)
        } else {
            let above = ex.bin(Op::Ule, lo, index);
            if Some(last) == largest {
                above
            } else {
                let below = ex.bin(Op::Ule, index, hi);
                ex.and(above, below)
            }
        };
        any = ex.or(any, member);
    }
    any
}

/// t[i] ∘ k → (t ∘ k)[i], for a table of constants, comparisons and masks
pub(super) fn map(ex: &mut Exprs, op: Op, a: Expr, b: Expr) -> Option<Expr> {
    let (t, index, constant, swapped) = match (ex.kind(a), ex.kind(b)) {
        (Kind::Lookup(t, i), Kind::Const) => (t, i, b, false),
        (Kind::Const, Kind::Lookup(t, i)) => (t, i, a, true),
        _ => return None,
    };
    let table = ex.store.table(t);
    if !table.all_const || table.elements.len() > MAX_SCAN {
        return None;
    }
    let key = (op, swapped, t, constant);
    let mapped = match ex.mapped_tables.get(&key) {
        Some(&m) => m,
        None => {
            let elements = Rc::clone(&table.elements);
            let results: Vec<Expr> = elements
                .iter()
                .map(|&e| if swapped { ex.bin(op, constant, e) } else { ex.bin(op, e, constant) })
                .collect();
            let m = ex.make_table(&results);
            ex.mapped_tables.insert(key, m);
            m
        }
    };
    let inner = ex.lookup(mapped, index);
    // Past the end the element is zero, and so is the mapped one; the operator may say otherwise.
    let width: Width = ex.width(constant);
    let zero = ex.zero(width);
    let past = if swapped { ex.bin(op, constant, zero) } else { ex.bin(op, zero, constant) };
    if ex.is_zero(past) || inside(ex, t, index) {
        return Some(inner);
    }
    let end = ex.constant(ex.width(index), ex.store.table(t).elements.len() as u64);
    let reached = ex.bin(Op::Ult, index, end);
    Some(ex.ite(reached, inner, past))
}

//! Constraint sets: grouping, order, sharing, memory.

mod common;

use common::Random;
use forkwise_expr::{Expr, Exprs, Op, SymbolId};
use forkwise_solver::ConstraintSet;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the bytes each thread allocates.
struct Counting;

thread_local!(static ALLOCATED: Cell<usize> = const { Cell::new(0) });

// SAFETY: every call is passed on to the system's allocator unchanged; the counter is thread-local and plain.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATED.try_with(|a| a.set(a.get() + layout.size()));
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` came from `alloc` above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn below(ex: &mut Exprs, s: u32, k: u64) -> Expr {
    let s = ex.symbol(SymbolId(s));
    let k = ex.constant(8, k);
    ex.bin(Op::Ult, s, k)
}

fn less(ex: &mut Exprs, a: u32, b: u32) -> Expr {
    let (a, b) = (ex.symbol(SymbolId(a)), ex.symbol(SymbolId(b)));
    ex.bin(Op::Ult, a, b)
}

#[test]
fn groups_are_united_by_shared_symbols() {
    let mut ex = Exprs::new();
    let mut set = ConstraintSet::default();
    let cs: Vec<Expr> = (0..40).map(|s| below(&mut ex, s, 100 + u64::from(s))).collect();
    cs.iter().for_each(|&c| set.add(&mut ex, c));
    assert_eq!(set.constraints_for(&[SymbolId(7)]), [cs[7]]);
    assert_eq!(set.constraints_for(&[SymbolId(99)]), []);
    let joined = less(&mut ex, 3, 30);
    let before = set.clone();
    set.add(&mut ex, joined);
    let mut expected = vec![cs[3], cs[30], joined];
    expected.sort_unstable();
    assert_eq!(set.constraints_for(&[SymbolId(30)]), expected);
    assert_eq!(set.constraints_for(&[SymbolId(3)]), expected);
    assert_eq!(before.constraints_for(&[SymbolId(3)]), [cs[3]], "the copy is unchanged");
    // A second union through a lower symbol renames the group.
    let lower = less(&mut ex, 0, 3);
    set.add(&mut ex, lower);
    assert_eq!(set.constraints_for(&[SymbolId(30)]).len(), 5);
    assert_eq!(set.constraints_for(&[SymbolId(0)]).len(), 5);
    assert_eq!(set.len(), 42);
    assert_eq!(set.iter().collect::<Vec<_>>(), [&cs[..], &[joined, lower]].concat());
}

#[test]
fn conjunctions_are_split_and_repetitions_dropped() {
    let mut ex = Exprs::new();
    let mut set = ConstraintSet::default();
    let (a, b) = (below(&mut ex, 0, 9), below(&mut ex, 1, 9));
    let both = ex.and(a, b);
    set.add(&mut ex, both);
    assert_eq!(set.iter().collect::<Vec<_>>(), [a, b]);
    set.add(&mut ex, a);
    let t = ex.bool(true);
    set.add(&mut ex, t);
    assert_eq!(set.len(), 2);
    assert!(set.contains(&mut ex, b) && !set.is_contradictory());
    let (c, d) = (below(&mut ex, 2, 9), below(&mut ex, 3, 9));
    let either = ex.or(c, d);
    let neither = ex.not(either);
    set.add(&mut ex, neither);
    assert_eq!(set.len(), 4);
    let f = ex.bool(false);
    set.add(&mut ex, f);
    assert!(set.is_contradictory());
}

#[test]
fn groups_are_the_connected_components() {
    for seed in 0..200 {
        let mut r = Random::new(seed);
        let mut ex = Exprs::new();
        let mut set = ConstraintSet::default();
        let mut model: Vec<(Expr, Vec<u32>)> = Vec::new();
        for _ in 0..30 {
            let (a, b) = (r.below(600) as u32, r.below(600) as u32);
            let (a, b) = if seed % 2 == 0 { (a % 20, b % 20) } else { (a, b) };
            let (c, support) =
                if a == b { (below(&mut ex, a, 50), vec![a]) } else { (less(&mut ex, a, b), vec![a, b]) };
            set.add(&mut ex, c);
            if !model.iter().any(|(m, _)| *m == c) {
                model.push((c, support));
            }
        }
        for probe in [0, 5, 19, 300] {
            let mut reached = vec![probe];
            let mut expected: Vec<Expr> = Vec::new();
            loop {
                let before = reached.len() + expected.len();
                for (c, support) in &model {
                    if support.iter().any(|s| reached.contains(s)) && !expected.contains(c) {
                        expected.push(*c);
                        reached.extend(support);
                    }
                }
                if reached.len() + expected.len() == before {
                    break;
                }
            }
            expected.sort_unstable();
            assert_eq!(set.constraints_for(&[SymbolId(probe)]), expected, "seed {seed}");
        }
    }
}

#[test]
fn a_fork_of_seventeen_independent_constraints_is_small() {
    let mut ex = Exprs::new();
    let mut set = ConstraintSet::default();
    for s in 0..17 {
        let c = below(&mut ex, s, 7);
        set.add(&mut ex, c);
    }
    let c = below(&mut ex, 17, 7);
    ex.support(c);
    let before = ALLOCATED.with(Cell::get);
    let mut fork = set.clone();
    fork.add(&mut ex, c);
    let bytes = ALLOCATED.with(Cell::get) - before;
    assert_eq!(fork.len(), 18);
    assert!(bytes < 640, "clone and add allocated {bytes} bytes");
    assert!(set.memory_bytes() > 0);
    println!("clone and add: {bytes} bytes");
}

#[test]
fn a_long_path_is_dropped_without_recursion() {
    let mut ex = Exprs::new();
    let mut set = ConstraintSet::default();
    for i in 0..200_000u64 {
        let s = ex.symbol(SymbolId((i % 50_000) as u32));
        let wide = ex.zext(s, 32);
        let k = ex.constant(32, 1000 + i);
        let c = ex.bin(Op::Ult, wide, k);
        set.add(&mut ex, c);
    }
    let copy = set.clone();
    drop(set);
    drop(copy);
}

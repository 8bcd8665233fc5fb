//! Exact reasoning about single bytes.
//!
//! A condition over one symbol is the set of its 256 values that satisfy it, computed once and kept as a bitmap.
//! Groups over one byte are decided by intersecting bitmaps, without any solver; for other groups the bitmaps give
//! the range of each byte to `intervals`. A sweep over one byte's values with the others as in the hint finds most
//! models that differ from the witness in one place.

use crate::lanes::Lanes;
use forkwise_expr::{Assignment, Expr, Exprs, SymbolId};
use rustc_hash::FxHashMap;

/// A set of byte values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    fn from_row(row: &[u64]) -> ByteSet {
        let mut set = ByteSet([0; 4]);
        for (value, &holds) in row.iter().enumerate() {
            set.0[value / 64] |= (holds & 1) << (value % 64);
        }
        set
    }

    pub fn and(self, other: ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub fn min(self) -> Option<u8> {
        (0..4).find(|&i| self.0[i] != 0).map(|i| i as u8 * 64 + self.0[i].trailing_zeros() as u8)
    }

    fn contains(self, value: u8) -> bool {
        self.0[usize::from(value / 64)] >> (value % 64) & 1 == 1
    }

    pub fn max(self) -> Option<u8> {
        (0..4).rev().find(|&i| self.0[i] != 0).map(|i| i as u8 * 64 + 63 - self.0[i].leading_zeros() as u8)
    }
}

/// Byte sets of conditions over one symbol, and the machinery to compute them.
#[derive(Default)]
pub(crate) struct Domains {
    sets: FxHashMap<Expr, Option<ByteSet>>,
    /// The least and the greatest value of an expression over one symbol with values in a set.
    extremes: FxHashMap<(Expr, ByteSet), Option<(u64, u64)>>,
    pub lanes: Lanes,
}

/// Conditions remembered; the memory starts afresh when full.
const MAX_SETS: usize = 1 << 17;
/// Extremes remembered; the memory starts afresh when full.
const MAX_EXTREMES: usize = 1 << 16;
/// Values of the swept byte that are tried on the constraints.
const CANDIDATES: usize = 16;
/// Symbols swept in one query.
const MAX_SWEPT: usize = 6;

impl Domains {
    /// The values of its only symbol that satisfy `c`; `None` when `c` cannot be evaluated this way. The caller
    /// checks that `c` has one symbol.
    pub fn of(&mut self, ex: &Exprs, c: Expr) -> Option<ByteSet> {
        if let Some(&set) = self.sets.get(&c) {
            return set;
        }
        if self.sets.len() >= MAX_SETS {
            self.sets.clear();
        }
        self.lanes.start(256);
        let set = self.lanes.eval(ex, c, &|_, lane| lane as u8).map(ByteSet::from_row);
        self.sets.insert(c, set);
        set
    }

    /// The least and the greatest value of `e` where its only symbol has one of these values; `None` when there is no
    /// value or `e` cannot be evaluated this way.
    pub fn extremes(&mut self, ex: &Exprs, e: Expr, allowed: ByteSet) -> Option<(u64, u64)> {
        if let Some(&known) = self.extremes.get(&(e, allowed)) {
            return known;
        }
        if self.extremes.len() >= MAX_EXTREMES {
            self.extremes.clear();
        }
        self.lanes.start(256);
        let found = self.lanes.eval(ex, e, &|_, lane| lane as u8).and_then(|row| {
            let mut values = (0..=255u8).filter(|&v| allowed.contains(v)).map(|v| row[usize::from(v)]);
            let first = values.next()?;
            Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
        });
        self.extremes.insert((e, allowed), found);
        found
    }

    /// Decides a query over one symbol: the value to take, `None` if there is none. `Err` when it cannot tell.
    pub fn decide(&mut self, ex: &Exprs, constraints: &[Expr], condition: Expr) -> Result<Option<u8>, ()> {
        let mut set = self.of(ex, condition).ok_or(())?;
        for &c in constraints {
            set = set.and(self.of(ex, c).ok_or(())?);
        }
        Ok(set.min())
    }

    /// A model that differs from the hint in one symbol of the condition.
    pub fn sweep(
        &mut self,
        ex: &mut Exprs,
        constraints: &[Expr],
        condition: Expr,
        hint: Assignment<'_>,
    ) -> Option<(SymbolId, u8)> {
        let support = ex.support(condition);
        support.iter().take(MAX_SWEPT).find_map(|&s| {
            self.lanes.start(256);
            let row =
                self.lanes.eval(ex, condition, &|x, lane| if x == s { lane as u8 } else { hint.get(x) })?;
            let good: Vec<u8> = (0..=255u8).filter(|&v| row[v as usize] == 1).collect();
            // A sample over the whole range: neighbours tend to fail together.
            let step = good.len().div_ceil(CANDIDATES).max(1);
            let tried: Vec<u8> = good.into_iter().step_by(step).collect();
            if tried.is_empty() {
                return None;
            }
            self.lanes.start(tried.len());
            let mut alive = vec![true; tried.len()];
            for &c in constraints {
                if ex.support(c).binary_search(&s).is_err() {
                    continue;
                }
                let row =
                    self.lanes.eval(ex, c, &|x, lane| if x == s { tried[lane] } else { hint.get(x) })?;
                alive.iter_mut().zip(row).for_each(|(a, &v)| *a &= v == 1);
                if !alive.contains(&true) {
                    return None;
                }
            }
            alive.iter().position(|&a| a).map(|k| (s, tried[k]))
        })
    }
}

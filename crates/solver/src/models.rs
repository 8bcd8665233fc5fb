//! Recent models, kept by the symbols they were found for.
//!
//! A model found for one path often satisfies a query of a sibling path. All models remembered for a symbol are
//! tried at once. This layer only ever says "satisfied, with this model", after evaluating the whole query.

use crate::lanes::Lanes;
use forkwise_expr::{Assignment, Evaluator, Expr, Exprs, SymbolId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A partial assignment, sorted by symbol.
pub(crate) type Model = Rc<[(SymbolId, u8)]>;

/// The value a model gives a symbol, else the hint's.
pub(crate) fn value(model: &[(SymbolId, u8)], hint: Assignment<'_>, s: SymbolId) -> u8 {
    match model.binary_search_by_key(&s, |m| m.0) {
        Ok(at) => model[at].1,
        Err(_) => hint.get(s),
    }
}

/// Recent models by symbol.
#[derive(Default)]
pub(crate) struct Models {
    /// Newest last.
    recent: FxHashMap<SymbolId, Vec<Model>>,
    /// Models in `recent`.
    filed: usize,
    patched: Vec<u8>,
    /// Identity of the last patched assignment, so that an evaluator keeps values from one constraint to the next.
    patched_id: u64,
}

/// Models kept for a symbol.
const KEPT: usize = 8;
/// Symbols of a condition a model is kept for.
const FILED: usize = 8;
/// A larger model is seldom of use to another path and costs memory.
const MAX_SYMBOLS: usize = 256;
/// Models kept in all; the memory starts afresh when full.
const MAX_FILED: usize = 20_000;

impl Models {
    /// Remembers a model under the symbols of the condition it was found for.
    pub fn remember(&mut self, support: &[SymbolId], model: &Model) {
        if model.len() > MAX_SYMBOLS {
            return;
        }
        if self.filed >= MAX_FILED {
            self.recent.clear();
            self.filed = 0;
        }
        for s in support.iter().take(FILED) {
            let list = self.recent.entry(*s).or_default();
            if list.last().is_some_and(|m| m == model) {
                continue;
            }
            if list.len() == KEPT {
                list.remove(0);
                self.filed -= 1;
            }
            list.push(Rc::clone(model));
            self.filed += 1;
        }
    }

    /// A remembered model (of the symbols asked for, completed by the hint) that satisfies the query.
    pub fn find(
        &mut self,
        ex: &mut Exprs,
        lanes: &mut Lanes,
        constraints: &[Expr],
        condition: Expr,
        hint: Assignment<'_>,
    ) -> Option<Model> {
        let support = ex.support(condition);
        let list = support.iter().find_map(|s| self.recent.get(s))?;
        lanes.start(list.len());
        let byte = |s: SymbolId, lane: usize| value(&list[lane], hint, s);
        let mut alive = vec![true; list.len()];
        for &c in [condition].iter().chain(constraints) {
            let Some(row) = lanes.eval(ex, c, &byte) else {
                let list = list.clone();
                return self.find_one_by_one(ex, &list, constraints, condition, hint);
            };
            alive.iter_mut().zip(row).for_each(|(a, &v)| *a &= v == 1);
            if !alive.contains(&true) {
                return None;
            }
        }
        alive.iter().rposition(|&a| a).map(|k| Rc::clone(&list[k]))
    }

    /// For what lanes cannot evaluate: the newest two models, each by a full evaluation.
    fn find_one_by_one(
        &mut self,
        ex: &Exprs,
        list: &[Model],
        constraints: &[Expr],
        condition: Expr,
        hint: Assignment<'_>,
    ) -> Option<Model> {
        let mut evaluator = Evaluator::default();
        list.iter()
            .rev()
            .take(2)
            .find(|m| self.satisfies(ex, &mut evaluator, m, constraints, condition, hint))
            .cloned()
    }

    /// Does the hint, patched with the model, satisfy the query?
    pub fn satisfies(
        &mut self,
        ex: &Exprs,
        evaluator: &mut Evaluator,
        model: &[(SymbolId, u8)],
        constraints: &[Expr],
        condition: Expr,
        hint: Assignment<'_>,
    ) -> bool {
        let patched = self.patch(model, hint);
        [condition].iter().chain(constraints).all(|&c| evaluator.eval_u64(ex, c, patched) == 1)
    }

    /// The value of `e` under the hint, patched with the model.
    pub fn value_under(
        &mut self,
        ex: &Exprs,
        evaluator: &mut Evaluator,
        e: Expr,
        model: &[(SymbolId, u8)],
        hint: Assignment<'_>,
    ) -> u64 {
        let patched = self.patch(model, hint);
        evaluator.eval_u64(ex, e, patched)
    }

    /// The hint with the model's bytes.
    fn patch(&mut self, model: &[(SymbolId, u8)], hint: Assignment<'_>) -> Assignment<'_> {
        self.patched.clear();
        self.patched.extend_from_slice(hint.bytes);
        for &(s, v) in model {
            if self.patched.len() <= s.0 as usize {
                self.patched.resize(s.0 as usize + 1, 0);
            }
            self.patched[s.0 as usize] = v;
        }
        self.patched_id += 1;
        Assignment { id: self.patched_id, bytes: &self.patched }
    }
}

//! The exact least and greatest value of an expression under a path condition, by a search with queries.
//!
//! An expression over one byte that stands alone needs no query: its values are looked at. Else intervals bound the
//! search from outside, the hint and every model found bound it from inside.

use crate::answer::Answer;
use crate::chain::{Bounds, Budget, Solver};
use crate::constraints::ConstraintSet;
use forkwise_expr::{Assignment, Expr, Exprs, Op};

impl Solver {
    /// The least and the greatest value of `e` (at most 64 bits, unsigned) under `set`, exact unless the time
    /// limit strikes (`None`).
    pub fn range(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        e: Expr,
        hint: Assignment<'_>,
    ) -> Option<(u64, u64)> {
        if let Some(value) = ex.const_u64(e) {
            return Some((value, value));
        }
        match self.ends(ex, set, e, hint, Budget::full(self.config().timeout)) {
            (Ok(low), Ok(high)) => Some((low, high)),
            _ => None,
        }
    }

    /// Bounds of `e` (at most 64 bits, unsigned) under `set`: no value lies outside, and where it is cheap to know they
    /// are the least and the greatest value. Bounds at most `enough` apart are as good as any: no query is spent on
    /// better ones. Never takes long, whatever the time limit.
    pub fn bounds(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        e: Expr,
        hint: Assignment<'_>,
        enough: u64,
    ) -> (u64, u64) {
        if let Some(value) = ex.const_u64(e) {
            return (value, value);
        }
        if let Bounds::Exact(known) | Bounds::Outer(known) = self.known_bounds(ex, set, e)
            && known.1.saturating_sub(known.0) <= enough
        {
            return known;
        }
        let (low, high) = self.ends(ex, set, e, hint, Budget::light(self.config().timeout));
        (low.unwrap_or_else(|bound| bound), high.unwrap_or_else(|bound| bound))
    }

    /// Both ends: what is left of the bound where the search had to stop is the error.
    fn ends(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        e: Expr,
        hint: Assignment<'_>,
        budget: Budget,
    ) -> (Result<u64, u64>, Result<u64, u64>) {
        let outer = match self.known_bounds(ex, set, e) {
            Bounds::Exact((low, high)) => return (Ok(low), Ok(high)),
            Bounds::Outer(outer) => outer,
        };
        let witness = self.value_under_hint(ex, e, hint);
        // Bounds hold where the constraints do, as the hint's value must; a search never starts outside of them.
        let outer = (outer.0.min(witness), outer.1.max(witness));
        let mut seen = (witness, witness);
        let low = self.search(ex, set, e, hint, budget, outer.0, &mut seen, false);
        let high = self.search(ex, set, e, hint, budget, outer.1, &mut seen, true);
        (low, high)
    }

    /// Moves one end of `seen` outwards until no value of `e` lies between it and `bound`, which moves inwards. The error
    /// is the bound at which the budget was spent.
    #[allow(clippy::too_many_arguments)]
    fn search(
        &mut self,
        ex: &mut Exprs,
        set: &ConstraintSet,
        e: Expr,
        hint: Assignment<'_>,
        budget: Budget,
        mut bound: u64,
        seen: &mut (u64, u64),
        upward: bool,
    ) -> Result<u64, u64> {
        let width = ex.width(e);
        let mut first = true;
        // Extremes are often near what was seen already, and far from bounds that know little: steps from the inside
        // grow until one is refuted, then halves.
        let mut step = 1;
        loop {
            let inner = if upward { seen.1 } else { seen.0 };
            if inner == bound {
                return Ok(inner);
            }
            let half = bound.abs_diff(inner).div_ceil(2);
            // The outer bound itself first: it is often tight.
            let target = match (first, upward) {
                (true, _) => bound,
                (false, true) => inner + half.min(step),
                (false, false) => inner - half.min(step),
            };
            step = if first { step } else { step.saturating_mul(2) };
            let constant = ex.constant(width, target);
            let condition = if upward { ex.bin(Op::Ule, constant, e) } else { ex.bin(Op::Ule, e, constant) };
            match self.check_within(ex, set, condition, hint, budget) {
                Answer::Sat(model) => {
                    let value = self.value_under_model(ex, e, &model, hint);
                    *seen = (seen.0.min(value), seen.1.max(value));
                    // A model that does not move the end would loop forever; it cannot satisfy the condition.
                    let moved = if upward { value >= target } else { value <= target };
                    if !moved {
                        return Err(bound);
                    }
                }
                Answer::Unsat => {
                    bound = if upward { target - 1 } else { target + 1 };
                    step = if first { step } else { u64::MAX };
                }
                Answer::Unknown(_) => return Err(bound),
            }
            first = false;
        }
    }
}

//! How many evaluations go where. The papers' figures are n = 1000 (300 where an evaluation is expensive), K = 10, T = 5 to 10; a
//! smaller budget gets smaller ones, so that a few rounds fit into it: refinement needs rounds more than it needs samples.

use super::Kind;

/// Rounds that should fit into a budget.
const ROUNDS: f64 = 4.0;
/// Vectors that are checked, where they can be afforded.
const KEEP: usize = 10;
/// The most that one Find takes.
const SAMPLES: usize = 1000;
/// Racing: of three vectors one goes on, to three times the budget.
const RACE: usize = 3;

/// See the module text.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How vectors are looked for.
    pub kind: Kind,
    /// n: vectors of a Find.
    pub samples: usize,
    /// K: vectors of a Check.
    pub keep: usize,
    /// T: evaluations of each in a Check.
    pub repeats: usize,
    /// The most rounds; `None`: until the average falls.
    pub rounds: Option<usize>,
    /// Budgets of a Find: 1, or with racing several, each three times the one before.
    pub rungs: usize,
    /// Is what is left of the budget spent on choosing among the best of all rounds? Without it, this is the papers' algorithm.
    pub confirm: bool,
}

impl Plan {
    /// For so many evaluations at the full budget.
    pub fn for_evaluations(kind: Kind, evaluations: usize) -> Plan {
        let total = evaluations.max(6);
        let rungs = if kind == Kind::Racing { 2 } else { 1 };
        let rounds = if kind == Kind::Random { 1.0 } else { ROUNDS };
        let round = total as f64 / rounds;
        // About a quarter of a round is for Check.
        let repeats = if round >= 400.0 {
            10
        } else if round >= 60.0 {
            5
        } else {
            3
        };
        let keep = ((round / 4.0 / repeats as f64).round() as usize).clamp(2, KEEP);
        let rest = (round - (keep * repeats) as f64).max(keep as f64);
        // Of n vectors of a race, each rung sees a third of those of the rung before, at three times the budget: n/3^(r-1) each.
        let cost = rungs as f64 / (RACE as f64).powi(rungs - 1);
        let samples = ((rest / cost) as usize).max(keep);
        let samples =
            if kind == Kind::Random { samples } else { samples.min((SAMPLES as f64 / cost) as usize) };
        let rounds = (kind == Kind::Random).then_some(1);
        Plan { kind, samples, keep, repeats, rounds, rungs: rungs as usize, confirm: true }
    }

    /// The share of a trial's budget on a rung of Find.
    pub fn scale(&self, rung: usize) -> f64 {
        let above = self.rungs.saturating_sub(rung + 1);
        1.0 / (RACE as f64).powi(above as i32)
    }

    /// Vectors that go on after a rung of Find that is not the last.
    pub fn survivors(&self, rung: usize) -> usize {
        let shares = RACE.saturating_pow(rung as u32 + 1);
        self.samples.div_ceil(shares).max(self.keep)
    }

    /// What a round costs, in evaluations at the full budget.
    pub fn cost(&self) -> f64 {
        let find: f64 = (0..self.rungs)
            .map(|rung| {
                let vectors = if rung == 0 { self.samples } else { self.survivors(rung - 1) };
                vectors as f64 * self.scale(rung)
            })
            .sum();
        find + (self.keep * self.repeats) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rich_budgets_get_the_published_figures() {
        let plan = Plan::for_evaluations(Kind::Refine, 6000);
        assert_eq!((plan.samples, plan.keep, plan.repeats, plan.rungs), (1000, 10, 10, 1));
        assert_eq!(plan.rounds, None);
    }

    #[test]
    fn a_few_rounds_fit_into_any_budget() {
        for kind in [Kind::Refine, Kind::Racing] {
            for total in [30, 60, 120, 240, 1000, 4000] {
                let plan = Plan::for_evaluations(kind, total);
                let rounds = total as f64 / plan.cost();
                assert!((2.0..=5.0).contains(&rounds), "{kind} {total}: {plan:?} has {rounds} rounds");
                assert!(plan.keep >= 2 && plan.repeats >= 3 && plan.samples >= plan.keep);
            }
        }
        // Whatever is asked for, it is a plan.
        assert!(Plan::for_evaluations(Kind::Refine, 0).samples >= 2);
    }

    #[test]
    fn random_sampling_spends_all_on_one_round() {
        let plan = Plan::for_evaluations(Kind::Random, 240);
        assert_eq!(plan.rounds, Some(1));
        assert!((200.0..=245.0).contains(&plan.cost()), "{plan:?}");
    }

    #[test]
    fn racing_samples_more_for_the_same() {
        let refine = Plan::for_evaluations(Kind::Refine, 240);
        let racing = Plan::for_evaluations(Kind::Racing, 240);
        assert!(racing.samples as f64 >= 1.4 * refine.samples as f64, "{racing:?} {refine:?}");
        assert!((racing.cost() - refine.cost()).abs() <= 0.1 * refine.cost());
        assert_eq!((racing.scale(0), racing.scale(1)), (1.0 / 3.0, 1.0));
    }
}

//! Watching concolic testing: which branch was chosen to be negated, whether that worked, and the 40 features it had when
//! it was chosen, whatever the heuristic. It changes nothing of the testing; without an observer nothing is spent on it.

use crate::features::{BranchFeatures, COUNT};
use crate::heuristic::View;
use crate::tree::Step;

/// A branch that was chosen to be negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Negation {
    /// Number of the choice, from 1; one that fails counts, too.
    pub number: u64,
    /// Executions before the choice; where it succeeds, the next one goes the other way.
    pub executions: u64,
    /// Position of the branch on its path, from 0.
    pub position: usize,
    /// Branches of that path: the last one, or where the branch is not on the last path the way to the branch.
    pub length: usize,
    /// The edge that the path took; `None` where the program decides without branching.
    pub taken: Option<u32>,
    /// The edge that is to be taken instead.
    pub opposite: Option<u32>,
    /// Is there an input that goes the other way? Otherwise there is none, or the solver gave no answer.
    pub success: bool,
    /// Has the branch feature n of [`crate::features::TABLE`]? Bit n - 1.
    pub bits: u64,
}

impl Negation {
    /// The features one by one; feature n is at n - 1.
    pub fn features(&self) -> [bool; COUNT] {
        std::array::from_fn(|i| self.bits >> i & 1 == 1)
    }
}

/// Hears of every choice, when it is known whether it succeeded.
pub type Observer = Box<dyn FnMut(&Negation)>;

/// An observer, and what it needs to be told.
pub(crate) struct Watch {
    pub observer: Observer,
    features: BranchFeatures,
}

impl Watch {
    pub fn new(observer: Observer) -> Watch {
        Watch { observer, features: BranchFeatures::default() }
    }

    /// What is known of a choice before it is tried. `taken` is the step that is negated, `other` what is to be taken
    /// instead; the path is that of the view if it goes there, otherwise the one to `taken`. `counts` are the number of
    /// the choice and the executions so far.
    pub fn chosen(&mut self, view: View<'_>, taken: Step, other: Step, counts: (u64, u64)) -> Negation {
        let position = view.tree.node(taken.node).depth as usize;
        let elsewhere;
        let view = if view.path.get(position) == Some(&taken) {
            view
        } else {
            elsewhere = view.tree.path_to(taken);
            View { path: &elsewhere, ..view }
        };
        self.features.read(view);
        Negation {
            number: counts.0,
            executions: counts.1,
            position,
            length: view.path.len(),
            taken: view.tree.edge(taken),
            opposite: view.tree.edge(other),
            success: false,
            bits: self.features.bits(view, position, other),
        }
    }
}

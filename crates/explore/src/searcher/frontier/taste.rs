//! What the frontier search prefers, as numbers that can be learned. Each feature has a weight θ, usually in [-1, 1], that
//! scales one constant of the search or bends one of its curves; with all weights 0 it is the search that people made, to
//! the last bit. The table here is the only place that knows the order, names and meanings of the features; names are
//! the keys of weight files. It decides what things weigh, never which state runs: see `super` for that.

use forkwise_ir::EdgeFacts;
use forkwise_vm::State;
use std::sync::Arc;

/// A path that covers nothing new for this long makes room for others.
const PATIENCE: f64 = 300_000.0;
/// And one whose conditions are hard, after this much work of the solver (`State::solver_work`, about a second).
const SOLVING_PATIENCE: f64 = 1_000_000_000.0;
/// One choice in so many is a random walk down the execution tree, so that nothing waits for ever.
const WALK_EVERY: f64 = 8.0;
/// Weights of an edge that was never taken, in the user's code and in a library, and of an edge with a condition that
/// was never asked for. What has neither weighs about one.
const NEW_EDGE: f64 = 1e6;
const NEW_IN_LIBRARY: f64 = 50.0;
const NEW_CONDITION: f64 = 50.0;
/// And of one that nobody has met together with a case that the path took before: options in combination.
const NEW_PAIR: f64 = 10.0;
/// The nearness of an edge from which no uncovered code can be reached.
const DEAD_END: f64 = 0.02;

/// Weights are usable numbers whatever the file says: beyond this a weight has no further effect.
const LARGEST_WEIGHT: f64 = 4.0;
/// And so are products of them; what waits never weighs nothing.
const LIGHTEST: f64 = 1e-200;
const HEAVIEST: f64 = 1e200;
/// Loops beyond this depth weigh the same.
const DEEP: u32 = 3;
/// States of an edge that are compared when a weight about them is 1.
const MOST_DRAWS: f64 = 8.0;

/// A feature of the frontier search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontierFeature {
    /// Its name: the key in weight files.
    pub name: &'static str,
    /// What a weight above 0 does.
    pub meaning: &'static str,
}

macro_rules! table {
    ($($field:ident, $name:literal: $meaning:literal,)*) => {
        /// The features, in their order.
        pub const FRONTIER_FEATURES: &[FrontierFeature] =
            &[$(FrontierFeature { name: $name, meaning: $meaning }),*];

        /// The weights by their names.
        #[derive(Clone, Copy, Debug, Default)]
        struct Thetas { $($field: f64,)* }

        impl Thetas {
            /// In the order of the table; what is missing is 0.
            fn new(weights: &[f64]) -> Thetas {
                let mut weights = weights.iter().map(|w| w.clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT));
                Thetas { $($field: weights.next().unwrap_or(0.0),)* }
            }
        }
    };
}

table! {
    new_edge, "new-edge": "favours edges in the user's code that nobody took (times 10^4θ)",
    new_in_library, "new-library-edge": "favours edges in libraries that nobody took (times 10^2θ)",
    new_condition, "new-condition": "favours edges with a condition that nobody asked for (times 10^2θ)",
    new_pair, "new-pair": "favours edges that nobody met together with a case taken before (times 10^2θ)",
    nearness, "nearness": "nearness to uncovered code counts more among edges without anything new (to the power 4^θ)",
    new_nearness, "new-nearness": "favours, among edges with anything new, those near to uncovered code (nearness to the power θ)",
    dead_end, "dead-end": "favours edges from which no uncovered code can be reached (times 10^2θ)",
    edge_promise, "edge-promise": "what came of an edge before counts more (to the power 4^θ)",
    function_promise, "function-promise": "what came of the edges of a function before counts more (to the power 4^θ)",
    retries, "retries": "edges that nobody took and that were tried in vain lose weight faster (to the power 2^θ)",
    library, "library": "favours edges in libraries (times 10^2θ)",
    loop_depth, "loop-depth": "favours edges into loops (times 10^θ for each loop around the target, at most three)",
    continues, "loop-continue": "favours edges that continue a loop (times 10^2θ)",
    exits, "loop-exit": "favours edges that leave a loop (times 10^2θ)",
    case, "case": "favours cases of switches (times 10^2θ)",
    crowd, "crowd": "favours edges at which many states wait (their number to the power θ)",
    walks, "walks": "more random walks down the execution tree: one in 8 choices at 0, in 2 at 1, in 32 at -1",
    patience, "patience": "a path that covers nothing new is followed for longer (times 10^θ)",
    solving_patience, "solving-patience": "a path with hard conditions is followed for longer (times 10^θ)",
    newest, "newest": "of the states of an edge, takes new ones (below 0: old ones); at 0 any",
    constraints, "constraints": "of the states of an edge, takes those with many constraints (below 0: with few)",
    long, "long": "of the states of an edge, takes those whose paths are long (below 0: short), in instructions",
}

/// Number of features.
pub const FRONTIER_WEIGHTS: usize = FRONTIER_FEATURES.len();

/// The weights of a learned frontier search, and what to call it.
#[derive(Clone, Debug)]
pub struct FrontierWeights {
    /// As it is written on the command line: `learned:FILE`.
    pub name: Arc<str>,
    /// One for each of `FRONTIER_FEATURES`.
    pub weights: Arc<[f64; FRONTIER_WEIGHTS]>,
}

impl PartialEq for FrontierWeights {
    fn eq(&self, other: &FrontierWeights) -> bool {
        let bits = |w: &FrontierWeights| w.weights.map(f64::to_bits);
        self.name == other.name && bits(self) == bits(other)
    }
}

impl Eq for FrontierWeights {}

/// What is new about the states that wait at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Novelty {
    /// Nobody took the edge.
    Edge,
    /// Nobody asked for the condition of one of them.
    Condition,
    /// One of them makes a new pair.
    Pair,
    /// Nothing.
    Nothing,
}

/// Times something was chosen, and how often that led to new code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    pub tried: u32,
    pub won: u32,
}

impl Record {
    /// How promising it is: what has led to new code does so again; what was tried in vain makes room.
    fn promise(self) -> f64 {
        (1.0 + 4.0 * f64::from(self.won)) / (1.0 + f64::from(self.tried))
    }
}

/// An edge at which states wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub novelty: Novelty,
    /// Of the edge, and of the function it leads into.
    pub record: Record,
    pub function: Record,
    pub library: bool,
    /// From its target to uncovered code; `None`: there is no way.
    pub distance: Option<u32>,
    /// Loops around its target.
    pub loop_depth: u32,
    /// Nothing where nobody weighs them (`Taste::needs_facts`).
    pub facts: EdgeFacts,
    /// States.
    pub states: usize,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Taste {
    thetas: Thetas,
    pub patience: u64,
    pub solving_patience: u64,
    pub walk_every: u64,
    /// States of an edge that are compared.
    pub draws: usize,
    new_edge: f64,
    new_in_library: f64,
    new_condition: f64,
    new_pair: f64,
    nearness: f64,
    edge_promise: f64,
    function_promise: f64,
    retries: f64,
}

/// Ten to the power of it. 1 for 0, exactly.
fn ten(power: f64) -> f64 {
    10f64.powf(power)
}

/// As `powf`, which need not be exact where nothing is to be done.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 1.0 { base } else { base.powf(exponent) }
}

fn near(distance: u32) -> f64 {
    10.0 / (10.0 + f64::from(distance))
}

impl Taste {
    /// With one weight for each feature of the table.
    pub fn new(weights: &[f64]) -> Taste {
        let t = Thetas::new(weights);
        let about_states = [t.newest, t.constraints, t.long].map(f64::abs);
        let strongest = about_states.into_iter().fold(0.0, f64::max).min(1.0);
        Taste {
            thetas: t,
            patience: (PATIENCE * ten(t.patience)) as u64,
            solving_patience: (SOLVING_PATIENCE * ten(t.solving_patience)) as u64,
            walk_every: ((WALK_EVERY * 4f64.powf(-t.walks)).round() as u64).max(1),
            draws: 1 + (MOST_DRAWS * strongest) as usize,
            new_edge: NEW_EDGE * ten(4.0 * t.new_edge),
            new_in_library: NEW_IN_LIBRARY * ten(2.0 * t.new_in_library),
            new_condition: NEW_CONDITION * ten(2.0 * t.new_condition),
            new_pair: NEW_PAIR * ten(2.0 * t.new_pair),
            nearness: 4f64.powf(t.nearness),
            edge_promise: 4f64.powf(t.edge_promise),
            function_promise: 4f64.powf(t.function_promise),
            retries: 2f64.powf(t.retries),
        }
    }

    /// Does it ask for `Waiting::facts`? They take time to compute.
    pub fn needs_facts(&self) -> bool {
        let t = &self.thetas;
        [t.continues, t.exits, t.case].iter().any(|w| *w != 0.0)
    }

    /// Does the weight of an edge change with the number of its states?
    pub fn counts_states(&self) -> bool {
        self.thetas.crowd != 0.0
    }

    /// The weight of states that wait at no branch.
    pub fn elsewhere(&self, record: Record) -> f64 {
        power(record.promise(), self.edge_promise).clamp(LIGHTEST, HEAVIEST)
    }

    /// The weight of an edge.
    pub fn weigh(&self, edge: &Waiting) -> f64 {
        let weight = match edge.novelty {
            Novelty::Edge => {
                let tried = 1.0 + f64::from(edge.record.tried);
                let weight = if edge.library { self.new_in_library } else { self.new_edge };
                weight / power(tried * tried, self.retries)
            }
            Novelty::Condition => self.new_condition * self.promise(edge),
            Novelty::Pair => self.new_pair * self.promise(edge),
            Novelty::Nothing => {
                let near = edge.distance.map_or(DEAD_END, |d| power(near(d), self.nearness));
                near * self.promise(edge)
            }
        };
        (weight * self.likes(edge)).clamp(LIGHTEST, HEAVIEST)
    }

    fn promise(&self, edge: &Waiting) -> f64 {
        let promise = power(edge.record.promise(), self.edge_promise);
        match self.function_promise == 1.0 {
            // Not a product with the promise of the function: rounding would differ.
            true => {
                let Record { tried, won } = edge.function;
                promise * (1.0 + 4.0 * f64::from(won)) / (1.0 + f64::from(tried))
            }
            false => promise * edge.function.promise().powf(self.function_promise),
        }
    }

    /// What people gave no weight. With all weights 0 it is 1.
    fn likes(&self, edge: &Waiting) -> f64 {
        let t = &self.thetas;
        let has = |facts| if edge.facts.has(facts) { 2.0 } else { 0.0 };
        let mut tens = t.loop_depth * f64::from(edge.loop_depth.min(DEEP))
            + t.continues * has(EdgeFacts::CONTINUES_LOOP)
            + t.exits * has(EdgeFacts::EXITS_LOOP)
            + t.case * has(EdgeFacts::CASE);
        if edge.library {
            tens += 2.0 * t.library;
        }
        if edge.distance.is_none() {
            tens += 2.0 * t.dead_end;
        }
        let mut likes = ten(tens) * (edge.states.max(1) as f64).powf(t.crowd);
        if let (false, Some(d)) = (edge.novelty == Novelty::Nothing, edge.distance) {
            likes *= near(d).powf(t.new_nearness);
        }
        likes
    }

    /// Which of these states of an edge, by its place in the list: that which ranks highest among them by what is weighed.
    pub fn best(&self, states: &[&State]) -> usize {
        let t = &self.thetas;
        let rank = |of: &State, key: fn(&State) -> u64| {
            states.iter().filter(|other| key(other) < key(of)).count() as f64
        };
        let score = |st: &State| {
            t.newest * rank(st, |s| s.id)
                + t.constraints * rank(st, |s| s.condition.len() as u64)
                + t.long * rank(st, |s| s.instructions)
        };
        let scores: Vec<f64> = states.iter().map(|st| score(st)).collect();
        // The first of equals.
        (0..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
    }
}

//! What a search is asked for: the method and its parameters, when to stop, and why it did. Plain data.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How the worst input is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Policies, flips of single decisions, evolution and concrete mutations, whichever pays off.
    #[default]
    Auto,
    /// Evolutionary symbolic execution, as published.
    Ese,
    /// Random paths.
    Random,
    /// All paths in depth-first order.
    Dfs,
    /// The worst path of small sizes as a policy.
    Wise,
    /// The same with histories of decisions.
    SpfWca,
    /// A genetic algorithm on inputs.
    Dynamic,
}

impl Method {
    /// All of them, by name.
    pub const ALL: [(&'static str, Method); 7] = [
        ("auto", Method::Auto),
        ("ese", Method::Ese),
        ("random", Method::Random),
        ("dfs", Method::Dfs),
        ("wise", Method::Wise),
        ("spf-wca", Method::SpfWca),
        ("dynamic", Method::Dynamic),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Method::ALL.iter().find(|m| m.1 == self).map_or("", |m| m.0)
    }
}

/// When a search stops; `None` is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// Wall time.
    pub time: Option<Duration>,
    /// Paths, runs on given inputs included.
    pub paths: Option<u64>,
    /// Generations, of methods that have them.
    pub generations: Option<u64>,
}

/// How time is told: by any function whose values grow by a second in a second of that time.
#[derive(Clone, Copy, Debug)]
pub struct Clock(pub fn() -> Duration);

impl Clock {
    /// The time, since some moment in the past.
    pub fn now(self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    /// Time as on the wall.
    fn default() -> Clock {
        static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Clock(|| BEGIN.elapsed())
    }
}

/// Parameters; the defaults are those of the paper's table IV.
#[derive(Clone, Debug)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// The budget.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
    /// Individuals.
    pub population: usize,
    /// Individuals that survive because they cost most.
    pub elite: usize,
    /// Probability of a mutation.
    pub mutation: f64,
    /// Generations from one local search to the next.
    pub local_period: u64,
    /// Attempts of a local search.
    pub local_attempts: u64,
    /// Decisions before one that a policy of `spf-wca` looks at.
    pub history: usize,
    /// The clock of the budget.
    pub clock: Clock,
    /// Stop as soon as an input costs this much.
    pub target: Option<u64>,
    /// What `auto` does without, to see what it is good for.
    pub without: Vec<Part>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: Method::default(),
            budget: Budget::default(),
            seed: 0,
            population: 50,
            elite: 5,
            mutation: 0.2,
            local_period: 10,
            local_attempts: 25,
            history: 1,
            clock: Clock::default(),
            target: None,
            without: Vec::new(),
        }
    }
}

/// A part of `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Learning wishes on smaller sizes.
    Training,
    /// Policies at the size itself.
    Wishes,
    /// The other side of one decision of the best path.
    Flips,
    /// Remembering at which places flips paid off.
    Learning,
    /// Changes of the input at concrete speed.
    Changes,
    /// Inputs of simple shapes to begin with.
    Shapes,
    /// Crossover of path conditions.
    Crossover,
    /// Knowing one feasible side of every branch: without, the solver is asked about the others at every branch.
    Witnesses,
    /// Questions about the order of inputs answered without the solver.
    Order,
}

impl Part {
    /// All of them, by name.
    pub const ALL: [(&'static str, Part); 9] = [
        ("training", Part::Training),
        ("wishes", Part::Wishes),
        ("flips", Part::Flips),
        ("learning", Part::Learning),
        ("changes", Part::Changes),
        ("shapes", Part::Shapes),
        ("crossover", Part::Crossover),
        ("witnesses", Part::Witnesses),
        ("order", Part::Order),
    ];
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All paths were run, or nothing could be better.
    Complete,
    /// The time limit.
    Time,
    /// The limit of paths.
    Paths,
    /// The limit of generations.
    Generations,
    /// The cost that was asked for is reached.
    Target,
    /// The user.
    Interrupt,
    /// An input on which the program does not end within the limit of a path: nothing is worse.
    Endless,
}

impl Stop {
    /// The name in machine output.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Complete => "complete",
            Stop::Time => "time",
            Stop::Paths => "paths",
            Stop::Generations => "generations",
            Stop::Target => "target",
            Stop::Interrupt => "interrupt",
            Stop::Endless => "endless",
        }
    }
}

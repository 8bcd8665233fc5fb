//! The options of `forkwise worst`: those of `run`, and what the search for the worst input needs.

use crate::run::borrowed::Borrowed;
use clap::Args;
use forkwise_worst::{Budget, Clock, Method, Options, Part};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

/// Searches side by side, unless told otherwise.
const MOST_JOBS: usize = 4;
/// How long `auto` searches a size, unless told otherwise; and what the paper gives the others.
const USUAL_TIME: Duration = Duration::from_secs(60);
const PUBLISHED_TIME: Duration = Duration::from_secs(60 * 60);

/// Find the input of a size that costs most.
#[derive(Args, Clone, Debug)]
pub struct WorstArgs {
    /// Sizes to search one after the other, for a curve and its complexity class
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', help_heading = "Worst case")]
    pub sizes: Vec<u64>,

    /// How to search: auto, ese, random, dfs, wise, spf-wca or dynamic
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = method, help_heading = "Worst case")]
    pub method: Method,

    /// What to maximise: instructions, native, alloc, stack, branch:FILE:LINE or function:NAME
    #[arg(long, value_name = "COST", default_value = "instructions", help_heading = "Worst case")]
    pub cost: String,

    /// Stop a search after this many paths and runs
    #[arg(long, value_name = "N", help_heading = "Worst case")]
    pub paths: Option<u64>,

    /// Stop a search after this many generations
    #[arg(long, value_name = "N", help_heading = "Worst case")]
    pub generations: Option<u64>,

    /// ese, dynamic: individuals of a generation
    #[arg(long, value_name = "N", default_value_t = 50, help_heading = "Worst case")]
    pub popsize: usize,

    /// ese, dynamic: individuals that survive because they cost most
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Worst case")]
    pub elitesize: usize,

    /// ese: probability that a child's condition is mutated
    #[arg(long, value_name = "P", default_value_t = 0.2, value_parser = probability, help_heading = "Worst case")]
    pub mprob: f64,

    /// ese: generations from one local search to the next
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Worst case")]
    pub lsperiod: u64,

    /// ese: attempts of a local search
    #[arg(long, value_name = "N", default_value_t = 25, help_heading = "Worst case")]
    pub lsattempts: u64,

    /// spf-wca: decisions before one that its policy looks at
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Worst case")]
    pub history: usize,

    /// Stop as soon as an input costs this much
    #[arg(long, value_name = "COST", help_heading = "Worst case")]
    pub target: Option<u64>,

    /// Time is what the search has had of a processor, not what has passed: for figures from a busy machine
    #[arg(long, hide_short_help = true, help_heading = "Worst case")]
    pub cpu_time: bool,

    /// auto: searches that work side by side and tell each other what they find (default: one per core, four at most)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64), help_heading = "Worst case")]
    pub jobs: Option<u64>,

    /// auto: leave out parts, to see what they are good for: training, wishes, flips, learning, changes, shapes, crossover,
    /// witnesses, order
    #[arg(long, value_name = "PART,…", value_delimiter = ',', value_parser = part, hide_short_help = true, help_heading = "Worst case")]
    pub without: Vec<Part>,

    /// Free expressions that nobody names any more when there are more than this (for tests of forkwise itself)
    #[arg(long, value_name = "N", hide = true)]
    pub most_expressions: Option<usize>,

    /// A path that takes more instructions than this does not end
    #[arg(long, value_name = "N", default_value_t = 100_000_000, help_heading = "Worst case")]
    pub endless: u64,

    #[command(flatten)]
    pub run: Borrowed,
}

impl WorstArgs {
    /// The search's options.
    pub fn search(&self) -> Options {
        let run = &self.run.args;
        let limited = self.paths.is_some() || self.generations.is_some();
        let usual = match self.method {
            Method::Auto => USUAL_TIME,
            _ => PUBLISHED_TIME,
        };
        Options {
            method: self.method,
            budget: Budget {
                time: run.time.or((!limited).then_some(usual)),
                paths: self.paths,
                generations: self.generations,
            },
            seed: run.seed,
            population: self.popsize,
            elite: self.elitesize,
            mutation: self.mprob,
            local_period: self.lsperiod,
            local_attempts: self.lsattempts,
            history: self.history,
            clock: if self.cpu_time { Clock(processor_time) } else { Clock::default() },
            target: self.target,
            without: self.without.clone(),
        }
    }

    /// Searches side by side. The published methods are searched as they were published, one path after the other.
    pub fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_JOBS));
        match self.method {
            Method::Auto => self.jobs.map_or_else(cores, |n| n as usize),
            _ => 1,
        }
    }
}

/// What this thread has had of a processor, as the kernel counts it; what has passed where it does not tell.
fn processor_time() -> Duration {
    thread_local! {
        static COUNT: Option<File> = File::open("/proc/thread-self/schedstat").ok();
    }
    let read = |file: &File| {
        let mut text = [0; 64];
        let length = file.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..length]).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    COUNT.with(|file| file.as_ref().and_then(read)).unwrap_or_else(|| Clock::default().now())
}

fn method(text: &str) -> Result<Method, String> {
    let named = Method::ALL.into_iter().find(|m| m.0 == text).map(|m| m.1);
    let names = || Method::ALL.map(|m| m.0).join(", ");
    named.ok_or_else(|| format!("there is no such method; there are {}", names()))
}

fn part(text: &str) -> Result<Part, String> {
    let named = Part::ALL.into_iter().find(|p| p.0 == text).map(|p| p.1);
    let names = || Part::ALL.map(|p| p.0).join(", ");
    named.ok_or_else(|| format!("there is no such part; there are {}", names()))
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
        _ => Err("a probability is a number from 0 to 1".into()),
    }
}

//! `forkwise solver-bench`: a recorded query log through the solver chain, with layers switched off. For measuring;
//! `cargo xtask bench engine` calls it.

use crate::app::{CLEAN, ERROR};
use crate::console;
use crate::run::options::duration;
use clap::Args;
use forkwise_solver::trace::Trace;
use forkwise_solver::{Config, SatEngine};
use std::path::PathBuf;
use std::time::Duration;

/// Run a recorded query log through the solver
#[derive(Args, Debug)]
pub struct SolverBenchArgs {
    /// A file written by `run --log-queries`
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Layers to leave out: independence, cache, models, ranges
    #[arg(long, value_name = "LAYER", value_delimiter = ',')]
    without: Vec<String>,
    /// Ask the SMT-LIB program alone
    #[arg(long)]
    smt_only: bool,
    /// SAT solver: auto, own or cadical
    #[arg(long, value_name = "NAME", default_value = "auto")]
    sat: String,
    /// Time for one query
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,
}

/// `forkwise solver-bench`.
pub fn main(args: &SolverBenchArgs) -> anyhow::Result<u8> {
    let mut config = Config { timeout: args.timeout, smt_only: args.smt_only, ..Config::default() };
    for layer in &args.without {
        match layer.as_str() {
            "independence" => config.independence = false,
            "cache" => config.cache = false,
            "models" => config.model_reuse = false,
            "ranges" => config.ranges = false,
            other => {
                anyhow::bail!("there is no layer '{other}'; there are independence, cache, models, ranges")
            }
        }
    }
    config.sat = match args.sat.as_str() {
        "auto" => SatEngine::Auto,
        "own" => SatEngine::Own,
        "cadical" => SatEngine::Cadical,
        other => anyhow::bail!("there is no SAT solver '{other}'; there are auto, own, cadical"),
    };
    let mut trace = Trace::read(&args.trace)?;
    let report = trace.replay(config, args.time);
    let object = serde_json::json!({
        "queries": report.queries,
        "of": trace.len(),
        "sat": report.sat,
        "unsat": report.unsat,
        "unknown": report.unknown,
        "contradictions": report.contradictions,
        "seconds": report.elapsed.as_secs_f64(),
        "queries_per_second": report.rate(),
    });
    console::out(format!("{object}\n"))?;
    Ok(if report.contradictions == 0 { CLEAN } else { ERROR })
}

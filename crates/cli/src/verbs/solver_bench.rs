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
    /// Files written by `run --log-queries`. Several: a table of the chain, of the chain without each of its layers,
    /// and of the SMT-LIB program alone
    #[arg(value_name = "TRACE", required = true)]
    traces: Vec<PathBuf>,
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
    if args.traces.len() > 1 {
        return table(&args.traces, &config, args.time.unwrap_or(TABLE_TIME));
    }
    let mut trace = Trace::read(&args.traces[0])?;
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

/// What one configuration gets for one trace in the table.
const TABLE_TIME: Duration = Duration::from_secs(10);

/// Queries a second of each configuration on each trace, the same queries in the same order.
fn table(traces: &[PathBuf], base: &Config, time: Duration) -> anyhow::Result<u8> {
    let configs: [(&str, Config); 6] = [
        ("chain", base.clone()),
        ("-independence", Config { independence: false, ..base.clone() }),
        ("-cache", Config { cache: false, ..base.clone() }),
        ("-models", Config { model_reuse: false, ..base.clone() }),
        ("-ranges", Config { ranges: false, ..base.clone() }),
        ("z3 alone", Config { smt_only: true, ..base.clone() }),
    ];
    let mut out = format!("{:<14}{:>9}", "queries/s", "queries");
    for (name, _) in &configs {
        out += &format!("{name:>15}");
    }
    out += &format!("{:>12}\n", "chain/z3");
    let mut contradictions = 0;
    for path in traces {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut rates = Vec::new();
        let mut n = 0;
        for (_, config) in &configs {
            let mut trace = Trace::read(path)?;
            n = trace.len();
            let report = trace.replay(config.clone(), Some(time));
            contradictions += report.contradictions;
            rates.push(report.rate());
        }
        out += &format!("{name:<14}{n:>9}");
        for rate in &rates {
            out += &format!("{rate:>15.0}");
        }
        out += &format!("{:>11.0}x\n", rates[0] / rates[5].max(f64::MIN_POSITIVE));
    }
    console::out(out)?;
    Ok(if contradictions == 0 { CLEAN } else { ERROR })
}

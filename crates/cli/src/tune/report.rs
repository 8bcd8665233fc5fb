//! What a campaign ends with: the object of `--json` and `summary.json`, the text for people, the settings to save. The fields
//! of the object are a contract: they may be added to, never renamed.

use super::log::{round, shown};
use super::options::TuneArgs;
use super::session::Session;
use crate::params::SEEDS;
use crate::run::config::Config;
use forkwise_tune::Vector;
use forkwise_tune::words::{settings, words};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Parameters that the text names.
const SHOWN: usize = 6;

/// The vector to use next time: the best one, without its seed, which is one of this campaign.
pub fn best(session: &Session<'_>) -> Option<(Vector, usize)> {
    let (vector, gain) = session.tuner.best()?;
    let mut vector = vector.clone();
    if let Some(seeds) = session.tuner.space.find(SEEDS).and_then(|i| vector.0.get_mut(i)) {
        seeds.clear();
    }
    Some((vector, gain.all))
}

/// The best settings as a file for `run --config`.
pub fn config(session: &Session<'_>, defaults: &[(String, forkwise_tune::Value)]) -> Config {
    let vector = best(session).map(|b| b.0).unwrap_or_default();
    let words = words(settings(&session.tuner.space, &vector, defaults));
    Config::of_words(&words.before, &words.behind)
}

/// Where the time of this session went: in engine processes, and of that exploring.
pub fn shares(session: &Session<'_>, jobs: usize) -> (f64, f64) {
    let all = (session.elapsed() * jobs as f64).max(1e-9);
    let sum = |f: &dyn Fn(&super::ledger::Entry) -> f64| session.entries.iter().map(f).sum::<f64>() / all;
    (sum(&|e| e.wall).min(1.0), sum(&|e| e.explored).min(1.0))
}

/// The object.
pub fn object(args: &TuneArgs, session: &Session<'_>, defaults: &[(String, forkwise_tune::Value)]) -> Value {
    let tuner = &session.tuner;
    let (engine, exploring) = shares(session, args.jobs());
    let config = config(session, defaults);
    let mut unconfirmed: Vec<&String> = session.entries.iter().flat_map(|e| &e.unconfirmed).collect();
    unconfirmed.sort_unstable();
    unconfirmed.dedup();
    let importance: Vec<Value> = tuner
        .importance()
        .iter()
        .map(|i| {
            json!({
                "parameter": tuner.space.parameters[i.parameter].name,
                "share": round(i.share),
                "best": i.best.as_ref().map(|(v, mean, runs)| json!({"value": v, "mean": round(*mean), "runs": runs})),
            })
        })
        .collect();
    json!({
        "program": args.run.args.file().display().to_string(),
        "policy": args.policy.to_string(),
        "mode": args.mode().name(),
        "seed": args.run.args.seed,
        "jobs": args.jobs(),
        "seconds": round(session.elapsed()),
        "trials": session.entries.len(),
        "tests": count(&session.corpus()),
        "tests_evaluated": tuner.data.tests,
        "coverage": {"branches": tuner.data.branches(), "native": session.is_native()},
        "bugs": tuner.data.bugs().iter().map(|(f, l)| json!({"function": f, "line": l})).collect::<Vec<_>>(),
        "bugs_are_confirmed": session.is_native(),
        "unconfirmed_bugs": unconfirmed,
        "time": {
            "in_engine": round(engine),
            "exploring": round(exploring),
            "evaluating_seconds": round(session.judging),
        },
        "best": best(session).map(|(vector, reached)| json!({
            "settings": shown(&tuner.space, &vector),
            "reached": reached,
            "options": config.options,
            "arguments": config.arguments,
        })),
        "importance": importance,
        "interrupted": session.interrupted(),
        "output": session.folder().display().to_string(),
    })
}

fn count(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, |d| {
        d.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(".test.json")).count()
    })
}

/// The text.
pub fn text(args: &TuneArgs, object: &Value) -> String {
    let mut out = String::new();
    let number = |v: &Value| v.as_u64().unwrap_or(0);
    let _ = writeln!(
        out,
        "{}: {} runs in {:.0} s, {} branches, {} tests, policy {}",
        args.run.args.file().display(),
        number(&object["trials"]),
        object["seconds"].as_f64().unwrap_or(0.0),
        number(&object["coverage"]["branches"]),
        number(&object["tests"]),
        args.policy,
    );
    let empty = Vec::new();
    let bugs = object["bugs"].as_array().unwrap_or(&empty);
    let how = if object["bugs_are_confirmed"] == true { "confirmed natively" } else { "found by the engine" };
    let _ = writeln!(out, "{} bugs {how}", bugs.len());
    for bug in bugs {
        let _ = writeln!(out, "  {}:{}", bug["function"].as_str().unwrap_or(""), number(&bug["line"]));
    }
    for bug in object["unconfirmed_bugs"].as_array().unwrap_or(&empty) {
        let _ = writeln!(out, "  not seen natively: {}", bug.as_str().unwrap_or(""));
    }
    let percent = |v: &Value| v.as_f64().unwrap_or(0.0) * 100.0;
    let _ = writeln!(
        out,
        "time: {:.0} % in engine runs ({:.0} % exploring), {:.1} s evaluating tests",
        percent(&object["time"]["in_engine"]),
        percent(&object["time"]["exploring"]),
        object["time"]["evaluating_seconds"].as_f64().unwrap_or(0.0),
    );
    let mattered: Vec<&Value> = object["importance"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .filter(|i| i["share"].as_f64().unwrap_or(0.0) > 0.0)
        .take(SHOWN)
        .collect();
    if !mattered.is_empty() {
        let _ = writeln!(
            out,
            "parameters that mattered most (share of the differences between runs, best value):"
        );
    }
    for i in mattered {
        let best = i["best"]["value"].as_str().unwrap_or("-");
        let _ = writeln!(
            out,
            "  {:4.0} %  {} {best}",
            percent(&i["share"]),
            i["parameter"].as_str().unwrap_or("")
        );
    }
    if let Some(options) = object["best"]["options"].as_object() {
        let options: Vec<String> =
            options.iter().map(|(k, v)| format!("--{k}={}", v.as_str().unwrap_or(""))).collect();
        let arguments: Vec<&str> = object["best"]["arguments"]
            .as_array()
            .unwrap_or(&empty)
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let _ = writeln!(
            out,
            "best settings ({} branches in one run): {} PROGRAM {}",
            number(&object["best"]["reached"]),
            options.join(" "),
            arguments.join(" ")
        );
    }
    let _ = writeln!(out, "results: {}", object["output"].as_str().unwrap_or(""));
    out
}

//! What `forkwise worst` tells: a text for people, an object for programs, a picture of the curve. The object's fields are a
//! contract: they may be added to, never renamed.

use super::is_endless;
use super::native::Seen;
use super::options::WorstArgs;
use forkwise_vm::Termination;
use forkwise_worst::{Answer, Fit, fit, svg, text_plot};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What was found at a size.
pub struct Found {
    /// The size; 0 is none.
    pub size: u64,
    /// The search's answer.
    pub answer: Answer,
    /// The cost, measured again.
    pub cost: Option<u64>,
    /// The test, within the result folder.
    pub test: Option<String>,
    /// The native run.
    pub native: Option<Seen>,
}

impl Found {
    /// Not yet measured.
    pub fn new(size: u64, answer: Answer) -> Found {
        Found { size, answer, cost: None, test: None, native: None }
    }

    fn ratio(&self) -> Option<f64> {
        let typical = self.answer.typical.filter(|t| *t > 0.0)?;
        Some(self.cost? as f64 / typical)
    }

    /// The object of one size.
    pub fn to_json(&self, args: &WorstArgs) -> Value {
        let a = &self.answer;
        let s = &a.statistics;
        let native = self.native.as_ref();
        json!({
            "method": args.method.name(),
            "measure": args.cost,
            "size": self.size,
            "seed": args.run.args.seed,
            "jobs": args.jobs(),
            "cost": self.cost,
            "endless": is_endless(a),
            "typical_cost": a.typical.map(round),
            "times_typical": self.ratio().map(round),
            "seconds": round(a.elapsed.as_secs_f64()),
            "seconds_to_best": a.best.as_ref().map(|b| round(b.seconds)),
            "paths": s.paths,
            "concrete_runs": s.concrete,
            "paths_to_best": a.best.as_ref().map(|b| b.paths),
            "infeasible": s.infeasible,
            "failed": a.failures.0,
            "generations": s.generations,
            "solver_calls": a.solver_calls,
            "order_questions": a.ordered,
            "gains": s.gains.iter().map(|(by, n)| (by.to_string(), json!(n))).collect::<serde_json::Map<_, _>>(),
            "stop_reason": a.stop.name(),
            "test": self.test,
            "native_instructions": native.and_then(|n| n.instructions.as_ref().ok()),
            "native_instructions_missing": native.and_then(|n| n.instructions.as_ref().err()),
            "native_seconds": native.map(|n| n.seconds),
            "native_same": native.map(|n| n.difference.is_none()),
        })
    }
}

fn round(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

/// Everything that was found.
pub struct Told<'a> {
    /// The options.
    pub args: &'a WorstArgs,
    /// By size.
    pub found: &'a [Found],
    /// The result folder.
    pub output: &'a Path,
}

impl Told<'_> {
    fn program(&self) -> String {
        self.args.run.args.file().display().to_string()
    }

    fn curve(&self) -> Vec<(u64, u64)> {
        let mut curve: Vec<(u64, u64)> = self.found.iter().filter_map(|f| Some((f.size, f.cost?))).collect();
        curve.sort_unstable();
        curve
    }

    /// The object; with several sizes, the largest one's with the curve.
    pub fn json(&self) -> Value {
        let largest = self.found.iter().max_by_key(|f| f.size);
        let mut object = largest.map_or(json!({}), |f| f.to_json(self.args));
        object["program"] = self.program().into();
        object["output"] = self.output.display().to_string().into();
        if !self.args.sizes.is_empty() {
            object["curve"] = self.found.iter().map(|f| f.to_json(self.args)).collect();
            object["fit"] = fit(&self.curve()).map_or(Value::Null, |f| fit_json(&f));
        }
        object
    }

    /// The picture, if there is a curve.
    pub fn svg(&self) -> Option<String> {
        let curve = self.curve();
        if curve.len() < 2 {
            return None;
        }
        let title = format!("{}: worst {} by size", self.program(), self.args.cost);
        let fitted = fit(&curve).map(|f| {
            let (low, high) = (curve[0].0 as f64, curve[curve.len() - 1].0 as f64);
            let at = |i: u32| low + (high - low) * f64::from(i) / 60.0;
            (0..=60).map(|i| (at(i), f.at(at(i)))).collect::<Vec<_>>()
        });
        Some(svg(&title, &curve, &fitted.unwrap_or_default()))
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for f in self.found {
            one(&mut out, f, self.args);
        }
        let curve = self.curve();
        if curve.len() > 1 {
            let _ = write!(out, "\n{}", text_plot(&curve));
            match fit(&curve) {
                Some(f) => {
                    let _ = writeln!(
                        out,
                        "grows as {}: about {:.4} + {:.4} x {} (R² {:.5}; next best {}, R² {:.5})",
                        f.class.name(),
                        f.a,
                        f.b,
                        f.class.name(),
                        f.r2,
                        f.runner_up.0.name(),
                        f.runner_up.1
                    );
                }
                None => out.push_str("three sizes or more tell how the cost grows\n"),
            }
        }
        let _ = writeln!(out, "results in {}", self.output.display());
        out
    }
}

fn fit_json(f: &Fit) -> Value {
    json!({"class": f.class.name(), "a": f.a, "b": f.b, "r2": f.r2,
        "runner_up": {"class": f.runner_up.0.name(), "r2": f.runner_up.1}})
}

fn one(out: &mut String, f: &Found, args: &WorstArgs) {
    let a = &f.answer;
    let size = if f.size > 0 { format!("size {}: ", f.size) } else { String::new() };
    let Some(cost) = f.cost else {
        let _ = writeln!(out, "{size}{}", why_nothing(f));
        return;
    };
    if is_endless(a) {
        let _ = writeln!(
            out,
            "{size}an input on which the program does not end within {} instructions (--endless)",
            args.endless
        );
    } else {
        let _ = write!(out, "{size}worst cost {cost} ({})", args.cost);
        match (f.ratio(), a.typical) {
            (Some(ratio), Some(typical)) => {
                let _ = writeln!(out, ", {ratio:.2} times a typical input's {typical:.0}");
            }
            _ => out.push('\n'),
        }
    }
    if !a.branches {
        out.push_str("  the program decides nothing by its input: every input costs the same\n");
    }
    if let Some(best) = &a.best {
        let s = &a.statistics;
        let _ = writeln!(
            out,
            "  {} found it after {:.1} s; {:.1} s, {} paths, {} runs, {} generations, {} solver calls in all ({})",
            args.method.name(),
            best.seconds,
            a.elapsed.as_secs_f64(),
            s.paths,
            s.concrete,
            s.generations,
            a.solver_calls,
            a.stop.name()
        );
    }
    if let Some(native) = &f.native {
        let count = match &native.instructions {
            Ok(n) => format!("{n} instructions"),
            Err(why) => format!("instructions unknown: {why}"),
        };
        let _ = writeln!(out, "  natively: {count}, {:.6} s", native.seconds);
    }
    if a.failures.0 > 0 {
        let _ =
            writeln!(out, "  {} failing paths were passed over; `forkwise run` reports them", a.failures.0);
    }
    if let Some(test) = &f.test {
        let _ = writeln!(out, "  test {test}");
    }
}

fn why_nothing(f: &Found) -> String {
    match &f.answer.failures {
        (n, Some(first)) if *n > 0 => {
            let what = match first {
                Termination::Fault(fault) => fault.message.clone(),
                other => format!("{other:?}"),
            };
            format!("no path ends well: {n} failed, the first with: {what}; `forkwise run` shows where")
        }
        _ => match f.answer.statistics.infeasible {
            0 => "no path was run to its end within the budget; give it more --time".into(),
            n => format!("no path ends: {n} attempts contradict the program's own assumptions"),
        },
    }
}

/// Why there is no answer at all.
pub fn nothing(found: &[Found]) -> String {
    found.first().map_or("nothing was searched".into(), why_nothing)
}

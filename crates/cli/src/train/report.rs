//! What a training says: events while it runs (`--json`), the text or object at the end, a CSV row for each trial.

use super::closing::Closing;
use super::learning::Learned;
use super::setting::Setting;
use crate::console;
use crate::heuristic::words::{extremes, meaning};
use crate::run::csv_cell;
use forkwise_campaign::{Outcome, Store, Trial};
use forkwise_learn::optimizer::Optimizer;
use forkwise_testcase::atomic_write;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Features that the text names at each end.
const FEATURES: usize = 10;

/// Events on standard output, an object a line.
pub struct Events {
    on: bool,
}

impl Events {
    /// If they are wanted.
    pub fn new(on: bool) -> Events {
        Events { on }
    }

    /// A phase begins.
    pub fn phase(&mut self, optimizer: &Optimizer, trials: usize) -> anyhow::Result<()> {
        if self.on {
            let event = json!({"event": "phase", "round": optimizer.round(),
                "phase": optimizer.phase().to_string(), "trials": trials});
            console::out(format!("{event}\n"))?;
        }
        Ok(())
    }

    /// A trial is done. Who reads may have gone; the result says so.
    pub fn trial(&mut self, trial: &Trial, outcome: &Outcome, reused: bool) {
        if self.on {
            let event = json!({"event": "trial", "id": trial.id().as_str(), "label": trial.label,
                "seed": trial.seed, "branches": outcome.covered(), "bugs": outcome.bugs.len(),
                "seconds": outcome.wall, "stop_reason": outcome.end.stop_reason(),
                "trouble": outcome.end.trouble(), "reused": reused});
            let _ = console::out(format!("{event}\n"));
        }
    }
}

/// Everything that is said at the end.
pub struct Report<'a> {
    setting: &'a Setting,
    learned: &'a Learned,
    closing: Option<&'a Closing>,
    interrupted: bool,
    tests: usize,
    corpus: String,
    bugs: Vec<String>,
    union: usize,
    troubled: usize,
}

impl<'a> Report<'a> {
    /// From what came of it.
    pub fn new(
        setting: &'a Setting,
        learned: &'a Learned,
        closing: Option<&'a Closing>,
        store: &Store,
        interrupted: bool,
    ) -> anyhow::Result<Report<'a>> {
        Ok(Report {
            setting,
            learned,
            closing,
            interrupted,
            tests: store.tests()?.len(),
            corpus: store.corpus().display().to_string(),
            bugs: store.bugs()?.keys().map(ToString::to_string).collect(),
            union: store.union().len(),
            troubled: store.outcomes()?.iter().filter(|(_, o)| o.end.trouble().is_some()).count(),
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let (s, l) = (self.setting, self.learned);
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{}: learned from {} trials of {} in {} rounds ({}); {:.1} branches on average of {}",
            s.program,
            l.evaluations,
            s.trial,
            l.rounds.len(),
            l.stop,
            l.best.score,
            count(l.best.evaluations, "trial"),
        );
        if self.interrupted {
            let _ = writeln!(
                out,
                "interrupted: the same command goes on; what is finished is in {}",
                s.folder.display()
            );
        }
        for (i, r) in l.rounds.iter().enumerate() {
            let checked: Vec<String> = r.checked.iter().map(|c| format!("{c:.1}")).collect();
            let _ = writeln!(
                out,
                "  round {}: best {:.0} once, then {} on average; {} of {} weights narrowed, mean width {:.2}",
                i + 1,
                r.found,
                if checked.is_empty() { "nothing".to_string() } else { checked.join(" and ") },
                r.refined,
                s.names.len(),
                r.width
            );
        }
        if let Some(closing) = self.closing {
            out.push_str(&table(closing));
        }
        self.coverage_text(&mut out);
        let (high, low) = extremes(&l.best.weights, FEATURES);
        for (title, list) in [("favours", high), ("avoids", low)] {
            let _ = writeln!(out, "\nit {title}:");
            for i in list {
                let name = s.names[i];
                let text = meaning(s.family, i);
                let _ = writeln!(out, "  {:+.2}  {name}: {text}", l.best.weights[i]);
            }
        }
        let _ = writeln!(
            out,
            "\nwritten to {}; use it with --mode {} --search learned:{}",
            s.output.display(),
            s.mode.name(),
            s.output.display()
        );
        out
    }

    fn coverage_text(&self, out: &mut String) {
        let l = self.learned;
        let _ = writeln!(out, "\nlearning covered {} of {} branches", l.union.len(), l.total);
        if let Some((name, trials, union)) = self.closing.and_then(|c| c.same_time.as_ref()) {
            let _ = writeln!(
                out,
                "{name}, the best hand-made heuristic, covered {} in {trials} trials of the same length; {} of these not by learning, {} the other way round",
                union.len(),
                union.difference(&l.union).count(),
                l.union.difference(union).count()
            );
        }
        let _ = writeln!(
            out,
            "all trials together: {} branches, {}; {} in {}",
            self.union,
            count(self.bugs.len(), "bug"),
            count(self.tests, "test"),
            self.corpus
        );
        self.bugs.iter().for_each(|bug| out.push_str(&format!("  {bug}\n")));
        if self.troubled > 0 {
            let _ = writeln!(
                out,
                "{} did not end well and count with what they had",
                count(self.troubled, "trial")
            );
        }
    }

    /// The last object of `--json`.
    pub fn json(&self) -> Value {
        let (s, l) = (self.setting, self.learned);
        let weights: serde_json::Map<String, Value> =
            s.names.iter().zip(&l.best.weights).map(|(n, w)| ((*n).to_string(), json!(w))).collect();
        json!({
            "event": "result",
            "program": s.program,
            "mode": s.mode.name(),
            "family": s.family.name(),
            "file": s.output.display().to_string(),
            "folder": s.folder.display().to_string(),
            "interrupted": self.interrupted,
            "optimizer": s.plan.kind.name(),
            "trial": s.trial.to_string(),
            "trials": l.evaluations,
            "cost": l.cost,
            "stop_reason": l.stop,
            "mean": l.best.score,
            "mean_of": l.best.evaluations,
            "weights": weights,
            "rounds": l.rounds.iter().map(|r| json!({"found": r.found, "checked": r.checked,
                "refined": r.refined, "width": r.width})).collect::<Vec<_>>(),
            "branches": {"total": l.total, "learning": l.union.len(), "all": self.union},
            "bugs": self.bugs,
            "tests": self.tests,
            "troubled": self.troubled,
            "trial_seconds": l.wall,
            "seconds": l.took,
            "comparison": self.closing.map(|c| crate::compare::report::json(&c.comparison)),
            "same_time": self.closing.and_then(|c| c.same_time.as_ref()).map(|(name, trials, union)| json!({
                "heuristic": name, "trials": trials, "union": union.len(),
                "only_there": union.difference(&l.union).count(),
                "only_learning": l.union.difference(union).count(),
            })),
        })
    }
}

/// What was learned and what people made, best mean first.
fn table(closing: &Closing) -> String {
    let c = &closing.comparison;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "\non {} that nothing was learned from, covered branches of a trial of {}:\n\n{:16} {:>8} {:>6} {:>8} {:>10}  p",
        count(c.seeds.len(), "seed"),
        c.budget,
        "heuristic",
        "mean",
        "max",
        "std dev",
        "learned is"
    );
    let mut order: Vec<usize> = (0..c.lines.len()).collect();
    order.sort_by(|a, b| c.lines[*b].branches.mean.total_cmp(&c.lines[*a].branches.mean));
    for i in order {
        let l = &c.lines[i];
        let pair = c.pairs.iter().find(|p| p.a == 0 && p.b == i);
        let verdict = pair.map_or(String::new(), |p| format!("{:>+10.1}  {:.4}", p.difference, p.test.p));
        let _ = writeln!(
            out,
            "{:16} {:>8.1} {:>6.0} {:>8.1} {verdict}",
            l.heuristic.name, l.branches.mean, l.branches.max, l.branches.deviation
        );
    }
    if c.interrupted {
        out.push_str("(interrupted: not all trials are counted)\n");
    }
    out
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Writes a row for each trial of a campaign.
pub fn write_csv(store: &Store, file: &Path) -> anyhow::Result<()> {
    let mut out = String::from(
        "label,seed,budget,branches,branches_total,bugs,tests,paths,instructions,executions,seconds,wall,cpu,stop_reason,trouble\n",
    );
    for (t, o) in store.outcomes()? {
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{:.3},{:.3},{},{}",
            csv_cell(&t.label),
            t.seed,
            csv_cell(&t.budget.to_string()),
            o.covered(),
            o.total,
            o.bugs.len(),
            o.tests,
            o.counter("paths"),
            o.counter("instructions"),
            o.counters.get("executions").map_or(String::new(), ToString::to_string),
            o.seconds,
            o.wall,
            o.cpu,
            o.end.stop_reason(),
            csv_cell(o.end.trouble().unwrap_or_default()),
        );
    }
    Ok(atomic_write(file, out.as_bytes())?)
}

//! The page of a tuning campaign: coverage over time, which parameters mattered, and how often their values were chosen as it went on.

use super::layout::{Place, page as frame, percent, seconds, short, tile};
use super::time::{Axes, Series, plot, steps};
use crate::campaign::{TunedRun, Tuning};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Parameters whose choices are drawn, and values of each.
const DRAWN: usize = 4;
const VALUES: usize = 8;
/// A parameter with more values than this is not drawn.
const MOST_VALUES: usize = 24;

/// The page.
pub fn page(t: &Tuning) -> String {
    let text = |key: &str| t.summary.get(key).and_then(Value::as_str).unwrap_or_default();
    let last = t.curve.last().copied().unwrap_or_default();
    let body = html! {
        @for gap in &t.gaps { p.note { (gap) } }
        ul.tiles {
            (tile(&last.1.to_string(), "branches", false))
            (tile(&last.2.to_string(), "bugs", last.2 > 0))
            (tile(&short(t.runs.len() as f64), "runs", false))
            (tile(&seconds(last.0), "time", false))
            @if !text("policy").is_empty() { (tile(text("policy"), "policy", false)) }
        }
        h2 { "Coverage over time" }
        (plot(&Axes { title: "Branches covered by all runs together", x: "seconds", y: "branches" }, &[curve(t)]))
        (importance(t))
        (choices(t))
        (best(t))
        (how(t))
    };
    let name =
        if text("program").is_empty() { t.root.display().to_string() } else { text("program").to_string() };
    frame(None, &Place::top(), &format!("Tuning of {name}"), "", &[], body)
}

fn curve(t: &Tuning) -> Series {
    let points: Vec<(f64, u64)> = t.curve.iter().map(|c| (c.0, c.1)).collect();
    let end = points.last().map_or(0.0, |p| p.0);
    Series { name: "branches".into(), points: steps(&points, end), ..Series::default() }
}

fn importance(t: &Tuning) -> Markup {
    let Some(list) = t.summary.get("importance").and_then(Value::as_array) else { return html! {} };
    let share = |v: &Value| v.get("share").and_then(Value::as_f64).unwrap_or(0.0);
    let shown: Vec<&Value> = list.iter().filter(|v| share(v) > 0.0).take(20).collect();
    if shown.is_empty() {
        return html! {};
    }
    html! {
        h2 { "What mattered" }
        p { "The share of the differences between runs that follows from the value of a parameter; a figure about what was sampled, no proof." }
        div.scroll { table {
            thead { tr { th { "Parameter" } th.n { "Share" } th { "Best value" } th.n { "Branches with it" } th.n { "Runs" } } }
            tbody { @for v in shown { tr {
                td.mono { (v.get("parameter").and_then(Value::as_str).unwrap_or("?")) }
                td.n { (percent(share(v), 1.0)) }
                td.mono { (v.pointer("/best/value").map(one).unwrap_or_default()) }
                td.n { @if let Some(n) = v.pointer("/best/mean").and_then(Value::as_f64) { (short(n)) } }
                td.n { @if let Some(n) = v.pointer("/best/runs").and_then(Value::as_u64) { (n) } }
            } } }
        } }
    }
}

/// A value as text.
fn one(v: &Value) -> String {
    v.as_str().map_or_else(|| v.to_string(), String::from)
}

fn values(run: &TunedRun, name: &str) -> BTreeSet<String> {
    match run.settings.get(name) {
        None => BTreeSet::new(),
        Some(Value::Array(list)) => list.iter().map(one).collect(),
        Some(v) => BTreeSet::from([one(v)]),
    }
}

/// Parameters to draw: the most important ones, or else those with most values.
fn interesting(t: &Tuning) -> Vec<String> {
    let ranked = t.summary.get("importance").and_then(Value::as_array).into_iter().flatten();
    let mut names: Vec<String> =
        ranked.filter_map(|v| v.get("parameter")?.as_str().map(String::from)).collect();
    if names.is_empty() {
        let all: BTreeSet<&String> = t.runs.iter().flat_map(|r| r.settings.keys()).collect();
        names = all.into_iter().cloned().collect();
    }
    // What has a value of its own in every run, such as a test to begin with, tells nothing.
    let varied = |name: &String| {
        let different = t.runs.iter().flat_map(|r| values(r, name)).collect::<BTreeSet<_>>().len();
        different > 1 && different <= MOST_VALUES
    };
    names.into_iter().filter(varied).take(DRAWN).collect()
}

/// How often values were chosen, over time: the share among the runs around a moment.
fn choices(t: &Tuning) -> Markup {
    let names = interesting(t);
    if t.runs.len() < 8 || names.is_empty() {
        return html! {};
    }
    let window = (t.runs.len() / 8).clamp(4, 200);
    html! {
        h2 { "What was chosen" }
        p { "The share of each value among " (window) " runs, as the campaign went on." }
        @for name in &names { (chosen(t, name, window)) }
    }
}

fn chosen(t: &Tuning, name: &str, window: usize) -> Markup {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let of: Vec<BTreeSet<String>> = t.runs.iter().map(|r| values(r, name)).collect();
    of.iter().flatten().for_each(|v| *counts.entry(v.clone()).or_default() += 1);
    let mut often: Vec<(usize, String)> = counts.into_iter().map(|(v, n)| (n, v)).collect();
    often.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let step = (t.runs.len() / 200).max(1);
    let series: Vec<Series> = often
        .iter()
        .take(VALUES)
        .map(|(_, value)| {
            let points = (0..t.runs.len()).step_by(step).map(|i| {
                let from = i.saturating_sub(window / 2);
                let runs = &of[from..(from + window).min(of.len())];
                let share =
                    runs.iter().filter(|v| v.contains(value)).count() as f64 / runs.len().max(1) as f64;
                (t.runs[i].at, 100.0 * share)
            });
            Series { name: value.chars().take(40).collect(), points: points.collect(), ..Series::default() }
        })
        .collect();
    let title = format!("{name}: percent of runs with each value");
    plot(&Axes { title: &title, x: "seconds", y: "percent" }, &series)
}

fn best(t: &Tuning) -> Markup {
    let Some(options) = t.summary.pointer("/best/options").and_then(Value::as_object) else {
        return html! {};
    };
    let options: Vec<String> = options.iter().map(|(k, v)| format!("--{k}={}", one(v))).collect();
    let arguments: Vec<String> = t
        .summary
        .pointer("/best/arguments")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(one)
        .collect();
    html! {
        h2 { "Best settings" }
        pre { "forkwise run " (options.join(" ")) " PROGRAM " (arguments.join(" ")) }
    }
}

/// How settings were chosen, and what each way brought.
fn how(t: &Tuning) -> Markup {
    let mut by: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for r in &t.runs {
        let of = by.entry(&r.how).or_default();
        *of = (of.0 + 1, of.1 + r.reached, of.2 + r.new);
    }
    html! {
        h2 { "How settings were chosen" }
        div.scroll { table {
            thead { tr { th { "Way" } th.n { "Runs" } th.n { "Branches of a run" } th.n { "New branches in all" } } }
            tbody { @for (way, (runs, reached, new)) in by { tr {
                td { (way) } td.n { (runs) } td.n { (short(reached as f64 / runs.max(1) as f64)) } td.n { (new) }
            } } }
        } }
    }
}

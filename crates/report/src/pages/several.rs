//! The first page of a report about several runs: their curves over each other, repeated trials as a mean with its deviation, and a table.

use super::layout::{Place, page as frame, percent, seconds, short};
use super::time::{Axes, Series, mean, plot, steps};
use crate::folder::Run;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Runs that differ in nothing but the seed.
fn groups(runs: &[Run]) -> BTreeMap<(String, String), Vec<usize>> {
    let mut out: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        let search = match run.text("mode") {
            "concolic" => format!("concolic {}", run.search()),
            _ => run.search().to_string(),
        };
        out.entry((run.program_name().to_string(), search)).or_default().push(i);
    }
    out
}

/// The page.
pub fn page(runs: &[Run]) -> String {
    let groups = groups(runs);
    let programs: std::collections::BTreeSet<&str> = groups.keys().map(|(p, _)| p.as_str()).collect();
    let body = html! {
        @for program in &programs { (curves(runs, &groups, program)) }
        h2 { "Runs" }
        (table(runs))
        @if programs.len() == 1 { (only(runs)) }
    };
    let title = match programs.first() {
        Some(one) if programs.len() == 1 => format!("{one}: {} runs", runs.len()),
        _ => format!("{} runs", runs.len()),
    };
    frame(None, &Place::top(), &title, "", &[], body)
}

fn curves(runs: &[Run], groups: &BTreeMap<(String, String), Vec<usize>>, program: &str) -> Markup {
    let of = groups.iter().filter(|((p, _), _)| p == program);
    let end = |i: &usize| runs[*i].events.samples.last().map_or(0.0, |s| s.seconds);
    let series: Vec<Series> = of
        .map(|((_, search), members)| {
            let last = members.iter().map(end).fold(0.0, f64::max);
            match members[..] {
                [one] => Series {
                    name: search.clone(),
                    points: steps(&runs[one].events.coverage, last),
                    ..Series::default()
                },
                _ => {
                    let curves: Vec<&[(f64, u64)]> =
                        members.iter().map(|i| &runs[*i].events.coverage[..]).collect();
                    mean(&format!("{search}, mean of {} trials", curves.len()), &curves, last)
                }
            }
        })
        .collect();
    let axes = Axes {
        title: "Covered branches over time; bands are one standard deviation",
        x: "seconds",
        y: "branches",
    };
    html! { h2 { (program) } (plot(&axes, &series)) }
}

fn table(runs: &[Run]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "Run" } th { "Search" } th.n { "Seed" } th.n { "Branches" } th.n { "" } th.n { "Bugs" } th.n { "Tests" } th.n { "Time" } } }
            tbody { @for (i, run) in runs.iter().enumerate() {
                @let (covered, total) = run.branches();
                tr {
                    td { a href=(Place::of_run(i, runs.len()).file("index.html")) { (run.label()) } }
                    td.mono { (run.search()) }
                    td.n { @if let Some(seed) = run.events.seed { (seed) } }
                    td.n { (covered) "/" (total) } td.n { (percent(covered as f64, total as f64)) }
                    td.n { (run.programs_bugs().count()) } td.n { (short(run.tests.len() as f64)) }
                    td.n { (seconds(run.number("seconds").unwrap_or(0.0))) }
                }
            } }
        } }
    }
}

/// What only some of the runs found.
fn only(runs: &[Run]) -> Markup {
    let mut bugs: BTreeMap<(String, String, u32), Vec<usize>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        for bug in run.programs_bugs() {
            let of = bugs.entry((bug.title().to_string(), bug.file.clone(), bug.line)).or_default();
            if of.last() != Some(&i) {
                of.push(i);
            }
        }
    }
    if bugs.is_empty() {
        return html! {};
    }
    html! {
        h2 { "Bugs of all runs" }
        div.scroll { table {
            thead { tr { th { "Bug" } th { "Place" } th.n { "Found by" } } }
            tbody { @for ((title, file, line), found) in &bugs { tr {
                td { (title) } td.mono { (file) ":" (line) } td.n { (found.len()) " of " (runs.len()) }
            } } }
        } }
    }
}

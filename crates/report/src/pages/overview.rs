//! The first page of a run: what came of it, how coverage grew, its bugs, its files.

use super::layout::{Place, meter, page as frame, percent, seconds, short, shorten, tile, warnings};
use super::time::{Axes, Series, plot, steps};
use super::{bug, source};
use crate::folder::Run;
use crate::formats::FileLines;
use maud::{Markup, html};

/// The page.
pub fn page(run: &Run, place: &Place, files: &[FileLines]) -> String {
    let body = html! {
        (figures(run))
        (course(run))
        (bugs(run))
        (coverage(run, files))
        (warnings(run))
        (about(run))
    };
    frame(Some(run), place, run.program_name(), "Summary", &[], body)
}

fn figures(run: &Run) -> Markup {
    let (covered, total) = run.branches();
    let bugs = run.programs_bugs().count();
    let time = run.number("seconds").unwrap_or(0.0);
    let solver = run.number("solver.seconds").or_else(|| run.number("solver_seconds"));
    html! {
        ul.tiles {
            (tile(&bugs.to_string(), if bugs == 1 { "bug" } else { "bugs" }, bugs > 0))
            @if total > 0 {
                (tile(&percent(covered as f64, total as f64), &format!("branches: {covered} of {total}"), false))
            }
            @if let (Some(c), Some(t)) = (run.number("coverage.lines_covered"), run.number("coverage.lines_total")) {
                (tile(&percent(c, t), &format!("lines: {c:.0} of {t:.0}"), false))
            }
            (tile(&short(run.tests.len() as f64), "tests", false))
            @if let Some(completed) = run.number("paths.completed") {
                (tile(&short(completed), &format!("paths, and {} unfinished", short(run.number("paths.partial").unwrap_or(0.0))), false))
            }
            (tile(&seconds(time), &stopped(run), false))
            @if let Some(n) = run.number("instructions") { (tile(&short(n), "instructions", false)) }
            @if let Some(s) = solver { (tile(&percent(s, time), "of the time in the solver", false)) }
            @if let Some(mb) = run.number("memory_peak_mb") { (tile(&format!("{mb:.0} MB"), "memory at most", false)) }
        }
    }
}

fn stopped(run: &Run) -> String {
    let why = if run.text("stop_reason").is_empty() {
        run.events.stop.as_deref().unwrap_or("it did not end by itself")
    } else {
        run.text("stop_reason")
    };
    match why {
        "complete" => "every path was followed".into(),
        "time" => "until the time was up".into(),
        "bug" => "until the first bug".into(),
        "interrupt" => "until it was interrupted".into(),
        "instructions" | "memory" | "tests" | "executions" => format!("until the limit: {why}"),
        other => other.to_string(),
    }
}

fn course(run: &Run) -> Markup {
    let end = run.events.samples.last().map_or(0.0, |s| s.seconds);
    if run.events.coverage.len() < 2 {
        return html! {};
    }
    let branches =
        Series { name: "branches".into(), points: steps(&run.events.coverage, end), ..Series::default() };
    let axes = Axes { title: "Covered branches over time", x: "seconds", y: "branches" };
    html! { h2 { "Coverage over time" } (plot(&axes, &[branches])) }
}

/// A table of bugs.
fn bugs(run: &Run) -> Markup {
    if run.bugs.is_empty() {
        return html! {};
    }
    html! {
        h2 #bugs { "Bugs" }
        div.scroll { table {
            thead { tr { th { "Bug" } th { "Place" } th { "Natively" } th.n { "Paths" } th.n { "Found after" } } }
            tbody { @for b in &run.bugs { tr {
                td { a href=(bug::name(b)) { (b.title()) } br; (b.message) }
                td { (b.function) br; span.mono { (shorten(run, &b.file)) ":" (b.line) } }
                td { (bug::verdict(b)) }
                td.n { (b.seen) }
                td.n { @if let Some(at) = run.events.bugs.get(&b.id) { (seconds(*at)) } }
            } } }
        } }
    }
}

fn coverage(run: &Run, files: &[FileLines]) -> Markup {
    if files.is_empty() {
        return html! {};
    }
    html! {
        h2 #files { "Source" }
        div.scroll { table {
            thead { tr { th { "File" } th { "Branches" } th.n { "" } th { "Lines" } th.n { "" } } }
            tbody { @for (i, file) in files.iter().enumerate() {
                @let (taken, arms) = file.taken();
                @let (executed, lines) = file.executed();
                tr {
                    td.mono { a href=(source::name(i)) { (shorten(run, &file.path)) } }
                    td { (meter(taken, arms)) } td.n { (taken) "/" (arms) }
                    td { (meter(executed, lines)) } td.n { (executed) "/" (lines) }
                }
            } }
        } }
    }
}

fn about(run: &Run) -> Markup {
    html! {
        h2 { "The run" }
        div.scroll { table { tbody {
            tr { th { "folder" } td.mono { (run.label()) } }
            tr { th { "search" } td.mono { (run.search()) } }
            @for (name, value) in &run.info { tr { th { (name) } td.mono { (value) } } }
        } } }
    }
}

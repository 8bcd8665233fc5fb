//! What all pages share: the frame, the navigation, and small pieces such as tiles, tags and places in the source.

use crate::folder::Run;
use maud::{DOCTYPE, Markup, html};

/// Where the pages of a run are, and how they find the rest.
pub struct Place {
    /// The folder of the run's pages, with a slash; empty when it is the only run.
    folder: String,
    /// The way back to the beginning of the report.
    up: &'static str,
}

impl Place {
    /// The pages of one run among so many.
    pub fn of_run(number: usize, of: usize) -> Place {
        match of {
            1 => Place { folder: String::new(), up: "" },
            _ => Place { folder: format!("run-{}/", number + 1), up: "../" },
        }
    }

    /// The beginning of the report.
    pub fn top() -> Place {
        Place { folder: String::new(), up: "" }
    }

    /// The name of a file of this run within the report.
    pub fn file(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }
}

/// A page. `here` names the entry of the navigation.
pub fn page(
    run: Option<&Run>,
    place: &Place,
    title: &str,
    here: &str,
    scripts: &[&str],
    body: Markup,
) -> String {
    let entries = run.map(navigation).unwrap_or_default();
    let up = place.up;
    let policy = "default-src 'none'; style-src 'self' file: 'unsafe-inline'; script-src 'self' file:; img-src 'self' file: data:";
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="referrer" content="no-referrer";
                title { (title) " – Forkwise" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href={ (up) "style.css" };
            }
            body {
                a.skip href="#main" { "Skip to the contents" }
                header {
                    nav aria-label="Pages" {
                        a.home href={ (up) "index.html" } { "Forkwise" }
                        @for (name, href) in &entries {
                            @if *name == here { a href=(href) aria-current="page" { (name) } }
                            @else { a href=(href) { (name) } }
                        }
                    }
                }
                main #main { h1 { (title) } (body) }
                footer { "Written by Forkwise " (env!("CARGO_PKG_VERSION")) ". No network is used." }
                @for script in scripts { script src=(script) {} }
                script src={ (up) "report.js" } {}
            }
        }
    }
    .into_string()
}

fn navigation(run: &Run) -> Vec<(&'static str, &'static str)> {
    let mut out = vec![("Summary", "index.html")];
    if run.is_worst() {
        out.push(("Worst case", "worst.html"));
    }
    if !run.tests.is_empty() {
        out.push(("Tests", "tests-1.html"));
    }
    if !run.tree.nodes.is_empty() {
        out.push(("Execution tree", "tree.html"));
    }
    if !run.spent.places.is_empty() {
        out.push(("Where time went", "spent.html"));
    }
    out
}

/// A number in three digits or so.
pub fn short(n: f64) -> String {
    match n.abs() {
        a if a >= 1e9 => format!("{:.1} G", n / 1e9),
        a if a >= 1e6 => format!("{:.1} M", n / 1e6),
        a if a >= 1e4 => format!("{:.1} k", n / 1e3),
        a if a >= 100.0 || n.fract() == 0.0 => format!("{n:.0}"),
        _ => format!("{n:.2}"),
    }
}

/// A length of time.
pub fn seconds(s: f64) -> String {
    match s {
        s if s >= 3600.0 => format!("{:.0} h {:.0} min", (s / 3600.0).floor(), (s % 3600.0) / 60.0),
        s if s >= 120.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
        s if s >= 10.0 => format!("{s:.0} s"),
        s => format!("{s:.2} s"),
    }
}

/// A share in percent.
pub fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "–".into() }
}

/// A figure with its name.
pub fn tile(value: &str, name: &str, bad: bool) -> Markup {
    html! { li.bad[bad] { b { (value) } span { (name) } } }
}

/// A bar for a share.
pub fn meter(part: usize, whole: usize) -> Markup {
    let share = if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 };
    html! { span.meter role="img" aria-label=(format!("{share:.0} %")) { i style=(format!("width:{share:.1}%")) {} } }
}

/// A path without the directory of the run.
pub fn shorten<'a>(run: &Run, path: &'a str) -> &'a str {
    let directory = run.info.get("directory").map(String::as_str).unwrap_or_default();
    let rest = path.strip_prefix(directory).and_then(|p| p.strip_prefix('/'));
    rest.filter(|_| !directory.is_empty()).unwrap_or(path)
}

/// What could not be read, and what the run itself warned of.
pub fn warnings(run: &Run) -> Markup {
    html! {
        @for gap in &run.gaps { p.note { (gap) } }
        @if !run.events.warnings.is_empty() {
            h2 { "Warnings" }
            ul { @for (at, text) in &run.events.warnings { li { (seconds(*at)) ": " (text) } } }
        }
    }
}

//! Annotated source: which lines were executed, which arms of branches were taken, and by which test first.

use super::layout::{Place, page as frame, shorten};
use super::tests;
use crate::folder::Run;
use crate::formats::{FileLines, LineState};
use maud::{Markup, html};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A source file is not larger than this.
const MOST_BYTES: u64 = 16 << 20;
/// What is shown must be source: the path comes from the program's debug information, and a report may be passed on.
const KINDS: [&str; 13] = ["c", "h", "i", "cc", "cpp", "cxx", "hh", "hpp", "inc", "def", "y", "l", "rl"];

/// The name of a file's page.
pub fn name(number: usize) -> String {
    format!("source-{}.html", number + 1)
}

fn text_of(path: &str) -> Result<String, String> {
    let path = Path::new(path);
    let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Err(format!("{} is not shown: its name is not that of a source file", path.display()));
    }
    let mut bytes = Vec::new();
    let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let read = File::open(path).and_then(|f| f.take(MOST_BYTES).read_to_end(&mut bytes));
    match read {
        Ok(_) if is_file => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        _ => Err(format!("{} is not there any more; its covered lines are listed below", path.display())),
    }
}

/// The page.
pub fn page(run: &Run, place: &Place, file: &FileLines) -> String {
    let (taken, arms) = file.taken();
    let (executed, lines) = file.executed();
    let body = html! {
        p { (taken) " of " (arms) " branches, " (executed) " of " (lines) " lines. "
            span.tag.good { "executed" } " " span.tag.part { "an arm is missing" } " " span.tag.bad { "not executed" } }
        @match text_of(&file.path) {
            Ok(text) => (table(run, file, text.lines().map(Some))),
            Err(why) => {
                p.note { (why) }
                (table(run, file, (0..file.lines.last_key_value().map_or(0, |l| *l.0)).map(|_| None)))
            }
        }
    };
    frame(Some(run), place, shorten(run, &file.path), "", &[], body)
}

fn table<'a>(run: &Run, file: &FileLines, lines: impl Iterator<Item = Option<&'a str>>) -> Markup {
    html! {
        div.scroll { table.source { tbody {
            @for (number, text) in (1u32..).zip(lines) {
                @let state = file.lines.get(&number);
                @if text.is_some() || state.is_some() {
                    tr id=(format!("L{number}")) class=(class(state)) {
                        td.no { a href=(format!("#L{number}")) { (number) } }
                        td.arms { @if let Some(state) = state { (arms(run, state)) } }
                        td.code { (text.unwrap_or_default()) }
                    }
                }
            }
        } } }
    }
}

fn class(state: Option<&LineState>) -> &'static str {
    let Some(state) = state else { return "" };
    let all = || state.branches.iter().flat_map(|b| &b.arms);
    match state.executed {
        false => "no",
        true if all().any(|a| !a.taken) => "some",
        true => "yes",
    }
}

fn arms(run: &Run, state: &LineState) -> Markup {
    html! {
        @for branch in &state.branches { @for arm in &branch.arms {
            @let name = short_name(&arm.name);
            @match (arm.taken, arm.first_test) {
                (true, Some(test)) => a.arm.taken href=(tests::link(run, test)) title=(format!("{}: first reached by test {test}", arm.name)) { (name) },
                (true, None) => span.arm.taken title=(format!("{}: taken", arm.name)) { (name) },
                (false, _) => span.arm.missed title=(format!("{}: never taken", arm.name)) { (name) },
            }
            " "
        } }
    }
}

/// What fits into the margin.
fn short_name(name: &str) -> String {
    match name {
        "true" => "T".into(),
        "false" => "F".into(),
        "default" => "else".into(),
        "" => "·".into(),
        other => other.chars().take(12).collect(),
    }
}

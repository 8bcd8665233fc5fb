//! A page for a bug: what happened where, with which input, whether it happens natively, and how to see it again.

use super::layout::{Place, page as frame, shorten};
use super::{source, tests};
use crate::folder::{Bug, Run};
use crate::formats::FileLines;
use maud::{Markup, html};

/// The name of a bug's page.
pub fn name(bug: &Bug) -> String {
    let safe: String = bug
        .id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(80)
        .collect();
    format!("bug-{safe}.html")
}

/// What the native run said, in a word.
pub fn verdict(bug: &Bug) -> Markup {
    match (bug.confirmed, bug.is_programs()) {
        (Some(true), _) => html! { span.tag.bad { "confirmed" } },
        (Some(false), _) => html! { span.tag.part { "not seen" } },
        (None, true) => html! { span.tag { "not run" } },
        (None, false) => html! { span.tag { "not the program's" } },
    }
}

/// A place in the source, linked if there is a page for it.
fn at(run: &Run, files: &[FileLines], file: &str, line: u32) -> Markup {
    let text = format!("{}:{line}", shorten(run, file));
    match files.iter().position(|f| f.path == file) {
        _ if line == 0 => html! { span { "(no debug information)" } },
        Some(i) => html! { a href=(format!("{}#L{line}", source::name(i))) { (text) } },
        None => html! { (text) },
    }
}

/// The page of the bug with this number.
pub fn page(run: &Run, place: &Place, number: usize, files: &[FileLines]) -> String {
    let Some(bug) = run.bugs.get(number) else { return String::new() };
    let body = html! {
        p { (verdict(bug)) " " (bug.message) }
        @for line in &bug.details { p.mono { (line) } }
        @if let Some(native) = &bug.native { p { "The native program: " (native) } }
        h2 { "Reproduce" }
        pre { (run.reproduce(bug)) }
        @if let Some(n) = bug.test_number() { p { a href=(tests::link(run, n)) { "The test in full" } ", number " (n) "; seen on " (bug.seen) (if bug.seen == 1 { " path." } else { " paths." }) } }
        h2 { "Stack, innermost first" }
        div.scroll { table { tbody { @for (i, frame) in bug.stack.iter().enumerate() { tr {
            td.n { "#" (i) } td.mono { (frame.function) } td.mono { (at(run, files, &frame.file, frame.line)) }
        } } } } }
        @if let Some(case) = &bug.case { h2 { "Inputs" } (tests::inputs(case)) }
        (way(run, bug, files))
        @if !bug.log.is_empty() { h2 { "What the native program wrote" } pre { (cut(&bug.log)) } }
        @if !bug.reproducer.is_empty() {
            h2 { "C reproducer" }
            p { "Compile it together with the program; it needs nothing of Forkwise." }
            pre { (cut(&bug.reproducer)) }
        }
    };
    let title =
        format!("{} in {}", bug.title(), if bug.function.is_empty() { "the program" } else { &bug.function });
    frame(Some(run), place, &title, "", &[], body)
}

/// The beginning of a long text.
fn cut(text: &str) -> &str {
    const MOST: usize = 40_000;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The decisions of its path in the user's code.
fn way(run: &Run, bug: &Bug, files: &[FileLines]) -> Markup {
    const MOST: usize = 300;
    let tree = &run.tree;
    let first = bug.test_number().and_then(|n| tree.nodes.iter().position(|node| node.test == Some(n)));
    let mut steps = Vec::new();
    let mut next = first;
    while let Some((i, node)) = next.and_then(|i| Some((i, tree.nodes.get(i)?))) {
        let file = tree.files.get(node.place.1 as usize).filter(|f| run.program.files.contains(f));
        if let (Some(file), true) = (file, node.parent.is_some() && steps.len() < MOST) {
            steps.push((file, node));
        }
        next = node.parent.map(|p| p as usize).filter(|p| *p < i);
    }
    steps.reverse();
    if steps.is_empty() {
        return html! {};
    }
    html! {
        h2 { "The way there" }
        details { summary { (steps.len()) " decisions that depend on the input" }
            ol { @for (file, node) in steps {
                li { span.mono { (at(run, files, file, node.place.2)) } " " (if node.arm.is_empty() { "another value" } else { &node.arm }) }
            } }
        }
    }
}

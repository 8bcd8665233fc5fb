//! The tests, some hundred to a page, each folded up: what to type, the inputs, what is predicted. Tests are read as their page is
//! written, so that a hundred thousand of them need no memory.

use super::layout::{Place, page as frame, seconds};
use super::{ReportError, Site};
use crate::folder::Run;
use forkwise_testcase::{Outcome, TestCase, json, model, shell};
use maud::{Markup, html};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tests on a page.
const PER_PAGE: usize = 250;
/// Of an input, so much is shown.
const MOST_BYTES: usize = 4096;

/// The address of a test, relative to the run's pages.
pub fn link(run: &Run, number: u32) -> String {
    let at = run.tests.partition_point(|t| t.0 < number);
    format!("tests-{}.html#t{number}", at / PER_PAGE + 1)
}

/// Writes all pages, on as many threads as there are processors.
pub fn write(site: &Site, run: &Run, place: &Place) -> Result<(), ReportError> {
    let pages: Vec<&[(u32, PathBuf)]> = run.tests.chunks(PER_PAGE).collect();
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<ReportError>> = Mutex::new(None);
    let work = || {
        while let Some((i, tests)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, pages.get(i)?)))
        {
            let name = place.file(&format!("tests-{}.html", i + 1));
            if let Err(error) = site.put(&name, &page(run, place, i, pages.len(), tests)) {
                // The first error is as good as any other; a thread that panicked holding the lock had none to tell.
                failed.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(error);
                return;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(pages.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    failed.into_inner().unwrap_or_else(|e| e.into_inner()).map_or(Ok(()), Err)
}

fn page(run: &Run, place: &Place, number: usize, pages: usize, tests: &[(u32, PathBuf)]) -> String {
    let body = html! {
        p { (run.tests.len()) " tests. Those that reached a branch first are marked "
            span.tag.good { "new" } "; "
            "run them all natively with " code { "forkwise replay " (run.label()) } "." }
        (others(number, pages))
        @for (n, path) in tests { (one(run, *n, json::read(path).map_err(|e| e.to_string()))) }
        (others(number, pages))
    };
    let title =
        if pages == 1 { "Tests".to_string() } else { format!("Tests, page {} of {pages}", number + 1) };
    frame(Some(run), place, &title, "Tests", &[], body)
}

/// Links to other pages: the first, the last, those around.
fn others(number: usize, pages: usize) -> Markup {
    if pages < 2 {
        return html! {};
    }
    let near = |i: &usize| *i == 0 || *i + 1 == pages || i.abs_diff(number) < 4 || i % 50 == 49;
    html! { nav aria-label="Pages of tests" { ul.pages { @for i in (0..pages).filter(near) {
        li { @if i == number { a href=(format!("tests-{}.html", i + 1)) aria-current="page" { (i + 1) } }
             @else { a href=(format!("tests-{}.html", i + 1)) { (i + 1) } } }
    } } } }
}

fn one(run: &Run, number: u32, test: Result<TestCase, String>) -> Markup {
    let reached = run.events.reached.get(&number);
    html! {
        details id=(format!("t{number}")) {
            summary {
                span.mono { (format!("{number:06}")) } " "
                @match &test {
                    Ok(test) => { (outcome(test)) " " @if reached.is_some() { span.tag.good { "new" } " " } span.mono { (headline(test)) } }
                    Err(_) => span.tag.bad { "cannot be read" },
                }
            }
            @match &test {
                Ok(test) => (full(run, number, test, reached)),
                Err(why) => p.note { (why) },
            }
        }
    }
}

fn outcome(test: &TestCase) -> Markup {
    match &test.outcome {
        None => html! { span.tag { "?" } },
        Some(Outcome::Exit(code)) => html! { span.tag { "exit " (code) } },
        Some(Outcome::Signal(signal)) => html! { span.tag.part { "signal " (signal) } },
        Some(Outcome::Bug { kind, .. }) => html! { span.tag.bad { (kind.id()) } },
        Some(Outcome::Unfinished(_)) => html! { span.tag.part { "unfinished" } },
    }
}

/// A test in one line: its command, or its first inputs.
fn headline(test: &TestCase) -> String {
    let line = match model::is_of_model(test) {
        true => shell::commands(test).into_iter().next_back().unwrap_or_default(),
        false => {
            let value = |o: &forkwise_testcase::Object| match o.as_signed() {
                Some(n) => format!("{} = {n}", o.name),
                None => format!("{} = \"{}\"", o.name, o.bytes[..o.bytes.len().min(40)].escape_ascii()),
            };
            test.objects.iter().take(4).map(value).collect::<Vec<_>>().join(", ")
        }
    };
    line.chars().take(120).collect()
}

fn full(run: &Run, number: u32, test: &TestCase, reached: Option<&(f64, Vec<u32>)>) -> Markup {
    html! {
        @if let Some((at, arms)) = reached { p { "After " (seconds(*at)) " it was the first to take " (arms.len()) " arms of branches." } }
        @match &test.outcome {
            Some(Outcome::Bug { place, .. }) => p { "Goes wrong at " (place.to_string()) "." },
            Some(Outcome::Unfinished(why)) => p { "Not followed to its end: " (why) "." },
            _ => {}
        }
        (inputs(test))
        @for (name, bytes) in [("Standard output", &test.stdout), ("Standard error", &test.stderr)] {
            @if let Some(bytes) = bytes.as_ref().filter(|b| !b.is_empty()) { p { (name) " as predicted:" } pre { (shown(bytes)) } }
        }
        p { code { "forkwise replay " (shell::quote(run.program_name().as_bytes())) " " (run.root.join(format!("tests/{number:06}.ktest")).display().to_string()) } }
    }
}

/// The inputs of a test.
pub fn inputs(test: &TestCase) -> Markup {
    let of_model = model::is_of_model(test);
    let objects: Vec<_> =
        test.objects.iter().filter(|o| !of_model || !model::is_model_object(&o.name)).collect();
    let commands = shell::commands(test);
    html! {
        @if !commands.is_empty() { pre { (commands.join("\n").chars().take(MOST_BYTES).collect::<String>()) } }
        @if !objects.is_empty() {
            div.scroll { table {
                thead { tr { th { "Input" } th.n { "Bytes" } th.n { "Number" } th { "Text" } th { "Hexadecimal" } } }
                tbody { @for o in objects { tr {
                    td.mono { (o.name) } td.n { (o.bytes.len()) }
                    td.n { @if let Some(n) = o.as_signed() { (n) } }
                    td.mono { (shown(&o.bytes)) } td.mono { (hex(&o.bytes)) }
                } } }
            } }
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = bytes[..bytes.len().min(MOST_BYTES)].escape_ascii().to_string().replace("\\n", "\n");
    if bytes.len() > MOST_BYTES { format!("{text}…") } else { text }
}

fn hex(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().take(64).map(|b| format!("{b:02x}")).collect();
    if bytes.len() > 64 { format!("{} …", all.join(" ")) } else { all.join(" ") }
}

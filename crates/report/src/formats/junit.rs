//! JUnit's XML, as CI servers list tests: one test case for each distinct bug (a failure), one for each test whose native run did
//! something else than predicted (an error), one for all others together with how many they are.

use super::xml::escape;
use crate::folder::Run;
use serde_json::Value;
use std::fmt::Write as _;

/// The text.
pub fn junit(run: &Run) -> String {
    let name = escape(run.program_name());
    let bugs: Vec<_> = run.programs_bugs().collect();
    let diverged =
        run.summary.pointer("/replay/diverged").and_then(Value::as_array).cloned().unwrap_or_default();
    let seconds = run.number("seconds").unwrap_or(0.0);
    let tests = bugs.len() + diverged.len() + 1;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<testsuites name=\"forkwise\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" time=\"{seconds:.3}\">",
        bugs.len(),
        diverged.len()
    );
    let _ = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{seconds:.3}\">",
        bugs.len(),
        diverged.len()
    );
    let (covered, total) = run.branches();
    let _ = writeln!(
        out,
        "    <testcase classname=\"{name}\" name=\"exploration\" time=\"{seconds:.3}\">\n      <system-out>{}</system-out>\n    </testcase>",
        escape(&format!("{} tests, {covered} of {total} branches covered", run.tests.len()))
    );
    for bug in bugs {
        let place = format!("{}:{}", bug.file, bug.line);
        let mut text = format!("{}\n{} in {}\n", bug.message, place, bug.function);
        for frame in &bug.stack {
            let _ = writeln!(text, "  {} {}:{}", frame.function, frame.file, frame.line);
        }
        if let Some(native) = &bug.native {
            let _ = writeln!(text, "natively: {native}");
        }
        let _ = writeln!(text, "reproduce: {}", run.reproduce(bug));
        let _ = writeln!(
            out,
            "    <testcase classname=\"{name}\" name=\"{} in {} at {}\" time=\"0\">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
            escape(&bug.kind),
            escape(&bug.function),
            escape(&place),
            escape(&bug.kind),
            escape(&bug.message),
            escape(&text)
        );
    }
    for one in diverged {
        let text = |key: &str| escape(one.get(key).and_then(Value::as_str).unwrap_or_default());
        let _ = writeln!(
            out,
            "    <testcase classname=\"{name}\" name=\"{0}\" time=\"0\">\n      <error type=\"divergence\" message=\"{1}\">{1}</error>\n    </testcase>",
            text("test"),
            text("how")
        );
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

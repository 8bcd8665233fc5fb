//! Cobertura's coverage XML (DTD coverage-04), as GitLab, Jenkins and others show it beside a change.

use super::lines::{FileLines, by_file};
use super::xml::escape;
use crate::folder::Run;
use std::fmt::Write as _;
use std::path::Path;

fn rate((part, whole): (usize, usize)) -> String {
    if whole == 0 { "1".into() } else { format!("{:.4}", part as f64 / whole as f64) }
}

fn sum(parts: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    parts.fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

/// The text.
pub fn cobertura(run: &Run) -> String {
    let files = by_file(run);
    let lines = sum(files.iter().map(FileLines::executed));
    let arms = sum(files.iter().map(FileLines::taken));
    let source = run.info.get("directory").map(String::as_str).unwrap_or(".");
    let name = |file: &FileLines| {
        let relative = Path::new(&file.path).strip_prefix(source);
        relative.map_or_else(|_| file.path.clone(), |p| p.display().to_string())
    };
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n",
    );
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<coverage line-rate=\"{}\" branch-rate=\"{}\" lines-covered=\"{}\" lines-valid=\"{}\" \
         branches-covered=\"{}\" branches-valid=\"{}\" complexity=\"0\" version=\"{}\" timestamp=\"{}\">",
        rate(lines),
        rate(arms),
        lines.0,
        lines.1,
        arms.0,
        arms.1,
        env!("CARGO_PKG_VERSION"),
        ended(run),
    );
    let _ = writeln!(out, "  <sources><source>{}</source></sources>\n  <packages>", escape(source));
    let _ = writeln!(
        out,
        "    <package name=\"{}\" line-rate=\"{}\" branch-rate=\"{}\" complexity=\"0\">\n      <classes>",
        escape(run.program_name()),
        rate(lines),
        rate(arms)
    );
    for file in &files {
        class(&mut out, file, &name(file));
    }
    out.push_str("      </classes>\n    </package>\n  </packages>\n</coverage>\n");
    out
}

fn class(out: &mut String, file: &FileLines, name: &str) {
    let _ = writeln!(
        out,
        "        <class name=\"{0}\" filename=\"{0}\" line-rate=\"{1}\" branch-rate=\"{2}\" complexity=\"0\">\n          <methods/>\n          <lines>",
        escape(name),
        rate(file.executed()),
        rate(file.taken())
    );
    for (number, line) in &file.lines {
        let hits = u32::from(line.executed);
        let arms = || line.branches.iter().flat_map(|b| &b.arms);
        let (taken, all) = (arms().filter(|a| a.taken).count(), arms().count());
        let _ = match all {
            0 => writeln!(out, "            <line number=\"{number}\" hits=\"{hits}\" branch=\"false\"/>"),
            _ => writeln!(
                out,
                "            <line number=\"{number}\" hits=\"{hits}\" branch=\"true\" condition-coverage=\"{}% ({taken}/{all})\"/>",
                taken * 100 / all
            ),
        };
    }
    out.push_str("          </lines>\n        </class>\n");
}

/// Milliseconds since 1970 when the last file of the run was written.
fn ended(run: &Run) -> u128 {
    let changed = ["summary.json", "status.json", "events.jsonl"]
        .iter()
        .filter_map(|name| std::fs::metadata(run.root.join(name)).ok()?.modified().ok())
        .max();
    changed.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok()).map_or(0, |d| d.as_millis())
}

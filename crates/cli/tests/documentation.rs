//! Every command in a `console` block of the README and of the pages named here is run, and what is shown of its output must come; numbers may
//! differ. `...` stands for lines that are left out. Links between pages lead somewhere.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::{binary, run, runtime, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(120);
/// real-programs.md builds GNU grep, which `cargo xtask programs` does.
const PAGES: [&str; 6] = [
    "README.md",
    "docs/tutorial.md",
    "docs/harnesses.md",
    "docs/reports.md",
    "docs/ci.md",
    "docs/coming-from-klee.md",
];

/// Commands with the lines shown after them.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), out.last_mut()) {
                (Some(command), _) => out.push((command.to_string(), Vec::new())),
                (None, Some((_, shown))) => shown.push(line.to_string()),
                (None, None) => panic!("{line} comes before any command"),
            },
        }
    }
    out
}

/// A line without its numbers and what depends on them.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_digit() {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            for unit in [" k", " M", " G"] {
                rest = rest
                    .strip_prefix(unit)
                    .filter(|r| !r.starts_with(|c: char| c.is_ascii_alphanumeric()))
                    .unwrap_or(rest);
            }
            out.push('#');
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out.trim().to_string()
}

fn try_page(page: &str) {
    let text = fs::read_to_string(workspace().join(page)).unwrap_or_else(|e| panic!("{page}: {e}"));
    let folder = scratch();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("a folder can be made");
    std::os::unix::fs::symlink(binary(), bin.join("forkwise")).expect("a link can be made");
    std::os::unix::fs::symlink(workspace().join("examples"), folder.path().join("examples"))
        .expect("a link can be made");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let all = commands(&text);
    assert!(!all.is_empty(), "{page} shows nothing");
    for (command, shown) in all {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("FORKWISE_RUNTIME", runtime());
        let done = run(&mut shell, LIMIT);
        let said = format!("{}{}", done.out(), done.err());
        assert!(
            matches!(done.code(), Some(0 | 1)),
            "{page}: `{command}` ends with {:?}\n{said}",
            done.code()
        );
        let said: Vec<String> = said.lines().map(plain).collect();
        for line in shown.iter().filter(|l| l.as_str() != "...") {
            assert!(
                said.contains(&plain(line)),
                "{page}: `{command}` does not say\n{line}\nbut\n{}",
                said.join("\n")
            );
        }
    }
}

#[test]
fn the_readme_is_true() {
    try_page(PAGES[0]);
}

#[test]
fn the_tutorial_is_true() {
    try_page(PAGES[1]);
}

#[test]
fn the_other_pages_are_true() {
    PAGES[2..].iter().for_each(|page| try_page(page));
}

fn links_of(page: &Path) {
    let text = fs::read_to_string(page).expect("a page is text");
    for part in text.split("](").skip(1) {
        let link = part.split(')').next().unwrap_or_default();
        let file = link.split('#').next().unwrap_or_default();
        if file.is_empty() || link.contains("://") || link.contains(' ') {
            continue;
        }
        assert!(page.with_file_name("").join(file).exists(), "{}: {link} leads nowhere", page.display());
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let docs = workspace().join("docs");
    links_of(&workspace().join("README.md"));
    links_of(&workspace().join("ARCHITECTURE.md"));
    for entry in fs::read_dir(&docs).expect("there are pages").flatten() {
        if entry.path().extension().is_some_and(|e| e == "md") {
            links_of(&entry.path());
        }
    }
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("there is a table of contents");
    for page in PAGES.iter().filter_map(|p| p.strip_prefix("docs/")) {
        assert!(summary.contains(&format!("({page})")), "{page} is not in the table of contents");
    }
}

//! `cargo xtask programs [NAME…]`: real programs from Debian's sources, built with `forkwise cc` and with gcov's counters
//! into `target/programs`. Nothing of theirs is in the repository. `table` says which and how, `build` builds, `gcov`
//! counts branches; `crate::bench_programs` measures the engine on them.

pub mod build;
mod check;
mod coreutils;
mod document;
pub mod gcov;
pub mod recipe;
mod table;

use anyhow::{Result, bail};

pub use self::build::Flavour;
use self::recipe::{Check, Package, Program};
use crate::workspace::{Workspace, run as run_cargo};
use crate::{engine, setup};

/// What `cargo xtask programs` is asked for.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Packages or programs (default: all packages).
    names: Vec<String>,
    /// Only one of the two builds.
    #[arg(long, value_enum)]
    only: Option<Flavour>,
    /// Build again what is there already.
    #[arg(long)]
    again: bool,
    /// Run each program on its command lines in the engine, too, and compare with the native program.
    #[arg(long)]
    check: bool,
    /// Check, and write what was measured into docs/programs.md.
    #[arg(long, conflicts_with_all = ["names", "only"])]
    table: bool,
    /// Build nothing; show what would be built, and the command lines each program is checked with.
    #[arg(long)]
    list: bool,
}

/// Builds the named packages, or all, and says how many branches each program has.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let selected = select(&options.names)?;
    if options.list {
        selected.iter().for_each(|(package, program)| list(package, program));
        return Ok(());
    }
    let flavours = match options.only {
        Some(flavour) => vec![flavour],
        None => vec![Flavour::Forkwise, Flavour::Gcov],
    };
    setup::run(workspace)?;
    if flavours.contains(&Flavour::Forkwise) {
        engine::build_release(workspace)?;
    }
    build::build(workspace, &packages(&selected), &flavours, options.again)?;
    if options.check || options.table {
        let checked = check::check(workspace, &selected)?;
        if options.table {
            document::write(workspace, &selected, &checked)?;
        }
        return check::conclude(&selected, &checked);
    }
    for (package, program) in selected {
        let mut line = format!("{:12} {}", program.name, package.name);
        if flavours.contains(&Flavour::Gcov) {
            let branches = gcov::total(&build::tree(workspace, package, Flavour::Gcov), program)?;
            line.push_str(&format!(", {branches} branches in its own sources"));
            if let Some(study) = program.study {
                line.push_str(&format!(" ({} in the study)", study.branches));
            }
        }
        println!("{line}");
    }
    Ok(())
}

/// The packages that every test run takes: small, and quickly built.
const ALWAYS_TESTED: &[&str] = &["grep", "sed", "tree"];

/// Compares real programs in the engine with the native ones, as a step of `cargo xtask test`: a few small ones, or all
/// of them. The numbers of command lines that were the same and that were not.
pub fn test(workspace: &Workspace, long: bool) -> Result<(usize, usize)> {
    let names: Vec<String> = ALWAYS_TESTED.iter().map(|&name| name.to_owned()).collect();
    let selected = select(if long { &[] } else { &names })?;
    println!("test: {} real programs", selected.len());
    run_cargo(workspace.cargo().args(["build", "--quiet", "--package", "forkwise"]))?;
    // What could not be built is told and counted by its command lines.
    if let Err(error) = build::build(workspace, &packages(&selected), &[Flavour::Forkwise], false) {
        println!("test: {error:#}");
    }
    let checked = check::check(workspace, &selected)?;
    let lines: usize = selected.iter().map(|(_, program)| program.checks.len()).sum();
    let failed = checked.iter().map(|one| one.problems.len()).sum::<usize>();
    Ok((lines.saturating_sub(failed), failed))
}

fn packages(selected: &[(&'static Package, &'static Program)]) -> Vec<&'static Package> {
    let mut packages: Vec<&Package> = selected.iter().map(|(package, _)| *package).collect();
    packages.dedup_by_key(|package| package.name);
    packages
}

fn list(package: &Package, program: &Program) {
    let version = package.steps.last().map_or("", |step| step.version);
    let measured = if program.measured { ", measured" } else { "" };
    println!("{} ({} {version}{measured})", program.name, package.name);
    for check in program.checks {
        println!("    {}", command_line(program, check));
    }
    if !program.seed.is_empty() {
        let words: Vec<String> = program.seed.iter().map(|word| quoted(word)).collect();
        println!("    seed: {}", words.join(" "));
    }
}

/// A check as one would type it.
pub fn command_line(program: &Program, check: &Check) -> String {
    let mut text = String::new();
    if !check.input.is_empty() {
        text.push_str(&format!("printf {} | ", quoted(&check.input.replace('\n', "\\n"))));
    }
    text.push_str(program.name);
    for word in check.arguments {
        text.push(' ');
        text.push_str(&quoted(word));
    }
    text
}

/// A word as a shell would need it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,:=%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The programs that some names stand for: a package stands for all its programs, no name for everything.
pub fn select(names: &[String]) -> Result<Vec<(&'static Package, &'static Program)>> {
    let all = || {
        table::PACKAGES
            .iter()
            .flat_map(|package| package.programs.iter().map(move |program| (package, program)))
    };
    let mut wanted: Vec<_> = Vec::new();
    for name in names {
        let before = wanted.len();
        wanted.extend(all().filter(|(package, program)| package.name == name || program.name == name));
        if wanted.len() == before {
            let known: Vec<&str> = table::PACKAGES.iter().map(|package| package.name).collect();
            bail!("no program or package is called {name}; packages are {}", known.join(", "));
        }
    }
    if names.is_empty() {
        wanted.extend(all());
    }
    // In the table's order and once each, whatever was typed.
    Ok(all().filter(|(_, program)| wanted.iter().any(|(_, other)| std::ptr::eq(*program, *other))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_packages_or_programs() {
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            select(&names).map(|found| found.iter().map(|(_, program)| program.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["grep", "expr", "grep"]).unwrap(), ["expr", "grep"]);
        assert_eq!(names(&["diffutils"]).unwrap(), ["diff", "cmp", "diff3", "sdiff"]);
        assert!(names(&[]).unwrap().len() > 60);
        assert!(names(&["nonsense"]).unwrap_err().to_string().contains("coreutils"));
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("-n"), "-n");
        assert_eq!(quoted("a*b"), "'a*b'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }

    #[test]
    fn every_program_can_be_checked_and_seeded() {
        for (package, program) in select(&[]).unwrap() {
            assert!(!program.checks.is_empty(), "{}", program.name);
            assert!(!program.own.is_empty(), "{}", program.name);
            assert!(!package.steps.is_empty(), "{}", package.name);
            assert!(!program.measured || !program.seed.is_empty(), "{}", program.name);
            // A seeded run declares arguments of ten bytes.
            assert!(program.seed.iter().all(|word| word.len() <= 10), "{}", program.name);
        }
    }
}

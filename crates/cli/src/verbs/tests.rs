//! From what users name to test files and the program they are for: single tests, folders of tests, result folders.
//! Reads names and a result folder's `info`, never tests.

use anyhow::{Context, bail};
use forkwise_replay::batch::list_tests;
use std::path::{Path, PathBuf};

/// The test files that names stand for, each test once: where both formats are there, the richer one.
pub fn expand(names: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for name in names {
        let inner = name.join("tests");
        let files = list_tests(if inner.is_dir() { &inner } else { name })?;
        let rich = |f: &Path| f.to_string_lossy().ends_with(".test.json");
        let has_rich =
            |f: &Path| f.extension().is_some_and(|e| e == "ktest") && f.with_extension("test.json").is_file();
        all.extend(files.iter().filter(|f| files.len() == 1 || rich(f) || !has_rich(f)).cloned());
    }
    match names.first() {
        Some(first) if all.is_empty() => bail!("there are no tests in {}", first.display()),
        _ => Ok(all),
    }
}

/// Whether a name on the command line means tests and not a program.
pub fn is_test(name: &Path) -> bool {
    let text = name.to_string_lossy();
    name.is_dir() || text.ends_with(".ktest") || text.ends_with(".json")
}

/// The program that a result folder is about, given the folder or something in it.
pub fn program_of(name: &Path) -> anyhow::Result<PathBuf> {
    let name = name.canonicalize().with_context(|| format!("cannot read {}", name.display()))?;
    let info = name.ancestors().take(4).map(|folder| folder.join("info")).find(|info| info.is_file());
    let Some(info) = info else {
        bail!(
            "{} is no result folder that names its program: give the program before the tests",
            name.display()
        );
    };
    let text = std::fs::read(&info).with_context(|| format!("cannot read {}", info.display()))?;
    let text = String::from_utf8_lossy(&text);
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let Some(program) = value("program:").filter(|program| !program.is_empty()) else {
        bail!("{} names no program: give it before the tests", info.display());
    };
    let there = Path::new(value("directory:").unwrap_or("")).join(program);
    if there.is_file() {
        return Ok(there);
    }
    let here = PathBuf::from(program);
    if here.is_file() {
        return Ok(here);
    }
    bail!("the program {program} of {} is not there any more: give it before the tests", info.display())
}

/// Splits `[PROGRAM] TEST…` into its two parts.
pub fn program_and_tests(names: &[PathBuf]) -> anyhow::Result<(PathBuf, Vec<PathBuf>)> {
    match names.split_first() {
        Some((first, rest)) if !is_test(first) => {
            if !first.exists() {
                bail!("there is no {}", first.display());
            }
            if rest.is_empty() {
                bail!("{} on which tests? Name tests or a folder with tests after it", first.display());
            }
            Ok((first.clone(), rest.to_vec()))
        }
        Some((first, _)) => Ok((program_of(first)?, names.to_vec())),
        None => bail!("name a program and tests, or a result folder"),
    }
}

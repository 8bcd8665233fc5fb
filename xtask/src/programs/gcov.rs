//! Branches of a program's own sources as gcov counts them: how many there are, by the compiler's notes, and which
//! functions have untaken ones, by what `forkwise replay --gcov` printed. Runs nothing but gcov.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::recipe::Program;
use crate::workspace::{capture, sorted_entries};

/// A branch: the file (by path in the tree), the function, the line, and which of the line's branches. A header's
/// function is the same in every translation unit; a header that is included into two functions is two.
type Branch = (String, String, u64, usize);

/// How many branches a program's own sources have, from the notes the compiler left in the tree of its gcov build.
pub fn total(tree: &Path, program: &Program) -> Result<usize> {
    let notes = notes(tree, program)?;
    if notes.is_empty() {
        bail!(
            "{} holds no gcov notes of {}: build it with `cargo xtask programs {}`",
            tree.display(),
            program.name,
            program.name
        );
    }
    let mut command = Command::new("gcov");
    command.args(["--json-format", "--stdout", "--branch-probabilities"]).args(&notes).current_dir(tree);
    let output = capture(&mut command).context("gcov comes with gcc; both must have the same version")?;
    let mut branches = BTreeSet::new();
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let document = serde_json::from_str(line).context("gcov's output is not JSON")?;
        collect(&mut branches, &document, tree, program)?;
    }
    Ok(branches.len())
}

/// Adds the branches of one JSON document of gcov that are in the program's own sources.
fn collect(branches: &mut BTreeSet<Branch>, document: &Value, tree: &Path, program: &Program) -> Result<()> {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let folder = PathBuf::from(text(document, "current_working_directory"));
    for file in document["files"].as_array().context("gcov's output names no files")? {
        let path = normal(&folder.join(text(file, "file")));
        let Some(name) = own_name(&path, tree, program) else { continue };
        for line in file["lines"].as_array().into_iter().flatten() {
            let (function, number) = (text(line, "function_name"), line["line_number"].as_u64().unwrap_or(0));
            let count = line["branches"].as_array().map_or(0, Vec::len);
            branches.extend((0..count).map(|index| (name.clone(), function.clone(), number, index)));
        }
    }
    Ok(())
}

/// The branches of one function of a program's own sources.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its file, by path in the tree.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Branches that some test took.
    pub taken: u64,
    /// All branches.
    pub total: u64,
}

/// The functions of a program's own sources in what `forkwise replay --gcov --json` printed, most untaken branches first.
pub fn functions(report: &Value, tree: &Path, program: &Program) -> Vec<Function> {
    let mut functions: Vec<Function> = report["functions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            Some(Function {
                file: own_name(Path::new(entry["file"].as_str()?), tree, program)?,
                name: entry["function"].as_str()?.to_owned(),
                taken: entry["branches"]["covered"].as_u64()?,
                total: entry["branches"]["total"].as_u64()?,
            })
        })
        .collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.total - function.taken));
    functions
}

/// The path of a file in the tree, if it is one of the program's own sources.
fn own_name(path: &Path, tree: &Path, program: &Program) -> Option<String> {
    let name = path.strip_prefix(tree).ok()?.to_string_lossy().into_owned();
    is_own(program.own, &name).then_some(name)
}

/// The notes that belong to a program's own sources. A build system may put the program's before the
/// source's name (`base64-basenc.gcno`), cmake its whole name, and both their own folders.
fn notes(tree: &Path, program: &Program) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![tree.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in sorted_entries(&folder)? {
            if entry.is_dir() && !entry.is_symlink() {
                pending.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "gcno") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found.retain(|file| may_hold(program, file));
    Ok(found)
}

/// Whether an object file may come from one of the own sources, by its name alone: gcov says for certain.
fn may_hold(program: &Program, object: &Path) -> bool {
    let stem = object.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(".c").unwrap_or(&stem);
    // What configure tried out is not part of the program.
    !stem.ends_with("conftest")
        && program.own.iter().filter(|pattern| !pattern.starts_with('!')).any(|pattern| {
            let name = Path::new(pattern).file_stem().unwrap_or_default().to_string_lossy();
            name == "*" || name == stem || stem == format!("{}-{name}", program.name)
        })
}

/// Whether the patterns of a program's own sources take a file in.
fn is_own(own: &[&str], name: &str) -> bool {
    let matches = |pattern: &str| match pattern.split_once('*') {
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
                && !name[before.len()..].contains('/')
        }
        None => name == pattern,
    };
    let (out, into): (Vec<&str>, Vec<&str>) = own.iter().partition(|pattern| pattern.starts_with('!'));
    into.into_iter().any(matches) && !out.into_iter().any(|pattern| matches(&pattern[1..]))
}

/// A path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::recipe::program;

    #[test]
    fn own_sources_are_named_by_patterns() {
        let own = ["src/*.c", "!src/tcal.c", "posix/misc.c"];
        assert!(is_own(&own, "src/gcal.c"));
        assert!(is_own(&own, "posix/misc.c"));
        for other in ["src/tcal.c", "src/tailor.h", "src/sub/x.c", "lib/x.c", "posix/x.c"] {
            assert!(!is_own(&own, other), "{other}");
        }
    }

    #[test]
    fn objects_are_found_by_the_name_of_their_source() {
        let ls = program("ls", "src/ls", &["src/ls.c"]);
        for object in ["src/ls.gcno", "src/ls-ls.gcno", "build/CMakeFiles/ls.dir/ls.c.gcno"] {
            assert!(may_hold(&ls, Path::new(object)), "{object}");
        }
        // The second is another program's build of the same source.
        for object in ["src/du.gcno", "src/dir-ls.gcno"] {
            assert!(!may_hold(&ls, Path::new(object)), "{object}");
        }
        assert!(may_hold(&program("grep", "src/grep", &["src/*"]), Path::new("src/kwset.gcno")));
    }

    #[test]
    fn branches_of_translation_units_are_merged() {
        let document = serde_json::json!({
            "current_working_directory": "/t/src",
            "files": [
                {"file": "../src/a.h", "lines": [{"line_number": 3, "function_name": "f",
                    "branches": [{"count": 1}, {"count": 0}]}]},
                {"file": "/usr/include/x.h", "lines": [{"line_number": 1, "function_name": "g",
                    "branches": [{"count": 1}]}]},
            ]
        });
        let mut branches = BTreeSet::new();
        for _ in 0..2 {
            collect(&mut branches, &document, Path::new("/t"), &program("p", "p", &["src/*"])).unwrap();
        }
        assert_eq!(branches.len(), 2);
    }

    #[test]
    fn functions_of_own_sources_are_ordered_by_what_is_missing() {
        let entry = |file: &str, function: &str, covered: u64| serde_json::json!({"file": file, "function": function, "branches": {"covered": covered, "total": 4}});
        let report = serde_json::json!({"functions": [
            entry("/t/src/a.c", "f", 3), entry("/t/lib/b.c", "g", 0), entry("/t/src/a.c", "h", 1),
        ]});
        let found = functions(&report, Path::new("/t"), &program("p", "p", &["src/*"]));
        let names: Vec<&str> = found.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["h", "f"]);
    }
}

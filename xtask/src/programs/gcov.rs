//! Branch counts of a program's own sources from gcov's JSON: which branches there are, which were taken, and in which
//! functions the missing ones are. Reads what the counters of a `gcov` build left behind and runs nothing but gcov.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::recipe::Program;
use crate::workspace::{capture, sorted_entries};

/// A branch: the file (by path in the tree), the function, the line, and which of the line's branches. A header's
/// function is the same in every translation unit; a header that is included into two functions is two.
type Branch = (String, String, u64, usize);

/// The branches of a program's own sources with the number of times each was taken.
#[derive(Debug, Default)]
pub struct Branches {
    counts: BTreeMap<Branch, u64>,
}

impl Branches {
    /// All of them.
    pub fn total(&self) -> usize {
        self.counts.len()
    }

    /// Those taken at least once.
    pub fn taken(&self) -> usize {
        self.counts.values().filter(|&&count| count > 0).count()
    }

    /// Per function: file, name, untaken and all branches; most untaken first.
    pub fn missed(&self) -> Vec<(&str, &str, usize, usize)> {
        let mut functions: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        for ((file, function, _, _), count) in &self.counts {
            let entry = functions.entry((file, function)).or_default();
            entry.0 += usize::from(*count == 0);
            entry.1 += 1;
        }
        let mut rows: Vec<_> = functions
            .into_iter()
            .map(|((file, function), (missed, all))| (file, function, missed, all))
            .filter(|row| row.2 > 0)
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.2));
        rows
    }

    /// Adds one JSON document of gcov, keeping the files that `own` accepts.
    fn add(&mut self, document: &Value, tree: &Path, own: &dyn Fn(&str) -> bool) -> Result<()> {
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let folder = PathBuf::from(text(document, "current_working_directory"));
        let files = document["files"].as_array().context("gcov's output names no files")?;
        for file in files {
            let path = normal(&folder.join(text(file, "file")));
            let Ok(name) = path.strip_prefix(tree) else { continue };
            let name = name.to_string_lossy();
            if !own(&name) {
                continue;
            }
            for line in file["lines"].as_array().into_iter().flatten() {
                let (function, number) =
                    (text(line, "function_name"), line["line_number"].as_u64().unwrap_or(0));
                for (index, branch) in line["branches"].as_array().into_iter().flatten().enumerate() {
                    let key = (name.clone().into_owned(), function.clone(), number, index);
                    *self.counts.entry(key).or_default() += branch["count"].as_u64().unwrap_or(0);
                }
            }
        }
        Ok(())
    }
}

/// Reads the counters of a program's own sources. `tree` is where the program's gcov build started; without counters all
/// branches are untaken.
pub fn read(tree: &Path, program: &Program) -> Result<Branches> {
    let notes = files(tree, program, "gcno")?;
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
    let mut branches = Branches::default();
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let document = serde_json::from_str(line).context("gcov's output is not JSON")?;
        branches.add(&document, tree, &|name| is_own(program.own, name))?;
    }
    Ok(branches)
}

/// Removes the counters of a program's own sources, so that counting begins at zero.
pub fn reset(tree: &Path, program: &Program) -> Result<()> {
    files(tree, program, "gcda")?.iter().try_for_each(|file| crate::workspace::remove(file))
}

/// gcov's files with an ending that belong to a program's own sources. A build system may put the program's before the
/// source's name (`base64-basenc.gcno`), cmake its whole name, and both their own folders.
fn files(tree: &Path, program: &Program, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![tree.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in sorted_entries(&folder)? {
            if entry.is_dir() && !entry.is_symlink() {
                pending.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == ending) {
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
        let document = |count: u64| {
            serde_json::json!({
                "current_working_directory": "/t/src",
                "files": [
                    {"file": "../src/a.h", "lines": [{"line_number": 3, "function_name": "f",
                        "branches": [{"count": count}, {"count": 0}]}]},
                    {"file": "/usr/include/x.h", "lines": [{"line_number": 1, "function_name": "g",
                        "branches": [{"count": 1}]}]},
                ]
            })
        };
        let mut branches = Branches::default();
        for count in [0, 2] {
            branches.add(&document(count), Path::new("/t"), &|name| is_own(&["src/*"], name)).unwrap();
        }
        assert_eq!((branches.taken(), branches.total()), (1, 2));
        assert_eq!(branches.missed(), [("src/a.h", "f", 1, 2)]);
    }
}

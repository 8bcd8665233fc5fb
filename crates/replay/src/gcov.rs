//! Coverage of a program built with `gcc --coverage`: every place of a runner has a directory of its own into which
//! programs add their counters (`GCOV_PREFIX`), and `gcov` reads them all at the end. Counts of one source line are
//! added up over directories and object files; nothing is written beside the user's objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// Object files handed to one `gcov`.
const AT_ONCE: usize = 200;

/// Coverage could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GcovError {
    /// The program wrote nothing.
    #[error("the program wrote no coverage data: build it with gcc --coverage, and let it exit by itself")]
    NoData,
    /// gcov cannot be run.
    #[error("cannot run {}: {source} (package gcc)", gcov.display())]
    Run {
        /// The program.
        gcov: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// gcov failed.
    #[error("{} failed: {message}; it must be of the same version as the gcc that built the program", gcov.display())]
    Failed {
        /// The program.
        gcov: PathBuf,
        /// What it said.
        message: String,
    },
    /// A file of counters, or the note file that belongs to it.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// Covered and all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Taken or executed at least once.
    pub covered: u64,
    /// In all.
    pub total: u64,
}

/// The coverage of one source file or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Branches as `gcov -b` counts them: each way out of a condition is one.
    pub branches: Count,
    /// Lines with code.
    pub lines: Count,
}

/// Coverage by source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcovReport {
    /// Source files by their absolute path.
    pub by_file: BTreeMap<PathBuf, FileCoverage>,
    /// Branches of each function, by its file and name.
    pub by_function: BTreeMap<(PathBuf, String), Count>,
}

impl GcovReport {
    /// The sum over all files.
    pub fn total(&self) -> FileCoverage {
        let mut total = FileCoverage::default();
        for file in self.by_file.values() {
            total.branches.covered += file.branches.covered;
            total.branches.total += file.branches.total;
            total.lines.covered += file.lines.covered;
            total.lines.total += file.lines.total;
        }
        total
    }
}

/// Which source files count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    patterns: Vec<String>,
}

impl Sources {
    /// Those below one of these directories, or whose path or name fits one of these patterns (`*`, `?`). Without any,
    /// all that are not the system's headers.
    pub fn new(patterns: &[String]) -> Sources {
        let absolute = |pattern: &String| match fs::canonicalize(pattern) {
            Ok(path) => path.to_string_lossy().into_owned(),
            Err(_) => pattern.clone(),
        };
        Sources { patterns: patterns.iter().map(absolute).collect() }
    }

    /// Whether this file counts.
    pub fn contains(&self, file: &Path) -> bool {
        if self.patterns.is_empty() {
            return !file.starts_with("/usr");
        }
        let text = file.to_string_lossy();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.patterns.iter().any(|pattern| {
            file.starts_with(pattern)
                || matches(pattern.as_bytes(), text.as_bytes())
                || matches(pattern.as_bytes(), name.as_bytes())
                || matches(format!("*/{pattern}").as_bytes(), text.as_bytes())
        })
    }
}

/// `*` stands for any bytes, `?` for one.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                p = star + 1;
                t = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[derive(Deserialize)]
struct Document {
    current_working_directory: PathBuf,
    #[serde(default)]
    files: Vec<FileEntry>,
}

#[derive(Deserialize)]
struct FileEntry {
    file: PathBuf,
    #[serde(default)]
    lines: Vec<LineEntry>,
}

#[derive(Deserialize)]
struct LineEntry {
    line_number: u32,
    #[serde(default)]
    function_name: String,
    count: u64,
    #[serde(default)]
    branches: Vec<BranchEntry>,
}

#[derive(Deserialize)]
struct BranchEntry {
    count: u64,
}

/// What is known of a line: how often it was executed, and each of its branches.
#[derive(Default)]
struct Line {
    count: u64,
    branches: Vec<u64>,
}

type Lines = BTreeMap<(PathBuf, u32, String), Line>;

/// Reads all counters below these directories, where programs put them below `GCOV_PREFIX`.
pub fn read(directories: &[PathBuf], sources: &Sources) -> Result<GcovReport, GcovError> {
    let gcov = find_gcov();
    let mut lines = Lines::new();
    let mut any = false;
    for directory in directories {
        let files = counter_files(directory)?;
        any |= !files.is_empty();
        for some in files.chunks(AT_ONCE) {
            run(&gcov, directory, some, sources, &mut lines)?;
        }
    }
    if !any {
        return Err(GcovError::NoData);
    }
    let mut report = GcovReport::default();
    let mut last: Option<(PathBuf, u32, bool)> = None;
    for ((file, number, function), line) in lines {
        let all = line.branches.len() as u64;
        let taken = line.branches.iter().filter(|count| **count > 0).count() as u64;
        let entry = report.by_file.entry(file.clone()).or_default();
        entry.branches.total += all;
        entry.branches.covered += taken;
        let of_function = report.by_function.entry((file.clone(), function)).or_default();
        of_function.total += all;
        of_function.covered += taken;
        // A line that belongs to several functions is still one line.
        let covered = line.count > 0;
        match &mut last {
            Some((known, n, was)) if *known == file && *n == number => {
                entry.lines.covered += u64::from(covered && !*was);
                *was |= covered;
            }
            _ => {
                entry.lines.total += 1;
                entry.lines.covered += u64::from(covered);
                last = Some((file, number, covered));
            }
        }
    }
    Ok(report)
}

/// A branch as gcov names it: its file, function, line, and its place among the line's branches.
pub type Branch = (PathBuf, String, u32, u32);

/// The branches that were taken since the last call. The counters are removed, so that each run can be told apart; a
/// program that wrote none, because it crashed, took none that anybody knows of.
pub fn take_branches(
    directories: &[PathBuf],
    sources: &Sources,
    gcov: Option<&Path>,
) -> Result<BTreeSet<Branch>, GcovError> {
    let gcov = gcov.map_or_else(find_gcov, Path::to_path_buf);
    let mut lines = Lines::new();
    for directory in directories {
        let files = counter_files(directory)?;
        for some in files.chunks(AT_ONCE) {
            run(&gcov, directory, some, sources, &mut lines)?;
        }
        for path in files {
            fs::remove_file(&path).map_err(|source| GcovError::File { path, source })?;
        }
    }
    let mut taken = BTreeSet::new();
    for ((file, number, function), line) in lines {
        let branches = line.branches.iter().enumerate().filter(|(_, count)| **count > 0);
        taken.extend(branches.map(|(i, _)| (file.clone(), function.clone(), number, i as u32)));
    }
    Ok(taken)
}

fn find_gcov() -> PathBuf {
    ["/usr/bin/gcov", "/usr/bin/gcov-12"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
        .unwrap_or_else(|| "gcov".into())
}

/// The files of counters below a directory, each with the note file of the compiler linked beside it, where gcov looks.
fn counter_files(directory: &Path) -> Result<Vec<PathBuf>, GcovError> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_path_buf()];
    while let Some(next) = pending.pop() {
        let entries = match fs::read_dir(&next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(|source| GcovError::File { path: next.clone(), source })?,
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => pending.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == "gcda") => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    for path in &found {
        let below = path.strip_prefix(directory).unwrap_or(path);
        let notes = Path::new("/").join(below).with_extension("gcno");
        let link = path.with_extension("gcno");
        if !notes.is_file() {
            return Err(GcovError::File { path: notes, source: io::Error::from(io::ErrorKind::NotFound) });
        }
        match std::os::unix::fs::symlink(&notes, &link) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(GcovError::File { path: link, source: error });
            }
            _ => {}
        }
    }
    Ok(found)
}

fn run(
    gcov: &Path,
    directory: &Path,
    files: &[PathBuf],
    sources: &Sources,
    lines: &mut Lines,
) -> Result<(), GcovError> {
    let output = Command::new(gcov)
        .args(["--json-format", "--stdout", "--branch-probabilities"])
        .args(files)
        .current_dir(directory)
        .output()
        .map_err(|source| GcovError::Run { gcov: gcov.into(), source })?;
    let failed = |message: String| GcovError::Failed { gcov: gcov.into(), message };
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(failed(text.lines().next().unwrap_or("it said nothing").to_string()));
    }
    // File names may be in any encoding.
    let text = String::from_utf8_lossy(&output.stdout);
    for document in serde_json::Deserializer::from_str(&text).into_iter::<Document>() {
        let document = document.map_err(|error| failed(format!("its output is not what it was: {error}")))?;
        for file in document.files {
            let path = plain(&document.current_working_directory.join(&file.file));
            if !sources.contains(&path) {
                continue;
            }
            for entry in file.lines {
                let line = lines.entry((path.clone(), entry.line_number, entry.function_name)).or_default();
                line.count = line.count.saturating_add(entry.count);
                let counts = entry.branches.iter().map(|branch| branch.count);
                if line.branches.len() == entry.branches.len() {
                    let both = line.branches.iter_mut().zip(counts);
                    both.for_each(|(sum, count)| *sum = sum.saturating_add(count));
                } else {
                    // The same line compiled differently in another object file.
                    line.branches.extend(counts);
                }
            }
        }
    }
    Ok(())
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*.c", "a.c", true),
            ("*.c", "a.h", false),
            ("a?c*", "abcd", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
        let all = Sources::default();
        assert!(all.contains(Path::new("/src/ls.c")) && !all.contains(Path::new("/usr/include/stdio.h")));
        let some = Sources::new(&["src/*.c".into(), "/etc".into()]);
        assert!(some.contains(Path::new("/home/x/src/ls.c")) && some.contains(Path::new("/etc/y.c")));
        assert!(!some.contains(Path::new("/home/x/lib/ls.c")));
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}

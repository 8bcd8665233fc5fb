//! A run folder as reports see it, however far its run came: a file that is missing, half-written or not ours leaves a gap that
//! [`Run::gaps`] names, never an error. Only a folder that is no run folder at all is refused. Tests are listed, not read.

use crate::data::{Arms, ProgramFile, Spent, Tree};
use crate::events::{Events, read_events};
use forkwise_testcase::json as test_json;
use forkwise_testcase::{BugKind, TestCase};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// No file of a run folder is as large as this.
const MOST_BYTES: u64 = 512 << 20;
/// Of a log, so much is shown.
const MOST_LOG: u64 = 64 << 10;

/// A folder cannot be reported on.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It holds nothing of a run.
    #[error("{} is no result folder: it has neither events.jsonl nor summary.json; name the folder that `forkwise run` wrote (forkwise-last is the newest)", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
}

/// A distinct bug.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Bug {
    /// Its name: number and kind.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Who is to blame: `program`, `unsupported`, `engine`.
    pub blame: String,
    /// The kind in words.
    pub title: String,
    /// What happened, in one line.
    pub message: String,
    /// Further lines.
    pub details: Vec<String>,
    /// Where.
    pub function: String,
    /// Where.
    pub file: String,
    /// Where; 0 is unknown.
    pub line: u32,
    /// The test that shows it, relative to the run folder.
    pub test: String,
    /// Paths that showed it.
    pub seen: u64,
    /// Whether a native run shows it, if that is known.
    pub confirmed: Option<bool>,
    /// What the native run said.
    pub native: Option<String>,
    /// The command that repeats it, if the run wrote it down.
    pub reproduce: Option<String>,
    /// Innermost first.
    pub stack: Vec<Frame>,
    /// The test, if it can be read.
    #[serde(skip)]
    pub case: Option<TestCase>,
    /// The C reproducer.
    #[serde(skip)]
    pub reproducer: String,
    /// What the native run wrote.
    #[serde(skip)]
    pub log: String,
}

/// A line of a stack.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// Function.
    pub function: String,
    /// File.
    pub file: String,
    /// Line; 0 is unknown.
    pub line: u32,
    /// Column; 0 is unknown.
    pub column: u32,
    /// Of the C library.
    pub library: bool,
}

impl Bug {
    /// Is the program to blame?
    pub fn is_programs(&self) -> bool {
        self.blame.is_empty() || self.blame == "program"
    }

    /// The kind in words.
    pub fn title(&self) -> &str {
        match (self.title.as_str(), BugKind::from_id(&self.kind)) {
            ("", Some(kind)) => kind.title(),
            ("", None) => &self.kind,
            (title, _) => title,
        }
    }

    /// The number of its test, if it is among the tests.
    pub fn test_number(&self) -> Option<u32> {
        let name = self.test.strip_prefix("tests/")?;
        name.split('.').next()?.parse().ok()
    }
}

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The folder.
    pub root: PathBuf,
    /// Lines of `info`: name and value.
    pub info: BTreeMap<String, String>,
    /// `summary.json` of a run that ended, else `status.json`.
    pub summary: Value,
    /// It ended by itself.
    pub finished: bool,
    /// What happened when.
    pub events: Events,
    /// What was covered.
    pub arms: Arms,
    /// What there is to cover.
    pub program: ProgramFile,
    /// Where it spent itself.
    pub spent: Spent,
    /// The execution tree.
    pub tree: Tree,
    /// Distinct bugs, in the order of discovery.
    pub bugs: Vec<Bug>,
    /// Files of tests, by number.
    pub tests: Vec<(u32, PathBuf)>,
    /// What could not be read, one sentence each.
    pub gaps: Vec<String>,
}

/// A whole file, if it is there and not a giant.
fn bytes(path: &Path, most: u64) -> Result<Option<Vec<u8>>, String> {
    let mut out = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut out));
    match read {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(format!("{} cannot be read: {e}", path.display())),
        Ok(_) if out.len() as u64 > most => Err(format!("{} is too large to be read", path.display())),
        Ok(_) => Ok(Some(out)),
    }
}

impl Run {
    /// Reads a folder.
    pub fn read(root: &Path) -> Result<Run, FolderError> {
        let unreadable = |source| FolderError::Unreadable { path: root.to_path_buf(), source };
        fs::read_dir(root).map_err(unreadable)?;
        if !["events.jsonl", "summary.json", "status.json"].iter().any(|name| root.join(name).is_file()) {
            return Err(FolderError::NoRun { path: root.to_path_buf() });
        }
        let mut run = Run { root: root.to_path_buf(), ..Run::default() };
        run.read_info();
        run.finished = root.join("summary.json").is_file();
        let summary = if run.finished { "summary.json" } else { "status.json" };
        run.summary = run.json(summary, true).unwrap_or(Value::Null);
        if !run.finished {
            run.gaps.push(
                "the run did not end by itself, or is still going on: this is what it had written".into(),
            );
        }
        match bytes(&root.join("events.jsonl"), MOST_BYTES) {
            Ok(Some(text)) => run.events = read_events(&String::from_utf8_lossy(&text)),
            Ok(None) => {
                run.gaps.push("there is no events.jsonl: nothing is known of the course of the run".into())
            }
            Err(why) => run.gaps.push(why),
        }
        let is_worst = run.is_worst();
        run.arms = run.json("coverage.json", !is_worst).unwrap_or_default();
        run.program = run.json("program.json", !is_worst).unwrap_or_default();
        run.spent = run.json("profile.json", false).unwrap_or_default();
        run.tree = run.json("tree.json", false).unwrap_or_default();
        run.read_bugs();
        run.list_tests();
        Ok(run)
    }

    fn json<T: DeserializeOwned>(&mut self, name: &str, expected: bool) -> Option<T> {
        let path = self.root.join(name);
        match bytes(&path, MOST_BYTES) {
            Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(value) => return Some(value),
                Err(why) => self.gaps.push(format!("{name} cannot be understood: {why}")),
            },
            Ok(None) if expected => self.gaps.push(format!("there is no {name}")),
            Ok(None) => {}
            Err(why) => self.gaps.push(why),
        }
        None
    }

    fn read_info(&mut self) {
        if let Ok(Some(text)) = bytes(&self.root.join("info"), MOST_LOG) {
            for line in String::from_utf8_lossy(&text).lines() {
                if let Some((name, value)) = line.split_once(": ") {
                    self.info.insert(name.to_string(), value.to_string());
                }
            }
        }
    }

    fn read_bugs(&mut self) {
        let Ok(entries) = fs::read_dir(self.root.join("bugs")) else { return };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        folders.sort();
        for folder in folders {
            let text = |name: &str| match bytes(&folder.join(name), MOST_LOG * 16) {
                Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
                _ => String::new(),
            };
            let mut bug: Bug = match serde_json::from_str(&text("report.json")) {
                Ok(bug) => bug,
                Err(why) => {
                    self.gaps.push(format!(
                        "{} cannot be understood: {why}",
                        folder.join("report.json").display()
                    ));
                    continue;
                }
            };
            // Names of pages are made of it.
            bug.id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            bug.case = test_json::read(&folder.join("test.json")).ok();
            bug.reproducer = text("reproducer.c");
            bug.log = text("native.txt");
            self.bugs.push(bug);
        }
    }

    fn list_tests(&mut self) {
        let Ok(entries) = fs::read_dir(self.root.join("tests")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number =
                name.to_str().and_then(|n| n.strip_suffix(".test.json")).and_then(|n| n.parse().ok());
            if let Some(number) = number {
                self.tests.push((number, entry.path()));
            }
        }
        self.tests.sort();
    }

    /// Is it a folder of `forkwise worst`?
    pub fn is_worst(&self) -> bool {
        self.summary.get("measure").is_some()
    }

    /// A text of the summary.
    pub fn text(&self, key: &str) -> &str {
        self.summary.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number of the summary, by a path such as `coverage.branches_covered`.
    pub fn number(&self, path: &str) -> Option<f64> {
        let mut at = &self.summary;
        for key in path.split('.') {
            at = at.get(key)?;
        }
        at.as_f64()
    }

    /// The program as the user named it.
    pub fn program_name(&self) -> &str {
        let names = [self.text("program"), &self.events.program, &self.program.name];
        names.into_iter().find(|n| !n.is_empty()).unwrap_or("the program")
    }

    /// Who chose what was explored.
    pub fn search(&self) -> &str {
        if self.text("search").is_empty() { &self.events.search } else { self.text("search") }
    }

    /// The folder's name for people.
    pub fn label(&self) -> String {
        self.root.display().to_string()
    }

    /// Bugs of the program.
    pub fn programs_bugs(&self) -> impl Iterator<Item = &Bug> {
        self.bugs.iter().filter(|b| b.is_programs())
    }

    /// (covered, total) arms.
    pub fn branches(&self) -> (u64, u64) {
        (u64::from(self.arms.covered), u64::from(self.arms.total))
    }

    /// The command that runs a bug's test natively.
    pub fn reproduce(&self, bug: &Bug) -> String {
        let quote = |text: &str| forkwise_testcase::shell::quote(text.as_bytes());
        bug.reproduce.clone().unwrap_or_else(|| {
            let test = self.root.join(&bug.test).display().to_string();
            format!("forkwise replay {} {}", quote(self.program_name()), quote(&test))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Run::read(folder.path()), Err(FolderError::NoRun { .. })));
        assert!(matches!(Run::read(&folder.path().join("none")), Err(FolderError::Unreadable { .. })));
    }

    #[test]
    fn broken_files_are_gaps() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("events.jsonl", "{\"event\":\"start\",\"program\":\"x\"}\n{\"event\":\"prog");
        put("coverage.json", "{\"format\": 1, \"covered");
        put("program.json", "[]");
        put("tree.json", "\"no\"");
        put("bugs/001-x/report.json", "{");
        put("bugs/002-y/report.json", "{\"kind\": \"abort\", \"id\": \"../../etc\"}");
        put("tests/000001.test.json", "not a test");
        put("tests/readme", "");
        let run = Run::read(folder.path()).unwrap();
        assert_eq!(run.bugs.len(), 1);
        assert_eq!((run.bugs[0].id.as_str(), run.bugs[0].title()), ("002-y", "Abort"));
        assert_eq!(run.tests.len(), 1);
        assert_eq!(run.program_name(), "x");
        assert!(run.gaps.len() >= 5, "{:?}", run.gaps);
    }
}

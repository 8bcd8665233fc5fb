//! One engine run that is to be done. Everything that decides its outcome is part of its [`RunId`]; what only people see
//! (the label, where the program's file lies) is not. Trials are plain data: another machine can run them.

use crate::hash::{ContentHash, Hasher};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of what a run id is made of.
const FORMAT: u64 = 1;

/// Stands for the folder of a trial's attachments in its options.
pub const FILES: &str = "{files}";

/// The program of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds, other files that options name included.
    pub hash: ContentHash,
}

impl ProgramFile {
    /// Reads the program, and the files beside it whose contents count (`--with`, `--stdin`, …). An error has the file.
    pub fn read(path: &Path, others: &[PathBuf]) -> Result<ProgramFile, (PathBuf, io::Error)> {
        let hash = |p: &Path| ContentHash::of_file(p).map_err(|e| (p.to_path_buf(), e));
        let mut all = Hasher::default();
        all.text(hash(path)?.as_str());
        for other in others {
            all.text(hash(other)?.as_str());
        }
        Ok(ProgramFile { path: path.to_path_buf(), hash: all.finish() })
    }
}

/// When a trial is to end by itself. Instructions and executions repeat exactly, time does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// After this time, in milliseconds (`--time`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// After so many instructions (`--max-instructions`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// After so many executions (`--executions`, concolic testing only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
}

impl Budget {
    /// So much time.
    pub fn time(time: Duration) -> Budget {
        Budget { milliseconds: Some(time.as_millis() as u64), ..Budget::default() }
    }

    /// The time, if it is limited.
    pub fn duration(&self) -> Option<Duration> {
        self.milliseconds.map(Duration::from_millis)
    }

    /// Does a trial under it always do the same?
    pub fn repeats(&self) -> bool {
        self.milliseconds.is_none()
    }

    /// All of it times `by`, nothing below 1.
    pub fn scaled(&self, by: f64) -> Budget {
        let scale = |n: Option<u64>| n.map(|n| ((n as f64 * by).round() as u64).max(1));
        Budget {
            milliseconds: scale(self.milliseconds),
            instructions: scale(self.instructions),
            executions: scale(self.executions),
        }
    }

    /// The options of `run` that say it.
    pub fn options(&self) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.milliseconds.map(|n| format!("--time={n}ms")));
        out.extend(self.instructions.map(|n| format!("--max-instructions={n}")));
        out.extend(self.executions.map(|n| format!("--executions={n}")));
        out
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.milliseconds.map(|n| format!("{} s", n as f64 / 1000.0)));
        parts.extend(self.instructions.map(|n| format!("{n} instructions")));
        parts.extend(self.executions.map(|n| format!("{n} executions")));
        f.write_str(&if parts.is_empty() { "no limit".to_string() } else { parts.join(", ") })
    }
}

/// A small text file that a trial needs, such as weights. Options name it `{files}/NAME`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its name, without a folder.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// See the module text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// The program.
    pub program: ProgramFile,
    /// Options of `forkwise run`, a word each, without those that the fields below say; `{files}` in one is the folder of
    /// the attachments.
    pub options: Vec<String>,
    /// What follows the program: its arguments, `--sym-args` and so on.
    pub arguments: Vec<String>,
    /// Files that options name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
    /// The seed.
    pub seed: u64,
    /// When it ends.
    pub budget: Budget,
    /// What people call it; not part of the run id.
    pub label: String,
}

/// The name of a run by everything that decides about it. Equal ids: the same run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId(ContentHash);

impl RunId {
    /// The digits.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Trial {
    /// Its name in stores and on the wire.
    pub fn id(&self) -> RunId {
        let mut h = Hasher::default();
        h.number(FORMAT).text(self.program.hash.as_str()).number(self.options.len() as u64);
        self.options.iter().for_each(|word| {
            h.text(word);
        });
        h.number(self.arguments.len() as u64);
        self.arguments.iter().for_each(|word| {
            h.text(word);
        });
        h.number(self.files.len() as u64);
        self.files.iter().for_each(|file| {
            h.text(&file.name).text(&file.text);
        });
        h.number(self.seed);
        let Budget { milliseconds, instructions, executions } = self.budget;
        for limit in [milliseconds, instructions, executions] {
            h.number(u64::from(limit.is_some())).number(limit.unwrap_or(0));
        }
        RunId(h.finish())
    }

    /// The words of the command line between `forkwise run` and the folder of the results.
    pub fn command_line(&self, files: &Path) -> Vec<String> {
        let files = files.display().to_string();
        let mut words: Vec<String> = self.options.iter().map(|word| word.replace(FILES, &files)).collect();
        words.push(format!("--seed={}", self.seed));
        words.extend(self.budget.options());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial() -> Trial {
        Trial {
            program: ProgramFile { path: "p.c".into(), hash: ContentHash::of(b"int main") },
            options: vec!["--search=param:{files}/w.toml".into()],
            arguments: vec!["--sym-stdin".into(), "8".into()],
            files: vec![Attachment { name: "w.toml".into(), text: "format = 1".into() }],
            seed: 7,
            budget: Budget { instructions: Some(10), ..Budget::default() },
            label: "a".into(),
        }
    }

    #[test]
    fn the_id_is_by_what_decides() {
        let one = trial();
        let same = Trial {
            label: "b".into(),
            program: ProgramFile { path: "/x/p.c".into(), ..one.program.clone() },
            ..one.clone()
        };
        assert_eq!(one.id(), same.id());
        let mut others = vec![one.clone(); 6];
        others[0].seed = 8;
        others[1].budget = Budget { executions: Some(10), ..Budget::default() };
        others[2].files[0].text.push(' ');
        others[3].options.push("--ubsan".into());
        others[4].arguments.swap(0, 1);
        others[5].program.hash = ContentHash::of(b"other");
        for other in &others {
            assert_ne!(one.id(), other.id());
        }
    }

    #[test]
    fn trials_are_plain_data() {
        let text = serde_json::to_string(&trial()).unwrap();
        assert_eq!(serde_json::from_str::<Trial>(&text).unwrap(), trial());
        let words = trial().command_line(Path::new("/t/files"));
        assert_eq!(words, ["--search=param:/t/files/w.toml", "--seed=7", "--max-instructions=10"]);
    }

    #[test]
    fn budgets_scale_and_say_what_they_are() {
        let b = Budget { milliseconds: Some(1500), executions: Some(10), ..Budget::default() };
        assert_eq!(b.scaled(0.25), Budget { milliseconds: Some(375), executions: Some(3), ..b });
        assert_eq!((b.to_string().as_str(), b.repeats()), ("1.5 s, 10 executions", false));
        assert_eq!(b.options(), ["--time=1500ms", "--executions=10"]);
    }
}

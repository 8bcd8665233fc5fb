//! A bug as users get it: what, where, on which stack, with which test, and whether it happens natively. Each has a
//! folder with everything needed to look at it again: report, test, C reproducer, and what the native run said.

use super::output::Output;
use anyhow::Context;
use forkwise_explore::Place;
use forkwise_testcase::{Blame, BugKind, KTest, TestCase, atomic_write, json, reproducer};
use forkwise_vm::StackLine;
use serde_json::{Value, json as value};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What a native run says about a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// It happens, it does not, or that could not be found out.
    pub confirmed: Option<bool>,
    /// In words.
    pub text: String,
    /// What the native run wrote to standard error.
    pub log: String,
    /// Options with which `forkwise replay` runs the same program.
    pub options: &'static str,
}

/// A distinct bug.
#[derive(Clone, Debug)]
pub struct Bug {
    /// Its name in results: number and kind.
    pub id: String,
    /// The program as the user named it.
    pub program: String,
    /// The explorer's number for it.
    pub number: usize,
    /// Its kind.
    pub kind: BugKind,
    /// Where it is.
    pub place: Place,
    /// What happened, in one line.
    pub message: String,
    /// Further lines.
    pub details: Vec<String>,
    /// The stack, innermost first.
    pub stack: Vec<StackLine>,
    /// The number of the test that shows it, if it is among the tests.
    pub test: Option<u64>,
    /// The test.
    pub case: TestCase,
    /// Paths that showed it.
    pub seen: u64,
    /// What the native run said; `None` before it was asked.
    pub confirmation: Option<Confirmation>,
}

impl Bug {
    /// Whether the program, and not the engine, is to blame.
    pub fn is_programs(&self) -> bool {
        self.kind.blame() == Blame::Program
    }

    /// Confirmed natively?
    pub fn confirmed(&self) -> Option<bool> {
        self.confirmation.as_ref().and_then(|c| c.confirmed)
    }

    /// The test's file, relative to the result folder.
    pub fn test_file(&self) -> String {
        match self.test {
            Some(number) => format!("tests/{number:06}.ktest"),
            None => format!("bugs/{}/test.ktest", self.id),
        }
    }

    /// The command that runs its test natively, as it was confirmed.
    pub fn reproduce(&self, output: &Path) -> String {
        let options =
            self.confirmation.as_ref().filter(|c| c.confirmed == Some(true)).map_or("", |c| c.options);
        format!("forkwise replay {options}{} {}", self.program, output.join(self.test_file()).display())
    }

    /// `kind in function at file:line`, the file as `shorten` shows it.
    pub fn headline(&self, shorten: impl Fn(&str) -> String) -> String {
        let mut text = self.kind.id().to_string();
        if !self.place.function.is_empty() {
            let _ = write!(text, " in {}", self.place.function);
        }
        if self.place.line != 0 {
            let _ = write!(text, " at {}:{}", shorten(&self.place.file), self.place.line);
        }
        text
    }

    /// For machines.
    pub fn to_json(&self) -> Value {
        let blame = match self.kind.blame() {
            Blame::Program => "program",
            Blame::Unsupported => "unsupported",
            Blame::Engine => "engine",
        };
        value!({
            "id": self.id,
            "kind": self.kind.id(),
            "blame": blame,
            "message": self.message,
            "function": self.place.function,
            "file": self.place.file,
            "line": self.place.line,
            "test": self.test_file(),
            "seen": self.seen,
            "confirmed": self.confirmed(),
        })
    }

    fn report_json(&self, output: &Path) -> Value {
        let mut report = self.to_json();
        report["reproduce"] = self.reproduce(output).into();
        let stack: Vec<Value> = self
            .stack
            .iter()
            .map(|l| {
                value!({"function": l.function, "file": l.file, "line": l.line, "column": l.column,
                        "library": l.is_library})
            })
            .collect();
        report["title"] = self.kind.title().into();
        report["details"] = self.details.clone().into();
        report["stack"] = stack.into();
        report["native"] = self.confirmation.as_ref().map(|c| c.text.clone()).into();
        report
    }

    fn report_text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.headline(str::to_string), self.message);
        for line in &self.details {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("\nStack, innermost first:\n");
        for (i, l) in self.stack.iter().enumerate() {
            let place = match l.line {
                0 => "(no debug information)".to_string(),
                line => format!("{}:{line}:{}", l.file, l.column),
            };
            let _ = writeln!(text, "  #{i} {} {place}", l.function);
        }
        text.push_str("\nInputs:\n");
        for object in &self.case.objects {
            let value = match (object.as_signed(), object.bytes.len()) {
                (Some(n), _) => format!(" = {n}"),
                _ => String::new(),
            };
            let escaped = object.bytes.escape_ascii();
            let _ = writeln!(text, "  {} ({} bytes) \"{escaped}\"{value}", object.name, object.bytes.len());
        }
        let _ = writeln!(text, "\nTest: {}\nSeen on {} path(s)", self.test_file(), self.seen);
        if let Some(c) = &self.confirmation {
            let _ = writeln!(text, "Natively: {}", c.text);
        }
        text
    }

    /// Writes or replaces the bug's folder.
    pub fn write(&self, output: &Output) -> anyhow::Result<()> {
        let folder = self.folder(output.root());
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let title = self.headline(str::to_string);
        KTest::from(&self.case).write(&folder.join("test.ktest"))?;
        json::write(&folder.join("test.json"), &self.case)?;
        let mut report = serde_json::to_string_pretty(&self.report_json(output.root()))?;
        report.push('\n');
        atomic_write(&folder.join("report.json"), report.as_bytes())?;
        atomic_write(&folder.join("report.txt"), self.report_text().as_bytes())?;
        atomic_write(&folder.join("reproducer.c"), reproducer::to_c(&self.case, &title).as_bytes())?;
        if let Some(c) = self.confirmation.as_ref().filter(|c| !c.log.is_empty()) {
            atomic_write(&folder.join("native.txt"), c.log.as_bytes())?;
        }
        Ok(())
    }

    /// Its folder below the result folder.
    pub fn folder(&self, root: &Path) -> PathBuf {
        root.join("bugs").join(&self.id)
    }
}

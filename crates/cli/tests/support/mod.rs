//! What the tests of the command share: running the real binary in a folder of its own, with a time limit that kills
//! what does not end, and reading what it wrote. It holds no expectations; those are in the tests, and in the comments
//! of the programs they run ([`expect`]). [`native`] builds and runs the same programs without the engine.

// Every test is a crate of its own and uses a part of this.
#![allow(dead_code)]

pub mod expect;
pub mod native;

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The binary under test: the one cargo built for it, or another that `FORKWISE_BINARY` names (an optimised one, say).
pub fn binary() -> PathBuf {
    std::env::var_os("FORKWISE_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_forkwise").into()).into()
}

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/cli lies two levels below the workspace").to_path_buf()
}

/// The folder of the runtime that `cargo xtask setup` built.
pub fn runtime() -> PathBuf {
    match std::env::var_os("FORKWISE_RUNTIME") {
        Some(folder) => folder.into(),
        None => workspace().join("target/runtime"),
    }
}

/// More programs, more levels, more seeds.
pub fn long() -> bool {
    std::env::var_os("FORKWISE_LONG").is_some_and(|value| !value.is_empty() && value != "0")
}

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status; `None` if it was killed for taking too long.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How long it ran.
    pub took: Duration,
}

impl Finished {
    /// The exit code, if it exited by itself.
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The object that `--json` prints last.
    pub fn json(&self) -> Result<Value, String> {
        let text = self.out();
        serde_json::from_str(text.trim())
            .or_else(|_| serde_json::from_str(text.trim().lines().last().unwrap_or_default()))
            .map_err(|error| {
                format!("standard output is not one JSON object ({error}):\n{text}\n{}", self.err())
            })
    }
}

/// Runs to the end or to the limit; never leaves a process behind.
pub fn finish(mut child: Child, limit: Duration) -> Finished {
    let start = Instant::now();
    // Read on threads of their own: a full pipe would stop the child.
    let read = |stream: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stream) = stream {
                // A stream that breaks off gives what came before.
                let _ = stream.read_to_end(&mut bytes);
            }
            bytes
        })
    };
    let out = read(child.stdout.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let err = read(child.stderr.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let mut pause = Duration::from_micros(500);
    let status = loop {
        match child.try_wait().expect("the child can be waited for") {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => {
                child.kill().expect("the child can be killed");
                child.wait().expect("a killed child can be waited for");
                break None;
            }
            None => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let took = start.elapsed();
    Finished { status, stdout: out.join().unwrap_or_default(), stderr: err.join().unwrap_or_default(), took }
}

/// Runs a command with captured output and no input.
pub fn run(command: &mut Command, limit: Duration) -> Finished {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    finish(child, limit)
}

/// The binary with these arguments in this folder.
pub fn forkwise<S: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder).env_remove("KTEST_FILE");
    command
}

/// A fresh folder, removed when it goes out of scope.
pub fn scratch() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("forkwise-test-").tempdir().expect("a temporary folder can be made")
}

/// All files below a folder, sorted, relative to it.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("found below it").to_path_buf());
            }
        }
    }
    found.sort();
    found
}

/// The files below a folder whose names end so.
pub fn files_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending));
    files_below(folder).into_iter().filter(named).map(|path| folder.join(path)).collect()
}

/// Fails unless every result file below an output folder is whole.
pub fn check_results(output: &Path) {
    for path in files_below(output) {
        let full = output.join(&path);
        let name = path.to_string_lossy().into_owned();
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match extension {
            "json" => {
                let text = fs::read_to_string(&full).unwrap_or_else(|error| panic!("{name}: {error}"));
                let parsed: Result<Value, _> = serde_json::from_str(&text);
                assert!(parsed.is_ok(), "{name} is not whole: {parsed:?}\n{text}");
            }
            "jsonl" => {
                let text = fs::read_to_string(&full).unwrap_or_else(|error| panic!("{name}: {error}"));
                for (number, line) in text.lines().enumerate() {
                    let parsed: Result<Value, _> = serde_json::from_str(line);
                    assert!(parsed.is_ok(), "{name}:{} is not whole: {line}", number + 1);
                }
            }
            "ktest" => {
                let parsed = forkwise_testcase::KTest::read(&full);
                assert!(parsed.is_ok(), "{name} is not whole: {:?}", parsed.err());
            }
            _ => {}
        }
        assert!(!name.contains(".tmp") && !name.ends_with(".part"), "{name} was left half-written");
    }
}

/// The tests in an output folder, in order.
pub fn tests_in(output: &Path) -> Vec<(PathBuf, forkwise_testcase::TestCase)> {
    let mut all = Vec::new();
    for path in files_ending(&output.join("tests"), ".json") {
        match forkwise_testcase::json::read(&path) {
            Ok(test) => all.push((path, test)),
            Err(error) => panic!("{error}"),
        }
    }
    all
}

/// The `.ktest` file next to a test.
pub fn ktest_of(test: &Path) -> PathBuf {
    let name = test.file_name().expect("a test is a file").to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default();
    test.with_file_name(format!("{stem}.ktest"))
}

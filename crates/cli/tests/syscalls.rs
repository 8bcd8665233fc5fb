//! The virtual Linux against the real one: every program of `tests/syscalls` runs in the engine and, built from the same
//! bitcode and the same C library, natively in the replay sandbox. Output, errors and exit status must be equal, byte
//! for byte. `FORKWISE_ONLY=text` keeps the programs whose path contains the text; `tests/syscalls/README.md` describes
//! what a program may do.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use forkwise_replay::{Captured, Ending, Limits, Program, Runner, RunnerOptions};
use forkwise_testcase::{Outcome, TestCase};
use forkwise_toolchain::{CompileOptions, NativeLibc, NativeOptions, Toolchain};
use support::{forkwise, run, scratch, tests_in, workspace};

/// No program needs as long as this in the engine.
const RUN_LIMIT: Duration = Duration::from_secs(60);

/// Programs that run at the same time: as many as there are processors.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, |n| n.get())
}

/// The programs, sorted.
fn programs() -> Vec<PathBuf> {
    let only = std::env::var("FORKWISE_ONLY").unwrap_or_default();
    let folder = workspace().join("tests/syscalls");
    let mut found: Vec<PathBuf> = support::files_ending(&folder, ".c")
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    found.sort();
    found
}

/// What the first lines of a program ask for.
#[derive(Default)]
struct Header {
    /// Options for `forkwise run`.
    flags: Vec<String>,
    /// Arguments of the program.
    args: Vec<String>,
}

fn header(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    for line in text.lines().take_while(|line| line.starts_with("//")) {
        let words = |rest: &str| rest.split_whitespace().map(str::to_owned).collect();
        if let Some(rest) = line.strip_prefix("// flags:") {
            header.flags = words(rest);
        } else if let Some(rest) = line.strip_prefix("// args:") {
            header.args = words(rest);
        } else if line.strip_prefix("// ").is_some_and(|rest| rest.starts_with(char::is_lowercase)) {
            return Err(format!("neither a sentence nor a request: {line}"));
        }
    }
    Ok(header)
}

/// Runs one program both ways; what differs.
fn compare(source: &Path, toolchain: &Toolchain, runner: &Runner) -> Result<(), String> {
    let folder = scratch();
    let text = std::fs::read_to_string(source).map_err(|error| error.to_string())?;
    let header = header(&text)?;
    let compiled = toolchain
        .compile_c(&[source.to_path_buf()], &CompileOptions::default())
        .map_err(|error| error.to_string())?;
    if !compiled.warnings().is_empty() {
        return Err(compiled.warnings().to_owned());
    }
    let bitcode = folder.path().join("program.bc");
    std::fs::copy(compiled.path(), &bitcode).map_err(|error| error.to_string())?;
    let test = engine(&bitcode, &header, folder.path())?;
    let options = NativeOptions { libc: NativeLibc::Bitcode, ..NativeOptions::default() };
    let path = folder.path().join("program");
    toolchain.build_native(&[bitcode], &path, &options).map_err(|error| error.to_string())?;
    native(&path, &test, runner)
}

/// What the engine says the program does.
fn engine(bitcode: &Path, header: &Header, folder: &Path) -> Result<TestCase, String> {
    let mut arguments: Vec<String> =
        ["run", "--json", "--concrete", "--no-replay", "-o", "out", "--time", "60s"]
            .map(str::to_owned)
            .to_vec();
    arguments.extend(header.flags.iter().cloned());
    arguments.push(bitcode.display().to_string());
    arguments.extend(header.args.iter().cloned());
    let done = run(&mut forkwise(folder, &arguments), RUN_LIMIT);
    let mut tests = tests_in(&folder.join("out"));
    match (tests.pop(), tests.len()) {
        (Some((_, test)), 0) => Ok(test),
        (None, _) => Err(format!("the engine gave no test: {}", done.err())),
        (Some(_), more) => Err(format!("the engine followed {} paths, not one", more + 1)),
    }
    .and_then(|test| match &test.outcome {
        Some(Outcome::Exit(_) | Outcome::Signal(_)) => Ok(test),
        other => Err(format!("the engine's path ended otherwise: {other:?}\n{}\n{}", done.err(), done.out())),
    })
}

/// Runs the native program on the engine's test and compares.
fn native(path: &Path, test: &TestCase, runner: &Runner) -> Result<(), String> {
    let limits = Limits::default();
    let program = Program::new(path).map_err(|error| error.to_string())?;
    let report = runner.run_test(&program, test, &limits).map_err(|error| error.to_string())?;
    let mut wrong = String::new();
    let expected = match test.outcome {
        Some(Outcome::Signal(signal)) => Ending::Signaled(signal),
        Some(Outcome::Exit(code)) => Ending::Exited(code & 0xff),
        _ => return Err("no outcome".into()),
    };
    if report.ending != expected {
        let _ = writeln!(wrong, "ends with {expected}, natively with {}", report.ending);
    }
    difference("stdout", test.stdout.as_deref(), &report.stdout, &mut wrong);
    difference("stderr", test.stderr.as_deref(), &report.stderr, &mut wrong);
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// The lines that differ.
fn difference(what: &str, engine: Option<&[u8]>, native: &Captured, wrong: &mut String) {
    let engine = engine.unwrap_or_default();
    if engine == native.bytes && !native.is_truncated() {
        return;
    }
    let _ = writeln!(wrong, "{what} differs (- engine, + native):");
    let (a, b) = (String::from_utf8_lossy(engine), native.text());
    let (mut a, mut b) = (a.lines().peekable(), b.lines().peekable());
    let mut shown = 0;
    while (a.peek().is_some() || b.peek().is_some()) && shown < 40 {
        let (x, y) = (a.next(), b.next());
        if x != y {
            shown += 1;
            let _ = writeln!(wrong, "- {}\n+ {}", x.unwrap_or("(nothing)"), y.unwrap_or("(nothing)"));
        }
    }
}

#[test]
fn every_program_does_the_same_natively() {
    let toolchain = Toolchain::find().expect("the toolchain is installed");
    let runner = Runner::new(&RunnerOptions::default()).expect("native programs can be run");
    let (programs, next, wrong) = (programs(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| {
                while let Some(source) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = compare(source, &toolchain, &runner) {
                        let name = source.strip_prefix(workspace()).unwrap_or(source).display().to_string();
                        wrong.lock().expect("no thread panics").push((name, problem));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("no thread panics");
    wrong.sort();
    let text: String = wrong.iter().map(|(name, problem)| format!("{name}:\n{problem}\n")).collect();
    assert!(wrong.is_empty(), "{} of {} programs differ:\n{text}", wrong.len(), programs.len());
}

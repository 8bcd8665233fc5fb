//! After the exploration: the program is built natively and run on the tests. A bug is confirmed when a sanitized
//! build shows it; a test that exits must do natively what it predicts. Failing to build is told, never hidden.

use super::bugs::{Bug, Confirmation};
use super::options::RunArgs;
use super::output::Output;
use crate::input::is_elf;
use crate::live::Progress;
use anyhow::Context;
use forkwise_replay::batch::replay_files;
use forkwise_replay::{
    BatchOptions, Check, Coverage, Expected, Limits, Program, Report, Runner, RunnerOptions, Verdict, confirm,
};
use forkwise_testcase::{BugKind, Outcome, Place, json};
use forkwise_toolchain::{NativeOptions, Sanitizers, Toolchain};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Tests that are run natively without being asked for, and how long that may take.
const USUAL_TESTS: u64 = 256;
const USUAL_TIME: Duration = Duration::from_secs(15);
/// A program that runs natively as long as this hangs.
const HANG: Duration = Duration::from_secs(2);

/// What came of running all tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replays {
    /// Tests that did what they predict.
    pub same: u64,
    /// Tests that did not, and how.
    pub diverged: Vec<(String, String)>,
    /// Tests that predict nothing comparable, or were not run.
    pub skipped: u64,
    /// Distinct bugs that native runs of unfinished paths show, each with its first test.
    pub crashes: Vec<(String, String)>,
    /// Branches of the user's code that the native runs covered; `None` when the program does not count them.
    pub coverage: Option<Coverage>,
}

/// Builds the program, each kind at most once.
pub struct Builder {
    args: RunArgs,
    inputs: Vec<PathBuf>,
    toolchain: Toolchain,
    folder: tempfile::TempDir,
    /// Runs what was built.
    pub runner: Runner,
    cancel: Arc<AtomicBool>,
}

impl Builder {
    /// For the program of these options.
    pub fn new(args: &RunArgs, inputs: &[PathBuf]) -> anyhow::Result<Builder> {
        let cancel = Arc::<AtomicBool>::default();
        let options = RunnerOptions { cancel: Arc::clone(&cancel), ..RunnerOptions::default() };
        Ok(Builder {
            args: args.clone(),
            inputs: inputs.to_vec(),
            toolchain: Toolchain::find()?,
            folder: tempfile::tempdir().context("cannot make a temporary folder")?,
            runner: Runner::new(&options)?,
            cancel,
        })
    }

    /// The native program the user named, if that is what was explored.
    fn native(&self) -> Option<&Path> {
        self.inputs.first().map(PathBuf::as_path).filter(|path| is_elf(path))
    }

    /// One build.
    pub fn build(&self, name: &str, sanitizers: Sanitizers) -> anyhow::Result<Program> {
        let mut inputs = self.inputs.clone();
        if let Some(native) = self.native() {
            if sanitizers == Sanitizers::NONE {
                return Ok(Program::new(native)?);
            }
            let bitcode = self.folder.path().join("program.bc");
            let embedded =
                forkwise_ir::embedded_bitcode(native)?.context("the program carries no bitcode")?;
            std::fs::write(&bitcode, embedded)
                .with_context(|| format!("cannot write {}", bitcode.display()))?;
            inputs[0] = bitcode;
        }
        let options = NativeOptions {
            sanitizers,
            opt_level: self.args.opt_level,
            link_replay: true,
            defines: self.args.define.clone(),
            include_dirs: self.args.include.clone(),
            extra_flags: self.args.cflag.clone(),
            ..NativeOptions::default()
        };
        let built = self.toolchain.build_native(&inputs, &self.folder.path().join(name), &options)?;
        let program = Program::new(&built.path)?;
        Ok(if sanitizers == Sanitizers::NONE { program } else { program.sanitized() })
    }
}

/// Confirms the bugs and, if they are few enough or that was asked for, runs all other tests.
pub fn confirm_all(
    args: &RunArgs,
    inputs: &[PathBuf],
    bugs: &mut [Bug],
    tests: u64,
    output: &Output,
    progress: &mut Progress,
    interrupted: bool,
) -> anyhow::Result<Option<Replays>> {
    let built = inputs.first().is_some_and(|path| is_elf(path));
    let all = !interrupted && tests > 0 && (args.replay_all || built || tests <= USUAL_TESTS);
    let wanted = bugs.iter().any(|b| b.kind.is_confirmable());
    if !all && !wanted {
        return Ok(None);
    }
    let builder = match Builder::new(args, inputs) {
        Ok(builder) => builder,
        Err(error) => {
            progress.say(&format!("forkwise: note: nothing is run natively: {error:#}"));
            return Ok(None);
        }
    };
    if let Some(warning) = builder.runner.warning() {
        progress.say(&format!("forkwise: note: {warning}"));
    }
    if wanted {
        progress.stage("confirming bugs natively");
        confirm_bugs(&builder, bugs, output)?;
    }
    if !all {
        return Ok(None);
    }
    progress.stage("running the tests natively");
    match replay_tests(&builder, tests, output, progress) {
        Ok(replays) => Ok(Some(replays)),
        Err(error) => {
            progress.say(&format!("forkwise: note: the tests are not run natively: {error:#}"));
            Ok(None)
        }
    }
}

fn confirm_bugs(builder: &Builder, bugs: &mut [Bug], output: &Output) -> anyhow::Result<()> {
    let undefined = builder.args.ubsan || builder.args.check_overshift;
    let address = Sanitizers { address: true, undefined: false };
    // What the first build does not show, the other may: some bugs are only seen by UBSan, and UBSan stops at the
    // first thing it sees, which may be another one.
    let mut order = if undefined { vec![Sanitizers::ALL, address] } else { vec![address, Sanitizers::ALL] };
    if builder.native().is_some() {
        // The user's own program first: a sanitized one has the host's C library and may not even link.
        order.insert(0, Sanitizers::NONE);
    }
    let mut programs: Vec<Option<Result<Program, String>>> = order.iter().map(|_| None).collect();
    for bug in bugs.iter_mut().filter(|b| b.kind.is_confirmable()) {
        let mut result: Option<Confirmation> = None;
        for (i, sanitizers) in order.iter().enumerate() {
            let program = programs[i].get_or_insert_with(|| {
                builder.build(&format!("sanitized-{i}"), *sanitizers).map_err(|e| format!("{e:#}"))
            });
            let next = match program {
                Ok(program) => confirm_one(builder, program, bug),
                Err(error) => Confirmation {
                    confirmed: None,
                    text: format!("not built: {}", error.lines().next().unwrap_or_default()),
                    log: error.clone(),
                    options: "",
                },
            };
            let next = Confirmation { options: replay_options(builder, *sanitizers), ..next };
            let better = match &result {
                None => true,
                Some(old) => next.confirmed == Some(true) || old.confirmed.is_none(),
            };
            if better {
                result = Some(next);
            }
            if result.as_ref().is_some_and(|r| r.confirmed == Some(true)) {
                break;
            }
        }
        bug.confirmation = result;
        bug.write(output)?;
    }
    Ok(())
}

fn confirm_one(builder: &Builder, program: &Program, bug: &Bug) -> Confirmation {
    let place = |l: &forkwise_vm::StackLine| Place {
        file: l.file.clone(),
        line: l.line,
        function: l.function.clone(),
    };
    let mut stack: Vec<Place> = bug.stack.iter().map(place).collect();
    if bug.kind == BugKind::Leak {
        // A leak is where the object was allocated, not where the program ended.
        stack = vec![crate::outcome::place(&bug.place)];
    }
    let mut limits = Limits::default();
    if bug.kind == BugKind::InstructionLimit {
        limits.wall = HANG;
    }
    let expected = Expected { kind: bug.kind, stack };
    match confirm(&builder.runner, program, &bug.case, &expected, &limits) {
        Ok((verdict, report)) => Confirmation {
            confirmed: match verdict {
                Verdict::Confirmed { .. } => Some(true),
                Verdict::NotConfirmed { .. } => Some(false),
                Verdict::NotConfirmable => None,
            },
            text: verdict.to_string(),
            log: report.stderr.text().into_owned(),
            options: "",
        },
        Err(error) => Confirmation {
            confirmed: None,
            text: format!("not run: {error}"),
            log: String::new(),
            options: "",
        },
    }
}

/// The options with which `forkwise replay` builds a program as it was built here.
fn replay_options(builder: &Builder, sanitizers: Sanitizers) -> &'static str {
    match (builder.native().is_some(), sanitizers.address, sanitizers.undefined) {
        // Sources are built with AddressSanitizer unless told otherwise, programs are run as they are.
        (true, false, false) | (false, true, false) => "",
        (false, false, _) => "--plain ",
        (false, true, true) => "--ubsan ",
        (true, _, false) => "--sanitize ",
        (true, _, true) => "--sanitize --ubsan ",
    }
}

fn replay_tests(
    builder: &Builder,
    tests: u64,
    output: &Output,
    progress: &mut Progress,
) -> anyhow::Result<Replays> {
    let plain = builder.build("plain", Sanitizers::NONE)?;
    let folder = output.root().join("tests");
    let files: Vec<PathBuf> = (1..=tests).map(|n| folder.join(json::file_name(n))).collect();
    // A program that is there already is run on every test: what an unfinished path leads to is seen only natively.
    let everything = builder.native().is_some();
    let deadline = (!builder.args.replay_all && !everything).then(|| Instant::now() + USUAL_TIME);
    let options =
        BatchOptions { limits: Limits { wall: HANG, ..Limits::default() }, ..BatchOptions::default() };
    // Bugs are judged by the sanitized builds; without one, a stray access may go unnoticed.
    let wanted = |file: &PathBuf| {
        everything || json::read(file).is_ok_and(|t| matches!(t.outcome, Some(Outcome::Exit(_))))
    };
    let (run, skipped): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(wanted);
    let stage = Mutex::new(progress);
    let done = replay_files(&builder.runner, &plain, run, &options, &|_, p| {
        if deadline.is_some_and(|d| Instant::now() > d) {
            builder.cancel.store(true, Ordering::Relaxed);
        }
        if p.done.is_multiple_of(64)
            && let Ok(mut stage) = stage.lock()
        {
            stage.stage(&format!("running the tests natively: {} of {}", p.done, p.total));
        }
    });
    let mut replays = Replays { skipped: skipped.len() as u64, ..Replays::default() };
    for one in done {
        let name = one.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let (Some(bug), Some(Outcome::Unfinished(_)) | None) = (&one.bug, &one.predicted) {
            let bug = bug.to_string();
            if !replays.crashes.iter().any(|(_, known)| *known == bug) {
                replays.crashes.push((name.clone(), bug));
            }
        }
        if let Ok((Report { coverage: Some(coverage), .. }, _)) = &one.result {
            replays.coverage.get_or_insert_default().add(coverage);
        }
        match one.result {
            Ok((_, Check::Same)) => replays.same += 1,
            Ok((_, Check::Diverged(differences))) => {
                let text = differences.iter().map(|d| d.to_string()).collect::<Vec<_>>().join("; ");
                replays.diverged.push((name, text));
            }
            Ok((_, Check::NotComparable(_))) | Err(_) => replays.skipped += 1,
        }
    }
    Ok(replays)
}

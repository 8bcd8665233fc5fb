//! `cargo xtask bench programs`: how much of real programs a run of given length reaches, in the declaration and the unit
//! of a comparison study: symbolic arguments, a file and standard input; branches of the program's own sources by gcov.
//! Every test is replayed. The programs are in `crate::programs`, the printed table and the CSV file in `report`.

mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::report::Row;
use crate::engine;
use crate::programs::recipe::{Package, Program};
use crate::programs::{self, Flavour, build, gcov};
use crate::setup;
use crate::workspace::{Workspace, create_dir, display, remove};

/// The inputs the study declared.
const DECLARATION: &[&str] = &[
    "--sym-args",
    "0",
    "1",
    "10",
    "--sym-args",
    "0",
    "2",
    "2",
    "--sym-files",
    "1",
    "8",
    "--sym-stdin",
    "8",
    "--sym-stdout",
];

/// The words of the declaration that declare arguments.
const STUDY_ARGUMENTS: usize = 8;

/// What the file and standard input hold in a seed; as long as declared.
const SEED_FILE: &str = "ab\nb\ncab";
const SEED_INPUT: &str = "b\ncaab\nc";

/// Longest time of one native run.
const REPLAY_TIMEOUT: &str = "2s";

/// What the gcov build did on the tests, as `forkwise replay` printed it, in a program's folder.
const GCOV_REPORT: &str = "gcov.json";

/// What `cargo xtask bench programs` is asked for.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Programs or packages (default: all measured programs).
    names: Vec<String>,
    /// How long each program is explored.
    #[arg(long, default_value = "120s")]
    time: String,
    /// Programs explored at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Begin with each program's realistic command line.
    #[arg(long)]
    seeded: bool,
    /// Search heuristic, as for `forkwise run`.
    #[arg(long)]
    search: Option<String>,
    /// Another option for `forkwise run`, as one word (may be repeated).
    #[arg(long = "run-option", allow_hyphen_values = true)]
    run_options: Vec<String>,
    /// Run nothing; list the functions of a program by the branches its last measurement did not take.
    #[arg(long, value_name = "NAME", conflicts_with = "names")]
    missed: Option<String>,
}

impl Options {
    /// What distinguishes this measurement from others of the same program.
    fn mode(&self) -> String {
        let mut words = vec![if self.seeded { "seeded" } else { "plain" }.to_owned(), self.time.clone()];
        words.extend(self.search.iter().map(|search| format!("search={search}")));
        words.extend(self.run_options.iter().cloned());
        words.join(" ")
    }
}

/// Measures, or lists what the last measurement missed.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if let Some(name) = &options.missed {
        return missed(workspace, name);
    }
    let mut selected = programs::select(&options.names)?;
    if options.names.is_empty() {
        selected.retain(|(_, program)| program.measured);
    }
    setup::run(workspace)?;
    engine::build_release(workspace)?;
    let mut packages: Vec<&Package> = selected.iter().map(|(package, _)| *package).collect();
    packages.dedup_by_key(|package| package.name);
    build::build(workspace, &packages, &[Flavour::Forkwise, Flavour::Gcov], false)?;

    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    report::print_header();
    thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, selected.len()) {
            scope.spawn(|| {
                while let Some(&(package, program)) = selected.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = measure(workspace, package, program, options);
                    let mut results = results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    match &result {
                        Ok(row) => row.print(),
                        Err(error) => println!("{:10} failed: {error:#}", program.name),
                    }
                    results.push((program.name, result));
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut failed: Vec<&str> =
        results.iter().filter(|(_, result)| result.is_err()).map(|(name, _)| *name).collect();
    failed.sort_unstable();
    let rows: Vec<Row> = results.into_iter().filter_map(|(_, result)| result.ok()).collect();
    report::print_targets(&rows, options.seeded);
    report::save(&workspace.root.join("bench/results/programs.csv"), &rows)?;
    if !failed.is_empty() {
        bail!("could not measure {}", failed.join(", "));
    }
    Ok(())
}

/// The folder with the results of a program's last measurement.
fn results_folder(workspace: &Workspace, program: &Program) -> PathBuf {
    workspace.target.join("bench-programs").join(program.name)
}

/// Explores one program, replays its tests and counts.
fn measure(workspace: &Workspace, package: &Package, program: &Program, options: &Options) -> Result<Row> {
    let folder = results_folder(workspace, program);
    remove(&folder)?;
    create_dir(&folder)?;
    let executable = build::executable(workspace, package, program, Flavour::Forkwise);
    let output = folder.join("out");
    let output_text = output.to_string_lossy().into_owned();
    // Tests are replayed below, where the counters are read.
    let mut words: Vec<&str> = vec!["--no-replay", "--time", &options.time, "--output", &output_text];
    if let Some(search) = &options.search {
        words.extend(["--search", search]);
    }
    words.extend(options.run_options.iter().map(String::as_str));
    let seed = Seed::new(program, &folder)?;
    let mut declaration: Vec<&str> = DECLARATION.to_vec();
    if options.seeded {
        words.extend(seed.options.iter().map(String::as_str));
        declaration.splice(..STUDY_ARGUMENTS, ["--sym-args", "0", &seed.arguments, "10"]);
    }
    let run = engine::explore_with(workspace, &executable, &words, &declaration, &folder)?;

    let native = replay(workspace, &executable, &output, &[], &folder.join("native.json"))?;
    let counting = build::executable(workspace, package, program, Flavour::Gcov);
    let counted = replay(workspace, &counting, &output, &["--gcov"], &folder.join(GCOV_REPORT))?;
    let tree = build::tree(workspace, package, Flavour::Gcov);
    let taken = gcov::functions(&counted, &tree, program).iter().map(|function| function.taken).sum();
    let total = gcov::total(&tree, program)? as u64;
    Ok(Row::new(program, &options.mode(), &run, &native, (taken, total)))
}

/// The realistic command line of a program, as options of `forkwise run`. Its words do not fit the study's argument
/// sizes, so that a seeded run declares as many arguments as it has, and at least three, each of ten bytes.
struct Seed {
    options: Vec<String>,
    arguments: String,
}

impl Seed {
    fn new(program: &Program, folder: &Path) -> Result<Self> {
        let mut line = program.name.to_owned();
        for word in program.seed {
            line.push(' ');
            line.push_str(&programs::quoted(word));
        }
        let mut options = vec!["--seed-args".to_owned(), line];
        for (option, name, text) in [("--seed-file", "A", SEED_FILE), ("--seed-stdin", "stdin", SEED_INPUT)] {
            let path = folder.join(name);
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            let prefix = if option == "--seed-file" { "A=" } else { "" };
            options.extend([option.to_owned(), format!("{prefix}{}", path.display())]);
        }
        Ok(Self { options, arguments: program.seed.len().max(3).to_string() })
    }
}

/// Runs a program on all tests of a result folder, and keeps what `forkwise replay` says of it in a file.
fn replay(
    workspace: &Workspace,
    program: &Path,
    results: &Path,
    options: &[&str],
    report: &Path,
) -> Result<Value> {
    let mut command = Command::new(workspace.forkwise());
    command.args(["replay", "--json", "--jobs", "1", "--timeout", REPLAY_TIMEOUT]).args(options);
    command.arg(program).arg(results).stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start {}", display(&command)))?;
    // Exit status 1 says that there were bugs or divergences: a result.
    if !matches!(output.status.code(), Some(0 | 1)) {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}\n{}", display(&command), output.status, text.trim_end());
    }
    fs::write(report, &output.stdout).with_context(|| format!("cannot write {}", report.display()))?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{} printed no JSON object", display(&command)))
}

/// Lists the functions with untaken branches, from the counters the last measurement left.
fn missed(workspace: &Workspace, name: &str) -> Result<()> {
    let found = programs::select(&[name.to_owned()])?;
    for (package, program) in found {
        let report = results_folder(workspace, program).join(GCOV_REPORT);
        let text = fs::read(&report).with_context(|| {
            format!("cannot read {}; measure first: cargo xtask bench programs {name}", report.display())
        })?;
        let json =
            serde_json::from_slice(&text).with_context(|| format!("{} is damaged", report.display()))?;
        let functions = gcov::functions(&json, &build::tree(workspace, package, Flavour::Gcov), program);
        let taken: u64 = functions.iter().map(|function| function.taken).sum();
        let total: u64 = functions.iter().map(|function| function.total).sum();
        println!("{}: {taken} of {total} branches taken", program.name);
        println!("{:>8} {:>8}  function", "untaken", "of");
        for function in functions.iter().filter(|function| function.taken < function.total) {
            let missed = function.total - function.taken;
            println!("{missed:>8} {:>8}  {} ({})", function.total, function.name, function.file);
        }
    }
    Ok(())
}

//! One run under KLEE's command line, from its options to its exit status.

use super::coverage::TestCoverage;
use super::follow::Follow;
use super::log::Log;
use super::options::{Options, help};
use super::paths;
use super::sink::{KleeSink, Writing};
use super::start;
use super::stats;
use super::trace::Tracing;
use crate::engine::{self, Settings, Start};
use crate::input::{self, Input, Loaded};
use crate::{console, run, signals};
use anyhow::{Context, anyhow, bail};
use forkwise_explore::{Counters, Limits, Progress, Search, Slice, StopReason};
use forkwise_testcase::atomic_write;
use forkwise_testcase::klee_stats::StatsWriter;
use forkwise_vm::{Config, ShareLimits, Unmodelled};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// Runs, and returns the exit status.
pub fn run(options: &Options, words: &[OsString]) -> anyhow::Result<u8> {
    if ["help", "help-hidden", "help-list"].iter().any(|n| options.flag(n, false)) {
        console::out(help())?;
        return Ok(0);
    }
    if options.flag("version", false) {
        console::out(format!("forkwise {}, in the place of KLEE 3.2\n", env!("CARGO_PKG_VERSION")))?;
        return Ok(0);
    }
    let Some(program) = &options.program else {
        bail!("no program given: klee [options] <program.bc> <program arguments>...");
    };
    let interrupt = signals::interrupt_flag()?;
    let mut log = Log::new(options.flag("warnings-only-to-file", false));
    let settings = settings(options)?;
    let tracing = Tracing::parse(options)?;
    if let Some(folder) = options.text("output-dir")
        && Path::new(folder).exists()
    {
        bail!("cannot create \"{folder}\": File exists");
    }
    let follow = Follow::read(options)?;
    let loaded = load(options, program)?;
    if interrupt.load(Ordering::Relaxed) {
        bail!("interrupted while loading");
    }
    let start = start::start(options, program, &loaded.entry)?;
    // Fails before anything is written when the program cannot be started.
    engine::explorer(loaded.program.clone(), &settings, &start, interrupt.clone())?;

    let folder = create_folder(options)?;
    log.open(&folder)?;
    let shown = std::path::absolute(&folder).unwrap_or_else(|_| folder.clone());
    log.message(&format!("output directory is \"{}\"", shown.display()));
    options.warnings().iter().for_each(|w| log.warning(w));
    start::warn_of_plain_words(options, &mut log);
    for name in &loaded.program.undefined_globals {
        log.warning(&format!("undefined reference to variable: {name}"));
    }
    let began = SystemTime::now();
    let command: Vec<String> = std::iter::once("klee".into())
        .chain(words.iter().map(|w| w.to_string_lossy().into_owned()))
        .collect();
    let command = command.join(" ");
    let info = format!("{command}\nPID: {}\nStarted: {}\n", std::process::id(), clock(began));
    atomic_write(&folder.join("info"), info.as_bytes())?;
    if options.flag("output-source", true) {
        let text = loaded.assembly.as_deref().unwrap_or_default();
        atomic_write(&folder.join("assembly.ll"), text.as_bytes())?;
    }
    if let Some(bitcode) = &loaded.bitcode {
        atomic_write(&folder.join("final.bc"), bitcode)?;
    }
    let writer = match options.flag("output-stats", true) {
        true => Some(StatsWriter::create(&folder.join("run.stats"))?),
        false => None,
    };
    let assembly = loaded.assembly.clone().unwrap_or_default();
    // `.ktest` files hold the words as they were written: who replays them puts the inputs in.
    let words = std::iter::once(program.as_os_str()).chain(options.args.iter().map(|a| &**a));
    let words = words.map(|a| a.as_bytes().to_vec()).collect();
    let mut sink = KleeSink::new(log, folder.clone(), writing(options), words, assembly, writer);

    if options.flag("write-cov", false) {
        sink.coverage = Some(TestCoverage::new(loaded.program.clone(), settings.clone(), start.clone()));
    }
    let clock_start = Instant::now();
    let all =
        explore_all(&loaded, settings, &start, &follow, &interrupt, &mut sink, &command, options, tracing)?;
    finish(&mut sink, &all, began, clock_start.elapsed())?;
    Ok(u8::from(sink.stopped_by_error))
}

#[allow(clippy::too_many_arguments)]
fn explore_all(
    loaded: &Loaded,
    mut settings: Settings,
    start: &Start,
    follow: &Follow,
    interrupt: &Arc<AtomicBool>,
    sink: &mut KleeSink,
    command: &str,
    options: &Options,
    tracing: Tracing,
) -> anyhow::Result<Counters> {
    let mut all = Counters::default();
    follow.announcement().iter().for_each(|text| sink.log.message(text));
    for round in 0..follow.rounds() {
        follow.prepare(round, &mut settings.vm);
        if let Some((path, _)) = follow.tests.get(round).filter(|_| follow.only) {
            let n = follow.tests.len();
            sink.log.message(&format!("replaying: {} ({}/{n})", path.display(), round + 1));
        }
        let (mut explorer, mut initial) =
            engine::explorer(loaded.program.clone(), &settings, start, interrupt.clone())?;
        for lost in follow.seed(&mut explorer.vm, &mut initial) {
            sink.log.warning(&format!("the seed {} does not fit the inputs and is left out", lost.display()));
        }
        explorer.vm.tracer = tracing.tracer(&sink.folder.clone(), || sink.assembly())?;
        sink.next_run();
        let summary = explorer.run(initial, sink).map_err(|e| anyhow!(e))?;
        sink.tell(&mut explorer.vm);
        if summary.stop == StopReason::Interrupt {
            sink.log.message("ctrl-c detected, requesting interpreter to halt.");
        }
        let last = Progress {
            vm: &explorer.vm,
            counters: &summary.counters,
            states: 0,
            bugs: explorer.bugs().len(),
            elapsed: summary.elapsed,
            record: explorer.record(),
        };
        sink.row(&last)?;
        if options.flag("output-istats", true) {
            let text = stats::istats(&explorer.vm, command);
            atomic_write(&sink.folder.join("run.istats"), text.as_bytes())?;
        }
        let c = &summary.counters;
        all.instructions += c.instructions;
        all.exits += c.exits;
        all.unfinished += c.completed() - c.exits + c.partial();
        if summary.stop == StopReason::Interrupt || sink.stopped_by_error {
            break;
        }
    }
    Ok(all)
}

fn finish(sink: &mut KleeSink, all: &Counters, began: SystemTime, took: Duration) -> anyhow::Result<()> {
    let lines = [
        format!("done: total instructions = {}", all.instructions),
        format!("done: completed paths = {}", all.exits),
        format!("done: partially completed paths = {}", all.unfinished),
        format!("done: generated tests = {}", sink.tests),
    ];
    console::err("\n");
    lines.iter().for_each(|l| sink.log.message(l));
    let seconds = took.as_secs();
    let mut text = format!(
        "Finished: {}\nElapsed: {:02}:{:02}:{:02}\n",
        clock(began + took),
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    lines.iter().for_each(|l| text.push_str(&format!("KLEE: {l}\n")));
    let path = sink.folder.join("info");
    OpenOptions::new()
        .append(true)
        .open(&path)
        .and_then(|mut f| f.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn clock(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().replace('T', " ").replace('Z', "")
}

fn create_folder(options: &Options) -> anyhow::Result<PathBuf> {
    match options.text("output-dir") {
        None => run::create_numbered("klee"),
        Some(folder) => {
            std::fs::create_dir(folder).with_context(|| format!("cannot create \"{folder}\""))?;
            Ok(PathBuf::from(folder))
        }
    }
}

fn load(options: &Options, program: &Path) -> anyhow::Result<Loaded> {
    let mut input = Input::new(vec![program.to_path_buf()]);
    input.entry = options.text("entry-point").map(str::to_string);
    input.assembly = true;
    input.bitcode = options.flag("output-module", false);
    input.optimize = options.flag("optimize", false).then_some(2);
    input.libraries = options.list("link-llvm-lib").into_iter().map(PathBuf::from).collect();
    for pair in options.list("function-alias") {
        let (old, new) =
            pair.split_once(':').ok_or_else(|| anyhow!("--function-alias takes OLD:NEW, not '{pair}'"))?;
        input.aliases.push((old.to_string(), new.to_string()));
    }
    input::load(&input)
}

fn writing(options: &Options) -> Writing {
    Writing {
        tests: !options.flag("write-no-tests", false),
        ktests: options.flag("write-ktests", true),
        info: options.flag("write-test-info", false),
        paths: options.flag("write-paths", false),
        symbolic_paths: options.flag("write-sym-paths", false),
        xml: options.flag("write-xml-tests", false),
        only_covering_new: options.flag("only-output-states-covering-new", false),
        all_errors: options.flag("emit-all-errors", false),
        unfinished: options.flag("dump-states-on-halt", true),
        exit_on_error: options.flag("exit-on-error", false),
        exit_on_types: options.list("exit-on-error-type"),
    }
}

fn settings(options: &Options) -> anyhow::Result<Settings> {
    let memory = match options.text("max-memory") {
        None => Some(2000 << 20),
        Some(_) => options.number("max-memory")?.map(|mb| mb << 20),
    };
    let mut vm = Config {
        check_overshift: options.flag("check-overshift", true),
        check_div_zero: options.flag("check-div-zero", true),
        max_stack_frames: options.number("max-stack-frames")?.map_or(8192, |n| n.min(1 << 30) as u32),
        max_depth: options.number("max-depth")?.map_or(0, |n| n.min(u64::from(u32::MAX)) as u32),
        shares: shares(options)?,
        record_decisions: options.flag("write-paths", false) || options.flag("write-sym-paths", false),
        replay_path: options.text("replay-path").map(|file| paths::read(Path::new(file))).transpose()?,
        concrete_to_symbolic: options
            .number("make-concrete-symbolic")?
            .map_or(0, |n| n.min(u64::from(u32::MAX)) as u32),
        extend_seeds: options.flag("allow-seed-extension", false)
            || options.flag("zero-seed-extension", false),
        cut_seeds: options.flag("allow-seed-truncation", false),
        silent_assume: options.flag("silent-klee-assume", false),
        simplify_indices: options.flag("simplify-sym-indices", true),
        switch_chain: match options.text("switch-type") {
            None | Some("internal") => false,
            Some("simple" | "llvm") => true,
            Some(other) => bail!("for the --switch-type option: Cannot find option named '{other}'!"),
        },
        unmodelled: match options.text("external-calls") {
            Some("none") => Unmodelled::Stop,
            _ => Unmodelled::Fail,
        },
        klee_names: true,
        ..Config::default()
    };
    if let Some(n) = options.number("max-sym-array-size")? {
        vm.max_table = n;
    }
    engine::fit_path_memory(&mut vm, memory);
    let query_time = options.time("max-solver-time")?;
    let cross_check = options.flag("debug-validate-solver", false)
        || options.text("debug-cross-check-core-solver").is_some();
    let cache = options.flag("use-cex-cache", true);
    let solver = forkwise_solver::Config {
        timeout: query_time,
        cross_check,
        cache,
        model_reuse: cache,
        ..forkwise_solver::Config::default()
    };
    Ok(Settings {
        vm,
        solver,
        search: search(options)?,
        seed: options.number("rng-initial-seed")?.unwrap_or(0),
        limits: Limits {
            time: options.time("max-time")?,
            instructions: options.number("max-instructions")?,
            forks: options.number("max-forks")?,
            tests: options.number("max-tests")?,
            memory,
            memory_stops_forks: options.flag("max-memory-inhibit", true),
            query_time,
        },
    })
}

/// `--max-static-…-pct`, if one of them limits anything.
fn shares(options: &Options) -> anyhow::Result<Option<ShareLimits>> {
    let limits = ShareLimits {
        place_forks: options.fraction("max-static-fork-pct")?,
        place_solving: options.fraction("max-static-solve-pct")?,
        call_path_forks: options.fraction("max-static-cpfork-pct")?,
        call_path_solving: options.fraction("max-static-cpsolve-pct")?,
        delay: match options.text("max-static-pct-check-delay") {
            None => Duration::from_secs(60),
            Some(_) => options.time("max-static-pct-check-delay")?.unwrap_or_default(),
        },
    };
    Ok((!limits.are_off()).then_some(limits))
}

fn search(options: &Options) -> anyhow::Result<Search> {
    let mut search = Search::parse(&options.list("search"))?;
    if options.flag("use-iterative-deepening-time-search", false) {
        search.slice = Some(Slice::Time(Duration::from_secs(1)));
    }
    if options.flag("use-batching-search", false) {
        search.batch_instructions = match options.text("batch-instructions") {
            None => Some(10_000),
            Some(_) => options.number("batch-instructions")?,
        };
        search.batch_time = match options.text("batch-time") {
            None => Some(Duration::from_secs(5)),
            Some(_) => options.time("batch-time")?,
        };
    }
    Ok(search)
}

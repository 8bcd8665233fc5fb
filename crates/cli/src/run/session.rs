//! One run from its options to its exit code. The order matters: everything that can be wrong with the input is found
//! before the result folder is made, and the results are whole before anything is run natively.

use super::bugs::Bug;
use super::ci;
use super::confirm::{Replays, confirm_all};
use super::json::{self, Parts};
use super::options::{Libc, RunArgs};
use super::output::{Output, check_free};
use super::plan::Plan;
use super::samples::Samples;
use super::screen::Screen;
use super::seeds;
use super::sink::RunSink;
use super::summary;
use super::surroundings;
use super::writer::TestWriter;
use crate::app::{BUGS, CLEAN, INCOMPLETE};
use crate::engine::{self, Engine, Settings, Start};
use crate::input::{self, Input, Loaded};
use crate::live::Progress;
use crate::{console, signals};
use anyhow::{Context, anyhow, bail};
use forkwise_explore::{Limits, Progress as Moment, Search, StopReason, Summary};
use forkwise_toolchain::CompileOptions;
use forkwise_vm::Config;
use serde_json::json as value;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a run takes in CI, unless told otherwise.
const CI_TIME: Duration = Duration::from_secs(300);

/// The engine's settings.
pub fn settings(args: &RunArgs) -> Settings {
    let mut vm = Config {
        check_overshift: args.check_overshift,
        check_leaks: args.check_leaks,
        max_path_instructions: args.max_path_instructions,
        max_depth: args.max_depth.unwrap_or(0),
        silent_assume: true,
        size_parameter: args.size,
        ..Config::default()
    };
    vm.max_stack_frames = args.max_stack_frames.unwrap_or(vm.max_stack_frames);
    vm.max_values = args.max_values.unwrap_or(vm.max_values);
    args.tunable.set_machine(&mut vm);
    engine::fit_path_memory(&mut vm, args.max_memory);
    let mut solver = forkwise_solver::Config {
        timeout: Some(args.solver_timeout),
        cross_check: args.check_solver,
        log: args.log_queries.clone(),
        ..forkwise_solver::Config::default()
    };
    args.tunable.set_solver(&mut solver);
    Settings {
        vm,
        solver,
        search: Search::default(),
        seed: args.seed,
        limits: Limits {
            time: args.time.or(args.ci.then_some(CI_TIME)),
            instructions: args.max_instructions,
            forks: args.max_forks,
            tests: args.max_tests,
            memory: args.max_memory.or_else(machine_memory),
            memory_stops_forks: args.tunable.memory_inhibit,
            query_time: Some(args.solver_timeout),
        },
    }
}

/// Three quarters of what the machine has: a run should end with its results before the system ends it.
pub fn machine_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024 / 4 * 3)
}

/// What the program is made of.
pub fn files(args: &RunArgs) -> Vec<PathBuf> {
    std::iter::once(args.file()).chain(args.with.iter().cloned()).collect()
}

/// Compiles and loads the program.
pub fn load(args: &RunArgs, progress: &mut Progress) -> anyhow::Result<Loaded> {
    progress.stage("loading");
    let mut input = Input::new(files(args));
    input.compile = CompileOptions {
        opt_level: args.opt_level,
        defines: args.define.clone(),
        include_dirs: args.include.clone(),
        extra_flags: args.cflag.clone(),
        ubsan: args.ubsan,
        ..CompileOptions::default()
    };
    input.libc = args.libc == Libc::Musl;
    input.entry = args.entry.clone();
    input.fuzz_size = args.fuzz_size;
    input.optimize = args.tunable.optimize.then_some(2);
    let loaded = input::load(&input)?;
    if !loaded.warnings.trim().is_empty() {
        progress.say(loaded.warnings.trim_end());
    }
    for name in &loaded.program.undefined_globals {
        progress.say(&format!("forkwise: note: the variable '{name}' is defined nowhere; it is zero"));
    }
    Ok(loaded)
}

/// An option that was written after the program went to the program; say so.
pub fn warn_of_misplaced_options(args: &RunArgs, progress: &Progress) {
    for word in args.misplaced() {
        progress.say(&format!(
            "forkwise: note: {word} comes after the program and is passed to it; options of forkwise come before"
        ));
    }
}

/// Something to be done with an engine.
pub type Prepare<'a> = &'a mut dyn FnMut(&mut Engine) -> anyhow::Result<()>;

/// What another verb that runs a program wants to be different.
#[derive(Default)]
pub struct Wishes<'a> {
    /// Sees the engine before it runs.
    pub prepare: Option<Prepare<'a>>,
    /// Standard output belongs to something else: the summary goes to standard error.
    pub stdout_is_taken: bool,
}

/// Explores, and returns the exit code.
pub fn main(args: &RunArgs) -> anyhow::Result<u8> {
    explore(args, Wishes::default())
}

/// The same for another verb.
pub fn explore(args: &RunArgs, wishes: Wishes<'_>) -> anyhow::Result<u8> {
    let interrupt = signals::interrupt_flag()?;
    let mut progress = Progress::new(args.quiet);
    if let Some(folder) = &args.output {
        check_free(folder)?;
    }
    warn_of_misplaced_options(args, &progress);
    args.tunable.check()?;
    let (plan, notes) = Plan::new(args)?;
    notes.iter().for_each(|note| progress.say(note));
    let mut setup = surroundings::setup(args)?;
    let loaded = load(args, &mut progress)?;
    if let Some(chosen) = surroundings::choose_inputs(args, &mut setup, &loaded.program, &loaded.entry) {
        progress.say(&format!(
            "forkwise: note: no input was declared; the program gets {chosen} (--concrete: none)"
        ));
    }
    let (seeds, left_out) = seeds::read(args, &setup)?;
    left_out.iter().for_each(|note| progress.say(note));
    if interrupt.load(Ordering::Relaxed) {
        bail!("interrupted while loading; nothing was explored");
    }
    let start = Start { entry: loaded.entry.clone(), setup: Rc::new(setup) };
    let settings = settings(args);
    let mut engine = Engine::new(loaded.program.clone(), &settings, &plan, &start, interrupt.clone())?;
    for lost in seeds::attach(&mut engine, &seeds)? {
        progress
            .say(&format!("forkwise: note: the seed {lost} contradicts what was declared; it is left out"));
    }

    if let Some(prepare) = wishes.prepare {
        prepare(&mut engine)?;
    }

    let output = Output::create(args.output.as_deref())?;
    let samples = Samples::create(&output.root().join("stats.sqlite"))?;
    output.write("info", info(&loaded, &plan, settings.seed).as_bytes())?;
    let writer = match args.no_tests {
        true => None,
        false => Some(TestWriter::start(&output.tests())?),
    };
    let setup = start.setup.clone();
    let mut sink = RunSink::new(&loaded.program, &settings.limits, output, writer, progress, samples, setup);
    sink.first_bug = args.first_bug || args.ci;
    sink.screen = Screen::new(&plan.to_string());
    sink.begin(&loaded.program)?;
    sink.all_tests = args.all_tests;
    sink.only_new = args.new_tests;
    sink.output.event(&value!({"event": "start", "program": loaded.program.name, "seed": settings.seed,
        "mode": args.mode.name(), "search": plan.to_string(), "loaded_seconds": loaded.took.as_secs_f64()}))?;

    let summary = engine.run(&mut sink).map_err(|e| anyhow!(e)).with_context(|| {
        format!("the exploration stopped; what was found before is in {}", sink.output.root().display())
    })?;
    if let Some(writer) = &mut sink.writer {
        writer.finish()?;
    }
    sink.tell(engine.vm_mut())?;
    sink.last_moment(&Moment {
        vm: engine.vm(),
        counters: &summary.counters,
        states: 0,
        bugs: sink.bugs.len(),
        elapsed: summary.elapsed,
        record: engine.record(),
    })?;
    sink.write_coverage(engine.vm())?;
    sink.write_facts(engine.vm(), engine.record())?;
    for bug in &mut sink.bugs {
        bug.seen = engine.bugs().count(bug.number);
        bug.write(&sink.output)?;
    }
    if sink.left_out > 0 && sink.writer.is_some() {
        sink.progress.say(&format!(
            "forkwise: note: {} paths that covered nothing new gave no test (--all-tests writes every one)",
            sink.left_out
        ));
    }
    if !sink.symbolic && summary.counters.completed() + summary.counters.partial() == 1 {
        sink.progress.say("forkwise: note: the program declares no symbolic input: its only path was run");
    }

    let mut replays: Option<Replays> = None;
    if !args.no_replay {
        let interrupted = summary.stop == StopReason::Interrupt;
        let RunSink { output, bugs, tests, progress, .. } = &mut sink;
        replays = confirm_all(args, &files(args), bugs, *tests, output, progress, interrupted)?;
    }
    sink.progress.clear();

    let program = args.file().display().to_string();
    let object = json::summary(&Parts {
        program: &program,
        search: &plan.to_string(),
        seed: settings.seed,
        mode: args.mode,
        vm: engine.vm(),
        summary: &summary,
        bugs: &sink.bugs,
        tests: sink.tests,
        replays: replays.as_ref(),
        output: sink.output.root(),
    });
    sink.output.write("summary.json", format!("{object:#}\n").as_bytes())?;
    let mut status = object.clone();
    status["state"] = "finished".into();
    sink.output.write("status.json", format!("{status:#}\n").as_bytes())?;
    sink.output
        .event(&value!({"event": "stop", "seconds": object["seconds"], "stop_reason": summary.stop.name(),
        "telling_seconds": (sink.told.as_secs_f64() * 1e6).round() / 1e6}))?;
    write_sarif(&sink.output)?;
    if args.ci {
        ci::annotate(&sink.bugs, sink.output.root())?;
    }
    if args.json {
        console::out(format!("{object}\n"))?;
    } else if !args.quiet {
        let text = summary::text(
            &program,
            engine.vm(),
            &summary,
            &sink.bugs,
            sink.tests,
            replays.as_ref(),
            sink.output.root(),
        );
        match wishes.stdout_is_taken {
            true => console::err(text),
            false => console::out(text)?,
        }
    }
    let crashed = replays.as_ref().is_some_and(|r| !r.crashes.is_empty());
    Ok(exit_code(args, &summary, &sink.bugs, crashed))
}

/// `bugs.sarif`, from what the folder holds now.
fn write_sarif(output: &Output) -> anyhow::Result<()> {
    let run = forkwise_report::Run::read(output.root())?;
    output.write("bugs.sarif", forkwise_report::Format::Sarif.write(&run).as_bytes())
}

fn exit_code(args: &RunArgs, summary: &Summary, bugs: &[Bug], crashed: bool) -> u8 {
    let left_out = &summary.left_out;
    let incomplete =
        summary.stop != StopReason::Complete || left_out.forks || left_out.depth || left_out.paths > 0;
    if crashed || bugs.iter().any(Bug::is_programs) {
        BUGS
    } else if args.strict && incomplete {
        INCOMPLETE
    } else {
        CLEAN
    }
}

fn info(loaded: &Loaded, plan: &Plan, seed: u64) -> String {
    let words: Vec<String> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now());
    format!(
        "forkwise {}\ncommand: {}\ndirectory: {}\nprogram: {}\nentry: {}{}\nsearch: {}\nseed: {}\nstarted: {now}\n\
         functions: {}\nblocks: {}\nloaded in: {:.3} s\n",
        env!("CARGO_PKG_VERSION"),
        words.join(" "),
        std::env::current_dir().unwrap_or_default().display(),
        loaded.program.name,
        loaded.entry,
        if loaded.is_fuzz_target { " (driving LLVMFuzzerTestOneInput)" } else { "" },
        plan,
        seed,
        loaded.program.functions.len(),
        loaded.program.blocks.len(),
        loaded.took.as_secs_f64(),
    )
}

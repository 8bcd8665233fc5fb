//! `forkwise worst`: which input of a size costs most? `options` declares the options, `target` makes the program at any
//! size, `island` searches on several threads, `native` runs the answer natively, `screen` shows how far it is, `report` tells what came of it; the search is `forkwise_worst`'s. The answer is a test like
//! those of `run`, and its cost is measured again with nothing symbolic before it is told.

mod island;
mod native;
mod options;
mod report;
mod screen;
mod target;

pub use options::WorstArgs;

use crate::app::{BUGS, CLEAN};
use crate::live::Progress;
use crate::run::output::{Output, check_free};
use crate::run::session;
use crate::run::writer::TestWriter;
use crate::{console, outcome, signals};
use anyhow::{Context, anyhow, bail};
use forkwise_explore::{Counters, PathClass, PathEnd};
use forkwise_testcase::TestCase;
use forkwise_vm::{Limit, Termination};
use forkwise_worst::{Answer, Meeting, Moment, NoPath, Sizes, Stop};
use native::Native;
use report::{Found, Told};
use screen::Screen;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use target::{Sized, Smaller, Target};

/// The verb.
pub fn main(args: &WorstArgs) -> anyhow::Result<u8> {
    let run = &args.run.args;
    if run.file().as_os_str().is_empty() {
        bail!("name a program; `forkwise worst prog.c --size 100` is the usual way");
    }
    let sizes = match (&args.sizes[..], args.run.is_given("size")) {
        (_, true) if !args.sizes.is_empty() => bail!("give --size or --sizes, not both"),
        ([], _) => vec![run.size],
        (sizes, _) => sizes.to_vec(),
    };
    if let Some(folder) = &run.output {
        check_free(folder)?;
    }
    let interrupt = signals::interrupt_flag()?;
    let mut progress = Progress::new(run.quiet);
    session::warn_of_misplaced_options(run, &progress);
    let mut target = Target::new(args, Arc::clone(&interrupt));
    // What is wrong with the program is found before the result folder is made.
    let mut first = Some(target.at(sizes[0], &mut progress)?);
    let mut output = Output::create(run.output.as_deref())?;
    let mut writer = TestWriter::start(&output.tests())?;
    output.event(
        &json!({"event": "start", "program": run.file().display().to_string(), "method": args.method.name(),
        "seed": run.seed, "sizes": sizes}),
    )?;
    let mut found: Vec<Found> = Vec::new();
    for size in sizes {
        if interrupt.load(Ordering::Relaxed) && !found.is_empty() {
            break;
        }
        let sized = match first.take() {
            Some(sized) => sized,
            None => target.at(size, &mut progress)?,
        };
        let number = found.len() as u64 + 1;
        let one = search(args, size, sized, &mut target, &mut progress, &mut writer, number, &interrupt)?;
        output.event(&json!({"event": "size", "found": one.to_json(args)}))?;
        found.push(one);
    }
    writer.finish()?;
    progress.clear();
    let told = Told { args, found: &found, output: output.root() };
    if let Some(svg) = told.svg() {
        output.write("curve.svg", svg.as_bytes())?;
    }
    let object = told.json();
    output.write("summary.json", format!("{object:#}\n").as_bytes())?;
    if run.json {
        console::out(format!("{object}\n"))?;
    } else if !run.quiet {
        console::out(told.text())?;
    }
    if found.iter().all(|f| f.cost.is_none()) {
        return Err(anyhow!(report::nothing(&found)));
    }
    let failed = found.iter().any(|f| matches!(f.answer.failures.1, Some(Termination::Fault(_))));
    Ok(if failed { BUGS } else { CLEAN })
}

/// One size: search, measure again, write the test, run it natively.
#[allow(clippy::too_many_arguments, reason = "the parts of a session, used once")]
fn search(
    args: &WorstArgs,
    size: u64,
    sized: Sized,
    target: &mut Target,
    progress: &mut Progress,
    writer: &mut TestWriter,
    number: u64,
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Found> {
    let Sized { mut machine, setup, args: run } = sized;
    let mut quiet = Progress::new(true);
    let mut smaller = Smaller { target, progress: &mut quiet };
    let sizes: Option<&mut dyn Sizes> = if size > 0 { Some(&mut smaller) } else { None };
    let answer = {
        let mut screen = Screen::new(args, size);
        progress.restart();
        let mut watch = |m: &Moment<'_>| {
            screen.update(m);
            progress.tick(screen.passed(), &mut screen);
            if let Some(advice) = screen.advice() {
                progress.advise(&advice);
            }
        };
        let mut members = Meeting::of(args.jobs());
        let own = if members.len() > 1 { Some(members.remove(0)) } else { None };
        let others = if own.is_some() { members } else { Vec::new() };
        island::beside(args, size, interrupt, others, || {
            forkwise_worst::find(&mut machine, sizes, size, &args.search(), own, &mut watch)
        })?
    };
    // The answer is still told after Ctrl-C; what is measured now takes a moment only.
    let interrupted = interrupt.swap(false, Ordering::Relaxed);
    for note in answer.notes.iter().chain(&machine.vm.notes) {
        progress.say(&format!("forkwise: note: {note}"));
    }
    let mut found = Found::new(size, answer);
    let values =
        found.answer.endless.clone().or_else(|| found.answer.best.as_ref().map(|b| b.values.clone()));
    if let Some(values) = values {
        progress.stage("measuring the worst input");
        let mut ran = match machine.replay(&values) {
            Ok(ran) => ran,
            Err(NoPath::Failed(end)) => bail!("the worst input fails when it is run again: {end:?}"),
            Err(why) => bail!("the worst input cannot be run again: {why:?}"),
        };
        let endless = matches!(ran.end, Termination::Limit(Limit::Instructions));
        let end = PathEnd {
            number,
            state: &ran.state,
            termination: &ran.end,
            class: if endless { PathClass::Unfinished } else { PathClass::Exit },
            sighting: None,
            counters: &Counters::default(),
        };
        let test = outcome::test_case(&mut machine.vm, &end, &setup)
            .context("the worst input cannot be written as a test")?;
        writer.write(number, &test)?;
        found.cost = Some(ran.cost);
        found.test = Some(format!("tests/{}", forkwise_testcase::json::file_name(number)));
        ran.state.seeds.clear();
        // Who interrupts wants the answer, not more to wait for.
        if !run.no_replay && !endless && !interrupted {
            natively(&mut found, &run, &test, progress);
        }
    }
    if interrupted {
        interrupt.store(true, Ordering::Relaxed);
    }
    Ok(found)
}

/// A native run is an addition: without it the answer is as good.
fn natively(found: &mut Found, run: &crate::run::options::RunArgs, test: &TestCase, progress: &mut Progress) {
    progress.stage("running the worst input natively");
    match Native::new(run).and_then(|n| n.run(test)) {
        Ok(seen) => {
            if let Some(how) = &seen.difference {
                progress.say(&format!("forkwise: note: the native run of the worst input differs: {how}"));
            }
            found.native = Some(seen);
        }
        Err(error) => {
            progress.say(&format!("forkwise: note: the worst input is not run natively: {error:#}"))
        }
    }
}

/// Did the search end because an input never ends?
fn is_endless(answer: &Answer) -> bool {
    answer.stop == Stop::Endless
}

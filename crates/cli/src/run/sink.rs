//! Where ended paths go: a test each, a folder for each new bug, and what the user and other programs may watch
//! meanwhile (progress, `status.json`, `events.jsonl`, `stats.sqlite`).

use super::arms::Arms;
use super::bugs::Bug;
use super::output::Output;
use super::progress::Progress;
use super::samples::Samples;
use super::writer::TestWriter;
use crate::{kinds, outcome};
use forkwise_explore::{PathClass, PathEnd, Progress as Moment, Sighting, Sink, SinkError, Trouble};
use forkwise_posix::Setup;
use forkwise_testcase::TestCase;
use forkwise_vm::{Termination, Vm};
use serde_json::json;
use std::rc::Rc;
use std::time::Duration;

const STATUS_PERIOD: Duration = Duration::from_secs(1);
/// Beyond this many tests, only those that cover new code or show a new bug are written: nobody wants the rest, and
/// creating their files takes longer than finding them.
const MANY_TESTS: u64 = 10_000;

/// See the module text.
pub struct RunSink {
    /// The result folder.
    pub output: Output,
    /// Distinct bugs in order of discovery.
    pub bugs: Vec<Bug>,
    /// Tests written.
    pub tests: u64,
    /// A path had a symbolic input.
    pub symbolic: bool,
    /// What the user sees.
    pub progress: Progress,
    samples: Samples,
    /// Writes the tests; `None`: only bugs have theirs.
    pub writer: Option<TestWriter>,
    setup: Rc<Setup>,
    /// Write all tests, however many there are.
    pub all_tests: bool,
    /// Paths whose tests were not written because there were many already.
    pub left_out: u64,
    next_status: Duration,
    notes_told: usize,
    /// Edges that were covered when `coverage.json` was written.
    coverage_told: usize,
}

impl RunSink {
    /// A sink for a program that is started like this.
    pub fn new(
        output: Output,
        writer: Option<TestWriter>,
        progress: Progress,
        samples: Samples,
        setup: Rc<Setup>,
    ) -> RunSink {
        RunSink {
            output,
            bugs: Vec::new(),
            tests: 0,
            symbolic: false,
            progress,
            samples,
            writer,
            setup,
            all_tests: false,
            left_out: 0,
            next_status: Duration::ZERO,
            notes_told: 0,
            coverage_told: 0,
        }
    }

    /// Passes on what the machine and the program (klee_warning, klee_print_expr) have to say.
    pub fn tell(&mut self, vm: &mut Vm) -> anyhow::Result<()> {
        for line in vm.messages.drain(..) {
            self.progress.say(&line);
        }
        while let Some(note) = vm.notes.get(self.notes_told) {
            self.notes_told += 1;
            self.progress.say(&format!("forkwise: note: {note}"));
            self.output.event(&json!({"event": "note", "text": note}))?;
        }
        Ok(())
    }

    fn ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> anyhow::Result<bool> {
        self.tell(vm)?;
        self.symbolic |= !end.state.inputs.is_empty();
        if end.class == PathClass::Silent {
            return Ok(false);
        }
        let bug = end.sighting.as_ref().filter(|s| s.first && is_reported(s.key.trouble));
        let wanted = self.all_tests || self.tests < MANY_TESTS || end.state.covered_new;
        if (self.writer.is_none() || !wanted) && bug.is_none() {
            self.left_out += u64::from(!wanted);
            return Ok(false);
        }
        let Some(test) = outcome::test_case(vm, end, &self.setup) else { return Ok(false) };
        let mut number = None;
        if let Some(writer) = &mut self.writer {
            writer.write(self.tests + 1, &test)?;
            self.tests += 1;
            number = Some(self.tests);
        }
        if let Some(seen) = bug {
            self.new_bug(end.termination, seen, number, test)?;
        }
        Ok(number.is_some())
    }

    fn new_bug(
        &mut self,
        end: &Termination,
        seen: &Sighting,
        number: Option<u64>,
        test: TestCase,
    ) -> anyhow::Result<()> {
        let kind = kinds::of_trouble(seen.key.trouble);
        let (message, details) = match end {
            Termination::Fault(f) => (f.message.clone(), f.details.clone()),
            Termination::Unsupported(what) | Termination::Internal(what) => (what.clone(), Vec::new()),
            other => (format!("{other:?}"), Vec::new()),
        };
        let bug = Bug {
            id: format!("{:03}-{}", self.bugs.len() + 1, kind.id()),
            number: seen.bug,
            kind,
            place: seen.key.place.clone(),
            message,
            details,
            stack: seen.stack.clone(),
            test: number,
            case: test,
            seen: 1,
            confirmation: None,
        };
        bug.write(&self.output)?;
        self.output.event(&json!({"event": "bug", "bug": bug.to_json()}))?;
        let shorten = |file: &str| super::summary::shorten(file);
        self.progress.say(&format!("forkwise: {}: {}", bug.headline(shorten), bug.message));
        self.bugs.push(bug);
        Ok(())
    }

    fn moment(&mut self, p: &Moment<'_>) -> anyhow::Result<()> {
        // The explorer also counts what we could not follow; people want to know of the program's bugs.
        let bugs = self.bugs.iter().filter(|b| b.is_programs()).count();
        self.progress.tick(&Moment { bugs, ..*p });
        self.samples.tick(p)?;
        if p.elapsed >= self.next_status {
            self.next_status = p.elapsed + STATUS_PERIOD;
            let status = json!({
                "state": "running",
                "seconds": p.elapsed.as_secs_f64(),
                "instructions": p.counters.instructions,
                "states": p.states,
                "paths": {"completed": p.counters.completed(), "partial": p.counters.partial()},
                "tests": self.tests,
                "bugs": self.bugs.len(),
                "queries": p.vm.solver.stats().queries,
            });
            self.output.write("status.json", format!("{status:#}\n").as_bytes())?;
            if self.coverage_told != p.vm.coverage.log.len() {
                self.write_coverage(p.vm)?;
            }
        }
        Ok(())
    }

    /// Writes `coverage.json`: at the end, and meanwhile, so that a run that is killed leaves what it had.
    pub fn write_coverage(&mut self, vm: &Vm) -> anyhow::Result<()> {
        self.coverage_told = vm.coverage.log.len();
        self.output.write("coverage.json", Arms::of(vm).to_json().as_bytes())
    }

    /// The last row of the time series.
    pub fn last_sample(&mut self, p: &Moment<'_>) -> anyhow::Result<()> {
        self.samples.add(p)
    }
}

/// Is an end of this kind a bug that has a folder? Limits only leave paths unfinished.
fn is_reported(trouble: Trouble) -> bool {
    matches!(trouble, Trouble::Fault(_) | Trouble::Unsupported | Trouble::Internal)
}

impl Sink for RunSink {
    fn path_ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> Result<bool, SinkError> {
        Ok(self.ended(vm, end)?)
    }

    fn progress(&mut self, progress: &Moment<'_>) -> Result<(), SinkError> {
        Ok(self.moment(progress)?)
    }
}

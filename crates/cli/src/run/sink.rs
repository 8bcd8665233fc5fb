//! Where ended paths go: a test each, a folder for each new bug, and what the user and other programs may watch
//! meanwhile (progress, `status.json`, `events.jsonl`, `stats.sqlite`).

use super::arms::Covered;
use super::bugs::Bug;
use super::facts;
use super::now::Now;
use super::output::Output;
use super::samples::Samples;
use super::screen::Screen;
use super::writer::TestWriter;
use crate::live::Progress;
use crate::{kinds, outcome};
use forkwise_explore::{
    Limits, PathClass, PathEnd, Progress as Moment, Record, Sighting, Sink, SinkError, Trouble,
};
use forkwise_ir::Program;
use forkwise_posix::Setup;
use forkwise_testcase::TestCase;
use forkwise_vm::{Termination, Vm};
use serde_json::json;
use std::rc::Rc;
use std::time::{Duration, Instant};

const STATUS_PERIOD: Duration = Duration::from_secs(1);
/// The first time that the profile and the execution tree are written.
const FACTS_PERIOD: Duration = Duration::from_secs(20);
/// Writing them takes at most one part in so many of the time.
const FACTS_SHARE: u32 = 1000;
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
    /// What it shows.
    pub screen: Screen,
    samples: Samples,
    /// Writes the tests; `None`: only bugs have theirs.
    pub writer: Option<TestWriter>,
    setup: Rc<Setup>,
    /// The program as the user named it.
    program: String,
    /// Write all tests, however many there are.
    pub all_tests: bool,
    /// Write only tests that take new branches.
    pub only_new: bool,
    /// Paths whose tests were not written because there were many already.
    pub left_out: u64,
    limits: Limits,
    covered: Covered,
    /// When the exploration began.
    began: Instant,
    last_branch: Option<Duration>,
    last_bug: Option<Duration>,
    /// Time that the screen and the files about the run took while it went on.
    pub told: Duration,
    /// Stop at the first bug of the program.
    pub first_bug: bool,
    next_status: Duration,
    next_facts: Duration,
    notes_told: usize,
    /// Edges that were covered when `coverage.json` was written.
    coverage_told: usize,
}

impl RunSink {
    /// A sink for a program that is started like this.
    #[allow(clippy::too_many_arguments, reason = "the parts of a session, used once")]
    pub fn new(
        program: &Program,
        limits: &Limits,
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
            screen: Screen::default(),
            samples,
            writer,
            setup,
            program: program.name.clone(),
            all_tests: false,
            only_new: false,
            left_out: 0,
            limits: limits.clone(),
            covered: Covered::new(program),
            began: Instant::now(),
            last_branch: None,
            last_bug: None,
            told: Duration::ZERO,
            first_bug: false,
            next_status: Duration::ZERO,
            next_facts: FACTS_PERIOD,
            notes_told: 0,
            coverage_told: 0,
        }
    }

    /// Writes what is known before anything was explored.
    pub fn begin(&mut self, program: &Program) -> anyhow::Result<()> {
        self.began = Instant::now();
        self.output.write("program.json", &serde_json::to_vec(&facts::program(program, &self.covered))?)
    }

    /// Passes on what the machine and the program (klee_warning, klee_print_expr) have to say.
    pub fn tell(&mut self, vm: &mut Vm) -> anyhow::Result<()> {
        for line in vm.messages.drain(..) {
            self.progress.say(&line);
        }
        while let Some(note) = vm.notes.get(self.notes_told) {
            self.notes_told += 1;
            self.progress.say(&format!("forkwise: note: {note}"));
            self.output.event(&json!({"event": "warning", "seconds": self.seconds(), "text": note}))?;
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
        let wanted = match self.only_new {
            true => self.tests == 0 || bug.is_some() || self.covered.is_first(end.state.firsts.as_ref()),
            false => self.all_tests || self.tests < MANY_TESTS || end.state.covered_new,
        };
        if (self.writer.is_none() || !wanted) && bug.is_none() {
            self.left_out += u64::from(!wanted && !self.only_new);
            return Ok(false);
        }
        let Some(test) = outcome::test_case(vm, end, &self.setup) else { return Ok(false) };
        let mut number = None;
        if let Some(writer) = &mut self.writer {
            writer.write(self.tests + 1, &test)?;
            self.tests += 1;
            number = Some(self.tests);
            self.tell_test(vm, end)?;
        }
        if let Some(seen) = bug {
            self.new_bug(end.termination, seen, number, test)?;
        }
        Ok(number.is_some())
    }

    /// A test that reached something first is told of, with what it reached.
    fn tell_test(&mut self, vm: &Vm, end: &PathEnd<'_>) -> anyhow::Result<()> {
        let begin = Instant::now();
        self.look(vm);
        let arms = self.covered.tested(end.state.firsts.as_ref());
        if arms.is_empty() {
            self.told += begin.elapsed();
            return Ok(());
        }
        let (covered, total) = self.covered.branches();
        let told =
            self.output.event(&json!({"event": "test", "seconds": self.seconds(), "number": self.tests,
            "arms": arms, "branches_covered": covered, "branches_total": total}));
        self.told += begin.elapsed();
        told
    }

    fn seconds(&self) -> f64 {
        (self.began.elapsed().as_secs_f64() * 1000.0).round() / 1000.0
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
            program: self.program.clone(),
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
        self.last_bug = Some(self.began.elapsed());
        self.output.event(&json!({"event": "bug", "seconds": self.seconds(), "bug": bug.to_json()}))?;
        let shorten = |file: &str| super::summary::shorten(file);
        self.progress.say(&format!("forkwise: {}: {}", bug.headline(shorten), bug.message));
        self.bugs.push(bug);
        Ok(())
    }

    fn moment(&mut self, p: &Moment<'_>) -> anyhow::Result<()> {
        let begin = cpu_time();
        let now = self.now(p);
        self.screen.now = now.clone();
        self.progress.tick(now.elapsed, &mut self.screen);
        if p.elapsed >= self.next_status {
            self.next_status = p.elapsed + STATUS_PERIOD;
            self.tell_moment(&now)?;
            self.advise(&now)?;
            if self.coverage_told != now.edges {
                self.write_coverage(p.vm)?;
            }
        }
        if p.elapsed >= self.next_facts {
            // The longer a run is and the longer it takes, the less often: what they cost stays a small part of a run.
            let begin = Instant::now();
            self.write_facts(p.vm, p.record)?;
            self.next_facts = p.elapsed + FACTS_PERIOD.max(p.elapsed / 4).max(begin.elapsed() * FACTS_SHARE);
        }
        self.told += cpu_time().saturating_sub(begin);
        Ok(())
    }

    /// Takes in what was covered since the last time.
    fn look(&mut self, vm: &Vm) {
        if self.covered.update(&vm.program, &vm.coverage) {
            self.last_branch = Some(self.began.elapsed());
        }
    }

    /// The figures now.
    fn now(&mut self, p: &Moment<'_>) -> Now {
        self.look(p.vm);
        Now {
            // The explorer also counts what we could not follow; people want to know of the program's bugs.
            bugs: self.bugs.iter().filter(|b| b.is_programs()).count(),
            tests: self.tests,
            time_limit: self.limits.time,
            memory_limit: self.limits.memory,
            last_branch: self.last_branch,
            last_bug: self.last_bug,
            ..Now::of(p, &self.covered)
        }
    }

    fn tell_moment(&mut self, now: &Now) -> anyhow::Result<()> {
        self.samples.add(now)?;
        let mut event = now.to_json();
        let mut status = event.clone();
        status["state"] = "running".into();
        status["bugs"] = self.bugs.len().into();
        self.output.write("status.json", format!("{status:#}\n").as_bytes())?;
        event["event"] = "progress".into();
        self.output.event(&event)
    }

    /// What to do about how it goes is told once, and again when it is something else.
    fn advise(&mut self, now: &Now) -> anyhow::Result<()> {
        let Some(advice) = now.advice() else { return Ok(()) };
        if self.progress.advise(&advice) {
            self.output.event(&json!({"event": "warning", "seconds": self.seconds(), "text": advice}))?;
        }
        Ok(())
    }

    /// Writes `coverage.json`: at the end, and meanwhile, so that a run that is killed leaves what it had.
    pub fn write_coverage(&mut self, vm: &Vm) -> anyhow::Result<()> {
        self.look(vm);
        self.coverage_told = vm.coverage.log.len();
        self.output.write("coverage.json", self.covered.arms(&vm.program).to_json().as_bytes())
    }

    /// Writes `profile.json` and `tree.json`; for the same reason, now and then.
    pub fn write_facts(&self, vm: &Vm, record: &Record) -> anyhow::Result<()> {
        let profile = serde_json::to_vec(&facts::profile(&vm.program, &vm.profile))?;
        self.output.write("profile.json", &profile)?;
        self.output.write("tree.json", &serde_json::to_vec(&facts::tree(&vm.program, record))?)
    }

    /// The last moment.
    pub fn last_moment(&mut self, p: &Moment<'_>) -> anyhow::Result<()> {
        let now = self.now(p);
        self.tell_moment(&now)
    }
}

/// Processor time of this thread; a busy machine does not make it longer. Zero where the system does not tell.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_ascii_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0);
    Duration::from_nanos(nanos)
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

    fn satisfied(&self) -> bool {
        self.first_bug && self.bugs.iter().any(Bug::is_programs)
    }
}

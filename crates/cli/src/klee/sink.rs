//! Where ended paths go under KLEE's command line: `testNNNNNN.ktest` and its companions, errors with their messages.

use super::assembly::Assembly;
use super::coverage::TestCoverage;
use super::errors::{self, End};
use super::log::Log;
use super::paths;
use super::stats;
use crate::{console, outcome};
use forkwise_explore::{PathEnd, Progress, Sink, SinkError};
use forkwise_posix::Setup;
use forkwise_testcase::klee_stats::StatsWriter;
use forkwise_testcase::{BugKind, KTest, TestCase, atomic_write, testcomp};
use forkwise_vm::{Termination, Vm};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What is written for a path.
#[derive(Clone, Debug)]
pub struct Writing {
    /// Write tests at all.
    pub tests: bool,
    /// Write `.ktest` files.
    pub ktests: bool,
    /// Write `.info` files.
    pub info: bool,
    /// Write `.path` files.
    pub paths: bool,
    /// Write `.sym.path` files.
    pub symbolic_paths: bool,
    /// Write Test-Comp XML.
    pub xml: bool,
    /// Only for paths that cover new code, and for errors.
    pub only_covering_new: bool,
    /// Every error, not one per place.
    pub all_errors: bool,
    /// Unfinished paths get tests.
    pub unfinished: bool,
    /// Stop at the first error.
    pub exit_on_error: bool,
    /// Stop at the first error of one of these types.
    pub exit_on_types: Vec<String>,
}

/// See the module text.
pub struct KleeSink {
    /// The messages.
    pub log: Log,
    /// The output folder.
    pub folder: PathBuf,
    /// Tests written.
    pub tests: u64,
    /// An error that ends the run was seen.
    pub stopped_by_error: bool,
    writing: Writing,
    args: Vec<Vec<u8>>,
    assembly_text: String,
    assembly: Option<Rc<Assembly>>,
    /// For `.cov` files, when they are asked for.
    pub coverage: Option<TestCoverage>,
    stats: Option<StatsWriter>,
    next_row: Duration,
    notes_told: usize,
    halting: bool,
}

impl KleeSink {
    /// A sink that writes to `folder`.
    pub fn new(
        log: Log,
        folder: PathBuf,
        writing: Writing,
        args: Vec<Vec<u8>>,
        assembly_text: String,
        stats: Option<StatsWriter>,
    ) -> KleeSink {
        KleeSink {
            log,
            folder,
            tests: 0,
            stopped_by_error: false,
            writing,
            args,
            assembly_text,
            assembly: None,
            coverage: None,
            stats,
            next_row: Duration::ZERO,
            notes_told: 0,
            halting: false,
        }
    }

    /// Another program run begins (replaying several tests): its notes are its own.
    pub fn next_run(&mut self) {
        self.notes_told = 0;
    }

    /// The lines of `assembly.ll`.
    pub fn assembly(&mut self) -> Rc<Assembly> {
        self.assembly.get_or_insert_with(|| Rc::new(Assembly::new(&self.assembly_text))).clone()
    }

    /// Passes on what the machine and the program have to say.
    pub fn tell(&mut self, vm: &mut Vm) {
        for line in vm.messages.drain(..) {
            self.log.program(&line);
        }
        while let Some(note) = vm.notes.get(self.notes_told) {
            self.notes_told += 1;
            self.log.warning_once(note);
        }
    }

    fn ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> anyhow::Result<bool> {
        self.tell(vm);
        pass_on_output(vm, end)?;
        let covers = !self.writing.only_covering_new || end.state.covered_new;
        match errors::end_of(end.termination, end.sighting.as_ref()) {
            End::Silent => Ok(false),
            End::Exit => {
                if covers {
                    self.write(vm, end, None)
                } else {
                    Ok(false)
                }
            }
            End::Early(why) => {
                let halted = matches!(end.termination, Termination::Limit(_));
                if halted && !self.halting {
                    self.halting = true;
                    self.log.message("halting execution, dumping remaining states");
                }
                if covers && (self.writing.unfinished || !halted) {
                    self.write(vm, end, Some(("early".into(), format!("{why}\n"))))
                } else {
                    Ok(false)
                }
            }
            End::Error { kind, message, suffix } => self.error(vm, end, kind, &message, suffix),
        }
    }

    fn error(
        &mut self,
        vm: &mut Vm,
        end: &PathEnd<'_>,
        kind: BugKind,
        message: &str,
        suffix: String,
    ) -> anyhow::Result<bool> {
        let Some(seen) = &end.sighting else { return Ok(false) };
        if !seen.first && !self.writing.all_errors {
            return Ok(false);
        }
        self.log.message(&format!("ERROR: {}{message}", errors::location(Some(seen))));
        if !self.writing.all_errors {
            self.log.message("NOTE: now ignoring this error at this location");
        }
        let types = &self.writing.exit_on_types;
        if self.writing.exit_on_error || types.iter().any(|t| is_type(t, kind)) {
            self.stopped_by_error = true;
        }
        let fault = match end.termination {
            Termination::Fault(fault) => Some(&**fault),
            _ => None,
        };
        let assembly = self.assembly();
        let text = errors::file_text(message, seen, fault, end.state, &assembly);
        self.write(vm, end, Some((suffix, text)))
    }

    /// Writes the test of a path and a file that goes with it.
    fn write(
        &mut self,
        vm: &mut Vm,
        end: &PathEnd<'_>,
        with: Option<(String, String)>,
    ) -> anyhow::Result<bool> {
        if !self.writing.tests {
            return Ok(false);
        }
        let begin = Instant::now();
        let Some(mut test) = outcome::test_case(vm, end, &Setup::default()) else { return Ok(false) };
        test.args.clone_from(&self.args);
        self.tests += 1;
        let name = |suffix: &str| self.folder.join(format!("test{:06}.{suffix}", self.tests));
        if self.writing.ktests {
            KTest::from(&test).write(&name("ktest"))?;
        }
        if let Some((suffix, text)) = with {
            atomic_write(&name(&suffix), text.as_bytes())?;
        }
        if self.writing.xml {
            self.write_xml(&test)?;
        }
        if self.writing.paths || self.writing.symbolic_paths {
            let text = paths::text(&vm.program, end.state);
            if self.writing.paths {
                atomic_write(&name("path"), text.as_bytes())?;
            }
            if self.writing.symbolic_paths {
                atomic_write(&name("sym.path"), text.as_bytes())?;
            }
        }
        if let Some(coverage) = &self.coverage {
            let unfinished = matches!(end.termination, Termination::Limit(_));
            let text = coverage.text(vm.input_bytes(end.state), end.state.instructions, unfinished)?;
            atomic_write(&name("cov"), text.as_bytes())?;
        }
        if self.writing.info {
            let text = format!("Time to generate test case: {}s\n", begin.elapsed().as_secs_f64());
            atomic_write(&name("info"), text.as_bytes())?;
        }
        Ok(true)
    }

    fn write_xml(&self, test: &TestCase) -> anyhow::Result<()> {
        let path = self.folder.join(testcomp::file_name(self.tests));
        Ok(atomic_write(&path, testcomp::testcase_xml(test).as_bytes())?)
    }

    fn moment(&mut self, p: &Progress<'_>) -> anyhow::Result<()> {
        if p.elapsed >= self.next_row {
            self.next_row = p.elapsed + Duration::from_secs(1);
            self.row(p)?;
        }
        Ok(())
    }

    /// A row of `run.stats`.
    pub fn row(&mut self, p: &Progress<'_>) -> anyhow::Result<()> {
        match &mut self.stats {
            Some(stats) => Ok(stats.write(&stats::row(p))?),
            None => Ok(()),
        }
    }
}

/// What the program wrote, to where KLEE's programs write. A path shows its output when it ends, with symbolic bytes as
/// they are in its test.
fn pass_on_output(vm: &mut Vm, end: &PathEnd<'_>) -> anyhow::Result<()> {
    if matches!(end.termination, Termination::Limit(_)) {
        return Ok(());
    }
    let (out, err) = (vm.output_bytes(end.state, 1), vm.output_bytes(end.state, 2));
    console::out(out)?;
    console::err(err);
    Ok(())
}

/// KLEE's name of an error type (`ReadOnly`) against the table's (`read_only`).
fn is_type(name: &str, kind: BugKind) -> bool {
    let flat = |text: &str| text.replace('_', "").to_ascii_lowercase();
    flat(name) == flat(kind.klee_kind())
}

impl Sink for KleeSink {
    fn path_ended(&mut self, vm: &mut Vm, end: &PathEnd<'_>) -> Result<bool, SinkError> {
        if self.stopped_by_error {
            return Ok(false);
        }
        Ok(self.ended(vm, end)?)
    }

    fn progress(&mut self, progress: &Progress<'_>) -> Result<(), SinkError> {
        Ok(self.moment(progress)?)
    }

    fn satisfied(&self) -> bool {
        self.stopped_by_error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_types_are_klees() {
        assert!(is_type("Abort", BugKind::Abort));
        assert!(is_type("ReadOnly", BugKind::WriteToConstant));
        assert!(is_type("Ptr", BugKind::OutOfBoundsRead));
        assert!(!is_type("Ptr", BugKind::Abort));
    }
}

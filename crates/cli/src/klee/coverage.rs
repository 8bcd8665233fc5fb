//! `.cov` files: the source lines that one test covers. The test is run once more, with its inputs as they are, on a
//! machine that has covered nothing yet; the exploration's own machine is not touched.

use crate::engine::{self, Settings, Start};
use anyhow::anyhow;
use forkwise_ir::Program;
use forkwise_vm::Step;
use std::fmt::Write as _;
use std::rc::Rc;

/// More instructions than the path had, for what is counted differently without symbolic values.
const SLACK: u64 = 10_000;

/// Runs tests to see what they cover.
pub struct TestCoverage {
    program: Rc<Program>,
    settings: Settings,
    start: Start,
}

impl TestCoverage {
    /// For tests of this program, started in this way.
    pub fn new(program: Rc<Program>, settings: Settings, start: Start) -> TestCoverage {
        TestCoverage { program, settings, start }
    }

    /// `FILE:LINE` of each covered line of the user's code, one a line. An unfinished path ends after its
    /// `instructions`, any other where it ends.
    pub fn text(
        &self,
        inputs: Vec<(String, Vec<u8>)>,
        instructions: u64,
        unfinished: bool,
    ) -> anyhow::Result<String> {
        let mut settings = self.settings.clone();
        settings.vm.seed_inputs = inputs;
        settings.vm.concrete_inputs = true;
        let (mut vm, mut state) = engine::single_path(self.program.clone(), &settings, &self.start)?;
        let last = if unfinished { instructions } else { instructions.saturating_add(SLACK) };
        while state.instructions < last {
            let budget = last - state.instructions;
            match vm.run(&mut state, budget) {
                Step::Ended(_) => break,
                Step::Budget | Step::Paused | Step::Forked => {}
            }
            // With its inputs given, only this path is of interest.
            vm.forks.clear();
            vm.ended.clear();
        }
        let mut out = String::new();
        for (file, line) in vm.coverage.covered_lines(&self.program) {
            let file =
                self.program.files.get(file as usize).ok_or_else(|| anyhow!("no source file {file}"))?;
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{}:{line}", file.path);
        }
        Ok(out)
    }
}

//! The program as it runs natively: built once per size, run on the worst input, timed, and its instructions counted
//! where that is possible.

use crate::run::confirm::Builder;
use crate::run::options::RunArgs;
use crate::run::session;
use anyhow::{Context, anyhow};
use forkwise_posix::Setup;
use forkwise_replay::{Check, Limits, Program, check};
use forkwise_testcase::{Object, TestCase};
use forkwise_toolchain::Sanitizers;
use forkwise_worst::Cost;
use std::ffi::OsString;
use std::rc::Rc;
use std::time::Duration;

/// A native run of the worst input is given this long.
const LONGEST: Duration = Duration::from_secs(30);
/// So is counting its instructions: without a counter of the processor they are executed one by one.
const LONGEST_COUNT: Duration = Duration::from_secs(10);
/// Runs of which the shortest time counts.
const RUNS: u32 = 5;

/// What a native run showed.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Instructions, and why they are not known.
    pub instructions: Result<u64, String>,
    /// The shortest time on the processor, of several runs.
    pub seconds: f64,
    /// How it differs from what was predicted.
    pub difference: Option<String>,
}

/// See the module text.
pub struct Native {
    builder: Builder,
    program: Program,
    env: Vec<(OsString, OsString)>,
}

impl Native {
    /// Builds the program.
    pub fn new(args: &RunArgs) -> anyhow::Result<Native> {
        let builder = Builder::new(args, &session::files(args))?;
        let program =
            builder.build("plain", Sanitizers::NONE).context("the native program cannot be built")?;
        let env = vec![("FORKWISE_SIZE".into(), args.size.to_string().into())];
        Ok(Native { builder, program, env })
    }

    /// Runs a test.
    pub fn run(&self, test: &TestCase) -> anyhow::Result<Seen> {
        let limits = Limits { wall: LONGEST, ..Limits::default() };
        let mut shortest = Duration::MAX;
        let mut difference = None;
        for _ in 0..RUNS {
            let report = self.builder.runner.run_test_with(&self.program, test, &self.env, &limits)?;
            shortest = shortest.min(report.cpu);
            if let Check::Diverged(how) = check(test, &report) {
                difference = Some(how.iter().map(|d| d.to_string()).collect::<Vec<_>>().join("; "));
            }
            if report.duration > LONGEST / 10 {
                break;
            }
        }
        Ok(Seen { instructions: self.count(test), seconds: shortest.as_secs_f64(), difference })
    }

    fn count(&self, test: &TestCase) -> Result<u64, String> {
        let limits = Limits { wall: LONGEST_COUNT, ..Limits::default() };
        self.builder
            .runner
            .count_instructions(&self.program, test, &self.env, &limits)
            .map_err(|e| e.to_string())
    }

    /// The same as a cost. Inputs of a harness are all that a test consists of here; a program that is started with
    /// symbolic arguments or files needs more than their values.
    pub fn into_cost(self, setup: &Rc<Setup>) -> Cost {
        let harness = setup.args.is_empty() && setup.sym_stdin.is_none() && setup.sym_files.is_none();
        let name = setup.program.clone();
        Cost::Native(Box::new(move |values| {
            if !harness {
                return Err(
                    "native costs are for programs that ask for their inputs by forkwise_symbolic".into()
                );
            }
            let objects = values
                .iter()
                .map(|(name, bytes)| Object { name: name.clone(), bytes: bytes.clone() })
                .collect();
            self.count(&TestCase::new(vec![name.clone()], objects)).map_err(|e| anyhow!(e).to_string())
        }))
    }
}

//! When an exploration stops, and what it counts. Plain data.

use std::time::Duration;

/// Limits of one exploration; `None` is no limit. The depth limit and limits of a single path belong to the
/// machine's configuration.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Instructions over all paths.
    pub instructions: Option<u64>,
    /// Forks; afterwards every path goes on alone.
    pub forks: Option<u64>,
    /// Tests the sink has accepted.
    pub tests: Option<u64>,
    /// Memory of this process, in bytes.
    pub memory: Option<u64>,
    /// Near the memory limit paths go on without forking, so that fewer states have to be dropped.
    pub memory_stops_forks: bool,
    /// Time of one query; with a time limit, never more than what is left of it.
    pub query_time: Option<Duration>,
}

/// Why an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// No state was left.
    Complete,
    /// The time limit.
    Time,
    /// The instruction limit.
    Instructions,
    /// The memory limit: states had to be dropped.
    Memory,
    /// Enough tests.
    Tests,
    /// Enough executions.
    Executions,
    /// The user, or a signal.
    Interrupt,
    /// The sink has seen what it wanted.
    Satisfied,
}

impl StopReason {
    /// The name in machine output.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Complete => "complete",
            StopReason::Time => "time",
            StopReason::Instructions => "instructions",
            StopReason::Memory => "memory",
            StopReason::Tests => "tests",
            StopReason::Executions => "executions",
            StopReason::Interrupt => "interrupt",
            StopReason::Satisfied => "bug",
        }
    }
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// LLVM instructions executed, over all paths, each once.
    pub instructions: u64,
    /// Paths on which the program exited.
    pub exits: u64,
    /// Paths that ended with a bug of the program.
    pub faults: u64,
    /// Paths that needed something unsupported.
    pub unsupported: u64,
    /// Paths that ended with an internal error.
    pub internal: u64,
    /// Paths that ended themselves without a result.
    pub silent: u64,
    /// Paths with an assumption that cannot hold.
    pub impossible: u64,
    /// Paths that a limit left unfinished.
    pub unfinished: u64,
    /// Tests the sink has accepted.
    pub tests: u64,
    /// Most states alive at once.
    pub states_peak: usize,
    /// States dropped because of the memory limit.
    pub dropped: u64,
    /// Most memory seen in use by this process, in bytes.
    pub memory_peak: u64,
    /// Times a searcher was asked.
    pub selections: u64,
    /// Runs of the program in concolic testing.
    pub executions: u64,
}

impl Counters {
    /// Paths that the program itself brought to an end.
    pub fn completed(&self) -> u64 {
        self.exits + self.faults + self.silent + self.impossible
    }

    /// Paths that did not reach their end.
    pub fn partial(&self) -> u64 {
        self.unsupported + self.internal + self.unfinished
    }
}

/// Parts of the program's behaviour that were left out although no budget ended; empty: none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Branches were not followed because of the fork limit.
    pub forks: bool,
    /// Branches were not followed because memory was short.
    pub memory: bool,
    /// Branches were not followed because of the depth limit.
    pub depth: bool,
    /// Paths needed something unsupported, failed internally, or met a limit of their own.
    pub paths: u64,
}

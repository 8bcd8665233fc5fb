//! What `klee-stats` shows, computed from the counters of `run.stats`: names, meanings, formulas, and which of them
//! each `--print-…` option selects. A division by zero shows as zero, full branch coverage where there is no
//! branch.

use super::StatsError;
use super::store::RunStats;

/// The counters that the formulas use, of one run or summed over several.
#[derive(Clone, Debug)]
pub(super) struct Totals<'a> {
    pub(super) runs: &'a [&'a RunStats],
}

impl Totals<'_> {
    fn of(&self, column: &str) -> f64 {
        self.runs.iter().map(|run| run.last(column)).sum()
    }

    fn max(&self, column: &str) -> f64 {
        self.runs.iter().map(|run| run.max(column)).sum()
    }

    fn average(&self, column: &str) -> f64 {
        self.runs.iter().map(|run| run.average(column)).sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formula {
    /// A counter as it is.
    Count(&'static str),
    /// Seconds as they are.
    Seconds(&'static str),
    /// Microseconds shown as seconds.
    Micros(&'static str),
    /// Microseconds as a share of the wall time.
    MicrosShare(&'static str),
    /// Seconds as a share of the wall time.
    SecondsShare(&'static str),
    /// Bytes shown as MiB.
    Mebibytes(&'static str),
    MaxMebibytes(&'static str),
    AverageMebibytes(&'static str),
    Max(&'static str),
    Average(&'static str),
    InstructionCount,
    InstructionCoverage,
    BranchCoverage,
    AverageQuerySize,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// What it means, for `--help`.
    pub meaning: &'static str,
    formula: Formula,
}

impl Column {
    pub(super) fn is_integer(self) -> bool {
        matches!(self.formula, Formula::Count(_) | Formula::Max(_) | Formula::InstructionCount)
    }

    pub(super) fn value(self, totals: &Totals<'_>) -> f64 {
        let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        let mebibyte = 1024.0 * 1024.0;
        match self.formula {
            Formula::Count(column) | Formula::Seconds(column) => totals.of(column),
            Formula::Micros(column) => totals.of(column) / 1e6,
            Formula::MicrosShare(column) => share(totals.of(column) / 1e6, totals.of("WallTime")),
            Formula::SecondsShare(column) => share(totals.of(column), totals.of("WallTime")),
            Formula::Mebibytes(column) => totals.of(column) / mebibyte,
            Formula::MaxMebibytes(column) => totals.max(column) / mebibyte,
            Formula::AverageMebibytes(column) => totals.average(column) / mebibyte,
            Formula::Max(column) => totals.max(column),
            Formula::Average(column) => totals.average(column),
            Formula::InstructionCount => {
                totals.of("CoveredInstructions") + totals.of("UncoveredInstructions")
            }
            Formula::InstructionCoverage => share(
                totals.of("CoveredInstructions"),
                totals.of("CoveredInstructions") + totals.of("UncoveredInstructions"),
            ),
            Formula::BranchCoverage if totals.of("NumBranches") == 0.0 => 100.0,
            Formula::BranchCoverage => share(
                2.0 * totals.of("FullBranches") + totals.of("PartialBranches"),
                2.0 * totals.of("NumBranches"),
            ),
            Formula::AverageQuerySize => {
                totals.of("NumQueryConstructs") / totals.of("SolverQueries").max(1.0)
            }
        }
    }
}

macro_rules! columns {
    ($( $name:literal, $formula:expr, $meaning:literal; )*) => {
        /// Every column, in the order of `--print-all`.
        pub const ALL: &[Column] = &[ $( Column { name: $name, meaning: $meaning, formula: $formula }, )* ];
    };
}

columns! {
    "Instrs", Formula::Count("Instructions"), "number of executed instructions";
    "Time(s)", Formula::Seconds("WallTime"), "total wall time";
    "ICov(%)", Formula::InstructionCoverage, "instruction coverage in the LLVM bitcode";
    "BCov(%)", Formula::BranchCoverage, "conditional branch (br) coverage in the LLVM bitcode";
    "ICount", Formula::InstructionCount, "total static instructions in the LLVM bitcode";
    "TSolver(%)", Formula::MicrosShare("SolverTime"), "relative time spent in the solver chain wrt wall time";
    "ICovered", Formula::Count("CoveredInstructions"), "total covered instructions in the LLVM bitcode";
    "IUncovered", Formula::Count("UncoveredInstructions"), "total uncovered instructions in the LLVM bitcode";
    "Branches", Formula::Count("NumBranches"), "number of conditional branch (br) instructions";
    "FullBranches", Formula::Count("FullBranches"), "number of fully-explored conditional branches";
    "PartialBranches", Formula::Count("PartialBranches"), "number of partially-explored conditional branches";
    "ExternalCalls", Formula::Count("ExternalCalls"), "number of external calls";
    "TUser(s)", Formula::Seconds("UserTime"), "total user time";
    "TResolve(s)", Formula::Micros("ResolveTime"), "time spent in object resolution";
    "TResolve(%)", Formula::MicrosShare("ResolveTime"), "relative time spent in object resolution wrt wall time";
    "TCex(s)", Formula::Micros("CexCacheTime"), "time spent in the counterexample caching code";
    "TCex(%)", Formula::MicrosShare("CexCacheTime"), "relative time spent in the counterexample caching code";
    "TQuery(s)", Formula::Micros("QueryTime"), "time spent in the constraint solver";
    "TSolver(s)", Formula::Micros("SolverTime"), "time spent in the solver chain";
    "States", Formula::Count("States"), "number of created states";
    "ActiveStates", Formula::Count("NumStates"), "number of currently active states";
    "MaxActiveStates", Formula::Max("NumStates"), "maximum number of active states";
    "AvgActiveStates", Formula::Average("NumStates"), "average number of active states";
    "InhibitedForks", Formula::Count("InhibitedForks"), "number of inhibited state forks";
    "Queries", Formula::Count("Queries"), "number of queries issued to the solver chain";
    "SolverQueries", Formula::Count("SolverQueries"), "number of queries issued to the constraint solver";
    "SolverQueryConstructs", Formula::Count("NumQueryConstructs"), "number of query constructs for all queries";
    "AvgSolverQuerySize", Formula::AverageQuerySize, "average number of query constructs per query";
    "QCacheMisses", Formula::Count("QueryCacheMisses"), "query cache misses";
    "QCacheHits", Formula::Count("QueryCacheHits"), "query cache hits";
    "QCexCacheMisses", Formula::Count("QueryCexCacheMisses"), "counterexample cache misses";
    "QCexCacheHits", Formula::Count("QueryCexCacheHits"), "counterexample cache hits";
    "Allocations", Formula::Count("Allocations"), "number of allocated heap objects of the program under test";
    "Mem(MiB)", Formula::Mebibytes("MallocUsage"), "mebibytes of memory currently used";
    "MaxMem(MiB)", Formula::MaxMebibytes("MallocUsage"), "maximum memory usage";
    "AvgMem(MiB)", Formula::AverageMebibytes("MallocUsage"), "average memory usage";
    "BrConditional", Formula::Count("BranchesConditional"), "number of forks at symbolic branch conditions";
    "BrIndirect", Formula::Count("BranchesIndirect"), "number of forks at indirect branches";
    "BrSwitch", Formula::Count("BranchesSwitch"), "number of forks at switches";
    "BrCall", Formula::Count("BranchesCall"), "number of forks at symbolic function pointers";
    "BrMemOp", Formula::Count("BranchesMemOp"), "number of forks at symbolic addresses";
    "BrResolvePointer", Formula::Count("BranchesResolvePointer"), "number of forks at symbolic pointers";
    "BrAlloc", Formula::Count("BranchesAlloc"), "number of forks at symbolic allocation sizes";
    "BrRealloc", Formula::Count("BranchesRealloc"), "number of forks at symbolic reallocation sizes";
    "BrFree", Formula::Count("BranchesFree"), "number of forks at freeing a symbolic pointer";
    "BrGetVal", Formula::Count("BranchesGetVal"), "number of forks at a requested concrete value";
    "TermExit", Formula::Count("TerminationExit"), "number of states that reached the end of their path";
    "TermEarly", Formula::Count("TerminationEarly"), "number of early terminated states";
    "TermSolverErr", Formula::Count("TerminationSolverError"), "number of states terminated by solver errors";
    "TermProgrErr", Formula::Count("TerminationProgramError"), "number of states terminated by program errors";
    "TermUserErr", Formula::Count("TerminationUserError"), "number of states terminated by user errors";
    "TermExecErr", Formula::Count("TerminationExecutionError"), "number of states terminated by execution errors";
    "TermEarlyAlgo", Formula::Count("TerminationEarlyAlgorithm"), "number of states terminated by the algorithm";
    "TermEarlyUser", Formula::Count("TerminationEarlyUser"), "number of states terminated via klee_silent_exit()";
    "TArrayHash(s)", Formula::Micros("ArrayHashTime"), "time spent hashing arrays";
    "TFork(s)", Formula::Micros("ForkTime"), "time spent forking states";
    "TFork(%)", Formula::MicrosShare("ForkTime"), "relative time spent forking states wrt wall time";
    "TUser(%)", Formula::SecondsShare("UserTime"), "relative user time wrt wall time";
}

/// Which columns to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// The usual ones.
    #[default]
    Usual,
    /// `--print-more`.
    More,
    /// `--print-all`.
    All,
    /// `--print-rel-times`.
    RelativeTimes,
    /// `--print-abs-times`.
    AbsoluteTimes,
    /// `--print-columns NAME,…`.
    Named(Vec<String>),
}

const USUAL: &[&str] = &["Instrs", "Time(s)", "ICov(%)", "BCov(%)", "ICount", "TSolver(%)"];
const MORE: &[&str] = &[
    "Instrs",
    "Time(s)",
    "ICov(%)",
    "BCov(%)",
    "ICount",
    "TSolver(%)",
    "ActiveStates",
    "MaxActiveStates",
    "Mem(MiB)",
    "MaxMem(MiB)",
];
const RELATIVE: &[&str] = &["Time(s)", "TUser(%)", "TSolver(%)", "TCex(%)", "TFork(%)", "TResolve(%)"];
const ABSOLUTE: &[&str] = &["Time(s)", "TUser(s)", "TSolver(s)", "TCex(s)", "TFork(s)", "TResolve(s)"];

impl Selection {
    /// The columns, or the name of one that does not exist.
    pub fn columns(&self) -> Result<Vec<Column>, StatsError> {
        let named =
            |names: &[&str]| names.iter().map(|name| find(name, ALL).map(|index| ALL[index])).collect();
        match self {
            Selection::Usual => named(USUAL),
            Selection::More => named(MORE),
            Selection::All => Ok(ALL.to_vec()),
            Selection::RelativeTimes => named(RELATIVE),
            Selection::AbsoluteTimes => named(ABSOLUTE),
            Selection::Named(names) => named(&names.iter().map(|name| name.trim()).collect::<Vec<_>>()),
        }
    }
}

/// The column a user means: its name, or its name without the unit in parentheses.
pub(super) fn find(name: &str, columns: &[Column]) -> Result<usize, StatsError> {
    let bare = |name: &str| name.split('(').next().unwrap_or_default().to_string();
    columns
        .iter()
        .position(|column| column.name == name)
        .or_else(|| columns.iter().position(|column| bare(column.name) == bare(name)))
        .ok_or_else(|| StatsError::UnknownColumn(name.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selection_resolves() {
        for (selection, count) in [
            (Selection::Usual, 6),
            (Selection::More, 10),
            (Selection::All, ALL.len()),
            (Selection::RelativeTimes, 6),
            (Selection::AbsoluteTimes, 6),
            (Selection::Named(vec!["Queries".into(), " TSolver(s)".into()]), 2),
        ] {
            assert_eq!(selection.columns().unwrap().len(), count, "{selection:?}");
        }
        let bad = Selection::Named(vec!["Nothing".into()]);
        assert_eq!(bad.columns().unwrap_err().to_string(), "invalid key: Nothing");
    }

    #[test]
    fn units_may_be_left_away() {
        assert_eq!(ALL[find("Time", ALL).unwrap()].name, "Time(s)");
        assert_eq!(ALL[find("TResolve(%)", ALL).unwrap()].name, "TResolve(%)");
        assert!(find("", ALL).is_err());
    }
}

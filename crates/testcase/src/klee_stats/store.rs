//! Writing and reading `run.stats`. The columns and their units are KLEE 3's: times named `…Time` in microseconds,
//! except `UserTime` and `WallTime` in seconds. A process that is killed leaves a valid file behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql};

use super::StatsError;

/// A counter of a row.
trait Counter: ToSql + Copy {
    const SQL: &'static str;
}
impl Counter for f64 {
    const SQL: &'static str = "REAL";
}
impl Counter for u64 {
    const SQL: &'static str = "INTEGER";
}

/// SQLite has no unsigned 64-bit integers; a counter that large is clamped, never wrapped.
struct Clamped<T>(T);
impl ToSql for Clamped<u64> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0).unwrap_or(i64::MAX)))
    }
}
impl ToSql for Clamped<f64> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(if self.0.is_finite() { self.0 } else { 0.0 }))
    }
}

macro_rules! stats_row {
    ($( $(#[$doc:meta])* $field:ident: $type:ident = $column:literal, )*) => {
        /// The counters at one moment of a run.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct StatsRow { $( $(#[$doc])* pub $field: $type, )* }

        impl StatsRow {
            const COLUMNS: &'static [(&'static str, &'static str)] =
                &[ $( ($column, <$type as Counter>::SQL), )* ];

            fn insert(&self, statement: &mut rusqlite::Statement<'_>) -> rusqlite::Result<usize> {
                statement.execute(rusqlite::params![ $( Clamped(self.$field), )* ])
            }
        }
    };
}

stats_row! {
    /// Instructions executed.
    instructions: u64 = "Instructions",
    /// Conditional branches with both sides covered.
    full_branches: u64 = "FullBranches",
    /// Conditional branches with one side covered.
    partial_branches: u64 = "PartialBranches",
    /// Conditional branches in the program.
    num_branches: u64 = "NumBranches",
    /// CPU time in user mode, in seconds.
    user_time: f64 = "UserTime",
    /// States alive now.
    num_states: u64 = "NumStates",
    /// Memory in use, in bytes.
    malloc_usage: u64 = "MallocUsage",
    /// Queries to the solver chain.
    queries: u64 = "Queries",
    /// Queries that reached the solver itself.
    solver_queries: u64 = "SolverQueries",
    /// Expression nodes in those.
    num_query_constructs: u64 = "NumQueryConstructs",
    /// Time since the start, in seconds.
    wall_time: f64 = "WallTime",
    /// Instructions of the program covered.
    covered_instructions: u64 = "CoveredInstructions",
    /// Instructions of the program not covered.
    uncovered_instructions: u64 = "UncoveredInstructions",
    /// Microseconds in the solver itself.
    query_time: u64 = "QueryTime",
    /// Microseconds in the solver chain.
    solver_time: u64 = "SolverTime",
    /// Microseconds in the counterexample cache and below.
    cex_cache_time: u64 = "CexCacheTime",
    /// Microseconds spent forking.
    fork_time: u64 = "ForkTime",
    /// Microseconds spent resolving pointers.
    resolve_time: u64 = "ResolveTime",
    /// Query cache misses.
    query_cache_misses: u64 = "QueryCacheMisses",
    /// Query cache hits.
    query_cache_hits: u64 = "QueryCacheHits",
    /// Counterexample cache misses.
    query_cex_cache_misses: u64 = "QueryCexCacheMisses",
    /// Counterexample cache hits.
    query_cex_cache_hits: u64 = "QueryCexCacheHits",
    /// Forks not done because of a limit.
    inhibited_forks: u64 = "InhibitedForks",
    /// Calls to functions outside of the program.
    external_calls: u64 = "ExternalCalls",
    /// Heap objects allocated.
    allocations: u64 = "Allocations",
    /// States created.
    states: u64 = "States",
    /// Microseconds hashing arrays; no longer measured.
    array_hash_time: u64 = "ArrayHashTime",
    /// Forks at conditional branches.
    branches_conditional: u64 = "BranchesConditional",
    /// Forks at indirect branches.
    branches_indirect: u64 = "BranchesIndirect",
    /// Forks at switches.
    branches_switch: u64 = "BranchesSwitch",
    /// Forks at calls through pointers.
    branches_call: u64 = "BranchesCall",
    /// Forks at memory accesses.
    branches_mem_op: u64 = "BranchesMemOp",
    /// Forks when resolving a pointer.
    branches_resolve_pointer: u64 = "BranchesResolvePointer",
    /// Forks at allocations.
    branches_alloc: u64 = "BranchesAlloc",
    /// Forks at reallocations.
    branches_realloc: u64 = "BranchesRealloc",
    /// Forks at `free`.
    branches_free: u64 = "BranchesFree",
    /// Forks at a requested value.
    branches_get_val: u64 = "BranchesGetVal",
    /// Paths that reached their end.
    termination_exit: u64 = "TerminationExit",
    /// Paths ended early.
    termination_early: u64 = "TerminationEarly",
    /// Paths ended by the solver's failure.
    termination_solver_error: u64 = "TerminationSolverError",
    /// Paths on which the program went wrong.
    termination_program_error: u64 = "TerminationProgramError",
    /// Paths on which the harness went wrong.
    termination_user_error: u64 = "TerminationUserError",
    /// Paths ended by something not supported.
    termination_execution_error: u64 = "TerminationExecutionError",
    /// Paths ended by the algorithm, such as merging.
    termination_early_algorithm: u64 = "TerminationEarlyAlgorithm",
    /// Paths ended by `klee_silent_exit`.
    termination_early_user: u64 = "TerminationEarlyUser",
    /// [`StatsRow::queries`] again, under the name that KLEE 2 gave it; scripts ask for it.
    num_queries: u64 = "NumQueries",
}

/// Writes `run.stats`, a row at a time.
#[derive(Debug)]
pub struct StatsWriter {
    path: PathBuf,
    connection: Connection,
    insert: String,
}

impl StatsWriter {
    /// Creates the file, replacing what was there.
    pub fn create(path: &Path) -> Result<StatsWriter, StatsError> {
        match std::fs::remove_file(path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(StatsError::File { path: path.to_path_buf(), source });
            }
            _ => {}
        }
        let failed = |source| StatsError::Database { path: path.to_path_buf(), source };
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
        let columns: Vec<String> =
            StatsRow::COLUMNS.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        // Not synchronous: a power cut may lose rows, and an exploration must not wait for a disk.
        connection
            .execute_batch(&format!("PRAGMA synchronous = OFF; CREATE TABLE stats ({});", columns.join(", ")))
            .map_err(failed)?;
        let marks = vec!["?"; StatsRow::COLUMNS.len()].join(", ");
        let insert = format!("INSERT INTO stats VALUES ({marks})");
        Ok(StatsWriter { path: path.to_path_buf(), connection, insert })
    }

    /// Appends a row.
    pub fn write(&mut self, row: &StatsRow) -> Result<(), StatsError> {
        let row = StatsRow { num_queries: row.queries, ..row.clone() };
        self.connection
            .prepare_cached(&self.insert)
            .and_then(|mut statement| row.insert(&mut statement))
            .map(|_| ())
            .map_err(|source| StatsError::Database { path: self.path.clone(), source })
    }
}

/// The rows of a `run.stats` of any version.
#[derive(Clone, Debug, PartialEq)]
pub struct RunStats {
    /// The file.
    pub path: PathBuf,
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl RunStats {
    /// Reads a file, which may still be written to by a running exploration.
    pub fn read(path: &Path) -> Result<RunStats, StatsError> {
        // SQLite creates what is not there, and calls a directory a full disk.
        match std::fs::metadata(path) {
            Err(source) => return Err(StatsError::File { path: path.to_path_buf(), source }),
            Ok(data) if !data.is_file() => {
                return Err(StatsError::Content { path: path.to_path_buf(), problem: "not a file".into() });
            }
            Ok(_) => {}
        }
        let stats = RunStats::query(path)
            .map_err(|source| StatsError::Database { path: path.to_path_buf(), source })?;
        if stats.rows.is_empty() {
            return Err(StatsError::Content {
                path: path.to_path_buf(),
                problem: "holds no statistics yet".into(),
            });
        }
        Ok(stats)
    }

    fn query(path: &Path) -> rusqlite::Result<RunStats> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        let mut statement = connection.prepare("SELECT * FROM stats")?;
        let columns: Vec<String> = statement.column_names().into_iter().map(String::from).collect();
        let mut rows = Vec::new();
        let mut cursor = statement.query([])?;
        while let Some(row) = cursor.next()? {
            let value = |index| {
                Ok(match row.get_ref(index)? {
                    ValueRef::Integer(value) => value as f64,
                    ValueRef::Real(value) => value,
                    _ => 0.0,
                })
            };
            rows.push((0..columns.len()).map(value).collect::<rusqlite::Result<Vec<f64>>>()?);
        }
        Ok(RunStats { path: path.to_path_buf(), columns, rows })
    }

    /// Number of rows; at least 1.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows; never so after [`RunStats::read`].
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A counter in the last row; 0 where this version of the file does not have it.
    pub fn last(&self, column: &str) -> f64 {
        match (self.index(column), self.rows.last()) {
            (Some(index), Some(row)) => row[index],
            _ => 0.0,
        }
    }

    /// The largest value of a counter.
    pub fn max(&self, column: &str) -> f64 {
        self.index(column).map_or(0.0, |index| self.rows.iter().map(|row| row[index]).fold(0.0, f64::max))
    }

    /// The average of a counter over the rows.
    pub fn average(&self, column: &str) -> f64 {
        let sum = self.index(column).map_or(0.0, |index| self.rows.iter().map(|row| row[index]).sum());
        sum / self.rows.len().max(1) as f64
    }

    fn index(&self, column: &str) -> Option<usize> {
        let find = |name: &str| self.columns.iter().position(|have| have == name);
        find(column).or_else(|| if column == "Queries" { find("NumQueries") } else { None })
    }

    /// All rows as comma-separated values with a header, as `klee-stats --to-csv` prints them.
    pub fn to_csv(&self) -> String {
        let mut out = self.columns.join(",") + "\n";
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(f64::to_string).collect();
            out.push_str(&cells.join(","));
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.stats");
        let mut writer = StatsWriter::create(&path).unwrap();
        let row = StatsRow {
            instructions: 10,
            num_states: 4,
            user_time: 0.5,
            queries: 3,
            malloc_usage: u64::MAX,
            ..Default::default()
        };
        writer.write(&row).unwrap();
        writer.write(&StatsRow { instructions: 30, num_states: 2, wall_time: f64::NAN, ..row }).unwrap();
        // Readable while the writer lives.
        let stats = RunStats::read(&path).unwrap();
        assert_eq!((stats.len(), stats.is_empty()), (2, false));
        assert_eq!(stats.last("Instructions"), 30.0);
        assert_eq!(stats.max("NumStates"), 4.0);
        assert_eq!(stats.average("NumStates"), 3.0);
        assert_eq!(stats.last("NumQueries"), 3.0);
        assert_eq!(stats.last("MallocUsage"), i64::MAX as f64);
        assert_eq!(stats.last("WallTime"), 0.0);
        assert_eq!(stats.last("NoSuchColumn"), 0.0);
        let csv = stats.to_csv();
        assert!(csv.starts_with("Instructions,FullBranches,"), "{csv}");
        assert_eq!(csv.lines().count(), 3);
        drop(writer);
        // A new run replaces the old file.
        StatsWriter::create(&path).unwrap().write(&StatsRow::default()).unwrap();
        assert_eq!(RunStats::read(&path).unwrap().len(), 1);
    }

    #[test]
    fn files_of_other_versions_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.stats");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE stats (Instructions INTEGER, NumQueries INTEGER, Odd TEXT);")
            .unwrap();
        assert!(RunStats::read(&path).unwrap_err().to_string().contains("no statistics yet"));
        connection.execute_batch("INSERT INTO stats VALUES (7, 5, 'x');").unwrap();
        let stats = RunStats::read(&path).unwrap();
        assert_eq!(
            (stats.last("Instructions"), stats.last("Queries"), stats.last("WallTime")),
            (7.0, 5.0, 0.0)
        );
    }

    #[test]
    fn bad_files_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.stats");
        let error = RunStats::read(&path).unwrap_err().to_string();
        assert!(error.contains("run.stats") && error.contains("No such file"), "{error}");
        std::fs::write(&path, b"('Instructions','FullBranches',)\n(1,2,)\n").unwrap();
        let error = RunStats::read(&path).unwrap_err().to_string();
        assert!(error.contains("run.stats") && error.contains("not a database"), "{error}");
        std::fs::write(&path, b"").unwrap();
        assert!(RunStats::read(&path).unwrap_err().to_string().contains("no such table"));
        assert!(RunStats::read(dir.path()).unwrap_err().to_string().contains("not a file"));
        let mut torn = std::fs::read({
            let good = dir.path().join("good");
            StatsWriter::create(&good).unwrap().write(&StatsRow::default()).unwrap();
            good
        })
        .unwrap();
        torn.truncate(torn.len() / 2);
        std::fs::write(&path, torn).unwrap();
        assert!(RunStats::read(&path).is_err());
    }
}

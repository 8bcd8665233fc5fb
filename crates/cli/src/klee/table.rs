//! The options of KLEE 3.2, each once: its name, whether it takes a value, and what becomes of it here. `options`
//! reads command lines by this table; help comes from it, too.

/// What an option is followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing, or `=true`, `=false`.
    Flag,
    /// A value, after `=` or as the next word.
    Value,
    /// Perhaps a value after `=`.
    Maybe,
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It does here what it does in KLEE.
    Used,
    /// It tunes parts of KLEE that do not exist here, or asks for what is always so: accepted, one warning.
    Tuning,
    /// It asks for something that is not there yet: accepted, one warning that says so.
    Missing,
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// Without dashes.
    pub name: &'static str,
    /// What follows.
    pub takes: Takes,
    /// What becomes of it.
    pub role: Role,
    /// For `--help`.
    pub help: &'static str,
}

macro_rules! table {
    ($( $name:literal $takes:ident $role:ident $help:literal; )*) => {
        /// All options.
        pub const OPTIONS: &[OptionEntry] =
            &[ $( OptionEntry { name: $name, takes: Takes::$takes, role: Role::$role, help: $help }, )* ];
    };
}

table! {
    "help" Flag Used "show this list";
    "help-hidden" Flag Used "show this list";
    "help-list" Flag Used "show this list";
    "version" Flag Used "show the version";

    "output-dir" Value Used "folder for the results, must not exist (default: klee-out-N)";
    "warnings-only-to-file" Flag Used "warnings go to warnings.txt only";
    "output-source" Flag Used "write assembly.ll (default: true)";
    "output-module" Flag Used "write the linked module as bitcode, final.bc";
    "output-stats" Flag Used "write run.stats (default: true)";
    "output-istats" Flag Used "write run.istats (default: true)";
    "write-no-tests" Flag Used "write no tests";
    "write-test-info" Flag Used "write testN.info";
    "write-paths" Flag Used "write testN.path, the branches taken";
    "write-sym-paths" Flag Used "write testN.sym.path, the symbolic branches taken";
    "write-cov" Flag Used "write testN.cov, the source lines a test covers";
    "write-xml-tests" Flag Used "write tests as Test-Comp XML";
    "write-ktests" Flag Used "write .ktest files (default: true)";
    "write-cvcs" Flag Missing "write path conditions in CVC format";
    "write-kqueries" Flag Missing "write path conditions in KQuery format";
    "write-smt2s" Flag Missing "write path conditions in SMT-LIB format";
    "write-exec-tree" Flag Missing "write the execution tree";
    "only-output-states-covering-new" Flag Used "tests only for paths that cover new code, and for errors";
    "emit-all-errors" Flag Used "a test for every error, not one per place";
    "dump-states-on-halt" Maybe Used "tests for unfinished paths at the end (default: true)";
    "max-tests" Value Used "stop after this many tests";

    "exit-on-error" Flag Used "stop at the first error";
    "exit-on-error-type" Value Used "stop at the first error of this type (may be repeated)";
    "max-time" Value Used "stop after this time (10s, 5min, 1h)";
    "max-instructions" Value Used "stop after this many instructions";
    "max-forks" Value Used "stop forking after this many forks";
    "max-depth" Value Used "stop forking at this depth";
    "max-memory" Value Used "drop states above this many megabytes (default: 2000)";
    "max-memory-inhibit" Flag Used "stop forking near the memory limit (default: true)";
    "max-stack-frames" Value Used "end paths with more frames (default: 8192)";
    "max-solver-time" Value Used "time for one query";
    "max-static-fork-pct" Value Used "stop forking at a place with more than this share of all forks (default: 1)";
    "max-static-solve-pct" Value Used "the same for its share of the solving time";
    "max-static-cpfork-pct" Value Used "the same for the forks of a call path";
    "max-static-cpsolve-pct" Value Used "the same for the solving time of a call path";
    "max-static-pct-check-delay" Value Used "time after which these limits hold (default: 60s)";
    "max-sym-array-size" Value Used "make indices into larger arrays concrete";
    "ignore-solver-failures" Flag Tuning "go on after failures of the solver";

    "search" Value Used "search heuristic; several take turns (default: random-path, nurs:covnew)";
    "use-batching-search" Flag Used "keep a state for a while";
    "batch-instructions" Value Used "for this many instructions (default: 10000)";
    "batch-time" Value Used "for this time (default: 5s)";
    "use-iterative-deepening-time-search" Flag Used "let each state run for a second, then each for two, and so on";
    "use-merge" Flag Missing "merge states at klee_open_merge";
    "use-incomplete-merge" Flag Missing "merge incompletely";
    "debug-log-merge" Flag Tuning "log merging";
    "debug-log-incomplete-merge" Flag Tuning "log merging";
    "rng-initial-seed" Value Used "seed of everything random";

    "entry-point" Value Used "function to begin with (default: main)";
    "optimize" Flag Used "optimise the program before running it";
    "libc" Value Used "none, klee or uclibc: here always musl, linked by need";
    "posix-runtime" Flag Used "words after the program such as --sym-args are its symbolic inputs";
    "external-calls" Value Used "none: a system call that is not modelled ends the path; otherwise it fails";
    "link-llvm-lib" Value Used "link another bitcode file or archive";
    "function-alias" Value Used "calls of OLD:NEW go to NEW";
    "runtime-build" Value Tuning "build type of KLEE's runtime";
    "env-file" Value Used "environment of the program, one NAME=VALUE a line";
    "run-in-dir" Value Used "the program finds this folder's files in its working directory; what it changes is its own";
    "watchdog" Flag Tuning "watch over the time limit from another process";
    "readable-posix-inputs" Flag Used "prefer printable characters in symbolic arguments";
    "check-div-zero" Flag Used "report divisions by zero (default: true)";
    "check-overshift" Flag Used "report oversized shifts (default: true)";
    "silent-klee-assume" Flag Used "assumptions that cannot hold end paths silently";
    "make-concrete-symbolic" Value Used "make one of so many concrete reads symbolic, with a known value (default: 0, none)";
    "single-object-resolution" Flag Tuning "resolve symbolic pointers to one object";
    "simplify-sym-indices" Flag Used "ask how far symbolic indices go before making tables (default: true)";
    "equality-substitution" Flag Tuning "simplify by equalities";
    "debug-print-instructions" Value Used "print what is executed: all, src or compact, then :stderr or :file";

    "replay-ktest-file" Value Used "run the program on a test";
    "replay-ktest-dir" Value Used "run the program on all tests of a folder";
    "replay-path" Value Used "follow a path that --write-paths recorded";
    "seed-file" Value Used "begin with the path of a test (may be repeated)";
    "seed-dir" Value Used "begin with the paths of all tests of a folder";
    "seed-time" Value Tuning "time for seeding";
    "allow-seed-extension" Flag Used "inputs may be longer than in the seed: the rest is zero";
    "allow-seed-truncation" Flag Used "inputs may be shorter than in the seed";
    "zero-seed-extension" Flag Used "the same as --allow-seed-extension";
    "named-seed-matching" Flag Used "seeds belong to inputs by name (always so)";
    "only-replay-seeds" Flag Used "only follow the seeds";
    "only-seed" Flag Used "only follow the seeds";

    "all-external-warnings" Flag Tuning "warn of every external call";
    "allocate-determ" Flag Tuning "deterministic addresses (always so)";
    "allocate-determ-size" Value Tuning "size of their space";
    "allocate-determ-start-address" Value Tuning "its start";
    "always-output-seeds" Flag Tuning "tests for seeds";
    "array-value-ratio" Value Tuning "optimisation of arrays";
    "array-value-symb-ratio" Value Tuning "optimisation of arrays";
    "cex-cache-exp" Flag Tuning "counterexample cache";
    "cex-cache-superset" Flag Tuning "counterexample cache";
    "cex-cache-try-all" Flag Tuning "counterexample cache";
    "compress-exec-tree" Flag Tuning "compress the execution tree";
    "compress-query-log" Flag Tuning "compress query logs";
    "const-array-opt" Flag Tuning "optimisation of arrays";
    "debug-assignment-validating-solver" Flag Tuning "check models (always so in debug builds)";
    "debug-compress-instructions" Flag Tuning "compress printed instructions";
    "debug-cross-check-core-solver" Value Used "ask another solver, too";
    "debug-validate-solver" Flag Used "ask another solver, too";
    "debug-z3-dump-queries" Value Tuning "dump queries for Z3";
    "debug-z3-log-api-interaction" Value Tuning "log Z3";
    "debug-z3-validate-models" Flag Tuning "validate Z3's models";
    "debug-z3-verbosity" Value Tuning "Z3's verbosity";
    "debug-stp-dump-queries" Flag Tuning "dump queries for STP";
    "disable-verify" Flag Tuning "do not verify the module";
    "exec-tree-batch-size" Value Tuning "writing the execution tree";
    "external-call-warnings" Value Tuning "warnings about external calls";
    "istats-write-interval" Value Tuning "writing run.istats";
    "istats-write-after-instructions" Value Tuning "writing run.istats";
    "kdalloc" Flag Tuning "KLEE's allocator";
    "kdalloc-constants-size" Value Tuning "KLEE's allocator";
    "kdalloc-constants-start-address" Value Tuning "KLEE's allocator";
    "kdalloc-globals-size" Value Tuning "KLEE's allocator";
    "kdalloc-globals-start-address" Value Tuning "KLEE's allocator";
    "kdalloc-heap-size" Value Tuning "KLEE's allocator";
    "kdalloc-heap-start-address" Value Tuning "KLEE's allocator";
    "kdalloc-mark-as-unneeded" Flag Tuning "KLEE's allocator";
    "kdalloc-quarantine" Value Tuning "KLEE's allocator";
    "kdalloc-stack-size" Value Tuning "KLEE's allocator";
    "kdalloc-stack-start-address" Value Tuning "KLEE's allocator";
    "klee-call-optimisation" Flag Tuning "optimisation of KLEE's own calls";
    "log-partial-queries-early" Flag Tuning "query logs";
    "log-timed-out-queries" Flag Tuning "query logs";
    "max-constant-alloc-size" Value Tuning "largest allocation";
    "metasmt-backend" Value Tuning "choice of solver";
    "min-query-time-to-log" Value Tuning "query logs";
    "no-output" Flag Tuning "no output";
    "no-truncate-source-lines" Flag Tuning "width of assembly.ll";
    "optimize-array" Maybe Tuning "optimisation of arrays";
    "print-comb" Flag Tuning "LLVM's own";
    "randomize-fork" Flag Tuning "swap the sides of forks";
    "redzone-size" Value Tuning "distance between objects (bounds are exact here)";
    "return-null-on-zero-malloc" Flag Tuning "malloc(0)";
    "rewrite-equalities" Flag Tuning "simplify by equalities";
    "smtlib-abbreviation-mode" Value Tuning "SMT-LIB output";
    "smtlib-display-constants" Value Tuning "SMT-LIB output";
    "smtlib-human-readable" Flag Tuning "SMT-LIB output";
    "solver-backend" Value Tuning "choice of solver";
    "solver-optimize-divides" Flag Tuning "optimisation of divisions";
    "stats-commit-after" Value Tuning "writing run.stats";
    "stats-write-interval" Value Tuning "writing run.stats";
    "stats-write-after-instructions" Value Tuning "writing run.stats";
    "strip-all" Flag Tuning "strip symbols";
    "strip-debug" Flag Tuning "strip debug information";
    "suppress-external-warnings" Flag Tuning "no warnings of external calls";
    "switch-type" Value Used "internal: all cases at once; simple, llvm: one case against the others, again and again";
    "timer-interval" Value Tuning "granularity of time limits";
    "track-instruction-time" Flag Tuning "time per instruction";
    "uncovered-update-interval" Value Tuning "distances to uncovered code";
    "use-branch-cache" Flag Tuning "query cache";
    "use-call-paths" Flag Tuning "call paths in statistics";
    "use-cex-cache" Flag Used "remember queries and try earlier answers (default: true)";
    "use-constant-arrays" Flag Tuning "constant arrays";
    "use-construct-hash-metasmt" Flag Tuning "construction cache";
    "use-construct-hash-stp" Flag Tuning "construction cache";
    "use-construct-hash-z3" Flag Tuning "construction cache";
    "use-fast-cex-solver" Flag Tuning "choice of solver";
    "use-forked-solver" Flag Tuning "solver in another process";
    "use-independent-solver" Flag Tuning "independent constraints";
    "use-query-log" Value Tuning "query logs";
    "use-visitor-hash" Flag Tuning "expression cache";
    "warn-all-external-symbols" Flag Tuning "warn of undefined symbols";
}

/// The option of a name.
pub fn find(name: &str) -> Option<&'static OptionEntry> {
    OPTIONS.iter().find(|o| o.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_there_once() {
        let mut names: Vec<&str> = OPTIONS.iter().map(|o| o.name).collect();
        names.sort_unstable();
        let n = names.len();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}

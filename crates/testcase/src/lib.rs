//! Test cases and what surrounds them on disk: the forkwise test format, KLEE's `.ktest`, Test-Comp XML, raw
//! fuzzer inputs, C reproducers, the one table of bug kinds, and `run.stats`. Nothing here runs a program or
//! knows what a state is. Read [`case`] first, then [`kinds`].

pub mod atomic;
pub mod case;
pub mod escape;
pub mod import;
pub mod json;
pub mod kinds;
pub mod klee_stats;
pub mod ktest;
pub mod ktest_tool;
pub mod model;
pub mod raw;
pub mod reproducer;
pub mod shell;
pub mod testcomp;

pub use atomic::{WriteError, atomic_write};
pub use case::{Object, Outcome, Place, TestCase, TestFile, check_file_name};
pub use json::TestFileError;
pub use kinds::{Blame, BugKind};
pub use ktest::{KTest, KTestError};

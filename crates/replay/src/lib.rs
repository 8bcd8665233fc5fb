//! Running native programs on tests: under limits, in a fresh directory, isolated from the host where the kernel
//! permits; then judging what happened. Nothing here executes anything symbolically, and no run may outlive its
//! time limit or write outside of its own directory. Read [`runner`] first, then [`mod@confirm`] and [`mod@check`];
//! [`native`] is the only place with `unsafe`.

pub mod batch;
pub mod check;
pub mod cmin;
pub mod confirm;
pub mod coverage;
pub mod crash;
pub mod gcov;
pub mod klee_replay;
pub mod limits;
pub mod native;
mod place;
pub mod program;
pub mod report;
pub mod runner;
pub mod sanitizer;
mod stream;
pub mod tmin;

pub use batch::{BatchOptions, Progress, Replayed, replay_dir};
pub use check::{Check, check};
pub use confirm::{Expected, Verdict, confirm};
pub use coverage::Coverage;
pub use crash::{NativeBug, native_bug};
pub use limits::Limits;
pub use place::EPOCH;
pub use program::Program;
pub use report::{Captured, Ending, Report};
pub use runner::{Isolation, Job, RunError, Runner, RunnerOptions};

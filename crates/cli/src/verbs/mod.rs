//! The small verbs, one file each. Each takes its options and returns an exit code or an error with its cause.

pub mod cc;
pub mod cmin;
pub mod companions;
pub mod doctor;
pub mod export;
pub mod extract;
pub mod features;
pub mod harness;
pub mod import;
pub mod manual;
pub mod replay;
pub mod report;
pub mod show;
pub mod solver_bench;
pub mod tests;
pub mod tmin;
pub mod venn;

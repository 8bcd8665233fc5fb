//! What other tools read: SARIF for code scanners, lcov and Cobertura for coverage viewers, JUnit for CI servers. One file each; all
//! take a [`Run`] and give text, and none can fail.

mod cobertura;
mod junit;
mod lcov;
mod lines;
mod sarif;
mod xml;

pub use cobertura::cobertura;
pub use junit::junit;
pub use lcov::lcov;
pub use lines::{ArmState, FileLines, LineState, by_file};
pub use sarif::sarif;

use crate::folder::Run;

/// A format that is one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SARIF 2.1.0: bugs.
    Sarif,
    /// lcov's tracefile: coverage.
    Lcov,
    /// Cobertura's XML: coverage.
    Cobertura,
    /// JUnit's XML: tests.
    Junit,
}

impl Format {
    /// Writes a run in this format.
    pub fn write(self, run: &Run) -> String {
        match self {
            Format::Sarif => sarif(run),
            Format::Lcov => lcov(run),
            Format::Cobertura => cobertura(run),
            Format::Junit => junit(run),
        }
    }
}

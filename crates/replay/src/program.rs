//! A native program: where it is, what it was built with, and whether it counts its branches. Looked at once, before
//! any run; nothing here starts it.

use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::runner::RunError;

/// The section of a coverage build that holds its counters, one byte each.
pub const COUNTERS_SECTION: &str = "forkwise_counters";
/// The section of a program built by `forkwise cc` that holds its bitcode.
pub const BITCODE_SECTION: &str = ".forkwise.bc";
/// A section that is as large as there are counters in use; [`COUNTERS_SECTION`] has whole pages.
const ARMS_SECTION: &str = ".forkwise.arms";
/// No program has as many branches as this.
const MOST_COUNTERS: u64 = 1 << 28;

/// A native program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    path: PathBuf,
    sanitized: bool,
    counters: Option<usize>,
    self_contained: bool,
}

impl Program {
    /// A program by its path.
    pub fn new(path: &Path) -> Result<Program, RunError> {
        let problem = |source| RunError::Program { path: path.to_path_buf(), source };
        let path = path.canonicalize().map_err(problem)?;
        let data = path.metadata().map_err(problem)?;
        if !data.is_file() {
            return Err(problem(io::Error::other("not a file")));
        }
        if data.permissions().mode() & 0o111 == 0 {
            return Err(problem(io::Error::other("not executable")));
        }
        // A program that may be run but not read is one of which nothing is known.
        let file = File::open(&path).ok();
        let size_of = |name| Some(forkwise_elf::find(file.as_ref()?, name)?.size);
        let counters = size_of(COUNTERS_SECTION)
            .map(|size| size_of(ARMS_SECTION).map_or(size, |arms| arms.min(size)))
            .filter(|size| (1..=MOST_COUNTERS).contains(size))
            .map(|size| size as usize)
            // Built to count, with nothing to count.
            .or_else(|| size_of(BITCODE_SECTION).map(|_| 0));
        let self_contained =
            counters.is_some() && file.as_ref().and_then(forkwise_elf::is_dynamic) == Some(false);
        Ok(Program { path, sanitized: false, counters, self_contained })
    }

    /// The same program, known to be built with AddressSanitizer or UBSan: its address space is not limited, and its
    /// reports are asked to be complete.
    pub fn sanitized(self) -> Program {
        Program { sanitized: true, ..self }
    }

    /// Its absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it was declared to be built with a sanitizer.
    pub fn is_sanitized(&self) -> bool {
        self.sanitized
    }

    /// How many branches it counts, if it was built to; 0 where it has none.
    pub fn counters(&self) -> Option<usize> {
        self.counters
    }

    /// Whether it is one of ours and runs without any file of the host: it then sees only what the engine's programs see.
    pub fn is_self_contained(&self) -> bool {
        self.self_contained
    }
}

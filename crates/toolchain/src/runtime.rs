//! The runtime folder that `cargo xtask setup` builds: the C library as bitcode, its headers, the replay library. This
//! only finds it and names its parts; nothing here writes to it.

use std::env;
use std::path::{Path, PathBuf};

use crate::ToolchainError;

/// The runtime folder and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    root: PathBuf,
}

impl Runtime {
    /// Finds the folder: `FORKWISE_RUNTIME`, `../lib/forkwise` next to the running program, the `runtime` folder of the
    /// target directory the program is in, and the one of the workspace it was built from.
    pub fn find() -> Result<Self, ToolchainError> {
        if let Some(root) = env::var_os("FORKWISE_RUNTIME").filter(|root| !root.is_empty()) {
            return Self::at(PathBuf::from(root));
        }
        let candidates = Self::candidates();
        match candidates.iter().find(|root| root.join(LIBC).is_file()) {
            Some(root) => Self::at(root.clone()),
            None => {
                let tried: Vec<String> = candidates.iter().map(|root| root.display().to_string()).collect();
                Err(ToolchainError::RuntimeNotFound { tried: tried.join(", ") })
            }
        }
    }

    /// The runtime folder at a known place; an error names the first thing that is missing in it.
    pub fn at(root: PathBuf) -> Result<Self, ToolchainError> {
        if !root.is_dir() {
            return Err(ToolchainError::RuntimeNotFound { tried: root.display().to_string() });
        }
        for missing in [
            LIBC,
            "include/stdio.h",
            "include/forkwise.h",
            "api/forkwise.h",
            "lib/libforkwise-replay.a",
            "native/libc.a",
            "native/libforkwise-native.a",
            "native/libforkwise-harness.a",
        ] {
            if !root.join(missing).is_file() {
                return Err(ToolchainError::RuntimeIncomplete { root, missing });
            }
        }
        Ok(Self { root })
    }

    fn candidates() -> Vec<PathBuf> {
        let mut candidates = Vec::new();
        if let Ok(program) = env::current_exe().and_then(|path| path.canonicalize()) {
            let folder = program.parent().unwrap_or(Path::new("/"));
            candidates.push(folder.join("../lib/forkwise"));
            // target/release/forkwise, target/debug/deps/test-…, target/x86_64-…/release/forkwise
            candidates.extend(folder.ancestors().skip(1).take(3).map(|above| above.join("runtime")));
        }
        // A checkout holds its sources in `runtime/`, which has no `lib`, so it is never mistaken for the built folder.
        candidates.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/runtime"));
        candidates
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The C library: an archive of bitcode members with a symbol table, the allocator left out.
    pub fn libc(&self) -> PathBuf {
        self.root.join(LIBC)
    }

    /// musl's headers with `forkwise.h` and `klee/klee.h`.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// `forkwise.h` and `klee/klee.h` alone, for compiling against the host's libc.
    pub fn api_include(&self) -> PathBuf {
        self.root.join("api")
    }

    /// The static replay library for programs built with the host's libc.
    pub fn replay_library(&self) -> PathBuf {
        self.root.join("lib/libforkwise-replay.a")
    }

    /// The object that makes programs built for gcov write their counts however they end.
    pub fn gcov_flush(&self) -> PathBuf {
        self.root.join("lib/gcov-flush.o")
    }

    /// The shared replay library under KLEE's name.
    pub fn klee_runtest(&self) -> PathBuf {
        self.root.join("lib/libkleeRuntest.so")
    }

    /// What native programs are linked from: the start file, the C library as objects made from its bitcode, what lies
    /// below it, the replay library.
    pub fn native(&self) -> PathBuf {
        self.root.join("native")
    }
}

const LIBC: &str = "lib/libc.bc.a";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_folder_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = Runtime::at(folder.path().to_path_buf()).unwrap_err();
        assert!(matches!(error, ToolchainError::RuntimeIncomplete { missing: LIBC, .. }), "{error}");
        let error = Runtime::at(folder.path().join("absent")).unwrap_err();
        assert!(matches!(error, ToolchainError::RuntimeNotFound { .. }), "{error}");
    }
}

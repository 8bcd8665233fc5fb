//! Everything that can go wrong with the compiler and the runtime folder, each with its cause, its place and what to do
//! about it. The texts are shown to users as they are; they must never lose what the compiler itself said.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Why a compiler or the runtime folder could not be found or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// No clang anywhere.
    #[error("no clang was found (looked for {tried}): install clang-19, or set FORKWISE_CLANG to a clang")]
    ClangNotFound {
        /// The names that were looked for.
        tried: String,
    },
    /// `FORKWISE_CLANG` or a clang on the PATH does not behave like one.
    #[error("{} cannot be used as clang: {reason}", path.display())]
    ClangUnusable {
        /// The program.
        path: PathBuf,
        /// What it did.
        reason: String,
    },
    /// A clang whose bitcode the engine cannot read.
    #[error(
        "{} is clang {major}; its bitcode cannot be read here, use clang {} to {} (FORKWISE_CLANG names one)",
        path.display(), crate::OLDEST_CLANG, crate::NEWEST_CLANG
    )]
    ClangUnsupported {
        /// The program.
        path: PathBuf,
        /// Its version.
        major: u32,
    },
    /// One of LLVM's programs is missing.
    #[error("the program {name} was not found: install the package {package}")]
    ToolNotFound {
        /// The program.
        name: String,
        /// The Debian package that has it.
        package: String,
    },
    /// There is no runtime folder.
    #[error(
        "the runtime folder (C library as bitcode, headers, replay library) was not found in {tried}: run `cargo xtask setup`, or set FORKWISE_RUNTIME to it"
    )]
    RuntimeNotFound {
        /// The places that were looked at.
        tried: String,
    },
    /// A runtime folder in which something is missing.
    #[error("the runtime folder {} has no {missing}: run `cargo xtask setup` again", root.display())]
    RuntimeIncomplete {
        /// The folder.
        root: PathBuf,
        /// The missing file, relative to the folder.
        missing: &'static str,
    },
    /// A call without anything to compile.
    #[error("there is nothing to compile")]
    NoInput,
    /// An input that does not exist or is not a file.
    #[error("{}: {reason}", path.display())]
    Input {
        /// The input.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An input whose kind is not known.
    #[error("{}: not a C source (.c, .i), LLVM bitcode (.bc) or LLVM assembly (.ll)", path.display())]
    UnknownKind {
        /// The input.
        path: PathBuf,
    },
    /// Options that exclude each other.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The compiler, or one of its companions, said no.
    #[error("{program} failed on {input} ({status})\n{}", diagnostics.trim_end())]
    Compiler {
        /// The program that failed.
        program: String,
        /// What it worked on.
        input: String,
        /// How it ended; a caller passes this status on.
        status: ExitStatus,
        /// What it wrote to standard error.
        diagnostics: String,
    },
    /// The whole-program bitcode could not be given its counters.
    #[error("cannot instrument the program: {0}")]
    Instrument(String),
    /// The operating system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
}

impl ToolchainError {
    /// The exit status of the compiler, if it was the compiler that failed.
    pub fn compiler_status(&self) -> Option<ExitStatus> {
        match self {
            Self::Compiler { status, .. } => Some(*status),
            _ => None,
        }
    }
}

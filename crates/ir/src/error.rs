//! What can go wrong while loading a program. Every message names the file and what LLVM said; a program that
//! loads but holds unsupported instructions is not an error here (see `Op::Unsupported`).

use std::path::PathBuf;

/// Why a program could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read at all.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is neither bitcode nor LLVM assembly.
    #[error("{path} is not LLVM bitcode or assembly: {what}")]
    NotBitcode {
        /// The file.
        path: PathBuf,
        /// What it is instead, and what to do.
        what: String,
    },
    /// LLVM refused to read the file.
    #[error("{path} is malformed: {message}")]
    Malformed {
        /// The file (for an archive with the member's name).
        path: PathBuf,
        /// LLVM's diagnostic.
        message: String,
    },
    /// The module is for another machine.
    #[error(
        "{path} was compiled for {target}; only x86_64 is supported (compile with --target=x86_64-linux-gnu)"
    )]
    WrongTarget {
        /// The file.
        path: PathBuf,
        /// Its target triple or data layout.
        target: String,
    },
    /// The module was compiled against the headers of another C library.
    #[error(
        "{path} was compiled against glibc's headers (it uses `{symbol}`); rebuild it with `forkwise cc`"
    )]
    ForeignLibrary {
        /// The file.
        path: PathBuf,
        /// The symbol that tells.
        symbol: String,
    },
    /// An archive could not be understood.
    #[error("{path} is a malformed archive: {message}")]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Two input files define the same symbol.
    #[error("symbol `{symbol}` is defined twice: in {first} and in {second}")]
    DuplicateSymbol {
        /// The symbol.
        symbol: String,
        /// File that defines it first.
        first: String,
        /// File that defines it again.
        second: String,
    },
    /// LLVM's linker refused.
    #[error("cannot link {what}: {message}")]
    Link {
        /// What was being linked.
        what: String,
        /// LLVM's diagnostic.
        message: String,
    },
    /// A pass failed.
    #[error("cannot run LLVM passes `{passes}`: {message}")]
    Passes {
        /// The pipeline.
        passes: String,
        /// LLVM's message.
        message: String,
    },
    /// Nothing to load.
    #[error("no input file given")]
    NoInput,
    /// The program is larger than the bytecode can number.
    #[error("the program is too large: {what}")]
    TooLarge {
        /// What overflowed.
        what: String,
    },
}

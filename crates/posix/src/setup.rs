//! What a program is started with: its arguments, environment, files and standard input, each concrete or symbolic.
//! Only a description; `start` makes states from it and `Linux` serves it. One value, shared by all paths.

use std::path::PathBuf;

/// One entry of the command line, as the user wrote it after the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// As it is.
    Concrete(Vec<u8>),
    /// One symbolic argument of at most this many bytes (`--sym-arg N`).
    Symbolic(u32),
    /// From `min` to `max` symbolic arguments of at most `size` bytes (`--sym-args MIN MAX N`).
    Range {
        /// Fewest.
        min: u32,
        /// Most.
        max: u32,
        /// Longest, in bytes.
        size: u32,
    },
}

/// An environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: VariableValue,
}

/// The value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableValue {
    /// As it is.
    Concrete(Vec<u8>),
    /// Symbolic, at most this many bytes (`--sym-env NAME N`).
    Symbolic(u32),
}

/// A file or folder of the host that the program may read (`--mount HOST:GUEST[:ro]`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it is on the host.
    pub host: PathBuf,
    /// Where the program sees it: an absolute path.
    pub guest: String,
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// argv[0].
    pub program: Vec<u8>,
    /// The arguments after it.
    pub args: Vec<Argument>,
    /// The environment.
    pub env: Vec<Variable>,
    /// Symbolic files `A`, `B`, … in the working directory: how many and how long (`--sym-files NUM N`).
    pub sym_files: Option<(u32, u32)>,
    /// Length of symbolic standard input (`--sym-stdin N`); without it standard input is empty.
    pub sym_stdin: Option<u32>,
    /// Concrete standard input, for replaying a test in the engine; `sym_stdin` must be `None`.
    pub stdin: Option<Vec<u8>>,
    /// Concrete files of the working directory: name and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// `--sym-stdout`: what is written to standard output becomes part of the test.
    pub sym_stdout: bool,
    /// `--max-fail N`: up to so many system calls of a path fail although they need not.
    pub max_fail: u32,
    /// Host files the program may read.
    pub mounts: Vec<Mount>,
    /// Prefer printable characters in tests (`--readable-posix-inputs`).
    pub readable: bool,
}

//! The options of `forkwise run`, each declared once. Nothing is decided here; read `session` for what they do.

use super::surroundings;
use super::tunable::Tunable;
use crate::memory_size;
use clap::{Args, ValueEnum, ValueHint};
use forkwise_posix::Mount;
use forkwise_toolchain::OptLevel;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Which C library the program is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Libc {
    /// None: what the program does not define is unsupported where it is called.
    None,
    /// musl, as bitcode, linked by need.
    Musl,
}

/// How a program is explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// All paths at once: a search heuristic chooses among states.
    #[default]
    #[value(alias = "egt")]
    Explore,
    /// One path after the other: a heuristic chooses the branch to negate.
    Concolic,
}

impl Mode {
    /// The name on the command line and in machine output.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Explore => "explore",
            Mode::Concolic => "concolic",
        }
    }
}

/// Explore a program: one test per path, one folder per distinct bug.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    /// The program (C source, LLVM bitcode or assembly, or what `forkwise cc` built) and its arguments; everything after
    /// the program belongs to it
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, value_hint = ValueHint::CommandWithArguments)]
    pub(super) words: Vec<OsString>,

    /// Standard input of the program holds what this file holds
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Program")]
    pub stdin: Option<PathBuf>,

    /// A file of the program's working directory, and where its contents are (may be repeated)
    #[arg(long = "file", value_name = "NAME=FILE", value_parser = surroundings::pair, help_heading = "Program")]
    pub with_file: Vec<(String, String)>,

    /// A variable of the program's environment (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = surroundings::pair, help_heading = "Program")]
    pub env: Vec<(String, String)>,

    /// Let the program see a file or folder of this machine; what it changes there is seen by its own path only, with
    /// :ro it can change nothing (may be repeated)
    #[arg(long, value_name = "HOST:GUEST[:ro]", value_parser = Mount::parse, help_heading = "Program")]
    pub mount: Vec<Mount>,

    /// Take options and arguments that are not given here from a file that `forkwise tune --save` wrote
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Program")]
    pub config: Option<PathBuf>,

    /// Run the program on what is given alone: nothing is made symbolic by default
    #[arg(long, help_heading = "Program")]
    pub concrete: bool,

    /// Follow the paths of these tests first: a test in any format that `import` reads, or a folder (may be repeated)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Seeds")]
    pub seed_tests: Vec<PathBuf>,

    /// Follow the path of this command line first, such as 'grep -E a*b A' (may be repeated)
    #[arg(long, value_name = "LINE", help_heading = "Seeds")]
    pub seed_args: Vec<String>,

    /// Contents of a symbolic file in seeds that do not have it (may be repeated)
    #[arg(long, value_name = "NAME=FILE", value_parser = surroundings::pair, help_heading = "Seeds")]
    pub seed_file: Vec<(String, String)>,

    /// Standard input of seeds that do not have it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Seeds")]
    pub seed_stdin: Option<PathBuf>,

    /// Cut seeds that are longer than what is declared instead of refusing them
    #[arg(long, help_heading = "Seeds")]
    pub seed_cut: bool,

    /// Leave out seeds that do not fit what is declared instead of refusing them
    #[arg(long, help_heading = "Seeds")]
    pub seed_skip: bool,

    /// Link another source or bitcode file (may be repeated)
    #[arg(long = "with", value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Program")]
    pub with: Vec<PathBuf>,

    /// Function to begin with
    #[arg(long, value_name = "NAME", help_heading = "Program")]
    pub entry: Option<String>,

    /// Largest input of a LLVMFuzzerTestOneInput target, in bytes
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Program")]
    pub fuzz_size: u32,

    /// What forkwise_size() returns
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Program")]
    pub size: u64,

    /// C library to link with
    #[arg(long, value_name = "LIBC", value_enum, default_value_t = Libc::Musl, help_heading = "Program")]
    pub libc: Libc,

    /// Optimisation level for C sources: 0, 1, 2 or 3
    #[arg(long, value_name = "N", default_value = "0", value_parser = opt_level, help_heading = "Program")]
    pub opt_level: OptLevel,

    /// Define a macro for C sources: NAME or NAME=VALUE
    #[arg(short = 'D', long = "define", value_name = "MACRO", help_heading = "Program")]
    pub define: Vec<String>,

    /// Add a folder with headers for C sources
    #[arg(short = 'I', long = "include", value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Program")]
    pub include: Vec<PathBuf>,

    /// Pass a flag to the compiler
    #[arg(
        hide_short_help = true,
        long = "cflag",
        value_name = "FLAG",
        allow_hyphen_values = true,
        help_heading = "Program"
    )]
    pub cflag: Vec<OsString>,

    /// Compile UBSan's checks into C sources and report what they find
    #[arg(long, help_heading = "Checks")]
    pub ubsan: bool,

    /// Report shifts by the width of the type or more
    #[arg(long, help_heading = "Checks")]
    pub check_overshift: bool,

    /// Report heap objects that nothing points to when the program ends
    #[arg(long, help_heading = "Checks")]
    pub check_leaks: bool,

    /// Ask the SMT solver program about every query, too, and report disagreements (slow)
    #[arg(long, help_heading = "Checks")]
    pub check_solver: bool,

    /// How to explore: all paths at once, or one path after the other by negating branches
    #[arg(long, value_name = "MODE", value_enum, default_value_t, help_heading = "Search")]
    pub mode: Mode,

    /// Search heuristic, or param:FILE or learned:FILE with weights of features; several, repeated or separated by commas,
    /// take turns [default: frontier, for concolic testing gen]
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub search: Vec<String>,

    /// Concolic testing: stop after this many executions
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub executions: Option<u64>,

    /// Concolic testing: begin with this test instead of a random input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Search")]
    pub input: Option<PathBuf>,

    /// Concolic testing: run every path from main instead of resuming at the negated branch
    #[arg(long, help_heading = "Search")]
    pub no_snapshots: bool,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,

    /// Keep a chosen state for this many instructions, over its forks
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub batch_instructions: Option<u64>,

    /// Let a path rest after this many instructions, until all others have had as many; then slices double
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub slice_instructions: Option<u64>,

    /// Stop after this time (30s, 5m, 1h)
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true, help_heading = "Limits")]
    pub time: Option<Duration>,

    /// Stop after this many instructions over all paths
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_instructions: Option<u64>,

    /// Stop forking after this many forks
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_forks: Option<u64>,

    /// Stop forking on paths with this many forks
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u32>,

    /// Stop after this many tests
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_tests: Option<u64>,

    /// Drop states above this much memory: megabytes, or with K, M, G [default: 3/4 of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = memory_size::parse, help_heading = "Limits")]
    pub max_memory: Option<u64>,

    /// Report a path as hanging after this many instructions (0: never)
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub max_path_instructions: u64,

    /// Report a stack deeper than this
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_stack_frames: Option<u32>,

    /// Values to try for one symbolic size, pointer or jump target
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_values: Option<u32>,

    #[command(flatten)]
    pub tunable: Tunable,

    /// Time for one query to the solver
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s", help_heading = "Limits")]
    pub solver_timeout: Duration,

    /// Folder for the results; must not exist [default: forkwise-out-N]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Results")]
    pub output: Option<PathBuf>,

    /// Write no tests; bugs still have theirs in their folders
    #[arg(long, help_heading = "Results")]
    pub no_tests: bool,

    /// Write every test; otherwise, beyond 10000, only those that cover new code or show a new bug
    #[arg(long, conflicts_with = "no_tests", help_heading = "Results")]
    pub all_tests: bool,

    /// Write only tests that take a branch which no earlier one took, or show a new bug
    #[arg(long, conflicts_with_all = ["no_tests", "all_tests"], help_heading = "Results")]
    pub new_tests: bool,

    /// Do not run the program natively to confirm what was found
    #[arg(long, help_heading = "Results")]
    pub no_replay: bool,

    /// Run every test natively, however many there are
    #[arg(long, conflicts_with = "no_replay", help_heading = "Results")]
    pub replay_all: bool,

    /// For continuous integration: stop at the first bug, or after 5 minutes unless --time says otherwise; on GitHub, show bugs
    /// beside the code
    #[arg(long, help_heading = "Results")]
    pub ci: bool,

    /// Stop at the first bug of the program
    #[arg(long, help_heading = "Limits")]
    pub first_bug: bool,

    /// Exit with 3 when the exploration was not complete
    #[arg(long, help_heading = "Results")]
    pub strict: bool,

    /// Print one JSON object at the end
    #[arg(long, help_heading = "Results")]
    pub json: bool,

    /// Print nothing but errors (and the JSON object)
    #[arg(short, long, help_heading = "Results")]
    pub quiet: bool,

    /// Append every solver query to a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Results")]
    pub log_queries: Option<PathBuf>,
}

impl RunArgs {
    /// The program.
    pub fn file(&self) -> PathBuf {
        self.words.first().map(PathBuf::from).unwrap_or_default()
    }

    /// Words after the program that look like options of ours; they went to the program.
    pub fn misplaced(&self) -> Vec<&str> {
        let ours = RunArgs::augment_args(clap::Command::new("run"));
        let known = |word: &str| {
            let name = word.trim_start_matches("--").split('=').next().unwrap_or_default();
            word.starts_with("--") && ours.get_arguments().any(|a| a.get_long() == Some(name))
        };
        self.args().iter().filter_map(|a| a.to_str()).filter(|w| known(w)).collect()
    }

    /// Its arguments.
    pub fn args(&self) -> &[OsString] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// A length of time.
pub fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|e| format!("{e}; write it like 30s, 5m or 1h30m"))
}

fn opt_level(text: &str) -> Result<OptLevel, String> {
    OptLevel::from_str(text)
}

//! The command line of the public tool, and four options of ours. Where two versions of that tool name an option
//! differently, both names are taken.

use clap::{ArgAction, Args, ValueHint};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

/// The public tool's command line: tune KLEE, or this engine in its place.
#[derive(Args, Clone, Debug)]
#[command(disable_version_flag = true)]
pub struct SymtunerArgs {
    /// Path to a klee executable [default: this program]
    #[arg(long, value_name = "KLEE", value_hint = ValueHint::ExecutablePath)]
    pub klee: Option<PathBuf>,

    /// Accepted: tests are replayed by this program
    #[arg(long, value_name = "KLEE_REPLAY")]
    pub klee_replay: Option<PathBuf>,

    /// Path to the gcov executable
    #[arg(long, value_name = "GCOV", value_hint = ValueHint::ExecutablePath)]
    pub gcov: Option<PathBuf>,

    /// Time budget in seconds
    #[arg(short = 't', long = "budget", visible_alias = "time", value_name = "INT", default_value = "3600")]
    pub budget: NonZeroU64,

    /// Share of the budget that the first iterations get
    #[arg(long, value_name = "FLOAT", default_value_t = 0.005)]
    pub minimum_time_portion: f64,

    /// Least time of an iteration in seconds
    #[arg(long, value_name = "INT", default_value_t = 30)]
    pub minimum_time_budget: u64,

    /// Iterations before the time of an iteration grows
    #[arg(long, alias = "round", value_name = "INT", default_value = "20")]
    pub step: NonZeroUsize,

    /// What the time of an iteration is multiplied by
    #[arg(long, value_name = "FLOAT", default_value_t = 2.0)]
    pub increase_ratio: f64,

    /// File that defines the parameter spaces [default: those of the paper]
    #[arg(short = 's', long = "search-space", value_name = "JSON", value_hint = ValueHint::FilePath)]
    pub search_space: Option<PathBuf>,

    /// The probability of exploitation
    #[arg(long, value_name = "FLOAT", default_value_t = 0.7)]
    pub exploit_portion: f64,

    /// Tests in the space of seeds
    #[arg(long, value_name = "INT", default_value_t = 20)]
    pub k_seeds: usize,

    /// Iterations that only explore, at the beginning
    #[arg(long, alias = "warmup-rounds", value_name = "INT", default_value_t = 20)]
    pub exploration_steps: usize,

    /// Directory for generated files
    #[arg(short = 'd', long, value_name = "OUTPUT_DIR", default_value = "symtuner-out", value_hint = ValueHint::DirPath)]
    pub output_dir: PathBuf,

    /// Write an example of a space file, example-space.json
    #[arg(long)]
    pub generate_search_space_json: bool,

    /// Log what is run
    #[arg(long, action = ArgAction::SetTrue)]
    pub debug: bool,

    /// How many folders above the gcov object source files count from
    #[arg(long, value_name = "INT", default_value_t = 1)]
    pub gcov_depth: usize,

    /// Iterations at the same time; they share what is learnt
    #[arg(long, value_name = "INT", default_value = "1")]
    pub jobs: NonZeroUsize,

    /// Seed of everything random
    #[arg(long, value_name = "INT", default_value_t = 0)]
    pub seed: u64,

    /// Seconds beyond its time after which an iteration is killed
    #[arg(long, value_name = "INT", default_value_t = 60)]
    pub grace: u64,

    /// LLVM bitcode file for klee
    #[arg(value_name = "llvm_bc", value_hint = ValueHint::FilePath)]
    pub llvm_bc: Option<PathBuf>,

    /// Executable with gcov support, or built by `forkwise cc`
    #[arg(value_name = "gcov_obj", value_hint = ValueHint::FilePath)]
    pub gcov_obj: Option<PathBuf>,
}

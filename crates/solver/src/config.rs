//! How the chain is built: a value that is passed, never a global. Every layer can be switched off.

use std::path::PathBuf;
use std::time::Duration;

/// Which SAT solver decides bit-blasted queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SatEngine {
    /// Our incremental solver for ordinary queries; CaDiCaL takes over a query that proves hard.
    #[default]
    Auto,
    /// Our incremental solver alone.
    Own,
    /// CaDiCaL alone, a fresh instance per query.
    Cadical,
}

/// How the chain is built. Every layer can be switched off, for measurements and for tuning.
#[derive(Clone, Debug)]
pub struct Config {
    /// Limit of one query; holds within 1.5 times.
    pub timeout: Option<Duration>,
    /// Split queries into independent groups.
    pub independence: bool,
    /// Exact and subset/superset caches.
    pub cache: bool,
    /// Try recent models (and the caller's hint) before solving.
    pub model_reuse: bool,
    /// Structural ranges, known bits and byte domains before solving.
    pub ranges: bool,
    /// The SAT solver below the bit-blaster.
    pub sat: SatEngine,
    /// The SMT-LIB program and its arguments (`z3 -in`); `None`: not available.
    pub smt: Option<Vec<String>>,
    /// Ask the SMT-LIB program alone, nothing else (a baseline).
    pub smt_only: bool,
    /// Answer every query twice, by the chain and by the SMT-LIB program, and report disagreements.
    pub cross_check: bool,
    /// Append every query to this file in the format of [`crate::trace`], for `bench`.
    pub log: Option<PathBuf>,
}

impl Default for Config {
    /// All layers, no time limit, `z3 -in` if a program of that name is in the search path. The program is started
    /// only when a query needs it.
    fn default() -> Config {
        Config {
            timeout: None,
            independence: true,
            cache: true,
            model_reuse: true,
            ranges: true,
            sat: SatEngine::Auto,
            smt: find_z3(),
            smt_only: false,
            cross_check: false,
            log: None,
        }
    }
}

/// `z3 -in` when the search path has an executable of that name.
fn find_z3() -> Option<Vec<String>> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).any(|dir| dir.join("z3").is_file());
    found.then(|| vec!["z3".to_string(), "-in".to_string()])
}

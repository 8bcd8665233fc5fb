//! Options of `run` that change how the engine works and never what it may find: what a tuner turns. Beside them, many of
//! `options` are tunable, too; `params` lists all of them with the values that are worth trying.

use super::options::duration;
use anyhow::bail;
use clap::{ArgAction, Args, ValueEnum};
use forkwise_solver::SatEngine;
use forkwise_vm::{ShareLimits, Unmodelled};
use std::time::Duration;

/// Who decides queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverChoice {
    /// The built-in solver; a hard query goes to CaDiCaL.
    Auto,
    /// The built-in solver alone.
    Own,
    /// CaDiCaL alone.
    Cadical,
    /// Another process (z3): whatever it does, the engine lives on.
    Process,
}

/// How symbolic switches fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SwitchType {
    /// All targets at once.
    Multiway,
    /// One target against all others, again and again.
    Chain,
}

/// What system calls do that are not modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnmodelledCalls {
    /// They fail with ENOSYS.
    Fail,
    /// They return 0.
    Succeed,
    /// They end the path.
    Stop,
}

/// See the module text.
#[derive(Args, Clone, Debug)]
pub struct Tunable {
    /// Optimise the program before running it (branches are then those of the optimised program)
    #[arg(long, value_name = "on|off", value_parser = on_off, action = ArgAction::Set, default_value = "off", help_heading = "Engine")]
    pub optimize: bool,

    /// Make an index concrete that may select among more elements than this
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub max_array_size: Option<u64>,

    /// Make the index of a write concrete that may reach more elements than this
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub max_symbolic_store: Option<u64>,

    /// Ask the solver how far a symbolic index goes before making a table for it
    #[arg(long, value_name = "on|off", value_parser = on_off, action = ArgAction::Set, default_value = "on", help_heading = "Engine")]
    pub simplify_indices: bool,

    /// How symbolic switches fork
    #[arg(long, value_name = "TYPE", value_enum, default_value_t = SwitchType::Multiway, help_heading = "Engine")]
    pub switch_type: SwitchType,

    /// The solver's time for one operation, after which its path is left unfinished
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Engine")]
    pub max_instruction_time: Option<Duration>,

    /// What system calls do that are not modelled
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = UnmodelledCalls::Fail, help_heading = "Engine")]
    pub unmodelled_calls: UnmodelledCalls,

    /// Leave the other sides of branches unsolved until they are chosen [default: as the search likes it]
    #[arg(long, value_name = "on|off", value_parser = on_off, help_heading = "Engine")]
    pub lazy_siblings: Option<bool>,

    /// Who decides queries
    #[arg(long, value_name = "WHO", value_enum, default_value_t = SolverChoice::Auto, help_heading = "Engine")]
    pub solver: SolverChoice,

    /// Remember queries and their answers, and try earlier answers on new queries
    #[arg(long, value_name = "on|off", value_parser = on_off, action = ArgAction::Set, default_value = "on", help_heading = "Engine")]
    pub solver_cache: bool,

    /// Decide what ranges and known bits can decide before solving
    #[arg(long, value_name = "on|off", value_parser = on_off, action = ArgAction::Set, default_value = "on", help_heading = "Engine")]
    pub solver_ranges: bool,

    /// Stop forking a little before the memory limit, so that fewer states are dropped
    #[arg(long, value_name = "on|off", value_parser = on_off, action = ArgAction::Set, default_value = "off", help_heading = "Engine")]
    pub memory_inhibit: bool,

    /// A branch stops forking above this share of all forks (1: never)
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1", help_heading = "Engine")]
    pub max_fork_share: f64,

    /// The same for its share of the solving time
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1", help_heading = "Engine")]
    pub max_solve_share: f64,

    /// The same for the forks of the calls that lead to it
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1", help_heading = "Engine")]
    pub max_call_fork_share: f64,

    /// The same for the solving time of the calls that lead to it
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "1", help_heading = "Engine")]
    pub max_call_solve_share: f64,

    /// When limits on shares begin to hold
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s", help_heading = "Engine")]
    pub share_delay: Duration,
}

impl Tunable {
    /// What cannot be done on this machine, before anything is loaded.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.solver == SolverChoice::Process && forkwise_solver::Config::default().smt.is_none() {
            bail!(
                "--solver process needs the program z3, which is not in the search path; install it or leave the option out"
            );
        }
        Ok(())
    }

    /// The machine's part.
    pub fn set_machine(&self, vm: &mut forkwise_vm::Config) {
        vm.max_table = self.max_array_size.unwrap_or(vm.max_table).max(1);
        vm.max_symbolic_store = self.max_symbolic_store.unwrap_or(vm.max_symbolic_store).max(1);
        vm.simplify_indices = self.simplify_indices;
        vm.switch_chain = self.switch_type == SwitchType::Chain;
        vm.max_operation_time = self.max_instruction_time;
        vm.unmodelled = match self.unmodelled_calls {
            UnmodelledCalls::Fail => Unmodelled::Fail,
            UnmodelledCalls::Succeed => Unmodelled::Succeed,
            UnmodelledCalls::Stop => Unmodelled::Stop,
        };
        let limits = ShareLimits {
            place_forks: self.max_fork_share,
            place_solving: self.max_solve_share,
            call_path_forks: self.max_call_fork_share,
            call_path_solving: self.max_call_solve_share,
            delay: self.share_delay,
        };
        vm.shares = (!limits.are_off()).then_some(limits);
    }

    /// The solver's part.
    pub fn set_solver(&self, solver: &mut forkwise_solver::Config) {
        solver.cache = self.solver_cache;
        solver.model_reuse = self.solver_cache;
        solver.ranges = self.solver_ranges;
        solver.sat = match self.solver {
            SolverChoice::Auto | SolverChoice::Process => SatEngine::Auto,
            SolverChoice::Own => SatEngine::Own,
            SolverChoice::Cadical => SatEngine::Cadical,
        };
        solver.smt_only = self.solver == SolverChoice::Process;
    }
}

/// `on` or `off`.
pub fn on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err("write on or off".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| "write a share between 0 and 1, such as 0.25".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_shares() {
        assert_eq!((on_off("on"), on_off("false")), (Ok(true), Ok(false)));
        assert!(on_off("perhaps").is_err() && share("2").is_err() && share("NaN").is_err());
        assert_eq!(share("0.25"), Ok(0.25));
    }
}

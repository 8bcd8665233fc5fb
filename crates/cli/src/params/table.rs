//! The engine's tunable parameters, each once: a new option of `run` becomes tunable by a line here. `--search` and the
//! seeds are filled in by `super`, because their values come from elsewhere.

use super::Modes::{Both, Explore};
use super::Place::{Argument, Option};
use super::{Modes, Param, Place, Type};

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Type,
    pub(super) place: Place,
    pub(super) modes: Modes,
    pub(super) default: &'static str,
    pub(super) values: &'static [&'static str],
    pub(super) max: usize,
    /// What a careful person would choose: the setting of KLEE's authors for coreutils, as far as it has a counterpart.
    pub(super) hand: &'static str,
    pub(super) help: &'static str,
}

const SIZES: &[&str] = &["4", "8", "12", "16", "20"];
const SHARES: &[&str] = &["0.02", "0.05", "0.25", "0.5", "1"];
const ON_OFF: &[&str] = &["on", "off"];

macro_rules! rows {
    ($( $name:literal $kind:ident $place:ident $modes:ident $default:literal $values:expr, $max:literal, $hand:literal, $help:literal; )*) => {
        pub(super) const ROWS: &[Row] = &[ $( Row {
            name: $name, kind: Type::$kind, place: $place, modes: $modes, default: $default, values: $values,
            max: $max, hand: $hand, help: $help,
        }, )* ];
    };
}

rows! {
    "--sym-arg" Integer Argument Both "" &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], 5, "", "symbolic arguments, by their lengths";
    "--sym-args 0 3" Integer Argument Both "" &["2", "4", "8", "12"], 1, "", "up to three symbolic arguments of at most this length";
    "--sym-files 1" Integer Argument Both "" SIZES, 1, "8", "size of the symbolic file A";
    "--sym-stdin" Integer Argument Both "" SIZES, 1, "8", "size of symbolic standard input";
    "--sym-stdout" Switch Argument Both "off" ON_OFF, 1, "on", "standard output as in KLEE's model (here it is always part of the test)";
    "--max-fail" Integer Argument Both "" &["", "1"], 1, "", "system calls on a path that fail although they need not";
    "--max-memory" Size Option Both "" &["500", "1000", "1500", "2000", "2500"], 1, "1000", "megabytes above which states are dropped";
    "--memory-inhibit" Switch Option Explore "off" ON_OFF, 1, "off", "stop forking near the memory limit";
    "--batch-instructions" Integer Option Explore "" &["", "6000", "8000", "10000", "12000", "14000"], 1, "10000", "instructions for which a chosen state is kept";
    "--slice-instructions" Integer Option Explore "" &["", "20000", "100000", "1000000"], 1, "", "instructions after which a path rests";
    "--lazy-siblings" Switch Option Explore "" ON_OFF, 1, "", "leave other sides of branches unsolved until they are chosen";
    "--max-instruction-time" Time Option Both "" &["1s", "2s", "5s", "10s", "30s"], 1, "30s", "the solver's time for one operation";
    "--solver-timeout" Time Option Both "10s" &["200ms", "1s", "3s", "10s"], 1, "", "time for one query";
    "--max-array-size" Integer Option Both "65536" &["256", "1024", "4096", "65536"], 1, "4096", "elements a symbolic index may select among";
    "--max-symbolic-store" Integer Option Both "512" &["1", "64", "512", "4096"], 1, "", "elements a symbolic write may reach";
    "--max-values" Integer Option Both "64" &["1", "4", "16", "64", "256"], 1, "", "values to try for one symbolic size, pointer or jump";
    "--max-fork-share" Share Option Explore "1" SHARES, 1, "1", "share of all forks that one branch may have";
    "--max-solve-share" Share Option Explore "1" SHARES, 1, "1", "share of the solving time that one branch may have";
    "--max-call-fork-share" Share Option Explore "1" SHARES, 1, "1", "share of all forks below one chain of calls";
    "--switch-type" Choice Option Explore "multiway" &["multiway", "chain"], 1, "multiway", "how symbolic switches fork";
    "--unmodelled-calls" Choice Option Both "fail" &["fail", "succeed", "stop"], 1, "fail", "what system calls do that are not modelled";
    "--simplify-indices" Switch Option Both "on" ON_OFF, 1, "on", "ask how far a symbolic index goes before making a table";
    "--solver" Choice Option Both "auto" &["auto", "own", "cadical", "process"], 1, "auto", "who decides queries; `process` is isolated from the engine";
    "--solver-cache" Switch Option Both "on" ON_OFF, 1, "on", "remember queries and answers";
    "--solver-ranges" Switch Option Both "on" ON_OFF, 1, "on", "decide by ranges before solving";
    "--optimize" Switch Option Both "off" ON_OFF, 1, "on", "optimise the program before running it";
}

impl Row {
    pub(super) fn param(&self) -> Param {
        Param {
            name: self.name.to_string(),
            kind: self.kind,
            place: self.place,
            modes: self.modes,
            default: self.default.to_string(),
            values: self.values.iter().map(|v| v.to_string()).collect(),
            max: self.max,
            help: self.help.to_string(),
        }
    }
}

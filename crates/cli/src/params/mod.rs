//! `forkwise params`: the parameters that can be tuned, as the engine publishes them. The tuner's default space is made
//! from this list, so that a new option is tuned without touching the tuner (`table`).

mod table;

use crate::app::CLEAN;
use crate::console;
use crate::run::options::Mode;
use clap::Args;
use forkwise_tune::words::declares_input;
use forkwise_tune::{Parameter, Space, SpaceFile, Value, Vector};
use serde::Serialize;
use std::fmt::Write as _;
use table::ROWS;

/// The parameter whose values are tests.
pub const SEEDS: &str = "--seed-tests";
/// The parameter that names the search.
pub const SEARCH: &str = "--search";
/// Searches that take turns in KLEE's default.
const KLEE_SEARCH: &str = "random-path,nurs:covnew";

/// What the values of a parameter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// One of some words.
    Choice,
    /// `on` or `off`.
    Switch,
    /// A whole number.
    Integer,
    /// A share between 0 and 1.
    Share,
    /// A length of time.
    Time,
    /// An amount of memory.
    Size,
    /// A test that was found before.
    Test,
}

/// Where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Before the program: an option of `run`.
    Option,
    /// Behind the program: it declares an input.
    Argument,
}

/// In which modes it means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Modes {
    /// Both.
    Both,
    /// `--mode explore`.
    Explore,
    /// `--mode concolic`.
    Concolic,
}

impl Modes {
    fn has(self, mode: Mode) -> bool {
        match self {
            Modes::Both => true,
            Modes::Explore => mode == Mode::Explore,
            Modes::Concolic => mode == Mode::Concolic,
        }
    }
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Param {
    /// The option, with what it has after a blank.
    pub name: String,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: Type,
    /// Where it is written.
    pub place: Place,
    /// In which modes.
    pub modes: Modes,
    /// What it is if it is left out; empty: there is no such value.
    pub default: String,
    /// Values to try; an empty one leaves it out.
    pub values: Vec<String>,
    /// The most values one run may have.
    pub max: usize,
    /// In one line.
    pub help: String,
}

/// All parameters.
pub fn all() -> Vec<Param> {
    let search = |modes, default: &str, values: Vec<String>| Param {
        name: SEARCH.into(),
        kind: Type::Choice,
        place: Place::Option,
        modes,
        default: default.into(),
        values,
        max: 1,
        help: "who chooses what runs next; learned:FILE is a value, too".into(),
    };
    let mut states: Vec<String> = forkwise_explore::Strategy::names().map(str::to_string).collect();
    states.push(KLEE_SEARCH.into());
    let branches = forkwise_concolic::Kind::names().filter(|n| *n != "pure-random").map(str::to_string);
    let mut out = vec![
        search(Modes::Explore, "frontier", states),
        search(Modes::Concolic, "gen", branches.collect()),
        Param {
            name: "--executions".into(),
            kind: Type::Integer,
            place: Place::Option,
            modes: Modes::Concolic,
            default: String::new(),
            values: ["3000", "3500", "4000", "4500", "5000"].map(String::from).to_vec(),
            max: 1,
            help: "executions of the program in one run".into(),
        },
        Param {
            name: SEEDS.into(),
            kind: Type::Test,
            place: Place::Option,
            modes: Modes::Both,
            default: String::new(),
            values: Vec::new(),
            max: 1,
            help: "a test to begin with: the best ones so far".into(),
        },
    ];
    out.extend(ROWS.iter().map(|row| row.param()));
    out
}

/// What the tuner tunes if nobody says otherwise. Without `inputs` the program's arguments stay as they were given;
/// without `optimize` branches keep their numbers.
pub fn space(mode: Mode, inputs: bool, optimize: bool) -> Space {
    let isolated = forkwise_solver::Config::default().smt.is_some();
    let wanted = |p: &Param| {
        p.modes.has(mode) && (inputs || p.place == Place::Option) && (optimize || p.name != "--optimize")
    };
    let parameters = all().into_iter().filter(wanted).map(|p| Parameter {
        values: p.values.into_iter().filter(|v| v != "process" || isolated).map(Some).collect(),
        name: p.name,
        max: p.max,
    });
    Space { parameters: parameters.collect() }
}

/// What `auto` begins with: the inputs of a program for which nobody named any, and the engine's own defaults.
pub fn beginning(space: &Space) -> Vector {
    let inputs = [("--sym-args 0 3", "4"), ("--sym-files 1", "8"), ("--sym-stdin", "8")];
    let of = |p: &Parameter| {
        let input = inputs.iter().find(|(name, _)| *name == p.name).map(|(_, value)| Some(value.to_string()));
        input.into_iter().collect()
    };
    Vector(space.parameters.iter().map(of).collect())
}

/// Lets every option be left out, and arguments of fixed lengths, but no other input: a program without any does little.
pub fn optional(space: &mut Space) {
    let may = |p: &Parameter| !declares_input(&p.name) || p.name == "--sym-arg";
    for p in space.parameters.iter_mut().filter(|p| !p.values.is_empty() && may(p)) {
        if !p.values.contains(&Some(String::new())) {
            p.values.insert(0, Some(String::new()));
        }
    }
}

/// The setting of KLEE's authors, with our counterparts.
pub fn by_hand(mode: Mode, inputs: bool, optimize: bool) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    if mode == Mode::Explore {
        out.push((SEARCH.into(), Some(KLEE_SEARCH.into())));
    }
    if inputs {
        out.push(("--sym-args 0 1".into(), Some("10".into())));
        out.push(("--sym-args 0 2".into(), Some("2".into())));
    }
    for row in ROWS.iter().filter(|r| !r.hand.is_empty() && r.modes.has(mode)) {
        if (inputs || row.place == Place::Option) && (optimize || row.name != "--optimize") {
            out.push((row.name.into(), Some(row.hand.into())));
        }
    }
    out
}

/// Print the parameters that can be tuned.
#[derive(Args, Clone, Debug)]
pub struct ParamsArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Print the tuner's default space as a space file
    #[arg(long, conflicts_with = "json")]
    space: bool,
}

/// The verb.
pub fn main(args: &ParamsArgs) -> anyhow::Result<u8> {
    let all = all();
    let text = if args.json {
        format!("{:#}\n", serde_json::json!({ "parameters": all }))
    } else if args.space {
        SpaceFile { space: space(Mode::Explore, true, true), defaults: Vec::new() }.to_json()
    } else {
        let mut text = String::new();
        for p in &all {
            let only = match p.modes {
                Modes::Both => "",
                Modes::Explore => " (explore)",
                Modes::Concolic => " (concolic)",
            };
            let default = if p.default.is_empty() { "-" } else { &p.default };
            let values: Vec<&str> = p.values.iter().map(|v| if v.is_empty() { "-" } else { v }).collect();
            let _ = writeln!(text, "{}{only}: {}", p.name, p.help);
            let _ =
                writeln!(text, "    default {default}; tuned over {} (at most {})", values.join(" "), p.max);
        }
        text
    };
    console::out(text)?;
    Ok(CLEAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::options::RunArgs;
    use clap::{Command, FromArgMatches};
    use forkwise_posix::Setup;
    use forkwise_tune::words::words;
    use std::ffi::OsString;

    /// Every value of every parameter is one that `run` reads, alone and with a mode.
    #[test]
    fn run_accepts_every_entry() {
        for p in all() {
            let mode = if p.modes == Modes::Concolic { "concolic" } else { "explore" };
            let values = p.values.iter().cloned().chain((!p.default.is_empty()).then(|| p.default.clone()));
            for value in values {
                let value = Some(value);
                let words = words([(p.name.as_str(), &value)]);
                let nothing = matches!(value.as_deref(), Some("" | "off"));
                assert_eq!(words.behind.is_empty(), p.place == Place::Option || nothing);
                let mut line = vec![format!("--mode={mode}")];
                line.extend(words.before);
                line.push("p.c".into());
                line.extend(words.behind.clone());
                let command = RunArgs::augment_args(Command::new("run").no_binary_name(true));
                let matches = command.try_get_matches_from(&line).unwrap_or_else(|e| panic!("{line:?}: {e}"));
                let args = RunArgs::from_arg_matches(&matches).expect("the same");
                assert!(args.misplaced().is_empty(), "{line:?}");
                crate::run::plan::Plan::new(&args).unwrap_or_else(|e| panic!("{line:?}: {e:#}"));
                let behind: Vec<OsString> = words.behind.iter().map(OsString::from).collect();
                Setup::parse(&behind).unwrap_or_else(|e| panic!("{line:?}: {e}"));
            }
        }
    }

    #[test]
    fn every_idea_of_the_paper_is_there() {
        let names: Vec<String> = all().into_iter().map(|p| p.name).collect();
        for name in [
            "--search",
            "--sym-arg",
            "--sym-files 1",
            "--sym-stdin",
            "--max-memory",
            "--batch-instructions",
            "--max-instruction-time",
            "--max-array-size",
            "--max-fork-share",
            "--max-solve-share",
            "--max-call-fork-share",
            "--switch-type",
            "--seed-tests",
            "--unmodelled-calls",
            "--simplify-indices",
            "--solver",
            "--solver-cache",
            "--memory-inhibit",
            "--optimize",
            "--sym-stdout",
        ] {
            assert!(names.iter().any(|n| n == name), "{name}");
        }
    }

    #[test]
    fn defaults_and_hand_settings_are_values_of_the_table() {
        for p in all().iter().filter(|p| !p.default.is_empty()) {
            assert!(p.values.contains(&p.default), "{} may be {}", p.name, p.default);
        }
        let space = space(Mode::Explore, true, true);
        for (name, value) in by_hand(Mode::Explore, true, true) {
            if let Some(i) = space.find(&name) {
                assert!(space.parameters[i].values.contains(&value), "{name} {value:?}");
            }
        }
    }
}

//! The options of `run` in other verbs: `features` runs a program itself, `compare` passes them on to the runs it starts.
//! Beside their values it keeps which ones were written, and how.

use super::options::RunArgs;
use clap::{ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use std::ffi::OsString;

/// See the module text.
#[derive(Clone, Debug)]
pub struct Borrowed {
    /// The options.
    pub args: RunArgs,
    /// Those that were written, with their values; a flag has none.
    given: Vec<(String, Vec<OsString>)>,
}

impl Borrowed {
    /// Was this option written?
    pub fn is_given(&self, option: &str) -> bool {
        self.given.iter().any(|(name, _)| name == option)
    }

    /// The written options as a command line, without some; no program.
    pub fn command_line(&self, without: &[&str]) -> Vec<OsString> {
        let mut words = Vec::new();
        for (name, values) in self.given.iter().filter(|(name, _)| !without.contains(&name.as_str())) {
            if values.is_empty() {
                words.push(format!("--{name}").into());
            }
            for value in values {
                // One word: a value may begin with a dash.
                let mut word = OsString::from(format!("--{name}="));
                word.push(value);
                words.push(word);
            }
        }
        words
    }
}

impl FromArgMatches for Borrowed {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Borrowed, Error> {
        let mut given = Vec::new();
        for arg in RunArgs::augment_args(Command::new("run")).get_arguments() {
            let id = arg.get_id().as_str();
            let written = matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
            if let (Some(name), true) = (arg.get_long(), written) {
                let values = match arg.get_action() {
                    ArgAction::SetTrue => Vec::new(),
                    _ => matches.get_raw(id).map(|v| v.map(OsString::from).collect()).unwrap_or_default(),
                };
                given.push((name.to_string(), values));
            }
        }
        Ok(Borrowed { args: RunArgs::from_arg_matches(matches)?, given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Borrowed::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Borrowed {
    fn augment_args(command: Command) -> Command {
        // A verb may do something without a program, or say better what is missing.
        RunArgs::augment_args(command).mut_arg("words", |words| words.required(false))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Borrowed::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Borrowed {
        let command = Borrowed::augment_args(Command::new("x"));
        let matches = command.try_get_matches_from(line.split(' ')).expect("good options");
        Borrowed::from_arg_matches(&matches).expect("good options")
    }

    #[test]
    fn options_are_passed_on_as_they_were_written() {
        let b = parse("x -DA=1 -D B --time 5s --ubsan --cflag=-g --search dfs p.c --sym-args 0 1 2");
        let words: Vec<String> =
            b.command_line(&["search"]).iter().map(|w| w.to_string_lossy().into_owned()).collect();
        assert_eq!(words, ["--define=A=1", "--define=B", "--cflag=-g", "--ubsan", "--time=5s"]);
        assert!(b.is_given("time") && b.is_given("search") && !b.is_given("mode"));
        assert_eq!(b.args.args().len(), 4);
    }

    #[test]
    fn a_program_is_not_demanded() {
        assert!(parse("x --mode concolic").args.file().as_os_str().is_empty());
    }
}

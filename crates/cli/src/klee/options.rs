//! Reading a command line the way KLEE's option parser does: one dash or two, `-opt=value` or `-opt value`; the first
//! word that is no option is the program, and everything after it is the program's. `table` knows the options.

use super::table::{OPTIONS, Role, Takes, find};
use anyhow::{anyhow, bail};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A command line, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The values of each option that was given, in order. A flag's are `true` and `false`.
    values: BTreeMap<&'static str, Vec<String>>,
    /// The program.
    pub program: Option<PathBuf>,
    /// Its arguments.
    pub args: Vec<OsString>,
}

impl Options {
    /// Reads what follows the command's name.
    pub fn parse(words: &[OsString]) -> anyhow::Result<Options> {
        let mut out = Options::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-')).filter(|n| !n.is_empty());
            let Some(name) = name else {
                out.program = Some(PathBuf::from(word));
                out.args = rest.cloned().collect();
                break;
            };
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_string())),
                None => (name, None),
            };
            let Some(entry) = find(name) else {
                bail!("Unknown command line argument '{text}'.  Try: 'klee --help'{}", suggestion(name));
            };
            let value = match (entry.takes, value) {
                (Takes::Flag, None) => "true".into(),
                (Takes::Flag, Some(v)) => match v.to_ascii_lowercase().as_str() {
                    "" | "true" | "1" => "true".into(),
                    "false" | "0" => "false".into(),
                    _ => bail!(
                        "for the --{name} option: '{v}' is invalid value for boolean argument! Try 0 or 1"
                    ),
                },
                (Takes::Maybe, v) => v.unwrap_or_else(|| "true".into()),
                (Takes::Value, Some(v)) => v,
                (Takes::Value, None) => rest
                    .next()
                    .map(|w| w.to_string_lossy().into_owned())
                    .ok_or_else(|| anyhow!("for the --{name} option: requires a value!"))?,
            };
            out.values.entry(entry.name).or_default().push(value);
        }
        Ok(out)
    }

    /// A flag, the last word on it counting.
    pub fn flag(&self, name: &'static str, default: bool) -> bool {
        self.text(name).map_or(default, |v| v != "false" && v != "none")
    }

    /// The last value of an option.
    pub fn text(&self, name: &'static str) -> Option<&str> {
        debug_assert!(find(name).is_some(), "{name} is not in the table");
        self.values.get(name).and_then(|v| v.last()).map(String::as_str)
    }

    /// All values of an option, lists separated by commas taken apart.
    pub fn list(&self, name: &'static str) -> Vec<String> {
        let given = self.values.get(name).map(Vec::as_slice).unwrap_or_default();
        given
            .iter()
            .flat_map(|v| v.split(','))
            .map(|v| v.trim().to_string())
            .filter(|v| !v.is_empty())
            .collect()
    }

    /// A number; 0 is KLEE's way to say "no limit", and gives `None`.
    pub fn number(&self, name: &'static str) -> anyhow::Result<Option<u64>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number: u64 = text
            .parse()
            .map_err(|_| anyhow!("for the --{name} option: '{text}' value invalid for uint argument!"))?;
        Ok((number != 0).then_some(number))
    }

    /// A share of everything, from 0; 1 or more, or nothing said, is no limit.
    pub fn fraction(&self, name: &'static str) -> anyhow::Result<f64> {
        let Some(text) = self.text(name) else { return Ok(1.0) };
        let share = text.parse::<f64>().ok().filter(|share| *share >= 0.0);
        share
            .map(|share| share.min(1.0))
            .ok_or_else(|| anyhow!("for the --{name} option: '{text}' is not a share of 0 or more"))
    }

    /// A time: `10s`, `5min`, `1h30min`, or seconds.
    pub fn time(&self, name: &'static str) -> anyhow::Result<Option<Duration>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let wrong = || anyhow!("Illegal number format: {text} (option --{name}; write 10s, 5min or 1h)");
        let time = match text.parse::<f64>() {
            Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?,
            Err(_) => humantime::parse_duration(text).map_err(|_| wrong())?,
        };
        Ok((!time.is_zero()).then_some(time))
    }

    /// A warning for each option that does nothing here, in the order of the table.
    pub fn warnings(&self) -> Vec<String> {
        let given = |name| self.values.contains_key(name);
        OPTIONS
            .iter()
            .filter(|o| given(o.name))
            .filter_map(|o| match o.role {
                Role::Used => None,
                Role::Tuning => {
                    Some(format!("option --{} has no effect here: it tunes KLEE's internals", o.name))
                }
                Role::Missing => Some(format!("option --{} is not supported yet and is ignored", o.name)),
            })
            .collect()
    }
}

/// Names that begin like an unknown one.
fn suggestion(name: &str) -> String {
    let near =
        OPTIONS.iter().find(|o| name.len() >= 3 && (o.name.starts_with(name) || name.starts_with(o.name)));
    near.map(|o| format!("\nDid you mean '--{}'?", o.name)).unwrap_or_default()
}

/// The text of `--help`.
pub fn help() -> String {
    let mut out = String::from(
        "OVERVIEW: forkwise with KLEE's command line\n\n\
         USAGE: klee [options] <program.bc> <program arguments>...\n\nOPTIONS:\n",
    );
    for o in OPTIONS.iter().filter(|o| o.role == Role::Used) {
        let name = match o.takes {
            Takes::Value => format!("--{}=<value>", o.name),
            Takes::Flag | Takes::Maybe => format!("--{}", o.name),
        };
        out.push_str(&format!("  {name:40} {}\n", o.help));
    }
    out.push_str("\nAccepted without effect:\n");
    for o in OPTIONS.iter().filter(|o| o.role != Role::Used) {
        out.push_str(&format!("  --{:38} {}\n", o.name, o.help));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> anyhow::Result<Options> {
        Options::parse(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn dashes_and_values_are_free() {
        let o =
            parse(&["-search=dfs", "--search", "bfs", "-max-time=1min", "--optimize", "a.bc", "--x", "y"])
                .unwrap();
        assert_eq!(o.list("search"), ["dfs", "bfs"]);
        assert_eq!(o.time("max-time").unwrap(), Some(Duration::from_secs(60)));
        assert!(o.flag("optimize", false));
        assert_eq!(o.program, Some("a.bc".into()));
        assert_eq!(o.args, ["--x", "y"]);
    }

    #[test]
    fn plain_numbers_are_seconds_and_zero_is_no_limit() {
        let o = parse(&["--max-time=90", "--max-depth=0", "--max-forks=7"]).unwrap();
        assert_eq!(o.time("max-time").unwrap(), Some(Duration::from_secs(90)));
        assert_eq!((o.number("max-depth").unwrap(), o.number("max-forks").unwrap()), (None, Some(7)));
    }

    #[test]
    fn flags_take_booleans() {
        let o = parse(&["--check-div-zero=false", "--output-stats=1"]).unwrap();
        assert!(
            !o.flag("check-div-zero", true)
                && o.flag("output-stats", false)
                && o.flag("check-overshift", true)
        );
        assert!(parse(&["--output-stats=perhaps"]).is_err());
    }

    #[test]
    fn what_is_unknown_is_named() {
        let error = parse(&["--no-such-option", "a.bc"]).unwrap_err().to_string();
        assert!(error.contains("--no-such-option"), "{error}");
        assert!(parse(&["--max-time"]).unwrap_err().to_string().contains("max-time"));
        let error = parse(&["--max-test", "a.bc"]).unwrap_err().to_string();
        assert!(error.contains("--max-tests"), "{error}");
    }

    #[test]
    fn internals_give_one_warning_each() {
        let o = parse(&["--kdalloc", "--kdalloc", "--use-branch-cache=false", "a.bc"]).unwrap();
        let warnings = o.warnings();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("kdalloc"));
    }
}

//! `run --config FILE`: settings that `forkwise tune --save` wrote. What the command line says itself wins; the program's
//! arguments come from the file only if the command line has none. The file is untrusted: its options are read by the
//! same parser.

use super::options::RunArgs;
use anyhow::{Context, anyhow, bail};
use clap::{Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

const FORMAT: u32 = 1;

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Its version.
    pub format: u32,
    /// What follows the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Options of `run` without their dashes.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Config {
    /// From words before and behind the program (`--name=value`).
    pub fn of_words(before: &[String], behind: &[String]) -> Config {
        let pair = |word: &String| {
            let word = word.trim_start_matches('-');
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            (name.to_string(), value.to_string())
        };
        Config { format: FORMAT, arguments: behind.to_vec(), options: before.iter().map(pair).collect() }
    }

    /// The text of a file.
    pub fn to_toml(&self, comment: &str) -> anyhow::Result<String> {
        let lines: String = comment.lines().map(|l| format!("# {l}\n")).collect();
        Ok(lines + &toml::to_string(self).context("the settings cannot be written")?)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<Config> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let config: Config =
            toml::from_str(&text).map_err(|e| anyhow!("{} holds no settings: {e}", path.display()))?;
        if config.format != FORMAT {
            bail!("{} has format {}; this program knows {FORMAT}", path.display(), config.format);
        }
        Ok(config)
    }
}

/// The options of `run` together with those of a file. `words` is what follows the verb.
pub fn merged(words: &[OsString], file: &Path) -> anyhow::Result<RunArgs> {
    let config = Config::read(file)?;
    let command = || RunArgs::augment_args(Command::new("forkwise run").no_binary_name(true));
    let wrong = |e: clap::Error| anyhow!("{} does not fit: {}", file.display(), e.render());
    let matches = command().try_get_matches_from(words).map_err(wrong)?;
    let given = |name: &str| {
        command().get_arguments().any(|a| {
            a.get_long() == Some(name)
                && matches.value_source(a.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine)
        })
    };
    let mut all: Vec<OsString> = Vec::new();
    for (name, value) in config.options.iter().filter(|(name, _)| !given(name)) {
        if matches!(name.as_str(), "config" | "output") {
            bail!("{} may not set --{name}", file.display());
        }
        all.push(if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") }.into());
    }
    all.extend(words.iter().cloned());
    let here = RunArgs::from_arg_matches(&matches).map_err(wrong)?;
    if here.args().is_empty() {
        all.extend(config.arguments.iter().map(OsString::from));
    }
    let matches = command().try_get_matches_from(all).map_err(wrong)?;
    RunArgs::from_arg_matches(&matches).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        file
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command_line_wins() {
        let before = ["--search=dfs", "--max-values=7", "--seed-cut"].map(String::from);
        let behind = ["--sym-arg", "3"].map(String::from);
        let config = Config::of_words(&before, &behind);
        let saved = file(&config.to_toml("by hand\nnot").expect("text"));
        assert_eq!(Config::read(saved.path()).expect("read"), config);
        let all = merged(&words("--config f --search bfs p.c"), saved.path()).expect("merged");
        assert_eq!((all.search, all.max_values, all.seed_cut), (vec!["bfs".to_string()], Some(7), true));
        assert_eq!(all.words, ["p.c", "--sym-arg", "3"]);
        let all = merged(&words("--config f p.c --sym-stdin 4"), saved.path()).expect("merged");
        assert_eq!(all.words, ["p.c", "--sym-stdin", "4"]);
    }

    #[test]
    fn bad_files_are_named() {
        for (text, what) in [
            ("x = 1", "holds no settings"),
            ("format = 9", "format 9"),
            ("format = 1\n[options]\nno-such = \"1\"", "does not fit"),
            ("format = 1\n[options]\noutput = \"/\"", "may not set"),
        ] {
            let saved = file(text);
            let error = merged(&words("p.c"), saved.path()).expect_err(text);
            assert!(format!("{error:#}").contains(what), "{error:#}");
        }
    }
}

//! `forkwise manual`: man pages, shell completions and the list of all options, made from the declarations of the options themselves,
//! so that they cannot say anything else than `--help`.

use crate::app::CLEAN;
use crate::console;
use anyhow::Context;
use clap::{Args, Command, Subcommand, ValueHint};
use clap_complete::Shell;
use forkwise_testcase::atomic_write;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Write man pages, shell completions, or all options as Markdown
#[derive(Args, Debug)]
pub struct ManualArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Man pages into a folder: forkwise.1, and one for each verb
    Man {
        /// The folder
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
    /// Completions for a shell, to standard output
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// All verbs and options as Markdown, to standard output
    Markdown,
}

/// `forkwise manual`.
pub fn main(args: &ManualArgs, mut command: Command) -> anyhow::Result<u8> {
    match &args.what {
        What::Man { folder } => man(command, folder)?,
        What::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut command, "forkwise", &mut text);
            console::out(text)?;
        }
        What::Markdown => console::out(markdown(command))?,
    }
    Ok(CLEAN)
}

fn man(command: Command, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let put = |name: &str, command: Command| -> anyhow::Result<()> {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).title(name.to_uppercase()).render(&mut text)?;
        Ok(atomic_write(&folder.join(format!("{name}.1")), &text)?)
    };
    for verb in command.get_subcommands().filter(|v| !v.is_hide_set()) {
        let name = format!("forkwise-{}", verb.get_name().replace("++", "xx"));
        let full: &'static str = Box::leak(name.clone().into_boxed_str());
        put(&name, verb.clone().name(full).bin_name(format!("forkwise {}", verb.get_name())))?;
    }
    put("forkwise", command.disable_help_subcommand(true))
}

/// A line of a table cannot hold everything.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

fn markdown(mut command: Command) -> String {
    command.build();
    let mut out = String::from(
        "# Every option\n\nThis page is written by `forkwise manual markdown`, from the same declarations as `--help`.\n",
    );
    // Writing to a String cannot fail.
    for verb in command.get_subcommands().filter(|v| !v.is_hide_set() && v.get_name() != "help") {
        let about = verb.get_about().map(|a| a.to_string()).unwrap_or_default();
        let _ = writeln!(out, "\n## forkwise {}\n\n{}.", verb.get_name(), cell(&about).trim_end_matches('.'));
        let mut groups: Vec<&str> = Vec::new();
        let arguments: Vec<_> =
            verb.get_arguments().filter(|a| !a.is_hide_set() && a.get_id() != "help").collect();
        for a in &arguments {
            let group = a.get_help_heading().unwrap_or("");
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        for group in groups {
            if !group.is_empty() {
                let _ = writeln!(out, "\n**{group}**");
            }
            out.push_str("\n| option | meaning |\n|---|---|\n");
            for a in arguments.iter().filter(|a| a.get_help_heading().unwrap_or("") == group) {
                let _ = writeln!(out, "| `{}` | {} |", cell(&form(a)), cell(&meaning(a)));
            }
        }
    }
    out
}

/// An option as it is written.
fn form(a: &clap::Arg) -> String {
    let values = a.get_value_names().map(|v| v.iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" "));
    let values = values.filter(|_| a.get_action().takes_values()).unwrap_or_default();
    let mut names: Vec<String> = a.get_short().map(|s| format!("-{s}")).into_iter().collect();
    names.extend(a.get_long().map(|l| format!("--{l}")));
    match (names.is_empty(), values.is_empty()) {
        (true, _) => values,
        (false, true) => names.join(", "),
        (false, false) => format!("{} {values}", names.join(", ")),
    }
}

fn meaning(a: &clap::Arg) -> String {
    let mut text = a.get_long_help().or(a.get_help()).map(|h| h.to_string()).unwrap_or_default();
    let choices: Vec<String> = a
        .get_possible_values()
        .iter()
        .filter(|v| !v.is_hide_set() && a.get_action().takes_values())
        .map(|v| v.get_name().to_string())
        .collect();
    if !choices.is_empty() {
        let _ = write!(text, " ({})", choices.join(", "));
    }
    let defaults: Vec<String> =
        a.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    if !defaults.is_empty() && a.get_action().takes_values() {
        let _ = write!(text, " [default: {}]", defaults.join(" "));
    }
    text
}

//! Options of the commands that search for long (`worst`, `train`, `tune`, `compare`) may stand behind the program as well as
//! before it: `forkwise worst sort.c --size 100`. They are moved to the front before the command line is parsed, because
//! there every word behind the program belongs to the program. A `--` says that the rest is the program's, whatever it
//! looks like. `run` is not among them: it runs real programs with their own options, many of which have our names.

use clap::{Arg, Command};
use std::ffi::{OsStr, OsString};

/// The verbs whose options may follow the program.
const VERBS: [&str; 4] = ["compare", "train", "tune", "worst"];

/// `words` (the command's name first) with the options of its verb before the program.
pub fn hoist(mut forkwise: Command, words: Vec<OsString>) -> Vec<OsString> {
    forkwise.build();
    let verb = words.get(1).and_then(|w| w.to_str()).filter(|w| VERBS.contains(w));
    let Some(verb) = verb.and_then(|name| forkwise.find_subcommand(name)) else { return words };
    let Some(program) = program(verb, &words) else { return words };
    let (mut front, mut rest) = (words[..program].to_vec(), vec![words[program].clone()]);
    let mut at = program + 1;
    while at < words.len() {
        if words[at] == *"--" {
            break;
        }
        let takes = long(verb, &words[at]).map(|option| takes_next(option, &words[at]));
        let to = if takes.is_some() { &mut front } else { &mut rest };
        let end = (at + 1 + usize::from(takes == Some(true))).min(words.len());
        to.extend_from_slice(&words[at..end]);
        at = end;
    }
    rest.extend_from_slice(&words[at..]);
    front.append(&mut rest);
    front
}

/// Where the program is; `None` when there is none, or when everything was said to be the program's.
fn program(verb: &Command, words: &[OsString]) -> Option<usize> {
    let mut at = 2;
    while let Some(word) = words.get(at) {
        let text = word.to_string_lossy();
        if text == "--" {
            return None;
        }
        if !text.starts_with('-') || text == "-" {
            return Some(at);
        }
        let option = if text.starts_with("--") { long(verb, word) } else { short(verb, &text) };
        at += 1 + usize::from(option.is_some_and(|option| takes_next(option, word)));
    }
    None
}

/// The option that is written `--name` or `--name=value`.
fn long<'a>(verb: &'a Command, word: &OsStr) -> Option<&'a Arg> {
    let name = word.to_str()?.strip_prefix("--")?.split('=').next()?;
    // Help on our behalf comes before the program; behind it the program may be asked for its own.
    verb.get_arguments().find(|a| a.get_long() == Some(name) && !matches!(name, "help" | "version"))
}

/// The option that is written `-x` with its value in the next word.
fn short<'a>(verb: &'a Command, text: &str) -> Option<&'a Arg> {
    let name = text.strip_prefix('-').filter(|n| n.chars().count() == 1)?.chars().next();
    verb.get_arguments().find(|a| a.get_short() == name)
}

/// Is the next word the option's value?
fn takes_next(option: &Arg, word: &OsStr) -> bool {
    let needs_value = option.get_num_args().is_none_or(|n| n.min_values() > 0);
    option.get_action().takes_values() && needs_value && !word.to_string_lossy().contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ArgAction;

    fn hoisted(line: &str) -> String {
        let worst = Command::new("worst")
            .arg(Arg::new("size").long("size"))
            .arg(Arg::new("out").short('o').long("out"))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
            .arg(Arg::new("words").num_args(1..).trailing_var_arg(true));
        let run = worst.clone().name("run");
        let words = line.split(' ').map(OsString::from).collect();
        let out = hoist(Command::new("forkwise").subcommand(worst).subcommand(run), words);
        out.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_behind_the_program_come_before_it() {
        assert_eq!(hoisted("forkwise worst a.c --size 9 --json"), "forkwise worst --size 9 --json a.c");
        assert_eq!(hoisted("forkwise worst -o x a.c 1 --size=9 2"), "forkwise worst -o x --size=9 a.c 1 2");
        assert_eq!(hoisted("forkwise worst --size 9 a.c b"), "forkwise worst --size 9 a.c b");
    }

    #[test]
    fn what_is_the_programs_stays_there() {
        for line in [
            "forkwise worst a.c --sym-stdin 3 -o x --help",
            "forkwise worst -- a.c --size 9",
            "forkwise worst a.c -- --size 9",
            "forkwise run a.c --size 9",
            "forkwise worst --json",
            "forkwise",
        ] {
            assert_eq!(hoisted(line), line);
        }
    }

    #[test]
    fn an_option_without_its_value_is_left_to_the_parser() {
        assert_eq!(hoisted("forkwise worst a.c --size"), "forkwise worst --size a.c");
    }
}

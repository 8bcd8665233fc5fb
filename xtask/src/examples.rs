//! The bundled examples (`examples/*.c`). Each says in its opening comment how it is run
//! (`forkwise run OPTIONS examples/NAME.c`, or `forkwise run OPTIONS NAME ARGUMENTS` after a `forkwise cc`), and the tasks that
//! run it do what it says.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, sorted_entries};

/// One example.
pub struct Example {
    /// The program.
    pub path: PathBuf,
    /// Its name without folder and ending.
    pub name: String,
    /// How its comment says it is run.
    pub command: Command,
}

/// The command that an example's comment shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Options of `forkwise run`.
    pub options: Vec<String>,
    /// It is built with `forkwise cc` first, as a program of its own.
    pub built: bool,
    /// What follows the program.
    pub arguments: Vec<String>,
}

/// All examples by name; an error if there are none.
pub fn all(workspace: &Workspace) -> Result<Vec<Example>> {
    let folder = workspace.root.join("examples");
    let files = if folder.is_dir() { sorted_entries(&folder)? } else { Vec::new() };
    let examples = files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
        .map(|path| {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok(Example { command: command(&text, &path), path, name })
        })
        .collect::<Result<Vec<_>>>()?;
    if examples.is_empty() {
        bail!("there are no examples (*.c) in {}", folder.display());
    }
    Ok(examples)
}

/// The first `forkwise run` with the example's source, or its name alone, in the comment.
fn command(text: &str, path: &Path) -> Command {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let commands = text.lines().filter_map(|line| line.split_once("forkwise run ")).map(|(_, rest)| rest);
    for rest in commands {
        let words: Vec<&str> = rest.split_whitespace().take_while(|word| *word != "&&").collect();
        let at = words.iter().position(|word| word.ends_with(&file) || *word == name);
        if let Some(at) = at {
            let built = words[at] == name;
            return Command { options: owned(&words[..at]), built, arguments: owned(&words[at + 1..]) };
        }
    }
    Command::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_from_the_comment() {
        let path = Path::new("/x/examples/hang.c");
        let text = "// forkwise run is a command\n//     forkwise run --limit 5 -O examples/hang.c && more\nint main;";
        let found = command(text, path);
        assert_eq!(found.options, ["--limit", "5", "-O"]);
        assert!(!found.built && found.arguments.is_empty());
        assert_eq!(command("// forkwise run examples/hang.c\n", path), Command::default());
        assert_eq!(command("int main(void);", path), Command::default());
    }

    #[test]
    fn programs_have_arguments() {
        let text = "//   forkwise cc -o rle examples/rle.c\n//   forkwise run rle --sym-arg 2\n";
        let found = command(text, Path::new("/x/examples/rle.c"));
        assert!(found.built && found.options.is_empty());
        assert_eq!(found.arguments, ["--sym-arg", "2"]);
    }
}

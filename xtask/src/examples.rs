//! The bundled examples (`examples/*.c`). Each says in its opening comment how it is run
//! (`forkwise run OPTIONS examples/NAME.c`), and the tasks that run it do what it says.

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
    /// The options its comment asks for.
    pub options: Vec<String>,
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
            Ok(Example { options: options(&text, &path), path, name })
        })
        .collect::<Result<Vec<_>>>()?;
    if examples.is_empty() {
        bail!("there are no examples (*.c) in {}", folder.display());
    }
    Ok(examples)
}

/// The words between `forkwise run` and the example's own name in the first line that has both.
fn options(text: &str, path: &Path) -> Vec<String> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let command = text.lines().filter_map(|line| line.split_once("forkwise run ")).map(|(_, rest)| rest);
    for rest in command {
        let words: Vec<&str> = rest.split_whitespace().collect();
        if let Some(end) = words.iter().position(|word| word.ends_with(&file)) {
            return words[..end].iter().map(|word| (*word).to_owned()).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_from_the_comment() {
        let path = Path::new("/x/examples/hang.c");
        let text = "// forkwise run is a command\n//     forkwise run --limit 5 -O examples/hang.c && more\nint main;";
        assert_eq!(options(text, path), ["--limit", "5", "-O"]);
        assert_eq!(options("// forkwise run examples/hang.c\n", path), [""; 0]);
        assert_eq!(options("int main(void);", path), [""; 0]);
    }
}

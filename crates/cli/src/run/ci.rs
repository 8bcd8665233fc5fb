//! Bugs as continuous integration shows them: commands of a GitHub workflow that put each beside its line. Elsewhere nothing is said here;
//! `forkwise report` has files for other servers.

use super::bugs::Bug;
use crate::console;
use std::path::Path;

/// Text as a workflow command takes it.
fn escape(text: &str, in_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if in_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

fn command(bug: &Bug, directory: &Path, output: &Path) -> String {
    let file = Path::new(&bug.place.file);
    let file = file.strip_prefix(directory).unwrap_or(file).display().to_string();
    let title = format!("{} in {}", bug.kind.title(), bug.place.function);
    let native = bug.confirmation.as_ref().map_or(String::new(), |c| format!("\n{}", c.text));
    let text = format!("{}{native}\nreproduce: {}", bug.message, bug.reproduce(output));
    format!(
        "::error file={},line={},title={}::{}\n",
        escape(&file, true),
        bug.place.line.max(1),
        escape(&title, true),
        escape(&text, false)
    )
}

/// Tells GitHub of the program's bugs, if this is one of its machines.
pub fn annotate(bugs: &[Bug], output: &Path) -> anyhow::Result<()> {
    if std::env::var_os("GITHUB_ACTIONS").is_none_or(|v| v != "true") {
        return Ok(());
    }
    let directory = std::env::current_dir().unwrap_or_default();
    for bug in bugs.iter().filter(|b| b.is_programs()) {
        console::out(command(bug, &directory, output))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_a_command() {
        assert_eq!(escape("a:b,c%\n::error", true), "a%3Ab%2Cc%25%0A%3A%3Aerror");
        assert_eq!(escape("50 %\nx", false), "50 %25%0Ax");
    }
}

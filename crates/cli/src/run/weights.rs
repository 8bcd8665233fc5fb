//! `param:FILE` and `learned:FILE`: the names of searches whose weights are in a file. `learned` is for files that somebody
//! else wrote: it wants to know what they are for, and says when that is another program.

use anyhow::bail;
use forkwise_concolic::features;
use forkwise_explore::STATE_FEATURES;
use forkwise_learn::weights::{Mode, Weights};
use std::path::Path;

/// Names of the features of a mode, in their order.
pub fn names(mode: Mode) -> Vec<&'static str> {
    match mode {
        Mode::Explore => STATE_FEATURES.iter().map(|f| f.name).collect(),
        Mode::Concolic => features::TABLE.iter().map(|f| f.name).collect(),
    }
}

/// The weights that the name of a search asks for, and what to tell the user; `None`: it is another kind of name.
pub fn of_search<const N: usize>(
    search: &str,
    mode: Mode,
    program: &Path,
) -> anyhow::Result<Option<([f64; N], Option<String>)>> {
    let (file, learned) = match (search.strip_prefix("param:"), search.strip_prefix("learned:")) {
        (Some(file), _) => (file, false),
        (_, Some(file)) => (file, true),
        _ => return Ok(None),
    };
    if file.is_empty() {
        bail!(
            "'{search}' names no file; write {search}FILE, with a weight file (`forkwise features` lists the weights)"
        );
    }
    let read = Weights::read(Path::new(file), mode, &names(mode))?;
    if learned && read.mode.is_none() {
        bail!("{file}: does not say what was learned; add mode = \"{mode}\", or write param:{file}");
    }
    let Ok(values) = <[f64; N]>::try_from(read.values) else { bail!("{file}: has not {N} weights") };
    let note = match &read.program {
        Some(theirs) if learned && plain(Path::new(theirs)) != plain(program) => Some(format!(
            "forkwise: note: the weights in {file} were learned for {theirs:?}, not for {:?}",
            plain(program)
        )),
        _ => None,
    };
    Ok(Some((values, note)))
}

/// The name of a program without folders and the suffixes of its forms: `bin/grep`, `grep.bc` and `grep.c` are one program.
pub fn plain(program: &Path) -> String {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let known = [".c", ".cc", ".bc", ".ll", ".o"];
    known.iter().find_map(|s| name.strip_suffix(s)).unwrap_or(&name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_plain_names() {
        for name in ["grep", "a/b/grep", "grep.c", "/x/grep.bc"] {
            assert_eq!(plain(Path::new(name)), "grep");
        }
        assert_eq!(plain(Path::new("gawk-5.2")), "gawk-5.2");
    }

    #[test]
    fn the_tables_have_their_sizes() {
        assert_eq!((names(Mode::Explore).len(), names(Mode::Concolic).len()), (26, 40));
    }
}

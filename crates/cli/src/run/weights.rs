//! `param:FILE` and `learned:FILE`: the names of searches whose weights are in a file. `learned` is for files that somebody
//! else wrote: it wants to know what they are for, and says when that is another program.

use anyhow::bail;
use forkwise_concolic::features;
use forkwise_explore::{FRONTIER_FEATURES, STATE_FEATURES};
use forkwise_learn::weights::{Family, Mode, Problem, WeightError, Weights};
use std::path::Path;

/// Names of the features of a family, in their order.
pub fn names(family: Family) -> Vec<&'static str> {
    match family {
        Family::States => STATE_FEATURES.iter().map(|f| f.name).collect(),
        Family::Frontier => FRONTIER_FEATURES.iter().map(|f| f.name).collect(),
        Family::Branches => features::TABLE.iter().map(|f| f.name).collect(),
    }
}

/// Reads a file of any family of a mode.
pub fn read(file: &Path, mode: Mode) -> Result<Weights, WeightError> {
    let as_family = |family| Weights::read(file, family, &names(family));
    match mode {
        Mode::Concolic => as_family(Family::Branches),
        Mode::Explore => as_family(Family::States).or_else(|error| match error.problem {
            Problem::WrongFamily { found, .. } => as_family(found),
            _ => Err(error),
        }),
    }
}

/// The weights that the name of a search asks for, and what to tell the user; `None`: it is another kind of name.
pub fn of_search(
    search: &str,
    mode: Mode,
    program: &Path,
) -> anyhow::Result<Option<(Weights, Option<String>)>> {
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
    let read = read(Path::new(file), mode)?;
    if learned && read.mode.is_none() {
        bail!("{file}: does not say what was learned; add mode = \"{mode}\", or write param:{file}");
    }
    let note = match &read.program {
        Some(theirs) if learned && plain(Path::new(theirs)) != plain(program) => Some(format!(
            "forkwise: note: the weights in {file} were learned for {theirs:?}, not for {:?}",
            plain(program)
        )),
        _ => None,
    };
    Ok(Some((read, note)))
}

/// Weights as an array; there are as many as the family has features.
pub fn array<const N: usize>(weights: &Weights) -> anyhow::Result<[f64; N]> {
    let Ok(values) = <[f64; N]>::try_from(&weights.values[..]) else {
        bail!("there are {} weights instead of {N}", weights.values.len())
    };
    Ok(values)
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
        assert_eq!((names(Family::States).len(), names(Family::Branches).len()), (26, 40));
        assert!(names(Family::Frontier).len() > 12);
    }
}

//! What can be wrong with a weight file. Every message names the file, the line or entry where there is one, the cause, and
//! what to do about it.

use super::{Family, Mode};
use std::path::PathBuf;

/// A weight file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", file.display(), line.map_or(String::new(), |l| format!(":{l}")))]
pub struct WeightError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    #[source]
    pub problem: Problem,
}

/// What is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error("cannot be read: {0}; name a weight file as in param:FILE")]
    Read(std::io::Error),
    /// It is too large to be one.
    #[error("is larger than {limit} bytes; a weight file is a few kilobytes, is this the right file?")]
    TooLarge {
        /// The largest that is read.
        limit: u64,
    },
    /// It is no text.
    #[error("is no text; a weight file is TOML, with a table [weights] of NAME = NUMBER")]
    NotText,
    /// It is no TOML.
    #[error("is not TOML: {0}; a weight file has a table [weights] of NAME = NUMBER")]
    NotToml(String),
    /// An entry is missing.
    #[error("has no '{entry}'; add {remedy}")]
    Missing {
        /// What is missing.
        entry: &'static str,
        /// What to write.
        remedy: String,
    },
    /// It is of another version.
    #[error(
        "has format {found}, this program reads format {}; write it again with this version",
        super::FORMAT
    )]
    Format {
        /// What it says.
        found: String,
    },
    /// An entry that means nothing.
    #[error("the entry '{name}' means nothing here{}", hint(.near, "there are format, program, mode, family, weights and training"))]
    UnknownEntry {
        /// Its name.
        name: String,
        /// What was probably meant.
        near: Option<String>,
    },
    /// An entry is of the wrong kind.
    #[error("the entry '{entry}' is {found}, not {wanted}")]
    Kind {
        /// Its name.
        entry: String,
        /// What it is.
        found: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
    /// A mode that does not exist.
    #[error("there is no mode '{0}'; write mode = \"explore\" or mode = \"concolic\"")]
    UnknownMode(String),
    /// The weights are for the other mode.
    #[error(
        "its weights are for --mode {found}, not for --mode {wanted}; run with --mode {found}, or take another file"
    )]
    WrongMode {
        /// What it is for.
        found: Mode,
        /// What was asked for.
        wanted: Mode,
    },
    /// A family that does not exist.
    #[error(
        "there is no family '{0}'; write family = \"states\" or family = \"frontier\", or leave it out for the former"
    )]
    UnknownFamily(String),
    /// The weights are of another family of the same mode.
    #[error("its weights are of the family {}, not of the family {}; take another file", found.name(), wanted.name())]
    WrongFamily {
        /// Whose they are.
        found: Family,
        /// Whose were asked for.
        wanted: Family,
    },
    /// A feature that does not exist in this family.
    #[error(
        "there is no feature '{name}' in {family}{}",
        hint(.near, &format!("`forkwise features --mode {}` lists all", family.mode()))
    )]
    UnknownFeature {
        /// Its name.
        name: String,
        /// The family.
        family: Family,
        /// What was probably meant.
        near: Option<String>,
    },
    /// Features without a weight.
    #[error("{} of the {total} features of {family} have no weight: {}; add them to [weights], 0 leaves a feature out of account", missing.len(), missing.join(", "))]
    MissingFeatures {
        /// Their names.
        missing: Vec<String>,
        /// Features of the family.
        total: usize,
        /// The family.
        family: Family,
    },
    /// A list of the wrong length.
    #[error(
        "'weights' lists {found} numbers, but {family} has {wanted} features (`forkwise features --mode {}` lists them)",
        family.mode()
    )]
    WrongLength {
        /// Numbers in the list.
        found: usize,
        /// Features of the family.
        wanted: usize,
        /// The family.
        family: Family,
    },
    /// A weight that is no usable number.
    #[error(
        "the weight of '{entry}' is {value}; a weight is a finite number (of at most {:e})",
        super::LARGEST
    )]
    NotFinite {
        /// The feature, or the place in the list.
        entry: String,
        /// What is there.
        value: String,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] forkwise_testcase::WriteError),
    /// It cannot be put into words.
    #[error("cannot be written as TOML: {0}")]
    Encode(#[from] toml::ser::Error),
}

fn hint(near: &Option<String>, otherwise: &str) -> String {
    match near {
        Some(name) => format!("; did you mean '{name}'?"),
        None => format!("; {otherwise}"),
    }
}

//! The weight file of a parametric heuristic: TOML with the weight of each feature by its name, so that a file outlives a new
//! order of the features. Files are untrusted: reading never panics, is bounded, and every error names the entry (`error`).
//! The tables of names belong to the engines and are passed in.

mod error;
mod family;

pub use error::{Problem, WeightError};
pub use family::{Family, Mode};

use crate::nearest;
use forkwise_testcase::atomic_write;
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The version of the format.
pub const FORMAT: i64 = 1;
/// The largest file that is read.
pub const MAX_BYTES: u64 = 1 << 20;
/// The largest weight, so that sums are numbers, too.
pub const LARGEST: f64 = 1e100;

/// What is wrong with a text, and where, if it is in one place.
pub type Failed = (Option<Range<usize>>, Problem);

/// What a weight file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The program they were learned for.
    pub program: Option<String>,
    /// What they are for; a file may leave it open.
    pub mode: Option<Mode>,
    /// Whose features they are.
    pub family: Family,
    /// One for each feature, in the order of the table of names.
    pub values: Vec<f64>,
    /// How they were learned, kept as it is.
    pub training: Option<toml::Table>,
}

impl Weights {
    /// Reads a file for a family, whose features have these names.
    pub fn read(path: &Path, family: Family, names: &[&str]) -> Result<Weights, WeightError> {
        let fail = |problem| WeightError { file: path.to_path_buf(), line: None, problem };
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|e| fail(Problem::Read(e)))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(fail(Problem::TooLarge { limit: MAX_BYTES }));
        }
        let text = String::from_utf8(bytes).map_err(|_| fail(Problem::NotText))?;
        Weights::parse(&text, family, names).map_err(|(span, problem)| WeightError {
            file: path.to_path_buf(),
            line: span.map(|s| line_of(&text, s.start)),
            problem,
        })
    }

    /// Reads the text of a file. An error has its place in the text, where it has one.
    pub fn parse(text: &str, family: Family, names: &[&str]) -> Result<Weights, Failed> {
        let mode = family.mode();
        let table =
            DeTable::parse(text).map_err(|e| (e.span(), Problem::NotToml(e.message().to_string())))?;
        let table = table.into_inner();
        let mut file = Entries::default();
        for (key, value) in &table {
            let wrong = |wanted| {
                let found = kind(value.get_ref());
                (Some(value.span()), Problem::Kind { entry: key.get_ref().to_string(), found, wanted })
            };
            match key.get_ref().as_ref() {
                "format" => {
                    let format = value.get_ref().as_integer().ok_or_else(|| wrong("a whole number"))?;
                    if format.as_str() != FORMAT.to_string() {
                        let found = shorten(format.as_str());
                        return Err((Some(value.span()), Problem::Format { found }));
                    }
                    file.format = true;
                }
                "program" => {
                    let program = value.get_ref().as_str().ok_or_else(|| wrong("a text"))?;
                    file.program = Some(program.to_string());
                }
                "mode" => {
                    let name = value.get_ref().as_str().ok_or_else(|| wrong("a text"))?;
                    let found = match name {
                        "explore" => Mode::Explore,
                        "concolic" => Mode::Concolic,
                        _ => return Err((Some(value.span()), Problem::UnknownMode(shorten(name)))),
                    };
                    if found != mode {
                        return Err((Some(value.span()), Problem::WrongMode { found, wanted: mode }));
                    }
                    file.mode = Some(found);
                }
                "family" => {
                    let name = value.get_ref().as_str().ok_or_else(|| wrong("a text"))?;
                    let found = Family::named(name)
                        .ok_or_else(|| (Some(value.span()), Problem::UnknownFamily(shorten(name))))?;
                    file.family = Some((found, value.span()));
                }
                "weights" => file.weights = Some(value),
                "training" if value.get_ref().is_table() => file.training = true,
                "training" => return Err(wrong("a table")),
                other => {
                    let known = ["format", "program", "mode", "family", "weights", "training"];
                    let near = nearest(other, known).map(String::from);
                    let name = shorten(other);
                    return Err((Some(key.span()), Problem::UnknownEntry { name, near }));
                }
            }
        }
        if !file.format {
            let remedy = format!("format = {FORMAT}");
            return Err((None, Problem::Missing { entry: "format", remedy }));
        }
        // After the mode, wherever it stands in the file: who has the wrong mode should hear that first.
        match file.family {
            Some((found, span)) if found.mode() != mode => {
                return Err((Some(span), Problem::WrongMode { found: found.mode(), wanted: mode }));
            }
            Some((found, span)) if found != family => {
                return Err((Some(span), Problem::WrongFamily { found, wanted: family }));
            }
            None if !family.is_usual() => {
                let remedy = format!("family = \"{}\"", family.name());
                return Err((None, Problem::Missing { entry: "family", remedy }));
            }
            _ => {}
        }
        let Some(weights) = file.weights else {
            let remedy = "a table [weights] with NAME = NUMBER for each feature".to_string();
            return Err((None, Problem::Missing { entry: "weights", remedy }));
        };
        let values = match weights.get_ref() {
            DeValue::Table(entries) => by_name(entries, family, names, weights.span())?,
            DeValue::Array(list) => by_place(list, family, names, weights.span())?,
            other => {
                let found = kind(other);
                let wanted = "a table of NAME = NUMBER or a list of numbers";
                let problem = Problem::Kind { entry: "weights".into(), found, wanted };
                return Err((Some(weights.span()), problem));
            }
        };
        let training = match file.training {
            false => None,
            true => {
                let again: toml::Table = toml::from_str(text)
                    .map_err(|e| (e.span(), Problem::NotToml(e.message().to_string())))?;
                again.get("training").and_then(|t| t.as_table()).cloned()
            }
        };
        Ok(Weights { program: file.program, mode: file.mode, family, values, training })
    }

    /// The text of a file; `names` are those of the features, in the order of the weights.
    pub fn to_toml(&self, names: &[&str]) -> Result<String, Problem> {
        let mut weights = toml::Table::new();
        for (name, value) in names.iter().zip(&self.values) {
            if !is_usable(*value) {
                let (entry, value) = ((*name).to_string(), value.to_string());
                return Err(Problem::NotFinite { entry, value });
            }
            weights.insert((*name).to_string(), toml::Value::Float(*value));
        }
        Ok(toml::to_string(&Written {
            format: FORMAT,
            program: self.program.as_deref(),
            mode: self.mode,
            family: (!self.family.is_usual()).then_some(self.family),
            weights,
            training: self.training.as_ref(),
        })?)
    }

    /// Writes a file; it is either whole or not there.
    pub fn write(&self, path: &Path, names: &[&str]) -> Result<(), WeightError> {
        self.to_toml(names)
            .and_then(|text| Ok(atomic_write(path, text.as_bytes())?))
            .map_err(|problem| WeightError { file: path.to_path_buf(), line: None, problem })
    }
}

#[derive(Serialize)]
struct Written<'a> {
    format: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Mode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<Family>,
    weights: toml::Table,
    #[serde(skip_serializing_if = "Option::is_none")]
    training: Option<&'a toml::Table>,
}

#[derive(Default)]
struct Entries<'a, 'i> {
    format: bool,
    program: Option<String>,
    mode: Option<Mode>,
    family: Option<(Family, Range<usize>)>,
    weights: Option<&'a toml::Spanned<DeValue<'i>>>,
    training: bool,
}

fn by_name(
    entries: &DeTable<'_>,
    family: Family,
    names: &[&str],
    span: Range<usize>,
) -> Result<Vec<f64>, Failed> {
    let mut values: Vec<Option<f64>> = vec![None; names.len()];
    for (key, value) in entries {
        let name = key.get_ref().as_ref();
        let Some(i) = names.iter().position(|n| *n == name) else {
            let near = nearest(name, names.iter().copied()).map(String::from);
            let problem = Problem::UnknownFeature { name: shorten(name), family, near };
            return Err((Some(key.span()), problem));
        };
        values[i] = Some(number(value, name.to_string())?);
    }
    let missing: Vec<String> =
        names.iter().zip(&values).filter(|(_, v)| v.is_none()).map(|(n, _)| (*n).to_string()).collect();
    if !missing.is_empty() {
        return Err((Some(span), Problem::MissingFeatures { missing, total: names.len(), family }));
    }
    Ok(values.into_iter().flatten().collect())
}

fn by_place(
    list: &[toml::Spanned<DeValue<'_>>],
    family: Family,
    names: &[&str],
    span: Range<usize>,
) -> Result<Vec<f64>, Failed> {
    if list.len() != names.len() {
        let (found, wanted) = (list.len(), names.len());
        return Err((Some(span), Problem::WrongLength { found, wanted, family }));
    }
    let named = |i: usize| format!("{} (number {} of the list)", names[i], i + 1);
    list.iter().enumerate().map(|(i, value)| number(value, named(i))).collect()
}

fn is_usable(value: f64) -> bool {
    value.abs() <= LARGEST
}

fn number(value: &toml::Spanned<DeValue<'_>>, entry: String) -> Result<f64, Failed> {
    let (text, parsed) = match value.get_ref() {
        DeValue::Float(f) => (f.as_str(), f.as_str().parse::<f64>().ok()),
        DeValue::Integer(i) if i.radix() == 10 => (i.as_str(), i.as_str().parse::<f64>().ok()),
        other => {
            let problem = Problem::Kind { entry, found: kind(other), wanted: "a number" };
            return Err((Some(value.span()), problem));
        }
    };
    match parsed {
        Some(number) if is_usable(number) => Ok(number),
        _ => Err((Some(value.span()), Problem::NotFinite { entry, value: shorten(text) })),
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(i) if i.radix() != 10 => "a number in another base",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Text of the file in a message: the beginning is enough, and nothing that could disturb a terminal.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut short: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
mod tests;

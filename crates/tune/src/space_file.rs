//! Space files of the public tool: `{"space": {"-opt": [[values], max]}, "defaults": {"-opt": value | null}}`. Order is kept,
//! as sampling depends on it. A file is somebody else's: what is wrong with it is an error that names the place.

use crate::space::{Parameter, Space, Value};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A file, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpaceFile {
    /// What is tuned.
    pub space: Space,
    /// What every run gets besides, in order.
    pub defaults: Vec<(String, Value)>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum SpaceFileError {
    /// It is not such a JSON object.
    #[error(
        "this is no space file: {0}; it looks like {{\"space\": {{\"-opt\": [[1, 2], 1]}}, \"defaults\": {{\"-flag\": null}}}}"
    )]
    Json(#[from] serde_json::Error),
    /// A key that is no option.
    #[error("'{key}' in \"{part}\" is no option: it must begin with a dash")]
    NoOption {
        /// `space` or `defaults`.
        part: &'static str,
        /// The key.
        key: String,
    },
    /// A key that is there twice.
    #[error("'{key}' is there twice in \"{part}\"")]
    Twice {
        /// `space` or `defaults`.
        part: &'static str,
        /// The key.
        key: String,
    },
    /// A parameter of which nothing can be drawn.
    #[error("'{key}' may have {max} values; the number must be between 1 and 1000")]
    Max {
        /// The key.
        key: String,
        /// The number.
        max: u64,
    },
}

/// A value of the file: text, number, truth value or null.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Null(()),
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
}

impl Scalar {
    fn value(self) -> Value {
        match self {
            Scalar::Null(()) => None,
            Scalar::Bool(b) => Some(b.to_string()),
            Scalar::Number(n) => Some(n.to_string()),
            Scalar::Text(t) => Some(t),
        }
    }

    fn of(value: &Value) -> Scalar {
        match value {
            None => Scalar::Null(()),
            Some(text) => match serde_json::from_str::<serde_json::Number>(text) {
                Ok(n) if n.to_string() == *text => Scalar::Number(n),
                _ => Scalar::Text(text.clone()),
            },
        }
    }
}

/// An object whose order and repetitions are kept.
struct Pairs<T>(Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Pairs<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut out = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    out.push(pair);
                }
                Ok(Pairs(out))
            }
        }
        deserializer.deserialize_map(Reader(PhantomData))
    }
}

impl<T: Serialize> Serialize for Pairs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}

#[derive(Serialize, Deserialize)]
struct File {
    space: Pairs<(Vec<Scalar>, u64)>,
    #[serde(default = "nothing")]
    defaults: Pairs<Scalar>,
}

fn nothing() -> Pairs<Scalar> {
    Pairs(Vec::new())
}

impl SpaceFile {
    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<SpaceFile, SpaceFileError> {
        let file: File = serde_json::from_str(text)?;
        let mut out = SpaceFile::default();
        for (key, (values, max)) in file.space.0 {
            check("space", &key, out.space.parameters.iter().map(|p| &p.name))?;
            if !(1..=1000).contains(&max) {
                return Err(SpaceFileError::Max { key, max });
            }
            let values = values.into_iter().map(Scalar::value).collect();
            out.space.parameters.push(Parameter { name: key, values, max: max as usize });
        }
        for (key, value) in file.defaults.0 {
            check("defaults", &key, out.defaults.iter().map(|d| &d.0))?;
            out.defaults.push((key, value.value()));
        }
        Ok(out)
    }

    /// The text of a file, four blanks deep as the public tool writes it.
    pub fn to_json(&self) -> String {
        let space = self.space.parameters.iter();
        let file = File {
            space: Pairs(
                space
                    .map(|p| (p.name.clone(), (p.values.iter().map(Scalar::of).collect(), p.max as u64)))
                    .collect(),
            ),
            defaults: Pairs(self.defaults.iter().map(|(k, v)| (k.clone(), Scalar::of(v))).collect()),
        };
        let lines = |pairs: Vec<String>| pairs.join(",\n");
        let space = file.space.0.iter().map(|(k, v)| format!("        {}: {}", json(k), json(v))).collect();
        let defaults =
            file.defaults.0.iter().map(|(k, v)| format!("        {}: {}", json(k), json(v))).collect();
        format!(
            "{{\n    \"space\": {{\n{}\n    }},\n    \"defaults\": {{\n{}\n    }}\n}}\n",
            lines(space),
            lines(defaults)
        )
    }
}

/// JSON of plain data, which has no way to fail.
fn json<T: Serialize>(data: &T) -> String {
    serde_json::to_string(data).unwrap_or_default()
}

fn check<'a>(
    part: &'static str,
    key: &str,
    mut others: impl Iterator<Item = &'a String>,
) -> Result<(), SpaceFileError> {
    if !key.starts_with('-') || key.trim_start_matches('-').trim().is_empty() {
        return Err(SpaceFileError::NoOption { part, key: key.to_string() });
    }
    match others.any(|k| k == key) {
        true => Err(SpaceFileError::Twice { part, key: key.to_string() }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
        "space": {"-sym-files 1": [[4, 8], 1], "-max-static-fork-pct": [[0.25, 1], 1],
                  "-sym-stdout": [["on", "off"], 1], "-seed-file": [[], 1], "-a": [[true, null], 2]},
        "defaults": {"-watchdog": null, "-output-module": "false", "-sym-stdin": 8}}"#;

    #[test]
    fn everything_is_read_in_order() {
        let file = SpaceFile::parse(TEXT).unwrap();
        let names: Vec<&str> = file.space.parameters.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["-sym-files 1", "-max-static-fork-pct", "-sym-stdout", "-seed-file", "-a"]);
        assert_eq!(file.space.parameters[1].values, [Some("0.25".into()), Some("1".into())]);
        assert_eq!(file.space.parameters[4].values, [Some("true".into()), None]);
        assert_eq!(file.space.parameters[4].max, 2);
        assert_eq!(file.defaults[0], ("-watchdog".into(), None));
        assert_eq!(file.defaults[2], ("-sym-stdin".into(), Some("8".into())));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let file = SpaceFile::parse(TEXT).unwrap();
        assert_eq!(SpaceFile::parse(&file.to_json()).unwrap(), file);
        assert!(file.to_json().contains("\"-sym-files 1\": [[4,8],1]"), "{}", file.to_json());
        assert_eq!(SpaceFile::parse(&SpaceFile::default().to_json()).unwrap(), SpaceFile::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| SpaceFile::parse(text).unwrap_err().to_string();
        assert!(error("[]").contains("no space file"));
        assert!(error(r#"{"space": {"-x": [1, 2]}}"#).contains("space file"));
        assert!(error(r#"{"space": {"x": [[1], 1]}}"#).contains("'x'"));
        assert!(error(r#"{"space": {"-x": [[1], 1], "-x": [[2], 1]}}"#).contains("twice"));
        assert!(error(r#"{"space": {"-x": [[1], 0]}}"#).contains("between 1 and 1000"));
        assert!(error(r#"{"space": {"-x": [[[1]], 1]}}"#).contains("space file"));
        assert!(error(r#"{"space": {}, "defaults": {"y": 1}}"#).contains("defaults"));
    }
}

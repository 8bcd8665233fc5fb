//! What a test is: the values of the program's inputs in the order in which it asks for them, its arguments,
//! and what the engine predicts a native run will do. It holds no file format; [`crate::json`] and
//! [`crate::ktest`] are those.

use crate::kinds::BugKind;

/// One input of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The name given in the harness, or by the model (`arg0`, `stdin`, …).
    pub name: String,
    /// Its value.
    pub bytes: Vec<u8>,
}

impl Object {
    /// An input with this name and value.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Object {
        Object { name: name.into(), bytes: bytes.into() }
    }

    /// The value read as a little-endian signed integer, for sizes 1, 2, 4 and 8.
    pub fn as_signed(&self) -> Option<i64> {
        Some(match *self.bytes.as_slice() {
            [a] => i64::from(a as i8),
            [a, b] => i64::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => return None,
        })
    }

    /// The value read as a little-endian unsigned integer, for sizes 1, 2, 4 and 8.
    pub fn as_unsigned(&self) -> Option<u64> {
        if !matches!(self.bytes.len(), 1 | 2 | 4 | 8) {
            return None;
        }
        Some(self.bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

/// A place in the program's source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The source file as the compiler knew it; empty when there is no debug information.
    pub file: String,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
    /// The function; empty when unknown.
    pub function: String,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.is_empty(), self.function.is_empty()) {
            (false, true) => write!(f, "{}:{}", self.file, self.line),
            (false, false) => write!(f, "{}:{} in {}", self.file, self.line, self.function),
            (true, false) => write!(f, "in {}", self.function),
            (true, true) => f.write_str("an unknown place"),
        }
    }
}

/// A file that the program finds in its working directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TestFile {
    /// Its name: one path component.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// Whether a file of a test may have this name: one component, so that nothing is written outside of a directory.
pub fn check_file_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) || name.len() > 255 {
        return Err(format!("{name:?} is not the name of a file in a directory"));
    }
    Ok(())
}

/// How the engine predicts that a native run of the test ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program exits with this code.
    Exit(i32),
    /// The program is ended by this signal, on purpose (`raise`, `kill`).
    Signal(i32),
    /// The program goes wrong.
    Bug {
        /// How.
        kind: BugKind,
        /// Where.
        place: Place,
    },
    /// The path was not followed to its end; the reason why.
    Unfinished(String),
}

/// A test: inputs, and what is expected of the program on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCase {
    /// The program's arguments, its name first. Bytes, because a symbolic argument can hold anything but zero.
    pub args: Vec<Vec<u8>>,
    /// The inputs, in the order in which the program asks for them.
    pub objects: Vec<Object>,
    /// What the program reads from standard input; `None`: nothing is there.
    pub stdin: Option<Vec<u8>>,
    /// Files of the working directory, which holds nothing else.
    pub files: Vec<TestFile>,
    /// Environment variables: name and value.
    pub env: Vec<(String, Vec<u8>)>,
    /// How the run is predicted to end.
    pub outcome: Option<Outcome>,
    /// What the run is predicted to write to standard output.
    pub stdout: Option<Vec<u8>>,
    /// What the run is predicted to write to standard error.
    pub stderr: Option<Vec<u8>>,
    /// The number of the path in its exploration.
    pub path: Option<u64>,
    /// Instructions the engine executed on the path.
    pub instructions: Option<u64>,
    /// Whether the path covered code that no earlier one did.
    pub covered_new: bool,
}

impl TestCase {
    /// A test with these inputs and no prediction.
    pub fn new(args: Vec<Vec<u8>>, objects: Vec<Object>) -> TestCase {
        TestCase { args, objects, ..TestCase::default() }
    }

    /// The first input with this name.
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.name == name)
    }

    /// The file with this name.
    pub fn file(&self, name: &str) -> Option<&TestFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// The arguments after the program's name.
    pub fn arguments(&self) -> &[Vec<u8>] {
        self.args.get(1..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_little_endian() {
        assert_eq!(Object::new("a", [0xff]).as_signed(), Some(-1));
        assert_eq!(Object::new("a", [0xff]).as_unsigned(), Some(255));
        assert_eq!(Object::new("a", [0, 0x80]).as_signed(), Some(-32768));
        assert_eq!(Object::new("a", [0, 0, 0, 0x80]).as_unsigned(), Some(0x8000_0000));
        assert_eq!(Object::new("a", [0xff; 8]).as_unsigned(), Some(u64::MAX));
        assert_eq!(Object::new("a", [1, 2, 3]).as_signed(), None);
        assert_eq!(Object::new("a", []).as_unsigned(), None);
    }

    #[test]
    fn places_read_well() {
        let place = Place { file: "a.c".into(), line: 3, function: "f".into() };
        assert_eq!(place.to_string(), "a.c:3 in f");
        assert_eq!(Place::default().to_string(), "an unknown place");
    }
}

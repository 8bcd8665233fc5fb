//! The test file format: JSON, one input a line, bytes as in [`crate::escape`]. Readers tolerate fields they do
//! not know; everything they do know is checked, and an error names the file and the place in it. Reading must
//! never panic or allocate beyond the file's own size. [`read`] also takes `.ktest` files.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::atomic::{WriteError, atomic_write};
use crate::case::{Object, Outcome, Place, TestCase};
use crate::escape::{escape, unescape};
use crate::kinds::BugKind;
use crate::ktest::KTest;

/// What `format` says in every test file.
pub const FORMAT: &str = "forkwise-test";
/// The version this code writes; it reads this one and older ones.
pub const VERSION: u64 = 1;
/// No test file is as long as this; a device or a runaway file is refused instead of read into memory.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// A test file cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct TestFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, and where.
    pub problem: String,
}

/// The name of the test file with this number.
pub fn file_name(number: u64) -> String {
    format!("{number:06}.test.json")
}

#[derive(Deserialize)]
struct Document {
    format: Option<String>,
    version: Option<u64>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    objects: Vec<ObjectEntry>,
    #[serde(default)]
    expect: Option<Expectation>,
    path: Option<u64>,
    instructions: Option<u64>,
    #[serde(default)]
    covered_new: bool,
}

#[derive(Deserialize)]
struct ObjectEntry {
    name: String,
    size: Option<u64>,
    bytes: Option<String>,
    int: Option<serde_json::Number>,
}

#[derive(Deserialize)]
struct Expectation {
    exit: Option<i32>,
    signal: Option<i32>,
    bug: Option<BugEntry>,
    unfinished: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

#[derive(Deserialize)]
struct BugEntry {
    kind: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    function: String,
}

/// Reads a test from a file in this format or in KLEE's.
pub fn read(path: &Path) -> Result<TestCase, TestFileError> {
    let fail = |problem: String| TestFileError { path: path.to_path_buf(), problem };
    let bytes = read_file(path)?;
    if KTest::is_ktest(&bytes) {
        let ktest = KTest::parse(&bytes).map_err(|error| fail(error.to_string()))?;
        return TestCase::try_from(ktest).map_err(|error| fail(error.to_string()));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        fail(format!("neither a .ktest file nor text: invalid UTF-8 at byte {}", error.valid_up_to()))
    })?;
    parse(text).map_err(fail)
}

/// Reads a whole file, refusing directories, devices without end and other giants.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, TestFileError> {
    let fail = |problem: String| TestFileError { path: path.to_path_buf(), problem };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(fail("no such file".into())),
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            Err(fail("is a directory, not a test file".into()))
        }
        Err(error) => Err(fail(format!("cannot read: {error}"))),
        Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => Err(fail("larger than any test file".into())),
        Ok(_) => Ok(bytes),
    }
}

/// Writes a test file, whole or not at all.
pub fn write(path: &Path, test: &TestCase) -> Result<(), WriteError> {
    atomic_write(path, to_text(test).as_bytes())
}

/// Parses the text of a test file. The error is a sentence that names the place in the text.
pub fn parse(text: &str) -> Result<TestCase, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match document.format.as_deref() {
        Some(FORMAT) => {}
        Some(other) => return Err(format!("`format` is \"{other}\", not \"{FORMAT}\"")),
        None => return Err(format!("not a test file: `format` is missing, it should say \"{FORMAT}\"")),
    }
    match document.version {
        Some(1..=VERSION) => {}
        Some(version) => return Err(format!("`version` is {version}; this program reads up to {VERSION}")),
        None => return Err("`version` is missing".into()),
    }
    let bytes = |text: &str, place: &str| unescape(text).map_err(|error| format!("{place}: {error}"));

    let mut test = TestCase {
        path: document.path,
        instructions: document.instructions,
        covered_new: document.covered_new,
        ..TestCase::default()
    };
    for (index, arg) in document.args.iter().enumerate() {
        test.args.push(bytes(arg, &format!("args[{index}]"))?);
    }
    for (index, entry) in document.objects.into_iter().enumerate() {
        test.objects.push(object(entry).map_err(|problem| format!("objects[{index}]{problem}"))?);
    }
    if let Some(expect) = document.expect {
        if let Some(stdout) = &expect.stdout {
            test.stdout = Some(bytes(stdout, "expect.stdout")?);
        }
        if let Some(stderr) = &expect.stderr {
            test.stderr = Some(bytes(stderr, "expect.stderr")?);
        }
        test.outcome = outcome(expect)?;
    }
    Ok(test)
}

fn outcome(expect: Expectation) -> Result<Option<Outcome>, String> {
    let mut outcomes = Vec::new();
    outcomes.extend(expect.exit.map(Outcome::Exit));
    outcomes.extend(expect.signal.map(Outcome::Signal));
    outcomes.extend(expect.unfinished.map(Outcome::Unfinished));
    if let Some(bug) = expect.bug {
        let kind = BugKind::from_id(&bug.kind)
            .ok_or_else(|| format!("expect.bug.kind: \"{}\" is not a kind of bug", bug.kind))?;
        let place = Place { file: bug.file, line: bug.line, function: bug.function };
        outcomes.push(Outcome::Bug { kind, place });
    }
    if outcomes.len() > 1 {
        return Err("expect: only one of `exit`, `signal`, `bug` and `unfinished` can be true".into());
    }
    Ok(outcomes.pop())
}

fn object(entry: ObjectEntry) -> Result<Object, String> {
    let from_int = |int: &serde_json::Number, size: u64| -> Result<Vec<u8>, String> {
        if !matches!(size, 1 | 2 | 4 | 8) {
            return Err(format!(".int: an integer has 1, 2, 4 or 8 bytes, not {size}"));
        }
        let value = int
            .as_i64()
            .map(i128::from)
            .or_else(|| int.as_u64().map(i128::from))
            .ok_or_else(|| format!(".int: {int} is not a 64-bit integer"))?;
        let bits = 8 * size;
        if value < -(1i128 << (bits - 1)) || value >= 1i128 << bits {
            return Err(format!(".int: {value} does not fit into {size} bytes"));
        }
        Ok(value.to_le_bytes()[..size as usize].to_vec())
    };
    let bytes = match (&entry.bytes, &entry.int) {
        (Some(text), int) => {
            let bytes = unescape(text).map_err(|error| format!(".bytes: {error}"))?;
            if let Some(int) = int
                && from_int(int, bytes.len() as u64)? != bytes
            {
                return Err(format!(".int: is {int}, but `bytes` hold another value; delete one of the two"));
            }
            bytes
        }
        (None, Some(int)) => {
            from_int(int, entry.size.ok_or(".size: needed when there is `int` but no `bytes`")?)?
        }
        (None, None) => return Err(": has neither `bytes` nor `int`".into()),
    };
    if let Some(size) = entry.size
        && size != bytes.len() as u64
    {
        return Err(format!(".size: is {size}, but `bytes` hold {}", bytes.len()));
    }
    Ok(Object { name: entry.name, bytes })
}

/// The text of a test file.
pub fn to_text(test: &TestCase) -> String {
    let mut lines = vec![format!("\"format\": {}", quote(FORMAT)), format!("\"version\": {VERSION}")];
    let args: Vec<String> = test.args.iter().map(|arg| quote(&escape(arg))).collect();
    lines.push(format!("\"args\": [{}]", args.join(", ")));

    let objects: Vec<String> = test.objects.iter().map(object_text).collect();
    lines.push(if objects.is_empty() {
        "\"objects\": []".into()
    } else {
        format!("\"objects\": [\n    {}\n  ]", objects.join(",\n    "))
    });

    let mut expect = Vec::new();
    match &test.outcome {
        None => {}
        Some(Outcome::Exit(code)) => expect.push(format!("\"exit\": {code}")),
        Some(Outcome::Signal(signal)) => expect.push(format!("\"signal\": {signal}")),
        Some(Outcome::Unfinished(reason)) => expect.push(format!("\"unfinished\": {}", quote(reason))),
        Some(Outcome::Bug { kind, place }) => expect.push(format!(
            "\"bug\": {{\"kind\": {}, \"file\": {}, \"line\": {}, \"function\": {}}}",
            quote(kind.id()),
            quote(&place.file),
            place.line,
            quote(&place.function)
        )),
    }
    expect.extend(test.stdout.as_ref().map(|bytes| format!("\"stdout\": {}", quote(&escape(bytes)))));
    expect.extend(test.stderr.as_ref().map(|bytes| format!("\"stderr\": {}", quote(&escape(bytes)))));
    if !expect.is_empty() {
        lines.push(format!("\"expect\": {{\n    {}\n  }}", expect.join(",\n    ")));
    }
    lines.extend(test.path.map(|path| format!("\"path\": {path}")));
    lines.extend(test.instructions.map(|count| format!("\"instructions\": {count}")));
    if test.covered_new {
        lines.push("\"covered_new\": true".into());
    }
    format!("{{\n  {}\n}}\n", lines.join(",\n  "))
}

fn object_text(object: &Object) -> String {
    let mut text = format!(
        "{{\"name\": {}, \"size\": {}, \"bytes\": {}",
        quote(&object.name),
        object.bytes.len(),
        quote(&escape(&object.bytes))
    );
    if let Some(value) = object.as_signed() {
        // Writing to a String cannot fail.
        let _ = write!(text, ", \"int\": {value}");
    }
    text.push('}');
    text
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> TestCase {
        TestCase {
            args: vec![b"prog".to_vec(), b"-x\xff".to_vec()],
            objects: vec![Object::new("a", [0, 0, 0, 0x80]), Object::new("buf \"q\"", *b"hi\n\0%")],
            outcome: Some(Outcome::Bug {
                kind: BugKind::UseAfterFree,
                place: Place { file: "x.c".into(), line: 7, function: "f".into() },
            }),
            stdout: Some(b"out\n".to_vec()),
            stderr: None,
            path: Some(4),
            instructions: Some(99),
            covered_new: true,
            ..TestCase::default()
        }
    }

    #[test]
    fn the_format_is_readable() {
        let expected = r#"{
  "format": "forkwise-test",
  "version": 1,
  "args": ["prog", "-x%ff"],
  "objects": [
    {"name": "a", "size": 4, "bytes": "%00%00%00%80", "int": -2147483648},
    {"name": "buf \"q\"", "size": 5, "bytes": "hi\n%00%25"}
  ],
  "expect": {
    "bug": {"kind": "use-after-free", "file": "x.c", "line": 7, "function": "f"},
    "stdout": "out\n"
  },
  "path": 4,
  "instructions": 99,
  "covered_new": true
}
"#;
        assert_eq!(to_text(&sample()), expected);
        assert_eq!(parse(expected).unwrap(), sample());
    }

    #[test]
    fn unknown_fields_are_tolerated_and_integers_may_stand_alone() {
        let text = r#"{"format": "forkwise-test", "version": 1, "colour": "red",
            "objects": [{"name": "n", "size": 2, "int": -2, "note": 1}, {"name": "u", "size": 1, "int": 255}]}"#;
        let test = parse(text).unwrap();
        assert_eq!(test.objects, [Object::new("n", [0xfe, 0xff]), Object::new("u", [0xff])]);
    }

    #[test]
    fn errors_name_the_place() {
        let with =
            |objects: &str| format!(r#"{{"format": "forkwise-test", "version": 1, "objects": [{objects}]}}"#);
        for (text, part) in [
            ("".to_string(), "line 1 column 0"),
            ("{".to_string(), "line 1 column 1"),
            ("[]".to_string(), "line 1"),
            (r#"{"version": 1}"#.to_string(), "`format` is missing"),
            (r#"{"format": "x", "version": 1}"#.to_string(), "`format` is \"x\""),
            (r#"{"format": "forkwise-test"}"#.to_string(), "`version` is missing"),
            (r#"{"format": "forkwise-test", "version": 2}"#.to_string(), "`version` is 2"),
            (
                r#"{"format": "forkwise-test", "version": 1, "args": [3]}"#.to_string(),
                "expected a string at line 1",
            ),
            (
                r#"{"format": "forkwise-test", "version": 1, "args": ["%"]}"#.to_string(),
                "args[0]: `%` at byte 0",
            ),
            (
                r#"{"format": "forkwise-test", "version": 1, "expect": {"exit": 0, "signal": 3}}"#
                    .to_string(),
                "expect: only one",
            ),
            (
                r#"{"format": "forkwise-test", "version": 1, "expect": {"bug": {"kind": "odd"}}}"#
                    .to_string(),
                "expect.bug.kind: \"odd\"",
            ),
            (with(r#"{"name": "a"}"#), "objects[0]: has neither"),
            (with(r#"{"name": "a", "int": 1}"#), "objects[0].size: needed"),
            (with(r#"{"name": "a", "size": 3, "int": 1}"#), "objects[0].int: an integer has"),
            (with(r#"{"name": "a", "size": 1, "int": 256}"#), "objects[0].int: 256 does not fit"),
            (with(r#"{"name": "a", "size": 1, "int": 1.5}"#), "objects[0].int: 1.5 is not"),
            (
                with(r#"{"name": "a", "bytes": ""}, {"name": "b", "size": 2, "bytes": "x"}"#),
                "objects[1].size: is 2",
            ),
            (with(r#"{"name": "a", "bytes": "%01", "int": 2}"#), "objects[0].int: is 2"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn files_round_trip_and_bad_ones_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file_name(7));
        assert!(path.ends_with("000007.test.json"));
        write(&path, &sample()).unwrap();
        assert_eq!(read(&path).unwrap(), sample());

        for (bytes, part) in
            [(&b"\xff\xfe"[..], "invalid UTF-8"), (b"KTEST\0\0", "truncated"), (b"{}", "`format` is missing")]
        {
            std::fs::write(&path, bytes).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("000007.test.json") && error.contains(part), "{error}");
        }
        assert!(read(dir.path()).unwrap_err().to_string().contains("directory"));
        assert!(read(&dir.path().join("none")).unwrap_err().to_string().contains("no such file"));
    }

    fn any_test() -> impl Strategy<Value = TestCase> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..40);
        let objects =
            prop::collection::vec((".*", bytes()).prop_map(|(name, bytes)| Object { name, bytes }), 0..5);
        let outcome = prop_oneof![
            Just(None),
            any::<i32>().prop_map(|code| Some(Outcome::Exit(code))),
            any::<i32>().prop_map(|signal| Some(Outcome::Signal(signal))),
            ".*".prop_map(|reason| Some(Outcome::Unfinished(reason))),
            (0..BugKind::ALL.len(), ".*", any::<u32>(), ".*").prop_map(|(kind, file, line, function)| {
                Some(Outcome::Bug { kind: BugKind::ALL[kind], place: Place { file, line, function } })
            }),
        ];
        let rest =
            (prop::option::of(bytes()), prop::option::of(bytes()), any::<Option<u64>>(), any::<bool>());
        (prop::collection::vec(bytes(), 0..4), objects, outcome, rest).prop_map(
            |(args, objects, outcome, (stdout, stderr, path, covered_new))| TestCase {
                args,
                objects,
                outcome,
                stdout,
                stderr,
                path,
                instructions: path,
                covered_new,
                ..TestCase::default()
            },
        )
    }

    proptest! {
        #[test]
        fn every_test_round_trips(test in any_test()) {
            prop_assert_eq!(parse(&to_text(&test)).unwrap(), test);
        }

        #[test]
        fn damaged_text_never_panics(at in 0usize..400, with in any::<char>()) {
            let mut text: Vec<char> = to_text(&sample()).chars().collect();
            let at = at % text.len();
            text[at] = with;
            let _ = parse(&text.iter().collect::<String>());
        }
    }
}

//! The test file format: JSON, one input a line, bytes as in [`crate::escape`]. Readers tolerate fields they do
//! not know; everything they do know is checked, and an error names the file and the place in it. Reading must
//! never panic or allocate beyond the file's own size. [`read`] also takes `.ktest` files.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::atomic::{WriteError, atomic_write};
use crate::case::{Object, Outcome, Place, TestCase, TestFile, check_file_name};
use crate::escape::{escape, unescape};
use crate::kinds::BugKind;
use crate::ktest::KTest;
use crate::model;

/// What `format` says in every test file.
pub const FORMAT: &str = "forkwise-test";
/// The newest version; all up to it are read. Version 2 has `stdin`, `files` and `env`, which a reader of version 1
/// would pass over; a test without them is still written as version 1.
pub const VERSION: u64 = 2;
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
    stdin: Option<String>,
    #[serde(default)]
    files: Vec<NamedBytes>,
    #[serde(default)]
    env: Vec<NamedBytes>,
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

/// A file of the program's directory or a variable of its environment.
#[derive(Deserialize)]
struct NamedBytes {
    name: String,
    bytes: String,
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

/// Reads a test from a file in this format or in KLEE's. What the objects of KLEE's POSIX model mean is worked out:
/// see [`crate::model::expand`].
pub fn read(path: &Path) -> Result<TestCase, TestFileError> {
    let fail = |problem: String| TestFileError { path: path.to_path_buf(), problem };
    let bytes = read_file(path)?;
    if KTest::is_ktest(&bytes) {
        let ktest = KTest::parse(&bytes).map_err(|error| fail(error.to_string()))?;
        let test = TestCase::try_from(ktest).map_err(|error| fail(error.to_string()))?;
        return model::expand(test).map_err(fail);
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
    if let Some(stdin) = &document.stdin {
        test.stdin = Some(bytes(stdin, "stdin")?);
    }
    for (index, entry) in document.files.into_iter().enumerate() {
        let place = format!("files[{index}]");
        check_file_name(&entry.name).map_err(|problem| format!("{place}.name: {problem}"))?;
        let bytes = bytes(&entry.bytes, &place)?;
        test.files.push(TestFile { name: entry.name, bytes });
    }
    for (index, entry) in document.env.into_iter().enumerate() {
        let place = format!("env[{index}]");
        if entry.name.is_empty() || entry.name.contains(['=', '\0']) {
            return Err(format!("{place}.name: {:?} cannot name a variable", entry.name));
        }
        test.env.push((entry.name, bytes(&entry.bytes, &place)?));
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
    let plain = test.stdin.is_none() && test.files.is_empty() && test.env.is_empty();
    let version = if plain { 1 } else { VERSION };
    let mut lines = vec![format!("\"format\": {}", quote(FORMAT)), format!("\"version\": {version}")];
    let args: Vec<String> = test.args.iter().map(|arg| quote(&escape(arg))).collect();
    lines.push(format!("\"args\": [{}]", args.join(", ")));

    let objects: Vec<String> = test.objects.iter().map(object_text).collect();
    lines.push(if objects.is_empty() {
        "\"objects\": []".into()
    } else {
        format!("\"objects\": [\n    {}\n  ]", objects.join(",\n    "))
    });

    lines.extend(test.stdin.as_ref().map(|bytes| format!("\"stdin\": {}", quote(&escape(bytes)))));
    let files: Vec<String> = test.files.iter().map(|file| named_text(&file.name, &file.bytes)).collect();
    let env: Vec<String> = test.env.iter().map(|(name, value)| named_text(name, value)).collect();
    for (key, entries) in [("files", files), ("env", env)] {
        if !entries.is_empty() {
            lines.push(format!("\"{key}\": [\n    {}\n  ]", entries.join(",\n    ")));
        }
    }

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

fn named_text(name: &str, bytes: &[u8]) -> String {
    format!("{{\"name\": {}, \"bytes\": {}}}", quote(name), quote(&escape(bytes)))
}

fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;

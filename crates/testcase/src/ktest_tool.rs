//! The text that KLEE's `ktest-tool` prints for a `.ktest` file, and its `--extract`. Scripts parse this text, so
//! it must stay the same to the byte, Python's way of showing strings and bytes included.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::atomic::{WriteError, atomic_write};
use crate::case::Object;
use crate::escape::hex;
use crate::ktest::KTest;

/// Options of the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--trim-zeros`: leave zero bytes at the end of a value away.
    pub trim_zeros: bool,
}

/// `--extract` failed.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// Objects that the file does not have.
    #[error("Could not find object{}: {}", if .0.len() == 1 { "" } else { "s" }, .0.join(", "))]
    Missing(Vec<String>),
    /// A file that cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The tool's text for one file; `path` as the user gave it.
pub fn format(path: &str, ktest: &KTest, options: Options) -> String {
    let args: Vec<String> = ktest.args.iter().map(|arg| python_str(&String::from_utf8_lossy(arg))).collect();
    let mut out = format!("ktest file : {}\n", python_str(path));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "args       : [{}]", args.join(", "));
    let _ = writeln!(out, "num objects: {}", ktest.objects.len());
    let width = ktest.objects.len().saturating_sub(1).max(1).to_string().len();
    for (index, (name, data)) in ktest.objects.iter().enumerate() {
        let shown = shown(data, options);
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(out, "object {index:width$}: {key}: {value}");
        };
        line("name", &format!("'{}'", String::from_utf8_lossy(name)));
        line("size", &data.len().to_string());
        line("data", &python_bytes(shown));
        line("hex ", &format!("0x{}", hex(shown)));
        let object = Object::new("", data.as_slice());
        if let (Some(signed), Some(unsigned)) = (object.as_signed(), object.as_unsigned()) {
            line("int ", &signed.to_string());
            line("uint", &unsigned.to_string());
        }
        let text: String =
            shown.iter().map(|b| if matches!(b, b' '..=b'~') { char::from(*b) } else { '.' }).collect();
        line("text", &text);
    }
    out
}

fn shown(data: &[u8], options: Options) -> &[u8] {
    let zeros = if options.trim_zeros { data.iter().rev().take_while(|byte| **byte == 0).count() } else { 0 };
    &data[..data.len() - zeros]
}

/// `--extract`: writes each named object's value to `FILE.NAME` and returns the files written. Names that the file
/// does not have are an error, after the others were written.
pub fn extract(
    path: &Path,
    ktest: &KTest,
    names: &[String],
    options: Options,
) -> Result<Vec<PathBuf>, ExtractError> {
    let mut missing: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let wanted = missing.clone();
    let mut written = Vec::new();
    for (name, data) in &ktest.objects {
        let Some(name) = std::str::from_utf8(name).ok().filter(|name| wanted.contains(name)) else {
            continue;
        };
        let mut target = path.as_os_str().to_os_string();
        // A name is a file name here; a slash in it must not lead to another directory.
        target.push(format!(".{}", name.replace('/', "_")));
        let target = PathBuf::from(target);
        atomic_write(&target, shown(data, options))?;
        written.push(target);
        missing.remove(name);
    }
    if missing.is_empty() {
        Ok(written)
    } else {
        Err(ExtractError::Missing(missing.into_iter().map(String::from).collect()))
    }
}

/// `repr` of a Python `bytes`: single quotes unless only they occur in it.
fn python_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut out = format!("b{quote}");
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => {
                if char::from(byte) == quote {
                    out.push('\\');
                }
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push(quote);
    out
}

/// `repr` of a Python `str`.
fn python_str(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() && u32::from(c) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ktest(objects: &[(&str, &[u8])]) -> KTest {
        KTest {
            version: 3,
            args: vec![b"get_sign.bc".to_vec()],
            sym_argvs: 0,
            sym_argv_len: 0,
            objects: objects.iter().map(|(n, d)| (n.as_bytes().to_vec(), d.to_vec())).collect(),
        }
    }

    #[test]
    fn prints_what_klees_documentation_shows() {
        let expected = r"ktest file : 'klee-last/test000003.ktest'
args       : ['get_sign.bc']
num objects: 1
object 0: name: 'a'
object 0: size: 4
object 0: data: b'\x00\x00\x00\x80'
object 0: hex : 0x00000080
object 0: int : -2147483648
object 0: uint: 2147483648
object 0: text: ....
";
        let file = ktest(&[("a", &[0, 0, 0, 0x80])]);
        assert_eq!(format("klee-last/test000003.ktest", &file, Options::default()), expected);
    }

    #[test]
    fn sizes_without_an_integer_and_trimmed_zeros() {
        let file = ktest(&[("arg00", b"hello\xff"), ("b", b"ab\0\0"), ("e", b"")]);
        let text = format("t", &file, Options { trim_zeros: true });
        assert!(text.contains(
            "object 0: data: b'hello\\xff'\nobject 0: hex : 0x68656c6c6fff\nobject 0: text: hello.\n"
        ));
        // The integer is of all bytes, trimmed or not; the size too.
        assert!(text.contains(
            "object 1: size: 4\nobject 1: data: b'ab'\nobject 1: hex : 0x6162\nobject 1: int : 25185\nobject 1: uint: 25185\nobject 1: text: ab\n"
        ));
        assert!(
            text.contains("object 2: size: 0\nobject 2: data: b''\nobject 2: hex : 0x\nobject 2: text: \n")
        );
    }

    #[test]
    fn indices_are_aligned_when_there_are_many() {
        let objects: Vec<(&str, &[u8])> = (0..11).map(|_| ("x", &b"1"[..])).collect();
        let text = format("t", &ktest(&objects), Options::default());
        assert!(text.contains("object  0: name: 'x'\n") && text.contains("object 10: name: 'x'\n"));
        assert!(format("t", &ktest(&objects[..10]), Options::default()).contains("object 9: name"));
    }

    #[test]
    fn quotes_are_pythons() {
        assert_eq!(python_bytes(b"it's"), r#"b"it's""#);
        assert_eq!(python_bytes(b"it's \"x\"\\"), r#"b'it\'s "x"\\'"#);
        assert_eq!(python_bytes(b"\t\n\r\x7f"), r"b'\t\n\r\x7f'");
        assert_eq!(python_str("a'b"), "\"a'b\"");
        assert_eq!(python_str("\u{1}\u{e9}"), "'\\x01\u{e9}'");
    }

    #[test]
    fn extract_writes_beside_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.ktest");
        let file = ktest(&[("a", b"12\0"), ("../b", b"3")]);
        let names = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let written = extract(&path, &file, &names(&["a", "../b"]), Options { trim_zeros: true }).unwrap();
        assert_eq!(written, [dir.path().join("t.ktest.a"), dir.path().join("t.ktest..._b")]);
        assert_eq!(std::fs::read(&written[0]).unwrap(), b"12");
        let error = extract(&path, &file, &names(&["z", "y", "a"]), Options::default()).unwrap_err();
        assert_eq!(error.to_string(), "Could not find objects: y, z");
        let error = extract(&path, &file, &names(&["z"]), Options::default()).unwrap_err();
        assert_eq!(error.to_string(), "Could not find object: z");
    }
}

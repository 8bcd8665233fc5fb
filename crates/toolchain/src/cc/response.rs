//! Response files: `@file` on a command line stands for the arguments in the file. Quoting is GNU's, as clang reads it on
//! Linux. A name that is no file stays an argument, as with clang; must never fail on odd contents.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// How often response files may lead to further ones; a file that names itself must end somewhere.
const LIMIT: usize = 200;

/// The arguments with every response file replaced by what is in it.
pub(super) fn expand(args: &[OsString]) -> Vec<OsString> {
    let mut pending: VecDeque<OsString> = args.iter().cloned().collect();
    let mut result = Vec::with_capacity(args.len());
    let mut files = 0;
    while let Some(arg) = pending.pop_front() {
        let file = arg.as_bytes().strip_prefix(b"@").filter(|name| !name.is_empty());
        match file.filter(|_| files < LIMIT).and_then(|name| fs::read(OsStr::from_bytes(name)).ok()) {
            Some(text) => {
                files += 1;
                for arg in split(&text).into_iter().rev() {
                    pending.push_front(arg);
                }
            }
            None => result.push(arg),
        }
    }
    result
}

/// Words separated by white space; `'…'` keeps everything, `"…"` all but backslashes, a backslash keeps what follows.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') => quote = None,
            (Some(b'\''), _) => word.get_or_insert_default().push(byte),
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(_), _) => word.get_or_insert_default().push(byte),
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c') => {
                words.extend(word.take().map(OsString::from_vec));
            }
            (None, _) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

/// Arguments as a response file that [`expand`] and LLVM's programs read back exactly.
pub(super) fn join(args: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for arg in args {
        text.push(b'"');
        for &byte in arg.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        split(text.as_bytes()).into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn quoting_is_gnus() {
        assert_eq!(words("a  b\n c\t"), ["a", "b", "c"]);
        assert_eq!(words("'a b' \"c \\\" d\" e\\ f ''"), ["a b", "c \" d", "e f", ""]);
        assert_eq!(words("-DX='\"y\"'"), ["-DX=\"y\""]);
        assert_eq!(words("'a\\b'"), ["a\\b"]);
        assert_eq!(words("open 'end"), ["open", "end"]);
        assert_eq!(words("\\"), [""]);
    }

    #[test]
    fn what_is_joined_is_split_again() {
        let args: Vec<OsString> = ["a b", "", "\"\\", "x'y", "line\nend"].map(OsString::from).into();
        assert_eq!(split(&join(&args)), args);
    }

    #[test]
    fn files_nest_and_names_without_a_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        fs::write(&inner, "two three").unwrap();
        fs::write(&outer, format!("one @{} four", inner.display())).unwrap();
        let mut at = OsString::from("@");
        at.push(&outer);
        let args = [at, "@none".into(), "@".into()];
        assert_eq!(expand(&args), ["one", "two", "three", "four", "@none", "@"]);
        // A file that names itself comes to an end.
        fs::write(&inner, format!("@{}", inner.display())).unwrap();
        let mut at = OsString::from("@");
        at.push(&inner);
        assert_eq!(expand(std::slice::from_ref(&at)), [at]);
    }
}

//! Command lines as people type them: words quoted for a shell, the commands that repeat a test by hand, and the way
//! back from a typed line to words. Nothing is expanded and no shell is started; what a line would need a shell for is
//! an error that says so.

use std::fmt::Write as _;

use crate::case::TestCase;

/// A word as bash takes it: bare, in single quotes, or in `$'…'` where it holds bytes that cannot be typed.
pub fn quote(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(byte);
    if !word.is_empty() && word.iter().all(plain) {
        return String::from_utf8_lossy(word).into_owned();
    }
    if word.iter().all(|byte| matches!(byte, b' '..=b'~') && *byte != b'\'') {
        return format!("'{}'", String::from_utf8_lossy(word));
    }
    let mut out = String::from("$'");
    for byte in word {
        match byte {
            b'\'' | b'\\' => {
                out.push('\\');
                out.push(char::from(*byte));
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            // Writing to a String cannot fail. Octal ends after three digits; hexadecimal would go on.
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out.push('\'');
    out
}

/// The argument of `printf` that writes exactly these bytes, in any POSIX shell.
pub fn printf_argument(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'%' => out.push_str("%%"),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            // An option is no format.
            b'-' if index == 0 => out.push_str("\\055"),
            b'\'' => out.push_str("\\047"),
            b' '..=b'~' => out.push(char::from(*byte)),
            _ => drop(write!(out, "\\{byte:03o}")),
        }
    }
    out.push('\'');
    out
}

/// The commands that do in an empty directory what a run of the test does.
pub fn commands(test: &TestCase) -> Vec<String> {
    let mut lines: Vec<String> = test
        .files
        .iter()
        .map(|file| format!("printf {} > {}", printf_argument(&file.bytes), quote(file.name.as_bytes())))
        .collect();
    let mut command = String::new();
    if let Some(stdin) = &test.stdin {
        let _ = write!(command, "printf {} | ", printf_argument(stdin));
    }
    if !test.env.is_empty() {
        command.push_str("env ");
        for (name, value) in &test.env {
            let _ = write!(command, "{} ", quote(&[name.as_bytes(), b"=", value].concat()));
        }
    }
    match test.args.split_first() {
        None => command.push_str("./program"),
        Some((program, rest)) => {
            command.push_str(&quote(program));
            for arg in rest {
                let _ = write!(command, " {}", quote(arg));
            }
        }
    }
    if test.stdin.is_none() {
        command.push_str(" </dev/null");
    }
    lines.push(command);
    lines
}

/// The words of a command line: blanks separate, quotes and backslashes work as in bash, `$'…'` included. `*`, `?` and
/// `$` stand for themselves.
pub fn split(line: &str) -> Result<Vec<Vec<u8>>, String> {
    let bytes = line.as_bytes();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' => words.extend(word.take()),
            b'\'' => {
                let length = find(&bytes[at..], b'\'').ok_or_else(|| unclosed(at, '\''))?;
                word.get_or_insert_default().extend(&bytes[at..at + length]);
                at += length + 1;
            }
            b'"' => at = double_quoted(bytes, at, word.get_or_insert_default())?,
            b'$' if bytes.get(at) == Some(&b'\'') => {
                at = escaped(bytes, at + 1, word.get_or_insert_default())?;
            }
            b'\\' => {
                let next = bytes.get(at).ok_or("the command line ends with a backslash")?;
                word.get_or_insert_default().push(*next);
                at += 1;
            }
            b'|' | b'<' | b'>' | b';' | b'&' | b'(' | b')' | b'`' => {
                return Err(format!(
                    "`{}` at byte {} would need a shell; put it in quotes if it belongs to an argument",
                    char::from(byte),
                    at - 1
                ));
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    Ok(words)
}

fn unclosed(at: usize, quote: char) -> String {
    format!("the quote {quote} at byte {} is not closed", at - 1)
}

fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    bytes.iter().position(|byte| *byte == wanted)
}

/// From after the opening quote to after the closing one.
fn double_quoted(bytes: &[u8], begin: usize, word: &mut Vec<u8>) -> Result<usize, String> {
    let mut at = begin;
    loop {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'"'), _) => return Ok(at + 1),
            (Some(b'\\'), Some(next @ (b'$' | b'`' | b'"' | b'\\'))) => {
                word.push(*next);
                at += 2;
            }
            (Some(byte), _) => {
                word.push(*byte);
                at += 1;
            }
            (None, _) => return Err(unclosed(begin, '"')),
        }
    }
}

/// The inside of `$'…'`.
fn escaped(bytes: &[u8], begin: usize, word: &mut Vec<u8>) -> Result<usize, String> {
    let mut at = begin;
    loop {
        let byte = *bytes.get(at).ok_or_else(|| unclosed(begin, '\''))?;
        at += 1;
        if byte == b'\'' {
            return Ok(at);
        }
        if byte != b'\\' {
            word.push(byte);
            continue;
        }
        let next = *bytes.get(at).ok_or_else(|| unclosed(begin, '\''))?;
        let digits = |from: usize, most: usize, radix: u32| {
            bytes[from..].iter().take(most).map_while(|b| char::from(*b).to_digit(radix)).collect::<Vec<_>>()
        };
        let value = |digits: &[u32], radix: u32| digits.iter().fold(0u32, |v, d| v * radix + d) as u8;
        at += 1;
        word.push(match next {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'e' => 27,
            b'x' => {
                let found = digits(at, 2, 16);
                at += found.len();
                value(&found, 16)
            }
            b'0'..=b'7' => {
                let found = digits(at - 1, 3, 8);
                at += found.len() - 1;
                value(&found, 8)
            }
            other => other,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::TestFile;
    use proptest::prelude::*;
    use std::process::Command;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap().into_iter().map(|word| String::from_utf8(word).unwrap()).collect()
    }

    #[test]
    fn lines_are_split_as_bash_does() {
        assert_eq!(words("grep -E a*b A"), ["grep", "-E", "a*b", "A"]);
        assert_eq!(
            words(r#"  sed -n 's/a b/c/p' "x \"y\" \z" a\ b '' "#),
            ["sed", "-n", "s/a b/c/p", "x \"y\" \\z", "a b", ""]
        );
        assert_eq!(words(r"p $'a\tb\101\x41\'\\'"), ["p", "a\tbAA'\\"]);
        for (line, part) in [
            ("a 'b", "byte 2 is not closed"),
            ("a \"b", "byte 2 is not closed"),
            ("a $'b", "is not closed"),
            ("a | b", "`|` at byte 2 would need a shell"),
            ("a\\", "ends with a backslash"),
        ] {
            let error = split(line).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn the_commands_do_what_the_test_says() {
        let test = TestCase {
            args: vec![b"cat".to_vec(), b"-".to_vec(), b"it's".to_vec(), b"A".to_vec()],
            stdin: Some(b"-n 100%\\\n\x01".to_vec()),
            files: vec![
                TestFile { name: "it's".into(), bytes: b"'\xff\0;".to_vec() },
                TestFile { name: "A".into(), bytes: b"end\n".to_vec() },
            ],
            env: vec![("X".into(), b"a b".to_vec())],
            ..TestCase::default()
        };
        let lines = commands(&test);
        assert_eq!(lines[1], r"printf 'end\n' > A");
        assert_eq!(lines[2], r"printf '\055n 100%%\\\n\001' | env 'X=a b' cat - $'it\'s' A");
        let dir = tempfile::tempdir().unwrap();
        let out =
            Command::new("bash").args(["-c", &lines.join("\n")]).current_dir(dir.path()).output().unwrap();
        assert_eq!(out.stdout, b"-n 100%\\\n\x01'\xff\0;end\n");
        assert_eq!(commands(&TestCase::default()), ["./program </dev/null"]);
    }

    proptest! {
        #[test]
        fn quoted_words_come_back(words in prop::collection::vec(prop::collection::vec(1u8..=255, 0..20), 0..5)) {
            let line: Vec<String> = words.iter().map(|word| quote(word)).collect();
            prop_assert_eq!(split(&line.join(" ")).unwrap(), words);
        }

        #[test]
        fn no_line_panics(line in ".*") {
            let _ = split(&line);
        }
    }
}

//! Bytes as readable text that gives back exactly the same bytes: printable ASCII, newline and tab stand for
//! themselves, every other byte (and `%`) is `%` and two hexadecimal digits. It must never lose or guess a byte.
//! Used by [`crate::json`]; unlike backslashes, percent signs survive JSON strings undoubled.

/// Why a text is not an escaped byte string.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`%` at byte {at} is not followed by two hexadecimal digits")]
pub struct EscapeError {
    /// Where in the text the bad `%` is.
    pub at: usize,
}

/// The readable form of `bytes`.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'%' => text.push_str("%25"),
            b'\n' | b'\t' | b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                text.push('%');
                text.push(hex_digit(byte >> 4));
                text.push(hex_digit(byte & 15));
            }
        }
    }
    text
}

/// The bytes that `text` stands for. Characters outside of ASCII, as a person may type them, are their UTF-8.
pub fn unescape(text: &str) -> Result<Vec<u8>, EscapeError> {
    let source = text.as_bytes();
    let mut bytes = Vec::with_capacity(source.len());
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        if byte == b'%' {
            let digit = |offset: usize| source.get(at + offset).and_then(|d| char::from(*d).to_digit(16));
            let (Some(high), Some(low)) = (digit(1), digit(2)) else { return Err(EscapeError { at }) };
            bytes.push((high * 16 + low) as u8);
            at += 3;
        } else {
            bytes.push(byte);
            at += 1;
        }
    }
    Ok(bytes)
}

/// The bytes as lowercase hexadecimal digits without separators.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| [hex_digit(byte >> 4), hex_digit(byte & 15)]).collect()
}

fn hex_digit(value: u8) -> char {
    char::from(b"0123456789abcdef"[usize::from(value & 15)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(escape(b"GET / HTTP\n"), "GET / HTTP\n");
        assert_eq!(escape(b"100%\0\xff"), "100%25%00%ff");
        assert_eq!(unescape("\u{e9}%FF").unwrap(), b"\xc3\xa9\xff");
    }

    #[test]
    fn bad_escapes_are_named() {
        for (text, at) in [("%", 0), ("a%f", 1), ("ab%zz", 2), ("%0\u{e9}", 0)] {
            assert_eq!(unescape(text), Err(EscapeError { at }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_byte_string_returns(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(unescape(&escape(&bytes)).unwrap(), bytes);
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = unescape(&text);
        }
    }
}

//! The hash of contents that names programs, trials and tests: the first 128 bits of SHA-256, which two different
//! contents do not share by accident, nor by somebody's intention.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// See the module text. Its text has 32 hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(String);

impl ContentHash {
    /// Of bytes.
    pub fn of(bytes: &[u8]) -> ContentHash {
        let mut hasher = Hasher::default();
        hasher.0.update(bytes);
        hasher.finish()
    }

    /// Of what a file holds.
    pub fn of_file(path: &Path) -> io::Result<ContentHash> {
        let mut file = File::open(path)?;
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hasher.finish()),
                n => hasher.0.update(&buffer[..n]),
            }
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Hashes a sequence of texts and numbers; where one ends and the next begins is part of it.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// A text.
    pub fn text(&mut self, text: &str) -> &mut Hasher {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
        self
    }

    /// A number.
    pub fn number(&mut self, number: u64) -> &mut Hasher {
        self.0.update(number.to_le_bytes());
        self
    }

    /// The hash of everything.
    pub fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_beginning_of_sha_256() {
        // FIPS 180-4, the one-block example.
        assert_eq!(ContentHash::of(b"abc").as_str(), "ba7816bf8f01cfea414140de5dae2223");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, b"abc").unwrap();
        assert_eq!(ContentHash::of_file(&file).unwrap(), ContentHash::of(b"abc"));
        assert!(ContentHash::of_file(folder.path()).is_err());
    }

    #[test]
    fn borders_count() {
        let hash = |words: &[&str]| {
            let mut h = Hasher::default();
            words.iter().for_each(|w| {
                h.text(w);
            });
            h.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["ab", ""]), hash(&["ab"]));
    }
}

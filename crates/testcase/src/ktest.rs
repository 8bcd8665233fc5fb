//! KLEE's `.ktest` files, read and written byte for byte as KLEE 3 does: big-endian 32-bit numbers, arguments,
//! two numbers of an old argument model, then named objects. A truncated or hostile file is an error that names
//! the offset; no size in a file is believed before the bytes are there. [`crate::ktest_tool`] prints them.

use std::path::Path;

use crate::atomic::{WriteError, atomic_write};
use crate::case::{Object, TestCase};
use crate::json::{TestFileError, read_file};
use crate::model;

/// The version KLEE 3 writes, and this code too.
pub const VERSION: u32 = 3;
const MAGIC: &[u8; 5] = b"KTEST";
/// The magic of files older than KLEE's first release.
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";

/// A `.ktest` file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KTest {
    /// The format's version, 1 to 3.
    pub version: u32,
    /// The program's arguments, its name first.
    pub args: Vec<Vec<u8>>,
    /// Number of symbolic arguments in an old argument model; KLEE 3 writes 0 unless told otherwise.
    pub sym_argvs: u32,
    /// Their length.
    pub sym_argv_len: u32,
    /// Name and value of each object.
    pub objects: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Bytes that are not a `.ktest` file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KTestError {
    /// The first five bytes are wrong.
    #[error("not a .ktest file: it begins neither with KTEST nor with BOUT")]
    Magic,
    /// A version from the future, or none.
    #[error(".ktest version {0} is not supported (1 to {VERSION} are)")]
    Version(u32),
    /// The file ends too early.
    #[error("truncated .ktest file: {what} at offset {offset} needs {needed} bytes, {left} are left")]
    Truncated {
        /// What was being read.
        what: String,
        /// Where it starts.
        offset: usize,
        /// Bytes it should have.
        needed: u64,
        /// Bytes there are.
        left: usize,
    },
    /// The file goes on after its last object.
    #[error(".ktest file has {left} bytes too many at offset {offset}")]
    Trailing {
        /// Where the surplus starts.
        offset: usize,
        /// How long it is.
        left: usize,
    },
    /// An object's name cannot be a [`String`].
    #[error("object {index}: the name is not UTF-8")]
    Name {
        /// Which object.
        index: usize,
    },
    /// Something is too long for the format's 32-bit numbers.
    #[error("{what} is too large for a .ktest file")]
    TooLarge {
        /// What.
        what: String,
    },
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.offset
    }

    fn truncated(&self, what: String, needed: u64) -> KTestError {
        KTestError::Truncated { what, offset: self.offset, needed, left: self.left() }
    }

    fn number(&mut self, what: impl Fn() -> String) -> Result<u32, KTestError> {
        let Some(&four) = self.bytes[self.offset..].first_chunk::<4>() else {
            return Err(self.truncated(what(), 4));
        };
        self.offset += 4;
        Ok(u32::from_be_bytes(four))
    }

    /// A length, then that many bytes.
    fn block(&mut self, what: impl Fn() -> String) -> Result<&'a [u8], KTestError> {
        let length = self.number(|| format!("the length of {}", what()))?;
        let end = self.offset.checked_add(length as usize).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.truncated(what(), u64::from(length))) };
        let block = &self.bytes[self.offset..end];
        self.offset = end;
        Ok(block)
    }
}

impl KTest {
    /// Whether the bytes begin as a `.ktest` file does.
    pub fn is_ktest(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC) || bytes.starts_with(OLD_MAGIC)
    }

    /// Reads a `.ktest` file's bytes.
    pub fn parse(bytes: &[u8]) -> Result<KTest, KTestError> {
        if !KTest::is_ktest(bytes) {
            return Err(KTestError::Magic);
        }
        let mut reader = Reader { bytes, offset: MAGIC.len() };
        let version = reader.number(|| "the version".into())?;
        if !(1..=VERSION).contains(&version) {
            return Err(KTestError::Version(version));
        }
        // Each entry takes at least its length field, so a count is refused before anything is reserved for it.
        let count = |reader: &mut Reader<'_>, what: &str, least: u64| {
            let count = reader.number(|| format!("the number of {what}"))?;
            let needed = u64::from(count) * least;
            if needed > reader.left() as u64 {
                return Err(reader.truncated(format!("the list of {count} {what}"), needed));
            }
            Ok(count as usize)
        };
        let mut args = Vec::new();
        for index in 0..count(&mut reader, "arguments", 4)? {
            args.push(reader.block(|| format!("argument {index}"))?.to_vec());
        }
        let (mut sym_argvs, mut sym_argv_len) = (0, 0);
        if version >= 2 {
            sym_argvs = reader.number(|| "the number of symbolic arguments".into())?;
            sym_argv_len = reader.number(|| "the length of symbolic arguments".into())?;
        }
        let mut objects = Vec::new();
        for index in 0..count(&mut reader, "objects", 8)? {
            let name = reader.block(|| format!("the name of object {index}"))?.to_vec();
            let value = reader.block(|| format!("the value of object {index}"))?.to_vec();
            objects.push((name, value));
        }
        match reader.left() {
            0 => Ok(KTest { version, args, sym_argvs, sym_argv_len, objects }),
            left => Err(KTestError::Trailing { offset: reader.offset, left }),
        }
    }

    /// The bytes of the file, in this value's version.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KTestError> {
        let mut out = MAGIC.to_vec();
        let number = |out: &mut Vec<u8>, value: usize, what: &dyn Fn() -> String| {
            let value = u32::try_from(value).map_err(|_| KTestError::TooLarge { what: what() })?;
            out.extend(value.to_be_bytes());
            Ok(())
        };
        out.extend(self.version.to_be_bytes());
        number(&mut out, self.args.len(), &|| "the list of arguments".into())?;
        for (index, arg) in self.args.iter().enumerate() {
            number(&mut out, arg.len(), &|| format!("argument {index}"))?;
            out.extend(arg);
        }
        if self.version >= 2 {
            out.extend(self.sym_argvs.to_be_bytes());
            out.extend(self.sym_argv_len.to_be_bytes());
        }
        number(&mut out, self.objects.len(), &|| "the list of objects".into())?;
        for (index, (name, value)) in self.objects.iter().enumerate() {
            number(&mut out, name.len(), &|| format!("the name of object {index}"))?;
            out.extend(name);
            number(&mut out, value.len(), &|| format!("the value of object {index}"))?;
            out.extend(value);
        }
        Ok(out)
    }

    /// Reads a `.ktest` file.
    pub fn read(path: &Path) -> Result<KTest, TestFileError> {
        KTest::parse(&read_file(path)?)
            .map_err(|error| TestFileError { path: path.to_path_buf(), problem: error.to_string() })
    }

    /// Writes a `.ktest` file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let bytes = self.to_bytes().map_err(|error| WriteError {
            path: path.to_path_buf(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidData, error),
        })?;
        atomic_write(path, &bytes)
    }
}

impl From<&TestCase> for KTest {
    fn from(test: &TestCase) -> KTest {
        KTest {
            version: VERSION,
            args: test.args.clone(),
            sym_argvs: 0,
            sym_argv_len: 0,
            objects: model::objects(test).into_iter().map(|o| (o.name.into_bytes(), o.bytes)).collect(),
        }
    }
}

impl TryFrom<KTest> for TestCase {
    type Error = KTestError;

    fn try_from(ktest: KTest) -> Result<TestCase, KTestError> {
        let mut objects = Vec::with_capacity(ktest.objects.len());
        for (index, (name, bytes)) in ktest.objects.into_iter().enumerate() {
            let name = String::from_utf8(name).map_err(|_| KTestError::Name { index })?;
            objects.push(Object { name, bytes });
        }
        Ok(TestCase::new(ktest.args, objects))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As KLEE 3 writes it for `get_sign.bc` with one four-byte object `a`.
    const GET_SIGN: &[u8] = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x0bget_sign.bc\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01a\0\0\0\x04\0\0\0\x80";

    #[test]
    fn reads_and_writes_klees_bytes() {
        let ktest = KTest::parse(GET_SIGN).unwrap();
        assert_eq!(ktest.args, [b"get_sign.bc"]);
        assert_eq!(ktest.objects, [(b"a".to_vec(), vec![0, 0, 0, 0x80])]);
        assert_eq!(ktest.to_bytes().unwrap(), GET_SIGN);

        let test = TestCase::try_from(ktest.clone()).unwrap();
        assert_eq!(KTest::from(&test), ktest);
    }

    #[test]
    fn old_files_are_read() {
        let ktest = KTest::parse(b"BOUT\n\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01x\0\0\0\0").unwrap();
        assert_eq!((ktest.version, ktest.sym_argvs), (1, 0));
        assert_eq!(ktest.objects, [(b"x".to_vec(), vec![])]);
    }

    #[test]
    fn every_prefix_is_truncated() {
        for length in 5..GET_SIGN.len() {
            assert!(
                matches!(KTest::parse(&GET_SIGN[..length]), Err(KTestError::Truncated { .. })),
                "{length}"
            );
        }
        for length in 0..5 {
            assert_eq!(KTest::parse(&GET_SIGN[..length]), Err(KTestError::Magic));
        }
        let mut longer = GET_SIGN.to_vec();
        longer.push(0);
        assert_eq!(KTest::parse(&longer), Err(KTestError::Trailing { offset: GET_SIGN.len(), left: 1 }));
    }

    #[test]
    fn hostile_sizes_are_refused_before_allocation() {
        let huge = b"KTEST\0\0\0\x03\xff\xff\xff\xff\0\0\0\0";
        let error = KTest::parse(huge).unwrap_err().to_string();
        assert!(error.contains("4294967295 arguments") && error.contains("offset 13"), "{error}");
        let huge_block = b"KTEST\0\0\0\x03\0\0\0\x01\x7f\xff\xff\xff\0\0\0\0";
        assert!(KTest::parse(huge_block).unwrap_err().to_string().contains("argument 0"));
        assert_eq!(KTest::parse(b"KTEST\0\0\0\x04\0\0\0\0"), Err(KTestError::Version(4)));
        assert_eq!(KTest::parse(b"KTEST\0\0\0\0\0\0\0\0"), Err(KTestError::Version(0)));
    }

    #[test]
    fn names_must_be_text_only_in_a_test_case() {
        let ktest = KTest {
            version: 3,
            args: vec![],
            sym_argvs: 0,
            sym_argv_len: 0,
            objects: vec![(b"a".to_vec(), vec![]), (b"\xff".to_vec(), vec![])],
        };
        assert_eq!(KTest::parse(&ktest.to_bytes().unwrap()).unwrap(), ktest);
        assert_eq!(TestCase::try_from(ktest), Err(KTestError::Name { index: 1 }));
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..30)
    }

    proptest! {
        #[test]
        fn every_ktest_round_trips(
            version in 2u32..=3,
            args in prop::collection::vec(bytes(), 0..4),
            sym in any::<(u32, u32)>(),
            objects in prop::collection::vec((bytes(), bytes()), 0..6),
        ) {
            let ktest = KTest { version, args, sym_argvs: sym.0, sym_argv_len: sym.1, objects };
            prop_assert_eq!(KTest::parse(&ktest.to_bytes().unwrap()).unwrap(), ktest);
        }

        #[test]
        fn random_bytes_never_panic(tail in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = KTest::parse(&tail);
            let mut with_magic = b"KTEST\0\0\0\x03".to_vec();
            with_magic.extend(tail);
            if let Ok(ktest) = KTest::parse(&with_magic) {
                prop_assert_eq!(ktest.to_bytes().unwrap(), with_magic);
            }
        }

        #[test]
        fn damaged_files_never_panic(at in 0usize..50, with in any::<u8>()) {
            let mut bytes = GET_SIGN.to_vec();
            let at = at % bytes.len();
            bytes[at] = with;
            let _ = KTest::parse(&bytes);
        }
    }
}

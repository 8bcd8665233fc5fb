//! What a file that is about to be linked holds: bitcode, native code, or an archive of either, told by its first bytes.
//! Reads no further than it must and takes what it cannot read for native: the linker then says what is wrong.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Contents {
    /// LLVM bitcode, in at least one member of an archive.
    pub bitcode: bool,
    /// Anything else.
    pub native: bool,
    /// It is an archive.
    pub archive: bool,
}

impl Contents {
    /// Looks into a file.
    pub(super) fn of(path: &Path) -> Self {
        File::open(path)
            .ok()
            .and_then(|mut file| read(&mut file))
            .unwrap_or(Self { native: true, ..Self::default() })
    }
}

fn is_bitcode(magic: &[u8]) -> bool {
    magic.starts_with(b"BC\xC0\xDE") || magic.starts_with(&[0xDE, 0xC0, 0x17, 0x0B])
}

fn read(file: &mut File) -> Option<Contents> {
    let mut magic = [0; 8];
    let length = file.metadata().ok()?.len();
    file.read_exact(&mut magic).ok()?;
    if magic != *b"!<arch>\n" {
        let bitcode = is_bitcode(&magic);
        // The members of a thin archive lie elsewhere; they were made by the same build, so bitcode is to be expected.
        let thin = magic == *b"!<thin>\n";
        return Some(Contents { bitcode: bitcode || thin, native: !bitcode && !thin, archive: thin });
    }
    let mut contents = Contents { archive: true, ..Contents::default() };
    let mut at = 8u64;
    while at + 60 <= length && !(contents.bitcode && contents.native) {
        let mut header = [0; 60];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut header).ok()?;
        let size: u64 = std::str::from_utf8(&header[48..58]).ok()?.trim().parse().ok()?;
        let name = &header[..16];
        // BSD archives put a long name in front of the contents.
        let name_length = match name.strip_prefix(b"#1/") {
            Some(digits) => std::str::from_utf8(digits).ok()?.trim().parse().ok()?,
            None => 0u64,
        };
        let special = name[0] == b'/' && !name[1].is_ascii_digit() || name.starts_with(b"__.SYMDEF");
        if !special {
            let mut magic = [0; 4];
            file.seek(SeekFrom::Start(at + 60 + name_length)).ok()?;
            let bitcode = file.read_exact(&mut magic).is_ok() && is_bitcode(&magic);
            contents.bitcode |= bitcode;
            contents.native |= !bitcode;
        }
        at = at.checked_add(60)?.checked_add(size)?.checked_next_multiple_of(2)?;
    }
    Some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(bytes: &[u8]) -> Contents {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Contents::of(file.path())
    }

    fn member(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut all =
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).into_bytes();
        all.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            all.push(b'\n');
        }
        all
    }

    #[test]
    fn archives_are_known_by_their_members() {
        let bitcode = member("a.o/", b"BC\xC0\xDE...");
        let native = member("b.o/", b"\x7fELF....");
        let table = member("/", b"symbols");
        let archive = |parts: &[&[u8]]| [b"!<arch>\n".as_slice(), &parts.concat()].concat();
        let expected = |bitcode, native| Contents { bitcode, native, archive: true };
        assert_eq!(contents(&archive(&[&table, &bitcode])), expected(true, false));
        assert_eq!(contents(&archive(&[&bitcode, &native])), expected(true, true));
        assert_eq!(contents(&archive(&[])), expected(false, false));
        // What is cut off or no archive at all is left to the linker.
        assert!(
            contents(&archive(&[b"garbage garbage garbage garbage garbage garbage garbage garbage"])).native
        );
        assert!(contents(b"\x7fELF0000").native);
        assert!(contents(b"").native);
        assert!(contents(b"BC\xC0\xDE....").bitcode);
    }
}

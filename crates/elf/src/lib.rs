//! Just enough of ELF to find a section of a 64-bit little-endian file, in memory or on disk. Numbers come from the file
//! and are never trusted: whatever does not fit means that there is no such section. What the sections hold is for the
//! callers to know: `forkwise-ir` takes bitcode from them, `forkwise-replay` the sizes of coverage counters.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Something to read pieces of.
pub trait Bytes {
    /// Fills `into` from a place on; none if not all of it is there.
    fn read(&self, at: u64, into: &mut [u8]) -> Option<()>;
}

impl Bytes for [u8] {
    fn read(&self, at: u64, into: &mut [u8]) -> Option<()> {
        into.copy_from_slice(piece(self, at, into.len() as u64)?);
        Some(())
    }
}

impl Bytes for File {
    fn read(&self, at: u64, into: &mut [u8]) -> Option<()> {
        self.read_exact_at(into, at).ok()
    }
}

fn piece(bytes: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..usize::try_from(at.checked_add(len)?).ok()?)
}

/// The little-endian number of up to eight bytes at a place.
fn number(file: &(impl Bytes + ?Sized), at: u64, len: usize) -> Option<u64> {
    let mut word = [0; 8];
    file.read(at, word.get_mut(..len)?)?;
    Some(u64::from_le_bytes(word))
}

/// Is this an ELF file of any kind?
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// Is this one of the files that can be read here: 64-bit, little-endian?
fn is_readable(file: &(impl Bytes + ?Sized)) -> bool {
    let mut start = [0; 6];
    file.read(0, &mut start).is_some() && start == *b"\x7fELF\x02\x01"
}

/// What a section header says of its section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    name: u64,
    kind: u64,
    offset: u64,
    link: u64,
    /// Its size in bytes, in the file or, where the file holds nothing of it, in memory.
    pub size: u64,
}

fn header(file: &(impl Bytes + ?Sized), table: u64, index: u64) -> Option<Section> {
    let at = table.checked_add(index.checked_mul(64)?)?;
    let field = |offset, len| number(file, at.checked_add(offset)?, len);
    Some(Section {
        name: field(0, 4)?,
        kind: field(4, 4)?,
        offset: field(24, 8)?,
        size: field(32, 8)?,
        link: field(40, 4)?,
    })
}

/// The section with this name.
pub fn find(file: &(impl Bytes + ?Sized), name: &str) -> Option<Section> {
    if !is_readable(file) || number(file, 58, 2)? != 64 {
        return None;
    }
    let table = number(file, 40, 8)?;
    let first = header(file, table, 0)?;
    // Files with very many sections keep both numbers in the first header.
    let count = Some(number(file, 60, 2)?).filter(|n| *n != 0).unwrap_or(first.size);
    let names = Some(number(file, 62, 2)?).filter(|n| *n != 0xffff).unwrap_or(first.link);
    let names = header(file, table, names)?;
    let mut text = vec![0; name.len() + 1];
    for index in 1..count {
        let found = header(file, table, index)?;
        let here = names.offset.checked_add(found.name)?;
        if file.read(here, &mut text).is_some() && text.split_last() == Some((&0, name.as_bytes())) {
            return Some(found);
        }
    }
    None
}

/// The contents of the section with this name; none for one without contents in the file.
pub fn contents<'b>(bytes: &'b [u8], name: &str) -> Option<&'b [u8]> {
    const NO_BITS: u64 = 8;
    let found = find(bytes, name).filter(|found| found.kind != NO_BITS)?;
    piece(bytes, found.offset, found.size)
}

/// Whether the file is a program that another one (`ld.so`) has to load; none if that cannot be read.
pub fn is_dynamic(file: &(impl Bytes + ?Sized)) -> Option<bool> {
    const INTERPRETER: u64 = 3;
    if !is_readable(file) {
        return None;
    }
    let (table, size, count) = (number(file, 32, 8)?, number(file, 54, 2)?, number(file, 56, 2)?);
    for index in 0..count {
        if number(file, table.checked_add(index * size)?, 4)? == INTERPRETER {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A file with the sections "", ".names" and ".data".
    fn sample() -> Vec<u8> {
        let names = b"\0.names\0.data\0";
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[40..48].copy_from_slice(&128u64.to_le_bytes());
        file[58] = 64;
        file[60] = 3;
        file[62] = 1;
        file.extend_from_slice(names);
        file.resize(100, 0);
        file.extend_from_slice(b"contents");
        file.resize(128 + 3 * 64, 0);
        let mut put = |index: usize, name: u32, offset: u64, size: u64| {
            let at = 128 + index * 64;
            file[at..at + 4].copy_from_slice(&name.to_le_bytes());
            file[at + 4] = 1;
            file[at + 24..at + 32].copy_from_slice(&offset.to_le_bytes());
            file[at + 32..at + 40].copy_from_slice(&size.to_le_bytes());
        };
        put(1, 1, 64, names.len() as u64);
        put(2, 8, 100, 8);
        file
    }

    #[test]
    fn sections_are_found_by_name() {
        let file = sample();
        assert_eq!(contents(&file, ".data"), Some(b"contents".as_slice()));
        assert_eq!(contents(&file, ".dat"), None);
        assert_eq!(contents(&file, "data"), None);
        assert_eq!(contents(b"\x7fELF", ".data"), None);
    }

    /// In memory and from a file, with the same result.
    fn read_all(bytes: &[u8]) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let size = |section: Option<Section>| section.map(|section| section.size);
        assert_eq!(size(find(&file, ".data")), size(find(bytes, ".data")));
        assert_eq!(is_dynamic(&file), is_dynamic(bytes));
        contents(bytes, ".data");
    }

    #[test]
    fn real_programs_are_read_from_disk() {
        let me = File::open(std::env::current_exe().unwrap()).unwrap();
        assert!(find(&me, ".text").is_some_and(|text| text.size > 1000));
        assert!(find(&me, ".tex").is_none());
        assert_eq!(is_dynamic(&me), Some(true));
        let text = File::open("/etc/passwd").unwrap();
        assert!(find(&text, ".text").is_none() && is_dynamic(&text).is_none());
    }

    #[test]
    fn damaged_files_are_harmless() {
        let file = sample();
        for end in 0..file.len() {
            read_all(&file[..end]);
        }
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = file.clone();
                damaged[at] = value;
                read_all(&damaged);
            }
        }
    }
}

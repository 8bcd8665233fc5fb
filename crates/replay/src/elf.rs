//! The sections of an ELF file: is this program a coverage build, and how large are its counters? Reads headers only;
//! a file that is no 64-bit little-endian ELF, or a damaged one, has no sections. See [`crate::program`].

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// More sections or longer names than this are damage.
const MOST_SECTIONS: usize = 1 << 16;
const LONGEST_NAMES: u64 = 1 << 24;

/// The first bytes of a file of this kind.
fn header(file: &File) -> Option<[u8; 64]> {
    let header: [u8; 64] = read(file, 0)?;
    // Magic, 64 bits, little-endian.
    header.starts_with(b"\x7fELF\x02\x01").then_some(header)
}

/// Whether the file is a program that another one (`ld.so`) has to load.
pub fn is_dynamic(path: &Path) -> bool {
    const INTERPRETER: [u8; 4] = [3, 0, 0, 0];
    let segments = || -> Option<bool> {
        let file = File::open(path).ok()?;
        let header = header(&file)?;
        let (table, size, count) = (u64_at(&header, 32)?, u16_at(&header, 54)?, u16_at(&header, 56)?);
        for index in 0..u64::from(count) {
            let mut kind = [0; 4];
            file.read_exact_at(&mut kind, table.checked_add(index * u64::from(size))?).ok()?;
            if kind == INTERPRETER {
                return Some(true);
            }
        }
        Some(false)
    };
    // What cannot be read is left to others to judge.
    segments().unwrap_or(true)
}

/// The size of the section with this name in bytes.
pub fn section_size(path: &Path, name: &str) -> Option<u64> {
    let file = File::open(path).ok()?;
    let header = header(&file)?;
    let (table, entry_size) = (u64_at(&header, 40)?, u64::from(u16_at(&header, 58)?));
    let (count, names_index) = (usize::from(u16_at(&header, 60)?), u64::from(u16_at(&header, 62)?));
    if entry_size != 64 || count > MOST_SECTIONS {
        return None;
    }
    let section =
        |index: u64| -> Option<[u8; 64]> { read(&file, table.checked_add(index.checked_mul(entry_size)?)?) };
    let names_section = section(names_index)?;
    let (names_at, names_size) = (u64_at(&names_section, 24)?, u64_at(&names_section, 32)?);
    if names_size > LONGEST_NAMES {
        return None;
    }
    let mut names = vec![0; names_size as usize];
    file.read_exact_at(&mut names, names_at).ok()?;
    for index in 0..count {
        let section = section(index as u64)?;
        let start = u32::from_le_bytes(*section.first_chunk()?) as usize;
        let here = names.get(start..).unwrap_or_default();
        if here.split(|byte| *byte == 0).next() == Some(name.as_bytes()) {
            return u64_at(&section, 32);
        }
    }
    None
}

fn read(file: &File, at: u64) -> Option<[u8; 64]> {
    let mut bytes = [0; 64];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

fn u64_at(bytes: &[u8; 64], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u16_at(bytes: &[u8; 64], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_by_name() {
        let me = std::env::current_exe().unwrap();
        assert!(section_size(&me, ".text").is_some_and(|size| size > 1000));
        assert_eq!(section_size(&me, "forkwise_counters"), None);
        assert_eq!(section_size(&me, ".tex"), None);
        assert!(is_dynamic(&me) && is_dynamic(Path::new("/etc/passwd")));
        assert_eq!(section_size(Path::new("/no/such/file"), ".text"), None);
        assert_eq!(section_size(Path::new("/etc/passwd"), ".text"), None);
    }

    #[test]
    fn damaged_files_have_no_sections() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p");
        let mut header = [0u8; 64];
        header[..6].copy_from_slice(b"\x7fELF\x02\x01");
        for filler in [0u8, 0x40, 0xff] {
            header[32..].fill(filler);
            header[58..60].copy_from_slice(&64u16.to_le_bytes());
            std::fs::write(&path, header).unwrap();
            assert_eq!(section_size(&path, ".text"), None);
        }
    }
}

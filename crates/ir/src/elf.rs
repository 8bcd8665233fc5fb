//! Just enough of ELF to find a section of a 64-bit little-endian file. Offsets come from the file and are never trusted:
//! whatever does not fit means that there is no such section.

/// Is this an ELF file of any kind?
pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

fn bytes_at(bytes: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..usize::try_from(at.checked_add(len)?).ok()?)
}

fn number(bytes: &[u8], at: u64, len: u64) -> Option<u64> {
    let mut word = [0; 8];
    word[..len as usize].copy_from_slice(bytes_at(bytes, at, len)?);
    Some(u64::from_le_bytes(word))
}

/// Where a section header says its contents are.
struct Header {
    name: u64,
    kind: u64,
    offset: u64,
    size: u64,
    link: u64,
}

fn header(bytes: &[u8], table: u64, index: u64) -> Option<Header> {
    let at = table.checked_add(index.checked_mul(64)?)?;
    Some(Header {
        name: number(bytes, at, 4)?,
        kind: number(bytes, at + 4, 4)?,
        offset: number(bytes, at + 24, 8)?,
        size: number(bytes, at + 32, 8)?,
        link: number(bytes, at + 40, 4)?,
    })
}

/// The contents of the section with this name; none for one without contents in the file.
pub(crate) fn section<'b>(bytes: &'b [u8], name: &str) -> Option<&'b [u8]> {
    const NO_BITS: u64 = 8;
    // 64-bit, little-endian.
    if !is_elf(bytes) || bytes_at(bytes, 4, 2)? != [2, 1] || number(bytes, 58, 2)? != 64 {
        return None;
    }
    let table = number(bytes, 40, 8)?;
    let first = header(bytes, table, 0)?;
    // Files with very many sections keep both numbers in the first header.
    let count = Some(number(bytes, 60, 2)?).filter(|n| *n != 0).unwrap_or(first.size);
    let names = Some(number(bytes, 62, 2)?).filter(|n| *n != 0xffff).unwrap_or(first.link);
    let names = header(bytes, table, names)?;
    for index in 1..count {
        let found = header(bytes, table, index)?;
        let start = names.offset.checked_add(found.name)?;
        let text = bytes_at(bytes, start, name.len() as u64 + 1);
        if text.is_some_and(|text| text.split_last() == Some((&0, name.as_bytes()))) && found.kind != NO_BITS
        {
            return bytes_at(bytes, found.offset, found.size);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(section(&file, ".data"), Some(b"contents".as_slice()));
        assert_eq!(section(&file, ".dat"), None);
        assert_eq!(section(&file, "data"), None);
        assert_eq!(section(b"\x7fELF", ".data"), None);
    }

    #[test]
    fn damaged_files_are_harmless() {
        let file = sample();
        for end in 0..file.len() {
            section(&file[..end], ".data");
        }
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = file.clone();
                damaged[at] = value;
                section(&damaged, ".data");
            }
        }
    }
}

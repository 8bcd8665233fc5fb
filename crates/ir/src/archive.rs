//! Reading `ar` archives (GNU, BSD and thin variants) of bitcode members.
//!
//! The archive's own symbol table tells which member defines what, so that a large library costs only what is
//! linked from it. Nothing here trusts a number in the file before checking it.

use crate::error::LoadError;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"!<arch>\n";
const THIN_MAGIC: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;

/// An archive in memory.
pub(crate) struct Archive {
    pub path: PathBuf,
    bytes: Vec<u8>,
    thin: bool,
    pub members: Vec<Member>,
    /// Symbol and member, in the table's order; empty when the archive has no table.
    pub symbols: Vec<(String, usize)>,
}

/// One file of an archive.
pub(crate) struct Member {
    pub name: String,
    header: usize,
    start: usize,
    size: usize,
}

/// Does this file start like an archive?
pub(crate) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(THIN_MAGIC)
}

impl Archive {
    pub(crate) fn parse(path: &Path, bytes: Vec<u8>) -> Result<Archive, LoadError> {
        let bad =
            |message: &str| LoadError::Archive { path: path.to_path_buf(), message: message.to_string() };
        let thin = bytes.starts_with(THIN_MAGIC);
        let mut archive =
            Archive { path: path.to_path_buf(), bytes, thin, members: Vec::new(), symbols: Vec::new() };
        let (mut at, mut long_names, mut table) = (MAGIC.len(), Vec::new(), None);
        while at < archive.bytes.len() {
            let header =
                archive.bytes.get(at..at + HEADER).ok_or_else(|| bad("a member's header is cut off"))?;
            if &header[58..60] != b"`\n" {
                return Err(bad("a member's header is damaged"));
            }
            let text = |range: std::ops::Range<usize>| {
                String::from_utf8_lossy(&header[range]).trim_end().to_string()
            };
            let name = text(0..16);
            let size: usize = text(48..58).parse().map_err(|_| bad("a member's size is not a number"))?;
            let mut start = at + HEADER;
            let special = matches!(name.as_str(), "/" | "//" | "/SYM64/");
            let stored = if thin && !special { 0 } else { size };
            let end = start.checked_add(stored).filter(|end| *end <= archive.bytes.len());
            let end = end.ok_or_else(|| bad("a member is cut off"))?;
            let data = &archive.bytes[start..end];
            match name.as_str() {
                "/" => table = Some((data.to_vec(), 4)),
                "/SYM64/" => table = Some((data.to_vec(), 8)),
                "//" => long_names = data.to_vec(),
                _ => {
                    let mut size = size;
                    let name = if let Some(length) = name.strip_prefix("#1/") {
                        // BSD: the name is the first bytes of the member.
                        let length: usize = length.parse().map_err(|_| bad("a member's name is damaged"))?;
                        let raw = data.get(..length).ok_or_else(|| bad("a member's name is cut off"))?;
                        start += length;
                        size -= length;
                        String::from_utf8_lossy(raw).trim_end_matches('\0').to_string()
                    } else if let Some(Ok(offset)) = name.strip_prefix('/').map(str::parse::<usize>) {
                        let rest =
                            long_names.get(offset..).ok_or_else(|| bad("a member's name is missing"))?;
                        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                        String::from_utf8_lossy(&rest[..end]).trim_end_matches('/').to_string()
                    } else {
                        name.trim_end_matches('/').to_string()
                    };
                    if !name.starts_with("__.SYMDEF") {
                        archive.members.push(Member { name, header: at, start, size });
                    }
                }
            }
            at = end + end % 2;
        }
        if let Some((data, width)) = table {
            archive.read_table(&data, width).ok_or_else(|| bad("its symbol table is damaged"))?;
        }
        Ok(archive)
    }

    fn read_table(&mut self, data: &[u8], width: usize) -> Option<()> {
        let number = |at: usize| {
            let bytes = data.get(at..at + width)?;
            Some(bytes.iter().fold(0u64, |n, b| n << 8 | *b as u64) as usize)
        };
        let count = number(0)?;
        let names_at = count.checked_mul(width)?.checked_add(width)?;
        let mut names = data.get(names_at..)?.split(|b| *b == 0);
        for i in 0..count {
            let header = number(width * (i + 1))?;
            let name = String::from_utf8_lossy(names.next()?).into_owned();
            // Members are in the order of their headers.
            let member = self.members.binary_search_by_key(&header, |m| m.header).ok()?;
            self.symbols.push((name, member));
        }
        Some(())
    }

    /// The contents of a member.
    pub(crate) fn contents(&self, member: usize) -> Result<Vec<u8>, LoadError> {
        let member = &self.members[member];
        if self.thin {
            let path = self.path.parent().unwrap_or(Path::new("")).join(&member.name);
            return std::fs::read(&path).map_err(|source| LoadError::Read { path, source });
        }
        Ok(self.bytes[member.start..member.start + member.size].to_vec())
    }
}

impl Archive {
    /// A single file as an archive of one member.
    pub(crate) fn single(path: &Path, bytes: Vec<u8>) -> Archive {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let size = bytes.len();
        let members = vec![Member { name, header: 0, start: 0, size }];
        Archive { path: path.to_path_buf(), bytes, thin: false, members, symbols: Vec::new() }
    }
}

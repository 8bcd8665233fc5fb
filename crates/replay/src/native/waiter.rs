//! The program that holders of namespaces become: it waits until standard input is closed, then ends. A few machine
//! instructions in a file in memory, because there may be no other program where it runs.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{FromRawFd, OwnedFd};

use super::{above_standard, checked};

/// Where the program is in memory.
const BASE: u64 = 0x40_0000;
/// Sizes of the two headers.
const HEADERS: u64 = 64 + 56;

#[rustfmt::skip]
const CODE: &[u8] = &[
    0x48, 0x83, 0xec, 0x08,       // sub rsp, 8
    0x31, 0xc0,                   // again: xor eax, eax (read)
    0x31, 0xff,                   // xor edi, edi
    0x48, 0x89, 0xe6,             // mov rsi, rsp
    0xba, 0x01, 0x00, 0x00, 0x00, // mov edx, 1
    0x0f, 0x05,                   // syscall
    0x48, 0x85, 0xc0,             // test rax, rax
    0x7f, 0xed,                   // jg again
    0xb8, 0x3c, 0x00, 0x00, 0x00, // mov eax, 60 (exit)
    0x31, 0xff,                   // xor edi, edi
    0x0f, 0x05,                   // syscall
];

/// A program of these instructions as an ELF file.
pub(super) fn image(code: &[u8]) -> Vec<u8> {
    let size = HEADERS + code.len() as u64;
    // 64 bits, little-endian, version 1; then: executable, x86-64, version 1.
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0".to_vec();
    // Entry, the program header's offset, no sections.
    [BASE + HEADERS, 64, 0].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    // Flags; sizes of headers and their numbers.
    bytes.extend([0; 4]);
    [64u16, 56, 1, 64, 0, 0].iter().for_each(|half| bytes.extend(half.to_le_bytes()));
    // One segment to load, readable and executable.
    [1u32, 5].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    [0, BASE, BASE, size, size, 0x1000].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes.extend(code);
    bytes
}

/// A descriptor to execute it by.
pub(super) fn waiter() -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string; the descriptor is new and ours alone.
    let fd = unsafe {
        OwnedFd::from_raw_fd(checked(libc::memfd_create(c"forkwise-waiter".as_ptr(), libc::MFD_CLOEXEC))?)
    };
    let mut file = File::from(above_standard(fd)?);
    file.write_all(&image(CODE))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    #[test]
    fn it_waits_for_the_end_of_its_input() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("waiter");
        std::fs::write(&path, image(CODE)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut child = Command::new(&path).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"abc").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(child.try_wait().unwrap(), None);
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }
}

//! Memory that a program shares with this process and counts its branches in: a file in memory whose size nobody can
//! change. The program finds it as descriptor [`Counters::NUMBER`] and maps it over its own counters.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;

use super::{above_standard, checked};

const PAGE: usize = 4096;

/// See the module text.
#[derive(Debug)]
pub struct Counters {
    file: File,
    len: usize,
}

impl Counters {
    /// The descriptor under which the program finds the counters.
    pub const NUMBER: RawFd = 973;

    /// So many counters, all zero.
    pub fn new(len: usize) -> io::Result<Counters> {
        // SAFETY: the name is a C string; the descriptor is new and ours alone.
        let fd = unsafe {
            OwnedFd::from_raw_fd(checked(libc::memfd_create(
                c"counters".as_ptr(),
                libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING,
            ))?)
        };
        let file = File::from(above_standard(fd)?);
        file.set_len(len.next_multiple_of(PAGE) as u64)?;
        // A program that shrank the file would end the next one that maps it by SIGBUS.
        // SAFETY: changing flags of an open descriptor.
        unsafe {
            let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
            checked(libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals))?;
        }
        Ok(Counters { file, len })
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Tells the program the number of its first file, for `runtime/native/files.c`; 0 tells nothing. It is the position
    /// in the file, which nobody needs for anything else.
    pub fn tell_first_file(&self, number: u64) -> io::Result<()> {
        (&self.file).seek(SeekFrom::Start(number)).map(|_| ())
    }

    /// Sets all to zero.
    pub fn clear(&self) -> io::Result<()> {
        self.file.write_all_at(&vec![0; self.len], 0)
    }

    /// Their values.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut values = vec![0; self.len];
        self.file.read_exact_at(&mut values, 0)?;
        Ok(values)
    }
}

impl AsFd for Counters {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

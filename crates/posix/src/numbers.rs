//! System call numbers and error numbers of x86-64 Linux.
#![allow(missing_docs)]

pub const READ: u64 = 0;
pub const WRITE: u64 = 1;
pub const CLOSE: u64 = 3;
pub const FSTAT: u64 = 5;
pub const LSEEK: u64 = 8;
pub const IOCTL: u64 = 16;
pub const READV: u64 = 19;
pub const WRITEV: u64 = 20;
pub const FCNTL: u64 = 72;

pub const EBADF: i64 = 9;
pub const ENOTTY: i64 = 25;
pub const ESPIPE: i64 = 29;

//! The system calls that concern files and descriptors, by number.

use crate::call::{Call, Sys};
use crate::control::Attribute;
use crate::{control, open, stat, transfer};

/// Serves a call; `None` where it is not one of these.
pub(crate) fn serve(c: &mut Call<'_>, number: u64) -> Option<Sys> {
    Some(match number {
        0 => transfer::read(c),
        1 => transfer::write(c),
        2 => open::open(c, false),
        3 => open::close(c),
        4 => stat::stat(c, true),
        5 => stat::fstat(c),
        6 => stat::stat(c, false),
        8 => transfer::lseek(c),
        16 => control::ioctl(c),
        17 => transfer::pread(c),
        18 => transfer::pwrite(c),
        19 => transfer::readv(c),
        20 => transfer::writev(c),
        21 => stat::access(c, false, false),
        22 => control::pipe(c, false),
        32 => control::dup(c),
        33 => control::dup2(c, false),
        40 => transfer::sendfile(c),
        72 => control::fcntl(c),
        73 => control::flock(c),
        74 | 75 => control::sync(c),
        85 => open::creat(c),
        137 => stat::statfs(c, true),
        138 => stat::statfs(c, false),
        162 => Ok(0), // sync
        188..=190 => control::attributes(c, number as u32 - 188, Attribute::Set),
        191..=193 => control::attributes(c, number as u32 - 191, Attribute::Get),
        194..=196 => control::attributes(c, number as u32 - 194, Attribute::List),
        197..=199 => control::attributes(c, number as u32 - 197, Attribute::Remove),
        221 => control::advise(c),
        257 => open::open(c, true),
        262 => stat::fstatat(c),
        269 => stat::access(c, true, false),
        292 => control::dup2(c, true),
        293 => control::pipe(c, true),
        295 => transfer::preadv(c, false),
        296 => transfer::pwritev(c, false),
        326 => transfer::copy_file_range(c),
        327 => transfer::preadv(c, true),
        328 => transfer::pwritev(c, true),
        306 => control::sync(c), // syncfs
        332 => stat::statx(c),
        436 => open::close_range(c),
        439 => stat::access(c, true, true),
        _ => return None,
    })
}

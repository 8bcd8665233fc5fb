//! The system calls that concern files and descriptors, by number. Those not listed are the process's (`lib.rs`) or have no
//! model.

use crate::call::{Call, Sys};
use crate::control::Attribute;
use crate::transfer::Offset;
use crate::{control, directories, metadata, open, stat, transfer};

/// Serves a call; `None` where it is not one of these.
pub(crate) fn serve(c: &mut Call<'_>, number: u64) -> Option<Sys> {
    Some(match number {
        0 => transfer::read(c, false),
        1 => transfer::write(c, false),
        2 => open::open(c, false),
        3 => open::close(c),
        4 => stat::stat(c, true),
        5 => stat::fstat(c),
        6 => stat::stat(c, false),
        8 => transfer::lseek(c),
        16 => control::ioctl(c),
        17 => transfer::read(c, true),
        18 => transfer::write(c, true),
        19 => transfer::readv(c, Offset::None),
        20 => transfer::writev(c, Offset::None),
        21 => stat::access(c, false, false),
        22 => control::pipe(c, false),
        32 => control::dup(c),
        33 => control::dup2(c, false),
        40 => transfer::sendfile(c),
        72 => control::fcntl(c),
        73 => control::flock(c),
        74 | 75 => control::sync(c), // fsync, fdatasync
        76 => metadata::truncate(c),
        77 => metadata::ftruncate(c),
        78 => directories::getdents(c, true),
        79 => directories::getcwd(c),
        80 => directories::chdir(c),
        81 => directories::fchdir(c),
        82 => directories::rename(c, false, false),
        83 => directories::mkdir(c, false),
        84 => directories::rmdir(c),
        85 => open::creat(c),
        86 => directories::link(c, false),
        87 => directories::unlink(c),
        88 => directories::symlink(c, false),
        89 => directories::readlink(c, false),
        90 => metadata::chmod(c),
        91 => metadata::fchmod(c),
        92 => metadata::chown(c, true),
        93 => metadata::fchown(c),
        94 => metadata::chown(c, false), // lchown
        95 => directories::umask(c),
        132 => metadata::utimes(c, false, false), // utime
        133 => directories::mknod(c, false),
        137 => stat::statfs(c, true),
        138 => stat::statfs(c, false),
        161 => metadata::not_permitted(c), // chroot
        162 => Ok(0),                      // sync
        188..=190 => control::attributes(c, number as u32 - 188, Attribute::Set),
        191..=193 => control::attributes(c, number as u32 - 191, Attribute::Get),
        194..=196 => control::attributes(c, number as u32 - 194, Attribute::List),
        197..=199 => control::attributes(c, number as u32 - 197, Attribute::Remove),
        217 => directories::getdents(c, false), // getdents64
        221 => control::advise(c),              // fadvise64
        235 => metadata::utimes(c, true, false),
        257 => open::open(c, true),
        258 => directories::mkdir(c, true),
        259 => directories::mknod(c, true),
        260 => metadata::fchownat(c),
        261 => metadata::utimes(c, true, true), // futimesat
        262 => stat::fstatat(c),
        263 => directories::unlinkat(c),
        264 => directories::rename(c, true, false),
        265 => directories::link(c, true),
        266 => directories::symlink(c, true),
        267 => directories::readlink(c, true),
        268 => metadata::fchmodat(c),
        269 => stat::access(c, true, false),
        280 => metadata::utimensat(c),
        285 => metadata::fallocate(c),
        292 => control::dup2(c, true),
        293 => control::pipe(c, true),
        295 => transfer::readv(c, Offset::Given),
        296 => transfer::writev(c, Offset::Given),
        306 => control::sync(c), // syncfs
        316 => directories::rename(c, true, true),
        319 => metadata::memfd_create(c),
        326 => transfer::copy_file_range(c),
        327 => transfer::readv(c, Offset::Optional),
        328 => transfer::writev(c, Offset::Optional),
        332 => stat::statx(c),
        436 => open::close_range(c),
        439 => stat::access(c, true, true),
        _ => return None,
    })
}

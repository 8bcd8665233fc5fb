//! Trying a file in a child process first, because LLVM's bitcode reader can abort or crash on damaged input.
//!
//! The child reads and verifies the modules and exits; the parent only learns how that went, and whether LLVM
//! printed anything (it does so, past every handler, when debug information is broken). Nothing of the child
//! survives, and the parent goes on to read the files itself only when the child came back.

use crate::error::LoadError;
use crate::llvm::Context;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the child may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Memory the child may take: this much, and so much for each byte of the files. Some damage makes LLVM ask for many
/// gigabytes and fill them; what it makes of a sound file is some tens of times as large as the file.
const MEMORY: u64 = 1 << 30;
const MEMORY_PER_BYTE: u64 = 256;

/// What the child saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noise {
    /// LLVM printed nothing.
    Silent,
    /// LLVM prints while it reads.
    Printed,
}

/// Exit status of a child in which LLVM printed something.
const PRINTED: i32 = 3;

/// Fails if reading one of the files kills the process that does it. Ordinary errors are left to the caller's own
/// attempt.
pub(crate) fn survive(files: &[(PathBuf, Vec<u8>)]) -> Result<Noise, LoadError> {
    // One child for all files in the usual case; only after a crash is the culprit looked for.
    let message = match attempt(files) {
        Ok(noise) => return Ok(noise),
        Err(message) => message,
    };
    for (i, (path, _)) in files.iter().enumerate() {
        if let Err(message) = attempt(&files[i..=i]) {
            return Err(LoadError::Malformed { path: path.clone(), message: message.into() });
        }
    }
    let path = files.first().map(|(path, _)| path.clone()).unwrap_or_default();
    Err(LoadError::Malformed { path, message: message.into() })
}

/// The size that this process's address space may grow to while it reads the files.
fn memory_limit(files: &[(PathBuf, Vec<u8>)]) -> u64 {
    // The first number is the size in pages. Without it there is no limit.
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|statm| statm.split_whitespace().next()?.parse::<u64>().ok());
    // SAFETY: asks for a constant of the system.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let more = bytes.saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY);
    pages.map_or(libc::RLIM_INFINITY, |pages| pages.saturating_mul(page).saturating_add(more))
}

/// Lowers a limit of this process; one that is lower already stays.
fn lower_limit(resource: libc::__rlimit_resource_t, to: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: system calls on a structure of our own.
    unsafe {
        if libc::getrlimit(resource, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_cur.min(to);
            libc::setrlimit(resource, &limit);
        }
    }
}

fn attempt(files: &[(PathBuf, Vec<u8>)]) -> Result<Noise, &'static str> {
    let memory = memory_limit(files);
    // SAFETY: the child only parses in its own copy of memory and leaves by `_exit`; glibc makes its allocator usable
    // in the child of a threaded process.
    let child = unsafe { libc::fork() };
    match child {
        // Without a child, the caller's own attempt is the only one.
        -1 => Ok(Noise::Silent),
        0 => {
            // SAFETY: plain system calls on the child itself.
            let sink = unsafe {
                let sink = libc::memfd_create(c"llvm".as_ptr(), 0);
                if sink >= 0 {
                    libc::dup2(sink, 1);
                    libc::dup2(sink, 2);
                }
                for signal in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                sink
            };
            lower_limit(libc::RLIMIT_CORE, 0);
            lower_limit(libc::RLIMIT_AS, memory);
            for (_, bytes) in files {
                let context = Context::new();
                if let Ok(module) = context.parse(bytes, "input") {
                    let _ = module.verify();
                }
            }
            // SAFETY: asks how much was written, then ends the child at once, running none of the parent's handlers.
            unsafe {
                let printed = sink >= 0 && libc::lseek(sink, 0, libc::SEEK_CUR) > 0;
                libc::_exit(if printed { PRINTED } else { 0 })
            }
        }
        child => {
            let deadline = Instant::now() + LIMIT;
            let mut pause = Duration::from_micros(200);
            loop {
                let mut status = 0;
                // SAFETY: waits for our own child.
                let done = unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) };
                if done == child {
                    return match libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)) {
                        Some(0) => Ok(Noise::Silent),
                        Some(PRINTED) => Ok(Noise::Printed),
                        _ => Err("LLVM cannot read it and crashes"),
                    };
                }
                if done < 0 {
                    // Someone else collected the child; nothing is known.
                    return Ok(Noise::Silent);
                }
                if Instant::now() > deadline {
                    // SAFETY: ends and collects our own child.
                    unsafe {
                        libc::kill(child, libc::SIGKILL);
                        libc::waitpid(child, &mut status, 0);
                    }
                    return Err("LLVM does not finish reading it");
                }
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            }
        }
    }
}

/// Runs `f` with standard error pointing nowhere. Only used when LLVM is known to print, since it affects the whole
/// process for that moment.
pub(crate) fn without_stderr<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: system calls on descriptors this function opened itself, and on standard error, which is put back.
    let saved = unsafe {
        let saved = libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 3);
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if saved >= 0 && null >= 0 {
            libc::dup2(null, 2);
        }
        if null >= 0 {
            libc::close(null);
        }
        saved
    };
    let result = f();
    if saved >= 0 {
        // SAFETY: as above.
        unsafe {
            libc::dup2(saved, 2);
            libc::close(saved);
        }
    }
    result
}

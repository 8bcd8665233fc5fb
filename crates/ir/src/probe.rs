//! Trying a file in a child process first, because LLVM's bitcode reader can abort or crash on damaged input.
//!
//! The child reads and verifies the module and exits; the parent only learns how that went. Nothing of the child
//! survives, and the parent goes on to read the file itself only when the child came back.

use crate::error::LoadError;
use crate::llvm::Context;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the child may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Fails if reading one of the files kills the process that does it. Ordinary errors are left to the caller's own
/// attempt.
pub(crate) fn survive(files: &[(PathBuf, Vec<u8>)]) -> Result<(), LoadError> {
    // One child for all files in the usual case; only after a crash is the culprit looked for.
    let Err(message) = attempt(files) else { return Ok(()) };
    for (i, (path, _)) in files.iter().enumerate() {
        if let Err(message) = attempt(&files[i..=i]) {
            return Err(LoadError::Malformed { path: path.clone(), message: message.into() });
        }
    }
    let path = files.first().map(|(path, _)| path.clone()).unwrap_or_default();
    Err(LoadError::Malformed { path, message: message.into() })
}

fn attempt(files: &[(PathBuf, Vec<u8>)]) -> Result<(), &'static str> {
    // SAFETY: the child only parses in its own copy of memory and leaves by `_exit`; glibc makes its allocator usable
    // in the child of a threaded process.
    let child = unsafe { libc::fork() };
    match child {
        // Without a child, the caller's own attempt is the only one.
        -1 => Ok(()),
        0 => {
            // SAFETY: plain system calls on the child itself.
            unsafe {
                let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
                if null >= 0 {
                    libc::dup2(null, 1);
                    libc::dup2(null, 2);
                }
                let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_CORE, &none);
                for signal in [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE] {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
            for (_, bytes) in files {
                let context = Context::new();
                if let Ok(module) = context.parse(bytes, "input") {
                    let _ = module.verify();
                }
            }
            // SAFETY: ends the child at once, running none of the parent's handlers.
            unsafe { libc::_exit(0) }
        }
        child => {
            let deadline = Instant::now() + LIMIT;
            let mut pause = Duration::from_micros(200);
            loop {
                let mut status = 0;
                // SAFETY: waits for our own child.
                let done = unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) };
                if done == child {
                    let fine = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
                    return if fine { Ok(()) } else { Err("LLVM cannot read it and crashes") };
                }
                if done < 0 {
                    // Someone else collected the child; nothing is known.
                    return Ok(());
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

//! The same programs without the engine: compiled by the same compiler, linked with the replay library, run on one test.
//! A run that takes too long is killed and reported as such. Nothing here decides what is right.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Finished, run, runtime};

/// The compiler that everything else uses, too.
pub fn clang() -> String {
    std::env::var("FORKWISE_CLANG").unwrap_or_else(|_| "clang-19".into())
}

/// What a native build contains besides the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing: what users run.
    None,
    /// AddressSanitizer and UBSan.
    All,
}

/// Compiles a harness and links the replay library.
pub fn build(program: &Path, level: u32, checks: Checks, out: &Path) -> Result<PathBuf, String> {
    let mut command = Command::new(clang());
    command.args(["-g", "-w", &format!("-O{level}"), "-fno-omit-frame-pointer"]);
    command.arg("-I").arg(runtime().join("api"));
    match checks {
        Checks::None => {}
        Checks::All => {
            command.args(["-fsanitize=address,undefined", "-fno-sanitize=vptr,function"]);
            command.arg("-fno-sanitize-recover=undefined");
        }
    }
    command.arg(program).arg(runtime().join("lib/libforkwise-replay.a")).args(["-lm", "-o"]).arg(out);
    let done = run(&mut command, Duration::from_secs(60));
    match done.code() {
        Some(0) => Ok(out.to_path_buf()),
        _ => Err(format!("{command:?} fails:\n{}", done.err())),
    }
}

/// Runs a built harness on one test.
pub fn replay(program: &Path, ktest: &Path, limit: Duration) -> Finished {
    let mut command = Command::new(program);
    command.env("KTEST_FILE", ktest);
    // Stack memory that outlives its function is only seen with the first; the others keep the run's end readable.
    command.env("ASAN_OPTIONS", "detect_stack_use_after_return=1:handle_abort=0:allocator_may_return_null=1");
    command.env("UBSAN_OPTIONS", "print_stacktrace=0");
    run(&mut command, limit)
}

/// Whether the end of a sanitized run shows that something is wrong with the program.
pub fn shows_a_bug(done: &Finished) -> bool {
    use std::os::unix::process::ExitStatusExt;
    let Some(status) = done.status else { return true };
    if status.signal().is_some() {
        return true;
    }
    let text = done.err();
    let signs =
        ["ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:", "Assertion", "report_error"];
    status.code() != Some(0) && signs.iter().any(|sign| text.contains(sign))
}

//! `cargo xtask setup`: everything a fresh Debian machine with Rust needs before the workspace builds and its tests run.
//! Idempotent, silent about what is already there, and it names what it installs. `--check` changes nothing. The parts
//! are in `apt` (packages), `musl` (the C library as bitcode), `native_libc` (the same as objects) and `runtime` (replay
//! library).

use std::fs::File;

use anyhow::{Context, Result, bail};

use crate::workspace::{Workspace, create_dir};
use crate::{apt, musl, native_libc, runtime};

/// The Debian packages, each with the reason it is here.
const PACKAGES: &[(&str, &str)] = &[
    ("clang-19", "compiles C programs to bitcode and confirms bugs natively"),
    ("llvm-19", "llvm-ar, llvm-link, opt"),
    ("llvm-19-dev", "reading bitcode: headers and llvm-config for the ir crate"),
    ("lld-19", "links whole-program bitcode"),
    ("libclang-rt-19-dev", "AddressSanitizer and UBSan for confirming bugs"),
    ("g++", "builds the SAT solver"),
    ("libc6-dev", "headers of the host's C library, for native builds"),
    ("z3", "the SMT solver for floating point and hard arithmetic"),
    ("csmith", "random C programs for the differential tests"),
    ("libtool-bin", "a test of forkwise cc under libtool"),
    ("libcsmith-dev", "headers of those programs"),
];

/// What only the tests need.
const TEST_PACKAGES: &[(&str, &str)] = &[
    ("chromium", "opens the pages of reports"),
    ("tmux", "a terminal for what is shown while a run goes on"),
];

/// Installs what only the tests need.
pub fn for_tests() -> Result<()> {
    let packages: Vec<&str> = TEST_PACKAGES.iter().map(|(name, _)| *name).collect();
    let absent = apt::missing(&packages)?;
    if !absent.is_empty() {
        apt::install(&absent)?;
    }
    Ok(())
}

/// Installs and builds what is missing.
pub fn run(workspace: &Workspace) -> Result<()> {
    let packages: Vec<&str> = PACKAGES.iter().map(|(name, _)| *name).collect();
    let absent = apt::missing(&packages)?;
    if !absent.is_empty() {
        apt::install(&absent)?;
    }
    create_dir(&workspace.cache())?;
    // Two runs at once, say a test and an editor's, would remove each other's files.
    let lock = File::create(workspace.cache().join("setup.lock")).context("cannot create the setup lock")?;
    lock.lock().context("cannot take the setup lock")?;
    let musl = musl::build(workspace)?;
    native_libc::build(workspace)?;
    runtime::build(workspace, &musl)
}

/// Reports what `run` would do; an error (exit status 1) if that is anything.
pub fn check(workspace: &Workspace) -> Result<()> {
    let mut problems = 0;
    let packages: Vec<&str> = PACKAGES.iter().map(|(name, _)| *name).collect();
    let absent = apt::missing(&packages)?;
    for (name, reason) in PACKAGES {
        let state = if absent.contains(name) { "missing" } else { "ok" };
        println!("{state:8} {name:20} {reason}");
    }
    problems += absent.len();
    // Without the compiler the stamps cannot be computed, and it is reported already.
    if !absent.contains(&"clang-19") {
        for (name, state) in [
            ("C library as bitcode", musl::check(workspace)?),
            ("C library as native objects", native_libc::check(workspace)?),
            ("replay library", runtime::check(workspace)?),
        ] {
            match state {
                Some(problem) => {
                    println!("{:8} {name}: {problem}", "missing");
                    problems += 1;
                }
                None => println!("{:8} {name}", "ok"),
            }
        }
    }
    if problems > 0 {
        bail!("{problems} missing; `cargo xtask setup` installs and builds them");
    }
    Ok(())
}

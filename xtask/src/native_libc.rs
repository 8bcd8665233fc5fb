//! The C library as native objects, made from the very members of the bitcode archive: what runs natively is what the
//! engine runs, and linking a program against it takes no link-time optimisation. Also the empty archives behind `-lm`
//! and its like. Must never compile musl's sources again; `musl` makes the bitcode, `runtime` what stands beside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::compile::{self, Job};
use crate::musl::{self, CLANG, LLVM_AR, TARGET};
use crate::workspace::{
    Workspace, capture, create_dir, fingerprint, remove, sorted_entries, write_atomically,
};

/// Parts of the C library that other systems keep in libraries of their own: programs name them, musl has them all.
const EMPTY: &[&str] =
    &["m", "pthread", "rt", "dl", "resolv", "util", "crypt", "xnet", "gcc", "gcc_s", "gcc_eh"];

/// The archive of native objects.
pub fn archive_path(workspace: &Workspace) -> PathBuf {
    workspace.runtime().join("native/libc.a")
}

fn stamp_path(workspace: &Workspace) -> PathBuf {
    workspace.runtime().join("native/.libc-stamp")
}

/// What is missing or out of date, or `None`.
pub fn check(workspace: &Workspace) -> Result<Option<String>> {
    let current = fs::read_to_string(stamp_path(workspace)).ok();
    if !archive_path(workspace).is_file() || current != Some(stamp(workspace)) {
        return Ok(Some(format!(
            "{} has not been built from the current bitcode",
            archive_path(workspace).display()
        )));
    }
    Ok(None)
}

fn stamp(workspace: &Workspace) -> String {
    let bitcode = fs::read(workspace.runtime().join("lib/libc.bc.stamp")).unwrap_or_default();
    let print = fingerprint([bitcode.as_slice(), include_bytes!("native_libc.rs").as_slice()]);
    format!("{print:016x}\n")
}

/// Brings the archive up to date.
pub fn build(workspace: &Workspace) -> Result<()> {
    if check(workspace)?.is_none() {
        return Ok(());
    }
    let stamp = stamp(workspace);
    let folder = workspace.cache().join("native-libc");
    compile::reset_if_changed(&folder, &stamp)?;
    let bitcode = folder.join("bitcode");
    remove(&bitcode)?;
    create_dir(&bitcode)?;
    capture(
        Command::new(LLVM_AR)
            .arg("x")
            .arg(format!("--output={}", bitcode.display()))
            .arg(musl::archive_path(workspace)),
    )
    .context("cannot take the C library's bitcode apart")?;
    let members = sorted_entries(&bitcode)?;
    let objects = translate("native libc", &members, &folder)?;
    let native = workspace.runtime().join("native");
    create_dir(&native)?;
    musl::archive(&objects, &archive_path(workspace))?;
    for name in EMPTY {
        let place = native.join(format!("lib{name}.a"));
        // The whole of an archive without members.
        write_atomically(&place, b"!<arch>\n")?;
    }
    write_atomically(&stamp_path(workspace), stamp.as_bytes())?;
    println!("setup: built {} ({} members)", archive_path(workspace).display(), objects.len());
    Ok(())
}

/// Bitcode files to objects, without another round of optimisation: the engine runs them as they are, too.
pub fn translate(label: &str, bitcode: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>> {
    let arguments =
        [&format!("--target={TARGET}"), "-O1", "-Xclang", "-disable-llvm-passes", "-ffunction-sections"];
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let jobs: Vec<Job> = bitcode
        .iter()
        .map(|member| Job {
            compiler: CLANG.into(),
            arguments: arguments.clone(),
            source: member.clone(),
            output: folder.join(member.file_name().unwrap_or_default()).with_extension("o"),
        })
        .collect();
    compile::run_jobs(label, &jobs)?;
    Ok(jobs.into_iter().map(|job| job.output).collect())
}

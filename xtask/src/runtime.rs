//! The rest of the runtime folder: the replay library in its two forms, and what turns the engine's own libc bitcode into
//! native static programs. Everything lands in `target/runtime`; the sources are ours (`runtime/`) except musl's few
//! assembly files, which are taken from the prepared tree. `musl` builds the archive these stand next to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::compile::{self, Job};
use crate::musl::{self, CLANG, Musl, TARGET};
use crate::native_libc;
use crate::workspace::{
    Workspace, capture, create_dir, fingerprint, fingerprint_dir, remove, sorted_entries, symlink,
    temporary_neighbour, write_atomically,
};

/// The name scripts written for KLEE expect behind the plain `.so`.
const SHARED_LIBRARY: &str = "libkleeRuntest.so.1.0";

/// musl's assembly for x86-64 without which a native program is not one: jumps, signal return, threads. Everything else
/// stays the C code that the engine runs.
const ASSEMBLY: &[&str] = &[
    "src/setjmp/x86_64/setjmp.s",
    "src/setjmp/x86_64/longjmp.s",
    "src/signal/x86_64/sigsetjmp.s",
    "src/signal/x86_64/restore.s",
    "src/thread/x86_64/clone.s",
    "src/thread/x86_64/__unmapself.s",
    "src/process/x86_64/vfork.s",
];

fn stamp_path(workspace: &Workspace) -> PathBuf {
    workspace.runtime().join(".replay-stamp")
}

/// What is missing or out of date, or `None`.
pub fn check(workspace: &Workspace) -> Result<Option<String>> {
    let stamp = stamp(workspace)?;
    if fs::read_to_string(stamp_path(workspace)).ok().as_deref() != Some(&stamp) {
        return Ok(Some("the replay library has not been built from the current sources".into()));
    }
    Ok(None)
}

fn stamp(workspace: &Workspace) -> Result<String> {
    let sources = fingerprint_dir(&workspace.runtime_sources())?;
    let libc = fs::read(workspace.runtime().join("lib/libc.bc.stamp")).unwrap_or_default();
    let print = fingerprint([
        sources.to_string().as_bytes(),
        libc.as_slice(),
        include_bytes!("runtime.rs").as_slice(),
    ]);
    Ok(format!("{print:016x}\n"))
}

/// Brings the replay library and the native libc parts up to date.
pub fn build(workspace: &Workspace, musl: &Musl) -> Result<()> {
    if check(workspace)?.is_none() {
        return Ok(());
    }
    let stamp = stamp(workspace)?;
    let objects = workspace.cache().join("runtime-objects");
    compile::reset_if_changed(&objects, &stamp)?;
    install_harness_headers(workspace)?;
    build_replay_library(workspace, &objects)?;
    build_native_libc(workspace, musl, &objects)?;
    build_gcov_flush(workspace)?;
    write_atomically(&stamp_path(workspace), stamp.as_bytes())?;
    println!("setup: built the replay library in {}", workspace.runtime().join("lib").display());
    Ok(())
}

/// `forkwise.h` and `klee/klee.h` without musl's headers around them, for harnesses compiled against the host's libc.
fn install_harness_headers(workspace: &Workspace) -> Result<()> {
    let api = workspace.runtime().join("api");
    remove(&api)?;
    musl::copy_tree(&workspace.runtime_sources().join("include"), &api)
}

/// The library for harnesses that are built with the host's libc.
fn build_replay_library(workspace: &Workspace, objects: &Path) -> Result<()> {
    let flags = ["-fPIC"];
    let members = compile_replay(workspace, objects, "host", &flags)?;
    let lib = workspace.runtime().join("lib");
    create_dir(&lib)?;
    musl::archive(&members, &lib.join("libforkwise-replay.a"))?;

    let shared = lib.join(SHARED_LIBRARY);
    let fresh = temporary_neighbour(&shared);
    // KLEE's library brings no main, and a program linked with this one must not get ours.
    let intrinsics = members.iter().filter(|member| !member.ends_with("host-fuzz_main.o"));
    capture(
        Command::new(CLANG)
            .args(["-shared", "-fuse-ld=lld", &format!("-Wl,-soname,{SHARED_LIBRARY}")])
            .args(intrinsics)
            .arg("-o")
            .arg(&fresh),
    )?;
    fs::rename(&fresh, &shared).with_context(|| format!("cannot create {}", shared.display()))?;
    symlink(Path::new(SHARED_LIBRARY), &lib.join("libkleeRuntest.so"))
}

/// What a native program needs beside the engine's bitcode archive: the start, the hooks, the allocator, and the replay
/// library for musl.
fn build_native_libc(workspace: &Workspace, musl: &Musl, objects: &Path) -> Result<()> {
    let native = workspace.runtime().join("native");
    create_dir(&native)?;
    let ours = workspace.runtime_sources().join("native");
    let job = |source: PathBuf, name: String, arguments: Vec<String>| Job {
        compiler: CLANG.into(),
        arguments,
        source,
        output: objects.join(name),
    };
    let target = || vec![format!("--target={TARGET}"), "-O1".into(), "-fPIE".into()];

    let mut jobs = Vec::new();
    for name in ["hooks", "files", "coverage"] {
        jobs.push(job(ours.join(format!("{name}.c")), format!("{name}.o"), target()));
    }
    for source in ASSEMBLY {
        let path = musl.tree.join(source);
        let name = path.with_extension("o");
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        jobs.push(job(path, name, target()));
    }
    let mut allocator = Vec::new();
    for source in musl::libc_sources(&musl.tree)?.iter().filter(|source| musl::is_allocator(source)) {
        allocator.push(musl::job(musl, &musl.tree.join(source), &objects.join(musl::member_name(source))));
    }
    let start = job(ours.join("start.s"), "crt1.o".into(), target());
    compile::run_jobs("native", &jobs)?;
    compile::run_jobs("native", std::slice::from_ref(&start))?;
    compile::run_jobs("the allocator", &allocator)?;
    let allocator: Vec<PathBuf> = allocator.into_iter().map(|job| job.output).collect();
    let mut members: Vec<PathBuf> = jobs.into_iter().map(|job| job.output).collect();
    members.extend(native_libc::translate("the allocator", &allocator, objects)?);
    musl::archive(&members, &native.join("libforkwise-native.a"))?;
    fs::copy(&start.output, native.join("crt1.o")).context("cannot install crt1.o")?;
    let bin = workspace.runtime().join("bin");
    create_dir(&bin)?;
    fs::copy(ours.join("forkwise-ld"), bin.join("forkwise-ld")).context("cannot install forkwise-ld")?;

    let include = workspace.runtime().join("include");
    let include = format!("-isystem{}", include.display());
    let flags = [&format!("--target={TARGET}"), "-nostdlibinc", include.as_str(), "-fPIE"];
    let replay = compile_replay(workspace, objects, "musl", &flags)?;
    musl::archive(&replay, &native.join("libforkwise-replay.a"))?;
    // A program that a build system links brings its own main, or its missing one is an error.
    let harness: Vec<PathBuf> =
        replay.into_iter().filter(|member| !member.ends_with("musl-fuzz_main.o")).collect();
    musl::archive(&harness, &native.join("libforkwise-harness.a"))
}

/// What `forkwise cc --gcov` links into programs; by the compiler they are built with.
fn build_gcov_flush(workspace: &Workspace) -> Result<()> {
    let object = workspace.runtime().join("lib/gcov-flush.o");
    let fresh = temporary_neighbour(&object);
    let source = workspace.runtime_sources().join("gcov/flush.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O2", "-fPIC", "-Wall", "-Wextra", "-c"]).arg(source).arg("-o").arg(&fresh);
    capture(&mut gcc)?;
    fs::rename(&fresh, &object).with_context(|| format!("cannot create {}", object.display()))
}

fn compile_replay(
    workspace: &Workspace,
    objects: &Path,
    variant: &str,
    flags: &[&str],
) -> Result<Vec<PathBuf>> {
    let own_include = format!("-I{}", workspace.runtime_sources().join("include").display());
    let mut arguments: Vec<String> =
        ["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", &own_include].map(String::from).into();
    arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    let mut jobs = Vec::new();
    for source in sorted_entries(&workspace.runtime_sources().join("replay"))? {
        if source.extension().is_some_and(|extension| extension == "c") {
            let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let output = objects.join(format!("{variant}-{stem}.o"));
            jobs.push(Job { compiler: CLANG.into(), arguments: arguments.clone(), source, output });
        }
    }
    compile::run_jobs("the replay library", &jobs)?;
    Ok(jobs.into_iter().map(|job| job.output).collect())
}

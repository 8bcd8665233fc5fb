//! musl as LLVM bitcode: fetch Debian's tarball, give it an architecture folder without assembly (runtime/libc/arch),
//! compile every C file, and archive the members the engine links by need. Must never leave half an archive behind and
//! keeps nothing of musl in the repository. `native` reuses the prepared tree for programs that run outside the engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt;
use crate::compile::{self, Job};
use crate::workspace::{
    Workspace, capture, create_dir, fingerprint, fingerprint_dir, remove, sorted_entries, symlink,
    temporary_neighbour, write_atomically,
};

/// The compiler and archiver everything in the runtime is built with: the version whose bitcode the engine reads.
pub const CLANG: &str = "clang-19";
/// The archiver that writes symbol tables for bitcode members.
pub const LLVM_AR: &str = "llvm-ar-19";
/// The triple of everything compiled against musl.
pub const TARGET: &str = "x86_64-unknown-linux-musl";

/// How musl is compiled. -O1 keeps the code small and scalar; contraction, jump tables and library-call idioms would
/// only make the engine's work harder or the results differ from the plain C.
const FLAGS: &[&str] = &[
    "-std=c99",
    "-ffreestanding",
    "-nostdinc",
    "-D_XOPEN_SOURCE=700",
    "-O1",
    "-g",
    "-ffp-contract=off",
    "-fno-jump-tables",
    "-fno-builtin",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-stack-protector",
    "-w",
    "-emit-llvm",
];

/// String functions that musl reads a word at a time where the compiler is GNU-like: beyond the end of the string,
/// which is harmless on hardware and an error in a world of exact bounds. Without the macro they go byte by byte.
const BYTEWISE: &[&str] = &[
    "memccpy",
    "memchr",
    "stpcpy",
    "stpncpy",
    "strchrnul",
    "strlcpy",
    "strlen",
    "memcpy",
    "memmove",
    "memset",
];

/// musl's files that are replaced by ours (runtime/libc) or by the engine (the allocator: one object per allocation).
const REPLACED: &[&str] = &["src/thread/__set_thread_area.c", "src/thread/clone.c"];

/// The one file of `src/malloc` that is not part of the allocator.
const NOT_ALLOCATOR: &str = "src/malloc/reallocarray.c";

/// A prepared musl tree: extracted, patched, with its generated headers.
pub struct Musl {
    /// The tree itself.
    pub tree: PathBuf,
    /// What everything built from the tree depends on: tarball, compiler, flags and our own files.
    pub stamp: String,
}

/// Where the bitcode archive goes.
pub fn archive_path(workspace: &Workspace) -> PathBuf {
    workspace.runtime().join("lib/libc.bc.a")
}

fn archive_stamp_path(workspace: &Workspace) -> PathBuf {
    workspace.runtime().join("lib/libc.bc.stamp")
}

/// What is out of date or missing; `None` when the archive and the headers are as this version builds them.
pub fn check(workspace: &Workspace) -> Result<Option<String>> {
    let Some(tarball) = apt::find_tarball("musl", &workspace.cache())? else {
        return Ok(Some("musl's source has not been downloaded".into()));
    };
    let archive = archive_path(workspace);
    if !archive.is_file() {
        return Ok(Some(format!("{} has not been built", archive.display())));
    }
    let stamp = stamp(workspace, &tarball)?;
    if fs::read_to_string(archive_stamp_path(workspace)).ok().as_deref() != Some(&stamp) {
        return Ok(Some(format!("{} is out of date", archive.display())));
    }
    Ok(None)
}

/// Brings the archive and the headers up to date and returns the tree they were made from.
pub fn build(workspace: &Workspace) -> Result<Musl> {
    let musl = prepare(workspace)?;
    let include = workspace.runtime().join("include");
    install_headers(&musl, &include)?;
    install_own_headers(workspace, &include)?;
    if check(workspace)?.is_none() {
        return Ok(musl);
    }
    let objects = workspace.cache().join("musl-bitcode");
    compile::reset_if_changed(&objects, &musl.stamp)?;
    let mut jobs = Vec::new();
    for source in libc_sources(&musl.tree)? {
        if !excluded(&source) {
            jobs.push(job(&musl, &musl.tree.join(&source), &objects.join(member_name(&source))));
        }
    }
    for source in own_sources(workspace)? {
        let name = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        jobs.push(job(&musl, &source, &objects.join(format!("forkwise.{name}.bc"))));
    }
    compile::run_jobs("musl", &jobs)?;
    let members: Vec<PathBuf> = jobs.into_iter().map(|job| job.output).collect();
    create_dir(&workspace.runtime().join("lib"))?;
    archive(&members, &archive_path(workspace))?;
    write_atomically(&archive_stamp_path(workspace), musl.stamp.as_bytes())?;
    println!("setup: built {} ({} members)", archive_path(workspace).display(), members.len());
    Ok(musl)
}

/// Downloads, extracts and patches musl unless that was done before.
pub fn prepare(workspace: &Workspace) -> Result<Musl> {
    let cache = workspace.cache();
    let tarball = match apt::find_tarball("musl", &cache)? {
        Some(tarball) => tarball,
        None => {
            println!("setup: downloading musl's source through apt");
            apt::download_orig_tarball("musl", &cache, &cache.join("apt"))?
        }
    };
    let stamp = stamp(workspace, &tarball)?;
    let tree = cache.join("musl");
    let tree_stamp = tree.join(".forkwise-stamp");
    if fs::read_to_string(&tree_stamp).ok().as_deref() != Some(&stamp) {
        let fresh = temporary_neighbour(&tree);
        remove(&fresh)?;
        create_dir(&fresh)?;
        capture(
            Command::new("tar").arg("-xf").arg(&tarball).arg("-C").arg(&fresh).arg("--strip-components=1"),
        )
        .with_context(|| format!("cannot extract {}; remove it to download it again", tarball.display()))?;
        make_architecture(workspace, &fresh)?;
        generate_headers(&fresh)?;
        for source in libc_sources(&fresh)? {
            remove_fenv_pragma(&fresh.join(source))?;
        }
        write_atomically(&fresh.join(".forkwise-stamp"), stamp.as_bytes())?;
        remove(&tree)?;
        fs::rename(&fresh, &tree).with_context(|| format!("cannot create {}", tree.display()))?;
    }
    Ok(Musl { tree, stamp })
}

fn stamp(workspace: &Workspace, tarball: &Path) -> Result<String> {
    let compiler = capture(Command::new(CLANG).arg("--version"))
        .context("clang-19 is needed to compile the C library; `cargo xtask setup` installs it as root")?;
    let own = fingerprint_dir(&workspace.runtime_sources().join("libc"))?;
    let tarball_bytes = fs::read(tarball).with_context(|| format!("cannot read {}", tarball.display()))?;
    let print = fingerprint([
        tarball_bytes.as_slice(),
        compiler.as_bytes(),
        TARGET.as_bytes(),
        FLAGS.join(" ").as_bytes(),
        REPLACED.join(" ").as_bytes(),
        own.to_string().as_bytes(),
        include_bytes!("musl.rs"),
    ]);
    Ok(format!("{print:016x}\n"))
}

/// Our architecture: x86_64's headers with those that hold assembly replaced.
fn make_architecture(workspace: &Workspace, tree: &Path) -> Result<()> {
    let ours = tree.join("arch/forkwise");
    copy_tree(&tree.join("arch/x86_64"), &ours)?;
    copy_tree(&workspace.runtime_sources().join("libc/arch"), &ours)
}

/// The headers musl's makefile generates.
fn generate_headers(tree: &Path) -> Result<()> {
    let bits = tree.join("obj/include/bits");
    create_dir(&bits)?;
    create_dir(&tree.join("obj/src/internal"))?;
    let alltypes = capture(
        Command::new("sed")
            .arg("-f")
            .arg(tree.join("tools/mkalltypes.sed"))
            .arg(tree.join("arch/forkwise/bits/alltypes.h.in"))
            .arg(tree.join("include/alltypes.h.in")),
    )?;
    write_atomically(&bits.join("alltypes.h"), alltypes.as_bytes())?;
    let numbers = read(&tree.join("arch/forkwise/bits/syscall.h.in"))?;
    let mut syscalls = numbers.clone();
    for line in numbers.lines().filter(|line| line.contains("__NR_")) {
        syscalls.push_str(&line.replacen("__NR_", "SYS_", 1));
        syscalls.push('\n');
    }
    write_atomically(&bits.join("syscall.h"), syscalls.as_bytes())?;
    let version = read(&tree.join("VERSION"))?;
    let version = format!("#define VERSION \"{}\"\n", version.trim());
    write_atomically(&tree.join("obj/src/internal/version.h"), version.as_bytes())
}

/// The pragma makes clang emit constrained floating-point intrinsics, which say nothing more here: the engine rounds to
/// nearest and has no floating-point environment.
fn remove_fenv_pragma(source: &Path) -> Result<()> {
    // A few of musl's files are not UTF-8; none of those holds the pragma.
    let Ok(text) = fs::read_to_string(source) else { return Ok(()) };
    if !text.contains("STDC FENV_ACCESS") {
        return Ok(());
    }
    let lines = text.lines().map(|line| if line.contains("STDC FENV_ACCESS") { "" } else { line });
    let patched: String = lines.flat_map(|line| [line, "\n"]).collect();
    write_atomically(source, patched.as_bytes())
}

/// All C files of the library, relative to the tree and sorted: what musl's makefile takes for an architecture that has
/// no files of its own.
pub fn libc_sources(tree: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = sorted_entries(&tree.join("src"))?;
    folders.push(tree.join("src/malloc/mallocng"));
    let mut sources = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for file in sorted_entries(folder)? {
            if file.extension().is_some_and(|extension| extension == "c") {
                sources.push(file.strip_prefix(tree)?.to_path_buf());
            }
        }
    }
    if sources.len() < 1000 {
        bail!("{} does not look like musl: only {} C files", tree.display(), sources.len());
    }
    Ok(sources)
}

/// Whether a file belongs to the allocator.
pub fn is_allocator(source: &Path) -> bool {
    source.starts_with("src/malloc") && source != Path::new(NOT_ALLOCATOR)
}

fn excluded(source: &Path) -> bool {
    is_allocator(source) || REPLACED.iter().any(|replaced| source == Path::new(replaced))
}

fn own_sources(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let files = sorted_entries(&workspace.runtime_sources().join("libc"))?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "c")).collect())
}

/// `src/stdio/printf.c` becomes `stdio.printf.bc`: base names repeat between folders.
pub fn member_name(source: &Path) -> String {
    let parts: Vec<_> = source.iter().skip(1).map(|part| part.to_string_lossy()).collect();
    format!("{}.bc", parts.join(".").trim_end_matches(".c"))
}

/// The compilation of one file of musl, or of one of ours with the same view of the headers.
pub fn job(musl: &Musl, source: &Path, output: &Path) -> Job {
    let mut arguments: Vec<String> = vec![format!("--target={TARGET}")];
    arguments.extend(FLAGS.iter().map(|flag| (*flag).to_owned()));
    for folder in [
        "arch/forkwise",
        "arch/generic",
        "obj/src/internal",
        "src/include",
        "src/internal",
        "obj/include",
        "include",
    ] {
        arguments.push(format!("-I{}", musl.tree.join(folder).display()));
    }
    let stem = source.file_stem().unwrap_or_default();
    if source.parent().is_some_and(|p| p.ends_with("src/string")) && BYTEWISE.iter().any(|name| stem == *name)
    {
        arguments.push("-U__GNUC__".into());
    }
    // Stacks shown to users name musl/src/…, whatever the folder was called here.
    arguments.push(format!("-ffile-prefix-map={}=musl", musl.tree.display()));
    arguments.push("-fdebug-compilation-dir=musl".into());
    Job { compiler: CLANG.into(), arguments, source: source.to_path_buf(), output: output.to_path_buf() }
}

/// Writes an archive with a symbol table in one step.
pub fn archive(members: &[PathBuf], archive: &Path) -> Result<()> {
    let fresh = temporary_neighbour(archive);
    remove(&fresh)?;
    let list = temporary_neighbour(&archive.with_extension("list"));
    let names: String = members.iter().map(|member| format!("\"{}\"\n", member.display())).collect();
    write_atomically(&list, names.as_bytes())?;
    let result = capture(Command::new(LLVM_AR).arg("rcsD").arg(&fresh).arg(format!("@{}", list.display())));
    remove(&list)?;
    result?;
    fs::rename(&fresh, archive).with_context(|| format!("cannot create {}", archive.display()))
}

/// musl's public headers.
fn install_headers(musl: &Musl, include: &Path) -> Result<()> {
    let stamp = include.join(".musl-stamp");
    if fs::read_to_string(&stamp).ok().as_deref() == Some(&musl.stamp) {
        return Ok(());
    }
    // In place: somebody may be compiling against the headers right now.
    for folder in ["include", "arch/generic", "arch/forkwise", "obj/include"] {
        let from = musl.tree.join(folder);
        let (from, to) = if folder.starts_with("arch") {
            (from.join("bits"), include.join("bits"))
        } else {
            (from, include.into())
        };
        copy_tree_where(&from, &to, &|file| file.extension().is_some_and(|extension| extension == "h"))?;
    }
    // The kernel's own headers are libc-independent; programs that include <linux/…> find the machine's.
    for (name, place) in [
        ("linux", "/usr/include/linux"),
        ("asm-generic", "/usr/include/asm-generic"),
        ("asm", "/usr/include/x86_64-linux-gnu/asm"),
    ] {
        if Path::new(place).is_dir() {
            symlink(Path::new(place), &include.join(name))?;
        }
    }
    write_atomically(&stamp, musl.stamp.as_bytes())
}

/// `forkwise.h` and `klee/klee.h`.
fn install_own_headers(workspace: &Workspace, include: &Path) -> Result<()> {
    copy_tree(&workspace.runtime_sources().join("include"), include)
}

/// Copies a folder over another, leaving files that are the same already untouched.
pub fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    copy_tree_where(from, to, &|_| true)
}

fn copy_tree_where(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<()> {
    let mut pending = vec![(from.to_path_buf(), to.to_path_buf())];
    while let Some((from, to)) = pending.pop() {
        create_dir(&to)?;
        for entry in sorted_entries(&from)? {
            let Some(name) = entry.file_name() else { continue };
            if entry.is_dir() {
                pending.push((entry.clone(), to.join(name)));
            } else if wanted(&entry) {
                let bytes = fs::read(&entry).with_context(|| format!("cannot read {}", entry.display()))?;
                let place = to.join(name);
                // Unchanged files keep their time, so that builds depending on them stay up to date.
                if fs::read(&place).ok().as_deref() != Some(&bytes) {
                    write_atomically(&place, &bytes)?;
                }
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

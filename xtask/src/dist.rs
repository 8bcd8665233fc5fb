//! `cargo xtask dist`: what can be given to others: a tarball that works wherever it is unpacked, and a Debian package. Both hold the
//! program, the runtime (C library as bitcode, headers, replay libraries), man pages, completions, examples and the book's pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{Workspace, capture, create_dir, remove, run, sorted_entries};
use crate::{engine, setup};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What the program is linked with or starts.
const DEPENDS: &str =
    "libc6, libstdc++6, libgcc-s1, libllvm19, clang-19, llvm-19, lld-19, libclang-rt-19-dev, z3";

/// Builds everything and writes both into `target/dist`.
pub fn make(workspace: &Workspace) -> Result<()> {
    setup::run(workspace)?;
    engine::build_release(workspace)?;
    let dist = workspace.target.join("dist");
    remove(&dist)?;
    let name = format!("forkwise-{VERSION}-{}", std::env::consts::ARCH);
    let tree = dist.join(&name);
    fill(workspace, &tree)?;
    let tarball = dist.join(format!("{name}.tar.gz"));
    run(Command::new("tar")
        .arg("-C")
        .arg(&dist)
        .arg("-czf")
        .arg(&tarball)
        .args(["--owner=0", "--group=0"])
        .arg(&name))?;
    let package = debian(&dist, &tree)?;
    for file in [&tarball, &package] {
        let megabytes = fs::metadata(file).map_or(0, |data| data.len() >> 20);
        println!("dist: {} ({megabytes} MB)", file.display());
    }
    Ok(())
}

/// The files below `/usr`, or below the folder of the tarball.
fn fill(workspace: &Workspace, tree: &Path) -> Result<()> {
    for folder in ["bin", "lib", "share/man/man1", "share/doc/forkwise", "share/bash-completion/completions"]
    {
        create_dir(&tree.join(folder))?;
    }
    let program = tree.join("bin/forkwise");
    copy(&workspace.forkwise(), &program)?;
    run(Command::new("strip").arg(&program))?;
    copy_folder(&workspace.runtime(), &tree.join("lib/forkwise"))?;
    run(Command::new(&program).args(["manual", "man"]).arg(tree.join("share/man/man1")))?;
    for (shell, file) in [
        ("bash", "share/bash-completion/completions/forkwise"),
        ("zsh", "share/zsh/vendor-completions/_forkwise"),
        ("fish", "share/fish/vendor_completions.d/forkwise.fish"),
    ] {
        let path = tree.join(file);
        create_dir(path.parent().context("a file lies in a folder")?)?;
        let text = capture(Command::new(&program).args(["manual", "completions", shell]))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let documents = tree.join("share/doc/forkwise");
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&workspace.root.join(file), &documents.join(file))?;
    }
    copy_folder(&workspace.root.join("docs"), &documents.join("docs"))?;
    copy_folder(&workspace.root.join("examples"), &documents.join("examples"))
}

/// The Debian package of a tree.
fn debian(dist: &Path, tree: &Path) -> Result<std::path::PathBuf> {
    let root = dist.join("deb");
    create_dir(&root.join("DEBIAN"))?;
    copy_folder(tree, &root.join("usr"))?;
    let size = capture(Command::new("du").args(["-sk"]).arg(root.join("usr")))?;
    let size = size.split_whitespace().next().unwrap_or("0");
    let architecture = capture(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    let control = format!(
        "Package: forkwise\nVersion: {VERSION}\nArchitecture: {architecture}\nMaintainer: The Forkwise developers <forkwise@example.org>\n\
         Installed-Size: {size}\nDepends: {DEPENDS}\nSection: devel\nPriority: optional\n\
         Description: symbolic execution for C programs\n Forkwise explores C programs with open inputs and returns tests, bugs and worst cases,\n \
         each replayed by the native program.\n"
    );
    let path = root.join("DEBIAN/control");
    fs::write(&path, control).with_context(|| format!("cannot write {}", path.display()))?;
    let package = dist.join(format!("forkwise_{VERSION}_{architecture}.deb"));
    run(Command::new("dpkg-deb").args(["--build", "--root-owner-group"]).arg(&root).arg(&package))?;
    remove(&root)?;
    Ok(package)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    create_dir(to)?;
    for entry in sorted_entries(from)? {
        let target = to.join(entry.file_name().context("an entry has a name")?);
        let kind =
            fs::symlink_metadata(&entry).with_context(|| format!("cannot read {}", entry.display()))?;
        if kind.is_symlink() {
            let link = fs::read_link(&entry).with_context(|| format!("cannot read {}", entry.display()))?;
            crate::workspace::symlink(&link, &target)?;
        } else if kind.is_dir() {
            copy_folder(&entry, &target)?;
        } else {
            copy(&entry, &target)?;
        }
    }
    Ok(())
}

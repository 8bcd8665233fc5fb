//! `cargo xtask klee-tools`: a folder in which scripts written for KLEE find what they look for. Both layouts work: the
//! one of an installation (`bin/`, `lib/`, `include/`) and everything flat in the folder itself. The programs are links
//! to `forkwise`, which looks at the name it was started by.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::workspace::{Workspace, create_dir, remove, symlink};
use crate::{engine, setup};

/// The names `forkwise` answers to.
const PROGRAMS: &[&str] = &["klee", "ktest-tool", "klee-replay", "klee-stats"];

/// Builds and fills `target/klee-tools`.
pub fn run(workspace: &Workspace) -> Result<()> {
    setup::run(workspace)?;
    engine::build_release(workspace)?;
    let tools = workspace.target.join("klee-tools");
    remove(&tools)?;
    for folder in ["bin", "lib", "include/klee"] {
        create_dir(&tools.join(folder))?;
    }
    for program in PROGRAMS {
        symlink(Path::new("../../release/forkwise"), &tools.join("bin").join(program))?;
        symlink(&Path::new("bin").join(program), &tools.join(program))?;
    }
    let shared = "libkleeRuntest.so.1.0";
    copy(&workspace.runtime().join("lib").join(shared), &tools.join("lib").join(shared))?;
    symlink(Path::new(shared), &tools.join("lib/libkleeRuntest.so"))?;
    for name in [shared, "libkleeRuntest.so"] {
        symlink(&Path::new("lib").join(name), &tools.join(name))?;
    }
    copy(&workspace.runtime().join("api/klee/klee.h"), &tools.join("include/klee/klee.h"))?;
    println!("klee-tools: {} in {}", PROGRAMS.join(", "), tools.display());
    println!(
        "klee-tools: libkleeRuntest.so in {}, klee/klee.h in {}",
        tools.join("lib").display(),
        tools.join("include").display()
    );
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

//! The result folder: created once, after everything that can be wrong with the input has been found; every file in
//! it is either whole or not there. Read `sink` for what goes into it.

use anyhow::{Context, bail};
use forkwise_testcase::atomic_write;
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The result folder of a run.
pub struct Output {
    root: PathBuf,
    events: File,
}

/// An error if the results cannot go there; asked early, before anything takes time.
pub fn check_free(folder: &Path) -> anyhow::Result<()> {
    match fs::symlink_metadata(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !parent.is_dir() {
                bail!("cannot create {}: {} is not a folder", folder.display(), parent.display());
            }
            Ok(())
        }
        Err(e) => Err(e).with_context(|| format!("cannot create {}", folder.display())),
        Ok(data) if data.is_dir() && fs::read_dir(folder).is_ok_and(|mut d| d.next().is_none()) => Ok(()),
        Ok(_) => bail!("{} exists already; name another folder with -o, or remove it", folder.display()),
    }
}

/// Creates `PREFIX-out-N` with the first number that is free, and points the link `PREFIX-last` to it.
pub fn create_numbered(prefix: &str) -> anyhow::Result<PathBuf> {
    for number in 0u32.. {
        let folder = PathBuf::from(format!("{prefix}-out-{number}"));
        match fs::create_dir(&folder) {
            Ok(()) => {
                link_last(prefix, &folder)?;
                return Ok(folder);
            }
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e).with_context(|| format!("cannot create {}", folder.display())),
        }
    }
    bail!("there are too many folders named {prefix}-out-N here")
}

fn link_last(prefix: &str, folder: &Path) -> anyhow::Result<()> {
    let link = PathBuf::from(format!("{prefix}-last"));
    if fs::symlink_metadata(&link).is_ok_and(|d| !d.is_symlink()) {
        // Something of the user's has this name; the folder itself is what counts.
        return Ok(());
    }
    // A link cannot be replaced in place; renaming another one over it can never leave none.
    let fresh = PathBuf::from(format!(".{prefix}-last-{}", std::process::id()));
    std::os::unix::fs::symlink(folder, &fresh)
        .and_then(|()| fs::rename(&fresh, &link))
        .with_context(|| format!("cannot create the link {}", link.display()))
}

impl Output {
    /// Creates the folder (`None`: the next free number) with everything that is always in it.
    pub fn create(folder: Option<&Path>) -> anyhow::Result<Output> {
        let root = match folder {
            None => create_numbered("forkwise")?,
            Some(folder) => {
                check_free(folder)?;
                if !folder.is_dir() {
                    fs::create_dir(folder).with_context(|| format!("cannot create {}", folder.display()))?;
                }
                folder.to_path_buf()
            }
        };
        for part in ["tests", "bugs"] {
            let below = root.join(part);
            fs::create_dir(&below).with_context(|| format!("cannot create {}", below.display()))?;
        }
        let path = root.join("events.jsonl");
        let events = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Output { root, events })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where tests go.
    pub fn tests(&self) -> PathBuf {
        self.root.join("tests")
    }

    /// Appends an event; a line is written at once, so that a reader never sees half of one.
    pub fn event(&mut self, event: &Value) -> anyhow::Result<()> {
        let line = format!("{event}\n");
        self.events
            .write_all(line.as_bytes())
            .with_context(|| format!("cannot write {}", self.root.join("events.jsonl").display()))
    }

    /// Replaces a file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(atomic_write(&self.root.join(name), bytes)?)
    }
}

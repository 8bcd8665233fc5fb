//! Where things are and how programs are started: the workspace's folders, and small wrappers around `Command` whose
//! errors name the command. Nothing here knows what is being built; `setup` and `musl` are the places to read next.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The folders every task works with.
pub struct Workspace {
    /// The root of the repository.
    pub root: PathBuf,
    /// Cargo's target folder; everything that is built or downloaded lives below it.
    pub target: PathBuf,
    /// The folder of the profile whose `forkwise` is run.
    profile: &'static str,
}

impl Workspace {
    /// Finds the workspace from where this program was compiled; `CARGO_TARGET_DIR` moves the target folder.
    pub fn locate() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .map(Path::to_path_buf)
            .with_context(|| format!("{} has no parent folder", manifest.display()))?;
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(dir) if Path::new(&dir).is_absolute() => PathBuf::from(dir),
            Some(dir) => std::env::current_dir()?.join(dir),
            None => root.join("target"),
        };
        Ok(Self { root, target, profile: "release" })
    }

    /// The same with the development profile's program, which the tests have built anyway.
    pub fn for_tests(&self) -> Self {
        Self { root: self.root.clone(), target: self.target.clone(), profile: "debug" }
    }

    /// Downloads and intermediate files that survive between runs.
    pub fn cache(&self) -> PathBuf {
        self.target.join("cache")
    }

    /// The runtime folder the engine uses: `lib`, `include`, `native`.
    pub fn runtime(&self) -> PathBuf {
        self.target.join("runtime")
    }

    /// Our own C sources and headers.
    pub fn runtime_sources(&self) -> PathBuf {
        self.root.join("runtime")
    }

    /// The `forkwise` program: the release profile's, or the one of [`Workspace::for_tests`].
    pub fn forkwise(&self) -> PathBuf {
        self.target.join(self.profile).join("forkwise")
    }

    /// A `cargo` command in the workspace's root.
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.root);
        // These describe the xtask package, not the one about to be built.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|n| n.starts_with("CARGO_PKG_") || n.starts_with("CARGO_MANIFEST_"))
            {
                command.env_remove(name);
            }
        }
        command
    }
}

/// Runs a command with the terminal attached and fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", display(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", display(command));
    }
    Ok(())
}

/// Runs a command, collecting its output; on failure the error holds what it wrote to standard error.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", display(command)))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}\n{}", display(command), output.status, text.trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A command as one would type it, for messages.
pub fn display(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    const LONGEST: usize = 400;
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST).chain(" …".chars()).collect();
    }
    text
}

/// Whether a program can be found on the PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

/// Writes a file through a temporary neighbour, so that an interrupted run leaves the old one or the new one.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<()> {
    let temporary = temporary_neighbour(path);
    fs::write(&temporary, contents).with_context(|| format!("cannot write {}", temporary.display()))?;
    fs::rename(&temporary, path).with_context(|| format!("cannot create {}", path.display()))
}

/// A name next to `path` that no other process uses.
pub fn temporary_neighbour(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or(OsStr::new("file")).to_os_string();
    name.push(format!(".tmp{}", std::process::id()));
    path.with_file_name(name)
}

/// Creates a folder and its parents.
pub fn create_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create the folder {}", path.display()))
}

/// Removes a file or a whole folder; a missing one is fine.
pub fn remove(path: &Path) -> Result<()> {
    let result = match fs::symlink_metadata(path) {
        Err(_) => return Ok(()),
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    result.with_context(|| format!("cannot remove {}", path.display()))
}

/// Replaces whatever is at `link` by a symbolic link.
pub fn symlink(target: &Path, link: &Path) -> Result<()> {
    remove(link)?;
    std::os::unix::fs::symlink(target, link)
        .with_context(|| format!("cannot create the link {}", link.display()))
}

/// The entries of a folder in the order of their names.
pub fn sorted_entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(dir)
        .with_context(|| format!("cannot read the folder {}", dir.display()))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// A stable fingerprint (64-bit FNV-1a) of some bytes, for deciding whether something must be rebuilt.
pub fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        for &byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    hash
}

/// The fingerprint of all files below a folder, names included.
pub fn fingerprint_dir(dir: &Path) -> Result<u64> {
    let mut bytes = Vec::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in sorted_entries(&folder)? {
            if entry.is_dir() {
                pending.push(entry);
            } else {
                bytes.extend_from_slice(
                    entry.strip_prefix(dir).unwrap_or(&entry).to_string_lossy().as_bytes(),
                );
                bytes.push(0);
                bytes.extend(fs::read(&entry).with_context(|| format!("cannot read {}", entry.display()))?);
                bytes.push(0);
            }
        }
    }
    Ok(fingerprint([bytes.as_slice()]))
}

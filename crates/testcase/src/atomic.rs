//! Writing result files so that a reader never sees half of one: a temporary file beside the target, then a
//! rename. It must never leave the temporary behind nor destroy an existing file when the write fails (a full
//! disk included). All crates that put files into an output directory use this.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A result file could not be written; names the file.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {}", path.display(), explain(source))]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl WriteError {
    /// Whether the reason is a full disk or an exhausted quota, after which retrying is pointless.
    pub fn is_disk_full(&self) -> bool {
        matches!(
            self.source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        )
    }
}

fn explain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            "the disk is full; free some space or choose another output directory".into()
        }
        io::ErrorKind::QuotaExceeded => {
            "the disk quota is used up; free some space or choose another output directory".into()
        }
        io::ErrorKind::NotFound => "the directory does not exist".into(),
        _ => error.to_string(),
    }
}

/// Distinguishes temporary files of threads that write into one directory at the same time.
static SERIAL: AtomicU64 = AtomicU64::new(0);

/// Writes `bytes` to `path` so that `path` holds either its old contents or all of the new ones.
///
/// The data is not forced to the medium: a power cut may lose it, a crash of this process may not. Tens of
/// thousands of tests are written at the end of a run, and one `fsync` each would take minutes.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fail = |source| WriteError { path: path.to_path_buf(), source };
    let name = path.file_name().ok_or_else(|| fail(io::Error::from(io::ErrorKind::InvalidInput)))?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}-{}.tmp", std::process::id(), SERIAL.fetch_add(1, Ordering::Relaxed)));
    let temporary = path.with_file_name(temporary_name);

    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        // Nothing more can be done if this fails too; the first error is the one worth reporting.
        let _ = fs::remove_file(&temporary);
        fail(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn writes_and_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        atomic_write(&path, b"one").unwrap();
        atomic_write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(dir.path()), ["a.json"]);
    }

    #[test]
    fn a_failed_write_names_the_file_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("no/such/file");
        let error = atomic_write(&missing, b"x").unwrap_err().to_string();
        assert!(error.contains("no/such/file") && error.contains("does not exist"), "{error}");

        // The rename fails because the target is a directory that is not empty.
        let occupied = dir.path().join("occupied");
        fs::create_dir(&occupied).unwrap();
        fs::write(occupied.join("inside"), b"").unwrap();
        assert!(atomic_write(&occupied, b"x").is_err());
        assert_eq!(names(dir.path()), ["occupied"]);
    }

    #[test]
    fn a_full_disk_is_recognised() {
        let error = WriteError { path: "x".into(), source: io::Error::from(io::ErrorKind::StorageFull) };
        assert!(error.is_disk_full());
        assert!(error.to_string().contains("disk is full"));
        // /dev/full is the kernel's own full disk; the bytes must be reported lost, not silently dropped.
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap().write_all(b"x").unwrap_err();
        assert!(WriteError { path: "x".into(), source: full }.is_disk_full());
    }

    #[test]
    fn threads_do_not_collide() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("shared");
        std::thread::scope(|scope| {
            for byte in b'a'..b'e' {
                let path = &path;
                scope.spawn(move || (0..50).for_each(|_| atomic_write(path, &[byte; 4096]).unwrap()));
            }
        });
        let content = fs::read(&path).unwrap();
        assert!(content.len() == 4096 && content.iter().all(|b| *b == content[0]));
        assert_eq!(names(dir.path()), ["shared"]);
    }
}

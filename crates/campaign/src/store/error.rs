//! What can be wrong with a store, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// SQLite's extended code for a write that failed.
const WRITE_FAILED: i32 = rusqlite::ffi::SQLITE_IOERR_WRITE;

/// See the module text.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process has it.
    #[error("a campaign is running in {path} already; wait for it, or name another folder", path = .0.display())]
    Locked(PathBuf),
    /// No space.
    #[error("there is no space left in {path}, or its files may not grow; free some and run the same command again: what is finished is kept", path = .0.display())]
    Full(PathBuf),
    /// Not writable.
    #[error("{path} cannot be written to: {why}; name another folder", path = .path.display())]
    ReadOnly {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The folder belongs to something else.
    #[error("{path} {what}; name another folder", path = .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What it is instead.
        what: String,
    },
    /// The same folder, but another campaign.
    #[error("the campaign in {path} is another one: {key} was {theirs}, now it is {ours}; name another folder, or remove this one", path = .path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs.
        key: String,
        /// What it was.
        theirs: String,
        /// What it is now.
        ours: String,
    },
    /// A file.
    #[error("cannot use {path}: {source}", path = .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database.
    #[error("the database of {path}: {source}", path = .path.display())]
    Database {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// A row that was not written by this program, or is damaged.
    #[error("the database of {path} is damaged: {what}; remove the folder to begin anew", path = .path.display())]
    Damaged {
        /// The folder.
        path: PathBuf,
        /// Where.
        what: String,
    },
}

impl StoreError {
    /// What an operation on a file of the store means.
    pub fn of_file(folder: &Path, path: &Path, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                StoreError::Full(folder.to_path_buf())
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                StoreError::ReadOnly { path: folder.to_path_buf(), why: source.to_string() }
            }
            _ => StoreError::File { path: path.to_path_buf(), source },
        }
    }

    /// What an error of the database means.
    pub fn of_database(folder: &Path, source: rusqlite::Error) -> StoreError {
        use rusqlite::ErrorCode;
        let path = folder.to_path_buf();
        let extended = source.sqlite_error().map_or(0, |e| e.extended_code);
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full(path),
            // Failed writes of a file that cannot grow are reported as such, too.
            Some(ErrorCode::SystemIoFailure) if extended == WRITE_FAILED || !has_space(folder) => {
                StoreError::Full(path)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { path, why: source.to_string() }
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::Foreign { path, what: format!("holds no campaign ({source})") }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(path),
            _ => StoreError::Database { path, source },
        }
    }
}

/// Can something be written there still?
pub fn has_space(folder: &Path) -> bool {
    probe(folder).is_ok()
}

/// Writes as much as a trial's results take, and removes it again.
pub fn probe(folder: &Path) -> io::Result<()> {
    const SIZE: usize = 256 << 10;
    let path = folder.join(format!(".probe-{}", std::process::id()));
    let result = std::fs::write(&path, vec![1; SIZE]);
    // Whether it was written or not, it is of no more use.
    let _ = std::fs::remove_file(&path);
    result
}

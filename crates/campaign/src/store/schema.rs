//! The tables of a store, and whose folder it is: nothing of another program is touched, and no other process may use it.

use super::error::StoreError;
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;

/// The version of the tables.
const FORMAT: &str = "1";
/// Says whose database it is ("fwcp").
const APPLICATION: i32 = 0x6677_6370;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS trials (id TEXT PRIMARY KEY, label TEXT NOT NULL, trial TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS outcomes (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE REFERENCES trials(id),
        outcome TEXT NOT NULL, arms BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS coverage (
        arm INTEGER PRIMARY KEY, place TEXT NOT NULL, outcome INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS tests (
        file TEXT PRIMARY KEY, outcome INTEGER NOT NULL, arms BLOB NOT NULL, bug INTEGER) STRICT;
    CREATE TABLE IF NOT EXISTS bugs (
        number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, function TEXT NOT NULL, file TEXT NOT NULL,
        line INTEGER NOT NULL, outcome INTEGER NOT NULL, test TEXT,
        UNIQUE (kind, function, file, line)) STRICT;
";

/// Is there something in a folder that no campaign puts there?
pub fn holds_other_things(folder: &Path) -> std::io::Result<bool> {
    let ours = ["lock", "corpus", "running"];
    for entry in fs::read_dir(folder)? {
        if !ours.iter().any(|o| entry.as_ref().is_ok_and(|e| e.file_name() == *o)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Locks a folder for this process.
pub fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let fail = |e| StoreError::of_file(folder, &path, e);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(fail)?;
    // The lock is the kernel's: it ends with the process, however that ends.
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked(folder.to_path_buf())),
        Err(TryLockError::Error(e)) => Err(fail(e)),
    }
}

/// Makes an open database that of a campaign, or says what it is instead.
pub fn prepare(database: &Connection, folder: &Path) -> Result<(), StoreError> {
    let bad = |e| StoreError::of_database(folder, e);
    let foreign = |what: String| StoreError::Foreign { path: folder.to_path_buf(), what };
    let owner: i32 = database.query_row("PRAGMA application_id", [], |r| r.get(0)).map_err(bad)?;
    let tables: i64 =
        database.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0)).map_err(bad)?;
    if owner != APPLICATION && tables != 0 {
        return Err(foreign("holds another program's database".into()));
    }
    // With write-ahead logging, NORMAL keeps the database whole whatever happens, and loses nothing when a process dies.
    database
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;")
        .map_err(bad)?;
    database
        .execute_batch(&format!("BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; INSERT OR IGNORE INTO settings VALUES ('format', '{FORMAT}'); COMMIT;"))
        .map_err(bad)?;
    let format: String = database
        .query_row("SELECT value FROM settings WHERE key = 'format'", [], |r| r.get(0))
        .map_err(bad)?;
    if format != FORMAT {
        return Err(foreign(format!("holds a campaign in format {format}, this program knows {FORMAT}")));
    }
    Ok(())
}

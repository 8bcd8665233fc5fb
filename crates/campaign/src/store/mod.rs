//! What a campaign keeps in its folder: a database of trials and outcomes, the union of what they covered, the corpus of
//! tests. Rows are only ever added, each outcome with everything that follows from it in one transaction, so a process that is
//! killed at any moment leaves a whole store. One process at a time: the folder is locked.
//!
//! ```text
//! DIR/campaign.sqlite   settings, trials, outcomes, coverage, tests, bugs (write-ahead logging)
//! DIR/corpus/           HASH.test.json: tests that cover what no earlier one does, or show a bug that none does
//! DIR/running/          folders of running trials; cleared when the campaign is opened
//! DIR/lock
//! ```

mod error;
pub mod pack;
mod rows;
mod schema;

pub use error::StoreError;

use crate::backend::{Delivery, TestFile};
use crate::hash::ContentHash;
use crate::outcome::{Bug, End, Outcome};
use crate::trial::{RunId, Trial};
use forkwise_testcase::atomic_write;
use rows::Rows;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// See the module text.
pub struct Store {
    folder: PathBuf,
    database: Connection,
    /// Arms that any trial took.
    union: BTreeSet<u32>,
    /// Arms that a test of the corpus is known to take.
    kept: BTreeSet<u32>,
    /// Held as long as the store is open.
    _lock: File,
}

impl Store {
    /// Opens or creates the store of a folder.
    pub fn open(folder: &Path) -> Result<Store, StoreError> {
        let fail = |path: &Path, e| StoreError::of_file(folder, path, e);
        fs::create_dir_all(folder).map_err(|e| fail(folder, e))?;
        let database = folder.join("campaign.sqlite");
        if !database.exists() && schema::holds_other_things(folder).map_err(|e| fail(folder, e))? {
            let what = "holds other things than a campaign".to_string();
            return Err(StoreError::Foreign { path: folder.to_path_buf(), what });
        }
        let lock = schema::lock(folder)?;
        for part in ["corpus", "running"] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(|e| fail(&path, e))?;
        }
        let running = folder.join("running");
        crate::local::clear_folder(&running).map_err(|e| fail(&running, e))?;
        error::probe(folder).map_err(|e| fail(folder, e))?;
        let bad = |e| StoreError::of_database(folder, e);
        let connection = Connection::open(&database).map_err(bad)?;
        schema::prepare(&connection, folder)?;
        let mut store = Store {
            folder: folder.to_path_buf(),
            database: connection,
            union: BTreeSet::new(),
            kept: BTreeSet::new(),
            _lock: lock,
        };
        store.union = store.places()?.into_keys().collect();
        store.kept = store.arms_of_tests()?;
        Ok(store)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder for running trials.
    pub fn running(&self) -> PathBuf {
        self.folder.join("running")
    }

    /// The folder of the tests.
    pub fn corpus(&self) -> PathBuf {
        self.folder.join("corpus")
    }

    fn bad(&self, e: rusqlite::Error) -> StoreError {
        StoreError::of_database(&self.folder, e)
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.folder.clone(), what: what.into() }
    }

    /// What was set.
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.database
            .query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(|e| self.bad(e))
    }

    /// Sets what must stay as it is: an error if it was something else.
    pub fn fix_setting(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        match self.setting(key)? {
            Some(theirs) if theirs == value => Ok(()),
            Some(theirs) => Err(StoreError::Other {
                path: self.folder.clone(),
                key: key.to_string(),
                theirs,
                ours: value.to_string(),
            }),
            None => self.set(key, value),
        }
    }

    /// Sets what may change.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.database
            .execute("INSERT OR REPLACE INTO settings (key, value) VALUES (?1, ?2)", [key, value])
            .map(|_| ())
            .map_err(|e| self.bad(e))
    }

    /// What came of a trial, if it was run.
    pub fn outcome(&self, id: &RunId) -> Result<Option<Outcome>, StoreError> {
        let row: Option<(String, Vec<u8>)> = self
            .database
            .prepare_cached("SELECT outcome, arms FROM outcomes WHERE id = ?1")
            .and_then(|mut s| s.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional())
            .map_err(|e| self.bad(e))?;
        row.map(|(text, arms)| self.unpack(&text, &arms, id.as_str())).transpose()
    }

    fn unpack(&self, text: &str, arms: &[u8], id: &str) -> Result<Outcome, StoreError> {
        let mut outcome: Outcome =
            serde_json::from_str(text).map_err(|e| self.damaged(format!("outcome {id}: {e}")))?;
        outcome.arms = pack::unpack(arms).ok_or_else(|| self.damaged(format!("the arms of outcome {id}")))?;
        Ok(outcome)
    }

    /// All trials that were run, in the order in which they were finished.
    pub fn outcomes(&self) -> Result<Vec<(Trial, Outcome)>, StoreError> {
        let mut statement = self
            .database
            .prepare("SELECT trial, outcome, arms, o.id FROM outcomes o JOIN trials t ON t.id = o.id ORDER BY number")
            .map_err(|e| self.bad(e))?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .map_err(|e| self.bad(e))?;
        let mut out = Vec::new();
        for row in rows {
            let (trial, text, arms, id): (String, String, Vec<u8>, String) = row.map_err(|e| self.bad(e))?;
            let trial = serde_json::from_str(&trial).map_err(|e| self.damaged(format!("trial {id}: {e}")))?;
            out.push((trial, self.unpack(&text, &arms, &id)?));
        }
        Ok(out)
    }

    /// Keeps what came of a trial. Twice is once: the first outcome stays. Returns what was new.
    pub fn keep(&mut self, trial: &Trial, delivery: &Delivery) -> Result<News, StoreError> {
        let id = trial.id();
        if matches!(delivery.outcome.end, End::NotBegun(_)) || self.outcome(&id)?.is_some() {
            return Ok(News::default());
        }
        let outcome = &delivery.outcome;
        let new: Vec<u32> = outcome.arms.iter().copied().filter(|a| !self.union.contains(a)).collect();
        let wanted = self.choose_tests(delivery)?;
        // Files first: a file without a row is harmless and would be written again, a row without its file would be a loss.
        for (name, test) in &wanted {
            let path = self.corpus().join(name);
            atomic_write(&path, test.text.as_bytes())
                .map_err(|e| StoreError::of_file(&self.folder, &path, e.source))?;
        }
        let places: BTreeMap<u32, &str> = outcome
            .arms
            .iter()
            .copied()
            .zip(delivery.places.iter().map(String::as_str).chain(std::iter::repeat("")))
            .collect();
        let folder = self.folder.clone();
        let transaction = self.database.transaction().map_err(|e| StoreError::of_database(&folder, e))?;
        let rows = Rows { trial, outcome, id: &id, new: &new, places: &places, wanted: &wanted };
        let bugs = rows
            .insert(&transaction)
            .and_then(|bugs| transaction.commit().map(|()| bugs))
            .map_err(|e| StoreError::of_database(&folder, e))?;
        let news = News { arms: new.len(), tests: wanted.len(), bugs };
        self.union.extend(new);
        self.kept.extend(wanted.iter().flat_map(|(_, t)| t.arms.iter().copied()));
        Ok(news)
    }

    /// The tests that show what no test of the corpus does, with their files' names.
    fn choose_tests(&self, delivery: &Delivery) -> Result<Vec<(String, TestFile)>, StoreError> {
        let known = self.bugs()?;
        let mut taken = BTreeSet::new();
        let mut chosen: BTreeMap<String, TestFile> = BTreeMap::new();
        for test in &delivery.tests {
            let news = test.arms.iter().any(|a| !self.kept.contains(a) && !taken.contains(a));
            let bug = test.bug.and_then(|b| delivery.outcome.bugs.get(b));
            if news || bug.is_some_and(|b| !known.contains_key(b)) {
                taken.extend(test.arms.iter().copied());
                let name = format!("{}.test.json", ContentHash::of(test.text.as_bytes()));
                // The test of a bug may have covered something, too: then it comes twice.
                let entry = chosen.entry(name).or_insert_with(|| test.clone());
                entry.bug = entry.bug.or(test.bug);
                if entry.arms.is_empty() {
                    entry.arms.clone_from(&test.arms);
                }
            }
        }
        Ok(chosen.into_iter().collect())
    }

    /// Arms that any trial took, and where they are.
    pub fn places(&self) -> Result<BTreeMap<u32, String>, StoreError> {
        let mut statement =
            self.database.prepare("SELECT arm, place FROM coverage").map_err(|e| self.bad(e))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|e| self.bad(e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.bad(e))
    }

    /// Arms that any trial took.
    pub fn union(&self) -> &BTreeSet<u32> {
        &self.union
    }

    /// Distinct bugs of all trials, with the file of a test that shows it, if there is one.
    pub fn bugs(&self) -> Result<BTreeMap<Bug, Option<String>>, StoreError> {
        let mut statement = self
            .database
            .prepare_cached("SELECT kind, function, file, line, test FROM bugs")
            .map_err(|e| self.bad(e))?;
        let rows = statement
            .query_map([], |row| {
                let line: i64 = row.get(3)?;
                let bug = Bug {
                    kind: row.get(0)?,
                    function: row.get(1)?,
                    file: row.get(2)?,
                    line: line.unsigned_abs(),
                };
                Ok((bug, row.get(4)?))
            })
            .map_err(|e| self.bad(e))?;
        rows.collect::<Result<_, _>>().map_err(|e| self.bad(e))
    }

    /// Tests of the corpus: their files, sorted by name.
    pub fn tests(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut statement =
            self.database.prepare("SELECT file FROM tests ORDER BY file").map_err(|e| self.bad(e))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|e| self.bad(e))?;
        rows.map(|r| r.map(|name| self.corpus().join(name)))
            .collect::<Result<_, _>>()
            .map_err(|e| self.bad(e))
    }

    fn arms_of_tests(&self) -> Result<BTreeSet<u32>, StoreError> {
        let mut statement = self.database.prepare("SELECT file, arms FROM tests").map_err(|e| self.bad(e))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|e| self.bad(e))?;
        let mut out = BTreeSet::new();
        for row in rows {
            let (file, arms): (String, Vec<u8>) = row.map_err(|e| self.bad(e))?;
            let arms = pack::unpack(&arms).ok_or_else(|| self.damaged(format!("the arms of test {file}")))?;
            out.extend(arms);
        }
        Ok(out)
    }

    /// An error if nothing can be written any more.
    pub fn check_space(&self) -> Result<(), StoreError> {
        error::probe(&self.folder).map_err(|e| StoreError::of_file(&self.folder, &self.folder, e))
    }
}

/// What an outcome added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Arms that no trial had taken.
    pub arms: usize,
    /// Tests that went into the corpus.
    pub tests: usize,
    /// Bugs that were not known.
    pub bugs: usize,
}

#[cfg(test)]
mod tests;

//! What a tuning campaign has learnt, on disk: each finished run with its vector and its tests, in one transaction, so that a
//! process that is killed at any moment loses only the runs that were under way. Beside the campaign's own store, whose
//! folder and lock it shares.

use anyhow::{Context, anyhow};
use forkwise_campaign::store::pack::{pack, unpack};
use forkwise_tune::{Bug, Gain, Reached, Run};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The run.
    pub run: Run,
    /// What it brought.
    pub gain: Gain,
    /// When it ended, in seconds of the campaign.
    pub at: f64,
    /// Seconds that its process lived.
    pub wall: f64,
    /// Seconds that it explored.
    pub explored: f64,
    /// Bugs that the engine predicts and the native program did not show.
    #[serde(default)]
    pub unconfirmed: Vec<String>,
    /// How it ended.
    pub end: String,
    /// Tests that were run natively.
    pub tests: u64,
}

/// See the module text.
pub struct Ledger {
    database: Connection,
}

const TABLES: &str = "
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS runs (place INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL UNIQUE,
        entry TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS tests (name TEXT PRIMARY KEY, place INTEGER NOT NULL, branches BLOB NOT NULL,
        bugs TEXT NOT NULL, text TEXT NOT NULL) STRICT;
";

impl Ledger {
    /// Opens or creates it in a campaign's folder.
    pub fn open(folder: &Path) -> anyhow::Result<Ledger> {
        let path = folder.join("tune.sqlite");
        let bad = || format!("cannot use {}", path.display());
        let database = Connection::open(&path).with_context(bad)?;
        database.execute_batch(TABLES).with_context(bad)?;
        Ok(Ledger { database })
    }

    /// Keeps a run with those of its tests that somebody may want again.
    pub fn keep(&mut self, entry: &Entry, tests: &[(&Reached, &str)]) -> anyhow::Result<()> {
        let transaction = self.database.transaction()?;
        let json = serde_json::to_string(entry)?;
        transaction
            .execute(
                "INSERT INTO runs (number, entry) VALUES (?1, ?2)",
                params![entry.run.number as i64, json],
            )
            .context("cannot keep a run")?;
        let place = transaction.last_insert_rowid();
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR IGNORE INTO tests (name, place, branches, bugs, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (test, text) in tests {
                let bugs = serde_json::to_string(&test.bugs)?;
                insert.execute(params![test.test, place, pack(&test.branches), bugs, text])?;
            }
        }
        transaction.commit().context("cannot keep a run")
    }

    /// All runs in the order in which they ended, with their tests.
    pub fn past(&self) -> anyhow::Result<Vec<(Entry, Vec<Reached>)>> {
        let mut runs = self.database.prepare("SELECT place, entry FROM runs ORDER BY place")?;
        let mut tests = self
            .database
            .prepare("SELECT name, branches, bugs FROM tests WHERE place = ?1 ORDER BY rowid")?;
        let rows = runs.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?)))?;
        let mut out = Vec::new();
        for row in rows {
            let (place, json) = row?;
            let entry: Entry = serde_json::from_str(&json)
                .map_err(|e| anyhow!("tune.sqlite is damaged (run {place}): {e}"))?;
            let found = tests.query_map([place], |r| {
                Ok((r.get::<_, String>(0)?, r.get::<_, Vec<u8>>(1)?, r.get::<_, String>(2)?))
            })?;
            let mut reached = Vec::new();
            for one in found {
                let (test, branches, bugs) = one?;
                let bugs: Vec<Bug> = serde_json::from_str(&bugs)
                    .map_err(|e| anyhow!("tune.sqlite is damaged (test {test}): {e}"))?;
                let branches =
                    unpack(&branches).ok_or_else(|| anyhow!("tune.sqlite is damaged (test {test})"))?;
                reached.push(Reached { test, branches, bugs });
            }
            out.push((entry, reached));
        }
        Ok(out)
    }

    /// The text of a test.
    pub fn text(&self, name: &str) -> anyhow::Result<Option<String>> {
        let found = self.database.query_row("SELECT text FROM tests WHERE name = ?1", [name], |r| r.get(0));
        Ok(found.optional()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_tune::{How, Proposal, Vector};

    #[test]
    fn runs_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |number| Entry {
            run: Run {
                number,
                proposal: Proposal {
                    vector: Vector(vec![vec![Some("a".into()), None]]),
                    how: How::Explore,
                    stretch: 0.5,
                },
            },
            gain: Gain { new: 2, all: 3, seconds: 1.5 },
            at: 2.0,
            wall: 1.6,
            explored: 1.5,
            unconfirmed: vec!["x".into()],
            end: "time".into(),
            tests: 9,
        };
        let test = Reached { test: "r1-0".into(), branches: vec![1, 9], bugs: vec![("f".into(), 3)] };
        let mut ledger = Ledger::open(folder.path()).unwrap();
        ledger.keep(&entry(1), &[(&test, "text")]).unwrap();
        ledger.keep(&entry(0), &[]).unwrap();
        assert!(ledger.keep(&entry(0), &[]).is_err(), "a run ends once");
        drop(ledger);
        let ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.past().unwrap(), [(entry(1), vec![test]), (entry(0), vec![])]);
        assert_eq!(ledger.text("r1-0").unwrap().as_deref(), Some("text"));
        assert_eq!(ledger.text("r1-1").unwrap(), None);
    }
}

//! Everything that one outcome adds to the database, in one transaction.

use super::pack;
use crate::backend::TestFile;
use crate::outcome::Outcome;
use crate::trial::{RunId, Trial};
use rusqlite::{Transaction, params};
use std::collections::BTreeMap;

/// All rows of one outcome.
pub struct Rows<'a> {
    /// The trial.
    pub trial: &'a Trial,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// Its name.
    pub id: &'a RunId,
    /// Arms that no trial had taken.
    pub new: &'a [u32],
    /// Where arms are.
    pub places: &'a BTreeMap<u32, &'a str>,
    /// Tests for the corpus: their files.
    pub wanted: &'a [(String, TestFile)],
}

impl Rows<'_> {
    /// Inserts them; returns how many bugs are new.
    pub fn insert(&self, to: &Transaction<'_>) -> rusqlite::Result<usize> {
        let json = |value: serde_json::Result<String>| {
            value.map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))
        };
        let plain = Outcome { arms: Vec::new(), ..self.outcome.clone() };
        to.prepare_cached("INSERT OR IGNORE INTO trials (id, label, trial) VALUES (?1, ?2, ?3)")?
            .execute([self.id.as_str(), &self.trial.label, &json(serde_json::to_string(self.trial))?])?;
        to.prepare_cached("INSERT INTO outcomes (id, outcome, arms) VALUES (?1, ?2, ?3)")?.execute(
            params![self.id.as_str(), json(serde_json::to_string(&plain))?, pack::pack(&self.outcome.arms)],
        )?;
        let number = to.last_insert_rowid();
        let mut arm =
            to.prepare_cached("INSERT OR IGNORE INTO coverage (arm, place, outcome) VALUES (?1, ?2, ?3)")?;
        for new in self.new {
            arm.execute(params![new, self.places.get(new).copied().unwrap_or_default(), number])?;
        }
        let mut test = to.prepare_cached(
            "INSERT OR IGNORE INTO tests (file, outcome, arms, bug) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for (file, kept) in self.wanted {
            test.execute(params![file, number, pack::pack(&kept.arms), kept.bug.map(|b| b as i64)])?;
        }
        let mut bug = to.prepare_cached(
            "INSERT OR IGNORE INTO bugs (kind, function, file, line, outcome, test) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut news = 0;
        for (i, b) in self.outcome.bugs.iter().enumerate() {
            let shown = self.wanted.iter().find(|(_, t)| t.bug == Some(i)).map(|(file, _)| file);
            news += bug.execute(params![b.kind, b.function, b.file, b.line as i64, number, shown])?;
        }
        Ok(news)
    }
}

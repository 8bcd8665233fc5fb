//! Folders of campaigns as reports see them: `forkwise tune` leaves text files, `forkwise train` a database. Read only, and with the same
//! patience as run folders: what cannot be read is left out and named.

use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Trials that are looked at.
const MOST: usize = 200_000;

/// A campaign.
#[derive(Clone, Debug)]
pub enum Campaign {
    /// Of `forkwise tune`.
    Tuning(Tuning),
    /// Of `forkwise train`.
    Training(Training),
}

/// What tuning left.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    /// The folder.
    pub root: PathBuf,
    /// `summary.json`; null while it goes on.
    pub summary: Value,
    /// Seconds, branches, bugs, trials.
    pub curve: Vec<(f64, u64, u64, u64)>,
    /// Runs in the order in which they ended.
    pub runs: Vec<TunedRun>,
    /// What could not be read.
    pub gaps: Vec<String>,
}

/// A run of a tuning campaign.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TunedRun {
    /// When it ended, in seconds.
    pub at: f64,
    /// How its settings were chosen.
    pub how: String,
    /// Settings by name: a value or a list.
    pub settings: BTreeMap<String, Value>,
    /// Branches it reached.
    pub reached: u64,
    /// Branches that nobody had reached.
    pub new: u64,
}

/// What training left.
#[derive(Clone, Debug, Default)]
pub struct Training {
    /// The folder.
    pub root: PathBuf,
    /// Trials in the order in which they ended.
    pub trials: Vec<TrainedTrial>,
    /// What could not be read.
    pub gaps: Vec<String>,
}

/// A trial of a training campaign.
#[derive(Clone, Debug, Default)]
pub struct TrainedTrial {
    /// What it was for.
    pub label: String,
    /// Covered branches.
    pub branches: u64,
    /// Branches there are.
    pub total: u64,
    /// Its weights by name, if it had any.
    pub weights: BTreeMap<String, f64>,
}

impl Campaign {
    /// The campaign of a folder; `None`: it is none.
    pub fn read(root: &Path) -> Option<Campaign> {
        if root.join("vectors.jsonl").is_file() {
            return Some(Campaign::Tuning(Tuning::read(root)));
        }
        root.join("campaign.sqlite").is_file().then(|| Campaign::Training(Training::read(root)))
    }

    /// What could not be read.
    pub fn gaps(&self) -> &[String] {
        match self {
            Campaign::Tuning(t) => &t.gaps,
            Campaign::Training(t) => &t.gaps,
        }
    }
}

impl Tuning {
    fn read(root: &Path) -> Tuning {
        let mut out = Tuning { root: root.to_path_buf(), ..Tuning::default() };
        let text = |name: &str| {
            fs::read(root.join(name)).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default()
        };
        match serde_json::from_str(&text("summary.json")) {
            Ok(summary) => out.summary = summary,
            Err(_) => {
                out.gaps.push("there is no summary.json yet: the campaign goes on, or was ended".into())
            }
        }
        for line in text("coverage.csv").lines().skip(1).take(MOST) {
            let cells: Vec<f64> =
                line.split(',').filter_map(|c| c.parse().ok()).filter(|n: &f64| n.is_finite()).collect();
            if let [seconds, branches, bugs, trials] = cells[..] {
                out.curve.push((seconds, branches as u64, bugs as u64, trials as u64));
            }
        }
        // A last line may be cut off.
        out.runs =
            text("vectors.jsonl").lines().take(MOST).filter_map(|l| serde_json::from_str(l).ok()).collect();
        out
    }
}

impl Training {
    fn read(root: &Path) -> Training {
        let mut out = Training { root: root.to_path_buf(), ..Training::default() };
        if let Err(why) = out.fill() {
            out.gaps.push(format!("campaign.sqlite cannot be read: {why}"));
        }
        out
    }

    fn fill(&mut self) -> Result<(), rusqlite::Error> {
        #[derive(Deserialize)]
        struct Trial {
            #[serde(default)]
            files: Vec<File>,
        }
        #[derive(Deserialize)]
        struct File {
            text: String,
        }
        #[derive(Deserialize)]
        struct Outcome {
            #[serde(default)]
            total: u64,
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(self.root.join("campaign.sqlite"), flags)?;
        let mut statement = database.prepare(
            "SELECT t.label, t.trial, o.outcome, o.arms FROM outcomes o JOIN trials t ON t.id = o.id ORDER BY o.number",
        )?;
        let rows = statement.query_map([], |r| {
            Ok((
                r.get::<_, String>(0)?,
                r.get::<_, String>(1)?,
                r.get::<_, String>(2)?,
                r.get::<_, Vec<u8>>(3)?,
            ))
        })?;
        for row in rows.take(MOST) {
            let (label, trial, outcome, arms) = row?;
            let files = serde_json::from_str::<Trial>(&trial).map(|t| t.files).unwrap_or_default();
            let total = serde_json::from_str::<Outcome>(&outcome).map_or(0, |o| o.total);
            // Numbers are packed seven bits at a time; the last byte of each has its high bit clear.
            let branches = arms.iter().filter(|b| **b & 0x80 == 0).count() as u64;
            let weights = files.first().map(|f| weights(&f.text)).unwrap_or_default();
            self.trials.push(TrainedTrial { label, branches, total, weights });
        }
        Ok(())
    }

    /// The vector that did best: the highest mean among those that were tried most often, with that mean and how often.
    pub fn best(&self) -> Option<(&BTreeMap<String, f64>, f64, usize)> {
        let mut by: BTreeMap<String, (&BTreeMap<String, f64>, u64, usize)> = BTreeMap::new();
        for t in self.trials.iter().filter(|t| !t.weights.is_empty() && t.label.starts_with("learn")) {
            let key = format!("{:?}", t.weights);
            let of = by.entry(key).or_insert((&t.weights, 0, 0));
            *of = (of.0, of.1 + t.branches, of.2 + 1);
        }
        let most = by.values().map(|v| v.2).max()?;
        let often = by.into_values().filter(|v| v.2 * 2 >= most);
        let mean = |v: &(&BTreeMap<String, f64>, u64, usize)| v.1 as f64 / v.2 as f64;
        often.max_by(|a, b| mean(a).total_cmp(&mean(b))).map(|v| (v.0, mean(&v), v.2))
    }
}

/// The weights of a weight file.
fn weights(text: &str) -> BTreeMap<String, f64> {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let Some(weights) = table.get("weights").and_then(|w| w.as_table()) else { return BTreeMap::new() };
    weights.iter().filter_map(|(name, v)| Some((name.clone(), v.as_float()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuning_that_goes_on_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert!(Campaign::read(folder.path()).is_none());
        put(
            "vectors.jsonl",
            "{\"at\":1.5,\"how\":\"explore\",\"settings\":{\"search\":\"dfs\",\"x\":[\"1\",\"2\"]},\"reached\":7}\n{\"at\":",
        );
        put("coverage.csv", "seconds,branches,bugs,trials\n1.5,7,0,1\nNaN,1,1,1\n2.");
        let Some(Campaign::Tuning(t)) = Campaign::read(folder.path()) else { panic!("not recognised") };
        assert_eq!((t.runs.len(), t.curve.len(), t.gaps.len()), (1, 1, 1));
        assert_eq!(t.runs[0].reached, 7);
    }

    #[test]
    fn a_database_of_something_else_is_a_gap() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("campaign.sqlite"), "not a database at all").unwrap();
        let Some(Campaign::Training(t)) = Campaign::read(folder.path()) else { panic!("not recognised") };
        assert_eq!((t.trials.len(), t.gaps.len()), (0, 1));
        assert!(t.best().is_none());
        assert_eq!(weights("[weights]\na = 0.5\nb = \"x\"\n").len(), 1);
    }
}

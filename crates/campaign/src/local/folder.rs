//! The result folder of a run, whole or not: a run that was killed left what it had about a second before. Files are
//! untrusted; what cannot be read is not there.

use super::nothing;
use crate::backend::{Delivery, TestFile};
use crate::outcome::{Bug, End};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Files of a run that are larger are not its.
const LARGEST: u64 = 1 << 28;
/// The same for a test.
const LARGEST_TEST: u64 = 1 << 24;

/// `coverage.json`; see docs/search.md.
#[derive(Deserialize)]
struct Coverage {
    total: u32,
    files: Vec<String>,
    /// First arm, file, line, column, arms, those that were taken.
    branches: Vec<(u32, u32, u32, u32, u32, Vec<u32>)>,
}

/// Reads all of it.
pub fn read(out: &Path) -> Delivery {
    let mut outcome = nothing(End::Finished("?".into()));
    let mut arms: BTreeMap<u32, String> = BTreeMap::new();
    if let Some(coverage) =
        bounded(&out.join("coverage.json"), LARGEST).and_then(|t| serde_json::from_str::<Coverage>(&t).ok())
    {
        outcome.total = coverage.total;
        for (first, file, line, column, count, taken) in &coverage.branches {
            let file = coverage.files.get(*file as usize).map_or("?", String::as_str);
            for arm in taken {
                let place = format!("{file}:{line}:{column}, arm {} of {count}", arm.saturating_add(1));
                arms.insert(first.saturating_add(*arm), place);
            }
        }
    }
    // The summary is there if the run ended; the status was written every second.
    let object = ["summary.json", "status.json"]
        .iter()
        .find_map(|name| serde_json::from_str::<Value>(&bounded(&out.join(name), LARGEST)?).ok())
        .unwrap_or_default();
    outcome.seconds = object["seconds"].as_f64().unwrap_or(0.0);
    if let Some(stop) = object["stop_reason"].as_str() {
        outcome.end = End::Finished(stop.to_string());
    }
    outcome.counters = counters(&object);
    let mut tests = Vec::new();
    let mut bugs: BTreeMap<Bug, String> = BTreeMap::new();
    // Events are written at once: they hold what a run found that died, too.
    for line in bounded(&out.join("events.jsonl"), LARGEST).unwrap_or_default().lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        match event["event"].as_str() {
            Some("bug") if event["bug"]["blame"] == "program" => {
                let (bug, folder) = bug(&event["bug"]);
                bugs.entry(bug).or_insert(folder);
            }
            Some("test") => {
                let number = event["number"].as_u64().unwrap_or(0);
                outcome.tests += 1;
                let path = out.join("tests").join(forkwise_testcase::json::file_name(number));
                let Some(text) = bounded(&path, LARGEST_TEST) else { continue };
                let list = event["arms"].as_array().map(Vec::as_slice).unwrap_or_default();
                let mut new: Vec<u32> = list.iter().filter_map(|n| u32::try_from(n.as_u64()?).ok()).collect();
                new.sort_unstable();
                new.dedup();
                // They are news of the end of the run that its coverage may not have any more.
                new.iter().for_each(|arm| {
                    arms.entry(*arm).or_default();
                });
                tests.push(TestFile { text, arms: new, bug: None });
            }
            _ => {}
        }
    }
    for (i, folder) in bugs.values().enumerate() {
        let path = out.join("bugs").join(folder).join("test.json");
        if let Some(text) = bounded(&path, LARGEST_TEST) {
            tests.push(TestFile { text, arms: Vec::new(), bug: Some(i) });
        }
    }
    outcome.bugs = bugs.into_keys().collect();
    outcome.arms = arms.keys().copied().collect();
    Delivery { outcome, places: arms.into_values().collect(), tests }
}

/// Why a run that ended says it did.
pub fn stop_reason(out: &Path) -> Option<String> {
    let text = bounded(&out.join("summary.json"), LARGEST)?;
    let object: Value = serde_json::from_str(&text).ok()?;
    object["stop_reason"].as_str().map(String::from)
}

fn counters(object: &Value) -> BTreeMap<String, u64> {
    let paths = &object["paths"];
    let ended = paths["completed"].as_u64().unwrap_or(0) + paths["partial"].as_u64().unwrap_or(0);
    let mut out = BTreeMap::from([("paths".to_string(), ended)]);
    let queries = object["solver"]["queries"].as_u64().or(object["queries"].as_u64());
    for (name, value) in [
        ("instructions", object["instructions"].as_u64()),
        ("executions", object["executions"].as_u64()),
        ("forks", object["forks"].as_u64()),
        ("queries", queries),
    ] {
        out.extend(value.map(|v| (name.to_string(), v)));
    }
    out
}

/// A bug and the name of its folder.
fn bug(value: &Value) -> (Bug, String) {
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
    let line = value["line"].as_u64().unwrap_or(0);
    let bug = Bug { kind: text("kind"), function: text("function"), file: text("file"), line };
    // A name never leads out of the folder.
    let id = text("id");
    let folder = Path::new(&id).file_name().unwrap_or_default().to_string_lossy().into_owned();
    (bug, folder)
}

/// A text file that is not larger than this.
pub fn bounded(path: &Path, largest: u64) -> Option<String> {
    let small = fs::metadata(path).ok()?.len() <= largest;
    let mut bytes = Vec::new();
    if small {
        File::open(path).ok()?.take(largest).read_to_end(&mut bytes).ok()?;
    }
    small.then(|| String::from_utf8_lossy(&bytes).into_owned())
}

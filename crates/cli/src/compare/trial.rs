//! One trial: a child process, and what it left in its folder. A child that dies counts with what it had; nothing a child
//! does or leaves behind is an error of the comparison, except that it could not begin.

use crate::app::{BUGS, CLEAN};
use crate::run::arms::Arms;
use anyhow::{Context, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a child is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Files of a child that are larger are not its.
const LARGEST: u64 = 1 << 28;

/// A trial that is to be run.
#[derive(Clone, Debug)]
pub struct Order {
    /// Number of the heuristic.
    pub heuristic: usize,
    /// Its seed.
    pub seed: u64,
    /// The command line, without the folder of the results and the program.
    pub words: Vec<OsString>,
}

/// A trial that was run.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Number of the heuristic.
    pub heuristic: usize,
    /// Its seed.
    pub seed: u64,
    /// Arms that were taken, with their places.
    pub arms: BTreeMap<u32, String>,
    /// Arms there are.
    pub total: u32,
    /// Distinct bugs of the program.
    pub bugs: BTreeSet<String>,
    /// Instructions, executions and paths, as far as known.
    pub instructions: u64,
    /// Executions, in concolic testing.
    pub executions: Option<u64>,
    /// Paths that ended.
    pub paths: u64,
    /// How long it explored.
    pub seconds: f64,
    /// Why it stopped.
    pub stop: String,
    /// What went wrong with it.
    pub trouble: Option<String>,
}

/// Runs a trial. `None`: it was interrupted. The program is what comes after the options; `limit` is for a child that does not
/// end by itself.
pub fn run(
    order: &Order,
    program: &[OsString],
    limit: Option<Duration>,
    interrupt: &AtomicBool,
) -> anyhow::Result<Option<Trial>> {
    let folder = tempfile::Builder::new()
        .prefix("forkwise-compare-")
        .tempdir()
        .context("cannot create a folder for a trial")?;
    let out = folder.path().join("out");
    let said = folder.path().join("stderr");
    let stderr = File::create(&said).with_context(|| format!("cannot create {}", said.display()))?;
    // This very program, even if its file is replaced meanwhile.
    let mut child = Command::new("/proc/self/exe")
        .arg0("forkwise")
        .args(&order.words)
        .arg("-o")
        .arg(&out)
        .args(program)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .context("cannot start a trial")?;
    let begun = Instant::now();
    let mut late = false;
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for a trial")? {
            break status;
        }
        late = limit.is_some_and(|l| begun.elapsed() > l);
        if late || interrupt.load(Ordering::Relaxed) {
            // It may have ended just now; then there is nothing to kill.
            let _ = child.kill();
            break child.wait().context("cannot wait for a trial")?;
        }
        std::thread::sleep(LOOK);
    };
    if interrupt.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let mut trial = read(&out, order)?;
    let ended_well = matches!(status.code(), Some(c) if c == i32::from(CLEAN) || c == i32::from(BUGS));
    if late {
        trial.trouble = Some(format!("did not end by itself and was killed after {:.0?}", begun.elapsed()));
    } else if !ended_well {
        let text = fs::read(&said).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if !out.join("events.jsonl").exists() && status.code().is_some() {
            bail!("a trial could not begin: {}", text.trim().trim_start_matches("forkwise: error: "));
        }
        trial.trouble = Some(format!("{}: {}", how(status), last_words(&text)));
    }
    if trial.trouble.is_some() {
        trial.stop = "crash".into();
    }
    Ok(Some(trial))
}

fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (_, Some(code)) => format!("ended with status {code}"),
        _ => "ended".into(),
    }
}

/// The last line that a child said.
fn last_words(text: &str) -> &str {
    text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it said nothing")
}

/// What is in a result folder, whole or not.
fn read(out: &Path, order: &Order) -> anyhow::Result<Trial> {
    let mut trial =
        Trial { heuristic: order.heuristic, seed: order.seed, stop: "?".into(), ..Trial::default() };
    if let Some(arms) =
        bounded(&out.join("coverage.json")).and_then(|t| serde_json::from_str::<Arms>(&t).ok())
    {
        trial.total = arms.total;
        trial.arms = arms.taken().collect();
    }
    // The summary is there if the run ended; the status was written every second.
    let object = ["summary.json", "status.json"]
        .iter()
        .find_map(|name| serde_json::from_str::<Value>(&bounded(&out.join(name))?).ok())
        .unwrap_or_default();
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    trial.instructions = number(&object["instructions"]);
    trial.executions = object["executions"].as_u64();
    trial.paths = number(&object["paths"]["completed"]) + number(&object["paths"]["partial"]);
    trial.seconds = object["seconds"].as_f64().unwrap_or(0.0);
    if let Some(stop) = object["stop_reason"].as_str() {
        trial.stop = stop.to_string();
    }
    // Events are written at once: they hold the bugs of a run that died, too.
    for line in bounded(&out.join("events.jsonl")).unwrap_or_default().lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let bug = &event["bug"];
        if event["event"] == "bug" && bug["blame"] == "program" {
            let text = |name: &str| bug[name].as_str().unwrap_or_default().to_string();
            let line = number(&bug["line"]);
            trial.bugs.insert(format!("{} in {} at {}:{line}", text("kind"), text("function"), text("file")));
        }
    }
    Ok(trial)
}

fn bounded(path: &Path) -> Option<String> {
    let small = fs::metadata(path).ok()?.len() <= LARGEST;
    small.then(|| fs::read_to_string(path).ok()).flatten()
}

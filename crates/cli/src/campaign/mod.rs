//! What the verbs share that run campaigns (`compare`, `train`): from options of `run` to trials, opening the store with its pool,
//! and saying how far it is (`progress`). It knows nothing of what the trials are for.

pub mod progress;

use crate::run::borrowed::Borrowed;
use crate::run::options::{Mode, RunArgs};
use crate::run::session::machine_memory;
use anyhow::{Context, anyhow};
use forkwise_campaign::local::{Limits, peak_limit};
use forkwise_campaign::{Attachment, Budget, Campaign, LocalPool, Pool, ProgramFile, Store, Trial};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The least memory that a trial gets, in megabytes.
const LEAST_MEMORY: u64 = 256;

/// Trials at the same time: what was asked for, or one per core.
pub fn jobs(wanted: Option<std::num::NonZeroU32>) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    wanted.map_or(cores, |n| n.get() as usize)
}

/// A campaign, and the folder that vanishes with it if it has none of its own.
pub struct Opened {
    /// The campaign.
    pub campaign: Campaign,
    /// Memory of a trial's engine, in megabytes.
    pub memory: u64,
    _temporary: Option<tempfile::TempDir>,
}

/// Opens the campaign of a folder; without one, what it finds is gone afterwards.
pub fn open(
    folder: Option<&Path>,
    run: &RunArgs,
    jobs: usize,
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Opened> {
    let mut temporary = None;
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => {
            let made = tempfile::Builder::new()
                .prefix("forkwise-campaign-")
                .tempdir()
                .context("cannot create a folder for the trials")?;
            let path = made.path().to_path_buf();
            temporary = Some(made);
            path
        }
    };
    let mut store = Store::open(&folder)?;
    let memory = memory(&mut store, run, jobs)?;
    let pool = Pool::new(&store.running(), jobs, Limits::usual(Some(peak_limit(memory << 20))));
    let campaign = Campaign::new(store, Box::new(LocalPool::new(pool)), Arc::clone(interrupt));
    Ok(Opened { campaign, memory, _temporary: temporary })
}

/// The trials share the machine. What they may use is part of what they are, so a campaign that goes on, with other `--jobs` or
/// elsewhere, keeps what it began with.
fn memory(store: &mut Store, run: &RunArgs, jobs: usize) -> anyhow::Result<u64> {
    const KEY: &str = "memory of a trial in MB";
    if let Some(bytes) = run.max_memory {
        return Ok((bytes >> 20).max(1));
    }
    if let Some(known) = store.setting(KEY)?.and_then(|text| text.parse().ok()) {
        return Ok(known);
    }
    let all = machine_memory().unwrap_or(4 << 30);
    let megabytes = ((all / jobs as u64) >> 20).max(LEAST_MEMORY);
    store.set(KEY, &megabytes.to_string())?;
    Ok(megabytes)
}

/// What all trials of a campaign have in common.
#[derive(Clone)]
pub struct Template {
    program: ProgramFile,
    options: Vec<String>,
    arguments: Vec<String>,
}

/// Options of `run` that every trial says itself.
const OWN: [&str; 13] = [
    "search",
    "mode",
    "seed",
    "json",
    "quiet",
    "no-tests",
    "new-tests",
    "no-replay",
    "time",
    "max-instructions",
    "executions",
    "max-memory",
    "output",
];

impl Template {
    /// From the options that a verb borrowed. `tests`: do trials write tests?
    pub fn new(run: &Borrowed, mode: Mode, memory: u64, tests: bool) -> anyhow::Result<Template> {
        let args = &run.args;
        let others: Vec<PathBuf> = args
            .with
            .iter()
            .chain(&args.stdin)
            .chain(&args.input)
            .chain(&args.seed_stdin)
            .chain(args.seed_tests.iter().filter(|p| p.is_file()))
            .cloned()
            .chain(args.with_file.iter().chain(&args.seed_file).map(|(_, file)| PathBuf::from(file)))
            .collect();
        let program = ProgramFile::read(&args.file(), &others)
            .map_err(|(path, e)| anyhow!(e).context(format!("cannot read {}", path.display())))?;
        let mut without = OWN.to_vec();
        // What is for the other mode goes to the other mode's trials.
        without.extend(match mode {
            Mode::Explore => ["input", "no-snapshots"],
            Mode::Concolic => ["batch-instructions", "slice-instructions"],
        });
        let mut options = vec!["--quiet".to_string(), "--no-replay".to_string()];
        options.push(if tests { "--new-tests" } else { "--no-tests" }.to_string());
        options.push(format!("--mode={}", mode.name()));
        options.extend(texts(&run.command_line(&without))?);
        options.push(format!("--max-memory={memory}"));
        Ok(Template { program, options, arguments: texts(args.args())? })
    }

    /// The program.
    pub fn program(&self) -> &ProgramFile {
        &self.program
    }

    /// The words that all trials have in common.
    pub fn words(&self) -> String {
        let words: Vec<&str> = self.options.iter().chain(&self.arguments).map(String::as_str).collect();
        words.join(" ")
    }

    /// A trial. `search` is what `--search` says; the files it names are attached.
    pub fn trial(&self, search: &Search, seed: u64, budget: Budget, label: String) -> Trial {
        let mut options = self.options.clone();
        options.push(format!("--search={}", search.words));
        Trial {
            program: self.program.clone(),
            options,
            arguments: self.arguments.clone(),
            files: search.files.clone(),
            seed,
            budget,
            label,
        }
    }
}

/// What a trial's `--search` is, with the weights it needs.
#[derive(Clone, Debug)]
pub struct Search {
    words: String,
    files: Vec<Attachment>,
}

impl Search {
    /// A search by its name; a weight file is read.
    pub fn named(name: &str) -> anyhow::Result<Search> {
        let file = ["param:", "learned:"].iter().find_map(|p| Some((*p, name.strip_prefix(p)?)));
        match file {
            None => Ok(Search { words: name.to_string(), files: Vec::new() }),
            Some((_, file)) => {
                let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
                Ok(Search::weights(text))
            }
        }
    }

    /// The parametric search with the text of a weight file.
    pub fn weights(text: String) -> Search {
        let name = "weights.toml".to_string();
        let words = format!("param:{}/{name}", forkwise_campaign::FILES);
        Search { words, files: vec![Attachment { name, text }] }
    }
}

fn texts(words: &[OsString]) -> anyhow::Result<Vec<String>> {
    let text = |word: &OsStr| {
        word.to_str().map(String::from).ok_or_else(|| {
            anyhow!("{word:?} is not UTF-8; trials are kept as text, so options and arguments must be")
        })
    };
    words.iter().map(|word| text(word)).collect()
}

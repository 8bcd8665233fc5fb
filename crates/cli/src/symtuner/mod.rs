//! `forkwise symtuner`: in the place of the public tool, with its options, space files, output files and log lines. The engine is
//! this one with KLEE's command line, or any `klee` by its path. The learning is `forkwise_tune`, as in `forkwise tune`.

mod engine;
mod judge;
mod options;
mod space;

pub use options::SymtunerArgs;

use crate::app::CLEAN;
use crate::{console, signals};
use anyhow::{Context, bail};
use engine::{End, Engine};
use forkwise_explore::Random;
use forkwise_testcase::atomic_write;
use forkwise_tune::words::{settings, words};
use forkwise_tune::{Ablation, Kind, Policy, Run, Schedule, SpaceFile, Tuner, Value, Vector};
use judge::Judge;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The public tool's word for "any test so far" as a seed.
const ANY_TEST: &str = "random_from_all";
/// Both spellings of the parameter of seeds.
const SEEDS: [&str; 2] = ["-seed-file", "--seed-file"];

fn log(level: &str, text: &str) {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    console::err_line(&format!("{} symtuner [{level}] {text}", now.replace('T', " ").trim_end_matches('Z')));
}

/// The verb.
pub fn main(args: &SymtunerArgs) -> anyhow::Result<u8> {
    if args.generate_search_space_json {
        fs::write("example-space.json", space::of_paper().to_json())
            .context("cannot write example-space.json")?;
        log("INFO", "Example space configuration json is generated: example-space.json");
        return Ok(CLEAN);
    }
    let (Some(program), Some(object)) = (&args.llvm_bc, &args.gcov_obj) else {
        bail!("following parameters are required: llvm_bc, gcov_obj");
    };
    if !(0.0..=1.0).contains(&args.exploit_portion) || !(0.0..=1.0).contains(&args.minimum_time_portion) {
        bail!("--exploit-portion and --minimum-time-portion are shares between 0 and 1");
    }
    let mut file = match &args.search_space {
        None => space::of_paper(),
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            SpaceFile::parse(&text).with_context(|| path.display().to_string())?
        }
    };
    for dead in space::drop_dead(&mut file, space::options_of(args.klee.as_deref()).as_deref()) {
        log("WARNING", &format!("Option {dead} is unknown to this engine and is left out"));
    }
    let program = fs::canonicalize(program).with_context(|| format!("cannot read {}", program.display()))?;
    let judge = Judge::new(object, args.gcov_depth, args.gcov.clone())?;
    let klee = match &args.klee {
        // A path; a bare name is looked for in the search path.
        Some(path) if path.components().count() > 1 => {
            Some(fs::canonicalize(path).with_context(|| format!("cannot find {}", path.display()))?)
        }
        other => other.clone(),
    };
    let folder = prepare(&args.output_dir)?;
    let interrupt = signals::interrupt_flag()?;
    let engine = Engine { klee, program, grace: Duration::from_secs(args.grace) };
    let mut campaign = Campaign::new(args, file, judge, folder);
    log("INFO", "All configuration loaded. Start testing.");
    campaign.run(args, &engine, &interrupt)?;
    let state = campaign.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(trouble) = &state.judge.trouble {
        log("WARNING", &format!("Coverage is incomplete: {trouble}"));
    }
    log(
        "INFO",
        &format!(
            "SymTuner done. Achieve {} coverage and found {} bugs.",
            state.tuner.data.branches(),
            state.tuner.data.bugs().len()
        ),
    );
    Ok(CLEAN)
}

/// Makes the output folder. One of an earlier run is replaced, as the public tool does; anything else is not touched.
fn prepare(folder: &Path) -> anyhow::Result<PathBuf> {
    if folder.exists() {
        let empty = fs::read_dir(folder).map(|mut d| d.next().is_none()).unwrap_or(false);
        if !empty && !folder.join("coverage.csv").exists() {
            bail!("{} holds other things than results; name another folder with -d", folder.display());
        }
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        log("WARNING", &format!("Existing output directory is deleted: {}", folder.display()));
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for name in ["coverage.csv", "found_bugs.txt"] {
        fs::write(folder.join(name), "").with_context(|| format!("cannot write {name}"))?;
    }
    fs::canonicalize(folder).with_context(|| format!("cannot read {}", folder.display()))
}

/// What all workers share.
struct State {
    tuner: Tuner,
    judge: Judge,
    /// All tests, for seeds that may be any of them.
    tests: Vec<String>,
    /// The latest test of each bug.
    bugs: BTreeMap<(String, u32), String>,
    failed: usize,
}

struct Campaign {
    state: Mutex<State>,
    schedule: Schedule,
    defaults: Vec<(String, Value)>,
    folder: PathBuf,
    began: Instant,
}

impl Campaign {
    fn new(args: &SymtunerArgs, file: SpaceFile, judge: Judge, folder: PathBuf) -> Campaign {
        let total = Duration::from_secs(args.budget.get());
        let policy =
            Policy::new(Kind::Symtuner, args.exploit_portion, args.exploration_steps, Ablation::default());
        let fixed = Vector(vec![Vec::new(); file.space.parameters.len()]);
        let seeds = SEEDS.iter().find(|s| file.space.find(s).is_some()).unwrap_or(&SEEDS[0]);
        let tuner = Tuner::new(file.space, policy, fixed).with_seeds(
            seeds,
            args.k_seeds,
            Vec::new(),
            args.step.get(),
        );
        Campaign {
            state: Mutex::new(State { tuner, judge, tests: Vec::new(), bugs: BTreeMap::new(), failed: 0 }),
            schedule: Schedule {
                total,
                portion: args.minimum_time_portion,
                floor: Duration::from_secs(args.minimum_time_budget),
                step: args.step.get(),
                ratio: args.increase_ratio,
            },
            defaults: file.defaults,
            folder,
            began: Instant::now(),
        }
    }

    fn run(&mut self, args: &SymtunerArgs, engine: &Engine, interrupt: &AtomicBool) -> anyhow::Result<()> {
        let this = &*self;
        let stop = AtomicBool::new(false);
        let error = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..args.jobs.get() {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) && !interrupt.load(Ordering::Relaxed) {
                        match this.iterate(args, engine, interrupt) {
                            Ok(true) => {}
                            Ok(false) => break,
                            Err(e) => {
                                stop.store(true, Ordering::Relaxed);
                                error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                            }
                        }
                    }
                });
            }
        });
        match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// One iteration; `false`: the time is up.
    fn iterate(&self, args: &SymtunerArgs, engine: &Engine, interrupt: &AtomicBool) -> anyhow::Result<bool> {
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (run, line, time, folder) = {
            let mut state = lock();
            let Some(time) = self.schedule.time(state.tuner.begun(), self.began.elapsed()) else {
                return Ok(false);
            };
            let mut random = Random::new(args.seed ^ (state.tuner.begun() as u64 + 1) << 20);
            let run = state.tuner.begin(&mut || random.unit());
            let folder = self.folder.join(format!("iteration-{}", run.number));
            let mut defaults = self.defaults.clone();
            for (_, value) in defaults
                .iter_mut()
                .filter(|(key, v)| SEEDS.contains(&key.as_str()) && v.as_deref() == Some(ANY_TEST))
            {
                let tests = &state.tests;
                let any =
                    (!tests.is_empty()).then(|| tests[random.below(tests.len() as u64) as usize].clone());
                *value = Some(any.unwrap_or_default());
            }
            let words = words(settings(&state.tuner.space, &run.proposal.vector, &defaults));
            (run, engine.command(&words, time, &folder), time, folder)
        };
        if args.debug {
            log("DEBUG", &format!("klee command: {}", line.join(" ")));
        }
        let begun = Instant::now();
        let end = engine.run(&line, time, &folder, interrupt)?;
        if end == End::Interrupted {
            return Ok(false);
        }
        let took = begun.elapsed().as_secs_f64();
        let mut state = lock();
        self.learn(&mut state, &run, &line, &end, &folder, took)?;
        let elapsed = self.began.elapsed().as_secs();
        let data = &state.tuner.data;
        log(
            "INFO",
            &format!(
                "Iteration: {} Time budget: {} Time elapsed: {elapsed} Coverage: {} Bugs: {}",
                run.number + 1,
                time.as_secs(),
                data.branches(),
                data.bugs().len()
            ),
        );
        if state.failed >= 20 && state.tests.is_empty() {
            bail!(
                "the engine gave no test in {} iterations; see {}",
                state.failed,
                folder.with_extension("log").display()
            );
        }
        Ok(true)
    }

    fn learn(
        &self,
        state: &mut State,
        run: &Run,
        line: &[String],
        end: &End,
        folder: &Path,
        took: f64,
    ) -> anyhow::Result<()> {
        match end {
            End::Hung => log("WARNING", "The engine did not end and was killed."),
            End::Status(Some(0)) => {}
            End::Status(code) => log(
                "WARNING",
                &format!(
                    "Fail({})ed to execute KLEE. See for more details: {}",
                    code.map_or("signal".to_string(), |c| c.to_string()),
                    folder.with_extension("log").display()
                ),
            ),
            End::Interrupted => {}
        }
        let tests = engine::tests(folder);
        let mut reached = Vec::new();
        for test in &tests {
            let one = state.judge.judge(test);
            for bug in &one.bugs {
                state.bugs.insert(bug.clone(), one.test.clone());
            }
            state.tests.push(one.test.clone());
            reached.push(one);
        }
        state.failed = if reached.is_empty() { state.failed + 1 } else { 0 };
        let gain = state.tuner.end(run, &reached, took);
        let data = &state.tuner.data;
        let append = |name: &str, text: String| -> anyhow::Result<()> {
            let path = self.folder.join(name);
            let mut file = OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)
                .with_context(|| format!("cannot write {}", path.display()))?;
            file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
        };
        append("coverage.csv", format!("{}, {}\n", self.began.elapsed().as_secs(), data.branches()))?;
        let entry = json!({"iteration": run.number, "how": run.proposal.how.name(), "command": line,
            "tests": reached.len(), "reached": gain.all, "new": gain.new, "seconds": took,
            "end": format!("{end:?}")});
        append("vectors.jsonl", format!("{entry}\n"))?;
        let bugs: String = state
            .bugs
            .iter()
            .map(|((file, line), test)| format!("Testcase: {test} Bug: {file} {line}\n"))
            .collect();
        atomic_write(&self.folder.join("found_bugs.txt"), bugs.as_bytes())?;
        Ok(())
    }
}

//! One campaign from its beginning, or from where it was, to the end of its time. Runs are children of a pool; what each
//! leaves is judged, kept and learnt from before the next one is chosen. Whatever ends this process, the same command goes on.

use super::judge::{Judge, Judged};
use super::ledger::{Entry, Ledger};
use super::log::Log;
use super::options::{OURS, TuneArgs, Tuned};
use crate::params::{self, SEEDS};
use crate::run::session::machine_memory;
use anyhow::{Context, anyhow};
use forkwise_campaign::local::{Limits, peak_limit};
use forkwise_campaign::{
    Backend, Budget, Bug, Delivery, End, LocalPool, Pool, ProgramFile, RunId, Store, TestFile, Trial,
};
use forkwise_explore::Random;
use forkwise_testcase::atomic_write;
use forkwise_tune::words::{Words, settings, words};
use forkwise_tune::{
    EVERYTHING, How, Kind, Policy, Run, START, Schedule, Space, SpaceFile, Tuner, Value, Vector,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the pool is waited for before the interrupt flag is looked at.
const TICK: Duration = Duration::from_millis(100);
/// A run shorter than this is not begun.
const SHORTEST: f64 = 0.3;
/// The value of the seeds that stands for none.
const NO_SEEDS: &str = "-";
/// Runs should be so many times as long as it takes to start them, but leave time for so many of them.
const WORTH_STARTING: f64 = 9.0;
const AT_LEAST: f64 = 12.0;
/// `auto` chooses its seeds again after so many runs, and all of the best tests are so many times those to choose from.
const OFTEN: usize = 1;
const ALL: usize = 10;
/// Trials that cannot begin, one after the other, before it is the command's fault.
const BAD_TRIALS: usize = 5;

/// A campaign.
pub struct Session<'a> {
    args: &'a TuneArgs,
    store: Store,
    pool: LocalPool,
    judge: Judge,
    ledger: Ledger,
    log: Log,
    schedule: Schedule,
    defaults: Vec<(String, Value)>,
    program: ProgramFile,
    interrupt: Arc<AtomicBool>,
    began: Instant,
    /// Seconds of earlier sessions.
    spent: f64,
    running: BTreeMap<RunId, (Run, Trial)>,
    bad: usize,
    /// What is known.
    pub tuner: Tuner,
    /// All finished runs.
    pub entries: Vec<Entry>,
    /// Seconds in which tests were judged.
    pub judging: f64,
}

/// Who hears of a finished run, or only that time passes.
pub type Telling<'a> = &'a mut dyn FnMut(&Session<'_>, Option<&Entry>);

/// What one campaign is about.
pub struct Order<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// Its time.
    pub schedule: Schedule,
    /// What is tuned.
    pub tuned: &'a Tuned,
    /// All of the space, for which vectors are logged.
    pub space: Space,
}

impl<'a> Session<'a> {
    /// Opens the campaign's folder and remembers what is in it.
    pub fn open(
        args: &'a TuneArgs,
        order: Order<'_>,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Session<'a>> {
        let run = &args.run.args;
        let others: Vec<PathBuf> = run.with.iter().chain(&run.stdin).cloned().collect();
        let program = ProgramFile::read(&run.file(), &others)
            .map_err(|(path, e)| anyhow!(e).context(format!("cannot read {}", path.display())))?;
        let mut store = Store::open(order.folder)?;
        store.fix_setting("program", &program.hash.to_string())?;
        for (key, value) in [
            ("tune.policy", args.policy.to_string()),
            ("tune.mode", args.mode().name().to_string()),
            ("tune.seed", run.seed.to_string()),
            ("tune.counts", if crate::input::is_elf(&run.file()) { "native" } else { "engine" }.to_string()),
            ("tune.ablate", args.ablate.join(",")),
            ("tune.space", space_text(&order.space, &order.tuned.defaults)),
        ] {
            store.fix_setting(key, &value)?;
        }
        let jobs = args.jobs();
        let memory = memory_of_a_run(jobs);
        let limits = Limits::usual(memory.map(peak_limit));
        let pool = LocalPool::new(Pool::new(&store.running(), jobs, limits));
        let policy = Policy::new(args.policy, args.exploit, args.step.get(), order.tuned.ablation);
        let fixed = params::beginning(&order.space);
        let (usual, refresh) = match (args.policy, order.tuned.corpus) {
            (Kind::Auto, true) => (vec![EVERYTHING.to_string(), NO_SEEDS.to_string()], OFTEN),
            (Kind::Auto, false) => (vec![NO_SEEDS.to_string()], OFTEN),
            _ => (Vec::new(), args.step.get()),
        };
        let mut tuner = Tuner::new(order.space, policy, fixed).with_seeds(SEEDS, args.seeds, usual, refresh);
        let ledger = Ledger::open(order.folder)?;
        let past = ledger.past()?;
        let mut entries = Vec::new();
        let mut log = Log::create(order.folder)?;
        for (entry, tests) in past {
            tuner.restore(&entry.run, &tests, entry.gain);
            log.add(&tuner, &entry)?;
            entries.push(entry);
        }
        tuner.restored();
        let spent = entries.iter().map(|e| e.at).fold(0.0, f64::max);
        Ok(Session {
            args,
            pool,
            judge: Judge::new(&run.file(), jobs.max(2))?,
            ledger,
            log,
            schedule: order.schedule,
            defaults: order.tuned.defaults.clone(),
            program,
            interrupt,
            began: Instant::now(),
            spent,
            running: BTreeMap::new(),
            bad: 0,
            tuner,
            entries,
            judging: 0.0,
            store,
        })
    }

    /// Seconds of the campaign, earlier sessions included.
    pub fn elapsed(&self) -> f64 {
        self.spent + self.began.elapsed().as_secs_f64()
    }

    /// The time there is, earlier sessions included.
    pub fn time(&self) -> Duration {
        self.schedule.total
    }

    /// Runs at this moment.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// The run that was begun last: how it was chosen, and its parameters.
    pub fn newest(&self) -> Option<(&'static str, String)> {
        let (run, _) = self.running.values().max_by_key(|(run, _)| run.number)?;
        let vector = &run.proposal.vector;
        let mut words = Vec::new();
        for (i, parameter) in self.tuner.space.parameters.iter().enumerate() {
            words.extend(vector.values(i).iter().map(|value| match value {
                Some(value) if !value.is_empty() => format!("{}={value}", parameter.name),
                _ => parameter.name.clone(),
            }));
        }
        Some((run.proposal.how.name(), words.join(" ")))
    }

    /// The folder of the tests.
    pub fn corpus(&self) -> PathBuf {
        self.store.corpus()
    }

    /// The campaign's folder.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// Are branches counted by native runs?
    pub fn is_native(&self) -> bool {
        self.judge.is_native()
    }

    /// Was it interrupted?
    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Runs until the time is up or somebody interrupts; `tell` hears of each finished run, and that time passes.
    pub fn run(&mut self, tell: Telling<'_>) -> anyhow::Result<()> {
        let result = self.try_run(tell);
        self.pool.cancel();
        self.judge.cancel();
        self.running.clear();
        result
    }

    fn try_run(&mut self, tell: Telling<'_>) -> anyhow::Result<()> {
        loop {
            if self.interrupted() {
                return Ok(());
            }
            while self.running.len() < self.pool.jobs() {
                let elapsed = Duration::from_secs_f64(self.elapsed());
                let Some(time) = self.schedule.time(self.tuner.begun(), elapsed) else { break };
                if time.as_secs_f64() < SHORTEST {
                    break;
                }
                self.begin(time, elapsed)?;
            }
            if self.running.is_empty() {
                return Ok(());
            }
            let Some(report) = self.pool.wait(TICK)? else {
                tell(self, None);
                continue;
            };
            let Some((run, trial)) = self.running.remove(&report.id) else { continue };
            // Ctrl-C reaches children, too: their runs are not what they would have been.
            if self.interrupted() {
                return Ok(());
            }
            let entry = self.end(run, &trial, report.delivery)?;
            tell(self, Some(&entry));
            self.entries.push(entry);
        }
    }

    fn begin(&mut self, time: Duration, elapsed: Duration) -> anyhow::Result<()> {
        // A generator for each run: what a run draws does not depend on what was drawn before a restart.
        let mut random = Random::new(self.args.run.args.seed ^ (self.tuner.begun() as u64 + 1) << 20);
        let run = self.tuner.begin(&mut || random.unit());
        let left = self.schedule.total.saturating_sub(elapsed);
        let time = match run.proposal.how {
            How::Start => self.schedule.total.mul_f64(START).max(time),
            _ => time.max(self.worth_starting()).mul_f64(run.proposal.stretch),
        };
        let time = time.min(left).max(Duration::from_millis(200));
        let words = self.words(&run.proposal.vector)?;
        let mut options: Vec<String> = ["--quiet", "--no-replay", "--new-tests"].map(String::from).to_vec();
        options.push(format!("--mode={}", self.args.mode().name()));
        let theirs = self.args.run.command_line(&OURS);
        options.extend(theirs.iter().map(|w| w.to_string_lossy().into_owned()));
        let memory_is_set = words.before.iter().any(|w| w.starts_with("--max-memory="));
        if let (false, false, Some(memory)) =
            (memory_is_set, self.args.run.is_given("max-memory"), memory_of_a_run(self.pool.jobs()))
        {
            options.push(format!("--max-memory={}", memory >> 20));
        }
        options.extend(words.before);
        let given = self.args.run.args.args().iter().map(|w| w.to_string_lossy().into_owned());
        let trial = Trial {
            program: self.program.clone(),
            options,
            arguments: given.chain(words.behind).collect(),
            files: Vec::new(),
            seed: self.args.run.args.seed.wrapping_add(run.number as u64),
            budget: Budget::time(time),
            label: format!("run {}", run.number),
        };
        self.pool.submit(&trial)?;
        self.running.insert(trial.id(), (run, trial));
        Ok(())
    }

    /// The least time of a run: on a busy machine, or for a large program, starting one takes longer than a short run.
    fn worth_starting(&self) -> Duration {
        let mut starts: Vec<f64> =
            self.entries.iter().rev().take(9).map(|e| (e.wall - e.explored).max(0.0)).collect();
        starts.sort_by(f64::total_cmp);
        let usual = starts.get(starts.len() / 2).copied().unwrap_or(0.0);
        let most = self.schedule.total.as_secs_f64() / AT_LEAST;
        Duration::from_secs_f64((usual * WORTH_STARTING).min(most))
    }

    /// The words of a vector; names of tests become their files.
    fn words(&self, vector: &Vector) -> anyhow::Result<Words> {
        let mut vector = vector.clone();
        let mut seeded = false;
        if let Some(i) = self.tuner.space.find(SEEDS)
            && let Some(values) = vector.0.get_mut(i)
        {
            values.retain(|v| v.as_deref() != Some(NO_SEEDS));
            for value in values.iter_mut().flatten().filter(|v| !v.is_empty()) {
                *value = self.seed(value)?.display().to_string();
                seeded = true;
            }
        }
        let mut out = words(settings(&self.tuner.space, &vector, &self.defaults));
        if seeded {
            out.before.extend(["--seed-cut".to_string(), "--seed-skip".to_string()]);
        }
        Ok(out)
    }

    /// The file of a test, or the folder of the best ones.
    fn seed(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = std::path::absolute(self.store.folder())?.join("seeds");
        if name != EVERYTHING {
            return self.seed_file(&folder, name);
        }
        let best = forkwise_tune::seeds::best(&self.tuner.data, self.args.seeds.saturating_mul(ALL));
        // The name says what is in it: a folder never changes while a run reads it.
        let all = folder.join(format!("best-{}", self.tuner.begun()));
        for record in best {
            self.seed_file(&all, &record.test)?;
        }
        Ok(all)
    }

    fn seed_file(&self, folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
        let path = folder.join(format!("{name}.test.json"));
        if !path.exists() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            let text = self.ledger.text(name)?.ok_or_else(|| anyhow!("the test {name} is gone"))?;
            atomic_write(&path, text.as_bytes())?;
        }
        Ok(path)
    }

    fn end(&mut self, run: Run, trial: &Trial, mut delivery: Delivery) -> anyhow::Result<Entry> {
        let outcome = &delivery.outcome;
        if let End::NotBegun(why) = &outcome.end {
            self.store.check_space()?;
            self.bad += 1;
            if self.bad >= BAD_TRIALS {
                anyhow::bail!("runs cannot begin: {why}");
            }
        } else {
            self.bad = 0;
        }
        let judged_at = Instant::now();
        let judged = self.judge.judge(&format!("r{:05}", run.number), &delivery);
        let tests: Vec<_> = judged.tests.iter().map(|(reached, _)| reached.clone()).collect();
        let gain = self.tuner.end(&run, &tests, outcome.wall.max(outcome.seconds));
        let entry = Entry {
            gain,
            at: self.elapsed(),
            wall: outcome.wall,
            explored: outcome.seconds.min(outcome.wall),
            unconfirmed: judged.unconfirmed.clone(),
            end: outcome.end.trouble().map_or(outcome.end.stop_reason().to_string(), str::to_string),
            tests: tests.len() as u64,
            run,
        };
        let vector = self.tuner.data.vectors.len() - 1;
        let records = self.tuner.data.records.iter().rev().take_while(|r| r.vector == vector);
        let kept: BTreeSet<&str> = records.map(|r| r.test.as_str()).collect();
        let wanted: Vec<_> = judged
            .tests
            .iter()
            .filter(|(reached, _)| kept.contains(reached.test.as_str()))
            .map(|(reached, text)| (reached, text.as_str()))
            .collect();
        self.ledger.keep(&entry, &wanted)?;
        self.log.add(&self.tuner, &entry)?;
        if self.judge.is_native() {
            believe(&mut delivery, &judged);
        }
        self.store.keep(trial, &delivery)?;
        self.judging += judged_at.elapsed().as_secs_f64();
        Ok(entry)
    }
}

/// What a run may use: its part of the machine.
pub fn memory_of_a_run(jobs: usize) -> Option<u64> {
    machine_memory().map(|all| (all / jobs.max(1) as u64).max(256 << 20))
}

/// What the campaign's folder must stay true to.
fn space_text(space: &Space, defaults: &[(String, Value)]) -> String {
    SpaceFile { space: space.clone(), defaults: defaults.to_vec() }.to_json()
}

/// Replaces what the engine says about a run by what native runs say.
fn believe(delivery: &mut Delivery, judged: &Judged) {
    let place = |b: &Bug| (b.function.clone(), b.line as u32);
    let mut bugs: Vec<Bug> = Vec::new();
    let mut tests = Vec::new();
    let mut arms = BTreeSet::new();
    for (reached, text) in &judged.tests {
        arms.extend(reached.branches.iter().copied());
        let mut number = None;
        for seen in &reached.bugs {
            let predicted = delivery.outcome.bugs.iter().find(|b| place(b) == *seen).cloned();
            let bug = predicted.unwrap_or_else(|| Bug {
                kind: "crash".into(),
                function: seen.0.clone(),
                file: String::new(),
                line: u64::from(seen.1),
            });
            number = Some(bugs.iter().position(|b| *b == bug).unwrap_or_else(|| {
                bugs.push(bug);
                bugs.len() - 1
            }));
        }
        tests.push(TestFile { text: text.clone(), arms: reached.branches.clone(), bug: number });
    }
    delivery.outcome.arms = arms.into_iter().collect();
    delivery.places.clear();
    // Bugs of outcomes are sorted; tests name them by their place.
    let mut order: Vec<usize> = (0..bugs.len()).collect();
    order.sort_by(|a, b| bugs[*a].cmp(&bugs[*b]));
    for test in &mut tests {
        test.bug = test.bug.and_then(|b| order.iter().position(|o| *o == b));
    }
    delivery.outcome.bugs = order.into_iter().map(|i| bugs[i].clone()).collect();
    delivery.tests = tests;
}

#[cfg(test)]
mod tests {
    use super::*;
    use forkwise_campaign::Outcome;
    use forkwise_tune::Reached;

    #[test]
    fn native_runs_are_believed() {
        let predicted = Bug { kind: "assertion".into(), function: "f".into(), file: "x.c".into(), line: 3 };
        let other = Bug { function: "never".into(), ..predicted.clone() };
        let outcome = Outcome {
            arms: vec![1, 2, 3],
            total: 9,
            bugs: vec![predicted.clone(), other],
            tests: 0,
            counters: BTreeMap::new(),
            seconds: 1.0,
            wall: 1.0,
            cpu: 1.0,
            end: End::Finished("time".into()),
        };
        let mut delivery = Delivery { outcome, places: vec![String::new(); 3], tests: Vec::new() };
        let reached = |n: usize, branches: &[u32], bugs: &[(&str, u32)]| {
            let bugs = bugs.iter().map(|(f, l)| (f.to_string(), *l)).collect();
            (Reached { test: n.to_string(), branches: branches.to_vec(), bugs }, format!("text {n}"))
        };
        let judged = Judged {
            tests: vec![reached(0, &[5, 7], &[("signal 11", 0)]), reached(1, &[7, 8], &[("f", 3)])],
            unconfirmed: Vec::new(),
        };
        believe(&mut delivery, &judged);
        assert_eq!(delivery.outcome.arms, [5, 7, 8]);
        let bugs = &delivery.outcome.bugs;
        assert!(bugs.is_sorted() && bugs.len() == 2 && bugs.contains(&predicted));
        let shown = |i: usize| delivery.tests[i].bug.map(|b| bugs[b].function.as_str());
        assert_eq!((shown(0), shown(1)), (Some("signal 11"), Some("f")));
    }
}

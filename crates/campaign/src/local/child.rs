//! One process of a trial, from its start to what it left. It is killed when it takes too much time or memory, and its folder
//! is removed in any case.

use super::limits::{self, Limits};
use super::{Pool, folder};
use crate::backend::{BackendError, Delivery};
use crate::outcome::End;
use crate::trial::Trial;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Exit codes of a run that went well: clean, and bugs found.
const WELL: [i32; 2] = [0, 1];
/// What is read of a child's messages.
const MESSAGES: u64 = 1 << 20;

/// What is known when a process has ended.
pub struct Ended {
    status: Option<ExitStatus>,
    cpu: f64,
    wall: Duration,
}

/// See the module text.
pub struct Child {
    /// What it runs.
    pub trial: Trial,
    /// How often it was started.
    pub attempts: u32,
    folder: PathBuf,
    pid: u32,
    begun: Instant,
    wall: Option<Duration>,
    killed: Option<End>,
    /// Whether it was waited for: from then on its number may be another's.
    gone: Arc<Mutex<bool>>,
}

impl Child {
    /// Starts a process; its end is sent to `sender` with its number.
    pub fn start(
        pool: &Pool,
        trial: Trial,
        name: String,
        number: u64,
        sender: Sender<(u64, Ended)>,
    ) -> Result<Child, BackendError> {
        let folder = pool.folder.join(name);
        let said = folder.join("stderr");
        let stderr = prepare(&folder, &trial)
            .and_then(|()| File::create(&said).map_err(|source| BackendError::Files { path: said, source }))
            .inspect_err(|_| {
                // Nothing is left of a trial that did not begin.
                let _ = fs::remove_dir_all(&folder);
            })?;
        let wall = pool.limits.wall(trial.budget.duration());
        let mut command = Command::new(&pool.engine);
        command
            .arg0("forkwise")
            .arg("run")
            .args(trial.command_line(&folder.join("files")))
            .arg("-o")
            .arg(folder.join("out"))
            .arg(&trial.program.path)
            .args(&trial.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        limits::apply(&mut command, &pool.limits, wall);
        let begun = Instant::now();
        let process = command.spawn().map_err(|error| {
            let _ = fs::remove_dir_all(&folder);
            BackendError::Start(error)
        })?;
        let pid = process.id();
        let gone = Arc::new(Mutex::new(false));
        let theirs = Arc::clone(&gone);
        let watch = move || {
            limits::wait_until_ended(pid);
            let wall = begun.elapsed();
            let mut gone = theirs.lock().unwrap_or_else(PoisonError::into_inner);
            // What it started and did not wait for must not outlive it.
            limits::kill_group(pid);
            let reaped = limits::reap(pid);
            *gone = true;
            drop(gone);
            let (status, cpu) = reaped.map_or((None, 0.0), |(s, cpu)| (Some(ExitStatus::from_raw(s)), cpu));
            // A pool that was dropped wants to know nothing.
            let _ = sender.send((number, Ended { status, cpu, wall }));
        };
        let child = Child { trial, attempts: 1, folder, pid, begun, wall, killed: None, gone };
        match std::thread::Builder::new().name("trial".into()).stack_size(1 << 16).spawn(watch) {
            Ok(_) => Ok(child),
            Err(error) => {
                limits::kill_group(pid);
                limits::reap(pid);
                child.forget();
                Err(BackendError::Start(error))
            }
        }
    }

    /// Kills it if it takes too much.
    pub fn look(&mut self, limits: &Limits) {
        if self.killed.is_some() {
            return;
        }
        if self.wall.is_some_and(|l| self.begun.elapsed() > l) {
            let text = format!("did not end by itself and was killed after {:.0?}", self.begun.elapsed());
            self.killed = Some(End::TimedOut(text));
        } else if let (Some(limit), Some(used)) = (limits.memory, resident(self.pid))
            && used > limit
        {
            let text = format!("took {} MB of memory, more than the {} it may", used >> 20, limit >> 20);
            self.killed = Some(End::OutOfMemory(text));
        }
        if self.killed.is_some() {
            self.kill();
        }
    }

    /// Was it ended by a signal that people and systems send, and not by this pool?
    pub fn was_ended_by_others(&self, ended: &Ended) -> bool {
        let signal = ended.status.and_then(|s| s.signal());
        let outside = signal.is_some_and(|s| [libc::SIGKILL, libc::SIGTERM, libc::SIGINT].contains(&s));
        // A run that is asked to end does so cleanly, and says why.
        let asked = || folder::stop_reason(&self.folder.join("out")).as_deref() == Some("interrupt");
        self.killed.is_none() && (outside || signal.is_none() && asked())
    }

    /// Kills it and what it started.
    pub fn kill(&self) {
        let gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        if !*gone {
            limits::kill_group(self.pid);
        }
    }

    /// What it left; it has ended.
    pub fn finish(mut self, ended: &Ended) -> Delivery {
        let mut delivery = folder::read(&self.folder.join("out"));
        let said = folder::bounded(&self.folder.join("stderr"), MESSAGES).unwrap_or_default();
        let outcome = &mut delivery.outcome;
        (outcome.wall, outcome.cpu) = (ended.wall.as_secs_f64(), ended.cpu);
        let began = self.folder.join("out").join("events.jsonl").exists();
        if let Some(end) = self.killed.take() {
            outcome.end = end;
        } else if let Some(end) = how_badly(ended.status, &said, began) {
            outcome.end = end;
        }
        self.forget();
        delivery
    }

    /// Removes its folder.
    pub fn forget(self) {
        // What cannot be removed is removed when the campaign is opened again.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn prepare(folder: &Path, trial: &Trial) -> Result<(), BackendError> {
    let files = folder.join("files");
    fs::create_dir_all(&files).map_err(|source| BackendError::Files { path: files.clone(), source })?;
    for file in &trial.files {
        // A trial may come from elsewhere: a name never leads out of the folder.
        let Some(name) = Path::new(&file.name).file_name() else {
            return Err(BackendError::Other(format!("a trial's file cannot be called {:?}", file.name)));
        };
        let path = files.join(name);
        fs::write(&path, &file.text).map_err(|source| BackendError::Files { path, source })?;
    }
    Ok(())
}

/// How a process ended that did not end well.
fn how_badly(status: Option<ExitStatus>, said: &str, began: bool) -> Option<End> {
    let Some(status) = status else { return Some(End::Crashed("it ended, and nobody knows how".into())) };
    if status.code().is_some_and(|code| WELL.contains(&code)) {
        return None;
    }
    if !began && status.code().is_some() {
        let text = said.trim().trim_start_matches("forkwise: error: ").to_string();
        return Some(End::NotBegun(text));
    }
    let last = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it said nothing");
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (_, Some(code)) => format!("ended with status {code}"),
        _ => "ended".into(),
    };
    let text = format!("{how}: {last}");
    Some(match status.signal() {
        Some(libc::SIGABRT) if said.contains("memory allocation of") => End::OutOfMemory(text),
        Some(libc::SIGXCPU) => End::TimedOut(text),
        _ => End::Crashed(text),
    })
}

/// Resident memory of a process, in bytes.
fn resident(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(4096))
}

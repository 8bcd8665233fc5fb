//! Compiling many C files in parallel, each once: a finished output is kept until the stamp of its folder changes, and an
//! interrupted run goes on where it stopped. Knows nothing of what the files are; `musl` and `native` are its callers.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow};

use crate::workspace::{capture, create_dir, remove, temporary_neighbour, write_atomically};

/// One compiler call: `compiler arguments -c source -o output`.
pub struct Job {
    /// The compiler.
    pub compiler: String,
    /// Everything but the source and the output.
    pub arguments: Vec<String>,
    /// The file to compile.
    pub source: PathBuf,
    /// The file to create.
    pub output: PathBuf,
}

impl Job {
    fn run(&self) -> Result<()> {
        let fresh = temporary_neighbour(&self.output);
        capture(
            Command::new(&self.compiler)
                .args(&self.arguments)
                .arg("-c")
                .arg(&self.source)
                .arg("-o")
                .arg(&fresh),
        )?;
        fs::rename(&fresh, &self.output)?;
        Ok(())
    }
}

/// Empties a folder of outputs if it was filled under another stamp.
pub fn reset_if_changed(folder: &Path, stamp: &str) -> Result<()> {
    let file = folder.join(".stamp");
    if fs::read_to_string(&file).ok().as_deref() != Some(stamp) {
        remove(folder)?;
        create_dir(folder)?;
        write_atomically(&file, stamp.as_bytes())?;
    }
    Ok(())
}

/// Runs the jobs whose output does not exist yet, on all cores, and reports progress under `label`. The first error ends
/// the work; what was finished stays.
pub fn run_jobs(label: &str, jobs: &[Job]) -> Result<()> {
    let pending: Vec<&Job> = jobs.iter().filter(|job| !job.output.is_file()).collect();
    let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let errors = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let Some(job) = pending.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    if let Err(error) = job.run() {
                        failed.store(true, Ordering::Relaxed);
                        errors.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(error);
                    }
                    progress(label, done.fetch_add(1, Ordering::Relaxed) + 1, pending.len());
                }
            });
        }
    });
    let errors = errors.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    match errors.into_iter().next() {
        Some(error) => Err(error.context(anyhow!("cannot compile {label}"))),
        None => Ok(()),
    }
}

fn progress(label: &str, done: usize, total: usize) {
    let mut out = std::io::stderr().lock();
    // Progress is a courtesy: a closed standard error must not end the build.
    let _ = if out.is_terminal() {
        let end = if done == total { "\n" } else { "" };
        write!(out, "\rsetup: compiling {label} {done}/{total}{end}").and_then(|()| out.flush())
    } else if done == total || done.is_multiple_of(250) {
        writeln!(out, "setup: compiling {label} {done}/{total}")
    } else {
        Ok(())
    };
}

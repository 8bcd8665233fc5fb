//! One iteration: the engine as a black box. It gets options and a folder, and whatever it does, crashing, hanging or leaving
//! garbage, is at worst an iteration without tests.

use anyhow::Context;
use forkwise_tune::words::Words;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a running engine is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// An engine.
#[derive(Clone, Debug)]
pub struct Engine {
    /// `None`: this program.
    pub klee: Option<PathBuf>,
    /// The bitcode.
    pub program: PathBuf,
    /// What an iteration may take beyond its time.
    pub grace: Duration,
}

/// How an iteration ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status.
    Status(Option<i32>),
    /// It was killed.
    Hung,
    /// Somebody interrupted.
    Interrupted,
}

impl Engine {
    /// The whole command line.
    pub fn command(&self, words: &Words, time: Duration, folder: &Path) -> Vec<String> {
        let mut line = match &self.klee {
            Some(klee) => vec![klee.display().to_string()],
            None => vec!["/proc/self/exe".to_string(), "klee".to_string()],
        };
        line.extend(words.before.iter().cloned());
        line.push(format!("-max-time={}", time.as_secs().max(1)));
        line.push(format!("-output-dir={}", folder.display()));
        line.push(self.program.display().to_string());
        line.extend(words.behind.iter().cloned());
        line
    }

    /// Runs an iteration; an error is that nothing can be started at all.
    pub fn run(
        &self,
        line: &[String],
        time: Duration,
        folder: &Path,
        interrupt: &AtomicBool,
    ) -> anyhow::Result<End> {
        let said = folder.with_extension("log");
        let log = File::create(&said).with_context(|| format!("cannot create {}", said.display()))?;
        let both = log.try_clone().context("cannot open a file twice")?;
        let place = self.program.parent().unwrap_or(Path::new("/"));
        let mut child = Command::new(&line[0])
            .args(&line[1..])
            .current_dir(place)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(both)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", line[0]))?;
        let end = wait(&mut child, time.saturating_mul(2).saturating_add(self.grace), interrupt)?;
        match end {
            // What it said is worth keeping only if it failed.
            End::Status(Some(0)) => {
                let _ = fs::remove_file(&said);
            }
            End::Status(_) | End::Hung | End::Interrupted => {}
        }
        Ok(end)
    }
}

fn wait(child: &mut Child, limit: Duration, interrupt: &AtomicBool) -> anyhow::Result<End> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the engine")? {
            // A watchdog may have left the process that it watched.
            kill_group(child.id());
            return Ok(End::Status(ExitStatus::code(&status)));
        }
        let interrupted = interrupt.load(Ordering::Relaxed);
        if interrupted || begun.elapsed() > limit {
            kill_group(child.id());
            let _ = child.kill();
            child.wait().context("cannot wait for the engine")?;
            return Ok(if interrupted { End::Interrupted } else { End::Hung });
        }
        std::thread::sleep(LOOK);
    }
}

/// Ends a process with everything it started.
fn kill_group(group: u32) {
    let words = ["-KILL".to_string(), "--".to_string(), format!("-{group}")];
    // An error means that nobody is left.
    let _ = Command::new("kill")
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// The tests in a folder, sorted.
pub fn tests(folder: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "ktest"))
        .collect();
    out.sort();
    out
}

/// The place of the error that a test shows, from its `.err` file: file and line.
pub fn error_place(test: &Path) -> Option<(String, u32)> {
    let stem = test.file_stem()?.to_string_lossy().into_owned();
    let mut errors: Vec<PathBuf> = fs::read_dir(test.parent()?)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .filter(|p| {
            let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with(&format!("{stem}.")) && name.ends_with(".err")
        })
        .collect();
    errors.sort();
    let text = fs::read(errors.first()?).ok()?;
    let text = String::from_utf8_lossy(&text);
    let field = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
    Some((field("File:")?.to_string(), field("Line:")?.parse().ok()?))
}

#[cfg(test)]
mod tests_of_this {
    use super::*;

    #[test]
    fn errors_have_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let test = folder.path().join("test000001.ktest");
        assert_eq!(error_place(&test), None);
        fs::write(folder.path().join("test000001.ptr.err"), "Error: x\nFile: a/b.c\nLine: 7\n").unwrap();
        assert_eq!(error_place(&test), Some(("a/b.c".into(), 7)));
        fs::write(folder.path().join("test000002.ptr.err"), b"\xff\xfe\0").unwrap();
        assert_eq!(error_place(&folder.path().join("test000002.ktest")), None);
    }
}

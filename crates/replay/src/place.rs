//! Where a run takes place: a directory of its own and, with isolation, the namespaces in which it alone is writable.
//! Places are made once and used again; each run finds an empty directory, and what it leaves behind is removed, even
//! what it took its own permissions from.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forkwise_testcase::check_file_name;

use crate::native::{Counters, Sandbox};

/// When the files of every run were last changed: the moment at which the engine's clock starts.
pub const EPOCH: Duration = Duration::from_secs(1_704_067_200);

/// See the module text.
#[derive(Debug)]
pub(crate) struct Place {
    /// Below it, all that runs here may write to.
    pub(crate) directory: PathBuf,
    pub(crate) sandbox: Option<Sandbox>,
    counters: Option<Counters>,
    runs: u64,
}

impl Place {
    pub(crate) fn new(directory: PathBuf, sandbox: Option<Sandbox>) -> Place {
        Place { directory, sandbox, counters: None, runs: 0 }
    }

    /// The directory of the next run, made.
    pub(crate) fn enter(&mut self) -> Result<PathBuf, (PathBuf, io::Error)> {
        self.runs += 1;
        let cwd = self.directory.join(format!("run-{}", self.runs));
        match fs::create_dir(&cwd) {
            Ok(()) => Ok(cwd),
            Err(error) => Err((cwd, error)),
        }
    }

    /// Puts files into the run's directory, all as old as the engine's clock.
    pub(crate) fn fill(&self, cwd: &Path, files: &[(&str, &[u8])]) -> io::Result<()> {
        let time = fs::FileTimes::new()
            .set_accessed(SystemTime::UNIX_EPOCH + EPOCH)
            .set_modified(SystemTime::UNIX_EPOCH + EPOCH);
        for (name, bytes) in files {
            check_file_name(name).map_err(io::Error::other)?;
            let mut file =
                fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(cwd.join(name))?;
            io::Write::write_all(&mut file, bytes)?;
            file.set_times(time)?;
        }
        // The directory changed as the files were made.
        fs::File::open(cwd)?.set_times(time)
    }

    /// Makes counters for so many branches, or sets those that are there to zero.
    pub(crate) fn clear_counters(&mut self, count: usize) -> io::Result<()> {
        match &self.counters {
            Some(counters) if counters.len() == count => counters.clear(),
            _ => {
                self.counters = Some(Counters::new(count)?);
                Ok(())
            }
        }
    }

    /// What a program is given to count with.
    pub(crate) fn counters_fd(&self) -> Option<BorrowedFd<'_>> {
        self.counters.as_ref().map(|counters| counters.as_fd())
    }

    /// What it counted.
    pub(crate) fn read_counters(&self) -> io::Result<Option<Vec<u8>>> {
        self.counters.as_ref().map(Counters::read).transpose()
    }

    /// Where the current run finds its test. A new name each time: file systems write a file to disk at once when it
    /// replaces an older one.
    pub(crate) fn ktest(&self) -> PathBuf {
        self.directory.join(format!("test-{}.ktest", self.runs))
    }

    /// Where programs built with `gcc --coverage` keep their counters from run to run.
    pub(crate) fn gcov(&self) -> PathBuf {
        Place::gcov_below(&self.directory)
    }

    pub(crate) fn gcov_below(directory: &Path) -> PathBuf {
        directory.join("gcov")
    }

    /// Whether the place can be used again. Processes that the last run left behind have been killed with its group
    /// and need a moment to disappear; one that left the group stays, and with it the place is given up.
    pub(crate) fn settle(&self) -> bool {
        let Some(sandbox) = &self.sandbox else { return true };
        (0..20).any(|attempt| {
            if attempt > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            !sandbox.has_strays()
        })
    }
}

/// Removes a run's directory, even one whose permissions the program took away. What cannot be removed goes with the
/// runner's directory or stays in the system's one for temporary files; it does not fail the run.
pub(crate) fn remove(directory: &Path) {
    if fs::remove_dir(directory).is_ok() || fs::remove_dir_all(directory).is_ok() {
        return;
    }
    let mut pending = vec![directory.to_path_buf()];
    while let Some(dir) = pending.pop() {
        let _ = fs::set_permissions(&dir, fs::Permissions::from_mode(0o700));
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(entry.path());
            }
        }
    }
    let _ = fs::remove_dir_all(directory);
}

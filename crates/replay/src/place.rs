//! Where a run takes place: a directory of its own and, with isolation, the namespaces in which it alone is writable and
//! in memory. Places are made once and used again; each run finds the directory empty, and what it leaves behind is
//! removed, even what it took its own permissions from. Two runs never share a place at the same time.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forkwise_testcase::check_file_name;

use crate::native::{Counters, GCOV, INPUTS, Sandbox, SandboxError, WORKING_DIRECTORY, World};
use crate::runner::{Isolation, RunError};

/// When the files of every run were last changed: the moment at which the engine's clock starts.
pub const EPOCH: Duration = Duration::from_secs(1_704_067_200);

/// See the module text.
#[derive(Debug)]
pub(crate) struct Place {
    /// What belongs to the place, on the host.
    directory: PathBuf,
    /// What programs see here.
    pub(crate) world: World,
    /// Where they start, as they see it.
    cwd: PathBuf,
    /// The same directory, as this process reaches it; differs when it is in the sandbox's own file system.
    reach: PathBuf,
    /// Keeps `reach` valid.
    _opened: Option<fs::File>,
    pub(crate) sandbox: Option<Sandbox>,
    counters: Option<Counters>,
    runs: u64,
}

impl Place {
    /// Makes a place in a directory that does not exist yet. In `world` the directories to show are only named; they are
    /// this place's own.
    pub(crate) fn new(directory: PathBuf, isolation: Isolation, world: &World) -> Result<Place, RunError> {
        let prepare = |source| RunError::Prepare { path: directory.clone(), source };
        let (scratch, inputs) = (directory.join("scratch"), directory.join("inputs"));
        for path in [&directory, &scratch, &inputs, &Place::gcov_below(&directory)] {
            fs::create_dir(path).map_err(prepare)?;
        }
        let mut place = Place {
            cwd: directory.join("run"),
            reach: directory.join("run"),
            world: world.clone(),
            _opened: None,
            sandbox: None,
            counters: None,
            runs: 0,
            directory,
        };
        if isolation == Isolation::Namespaces {
            let shown = World {
                inputs: world.inputs.as_ref().map(|_| inputs),
                gcov: world.gcov.as_ref().map(|_| Place::gcov_below(&place.directory)),
                ..world.clone()
            };
            let sandbox = Sandbox::new(&shown, &scratch)?;
            place.cwd = WORKING_DIRECTORY.into();
            let opened = sandbox.open_directory(&place.cwd);
            let opened =
                opened.map_err(|source| SandboxError { step: "cannot look into the sandbox", source })?;
            place.reach = format!("/proc/self/fd/{}", opened.as_raw_fd()).into();
            place._opened = Some(opened);
            place.sandbox = Some(sandbox);
        }
        Ok(place)
    }

    /// The directory of the next run, as the program sees it. It is empty.
    pub(crate) fn enter(&mut self) -> io::Result<PathBuf> {
        self.runs += 1;
        if self.sandbox.is_none() {
            fs::create_dir(&self.reach).and_then(|()| set_mode(&self.reach))?;
        }
        Ok(self.cwd.clone())
    }

    /// Puts files into the run's directory, all as old as the engine's clock. The number of the first inode that was, or
    /// will be, made there for this run.
    pub(crate) fn fill(&self, files: &[(&str, &[u8])]) -> io::Result<u64> {
        let mut first = None;
        let time = fs::FileTimes::new()
            .set_accessed(SystemTime::UNIX_EPOCH + EPOCH)
            .set_modified(SystemTime::UNIX_EPOCH + EPOCH);
        for (name, bytes) in files {
            check_file_name(name).map_err(io::Error::other)?;
            let path = self.reach.join(name);
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o644).open(path)?;
            io::Write::write_all(&mut file, bytes)?;
            file.set_times(time)?;
            if first.is_none() {
                first = Some(file.metadata()?.ino());
            }
        }
        let first = match first {
            Some(number) => number,
            None => self.next_inode()?,
        };
        // The directory changed as the files were made.
        fs::File::open(&self.reach)?.set_times(time)?;
        Ok(first)
    }

    /// The number of the next inode in the run's directory, as far as the file system counts them one by one.
    fn next_inode(&self) -> io::Result<u64> {
        let path = self.reach.join(".next");
        let number = fs::File::create_new(&path)?.metadata()?.ino();
        fs::remove_file(&path)?;
        Ok(number + 1)
    }

    /// Empties the run's directory and forgets its test. False: something cannot be removed, and the place is of no
    /// use any more.
    pub(crate) fn leave(&self, ktest: bool) -> bool {
        if ktest {
            // Whatever is left goes with the runner's directory.
            let _ = fs::remove_file(self.ktest());
        }
        if self.sandbox.is_none() {
            // Outside of a sandbox the program may have put anything in its directory's place, a link for instance.
            return match fs::symlink_metadata(&self.reach) {
                Ok(data) if data.is_dir() => fs::remove_dir_all(&self.reach).is_ok() || force(&self.reach),
                Ok(_) => fs::remove_file(&self.reach).is_ok(),
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            };
        }
        let Ok(data) = fs::symlink_metadata(self.reach.join(".")) else { return false };
        if data.permissions().mode() & 0o7777 != MODE && set_mode(&self.reach.join(".")).is_err() {
            return false;
        }
        empty(&self.reach)
    }

    /// Makes counters for so many branches, or sets those that are there to zero. `first_file` is what `fill` said.
    pub(crate) fn clear_counters(&mut self, count: usize, first_file: u64) -> io::Result<()> {
        // Elsewhere files are the host's, and look like it.
        let own = self.world.minimal && self.sandbox.is_some();
        let counters = match self.counters.take() {
            Some(counters) if counters.len() == count => {
                counters.clear()?;
                counters
            }
            _ => Counters::new(count)?,
        };
        counters.tell_first_file(if own { first_file } else { 0 })?;
        self.counters = Some(counters);
        Ok(())
    }

    /// What a program is given to count with.
    pub(crate) fn counters_fd(&self) -> Option<BorrowedFd<'_>> {
        self.counters.as_ref().map(|counters| counters.as_fd())
    }

    /// What it counted.
    pub(crate) fn read_counters(&self) -> io::Result<Option<Vec<u8>>> {
        self.counters.as_ref().map(Counters::read).transpose()
    }

    /// The file of the current run's test. A new name each time: file systems write a file to disk at once when it
    /// replaces an older one.
    fn ktest(&self) -> PathBuf {
        self.directory.join("inputs").join(format!("test-{}.ktest", self.runs))
    }

    /// Writes the test of the current run.
    pub(crate) fn write_ktest(&self, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.ktest(), bytes)
    }

    /// Where the program finds its test.
    pub(crate) fn ktest_inside(&self) -> PathBuf {
        match &self.sandbox {
            Some(_) => Path::new(INPUTS).join(format!("test-{}.ktest", self.runs)),
            None => self.ktest(),
        }
    }

    /// Where programs built with `gcc --coverage` keep their counters from run to run, as they see it.
    pub(crate) fn gcov(&self) -> PathBuf {
        match &self.sandbox {
            Some(_) => GCOV.into(),
            None => Place::gcov_below(&self.directory),
        }
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

/// The permissions of the run's directory.
const MODE: u32 = 0o755;

fn set_mode(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(MODE))
}

/// Removes all that is in a directory, even what the program took the permissions from.
fn empty(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    for entry in entries.flatten() {
        let path = entry.path();
        let removed = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(&path).is_ok() || force(&path),
            _ => fs::remove_file(&path).is_ok(),
        };
        if !removed {
            return false;
        }
    }
    true
}

/// Gives permissions back to all directories below, then removes them.
fn force(directory: &Path) -> bool {
    let mut pending = vec![directory.to_path_buf()];
    while let Some(dir) = pending.pop() {
        let _ = fs::set_permissions(&dir, fs::Permissions::from_mode(0o700));
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(directory).is_ok()
}

//! Downloading and building the real programs, once each: `target/programs/NAME/forkwise` is built with `forkwise cc`,
//! `target/programs/NAME/gcov` with gcc's coverage counters. Must never write into the repository, and leaves a stamp only
//! when everything of a build succeeded. What is built is in `table`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use super::recipe::{How, Package, Program, Step};
use crate::apt;
use crate::workspace::{
    Workspace, create_dir, display, fingerprint, on_path, remove, sorted_entries, write_atomically,
};

/// Packages built at the same time: configure uses one core only.
const AT_A_TIME: usize = 2;

/// The two ways a program is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Flavour {
    /// `forkwise cc`: native program, bitcode and coverage build in one.
    Forkwise,
    /// gcc with gcov's counters on the host's C library: the unit in which branches are compared with other tools.
    Gcov,
}

impl Flavour {
    /// The folder's name.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Forkwise => "forkwise",
            Flavour::Gcov => "gcov",
        }
    }

    /// The compiler as `CC` names it.
    fn compiler(self, workspace: &Workspace) -> String {
        match self {
            Flavour::Forkwise => format!("{} cc", workspace.forkwise().display()),
            Flavour::Gcov => "gcc".to_owned(),
        }
    }

    /// `CFLAGS`, where the package's own are not to be used. -O0, because an optimiser adds and removes branches.
    fn flags(self) -> Option<&'static str> {
        match self {
            Flavour::Forkwise => None,
            Flavour::Gcov => Some("--coverage -O0 -g"),
        }
    }
}

/// The folder of a package.
pub fn package_folder(workspace: &Workspace, package: &Package) -> PathBuf {
    workspace.target.join("programs").join(package.name)
}

/// The tree in which the programs of a package are: the last step's, where its build starts.
pub fn tree(workspace: &Workspace, package: &Package, flavour: Flavour) -> PathBuf {
    let folder = package_folder(workspace, package).join(flavour.name());
    package.steps.last().map_or(folder.clone(), |step| folder.join(step.source).join(step.folder))
}

/// A built program.
pub fn executable(workspace: &Workspace, package: &Package, program: &Program, flavour: Flavour) -> PathBuf {
    tree(workspace, package, flavour).join(program.path)
}

/// Builds what is missing or out of date, some packages at a time; all are tried, and the error names those that failed.
pub fn build(workspace: &Workspace, packages: &[&Package], flavours: &[Flavour], again: bool) -> Result<()> {
    create_dir(&workspace.cache())?;
    let lock = File::create(workspace.cache().join("programs.lock")).context("cannot create the lock")?;
    lock.lock().context("cannot take the lock of another `xtask programs`")?;
    let mut pending = Vec::new();
    for package in packages {
        for &flavour in flavours {
            let status = if again { Status::Missing } else { status(workspace, package, flavour) };
            if status != Status::Current {
                pending.push((*package, flavour, status));
            }
        }
    }
    if pending.is_empty() {
        return Ok(());
    }
    let mut needed: Vec<&str> = pending.iter().flat_map(|(package, ..)| package.needs).copied().collect();
    needed.push("make");
    let absent = apt::missing(&needed)?;
    if !absent.is_empty() {
        apt::install(&absent)?;
    }
    let mut sources: Vec<&Step> = pending.iter().flat_map(|(package, ..)| package.steps).collect();
    sources.dedup_by_key(|step| step.source);
    for step in sources {
        tarball(workspace, step)?;
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = AT_A_TIME.min(pending.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(&(package, flavour, status)) =
                    pending.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(error) = build_one(workspace, package, flavour, status, AT_A_TIME / workers) {
                        println!("programs: {} ({}): {error:#}", package.name, flavour.name());
                        let mut failures = failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                        failures.push(format!("{} ({})", package.name, flavour.name()));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    failures.sort();
    if !failures.is_empty() {
        bail!("could not build {}; the messages above name the logs", failures.join(", "));
    }
    Ok(())
}

/// How much of a build there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Nothing, or something made from another recipe.
    Missing,
    /// All, but linked with another C library.
    Unlinked,
    /// All of it.
    Current,
}

fn status(workspace: &Workspace, package: &Package, flavour: Flavour) -> Status {
    let Ok(stamp) = fs::read_to_string(stamp_path(workspace, package, flavour)) else {
        return Status::Missing;
    };
    let wanted = stamp_text(workspace, package, flavour);
    let built = || package.programs.iter().all(|one| executable(workspace, package, one, flavour).is_file());
    match stamp.lines().next() == wanted.lines().next() {
        false => Status::Missing,
        true if stamp == wanted && built() => Status::Current,
        true => Status::Unlinked,
    }
}

fn stamp_path(workspace: &Workspace, package: &Package, flavour: Flavour) -> PathBuf {
    package_folder(workspace, package).join(format!("{}.stamp", flavour.name()))
}

/// What a build depends on: in the first line its recipe and the compiler's flags, in the second, for `forkwise cc`, the
/// C library and what native programs are linked with beside it. Not the forkwise program itself, which changes daily while what it compiles does not; `--again` is for
/// those changes.
fn stamp_text(workspace: &Workspace, package: &Package, flavour: Flavour) -> String {
    let recipe = format!("{:?} {:?}", package.steps, flavour.flags());
    let parts: &[&str] = match flavour {
        Flavour::Forkwise => &["lib/libc.bc.stamp", "native/libforkwise-native.a", "native/crt1.o"],
        Flavour::Gcov => &[],
    };
    let library: Vec<u8> =
        parts.iter().flat_map(|part| fs::read(workspace.runtime().join(part)).unwrap_or_default()).collect();
    format!("{:016x}\n{:016x}\n", fingerprint([recipe.as_bytes()]), fingerprint([library.as_slice()]))
}

/// The tarball of a step, downloaded if need be.
fn tarball(workspace: &Workspace, step: &Step) -> Result<PathBuf> {
    let cache = workspace.cache().join("sources");
    let found = match apt::find_tarball(step.source, &cache)? {
        Some(path) => path,
        None => {
            println!("programs: downloading {}", step.source);
            apt::download_orig_tarball(step.source, &cache, &workspace.cache().join("apt"))?
        }
    };
    let name = found.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with(&format!("{}_{}.", step.source, step.version)) {
        bail!(
            "{} {} is wanted and this machine's Debian has {name}: use Debian 12, or put that version's orig tarball into {}",
            step.source,
            step.version,
            cache.display()
        );
    }
    Ok(found)
}

fn build_one(
    workspace: &Workspace,
    package: &Package,
    flavour: Flavour,
    status: Status,
    jobs: usize,
) -> Result<()> {
    let started = Instant::now();
    println!("programs: {} ({}): building", package.name, flavour.name());
    let folder = package_folder(workspace, package).join(flavour.name());
    let maker = |step| Maker {
        workspace,
        step,
        flavour,
        folder: &folder,
        logs: package_folder(workspace, package),
        jobs,
    };
    if status == Status::Unlinked {
        let step = package.steps.last().context("a package has steps")?;
        maker(step).link(package.programs)?;
    } else {
        remove(&stamp_path(workspace, package, flavour))?;
        remove(&folder)?;
        create_dir(&folder)?;
        package.steps.iter().try_for_each(|step| maker(step).make())?;
    }
    for program in package.programs {
        let file = executable(workspace, package, program, flavour);
        if !file.is_file() {
            bail!("the build succeeded and left no {}", file.display());
        }
    }
    write_atomically(
        &stamp_path(workspace, package, flavour),
        stamp_text(workspace, package, flavour).as_bytes(),
    )?;
    println!(
        "programs: {} ({}): built in {:.0} s",
        package.name,
        flavour.name(),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// One step of one build.
struct Maker<'a> {
    workspace: &'a Workspace,
    step: &'a Step,
    flavour: Flavour,
    folder: &'a Path,
    logs: PathBuf,
    jobs: usize,
}

impl Maker<'_> {
    /// Where the build starts.
    fn start(&self) -> PathBuf {
        self.folder.join(self.step.source).join(self.step.folder)
    }

    fn log(&self) -> PathBuf {
        self.logs.join(format!("{}-{}.log", self.flavour.name(), self.step.source))
    }

    /// Links the programs again, from the objects that are there.
    fn link(&self, programs: &[Program]) -> Result<()> {
        let start = self.start();
        let mut folders: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        for program in programs {
            remove(&start.join(program.path))?;
            // The makefile nearest to the program knows how.
            let path = Path::new(program.path);
            let folder =
                path.ancestors().skip(1).find(|folder| start.join(folder).join("Makefile").is_file());
            let folder = folder.with_context(|| format!("{} has no makefile", start.display()))?;
            // cmake's targets have no folders.
            let target = match self.step.how {
                How::Cmake(_) => path.file_name().map_or(path, Path::new),
                _ => path.strip_prefix(folder).unwrap_or(path),
            };
            let target = target.to_string_lossy().into_owned();
            folders.entry(start.join(folder)).or_default().push(target);
        }
        for (folder, targets) in folders {
            self.run(self.command("make", &folder).args(self.variables()).args(targets), &self.log())?;
        }
        Ok(())
    }

    /// Unpacks, configures and makes.
    fn make(&self) -> Result<()> {
        extract(&tarball(self.workspace, self.step)?, &self.folder.join(self.step.source))?;
        let start = self.start();
        let log = self.log();
        remove(&log)?;
        let mut make_in = start.clone();
        match self.step.how {
            How::Configure(arguments) => {
                let mut command = self.command("./configure", &start);
                command.args(arguments.iter().map(|argument| self.expand(argument)));
                self.run(&mut command, &log)?;
            }
            How::Cmake(arguments) => {
                let mut command = self.command("cmake", &start);
                command.args(["-B", "build"]).args(arguments.iter().map(|argument| self.expand(argument)));
                if self.flavour == Flavour::Forkwise {
                    // cmake knows one-word archivers only, and would take clang's of any version.
                    for (variable, tool) in [("CMAKE_AR", "llvm-ar-19"), ("CMAKE_RANLIB", "llvm-ranlib-19")] {
                        let path = on_path(tool).with_context(|| format!("{tool} is not installed"))?;
                        command.arg(format!("-D{variable}={}", path.display()));
                    }
                }
                self.run(&mut command, &log)?;
                make_in.push("build");
            }
            How::Makefile => {}
        }
        for arguments in self.step.make {
            let mut command = self.command("make", &make_in);
            command.arg(format!("-j{}", self.jobs)).args(self.variables());
            command.args(arguments.iter().map(|argument| self.expand(argument)));
            self.run(&mut command, &log)?;
        }
        Ok(())
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new("nice");
        command.arg(program).current_dir(folder);
        command
    }

    /// What a plain makefile has to be told; the others know it from configuring.
    fn variables(&self) -> Vec<String> {
        if !matches!(self.step.how, How::Makefile) {
            return Vec::new();
        }
        let mut variables = vec![format!("CC={}", self.flavour.compiler(self.workspace))];
        if let Some(flags) = self.flavour.flags() {
            // Simple makefiles link without the compiler's flags.
            variables.extend([format!("CFLAGS={flags}"), format!("LDFLAGS={flags}")]);
        }
        variables
    }

    fn expand(&self, argument: &str) -> String {
        argument.replace("{prefix}", &self.folder.join("root").to_string_lossy())
    }

    /// Runs a command with its output in the log; an error ends with the last lines of it.
    fn run(&self, command: &mut Command, log: &Path) -> Result<()> {
        let file = File::options().create(true).append(true).open(log);
        let file = file.with_context(|| format!("cannot write {}", log.display()))?;
        command.env("CC", self.flavour.compiler(self.workspace)).env("LC_ALL", "C");
        if let Some(flags) = self.flavour.flags() {
            command.env("CFLAGS", flags);
        }
        // Cargo's own make-like variables must not reach another build.
        command.env_remove("MAKEFLAGS").env_remove("MFLAGS").envs(self.step.environment.iter().copied());
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let status = command.status().with_context(|| format!("cannot start {}", display(command)))?;
        if !status.success() {
            let text = fs::read(log).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let lines: Vec<&str> = text.lines().collect();
            let end = lines[lines.len().saturating_sub(8)..].join("\n    ");
            return Err(anyhow!(
                "{} ended with {status}; all of it is in {}\n    {end}",
                display(command),
                log.display()
            ));
        }
        Ok(())
    }
}

/// Unpacks a tarball whose one top folder becomes `tree`.
fn extract(tarball: &Path, tree: &Path) -> Result<()> {
    let parent = tree.parent().context("a tree has a parent folder")?;
    let scratch = parent.join("unpack");
    remove(&scratch)?;
    create_dir(&scratch)?;
    let mut command = Command::new("tar");
    command.arg("--extract").arg("--file").arg(tarball).arg("--directory").arg(&scratch);
    crate::workspace::capture(&mut command)?;
    let tops = sorted_entries(&scratch)?;
    let [top] = tops.as_slice() else {
        bail!("{} holds {} top folders, one was expected", tarball.display(), tops.len());
    };
    fs::rename(top, tree).with_context(|| format!("cannot create {}", tree.display()))?;
    remove(&scratch)
}

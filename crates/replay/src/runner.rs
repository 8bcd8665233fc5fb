//! Running a program once: a fresh directory, a cleared environment, limits, captured output, and an end in time
//! whatever the program does. Sandboxes are made once and used again by later runs. A run must never change the
//! caller's working directory, environment or descriptors. The kernel's part is in [`crate::native`].

use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use forkwise_testcase::{KTest, KTestError, TestCase, model};

use crate::coverage::Coverage;
use crate::limits::Limits;
use crate::native::{
    self, Ended, InstructionCounter, Sandbox, SandboxError, Start, StartError, Started, Steps, Watch, World,
    above_standard, count_processes, memory_file, pipe,
};
use crate::place::Place;
use crate::program::Program;
use crate::report::{Ending, Report};
use crate::stream::Stream;

/// How often a long run is looked at: for cancellation, for its number of processes, for its memory.
const TICK: Duration = Duration::from_millis(50);

/// Complete reports, and as few other changes to the program's behaviour as possible: signals stay signals, failing
/// allocations return null, and undefined behaviour is reported and passed over.
const SANITIZER_OPTIONS: &str =
    "color=never:handle_abort=0:allocator_may_return_null=1:print_summary=1:symbolize=1";

/// The value of `ASAN_OPTIONS` for a run.
pub fn address_sanitizer_options(detect_leaks: bool) -> String {
    format!("{SANITIZER_OPTIONS}:detect_leaks={}:detect_stack_use_after_return=1", u8::from(detect_leaks))
}

/// How runs are kept apart from the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Own users, mounts (the host's files read-only), processes, network and IPC.
    Namespaces,
    /// A session and process group of their own, in a directory of their own.
    ProcessGroup,
}

/// How a [`Runner`] works.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// The isolation to use if the kernel permits.
    pub isolation: Isolation,
    /// Where the runs' directories are made; the system's directory for temporary files if `None`.
    pub scratch: Option<PathBuf>,
    /// Variables of every run's environment, such as `LD_LIBRARY_PATH` for a harness's replay library.
    pub env: Vec<(OsString, OsString)>,
    /// Programs are built with `gcc --coverage`: their counters are kept for [`crate::gcov`].
    pub gcov: bool,
    /// Set by the caller to end all runs at once; they fail with [`RunError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

impl Default for RunnerOptions {
    fn default() -> RunnerOptions {
        RunnerOptions {
            isolation: Isolation::Namespaces,
            scratch: None,
            env: Vec::new(),
            gcov: false,
            cancel: Arc::default(),
        }
    }
}

/// A program could not be run. That it failed is not such an error, but its [`Report`].
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such program.
    #[error("cannot run {}: {source}", path.display())]
    Program {
        /// The path given.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The kernel refused to start it.
    #[error("cannot run {}: {source}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What failed.
        source: StartError,
    },
    /// The sandbox for the run could not be made.
    #[error("cannot isolate the run: {0}")]
    Sandbox(#[from] SandboxError),
    /// The run's directory, its files or its pipes.
    #[error("cannot prepare a run in {}: {source}", path.display())]
    Prepare {
        /// The directory.
        path: PathBuf,
        /// What failed.
        source: io::Error,
    },
    /// Reading the output or the status failed.
    #[error("cannot follow the run of {}: {source}", path.display())]
    Follow {
        /// The program.
        path: PathBuf,
        /// What failed.
        source: io::Error,
    },
    /// An argument or variable with a zero byte, which no process can receive.
    #[error("{what} contains a zero byte")]
    ZeroByte {
        /// Which.
        what: String,
    },
    /// The test does not fit the `.ktest` format that the program reads.
    #[error(transparent)]
    Test(#[from] KTestError),
    /// Instructions were not counted.
    #[error("cannot count instructions: {0}")]
    NotCounted(io::Error),
    /// [`RunnerOptions::cancel`] was set.
    #[error("cancelled")]
    Cancelled,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its arguments, the name first. Empty: the program's path alone.
    pub args: &'a [Vec<u8>],
    /// What it reads from standard input; nothing if `None`.
    pub stdin: Option<&'a [u8]>,
    /// Further variables of its environment; they replace those that are always there.
    pub env: &'a [(OsString, OsString)],
    /// Contents of a `.ktest` file, which the run finds by `KTEST_FILE`.
    pub ktest: Option<&'a [u8]>,
    /// Files put into the run's directory before the start, by name.
    pub files: &'a [(&'a str, &'a [u8])],
    /// Read the program's counters, if it has any.
    pub coverage: bool,
    /// What it may use.
    pub limits: &'a Limits,
}

impl<'a> Job<'a> {
    /// A run without arguments and input.
    pub fn new(program: &'a Program, limits: &'a Limits) -> Job<'a> {
        Job { program, args: &[], stdin: None, env: &[], ktest: None, files: &[], coverage: false, limits }
    }
}

/// A program that was started.
struct Begun {
    started: Started,
    outputs: [OwnedFd; 2],
    at: Instant,
}

/// Runs programs. Threads may share it; each run that goes on at the same time has a sandbox of its own.
#[derive(Debug)]
pub struct Runner {
    isolation: Isolation,
    warning: Option<String>,
    scratch: tempfile::TempDir,
    idle: Mutex<Vec<Place>>,
    places: AtomicU64,
    null: OwnedFd,
    symbolizer: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    gcov: bool,
    cancel: Arc<AtomicBool>,
}

impl Runner {
    /// Prepares for runs. Where the kernel forbids namespaces this succeeds all the same, without them;
    /// [`Runner::warning`] then says so.
    pub fn new(options: &RunnerOptions) -> Result<Runner, RunError> {
        let base = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let prepare = |source| RunError::Prepare { path: base.clone(), source };
        let base = base.canonicalize().map_err(prepare)?;
        let scratch =
            tempfile::Builder::new().prefix("forkwise-replay-").tempdir_in(&base).map_err(prepare)?;
        let null = fs::File::open("/dev/null").map_err(prepare)?;
        let mut runner = Runner {
            isolation: options.isolation,
            warning: None,
            scratch,
            idle: Mutex::default(),
            places: AtomicU64::new(0),
            null: above_standard(null.into()).map_err(prepare)?,
            symbolizer: find_symbolizer(),
            env: options.env.clone(),
            gcov: options.gcov,
            cancel: options.cancel.clone(),
        };
        if options.isolation == Isolation::Namespaces {
            match runner.new_place(&World::default()) {
                Ok(place) => runner.give_back(place),
                Err(RunError::Sandbox(error)) => {
                    runner.isolation = Isolation::ProcessGroup;
                    runner.warning = Some(format!(
                        "programs run without isolation, they can write to your files ({error}); allow unprivileged \
                         user namespaces to change that"
                    ));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(runner)
    }

    /// The isolation in use.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Why the isolation is less than what was asked for, as a sentence to show once.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The directories into which programs put their counters for gcov; see [`RunnerOptions::gcov`].
    pub fn gcov_directories(&self) -> Vec<PathBuf> {
        let places = 0..self.places.load(Ordering::Relaxed);
        places.map(|number| Place::gcov_below(&self.place_directory(number))).collect()
    }

    fn place_directory(&self, number: u64) -> PathBuf {
        self.scratch.path().join(format!("place-{number}"))
    }

    /// Runs a program on a test: with its arguments, standard input and files, and its variables
    /// beside those that every program has. Inputs
    /// that a harness asks for come by `KTEST_FILE`.
    pub fn run_test(&self, program: &Program, test: &TestCase, limits: &Limits) -> Result<Report, RunError> {
        self.run_test_with(program, test, &[], limits)
    }

    /// The same with further variables in the environment.
    pub fn run_test_with(
        &self,
        program: &Program,
        test: &TestCase,
        further: &[(OsString, OsString)],
        limits: &Limits,
    ) -> Result<Report, RunError> {
        self.with_job(program, test, further, limits, |job| self.run(job))
    }

    /// A test as a run.
    fn with_job<T>(
        &self,
        program: &Program,
        test: &TestCase,
        further: &[(OsString, OsString)],
        limits: &Limits,
        run: impl FnOnce(&Job<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let files: Vec<(&str, &[u8])> =
            test.files.iter().map(|file| (file.name.as_str(), file.bytes.as_slice())).collect();
        let variable = |(name, value): &(String, Vec<u8>)| (name.into(), OsString::from_vec(value.clone()));
        let env: Vec<(OsString, OsString)> =
            test.env.iter().map(variable).chain(further.iter().cloned()).collect();
        let ktest = match model::has_harness_inputs(test) {
            true => Some(KTest::from(test).to_bytes()?),
            false => None,
        };
        run(&Job {
            args: &test.args,
            // A harness that reads standard input has an object of that name.
            stdin: test.stdin.as_deref().or_else(|| test.object("stdin").map(|o| o.bytes.as_slice())),
            env: &env,
            ktest: ktest.as_deref(),
            files: &files,
            coverage: true,
            ..Job::new(program, limits)
        })
    }

    /// Runs a program on a test and counts its instructions in user mode: by the processor's counter or, where that is out
    /// of reach, step by step within the limit of time. Both leave out what the kernel does; the counter has the
    /// program's children, too.
    pub fn count_instructions(
        &self,
        program: &Program,
        test: &TestCase,
        further: &[(OsString, OsString)],
        limits: &Limits,
    ) -> Result<u64, RunError> {
        if let Ok(counter) = InstructionCounter::open() {
            self.run_test_with(program, test, further, limits)?;
            if let Ok(count @ 1..) = counter.read() {
                return Ok(count);
            }
        }
        self.with_job(program, test, further, limits, |job| {
            let job = Job { coverage: false, ..job.clone() };
            self.in_place(&job, |place, cwd| {
                let begun = self.begin(&job, place, cwd, true)?;
                let steps = Steps::new(begun.started);
                let counted = std::thread::scope(|scope| {
                    // Nobody looks at the output; a program that cannot get rid of it would wait for ever.
                    for output in begun.outputs {
                        scope.spawn(move || io::copy(&mut fs::File::from(output), &mut io::sink()));
                    }
                    steps.count(begun.at + job.limits.wall)
                });
                counted.map_err(RunError::NotCounted)
            })
        })
    }

    /// Runs a program.
    pub fn run(&self, job: &Job<'_>) -> Result<Report, RunError> {
        self.in_place(job, |place, cwd| self.run_in(job, place, cwd))
    }

    /// Does something in a place that is fit for a run, and puts it in order again.
    fn in_place<T>(
        &self,
        job: &Job<'_>,
        run: impl FnOnce(&mut Place, &Path) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
        let mut place = self.take_place(&self.world(job))?;
        let done = match place.enter() {
            Err(source) => Err(RunError::Prepare { path: self.scratch.path().into(), source }),
            Ok(cwd) => run(&mut place, &cwd),
        };
        if place.settle() && place.leave(job.ktest.is_some()) {
            self.give_back(place);
        }
        done
    }

    fn run_in(&self, job: &Job<'_>, place: &mut Place, cwd: &Path) -> Result<Report, RunError> {
        let Begun { started, outputs, at } = self.begin(job, place, cwd, false)?;
        let place = &*place;
        let follow = |source| RunError::Follow { path: job.program.path().into(), source };
        let watch = Watch::new(started).map_err(follow)?;
        let mut report = self.follow(job, place, watch, outputs, at).map_err(|error| match error {
            FollowError::Io(source) => follow(source),
            FollowError::Cancelled => RunError::Cancelled,
        })?;
        if job.coverage && job.program.counters().is_some() {
            let counters = place.read_counters().map_err(follow)?;
            report.coverage = counters.map(|c| Coverage::from_counters(&c));
        }
        Ok(report)
    }

    /// Starts the program of a job.
    fn begin(&self, job: &Job<'_>, place: &mut Place, cwd: &Path, traced: bool) -> Result<Begun, RunError> {
        let prepare = |source| RunError::Prepare { path: cwd.to_path_buf(), source };
        let (args, env) = (self.arguments(job)?, self.environment(job, place, cwd)?);
        let first_file = place.fill(job.files).map_err(prepare)?;
        if let Some(bytes) = job.ktest {
            place.write_ktest(bytes).map_err(prepare)?;
        }
        let count = job.program.counters().filter(|_| job.coverage);
        if let Some(count) = count {
            place.clear_counters(count, first_file).map_err(prepare)?;
        }
        let place = &*place;
        let stdin = job.stdin.map(memory_file).transpose().map_err(prepare)?;
        let (stdout, stdout_write) = pipe().map_err(prepare)?;
        let (stderr, stderr_write) = pipe().map_err(prepare)?;
        let executable = match place.world.minimal && place.sandbox.is_some() {
            true => Some(fs::File::open(job.program.path()).map_err(prepare)?),
            false => None,
        };
        let program = c_string(job.program.path().as_os_str(), "the program's path")?;
        let directory = c_string(cwd.as_os_str(), "the run's directory")?;
        let limits = rlimits(job, place.sandbox.is_some());

        let begin = Instant::now();
        let started = Start {
            program: &program,
            executable: executable.as_ref().map(|file| file.as_fd()),
            args: &args,
            env: &env,
            directory: &directory,
            stdio: [stdin.as_ref().unwrap_or(&self.null).as_fd(), stdout_write.as_fd(), stderr_write.as_fd()],
            counters: count.and_then(|_| place.counters_fd()),
            limits: &limits,
            sandbox: place.sandbox.as_ref(),
            traced,
        }
        .start()
        .map_err(|source| RunError::Start { path: job.program.path().into(), source })?;
        Ok(Begun { started, outputs: [stdout, stderr], at: begin })
    }

    /// Reads the output until the program ends or has to be ended.
    fn follow(
        &self,
        job: &Job<'_>,
        place: &Place,
        watch: Watch,
        outputs: [OwnedFd; 2],
        begin: Instant,
    ) -> Result<Report, FollowError> {
        let [stdout, stderr] = outputs;
        let mut streams = [Stream::new(stdout, job.limits.output)?, Stream::new(stderr, job.limits.output)?];
        let mut killed = None;
        let mut sampled_rss = None;
        let mut next_look = begin + TICK;
        loop {
            let now = Instant::now();
            if now >= begin + job.limits.wall {
                killed = Some(Ending::TimedOut);
                break;
            }
            if now >= next_look {
                next_look = now + TICK;
                if self.cancel.load(Ordering::Relaxed) {
                    // Dropping the watch kills the program.
                    return Err(FollowError::Cancelled);
                }
                sampled_rss = native::high_water(watch.pid()).max(sampled_rss);
                let holder = place.sandbox.as_ref().map(Sandbox::holder);
                let roots: Vec<_> = std::iter::once(watch.pid()).chain(holder).collect();
                // The holder is none of the program's processes.
                let too_many = job.limits.processes + roots.len();
                if count_processes(&roots, too_many) >= too_many {
                    killed = Some(Ending::TooManyProcesses);
                    break;
                }
            }
            let limit = (begin + job.limits.wall).min(next_look).saturating_duration_since(now);
            let seen = watch.wait([streams[0].poll_fd(), streams[1].poll_fd()], limit)?;
            for (stream, readable) in streams.iter_mut().zip(seen.readable) {
                if readable {
                    stream.read_some()?;
                }
            }
            if seen.ended {
                break;
            }
        }
        let own = native::own_high_water();
        let ended = watch.finish()?;
        let duration = begin.elapsed();
        for stream in &mut streams {
            stream.drain()?;
        }
        let [stdout, stderr] = streams.map(|stream| stream.captured);
        Ok(Report {
            ending: killed.unwrap_or_else(|| ending(&ended)),
            stdout,
            stderr,
            duration,
            cpu: ended.cpu,
            peak_rss: if ended.max_rss > own { Some(ended.max_rss) } else { sampled_rss },
            coverage: None,
        })
    }

    fn arguments(&self, job: &Job<'_>) -> Result<Vec<CString>, RunError> {
        if job.args.is_empty() {
            return Ok(vec![c_string(job.program.path().as_os_str(), "the program's path")?]);
        }
        let argument =
            |(index, arg): (usize, &Vec<u8>)| c_string(OsStr::from_bytes(arg), &format!("argument {index}"));
        job.args.iter().enumerate().map(argument).collect()
    }

    fn environment(&self, job: &Job<'_>, place: &Place, cwd: &Path) -> Result<Vec<CString>, RunError> {
        // The engine's programs have the same, in this order.
        let mut variables: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), cwd.into()),
            ("TMPDIR".into(), cwd.into()),
            ("LC_ALL".into(), "C".into()),
            ("TZ".into(), "UTC".into()),
            ("TERM".into(), "xterm".into()),
        ];
        if self.gcov {
            variables.push(("GCOV_PREFIX".into(), place.gcov().into()));
        }
        if job.ktest.is_some() {
            variables.push(("KTEST_FILE".into(), place.ktest_inside().into()));
        }
        if job.program.is_sanitized() {
            variables.push(("ASAN_OPTIONS".into(), address_sanitizer_options(false).into()));
            variables.push((
                "UBSAN_OPTIONS".into(),
                format!("{SANITIZER_OPTIONS}:print_stacktrace=1:report_error_type=1:halt_on_error=0").into(),
            ));
            variables.push(("MSAN_OPTIONS".into(), SANITIZER_OPTIONS.into()));
            for (name, path) in ["ASAN", "UBSAN", "MSAN"].iter().zip(std::iter::repeat(&self.symbolizer)) {
                if let Some(path) = path {
                    variables.push((format!("{name}_SYMBOLIZER_PATH").into(), path.into()));
                }
            }
        }
        for (name, value) in self.env.iter().chain(job.env) {
            variables.retain(|(known, _)| known != name);
            variables.push((name.clone(), value.clone()));
        }
        let text = |(name, value): &(OsString, OsString)| {
            let mut text = name.clone();
            text.push("=");
            text.push(value);
            c_string(&text, &format!("the variable {}", name.to_string_lossy()))
        };
        variables.iter().map(text).collect()
    }

    /// What the program of a job is to see.
    fn world(&self, job: &Job<'_>) -> World {
        let path = job.program.path();
        let minimal = job.program.is_self_contained() && !job.program.is_sanitized() && !self.gcov;
        // The folder in /tmp with the program and what may belong to it.
        let below = path.strip_prefix("/tmp").ok().and_then(|below| below.components().next());
        World {
            minimal,
            visible: below.filter(|_| !minimal).map(|first| Path::new("/tmp").join(first)),
            inputs: job.ktest.map(|_| PathBuf::new()),
            gcov: self.gcov.then(PathBuf::new),
        }
    }

    fn take_place(&self, world: &World) -> Result<Place, RunError> {
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let fitting = idle.iter().rposition(|place| place.world == *world || place.sandbox.is_none());
            fitting.map(|index| idle.swap_remove(index))
        };
        match idle {
            Some(place) if place.sandbox.as_ref().is_none_or(Sandbox::is_alive) => Ok(place),
            _ => self.new_place(world),
        }
    }

    fn new_place(&self, world: &World) -> Result<Place, RunError> {
        let number = self.places.fetch_add(1, Ordering::Relaxed);
        Place::new(self.place_directory(number), self.isolation, world)
    }

    fn give_back(&self, place: Place) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(place);
    }
}

enum FollowError {
    Io(io::Error),
    Cancelled,
}

impl From<io::Error> for FollowError {
    fn from(error: io::Error) -> FollowError {
        FollowError::Io(error)
    }
}

fn ending(ended: &Ended) -> Ending {
    match (ended.code, ended.signal) {
        (_, Some(libc::SIGXCPU)) => Ending::TimedOut,
        (_, Some(signal)) => Ending::Signaled(signal),
        (code, None) => Ending::Exited(code.unwrap_or(0)),
    }
}

fn rlimits(job: &Job<'_>, isolated: bool) -> Vec<(libc::__rlimit_resource_t, u64, u64)> {
    let limits = job.limits;
    let cpu = limits.cpu_seconds();
    let mut all = vec![
        (libc::RLIMIT_CORE, 0, 0),
        // The first limit is a signal that tells; the second, a second later, cannot be caught.
        (libc::RLIMIT_CPU, cpu, cpu + 1),
        (libc::RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (libc::RLIMIT_STACK, limits.stack, limits.stack),
    ];
    if let Some(bytes) = limits.address_space.filter(|_| !job.program.is_sanitized()) {
        all.push((libc::RLIMIT_AS, bytes, bytes));
    }
    if isolated {
        // Counted per user and namespace; outside of one it would count the user's own programs.
        let processes = limits.processes as u64 + 1;
        all.push((libc::RLIMIT_NPROC, processes, processes));
    }
    all
}

fn c_string(text: &OsStr, what: &str) -> Result<CString, RunError> {
    CString::new(text.as_bytes()).map_err(|_| RunError::ZeroByte { what: what.to_string() })
}

/// LLVM's symbolizer, without which sanitizer reports have no lines.
fn find_symbolizer() -> Option<PathBuf> {
    ["/usr/bin/llvm-symbolizer-19", "/usr/lib/llvm-19/bin/llvm-symbolizer", "/usr/bin/llvm-symbolizer"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
}

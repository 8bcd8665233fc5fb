//! The compiler wrapper: behaves as clang does for a musl target, and every program it links is a native static program
//! that carries its own whole-program bitcode and counts the branches it takes. Must never change what a compilation says
//! or how it ends. `args` reads the command line, `plan` decides what to run, this module runs it.

mod args;
mod gcov;
mod kinds;
mod plan;
mod response;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::compile::scratch_folder;
use crate::{Toolchain, ToolchainError};
use args::Args;
use plan::{Call, Plan, Planner, Step};

/// The name of the section with a program's bitcode.
pub const BITCODE_SECTION: &str = ".forkwise.bc";

/// Command lines longer than this go through a response file.
const LONG_COMMAND: usize = 100_000;

/// Which compiler is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// clang.
    C,
    /// clang++.
    Cxx,
}

/// Turns the whole-program bitcode of the first file into the module that is translated, in the second: with counters,
/// and with the first file as section [`BITCODE_SECTION`].
pub type Instrument<'a> = &'a dyn Fn(&Path, &Path) -> Result<(), String>;

/// A compiler wrapper, ready to be called.
pub struct Wrapper<'a> {
    /// The compiler behind it.
    pub toolchain: &'a Toolchain,
    /// Which one.
    pub language: Language,
    /// How a program becomes one that counts its branches.
    pub instrument: Instrument<'a>,
    /// The host's gcc with coverage instead, for a build whose counts gcov reads.
    pub gcov: bool,
    /// Only show what would be run.
    pub print: bool,
}

impl Wrapper<'_> {
    /// Does what the compiler's arguments say and returns the exit status. A plain compilation replaces this process.
    pub fn run(&self, args: &[OsString]) -> Result<u8, ToolchainError> {
        let words = response::expand(args);
        let read = Args::read(&words);
        if self.gcov {
            let plan = Plan::Replace(gcov::call(self.toolchain, self.language, &read, args)?);
            return self.run_plan(&plan, None, false);
        }
        let last_flags = std::env::var("FORKWISE_CFLAGS").unwrap_or_default();
        let last_flags = last_flags.split_whitespace().map(OsString::from).collect();
        // Most calls compile one file, for which nothing is written but the object.
        let folder = if read.mode.links() { Some(scratch_folder()?) } else { None };
        let scratch = folder.as_ref().map_or(Path::new(""), TempDir::path);
        let planner = Planner { toolchain: self.toolchain, language: self.language, last_flags, scratch };
        let plan = planner.plan(args, &read)?;
        self.run_plan(&plan, folder.as_ref(), read.verbose)
    }

    /// Runs a plan, or shows it.
    fn run_plan(&self, plan: &Plan, folder: Option<&TempDir>, verbose: bool) -> Result<u8, ToolchainError> {
        if self.print {
            show(plan, &mut io::stdout().lock()).map_err(|source| ToolchainError::Io {
                action: "write to",
                path: "standard output".into(),
                source,
            })?;
            return Ok(0);
        }
        let steps = match plan {
            Plan::Replace(call) => {
                let source = Command::new(&call.program).args(&call.args).exec();
                return Err(ToolchainError::Io { action: "start", path: call.program.clone(), source });
            }
            Plan::Steps(steps) => steps,
        };
        let status = self.execute(steps, folder.map_or(Path::new(""), TempDir::path), verbose)?;
        if status != 0 && self.language == Language::Cxx {
            say("note: there is no C++ standard library for this target; C++ that needs none can be linked");
        }
        Ok(status)
    }

    fn execute(&self, steps: &[Step], scratch: &Path, verbose: bool) -> Result<u8, ToolchainError> {
        let mut failed = 0;
        let mut absent: Option<OsString> = None;
        for step in steps {
            match step {
                Step::Note(text) => say(&format!("note: {text}")),
                Step::Remove(path) => match std::fs::remove_file(path) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(ToolchainError::Io { action: "remove", path: path.clone(), source });
                    }
                    _ => {}
                },
                Step::Compile(call) => {
                    // Nothing of the archives was needed, so there is no bitcode to translate.
                    if absent.is_some() && call.args.contains(&scratch.join("instrumented.bc").into()) {
                        continue;
                    }
                    let status = start(call, verbose, scratch)?;
                    if failed == 0 {
                        failed = status;
                    }
                }
                Step::Link(_) | Step::Instrument { .. } if failed != 0 => return Ok(failed),
                Step::Link(call) => {
                    let mut call = call.clone();
                    call.args.retain(|arg| Some(arg) != absent.as_ref());
                    let status = start(&call, verbose, scratch)?;
                    if status != 0 {
                        let name =
                            self.toolchain.clang().path.file_name().unwrap_or_default().to_string_lossy();
                        eprintln!(
                            "{name}: error: linker command failed with exit code {status} (use -v to see invocation)"
                        );
                        return Ok(status);
                    }
                }
                Step::Instrument { input, output } => {
                    if input.is_file() {
                        (self.instrument)(input, output).map_err(ToolchainError::Instrument)?;
                    } else {
                        absent = Some(scratch.join("program.o").into());
                    }
                }
            }
        }
        Ok(failed)
    }
}

/// A message about what the wrapper does beyond the compiler.
fn say(text: &str) {
    // Notes are a courtesy: a closed standard error must not end a build.
    let _ = writeln!(io::stderr(), "forkwise cc: {text}");
}

/// Runs one command to its end.
fn start(call: &Call, verbose: bool, scratch: &Path) -> Result<u8, ToolchainError> {
    if verbose {
        eprintln!(" {}", line(call));
    }
    let mut command = Command::new(&call.program);
    let length: usize = call.args.iter().map(|arg| arg.len() + 1).sum();
    if length > LONG_COMMAND {
        let path = scratch.join("arguments");
        std::fs::write(&path, response::join(&call.args)).map_err(|source| ToolchainError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
        let mut word = OsString::from("@");
        word.push(&path);
        command.arg(word);
    } else {
        command.args(&call.args);
    }
    let status = command.status().map_err(|source| ToolchainError::Io {
        action: "start",
        path: call.program.clone(),
        source,
    })?;
    Ok(exit_code(status))
}

/// A process's end as a shell would give it.
fn exit_code(status: ExitStatus) -> u8 {
    match (status.code(), status.signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(1),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(255),
        (None, None) => 1,
    }
}

/// The plan as commands a shell could run.
fn show(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    let steps = match plan {
        Plan::Replace(call) => return writeln!(out, "{}", line(call)),
        Plan::Steps(steps) => steps,
    };
    for step in steps {
        match step {
            Step::Compile(call) | Step::Link(call) => writeln!(out, "{}", line(call))?,
            Step::Instrument { input, output } => {
                writeln!(
                    out,
                    "# branch counters: {} -> {}",
                    quoted(input.as_os_str()),
                    quoted(output.as_os_str())
                )?;
            }
            Step::Note(text) => writeln!(out, "# {text}")?,
            Step::Remove(path) => writeln!(out, "rm -f {}", quoted(path.as_os_str()))?,
        }
    }
    Ok(())
}

fn line(call: &Call) -> String {
    let words: Vec<String> = std::iter::once(call.program.as_os_str())
        .chain(call.args.iter().map(OsString::as_os_str))
        .map(quoted)
        .collect();
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

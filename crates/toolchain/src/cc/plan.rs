//! From a command line to the commands that do what it asks. A compilation is clang with our headers and flags; a link is
//! the program's bitcode put together, instrumented, translated, and linked with the C library's objects. Only looks at
//! files, never writes one; `mod` runs the plan or prints it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Language;
use super::args::{Args, Item, Mode};
use super::kinds::Contents;
use crate::compile::MUSL_TARGET;
use crate::{Toolchain, ToolchainError};

/// The flags that come after the user's: scalar code with its debug information, without what says nothing to the engine.
const FORCED: &[&str] = &[
    "-O1",
    "-g",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-jump-tables",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-U_FORTIFY_SOURCE",
];

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub program: PathBuf,
    pub args: Vec<OsString>,
}

/// One thing to do.
#[derive(Debug)]
pub(super) enum Step {
    /// A compilation; the others go on when it fails, as with clang.
    Compile(Call),
    /// The linker at work.
    Link(Call),
    /// Whole-program bitcode to an instrumented module that carries the bitcode in a section.
    Instrument { input: PathBuf, output: PathBuf },
    /// Something to tell the user.
    Note(String),
    /// A file to be removed if it is there: archives are added to.
    Remove(PathBuf),
}

/// What to do.
#[derive(Debug)]
pub(super) enum Plan {
    /// One call, which takes the place of this process.
    Replace(Call),
    /// One after the other.
    Steps(Vec<Step>),
}

/// Everything a plan is made from.
pub(super) struct Planner<'a> {
    pub toolchain: &'a Toolchain,
    pub language: Language,
    /// Flags from the environment, after all others.
    pub last_flags: Vec<OsString>,
    /// Where intermediate files of a link go.
    pub scratch: &'a Path,
}

impl Planner<'_> {
    /// The plan for the words of a command line, which `args` are as they were read.
    pub(super) fn plan(&self, words: &[OsString], args: &Args) -> Result<Plan, ToolchainError> {
        match args.mode {
            Mode::Pass if words.iter().any(|word| word == "-print-prog-name=ld") => {
                let ld = self.toolchain.runtime()?.root().join("bin/forkwise-ld");
                Ok(Plan::Replace(Call { program: "echo".into(), args: vec![ld.into()] }))
            }
            Mode::Pass | Mode::Compile | Mode::Assemble => {
                Ok(Plan::Replace(self.compiler(args, words, &[])?))
            }
            Mode::Link | Mode::Relocatable | Mode::Shared => self.link(args),
        }
    }

    /// clang with the user's words between our defaults and the flags that must win.
    fn compiler(&self, args: &Args, words: &[OsString], last: &[OsString]) -> Result<Call, ToolchainError> {
        let clang = &self.toolchain.clang().path;
        let program = match self.language {
            Language::C => clang.clone(),
            Language::Cxx => self.toolchain.tool("clang++")?,
        };
        let mut call = Call { program, args: vec![MUSL_TARGET.into()] };
        // Inputs after `--` must stay behind everything else.
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        call.args.extend_from_slice(&words[..end]);
        // Not every call has a use for each of these, and that is no news to the user.
        call.args.push("--start-no-unused-arguments".into());
        if !args.no_headers {
            call.args.extend(["-nostdlibinc", "-isystem"].map(OsString::from));
            call.args.push(self.toolchain.runtime()?.include().into());
            if self.language == Language::Cxx {
                call.args.push("-nostdinc++".into());
            }
        }
        if args.mode != Mode::Assemble {
            call.args.push("-flto".into());
        }
        call.args.extend(FORCED.iter().map(OsString::from));
        if args.mode == Mode::Pass {
            // A question about the linker is answered by the one that is used.
            call.args.push("-fuse-ld=lld".into());
        }
        call.args.push("--end-no-unused-arguments".into());
        call.args.extend_from_slice(&self.last_flags);
        call.args.extend_from_slice(last);
        call.args.extend_from_slice(&words[end..]);
        Ok(call)
    }

    fn link(&self, args: &Args) -> Result<Plan, ToolchainError> {
        let mut steps = Vec::new();
        let inputs = self.inputs(args, &mut steps)?;
        let output = args.output.clone().unwrap_or_else(|| "a.out".into());
        match args.mode {
            Mode::Shared => self.archive(&inputs, &output, &mut steps)?,
            Mode::Relocatable => self.relocatable(&inputs, &output, &mut steps)?,
            _ => self.program(args, &inputs, &output, &mut steps)?,
        }
        Ok(Plan::Steps(steps))
    }

    /// The parts of a link in order, each with what it holds; sources become objects.
    fn inputs(&self, args: &Args, steps: &mut Vec<Step>) -> Result<Vec<Input>, ToolchainError> {
        let mut inputs = Vec::new();
        for item in &args.items {
            inputs.push(match item {
                Item::Source(path, language) => {
                    let number = inputs.len();
                    let stem = path.file_stem().unwrap_or_default();
                    let mut name = OsString::from(format!("{number}-"));
                    name.push(stem);
                    name.push(".o");
                    let object = self.scratch.join(name);
                    steps.push(Step::Compile(self.compile_source(
                        args,
                        path,
                        language.as_deref(),
                        &object,
                    )?));
                    let assembly = match language {
                        Some(language) => language == "assembler" || language == "assembler-with-cpp",
                        None => matches!(path.extension().and_then(OsStr::to_str), Some("s" | "S" | "sx")),
                    };
                    let contents = Contents { bitcode: !assembly, native: assembly, archive: false };
                    Input::File { path: object, contents, shown: path.clone() }
                }
                Item::File(path) => {
                    Input::File { path: path.clone(), contents: Contents::of(path), shown: path.clone() }
                }
                Item::Library(name) => match self.library(args, name)? {
                    Some(path) => Input::File { contents: Contents::of(&path), shown: path.clone(), path },
                    None => {
                        let mut word = OsString::from("-l");
                        word.push(name);
                        Input::Option(word)
                    }
                },
                Item::Option(word) => Input::Option(word.clone()),
            });
        }
        Ok(inputs)
    }

    fn compile_source(
        &self,
        args: &Args,
        source: &Path,
        language: Option<&OsStr>,
        object: &Path,
    ) -> Result<Call, ToolchainError> {
        let mut words = args.compile.clone();
        if let Some(named) = args.dependencies {
            // clang names these after the program, not after an intermediate file nobody sees.
            let target = args
                .output
                .clone()
                .unwrap_or_else(|| PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o"));
            if !named.file_named {
                words.push("-MF".into());
                words.push(target.with_extension("d").into());
            }
            if !named.target_named {
                words.push("-MT".into());
                words.push(target.into());
            }
        }
        let mut last: Vec<OsString> = vec!["-c".into(), "-o".into(), object.into()];
        if let Some(language) = language {
            last.push("-x".into());
            last.push(language.into());
        }
        // A name that begins with a dash is still a file; a lone dash is standard input.
        if source.as_os_str().as_encoded_bytes().starts_with(b"-") && source != Path::new("-") {
            last.push("--".into());
        }
        last.push(source.into());
        self.compiler(args, &words, &last)
    }

    /// Finds `-lNAME`: in the user's folders, then among ours; `None` leaves the complaint to the linker.
    fn library(&self, args: &Args, name: &OsStr) -> Result<Option<PathBuf>, ToolchainError> {
        let names: Vec<OsString> = match name.to_string_lossy().strip_prefix(':') {
            Some(exact) => vec![exact.into()],
            None => [".a", ".so"]
                .iter()
                .map(|ending| {
                    let mut file = OsString::from("lib");
                    file.push(name);
                    file.push(ending);
                    file
                })
                .collect(),
        };
        for folder in &args.library_dirs {
            for name in &names {
                let path = folder.join(name);
                // A shared library of ours is an archive; another one is of no use here.
                if path.is_file() && (Contents::of(&path).archive || path.extension() == Some("a".as_ref())) {
                    return Ok(Some(path));
                }
            }
        }
        let ours = self.toolchain.runtime()?.native();
        Ok(names.iter().map(|name| ours.join(name)).find(|path| path.is_file()))
    }

    fn program(
        &self,
        args: &Args,
        inputs: &[Input],
        output: &Path,
        steps: &mut Vec<Step>,
    ) -> Result<(), ToolchainError> {
        let native = self.toolchain.runtime()?.native();
        let lld = self.toolchain.tool("ld.lld")?;
        let mut start = Vec::new();
        let mut end = Vec::new();
        if !args.no_start {
            start.push(native.join("crt1.o").into_os_string());
        }
        if !args.no_libc {
            // What programs that declare inputs call, natively.
            end.push(native.join("libforkwise-harness.a").into());
            // Ours first: its members replace the fallbacks that only make sense inside the engine.
            end.push(native.join("libforkwise-native.a").into());
            end.push(native.join("libc.a").into());
            end.push(self.toolchain.compiler_builtins()?.into());
        }
        let mut objects = Vec::new();
        if inputs.iter().any(|input| matches!(input, Input::File { contents, .. } if contents.bitcode)) {
            let whole = self.scratch.join("program.bc");
            let mut words: Vec<OsString> = vec!["-static".into()];
            words.extend(["--lto-emit-llvm", "--lto-O0"].map(OsString::from));
            words.extend(start.iter().cloned());
            words.extend(inputs.iter().filter(|input| !input.is_for_the_last_link()).map(Input::word));
            words.extend(end.iter().cloned());
            words.extend(["-o".into(), whole.clone().into_os_string()]);
            steps.push(Step::Link(Call { program: lld.clone(), args: words }));
            let instrumented = self.scratch.join("instrumented.bc");
            steps.push(Step::Instrument { input: whole, output: instrumented.clone() });
            let object = self.scratch.join("program.o");
            steps.push(Step::Compile(self.translate(&instrumented, &object)));
            objects.push(object.into_os_string());
        }
        for input in inputs {
            if let Input::File { contents, shown, .. } = input
                && contents.native
                && !self.toolchain.runtime().is_ok_and(|runtime| shown.starts_with(runtime.root()))
                && shown.exists()
            {
                let note = "holds native code, which the engine cannot see: calls into it end a path";
                steps.push(Step::Note(format!("{} {note}", shown.display())));
            }
        }
        if inputs.iter().any(Input::wraps) {
            steps.push(Step::Note(
                "--wrap is applied to the native program only: the engine calls the functions themselves"
                    .into(),
            ));
        }
        let mut words: Vec<OsString> = vec!["-static".into()];
        words.extend(start);
        words.extend(objects);
        words.extend(inputs.iter().filter(|input| input.is_native_or_option()).map(Input::word));
        words.extend(end);
        words.extend(["-o".into(), output.into()]);
        steps.push(Step::Link(Call { program: lld, args: words }));
        Ok(())
    }

    /// Bitcode to an object without any further pass over it: the engine sees the same code.
    fn translate(&self, bitcode: &Path, object: &Path) -> Call {
        let mut args: Vec<OsString> = [
            MUSL_TARGET,
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-Wno-override-module",
            "-fno-jump-tables",
            "-ffp-contract=off",
            "-c",
            "-x",
            "ir",
        ]
        .map(OsString::from)
        .into();
        args.extend([bitcode.into(), "-o".into(), object.into()]);
        Call { program: self.toolchain.clang().path.clone(), args }
    }

    /// Several objects to one.
    fn relocatable(
        &self,
        inputs: &[Input],
        output: &Path,
        steps: &mut Vec<Step>,
    ) -> Result<(), ToolchainError> {
        let native =
            inputs.iter().any(|input| matches!(input, Input::File { contents, .. } if contents.native));
        let mut words: Vec<OsString> = vec!["-r".into()];
        if native {
            steps.push(Step::Note(format!(
                "{} holds native code, which the engine cannot see",
                output.display()
            )));
        } else {
            words.extend(["--lto-emit-llvm", "--lto-O0"].map(OsString::from));
        }
        words.extend(inputs.iter().map(Input::word));
        words.extend(["-o".into(), output.into()]);
        steps.push(Step::Link(Call { program: self.toolchain.tool("ld.lld")?, args: words }));
        Ok(())
    }

    /// A shared library is written as an archive of everything it is made from: programs are linked statically.
    fn archive(&self, inputs: &[Input], output: &Path, steps: &mut Vec<Step>) -> Result<(), ToolchainError> {
        steps.push(Step::Note(format!(
            "{} is written as a static archive: programs built with forkwise cc are linked statically",
            output.display()
        )));
        let ours = self.toolchain.runtime()?.native();
        let mut words: Vec<OsString> = vec!["qcsL".into(), output.into()];
        for input in inputs {
            if let Input::File { path, .. } = input
                && !path.starts_with(&ours)
            {
                words.push(path.clone().into());
            }
        }
        steps.push(Step::Remove(output.to_path_buf()));
        steps.push(Step::Link(Call { program: self.toolchain.tool("llvm-ar")?, args: words }));
        Ok(())
    }
}

/// A part of a link.
#[derive(Debug)]
enum Input {
    File {
        path: PathBuf,
        contents: Contents,
        /// What the user calls it.
        shown: PathBuf,
    },
    Option(OsString),
}

impl Input {
    fn word(&self) -> OsString {
        match self {
            Self::File { path, .. } => path.clone().into(),
            Self::Option(word) => word.clone(),
        }
    }

    /// Options about the file that comes out, which bitcode is not yet.
    fn is_for_the_last_link(&self) -> bool {
        let Self::Option(word) = self else { return false };
        let text = word.to_string_lossy();
        [
            "-Map",
            "--Map",
            "-M",
            "--print-map",
            "--cref",
            "-t",
            "--trace",
            "--print-gc-sections",
            "--reproduce",
        ]
        .iter()
        .any(|name| text == *name || text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
    }

    /// `--wrap`, which the linker applies after the bitcode has been put together.
    fn wraps(&self) -> bool {
        matches!(self, Self::Option(word) if word.to_string_lossy().trim_start_matches('-').starts_with("wrap"))
    }

    /// Bitcode is in the translated program already.
    fn is_native_or_option(&self) -> bool {
        match self {
            Self::File { contents, .. } => contents.native,
            Self::Option(_) => true,
        }
    }
}

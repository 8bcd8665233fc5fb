//! C sources to bitcode for the engine, against the headers of the C library the engine links. The flags are part of the
//! product's documentation: see [`CompileOptions`]. Must never drop a diagnostic; for native programs read `native`.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use tempfile::TempDir;

use crate::{Toolchain, ToolchainError, process};

/// The triple of everything compiled against musl.
pub(crate) const MUSL_TARGET: &str = "--target=x86_64-unknown-linux-musl";

/// The compiler's optimisation level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum OptLevel {
    /// `-O0`, without marking functions as not to be optimised, so that the engine may clean them up when loading.
    #[default]
    O0,
    /// `-O1`.
    O1,
    /// `-O2`.
    O2,
    /// `-O3`.
    O3,
}

impl OptLevel {
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::O0 => "-O0",
            Self::O1 => "-O1",
            Self::O2 => "-O2",
            Self::O3 => "-O3",
        }
    }
}

impl fmt::Display for OptLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flag()[1..])
    }
}

impl FromStr for OptLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim_start_matches(['-', 'O', 'o']) {
            "0" => Ok(Self::O0),
            "1" => Ok(Self::O1),
            "2" => Ok(Self::O2),
            "3" => Ok(Self::O3),
            _ => Err(format!("{text} is not an optimisation level: 0, 1, 2 or 3")),
        }
    }
}

/// How C sources become bitcode.
///
/// The default is `-O0 -Xclang -disable-O0-optnone -g` against the bitcode libc's headers: every branch of the source is
/// there, every line is known, and the engine promotes variables to registers itself when it loads the program. From `-O1`
/// on, vectorisation is off unless [`vectorize`](Self::vectorize) asks for it: vector code says nothing more and is
/// slower to explore.
#[derive(Debug, Clone, Default)]
pub struct CompileOptions {
    /// The optimisation level.
    pub opt_level: OptLevel,
    /// `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// Anything else, put last so that it wins.
    pub extra_flags: Vec<OsString>,
    /// Compile UBSan's checks in; the engine reports what they find as bugs.
    pub ubsan: bool,
    /// Leave the vectorisers on.
    pub vectorize: bool,
}

/// Bitcode in a folder that is removed when this value goes away.
#[derive(Debug)]
pub struct Bitcode {
    path: PathBuf,
    warnings: String,
    _folder: TempDir,
}

impl Bitcode {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the compiler said although it succeeded; empty if nothing.
    pub fn warnings(&self) -> &str {
        &self.warnings
    }
}

impl Toolchain {
    /// Compiles C sources and links them into one bitcode module, without the C library: the engine links that by need.
    /// `.bc` and `.ll` inputs may be mixed in.
    pub fn compile_c(
        &self,
        sources: &[PathBuf],
        options: &CompileOptions,
    ) -> Result<Bitcode, ToolchainError> {
        let first = sources.first().ok_or(ToolchainError::NoInput)?;
        let folder = scratch_folder()?;
        let mut modules = Vec::new();
        let mut warnings = String::new();
        for (index, source) in sources.iter().enumerate() {
            if InputKind::of(source)? == InputKind::Ir {
                modules.push(source.clone());
                continue;
            }
            let module = folder.path().join(format!("{index}.bc"));
            let mut command = self.bitcode_command(options)?;
            command.arg("-c").arg(source).arg("-o").arg(&module);
            warnings.push_str(&process::run(&mut command, &source.display().to_string())?.stderr);
            modules.push(module);
        }
        let stem = first.file_stem().unwrap_or_default();
        let path = folder.path().join(stem).with_extension("linked.bc");
        match modules.as_slice() {
            [module] if module.starts_with(folder.path()) => {
                std::fs::rename(module, &path).map_err(|source| ToolchainError::Io {
                    action: "create",
                    path: path.clone(),
                    source,
                })?;
            }
            _ => {
                let mut command = Command::new(self.tool("llvm-link")?);
                command.args(&modules).arg("-o").arg(&path);
                let names: Vec<String> = sources.iter().map(|source| source.display().to_string()).collect();
                warnings.push_str(&process::run(&mut command, &names.join(", "))?.stderr);
            }
        }
        Ok(Bitcode { path, warnings, _folder: folder })
    }

    /// The compiler with everything but the input and the output.
    pub(crate) fn bitcode_command(&self, options: &CompileOptions) -> Result<Command, ToolchainError> {
        let mut command = Command::new(&self.clang().path);
        command.args([MUSL_TARGET, "-nostdlibinc", "-isystem"]).arg(self.runtime()?.include());
        command.args(["-g", "-emit-llvm", options.opt_level.flag()]);
        if options.opt_level == OptLevel::O0 {
            command.args(["-Xclang", "-disable-O0-optnone"]);
        } else if !options.vectorize {
            command.args(["-fno-vectorize", "-fno-slp-vectorize"]);
        }
        if options.ubsan {
            // The two left out need C++ types or data in front of functions.
            command.args(["-fsanitize=undefined", "-fno-sanitize=vptr,function"]);
        }
        push_user_flags(&mut command, &options.defines, &options.include_dirs, &options.extra_flags);
        Ok(command)
    }
}

/// `-D`, `-I` and the rest, in the order in which later flags win.
pub(crate) fn push_user_flags(
    command: &mut Command,
    defines: &[String],
    include_dirs: &[PathBuf],
    extra: &[OsString],
) {
    for define in defines {
        command.arg(format!("-D{define}"));
    }
    for folder in include_dirs {
        command.arg("-I").arg(folder);
    }
    command.args(extra);
}

/// What an input is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// `.c` or preprocessed `.i`.
    Source,
    /// `.bc` or `.ll`.
    Ir,
}

impl InputKind {
    /// The kind of an input that exists and is a file.
    pub(crate) fn of(path: &Path) -> Result<Self, ToolchainError> {
        let wrong = |reason: String| ToolchainError::Input { path: path.to_path_buf(), reason };
        let meta = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
        if meta.is_dir() {
            return Err(wrong("is a folder, not a program".into()));
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("c" | "i") => Ok(Self::Source),
            Some("bc" | "ll") => Ok(Self::Ir),
            _ => Err(ToolchainError::UnknownKind { path: path.to_path_buf() }),
        }
    }
}

/// A folder for intermediate files.
pub(crate) fn scratch_folder() -> Result<TempDir, ToolchainError> {
    tempfile::Builder::new().prefix("forkwise-").tempdir().map_err(|source| ToolchainError::Io {
        action: "create a folder in",
        path: std::env::temp_dir(),
        source,
    })
}

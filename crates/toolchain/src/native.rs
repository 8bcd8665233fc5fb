//! Native programs, for confirming what the engine found: from the same sources or bitcode, plain or with sanitizers,
//! linked with the replay library. Against the host's libc by default; [`NativeLibc::Bitcode`] takes the very libc code
//! the engine ran, so that any difference in behaviour is the engine's. Running them is the `replay` crate's business.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compile::{InputKind, MUSL_TARGET, push_user_flags, scratch_folder};
use crate::{CompileOptions, OptLevel, Toolchain, ToolchainError, process};

/// Which checks are compiled into a native program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sanitizers {
    /// AddressSanitizer: works on sources and on bitcode.
    pub address: bool,
    /// UBSan: the checks are made by the compiler's front end, so bitcode keeps what it was compiled with.
    pub undefined: bool,
}

impl Sanitizers {
    /// No checks.
    pub const NONE: Self = Self { address: false, undefined: false };
    /// What bugs are confirmed with.
    pub const ALL: Self = Self { address: true, undefined: true };

    fn any(self) -> bool {
        self.address || self.undefined
    }
}

/// The C library a native program is linked with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NativeLibc {
    /// The machine's own; sanitizers need it.
    #[default]
    Host,
    /// The engine's: musl from the same bitcode, linked statically.
    Bitcode,
}

/// How a native program is built.
#[derive(Debug, Clone, Default)]
pub struct NativeOptions {
    /// Checks to compile in.
    pub sanitizers: Sanitizers,
    /// The optimisation level of sources; bitcode is only translated.
    pub opt_level: OptLevel,
    /// Link the replay library, which takes inputs from the test `KTEST_FILE` names.
    pub link_replay: bool,
    /// The C library.
    pub libc: NativeLibc,
    /// `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`.
    pub include_dirs: Vec<PathBuf>,
    /// Anything else, for compiling and linking, put last so that it wins.
    pub extra_flags: Vec<OsString>,
}

/// A native program that was built.
#[derive(Debug)]
pub struct NativeProgram {
    /// The program.
    pub path: PathBuf,
    /// The checks it has: those asked for that were possible for these inputs.
    pub sanitizers: Sanitizers,
    /// What the compiler said although it succeeded; empty if nothing.
    pub warnings: String,
}

impl Toolchain {
    /// Builds a native program from C sources or bitcode. Nothing is left at `out` if that fails.
    pub fn build_native(
        &self,
        inputs: &[PathBuf],
        out: &Path,
        options: &NativeOptions,
    ) -> Result<NativeProgram, ToolchainError> {
        if inputs.is_empty() {
            return Err(ToolchainError::NoInput);
        }
        match options.libc {
            NativeLibc::Host => self.build_with_host_libc(inputs, out, options),
            NativeLibc::Bitcode => self.build_with_bitcode_libc(inputs, out, options),
        }
    }

    fn build_with_host_libc(
        &self,
        inputs: &[PathBuf],
        out: &Path,
        options: &NativeOptions,
    ) -> Result<NativeProgram, ToolchainError> {
        let folder = scratch_folder()?;
        let mut command = Command::new(&self.clang().path);
        command.args(["-g", "-fno-omit-frame-pointer", options.opt_level.flag()]);
        command.arg("-I").arg(self.runtime()?.api_include());
        let mut sanitizers = options.sanitizers;
        if sanitizers.address {
            command.arg("-fsanitize=address");
        }
        if sanitizers.undefined {
            // The first finding ends the run: it is the one that is being confirmed.
            command.args([
                "-fsanitize=undefined",
                "-fno-sanitize=vptr,function",
                "-fno-sanitize-recover=undefined",
            ]);
        }
        push_user_flags(&mut command, &options.defines, &options.include_dirs, &options.extra_flags);
        let mut only_bitcode = true;
        for (index, input) in inputs.iter().enumerate() {
            match InputKind::of(input)? {
                InputKind::Source => {
                    only_bitcode = false;
                    command.arg("-x").arg("c").arg(input);
                }
                InputKind::Ir => {
                    let module = folder.path().join(format!("{index}.bc"));
                    self.prepare_bitcode(input, &module, sanitizers)?;
                    command.arg("-x").arg("ir").arg(&module);
                }
            }
        }
        if only_bitcode {
            sanitizers.undefined = false;
        }
        command.arg("-x").arg("none");
        if options.link_replay {
            command.arg(self.runtime()?.replay_library());
        }
        // Bitcode of musl's target has the same calling convention; the triple is the host's from here on.
        command.args(["-Wno-override-module", "-lm", "-lpthread"]);
        let warnings = finish(&mut command, out, inputs)?;
        Ok(NativeProgram { path: out.to_path_buf(), sanitizers, warnings })
    }

    /// Gives the functions of a module the attribute that AddressSanitizer's pass looks for: clang sets it when it
    /// compiles C, and a finished module does not have it. Without sanitizers this only turns `.ll` into bitcode.
    fn prepare_bitcode(
        &self,
        input: &Path,
        module: &Path,
        sanitizers: Sanitizers,
    ) -> Result<(), ToolchainError> {
        let mut command = Command::new(self.tool("opt")?);
        if sanitizers.address {
            command.args(["-passes=forceattrs", "-force-attribute=sanitize_address"]);
        } else {
            command.arg("-passes=verify");
        }
        command.arg(input).arg("-o").arg(module);
        process::run(&mut command, &input.display().to_string()).map(|_| ())
    }

    fn build_with_bitcode_libc(
        &self,
        inputs: &[PathBuf],
        out: &Path,
        options: &NativeOptions,
    ) -> Result<NativeProgram, ToolchainError> {
        if options.sanitizers.any() {
            return Err(ToolchainError::Unsupported(
                "sanitizers need the host's C library: build one program with sanitizers and another with the engine's libc",
            ));
        }
        let runtime = self.runtime()?;
        let folder = scratch_folder()?;
        let mut warnings = String::new();
        let mut objects = Vec::new();
        let compile = CompileOptions {
            opt_level: options.opt_level,
            defines: options.defines.clone(),
            include_dirs: options.include_dirs.clone(),
            extra_flags: options.extra_flags.clone(),
            ..CompileOptions::default()
        };
        for (index, input) in inputs.iter().enumerate() {
            let object = folder.path().join(format!("{index}.o"));
            let mut command;
            match InputKind::of(input)? {
                InputKind::Source => command = self.bitcode_command(&compile)?,
                InputKind::Ir => {
                    command = Command::new(&self.clang().path);
                    command.args([MUSL_TARGET, "-Wno-override-module", "-emit-llvm"]);
                }
            }
            command.arg("-c").arg(input).arg("-o").arg(&object);
            warnings.push_str(&process::run(&mut command, &input.display().to_string())?.stderr);
            objects.push(object);
        }
        let native = runtime.native();
        let mut command = Command::new(self.tool("ld.lld")?);
        command.args(["-static", "--lto-O0"]).arg(native.join("crt1.o")).args(&objects);
        if options.link_replay {
            command.arg(native.join("libforkwise-replay.a"));
        }
        // Ours first: its members replace the fallbacks that only make sense inside the engine.
        command
            .arg(native.join("libforkwise-native.a"))
            .arg(native.join("libc.a"))
            .arg(self.compiler_builtins()?);
        warnings.push_str(&finish(&mut command, out, inputs)?);
        Ok(NativeProgram { path: out.to_path_buf(), sanitizers: Sanitizers::NONE, warnings })
    }

    /// The compiler's support library (128-bit division and the like).
    pub(crate) fn compiler_builtins(&self) -> Result<PathBuf, ToolchainError> {
        // Where every clang keeps it; asking costs a process.
        if let Ok(clang) = self.clang().path.canonicalize()
            && let Some(prefix) = clang.parent().and_then(Path::parent)
        {
            let folder = prefix.join(format!("lib/clang/{}/lib/linux", self.clang().major));
            let path = folder.join("libclang_rt.builtins-x86_64.a");
            if path.is_file() {
                return Ok(path);
            }
        }
        let mut command = Command::new(&self.clang().path);
        command.args(["--rtlib=compiler-rt", "--print-libgcc-file-name"]);
        let path = PathBuf::from(process::run(&mut command, "--print-libgcc-file-name")?.stdout.trim_end());
        if path.is_file() {
            return Ok(path);
        }
        Err(ToolchainError::ToolNotFound {
            name: path.display().to_string(),
            package: format!("libclang-rt-{}-dev", self.clang().major),
        })
    }
}

/// Links next to the final place and moves the program there, so that a failure leaves nothing behind. The linker writes
/// the file, not this process: a program that a thread of ours held open for writing could not be executed.
fn finish(command: &mut Command, out: &Path, inputs: &[PathBuf]) -> Result<String, ToolchainError> {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".tmp{}", std::process::id()));
    let partial = out.with_file_name(name);
    command.arg("-o").arg(&partial);
    let names: Vec<String> = inputs.iter().map(|input| input.display().to_string()).collect();
    let result = process::run(command, &names.join(", ")).and_then(|output| {
        std::fs::rename(&partial, out).map_err(|source| ToolchainError::Io {
            action: "create",
            path: out.to_path_buf(),
            source,
        })?;
        Ok(output.stderr)
    });
    if result.is_err() {
        // Usually there is nothing to remove, and the error that is being returned matters more.
        let _ = std::fs::remove_file(&partial);
    }
    result
}

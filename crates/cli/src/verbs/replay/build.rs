//! The program to run: a native one as it is, or rebuilt with sanitizers from the bitcode it carries; sources and bitcode
//! built first, with sanitizers unless told otherwise.

use anyhow::Context;
use clap::Args;
use forkwise_replay::Program;
use forkwise_toolchain::{NativeOptions, OptLevel, Sanitizers, Toolchain};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How a program that is not native yet is built.
#[derive(Args, Clone, Debug)]
pub struct BuildArgs {
    /// Build without sanitizers
    #[arg(long, help_heading = "Building")]
    pub plain: bool,
    /// Build a program of forkwise cc again, with sanitizers: shows bugs that the program itself does not notice
    #[arg(long, conflicts_with = "plain", help_heading = "Building")]
    pub sanitize: bool,
    /// Also check for undefined behaviour with UBSan
    #[arg(long, help_heading = "Building")]
    pub ubsan: bool,
    /// Optimisation level
    #[arg(long, value_name = "N", default_value = "0", value_parser = OptLevel::from_str, help_heading = "Building")]
    pub opt_level: OptLevel,
    /// Define a macro
    #[arg(short = 'D', long = "define", value_name = "MACRO", help_heading = "Building")]
    pub define: Vec<String>,
    /// Add a folder with headers
    #[arg(short = 'I', long = "include", value_name = "DIR", help_heading = "Building")]
    pub include: Vec<PathBuf>,
    /// Pass a flag to the compiler
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true, help_heading = "Building")]
    pub cflag: Vec<OsString>,
}

fn is_native(path: &Path) -> bool {
    !matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i" | "bc" | "ll"))
}

/// The program, built into `folder` if need be.
pub fn program(args: &BuildArgs, path: &Path, folder: &Path) -> anyhow::Result<Program> {
    let mut input = path.to_path_buf();
    if is_native(path) {
        if !args.sanitize {
            return Ok(Program::new(path)?);
        }
        let embedded = forkwise_ir::embedded_bitcode(path)?.with_context(|| {
            format!("{} carries no bitcode to build it from again: build it with forkwise cc", path.display())
        })?;
        input = folder.join("program.bc");
        std::fs::write(&input, embedded).with_context(|| format!("cannot write {}", input.display()))?;
    }
    let sanitizers = Sanitizers { address: !args.plain, undefined: args.ubsan };
    let options = NativeOptions {
        sanitizers,
        opt_level: args.opt_level,
        link_replay: true,
        defines: args.define.clone(),
        include_dirs: args.include.clone(),
        extra_flags: args.cflag.clone(),
        ..NativeOptions::default()
    };
    let built = Toolchain::find()?.build_native(&[input], &folder.join("program"), &options)?;
    let program = Program::new(&built.path)?;
    Ok(if sanitizers == Sanitizers::NONE { program } else { program.sanitized() })
}

//! `forkwise cc`, `c++`, `ar`, `ranlib` and `nm`: the compiler wrapper and its companions, for building projects whose
//! programs carry their bitcode. Arguments are the compiler's own; ours come before them. No logic here: see
//! `forkwise_toolchain::cc`.

use anyhow::Context;
use forkwise_ir::LoadOptions;
use forkwise_toolchain::Toolchain;
use forkwise_toolchain::cc::{Language, Wrapper};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The verbs whose arguments belong to another program and are not looked at here.
pub fn dispatch(verb: &str, args: &[OsString]) -> Option<anyhow::Result<u8>> {
    match verb {
        "cc" => Some(compile(Language::C, args)),
        "c++" => Some(compile(Language::Cxx, args)),
        "ar" | "ranlib" | "nm" => Some(companion(&format!("llvm-{verb}"), args)),
        _ => None,
    }
}

fn compile(language: Language, args: &[OsString]) -> anyhow::Result<u8> {
    let toolchain = Toolchain::find()?;
    let (mut print, mut gcov, mut args) = (false, false, args);
    while let Some((first, rest)) = args.split_first() {
        match first.to_str() {
            Some("--print") => print = true,
            Some("--gcov") => gcov = true,
            _ => break,
        }
        args = rest;
    }
    let wrapper = Wrapper { toolchain: &toolchain, language, instrument: &instrument, gcov, print };
    Ok(wrapper.run(args)?)
}

/// The program with counters, as the engine will number them when it loads the program with its usual options.
fn instrument(input: &Path, output: &Path) -> Result<(), String> {
    let options = LoadOptions { mem2reg: true, ..LoadOptions::default() };
    let bitcode = forkwise_ir::instrument(&[input.to_path_buf()], &options, Some(input));
    let bitcode = bitcode.map_err(|error| error.to_string())?;
    std::fs::write(output, bitcode).map_err(|error| format!("cannot write {}: {error}", output.display()))
}

/// One of LLVM's own programs takes the place of this one.
fn companion(name: &str, args: &[OsString]) -> anyhow::Result<u8> {
    let program = Toolchain::find()?.tool(name)?;
    let error = Command::new(&program).args(args).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

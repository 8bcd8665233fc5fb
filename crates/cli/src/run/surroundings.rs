//! What the program is started with, from the command line: the words after its name, and the options that give it files,
//! standard input, variables and parts of this machine. Reads the named files and touches nothing else.

use super::options::RunArgs;
use anyhow::{Context, anyhow, bail};
use forkwise_ir::Program;
use forkwise_posix::{Setup, Variable, VariableValue};
use forkwise_testcase::check_file_name;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}

/// Everything together. Inputs that are given twice are refused: one of the two would be lost.
pub fn setup(args: &RunArgs) -> anyhow::Result<Setup> {
    let mut setup = Setup::parse(args.args()).map_err(|e| anyhow!(e))?;
    setup.program = args.file().as_os_str().as_bytes().to_vec();
    let read =
        |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    if let Some(path) = &args.stdin {
        if setup.sym_stdin.is_some() {
            bail!("--stdin and --sym-stdin both say what standard input is; give one of them");
        }
        setup.stdin = Some(read(path)?);
    }
    for (name, path) in &args.with_file {
        check_file_name(name).map_err(|e| anyhow!("--file {name}={path}: {e}"))?;
        setup.files.push((name.clone(), read(&PathBuf::from(path))?));
    }
    for (name, value) in &args.env {
        if setup.env.iter().any(|v| v.name == *name) {
            bail!("the variable {name} is given twice");
        }
        let value = VariableValue::Concrete(value.clone().into_bytes());
        setup.env.push(Variable { name: name.clone(), value });
    }
    setup.mounts.clone_from(&args.mount);
    Ok(setup)
}

/// The inputs of a program for which nobody named any: for people who just want to see what it does.
const USUAL: &str = "--sym-args 0 2 4 --sym-files 1 8 --sym-stdin 8";

/// What makes an input symbolic in a harness.
fn is_harness_function(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_")
        || matches!(
            name,
            "klee_make_symbolic" | "forkwise_symbolic" | "klee_int" | "klee_range" | "klee_choose"
        )
}

/// Symbolic inputs for a program whose `main` takes arguments, where neither the command line nor the program itself
/// says what is symbolic. Returns what was chosen.
pub fn choose_inputs(
    args: &RunArgs,
    setup: &mut Setup,
    program: &Program,
    entry: &str,
) -> Option<&'static str> {
    let given = !args.args().is_empty() || setup.stdin.is_some() || !setup.files.is_empty();
    let main = program.function(entry).map(|f| &program.functions[f as usize])?;
    let harness = program.functions.iter().any(|f| is_harness_function(&f.name));
    if given || args.concrete || main.params.is_empty() || entry != "main" || harness {
        return None;
    }
    let words: Vec<OsString> = USUAL.split(' ').map(OsString::from).collect();
    let usual = Setup::parse(&words).ok()?;
    (setup.args, setup.sym_files, setup.sym_stdin) = (usual.args, usual.sym_files, usual.sym_stdin);
    Some(USUAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_a_name() {
        assert_eq!(pair("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(pair("=b").is_err() && pair("A").is_err());
    }
}

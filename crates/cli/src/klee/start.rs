//! How the program is started under KLEE's command line: its words, which are symbolic inputs with `--posix-runtime` and
//! plain arguments without it, its environment, and the folder it runs in. Reads what the options name and nothing else.

use super::log::Log;
use super::options::Options;
use crate::engine::Start;
use anyhow::{Context, anyhow, bail};
use forkwise_posix::{Argument, Mount, Setup, Variable, VariableValue, WORKING_DIRECTORY};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;

/// Everything together.
pub fn start(options: &Options, program: &Path, entry: &str) -> anyhow::Result<Start> {
    let words = Setup::parse(&options.args).map_err(|e| anyhow!(e));
    let mut setup = match options.flag("posix-runtime", false) {
        true => words?,
        false => {
            let args = options.args.iter().map(|w| Argument::Concrete(w.as_bytes().to_vec())).collect();
            Setup { args, ..Setup::default() }
        }
    };
    setup.program = program.as_os_str().as_bytes().to_vec();
    setup.klee_objects = true;
    setup.readable = options.flag("readable-posix-inputs", false);
    if let Some(file) = options.text("env-file") {
        let text = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
        variables(&mut setup, &text);
    }
    if let Some(folder) = options.text("run-in-dir") {
        show_folder(&mut setup, Path::new(folder))?;
    }
    Ok(Start { entry: entry.to_string(), setup: Rc::new(setup) })
}

/// Says that words have no meaning that look as if they should have one.
pub fn warn_of_plain_words(options: &Options, log: &mut Log) {
    let symbolic = Setup::parse(&options.args).is_ok_and(|setup| setup.is_symbolic());
    if symbolic && !options.flag("posix-runtime", false) {
        log.warning("without --posix-runtime, the words after the program are arguments as they are");
    }
}

/// The lines of `--env-file`. A variable that `--sym-env` makes symbolic stays so.
fn variables(setup: &mut Setup, text: &[u8]) {
    for line in text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii) {
        let Some(at) = line.iter().position(|b| *b == b'=').filter(|at| *at > 0) else { continue };
        let name = String::from_utf8_lossy(&line[..at]).into_owned();
        if !setup.env.iter().any(|v| v.name == name) {
            setup.env.push(Variable { name, value: VariableValue::Concrete(line[at + 1..].to_vec()) });
        }
    }
}

/// The program finds the entries of a folder in its working directory; what it changes is its own.
fn show_folder(setup: &mut Setup, folder: &Path) -> anyhow::Result<()> {
    let cannot = || format!("cannot run in {}", folder.display());
    let folder = std::path::absolute(folder).with_context(cannot)?;
    if !folder.is_dir() {
        bail!("cannot run in {}: it is not a folder", folder.display());
    }
    let entries = std::fs::read_dir(&folder).with_context(cannot)?;
    let mut names = entries
        .map(|entry| Ok(entry.with_context(cannot)?.file_name()))
        .collect::<anyhow::Result<Vec<_>>>()?;
    names.sort();
    let symbolic = |name: &str| {
        let number = setup.sym_files.map_or(0, |(number, _)| number as u8);
        matches!(name.as_bytes(), [letter] if (b'A'..b'A' + number).contains(letter))
    };
    let mut mounts = Vec::new();
    for name in names {
        // Names that are no text cannot be given to a program here.
        if let Some(text) = name.to_str().filter(|text| !symbolic(text)) {
            let guest = format!("{WORKING_DIRECTORY}/{text}");
            mounts.push(Mount { host: folder.join(&name), guest, read_only: false });
        }
    }
    setup.mounts.extend(mounts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn started(words: &[&str]) -> anyhow::Result<Rc<Setup>> {
        let options = Options::parse(&words.iter().map(OsString::from).collect::<Vec<_>>())?;
        Ok(start(&options, Path::new("p.bc"), "main")?.setup)
    }

    #[test]
    fn words_are_inputs_with_the_model_only() {
        let plain = started(&["p.bc", "--sym-arg", "3"]).unwrap();
        assert!(!plain.is_symbolic());
        assert_eq!(plain.args.len(), 2);
        assert_eq!(
            started(&["--posix-runtime", "p.bc", "--sym-arg", "3"]).unwrap().args,
            [Argument::Symbolic(3)]
        );
        assert!(
            started(&["p.bc", "--sym-arg"]).is_ok()
                && started(&["--posix-runtime", "p.bc", "--sym-arg"]).is_err()
        );
    }

    #[test]
    fn lines_with_a_name_are_variables() {
        let mut setup = Setup::default();
        variables(&mut setup, b"A=1\n  B=x=y \nnothing\n=z\nA=2\n");
        let got: Vec<_> = setup.env.iter().map(|v| (v.name.as_str(), v.value.clone())).collect();
        let value = |text: &[u8]| VariableValue::Concrete(text.to_vec());
        assert_eq!(got, [("A", value(b"1")), ("B", value(b"x=y"))]);
    }
}

//! `forkwise import`: tests of others, or a command line, as tests of ours. Everything is read before anything is
//! written, so that a bad file leaves nothing half done.

use crate::app::CLEAN;
use crate::console;
use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum, ValueHint};
use forkwise_testcase::import::{self, ImportOptions, Imported};
use forkwise_testcase::raw::RawInput;
use forkwise_testcase::{TestCase, TestFile, check_file_name, json, shell};
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What the files look like
    Auto,
    /// KLEE's .ktest
    Ktest,
    /// AFL's queue: standard input, or a file where --args has @@
    Afl,
    /// libFuzzer's corpus
    Libfuzzer,
    /// The bytes of one input
    Raw,
    /// Arguments that zero bytes end, as AFL++'s argv_fuzz takes them
    Args,
}

/// Read tests of others: KLEE, AFL, libFuzzer, or a command line
#[derive(Args, Debug)]
pub struct ImportArgs {
    /// Files and folders to read
    #[arg(value_name = "FILE", required_unless_present = "args", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// What the files are
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,
    /// Which input of the program the files' bytes are: stdin, file:NAME, args or data
    #[arg(long, value_name = "INPUT")]
    input: Option<RawInput>,
    /// The command line, as typed: 'grep -E a*b A'; without files it is a test by itself
    #[arg(long, value_name = "LINE")]
    args: Option<String>,
    /// What standard input holds
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    stdin: Option<PathBuf>,
    /// A file of the working directory, and where its contents are (may be repeated)
    #[arg(long = "file", value_name = "NAME=FILE", value_parser = pair)]
    file: Vec<(String, String)>,
    /// A variable of the environment (may be repeated)
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        _ => Err("write it as NAME=VALUE".into()),
    }
}

/// What the options say about every test.
fn surround(args: &ImportArgs, test: &mut TestCase) -> anyhow::Result<()> {
    if let Some(path) = &args.stdin {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        test.stdin = Some(bytes);
    }
    for (name, path) in &args.file {
        check_file_name(name).map_err(|problem| anyhow!("--file {name}={path}: {problem}"))?;
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {path}"))?;
        test.files.retain(|file| file.name != *name);
        test.files.push(TestFile { name: name.clone(), bytes });
    }
    for (name, value) in &args.env {
        test.env.retain(|(known, _)| known != name);
        test.env.push((name.clone(), value.clone().into_bytes()));
    }
    Ok(())
}

/// `forkwise import`.
pub fn main(args: &ImportArgs) -> anyhow::Result<u8> {
    let line =
        args.args.as_deref().map(shell::split).transpose().map_err(|problem| anyhow!("--args: {problem}"))?;
    let options = ImportOptions {
        format: match args.format {
            Format::Auto => import::Format::Auto,
            Format::Ktest => import::Format::Ktest,
            Format::Afl => import::Format::Afl,
            Format::Libfuzzer => import::Format::LibFuzzer,
            Format::Raw => import::Format::Raw,
            Format::Args => import::Format::Args,
        },
        input: args.input.clone(),
        args: line.clone().unwrap_or_default(),
    };
    let mut tests: Vec<TestCase> = Vec::new();
    for path in &args.files {
        tests.extend(import::import(path, &options)?.into_iter().map(|Imported { test, .. }| test));
    }
    if let (Some(line), true) = (line, args.files.is_empty()) {
        if line.is_empty() {
            bail!("--args is empty: it begins with the program's name");
        }
        tests.push(TestCase::new(line, Vec::new()));
    }
    for test in &mut tests {
        surround(args, test)?;
    }
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    // After what is there already, so that several imports can go into one folder.
    let mut number = 0;
    for test in &tests {
        let path = loop {
            number += 1;
            let path = args.output.join(json::file_name(number));
            if !path.exists() {
                break path;
            }
        };
        json::write(&path, test)?;
    }
    console::out(format!("{} tests written to {}\n", tests.len(), args.output.display()))?;
    Ok(CLEAN)
}

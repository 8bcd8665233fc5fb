//! `forkwise export`: tests in the formats of others. Nothing existing is overwritten half: every file is whole or
//! not there.

use crate::app::CLEAN;
use crate::console;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum, ValueHint};
use forkwise_replay::batch::list_tests;
use forkwise_testcase::testcomp::{self, Metadata};
use forkwise_testcase::{KTest, TestCase, atomic_write, json, raw, reproducer};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// KLEE's .ktest
    Ktest,
    /// Forkwise's own test format
    Json,
    /// A C file to compile with the harness
    C,
    /// Test-Comp's XML, with metadata.xml
    Testcomp,
    /// The bytes of the inputs, for fuzzers
    Raw,
}

/// Convert tests to other formats
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Tests (.ktest, .test.json), folders with tests, or result folders
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_enum)]
    format: Format,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// The program under test, for Test-Comp's metadata
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The test files that a name stands for, each test once: where both formats are there, the richer one.
pub fn expand(names: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for name in names {
        let inner = name.join("tests");
        let files = list_tests(if inner.is_dir() { &inner } else { name })?;
        let rich = |f: &Path| f.to_string_lossy().ends_with(".test.json");
        let has_rich =
            |f: &Path| f.extension().is_some_and(|e| e == "ktest") && f.with_extension("test.json").is_file();
        all.extend(files.iter().filter(|f| files.len() == 1 || rich(f) || !has_rich(f)).cloned());
    }
    if all.is_empty() {
        bail!("there are no tests in {}", names[0].display());
    }
    Ok(all)
}

/// `forkwise export`.
pub fn main(args: &ExportArgs) -> anyhow::Result<u8> {
    let files = expand(&args.tests)?;
    let tests = files.iter().map(|p| json::read(p)).collect::<Result<Vec<TestCase>, _>>()?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    for (i, test) in tests.iter().enumerate() {
        let n = i as u64 + 1;
        let to = |name: String| args.output.join(name);
        match args.format {
            Format::Ktest => KTest::from(test).write(&to(format!("test{n:06}.ktest")))?,
            Format::Json => json::write(&to(json::file_name(n)), test)?,
            Format::C => {
                let title = test.outcome.as_ref().map(super::show::outcome_text).unwrap_or_default();
                atomic_write(&to(format!("{n:06}.c")), reproducer::to_c(test, &title).as_bytes())?;
            }
            Format::Testcomp => {
                atomic_write(&to(testcomp::file_name(n)), testcomp::testcase_xml(test).as_bytes())?;
            }
            Format::Raw => atomic_write(&to(raw::afl_file_name(n)), &raw::to_bytes(test))?,
        }
    }
    if args.format == Format::Testcomp {
        let metadata = metadata(args)?;
        atomic_write(&args.output.join("metadata.xml"), testcomp::metadata_xml(&metadata).as_bytes())?;
    }
    console::out(format!("{} tests written to {}\n", tests.len(), args.output.display()))?;
    Ok(CLEAN)
}

fn metadata(args: &ExportArgs) -> anyhow::Result<Metadata> {
    let Some(program) = &args.program else {
        bail!("Test-Comp's metadata names the program under test: give it with --program");
    };
    let out = std::process::Command::new("sha256sum").arg("--").arg(program).output();
    let out = out.context("cannot run sha256sum (package coreutils)")?;
    if !out.status.success() {
        bail!("{}", String::from_utf8_lossy(&out.stderr).trim());
    }
    let hash = String::from_utf8_lossy(&out.stdout).split_whitespace().next().unwrap_or_default().to_string();
    Ok(Metadata {
        specification: "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )".into(),
        program_file: program.display().to_string(),
        program_hash: hash.trim_start_matches('\\').to_string(),
        entry_function: "main".into(),
        architecture: "64bit".into(),
        creation_time: SystemTime::now(),
    })
}

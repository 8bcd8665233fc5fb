//! `forkwise export`: tests in the formats of others. Nothing existing is overwritten half: every file is whole or
//! not there.

use super::tests::expand;
use crate::app::CLEAN;
use crate::console;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum, ValueHint};
use forkwise_testcase::raw::RawInput;
use forkwise_testcase::testcomp::{self, Metadata};
use forkwise_testcase::{KTest, TestCase, atomic_write, json, raw, reproducer};
use std::path::PathBuf;
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
    /// The bytes of one input, as an AFL queue
    #[value(alias = "raw")]
    Afl,
    /// The bytes of one input, as a libFuzzer corpus
    Libfuzzer,
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
    /// The input whose bytes fuzzers get: stdin, file:NAME, args or data [default: what the test has]
    #[arg(long, value_name = "INPUT")]
    input: Option<RawInput>,
    /// The program under test, for Test-Comp's metadata
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
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
            Format::Afl | Format::Libfuzzer => {
                let usual = raw::usual_input(test);
                let bytes = raw::to_bytes(test, args.input.as_ref().unwrap_or(&usual));
                let name = match args.format {
                    Format::Afl => raw::afl_file_name(i as u64),
                    _ => format!("{n:06}"),
                };
                atomic_write(&to(name), &bytes)?;
            }
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

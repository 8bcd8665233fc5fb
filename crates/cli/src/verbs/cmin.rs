//! `forkwise cmin`: of many tests the few that cover the same branches natively and show the same bugs. Test files are
//! copied as they are; those that cannot be read or run are told and left out.

use super::replay::build::{self, BuildArgs};
use super::replay::{LimitArgs, runner};
use super::tests::{expand, program_of};
use crate::app::{CLEAN, ERROR};
use crate::console;
use crate::run::output::check_free;
use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use forkwise_replay::batch::replay_files;
use forkwise_replay::{cmin, tmin};
use forkwise_testcase::json;
use std::path::{Path, PathBuf};

/// Keep the fewest tests that cover the same and show the same bugs
#[derive(Args, Debug)]
pub struct CminArgs {
    /// Tests, folders with tests, or result folders
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
    /// Folder to write to
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// The program, built by forkwise cc [default: what the result folder names]
    #[arg(long, value_name = "PROGRAM", value_hint = ValueHint::FilePath)]
    prog: Option<PathBuf>,
    #[command(flatten)]
    build: BuildArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// `forkwise cmin`.
pub fn main(args: &CminArgs) -> anyhow::Result<u8> {
    check_free(&args.output)?;
    let path = match &args.prog {
        Some(path) => path.clone(),
        None => program_of(&args.tests[0])?,
    };
    let files = expand(&args.tests)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let program = build::program(&args.build, &path, folder.path())?;
    match program.counters() {
        None => bail!("{} does not count its branches: build it with forkwise cc", path.display()),
        Some(0) => bail!("{} has no branches, so all its tests cover the same: keep any one", path.display()),
        Some(_) => {}
    }
    let done = replay_files(&runner(false)?, &program, files, &args.limits.batch(), &|_, _| {});
    let mut code = CLEAN;
    let mut candidates = Vec::new();
    let mut bugs = std::collections::BTreeSet::new();
    for one in &done {
        let mut candidate = cmin::Candidate::default();
        match &one.result {
            Ok((report, _)) => {
                candidate.coverage = report.coverage.clone().unwrap_or_default();
                candidate.bug.clone_from(&one.bug);
                candidate.size = json::read(&one.path).map_or(usize::MAX, |test| tmin::size(&test));
                bugs.extend(one.bug.clone());
            }
            Err(error) => {
                console::err_line(&format!("forkwise: error: {error}"));
                code = ERROR;
            }
        }
        candidates.push(candidate);
    }
    let kept = cmin::select(&candidates);
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    let mut all = forkwise_replay::Coverage::default();
    for index in &kept {
        all.add(&candidates[*index].coverage);
        copy(&done[*index].path, &args.output)?;
    }
    console::out(format!(
        "{} of {} tests kept in {}: {}/{} branches, {} bugs\n",
        kept.len(),
        done.len(),
        args.output.display(),
        all.covered(),
        all.total(),
        bugs.len()
    ))?;
    Ok(code)
}

/// Copies a test in all formats that it has. Tests of several folders may have the same name.
fn copy(file: &Path, folder: &Path) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = match name.find('.') {
        Some(dot) => name.split_at(dot),
        None => (name.as_str(), ""),
    };
    let free = (1u32..)
        .map(|n| if n == 1 { stem.to_string() } else { format!("{stem}-{n}") })
        .find(|stem| !folder.join(format!("{stem}{ending}")).exists())
        .unwrap_or_default();
    let mut endings = vec![ending];
    if ending == ".test.json" && file.with_file_name(format!("{stem}.ktest")).is_file() {
        endings.push(".ktest");
    }
    for ending in endings {
        let (from, to) =
            (file.with_file_name(format!("{stem}{ending}")), folder.join(format!("{free}{ending}")));
        std::fs::copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

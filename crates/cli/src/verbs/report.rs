//! `forkwise report`: what runs left behind, as pages to look at or as a file that other tools read. All of it is made by
//! `forkwise_report`; here is only what belongs to a command line.

use crate::app::CLEAN;
use crate::console;
use crate::run::output::check_free;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum, ValueHint};
use forkwise_report::{Campaign, Format, Run, pages};
use forkwise_testcase::atomic_write;
use std::path::{Path, PathBuf};

/// Make a report of runs
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Result folders of `run`, `worst`, `tune` or `train`, whole or not
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    folders: Vec<PathBuf>,

    /// What to write
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Kind::Html)]
    format: Kind,

    /// Where to: a folder for HTML [default: DIR/report], else a file [default: standard output]
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A folder of pages: open index.html
    Html,
    /// SARIF 2.1.0: bugs, for code scanners
    Sarif,
    /// lcov's tracefile: coverage
    Lcov,
    /// Cobertura's XML: coverage
    Cobertura,
    /// JUnit's XML: bugs and native runs, for CI servers
    Junit,
}

impl Kind {
    fn format(self) -> Option<Format> {
        match self {
            Kind::Html => None,
            Kind::Sarif => Some(Format::Sarif),
            Kind::Lcov => Some(Format::Lcov),
            Kind::Cobertura => Some(Format::Cobertura),
            Kind::Junit => Some(Format::Junit),
        }
    }
}

/// `forkwise report`.
pub fn main(args: &ReportArgs) -> anyhow::Result<u8> {
    let Some(format) = args.format.format() else { return html(args) };
    let [folder] = &args.folders[..] else {
        bail!("this format holds one run; name one folder, or leave --format out for pages about several");
    };
    let run = Run::read(folder)?;
    say_gaps(&run);
    let text = format.write(&run);
    match &args.output {
        Some(path) => atomic_write(path, text.as_bytes())?,
        None => console::out(text)?,
    }
    Ok(CLEAN)
}

fn say_gaps(run: &Run) {
    for gap in &run.gaps {
        console::err_line(&format!("forkwise: note: {}: {gap}", run.root.display()));
    }
}

fn html(args: &ReportArgs) -> anyhow::Result<u8> {
    let campaigns: Vec<Campaign> = args.folders.iter().filter_map(|f| Campaign::read(f)).collect();
    match &campaigns[..] {
        [] => return html_of_runs(args),
        [campaign] if args.folders.len() == 1 => {
            for gap in campaign.gaps() {
                console::err_line(&format!("forkwise: note: {}: {gap}", args.folders[0].display()));
            }
            let out = args.output.clone().unwrap_or_else(|| beside(&args.folders[0]));
            replace(&out)?;
            pages::write_campaign(campaign, &out)?;
            console::out(format!("{}\n", out.join("index.html").display()))?;
        }
        _ => bail!("a campaign of `tune` or `train` has a report of its own; name one folder"),
    }
    Ok(CLEAN)
}

/// A campaign's folder holds nothing that is not the campaign's; its report lies beside it.
fn beside(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_os_string();
    name.push("-report");
    folder.with_file_name(name)
}

fn html_of_runs(args: &ReportArgs) -> anyhow::Result<u8> {
    let runs = args.folders.iter().map(|f| Run::read(f)).collect::<Result<Vec<_>, _>>()?;
    runs.iter().for_each(say_gaps);
    let out = match (&args.output, &args.folders[..]) {
        (Some(out), _) => out.clone(),
        (None, [folder]) => folder.join("report"),
        (None, _) => bail!("where should the report of several runs go? Name a folder with -o"),
    };
    replace(&out)?;
    pages::write(&runs, &out)?;
    console::out(format!("{}\n", out.join("index.html").display()))?;
    Ok(CLEAN)
}

/// A report that we wrote before is replaced; nothing else is.
fn replace(out: &Path) -> anyhow::Result<()> {
    if out.join(pages::MARK).is_file() {
        return std::fs::remove_dir_all(out).with_context(|| format!("cannot replace {}", out.display()));
    }
    check_free(out)
}

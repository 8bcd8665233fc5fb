//! The HTML report: a folder of pages that needs no network and no server. One file here for each kind of page; `layout` is what they
//! share. Programs under test wrote much of what is shown, so text becomes HTML only through templates that escape it, and data for
//! scripts only through JSON.

mod bug;
mod layout;
mod overview;
mod pictures;
mod several;
mod source;
mod tests;
mod time;
mod training;
mod tuning;
mod worst;

use crate::campaign::Campaign;
use crate::folder::Run;
use crate::formats::by_file;
use layout::Place;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that says that a folder is a report of ours, and may be replaced by another.
pub const MARK: &str = ".forkwise-report";

/// A report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct ReportError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// Where pages go.
pub(crate) struct Site {
    root: PathBuf,
}

impl Site {
    /// Writes a file, with the folders above it.
    pub(crate) fn put(&self, name: &str, text: &str) -> Result<(), ReportError> {
        let path = self.root.join(name);
        let written = match fs::write(&path, text) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text))
            }
            other => other,
        };
        written.map_err(|source| ReportError { path, source })
    }
}

/// A folder with what all pages need.
fn begin(out: &Path) -> Result<Site, ReportError> {
    let site = Site { root: out.to_path_buf() };
    site.put(MARK, "A report of forkwise. `forkwise report` replaces this folder.\n")?;
    site.put("style.css", include_str!("../../assets/style.css"))?;
    site.put("report.js", include_str!("../../assets/report.js"))?;
    Ok(site)
}

/// Writes the report of a campaign into a folder.
pub fn write_campaign(campaign: &Campaign, out: &Path) -> Result<(), ReportError> {
    let text = match campaign {
        Campaign::Tuning(t) => tuning::page(t),
        Campaign::Training(t) => training::page(t),
    };
    begin(out)?.put("index.html", &text)
}

/// Writes the report of these runs into a folder.
pub fn write(runs: &[Run], out: &Path) -> Result<(), ReportError> {
    let site = begin(out)?;
    for (i, run) in runs.iter().enumerate() {
        let place = Place::of_run(i, runs.len());
        write_run(&site, run, &place)?;
    }
    if runs.len() != 1 {
        site.put("index.html", &several::page(runs))?;
    }
    Ok(())
}

fn write_run(site: &Site, run: &Run, place: &Place) -> Result<(), ReportError> {
    let files = by_file(run);
    site.put(&place.file("index.html"), &overview::page(run, place, &files))?;
    for (i, bug) in run.bugs.iter().enumerate() {
        site.put(&place.file(&bug::name(bug)), &bug::page(run, place, i, &files))?;
    }
    for (i, file) in files.iter().enumerate() {
        site.put(&place.file(&source::name(i)), &source::page(run, place, file))?;
    }
    if !run.tests.is_empty() {
        tests::write(site, run, place)?;
    }
    pictures::write(site, run, place, &files)?;
    if run.is_worst() {
        site.put(&place.file("worst.html"), &worst::page(run, place))?;
    }
    Ok(())
}

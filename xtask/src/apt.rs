//! Debian's package tools: which packages are installed, installing the missing ones, and downloading the source of one.
//! Never names a mirror and never edits the system's files: sources are fetched through a private copy of the machine's
//! own apt configuration in which `deb` became `deb-src`. `setup` is the caller.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::{capture, create_dir, on_path, sorted_entries};

/// Those of `packages` that dpkg does not list as installed.
pub fn missing<'a>(packages: &[&'a str]) -> Result<Vec<&'a str>> {
    if on_path("dpkg-query").is_none() {
        bail!(
            "dpkg-query was not found: setup installs Debian packages. On another system install the equivalents of: {}",
            packages.join(" ")
        );
    }
    let mut absent = Vec::new();
    for &package in packages {
        let output = Command::new("dpkg-query")
            .args(["--show", "--showformat=${db:Status-Status}", package])
            .stderr(Stdio::null())
            .output()
            .context("cannot start dpkg-query")?;
        if !(output.status.success() && output.stdout.starts_with(b"installed")) {
            absent.push(package);
        }
    }
    Ok(absent)
}

/// Installs packages with apt-get, refreshing the package lists first.
pub fn install(packages: &[&str]) -> Result<()> {
    if !is_root()? {
        bail!(
            "these Debian packages are missing and installing them needs root: {0}\nRun as root: apt-get update && apt-get install --no-install-recommends {0}",
            packages.join(" ")
        );
    }
    println!("setup: installing {}", packages.join(" "));
    capture(apt_get().arg("update")).context("cannot refresh the package lists")?;
    capture(apt_get().args(["install", "--yes", "--no-install-recommends"]).args(packages))
        .context("cannot install the packages named above")?;
    Ok(())
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.args(["-qq", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=300"]);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn is_root() -> Result<bool> {
    Ok(capture(Command::new("id").arg("-u"))?.trim() == "0")
}

/// Downloads the upstream tarball of a Debian source package into `destination` and returns its path. `work` holds the
/// private package lists; nothing outside the two folders is touched, and no root is needed.
pub fn download_orig_tarball(package: &str, destination: &Path, work: &Path) -> Result<PathBuf> {
    create_dir(destination)?;
    create_dir(&work.join("lists/partial"))?;
    create_dir(&work.join("cache/archives/partial"))?;
    let sources = work.join("deb-src.sources");
    fs::write(&sources, source_entries()?).with_context(|| format!("cannot write {}", sources.display()))?;
    let private_apt = || {
        let mut command = apt_get();
        command.arg("-o").arg(format!("Dir::Etc::sourcelist={}", sources.display()));
        command.args(["-o", "Dir::Etc::sourceparts=/dev/null"]);
        command.arg("-o").arg(format!("Dir::State::lists={}", work.join("lists").display()));
        command.arg("-o").arg(format!("Dir::Cache={}", work.join("cache").display()));
        // Root's apt drops to a user who may not be allowed into the target folder.
        command.args(["-o", "APT::Sandbox::User=root"]);
        command
    };
    // A third-party source without source packages makes the update fail although Debian's lists arrived, so the update's
    // error counts only when the download fails too.
    let updated = capture(private_apt().arg("update"));
    let downloaded = capture(
        private_apt().args(["source", "--download-only", "--tar-only", package]).current_dir(destination),
    );
    if let Err(error) = downloaded {
        let error = error.context(format!("cannot download the source package {package}"));
        return Err(match updated {
            Ok(_) => error,
            Err(update) => error.context(format!("{update:#}")),
        });
    }
    find_tarball(package, destination)?.with_context(|| {
        format!("apt-get source {package} brought no {package}_*.orig.tar.* into {}", destination.display())
    })
}

/// The newest `package_VERSION.orig.tar.*` of a folder.
pub fn find_tarball(package: &str, folder: &Path) -> Result<Option<PathBuf>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let prefix = format!("{package}_");
    let is_tarball = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
            name.starts_with(&prefix) && name.contains(".orig.tar.") && !name.contains(".tmp")
        })
    };
    Ok(sorted_entries(folder)?.into_iter().rfind(is_tarball))
}

/// The machine's configured Debian sources as `deb-src` stanzas.
fn source_entries() -> Result<String> {
    let mut stanzas = String::new();
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    let parts = Path::new("/etc/apt/sources.list.d");
    if parts.is_dir() {
        files.extend(sorted_entries(parts)?);
    }
    for file in files.into_iter().filter(|file| file.is_file()) {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("list") => {
                text.lines().filter_map(one_line_entry).for_each(|stanza| stanzas.push_str(&stanza))
            }
            Some("sources") => stanza_entries(&text).for_each(|stanza| stanzas.push_str(&stanza)),
            _ => {}
        }
    }
    if stanzas.is_empty() {
        bail!(
            "no usable package source in /etc/apt/sources.list or /etc/apt/sources.list.d: add Debian's archive there, or put musl's orig tarball into the cache folder yourself"
        );
    }
    Ok(stanzas)
}

/// `deb [option=value …] URI SUITE COMPONENT…` as a `deb-src` stanza. Relative suites (ending in `/`) are skipped: a flat
/// repository is never where Debian's musl lives.
fn one_line_entry(line: &str) -> Option<String> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace();
    let (uri, suite) = (words.next()?, words.next()?);
    let components: Vec<&str> = words.collect();
    if components.is_empty() {
        return None;
    }
    let mut stanza =
        format!("Types: deb-src\nURIs: {uri}\nSuites: {suite}\nComponents: {}\n", components.join(" "));
    for (name, value) in options.split_whitespace().filter_map(|option| option.split_once('=')) {
        let field = match name {
            "signed-by" => "Signed-By",
            "trusted" => "Trusted",
            "check-valid-until" => "Check-Valid-Until",
            "allow-insecure" => "Allow-Insecure",
            _ => continue,
        };
        stanza.push_str(&format!("{field}: {}\n", value.replace(',', " ")));
    }
    stanza.push('\n');
    Some(stanza)
}

/// The stanzas of a deb822 file that offer binary packages, with their type replaced and everything else kept.
fn stanza_entries(text: &str) -> impl Iterator<Item = String> {
    let mut stanzas = vec![Vec::new()];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            stanzas.push(Vec::new());
        } else if let Some(last) = stanzas.last_mut() {
            last.push(line.to_owned());
        }
    }
    let field = |line: &str, name: &str| {
        line.split_once(':')
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
    };
    stanzas.into_iter().filter_map(move |mut lines| {
        let disabled = lines.iter().filter_map(|line| field(line, "Enabled")).any(|value| value == "no");
        let types = lines.iter_mut().find(|line| field(line, "Types").is_some())?;
        if disabled || !field(types, "Types")?.split_whitespace().any(|kind| kind == "deb") {
            return None;
        }
        "Types: deb-src".clone_into(types);
        // A stanza may restrict the binary architectures; sources have none.
        lines.retain(|line| field(line, "Architectures").is_none());
        Some(lines.join("\n") + "\n\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_entries_keep_uri_suite_components_and_trust() {
        let stanza = one_line_entry(
            "deb [arch=amd64 signed-by=/k.gpg] http://mirror/debian bookworm main contrib # x",
        );
        assert_eq!(
            stanza.as_deref(),
            Some(
                "Types: deb-src\nURIs: http://mirror/debian\nSuites: bookworm\nComponents: main contrib\nSigned-By: /k.gpg\n\n"
            )
        );
    }

    #[test]
    fn comments_sources_and_flat_repositories_are_skipped() {
        for line in ["", "# deb http://a b c", "deb-src http://a b c", "deb http://a ./", "deb http://a"] {
            assert_eq!(one_line_entry(line), None, "{line}");
        }
    }

    #[test]
    fn stanzas_become_source_stanzas() {
        let text = "# c\nTypes: deb\nURIs: http://a\nSuites: s\nComponents: main\nArchitectures: amd64\n\nTypes: deb-src\nURIs: http://b\n\nTypes: deb\nEnabled: no\nURIs: http://c\n";
        let stanzas: Vec<String> = stanza_entries(text).collect();
        assert_eq!(stanzas, ["Types: deb-src\nURIs: http://a\nSuites: s\nComponents: main\n\n"]);
    }
}

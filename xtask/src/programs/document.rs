//! `docs/programs.md`, written from what was measured: sizes, branches, the command lines that give the native output.
//! Everything in the page comes from here, so that it stays true; edit this file, not the page.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::build::{self, Flavour};
use super::check::Checked;
use super::recipe::{Package, Program};
use super::{command_line, gcov};
use crate::workspace::{Workspace, capture, create_dir, write_atomically};

const OPENING: &str = "# Real programs

<!-- Written by `cargo xtask programs --table`. -->

`cargo xtask programs` downloads these programs as Debian 12 has them, builds them with `forkwise cc` (and once more with
gcov's counters) into `target/programs`, and keeps nothing of them in the repository. `cargo xtask programs --check` runs
the command lines below in the engine and natively and compares output, messages and exit status;
`cargo xtask bench programs` measures how much of the measured ones (in bold) a run reaches.

Bitcode is the program's own, without the C library. Functions count those that are linked from the C library, too.
Branches are the engine's, of the program's code with the libraries it brings along; own branches are gcov's
(gcc 12, `--coverage -O0`), of the sources that are the program's own: gnulib and other libraries left out.

| program | from | bitcode | functions | branches | own branches | same output | unsupported |
|---|---|---:|---:|---:|---:|---:|---|
";

/// Writes the page.
pub fn write(
    workspace: &Workspace,
    selected: &[(&'static Package, &'static Program)],
    checked: &[Checked],
) -> Result<()> {
    let scratch = workspace.target.join("programs-check");
    create_dir(&scratch)?;
    let mut page = OPENING.to_owned();
    for ((package, program), checked) in selected.iter().zip(checked) {
        let bitcode = bitcode_size(workspace, package, program, &scratch)?;
        let own = gcov::total(&build::tree(workspace, package, Flavour::Gcov), program)?;
        page.push_str(&row(package, program, checked, bitcode, own));
    }
    page.push_str("\n## Command lines\n\nThe files `A`, `B` and `X` are a few lines of text and a small XML document.\n");
    for (_, program) in selected {
        page.push_str(&format!("\n### {}\n\n```\n", program.name));
        for check in program.checks {
            page.push_str(&command_line(program, check));
            page.push('\n');
        }
        page.push_str("```\n");
    }
    let path = workspace.root.join("docs/programs.md");
    write_atomically(&path, page.as_bytes())?;
    println!("programs: {}", path.display());
    Ok(())
}

fn row(package: &Package, program: &Program, checked: &Checked, bitcode: u64, own: usize) -> String {
    let version = package.steps.last().map_or("", |step| step.version);
    let name = if program.measured { format!("**{}**", program.name) } else { program.name.to_owned() };
    let all = program.checks.len();
    format!(
        "| {name} | {} {version} | {} kB | {} | {} | {own} | {} of {all} | {} |\n",
        package.name,
        bitcode.div_ceil(1000),
        checked.functions,
        checked.branches,
        all - checked.problems.len().min(all),
        program.unsupported,
    )
}

/// The size of the bitcode a program carries.
fn bitcode_size(workspace: &Workspace, package: &Package, program: &Program, scratch: &Path) -> Result<u64> {
    let file = scratch.join("program.bc");
    let executable = build::executable(workspace, package, program, Flavour::Forkwise);
    capture(Command::new(workspace.forkwise()).arg("extract").arg("--output").arg(&file).arg(executable))?;
    Ok(fs::metadata(&file).with_context(|| format!("cannot read {}", file.display()))?.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::select;

    #[test]
    fn a_row_has_as_many_cells_as_the_table() {
        let (package, program) = select(&["diff3".to_owned()]).unwrap()[0];
        let checked = Checked { problems: vec!["x".into()], functions: 12, branches: 34 };
        let row = row(package, program, &checked, 5_001, 56);
        assert!(
            row.starts_with("| diff3 | diffutils 3.8 | 6 kB | 12 | 34 | 56 | 1 of 2 | comparing"),
            "{row}"
        );
        let header = OPENING.lines().find(|line| line.starts_with("| program")).unwrap();
        assert_eq!(header.matches('|').count(), row.matches('|').count());
    }
}

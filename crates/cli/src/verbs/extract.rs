//! `forkwise extract`: the bitcode that a program built by `forkwise cc` carries, as a file.

use crate::app::CLEAN;
use crate::console;
use anyhow::{Context, bail};
use std::path::PathBuf;

/// Write the bitcode that a program built by `forkwise cc` carries.
#[derive(clap::Args, Debug)]
pub struct ExtractArgs {
    /// The program
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// Where to write it [default: PROGRAM.bc]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the file and says where.
pub fn main(args: &ExtractArgs) -> anyhow::Result<u8> {
    let Some(bitcode) = forkwise_ir::embedded_bitcode(&args.program)? else {
        bail!(
            "{} carries no bitcode: build it with `forkwise cc` (CC=\"forkwise cc\" ./configure && make)",
            args.program.display()
        );
    };
    let output = args.output.clone().unwrap_or_else(|| {
        let mut name = args.program.clone().into_os_string();
        name.push(".bc");
        name.into()
    });
    std::fs::write(&output, &bitcode).with_context(|| format!("cannot write {}", output.display()))?;
    console::out(format!("{}: {} bytes of bitcode\n", output.display(), bitcode.len()))?;
    Ok(CLEAN)
}

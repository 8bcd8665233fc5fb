//! Starting the compiler's programs: standard input closed, output collected, failures turned into errors that keep
//! every line of the diagnostics. Everything this crate starts goes through here.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::ToolchainError;

/// What a successful program wrote.
pub(crate) struct Output {
    pub stdout: String,
    pub stderr: String,
}

/// Runs a program to its end. `input` names what it works on, for the error.
pub(crate) fn run(command: &mut Command, input: &str) -> Result<Output, ToolchainError> {
    let program = Path::new(command.get_program()).to_path_buf();
    let output = command.stdin(Stdio::null()).output().map_err(|source| ToolchainError::Io {
        action: "start",
        path: program.clone(),
        source,
    })?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        return Err(ToolchainError::Compiler {
            program,
            input: input.into(),
            status: output.status,
            diagnostics: stderr,
        });
    }
    Ok(Output { stdout: String::from_utf8_lossy(&output.stdout).into_owned(), stderr })
}

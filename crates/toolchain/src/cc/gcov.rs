//! `forkwise cc --gcov`: the host's gcc with coverage, for a build in another tree whose counts `gcov` reads. Nothing here
//! has to do with the engine; the programs are ordinary ones for the host's C library.

use std::ffi::OsString;

use super::Language;
use super::args::{Args, Mode};
use super::plan::Call;
use crate::{Toolchain, ToolchainError};

/// The flags that come after the user's: what optimisation merges cannot be counted apart.
const FORCED: &[&str] = &["-U_FORTIFY_SOURCE", "-O0", "-g", "--coverage"];

/// The call of gcc for the words of a command line, which `read` are as they were read.
pub(super) fn call(
    toolchain: &Toolchain,
    language: Language,
    read: &Args,
    words: &[OsString],
) -> Result<Call, ToolchainError> {
    let program = match language {
        Language::C => "gcc",
        Language::Cxx => "g++",
    };
    let mut args = words.to_vec();
    args.extend(FORCED.iter().map(OsString::from));
    if read.mode == Mode::Link {
        // Counts are written at the end of a program, however it ends; `-x` must not make the object a source.
        args.extend(["-x".into(), "none".into(), toolchain.runtime()?.gcov_flush().into_os_string()]);
    }
    Ok(Call { program: program.into(), args })
}

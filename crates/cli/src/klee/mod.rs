//! KLEE's command line. (module under construction)
use std::ffi::OsString;
use std::process::ExitCode;
pub fn main(args: &[OsString]) -> ExitCode { ExitCode::from(status(args)) }
pub fn status(_args: &[OsString]) -> u8 { 2 }

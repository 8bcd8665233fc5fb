//! Writing to standard output and standard error. A reader that went away (`forkwise … | head`) is not an error and never
//! a panic; results that cannot be written for another reason are an error. Nothing else in this crate prints.

use anyhow::Context;
use std::io::{self, ErrorKind, Write};

fn put(stream: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    match stream.write_all(bytes).and_then(|()| stream.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Results, to standard output.
pub fn out(bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    put(&mut io::stdout().lock(), bytes.as_ref()).context("cannot write to standard output")
}

/// What people read meanwhile, to standard error; there is nowhere to complain if that fails.
pub fn err(bytes: impl AsRef<[u8]>) {
    let _ = put(&mut io::stderr().lock(), bytes.as_ref());
}

/// A line to standard error.
pub fn err_line(text: &str) {
    err(format!("{text}\n"));
}

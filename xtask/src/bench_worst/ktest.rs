//! Writes inputs as a `.ktest` file, version 3: what `forkwise` and the native replay library read. Nothing here knows the
//! subjects.

use std::path::Path;

use anyhow::Result;

use super::manual::Input;
use crate::workspace::write_atomically;

/// Writes a test with these inputs.
pub fn write(path: &Path, inputs: &[Input]) -> Result<()> {
    let mut bytes = b"KTEST".to_vec();
    let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u32).to_be_bytes());
    number(&mut bytes, 3);
    // One argument, the program's name; no symbolic ones.
    number(&mut bytes, 1);
    number(&mut bytes, 6);
    bytes.extend(b"manual");
    number(&mut bytes, 0);
    number(&mut bytes, 0);
    number(&mut bytes, inputs.len());
    for input in inputs {
        number(&mut bytes, input.name.len());
        bytes.extend(input.name.as_bytes());
        number(&mut bytes, input.bytes.len());
        bytes.extend(&input.bytes);
    }
    write_atomically(path, &bytes)
}

//! Ctrl-C and SIGTERM: the first asks the run to end cleanly, a second ends the process at once.

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status of a process that a second signal ended: what a shell reports for SIGINT.
const ENDED_AT_ONCE: i32 = 130;

/// The flag that the first signal sets.
pub fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupt = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the shutdown must see the flag as it was before this signal.
        flag::register_conditional_shutdown(signal, ENDED_AT_ONCE, Arc::clone(&interrupt))
            .and_then(|_| flag::register(signal, Arc::clone(&interrupt)))
            .context("cannot watch for signals")?;
    }
    Ok(interrupt)
}

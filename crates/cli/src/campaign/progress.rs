//! How far a campaign is: a bar on a terminal, plain lines elsewhere, nothing with `--quiet`.

use crate::console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Plain lines come this far apart while nothing else is said.
const PLAIN_PERIOD: Duration = Duration::from_secs(5);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// See the module text.
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: bool,
    begun: Instant,
    next: Duration,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && terminal).then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(STEPS), target);
            if let Ok(style) = ProgressStyle::with_template("{elapsed} [{bar:30}] {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Progress { bar, plain: !quiet && !terminal, begun: Instant::now(), next: PLAIN_PERIOD }
    }

    /// How much of everything is done, and what to say beside the bar.
    pub fn at(&mut self, share: f64, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
            bar.set_message(message);
        }
    }

    /// Something happened that is a line of its own where there is no bar; `important`: there, too.
    pub fn say(&mut self, text: &str, important: bool) {
        match &self.bar {
            Some(bar) if important => bar.suspend(|| console::err_line(&format!("forkwise: {text}"))),
            Some(_) => {}
            None if self.plain => {
                console::err_line(&format!("forkwise: {text}"));
                self.next = self.begun.elapsed() + PLAIN_PERIOD;
            }
            None => {}
        }
    }

    /// Time passes: the bar moves, and where there is none, now and then a line is due.
    pub fn tick(&mut self, text: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.tick();
        }
        let elapsed = self.begun.elapsed();
        if self.plain && elapsed >= self.next {
            self.next = elapsed + PLAIN_PERIOD;
            console::err_line(&format!("forkwise: {:.0} s: {}", elapsed.as_secs_f64(), text()));
        }
    }

    /// The bar goes.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! What the user sees while a run goes on: one line that changes on a terminal, a plain line every few seconds
//! elsewhere, nothing with `--quiet`. Always on standard error; results never come from here.

use crate::console;
use forkwise_explore::Progress as State;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Plain lines come this far apart.
const PLAIN_PERIOD: Duration = Duration::from_secs(5);

enum Way {
    Line(ProgressBar),
    Plain { next: Duration },
    Silent,
}

/// See the module text.
pub struct Progress {
    way: Way,
}

impl Progress {
    /// As fits standard error.
    pub fn new(quiet: bool) -> Progress {
        let way = if quiet {
            Way::Silent
        } else if std::io::stderr().is_terminal() {
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                line.set_style(style);
            }
            Way::Line(line)
        } else {
            Way::Plain { next: PLAIN_PERIOD }
        };
        Progress { way }
    }

    /// A stage that has no numbers.
    pub fn stage(&mut self, text: &str) {
        if let Way::Line(line) = &self.way {
            line.set_message(text.to_string());
            line.tick();
        }
    }

    /// The exploration goes on.
    pub fn tick(&mut self, state: &State<'_>) {
        self.tick_with(state.elapsed, || text(state));
    }

    /// Something else goes on, and can be described like this.
    pub fn tick_with(&mut self, elapsed: Duration, text: impl FnOnce() -> String) {
        match &mut self.way {
            Way::Silent => {}
            Way::Line(line) => {
                line.set_message(text());
                line.tick();
            }
            Way::Plain { next } => {
                if elapsed >= *next {
                    *next = elapsed + PLAIN_PERIOD;
                    console::err_line(&format!("forkwise: {}", text()));
                }
            }
        }
    }

    /// A line that stays.
    pub fn say(&self, text: &str) {
        match &self.way {
            Way::Silent => {}
            Way::Line(line) => line.suspend(|| console::err_line(text)),
            Way::Plain { .. } => console::err_line(text),
        }
    }

    /// The end.
    pub fn clear(&mut self) {
        if let Way::Line(line) = &self.way {
            line.finish_and_clear();
        }
    }
}

fn text(s: &State<'_>) -> String {
    let (covered, total) = s.vm.coverage.branches(&s.vm.program);
    let seconds = s.elapsed.as_secs_f64();
    format!(
        "{:.0} s: {} paths, {} states, {} tests, {} bugs, {covered}/{total} branches, {} instructions ({}/s)",
        seconds,
        s.counters.completed() + s.counters.partial(),
        s.states,
        s.counters.tests,
        s.bugs,
        short(s.counters.instructions as f64),
        short(s.counters.instructions as f64 / seconds.max(0.001)),
    )
}

/// A number in three digits or so.
pub fn short(n: f64) -> String {
    match n {
        n if n >= 1e9 => format!("{:.1} G", n / 1e9),
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e4 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [12.0, 9999.0, 12345.0, 3.4e6, 2.5e9].map(short),
            ["12", "9999", "12 k", "3.4 M", "2.5 G"]
        );
    }
}

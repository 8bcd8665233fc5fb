//! What the user sees while a command goes on: a few lines that change on a terminal, a plain line now and then elsewhere, nothing with
//! `--quiet`. Always on standard error; results never come from here. `screen` is the text of a run's lines; other verbs bring their own.

use super::now::Now;
use super::screen::Screen;
use crate::console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Plain lines come this far apart, and further apart as a run gets long.
const PLAIN_PERIOD: Duration = Duration::from_secs(5);
const LONGEST_PERIOD: Duration = Duration::from_secs(30);
/// Changes of the screen a second.
const HERTZ: u8 = 5;

enum Way {
    Lines(ProgressBar),
    Plain { next: Duration },
    Silent,
}

/// See the module text.
pub struct Progress {
    way: Way,
    screen: Screen,
    drawn: Option<Duration>,
}

/// May standard error be coloured? See no-color.org.
pub fn is_colorful() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    std::io::stderr().is_terminal()
        && !set("NO_COLOR")
        && std::env::var_os("TERM").is_some_and(|t| t != "dumb")
}

impl Progress {
    /// As fits standard error.
    pub fn new(quiet: bool) -> Progress {
        let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
        let way = if quiet {
            Way::Silent
        } else if std::io::stderr().is_terminal() && !dumb {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(HERTZ));
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            Way::Lines(bar)
        } else {
            Way::Plain { next: PLAIN_PERIOD }
        };
        Progress { way, screen: Screen::default(), drawn: None }
    }

    /// A run begins, with this search.
    pub fn begin(&mut self, search: &str) {
        self.screen = Screen::new(search, is_colorful());
        self.drawn = None;
    }

    /// A stage that has no numbers.
    pub fn stage(&mut self, text: &str) {
        if let Way::Lines(bar) = &self.way {
            bar.set_message(text.to_string());
            bar.tick();
        }
    }

    /// The exploration goes on.
    pub fn tick(&mut self, now: &Now) {
        match &mut self.way {
            Way::Silent => {}
            Way::Lines(bar) => {
                let period = Duration::from_millis(1000 / u64::from(HERTZ));
                if self.drawn.is_some_and(|d| now.elapsed.saturating_sub(d) < period) {
                    return;
                }
                self.drawn = Some(now.elapsed);
                self.screen.update(now);
                bar.set_message(self.screen.lines(now, width()).join("\n"));
                bar.tick();
            }
            Way::Plain { .. } => self.tick_with(now.elapsed, || text(now)),
        }
    }

    /// Something else goes on, and can be described like this.
    pub fn tick_with(&mut self, elapsed: Duration, text: impl FnOnce() -> String) {
        match &mut self.way {
            Way::Silent => {}
            Way::Lines(bar) => {
                bar.set_message(text());
                bar.tick();
            }
            Way::Plain { next } => {
                if elapsed >= *next {
                    *next = elapsed + (elapsed / 10).clamp(PLAIN_PERIOD, LONGEST_PERIOD);
                    console::err_line(&format!("forkwise: {}", text()));
                }
            }
        }
    }

    /// A line that stays.
    pub fn say(&self, text: &str) {
        match &self.way {
            Way::Silent => {}
            Way::Lines(bar) => bar.suspend(|| console::err_line(text)),
            Way::Plain { .. } => console::err_line(text),
        }
    }

    /// The end.
    pub fn clear(&mut self) {
        if let Way::Lines(bar) = &self.way {
            bar.finish_and_clear();
        }
    }
}

/// Columns that can be written to without the terminal breaking a line.
fn width() -> usize {
    let (_, columns) = terminal::Term::stderr().size();
    usize::from(columns).saturating_sub(1).clamp(20, 200)
}

fn text(n: &Now) -> String {
    let (covered, total) = n.branches;
    let seconds = n.elapsed.as_secs_f64();
    format!(
        "{:.0} s: {} paths, {} states, {} tests, {} bugs, {covered}/{total} branches, {} instructions ({}/s)",
        seconds,
        n.completed + n.partial,
        n.states,
        n.tests,
        n.bugs,
        short(n.instructions as f64),
        short(n.instructions as f64 / seconds.max(0.001)),
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

//! What the user sees while a command goes on: a few lines that change on a terminal, a plain line now and then elsewhere, nothing with
//! `--quiet`. Always on standard error; results never come from here. A verb brings a `Picture` of how far it is, made of the parts of `panel`
//! and `curve`; `memory` is what the trials of a campaign use. Nothing here knows what a verb does.

pub mod curve;
pub mod memory;
pub mod panel;

use crate::console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use panel::Panel;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Plain lines come this far apart, and further apart as a run gets long.
const PLAIN_PERIOD: Duration = Duration::from_secs(5);
const LONGEST_PERIOD: Duration = Duration::from_secs(30);
/// A stage without numbers is named this often where lines are plain.
const STAGE_PERIOD: Duration = Duration::from_secs(10);
/// Changes of the screen a second.
const HERTZ: u8 = 5;

/// How far a command is.
pub trait Picture {
    /// For a terminal of this width; asked for a few times a second.
    fn panel(&mut self, width: usize) -> Panel;

    /// For everything else.
    fn line(&self) -> String;
}

enum Way {
    Lines(ProgressBar),
    Plain { next: Duration, last: Instant },
    Silent,
}

/// See the module text.
pub struct Progress {
    way: Way,
    color: bool,
    drawn: Option<Instant>,
    /// Advice that was given, without its numbers.
    advised: BTreeSet<String>,
}

/// May standard error be coloured? See no-color.org.
fn is_colorful() -> bool {
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
            Way::Plain { next: PLAIN_PERIOD, last: Instant::now() }
        };
        Progress { way, color: is_colorful(), drawn: None, advised: BTreeSet::new() }
    }

    /// A stage that has no numbers.
    pub fn stage(&mut self, text: &str) {
        match &mut self.way {
            Way::Silent => {}
            Way::Lines(bar) => {
                bar.set_message(text.to_string());
                bar.tick();
            }
            Way::Plain { last, .. } if last.elapsed() >= STAGE_PERIOD => {
                *last = Instant::now();
                console::err_line(&format!("forkwise: {text}"));
            }
            Way::Plain { .. } => {}
        }
    }

    /// Time passes; this much since the verb's work began.
    pub fn tick(&mut self, elapsed: Duration, picture: &mut dyn Picture) {
        match &mut self.way {
            Way::Silent => {}
            Way::Lines(bar) => {
                let period = Duration::from_millis(1000 / u64::from(HERTZ));
                if self.drawn.is_some_and(|d| d.elapsed() < period) {
                    return;
                }
                self.drawn = Some(Instant::now());
                let width = width();
                bar.set_message(picture.panel(width).lines(width, self.color).join("\n"));
                bar.tick();
            }
            Way::Plain { next, last } => {
                if elapsed >= *next {
                    *next = elapsed + (elapsed / 10).clamp(PLAIN_PERIOD, LONGEST_PERIOD);
                    *last = Instant::now();
                    console::err_line(&format!("forkwise: {}", picture.line()));
                }
            }
        }
    }

    /// Work begins anew, with a clock of its own.
    pub fn restart(&mut self) {
        if let Way::Plain { next, .. } = &mut self.way {
            *next = PLAIN_PERIOD;
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

    /// A line that a screen shows anyway, in its own way.
    pub fn say_elsewhere(&mut self, elapsed: Duration, text: &str) {
        if let Way::Plain { next, last } = &mut self.way {
            *next = elapsed + PLAIN_PERIOD;
            *last = Instant::now();
            console::err_line(text);
        }
    }

    /// Advice is told once, and again when it is something else. Was it told now?
    pub fn advise(&mut self, advice: &str) -> bool {
        let about: String = advice.chars().filter(|c| !c.is_ascii_digit()).collect();
        let new = self.advised.insert(about);
        if new {
            self.say(&format!("forkwise: warning: {advice}"));
        }
        new
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

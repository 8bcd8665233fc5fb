//! What a live screen is made of: pieces of text that are packed into whatever width the terminal has, and the words for times and
//! sizes. Text only: it neither draws nor looks at a terminal, so that it can be tested without one.

use std::time::Duration;

/// Lines of a panel's detail.
const DETAIL: usize = 2;

/// How a piece of the screen is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// As it is.
    Plain,
    /// What is looked for first.
    Bold,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// What is rarely looked at.
    Dim,
}

/// A screen's content.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pieces: Vec<(String, Ink)>,
    /// What goes on just now, in two lines at most.
    pub detail: String,
    /// What the user should do.
    pub advice: Option<String>,
}

impl Panel {
    /// Adds a piece; an empty one is none.
    pub fn add(&mut self, text: impl Into<String>, ink: Ink) {
        self.pieces.push((text.into(), ink));
    }

    /// Adds bugs, and when the last one was found.
    pub fn add_bugs(&mut self, bugs: usize, now: Duration, last: Option<Duration>) {
        match bugs {
            0 => self.add("no bug", Ink::Plain),
            1 => self.add(format!("1 bug, {}", since("last", now, last)), Ink::Bad),
            b => self.add(format!("{b} bugs, {}", since("last", now, last)), Ink::Bad),
        }
    }

    /// Adds covered branches of all.
    pub fn add_branches(&mut self, (covered, total): (usize, usize)) {
        let share = if total == 0 { 0.0 } else { 100.0 * covered as f64 / total as f64 };
        self.add(format!("branches {covered}/{total} {share:.1} %"), Ink::Plain);
    }

    /// Adds memory in use, of what may be used.
    pub fn add_memory(&mut self, memory: u64, limit: Option<u64>) {
        let near = limit.is_some_and(|limit| memory > limit / 10 * 8);
        let text = match limit {
            Some(limit) => format!("{} of {}", size(memory), size(limit)),
            None => size(memory),
        };
        self.add(text, if near { Ink::Bad } else { Ink::Plain });
    }

    /// The lines, none wider than `width`.
    pub fn lines(&self, width: usize, color: bool) -> Vec<String> {
        let mut lines = pack(&self.pieces, width, color);
        let mut add = |text: &str, how: Ink, most: usize| {
            let mut wrapped = wrap(text, width);
            if wrapped.len() > most {
                wrapped.truncate(most);
                if let Some(last) = wrapped.last_mut() {
                    *last = last.chars().take(width.saturating_sub(2)).collect::<String>() + " …";
                }
            }
            lines.extend(wrapped.iter().map(|l| ink(l, how, color)));
        };
        if !self.detail.is_empty() {
            add(&self.detail, Ink::Dim, DETAIL);
        }
        if let Some(advice) = &self.advice {
            add(&format!("! {advice}"), Ink::Bad, usize::MAX);
        }
        lines
    }
}

/// Time that has passed, of what there is.
pub fn clock(elapsed: Duration, limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!("{} of {}", time(elapsed), time(limit)),
        None => time(elapsed),
    }
}

/// How long ago something was.
pub fn since(what: &str, now: Duration, then: Option<Duration>) -> String {
    match then {
        None => format!("no {what} yet"),
        Some(then) => format!("{what} {} ago", time(now.saturating_sub(then))),
    }
}

/// A length of time in two units at most.
pub fn time(d: Duration) -> String {
    match d.as_secs() {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 if s % 60 == 0 => format!("{} min", s / 60),
        s @ 60..3600 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// A size of memory.
fn size(bytes: u64) -> String {
    match bytes >> 20 {
        mb @ 0..10_000 => format!("{mb} MB"),
        mb => format!("{} GB", mb >> 10),
    }
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

fn ink(text: &str, ink: Ink, color: bool) -> String {
    let code = match ink {
        _ if !color => return text.to_string(),
        Ink::Plain => return text.to_string(),
        Ink::Bold => "1",
        Ink::Good => "32",
        Ink::Bad => "31",
        Ink::Dim => "2",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Pieces side by side as long as they fit.
fn pack(pieces: &[(String, Ink)], width: usize, color: bool) -> Vec<String> {
    const GAP: &str = "  ";
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (text, how) in pieces.iter().filter(|p| !p.0.is_empty()) {
        let short: String = text.chars().take(width).collect();
        let length = short.chars().count();
        let shown = ink(&short, *how, color);
        match lines.last_mut() {
            Some((used, line)) if *used + GAP.len() + length <= width => {
                line.push_str(GAP);
                line.push_str(&shown);
                *used += GAP.len() + length;
            }
            _ => lines.push((length, shown)),
        }
    }
    lines.into_iter().map(|l| l.1).collect()
}

/// A sentence in lines.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |l| l.chars().count());
        if last > 0 && last + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.into_iter().map(|l| l.chars().take(width).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [12.0, 9999.0, 12345.0, 3.4e6, 2.5e9].map(short),
            ["12", "9999", "12 k", "3.4 M", "2.5 G"]
        );
    }

    #[test]
    fn details_are_cut_and_advice_is_not() {
        let mut panel = Panel::default();
        panel.add("a piece that is wider than the terminal", Ink::Plain);
        panel.add("", Ink::Bold);
        panel.detail = "--search=frontier ".repeat(9).trim_end().to_string();
        panel.advice = Some("do something that takes more than one line".into());
        let lines = panel.lines(20, false);
        assert!(lines.iter().all(|l| l.chars().count() <= 20), "{lines:?}");
        assert_eq!(lines[0], "a piece that is wide");
        assert!(lines[2].ends_with(" …") && lines[3].starts_with("! do"), "{lines:?}");
        assert_eq!(lines[3..].join(" "), "! do something that takes more than one line");
    }
}

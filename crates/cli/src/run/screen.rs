//! The live screen of a run: a few lines that are packed into whatever width the terminal has. Text only: it neither draws nor
//! looks at a terminal, so that it can be tested without one. `progress` draws it.

use super::now::Now;
use super::progress::short;
use std::collections::VecDeque;
use std::time::Duration;

/// Points of the curve that are kept.
const HISTORY: usize = 240;
/// Rates are those of about this long.
const RECENT: Duration = Duration::from_secs(3);
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// How a piece of the screen is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ink {
    Plain,
    Bold,
    Good,
    Bad,
    Dim,
}

/// See the module text.
#[derive(Debug, Default)]
pub struct Screen {
    search: String,
    color: bool,
    /// Covered branches by time, so far apart; every other point goes when there are too many.
    curve: Vec<(Duration, usize)>,
    apart: Duration,
    last: (Duration, usize),
    recent: VecDeque<(Duration, u64, u64, Duration)>,
}

impl Screen {
    /// For a run with this search.
    pub fn new(search: &str, color: bool) -> Screen {
        Screen { search: search.to_string(), color, ..Screen::default() }
    }

    /// Takes in new figures.
    pub fn update(&mut self, n: &Now) {
        self.last = (n.elapsed, n.branches.0);
        if self.curve.last().is_none_or(|l| n.elapsed >= l.0 + self.apart) {
            self.curve.push(self.last);
        }
        if self.curve.len() > HISTORY {
            self.apart = (self.apart * 2).max(n.elapsed / HISTORY as u32);
            let mut keep = false;
            self.curve.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.recent.push_back((n.elapsed, n.queries, n.instructions, n.solver));
        while self.recent.len() > 2 && n.elapsed.saturating_sub(self.recent[1].0) > RECENT {
            self.recent.pop_front();
        }
    }

    /// The lines, none wider than `width`.
    pub fn lines(&self, n: &Now, width: usize) -> Vec<String> {
        let mut pieces = vec![(self.clock(n), Ink::Bold)];
        let (covered, total) = n.branches;
        let share = if total == 0 { 0.0 } else { 100.0 * covered as f64 / total as f64 };
        let room = (width / 5).clamp(6, 20);
        pieces.push((format!("branches {covered}/{total} {share:.1} %"), Ink::Plain));
        pieces.push((self.sparkline(room), Ink::Good));
        pieces.push((since("new branch", n.elapsed, n.last_branch), Ink::Dim));
        let bugs = match n.bugs {
            0 => ("no bug".to_string(), Ink::Plain),
            1 => (format!("1 bug, {}", since("last", n.elapsed, n.last_bug)), Ink::Bad),
            b => (format!("{b} bugs, {}", since("last", n.elapsed, n.last_bug)), Ink::Bad),
        };
        pieces.push(bugs);
        pieces.push((format!("{} paths", short((n.completed + n.partial) as f64)), Ink::Plain));
        pieces.push((format!("{} states", short(n.states as f64)), Ink::Plain));
        pieces.push((format!("{} tests", short(n.tests as f64)), Ink::Plain));
        let (queries, instructions, solving) = self.rates();
        pieces.push((format!("{} instr/s", short(instructions)), Ink::Plain));
        pieces.push((format!("{} queries/s", short(queries)), Ink::Plain));
        pieces.push((format!("solver {:.0} %", 100.0 * solving), Ink::Plain));
        pieces.push((memory(n), if near_limit(n) { Ink::Bad } else { Ink::Plain }));
        pieces.push((format!("search {}", self.search), Ink::Dim));
        let mut lines = pack(&pieces, width, self.color);
        if let Some(advice) = n.advice() {
            lines.extend(
                wrap(&format!("! {advice}"), width).into_iter().map(|l| ink(&l, Ink::Bad, self.color)),
            );
        }
        lines
    }

    fn clock(&self, n: &Now) -> String {
        match n.time_limit {
            Some(limit) => format!("{} of {}", time(n.elapsed), time(limit)),
            None => time(n.elapsed),
        }
    }

    /// Queries and instructions a second, and the share of the solver, lately.
    fn rates(&self) -> (f64, f64, f64) {
        let (Some(a), Some(b)) = (self.recent.front(), self.recent.back()) else { return (0.0, 0.0, 0.0) };
        let seconds = b.0.saturating_sub(a.0).as_secs_f64();
        if seconds <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        let rate = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
        let solving = b.3.saturating_sub(a.3).as_secs_f64() / seconds;
        (rate(a.1, b.1), rate(a.2, b.2), solving.min(1.0))
    }

    /// The curve of covered branches in so many characters.
    fn sparkline(&self, width: usize) -> String {
        let Some(first) = self.curve.first() else { return String::new() };
        let last = self.last;
        let span = last.0.saturating_sub(first.0).as_secs_f64().max(1e-9);
        let top = last.1.max(1) as f64;
        let at = |i: usize| {
            let t = first.0.as_secs_f64() + span * (i + 1) as f64 / width as f64;
            if i + 1 == width {
                return last.1 as f64;
            }
            let after = self.curve.partition_point(|p| p.0.as_secs_f64() <= t + 1e-9);
            self.curve[after.saturating_sub(1)].1 as f64
        };
        (0..width).map(|i| BARS[((at(i) / top * 7.0).round() as usize).min(7)]).collect()
    }
}

fn since(what: &str, now: Duration, then: Option<Duration>) -> String {
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

fn near_limit(n: &Now) -> bool {
    n.memory_limit.is_some_and(|limit| n.memory > limit / 10 * 8)
}

fn memory(n: &Now) -> String {
    let size = |bytes: u64| match bytes >> 20 {
        mb @ 0..10_000 => format!("{mb} MB"),
        mb => format!("{} GB", mb >> 10),
    };
    match n.memory_limit {
        Some(limit) => format!("{} of {}", size(n.memory), size(limit)),
        None => size(n.memory),
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

    fn now(seconds: u64, branches: usize) -> Now {
        Now {
            elapsed: Duration::from_secs(seconds),
            time_limit: Some(Duration::from_secs(300)),
            instructions: seconds * 12_300_000,
            states: 4321,
            completed: 1234,
            tests: 1200,
            bugs: 2,
            branches: (branches, 1000),
            queries: seconds * 900,
            solver: Duration::from_millis(seconds * 340),
            memory: 812 << 20,
            memory_limit: Some(18_900 << 20),
            last_branch: Some(Duration::from_secs(seconds.saturating_sub(3))),
            last_bug: Some(Duration::from_secs(1)),
            ..Now::default()
        }
    }

    fn screen(width: usize, color: bool) -> Vec<String> {
        let mut screen = Screen::new("frontier", color);
        (1..=20).for_each(|s| screen.update(&now(s, s as usize * 10)));
        screen.lines(&now(20, 200), width)
    }

    #[test]
    fn everything_is_there_at_every_width() {
        for width in [40, 80, 120] {
            let lines = screen(width, false);
            for line in &lines {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
            let all = lines.join("  ");
            for part in [
                "20 s of 5 min",
                "branches 200/1000 20.0 %",
                "▇█",
                "new branch 3 s ago",
                "2 bugs, last 19 s ago",
                "1234 paths",
                "4321 states",
                "12.3 M instr/s",
                "900 queries/s",
                "solver 34 %",
                "812 MB of 18 GB",
                "search frontier",
            ] {
                assert!(all.contains(part), "{part} is missing in {lines:?}");
            }
        }
        assert!(screen(120, false).len() < screen(40, false).len());
    }

    #[test]
    fn colors_come_only_when_wanted() {
        assert!(!screen(80, false).join("").contains('\u{1b}'));
        assert!(screen(80, true).join("").contains("\u{1b}[31m2 bugs"));
    }

    #[test]
    fn what_to_do_is_said() {
        let mut stuck = now(400, 50);
        stuck.last_branch = Some(Duration::from_secs(10));
        let lines = Screen::new("dfs", false).lines(&stuck, 40);
        assert!(lines.iter().any(|l| l.starts_with("! no new branch for 6 min 30 s")), "{lines:?}");
        stuck.dropped = 7;
        assert!(stuck.advice().is_some_and(|a| a.contains("--max-memory")));
        assert!(now(400, 50).advice().is_none());
    }

    #[test]
    fn long_runs_keep_their_curve() {
        let mut screen = Screen::new("x", false);
        (0..100_000u64).for_each(|s| screen.update(&now(s, s as usize)));
        assert!(screen.curve.len() <= HISTORY && screen.recent.len() < 10);
        assert_eq!(screen.sparkline(8).chars().last(), Some('█'));
        assert_eq!(screen.sparkline(8).chars().next(), Some('▂'));
    }
}

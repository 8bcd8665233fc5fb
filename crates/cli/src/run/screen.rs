//! The live screen of a run, and its plain line. `live` draws them.

use super::now::Now;
use crate::live::Picture;
use crate::live::curve::{Curve, Rates};
use crate::live::panel::{Ink, Panel, clock, short, since};

/// See the module text.
#[derive(Debug, Default)]
pub struct Screen {
    search: String,
    curve: Curve,
    /// Queries, instructions, seconds in the solver.
    rates: Rates<3>,
    /// The figures that are shown.
    pub now: Now,
}

impl Screen {
    /// For a run with this search.
    pub fn new(search: &str) -> Screen {
        Screen { search: search.to_string(), ..Screen::default() }
    }
}

impl Picture for Screen {
    fn panel(&mut self, width: usize) -> Panel {
        let n = &self.now;
        self.curve.add(n.elapsed, n.branches.0 as u64);
        self.rates.add(n.elapsed, [n.queries as f64, n.instructions as f64, n.solver.as_secs_f64()]);
        let [queries, instructions, solving] = self.rates.by_second();
        let mut panel = Panel::default();
        panel.add(clock(n.elapsed, n.time_limit), Ink::Bold);
        panel.add_branches(n.branches);
        panel.add(self.curve.shown(width), Ink::Good);
        panel.add(since("new branch", n.elapsed, n.last_branch), Ink::Dim);
        panel.add_bugs(n.bugs, n.elapsed, n.last_bug);
        panel.add(format!("{} paths", short((n.completed + n.partial) as f64)), Ink::Plain);
        panel.add(format!("{} states", short(n.states as f64)), Ink::Plain);
        panel.add(format!("{} tests", short(n.tests as f64)), Ink::Plain);
        panel.add(format!("{} instr/s", short(instructions)), Ink::Plain);
        panel.add(format!("{} queries/s", short(queries)), Ink::Plain);
        panel.add(format!("solver {:.0} %", 100.0 * solving.min(1.0)), Ink::Plain);
        panel.add_memory(n.memory, n.memory_limit);
        panel.add(format!("search {}", self.search), Ink::Dim);
        panel.advice = n.advice();
        panel
    }

    fn line(&self) -> String {
        let n = &self.now;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

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
        let mut screen = Screen::new("frontier");
        (1..=20).for_each(|s| {
            screen.now = now(s, s as usize * 10);
            screen.panel(width);
        });
        screen.panel(width).lines(width, color)
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
        let mut screen = Screen::new("dfs");
        screen.now = stuck.clone();
        let lines = screen.panel(40).lines(40, false);
        assert!(lines.iter().any(|l| l.starts_with("! no new branch for 6 min 30 s")), "{lines:?}");
        stuck.dropped = 7;
        assert!(stuck.advice().is_some_and(|a| a.contains("--max-memory")));
        assert!(now(400, 50).advice().is_none());
    }
}

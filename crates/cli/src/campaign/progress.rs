//! How far a campaign is: the live screen of everything that runs trials (`compare`, `train`, `tune`), and its plain lines. The verbs fill in
//! the figures; what is drawn and when is `live`'s.

use crate::live::curve::Curve;
use crate::live::memory::Children;
use crate::live::panel::{Ink, Panel, clock, since, time};
use crate::live::{self, Picture};
use forkwise_campaign::{Bug, Outcome};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Advice is not hurried.
const PATIENCE: Duration = Duration::from_secs(120);
/// So many failed trials are no accident.
const FAILURES: usize = 3;

/// What is known of a campaign.
#[derive(Debug, Default)]
pub struct Figures {
    /// The time there is for what goes on.
    pub limit: Option<Duration>,
    /// What of it earlier processes used.
    pub spent: Duration,
    /// Trials that are done, and those of them that earlier processes did.
    pub done: usize,
    /// See above.
    pub reused: usize,
    /// Trials that there will be.
    pub total: Option<usize>,
    /// Trials that run now.
    pub running: usize,
    /// Trials that crashed, hung or could not begin, and what the last of them said.
    pub failed: (usize, String),
    /// The best so far, in words.
    pub best: String,
    /// Branches that all trials covered together, of how many.
    pub branches: (usize, usize),
    /// Distinct bugs.
    pub bugs: usize,
    /// What goes on, in a word or two.
    pub doing: String,
    /// The same in full: parameters, the last trial.
    pub detail: String,
    /// What to do when nothing new comes any more.
    pub hint: &'static str,
    /// What all trials may use together.
    pub memory_limit: Option<u64>,
    /// How long all trials should take, as long as none is done.
    pub expected: Option<Duration>,
    /// Trials of all batches.
    pub tried: usize,
    /// Branches of trials, by number.
    pub arms: BTreeSet<u32>,
    /// Bugs of trials.
    pub found: BTreeSet<Bug>,
}

impl Figures {
    /// A trial is done.
    pub fn add(&mut self, outcome: &Outcome) {
        self.tried += 1;
        self.arms.extend(&outcome.arms);
        self.found.extend(outcome.bugs.iter().cloned());
        self.branches = (self.arms.len(), self.branches.1.max(outcome.total as usize));
        self.bugs = self.found.len();
        if let Some(trouble) = outcome.end.trouble() {
            self.fail(trouble);
        }
    }

    /// A trial failed.
    pub fn fail(&mut self, why: &str) {
        self.failed = (self.failed.0 + 1, why.lines().next().unwrap_or("").to_string());
    }
}

/// The figures with their history.
#[derive(Debug, Default)]
struct Screen {
    figures: Figures,
    elapsed: Duration,
    curve: Curve,
    bugs: Curve,
    children: Children,
    line: String,
}

impl Screen {
    fn look(&mut self, elapsed: Duration) {
        self.elapsed = elapsed;
        self.curve.add(elapsed, self.figures.branches.0 as u64);
        self.bugs.add(elapsed, self.figures.bugs as u64);
    }

    /// The time that passed, of what there is; or what is left, going by the trials so far.
    fn clock(&self) -> String {
        let f = &self.figures;
        let passed = self.elapsed + f.spent;
        let fresh = f.done.saturating_sub(f.reused);
        match (f.limit, f.total) {
            (None, Some(total)) if fresh > 0 && total > f.done => {
                let left = self.elapsed.mul_f64((total - f.done) as f64 / fresh as f64);
                format!("{}, about {} left", time(passed), time(left))
            }
            (None, Some(_)) if fresh == 0 && f.expected.is_some_and(|e| e > self.elapsed) => {
                let left = f.expected.unwrap_or_default().saturating_sub(self.elapsed);
                format!("{}, about {} left", time(passed), time(left))
            }
            (limit, _) => clock(passed, limit),
        }
    }

    /// What the user should do about how it goes, if anything.
    fn advice(&self, memory: u64) -> Option<String> {
        let f = &self.figures;
        let (failed, why) = &f.failed;
        if *failed >= FAILURES && failed * 2 > f.tried {
            return Some(format!(
                "{failed} of {} trials failed ({why}): `forkwise run` with the same options shows more; fewer --jobs leave each more memory",
                f.tried
            ));
        }
        if f.memory_limit.is_some_and(|limit| memory > limit / 10 * 9) {
            return Some(
                "the trials use nearly all memory they may use: fewer --jobs leave each more".into(),
            );
        }
        let idle = self.elapsed.saturating_sub(self.curve.gained().unwrap_or_default());
        let (covered, total) = f.branches;
        if !f.hint.is_empty() && (covered < total || total == 0) && idle > PATIENCE.max(self.elapsed / 2) {
            return Some(format!("no new branch for {}: {}", time(idle), f.hint));
        }
        None
    }
}

impl Picture for Screen {
    fn panel(&mut self, width: usize) -> Panel {
        let memory = self.children.resident();
        let f = &self.figures;
        let mut panel = Panel::default();
        panel.add(self.clock(), Ink::Bold);
        panel.add(f.doing.clone(), Ink::Bold);
        match f.total {
            Some(total) => panel.add(format!("{}/{total} trials", f.done), Ink::Plain),
            None => panel.add(format!("{} trials", f.done), Ink::Plain),
        }
        panel.add(format!("{} running", f.running), Ink::Plain);
        match f.failed.0 {
            0 => panel.add("none failed", Ink::Dim),
            n => panel.add(format!("{n} failed"), Ink::Bad),
        }
        panel.add(f.best.clone(), Ink::Good);
        match f.branches {
            (covered, 0) => panel.add(format!("branches {covered}"), Ink::Plain),
            branches => panel.add_branches(branches),
        }
        panel.add(self.curve.shown(width), Ink::Good);
        panel.add(since("new branch", self.elapsed, self.curve.gained()), Ink::Dim);
        panel.add_bugs(f.bugs, self.elapsed, self.bugs.gained());
        if memory > 0 {
            panel.add_memory(memory, f.memory_limit);
        }
        panel.detail = f.detail.clone();
        panel.advice = self.advice(memory);
        panel
    }

    fn line(&self) -> String {
        format!("{:.0} s: {}", (self.elapsed + self.figures.spent).as_secs_f64(), self.line)
    }
}

/// See the module text.
pub struct Progress {
    live: live::Progress,
    begun: Instant,
    screen: Screen,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(quiet: bool) -> Progress {
        Progress { live: live::Progress::new(quiet), begun: Instant::now(), screen: Screen::default() }
    }

    /// What is shown.
    pub fn figures(&mut self) -> &mut Figures {
        &mut self.screen.figures
    }

    /// Something else begins: its trials are counted from nothing.
    pub fn begin(&mut self, figures: Figures) {
        let memory_limit = figures.memory_limit.or(self.screen.figures.memory_limit);
        self.begun = Instant::now();
        self.screen = Screen { figures: Figures { memory_limit, ..figures }, ..Screen::default() };
        self.live.restart();
    }

    /// Something happened that is a line of its own where there is no screen; `important`: there, too.
    pub fn say(&mut self, text: &str, important: bool) {
        let text = format!("forkwise: {text}");
        match important {
            true => self.live.say(&text),
            false => self.live.say_elsewhere(self.begun.elapsed(), &text),
        }
    }

    /// Time passes: the screen changes, and where there is none, now and then a line is due.
    pub fn tick(&mut self, text: impl FnOnce() -> String) {
        let elapsed = self.begun.elapsed();
        self.screen.look(elapsed);
        self.screen.line = text();
        self.live.tick(elapsed, &mut self.screen);
        if let Some(advice) = self.screen.advice(0) {
            self.live.advise(&advice);
        }
    }

    /// The screen goes.
    pub fn clear(&mut self) {
        self.live.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen() -> Screen {
        let figures = Figures {
            done: 4,
            tried: 4,
            reused: 1,
            total: Some(10),
            running: 2,
            best: "best dfs 34.5".into(),
            branches: (40, 100),
            bugs: 1,
            doing: "comparing".into(),
            detail: "last dfs, seed 3: 34 branches, 0 bugs".into(),
            memory_limit: Some(2 << 30),
            ..Figures::default()
        };
        let mut screen = Screen { figures, ..Screen::default() };
        screen.look(Duration::from_secs(30));
        screen
    }

    #[test]
    fn everything_is_there_at_every_width() {
        for width in [40, 80, 120] {
            let lines = screen().panel(width).lines(width, false);
            assert!(lines.iter().all(|l| l.chars().count() <= width), "{lines:?}");
            let all = lines.join("  ");
            for part in [
                "30 s, about 1 min left",
                "comparing",
                "4/10 trials",
                "2 running",
                "none failed",
                "best dfs 34.5",
                "branches 40/100 40.0 %",
                "█",
                "new branch 0 s ago",
                "1 bug, last",
                "last dfs, seed 3",
            ] {
                assert!(all.contains(part), "{part} is missing in {lines:?}");
            }
        }
    }

    #[test]
    fn what_to_do_is_said() {
        let mut screen = screen();
        assert!(screen.advice(0).is_none());
        assert!(screen.advice(2 << 30).is_some_and(|a| a.contains("--jobs")));
        screen.figures.hint = "more of everything may help";
        screen.look(Duration::from_secs(400));
        let advice = screen.advice(0).unwrap_or_default();
        assert_eq!(advice, "no new branch for 6 min 10 s: more of everything may help");
        (0..3).for_each(|_| screen.figures.fail("killed by signal 9\nmore"));
        let advice = screen.advice(0).unwrap_or_default();
        assert!(advice.starts_with("3 of 4 trials failed (killed by signal 9): "), "{advice}");
    }
}

//! `events.jsonl`, read back: the course of a run. A last line that was cut off, and lines that mean nothing to us, are passed over.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The figures of a run at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Time since the run began.
    pub seconds: f64,
    /// Instructions executed.
    pub instructions: u64,
    /// States alive.
    pub states: u64,
    /// Tests written.
    pub tests: u64,
    /// Distinct bugs.
    pub bugs: u64,
    /// Arms taken.
    pub branches_covered: u64,
    /// Arms there are.
    pub branches_total: u64,
    /// Lines executed.
    pub lines_covered: u64,
    /// Lines there are.
    pub lines_total: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Time of the solver.
    pub solver_seconds: f64,
    /// States forked.
    pub forks: u64,
    /// Memory in use.
    pub memory_bytes: u64,
}

/// See the module text.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The program.
    pub program: String,
    /// Who chose what was explored.
    pub search: String,
    /// The seed.
    pub seed: Option<u64>,
    /// Figures by time.
    pub samples: Vec<Sample>,
    /// Coverage by time: seconds, arms; finer than `samples`.
    pub coverage: Vec<(f64, u64)>,
    /// Of each arm: the first test that reached it.
    pub first_test: BTreeMap<u32, u32>,
    /// Of each test that reached something first: when, and which arms.
    pub reached: BTreeMap<u32, (f64, Vec<u32>)>,
    /// When each bug was found, by its name.
    pub bugs: BTreeMap<String, f64>,
    /// Warnings: when, and what.
    pub warnings: Vec<(f64, String)>,
    /// Why it stopped.
    pub stop: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Start {
        #[serde(default)]
        program: String,
        #[serde(default)]
        search: String,
        seed: Option<u64>,
    },
    Progress(Sample),
    Test {
        #[serde(default)]
        seconds: f64,
        number: u32,
        #[serde(default)]
        arms: Vec<u32>,
        #[serde(default)]
        branches_covered: u64,
    },
    Bug {
        #[serde(default)]
        seconds: f64,
        bug: Named,
    },
    Warning {
        #[serde(default)]
        seconds: f64,
        text: String,
    },
    Stop {
        #[serde(default)]
        stop_reason: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    id: String,
}

/// Reads the text of the file.
pub fn read_events(text: &str) -> Events {
    let mut out = Events::default();
    for event in text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok()) {
        match event {
            Event::Start { program, search, seed } => {
                (out.program, out.search, out.seed) = (program, search, seed);
            }
            Event::Progress(sample) if sample.seconds.is_finite() => {
                out.coverage.push((sample.seconds, sample.branches_covered));
                out.samples.push(sample);
            }
            Event::Test { seconds, number, arms, branches_covered } => {
                out.coverage.push((seconds, branches_covered));
                for arm in &arms {
                    out.first_test.entry(*arm).or_insert(number);
                }
                out.reached.insert(number, (seconds, arms));
            }
            Event::Bug { seconds, bug } => drop(out.bugs.insert(bug.id, seconds)),
            Event::Warning { seconds, text } => out.warnings.push((seconds, text)),
            Event::Stop { stop_reason } => out.stop = Some(stop_reason),
            Event::Progress(_) | Event::Other => {}
        }
    }
    // Tests are told of when they are written, a moment after they were covered.
    out.coverage.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut most = 0;
    for point in &mut out.coverage {
        most = most.max(point.1);
        point.1 = most;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_passed_over() {
        let text = "{\"event\":\"start\",\"program\":\"p\",\"seed\":3}\n{\"event\":\"later\",\"x\":1}\n\
                    {\"event\":\"progress\",\"seconds\":1.5,\"branches_covered\":4}\n\
                    {\"event\":\"test\",\"seconds\":0.5,\"number\":7,\"arms\":[2,5],\"branches_covered\":2}\n\
                    nonsense\n{\"event\":\"progress\",\"secon";
        let events = read_events(text);
        assert_eq!((events.program.as_str(), events.seed), ("p", Some(3)));
        assert_eq!(events.coverage, [(0.5, 2), (1.5, 4)]);
        assert_eq!(events.first_test.get(&5), Some(&7));
        assert_eq!(events.samples.len(), 1);
        assert!(events.stop.is_none());
    }
}

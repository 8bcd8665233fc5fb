//! The fewest tests that cover what all of them cover and show the bugs that all of them show: greedy set cover, then
//! what later choices made superfluous goes again. The choice depends on the tests and their order alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::coverage::Coverage;
use crate::crash::NativeBug;

/// What is known of a test.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// The branches it covers.
    pub coverage: Coverage,
    /// The bug it shows.
    pub bug: Option<NativeBug>,
    /// How large its inputs are; of tests that do the same the smaller one is kept.
    pub size: usize,
}

/// The tests to keep, in order.
pub fn select(tests: &[Candidate]) -> Vec<usize> {
    let mut for_bugs: BTreeMap<&NativeBug, usize> = BTreeMap::new();
    for (index, test) in tests.iter().enumerate() {
        if let Some(bug) = &test.bug {
            let best = for_bugs.entry(bug).or_insert(index);
            if tests[*best].size > test.size {
                *best = index;
            }
        }
    }
    let needed: Vec<usize> = {
        let mut indices: Vec<usize> = for_bugs.values().copied().collect();
        indices.sort_unstable();
        indices
    };
    let mut covered = Coverage::default();
    for index in &needed {
        covered.add(&tests[*index].coverage);
    }

    // What a test adds only shrinks as others are taken, so an old figure is an upper bound: a test whose figure is
    // still right when it comes first is the best one.
    let rank = |index: usize, gain: usize| (gain, Reverse(tests[index].size), Reverse(index));
    let mut heap: BinaryHeap<_> = (0..tests.len())
        .map(|index| rank(index, tests[index].coverage.covered()))
        .filter(|(gain, ..)| *gain > 0)
        .collect();
    let mut chosen = Vec::new();
    while let Some((gain, _, Reverse(index))) = heap.pop() {
        let now = tests[index].coverage.beyond(&covered);
        if now == 0 {
            continue;
        }
        if now == gain {
            covered.add(&tests[index].coverage);
            chosen.push(index);
        } else {
            heap.push(rank(index, now));
        }
    }
    prune(tests, &needed, chosen)
}

/// Leaves out tests whose branches are all covered by the others; the last chosen added least and are kept longest.
fn prune(tests: &[Candidate], needed: &[usize], chosen: Vec<usize>) -> Vec<usize> {
    let mut times: Vec<u32> = Vec::new();
    for index in needed.iter().chain(&chosen) {
        let coverage = &tests[*index].coverage;
        times.resize(times.len().max(coverage.total()), 0);
        coverage.iter().for_each(|branch| times[branch] += 1);
    }
    let mut kept: Vec<usize> = needed.to_vec();
    for index in chosen {
        let coverage = &tests[index].coverage;
        if coverage.iter().all(|branch| times[branch] > 1) {
            coverage.iter().for_each(|branch| times[branch] -= 1);
        } else {
            kept.push(index);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(counters: &[u8], bug: Option<&str>, size: usize) -> Candidate {
        let bug = bug.map(|kind| NativeBug { kind: kind.into(), place: String::new() });
        Candidate { coverage: Coverage::from_counters(counters), bug, size }
    }

    #[test]
    fn the_fewest_tests_are_kept() {
        let tests = [
            test(&[1, 0, 0, 0, 0, 0], None, 1),
            test(&[1, 1, 1, 1, 0, 0], None, 9),
            test(&[1, 1, 1, 1, 0, 0], None, 5),
            test(&[0, 0, 0, 0, 1, 0], None, 5),
            test(&[0, 0, 0, 0, 0, 0], None, 0),
        ];
        assert_eq!(select(&tests), [2, 3]);
        assert_eq!(select(&[]), [0usize; 0]);
    }

    #[test]
    fn every_bug_keeps_its_smallest_test() {
        let tests = [
            test(&[1, 1, 1], None, 1),
            test(&[1, 0, 0], Some("a"), 9),
            test(&[1, 0, 0], Some("a"), 4),
            test(&[1, 0, 0], Some("b"), 9),
        ];
        assert_eq!(select(&tests), [0, 2, 3]);
    }

    #[test]
    fn greedy_mistakes_are_undone() {
        // The first choice, four branches, is superfluous once the two others are there.
        let tests = [
            test(&[0, 1, 1, 1, 1, 0], None, 1),
            test(&[1, 1, 1, 0, 0, 0], None, 1),
            test(&[0, 0, 0, 1, 1, 1], None, 1),
        ];
        assert_eq!(select(&tests), [1, 2]);
    }
}

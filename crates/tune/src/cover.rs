//! The core of the data (section 3.3.2): few tests that together reach every branch and every bug. Greedy, with the
//! earliest test where two add as much; a heap of bounds saves looking at every test in every step, since what a test
//! adds only ever shrinks.

use crate::data::{Data, Record};
use crate::space::Vector;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A test of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Its place in [`Data::records`].
    pub record: usize,
    /// What it added to those before it.
    pub added: usize,
}

/// The greedy cover, in the order of choice; at most `most` tests.
pub fn greedy(records: &[Record], most: usize) -> Vec<Chosen> {
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        records.iter().enumerate().map(|(i, r)| (r.facts.len(), Reverse(i))).collect();
    let mut covered: FxHashSet<u32> = FxHashSet::default();
    let mut chosen = Vec::new();
    while let Some((bound, Reverse(i))) = heap.pop() {
        if bound == 0 || chosen.len() == most {
            break;
        }
        let facts = &records[i].facts;
        let adds = facts.iter().filter(|f| !covered.contains(*f)).count();
        if adds < bound {
            heap.push((adds, Reverse(i)));
            continue;
        }
        covered.extend(facts.iter());
        chosen.push(Chosen { record: i, added: adds });
    }
    chosen
}

/// `CoreV`: the vectors of the core, one that gave two tests of it twice.
pub fn core_vectors(data: &Data) -> Vec<&Vector> {
    greedy(&data.records, usize::MAX).iter().map(|c| &data.vectors[data.records[c.record].vector]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(facts: &[u32]) -> Record {
        Record { facts: facts.into(), vector: 0, test: String::new() }
    }

    #[test]
    fn the_example_of_the_paper() {
        // Section 3.3.1: the core of four tests is the second and the third.
        let mut data = Data::default();
        let vectors: Vec<Vector> = (0..4).map(|i| Vector(vec![vec![Some(format!("V{}", i + 1))]])).collect();
        let found: [(&[u32], &[&str]); 4] =
            [(&[1, 2, 5], &[]), (&[5], &["foo"]), (&[1, 2, 3, 4], &[]), (&[2, 3, 4], &[])];
        for (i, (branches, bugs)) in found.iter().enumerate() {
            let v = data.add_vector(vectors[i].clone());
            let bugs = bugs.iter().map(|f| (f.to_string(), 3));
            data.add_test(v, &format!("t{i}"), branches.iter().copied(), bugs);
        }
        let core: Vec<usize> = greedy(&data.records, usize::MAX).iter().map(|c| c.record).collect();
        assert_eq!(core, [2, 1]);
        assert_eq!(core_vectors(&data), [&vectors[2], &vectors[1]]);
        assert_eq!(data.total_vectors().len(), 4);
    }

    #[test]
    fn a_vector_with_two_core_tests_counts_twice() {
        let mut data = Data::default();
        let a = data.add_vector(Vector(vec![vec![Some("a".into())]]));
        let b = data.add_vector(Vector(vec![vec![Some("b".into())]]));
        data.add_test(a, "1", [1, 2], []);
        data.add_test(a, "2", [3, 4, 5], []);
        data.add_test(b, "3", [4], []);
        assert_eq!(core_vectors(&data), [&data.vectors[a], &data.vectors[a]]);
        assert_eq!(greedy(&data.records, 1), [Chosen { record: 1, added: 3 }]);
    }

    /// The size of a smallest cover, by trying everything.
    fn smallest(sets: &[Vec<u32>]) -> usize {
        let all: u32 = sets.iter().flatten().fold(0, |m, f| m | 1 << f);
        let masks: Vec<u32> = sets.iter().map(|s| s.iter().fold(0, |m, f| m | 1 << f)).collect();
        (0..1u32 << sets.len())
            .filter(|pick| {
                let part = masks.iter().enumerate().filter(|(i, _)| pick >> i & 1 == 1);
                part.fold(0, |m, (_, s)| m | s) == all
            })
            .map(|pick| pick.count_ones() as usize)
            .min()
            .unwrap_or(0)
    }

    /// Greedy as it is written in a textbook.
    fn plain(sets: &[Vec<u32>]) -> Vec<usize> {
        let mut covered = FxHashSet::default();
        let mut out = Vec::new();
        loop {
            let adds = |i: usize| sets[i].iter().filter(|f| !covered.contains(*f)).count();
            let Some(best) = (0..sets.len()).max_by_key(|i| (adds(*i), Reverse(*i))) else { return out };
            if adds(best) == 0 {
                return out;
            }
            covered.extend(sets[best].iter().copied());
            out.push(best);
        }
    }

    proptest! {
        #[test]
        fn it_covers_everything_with_nearly_the_fewest(
            sets in prop::collection::vec(prop::collection::btree_set(0u32..12, 0..6), 1..10)
        ) {
            let sets: Vec<Vec<u32>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
            let records: Vec<Record> = sets.iter().map(|s| record(s)).collect();
            let chosen: Vec<usize> = greedy(&records, usize::MAX).iter().map(|c| c.record).collect();
            prop_assert_eq!(&chosen, &plain(&sets));
            let union = |picked: &mut dyn Iterator<Item = &Vec<u32>>| {
                picked.flatten().copied().collect::<std::collections::BTreeSet<u32>>()
            };
            prop_assert_eq!(union(&mut chosen.iter().map(|i| &sets[*i])), union(&mut sets.iter()));
            // Greedy needs at most H(largest set) times the fewest; H(5) < 2.3.
            prop_assert!(chosen.len() as f64 <= 2.3 * smallest(&sets) as f64);
        }
    }
}

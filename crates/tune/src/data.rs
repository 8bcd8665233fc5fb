//! The learning data: what each test reached (branches and bugs), and which vector it came from. Tests that reach exactly
//! what an earlier one reached are counted and forgotten, as no cover ever takes them.

use crate::space::Vector;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// A bug: the function and the line it is in.
pub type Bug = (String, u32);

/// Numbers of bugs begin here, above all branches.
const BUGS: u32 = 1 << 31;

/// A test that somebody may want again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it reached: branches by number, and bugs, sorted.
    pub facts: Box<[u32]>,
    /// The vector of its run, as a place in [`Data::vectors`].
    pub vector: usize,
    /// Its name, which is the caller's.
    pub test: String,
}

/// Everything that is known.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Vectors in the order of their runs.
    pub vectors: Vec<Vector>,
    /// Tests that differ in what they reach.
    pub records: Vec<Record>,
    /// All tests, those that were forgotten included.
    pub tests: u64,
    bugs: Vec<Bug>,
    numbers: FxHashMap<Bug, u32>,
    reached: FxHashSet<u32>,
    known: FxHashMap<u64, Vec<usize>>,
}

impl Data {
    /// A run begins or began: its vector's number.
    pub fn add_vector(&mut self, vector: Vector) -> usize {
        self.vectors.push(vector);
        self.vectors.len() - 1
    }

    /// A test of a run. Returns how much of what it reached was new.
    pub fn add_test(
        &mut self,
        vector: usize,
        test: &str,
        branches: impl IntoIterator<Item = u32>,
        bugs: impl IntoIterator<Item = Bug>,
    ) -> usize {
        self.tests += 1;
        let mut facts: Vec<u32> = branches.into_iter().filter(|b| *b < BUGS).collect();
        for bug in bugs {
            let next = BUGS + self.bugs.len() as u32;
            let list = &mut self.bugs;
            facts.push(*self.numbers.entry(bug).or_insert_with_key(|bug| {
                list.push(bug.clone());
                next
            }));
        }
        facts.sort_unstable();
        facts.dedup();
        let new = facts.iter().filter(|f| self.reached.insert(**f)).count();
        let mut hasher = FxHasher::default();
        facts.hash(&mut hasher);
        let same = self.known.entry(hasher.finish()).or_default();
        if !same.iter().any(|i| *self.records[*i].facts == facts[..]) && !facts.is_empty() {
            same.push(self.records.len());
            self.records.push(Record { facts: facts.into(), vector, test: test.to_string() });
        }
        new
    }

    /// Branches reached so far.
    pub fn branches(&self) -> usize {
        self.reached.len() - self.bugs.len()
    }

    /// The numbers of all branches reached so far.
    pub fn branch_set(&self) -> BTreeSet<u32> {
        self.reached.iter().copied().filter(|f| *f < BUGS).collect()
    }

    /// Bugs in the order they were found.
    pub fn bugs(&self) -> &[Bug] {
        &self.bugs
    }

    /// The distinct vectors that were used, in order: `TotalV` of the paper.
    pub fn total_vectors(&self) -> Vec<&Vector> {
        let mut seen = FxHashSet::default();
        self.vectors.iter().filter(|v| seen.insert(*v)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_counted_once() {
        let mut data = Data::default();
        let v = data.add_vector(Vector::default());
        assert_eq!(data.add_test(v, "a", [3, 1], []), 2);
        assert_eq!(data.add_test(v, "b", [1, 3, 3], []), 0);
        assert_eq!(data.add_test(v, "c", [1], [("foo".into(), 3)]), 1);
        assert_eq!(data.add_test(v, "d", [], [("foo".into(), 3), ("foo".into(), 4)]), 1);
        assert_eq!((data.branches(), data.bugs().len(), data.tests, data.records.len()), (2, 2, 4, 3));
        assert_eq!(data.branch_set(), BTreeSet::from([1, 3]));
    }

    #[test]
    fn total_vectors_are_a_set() {
        let mut data = Data::default();
        let (a, b) = (Vector(vec![vec![None]]), Vector(vec![vec![]]));
        for v in [&a, &b, &a] {
            data.add_vector(v.clone());
        }
        assert_eq!(data.total_vectors(), [&a, &b]);
    }
}

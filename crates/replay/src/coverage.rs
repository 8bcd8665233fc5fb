//! Which branches of a coverage build a run took: one bit for each counter of the program's section
//! `forkwise_counters`. The counters live in memory that this process shares with the program, so that they survive a
//! crash and a kill; see [`crate::program`] and `native::Counters`.

/// A set of covered branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Coverage {
    bits: Vec<u64>,
    len: usize,
}

impl Coverage {
    /// No branch of so many.
    pub fn new(len: usize) -> Coverage {
        Coverage { bits: vec![0; len.div_ceil(64)], len }
    }

    /// From counters: those that are not zero are covered.
    pub fn from_counters(counters: &[u8]) -> Coverage {
        let mut coverage = Coverage::new(counters.len());
        for (word, chunk) in coverage.bits.iter_mut().zip(counters.chunks(64)) {
            // Most are zero, and looking at all of them costs as much as a short run.
            if chunk.iter().any(|counter| *counter != 0) {
                *word = chunk.iter().rev().fold(0, |bits, counter| bits << 1 | u64::from(*counter != 0));
            }
        }
        coverage
    }

    /// How many branches there are.
    pub fn total(&self) -> usize {
        self.len
    }

    /// How many of them are covered.
    pub fn covered(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether this branch is covered.
    pub fn contains(&self, index: usize) -> bool {
        index < self.len && self.bits.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The covered branches, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len).filter(|index| self.contains(*index))
    }

    /// Adds what another run covered and says how many of those are new.
    pub fn add(&mut self, other: &Coverage) -> usize {
        if other.len > self.len {
            self.len = other.len;
            self.bits.resize(other.bits.len(), 0);
        }
        let mut fresh = 0;
        for (mine, theirs) in self.bits.iter_mut().zip(&other.bits) {
            fresh += (theirs & !*mine).count_ones() as usize;
            *mine |= theirs;
        }
        fresh
    }

    /// How many branches of `self` are not in `other`.
    pub fn beyond(&self, other: &Coverage) -> usize {
        let missing = |(index, word): (usize, &u64)| word & !other.bits.get(index).copied().unwrap_or(0);
        self.bits.iter().enumerate().map(|pair| missing(pair).count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_branches() {
        let mut counters = vec![0u8; 130];
        (counters[0], counters[64], counters[129]) = (1, 255, 3);
        let first = Coverage::from_counters(&counters);
        assert_eq!((first.total(), first.covered()), (130, 3));
        assert_eq!(first.iter().collect::<Vec<_>>(), [0, 64, 129]);
        counters[1] = 1;
        counters[0] = 0;
        let second = Coverage::from_counters(&counters);
        assert_eq!((second.beyond(&first), first.beyond(&second)), (1, 1));
        let mut all = Coverage::default();
        assert_eq!((all.add(&first), all.add(&second), all.add(&first)), (3, 1, 0));
        assert_eq!((all.total(), all.covered()), (130, 4));
        assert!(!all.contains(130) && !all.contains(1 << 40));
    }
}

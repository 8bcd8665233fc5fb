//! Weights by slot with their sums in a binary tree: changing one and drawing one take logarithmic time. Sums are
//! always computed from the two children, so nothing drifts.

use crate::forest::Slot;

/// See the module text.
#[derive(Debug, Default)]
pub(crate) struct WeightTree {
    /// Node i has children 2i and 2i + 1; the leaves are the upper half. Empty or a power of two long.
    sums: Vec<f64>,
}

impl WeightTree {
    fn leaves(&self) -> usize {
        self.sums.len() / 2
    }

    fn grow(&mut self, leaves: usize) {
        let (old, new) = (self.leaves(), leaves.next_power_of_two().max(16));
        let mut sums = vec![0.0; 2 * new];
        sums[new..new + old].copy_from_slice(&self.sums[old..]);
        for i in (1..new).rev() {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        self.sums = sums;
    }

    /// The weight of a slot; 0 when it has none.
    pub fn get(&self, slot: Slot) -> f64 {
        self.sums.get(self.leaves() + slot as usize).copied().unwrap_or(0.0)
    }

    /// Changes a weight.
    pub fn set(&mut self, slot: Slot, weight: f64) {
        debug_assert!(weight.is_finite() && weight >= 0.0, "a weight is a number");
        if slot as usize >= self.leaves() {
            self.grow(slot as usize + 1);
        }
        let mut i = self.leaves() + slot as usize;
        self.sums[i] = weight;
        while i > 1 {
            i /= 2;
            self.sums[i] = self.sums[2 * i] + self.sums[2 * i + 1];
        }
    }

    /// The slot at `at` (in `[0, 1)`) of the whole weight. `None` when the whole weight is 0.
    pub fn at(&self, at: f64) -> Option<Slot> {
        let total = *self.sums.get(1)?;
        if total <= 0.0 {
            return None;
        }
        let mut rest = at * total;
        let mut i = 1;
        while i < self.leaves() {
            let left = self.sums[2 * i];
            // Rounding may leave a rest that no weight covers: never walk into an empty half.
            if (rest < left || self.sums[2 * i + 1] <= 0.0) && left > 0.0 {
                i *= 2;
            } else {
                rest -= left;
                i = 2 * i + 1;
            }
        }
        Some((i - self.leaves()) as Slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_weights() {
        let mut t = WeightTree::default();
        assert_eq!(t.at(0.5), None);
        for (slot, w) in [(0, 1.0), (3, 2.0), (40, 1.0)] {
            t.set(slot, w);
        }
        assert_eq!(
            [0.0, 0.24, 0.26, 0.74, 0.76, 0.999].map(|x| t.at(x)),
            [Some(0), Some(0), Some(3), Some(3), Some(40), Some(40)]
        );
        t.set(3, 0.0);
        assert_eq!(t.at(0.4), Some(0));
        assert_eq!(t.get(40), 1.0);
        assert_eq!(t.get(1000), 0.0);
    }

    #[test]
    fn an_empty_half_is_never_entered() {
        let mut t = WeightTree::default();
        t.set(0, 1e-300);
        t.set(9, 1e300);
        t.set(9, 0.0);
        assert_eq!(t.at(0.999_999_999), Some(0));
    }
}

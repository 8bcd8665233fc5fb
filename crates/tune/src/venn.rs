//! How sets of branches overlap: for two or three campaigns, what only one has, what two have, what all have.

use std::collections::BTreeSet;

/// A region of the diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The sets that hold its elements, by number; no other set does.
    pub sets: Vec<usize>,
    /// How many elements.
    pub size: usize,
}

/// All regions of some sets, single sets first; those without elements are there, too.
pub fn regions(sets: &[BTreeSet<u32>]) -> Vec<Region> {
    let members = |mask: usize| (0..sets.len()).filter(move |i| mask >> i & 1 == 1);
    let all: BTreeSet<u32> = sets.iter().flatten().copied().collect();
    let mut masks: Vec<usize> = (1..1usize << sets.len()).collect();
    masks.sort_by_key(|m| (m.count_ones(), *m));
    let of = |x: &u32| sets.iter().enumerate().fold(0, |m, (i, s)| m | usize::from(s.contains(x)) << i);
    let mut sizes = vec![0; 1 << sets.len()];
    all.iter().for_each(|x| sizes[of(x)] += 1);
    masks.into_iter().map(|m| Region { sets: members(m).collect(), size: sizes[m] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_in_one_region() {
        let set = |list: &[u32]| list.iter().copied().collect::<BTreeSet<u32>>();
        let got = regions(&[set(&[1, 2, 3, 4]), set(&[3, 4, 5]), set(&[4, 9])]);
        let sizes: Vec<(Vec<usize>, usize)> = got.into_iter().map(|r| (r.sets, r.size)).collect();
        assert_eq!(
            sizes,
            [
                (vec![0], 2),
                (vec![1], 1),
                (vec![2], 1),
                (vec![0, 1], 1),
                (vec![0, 2], 0),
                (vec![1, 2], 0),
                (vec![0, 1, 2], 1)
            ]
        );
    }
}

//! Hill climbing over wishes. A few good sets of wishes are kept; a new one is one of them with some wishes changed,
//! added or taken away, preferably at decisions that its path really met. It runs nothing itself.

use crate::path::Path;
use crate::policy::{Key, LONGEST, Wishes};
use forkwise_explore::Random;
use std::collections::BTreeMap;

/// Sets of wishes that are kept.
const KEPT: usize = 4;

struct Known {
    wishes: Wishes,
    cost: u64,
    met: BTreeMap<Key, Vec<u32>>,
    path: Option<Path>,
}

/// See the module text.
#[derive(Default)]
pub(crate) struct Climb {
    known: Vec<Known>,
    /// To be tried first.
    waiting: Vec<Wishes>,
    /// The set that the last proposal came from.
    from: usize,
    nothing: Wishes,
}

/// One side everywhere, at the places of a path.
pub(crate) fn all_sides(path: Option<&Path>, arm: u32) -> Wishes {
    let mut wishes = path.map(|p| Wishes::of_path(p, Some(0))).unwrap_or_default();
    wishes.arms.values_mut().for_each(|a| *a = arm);
    wishes
}

impl Climb {
    /// To be tried before anything else, the first first.
    pub fn suggest(&mut self, mut wishes: Vec<Wishes>) {
        wishes.reverse();
        self.waiting.extend(wishes);
    }

    /// The highest cost so far.
    pub fn cost(&self) -> u64 {
        self.known.first().map_or(0, |k| k.cost)
    }

    /// The best sets, best first.
    pub fn best(&self) -> Vec<Wishes> {
        self.known.iter().map(|k| k.wishes.clone()).collect()
    }

    /// The best set.
    pub fn current(&self) -> &Wishes {
        self.known.first().map_or(&self.nothing, |k| &k.wishes)
    }

    /// The path whose input the proposed wishes should begin with: they mostly hold on it.
    pub fn base(&self) -> Option<&Path> {
        self.known.get(self.from).and_then(|k| k.path.as_ref())
    }

    /// What to try next.
    pub fn propose(&mut self, random: &mut Random) -> Wishes {
        self.from = 0;
        if let Some(wishes) = self.waiting.pop() {
            return wishes;
        }
        if self.known.is_empty() {
            return Wishes::default();
        }
        // Mostly the best.
        self.from = (0..self.known.len() - 1).find(|_| random.below(3) != 0).unwrap_or(self.known.len() - 1);
        let from = &self.known[self.from];
        let mut wishes = from.wishes.clone();
        let met: Vec<(&Key, &Vec<u32>)> = from.met.iter().collect();
        if met.is_empty() {
            return wishes;
        }
        // Places are few and bold, histories many and fine: drawing all alike prefers the fine ones.
        let changes = 1 + (0..3).find(|_| random.below(2) == 0).unwrap_or(3);
        for _ in 0..changes {
            let (key, arms) = met[random.below(met.len() as u64) as usize];
            if random.below(6) == 0 {
                wishes.arms.remove(key);
            } else {
                let others: Vec<u32> =
                    arms.iter().copied().filter(|a| wishes.arms.get(key) != Some(a)).collect();
                if !others.is_empty() {
                    wishes.arms.insert(*key, others[random.below(others.len() as u64) as usize]);
                }
            }
        }
        wishes
    }

    /// What came of a proposal.
    pub fn learn(&mut self, wishes: &Wishes, met: BTreeMap<Key, Vec<u32>>, path: Option<Path>) {
        let Some(path) = path else { return };
        // Wishes that were never met say nothing.
        let wishes = Wishes {
            arms: wishes.arms.iter().filter(|(k, _)| met.contains_key(k)).map(|(k, a)| (*k, *a)).collect(),
        };
        if self.known.iter().any(|k| k.wishes == wishes) {
            return;
        }
        // Equals replace their elders: that is how a plateau is crossed.
        let at = self.known.partition_point(|k| k.cost > path.cost);
        if self.known.get(at).is_some_and(|k| k.cost == path.cost) {
            self.known[at] = Known { wishes, cost: path.cost, met, path: Some(path) };
            return;
        }
        self.known.insert(at, Known { wishes, cost: path.cost, met, path: Some(path) });
        self.known.truncate(KEPT);
    }

    /// A good path that was found otherwise: what it mostly does may be a good wish.
    pub fn offer(&mut self, path: &Path) {
        self.waiting.truncate(2 * LONGEST);
        self.waiting.push(Wishes::of_path(path, None));
        for length in 0..=LONGEST {
            self.waiting.push(Wishes::of_path(path, Some(length)));
        }
    }
}

//! Which live states are in the lowest and in the highest tenth of each statistic.
//!
//! For each statistic the states are kept in order of (value, state id) in three zones, so that a change moves a few
//! states over a border instead of sorting all. With n states each outer zone holds n / 10, rounded down: none below ten
//! states. Equal values go by state id, the smallest first, in one order for both ends: among equals the oldest are the
//! lowest and the youngest the highest.
//!
//! A state is looked at again when it ran or forked. Two statistics can change while it rests: distances, which are
//! looked at again for all states after they were computed anew, a few states at each update; and the count of its call
//! path, which stays as it was when the state stopped.

use super::View;
use super::features::{DISTANCE, FEATURES, STATISTICS, distance, statistics};
use crate::forest::Slot;
use forkwise_vm::StateId;
use std::collections::BTreeSet;

/// States whose distance is looked at again at each update, after distances were computed.
const SWEEP: usize = 64;

/// Value, state, and where it is; slots never decide an order, because ids differ.
type Key = (u64, StateId, Slot);

/// The states in the order of one statistic: everything in `low` is before everything in `middle`, and so on.
#[derive(Debug, Default)]
struct Zones {
    low: BTreeSet<Key>,
    middle: BTreeSet<Key>,
    high: BTreeSet<Key>,
}

/// The bits of one statistic: not in an outer zone, in the lowest, in the highest.
const MIDDLE: u32 = 0;
const LOW: u32 = 1;
const HIGH: u32 = 2;

impl Zones {
    fn insert(&mut self, key: Key) -> u32 {
        let (zone, bits) = if self.low.last().is_some_and(|last| key < *last) {
            (&mut self.low, LOW)
        } else if self.high.first().is_some_and(|first| key > *first) {
            (&mut self.high, HIGH)
        } else {
            (&mut self.middle, MIDDLE)
        };
        zone.insert(key);
        bits
    }

    fn remove(&mut self, key: Key, bits: u32) {
        let zone = match bits {
            LOW => &mut self.low,
            HIGH => &mut self.high,
            _ => &mut self.middle,
        };
        zone.remove(&key);
    }

    /// Gives each outer zone `tenth` states; tells who moved and where to.
    fn balance(&mut self, tenth: usize, mut moved: impl FnMut(Slot, u32)) {
        while self.low.len() > tenth
            && let Some(key) = self.low.pop_last()
        {
            self.middle.insert(key);
            moved(key.2, MIDDLE);
        }
        while self.high.len() > tenth
            && let Some(key) = self.high.pop_first()
        {
            self.middle.insert(key);
            moved(key.2, MIDDLE);
        }
        while self.low.len() < tenth
            && let Some(key) = self.middle.pop_first()
        {
            self.low.insert(key);
            moved(key.2, LOW);
        }
        while self.high.len() < tenth
            && let Some(key) = self.middle.pop_last()
        {
            self.high.insert(key);
            moved(key.2, HIGH);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: StateId,
    values: [u64; STATISTICS],
    bits: u32,
}

/// See the module text.
#[derive(Debug, Default)]
pub struct Ranking {
    zones: [Zones; STATISTICS],
    /// By slot.
    entries: Vec<Option<Entry>>,
    states: usize,
    /// States whose bits changed since `take_changed`, perhaps more than once, perhaps gone since.
    changed: Vec<Slot>,
    /// The distances' version that was seen last, the slot to look at next, and how many are left.
    version: u64,
    cursor: usize,
    left: usize,
}

impl Ranking {
    /// Number of states.
    pub fn len(&self) -> usize {
        self.states
    }

    /// Are there no states?
    pub fn is_empty(&self) -> bool {
        self.states == 0
    }

    /// The statistics of a live state as they are ranked.
    pub fn values(&self, slot: Slot) -> Option<&[u64; STATISTICS]> {
        self.entries.get(slot as usize)?.as_ref().map(|e| &e.values)
    }

    /// The features of a live state: bit i is feature i of `STATE_FEATURES`.
    pub fn bits(&self, slot: Slot) -> u32 {
        const { assert!(FEATURES <= 32) };
        self.entries.get(slot as usize).copied().flatten().map_or(0, |e| e.bits)
    }

    /// Its id.
    pub(crate) fn id(&self, slot: Slot) -> Option<StateId> {
        self.entries.get(slot as usize).copied().flatten().map(|e| e.id)
    }

    /// States whose features may have changed since this was last called, in no particular order.
    pub(crate) fn take_changed(&mut self) -> Vec<Slot> {
        std::mem::take(&mut self.changed)
    }

    /// As [`super::Searcher::update`].
    pub fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for slot in removed {
            self.remove(*slot);
        }
        for slot in current.iter().chain(added) {
            self.set(*slot, view.forest.state(*slot).id, &statistics(view, *slot));
        }
        self.sweep(view);
        self.balance();
    }

    fn remove(&mut self, slot: Slot) {
        let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::take) else { return };
        for (k, zones) in self.zones.iter_mut().enumerate() {
            zones.remove((entry.values[k], entry.id, slot), entry.bits >> (2 * k) & 3);
        }
        self.states -= 1;
    }

    fn set(&mut self, slot: Slot, id: StateId, values: &[u64; STATISTICS]) {
        if self.entries.len() <= slot as usize {
            self.entries.resize(slot as usize + 1, None);
        }
        let known = self.entries[slot as usize].filter(|e| e.id == id);
        let mut bits = known.map_or(0, |e| e.bits);
        for (k, zones) in self.zones.iter_mut().enumerate() {
            if let Some(old) = &known {
                if old.values[k] == values[k] {
                    continue;
                }
                zones.remove((old.values[k], id, slot), old.bits >> (2 * k) & 3);
            }
            bits = bits & !(3 << (2 * k)) | zones.insert((values[k], id, slot)) << (2 * k);
        }
        self.entries[slot as usize] = Some(Entry { id, values: *values, bits });
        self.states += usize::from(known.is_none());
        if known.is_none_or(|e| e.bits != bits) {
            self.changed.push(slot);
        }
    }

    fn balance(&mut self) {
        let tenth = self.states / 10;
        let (entries, changed) = (&mut self.entries, &mut self.changed);
        for (k, zones) in self.zones.iter_mut().enumerate() {
            zones.balance(tenth, |slot, bits| {
                if let Some(e) = &mut entries[slot as usize] {
                    e.bits = e.bits & !(3 << (2 * k)) | bits << (2 * k);
                    changed.push(slot);
                }
            });
        }
    }

    /// Looks at the distances of some states again, if they were computed since.
    fn sweep(&mut self, view: View<'_>) {
        if self.version != view.distances.version() {
            self.version = view.distances.version();
            self.left = self.entries.len();
        }
        let n = self.left.min(SWEEP);
        self.left -= n;
        for _ in 0..n {
            self.cursor = (self.cursor + 1) % self.entries.len();
            let slot = self.cursor as Slot;
            if let Some(entry) = self.entries[self.cursor] {
                let mut values = entry.values;
                values[DISTANCE] = distance(view, slot);
                self.set(slot, entry.id, &values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The definition: sort everything.
    fn expected(ranking: &Ranking) -> Vec<(Slot, u32)> {
        let live: Vec<(Slot, Entry)> =
            ranking.entries.iter().enumerate().filter_map(|(i, e)| Some((i as Slot, (*e)?))).collect();
        let tenth = live.len() / 10;
        let mut bits: Vec<(Slot, u32)> = live.iter().map(|(slot, _)| (*slot, 0)).collect();
        for k in 0..STATISTICS {
            let mut order: Vec<usize> = (0..live.len()).collect();
            order.sort_by_key(|i| (live[*i].1.values[k], live[*i].1.id));
            order[..tenth].iter().for_each(|i| bits[*i].1 |= LOW << (2 * k));
            order[live.len() - tenth..].iter().for_each(|i| bits[*i].1 |= HIGH << (2 * k));
        }
        bits
    }

    #[test]
    fn zones_are_what_sorting_gives() {
        let mut random = Random::new(9);
        let mut ranking = Ranking::default();
        let mut next = 1;
        for round in 0..600u64 {
            for _ in 0..1 + random.below(4) {
                // Growing at first, shrinking later; slots are used again by other states.
                let slot = random.below(if round < 400 { 90 } else { 40 }) as Slot;
                let mut values = [0; STATISTICS];
                values.iter_mut().for_each(|v| *v = random.below(6));
                match ranking.id(slot) {
                    Some(_) if random.below(if round < 400 { 5 } else { 2 }) == 0 => ranking.remove(slot),
                    Some(id) => ranking.set(slot, id, &values),
                    None => {
                        ranking.set(slot, next, &values);
                        next += 1;
                    }
                }
            }
            let before: Vec<(Slot, u32)> =
                expected(&ranking).iter().map(|(s, _)| (*s, ranking.bits(*s))).collect();
            ranking.balance();
            let wanted = expected(&ranking);
            let now: Vec<(Slot, u32)> = wanted.iter().map(|(s, _)| (*s, ranking.bits(*s))).collect();
            assert_eq!(now, wanted, "round {round}");
            let changed: BTreeSet<Slot> = ranking.take_changed().into_iter().collect();
            for (b, n) in before.iter().zip(&now).filter(|(b, n)| b != n) {
                assert!(changed.contains(&n.0), "round {round}: {b:?} became {n:?} unseen");
            }
        }
        assert!(ranking.len() > 10);
    }

    #[test]
    fn below_ten_states_nobody_stands_out() {
        let mut ranking = Ranking::default();
        for slot in 0..9 {
            ranking.set(slot, StateId::from(slot) + 1, &[u64::from(slot); STATISTICS]);
        }
        ranking.balance();
        assert!((0..9).all(|slot| ranking.bits(slot) == 0));
        ranking.set(9, 10, &[9; STATISTICS]);
        ranking.balance();
        let all = |bits: u32| (0..STATISTICS).fold(0, |sum, k| sum | bits << (2 * k));
        assert_eq!((ranking.bits(0), ranking.bits(5), ranking.bits(9)), (all(LOW), 0, all(HIGH)));
    }
}

//! The search for new code: a chosen state runs to its end, and what it leaves behind is the frontier, one waiting state
//! for each side of a symbolic branch that was not taken. The next one is chosen by what it waits for: an edge that
//! nobody has taken before all others; then a condition that nobody has asked for at its edge after the same decision,
//! which is how the characters of an option's name are found one by one; then anything, rarely tried edges first. It
//! wants siblings to stay unsolved (`Config::lazy`): most of them are never chosen.

use super::weight_tree::WeightTree;
use super::{Searcher, View};
use crate::distance::UNREACHABLE;
use crate::forest::Slot;
use crate::random::Random;
use rustc_hash::{FxHashMap, FxHashSet};

/// A path that covers nothing new for this long makes room for others.
const PATIENCE: u64 = 300_000;
/// One choice in so many is a random walk down the execution tree, so that nothing waits for ever.
const WALK_EVERY: u64 = 8;
/// Weights of an edge that was never taken, in the user's code and in a library, and of an edge with a condition that
/// was never asked for. What has neither weighs about one.
const NEW_EDGE: f64 = 1e6;
const NEW_IN_LIBRARY: f64 = 50.0;
const NEW_CONDITION: f64 = 50.0;

/// Edge of states that do not wait at a branch.
const NO_EDGE: u32 = u32::MAX;

/// The states that will take one edge.
#[derive(Debug, Default)]
struct Bucket {
    /// Those whose condition is new, then the others.
    slots: [Vec<Slot>; 2],
    /// Times one of them was chosen, and how often that led to new code.
    tried: u32,
    won: u32,
}

impl Bucket {
    /// How promising it is: what has led to new code does so again; what was tried in vain makes room.
    fn promise(&self) -> f64 {
        (1.0 + 4.0 * f64::from(self.won)) / (1.0 + f64::from(self.tried))
    }
}

/// Where a slot is kept: its edge, its list in the bucket, its place in the list.
#[derive(Clone, Copy, Debug)]
struct Place {
    edge: u32,
    list: u8,
    at: u32,
}

/// See the module text.
#[derive(Debug)]
pub struct Frontier {
    random: Random,
    /// The state being followed, its instruction count when it was chosen, and the edge it was chosen for.
    kept: Option<(Slot, u64, u32)>,
    /// By slot.
    places: Vec<Place>,
    /// By edge plus one (0: no edge).
    buckets: FxHashMap<u32, Bucket>,
    /// Weights of the buckets, by edge plus one.
    weights: WeightTree,
    /// Conditions at edges that were chosen (`State::fork_key`).
    asked: FxHashSet<u64>,
    /// Edges of the coverage log that were seen.
    seen: usize,
    choices: u64,
    states: usize,
}

impl Frontier {
    /// No states yet.
    pub fn new(random: Random) -> Frontier {
        Frontier {
            random,
            kept: None,
            places: Vec::new(),
            buckets: FxHashMap::default(),
            weights: WeightTree::default(),
            asked: FxHashSet::default(),
            seen: 0,
            choices: 0,
            states: 0,
        }
    }

    fn key(edge: u32) -> u32 {
        edge.wrapping_add(1)
    }

    fn weight(view: View<'_>, edge: u32, bucket: &Bucket) -> f64 {
        if bucket.slots.iter().all(Vec::is_empty) {
            return 0.0;
        }
        if edge == NO_EDGE {
            return bucket.promise();
        }
        let e = view.program.edges[edge as usize];
        let library = view.program.functions[view.program.blocks[e.block as usize].func as usize].is_library;
        if view.coverage.edges.get(edge as usize) == Some(&0) {
            let tried = 1.0 + f64::from(bucket.tried);
            return if library { NEW_IN_LIBRARY } else { NEW_EDGE } / (tried * tried);
        }
        if !bucket.slots[0].is_empty() {
            return NEW_CONDITION * bucket.promise();
        }
        let near = match view.distances.of_block(e.block) {
            UNREACHABLE => 0.02,
            d => 10.0 / (10.0 + f64::from(d)),
        };
        near * bucket.promise()
    }

    fn reweigh(&mut self, view: View<'_>, edge: u32) {
        let key = Frontier::key(edge);
        if let Some(bucket) = self.buckets.get(&key) {
            self.weights.set(key, Frontier::weight(view, edge, bucket));
        }
    }

    fn insert(&mut self, view: View<'_>, slot: Slot) {
        let st = view.forest.state(slot);
        let edge = st.pending_edge.unwrap_or(NO_EDGE);
        let list = u8::from(edge == NO_EDGE || self.asked.contains(&st.fork_key));
        self.put(slot, edge, list);
        self.reweigh_if_small(view, edge, list);
    }

    fn put(&mut self, slot: Slot, edge: u32, list: u8) {
        let slots = &mut self.buckets.entry(Frontier::key(edge)).or_default().slots[list as usize];
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, Place { edge: NO_EDGE, list: 1, at: 0 });
        }
        self.places[slot as usize] = Place { edge, list, at: slots.len() as u32 };
        slots.push(slot);
    }

    /// The first state of a list, or the last, changes the weight of its edge.
    fn reweigh_if_small(&mut self, view: View<'_>, edge: u32, list: u8) {
        let bucket = self.buckets.get(&Frontier::key(edge));
        if bucket.is_some_and(|b| b.slots[list as usize].len() <= 1) {
            self.reweigh(view, edge);
        }
    }

    fn take(&mut self, slot: Slot) -> Place {
        let place = self.places[slot as usize];
        if let Some(bucket) = self.buckets.get_mut(&Frontier::key(place.edge)) {
            let slots = &mut bucket.slots[place.list as usize];
            slots.swap_remove(place.at as usize);
            if let Some(moved) = slots.get(place.at as usize) {
                self.places[*moved as usize].at = place.at;
            }
        }
        place
    }

    fn remove(&mut self, view: View<'_>, slot: Slot) {
        let place = self.take(slot);
        self.reweigh_if_small(view, place.edge, place.list);
    }

    /// Edges that were taken for the first time are no longer new.
    fn follow_coverage(&mut self, view: View<'_>) {
        while let Some(edge) = view.coverage.log.get(self.seen) {
            self.seen += 1;
            self.reweigh(view, *edge);
        }
    }

    /// The followed state is left: was it worth it?
    fn leave(&mut self, view: View<'_>) {
        let Some((slot, since, edge)) = self.kept.take() else { return };
        let won = view.forest.state(slot).last_new.is_some_and(|at| at >= since);
        if let (true, Some(bucket)) = (won, self.buckets.get_mut(&Frontier::key(edge))) {
            bucket.won += 1;
            self.reweigh(view, edge);
        }
    }

    fn choose(&mut self, view: View<'_>) -> Slot {
        self.choices += 1;
        if self.choices.is_multiple_of(WALK_EVERY)
            && let Some(slot) = view.forest.random_path(&mut self.random)
        {
            self.asked.insert(view.forest.state(slot).fork_key);
            return slot;
        }
        loop {
            let at = self.random.unit();
            let key = self.weights.at(at).expect("there is a state, and no state has weight 0");
            let edge = key.wrapping_sub(1);
            let kept = self.weights.get(key);
            let bucket = self.buckets.get_mut(&key).expect("only edges of states have a weight");
            // Distances change without notice; what was drawn by an old weight is drawn again.
            let now = Frontier::weight(view, edge, bucket);
            if now < kept / 2.0 {
                self.weights.set(key, now);
                continue;
            }
            let list = usize::from(bucket.slots[0].is_empty());
            let pick = self.random.below(bucket.slots[list].len() as u64) as usize;
            let slot = bucket.slots[list][pick];
            // Asked for meanwhile, by a state with the same condition.
            if list == 0 && !self.asked.insert(view.forest.state(slot).fork_key) {
                self.take(slot);
                self.put(slot, edge, 1);
                self.reweigh(view, edge);
                continue;
            }
            bucket.tried += 1;
            self.reweigh(view, edge);
            return slot;
        }
    }
}

impl Searcher for Frontier {
    fn select(&mut self, view: View<'_>) -> Slot {
        self.follow_coverage(view);
        if let Some((slot, since, _)) = self.kept {
            let st = view.forest.state(slot);
            let since = since.max(st.last_new.unwrap_or(0));
            if st.instructions < since + PATIENCE {
                return slot;
            }
            self.leave(view);
        }
        let slot = self.choose(view);
        let st = view.forest.state(slot);
        self.kept = Some((slot, st.instructions, st.pending_edge.unwrap_or(NO_EDGE)));
        slot
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for slot in removed {
            if self.kept.is_some_and(|k| k.0 == *slot) {
                self.leave(view);
            }
            self.remove(view, *slot);
        }
        if let Some(slot) = current {
            self.remove(view, slot);
            self.insert(view, slot);
        }
        for slot in added {
            self.insert(view, *slot);
        }
        self.states = self.states + added.len() - removed.len();
    }

    fn is_empty(&self) -> bool {
        self.states == 0
    }

    fn name(&self) -> String {
        "frontier".into()
    }
}

//! The search for new code: a chosen state runs to its end, and what it leaves behind is the frontier, one waiting state for
//! each side of a symbolic branch that was not taken. The next one is chosen by the edge it will take: an edge that nobody
//! has taken before all others, then edges from which uncovered code is near, and of these the ones tried least. It wants
//! siblings to stay unsolved (`Config::lazy`): most of them are never chosen.

use super::weight_tree::WeightTree;
use super::{Searcher, View};
use crate::distance::UNREACHABLE;
use crate::forest::Slot;
use crate::random::Random;
use rustc_hash::FxHashMap;

/// A path that covers nothing new for this long makes room for others.
const PATIENCE: u64 = 300_000;
/// One choice in so many is a random walk down the execution tree, so that nothing waits for ever.
const WALK_EVERY: u64 = 6;
/// Weights of an edge that was never taken: in the user's code, and in a library.
const NEW: f64 = 1e6;
const NEW_IN_LIBRARY: f64 = 1e2;

/// Edge of states that do not wait at a branch.
const NO_EDGE: u32 = u32::MAX;

/// The states that will take one edge.
#[derive(Debug, Default)]
struct Bucket {
    slots: Vec<Slot>,
    /// Times one of them was chosen.
    tried: u32,
}

/// See the module text.
#[derive(Debug)]
pub struct Frontier {
    random: Random,
    /// The state being followed and its instruction count when it was chosen or last covered something new.
    kept: Option<(Slot, u64)>,
    /// By slot: its edge and its place in the bucket.
    places: Vec<(u32, u32)>,
    /// By edge plus one (0: no edge).
    buckets: FxHashMap<u32, Bucket>,
    /// Weights of the buckets, by edge plus one.
    weights: WeightTree,
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
            seen: 0,
            choices: 0,
            states: 0,
        }
    }

    fn key(edge: u32) -> u32 {
        edge.wrapping_add(1)
    }

    fn weight(view: View<'_>, edge: u32, bucket: &Bucket) -> f64 {
        if bucket.slots.is_empty() {
            return 0.0;
        }
        let tried = 1.0 + f64::from(bucket.tried);
        if edge == NO_EDGE {
            return 1.0 / tried;
        }
        let e = view.program.edges[edge as usize];
        let library = view.program.functions[view.program.blocks[e.block as usize].func as usize].is_library;
        if view.coverage.edges.get(edge as usize) == Some(&0) {
            return if library { NEW_IN_LIBRARY } else { NEW } / (tried * tried);
        }
        let near = match view.distances.of_block(e.block) {
            UNREACHABLE => 0.02,
            d => 10.0 / (10.0 + f64::from(d)),
        };
        near / tried
    }

    fn reweigh(&mut self, view: View<'_>, edge: u32) {
        let key = Frontier::key(edge);
        if let Some(bucket) = self.buckets.get(&key) {
            self.weights.set(key, Frontier::weight(view, edge, bucket));
        }
    }

    fn insert(&mut self, view: View<'_>, slot: Slot) {
        let edge = view.forest.state(slot).pending_edge.unwrap_or(NO_EDGE);
        let bucket = self.buckets.entry(Frontier::key(edge)).or_default();
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, (NO_EDGE, 0));
        }
        self.places[slot as usize] = (edge, bucket.slots.len() as u32);
        bucket.slots.push(slot);
        if bucket.slots.len() == 1 {
            self.reweigh(view, edge);
        }
    }

    fn remove(&mut self, view: View<'_>, slot: Slot) {
        let (edge, at) = self.places[slot as usize];
        let Some(bucket) = self.buckets.get_mut(&Frontier::key(edge)) else { return };
        bucket.slots.swap_remove(at as usize);
        if let Some(moved) = bucket.slots.get(at as usize) {
            self.places[*moved as usize].1 = at;
        }
        if bucket.slots.is_empty() {
            self.reweigh(view, edge);
        }
    }

    /// Edges that were taken for the first time are no longer new.
    fn follow_coverage(&mut self, view: View<'_>) {
        while let Some(edge) = view.coverage.log.get(self.seen) {
            self.seen += 1;
            self.reweigh(view, *edge);
        }
    }

    fn choose(&mut self, view: View<'_>) -> Slot {
        self.choices += 1;
        if self.choices.is_multiple_of(WALK_EVERY)
            && let Some(slot) = view.forest.random_path(&mut self.random)
        {
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
            bucket.tried += 1;
            let pick = self.random.below(bucket.slots.len() as u64) as usize;
            let slot = bucket.slots[pick];
            self.reweigh(view, edge);
            return slot;
        }
    }
}

impl Searcher for Frontier {
    fn select(&mut self, view: View<'_>) -> Slot {
        self.follow_coverage(view);
        if let Some((slot, since)) = self.kept {
            let st = view.forest.state(slot);
            let since = since.max(st.last_new.unwrap_or(0));
            if st.instructions < since + PATIENCE {
                return slot;
            }
        }
        let slot = self.choose(view);
        self.kept = Some((slot, view.forest.state(slot).instructions));
        slot
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        for slot in removed {
            if self.kept.is_some_and(|k| k.0 == *slot) {
                self.kept = None;
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

//! The search for new code: a chosen state runs to its end, and what it leaves behind is the frontier, one waiting state
//! for each side of a symbolic branch that was not taken. The next one is chosen by what it waits for: an edge that
//! nobody has taken before all others; then a condition that nobody has asked for at its edge after the same decision,
//! which is how the characters of an option's name are found one by one; then an edge that nobody has met together with
//! a case taken before, which is how options are combined; then anything, rarely tried edges and functions first. It
//! wants siblings to stay unsolved (`Config::lazy`): most of them are never chosen.
//!
//! How much each of these weighs is its `taste`, which can be learned.

mod taste;

pub use taste::{FRONTIER_FEATURES, FRONTIER_WEIGHTS, FrontierFeature, FrontierWeights};

use super::weight_tree::WeightTree;
use super::{Searcher, View};
use crate::distance::UNREACHABLE;
use crate::forest::Slot;
use crate::random::Random;
use forkwise_ir::{EdgeFacts, Facts};
use forkwise_vm::State;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::sync::Arc;
use taste::{Novelty, Record, Taste, Waiting};

/// Edge of states that do not wait at a branch.
const NO_EDGE: u32 = u32::MAX;

/// Lists of a bucket.
const CONDITION: u8 = 0;
const PAIR: u8 = 1;
const REST: u8 = 2;

/// The pairs that a state makes by taking an edge.
fn pairs(st: &State, edge: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
    st.cases.iter().filter(move |c| **c != edge && **c != u32::MAX).map(move |c| (edge, *c))
}

/// One of the states of an edge: any, or the best of a few by taste.
fn pick(taste: &Taste, view: View<'_>, slots: &[Slot], random: &mut Random) -> Slot {
    let mut draw = || slots[random.below(slots.len() as u64) as usize];
    if taste.draws == 1 || slots.len() == 1 {
        return draw();
    }
    let drawn: Vec<Slot> = (0..taste.draws).map(|_| draw()).collect();
    let states: Vec<&State> = drawn.iter().map(|slot| view.forest.state(*slot)).collect();
    drawn[taste.best(&states)]
}

/// The states that will take one edge.
#[derive(Debug, Default)]
struct Bucket {
    /// Those whose condition is new, those that make a new pair, then the others.
    slots: [Vec<Slot>; 3],
    /// What came of choosing one of them.
    record: Record,
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
    name: Arc<str>,
    taste: Taste,
    random: Random,
    /// What the program's text says of edges, if the taste asks for it.
    facts: OnceCell<Facts>,
    /// The state being followed, its instruction count when it was chosen, and the edge it was chosen for.
    kept: Option<(Slot, u64, u32)>,
    /// Work of the solver for the followed state when it was chosen.
    kept_work: u64,
    /// By slot.
    places: Vec<Place>,
    /// By edge plus one (0: no edge).
    buckets: FxHashMap<u32, Bucket>,
    /// By function: what came of choosing an edge into it.
    functions: FxHashMap<u32, Record>,
    /// Weights of the buckets, by edge plus one.
    weights: WeightTree,
    /// Conditions at edges that were chosen (`State::fork_key`).
    asked: FxHashSet<u64>,
    /// Edges that were met together with cases of switches taken before (`State::cases`).
    paired: FxHashSet<(u32, u32)>,
    /// Edges of the coverage log that were seen.
    seen: usize,
    choices: u64,
    states: usize,
}

impl Frontier {
    /// The search that people made. No states yet.
    pub fn new(random: Random) -> Frontier {
        Frontier::learned("frontier".into(), &[0.0; FRONTIER_WEIGHTS], random)
    }

    /// With the weights of `FRONTIER_FEATURES`, and what to call it. No states yet.
    pub fn learned(name: Arc<str>, weights: &[f64; FRONTIER_WEIGHTS], random: Random) -> Frontier {
        Frontier {
            name,
            taste: Taste::new(weights),
            random,
            facts: OnceCell::new(),
            kept: None,
            kept_work: 0,
            places: Vec::new(),
            buckets: FxHashMap::default(),
            functions: FxHashMap::default(),
            weights: WeightTree::default(),
            asked: FxHashSet::default(),
            paired: FxHashSet::default(),
            seen: 0,
            choices: 0,
            states: 0,
        }
    }

    fn key(edge: u32) -> u32 {
        edge.wrapping_add(1)
    }

    /// The function that an edge leads into.
    fn function(view: View<'_>, edge: u32) -> u32 {
        view.program.blocks[view.program.edges[edge as usize].block as usize].func
    }

    fn weight(&self, view: View<'_>, edge: u32, bucket: &Bucket) -> f64 {
        if bucket.slots.iter().all(Vec::is_empty) {
            return 0.0;
        }
        if edge == NO_EDGE {
            return self.taste.elsewhere(bucket.record);
        }
        let block = view.program.edges[edge as usize].block;
        let target = &view.program.blocks[block as usize];
        let novelty = match &bucket.slots {
            _ if view.coverage.edges.get(edge as usize) == Some(&0) => Novelty::Edge,
            [conditions, ..] if !conditions.is_empty() => Novelty::Condition,
            [_, pairs, _] if !pairs.is_empty() => Novelty::Pair,
            _ => Novelty::Nothing,
        };
        let facts = match self.taste.needs_facts() {
            true => self.facts.get_or_init(|| Facts::new(view.program)).edge(edge),
            false => EdgeFacts::default(),
        };
        self.taste.weigh(&Waiting {
            novelty,
            record: bucket.record,
            function: self.functions.get(&target.func).copied().unwrap_or_default(),
            library: view.program.functions[target.func as usize].is_library,
            distance: Some(view.distances.of_block(block)).filter(|d| *d != UNREACHABLE),
            loop_depth: target.loop_depth,
            facts,
            states: bucket.slots.iter().map(Vec::len).sum(),
        })
    }

    fn reweigh(&mut self, view: View<'_>, edge: u32) {
        let key = Frontier::key(edge);
        if let Some(bucket) = self.buckets.get(&key) {
            let weight = self.weight(view, edge, bucket);
            self.weights.set(key, weight);
        }
    }

    fn insert(&mut self, view: View<'_>, slot: Slot) {
        let st = view.forest.state(slot);
        let edge = st.pending_edge.unwrap_or(NO_EDGE);
        let list = match edge {
            NO_EDGE => REST,
            _ if !self.asked.contains(&st.fork_key) => CONDITION,
            _ if self.is_new_pair(view, st, edge) => PAIR,
            _ => REST,
        };
        self.put(slot, edge, list);
        self.reweigh_if_small(view, edge, list);
    }

    /// Does taking `edge` make a pair that nobody has made?
    fn is_new_pair(&self, view: View<'_>, st: &State, edge: u32) -> bool {
        let block = view.program.edges[edge as usize].block as usize;
        !view.program.functions[view.program.blocks[block].func as usize].is_library
            && pairs(st, edge).any(|p| !self.paired.contains(&p))
    }

    fn put(&mut self, slot: Slot, edge: u32, list: u8) {
        let slots = &mut self.buckets.entry(Frontier::key(edge)).or_default().slots[list as usize];
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, Place { edge: NO_EDGE, list: REST, at: 0 });
        }
        self.places[slot as usize] = Place { edge, list, at: slots.len() as u32 };
        slots.push(slot);
    }

    /// The first state of a list, or the last, changes the weight of its edge.
    fn reweigh_if_small(&mut self, view: View<'_>, edge: u32, list: u8) {
        let bucket = self.buckets.get(&Frontier::key(edge));
        if self.taste.counts_states() || bucket.is_some_and(|b| b.slots[list as usize].len() <= 1) {
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
            bucket.record.won += 1;
            if edge != NO_EDGE {
                self.functions.entry(Frontier::function(view, edge)).or_default().won += 1;
            }
            self.reweigh(view, edge);
        }
    }

    fn choose(&mut self, view: View<'_>) -> Slot {
        self.choices += 1;
        if self.choices.is_multiple_of(self.taste.walk_every)
            && let Some(slot) = view.forest.random_path(&mut self.random)
        {
            let st = view.forest.state(slot);
            self.asked.insert(st.fork_key);
            self.paired.extend(st.pending_edge.into_iter().flat_map(|edge| pairs(st, edge)));
            return slot;
        }
        loop {
            let at = self.random.unit();
            let key = self.weights.at(at).expect("there is a state, and no state has weight 0");
            let edge = key.wrapping_sub(1);
            let kept = self.weights.get(key);
            let bucket = self.buckets.get(&key).expect("only edges of states have a weight");
            // Distances change without notice; what was drawn by an old weight is drawn again.
            let now = self.weight(view, edge, bucket);
            if now < kept / 2.0 {
                self.weights.set(key, now);
                continue;
            }
            let list = bucket.slots.iter().position(|l| !l.is_empty()).unwrap_or_default();
            let slot = pick(&self.taste, view, &bucket.slots[list], &mut self.random);
            let st = view.forest.state(slot);
            // Asked for meanwhile, by a state with the same condition or the same pairs.
            let stale = match list as u8 {
                CONDITION => !self.asked.insert(st.fork_key),
                PAIR => !self.is_new_pair(view, st, edge),
                _ => false,
            };
            if stale {
                self.take(slot);
                let pair = list as u8 == CONDITION && self.is_new_pair(view, st, edge);
                self.put(slot, edge, if pair { PAIR } else { REST });
                self.reweigh(view, edge);
                continue;
            }
            if edge != NO_EDGE {
                self.paired.extend(pairs(st, edge));
            }
            let bucket = self.buckets.get_mut(&key).expect("it is there");
            bucket.record.tried += 1;
            if edge != NO_EDGE {
                self.functions.entry(Frontier::function(view, edge)).or_default().tried += 1;
            }
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
            let solving = st.solver_work.saturating_sub(self.kept_work);
            if st.instructions < since + self.taste.patience && solving < self.taste.solving_patience {
                return slot;
            }
            self.leave(view);
        }
        let slot = self.choose(view);
        let st = view.forest.state(slot);
        self.kept = Some((slot, st.instructions, st.pending_edge.unwrap_or(NO_EDGE)));
        self.kept_work = st.solver_work;
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
            let st = view.forest.state(slot);
            self.paired.extend(st.pending_edge.into_iter().flat_map(|edge| pairs(st, edge)));
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
        self.name.to_string()
    }
}

#[cfg(test)]
mod tests;

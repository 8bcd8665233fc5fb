//! `cargo xtask bench search`: what one choice costs with many live states, for every searcher. A step is a selection, a
//! fork of the chosen state every third time, an end of it every third, and the updates that follow; the states have
//! nothing behind them but their numbers, so that only the search is measured.

use forkwise_explore::searcher::Searcher;
use forkwise_explore::{Distances, FEATURES, Forest, Random, Search, Slice, Slot, Strategy, View, Weights};
use forkwise_ir::Program;
use forkwise_vm::{Counts, Coverage, Frame, Memory, State};
use std::sync::Arc;
use std::time::Instant;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const STEPS: usize = 20_000;
/// A hundred times the states may cost at most this many times as much.
const MOST_GROWTH: f64 = 20.0;

struct World {
    forest: Forest,
    program: Program,
    distances: Distances,
    coverage: Coverage,
    counts: Counts,
    random: Random,
    next: u64,
}

impl World {
    fn new() -> World {
        let program = Program::default();
        World {
            forest: Forest::new(),
            distances: Distances::new(&program),
            coverage: Coverage::default(),
            counts: Counts::default(),
            random: Random::new(3),
            next: 1,
            program,
        }
    }

    fn view(&self) -> View<'_> {
        View {
            forest: &self.forest,
            program: &self.program,
            distances: &self.distances,
            coverage: &self.coverage,
            counts: &self.counts,
        }
    }

    /// A state that ran for a while: numbers all over the place.
    fn run(&mut self, slot: Slot) {
        let mut some = |n| self.random.below(n);
        let st = self.forest.state_mut(slot);
        st.instructions += 1 + some(10_000);
        st.branches += some(1_000);
        st.solver_work += some(1_000_000);
        st.registers.concrete = some(10_000);
        st.registers.symbolic = some(1_000);
        st.mem.lasting_objects = some(5_000) as u32;
        if some(4) == 0 {
            st.last_new = Some(st.instructions);
        }
    }

    fn fork(&mut self, s: &mut dyn Searcher, of: Option<Slot>) -> Slot {
        self.next += 1;
        let mut state = Box::new(State::new(self.next, Frame::empty(), Memory::new(0, 0)));
        let slot = match of {
            None => self.forest.plant(state),
            Some(of) => {
                let parent = self.forest.state_mut(of);
                parent.depth += 1;
                (state.depth, state.instructions) = (parent.depth, parent.instructions);
                self.forest.fork(of, state)
            }
        };
        self.run(slot);
        s.update(self.view(), of, &[slot], &[]);
        slot
    }
}

/// Nanoseconds of a step with so many states.
fn measure(search: &Search, states: usize) -> f64 {
    let mut world = World::new();
    let mut s = search.build(&mut Random::new(1));
    let mut slots = vec![world.fork(&mut *s, None)];
    while slots.len() < states {
        // Not always the same, which would make the execution tree a list.
        let of = slots[world.random.below(slots.len() as u64) as usize];
        slots.push(world.fork(&mut *s, Some(of)));
    }
    let start = Instant::now();
    for i in 0..STEPS {
        let slot = s.select(world.view());
        world.run(slot);
        match i % 3 {
            0 => {
                world.fork(&mut *s, Some(slot));
            }
            1 => {
                s.update(world.view(), None, &[], &[slot]);
                world.forest.remove(slot);
            }
            _ => s.update(world.view(), Some(slot), &[], &[]),
        }
    }
    start.elapsed().as_nanos() as f64 / STEPS as f64
}

fn main() {
    let mut all: Vec<(String, Search)> = Strategy::names()
        .map(|name| (name.to_string(), Search::parse(&[name.to_string()]).expect("a name")))
        .collect();
    let mut random = Random::new(9);
    let weights: [f64; FEATURES] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
    let weights = Weights { name: "param".into(), weights: Arc::new(weights) };
    let only = |s: Strategy| Search { strategies: vec![s], ..Search::default() };
    all.push(("param:…".into(), only(Strategy::Parametric(weights))));
    all.push(("random-path,nurs:covnew".into(), Search::default()));
    let batches = Search { batch_instructions: Some(10_000), ..Search::default() };
    all.push(("the same in batches".into(), batches));
    let slices = Search { slice: Some(Slice::Instructions(10_000)), ..only(Strategy::RandomState) };
    all.push(("random-state in slices".into(), slices));

    println!("One selection and its updates, in ns, by live states");
    println!("{:24} {:>8} {:>8} {:>8} {:>9}", "search", "1 000", "10 000", "100 000", "growth");
    let mut slow = Vec::new();
    for (name, search) in &all {
        let ns = SIZES.map(|n| measure(search, n));
        let growth = ns[2] / ns[0];
        println!("{name:24} {:>8.0} {:>8.0} {:>8.0} {growth:>8.1}x", ns[0], ns[1], ns[2]);
        if growth > MOST_GROWTH {
            slow.push(name.as_str());
        }
    }
    if !slow.is_empty() {
        println!(
            "a hundred times the states cost more than {MOST_GROWTH} times as much: {}",
            slow.join(", ")
        );
        std::process::exit(1);
    }
}

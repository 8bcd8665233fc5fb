//! The same seed and instruction budget give the same paths in the same order, for every heuristic there is, alone, in
//! batches, in slices, in turn, and for a parametric one.

mod common;

use common::{explore, program};
use forkwise_explore::{
    FEATURES, FRONTIER_WEIGHTS, FrontierWeights, Random, Search, Slice, Strategy, Weights,
};
use std::sync::Arc;

/// Forks often, needs the solver, calls, loops, allocates.
const PROGRAM: &str = "
int weigh(unsigned char *s, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; i++) {
    if (s[i] > 'm') sum += s[i];
    else sum ^= 3 * s[i];
  }
  return sum;
}
int main(void) {
  unsigned char s[12];
  klee_make_symbolic(s, sizeof s, \"s\");
  unsigned seen = 0;
  for (int i = 0; i < 11; i++) {
    unsigned char *copy = malloc(1 + i);
    switch (s[i]) {
      case 'a': seen += weigh(s, i); break;
      case 'b': seen += 7; break;
      case 'c': if (weigh(s, 2) == 170) return 3;
      default: if (s[i] * s[i + 1] == 8633) return 4;
    }
    copy[i] = s[i];
  }
  return seen & 63;
}";

fn parametric(seed: u64) -> Search {
    let mut random = Random::new(seed);
    let weights: [f64; FEATURES] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
    let weights = Weights { name: "param:random".into(), weights: Arc::new(weights) };
    Search { strategies: vec![Strategy::Parametric(weights)], ..Search::default() }
}

fn frontier(weights: [f64; FRONTIER_WEIGHTS]) -> Search {
    let weights = FrontierWeights { name: "learned:some".into(), weights: Arc::new(weights) };
    Search { strategies: vec![Strategy::LearnedFrontier(weights)], ..Search::default() }
}

fn any_frontier(seed: u64) -> Search {
    let mut random = Random::new(seed);
    frontier(std::array::from_fn(|_| 2.0 * random.unit() - 1.0))
}

#[test]
fn a_frontier_without_weights_is_the_one_that_people_made() {
    let program = program(PROGRAM);
    let by_name = Search::parse(&["frontier".to_string()]).expect("a name");
    let zero = frontier([0.0; FRONTIER_WEIGHTS]);
    assert!(zero.is_lazy() && zero.uses_distances() && !zero.uses_counts());
    for seed in 1..6 {
        let [one, two] = [&by_name, &zero].map(|how| explore(&program, how, seed, 40_000).paths);
        assert!(one.len() > 20 && one == two, "seed {seed}: {} and {} paths", one.len(), two.len());
    }
    let other = explore(&program, &any_frontier(1), 1, 40_000).paths;
    assert!(other != explore(&program, &by_name, 1, 40_000).paths, "weights change nothing");
}

#[test]
fn every_heuristic_repeats() {
    let program = program(PROGRAM);
    let mut all: Vec<(String, Search)> = Vec::new();
    for name in Strategy::names() {
        let plain = Search::parse(&[name.to_string()]).expect("a name");
        let batches = Search { batch_instructions: Some(500), ..plain.clone() };
        let slices = Search { slice: Some(Slice::Instructions(500)), ..plain.clone() };
        all.extend([
            (name.to_string(), plain),
            (format!("{name} in batches"), batches),
            (format!("{name} in slices"), slices),
        ]);
    }
    all.push(("in turn".into(), Search::default()));
    all.extend((1..5).map(|seed| (format!("param {seed}"), parametric(seed))));
    all.extend((1..9).map(|seed| (format!("frontier {seed}"), any_frontier(seed))));
    all.push(("absurd weights".into(), frontier([1e100; FRONTIER_WEIGHTS])));
    all.push(("absurd weights, too".into(), frontier([-1e100; FRONTIER_WEIGHTS])));
    let mut orders = Vec::new();
    for (name, how) in &all {
        let [one, two] = [0; 2].map(|_| explore(&program, how, 7, 20_000).paths);
        assert!(one.len() > 20, "{name}: {}", one.len());
        assert!(one == two, "{name}: two runs differ");
        orders.push(one);
    }
    orders.dedup();
    assert!(orders.len() > 10, "the heuristics are all the same");
}

//! Each heuristic on a program whose best order is known.

mod common;

use common::programs::{FOUND, program};
use common::{MANY, executions, heuristic, test_from, test_inputs};
use forkwise_concolic::features::{BranchFeatures, COUNT, TABLE};
use forkwise_concolic::heuristic::Parametric;
use forkwise_concolic::{Heuristic, Step, View};
use forkwise_explore::StopReason;
use std::cell::RefCell;
use std::rc::Rc;

/// Three branches that do not depend on each other.
const THREE: &str = "
int main(void) {
  unsigned char a, b, c; SYMBOLIC(a); SYMBOLIC(b); SYMBOLIC(c);
  int r = 0;
  if (a > 5) r += 4;
  if (b > 5) r += 2;
  if (c > 5) r += 1;
  return r;
}";

const ZEROS: [(&str, &[u8]); 3] = [("a", &[0]), ("b", &[0]), ("c", &[0])];

#[test]
fn dfs_negates_the_deepest_first() {
    let program = program(THREE);
    let tested = test_from(&program, heuristic("dfs", &program, 1), 1, executions(MANY), &ZEROS);
    assert_eq!(tested.positions(), [2, 1, 2, 0, 2, 1, 2]);
    assert_eq!(tested.summary.counters.executions, 8);
    assert_eq!(tested.summary.stop, StopReason::Complete);
    let mut statuses = tested.seen.statuses();
    assert_eq!(statuses[0], 0);
    statuses.sort_unstable();
    assert_eq!(statuses, [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// A bug behind four branches in the middle of a path that has many others, before and after.
const AMONG_OTHERS: &str = "
int main(void) {
  unsigned char in[24]; SYMBOLIC(in);
  int r = 0;
  for (int i = 0; i < 10; i++) if (in[i] > 5) r++;
  if (in[10] == 'f') if (in[11] == 'i') if (in[12] == 'n') if (in[13] == 'd') return 42;
  for (int i = 14; i < 24; i++) if (in[i] > 5) r++;
  return r > 0;
}";

#[test]
fn cfds_heads_for_uncovered_branches() {
    let program = program(AMONG_OTHERS);
    let cfds = heuristic("cfds", &program, 1);
    let tested = test_from(&program, cfds, 1, executions(12), &[("in", &[0; 24])]);
    let found = tested.seen.paths.iter().position(|p| p.status == Some(FOUND));
    assert!(found.is_some_and(|n| n <= 6), "{:?}", tested.seen.statuses());
    // Until then it negates nothing whose other side is known.
    for choice in tested.choices.iter().take(found.unwrap_or(0)) {
        assert!(choice.features()[29], "{choice:?}");
    }
}

#[test]
fn cfds_goes_on_from_where_it_came_nearer() {
    let program = program(
        "int main(void) {
           unsigned char z, a, x, y; SYMBOLIC(z); SYMBOLIC(a); SYMBOLIC(x); SYMBOLIC(y);
           int r = 0;
           if (z > 5) r = 4;
           if (x > 5) { if (y > 5) return 42; r += 1; }
           if (a > 5) r += 2;
           return r;
         }",
    );
    // When these have run, everything but the bug is covered; it is one branch away from the last path.
    let inputs: [&[(&str, &[u8])]; 3] = [
        &[("z", &[9]), ("x", &[9]), ("y", &[0]), ("a", &[0])],
        &[("z", &[9]), ("x", &[9]), ("y", &[0]), ("a", &[9])],
        &[("z", &[0]), ("x", &[0]), ("y", &[0]), ("a", &[0])],
    ];
    let tested = test_inputs(&program, heuristic("cfds", &program, 1), 1, executions(5), &inputs);
    assert_eq!(tested.seen.statuses(), [5, 7, 0, 1, FOUND]);
    assert_eq!(tested.positions(), [1, 2]);
}

#[test]
fn cfds_backs_off() {
    // The nearest uncovered branch cannot be reached; the next one can.
    let program = program(
        "int main(void) {
           unsigned char a, b; SYMBOLIC(a); SYMBOLIC(b);
           if (a < 100) { if (a > 200) return 1; }
           if (b > 5) return 42;
           return 0;
         }",
    );
    let inputs: [&[(&str, &[u8])]; 2] = [&[("a", &[250]), ("b", &[0])], &[("a", &[0]), ("b", &[0])]];
    let tested = test_inputs(&program, heuristic("cfds", &program, 1), 1, executions(3), &inputs);
    let choices: Vec<_> = tested.choices.iter().map(|c| (c.executions, c.position, c.success)).collect();
    assert_eq!(choices, [(2, 1, false), (2, 2, true)]);
    assert_eq!(tested.seen.statuses(), [0, 0, FOUND]);
}

/// Branches at one place, again and again.
const TWENTY: &str = "
int main(void) {
  unsigned char in[20]; SYMBOLIC(in);
  int r = 0;
  for (int i = 0; i < 20; i++) if (in[i] > 5) r++;
  return r;
}";

#[test]
fn cgs_is_breadth_first_and_tries_each_context_once() {
    let program = program(TWENTY);
    let cgs = heuristic("cgs", &program, 1);
    let tested = test_from(&program, cgs, 1, executions(MANY), &[("in", &[0; 20])]);
    assert!(tested.positions().is_sorted(), "{:?}", tested.positions());
    // With at most five branches before it there are two arms after 1 + 2 + 4 + 8 + 16 + 32 contexts.
    assert!((60..=126).contains(&tested.choices.len()), "{}", tested.choices.len());
    assert!(tested.choices.iter().all(|c| !c.features()[22]), "no context of five was tried before");
    // Afterwards it begins again from random inputs.
    assert_eq!(tested.summary.counters.executions, MANY);
    assert_eq!(tested.summary.stop, StopReason::Executions);
}

#[test]
fn cgs_leaves_dominators_out_of_contexts() {
    // The branch in the loop always has the same five before it, all of which lie on every way to it.
    let source = |before: &str| {
        format!(
            "int main(void) {{
               unsigned char x, in[6]; SYMBOLIC(x); SYMBOLIC(in);
               int r = 0;
               for (int i = 0; i < 6; i++) if (in[i] > 5) r++;
               {before}
               if (x > 100) r += 100;
               return r;
             }}"
        )
    };
    let choices_at_the_end = |before: &str| {
        let program = program(&source(before));
        let cgs = heuristic("cgs", &program, 1);
        let tested = test_from(&program, cgs, 1, executions(3_000), &[("x", &[50]), ("in", &[0; 6])]);
        let last = tested.choices.iter().map(|c| c.length).max().unwrap_or(0) - 1;
        tested.choices.iter().filter(|c| c.position == last).count()
    };
    // Five of six branches are the context: two ways of 32 each. Branches that every path takes change nothing.
    let plain = choices_at_the_end("");
    let dominated =
        choices_at_the_end("if (x > 240) return 1; if (x > 230) return 2; if (x > 220) return 3;");
    assert_eq!(plain, dominated);
    // Branches that paths take differently do: they push others out of the context.
    let pushed = choices_at_the_end("if (x > 40) r++; if (x > 30) r++; if (x > 20) r++;");
    assert!(pushed < plain, "{pushed} {plain}");
}

#[test]
fn gen_runs_a_whole_generation_and_expands_the_best_child() {
    let program = program(
        "int main(void) {
           unsigned char in[6]; SYMBOLIC(in);
           int r = 0;
           if (in[0] > 5) r += 1;
           if (in[1] > 5) {
             r += 2;
             if (in[2] > 5) r += 4;
             if (in[3] > 5) r += 8;
             if (in[4] > 5) r += 16;
           }
           if (in[5] > 5) r += 32;
           return r;
         }",
    );
    let generational = heuristic("gen", &program, 1);
    let tested = test_from(&program, generational, 1, executions(8), &[("in", &[0; 6])]);
    // Three children; the second covered most, so its children are next.
    assert_eq!(tested.seen.statuses(), [0, 1, 2, 32, 6, 10, 18, 34]);
}

/// Asks a heuristic often for the same path.
struct Sampler {
    inner: Box<dyn Heuristic>,
    samples: Rc<RefCell<Vec<usize>>>,
}

impl Heuristic for Sampler {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        let mut samples = self.samples.borrow_mut();
        samples.resize(view.path.len(), 0);
        for _ in 0..SAMPLES {
            let step = self.inner.choose(view)?;
            samples[view.tree.node(step.node).depth as usize] += 1;
        }
        None
    }
}

const SAMPLES: usize = 20_000;

#[test]
fn random_branch_is_uniform() {
    let program = program(TWENTY);
    let samples: Rc<RefCell<Vec<usize>>> = Rc::default();
    let inner = heuristic("random-branch", &program, 7);
    let sampler = Box::new(Sampler { inner, samples: samples.clone() });
    test_from(&program, sampler, 1, executions(2), &[("in", &[0; 20])]);
    let samples = samples.borrow();
    assert_eq!(samples.len(), 20);
    let expected = SAMPLES as f64 / 20.0;
    let chi_square: f64 = samples.iter().map(|n| (*n as f64 - expected).powi(2) / expected).sum();
    // 19 degrees of freedom: one in a thousand is above 43.8.
    assert!(chi_square < 43.8, "{chi_square}: {samples:?}");
}

/// Weights by the names of features.
fn weights(given: &[(&str, f64)]) -> [f64; COUNT] {
    let mut out = [0.0; COUNT];
    for (name, weight) in given {
        out[TABLE.iter().position(|f| f.name == *name).expect("a feature")] = *weight;
    }
    out
}

#[test]
fn parametric_ties_go_to_the_deepest() {
    let program = program(THREE);
    let parametric = Box::new(Parametric::new([0.0; COUNT]));
    let tested = test_from(&program, parametric, 1, executions(MANY), &ZEROS);
    let dfs = test_from(&program, heuristic("dfs", &program, 1), 1, executions(MANY), &ZEROS);
    assert_eq!(tested.positions(), [2, 1, 2, 0, 2, 1, 2]);
    assert_eq!(tested.seen.paths, dfs.seen.paths);
}

#[test]
fn parametric_follows_its_weights() {
    let program = program(AMONG_OTHERS);
    let positions = |given: &[(&str, f64)], n: u64| {
        let parametric = Box::new(Parametric::new(weights(given)));
        test_from(&program, parametric, 1, executions(n), &[("in", &[0; 24])]).positions()
    };
    // The first tenth of 21 branches is three; the deepest of them comes first.
    assert_eq!(positions(&[("path-first", 1.0)], 4), [2, 1, 2]);
    assert_eq!(positions(&[("path-last", -1.0)], 2), [17]);
    // The bug's branches are characters and nested.
    assert_eq!(positions(&[("text", 0.5), ("path-last", 0.4)], 5), [10, 11, 12, 13]);
    // Right after the one before, if there is one.
    assert_eq!(positions(&[("path-first", 0.5), ("after-negated", 1.0)], 5), [2, 3, 4, 5]);
    // Uncovered sides first, then the deepest.
    assert_eq!(positions(&[("opposite-uncovered", 1.0)], 3), [20, 10]);
}

/// Scores every branch before each choice.
struct Naive([f64; COUNT]);

impl Heuristic for Naive {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        let features = BranchFeatures::new(view);
        let mut best: Option<(f64, Step)> = None;
        for (position, other) in view.candidates().rev() {
            let score = Parametric::score(&self.0, features.bits(view, position, other));
            if best.is_none_or(|b| score > b.0) {
                best = Some((score, other));
            }
        }
        best.map(|b| b.1)
    }
}

/// Many branches that cannot be negated beside many that can.
const HALF_INFEASIBLE: &str = "
static int check(unsigned char v, int limit) { if (v < limit) return 1; return 0; }
int main(void) {
  unsigned char in[8]; SYMBOLIC(in);
  int r = 0;
  for (int i = 0; i < 8; i++) {
    switch (in[i]) { case 1: case 2: r += 1; break; case 3: r += 2; break; }
    r += check(in[i], 100) + check(in[i], 200) + check(in[i], 50 + i);
  }
  return r > 12;
}";

#[test]
fn scores_that_are_kept_are_those_that_would_be_computed() {
    let program = program(HALF_INFEASIBLE);
    let mut random = forkwise_explore::Random::new(5);
    let mut failures = 0;
    for seed in 0..12 {
        let weights: [f64; COUNT] = std::array::from_fn(|_| (random.below(2_001) as f64 - 1_000.0) / 1_000.0);
        let kept = test_from(&program, Box::new(Parametric::new(weights)), seed, executions(120), &[]);
        let naive = test_from(&program, Box::new(Naive(weights)), seed, executions(120), &[]);
        assert_eq!(kept.choices, naive.choices, "seed {seed}");
        assert_eq!(kept.seen.paths, naive.seen.paths, "seed {seed}");
        failures += kept.choices.iter().filter(|c| !c.success).count();
    }
    assert!(failures > 100, "{failures} choices failed");
}

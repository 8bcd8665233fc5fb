//! An observer hears of every choice, failed ones included, with the features it had.

mod common;

use common::{executions, programs::program, test_from};
use common::{heuristic, test};

/// The second condition follows from the first, so that its other side is infeasible.
const IMPLIED: &str = "
int main(void) {
  unsigned char x; SYMBOLIC(x);
  if (x < 100) { if (x < 200) return 1; return 2; }
  return 3;
}";

#[test]
fn failed_and_successful_choices_are_heard() {
    let program = program(IMPLIED);
    let dfs = heuristic("dfs", &program, 1);
    let tested = test_from(&program, dfs, 1, executions(10), &[("x", &[7])]);
    let heard: Vec<_> =
        tested.choices.iter().map(|c| (c.number, c.executions, c.position, c.length, c.success)).collect();
    assert_eq!(heard, [(1, 1, 1, 2, false), (2, 1, 0, 2, true)]);
    for choice in &tested.choices {
        let (taken, opposite) = (choice.taken.expect("a branch"), choice.opposite.expect("a branch"));
        assert_eq!(program.arms_of(taken), program.arms_of(opposite));
        assert_ne!(taken, opposite);
        assert!(choice.features()[0], "in main");
    }
    assert_eq!(tested.seen.statuses(), [1, 3]);
}

#[test]
fn observing_changes_nothing() {
    let program = program(IMPLIED);
    for name in ["dfs", "cfds", "cgs", "gen", "random-branch"] {
        let watched = test(&program, name, 3, executions(20));
        let (vm, first) = common::programs::start(program.clone());
        let mut alone = forkwise_concolic::Concolic::new(
            vm,
            vec![first],
            heuristic(name, &program, 3),
            3,
            forkwise_explore::Limits::default(),
            Default::default(),
            executions(20),
        );
        let mut seen = common::programs::Seen::default();
        alone.run(&mut seen).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(seen.paths, watched.seen.paths, "{name}");
    }
}

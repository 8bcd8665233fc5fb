//! Each heuristic on a small program whose best order is known: it must be as good as its definition says, and where one
//! heuristic is blind, another one is used to show that the program is not simply easy.

mod common;

use common::{FOUND, explore, explorer, finds, program, search};
use forkwise_explore::{Search, Slice};
use std::cell::Cell;
use std::rc::Rc;

/// Thirty states: number 29 does `task` and ends with 42; all others run `rest`.
fn one_of_thirty(globals: &str, task: &str, rest: &str) -> String {
    format!(
        "{globals}
         int main(void) {{
           unsigned char who; SYMBOLIC(who); klee_assume(who < 30);
           if (decide(who, 30) == 29) {{ {task} return {FOUND}; }}
           {rest}
           return 0;
         }}"
    )
}

/// The shallow path (1) is two decisions deep, the deep one (2) nine; zeros are what the first path has.
const TWO_DEPTHS: &str = "
int main(void) {
  unsigned char b[10];
  klee_make_symbolic(b, sizeof b, \"b\");
  if (b[0] == 0) { if (b[1]) return 1; return 0; }
  for (int i = 2; i < 10; i++) if (b[i] == 0) return 0;
  return 2;
}";

#[test]
fn depth_first_finds_the_deep_path_first_and_breadth_first_the_shallow_one() {
    let program = program(TWO_DEPTHS);
    let order = |name| -> Vec<i32> {
        let seen = explore(&program, &search(name), 1, 100_000);
        seen.statuses().into_iter().filter(|s| *s != 0).collect()
    };
    assert_eq!(order("dfs"), [2, 1]);
    assert_eq!(order("bfs"), [1, 2]);
}

/// One state has much to do right after the first fork; its sibling forks for ever.
const SHALLOW_WORK: &str = "
int main(void) {
  unsigned char b[200];
  klee_make_symbolic(b, sizeof b, \"b\");
  if (b[0]) {
    for (volatile int i = 0; i < 20000; i++) ;
    return 42;
  }
  for (int i = 1; i < 200; i++) { if (b[i]) for (;;) ; }
  for (;;) ;
}";

#[test]
fn random_path_favours_shallow_leaves() {
    let program = program(SHALLOW_WORK);
    // The work takes some 25 slices of 10 000 instructions. Half of all choices go to the shallow state, whatever
    // the number of deep ones.
    for name in ["random-path", "nurs:rp"] {
        assert!(finds(&program, &search(name), 1, 1_000_000), "{name}");
    }
    // Uniform: one in 200. By depth: less.
    for name in ["random-state", "nurs:depth"] {
        assert!(!finds(&program, &search(name), 1, 1_000_000), "{name}");
    }
}

#[test]
fn depth_is_what_weights_by_depth_follow() {
    let program = program(SHALLOW_WORK);
    let mean_depth = |name: &str| {
        let (mut explorer, first) = explorer(&program, &search(name), 1, 3_000_000);
        let sum = Rc::new(Cell::new((0u64, 0u64)));
        let seen = sum.clone();
        explorer.observe(Box::new(move |s| {
            let (depth, n) = seen.get();
            seen.set((depth + u64::from(s.state.depth), n + 1));
        }));
        explorer.run(vec![first], &mut common::Seen::default()).unwrap_or_else(|e| panic!("{e}"));
        sum.get().0 / sum.get().1
    };
    let [deep, uniform, shallow] = ["nurs:depth", "random-state", "nurs:rp"].map(mean_depth);
    assert!(deep > uniform && uniform > shallow, "{deep} {uniform} {shallow}");
}

#[test]
fn random_state_gives_every_state_its_turn() {
    let program = program(&one_of_thirty("", "for (volatile int i = 0; i < 20000; i++) ;", "for (;;) ;"));
    // 25 slices in 30 states.
    assert!(finds(&program, &search("random-state"), 1, 15_000_000));
    assert!(!finds(&program, &search("random-state"), 1, 2_000_000));
}

#[test]
fn md2u_heads_for_uncovered_code() {
    // After its loop state 29 enters new code; the others never can.
    let task = "for (volatile int i = 0; i < 20000; i++) ; volatile int x = 1;";
    let program = program(&one_of_thirty("", task, "for (;;) ;"));
    assert!(finds(&program, &search("nurs:md2u"), 1, 500_000));
    assert!(finds(&program, &search("nurs:covnew"), 1, 1_000_000));
    assert!(!finds(&program, &search("random-state"), 1, 1_000_000));
}

#[test]
fn covnew_stays_with_who_covers_new_code() {
    // Through pointers, so that no distance tells where new code is.
    let n = 300;
    let functions: String =
        (0..n).map(|i| format!("void f{i}(void) {{ for (volatile int k = 0; k < 40; k++) ; }}\n")).collect();
    let table: String = (0..n).map(|i| format!("f{i},")).collect();
    let globals = format!("{functions} void (*table[])(void) = {{ {table} }};");
    let task = format!("for (int i = 0; i < {n}; i++) table[i]();");
    let program = program(&one_of_thirty(&globals, &task, "for (;;) ;"));
    assert!(finds(&program, &search("nurs:covnew"), 1, 800_000));
    assert!(!finds(&program, &search("random-state"), 1, 800_000));
}

#[test]
fn icnt_prefers_code_that_is_rarely_executed() {
    // State 29 goes from loop to loop; the others are all in one.
    let task = "for (volatile int i = 0; i < 800; i++) ;".repeat(40);
    let program = program(&one_of_thirty("", &task, "for (;;) ;"));
    assert!(finds(&program, &search("nurs:icnt"), 1, 1_500_000));
    assert!(!finds(&program, &search("random-state"), 1, 1_500_000));
}

#[test]
fn cpicnt_prefers_call_paths_that_executed_little() {
    // The same instructions for all; only how they were called tells states apart.
    let globals = "void work(int n) { for (volatile int i = 0; i < n; i++) ; }";
    let program = program(&one_of_thirty(globals, &"work(800);".repeat(40), "work(1 << 30);"));
    assert!(finds(&program, &search("nurs:cpicnt"), 1, 4_000_000));
    assert!(!finds(&program, &search("nurs:icnt"), 1, 4_000_000));
}

#[test]
fn slices_come_back_from_a_path_without_end() {
    let program = program(
        "int main(void) {
           unsigned char b; SYMBOLIC(b);
           if (b) for (;;) ;
           for (volatile int i = 0; i < 20000; i++) ;
           return 42;
         }",
    );
    let dfs = search("dfs");
    assert!(!finds(&program, &dfs, 1, 5_000_000), "depth first follows the newest state for ever");
    let sliced = Search { slice: Some(Slice::Instructions(10_000)), ..dfs.clone() };
    assert!(finds(&program, &sliced, 1, 2_000_000));
}

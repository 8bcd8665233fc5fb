//! The loop of concolic testing: snapshots or none, the same paths; the same seed, the same result; what is begun with, when
//! it begins again, when it ends.

mod common;

use common::programs::{explorer, program, search};
use common::{MANY, Tested, executions, heuristic, test, test_from, test_inputs, test_within};
use forkwise_concolic::heuristic::Parametric;
use forkwise_concolic::{Heuristic, Options};
use forkwise_explore::{Limits, StopReason};
use forkwise_ir::Program;
use std::rc::Rc;

const NAMES: [&str; 6] = ["random-branch", "dfs", "cfds", "cgs", "gen", "parametric"];

fn any_heuristic(name: &str, program: &Program, seed: u64) -> Box<dyn Heuristic> {
    match name {
        "parametric" => {
            let mut random = forkwise_explore::Random::new(seed ^ 99);
            Box::new(Parametric::new(std::array::from_fn(|_| random.below(2_001) as f64 - 1_000.0)))
        }
        name => heuristic(name, program, seed),
    }
}

fn run(program: &Rc<Program>, name: &str, seed: u64, options: Options) -> Tested {
    test_from(program, any_heuristic(name, program, seed), seed, options, &[])
}

/// Small programs that a complete exploration of ends soon; together they have every kind of decision.
const SMALL: [(&str, &str); 7] = [
    (
        "branches and an infeasible side",
        "int main(void) {
           unsigned char a, b; SYMBOLIC(a); SYMBOLIC(b);
           int r = 0;
           if (a < 100) { if (a > 200) return 1; r = 2; }
           if (b > a) r += 4;
           if (b == 77) r += 8;
           return r;
         }",
    ),
    (
        "a loop with a symbolic bound",
        "int main(void) {
           unsigned char n; SYMBOLIC(n); klee_assume(n < 12);
           int r = 0;
           for (unsigned i = 0; i < n; i++) if ((n ^ i) & 4) r++; else r += 2;
           return r;
         }",
    ),
    (
        "switches with shared and missing cases",
        "int main(void) {
           unsigned char in[2]; SYMBOLIC(in);
           int r = 0;
           for (int i = 0; i < 2; i++)
             switch (in[i]) {
               case 'a': case 'b': r += 1; break;
               case 'c': r += 2; /* and on */
               case 'd': r += 3; break;
               case 200: return 99;
             }
           return r;
         }",
    ),
    (
        "symbolic indices into an array",
        "static unsigned char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
         int main(void) {
           unsigned char i, j; SYMBOLIC(i); SYMBOLIC(j); klee_assume(i < 8); klee_assume(j < 8);
           table[i] = 7;
           if (table[j] == 7) return 1;
           if (table[j] > table[i & 3]) return 2;
           return 3;
         }",
    ),
    (
        "symbolic pointers and sizes",
        "static unsigned char x = 1, y[3] = {2, 3, 4}, z[5] = {5};
         int main(void) {
           unsigned char k, n; SYMBOLIC(k); SYMBOLIC(n); klee_assume(k < 3); klee_assume(n < 4);
           unsigned char *all[3] = {&x, y, z};
           unsigned char *p = all[k];
           *p += 10;
           unsigned char *q = malloc(n + 1u);
           q[n] = 5;
           if (y[0] == 12) return n == 2 ? 4 : 5;
           return *p == 15 ? 6 : 7;
         }",
    ),
    (
        "a function pointer and recursion",
        "static int one(int v) { return v + 1; }
         static int two(int v) { return v > 3 ? 2 : one(v); }
         static int deep(unsigned char v) { if (v & 1) return 1; return v == 0 ? 0 : 1 + deep(v / 2); }
         int main(void) {
           unsigned char k, v; SYMBOLIC(k); SYMBOLIC(v); klee_assume(k < 2);
           int (*f[2])(int) = {one, two};
           int (*g)(int) = f[k];
           return g(v) > 100 ? 3 : deep(v);
         }",
    ),
    (
        "inputs that are made on the way",
        "int klee_int(const char *);
         int main(void) {
           int r = 0;
           for (int i = 0; i < 3; i++) {
             int v = klee_int(\"v\");
             if (v < 0) return r;
             if (v > 1000) r += 1 << i;
           }
           return r + 8;
         }",
    ),
];

#[test]
fn snapshots_change_nothing() {
    for (what, source) in SMALL {
        let program = program(source);
        for name in NAMES {
            let kept = run(&program, name, 3, executions(60));
            for (snapshots, most) in [(false, None), (true, Some(0)), (true, Some(1)), (true, Some(4))] {
                let options = Options { snapshots, most_snapshots: most, ..executions(60) };
                let other = run(&program, name, 3, options);
                let how = format!("{what} with {name}, snapshots {snapshots} {most:?}");
                assert_eq!(other.seen.paths, kept.seen.paths, "{how}");
                assert_eq!(other.choices, kept.choices, "{how}");
                assert_eq!(other.summary.stop, kept.summary.stop, "{how}");
                assert_eq!(other.covered(), kept.covered(), "{how}");
                assert_eq!(other.concolic.vm.notes, kept.concolic.vm.notes, "{how}");
                // Running a path again asks the solver nothing.
                let queries = |t: &Tested| t.concolic.vm.solver.stats().queries;
                assert_eq!(queries(&other), queries(&kept), "{how}");
                assert!(other.summary.counters.instructions >= kept.summary.counters.instructions, "{how}");
            }
        }
    }
}

#[test]
fn runs_cost_their_new_part_only() {
    let source = "int main(void) {
           unsigned char in[8]; SYMBOLIC(in);
           int r = 0;
           for (volatile int i = 0; i < 10000; i++) ;
           for (int i = 0; i < 8; i++) if (in[i] > 5) r++;
           return r;
         }";
    let program = program(source);
    let kept = run(&program, "dfs", 1, executions(200));
    let again = run(&program, "dfs", 1, Options { snapshots: false, ..executions(200) });
    let count = |t: &Tested| t.summary.counters.instructions;
    assert!(count(&again) > 100 * count(&kept), "{} {}", count(&again), count(&kept));
}

#[test]
fn the_same_seed_gives_the_same_result() {
    for (what, source) in SMALL {
        let program = program(source);
        for name in NAMES {
            let (a, b) = (run(&program, name, 11, executions(40)), run(&program, name, 11, executions(40)));
            assert_eq!(a.seen.paths, b.seen.paths, "{what} with {name}");
            assert_eq!(a.choices, b.choices, "{what} with {name}");
        }
    }
}

#[test]
fn complete_testing_covers_what_complete_exploration_covers() {
    for (what, source) in SMALL {
        let program = program(source);
        let (mut egt, first) = explorer(&program, &search("dfs"), 1, 10_000_000);
        let mut paths = common::programs::Seen::default();
        let done = egt.run(vec![first], &mut paths).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(done.stop, StopReason::Complete, "{what}");
        let wanted = egt.vm.coverage.branches(&program);
        for name in ["dfs", "gen"] {
            let tested = run(&program, name, 5, executions(MANY));
            assert_eq!(tested.summary.stop, StopReason::Complete, "{what} with {name}");
            assert_eq!(tested.concolic.vm.coverage.branches(&program), wanted, "{what} with {name}");
            let sorted = |mut statuses: Vec<i32>| {
                statuses.sort_unstable();
                statuses.dedup();
                statuses
            };
            assert_eq!(sorted(tested.seen.statuses()), sorted(paths.statuses()), "{what} with {name}");
        }
        // The others begin again and again; on such programs they get there all the same.
        for name in ["random-branch", "cfds", "parametric"] {
            let tested = run(&program, name, 5, executions(MANY));
            assert_eq!(tested.concolic.vm.coverage.branches(&program), wanted, "{what} with {name}");
        }
    }
}

const EIGHT: &str = "int main(void) {
  unsigned char in[8]; SYMBOLIC(in);
  int r = 0;
  for (int i = 0; i < 8; i++) if (in[i] > 5) r++;
  return r;
}";

#[test]
fn executions_are_exact() {
    let program = program(EIGHT);
    for name in NAMES {
        for n in [1, 2, 7, 50] {
            let tested = run(&program, name, 2, executions(n));
            assert_eq!(tested.summary.counters.executions, n, "{name}");
            assert_eq!(tested.seen.paths.len() as u64, n, "{name}");
            assert_eq!(tested.summary.stop, StopReason::Executions, "{name}");
        }
    }
    // All 256 paths are one budget and the whole program.
    for n in [256, 300] {
        let tested = run(&program, "dfs", 2, executions(n));
        assert_eq!(tested.summary.counters.executions, 256);
        assert_eq!(tested.summary.stop, StopReason::Complete);
    }
}

#[test]
fn other_limits_end_it() {
    let program = program(EIGHT);
    let within = |limits| {
        test_within(&program, heuristic("gen", &program, 1), 1, limits, Options::default(), &[]).summary
    };
    let tests = within(Limits { tests: Some(5), ..Limits::default() });
    assert_eq!((tests.stop, tests.counters.tests), (StopReason::Tests, 5));
    let instructions = within(Limits { instructions: Some(2_000), ..Limits::default() });
    assert_eq!(instructions.stop, StopReason::Instructions);
    let time = within(Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() });
    assert_eq!(time.stop, StopReason::Time);
    assert!(time.counters.executions >= 1, "what was begun yields its test");
}

#[test]
fn endless_paths_are_cut_off_and_yield_their_tests() {
    let endless = [
        "for (;;) ;",
        // It decides so often that it never runs for long without a decision.
        "for (unsigned i = 0;; i++) if (in[i % 4] > 5) r++;",
    ];
    for body in endless {
        let source = format!(
            "int main(void) {{ unsigned char in[4]; SYMBOLIC(in); int r = 0; if (in[0] == 7) return 1; {body} }}"
        );
        let program = program(&source);
        for snapshots in [true, false] {
            let options = Options { instructions: 20_000, snapshots, ..executions(4) };
            let input: &[(&str, &[u8])] = &[("in", &[1, 2, 3, 4])];
            let tested = test_from(&program, heuristic("dfs", &program, 1), 1, options, input);
            let first = &tested.seen.paths[0];
            assert_eq!((first.status, &first.input[..]), (None, &[1, 2, 3, 4][..]), "{body}");
            assert!((20_000..30_000).contains(&first.instructions), "{body}: {}", first.instructions);
            assert!(tested.summary.counters.unfinished >= 1, "{body}");
            assert!(tested.summary.left_out.paths >= 1, "{body}");
        }
    }
}

#[test]
fn known_inputs_come_first() {
    let program = program(
        "int main(void) { unsigned char x; SYMBOLIC(x); if (x > 200) return 1; if (x > 100) return 2; return 3; }",
    );
    for name in NAMES {
        let inputs: [&[(&str, &[u8])]; 3] = [&[("x", &[150])], &[("x", &[250])], &[("x", &[7])]];
        let heuristic = any_heuristic(name, &program, 1);
        let tested = test_inputs(&program, heuristic, 1, executions(3), &inputs);
        assert_eq!(tested.seen.statuses(), [2, 1, 3], "{name}");
        assert!(tested.choices.is_empty(), "{name}");
        assert_eq!(tested.summary.stop, StopReason::Complete, "{name}");
    }
}

#[test]
fn what_is_infeasible_is_not_asked_again() {
    let program = program(
        "int main(void) {
           unsigned char a, b; SYMBOLIC(a); SYMBOLIC(b);
           if (a < 100) { if (a > 200) return 1; if (a > 150) return 2; }
           if (b > 5) return 3;
           return 4;
         }",
    );
    for name in NAMES {
        // Three inputs with one path, and then as many more as it takes.
        let inputs: [&[(&str, &[u8])]; 3] =
            [&[("a", &[1]), ("b", &[0])], &[("a", &[2]), ("b", &[1])], &[("a", &[3]), ("b", &[2])]];
        let heuristic = any_heuristic(name, &program, 1);
        let tested = test_inputs(&program, heuristic, 1, executions(40), &inputs);
        let failures: Vec<_> = tested.choices.iter().filter(|c| !c.success).map(|c| c.position).collect();
        assert_eq!(failures.len(), 2, "{name}: {failures:?}");
        // A query for each choice, of which two failed; nothing else is asked.
        let queries = tested.concolic.vm.solver.stats().queries;
        assert_eq!(queries, tested.choices.len() as u64, "{name}");
    }
}

#[test]
fn it_begins_again_when_nothing_is_left_on_the_path() {
    // The heuristic never chooses anything: every run begins with another random input.
    struct Nothing;
    impl Heuristic for Nothing {
        fn choose(&mut self, _: forkwise_concolic::View<'_>) -> Option<forkwise_concolic::Step> {
            None
        }
    }
    let program = program(EIGHT);
    let tested = test_from(&program, Box::new(Nothing), 1, executions(30), &[]);
    assert_eq!(tested.summary.counters.executions, 30);
    assert!(tested.choices.is_empty());
    let inputs: std::collections::BTreeSet<_> = tested.seen.paths.iter().map(|p| &p.input).collect();
    assert!(inputs.len() >= 29, "{} inputs", inputs.len());
    assert_eq!(tested.concolic.vm.solver.stats().queries, 0);
}

#[test]
fn a_program_without_decisions_is_one_execution() {
    let program = program("int main(void) { unsigned char x; SYMBOLIC(x); return 5; }");
    for name in NAMES {
        let tested = run(&program, name, 1, Options::default());
        assert_eq!(tested.seen.statuses(), [5], "{name}");
        assert_eq!(tested.summary.stop, StopReason::Complete, "{name}");
    }
}

#[test]
fn seeds_of_randomness_differ() {
    let program = program(EIGHT);
    let inputs = |seed| {
        let tested = test(&program, "random-branch", seed, executions(10));
        tested.seen.paths.iter().map(|p| p.input.clone()).collect::<Vec<_>>()
    };
    assert_ne!(inputs(1), inputs(2));
}

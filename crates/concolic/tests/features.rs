//! Each of the 40 features of branches has a program here with a path and a branch where it must hold and one where it
//! must not. Paths come from real runs: a script says which branch of the last path is negated next, and before each
//! choice the features of all branches of the path are written down.

mod common;

use common::{executions, programs::program, test_from};
use forkwise_concolic::features::{BranchFeatures, COUNT, TABLE};
use forkwise_concolic::{Heuristic, Step, View};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// The features of each branch of the last path, before each choice.
type Log = Rc<RefCell<Vec<Vec<u64>>>>;

/// Negates what the script says: positions on the last path.
struct Script {
    positions: VecDeque<usize>,
    log: Log,
}

impl Heuristic for Script {
    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        let features = BranchFeatures::new(view);
        let other = |step: &Step| {
            let arms = 0..view.tree.node(step.node).arms.len() as u32;
            let mut others = arms.filter(|a| *a != step.arm).map(|arm| Step { node: step.node, arm });
            others.next().expect("a decision has another arm")
        };
        let all = view.path.iter().enumerate().map(|(i, s)| features.bits(view, i, other(s)));
        self.log.borrow_mut().push(all.collect());
        let position = self.positions.pop_front()?;
        Some(view.tree.alternatives(view.path[position]).next().expect("what the script negates is open"))
    }
}

/// What was written down, over the choices of a script.
struct Written(Vec<Vec<u64>>);

impl Written {
    /// Has the branch at a position the feature, before a choice (from 0)?
    fn has(&self, choice: usize, position: usize, number: usize) -> bool {
        self.0[choice][position] >> (number - 1) & 1 == 1
    }

    /// Feature `number` holds at the first place and does not at the second; places are a choice and a position.
    #[track_caller]
    fn check(&self, number: usize, holds: (usize, usize), not: (usize, usize)) {
        let name = TABLE[number - 1].name;
        assert!(self.has(holds.0, holds.1, number), "{number} ({name}) at {holds:?}");
        assert!(!self.has(not.0, not.1, number), "{number} ({name}) at {not:?}");
    }
}

/// Runs `body` of `main` after `globals` on an input, then as the script says.
fn written(globals: &str, body: &str, inputs: &[(&str, &[u8])], script: &[usize]) -> Written {
    let program = program(&format!("{globals}\nint main(void) {{ int r = 0; {body} return r; }}"));
    let log = Log::default();
    let script = Script { positions: script.iter().copied().collect(), log: log.clone() };
    // When the script is over, one more run from a new input ends it.
    let most = executions(script.positions.len() as u64 + 2);
    test_from(&program, Box::new(script), 1, most, inputs);
    let log = log.borrow().clone();
    Written(log)
}

#[test]
fn names_are_different_and_explained() {
    assert_eq!(TABLE.len(), COUNT);
    let names: BTreeSet<_> = TABLE.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), COUNT);
    assert!(TABLE.iter().all(|f| !f.meaning.is_empty()));
}

#[test]
fn in_main() {
    let helper = "static int helper(unsigned char v) { if (v > 3) return 1; return 0; }";
    let body = "unsigned char x; SYMBOLIC(x); if (x > 10) r = 1; r += helper(x);";
    written(helper, body, &[("x", &[7])], &[]).check(1, (0, 0), (0, 1));
}

#[test]
fn loops() {
    let body = "unsigned char n; SYMBOLIC(n);
      for (unsigned i = 0; i < n; i++) { if (n == 77 + i) r++; }";
    let w = written("", body, &[("n", &[2])], &[]);
    // The test of the loop, which goes on; the branch in its body; the test that ends it.
    let (goes_on, inside, ends) = ((0, 0), (0, 1), (0, 4));
    w.check(2, goes_on, ends);
    w.check(2, goes_on, inside);
    w.check(3, ends, goes_on);
    w.check(3, ends, inside);
    w.check(10, inside, goes_on);
    w.check(10, inside, ends);
}

#[test]
fn nested() {
    let body = "unsigned char x; SYMBOLIC(x); if (x > 10) { if (x > 20) r = 1; }";
    written("", body, &[("x", &[15])], &[]).check(4, (0, 1), (0, 0));
}

#[test]
fn external_call() {
    let body = "unsigned char x; SYMBOLIC(x); if (klee_int(\"n\") > 3) r = 1; if (x > 3) r++;";
    written("int klee_int(const char *);", body, &[("x", &[15])], &[]).check(5, (0, 0), (0, 1));
}

#[test]
fn integers_and_pointers() {
    let body = "unsigned char x; SYMBOLIC(x); char *p = a + x; if (p == a + 3) r = 1; if (x > 10) r++;";
    let w = written("char a[256];", body, &[("x", &[15])], &[]);
    w.check(6, (0, 1), (0, 0));
    w.check(8, (0, 0), (0, 1));
}

#[test]
fn text() {
    let body = "char c; SYMBOLIC(c); unsigned n; SYMBOLIC(n); if (c == 'a') r = 1; if (n == 9700) r++;";
    written("", body, &[("c", b"x")], &[]).check(7, (0, 0), (0, 1));
}

#[test]
fn local_variables() {
    let body = "unsigned char x; SYMBOLIC(x); SYMBOLIC(g); if (x > 3) r = 1; if (g > 3) r++;";
    written("unsigned char g;", body, &[("x", &[15])], &[]).check(9, (0, 0), (0, 1));
}

#[test]
fn switches() {
    let body = "unsigned char x, y; SYMBOLIC(x); SYMBOLIC(y);
      switch (x) { case 1: r = 1; break; case 2: r = 2; break; default: r = 3; }
      switch (y) { case 1: r += 10; break; case 2: r += 20; break; default: r += 30; }";
    let w = written("", body, &[("x", &[1]), ("y", &[9])], &[]);
    w.check(11, (0, 0), (0, 1));
    w.check(12, (0, 1), (0, 0));
}

/// Forty branches at one place, of which a path takes one arm only, before one at another place.
const FORTY: &str = "unsigned char in[40], y; SYMBOLIC(in); SYMBOLIC(y);
  for (int i = 0; i < 40; i++) if (in[i] > 5) r++;
  if (y > 3) r++;";

fn forty(script: &[usize]) -> Written {
    written("", FORTY, &[("in", &[0; 40]), ("y", &[0])], script)
}

#[test]
fn where_it_is_on_the_path() {
    let w = forty(&[]);
    // 41 branches: five of them are the first tenth, and the last.
    w.check(13, (0, 4), (0, 5));
    w.check(14, (0, 36), (0, 35));
    w.check(13, (0, 0), (0, 40));
    w.check(14, (0, 40), (0, 0));
}

#[test]
fn how_often_it_is_on_the_path() {
    let w = forty(&[]);
    w.check(15, (0, 7), (0, 40));
    w.check(16, (0, 40), (0, 7));
    // Where one place has both arms on the path, each arm is counted by itself.
    let w = forty(&[0]);
    w.check(15, (1, 1), (1, 0));
    w.check(16, (1, 0), (1, 1));
}

#[test]
fn newly_covered() {
    let w = forty(&[40, 0]);
    w.check(17, (0, 7), (1, 7));
    w.check(17, (0, 40), (1, 7));
    // The second run was the first to take the last branch the other way; the third run was not.
    w.check(17, (1, 40), (2, 40));
    w.check(17, (2, 0), (2, 1));
}

#[test]
fn around_the_negated_branch() {
    let w = forty(&[10]);
    w.check(18, (1, 11), (1, 12));
    w.check(18, (1, 11), (1, 10));
    w.check(18, (1, 11), (1, 9));
    w.check(18, (1, 11), (0, 11));
    w.check(27, (1, 15), (1, 16));
    w.check(27, (1, 5), (1, 4));
    w.check(27, (1, 11), (1, 10));
    w.check(27, (1, 9), (0, 9));
}

#[test]
fn contexts() {
    let w = forty(&[20]);
    // After the branch that went the other way: each branch further on shares one more with what was tried.
    for k in 1..=5 {
        w.check(18 + k, (1, 21 + k), (1, 20 + k));
        w.check(18 + k, (1, 19), (0, 19));
        w.check(18 + k, (1, 19), (1, 40));
    }
}

#[test]
fn how_often_it_was_negated() {
    let all: Vec<usize> = (0..32).collect();
    let w = forty(&all);
    for (number, times) in [(24, 10), (25, 20), (26, 30)] {
        // Before choice n it was negated n times.
        w.check(number, (times + 1, 39), (times, 39));
        w.check(number, (times + 1, 39), (times + 1, 40));
    }
}

/// Its second branch follows from the first: it cannot be negated.
const IMPLIED: &str = "unsigned char y, in[40]; SYMBOLIC(y); SYMBOLIC(in);
  if (y < 100) { if (y < 200) r++; }
  for (int i = 0; i < 40; i++) if (in[i] > 5) r++;";

#[test]
fn negated_lately() {
    let mut script = vec![1];
    script.extend(2..40);
    let w = written("", IMPLIED, &[("y", &[7]), ("in", &[0; 40])], &script);
    for (number, runs) in [(32, 10), (33, 20), (34, 30)] {
        // It failed before choice 1, after one run; before choice n + 1 there were n more.
        w.check(number, (runs + 1, 1), (runs + 2, 1));
        w.check(number, (1, 1), (0, 1));
    }
    // A success counts as well: the arm of the loop is negated for every run.
    w.check(32, (30, 41), (1, 41));
}

const CHECKED: &str = "static int check(unsigned char v) { if (v < 200) return 1; return 0; }";

#[test]
fn failed_often() {
    let body = "unsigned char y, z; SYMBOLIC(y); SYMBOLIC(z);
      if (y < 100) { for (int i = 0; i < 12; i++) r += check(y); } else r += check(z);";
    let mut script: Vec<usize> = (1..12).collect();
    script.push(0);
    let w = written(CHECKED, body, &[("y", &[7]), ("z", &[250])], &script);
    // Before choice n it failed n times.
    w.check(28, (11, 12), (10, 12));
    w.check(28, (11, 12), (11, 0));
    // On the second path the same branch goes the other way: its opposite failed eleven times.
    w.check(29, (12, 1), (12, 0));
    w.check(29, (12, 1), (11, 12));
    assert!(!w.has(12, 1, 28), "it failed on the other arm");
}

#[test]
fn uncovered_opposites() {
    let body = "unsigned char x, y, z; SYMBOLIC(x); SYMBOLIC(y); SYMBOLIC(z);
      if (x > 10) r = 1; else r = 2;
      if (y > 10) { if (y > 20) r++; }
      if (z > 10) r++;";
    let w = written("", body, &[("x", &[0]), ("y", &[0]), ("z", &[0])], &[0]);
    w.check(30, (0, 0), (1, 0));
    // Behind the first branch's opposite is a branch that is covered; behind the second's one that is not.
    w.check(31, (0, 1), (0, 0));
    w.check(31, (0, 1), (1, 0));
    assert!(w.has(0, 0, 30));
}

#[test]
fn cases_with_one_target_are_one_arm() {
    let body = "unsigned char x, y; SYMBOLIC(x); SYMBOLIC(y);
      for (int i = 0; i < 2; i++) switch (i ? x : y) { case 1: case 2: r++; break; default: r += 7; }";
    let w = written("", body, &[("x", &[9]), ("y", &[2])], &[]);
    assert!(!w.has(0, 1, 30), "the case was covered by another value");
}

#[test]
fn function_with_most_uncovered_branches() {
    let big = "static int big(unsigned char *v) {
      int r = 0;
      if (v[0] > 1) r++;
      if (v[1] > 1) r++;
      if (v[2] > 1) r++;
      return r; }";
    let body =
        "unsigned char x, in[3]; SYMBOLIC(x); SYMBOLIC(in); if (x > 100) r++; if (x > 50) r++; r += big(in);";
    let w = written(big, body, &[("x", &[0]), ("in", &[0; 3])], &[2, 3]);
    w.check(35, (0, 2), (0, 0));
    // When two of its branches are covered, the other function has more that are not.
    w.check(35, (2, 0), (2, 2));
}

/// Ten functions: `main` with 10 arms, as `f3`; `f1` has 14, `f2` 12, `f4` 8, the others 2.
fn ten_functions() -> (String, &'static str) {
    let mut globals = String::new();
    for (name, n) in
        [("f5", 1), ("f6", 1), ("f7", 1), ("f8", 1), ("f9", 1), ("f4", 4), ("f3", 5), ("f2", 6), ("f1", 7)]
    {
        globals += &format!("int {name}(unsigned char v) {{ int r = 0;\n");
        for i in 0..n {
            globals += &format!("if (v > {}) r++;\n", 10 * i + 6);
        }
        if name == "f4" {
            globals += "r += f5(v) + f6(v) + f7(v) + f8(v) + f9(v);\n";
        }
        globals += "return r; }\n";
    }
    let body = "unsigned char in[5]; SYMBOLIC(in);
      if (in[0] > 5) r += f1(in[0]);
      if (in[1] > 5) r += f2(in[1]);
      if (in[2] > 5) r += f3(in[2]);
      if (in[3] > 5) r += f4(in[3]);
      if (in[4] > 5) r += f1(in[4]);";
    (globals, body)
}

#[test]
fn unreached_functions() {
    let (globals, body) = ten_functions();
    let w = written(&globals, body, &[("in", &[0; 5])], &[0]);
    w.check(36, (0, 0), (0, 1));
    w.check(37, (0, 1), (0, 2));
    w.check(38, (0, 2), (0, 3));
    w.check(39, (0, 1), (0, 2));
    // The second run has reached f1: what leads there leads into nothing new.
    let last = w.0[1].len() - 1;
    for number in 36..=39 {
        w.check(number, (0, 4), (1, last));
    }
}

#[test]
fn library_functions_are_not_the_users() {
    let body = "unsigned char x; SYMBOLIC(x); if (x > 5) { char *p = malloc(x); if (p) r++; }";
    let w = written("", body, &[("x", &[0])], &[]);
    assert!((36..=39).all(|number| !w.has(0, 0, number)));
}

#[test]
fn most_recently_reached_function() {
    let body = "unsigned char x; SYMBOLIC(x); if (x < 100) r++; r += check(x);";
    written(CHECKED, body, &[("x", &[7])], &[]).check(40, (0, 1), (0, 0));
}

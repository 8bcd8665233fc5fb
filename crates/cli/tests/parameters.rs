//! Every parameter that a tuner turns does something: for each one, a small program on which two values differ in a way
//! that users can see, and never in what is true of the program.

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;
use support::{forkwise, run, scratch};

const LIMIT: Duration = Duration::from_secs(120);

/// Runs a harness and returns its summary.
fn explore(folder: &Path, source: &str, options: &[&str]) -> Value {
    fs::write(folder.join("p.c"), source).expect("the folder can be written to");
    let _ = fs::remove_dir_all(folder.join("out"));
    let mut words = vec!["run", "--json", "--quiet", "--no-replay", "-o", "out"];
    words.extend(options);
    words.push("p.c");
    let done = run(&mut forkwise(folder, words), LIMIT);
    done.json().unwrap_or_else(|e| panic!("{options:?}: {e}"))
}

fn number(object: &Value, path: &str) -> u64 {
    object.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {object}"))
}

fn paths(object: &Value) -> u64 {
    number(object, "/paths/completed")
}

const SWITCH: &str = "#include <klee/klee.h>
int main(void) {
    unsigned char x; klee_make_symbolic(&x, 1, \"x\");
    switch (x) { case 1: return 11; case 5: return 12; case 9: return 13; case 13: return 14; default: return 0; }
}";

#[test]
fn switches_fork_at_once_or_in_a_chain() {
    let folder = scratch();
    let at = folder.path();
    for search in ["frontier", "dfs", "random-path"] {
        let multiway = explore(at, SWITCH, &["--search", search]);
        let chain = explore(at, SWITCH, &["--search", search, "--switch-type", "chain"]);
        assert_eq!((paths(&multiway), paths(&chain)), (5, 5), "{search}");
        assert_eq!(multiway["coverage"], chain["coverage"], "{search}");
    }
    // A decision among all is one decision; a chain has one for each target.
    let multiway = explore(at, SWITCH, &["--search", "dfs", "--max-depth", "1"]);
    let chain = explore(at, SWITCH, &["--search", "dfs", "--max-depth", "1", "--switch-type", "chain"]);
    assert_eq!((paths(&multiway), paths(&chain)), (5, 2));
}

/// A loop that forks at one place, eight times.
const LOOP: &str = "#include <klee/klee.h>
static int bit(unsigned x, int i) { if (x >> i & 1) return 1; return 0; }
int main(void) {
    unsigned char x; int n = 0; klee_make_symbolic(&x, 1, \"x\");
    for (int i = 0; i < 8; i++) n += bit(x, i);
    return n;
}";

#[test]
fn shares_stop_a_place_from_forking() {
    let folder = scratch();
    let at = folder.path();
    let all = paths(&explore(at, LOOP, &["--search", "dfs"]));
    assert_eq!(all, 256);
    for option in ["--max-fork-share", "--max-call-fork-share", "--max-solve-share", "--max-call-solve-share"]
    {
        let less = explore(at, LOOP, &["--search", "dfs", "--share-delay", "0s", option, "0.1"]);
        assert!(paths(&less) < all, "{option}: {}", paths(&less));
        let later = explore(at, LOOP, &["--search", "dfs", "--share-delay", "1h", option, "0.1"]);
        assert_eq!(paths(&later), all, "{option} holds only after its delay");
    }
}

const TABLE: &str = "#include <klee/klee.h>
static const unsigned char t[256] = {[3] = 7, [200] = 9};
int main(void) {
    unsigned char i; klee_make_symbolic(&i, 1, \"i\");
    if (i > 220) return 3;
    if (t[i] == 9) return 1;
    return 0;
}";

#[test]
fn large_tables_become_values() {
    let folder = scratch();
    let at = folder.path();
    assert_eq!(paths(&explore(at, TABLE, &[])), 3);
    let few = explore(at, TABLE, &["--max-array-size", "16", "--max-values", "4"]);
    assert!(paths(&few) + number(&few, "/paths/partial") > 3, "the index has values: {few}");
    let one = explore(at, TABLE, &["--max-array-size", "16", "--max-values", "1"]);
    assert!(number(&one, "/paths/partial") > 0 && paths(&one) < paths(&few), "{one}");
}

const STORE: &str = "#include <klee/klee.h>
int main(void) {
    unsigned char a[64] = {0}, i; klee_make_symbolic(&i, 1, \"i\");
    if (i >= 64) return 2;
    a[i] = 1;
    return a[7];
}";

#[test]
fn symbolic_stores_have_a_limit() {
    let folder = scratch();
    let at = folder.path();
    let wide = explore(at, STORE, &[]);
    let narrow = explore(at, STORE, &["--max-symbolic-store", "1", "--max-values", "256"]);
    assert!(paths(&narrow) > paths(&wide), "{} and {}", paths(&narrow), paths(&wide));
}

#[test]
fn indices_are_simplified_by_asking() {
    let folder = scratch();
    let at = folder.path();
    // The condition leaves eleven elements; who does not ask sees 256, which are too many for a table.
    let source = TABLE.replace("i > 220", "i > 10");
    let ask = explore(at, &source, &["--max-array-size", "16"]);
    let not = explore(at, &source, &["--max-array-size", "16", "--simplify-indices", "off"]);
    assert_eq!(paths(&ask), 2);
    assert!(paths(&not) + number(&not, "/paths/partial") > 2, "{not}");
}

const HARD: &str = "#include <klee/klee.h>
int main(void) {
    unsigned a, b; klee_make_symbolic(&a, 4, \"a\"); klee_make_symbolic(&b, 4, \"b\");
    if (a * b == 0x3f2a1b77u && a > 1000 && b > 1000 && a % 7 == 3) return 1;
    return 0;
}";

#[test]
fn an_operation_has_a_time() {
    let folder = scratch();
    let at = folder.path();
    let free = explore(at, HARD, &["--search", "dfs"]);
    assert_eq!(number(&free, "/paths/partial"), 0);
    let short = explore(at, HARD, &["--search", "dfs", "--max-instruction-time", "1ns"]);
    assert!(number(&short, "/paths/partial") > 0, "{short}");
}

const CALL: &str = "#include <unistd.h>
#include <sys/syscall.h>
int main(void) { return syscall(SYS_perf_event_open, 0, 0, 0, 0, 0) == 0 ? 5 : 6; }";

#[test]
fn unmodelled_calls_have_a_policy() {
    let folder = scratch();
    let at = folder.path();
    let exit = |options: &[&str]| {
        let object = explore(at, CALL, options);
        let test = fs::read_to_string(at.join("out/tests/000001.test.json")).unwrap_or_default();
        let test: Value = serde_json::from_str(&test).unwrap_or_default();
        (paths(&object), test.to_string())
    };
    let (n, test) = exit(&[]);
    assert!(n == 1 && test.contains("6"), "{test}");
    let (n, test) = exit(&["--unmodelled-calls", "succeed"]);
    assert!(n == 1 && test.contains("5"), "{test}");
    assert_eq!(exit(&["--unmodelled-calls", "stop"]).0, 0, "the path ends there");
}

/// Branches whose other sides are infeasible, and one pair of equal questions.
const ASKING: &str = "#include <klee/klee.h>
int main(void) {
    unsigned char x, y; klee_make_symbolic(&x, 1, \"x\"); klee_make_symbolic(&y, 1, \"y\");
    int n = 0;
    if (x * y == 91) n++;
    if (x * y > 90) n++;
    if (x > 250) n++;
    if (x > 240) n++;
    if (y > 250) n++;
    if (y > 240) n++;
    return n;
}";

#[test]
fn siblings_may_stay_unsolved() {
    let folder = scratch();
    let at = folder.path();
    for search in ["dfs", "random-path", "nurs:covnew"] {
        let eager = explore(at, ASKING, &["--search", search, "--lazy-siblings", "off"]);
        let lazy = explore(at, ASKING, &["--search", search, "--lazy-siblings", "on"]);
        assert_eq!(paths(&eager), paths(&lazy), "{search}");
        assert!(number(&lazy, "/forks") >= number(&eager, "/forks"), "{search}");
        assert_eq!(eager["coverage"], lazy["coverage"], "{search}");
    }
    let eager = explore(at, ASKING, &["--lazy-siblings", "off"]);
    assert_eq!(paths(&eager), paths(&explore(at, ASKING, &[])), "frontier works either way");
}

#[test]
fn solvers_agree_and_differ_in_their_work() {
    let folder = scratch();
    let at = folder.path();
    let usual = explore(at, ASKING, &["--search", "dfs"]);
    let bare = explore(at, ASKING, &["--search", "dfs", "--solver-cache", "off", "--solver-ranges", "off"]);
    assert_eq!(paths(&usual), paths(&bare));
    assert!(number(&bare, "/solver/sat_calls") > number(&usual, "/solver/sat_calls"), "{usual} {bare}");
    let no_ranges = explore(at, ASKING, &["--search", "dfs", "--solver-ranges", "off"]);
    assert!(number(&no_ranges, "/solver/sat_calls") >= number(&usual, "/solver/sat_calls"));
    for who in ["own", "cadical"] {
        assert_eq!(
            paths(&explore(at, ASKING, &["--search", "dfs", "--solver", who])),
            paths(&usual),
            "{who}"
        );
    }
    let isolated = explore(at, ASKING, &["--search", "dfs", "--solver", "process"]);
    assert_eq!(paths(&isolated), paths(&usual));
    assert!(number(&isolated, "/solver/smt_calls") > 0 && number(&isolated, "/solver/sat_calls") == 0);
}

#[test]
fn memory_may_stop_forks() {
    let folder = scratch();
    let at = folder.path();
    let told = |object: &Value| object["notes"].to_string().contains("skipping fork");
    // Far below what any process has: forks stop at once, or states are dropped.
    let source = LOOP
        .replace("unsigned char x", "unsigned x")
        .replace("klee_make_symbolic(&x, 1", "klee_make_symbolic(&x, 4")
        .replace("i < 8", "i < 24");
    let options =
        ["--search", "random-path", "--max-memory", "1M", "--max-instructions", "2000000", "--no-tests"];
    assert!(!told(&explore(at, &source, &options)));
    let mut with = options.to_vec();
    with.extend(["--memory-inhibit", "on"]);
    let object = explore(at, &source, &with);
    assert!(told(&object), "{object}");
}

#[test]
fn programs_can_be_optimised() {
    let folder = scratch();
    let at = folder.path();
    let plain = explore(at, LOOP, &["--search", "dfs"]);
    let fast = explore(at, LOOP, &["--search", "dfs", "--optimize", "on"]);
    assert!(number(&fast, "/instructions") < number(&plain, "/instructions"), "{fast}");
}

#[test]
fn seeds_that_do_not_fit_may_be_left_out() {
    let folder = scratch();
    let at = folder.path();
    let source = "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'x'; }";
    fs::write(at.join("p.c"), source).expect("written");
    let words = |skip: bool| {
        let mut words = vec!["run", "--no-replay", "--seed-args", "p a b c"];
        words.extend(skip.then_some("--seed-skip"));
        words.extend(["-o", if skip { "a" } else { "b" }, "p.c", "--sym-arg", "2"]);
        words
    };
    let refused = run(&mut forkwise(at, words(false)), LIMIT);
    assert_eq!(refused.code(), Some(2), "{}", refused.err());
    let skipped = run(&mut forkwise(at, words(true)), LIMIT);
    assert_eq!(skipped.code(), Some(0), "{}", skipped.err());
    assert!(skipped.err().contains("left out"), "{}", skipped.err());
}

//! Each of the 26 features of states has a program here with a state where it must hold and states where it must not.
//! Twelve states stop where their program wants them; state 3 is the highest in a statistic, state 7 the lowest, state 5
//! is neither.

mod common;

use common::{program, start};
use forkwise_explore::searcher::Ranking;
use forkwise_explore::{Distances, Forest, STATE_FEATURES, STATE_STATISTICS, View};
use forkwise_vm::{State, Step};

const STATES: usize = 12;

/// The state's number; symbols beyond the end of a witness are zero.
fn number(st: &State) -> u8 {
    st.witness.bytes.first().copied().unwrap_or(0)
}

/// Runs `body`, which knows the state's number as `i`, on twelve paths. Each stops when it enters `stop_here`, or when it
/// executed as many instructions as `most` says for it; then all are ranked.
fn check(statistic: &str, globals: &str, body: &str, most: impl Fn(u8) -> u64) {
    let source = format!(
        "void stop_here(void) {{ for (;;) ; }}
         {globals}
         int main(void) {{
           unsigned char who; SYMBOLIC(who); klee_assume(who < {STATES});
           int i = decide(who, {STATES});
           {body}
           return 0;
         }}"
    );
    let program = program(&source);
    let stop = program.function("stop_here");
    let (mut vm, first) = start(program.clone());
    vm.config.count_executions = true;
    let mut forest = Forest::new();
    let mut open: Vec<Box<State>> = vec![first];
    while let Some(mut st) = open.pop() {
        assert!(vm.settle_pending(&mut st).expect("the solver answers"));
        loop {
            if Some(st.frame.func) == stop || st.instructions >= most(number(&st)) {
                break;
            }
            match vm.run(&mut st, 1) {
                Step::Ended(end) => panic!("{statistic}: a path ended: {end:?}"),
                _ => open.extend(std::mem::take(&mut vm.forks)),
            }
        }
        st.count_registers(&program);
        forest.plant(st);
    }
    assert_eq!(forest.len(), STATES, "{statistic}");
    let mut distances = Distances::new(&program);
    distances.refresh(&program, &vm.coverage.blocks, vm.coverage.log.len(), 0);
    let view = View {
        forest: &forest,
        program: &program,
        distances: &distances,
        coverage: &vm.coverage,
        counts: &vm.counts,
    };
    let slots: Vec<u32> = forest.slots().collect();
    let mut ranking = Ranking::default();
    ranking.update(view, None, &slots, &[]);
    let k = STATE_STATISTICS.iter().position(|s| s.name == statistic).expect("a statistic");
    let values: Vec<(u8, u64)> =
        slots.iter().map(|s| (number(forest.state(*s)), ranking.values(*s).expect("a state")[k])).collect();
    for slot in slots {
        let who = number(forest.state(slot));
        let has = |feature: usize| ranking.bits(slot) >> feature & 1 == 1;
        assert_eq!(STATE_FEATURES[2 * k].name, format!("{statistic}-low"));
        assert_eq!(has(2 * k), who == 7, "{statistic}-low of state {who}: {values:?}");
        assert_eq!(has(2 * k + 1), who == 3, "{statistic}-high of state {who}: {values:?}");
    }
}

/// Stops in `stop_here` only.
fn forever(_: u8) -> u64 {
    10_000_000
}

/// Runs longest in state 3 and shortest in state 7.
fn long_and_short(who: u8) -> u64 {
    match who {
        3 => 40_000,
        7 => 5_000,
        _ => 20_000,
    }
}

/// A number that is greatest in state 3 and least in state 7.
const AMOUNT: &str = "int n = i == 3 ? 90 : i == 7 ? 1 : 20 + i;";

#[test]
fn instructions() {
    check("instructions", "", "for (;;) ;", long_and_short);
}

#[test]
fn since_new() {
    // The last new code of each is its own case; the loop is new to the first of them alone.
    let cases: String = (0..STATES).map(|i| format!("case {i}: x = {i}; break;")).collect();
    check("since-new", "", &format!("volatile int x; switch (i) {{ {cases} }} for (;;) ;"), long_and_short);
}

#[test]
fn call_path() {
    let calls: String = (0..STATES).map(|i| format!("if (i == {i}) spin();")).collect();
    check("call-path", "void spin(void) { for (;;) ; }", &calls, long_and_short);
}

#[test]
fn distance() {
    // State 3 never gets to uncovered code; state 7 is nearest to it.
    let far: String = (0..30).map(|_| "x++;".to_string()).collect();
    let body = format!(
        "volatile int x = 0;
         if (i == 3) for (;;) ;
         if (i == 7) {{ while (x == 0) ; x = 1; }}
         while (x == 0) {{ {far} x = 0; }}
         x = 2;"
    );
    check("distance", "", &body, |_| 3_000);
}

#[test]
fn objects() {
    check("objects", "", &format!("{AMOUNT} while (n--) malloc(8); char here[n + 9]; stop_here();"), forever);
}

#[test]
fn inputs() {
    let body = format!("{AMOUNT} char x; while (n--) klee_make_symbolic(&x, 1, \"x\"); stop_here();");
    check("inputs", "", &body, forever);
}

#[test]
fn concrete_registers() {
    let globals = "void deep(int n) { if (n > 0) deep(n - 1); else stop_here(); }";
    check("concrete-registers", globals, &format!("{AMOUNT} deep(n);"), forever);
}

#[test]
fn symbolic_registers() {
    let globals = "void deep(int n, int v) { if (n > 0) deep(n - 1, v + 1); else stop_here(); }";
    let body = format!("{AMOUNT} int v; SYMBOLIC(v); deep(n, i == 7 ? 0 : v);");
    check("symbolic-registers", globals, &body, forever);
}

#[test]
fn solving() {
    // No square is 3 modulo 4, no v (v + odd) is odd: each question is about a circuit of its own.
    let body = "unsigned v; SYMBOLIC(v);
        if (i != 7 && (v * v & 0xffff) == 1024 * i + 3) return 1;
        if (i == 3) for (int n = 1; n < 8; n++) if ((v * (v + 2 * n + 1) & 0xffff) == 7) return 1;
        stop_here();";
    check("solving", "", body, forever);
}

#[test]
fn branches() {
    check("branches", "", &format!("{AMOUNT} while (n--) ; stop_here();"), forever);
}

#[test]
fn constraints() {
    // How many a path has from its number alone: that of state 11 excludes all others.
    let body = "unsigned char v[40]; klee_make_symbolic(v, sizeof v, \"v\");
        int n = i == 3 ? 40 : i == 7 ? 0 : 20;
        while (n--) klee_assume(v[n] > 3);
        stop_here();";
    check("constraints", "", body, forever);
}

#[test]
fn loop_depth() {
    // stop_here is one loop itself.
    let body = "volatile int t = 1;
        if (i == 3) while (t) while (t) while (t) ;
        if (i == 7) stop_here();
        while (t) while (t) ;";
    check("loop-depth", "", body, |_| 3_000);
}

#[test]
fn call_loop_depth() {
    let body = "volatile int t = 1;
        if (i == 3) while (t) while (t) stop_here();
        if (i == 7) stop_here();
        while (t) stop_here();";
    check("call-loop-depth", "", body, forever);
}

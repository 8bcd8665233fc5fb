//! Facts about the branches of small C programs, as `forkwise cc` translates them: each fact where it must hold and where
//! it must not.

mod common;

use common::{check, compile, load_main};
use forkwise_ir::{BranchDistances, EdgeFacts, FAR, Facts, LoadOptions, Program};

/// How programs are translated by default; `promoted` as the engine loads them.
fn load_c(source: &str, promoted: bool) -> Program {
    let dir = tempfile::tempdir().unwrap();
    let bc = compile(dir.path(), "t", source, &["-O0", "-Xclang", "-disable-O0-optnone"]);
    let program = load_main(&bc, LoadOptions { mem2reg: promoted, ..LoadOptions::default() });
    check(&program);
    program
}

/// The numbers of the branches whose condition is on a line of the source, in program order.
fn branches_at(program: &Program, line: u32) -> Vec<usize> {
    let at = |b: &usize| program.locations[program.branches[*b].loc as usize].line == line;
    (0..program.branches.len()).filter(at).collect()
}

/// Facts of the arms of all branches on a line, branch after branch; for an `if` the "then" comes first.
fn arms_at(program: &Program, facts: &Facts, line: u32) -> Vec<EdgeFacts> {
    let mut list = Vec::new();
    for b in branches_at(program, line) {
        let branch = &program.branches[b];
        list.extend((0..branch.arms).map(|arm| facts.edge(branch.first_edge + arm)));
    }
    list
}

/// Checks one fact in both forms of a program. In the source, lines whose every branch arm must have it end in `//Y`, those
/// where none may have it in `//N`, and those of an `if` where only the "then" (only the "else") has it in `//T` (`//E`).
fn holds(fact: EdgeFacts, source: &str) {
    for promoted in [true, false] {
        let program = load_c(source, promoted);
        let facts = Facts::new(&program);
        for (i, text) in source.lines().enumerate() {
            let Some((_, mark)) = text.rsplit_once("//") else { continue };
            let arms: Vec<bool> =
                arms_at(&program, &facts, i as u32 + 1).into_iter().map(|f| f.has(fact)).collect();
            assert!(!arms.is_empty(), "no branch in `{text}`");
            let expected: Vec<bool> = match mark {
                "Y" => vec![true; arms.len()],
                "N" => vec![false; arms.len()],
                "T" => [true, false].repeat(arms.len() / 2),
                "E" => [false, true].repeat(arms.len() / 2),
                other => panic!("unknown mark {other}"),
            };
            assert_eq!(arms, expected, "{fact:?}, promoted: {promoted}, in `{text}`");
        }
    }
}

#[test]
fn in_main() {
    holds(
        EdgeFacts::IN_MAIN,
        "int f(int a) {
           if (a) return 1; //N
           return 2;
         }
         int main(int c, char **v) {
           if (c > 1) return f(c); //Y
           return 0;
         }",
    );
}

const LOOPS: &str = "int g; int h(int);
     int main(int c, char **v) {
       if (c == 3) g++; //if
       while (c < 9) { //top
         if (c == 5) break; //leave
         if (c == 6) continue; //stay
         if (g) c++; //stay
         if (c == 7) return 1; //leave
       }
       for (int i = 0; i < c; i++) { //top
         if (g == 2) goto out; //leave
         g++;
       }
       do {
         if (c == 4) g++; //stay
         c--;
       } while (c); //top
       out:
       while (c < 3 && h(g)) g++; //both
     again:
       c += h(c);
       if (c < 2) goto again; //top
       return 0;
     }";

/// Replaces the marks of `LOOPS`; those not named become N.
fn marked(marks: &[(&str, &str)]) -> String {
    let mark = |line: &str| match line.rsplit_once("//") {
        Some((text, kind)) => {
            format!("{text}//{}", marks.iter().find(|m| m.0 == kind).map_or("N", |m| m.1))
        }
        None => line.to_string(),
    };
    LOOPS.lines().map(mark).collect::<Vec<_>>().join("\n").replace("//-", "")
}

#[test]
fn continues_a_loop() {
    holds(EdgeFacts::CONTINUES_LOOP, &marked(&[("top", "T"), ("leave", "E"), ("both", "-")]));
}

#[test]
fn exits_a_loop() {
    holds(EdgeFacts::EXITS_LOOP, &marked(&[("top", "E"), ("leave", "T"), ("both", "-")]));
}

#[test]
fn in_a_loop_body() {
    holds(EdgeFacts::IN_LOOP_BODY, &marked(&[("leave", "Y"), ("stay", "Y"), ("both", "-")]));
    // The test of an inner loop is in the body of the outer one.
    holds(
        EdgeFacts::IN_LOOP_BODY,
        "int main(int c, char **v) {
           for (int i = 0; i < c; i++) //N
             for (int j = 0; j < i; j++) //Y
               c--;
           return c;
         }",
    );
}

#[test]
fn the_test_of_a_loop_with_two_parts() {
    let program = load_c(LOOPS, true);
    let facts = Facts::new(&program);
    let line = LOOPS.lines().position(|l| l.ends_with("//both")).unwrap() as u32 + 1;
    let arms = arms_at(&program, &facts, line);
    // The second branch is that of the whole condition.
    assert_eq!(arms.len(), 4);
    assert!(arms[2].has(EdgeFacts::CONTINUES_LOOP) && arms[3].has(EdgeFacts::EXITS_LOOP));
    assert!(!arms[2].has(EdgeFacts::IN_LOOP_BODY) && !arms[3].has(EdgeFacts::IN_LOOP_BODY));
}

#[test]
fn nested() {
    holds(
        EdgeFacts::NESTED,
        "int g; int h(int);
         int main(int c, char **v) {
           if (c < 0) return 1; //N
           if (c > 3) //N
             if (g == 7) g--; //Y
           while (c < 9) { //N
             if (c == 5) break; //Y
             c++;
             if (g == 5) { h(2); //Y
               if (c == 8) g++; //Y
             } else if (c == 9) g--; //Y
           }
           for (int i = 0; i < c; i++) //N
             if (h(i)) return 3; //Y
           do {
             if (c == 4) continue; //N
             c--;
             if (g == 2) return 5; //N
           } while (c); //N
           switch (g) { //N
             case 1:
               if (c) g++; //Y
               break;
             case 4: return 7;
             default: g--;
           }
           if (c) { h(1); //N
           } else {
             if (g) h(2); //Y
           }
           return
             h(g) ? //N
             (c ? h(1) : h(2)) : //Y
             4;
         }",
    );
}

#[test]
fn later_parts_of_a_condition_are_nested() {
    let program = load_c("int g; int main(int c, char **v) {\n if (c && g) return 1;\n return 0; }", true);
    let arms = arms_at(&program, &Facts::new(&program), 2);
    let nested: Vec<bool> = arms.iter().map(|f| f.has(EdgeFacts::NESTED)).collect();
    assert_eq!(nested, [false, false, true, true]);
}

#[test]
fn external_calls() {
    holds(
        EdgeFacts::EXTERNAL_CALL,
        "unsigned long strlen(const char *); int atoi(const char *);
         static int mine(int a) { return a * 3; }
         int main(int c, char **v) {
           if (strlen(v[0]) > 3) return 1; //Y
           if (mine(c) > 3) return 2; //N
           if (c == 4) return 3; //N
           if (mine(atoi(v[1])) == 6) return 4; //Y
           return 0;
         }",
    );
    // Once variables are values, also by way of one.
    let source = "int atoi(const char *); int main(int c, char **v) {\n int n = atoi(v[1]);\n c++;\n if (n > 3) return 1;\n return 0; }";
    let program = load_c(source, true);
    let arms = arms_at(&program, &Facts::new(&program), 4);
    assert!(arms[0].has(EdgeFacts::EXTERNAL_CALL) && arms[0].has(EdgeFacts::LOCAL));
}

#[test]
fn integers() {
    holds(
        EdgeFacts::INTEGER,
        "#include <stdbool.h>
         double d; bool b;
         int main(int c, char **v) {
           if (c > 3) return 1; //Y
           if (v) return 2; //N
           if (d > 2.5) return 3; //N
           if (b) return 4; //Y
           switch (c) { //Y
             case 2: return 5;
             case 3: return 6;
           }
           if (v[0][1] == 'x') return 7; //Y
           return 0;
         }",
    );
}

#[test]
fn text() {
    holds(
        EdgeFacts::TEXT,
        "int strcmp(const char *, const char *); int getopt(int, char **, const char *); int number(int);
         int main(int c, char **v) {
           if (v[0][0] == 'x') return 1; //Y
           if (strcmp(v[0], \"text\") == 0) return 2; //Y
           if (strcmp(v[0], v[1]) == 0) return 3; //N
           if (c == 'x') return 4; //N
           switch (*v[0]) { //Y
             case 'a': return 5;
             case 'b': return 6;
           }
           switch (c) { //N
             case 65: return 7;
             case 2: return 8;
           }
           switch (getopt(c, v, \"ab\")) { //Y
             case 'a': return 9;
             case 'b': return 10;
           }
           if (!strcmp(v[0], \"\")) return 11; //Y
           if (number(c) == 'x') return 12; //N
           if (v[0][0] == v[1][0]) return 13; //N
           return 0;
         }",
    );
}

#[test]
fn pointers() {
    holds(
        EdgeFacts::POINTER,
        "struct s { int a; struct s *next; } s; char text[10]; int number(int);
         int main(int c, char **v) {
           struct s *p = &s; int list[4] = {c, 2, 3, 4};
           for (int i = 0; i < c; i++) p = p->next; //N
           if (p) return 1; //Y
           if (p->a == 3) return 2; //Y
           if (c == 3) return 3; //N
           if (s.a == 3) return 4; //N
           if (text[c] == 'x') return 5; //N
           if (list[c & 3] == 3) return 6; //N
           if (*v[0]) return 7; //Y
           if (number(c)) return 8; //N
           return 0;
         }",
    );
}

#[test]
fn local_variables() {
    holds(
        EdgeFacts::LOCAL,
        "int g, *q; struct s { int a; } s; int number(void); int other(int);
         int main(int c, char **v) {
           int n = g + 1, m = number();
           if (c > 3) return 1; //Y
           if (g > 3) return 2; //N
           if (n > 3) return 3; //Y
           if (m > 3) return 4; //Y
           if (*q == 3) return 5; //N
           if (s.a) return 6; //N
           if (number()) return 7; //N
           if (other(c)) return 8; //Y
           if (other(g)) return 9; //N
           if (v[0][0]) return 10; //Y
           for (int i = 0; i < g; i++) g--; //Y
           return 0;
         }",
    );
}

#[test]
fn switches() {
    let source = "int g; int main(int c, char **v) {
        switch (c) { case 1: g++; break; case 2: g--; break; default: g = 4; }
        switch (g) { case 1: c++; break; case 5: c--; }
        if (c == 4) g++;
        return g; }";
    let program = load_c(source, true);
    let facts = Facts::new(&program);
    let at =
        |line: u32, fact| arms_at(&program, &facts, line).iter().map(|f| f.has(fact)).collect::<Vec<_>>();
    assert_eq!(at(2, EdgeFacts::CASE), [true, true, false]);
    assert_eq!(at(2, EdgeFacts::DEFAULT), [false, false, true]);
    assert_eq!(at(3, EdgeFacts::CASE), [true, true, false]);
    assert_eq!(at(3, EdgeFacts::DEFAULT), [false; 3], "there is none");
    assert_eq!((at(4, EdgeFacts::CASE), at(4, EdgeFacts::DEFAULT)), (vec![false; 2], vec![false; 2]));
}

#[test]
fn facts_are_numbered_as_features() {
    use EdgeFacts as F;
    let list = [
        F::IN_MAIN,
        F::CONTINUES_LOOP,
        F::EXITS_LOOP,
        F::NESTED,
        F::EXTERNAL_CALL,
        F::INTEGER,
        F::TEXT,
        F::POINTER,
        F::LOCAL,
        F::IN_LOOP_BODY,
        F::CASE,
        F::DEFAULT,
    ];
    for (i, fact) in list.into_iter().enumerate() {
        assert_eq!(fact.bits(), 1 << i);
        assert!((0..40).all(|n| fact.is(n) == (n == i as u32 + 1)));
    }
}

#[test]
fn depths_of_loops() {
    let source = "int g; int main(int c, char **v) {
        for (int i = 0; i < c; i++) {
          while (g < i) {
            do { g += 2;
            } while (g < 7);
          }
        }
        return g; }";
    let program = load_c(source, true);
    let facts = Facts::new(&program);
    let depth = |line| facts.loop_depth(program.branches[branches_at(&program, line)[0]].block);
    assert_eq!([2, 3, 5].map(depth), [1, 2, 3]);
    let main = program.function("main").unwrap();
    let last = program.functions[main as usize].code.len() as u32 - 1;
    assert_eq!(facts.loop_depth(program.position(main, last).unwrap().0), 0);
}

#[test]
fn irreducible_control_flow_is_taken_as_it_is() {
    let source = "int g; int main(int c, char **v) {
        if (c == 1) goto inside;
      outside:
        g++;
      inside:
        if (g < 9) goto outside;
        for (;;) { if (c == 7) g--; if (g == 4) goto a; if (g == 3) goto b; }
      a: g++; goto b;
      b: g--; goto a; }";
    for promoted in [true, false] {
        let program = load_c(source, promoted);
        let facts = Facts::new(&program);
        let arms = arms_at(&program, &facts, 6);
        assert!(!arms[0].has(EdgeFacts::CONTINUES_LOOP) && !arms[0].has(EdgeFacts::IN_LOOP_BODY));
        assert!(arms_at(&program, &facts, 7).iter().all(|f| f.has(EdgeFacts::IN_LOOP_BODY)));
        let mut distances = BranchDistances::new(&program);
        distances.update(&program, &vec![1; program.edges.len()]);
        assert!((0..program.edges.len() as u32).all(|e| distances.of_edge(e) == FAR));
    }
}

#[test]
fn dominators_and_the_branch_table() {
    let source = "int f(int a) {\n if (a == 2) return 3;\n return 1; }
      int main(int c, char **v) {\n if (c)\n if (v) c++;\n if (c == 4) return f(c);\n switch (c) { case 1: case 2: return 9; }\n return c; }";
    let program = load_c(source, true);
    let facts = Facts::new(&program);
    let block = |line| program.branches[branches_at(&program, line)[0]].block;
    let (f, first, inner, third) = (block(2), block(5), block(6), block(7));
    assert!(facts.dominates(first, inner) && facts.dominates(first, third) && facts.dominates(third, third));
    assert!(!facts.dominates(inner, third) && !facts.dominates(third, first) && !facts.dominates(f, inner));
    let main = program.function("main").unwrap();
    assert_eq!((facts.arms_in(main), facts.branches_of(main).len()), (9, 4));
    assert_eq!(facts.arms_in(program.function("f").unwrap()), 2);
    for (number, branch) in program.branches.iter().enumerate() {
        assert!(facts.branches_of(branch.func).contains(&(number as u32)));
        for edge in branch.first_edge..branch.first_edge + branch.arms {
            assert_eq!(facts.branch_of(edge), Some(number as u32));
        }
    }
    let entry = program.functions[main as usize].entry_edge;
    assert_eq!((facts.branch_of(entry), facts.edge(entry)), (None, EdgeFacts::default()));
}

#[test]
fn distances_in_branches() {
    let source = "int g; int leaf(int a) {\n if (a == 9) g++;\n return a; }
      int twice(int a) {\n if (a) g++;\n leaf(a);\n if (a == 3) g++;\n return a; }
      int main(int c, char **v) {\n if (c == 1) return 1;\n if (c == 2) return 2;\n twice(c);\n if (c == 3) return 3;\n return 0; }";
    let program = load_c(source, true);
    let mut distances = BranchDistances::new(&program);
    let arm = |line: u32, arm: u32| program.branches[branches_at(&program, line)[0]].first_edge + arm;
    let all = vec![1u8; program.edges.len()];
    let mut with = |edges: &[u32]| {
        let mut covered = all.clone();
        edges.iter().for_each(|e| covered[*e as usize] = 0);
        distances.update(&program, &covered);
        [arm(10, 1), arm(11, 1), arm(5, 0), arm(10, 0)].map(|e| distances.of_edge(e))
    };
    assert_eq!(with(&[]), [FAR; 4]);
    assert_eq!(with(&[arm(11, 1)]), [1, 0, FAR, FAR]);
    // Into a call: the first branch of the function, then one in the function it calls.
    assert_eq!(with(&[arm(5, 0)]), [2, 1, 0, FAR]);
    assert_eq!(with(&[arm(2, 0)]), [3, 2, 1, FAR]);
    // Over a call, which costs three branches, or one.
    assert_eq!(with(&[arm(13, 0)]), [5, 4, FAR, FAR]);
    assert_eq!(with(&[arm(7, 0)]), [4, 3, 2, FAR]);
    // The nearest counts.
    assert_eq!(with(&[arm(13, 0), arm(2, 0), arm(10, 0)]), [3, 2, 1, 0]);
}

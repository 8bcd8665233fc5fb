//! What a program says about itself: counts, loops, lines, names, fused operations and small frames.

mod common;

use common::{check, compile, load_main};
use forkwise_ir::{Function, LoadOptions, Op, Program};

fn load_c(source: &str, flags: &[&str], options: LoadOptions) -> Program {
    let dir = tempfile::tempdir().unwrap();
    let program = load_main(&compile(dir.path(), "t", source, flags), options);
    check(&program);
    program
}

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    &program.functions[program.function(name).unwrap_or_else(|| panic!("no {name}")) as usize]
}

#[test]
fn a_hot_loop_has_no_copies() {
    let source = "int f(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
                  int main(int c, char **v) { int a[4] = {1, 2, 3, c}; return f(a, c + 2); }";
    let program = load_c(source, &["-O1", "-fno-inline"], LoadOptions::default());
    let f = function(&program, "f");
    let blocks = &program.blocks[f.first_block as usize..(f.first_block + f.n_blocks) as usize];
    let body = blocks.iter().find(|b| b.loop_depth == 1).expect("a loop");
    let code = &f.code[body.pc as usize..body.end as usize];
    assert!(code.iter().any(|op| matches!(op, Op::LoadX { .. })), "{}", program.dump(0));
    assert!(matches!(code.last(), Some(Op::BrEq { .. } | Op::BrNe { .. } | Op::BrUlt { .. })));
    assert!(!f.code.iter().any(|op| matches!(op, Op::Goto { .. })) || code.len() <= 4);
    assert!(!code.iter().any(|op| matches!(op, Op::Copy { .. })), "{}", program.dump(0));
    let back = body.succs.iter().map(|e| &program.edges[*e as usize]).find(|e| e.block == e.from).unwrap();
    assert_eq!(back.pc, body.pc, "the back edge needs no copies");
}

#[test]
fn instruction_counts_do_not_include_debug_information() {
    let source = "int main(int c, char **v) { int x = c * 2; int y = x + 1; return y - c; }";
    let (with, without) = (load_c(source, &["-O0"], LoadOptions::default()), {
        let dir = tempfile::tempdir().unwrap();
        let bc = compile(dir.path(), "t", source, &["-O0", "-g0"]);
        load_main(&bc, LoadOptions::default())
    });
    let count = |p: &Program| p.blocks.iter().map(|b| b.insts).sum::<u32>();
    assert_eq!(count(&with), count(&without));
    assert!(count(&with) > 10);
    // Without debug information nothing has a line.
    assert!(without.blocks.iter().all(|b| b.lines.is_empty()));
    assert!(with.blocks.iter().all(|b| !b.lines.is_empty()));
}

#[test]
fn loops_nest() {
    let source = "int g; int main(int c, char **v) {
        for (int i = 0; i < c; i++) { for (int j = 0; j < i; j++) { while (g < j) g += i; } do g--; while (g > 3); }
        return g; }";
    for flags in [&["-O0"][..], &["-O1", "-fno-unroll-loops"]] {
        let program = load_c(source, flags, LoadOptions::default());
        let depths: Vec<u32> = program.blocks.iter().map(|b| b.loop_depth).collect();
        assert_eq!(depths.iter().max(), Some(&3), "{depths:?}");
        assert!(depths.contains(&0) && depths.contains(&1) && depths.contains(&2));
        for b in program.blocks.iter().filter(|b| b.loop_depth > 0) {
            assert_eq!(program.blocks[b.loop_header as usize].loop_header, b.loop_header);
        }
    }
}

#[test]
fn locations_name_files_lines_and_inlined_calls() {
    let source = "static int helper(int x) {\n  return 100 / x;\n}\nint main(int c, char **v) {\n  return helper(c);\n}\n";
    let program = load_c(source, &["-O2"], LoadOptions::default());
    let main = function(&program, "main");
    let at = main.code.iter().position(|op| matches!(op, Op::SDiv { .. })).unwrap();
    let loc = program.locations[main.locs[at] as usize];
    assert_eq!((loc.line, loc.column), (2, 14));
    assert!(program.files[loc.file as usize].path.ends_with("/t.c"));
    assert_eq!(program.names[loc.name as usize], "helper");
    let outer = program.locations[loc.inlined_at as usize];
    assert_eq!((outer.line, outer.inlined_at), (5, 0));
    assert_eq!(outer.function, program.function("main").unwrap());
    assert_eq!(program.locations[main.location as usize].line, 4);
    assert_eq!(program.locations[0].line, 0);
}

#[test]
fn stack_variables_keep_their_names() {
    let source = "void use(void *); int main(int c, char **v) { char buffer[10]; int numbers[3]; use(buffer); use(numbers); return 0; }";
    for flags in ["-O0", "-O2"] {
        let program = load_c(source, &[flags], LoadOptions::default());
        let main = function(&program, "main");
        let names: Vec<&str> = main
            .code
            .iter()
            .filter_map(|op| match op {
                Op::Alloca { var, .. } => Some(main.variables[*var as usize].as_str()),
                _ => None,
            })
            .collect();
        assert!(names.contains(&"buffer") && names.contains(&"numbers"), "{flags}: {names:?}");
    }
}

#[test]
fn branches_and_switches_are_listed_with_consecutive_arms() {
    let source = "int main(int c, char **v) { switch (c) { case 3: return 1; case 1: return 2; case 9: return 7; } return c > 5 ? *v[0] : 4; }";
    let program = load_c(source, &["-O0"], LoadOptions::default());
    let main = function(&program, "main");
    let table = &main.switches[0];
    assert_eq!(table.cases.iter().map(|c| c.0).collect::<Vec<_>>(), [1, 3, 9]);
    let branch = &program.branches[table.branch as usize];
    assert_eq!(branch.arms, 4);
    assert_eq!(table.default, branch.first_edge + 3, "the default arm comes last");
    assert_eq!(table.cases[1].1, branch.first_edge, "arms are in the order of the source");
    assert_eq!(program.branches.len(), 2);
    assert!(program.branches.iter().all(|b| program.locations[b.loc as usize].line == 1));
}

#[test]
fn functions_that_call_setjmp_share_no_slots() {
    let body = "int a = v[0], b = v[1], d = v[2]; emit(a); emit(b); emit(d); if (CALL(buf)) return c; return a + b + d + c;";
    let source = format!(
        "void emit(unsigned long); int setjmp(void *) __attribute__((returns_twice)); int other(void *); void *buf;
         int with(int c, int *v) {{ {} }} int without(int c, int *v) {{ {} }}
         int main(int c, char **v) {{ return with(c, (int *)v) + without(c, (int *)v); }}",
        body.replace("CALL", "setjmp"),
        body.replace("CALL", "other")
    );
    let program = load_c(&source, &["-O1", "-fno-inline"], LoadOptions::default());
    let slots = |name| function(&program, name).n_slots;
    assert!(slots("with") > slots("without"), "{} {}", slots("with"), slots("without"));
    assert!(function(&program, "setjmp").returns_twice);
}

#[test]
fn undefined_variables_are_reported_and_weak_ones_are_null() {
    let source = "extern int nowhere; extern int weak __attribute__((weak)); int main(int c, char **v) { return nowhere + (&weak == 0); }";
    let program = load_c(source, &["-O0"], LoadOptions::default());
    assert_eq!(program.undefined_globals, ["nowhere"]);
    assert!(program.global("nowhere").is_some_and(|g| g.size == 4 && g.init.is_empty()));
    assert!(program.global("weak").is_none());
}

#[test]
fn destructors_run_in_the_opposite_order() {
    let source = "void emit(unsigned long); __attribute__((destructor(101))) void a(void) { emit(1); }
        __attribute__((destructor(200))) void b(void) { emit(2); } __attribute__((destructor)) void c(void) { emit(3); }
        int main(void) { return 0; }";
    let program = load_c(source, &["-O0"], LoadOptions::default());
    assert_eq!(common::run_interp(&program).0, [3, 2, 1]);
}

#[test]
fn byval_and_variadic_sites_have_faithful_types() {
    use forkwise_ir::ArgType;
    let source = "struct big { long v[5]; }; long take(struct big b, int k) { return b.v[0] + k; } int many(const char *f, ...);
        int main(int c, char **v) { struct big b = {{c}}; return take(b, 2) + many(\"\", 1, 2.5, 3.0L, v); }";
    let program = load_c(source, &["-O0"], LoadOptions::default());
    let take = function(&program, "take");
    assert!(
        matches!(take.params[..], [ArgType::ByVal { size: 40, align: 8 }, ArgType::Int(32)]),
        "{:?}",
        take.params
    );
    let main = function(&program, "main");
    let site = main.sites.iter().find(|s| s.args.len() == 5).expect("the variadic call");
    use forkwise_ir::FpFormat::{Double, X87};
    let expected =
        [ArgType::Ptr, ArgType::Int(32), ArgType::Float(Double), ArgType::Float(X87), ArgType::Ptr];
    assert_eq!(site.args, expected);
    assert_eq!(site.slots.len(), 6, "one entry per slot, two for long double");
    assert!(function(&program, "many").variadic);
}

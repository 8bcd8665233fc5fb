//! Single instructions and odd corners, as LLVM assembly run in the reference interpreter.

mod common;

use common::{check, interp::Interp};
use forkwise_ir::{LoadOptions, Op, Program, load};

fn program(text: &str) -> Program {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.ll");
    std::fs::write(&path, format!("declare void @emit(i64)\n{text}")).unwrap();
    let program = load(&[path], &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&program);
    program
}

/// Runs `@main(i64 x)` and returns what it emitted.
fn run(text: &str, x: u64) -> Vec<u64> {
    let program = program(text);
    assert!(program.unsupported.is_empty(), "{:?}", program.unsupported);
    let mut interp = Interp::new(&program);
    interp.run("main", &[x]).unwrap_or_else(|e| panic!("{e}\n{text}\n{}", program.dump(1)));
    interp.output
}

/// The body of `@main(i64 %x)` followed by `ret`; emits are written `E i64 %v`.
fn body(code: &str, x: u64) -> Vec<u64> {
    body_with("", code, x)
}

fn body_with(globals: &str, code: &str, x: u64) -> Vec<u64> {
    let code: Vec<String> = code
        .lines()
        .map(|l| match l.trim().strip_prefix("E ") {
            Some(v) => format!("  call void @emit({v})"),
            None => l.to_string(),
        })
        .collect();
    run(&format!("{globals}\ndefine void @main(i64 %x) {{\n{}\n  ret void\n}}\n", code.join("\n")), x)
}

#[test]
fn aggregates_are_selected_inserted_and_stored() {
    let code = "
  %c = icmp eq i64 %x, 1
  %a = insertvalue { i32, [2 x i64], i8 } poison, i32 5, 0
  %b = insertvalue { i32, [2 x i64], i8 } %a, i64 %x, 1, 1
  %d = insertvalue { i32, [2 x i64], i8 } %b, i8 9, 2
  %s = select i1 %c, { i32, [2 x i64], i8 } %d, { i32, [2 x i64], i8 } { i32 1, [2 x i64] [i64 2, i64 3], i8 4 }
  %p = alloca { i32, [2 x i64], i8 }
  store { i32, [2 x i64], i8 } %s, ptr %p
  %l = load { i32, [2 x i64], i8 }, ptr %p
  %e0 = extractvalue { i32, [2 x i64], i8 } %l, 0
  %e0w = zext i32 %e0 to i64
  %arr = extractvalue { i32, [2 x i64], i8 } %l, 1
  %e1 = extractvalue [2 x i64] %arr, 1
  %e2 = extractvalue { i32, [2 x i64], i8 } %l, 2
  %e2w = zext i8 %e2 to i64
  %fp = getelementptr { i32, [2 x i64], i8 }, ptr %p, i64 0, i32 1, i64 1
  %direct = load i64, ptr %fp
  E i64 %e0w
  E i64 %e1
  E i64 %e2w
  E i64 %direct";
    assert_eq!(body(code, 1), [5, 1, 9, 1]);
    assert_eq!(body(code, 0), [1, 3, 4, 3]);
}

#[test]
fn boolean_vectors_are_packed_in_memory() {
    let code = "
  %n = trunc i64 %x to i8
  %v = bitcast i8 %n to <8 x i1>
  %p = alloca i16
  store i16 -1, ptr %p
  store <8 x i1> %v, ptr %p
  %raw = load i16, ptr %p
  %raww = zext i16 %raw to i64
  %back = load <8 x i1>, ptr %p
  %b3 = extractelement <8 x i1> %back, i64 3
  %b3w = zext i1 %b3 to i64
  %inv = xor <8 x i1> %back, <i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false>
  %i = bitcast <8 x i1> %inv to i8
  %iw = zext i8 %i to i64
  E i64 %raww
  E i64 %b3w
  E i64 %iw";
    assert_eq!(body(code, 0b1010_1100), [0xff00 | 0b1010_1100, 1, 0b1111_1001]);
}

#[test]
fn odd_widths_in_memory_and_vectors() {
    let code = "
  %p = alloca i32
  store i32 -1, ptr %p
  %t = trunc i64 %x to i13
  store i13 %t, ptr %p
  %l = load i13, ptr %p
  %w = zext i13 %l to i64
  E i64 %w
  %v5 = bitcast i15 1234 to <3 x i5>
  %e = extractelement <3 x i5> %v5, i64 1
  %ew = zext i5 %e to i64
  E i64 %ew
  %b = alloca i1
  store i1 true, ptr %b
  %b8 = load i8, ptr %b
  %bw = zext i8 %b8 to i64
  E i64 %bw";
    assert_eq!(body(code, 0x1fff_ffff), [0x1fff, (1234 >> 5) & 31, 1]);
}

#[test]
fn elements_by_variable_index() {
    let code = "
  %v = insertelement <4 x i128> <i128 10, i128 20, i128 30, i128 40>, i128 184467440737095516160, i64 %x
  %e = extractelement <4 x i128> %v, i64 2
  %lo = trunc i128 %e to i64
  %h = lshr i128 %e, 64
  %hi = trunc i128 %h to i64
  E i64 %lo
  E i64 %hi
  %i8 = trunc i64 %x to i8
  %d = extractelement <4 x i128> %v, i8 %i8
  %dh = lshr i128 %d, 64
  %dl = trunc i128 %dh to i64
  E i64 %dl
  %s = shufflevector <4 x i128> %v, <4 x i128> poison, <2 x i32> <i32 3, i32 0>
  %s0 = extractelement <2 x i128> %s, i64 0
  %s0l = trunc i128 %s0 to i64
  E i64 %s0l";
    assert_eq!(body(code, 2), [0, 10, 10, 40]);
    assert_eq!(body(code, 1), [30, 0, 10, 40]);
}

#[test]
fn masked_memory_touches_only_enabled_lanes() {
    let globals = "@g = global [6 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6]
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, i32, <2 x i1>)
declare <4 x i32> @llvm.masked.expandload.v4i32(ptr, <4 x i1>, <4 x i32>)
declare void @llvm.masked.compressstore.v4i32(<4 x i32>, ptr, <4 x i1>)";
    // The last lanes lie beyond the object and must not be accessed.
    let code = "
  %p = getelementptr i32, ptr @g, i64 4
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x i32> splat (i32 77))
  %a = extractelement <4 x i32> %v, i64 1
  %aw = zext i32 %a to i64
  E i64 %aw
  %b = extractelement <4 x i32> %v, i64 3
  %bw = zext i32 %b to i64
  E i64 %bw
  call void @llvm.masked.store.v4i32.p0(<4 x i32> <i32 50, i32 60, i32 70, i32 80>, ptr %p, i32 4, <4 x i1> <i1 false, i1 true, i1 false, i1 false>)
  %q = getelementptr i32, ptr @g, <2 x i64> <i64 5, i64 900>
  %g = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %q, i32 4, <2 x i1> <i1 true, i1 false>, <2 x i32> <i32 1, i32 9>)
  %g0 = extractelement <2 x i32> %g, i64 0
  %g0w = zext i32 %g0 to i64
  E i64 %g0w
  %g1 = extractelement <2 x i32> %g, i64 1
  %g1w = zext i32 %g1 to i64
  E i64 %g1w
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> <i32 41, i32 42>, <2 x ptr> %q, i32 4, <2 x i1> <i1 true, i1 false>)
  %l5 = getelementptr i32, ptr @g, i64 5
  %r5 = load i32, ptr %l5
  %r5w = zext i32 %r5 to i64
  E i64 %r5w
  %x1 = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>, <4 x i32> zeroinitializer)
  %x3 = extractelement <4 x i32> %x1, i64 3
  %x3w = zext i32 %x3 to i64
  E i64 %x3w
  call void @llvm.masked.compressstore.v4i32(<4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %p, <4 x i1> <i1 false, i1 true, i1 false, i1 true>)
  %r6 = load i32, ptr %l5
  %r6w = zext i32 %r6 to i64
  E i64 %r6w";
    assert_eq!(body_with(globals, code, 0), [6, 77, 60, 9, 41, 41, 4]);
}

#[test]
fn several_indirect_branches_share_block_addresses() {
    let text = "
@t = constant [3 x ptr] [ptr blockaddress(@main, %one), ptr blockaddress(@main, %two), ptr blockaddress(@main, %end)]
define void @main(i64 %x) {
entry:
  %p = getelementptr [3 x ptr], ptr @t, i64 0, i64 %x
  %a = load ptr, ptr %p
  indirectbr ptr %a, [label %one, label %two, label %end]
one:
  %v1 = phi i64 [ 10, %entry ], [ %n2, %two ]
  call void @emit(i64 %v1)
  %n1 = add i64 %v1, 1
  %b = load ptr, ptr getelementptr ([3 x ptr], ptr @t, i64 0, i64 1)
  indirectbr ptr %b, [label %two, label %end]
two:
  %v2 = phi i64 [ 20, %entry ], [ %n1, %one ]
  call void @emit(i64 %v2)
  %n2 = add i64 %v2, 100
  %big = icmp ugt i64 %n2, 300
  %c = select i1 %big, ptr blockaddress(@main, %end), ptr blockaddress(@main, %one)
  indirectbr ptr %c, [label %one, label %end]
end:
  ret void
}";
    assert_eq!(run(text, 0), [10, 11, 111, 112, 212, 213]);
    assert_eq!(run(text, 1), [20, 120, 121, 221, 222]);
    assert_eq!(run(text, 2), [0u64; 0]);
}

#[test]
fn phis_of_wide_and_aggregate_values_swap() {
    let text = "
define void @main(i64 %x) {
entry:
  %w = zext i64 %x to i128
  %big = shl i128 %w, 70
  br label %loop
loop:
  %a = phi i128 [ %big, %entry ], [ %b, %loop ]
  %b = phi i128 [ 7, %entry ], [ %a, %loop ]
  %s = phi { i64, i32 } [ { i64 1, i32 2 }, %entry ], [ %s2, %loop ]
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %sh = lshr i128 %a, 64
  %hi = trunc i128 %sh to i64
  %lo = trunc i128 %a to i64
  call void @emit(i64 %hi)
  call void @emit(i64 %lo)
  %f = extractvalue { i64, i32 } %s, 0
  call void @emit(i64 %f)
  %f2 = add i64 %f, %i
  %s2 = insertvalue { i64, i32 } %s, i64 %f2, 0
  %i1 = add i64 %i, 1
  %c = icmp ult i64 %i1, 3
  br i1 %c, label %loop, label %done
done:
  ret void
}";
    assert_eq!(run(text, 1), [64, 0, 1, 0, 7, 1, 64, 0, 2]);
}

#[test]
fn intrinsics_on_vectors_are_unrolled() {
    let globals = "
declare { <2 x i32>, <2 x i1> } @llvm.sadd.with.overflow.v2i32(<2 x i32>, <2 x i32>)
declare <2 x i8> @llvm.uadd.sat.v2i8(<2 x i8>, <2 x i8>)
declare <2 x i16> @llvm.fshl.v2i16(<2 x i16>, <2 x i16>, <2 x i16>)
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>)
declare double @llvm.vector.reduce.fadd.v2f64(double, <2 x double>)
declare i1 @llvm.is.fpclass.f64(double, i32)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare <4 x i32> @llvm.vector.insert.v4i32.v2i32(<4 x i32>, <2 x i32>, i64)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare { double, i1 } @nothing()
declare double @llvm.fmuladd.f64(double, double, double)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare <16 x i8> @llvm.bswap.v16i8(<16 x i8>)
declare i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8>)";
    let code = "
  %t = trunc i64 %x to i32
  %v = insertelement <2 x i32> <i32 2147483647, i32 1>, i32 %t, i64 1
  %o = call { <2 x i32>, <2 x i1> } @llvm.sadd.with.overflow.v2i32(<2 x i32> %v, <2 x i32> <i32 1, i32 1>)
  %ob = extractvalue { <2 x i32>, <2 x i1> } %o, 1
  %o0 = extractelement <2 x i1> %ob, i64 0
  %o0w = zext i1 %o0 to i64
  E i64 %o0w
  %o1 = extractelement <2 x i1> %ob, i64 1
  %o1w = zext i1 %o1 to i64
  E i64 %o1w
  %s = call <2 x i8> @llvm.uadd.sat.v2i8(<2 x i8> <i8 -6, i8 5>, <2 x i8> <i8 10, i8 10>)
  %s0 = extractelement <2 x i8> %s, i64 0
  %s0w = zext i8 %s0 to i64
  E i64 %s0w
  %f = call <2 x i16> @llvm.fshl.v2i16(<2 x i16> <i16 4660, i16 1>, <2 x i16> <i16 -21555, i16 0>, <2 x i16> <i16 4, i16 1>)
  %f0 = extractelement <2 x i16> %f, i64 0
  %f0w = zext i16 %f0 to i64
  E i64 %f0w
  %m = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> <i32 -5, i32 12, i32 3, i32 -100>)
  %mw = zext i32 %m to i64
  E i64 %mw
  %d = call double @llvm.vector.reduce.fadd.v2f64(double 0.5, <2 x double> <double 1.5, double 2.0>)
  %di = fptoui double %d to i64
  E i64 %di
  %n = call i1 @llvm.is.fpclass.f64(double 0x7FF8000000000000, i32 3)
  %nw = zext i1 %n to i64
  E i64 %nw
  %p = inttoptr i64 4661 to ptr
  %pm = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -16)
  %pi = ptrtoint ptr %pm to i64
  E i64 %pi
  %vi = call <4 x i32> @llvm.vector.insert.v4i32.v2i32(<4 x i32> zeroinitializer, <2 x i32> %v, i64 2)
  %vi3 = extractelement <4 x i32> %vi, i64 3
  %vi3w = zext i32 %vi3 to i64
  E i64 %vi3w
  %cmp = call i8 @llvm.ucmp.i8.i32(i32 %t, i32 100)
  %cw = zext i8 %cmp to i64
  E i64 %cw
  %fm = call double @llvm.fmuladd.f64(double 3.0, double 4.0, double 0.5)
  %fi = call i32 @llvm.fptosi.sat.i32.f64(double %fm)
  %fw = zext i32 %fi to i64
  E i64 %fw
  %mm = call i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8> <i8 -1, i8 0, i8 -1, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 0, i8 -1>)
  %mmw = zext i32 %mm to i64
  E i64 %mmw";
    assert_eq!(body_with(globals, code, 5), [1, 0, 255, 0x234a, 12, 4, 1, 4656, 5, 255, 12, 0x8005]);
}

#[test]
fn constant_expressions_are_numbers() {
    let globals = "
@a = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@diff = global i64 sub (i64 ptrtoint (ptr getelementptr ([4 x i32], ptr @a, i64 0, i64 3) to i64), i64 ptrtoint (ptr @a to i64))
@neg = global ptr getelementptr (i8, ptr getelementptr ([4 x i32], ptr @a, i64 1), i64 -4)
@f80 = global x86_fp80 0xK4000C90FDAA22168C235
@w = global i128 -2
@al = alias i32, getelementptr ([4 x i32], ptr @a, i64 0, i64 2)
@vec = global <3 x i1> <i1 true, i1 false, i1 true>
@str = global { i8, [3 x i8], i32 } { i8 1, [3 x i8] c\"xyz\", i32 -1 }";
    let code = "
  %d = load i64, ptr @diff
  E i64 %d
  %n = load ptr, ptr @neg
  %nv = load i32, ptr %n
  %nw = zext i32 %nv to i64
  E i64 %nw
  %m = load i64, ptr @f80
  E i64 %m
  %e = load i16, ptr getelementptr (i8, ptr @f80, i64 8)
  %ew = zext i16 %e to i64
  E i64 %ew
  %w = load i64, ptr getelementptr (i8, ptr @w, i64 8)
  E i64 %w
  %al = load i32, ptr @al
  %alw = zext i32 %al to i64
  E i64 %alw
  %vc = load i8, ptr @vec
  %vcw = zext i8 %vc to i64
  E i64 %vcw
  %s = load i64, ptr @str
  E i64 %s
  E i64 sub (i64 ptrtoint (ptr @al to i64), i64 ptrtoint (ptr @a to i64))";
    let expected = [12, 4, 0xC90F_DAA2_2168_C235, 0x4000, u64::MAX, 3, 5, 0xffff_ffff_7a79_7801, 8];
    assert_eq!(body_with(globals, code, 0), expected);
}

#[test]
fn calls_that_do_not_match_go_through_pointers() {
    let text = "
define i32 @callee(i32 %a, i32 %b) {
  %s = add i32 %a, %b
  ret i32 %s
}
define void @main(i64 %x) {
  %r = call i32 (...) @callee(i32 1, i32 2)
  %w = zext i32 %r to i64
  call void @emit(i64 %w)
  ret void
}";
    let program = program(text);
    let main = &program.functions[program.function("main").unwrap() as usize];
    assert!(main.code.iter().any(|op| matches!(op, Op::CallPointer { .. })));
    let calls = &program.blocks[main.first_block as usize].calls;
    assert_eq!(calls[0], (program.function("callee").unwrap(), 0));
    assert_eq!(run(text, 0), [3]);
}

#[test]
fn what_is_not_supported_ends_only_its_own_path_and_names_itself() {
    let text = "
declare void @llvm.nothing.known(i64)
declare <2 x i64> @llvm.x86.aesni.aesenc(<2 x i64>, <2 x i64>)
define void @main(i64 %x) {
  %c = icmp eq i64 %x, 0
  br i1 %c, label %bad, label %good
bad:
  %v = call <2 x i64> @llvm.x86.aesni.aesenc(<2 x i64> zeroinitializer, <2 x i64> zeroinitializer)
  %e = extractelement <2 x i64> %v, i64 0
  br label %good
good:
  %p = phi i64 [ %e, %bad ], [ 5, %0 ]
  call void @emit(i64 %p)
  ret void
}";
    let program = program(text);
    assert_eq!(program.unsupported.len(), 1);
    assert!(program.unsupported[0].contains("llvm.x86.aesni.aesenc"), "{}", program.unsupported[0]);
    assert!(program.unsupported[0].contains("main"), "{}", program.unsupported[0]);
    let mut interp = Interp::new(&program);
    interp.run("main", &[1]).unwrap();
    assert_eq!(interp.output, [5]);
    assert!(Interp::new(&program).run("main", &[0]).unwrap_err().contains("aesenc"));
}

#[test]
fn exceptions_are_lowered_as_far_as_c_needs_them() {
    let text = "
declare i32 @__gcc_personality_v0(...)
declare void @llvm.va_end.p0(ptr)
define i64 @callee(i64 %x) {
  %y = add i64 %x, 1
  ret i64 %y
}
define void @main(i64 %x) personality ptr @__gcc_personality_v0 {
  %r = invoke i64 @callee(i64 %x) to label %ok unwind label %pad
ok:
  %p = phi i64 [ %r, %0 ]
  call void @emit(i64 %p)
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}";
    let program = program(text);
    let mut interp = Interp::new(&program);
    interp.run("main", &[41]).unwrap();
    assert_eq!(interp.output, [42]);
}

#[test]
fn mathematical_intrinsics_call_the_c_library() {
    let text = "
declare float @llvm.pow.f32(float, float)
declare double @llvm.sin.f64(double)
define double @main(i64 %x) {
  %d = uitofp i64 %x to double
  %s = call double @llvm.sin.f64(double %d)
  %f = fptrunc double %s to float
  %p = call float @llvm.pow.f32(float %f, float 2.0)
  %r = fpext float %p to double
  ret double %r
}";
    let program = program(text);
    for name in ["sin", "powf"] {
        let number = program.function(name).unwrap_or_else(|| panic!("{name} is declared"));
        assert!(program.functions[number as usize].code.is_empty());
    }
    let main = &program.functions[program.function("main").unwrap() as usize];
    assert_eq!(main.code.iter().filter(|op| matches!(op, Op::CallExternal { .. })).count(), 2);
}

#[test]
fn dead_loops_and_unreachable_blocks_do_no_harm() {
    let text = "
define void @main(i64 %x) {
  br label %done
dead:
  %a = phi i64 [ %b, %dead ]
  %b = add i64 %a, %undefined
  %undefined = add i64 %b, 1
  br label %dead
done:
  call void @emit(i64 undef)
  ret void
}";
    assert_eq!(run(text, 3), [0]);
}

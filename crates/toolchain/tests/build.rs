//! The compiler, the C library and the replay library together, as a user meets them: small programs are compiled,
//! linked and run. Needs what `cargo xtask setup` installs and builds.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use forkwise_toolchain::{
    CompileOptions, NativeLibc, NativeOptions, OptLevel, Sanitizers, Toolchain, ToolchainError,
};

fn toolchain() -> Toolchain {
    Toolchain::find().expect("a compiler; `cargo xtask setup` installs it")
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// An input of a test: its name and its bytes.
type Object<'a> = (&'a str, &'a [u8]);

/// A `.ktest` file of version 3.
fn ktest(folder: &Path, objects: &[Object<'_>]) -> PathBuf {
    let mut bytes = b"KTEST".to_vec();
    let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend(u32::try_from(n).unwrap().to_be_bytes());
    number(&mut bytes, 3);
    number(&mut bytes, 1);
    number(&mut bytes, 4);
    bytes.extend(b"prog");
    number(&mut bytes, 0);
    number(&mut bytes, 0);
    number(&mut bytes, objects.len());
    for (name, value) in objects {
        number(&mut bytes, name.len());
        bytes.extend(name.as_bytes());
        number(&mut bytes, value.len());
        bytes.extend(*value);
    }
    let path = folder.join("test.ktest");
    fs::write(&path, bytes).unwrap();
    path
}

fn run(program: &Path, test: Option<&Path>) -> Output {
    let mut command = Command::new(program);
    command.env_remove("KTEST_FILE").env("ASAN_OPTIONS", "detect_leaks=0");
    if let Some(test) = test {
        command.env("KTEST_FILE", test);
    }
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const HARNESS: &str = r#"
#include <klee/klee.h>
#include <forkwise.h>
#include <stdio.h>
int main(void) {
    int x;
    char text[4];
    klee_make_symbolic(&x, sizeof x, "x");
    forkwise_symbolic(text, sizeof text, "text");
    klee_assume(x > 10);
    int y = forkwise_range(0, 5, "y");
    printf("%d %.4s %d %d\n", x, text, y, forkwise_is_replay());
    return 3;
}
"#;

const GOOD: &[Object<'static>] = &[("x", &[20, 0, 0, 0]), ("text", b"abcd"), ("y", &[4, 0, 0, 0])];

fn replay_options() -> NativeOptions {
    NativeOptions { link_replay: true, ..NativeOptions::default() }
}

#[test]
fn sources_become_one_module_with_debug_lines() {
    let folder = tempfile::tempdir().unwrap();
    let a = write(
        folder.path(),
        "a.c",
        "#include <stdio.h>\nint twice(int);\nint main(void){return printf(\"%d\", twice(N));}\n",
    );
    let b = write(folder.path(), "b.c", "int twice(int x) { return 2 * x; }\n");
    for opt_level in [OptLevel::O0, OptLevel::O1, OptLevel::O2] {
        let options = CompileOptions { opt_level, defines: vec!["N=4".into()], ..CompileOptions::default() };
        let bitcode = toolchain().compile_c(&[a.clone(), b.clone()], &options).unwrap();
        let dis = Command::new(toolchain().tool("llvm-dis").unwrap())
            .args(["-o", "-"])
            .arg(bitcode.path())
            .output()
            .unwrap();
        let text = stdout(&dis);
        for expected in ["i32 @main(", "i32 @twice(", "!DILocation", "linux-musl"] {
            assert!(text.contains(expected), "{opt_level}: no {expected} in\n{text}");
        }
        assert!(!text.contains("optnone"), "{opt_level}");
    }
}

#[test]
fn ubsan_checks_are_compiled_in() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "a.c", "int add(int a, int b) { return a + b; }\n");
    let options = CompileOptions { ubsan: true, ..CompileOptions::default() };
    let bitcode = toolchain().compile_c(&[source], &options).unwrap();
    let bytes = fs::read(bitcode.path()).unwrap();
    let needle = b"__ubsan_handle_add_overflow";
    assert!(bytes.windows(needle.len()).any(|window| window == needle));
}

#[test]
fn the_compilers_errors_and_status_are_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "bad.c", "int main(void) { return nothing; }\n");
    let error = toolchain().compile_c(std::slice::from_ref(&source), &CompileOptions::default()).unwrap_err();
    assert_eq!(error.compiler_status().and_then(|status| status.code()), Some(1));
    assert!(error.to_string().contains("undeclared identifier 'nothing'"), "{error}");
    assert!(error.to_string().contains("bad.c"), "{error}");

    let out = folder.path().join("bad");
    assert!(toolchain().build_native(&[source], &out, &NativeOptions::default()).is_err());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["bad.c"]);
}

#[test]
fn wrong_inputs_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = CompileOptions::default();
    let message = |path: PathBuf| toolchain().compile_c(&[path], &options).unwrap_err().to_string();
    assert!(message(folder.path().join("none.c")).contains("none.c: No such file"));
    assert!(message(folder.path().to_path_buf()).contains("is a folder"));
    assert!(message(write(folder.path(), "x.txt", "")).contains("x.txt: not a C source"));
    assert!(matches!(toolchain().compile_c(&[], &options), Err(ToolchainError::NoInput)));
    let broken = write(folder.path(), "x.bc", "BC but not bitcode");
    let error =
        toolchain().build_native(&[broken], &folder.path().join("x"), &NativeOptions::default()).unwrap_err();
    assert!(error.to_string().contains("x.bc"), "{error}");
}

#[test]
fn a_harness_replays_a_test_with_either_libc_from_source_and_bitcode() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "h.c", HARNESS);
    let test = ktest(folder.path(), GOOD);
    let bitcode = toolchain().compile_c(std::slice::from_ref(&source), &CompileOptions::default()).unwrap();
    for libc in [NativeLibc::Host, NativeLibc::Bitcode] {
        for input in [source.clone(), bitcode.path().to_path_buf()] {
            let out = folder.path().join("h");
            let options = NativeOptions { libc, ..replay_options() };
            toolchain().build_native(std::slice::from_ref(&input), &out, &options).unwrap();
            let output = run(&out, Some(&test));
            assert_eq!(stdout(&output), "20 abcd 4 1\n", "{libc:?} {}: {}", input.display(), stderr(&output));
            assert_eq!(output.status.code(), Some(3));
        }
    }
}

#[test]
fn tests_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "h.c", HARNESS);
    let program = folder.path().join("h");
    toolchain().build_native(&[source], &program, &replay_options()).unwrap();
    let cases: &[(&[Object<'_>], &str)] = &[
        (&[("x", &[1, 0, 0, 0]), GOOD[1], GOOD[2]], "KLEE_RUN_TEST_ERROR: invalid klee_assume"),
        (&GOOD[..1], "KLEE_RUN_TEST_ERROR: out of inputs"),
        (
            &[("z", GOOD[0].1)],
            "KLEE_RUN_TEST_ERROR: object name mismatch. Requesting \"x\" but returning \"z\"",
        ),
        (&[("x", &[20])], "KLEE_RUN_TEST_ERROR: object sizes differ. Expected 4 but got 1"),
        (&[GOOD[0], GOOD[1], ("y", &[9, 0, 0, 0])], "KLEE_RUN_TEST_ERROR: invalid klee_assume"),
    ];
    for (objects, message) in cases {
        let test = ktest(folder.path(), objects);
        let output = run(&program, Some(&test));
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(stderr(&output).contains(message), "expected {message}, got {}", stderr(&output));
    }

    let test = ktest(folder.path(), &GOOD[..1]);
    let forced = Command::new(&program)
        .env("KTEST_FILE", &test)
        .env("KLEE_RUN_TEST_ERRORS_NON_FATAL", "1")
        .output()
        .unwrap();
    assert_eq!(forced.status.code(), Some(3));
    assert!(stderr(&forced).contains("Forcing execution to continue"));
}

#[test]
fn malformed_tests_are_refused_without_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "h.c", HARNESS);
    let program = folder.path().join("h");
    let options = NativeOptions { sanitizers: Sanitizers::ALL, ..replay_options() };
    toolchain().build_native(&[source], &program, &options).unwrap();
    let whole = fs::read(ktest(folder.path(), GOOD)).unwrap();
    let path = folder.path().join("broken.ktest");
    // Every cut of the file, and a count that promises four thousand million objects.
    let mut variants: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].to_vec()).collect();
    let mut lying = whole.clone();
    lying[29..33].copy_from_slice(&[0xff; 4]);
    variants.push(lying);
    variants.push(b"not a test at all".to_vec());
    for bytes in variants {
        fs::write(&path, &bytes).unwrap();
        let output = run(&program, Some(&path));
        assert_eq!(output.status.code(), Some(1), "{} bytes: {}", bytes.len(), stderr(&output));
        assert!(stderr(&output).contains("KLEE-RUNTIME: unable to open .ktest file"), "{}", stderr(&output));
    }
    let missing = run(&program, Some(&folder.path().join("none.ktest")));
    assert!(stderr(&missing).contains("none.ktest: No such file"), "{}", stderr(&missing));
}

const OVERFLOWS: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
    unsigned char i;
    klee_make_symbolic(&i, sizeof i, "i");
    char *p = malloc(8);
    p[i] = 1;
    int n = 0x7ffffff0 + i;
    free(p);
    return n == 0;
}
"#;

#[test]
fn address_sanitizer_confirms_bugs_of_sources_and_of_bitcode() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "o.c", OVERFLOWS);
    let bitcode = toolchain().compile_c(std::slice::from_ref(&source), &CompileOptions::default()).unwrap();
    let options = NativeOptions { sanitizers: Sanitizers::ALL, ..replay_options() };
    for input in [source, bitcode.path().to_path_buf()] {
        let out = folder.path().join("o");
        let program = toolchain().build_native(std::slice::from_ref(&input), &out, &options).unwrap();
        let from_source = input.extension().is_some_and(|extension| extension == "c");
        assert_eq!(program.sanitizers, Sanitizers { address: true, undefined: from_source });
        let bad = run(&out, Some(&ktest(folder.path(), &[("i", &[8])])));
        assert!(!bad.status.success());
        assert!(stderr(&bad).contains("heap-buffer-overflow"), "{}: {}", input.display(), stderr(&bad));
        let good = run(&out, Some(&ktest(folder.path(), &[("i", &[7])])));
        assert!(good.status.success(), "{}: {}", input.display(), stderr(&good));
    }
}

#[test]
fn undefined_behaviour_ends_the_run_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "#include <klee/klee.h>\nint main(void) {\n int x = klee_int(\"x\");\n x += 1;\n return 0; }\n";
    let source = write(folder.path(), "u.c", text);
    let out = folder.path().join("u");
    let options = NativeOptions { sanitizers: Sanitizers::ALL, ..replay_options() };
    toolchain().build_native(&[source], &out, &options).unwrap();
    let output = run(&out, Some(&ktest(folder.path(), &[("x", &i32::MAX.to_le_bytes())])));
    assert!(!output.status.success());
    assert!(
        stderr(&output).contains("u.c:4:4: runtime error: signed integer overflow"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn fuzz_targets_and_verifier_names_replay() {
    let folder = tempfile::tempdir().unwrap();
    let fuzz = "#include <stdint.h>\n#include <stdio.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) {\n printf(\"%zu %.*s\\n\", n, (int)n, (const char *)d); return 0; }\n";
    let source = write(folder.path(), "f.c", fuzz);
    let out = folder.path().join("f");
    toolchain().build_native(&[source], &out, &replay_options()).unwrap();
    let test = ktest(folder.path(), &[("data", b"hello"), ("size", &3_u64.to_le_bytes())]);
    assert_eq!(stdout(&run(&out, Some(&test))), "3 hel\n");
    let test = ktest(folder.path(), &[("data", b"hello")]);
    assert_eq!(stdout(&run(&out, Some(&test))), "5 hello\n");

    let verifier = "extern int __VERIFIER_nondet_int(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nextern double __VERIFIER_nondet_double(void);\nvoid reach_error(void);\nint main(void) {\n int i = __VERIFIER_nondet_int(); _Bool b = __VERIFIER_nondet_bool(); double d = __VERIFIER_nondet_double();\n if (i == 7 && b && d == 0.5) reach_error();\n return 0; }\n";
    let source = write(folder.path(), "v.c", verifier);
    let out = folder.path().join("v");
    toolchain().build_native(&[source], &out, &replay_options()).unwrap();
    let inputs: &[Object<'_>] = &[("a", &7_i32.to_le_bytes()), ("b", &[1]), ("c", &0.5_f64.to_le_bytes())];
    let output = run(&out, Some(&ktest(folder.path(), inputs)));
    assert_eq!(output.status.signal(), Some(6), "{}", stderr(&output));
    assert!(stderr(&output).contains("reach_error was reached"));
}

#[test]
fn the_shared_library_serves_harnesses_linked_as_for_klee() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "h.c", HARNESS);
    let toolchain = toolchain();
    let runtime = toolchain.runtime().unwrap();
    let lib = runtime.klee_runtest().parent().unwrap().to_path_buf();
    let out = folder.path().join("h");
    let status = Command::new(&toolchain.clang().path)
        .arg(&source)
        .arg("-I")
        .arg(runtime.api_include())
        .arg(format!("-L{}", lib.display()))
        .args(["-lkleeRuntest", "-o"])
        .arg(&out)
        .status()
        .unwrap();
    assert!(status.success());
    let test = ktest(folder.path(), GOOD);
    let output = Command::new(&out).env("KTEST_FILE", &test).env("LD_LIBRARY_PATH", &lib).output().unwrap();
    assert_eq!(stdout(&output), "20 abcd 4 1\n", "{}", stderr(&output));
}

#[test]
fn the_bitcode_libc_runs_natively() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static __thread int local = 5;
static jmp_buf place;
static void handler(int number) { printf("signal %d\n", number); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void last(void) { puts("at exit"); }
__attribute__((constructor)) static void first(void) { puts("constructor"); }
int main(int argc, char **argv) {
    volatile int n = argc;
    double complex z = (n + 2.0 * I) * (1.0 - n * I) / (2.0 + I);
    int values[] = {3, 1, 2};
    char *p = realloc(strdup("abc"), 100000);
    atexit(last);
    signal(SIGUSR1, handler);
    qsort(values, 3, sizeof *values, compare);
    printf("%d %d%d%d %s %.3f %.2Lf %.1f%+.1fi\n", local, values[0], values[1], values[2], p, sqrt(n + 1.0),
        (long double)n / 3, creal(z), cimag(z));
    raise(SIGUSR1);
    unsigned __int128 wide = (unsigned __int128)n << 100;
    printf("%llu %ld\n", (unsigned long long)(wide / 7 >> 64), strtol("-0x1f", 0, 0));
    if (!setjmp(place)) longjmp(place, 3);
    puts("jumped");
    return 7;
}
"#;
    let source = write(folder.path(), "n.c", text);
    let out = folder.path().join("n");
    let options = NativeOptions { libc: NativeLibc::Bitcode, ..NativeOptions::default() };
    toolchain().build_native(&[source], &out, &options).unwrap();
    let output = run(&out, None);
    let expected = "constructor\n5 123 abc 1.414 0.33 1.4-0.2i\nsignal 10\n9817068105 -31\njumped\nat exit\n";
    assert_eq!(stdout(&output), expected, "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn bitcode_compiled_against_glibc_finds_its_names_in_the_bitcode_libc() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char name[8], text[20];
    int number = 0;
    strcpy(name, argv[0] + strlen(argv[0]) - 3);
    snprintf(text, sizeof text, "%s!%d", name, argc);
    memset(name, isalpha((unsigned char)text[0]) != 0, argc);
    sscanf("12", "%d", &number);
    printf("%s %d %ld\n", text, name[0], strtol("30", 0, 10) + number);
    return 0;
}
"#;
    let source = write(folder.path(), "g.c", text);
    let bitcode = folder.path().join("g.bc");
    let status = Command::new(&toolchain().clang().path)
        .args(["-O2", "-D_FORTIFY_SOURCE=2", "-emit-llvm", "-c"])
        .arg(&source)
        .arg("-o")
        .arg(&bitcode)
        .status()
        .unwrap();
    assert!(status.success());
    let out = folder.path().join("abc");
    let options = NativeOptions { libc: NativeLibc::Bitcode, ..NativeOptions::default() };
    let program = toolchain().build_native(&[bitcode], &out, &options).unwrap();
    assert_eq!(program.warnings, "");
    assert_eq!(stdout(&run(&out, None)), "abc!1 1 42\n");
}

#[test]
fn the_libc_archive_needs_nothing_but_the_engines_own_names() {
    let toolchain = toolchain();
    let output = Command::new(toolchain.tool("llvm-nm").unwrap())
        .arg(toolchain.runtime().unwrap().libc())
        .output()
        .unwrap();
    let (mut defined, mut undefined) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for line in stdout(&output).lines() {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["U", name] => drop(undefined.insert((*name).to_owned())),
            [_, _, name] => drop(defined.insert((*name).to_owned())),
            _ => {}
        }
    }
    let missing: Vec<&str> = undefined.difference(&defined).map(String::as_str).collect();
    let hooks = ["__forkwise_syscall", "__forkwise_thread_pointer"];
    let allocator = ["calloc", "free", "malloc", "memalign", "realloc"];
    let mut expected: Vec<&str> =
        hooks.into_iter().chain(allocator).chain(["longjmp", "main", "setjmp"]).collect();
    expected.sort_unstable();
    assert_eq!(missing, expected);
}

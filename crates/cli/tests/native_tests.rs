//! Tests of whole programs, through the real binary: replayed, shown, converted, minimised. The programs are native;
//! the counters that `forkwise cc` puts into coverage builds are written by hand here.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use forkwise_testcase::{KTest, Object, Outcome, TestCase, TestFile, json};
use serde_json::Value;
use support::{Finished, forkwise, scratch};

/// Arguments, standard input, a file; each branch counted. Crashes on `-c`, on a file that begins with `#!`.
const PROGRAM: &str = r##"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((section("forkwise_counters"), aligned(4096))) unsigned char counters[4096] = {0};
__attribute__((constructor)) static void start(void) {
  mmap(counters, sizeof counters, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 973, 0);
}
int main(int argc, char **argv) {
  counters[0] = 1;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-c")) { counters[1] = 1; abort(); }
    if (!strcmp(argv[i], "-f")) {
      counters[2] = 1;
      FILE *f = fopen("A", "r"); char head[3] = "";
      if (!f) { counters[3] = 1; fprintf(stderr, "no A\n"); return 2; }
      fread(head, 1, 2, f);
      if (!strcmp(head, "#!")) { counters[4] = 1; *(volatile int *)0 = 1; }
    }
  }
  int n = 0; while (getchar() != EOF) n++;
  if (n > 3) counters[5] = 1; else counters[6] = 1;
  printf("%d %d\n", argc, n);
  return n > 3;
}
"##;

fn call(folder: &Path, arguments: &[&str]) -> Finished {
    support::run(&mut forkwise(folder, arguments), Duration::from_secs(100))
}

fn good(folder: &Path, arguments: &[&str], code: i32) -> String {
    let done = call(folder, arguments);
    assert_eq!(done.code(), Some(code), "{arguments:?}\n{}\n{}", done.out(), done.err());
    done.out()
}

fn build(folder: &Path) {
    fs::write(folder.join("prog.c"), PROGRAM).unwrap();
    let built =
        Command::new("gcc").args(["-w", "prog.c", "-o", "prog"]).current_dir(folder).status().unwrap();
    assert!(built.success());
}

fn test(args: &str, stdin: Option<&str>, file: Option<&str>, outcome: Option<Outcome>) -> TestCase {
    TestCase {
        args: args.split_whitespace().map(|arg| arg.as_bytes().to_vec()).collect(),
        stdin: stdin.map(|text| text.as_bytes().to_vec()),
        files: file.map(|text| TestFile { name: "A".into(), bytes: text.into() }).into_iter().collect(),
        outcome,
        ..TestCase::default()
    }
}

/// A result folder as `forkwise run` leaves it.
fn results(folder: &Path, tests: &[TestCase]) -> PathBuf {
    let root = folder.join("out");
    fs::create_dir_all(root.join("tests")).unwrap();
    fs::write(root.join("info"), format!("forkwise\ndirectory: {}\nprogram: prog\n", folder.display()))
        .unwrap();
    for (index, test) in tests.iter().enumerate() {
        let number = index as u64 + 1;
        json::write(&root.join("tests").join(json::file_name(number)), test).unwrap();
        KTest::from(test).write(&root.join(format!("tests/{number:06}.ktest"))).unwrap();
    }
    root
}

fn unfinished() -> Option<Outcome> {
    Some(Outcome::Unfinished("the time was up".into()))
}

#[test]
fn a_result_folder_is_replayed_without_naming_its_program() {
    let folder = scratch();
    build(folder.path());
    let mut predicted = test("prog x", Some("abcd"), None, Some(Outcome::Exit(1)));
    predicted.stdout = Some(b"2 4\n".to_vec());
    let mut wrong = test("prog -f", Some(""), Some("text"), Some(Outcome::Exit(0)));
    wrong.stdout = Some(b"2 1\n".to_vec());
    let tests =
        [predicted, wrong, test("prog -f", None, Some("#!/"), unfinished()), test("prog", None, None, None)];
    results(folder.path(), &tests[..1]);
    let text = good(folder.path(), &["replay", "out"], 0);
    assert!(text.contains("000001.test.json: exit status 1\n  as predicted: exits with 1"), "{text}");
    assert!(text.contains("coverage: 2/4096 branches"), "{text}");

    results(folder.path(), &tests);
    let text = good(folder.path(), &["replay", "--coverage", "out"], 1);
    for part in [
        "000001.test.json: exit status 1, 2 branches (2 new)",
        "000002.test.json: exit status 0, 3 branches (2 new)",
        "NOT as predicted: stdout: expected \"2 1\\n\" (4 bytes), observed \"2 0\\n\"",
        "bug found by replaying an unfinished path: signal 11 (SIGSEGV)",
        "4 tests: 1 as predicted, 1 NOT as predicted, 2 not comparable",
        "coverage: 5/4096 branches",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let quiet = good(folder.path(), &["replay", "--quiet", "prog", "out/tests"], 1);
    assert!(!quiet.contains("000001") && quiet.contains("000003.test.json"), "{quiet}");

    let report: Value =
        serde_json::from_str(&good(folder.path(), &["replay", "--json", "-j", "2", "out"], 1)).unwrap();
    assert_eq!((&report["same"], &report["diverged"]), (&Value::from(1), &Value::from(1)));
    assert_eq!(report["coverage"]["covered"], 5);
    assert_eq!(report["bugs"][0]["unfinished_path"], true);
    assert_eq!(report["tests"][2]["bug"], "signal 11 (SIGSEGV)");

    // The .ktest file alone holds the file and standard input, too.
    let text = good(folder.path(), &["replay", "prog", "out/tests/000003.ktest"], 1);
    assert!(text.contains("bug: signal 11"), "{text}");
    let klee = call(folder.path(), &["replay", "--klee-output", "prog", "out/tests/000001.ktest"]);
    assert!(klee.err().contains("KLEE-REPLAY: NOTE: EXIT STATUS: ABNORMAL 1"), "{}", klee.err());
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let folder = scratch();
    build(folder.path());
    results(folder.path(), &[test("prog", None, None, None), test("prog", None, None, None)]);
    fs::write(folder.path().join("out/tests/000002.test.json"), "{").unwrap();
    let done = call(folder.path(), &["replay", "out"]);
    assert_eq!(done.code(), Some(2));
    assert!(done.err().contains("000002.test.json"), "{}", done.err());
    assert!(done.out().contains("000001.test.json: exit status 0"), "{}", done.out());
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (arguments, part) in [
        (&["replay", "prog"][..], "which tests"),
        (&["replay", "empty"], "give the program"),
        (&["replay", "prog", "empty"], "no tests in empty"),
        (&["replay", "nothing", "out"], "there is no nothing"),
        (&["replay", "--gcov", "prog", "out/tests/000001.ktest"], "gcc --coverage"),
        (&["replay", "--coverage", "/bin/true", "out/tests/000001.ktest"], "forkwise cc"),
        (&["cmin", "out", "--prog", "/bin/true", "-o", "small"], "forkwise cc"),
        (&["tmin", "out/tests/000001.ktest", "-o", "x.test.json"], "shows no bug natively"),
    ] {
        let done = call(folder.path(), arguments);
        assert_eq!(done.code(), Some(2), "{arguments:?}");
        assert!(done.err().contains(part), "{arguments:?}: {}", done.err());
    }
}

#[test]
fn klees_tests_of_programs_are_replayed_and_shown() {
    let folder = scratch();
    build(folder.path());
    let words = "prog.bc --sym-args 0 2 3 --sym-files 1 4 --sym-stdin 2 --sym-stdout";
    let mut klee = test(words, None, None, None);
    klee.objects = vec![
        Object::new("n_args", [2, 0, 0, 0]),
        Object::new("arg00", *b"-f\0\0"),
        Object::new("arg01", *b"it's"),
        Object::new("A-data", *b"#!\0\xff"),
        Object::new("A-data-stat", [0; 144]),
        Object::new("stdin", *b"in"),
        Object::new("model_version", [1, 0, 0, 0]),
    ];
    KTest::from(&klee).write(&folder.path().join("test000001.ktest")).unwrap();
    let text = good(folder.path(), &["replay", "prog", "test000001.ktest"], 1);
    assert!(text.contains("signal 11"), "{text}");
    let text = good(folder.path(), &["show", "test000001.ktest"], 0);
    assert!(text.contains(r"$ printf '#!\000\377' > A"), "{text}");
    assert!(text.contains(r"$ printf 'in' | prog.bc -f $'it\'s'"), "{text}");
    assert!(!text.contains("model_version"), "{text}");
    good(folder.path(), &["import", "test000001.ktest", "-o", "own"], 0);
    let own = json::read(&folder.path().join("own/000001.test.json")).unwrap();
    assert_eq!(own.args[1..], [b"-f".to_vec(), b"it's".to_vec()]);
}

#[test]
fn formats_of_fuzzers_come_and_go() {
    let folder = scratch();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("text"), "a\0b").unwrap();
    let line = "grep -E 'a b' A";
    good(
        folder.path(),
        &["import", "--args", line, "--stdin", "text", "--file", "A=text", "--env", "LANG=C", "-o", "own"],
        0,
    );
    let own = json::read(&at("own/000001.test.json")).unwrap();
    assert_eq!(own.args, [&b"grep"[..], b"-E", b"a b", b"A"]);
    assert_eq!((own.stdin.as_deref(), own.files[0].bytes.as_slice()), (Some(&b"a\0b"[..]), &b"a\0b"[..]));
    assert_eq!(own.env, [("LANG".to_string(), b"C".to_vec())]);

    // There and back.
    for (format, input, back) in [
        ("ktest", None, &["--format", "ktest"][..]),
        ("afl", Some("stdin"), &["--args", line]),
        ("afl", Some("file:A"), &["--args", line, "--input", "file:A"]),
        ("libfuzzer", Some("stdin"), &["--format", "raw", "--args", line]),
        ("afl", Some("args"), &["--format", "args", "--args", "grep"]),
    ] {
        let (there, again) = (at("there"), at("again"));
        let mut arguments = vec!["export", "own", "--format", format, "-o", "there"];
        arguments.extend(input.iter().flat_map(|input| ["--input", input]));
        good(folder.path(), &arguments, 0);
        good(folder.path(), &[&["import", "there", "-o", "again"], back].concat(), 0);
        let test = json::read(&again.join("000001.test.json")).unwrap();
        assert_eq!(test.args, own.args, "{format} {input:?}");
        match input {
            None => assert_eq!(TestCase { objects: vec![], ..test }, own),
            Some("stdin") => assert_eq!(test.stdin, own.stdin),
            Some("file:A") => assert_eq!(test.files, own.files),
            _ => {}
        }
        fs::remove_dir_all(there).unwrap();
        fs::remove_dir_all(again).unwrap();
    }
    good(folder.path(), &["export", "own/000001.test.json", "--format", "c", "-o", "c"], 0);
    let c = fs::read_to_string(at("c/000001.c")).unwrap();
    assert!(c.contains("env LANG=C ./reproduce -E 'a b' A"), "{c}");
    let bad = call(folder.path(), &["import", "--args", "a | b", "-o", "bad"]);
    assert!(bad.code() == Some(2) && bad.err().contains("would need a shell") && !at("bad").exists());
}

#[test]
fn few_tests_cover_the_same_and_small_ones_crash_the_same() {
    let folder = scratch();
    build(folder.path());
    let tests = [
        test("prog", Some("a"), None, None),
        test("prog -x -y", Some("abcdefgh"), None, None),
        test("prog -x", Some("abcd"), None, None),
        test("prog -f", Some(""), Some("text"), None),
        test("prog -q -f --long", Some("xyz"), Some("#!/bin/sh\nls\n"), unfinished()),
        test("prog -f", Some("xyz"), Some("#!/bin/sh"), unfinished()),
        test("prog a -c", None, None, unfinished()),
    ];
    results(folder.path(), &tests);
    let text = good(folder.path(), &["cmin", "out", "-o", "small"], 0);
    assert!(text.contains("4 of 7 tests kept in small: 6/4096 branches, 2 bugs"), "{text}");
    let kept: Vec<String> = support::files_below(&folder.path().join("small"))
        .iter()
        .map(|path| path.display().to_string())
        .filter(|name| name.ends_with(".test.json"))
        .collect();
    assert_eq!(kept, ["000001.test.json", "000003.test.json", "000006.test.json", "000007.test.json"]);
    good(folder.path(), &["replay", "-q", "prog", "small"], 1);
    let again = call(folder.path(), &["cmin", "out", "-o", "small"]);
    assert!(again.code() == Some(2) && again.err().contains("exists already"), "{}", again.err());

    let text = good(folder.path(), &["tmin", "out/tests/000005.test.json", "-o", "tiny.test.json"], 0);
    assert!(text.contains("signal 11 (SIGSEGV)"), "{text}");
    let tiny = json::read(&folder.path().join("tiny.test.json")).unwrap();
    assert_eq!(tiny.args, [b"prog".to_vec(), b"-f".to_vec()]);
    assert_eq!(tiny.files, [TestFile { name: "A".into(), bytes: b"#!".to_vec() }]);
    assert_eq!(tiny.stdin, None);
}

#[test]
fn gcov_counts_the_programs_own_sources() {
    let folder = scratch();
    fs::write(folder.path().join("prog.c"), PROGRAM).unwrap();
    let built = Command::new("gcc")
        .args(["-w", "--coverage", "prog.c", "-o", "prog"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(built.success());
    let tests: Vec<TestCase> =
        ["prog", "prog x", "prog -f"].iter().map(|line| test(line, Some("abcd"), None, None)).collect();
    results(folder.path(), &tests);
    let arguments = ["replay", "--gcov", "--sources", "*.c", "--json", "prog", "out"];
    let report: Value = serde_json::from_str(&good(folder.path(), &arguments, 0)).unwrap();
    let covered = report["branches"]["covered"].as_u64().unwrap();
    let total = report["branches"]["total"].as_u64().unwrap();
    assert!(0 < covered && covered < total, "{report}");
    assert_eq!(report["by_file"].as_object().unwrap().len(), 1);
    assert!(report["lines"]["covered"].as_u64().unwrap() > 5);
    let text = good(folder.path(), &["replay", "-q", "--gcov", "prog", "out"], 0);
    assert!(text.contains(&format!("gcov: {covered}/{total} branches")), "{text}");
    // The user's folder has no counters.
    assert!(
        support::files_below(folder.path()).iter().all(|path| path.extension().is_none_or(|e| e != "gcda"))
    );
}

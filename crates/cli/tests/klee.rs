//! `forkwise klee` in the place of KLEE 3.2: harnesses, options, messages, output folder, companions and exit statuses as
//! users' scripts expect them. The harnesses are of the kind that tutorials use. What these tests look for is what a
//! script would look for, not the whole text.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use support::{Finished, binary, files_below, native, run, runtime, scratch};

const LIMIT: Duration = Duration::from_secs(60);

const GET_SIGN: &str = "#include <klee/klee.h>

int get_sign(int x) {
  if (x == 0)
    return 0;
  if (x < 0)
    return -1;
  else
    return 1;
}

int main() {
  int a;
  klee_make_symbolic(&a, sizeof(a), \"a\");
  return get_sign(a);
}
";

const MATCHER: &str = "#include <klee/klee.h>

static int match_rest(char *pattern, char *text);

static int match_many(int c, char *pattern, char *text) {
  do {
    if (match_rest(pattern, text))
      return 1;
  } while (*text != 0 && (*text++ == c || c == '.'));
  return 0;
}

static int match_rest(char *pattern, char *text) {
  if (pattern[0] == 0)
    return 1;
  if (pattern[1] == '*')
    return match_many(pattern[0], pattern + 2, text);
  if (*text != 0 && (pattern[0] == '.' || pattern[0] == *text))
    return match_rest(pattern + 1, text + 1);
  return 0;
}

int main() {
  char pattern[3];
  klee_make_symbolic(pattern, sizeof pattern, \"pattern\");
  match_rest(pattern, \"hello\");
  return 0;
}
";

const SORT: &str = "#include <assert.h>
#include <klee/klee.h>

static void bubble(int *v, unsigned n) {
  for (unsigned i = 0; i + 1 < n; i++)
    if (v[i] > v[i + 1]) {
      int t = v[i];
      v[i] = v[i + 1];
      v[i + 1] = t;
    }
}

int main() {
  int v[3];
  klee_make_symbolic(v, sizeof v, \"v\");
  bubble(v, 3);
  assert(v[0] <= v[1]);
  return 0;
}
";

const ERRORS: &str = "#include <klee/klee.h>
#include <stdlib.h>

int main() {
  unsigned char kind;
  int x;
  klee_make_symbolic(&kind, sizeof kind, \"kind\");
  klee_make_symbolic(&x, sizeof x, \"x\");
  char *volatile p = malloc(4);
  volatile int r = 0;
  switch (kind) {
  case 0:
    p[4] = 1;
    break;
  case 1:
    free(p);
    free(p);
    break;
  case 2:
    r = 10 / x;
    break;
  case 3:
    abort();
  case 4:
    klee_report_error(__FILE__, __LINE__, \"my own error\", \"mine.err\");
  case 5:
    *(volatile char *)\"const\" = 1;
    break;
  }
  return r;
}
";

/// Writes a harness and compiles it as KLEE's manual says.
fn bitcode(folder: &Path, name: &str, source: &str) -> String {
    let file = folder.join(name).with_extension("c");
    fs::write(&file, source).expect("writable");
    let mut clang = Command::new(native::clang());
    clang.current_dir(folder).arg("-I").arg(runtime().join("api"));
    clang.args(["-emit-llvm", "-c", "-g", "-O0", "-Xclang", "-disable-O0-optnone"]);
    clang.arg(format!("{name}.c"));
    let done = run(&mut clang, LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    format!("{name}.bc")
}

fn klee(folder: &Path, arguments: &[&str]) -> Finished {
    let mut command = Command::new(binary());
    run(command.arg("klee").args(arguments).current_dir(folder), LIMIT)
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "`{line}` is missing in:\n{text}");
    }
}

/// The number after `KLEE: done: WHAT = `.
fn done_count(said: &str, what: &str) -> u64 {
    let start = format!("KLEE: done: {what} = ");
    let line = said.lines().find_map(|line| line.strip_prefix(&start));
    let number = line.unwrap_or_else(|| panic!("`{start}` is missing in:\n{said}"));
    number.trim().parse().unwrap_or_else(|error| panic!("{number}: {error}"))
}

fn names(folder: &Path) -> Vec<String> {
    files_below(folder).iter().map(|path: &PathBuf| path.display().to_string()).collect()
}

#[test]
fn get_sign_has_three_paths() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &[&module]);
    let said = done.err();
    assert_eq!(done.code(), Some(0), "{said}");
    has(&said, &["KLEE: output directory is \"", "klee-out-0\""]);
    assert!(done_count(&said, "total instructions") > 10);
    assert_eq!(done_count(&said, "completed paths"), 3);
    assert_eq!(done_count(&said, "partially completed paths"), 0);
    assert_eq!(done_count(&said, "generated tests"), 3);
}

#[test]
fn the_output_folder_holds_what_scripts_look_for() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    assert_eq!(klee(folder.path(), &[&module]).code(), Some(0));
    let out = folder.path().join("klee-out-0");
    let found = names(&out);
    for name in ["info", "messages.txt", "warnings.txt", "run.stats", "run.istats", "assembly.ll"] {
        assert!(found.iter().any(|one| one == name), "{name} is missing: {found:?}");
    }
    for name in ["test000001.ktest", "test000002.ktest", "test000003.ktest"] {
        assert!(found.iter().any(|one| one == name), "{name} is missing: {found:?}");
    }
    let last = fs::read_link(folder.path().join("klee-last")).expect("klee-last is a link");
    assert!(last.to_string_lossy().ends_with("klee-out-0"), "{last:?}");
    let info = fs::read_to_string(out.join("info")).expect("text");
    has(
        &info,
        &["get_sign.bc", "PID:", "Started:", "Finished:", "Elapsed:", "KLEE: done: completed paths = 3"],
    );
    has(&fs::read_to_string(out.join("assembly.ll")).expect("text"), &["define", "@get_sign"]);
    assert!(fs::read(out.join("run.stats")).expect("written").starts_with(b"SQLite format 3\0"));

    assert_eq!(klee(folder.path(), &[&module]).code(), Some(0));
    let last = fs::read_link(folder.path().join("klee-last")).expect("klee-last is a link");
    assert!(last.to_string_lossy().ends_with("klee-out-1"), "the second run has the next number: {last:?}");
}

#[test]
fn tests_can_be_read_by_ktest_tool_and_replayed() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    assert_eq!(klee(folder.path(), &["--output-dir=out", &module]).code(), Some(0));
    let mut seen = Vec::new();
    for number in 1..=3 {
        let test = folder.path().join(format!("out/test{number:06}.ktest"));
        let mut tool = Command::new(binary());
        let shown = run(tool.arg("ktest-tool").arg(&test).current_dir(folder.path()), LIMIT);
        assert_eq!(shown.code(), Some(0), "{}", shown.err());
        let text = shown.out();
        has(
            &text,
            &[
                "ktest file : '",
                "args       : [",
                "num objects: 1",
                "object 0: name: 'a'",
                "object 0: size: 4",
            ],
        );
        has(
            &text,
            &[
                "object 0: data: b'",
                "object 0: hex : 0x",
                "object 0: int : ",
                "object 0: uint: ",
                "object 0: text: ",
            ],
        );
        let program = native::build(
            &folder.path().join("get_sign.c"),
            0,
            native::Checks::None,
            &folder.path().join("p"),
        );
        let program = program.unwrap_or_else(|problem| panic!("{problem}"));
        seen.push(native::replay(&program, &test, LIMIT).code().expect("it exits"));
    }
    seen.sort();
    assert_eq!(seen, [0, 1, 255], "native exit codes of the three tests");
}

#[test]
fn the_matchers_overrun_is_found() {
    let folder = scratch();
    let module = bitcode(folder.path(), "matcher", MATCHER);
    let done = klee(folder.path(), &["--only-output-states-covering-new", "--output-dir=out", &module]);
    let said = done.err();
    assert_eq!(done.code(), Some(0), "KLEE exits with 0 when it finds errors\n{said}");
    has(&said, &["KLEE: ERROR: ", "memory error: out of bound pointer"]);
    has(&said, &["KLEE: NOTE: now ignoring this error at this location"]);
    let errors: Vec<String> =
        names(&folder.path().join("out")).into_iter().filter(|n| n.ends_with(".ptr.err")).collect();
    assert!(!errors.is_empty());
    for name in errors {
        let text = fs::read_to_string(folder.path().join("out").join(&name)).expect("text");
        has(&text, &["Error: memory error: out of bound pointer", "File: ", "matcher.c", "Line: ", "Stack:"]);
        has(&text, &["assembly.ll line: ", "State: ", "match_rest"]);
        let ktest = name.replace(".ptr.err", ".ktest");
        assert!(folder.path().join("out").join(&ktest).exists(), "{name} has no {ktest}");
    }
}

#[test]
fn a_failed_assertion_is_reported_with_its_condition() {
    let folder = scratch();
    let module = bitcode(folder.path(), "sort", SORT);
    let done = klee(folder.path(), &["--output-dir=out", "--libc=uclibc", &module]);
    has(&done.err(), &["sort.c:17: ASSERTION FAIL: v[0] <= v[1]"]);
    let errors =
        names(&folder.path().join("out")).into_iter().filter(|name| name.ends_with(".assert.err")).count();
    assert_eq!(errors, 1, "one location is one error");
}

#[test]
fn every_kind_of_error_has_its_message_and_file() {
    let folder = scratch();
    let module = bitcode(folder.path(), "errors", ERRORS);
    let done = klee(folder.path(), &["--output-dir=out", &module]);
    let said = done.err();
    has(&said, &["errors.c:13: memory error: out of bound pointer", "errors.c:17: memory error: "]);
    has(&said, &["invalid pointer: free", "errors.c:20: divide by zero", "abort failure", "my own error"]);
    has(&said, &["errors.c:27: memory error: object read only"]);
    let found = names(&folder.path().join("out")).join(" ");
    for kind in [".ptr.err", ".div.err", ".abort.err", ".mine.err", ".read_only.err"] {
        assert!(found.contains(kind), "no {kind} among {found}");
    }
    assert_eq!(done_count(&said, "partially completed paths"), 6);
}

#[test]
fn exit_on_error_stops_at_the_first() {
    let folder = scratch();
    let module = bitcode(folder.path(), "errors", ERRORS);
    let done = klee(folder.path(), &["-exit-on-error", "--output-dir=out", &module]);
    let errors = names(&folder.path().join("out")).into_iter().filter(|name| name.ends_with(".err")).count();
    assert_eq!(errors, 1, "{}", done.err());
    assert_eq!(done.code(), Some(1), "{}", done.err());

    let only = klee(folder.path(), &["--exit-on-error-type=Abort", "--output-dir=abort", &module]);
    let found = names(&folder.path().join("abort")).join(" ");
    assert!(found.contains(".abort.err"), "{found}\n{}", only.err());
}

#[test]
fn emit_all_errors_writes_each_occurrence() {
    let folder = scratch();
    let module = bitcode(folder.path(), "matcher", MATCHER);
    klee(folder.path(), &["--output-dir=once", &module]);
    klee(folder.path(), &["--emit-all-errors", "--output-dir=all", &module]);
    let count = |name: &str| names(&folder.path().join(name)).iter().filter(|n| n.ends_with(".err")).count();
    assert!(count("all") > count("once"), "{} and {}", count("all"), count("once"));
}

#[test]
fn options_take_one_dash_or_two_and_values_either_way() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    for (number, options) in [
        &["-search=dfs", "-max-tests=2"][..],
        &["--search=bfs", "--max-time=10s"],
        &["--search", "random-path", "--search", "nurs:covnew", "--max-time", "1min"],
        &["--optimize", "--libc=none", "--max-memory=1000"],
        &["--use-batching-search", "--batch-instructions=100", "--external-calls=none"],
        &["--kdalloc", "--use-cex-cache=false", "--switch-type=internal"],
        &["--write-no-tests"],
        &["--search=nurs:icnt", "--search=nurs:cpicnt", "--use-iterative-deepening-time-search"],
    ]
    .iter()
    .enumerate()
    {
        let out = format!("--output-dir=out{number}");
        let mut arguments = options.to_vec();
        arguments.extend([out.as_str(), module.as_str()]);
        let done = klee(folder.path(), &arguments);
        assert_eq!(done.code(), Some(0), "{options:?}: {}", done.err());
        has(&done.err(), &["KLEE: done: completed paths = "]);
    }
    assert!(names(&folder.path().join("out6")).iter().all(|name| !name.ends_with(".ktest")));
    assert!(names(&folder.path().join("out0")).iter().filter(|name| name.ends_with(".ktest")).count() <= 2);
}

#[test]
fn options_that_only_tune_internals_give_one_warning() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &["--kdalloc", "--output-dir=out", &module]);
    let warnings =
        done.err().lines().filter(|line| line.contains("WARNING") && line.contains("kdalloc")).count();
    assert_eq!(warnings, 1, "{}", done.err());
}

#[test]
fn unknown_options_are_errors_with_status_1() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &["--no-such-option", &module]);
    assert_eq!(done.code(), Some(1), "{}", done.err());
    has(&done.err(), &["no-such-option"]);
    assert!(!folder.path().join("klee-out-0").exists(), "nothing is written for a bad option");
}

#[test]
fn missing_and_broken_programs_are_errors() {
    let folder = scratch();
    for arguments in [&["nowhere.bc"][..], &[]] {
        let done = klee(folder.path(), arguments);
        assert!(matches!(done.code(), Some(code) if code != 0), "{arguments:?}: {:?}", done.status);
        assert!(!done.err().contains("panicked") && !done.err().is_empty(), "{}", done.err());
    }
    fs::write(folder.path().join("broken.bc"), b"BC\xc0\xde no more").expect("writable");
    let done = klee(folder.path(), &["broken.bc"]);
    assert!(matches!(done.code(), Some(code) if code != 0));
    has(&done.err(), &["broken.bc"]);
    fs::create_dir(folder.path().join("taken")).expect("writable");
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &["--output-dir=taken", &module]);
    assert_eq!(done.code(), Some(1), "an output folder that exists is refused: {}", done.err());
    has(&done.err(), &["taken"]);
}

#[test]
fn text_modules_and_help_and_version() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let mut dis = Command::new("llvm-dis-19");
    assert_eq!(run(dis.current_dir(folder.path()).arg(&module), LIMIT).code(), Some(0));
    let done = klee(folder.path(), &["--output-dir=out", "get_sign.ll"]);
    assert_eq!(done_count(&done.err(), "completed paths"), 3);
    has(&klee(folder.path(), &["--help"]).out(), &["--output-dir", "--max-time", "--search"]);
    let version = klee(folder.path(), &["--version"]);
    assert_eq!(version.code(), Some(0));
    assert!(!version.out().is_empty());
}

#[test]
fn another_entry_point() {
    let folder = scratch();
    let source = format!(
        "{GET_SIGN}\nint other(void) {{ int b; klee_make_symbolic(&b, 4, \"b\"); if (b == 9) return 1; return 0; }}\n"
    );
    let module = bitcode(folder.path(), "two", &source);
    let done = klee(folder.path(), &["--entry-point=other", "--output-dir=out", &module]);
    assert_eq!(done_count(&done.err(), "completed paths"), 2, "{}", done.err());
}

#[test]
fn a_test_can_be_replayed_inside_the_engine() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    assert_eq!(klee(folder.path(), &["--output-dir=out", &module]).code(), Some(0));
    let done =
        klee(folder.path(), &["--replay-ktest-file=out/test000002.ktest", "--output-dir=again", &module]);
    assert_eq!(done_count(&done.err(), "completed paths"), 1, "{}", done.err());
}

#[test]
fn the_program_gets_its_arguments() {
    let folder = scratch();
    let source = "int main(int argc, char **argv) { return argc == 3 && argv[1][0] == 'x' && argv[2][1] == 'z' ? 0 : *(volatile int *)0; }\n";
    let module = bitcode(folder.path(), "args", source);
    let done = klee(folder.path(), &["--output-dir=out", &module, "x", "yz"]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(!done.err().contains("KLEE: ERROR"), "{}", done.err());
}

#[test]
fn stats_and_installed_names() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    assert_eq!(klee(folder.path(), &["--output-dir=out", &module]).code(), Some(0));
    let mut stats = Command::new(binary());
    let table = run(stats.args(["klee-stats", "out"]).current_dir(folder.path()), LIMIT);
    assert_eq!(table.code(), Some(0), "{}", table.err());
    has(&table.out(), &["Path", "Instrs", "Time(s)", "ICov(%)", "BCov(%)", "out"]);

    // The link `klee` is the same program under KLEE's name.
    let link = folder.path().join("klee");
    std::os::unix::fs::symlink(binary(), &link).expect("writable");
    let done =
        run(Command::new(&link).args(["--output-dir=linked", &module]).current_dir(folder.path()), LIMIT);
    assert_eq!(done_count(&done.err(), "completed paths"), 3, "{}", done.err());
}

#[test]
fn the_linked_module_can_be_written_and_run_again() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &["--output-module", "--output-dir=out", &module]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    assert!(!done.err().contains("WARNING"), "{}", done.err());
    let again = klee(folder.path(), &["--output-dir=again", "out/final.bc"]);
    assert_eq!(done_count(&again.err(), "completed paths"), 3, "{}", again.err());
    assert!(!folder.path().join("again/final.bc").exists(), "only where it is asked for");
}

#[test]
fn executed_instructions_can_be_printed() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(
        folder.path(),
        &[
            "--debug-print-instructions=src:stderr",
            "--debug-print-instructions=all:file",
            "--output-dir=out",
            &module,
        ],
    );
    assert_eq!(done_count(&done.err(), "completed paths"), 3, "{}", done.err());
    has(&done.err(), &["get_sign.c:4:"]);
    let text = fs::read_to_string(folder.path().join("out/instructions.txt")).expect("written");
    has(&text, &["get_sign.c:4:", ":Br"]);
    let lines = |n: u32| text.lines().filter(|l| l.contains(&format!("get_sign.c:{n}:"))).count();
    assert!(lines(5) > 0 && lines(7) > 0 && lines(9) > 0, "each path's line was executed: {text}");
    let wrong = klee(folder.path(), &["--debug-print-instructions=most:file", "--output-dir=no", &module]);
    assert_eq!(wrong.code(), Some(1), "{}", wrong.err());
}

const HUNGRY: &str = "#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main() {
  unsigned char v[24];
  klee_make_symbolic(v, sizeof v, \"v\");
  int n = 0;
  for (int i = 0; i < 24; i++) {
    char *p = malloc(100000);
    memset(p, i, 100000);
    if (v[i] > 100)
      n += p[i];
  }
  return n & 1;
}
";

#[test]
fn forking_stops_near_the_memory_limit_unless_told_otherwise() {
    let folder = scratch();
    let module = bitcode(folder.path(), "hungry", HUNGRY);
    let cap = "skipping fork (memory cap exceeded)";
    let options = ["--max-memory=250", "--max-time=20s", "--search=bfs", "--write-no-tests"];
    for (value, inhibits) in [("true", true), ("false", false)] {
        let inhibit = format!("--max-memory-inhibit={value}");
        let out = format!("--output-dir={value}");
        let done = klee(folder.path(), &[&options[..], &[&inhibit, &out, &module]].concat());
        assert_eq!(done.err().contains(cap), inhibits, "{inhibit}: {}", done.err());
    }
}

const LOOP_AND_TAIL: &str = "#include <klee/klee.h>

int main() {
  unsigned char v[8];
  klee_make_symbolic(v, sizeof v, \"v\");
  int n = 0;
  if (v[7] == 3)
    n++;
  for (int i = 0; i < 6; i++)
    if (v[i] > 100)
      n++;
  return n;
}
";

#[test]
fn a_place_with_too_large_a_share_of_forks_stops_forking() {
    let folder = scratch();
    let module = bitcode(folder.path(), "share", LOOP_AND_TAIL);
    let all = klee(folder.path(), &["--output-dir=all", &module]);
    assert_eq!(done_count(&all.err(), "completed paths"), 128, "{}", all.err());
    for option in ["--max-static-fork-pct=0.6", "--max-static-cpfork-pct=0.5"] {
        let paths = |out: &str, delay: &str| {
            let done = klee(folder.path(), &[option, delay, out, "--search=bfs", &module]);
            assert!(!done.err().contains("WARNING"), "{}", done.err());
            done_count(&done.err(), "completed paths")
        };
        let at_once = "--max-static-pct-check-delay=0s";
        let few = paths(&format!("--output-dir=one{}", option.len()), at_once);
        assert!((2..128).contains(&few), "{option}: {few}");
        assert_eq!(paths(&format!("--output-dir=two{}", option.len()), at_once), few, "the same each time");
        let late = paths(&format!("--output-dir=late{}", option.len()), "--max-static-pct-check-delay=60s");
        assert_eq!(late, 128, "the limit does not hold before its time");
    }
    // KLEE takes shares above 1, which limit nothing; tuners offer them.
    let large = klee(folder.path(), &["--max-static-fork-pct=4", "--output-dir=large", &module]);
    assert_eq!(done_count(&large.err(), "completed paths"), 128, "{}", large.err());
    for wrong in ["--max-static-fork-pct=-1", "--max-static-fork-pct=half", "--max-static-fork-pct=NaN"] {
        let wrong = klee(folder.path(), &[wrong, "--output-dir=no", &module]);
        assert_eq!(wrong.code(), Some(1), "{}", wrong.err());
    }
}

const BRANCHES: &str = "#include <klee/klee.h>

int main() {
  unsigned char v[4];
  klee_make_symbolic(v, sizeof v, \"v\");
  int n = 0;
  for (int i = 0; i < 3; i++)
    if (v[i] > 100)
      n += 1 << i;
  switch (v[3]) {
  case 1:
    return n;
  case 7:
  case 8:
    return 10 + n;
  case 9:
    return 20 + n;
  default:
    return 30 + n;
  }
}
";

#[test]
fn a_recorded_path_is_followed() {
    let folder = scratch();
    let module = bitcode(folder.path(), "branches", BRANCHES);
    let done = klee(folder.path(), &["--write-paths", "--output-dir=out", &module]);
    assert_eq!(done_count(&done.err(), "completed paths"), 32, "{}", done.err());
    let recorded = |out: &str, n: u32| {
        fs::read_to_string(folder.path().join(format!("{out}/test{n:06}.path"))).expect("written")
    };
    for n in [1, 2, 9, 20, 32] {
        let path = format!("--replay-path=out/test{n:06}.path");
        let out = format!("again{n}");
        let to = format!("--output-dir={out}");
        let again = klee(folder.path(), &[&path, &to, "--write-paths", &module]);
        assert_eq!(done_count(&again.err(), "completed paths"), 1, "{}", again.err());
        assert_eq!(recorded("out", n), recorded(&out, 1));
    }
    fs::write(folder.path().join("begin.path"), "1\n0\n").expect("writable");
    let begin = klee(folder.path(), &["--replay-path=begin.path", "--output-dir=begin", &module]);
    assert_eq!(
        done_count(&begin.err(), "completed paths"),
        8,
        "beyond the record all is explored: {}",
        begin.err()
    );
    fs::write(folder.path().join("wrong.path"), "1\n0\n1\n77\n").expect("writable");
    let wrong = klee(folder.path(), &["--replay-path=wrong.path", "--output-dir=wrong", &module]);
    assert_eq!(done_count(&wrong.err(), "completed paths"), 0, "{}", wrong.err());
    has(&wrong.err(), &["the recorded path cannot be followed"]);
    fs::write(folder.path().join("no.path"), "left\n").expect("writable");
    let no = klee(folder.path(), &["--replay-path=no.path", "--output-dir=no", &module]);
    assert_eq!(no.code(), Some(1), "{}", no.err());
}

#[test]
fn each_test_says_which_lines_it_covers() {
    let folder = scratch();
    let module = bitcode(folder.path(), "get_sign", GET_SIGN);
    let done = klee(folder.path(), &["--write-cov", "--output-dir=out", &module]);
    assert_eq!(done_count(&done.err(), "completed paths"), 3, "{}", done.err());
    let mut seen = Vec::new();
    for n in 1..=3 {
        let text = fs::read_to_string(folder.path().join(format!("out/test{n:06}.cov"))).expect("written");
        let covers = |line: u32| text.lines().any(|l| l.ends_with(&format!("get_sign.c:{line}")));
        assert!(covers(4) && covers(15), "{text}");
        seen.push((covers(5), covers(7), covers(9)));
    }
    seen.sort();
    assert_eq!(seen, [(false, false, true), (false, true, false), (true, false, false)]);
}

#[test]
fn unfinished_paths_cover_only_what_they_reached() {
    let folder = scratch();
    let source = "#include <klee/klee.h>\nint main() {\n  volatile int i = 0;\n  int a;\n  klee_make_symbolic(&a, 4, \"a\");\n  while (i < 100000000)\n    i++;\n  return a;\n}\n";
    let module = bitcode(folder.path(), "long", source);
    let done =
        klee(folder.path(), &["--write-cov", "--max-instructions=100000", "--output-dir=out", &module]);
    let text = fs::read_to_string(folder.path().join("out/test000001.cov")).expect("written");
    assert!(text.contains("long.c:7") && !text.contains("long.c:8"), "{text}\n{}", done.err());
}

#[test]
fn concrete_reads_made_symbolic_change_no_result() {
    let folder = scratch();
    for (name, source, paths) in [("get_sign", GET_SIGN, 3), ("branches", BRANCHES, 32)] {
        let module = bitcode(folder.path(), name, source);
        for n in [1, 3] {
            let every = format!("--make-concrete-symbolic={n}");
            let out = format!("{name}{n}");
            let to = format!("--output-dir={out}");
            let done = klee(folder.path(), &[&every, &to, &module]);
            assert!(!done.err().contains("WARNING"), "{}", done.err());
            assert_eq!(done_count(&done.err(), "completed paths"), paths, "{}", done.err());
            let test = folder.path().join(out).join("test000001.ktest");
            let shown = run(Command::new(binary()).arg("ktest-tool").arg(&test), LIMIT);
            has(&shown.out(), &["num objects: 1"]);
        }
    }
}

//! `forkwise klee --posix-runtime`: a program with options and a file, under symbolic arguments, files and standard input as
//! KLEE's manual declares them. The tests have KLEE's objects, replay natively, and can be followed again as seeds.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use forkwise_testcase::KTest;
use support::{Finished, binary, native, run, runtime, scratch};

const LIMIT: Duration = Duration::from_secs(60);

/// The abort needs the option and the file's first character.
const READER: &str = "#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int verbose = 0, option;
  while ((option = getopt(argc, argv, \"v\")) != -1) {
    if (option != 'v')
      return 2;
    verbose = 1;
  }
  FILE *in = optind < argc ? fopen(argv[optind], \"r\") : stdin;
  if (!in)
    return 3;
  int c = getc(in);
  if (c == '#' && verbose) {
    fputs(\"comment\\n\", stdout);
    fflush(stdout);
    abort();
  }
  puts(c == EOF ? \"empty\" : \"text\");
  return 0;
}
";

const WORDS: [&str; 9] = ["--sym-args", "0", "2", "2", "--sym-files", "1", "2", "--sym-stdin", "2"];

fn forkwise(folder: &Path, verb: &str, arguments: &[&str]) -> Finished {
    run(Command::new(binary()).arg(verb).args(arguments).current_dir(folder), LIMIT)
}

/// Compiles to bitcode as KLEE's manual says.
fn bitcode(folder: &Path, name: &str, source: &str) -> String {
    fs::write(folder.join(name).with_extension("c"), source).expect("writable");
    let mut clang = Command::new(native::clang());
    clang.current_dir(folder).arg("-I").arg(runtime().join("api"));
    clang.args(["-emit-llvm", "-c", "-g", "-O0", "-Xclang", "-disable-O0-optnone"]);
    let done = run(clang.arg(format!("{name}.c")), LIMIT);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    format!("{name}.bc")
}

/// Runs the program with symbolic inputs; further options come first.
fn explore(folder: &Path, out: &str, program: &str, options: &[&str]) -> Finished {
    let out = format!("--output-dir={out}");
    let arguments = ["--posix-runtime", "--libc=uclibc", &out];
    let done = forkwise(folder, "klee", &[&arguments, options, &[program], &WORDS].concat());
    assert_eq!(done.code(), Some(0), "{}", done.err());
    done
}

/// The test that an error has.
fn test_of_error(folder: &Path, out: &str, kind: &str) -> PathBuf {
    let ending = format!(".{kind}.err");
    let names =
        fs::read_dir(folder.join(out)).expect("the output folder").map(|e| e.expect("entry").file_name());
    let names: Vec<String> = names.filter_map(|n| n.into_string().ok()).collect();
    let stem = names.iter().find_map(|n| n.strip_suffix(&ending)).unwrap_or_else(|| panic!("{names:?}"));
    Path::new(out).join(stem).with_extension("ktest")
}

fn objects(folder: &Path, test: &Path) -> Vec<(String, Vec<u8>)> {
    let test = KTest::read(&folder.join(test)).expect("a test");
    test.objects.into_iter().map(|(n, v)| (String::from_utf8(n).expect("a name"), v)).collect()
}

fn count(done: &Finished, what: &str) -> u64 {
    let text = done.err();
    let found = text.lines().find_map(|l| l.strip_prefix(&format!("KLEE: done: {what} = ")));
    found.and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{what} is missing in\n{text}"))
}

#[test]
fn a_program_with_options_and_a_file_is_explored_and_replayed() {
    let folder = scratch();
    let folder = folder.path();
    let module = bitcode(folder, "reader", READER);
    let done = explore(folder, "out", &module, &[]);
    assert!(done.err().contains("abort failure"), "{}", done.err());
    assert!(count(&done, "completed paths") >= 20, "{}", done.err());
    for text in ["empty\n", "text\n"] {
        assert!(done.out().contains(text), "{}", done.out());
    }
    let test = test_of_error(folder, "out", "abort");
    let found = objects(folder, &test);
    let names: Vec<&str> = found.iter().map(|o| o.0.as_str()).collect();
    assert_eq!(names[0], "n_args");
    assert_eq!(
        names[names.len() - 5..],
        ["A-data", "A-data-stat", "stdin", "stdin-stat", "model_version"],
        "{names:?}"
    );
    assert!(found.iter().any(|o| o.0 == "arg00" && o.1.starts_with(b"-v")), "{found:?}");

    let shown = forkwise(folder, "ktest-tool", &[test.to_str().expect("a name")]);
    assert!(shown.out().contains("name: 'A-data'") && shown.out().contains("'--sym-files', '1', '2'"));

    // The same sources, built natively, do the same.
    let built = forkwise(folder, "cc", &["-g", "-o", "reader", "reader.c"]);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let replayed = forkwise(folder, "klee-replay", &["./reader", test.to_str().expect("a name")]);
    assert!(replayed.err().contains("KLEE-REPLAY: NOTE: Arguments: \"./reader\" \"-v"), "{}", replayed.err());
    assert!(
        replayed.err().contains("KLEE-REPLAY: NOTE: EXIT STATUS: CRASHED signal 6"),
        "{}",
        replayed.err()
    );
    assert_eq!(replayed.out(), "comment\n");

    // So does the engine, on the test alone.
    let option = format!("--replay-ktest-file={}", test.display());
    let again = explore(folder, "again", &module, &[&option]);
    assert!(again.err().contains("abort failure"), "{}", again.err());
    assert_eq!(count(&again, "generated tests"), 1);

    // A program that `forkwise cc` built carries its bitcode.
    let whole = explore(folder, "whole", "reader", &[]);
    assert!(whole.err().contains("abort failure"), "{}", whole.err());
}

#[test]
fn every_test_exits_natively_as_in_the_engine() {
    let folder = scratch();
    let folder = folder.path();
    bitcode(folder, "reader", READER);
    let built = forkwise(folder, "cc", &["-g", "-o", "reader", "reader.c"]);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let done = explore(folder, "out", "reader", &["--readable-posix-inputs"]);
    let tests = count(&done, "generated tests");
    let names: Vec<String> = (1..=tests).map(|n| format!("out/test{n:06}.ktest")).collect();
    let mut arguments = vec!["./reader"];
    arguments.extend(names.iter().map(String::as_str));
    let replayed = forkwise(folder, "klee-replay", &arguments);
    let status = |what: &str| replayed.err().matches(&format!("EXIT STATUS: {what}")).count();
    assert!(
        status("NORMAL") > 0 && status("ABNORMAL 2") > 0 && status("ABNORMAL 3") > 0,
        "{}",
        replayed.err()
    );
    assert_eq!(status("CRASHED signal 6"), 1, "{}", replayed.err());
}

#[test]
fn calls_that_fail_are_inputs_too() {
    let folder = scratch();
    let folder = folder.path();
    let source = "#include <errno.h>
#include <unistd.h>
int main(void) {
  char c;
  if (read(0, &c, 1) < 0)
    return errno == EIO ? 7 : 8;
  return write(1, \"x\", 1) == 1 ? 0 : 9;
}
";
    let module = bitcode(folder, "failing", source);
    for (out, words) in [("one", &["--max-fail", "1"][..]), ("two", &["--fd-fail"])] {
        let out_option = format!("--output-dir={out}");
        let arguments = ["--posix-runtime", &out_option, &module, "--sym-stdin", "1"];
        let done = forkwise(folder, "klee", &[&arguments, words].concat());
        assert_eq!(count(&done, "completed paths"), 3, "{}", done.err());
        let found = objects(folder, &Path::new(out).join("test000001.ktest"));
        let names: Vec<&str> = found.iter().map(|o| o.0.as_str()).collect();
        assert_eq!(
            names,
            [
                "stdin",
                "stdin-stat",
                "read_fail",
                "write_fail",
                "close_fail",
                "ftruncate_fail",
                "getcwd_fail",
                "model_version"
            ]
        );
    }
}

#[test]
fn without_the_model_words_are_arguments() {
    let folder = scratch();
    let folder = folder.path();
    let source = "#include <string.h>
int main(int argc, char **argv) { return argc == 3 && !strcmp(argv[1], \"--sym-arg\") ? 0 : *(volatile int *)0; }
";
    let module = bitcode(folder, "plain", source);
    let done = forkwise(folder, "klee", &["--output-dir=out", &module, "--sym-arg", "3"]);
    assert_eq!(count(&done, "completed paths"), 1, "{}", done.err());
    assert!(done.err().contains("WARNING: without --posix-runtime"), "{}", done.err());
    let wrong = forkwise(folder, "klee", &["--posix-runtime", "--output-dir=no", &module, "--sym-arg"]);
    assert_eq!(wrong.code(), Some(1));
    assert!(wrong.err().contains("--sym-arg N: a value is missing"), "{}", wrong.err());
    assert!(!folder.join("no").exists());
}

#[test]
fn seeds_come_first_and_are_checked() {
    let folder = scratch();
    let folder = folder.path();
    let module = bitcode(folder, "reader", READER);
    explore(folder, "out", &module, &[]);
    let test = test_of_error(folder, "out", "abort");
    let seed = format!("--seed-file={}", test.display());

    let first = explore(folder, "first", &module, &[&seed, "--max-tests=1"]);
    assert!(first.err().contains("KLEE: using 1 seeds"), "{}", first.err());
    assert_eq!(test_of_error(folder, "first", "abort"), Path::new("first/test000001.ktest"));

    let only = explore(folder, "only", &module, &[&seed, "--seed-file=out/test000001.ktest", "--only-seed"]);
    assert!(only.err().contains("KLEE: using 2 seeds"), "{}", only.err());
    assert_eq!(count(&only, "generated tests"), 2, "{}", only.err());

    let all = explore(folder, "all", &module, &["--seed-dir=out", "--only-replay-seeds"]);
    assert!(all.err().contains("abort failure"), "{}", all.err());

    // Another machine recorded other inode numbers and times.
    let mut foreign = KTest::read(&folder.join(&test)).expect("a test");
    for (_, value) in foreign.objects.iter_mut().filter(|o| o.0.ends_with(b"-stat")) {
        value.fill(7);
    }
    foreign.write(&folder.join("foreign.ktest")).expect("writable");
    for (out, option) in
        [("foreign", "--seed-file=foreign.ktest"), ("as-is", "--replay-ktest-file=foreign.ktest")]
    {
        let done = explore(folder, out, &module, &[option, "--max-tests=1"]);
        assert!(done.err().contains("abort failure"), "{}", done.err());
    }

    // Longer arguments than the seed's: only when that is allowed.
    let longer = |out: &str, options: &[&str]| {
        let out = format!("--output-dir={out}");
        let words = ["--sym-args", "0", "2", "3", "--sym-files", "1", "1", "--sym-stdin", "2"];
        let arguments =
            [&["--posix-runtime", "--max-tests=1", &out, &seed], options, &[&module], &words].concat();
        forkwise(folder, "klee", &arguments)
    };
    let refused = longer("refused", &[]);
    assert!(refused.err().contains("bytes for arg00, which is 4 bytes long"), "{}", refused.err());
    assert!(refused.err().contains("is left out"), "{}", refused.err());
    let cut = longer("cut", &["--allow-seed-extension"]);
    assert!(cut.err().contains("bytes for A-data, which is 1 bytes long"), "{}", cut.err());
    let taken = longer("taken", &["--allow-seed-extension", "--allow-seed-truncation"]);
    assert!(taken.err().contains("abort failure"), "{}", taken.err());
}

#[test]
fn a_folder_and_an_environment_can_be_given() {
    let folder = scratch();
    let folder = folder.path();
    let source = "#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[16] = {0};
  FILE *in = fopen(\"notes\", \"r\");
  if (!in || !fgets(line, sizeof line, in))
    return 1;
  printf(\"%s %s\\n\", line, getenv(\"COLOUR\"));
  fclose(in);
  FILE *out = fopen(\"notes\", \"w\");
  return !out || fputs(\"changed\", out) < 0 || fclose(out) != 0;
}
";
    let module = bitcode(folder, "surroundings", source);
    fs::create_dir(folder.join("place")).expect("writable");
    fs::write(folder.join("place/notes"), "found").expect("writable");
    fs::write(folder.join("variables"), "COLOUR=green\n").expect("writable");
    let options = ["--run-in-dir=place", "--env-file=variables", "--output-dir=out", &module];
    let done = forkwise(folder, "klee", &options);
    assert_eq!(done.out(), "found green\n", "{}", done.err());
    assert!(!done.err().contains("WARNING"), "{}", done.err());
    // The host's file is as it was.
    assert_eq!(fs::read_to_string(folder.join("place/notes")).expect("readable"), "found");
    let wrong = forkwise(folder, "klee", &["--run-in-dir=nowhere", &module]);
    assert_eq!(wrong.code(), Some(1));
    assert!(wrong.err().contains("cannot run in") && wrong.err().contains("nowhere"), "{}", wrong.err());
}

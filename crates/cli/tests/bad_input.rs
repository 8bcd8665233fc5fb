//! What users can get wrong, and what can go wrong around them: the answer is a message that names the cause and the
//! place, exit status 2 and nothing half-written; an interrupted run leaves whole results. A panic fails every test.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{Finished, check_results, files_below, finish, forkwise, native, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(60);

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    }
}

fn call(folder: &Path, arguments: &[&str]) -> Finished {
    run(&mut forkwise(folder, arguments), LIMIT)
}

/// Exit status 2 and a message with all of these words, in any case of letters; no panic.
fn refuses(done: &Finished, words: &[&str]) {
    let said = done.err();
    assert_eq!(done.code(), Some(2), "exit status 2 expected, got {:?}\n{}\n{said}", done.status, done.out());
    assert!(!said.contains("panicked"), "a panic is ours, not the user's:\n{said}");
    assert!(!said.trim().is_empty(), "says nothing");
    for word in words {
        assert!(said.to_lowercase().contains(&word.to_lowercase()), "`{word}` is not named in:\n{said}");
    }
}

/// Nothing appeared in the folder but what was there.
fn untouched(folder: &Path, before: &[std::path::PathBuf]) {
    assert_eq!(files_below(folder), before, "something was left behind");
    let entries: Vec<_> =
        fs::read_dir(folder).expect("it exists").flatten().map(|entry| entry.file_name()).collect();
    let stray = entries.iter().find(|name| name.to_string_lossy().starts_with("forkwise-"));
    assert!(stray.is_none(), "{stray:?} was left behind");
}

/// A valid module.
fn bitcode(folder: &Path) -> Vec<u8> {
    let source = folder.join("module-source.c");
    let module = folder.join("module-source.bc");
    fs::write(&source, "int main(int argc, char **argv) { return argv[0] == 0 ? argc : 3; }\n")
        .expect("writable");
    let mut clang = Command::new(native::clang());
    clang.args(["-g", "-c", "-emit-llvm"]).arg(&source).arg("-o").arg(&module);
    assert_eq!(run(&mut clang, LIMIT).code(), Some(0), "{clang:?} fails");
    let bytes = fs::read(&module).expect("clang wrote it");
    fs::remove_file(source).expect("it is ours");
    fs::remove_file(module).expect("it is ours");
    bytes
}

#[test]
fn a_missing_file_is_named() {
    let folder = scratch();
    refuses(&call(folder.path(), &["run", "nowhere.c"]), &["nowhere.c"]);
    refuses(&call(folder.path(), &["run", "nowhere.bc"]), &["nowhere.bc"]);
    untouched(folder.path(), &[]);
}

#[test]
fn a_folder_is_not_a_program() {
    let folder = scratch();
    fs::create_dir(folder.path().join("program.c")).expect("writable");
    refuses(&call(folder.path(), &["run", "program.c"]), &["program.c"]);
    refuses(&call(folder.path(), &["run", "."]), &["."]);
    untouched(folder.path(), &[]);
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let folder = scratch();
    fs::write(folder.path().join("notes.txt"), "hello").expect("writable");
    refuses(&call(folder.path(), &["run", "notes.txt"]), &["notes.txt"]);
    fs::write(folder.path().join("empty.bc"), "").expect("writable");
    refuses(&call(folder.path(), &["run", "empty.bc"]), &["empty.bc"]);
    fs::write(folder.path().join("bad.ll"), "define i32 @main() { ret i32 %nothing }").expect("writable");
    refuses(&call(folder.path(), &["run", "bad.ll"]), &["bad.ll"]);
    untouched(folder.path(), &["bad.ll".into(), "empty.bc".into(), "notes.txt".into()]);
}

#[test]
fn an_unreadable_file_is_named() {
    let folder = scratch();
    let path = folder.path().join("secret.c");
    fs::write(&path, "int main(void) { return 0; }").expect("writable");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("it is ours");
    if fs::read(&path).is_ok() {
        return; // Nothing is unreadable to root.
    }
    refuses(&call(folder.path(), &["run", "secret.c"]), &["secret.c"]);
}

#[test]
fn the_compilers_errors_are_shown_with_their_place() {
    let folder = scratch();
    fs::write(folder.path().join("broken.c"), "int main(void) {\n  return missing_name;\n}\n")
        .expect("writable");
    refuses(&call(folder.path(), &["run", "broken.c"]), &["broken.c:2", "missing_name"]);
    untouched(folder.path(), &["broken.c".into()]);
}

#[test]
fn a_program_without_an_entry_is_refused() {
    let folder = scratch();
    fs::write(folder.path().join("library.c"), "int twice(int x) { return 2 * x; }\n").expect("writable");
    refuses(&call(folder.path(), &["run", "library.c"]), &["main"]);
    untouched(folder.path(), &["library.c".into()]);
}

#[test]
fn truncated_bitcode_is_refused_at_every_length() {
    let folder = scratch();
    let whole = bitcode(folder.path());
    let mut lengths: Vec<usize> = vec![1, 3, 4, 5, 8, 16, whole.len() / 4, whole.len() / 2, whole.len() - 4];
    lengths.extend((1..8).map(|part| whole.len() * part / 8));
    for length in lengths {
        fs::write(folder.path().join("cut.bc"), &whole[..length]).expect("writable");
        refuses(&call(folder.path(), &["run", "cut.bc"]), &["cut.bc"]);
        untouched(folder.path(), &["cut.bc".into()]);
    }
}

#[test]
fn random_bitcode_is_refused_or_runs_but_never_crashes() {
    let folder = scratch();
    let whole = bitcode(folder.path());
    let mut numbers = Numbers(7);
    for round in 0..30 {
        let mut bytes = whole.clone();
        if round % 3 == 0 {
            // Noise behind a right magic number.
            bytes = whole[..4].to_vec();
            bytes.extend((0..400).map(|_| numbers.next() as u8));
        } else {
            for _ in 0..=round {
                let at = numbers.next() as usize % bytes.len();
                bytes[at] ^= 1 << (numbers.next() % 8);
            }
        }
        fs::write(folder.path().join("noise.bc"), &bytes).expect("writable");
        let done = call(folder.path(), &["run", "--no-replay", "--time", "5s", "-o", "out", "noise.bc"]);
        // A flipped bit may leave a valid program, even one with a bug.
        assert!(matches!(done.code(), Some(0..=2)), "round {round}: {:?}\n{}", done.status, done.err());
        assert!(!done.err().contains("panicked"), "round {round}: {}", done.err());
        if done.code() == Some(2) {
            assert!(
                !folder.path().join("out").exists(),
                "round {round} left an output folder: {}",
                done.err()
            );
        }
        let _ = fs::remove_dir_all(folder.path().join("out"));
    }
}

#[test]
fn an_unwritable_output_is_named() {
    let folder = scratch();
    fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("writable");
    fs::write(folder.path().join("file"), "in the way").expect("writable");
    refuses(&call(folder.path(), &["run", "-o", "file/out", "a.c"]), &["file/out"]);
    refuses(&call(folder.path(), &["run", "-o", "file", "a.c"]), &["file"]);
    refuses(&call(folder.path(), &["run", "-o", "/proc/forkwise-out", "a.c"]), &["/proc/forkwise-out"]);
    untouched(folder.path(), &["a.c".into(), "file".into()]);
    assert_eq!(fs::read_to_string(folder.path().join("file")).expect("still there"), "in the way");
}

#[test]
fn an_existing_output_is_not_overwritten() {
    let folder = scratch();
    fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("writable");
    fs::create_dir(folder.path().join("out")).expect("writable");
    fs::write(folder.path().join("out/precious"), "data").expect("writable");
    refuses(&call(folder.path(), &["run", "-o", "out", "a.c"]), &["out"]);
    assert_eq!(fs::read_to_string(folder.path().join("out/precious")).expect("still there"), "data");
}

#[test]
fn bad_options_are_named() {
    let folder = scratch();
    fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("writable");
    refuses(&call(folder.path(), &["run", "--no-such-option", "a.c"]), &["--no-such-option"]);
    refuses(&call(folder.path(), &["run", "--search", "psychic", "a.c"]), &["psychic"]);
    refuses(&call(folder.path(), &["run", "--time", "soon", "a.c"]), &["soon"]);
    refuses(&call(folder.path(), &["run", "--time", "-5s", "a.c"]), &["-5s"]);
    refuses(&call(folder.path(), &["run", "--max-tests", "many", "a.c"]), &["many"]);
    refuses(&call(folder.path(), &["run", "--opt-level", "9", "a.c"]), &["9"]);
    refuses(&call(folder.path(), &["run", "--seed", "x", "a.c"]), &["--seed"]);
    refuses(&call(folder.path(), &["run"]), &["FILE"]);
    refuses(&call(folder.path(), &["dance"]), &["dance"]);
    untouched(folder.path(), &["a.c".into()]);
}

#[test]
fn help_and_version_are_not_errors() {
    let folder = scratch();
    for arguments in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let done = call(folder.path(), arguments);
        assert_eq!(done.code(), Some(0), "{arguments:?}: {}", done.err());
        assert!(!done.out().is_empty());
    }
}

#[test]
fn a_corrupt_ktest_is_refused() {
    let folder = scratch();
    let program = workspace().join("tests/programs/basics/sign.c").display().to_string();
    let done = call(folder.path(), &["run", "--no-replay", "-o", "out", &program]);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let good = support::files_ending(&folder.path().join("out"), ".ktest").swap_remove(0);
    let bytes = fs::read(good).expect("it was written");
    let bad = folder.path().join("bad.ktest");
    let mut huge = bytes.clone();
    huge[8..12].copy_from_slice(&[0xff; 4]);
    let damaged =
        [b"KTEST".to_vec(), bytes[..bytes.len() - 1].to_vec(), b"no test at all".to_vec(), Vec::new(), huge];
    for content in damaged {
        fs::write(&bad, &content).expect("writable");
        for arguments in [&["replay", &program, "bad.ktest"][..], &["show", "bad.ktest"]] {
            refuses(&call(folder.path(), arguments), &["bad.ktest"]);
        }
    }
}

/// A harness that would go on for hours.
const ENDLESS: &str = "
#include <klee/klee.h>
int main(void) {
  unsigned char x[64];
  klee_make_symbolic(x, sizeof x, \"x\");
  volatile unsigned n = 0;
  for (int i = 0; i < 64; i++) {
    if (x[i] > 100) n += 3;
    if (x[i] % 7 == i % 7) n ^= x[i];
    if (n == 100000) return 1;
  }
  return 0;
}
";

fn start_endless(folder: &Path) -> Child {
    fs::write(folder.join("endless.c"), ENDLESS).expect("writable");
    let mut command = forkwise(folder, ["run", "--json", "--no-replay", "-o", "out", "endless.c"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()), "kill -s {name} fails");
}

/// Waits until exploration has begun; what comes before is loading.
fn wait_for_output(folder: &Path) {
    let start = Instant::now();
    while !folder.join("out").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.join("out").exists(), "no output folder after 20 s");
}

#[test]
fn an_interrupted_run_leaves_whole_results() {
    let mut numbers = Numbers(3);
    for (round, name) in ["INT", "TERM", "INT", "TERM", "INT", "TERM"].iter().enumerate() {
        let folder = scratch();
        let child = start_endless(folder.path());
        wait_for_output(folder.path());
        std::thread::sleep(Duration::from_millis(numbers.next() % 1500));
        signal(&child, name);
        let asked = Instant::now();
        let done = finish(child, LIMIT);
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(15), "round {round}: {took:?} from SIG{name} to the end");
        assert_eq!(done.code(), Some(0), "round {round}: {:?}\n{}", done.status, done.err());
        let result = done.json().unwrap_or_else(|problem| panic!("round {round}: {problem}"));
        assert_eq!(result["stop_reason"], "interrupt", "{result}");
        let output = folder.path().join("out");
        check_results(&output);
        let written = support::files_ending(&output.join("tests"), ".ktest").len() as u64;
        assert_eq!(
            result["tests"].as_u64(),
            Some(written),
            "round {round}: tests announced and written differ"
        );
        assert!(written > 0, "round {round}: unfinished paths give tests, too");
    }
}

#[test]
fn an_interrupt_while_loading_leaves_nothing_half_written() {
    for wait in [0, 10, 40, 120] {
        let folder = scratch();
        let child = start_endless(folder.path());
        std::thread::sleep(Duration::from_millis(wait));
        signal(&child, "INT");
        let done = finish(child, LIMIT);
        assert!(done.status.is_some(), "SIGINT after {wait} ms is ignored");
        check_results(&folder.path().join("out"));
    }
}

#[test]
fn a_second_interrupt_is_immediate() {
    let folder = scratch();
    let mut child = start_endless(folder.path());
    wait_for_output(folder.path());
    // Enough live states that writing their tests takes a while.
    std::thread::sleep(Duration::from_secs(3));
    signal(&child, "INT");
    let asked = Instant::now();
    // Signals that meet before one of them is delivered are one signal to the process, so the second is repeated.
    while child.try_wait().is_ok_and(|status| status.is_none()) && asked.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(5));
        let _ =
            Command::new("kill").args(["-s", "INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    }
    let done = finish(child, LIMIT);
    assert!(
        done.status.is_some() && asked.elapsed() < Duration::from_secs(2),
        "{:?} {:?}",
        done.status,
        asked.elapsed()
    );
}

#[test]
fn a_strict_run_that_is_cut_short_says_so() {
    let folder = scratch();
    fs::write(folder.path().join("endless.c"), ENDLESS).expect("writable");
    let arguments =
        ["run", "--strict", "--no-replay", "--max-instructions", "20000", "-o", "out", "endless.c"];
    assert_eq!(call(folder.path(), &arguments).code(), Some(3));
    check_results(&folder.path().join("out"));
    let without = ["run", "--no-replay", "--max-instructions", "20000", "-o", "again", "endless.c"];
    assert_eq!(call(folder.path(), &without).code(), Some(0));
}

#[test]
fn a_time_limit_holds() {
    let folder = scratch();
    fs::write(folder.path().join("endless.c"), ENDLESS).expect("writable");
    let arguments = ["run", "--json", "--no-replay", "--time", "2s", "-o", "out", "endless.c"];
    let done = call(folder.path(), &arguments);
    assert!(done.took < Duration::from_secs(12), "a budget of 2 s took {:?}", done.took);
    let result = done.json().unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(result["stop_reason"], "time", "{result}");
    check_results(&folder.path().join("out"));
}

#[test]
fn output_folders_are_numbered_and_the_last_is_linked() {
    let folder = scratch();
    fs::write(folder.path().join("a.c"), "int main(void) { return 0; }\n").expect("writable");
    for number in 0..3 {
        assert_eq!(call(folder.path(), &["run", "a.c"]).code(), Some(0));
        let last = fs::read_link(folder.path().join("forkwise-last")).expect("a link");
        assert!(
            last.to_string_lossy().ends_with(&format!("forkwise-out-{number}")),
            "{last:?} after run {number}"
        );
        assert!(folder.path().join(format!("forkwise-out-{number}/tests")).is_dir());
    }
}

/// Bitcode compiled against the host's headers with optimisation.
fn against_glibc(folder: &Path, text: &str) -> Finished {
    let source = folder.join("host.c");
    fs::write(&source, text).expect("writable");
    let mut clang = Command::new(native::clang());
    clang.args(["-O1", "-c", "-emit-llvm"]).arg(&source).arg("-o").arg(folder.join("host.bc"));
    assert_eq!(run(&mut clang, LIMIT).code(), Some(0), "{clang:?} fails");
    call(folder, &["run", "--no-replay", "-o", "out", "host.bc"])
}

#[test]
fn bitcode_that_needs_glibc_is_refused() {
    let folder = scratch();
    let streams = "#include <stdio.h>\nint main(void) { return getc_unlocked(stdin); }\n";
    let words = ["host.bc", "glibc", "__uflow", "forkwise cc"];
    refuses(&against_glibc(folder.path(), streams), &words);
    let layout = "#include <regex.h>\nint main(int argc, char **argv) {\n  regex_t r; regmatch_t m;\n\
                  return regcomp(&r, argv[0], argc) + regexec(&r, argv[0], 1, &m, 0);\n}\n";
    refuses(&against_glibc(folder.path(), layout), &["glibc", "regcomp", "forkwise cc"]);
    let internal = "extern char __libc_single_threaded;\nint main(void) { return __libc_single_threaded; }\n";
    refuses(&against_glibc(folder.path(), internal), &["glibc", "__libc_single_threaded", "forkwise cc"]);
}

#[test]
fn what_musl_shares_with_glibc_runs() {
    let folder = scratch();
    let text = "#include <ctype.h>\n#include <stdio.h>\nint main(void) {\n  int n = 0;\n\
                sscanf(\"12\", \"%d\", &n);\n  return isalpha('a') && toupper('b') == 'B' ? n : 0;\n}\n";
    let done = against_glibc(folder.path(), text);
    assert_eq!(done.code(), Some(0), "{}", done.err());
    let tests = support::tests_in(&folder.path().join("out"));
    assert_eq!(tests[0].1.outcome, Some(forkwise_testcase::Outcome::Exit(12)));
}

//! Programs that are started with symbolic arguments, files and input: every program of `tests/inputs` through the real
//! binary, whose native runs must all be as predicted. `tests/inputs/README.md` describes the comments in them.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use forkwise_testcase::Outcome;
use support::{Finished, forkwise, run, scratch, tests_in, workspace};

const RUN_LIMIT: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Header {
    args: Vec<String>,
    flags: Vec<String>,
    native_skip: bool,
    codes: BTreeSet<i32>,
    most_paths: Option<u64>,
}

fn header(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    let words = |rest: &str| -> Vec<String> { rest.split_whitespace().map(str::to_owned).collect() };
    for line in text.lines().take_while(|line| line.starts_with("//")) {
        let line = line.trim_start_matches('/').trim();
        if let Some(rest) = line.strip_prefix("args:") {
            header.args = words(rest);
        } else if let Some(rest) = line.strip_prefix("flags:") {
            header.flags = words(rest);
        } else if line == "native: skip" {
            header.native_skip = true;
        } else if let Some(rest) = line.strip_prefix("expect: exit-codes") {
            let codes: Result<_, _> = rest.split_whitespace().map(str::parse).collect();
            header.codes = codes.map_err(|error| format!("{line}: {error}"))?;
        } else if let Some(rest) = line.strip_prefix("expect: paths <=") {
            header.most_paths = Some(rest.trim().parse().map_err(|error| format!("{line}: {error}"))?);
        } else if line.starts_with(char::is_lowercase) {
            return Err(format!("neither a sentence nor a request: {line}"));
        }
    }
    Ok(header)
}

fn explore(folder: &Path, flags: &[String], program: &Path, args: &[String]) -> Finished {
    let mut all: Vec<String> = ["run", "--json", "-o", "out", "--time", "30s"].map(str::to_owned).to_vec();
    all.extend(flags.iter().cloned());
    all.push(program.display().to_string());
    all.extend(args.iter().cloned());
    run(&mut forkwise(folder, &all), RUN_LIMIT)
}

fn check(program: &Path) -> Result<(), String> {
    let folder = scratch();
    let text = std::fs::read_to_string(program).map_err(|error| error.to_string())?;
    let mut header = header(&text)?;
    if header.native_skip {
        header.flags.push("--no-replay".into());
    }
    let done = explore(folder.path(), &header.flags, program, &header.args);
    let result = done.json()?;
    let tests = tests_in(&folder.path().join("out"));
    let codes: BTreeSet<i32> = tests
        .iter()
        .filter_map(|(_, test)| match test.outcome {
            Some(Outcome::Exit(code)) => Some(code),
            _ => None,
        })
        .collect();
    if codes != header.codes {
        return Err(format!("exit codes: expected {:?}, actual {codes:?}\n{}", header.codes, done.err()));
    }
    let paths =
        result["paths"]["completed"].as_u64().unwrap_or(0) + result["paths"]["partial"].as_u64().unwrap_or(0);
    if header.most_paths.is_some_and(|most| paths > most) {
        return Err(format!("{paths} paths, expected at most {:?}", header.most_paths));
    }
    if result["stop_reason"] != "complete" {
        return Err(format!("stopped: {}", result["stop_reason"]));
    }
    let diverged = result["replay"]["diverged"].as_array().map(Vec::len);
    match (header.native_skip, diverged) {
        (true, _) | (false, Some(0)) => Ok(()),
        (false, _) => Err(format!("native runs: {}", result["replay"])),
    }
}

#[test]
fn programs_with_symbolic_inputs_do_natively_as_predicted() {
    let mut wrong = Vec::new();
    for program in support::files_ending(&workspace().join("tests/inputs"), ".c") {
        if let Err(problem) = check(&program) {
            wrong.push(format!("{}:\n{problem}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mistakes_in_the_words_after_the_program_are_told_before_anything_runs() {
    let folder = scratch();
    let program = workspace().join("tests/inputs/options.c");
    for (words, part) in [
        (&["--sym-arg", "x"][..], "--sym-arg N: 'x' is not a number"),
        (&["--sym-args", "0", "60", "1", "--sym-args", "0", "30", "1"], "combinations"),
    ] {
        let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        let done = explore(folder.path(), &[], &program, &words);
        assert_eq!(done.code(), Some(2), "{words:?}");
        assert!(done.err().contains(part), "{words:?}: {}", done.err());
        assert!(!folder.path().join("out").exists());
    }
}

#[test]
fn mounted_files_are_read_and_never_written() {
    let folder = scratch();
    let host = folder.path().join("host");
    std::fs::create_dir_all(host.join("sub")).expect("a folder");
    std::fs::write(host.join("f"), "from the host").expect("a file");
    std::os::unix::fs::symlink("/etc/hostname", host.join("out")).expect("a link");
    let program = folder.path().join("p.c");
    std::fs::write(
        &program,
        r#"
        #include <errno.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <sys/stat.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
            char b[40] = "";
            int fd = open("/data/f", O_RDONLY);
            printf("%zd %s\n", read(fd, b, 39), b);
            printf("%d %d\n", open("/data/out", O_RDONLY), errno);
            fd = open("/data/f", O_RDWR);
            if (fd < 0) { printf("%d %d\n", errno, mkdir("/data/new", 0755)); return 1; }
            printf("%zd %zd\n", write(fd, "FROM", 4), pread(fd, b, 39, 0));
            puts(b);
            printf("%d %d\n", unlink("/data/f"), mkdir("/data/new", 0755));
            return 0;
        }"#,
    )
    .expect("a file");
    for (suffix, code, output) in [
        ("", 0, "13 from the host\n-1 2\n4 13\nFROM the host\n0 0\n"),
        (":ro", 1, "13 from the host\n-1 2\n30 -1\n"),
    ] {
        let flags =
            ["--mount".to_owned(), format!("{}:/data{suffix}", host.display()), "--no-replay".to_owned()];
        let done = explore(folder.path(), &flags, &program, &[]);
        let tests = tests_in(&folder.path().join("out"));
        let test = &tests.first().unwrap_or_else(|| panic!("{}", done.err())).1;
        assert_eq!(test.outcome, Some(Outcome::Exit(code)));
        assert_eq!(String::from_utf8_lossy(test.stdout.as_deref().unwrap_or_default()), output);
        std::fs::remove_dir_all(folder.path().join("out")).expect("the results go");
    }
    assert_eq!(std::fs::read_to_string(host.join("f")).expect("still there"), "from the host");
    assert!(!host.join("new").exists());
}

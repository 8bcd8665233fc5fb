//! Native runs find what the engine predicts. The sandbox looks like the virtual Linux, to the last inode number and
//! date, in one run after another: the program of `tests/sandbox` prints all that can be seen. Where the two cannot agree,
//! nothing is predicted.

mod support;

use std::time::Duration;

use support::{forkwise, run, scratch, workspace};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn every_file_looks_the_same() {
    let folder = scratch();
    let source = workspace().join("tests/sandbox/tree.c").display().to_string();
    let built = run(&mut forkwise(folder.path(), ["cc", &source, "-o", "tree"]), LIMIT);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    // Two symbolic bytes nobody looks at, so that there are files and a standard input; with and without arguments there
    // are two paths, and so two native runs in one place.
    let arguments = ["run", "-o", "out", "./tree", "--sym-args", "0", "1", "1", "--sym-files", "2", "3"];
    let done = run(&mut forkwise(folder.path(), arguments), LIMIT);
    let text = format!("{}{}", done.out(), done.err());
    assert!(text.contains("native runs: 2 as predicted;"), "{text}");
}

/// Builds a program, explores it, and returns what was said.
fn explore(source: &str, arguments: &[&str]) -> String {
    let folder = scratch();
    std::fs::write(folder.path().join("p.c"), source).unwrap();
    let built = run(&mut forkwise(folder.path(), ["cc", "p.c", "-o", "p"]), LIMIT);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let arguments = ["run", "--all-tests", "-o", "out", "./p"].iter().chain(arguments);
    let done = run(&mut forkwise(folder.path(), arguments), LIMIT);
    format!("{}{}", done.out(), done.err())
}

#[test]
fn what_is_behind_an_argument_is_not_predicted() {
    // Behind an empty argument natively is the environment: PATH=...
    let text = explore(
        r#"#include <stdio.h>
        int main(int argc, char **argv)
        {
            if (argv[1][0]) return 1;
            if (argv[1][1] == 'P') return puts("path") < 0;
            return puts(argv[1][1] == 'x' ? "x" : "other") < 0;
        }"#,
        &["--sym-arg", "3"],
    );
    assert!(text.contains("native runs: 2 as predicted;"), "{text}");
}

#[test]
fn files_are_not_made_under_names_with_slashes() {
    let text = explore(
        r#"#include <errno.h>
        #include <fcntl.h>
        #include <stdio.h>
        #include <string.h>
        int main(int argc, char **argv)
        {
            int fd = open(argv[1], O_CREAT | O_WRONLY, 0644);
            return puts(fd < 0 ? strerror(errno) : "made") < 0;
        }"#,
        &["--sym-arg", "3", "--sym-files", "1", "1"],
    );
    assert!(text.contains(" as predicted;") && !text.contains("NOT as predicted"), "{text}");
}

#[test]
fn the_line_that_reproduces_a_bug_shows_it() {
    let folder = scratch();
    let source = "#include <stdlib.h>\nint main(int argc, char **argv) { volatile char *p = malloc(24); \
                  return argv[1][0] == 'x' ? p[24] & 0 : 0; }\n";
    std::fs::write(folder.path().join("p.c"), source).unwrap();
    let built = run(&mut forkwise(folder.path(), ["cc", "p.c", "-o", "p"]), LIMIT);
    assert_eq!(built.code(), Some(0), "{}", built.err());
    let done = run(&mut forkwise(folder.path(), ["run", "-o", "out", "./p", "--sym-arg", "1"]), LIMIT);
    let text = done.out();
    let line = text.lines().find_map(|l| l.trim().strip_prefix("reproduce: forkwise ")).expect(&text);
    let again = run(&mut forkwise(folder.path(), line.split(' ')), LIMIT);
    assert_eq!(again.code(), Some(1), "{line}: {}{}", again.out(), again.err());
    assert!(again.out().contains("heap-buffer-overflow"), "{line}: {}", again.out());
}

//! The sandbox of native runs looks like the engine's virtual Linux, to the last inode number and date, in one run after
//! another. The program of `tests/sandbox` prints all that can be seen; every run must print the same.

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

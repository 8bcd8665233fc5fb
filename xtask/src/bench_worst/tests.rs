//! The subjects natively: each runs its hand-made input at several sizes and checks its own result, and says so when the
//! result is wrong. The engine has no part in this.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::ktest;
use super::manual::vertices;
use super::subjects::SUBJECTS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Compiles a file natively, with its checks and the replay library's sources.
fn compile(source: &Path, program: &Path) {
    let runtime = root().join("runtime");
    let output = Command::new("clang-19")
        .args(["-O1", "-g0", "-Wall", "-Wextra", "-Wno-unused-parameter", "-DVERIFY", "-fsanitize=undefined"])
        .args(["-fno-sanitize-recover=all", "-fsanitize-trap=undefined"])
        .arg("-I")
        .arg(runtime.join("include"))
        .arg("-I")
        .arg(root().join("bench/worst"))
        .arg(source)
        .args(["intrinsics.c", "ktest.c"].map(|file| runtime.join("replay").join(file)))
        .arg("-o")
        .arg(program)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {messages}", source.display());
    assert!(!messages.contains("bench/worst"), "{messages}");
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("forkwise-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn subjects_are_correct_on_their_hand_made_inputs() {
    let folder = folder("subjects");
    for subject in SUBJECTS {
        let program = folder.join(subject.name);
        compile(&root().join("bench/worst").join(subject.name).with_extension("c"), &program);
        for &size in subject.small.iter().chain(subject.sizes) {
            let test = folder.join("test.ktest");
            ktest::write(&test, &(subject.manual)(size)).unwrap();
            let mut command = Command::new(&program);
            command.env("KTEST_FILE", &test).env("FORKWISE_SIZE", size.to_string());
            let output = command.output().unwrap();
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{} {size}: {} {messages}", subject.name, output.status);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn wrong_results_are_noticed() {
    let folder = folder("wrong");
    let source = folder.join("wrong.c");
    std::fs::write(&source, "#include \"subject.h\"\nint main(void) { CHECK(1 + 1 == 3); return 0; }\n")
        .unwrap();
    let program = folder.join("wrong");
    compile(&source, &program);
    let output = Command::new(&program).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("wrong result: 1 + 1 == 3"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_program_is_a_subject() {
    for entry in std::fs::read_dir(root().join("bench/worst")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(SUBJECTS.iter().any(|subject| subject.name == name), "{name} is not in the table");
        }
    }
}

#[test]
fn matrices_have_about_so_many_entries() {
    assert_eq!([1, 4, 10, 50, 75, 100].map(vertices), [2, 2, 3, 7, 9, 10]);
}

//! A directory of tests, good and bad, replayed in parallel.

use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use forkwise_replay::batch::{ReplayError, list_tests};
use forkwise_replay::{
    BatchOptions, Check, Ending, Limits, Program, Progress, Runner, RunnerOptions, replay_dir,
};
use forkwise_testcase::{KTest, Object, Outcome, TestCase, json};

#[test]
fn results_come_in_order_and_bad_tests_stay_alone() {
    let dir = tempfile::tempdir().unwrap();
    let tests = dir.path().join("tests");
    std::fs::create_dir(&tests).unwrap();
    let source = dir.path().join("p.c");
    // The last byte of the test file is the value of its only object.
    std::fs::write(
        &source,
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
          FILE *f = fopen(getenv("KTEST_FILE"), "rb"); int c, last = 0;
          while ((c = fgetc(f)) != EOF) last = c;
          printf("%d\n", last);
          return last == 13 ? 1 : 0;
        }"#,
    )
    .unwrap();
    let out = dir.path().join("p");
    assert!(Command::new("gcc").arg(&source).arg("-o").arg(&out).status().unwrap().success());

    for value in 0..40u8 {
        let test = TestCase {
            outcome: Some(Outcome::Exit(0)),
            stdout: Some(format!("{value}\n").into_bytes()),
            ..TestCase::new(vec!["p".into()], vec![Object::new("x", [value])])
        };
        json::write(&tests.join(json::file_name(u64::from(value))), &test).unwrap();
    }
    std::fs::write(tests.join("000005.test.json"), "{").unwrap();
    std::fs::write(tests.join("notes.txt"), "not a test").unwrap();
    std::fs::write(tests.join(".000001.test.json.1-1.tmp"), "half").unwrap();
    let ktest = TestCase::new(vec!["p".into()], vec![Object::new("x", [7])]);
    KTest::from(&ktest).write(&tests.join("test000001.ktest")).unwrap();
    assert_eq!(list_tests(&tests).unwrap().len(), 41);
    assert_eq!(list_tests(&source).unwrap(), std::slice::from_ref(&source));
    assert!(list_tests(&dir.path().join("none")).is_err());

    let runner = Runner::new(&RunnerOptions::default()).unwrap();
    let program = Program::new(&out).unwrap();
    let seen = Mutex::new(Vec::new());
    let options =
        BatchOptions { jobs: 3, limits: Limits { wall: Duration::from_secs(5), ..Limits::default() } };
    let results = replay_dir(&runner, &program, &tests, &options, &|_, progress| {
        seen.lock().unwrap().push(progress);
    })
    .unwrap();

    assert_eq!(results.len(), 41);
    for (index, replayed) in results.iter().take(40).enumerate() {
        assert!(replayed.path.ends_with(json::file_name(index as u64)));
        match (index, &replayed.result) {
            (5, Err(ReplayError::Test(error))) => assert!(error.to_string().contains("000005.test.json")),
            (13, Ok((report, Check::Diverged(differences)))) => {
                assert_eq!((report.ending, differences[0].what), (Ending::Exited(1), "outcome"));
                assert_eq!(report.stdout.bytes, b"13\n");
            }
            (_, Ok((report, Check::Same))) => assert_eq!(report.ending, Ending::Exited(0)),
            (_, other) => panic!("{index}: {other:?}"),
        }
    }
    assert!(matches!(&results[40].result, Ok((_, Check::NotComparable(_)))));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_by_key(|progress| progress.done);
    assert_eq!(seen.len(), 41);
    assert_eq!(seen[40], Progress { done: 41, total: 41 });
}

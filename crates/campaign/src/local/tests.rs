use crate::backend::{Backend, Delivery};
use crate::outcome::End;
use crate::testing::{pool, trial};
use crate::trial::{Attachment, Budget, Trial};
use std::path::Path;
use std::time::{Duration, Instant};

fn run(trial: &Trial) -> Delivery {
    let folder = tempfile::tempdir().unwrap();
    let mut pool = pool(folder.path(), 2);
    pool.submit(trial).unwrap();
    let report = pool.wait(Duration::from_secs(60)).unwrap().expect("it ends");
    assert_eq!(report.id, trial.id());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "its folder is removed");
    report.delivery
}

#[test]
fn a_result_folder_becomes_an_outcome() {
    let d = run(&trial("fine", 5));
    let o = &d.outcome;
    assert_eq!(
        (o.arms.as_slice(), o.total, o.end.clone()),
        ([0, 15].as_slice(), 100, End::Finished("time".into()))
    );
    assert_eq!(d.places, ["a.c:3:1, arm 1 of 2", "a.c:9:5, arm 6 of 90"]);
    assert_eq!((o.bugs.len(), o.bugs[0].to_string().as_str()), (1, "abort in f at a.c:7"));
    assert_eq!(
        (o.counter("paths"), o.counter("queries"), o.counter("instructions"), o.tests),
        (4, 9, 100, 1)
    );
    assert_eq!(d.tests.len(), 2);
    assert_eq!((d.tests[0].text.as_str(), d.tests[0].arms.as_slice()), ("test of 5\n", [0, 15].as_slice()));
    assert_eq!((d.tests[1].text.as_str(), d.tests[1].bug), ("test of a bug\n", Some(0)));
    assert!(o.wall > 0.0 && o.seconds == 1.5);
}

#[test]
fn what_misbehaves_counts_with_what_it_had() {
    let crash = run(&trial("crash", 1)).outcome;
    assert_eq!(crash.end, End::Crashed("ended by signal 11: thread panicked at last".into()));
    assert_eq!(
        (crash.arms.as_slice(), crash.counter("instructions"), crash.tests),
        ([0, 11].as_slice(), 50, 1)
    );
    let refused = run(&trial("refuse", 1)).outcome;
    assert_eq!(refused.end, End::NotBegun("there is no search called refuse".into()));
    let eats = run(&trial("eat", 1)).outcome;
    assert!(matches!(&eats.end, End::OutOfMemory(why) if why.contains("more than the 64")), "{:?}", eats.end);
    assert_eq!(eats.arms.len(), 2);
}

#[test]
fn a_hanging_trial_is_killed_with_its_children() {
    let mut hang = trial("hang", 1);
    hang.budget = Budget::time(Duration::from_millis(10));
    let begun = Instant::now();
    let outcome = run(&hang).outcome;
    assert!(matches!(&outcome.end, End::TimedOut(_)), "{:?}", outcome.end);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert_eq!(outcome.arms.len(), 2);
}

#[test]
fn attachments_are_files_that_options_name() {
    let mut t = trial("fine", 1);
    t.options.push("--read={files}/number".into());
    t.files.push(Attachment { name: "number".into(), text: "33".into() });
    assert_eq!(run(&t).outcome.arms, [0, 43]);
    // A name from elsewhere stays in the folder.
    t.files.push(Attachment { name: "../../../escaped".into(), text: "x".into() });
    run(&t);
    assert!(!Path::new("/tmp/escaped").exists());
}

#[test]
fn some_run_at_the_same_time_and_cancelling_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut pool = pool(folder.path(), 2);
    for seed in 0..5 {
        pool.submit(&trial("hang", seed)).unwrap();
    }
    assert!(pool.wait(Duration::from_millis(300)).unwrap().is_none());
    assert_eq!(pool.running.len(), 2);
    let begun = Instant::now();
    pool.cancel();
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(pool.wait(Duration::from_millis(10)).unwrap().is_none());
    // It can be used again.
    pool.submit(&trial("fine", 1)).unwrap();
    assert!(pool.wait(Duration::from_secs(60)).unwrap().is_some());
}

#[test]
fn a_trial_that_somebody_else_killed_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut once = trial("killed-once", 4);
    once.options.push(format!("--log={}", log.display()));
    assert_eq!(run(&once).outcome.end, End::Finished("time".into()));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "start 4\nstart 4\n");
    // But not for ever.
    let mut always = trial("killed", 5);
    always.options.push(format!("--log={}", log.display()));
    let outcome = run(&always).outcome;
    assert!(
        matches!(&outcome.end, End::Crashed(why) if why.starts_with("ended by signal 9")),
        "{:?}",
        outcome.end
    );
    assert_eq!((outcome.arms.len(), std::fs::read_to_string(&log).unwrap().lines().count()), (2, 5));
}

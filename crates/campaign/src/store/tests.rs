use super::*;
use crate::testing::trial;

fn delivery(arms: &[u32], tests: &[(&str, &[u32], Option<usize>)], bugs: &[&str]) -> Delivery {
    let bug = |kind: &&str| Bug { kind: (*kind).into(), function: "f".into(), file: "a.c".into(), line: 3 };
    Delivery {
        outcome: Outcome {
            arms: arms.to_vec(),
            total: 50,
            bugs: bugs.iter().map(bug).collect(),
            tests: tests.len() as u64,
            counters: BTreeMap::from([("instructions".to_string(), 12)]),
            seconds: 0.25,
            wall: 0.5,
            cpu: 0.125,
            end: End::Finished("time".into()),
        },
        places: arms.iter().map(|a| format!("a.c:{a}")).collect(),
        tests: tests
            .iter()
            .map(|(text, arms, bug)| TestFile { text: (*text).into(), arms: arms.to_vec(), bug: *bug })
            .collect(),
    }
}

#[test]
fn outcomes_stay_and_are_kept_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("c");
    let mut store = Store::open(&at).unwrap();
    let d = delivery(&[1, 5, 9], &[("t1", &[1, 5], None), ("t2", &[9], None)], &["abort"]);
    let news = store.keep(&trial("fine", 1), &d).unwrap();
    assert_eq!(news, News { arms: 3, tests: 2, bugs: 1 });
    assert_eq!(store.keep(&trial("fine", 1), &d).unwrap(), News::default());
    // The second trial has one arm more, and two tests of which one says nothing new.
    let more = delivery(&[1, 5, 7], &[("t3", &[1, 5], None), ("t4", &[7], None)], &["abort"]);
    assert_eq!(store.keep(&trial("fine", 2), &more).unwrap(), News { arms: 1, tests: 1, bugs: 0 });
    drop(store);
    let store = Store::open(&at).unwrap();
    assert_eq!(store.outcome(&trial("fine", 1).id()).unwrap(), Some(d.outcome.clone()));
    assert_eq!(store.outcome(&trial("fine", 3).id()).unwrap(), None);
    let all = store.outcomes().unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[1], (trial("fine", 2), more.outcome.clone()));
    assert_eq!(store.union().iter().copied().collect::<Vec<_>>(), [1, 5, 7, 9]);
    assert_eq!(store.places().unwrap()[&7], "a.c:7");
    let texts: BTreeSet<String> =
        store.tests().unwrap().iter().map(|f| fs::read_to_string(f).unwrap()).collect();
    assert_eq!(texts, ["t1", "t2", "t4"].map(String::from).into());
}

#[test]
fn a_test_that_shows_a_bug_is_kept_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    // The same test covered something and shows the bug.
    let d =
        delivery(&[1], &[("t", &[1], None), ("t", &[], Some(0)), ("u", &[], Some(1))], &["abort", "leak"]);
    assert_eq!(store.keep(&trial("fine", 1), &d).unwrap(), News { arms: 1, tests: 2, bugs: 2 });
    let bugs = store.bugs().unwrap();
    assert!(bugs.values().all(|test| store.corpus().join(test.as_ref().unwrap()).exists()), "{bugs:?}");
    assert_eq!(store.arms_of_tests().unwrap(), BTreeSet::from([1]));
}

#[test]
fn one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = Store::open(folder.path()).unwrap();
    let error = Store::open(folder.path()).err().expect("it is locked");
    assert!(error.to_string().contains("is running in"), "{error}");
    drop(first);
    Store::open(folder.path()).unwrap();
}

#[test]
fn settings_are_fixed_or_change() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    store.fix_setting("seed", "1").unwrap();
    store.fix_setting("seed", "1").unwrap();
    let error = store.fix_setting("seed", "2").unwrap_err();
    assert!(error.to_string().contains("seed was 1, now it is 2"), "{error}");
    store.set("spent", "1").unwrap();
    store.set("spent", "2").unwrap();
    assert_eq!(store.setting("spent").unwrap().as_deref(), Some("2"));
}

#[test]
fn folders_of_others_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    let error = Store::open(folder.path()).err().expect("not ours");
    assert!(error.to_string().contains("holds other things"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("campaign.sqlite"),
        "no database, but long enough to look like one".repeat(40),
    )
    .unwrap();
    let error = Store::open(folder.path()).err().expect("not ours");
    assert!(error.to_string().contains("holds no campaign"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let other = Connection::open(folder.path().join("campaign.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE x (y)").unwrap();
    let error = Store::open(folder.path()).err().expect("not ours");
    assert!(error.to_string().contains("another program's database"), "{error}");
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(Store::open(file.path()).is_err());
}

#[test]
fn what_running_trials_left_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    fs::create_dir_all(folder.path().join("running/abc/out")).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(fs::read_dir(store.running()).unwrap().count(), 0);
}

use super::*;
use crate::testing::{pool, trial};
use std::path::Path;

fn campaign(folder: &Path) -> Campaign {
    let store = Store::open(folder).unwrap();
    let pool = pool(&store.running(), 2);
    Campaign::new(store, Box::new(pool), Arc::default())
}

fn starts(log: &Path) -> usize {
    std::fs::read_to_string(log).unwrap_or_default().lines().count()
}

#[test]
fn nothing_is_run_twice() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let at = folder.path().join("c");
    let trials: Vec<Trial> = [1, 2, 3, 2, 1]
        .map(|seed| {
            let mut t = trial("fine", seed);
            t.options.push(format!("--log={}", log.display()));
            t
        })
        .to_vec();
    let mut seen = Vec::new();
    let batch = campaign(&at)
        .run(&trials, None, &mut |event, moment| {
            if let Event::Done(i, _, _, _, reused) = event {
                seen.push((*i, *reused, moment.done));
            }
        })
        .unwrap();
    assert!(!batch.interrupted && !batch.expired);
    let arms: Vec<u32> = batch.outcomes.iter().map(|o| o.as_ref().unwrap().arms[1]).collect();
    assert_eq!(arms, [11, 12, 13, 12, 11]);
    assert_eq!((seen.len(), seen[4].2, starts(&log)), (5, 5, 3));
    // Another process: everything is known.
    let mut again = campaign(&at);
    let mut reused = 0;
    let batch =
        again.run(&trials, None, &mut |e, _| reused += usize::from(matches!(e, Event::Done(.., true))));
    assert_eq!((batch.unwrap().outcomes.len(), reused, starts(&log)), (5, 5, 3));
    assert_eq!(again.store().union().len(), 4);
    assert_eq!(again.store().tests().unwrap().len(), 4, "three tests and that of the bug");
}

#[test]
fn an_interrupt_stops_what_runs_and_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(folder.path());
    let trials = [trial("fine", 1), trial("hang", 2), trial("hang", 3)];
    let flag = Arc::clone(&campaign.interrupt);
    let batch = campaign
        .run(&trials, None, &mut |event, _| {
            if matches!(event, Event::Done(0, ..)) {
                flag.store(true, Ordering::Relaxed);
            }
        })
        .unwrap();
    assert!(batch.interrupted);
    assert_eq!(batch.outcomes.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false]);
    assert!(campaign.store().outcome(&trials[1].id()).unwrap().is_none());
}

#[test]
fn a_deadline_ends_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(folder.path());
    let deadline = Instant::now() + Duration::from_millis(1500);
    let batch = campaign.run(&[trial("fine", 1), trial("hang", 2)], Some(deadline), &mut |_, _| {}).unwrap();
    assert!(batch.expired && !batch.interrupted);
    assert!(batch.outcomes[0].is_some() && batch.outcomes[1].is_none());
}

#[test]
fn trials_that_cannot_begin_are_an_error_or_an_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(folder.path());
    let trials = [trial("refuse", 1)];
    let error = campaign.run(&trials, None, &mut |_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "a trial could not begin: there is no search called refuse");
    campaign.bad_trials_are_errors = false;
    let batch = campaign.run(&trials, None, &mut |_, _| {}).unwrap();
    assert!(matches!(batch.outcomes[0].as_ref().unwrap().end, End::NotBegun(_)));
    assert!(campaign.store().outcome(&trials[0].id()).unwrap().is_none(), "it may work another time");
}

#[test]
fn crashes_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(folder.path());
    let batch = campaign.run(&[trial("crash", 1), trial("fine", 2)], None, &mut |_, _| {}).unwrap();
    assert_eq!(batch.outcomes.iter().flatten().map(Outcome::covered).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(campaign.store().union().len(), 3);
}

#[test]
fn a_trial_that_finds_no_space_is_not_to_blame() {
    let folder = tempfile::tempdir().unwrap();
    let mut campaign = campaign(folder.path());
    let trials = [trial("full", 1)];
    let error = campaign.run(&trials, None, &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("no space left"), "{error}");
    assert!(campaign.store().outcome(&trials[0].id()).unwrap().is_none());
}

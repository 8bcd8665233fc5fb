use super::*;

/// A program whose coverage is known: weights count towards the right signs, the rest says nothing. The noise of an
/// evaluation follows from its seed.
fn objective(weights: &[f64], target: &[f64], noise: f64, seed: u64) -> f64 {
    let signal: f64 = weights.iter().zip(target).map(|(w, t)| w * t).sum();
    1000.0 + 100.0 * signal + noise * Random::new(seed).between(-1.0, 1.0)
}

fn drive(optimizer: &mut Optimizer, mut score: impl FnMut(&Request) -> Option<f64>) {
    for _ in 0..10_000 {
        let asked = optimizer.ask();
        if asked.is_empty() {
            return;
        }
        let scores: Vec<Option<f64>> = asked.iter().map(&mut score).collect();
        optimizer.tell(&scores);
    }
    panic!("it does not end");
}

fn plan(samples: usize, keep: usize, repeats: usize) -> Plan {
    Plan { kind: Kind::Refine, samples, keep, repeats, rounds: None, rungs: 1, confirm: false }
}

#[test]
fn refinement_narrows_the_right_dimensions() {
    // Two components count, one for and one against; the other four say nothing.
    let target = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0];
    for seed in 0..20 {
        let mut optimizer = Optimizer::new(6, Plan { rounds: Some(3), ..plan(200, 10, 5) }, seed);
        drive(&mut optimizer, |r| Some(objective(&r.weights, &target, 10.0, r.seed)));
        let intervals = optimizer.space().intervals();
        assert!(intervals[0].0 > 0.5 && intervals[0].1 == 1.0, "seed {seed}: {intervals:?}");
        assert!(intervals[1].1 < -0.5 && intervals[1].0 == -1.0, "seed {seed}: {intervals:?}");
        let best = optimizer.best().unwrap();
        assert!(best.weights[0] > 0.8 && best.weights[1] < -0.8, "seed {seed}: {best:?}");
        assert_eq!(best.evaluations, 5);
    }
}

#[test]
fn it_comes_nearer_to_the_optimum_than_random_sampling_of_the_same_cost() {
    let target: Vec<f64> = (0..26).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let mut wins = 0;
    for seed in 0..20 {
        let value = |o: &Optimizer| objective(&o.best().unwrap().weights, &target, 0.0, 0);
        let mut refine = Optimizer::new(26, plan(100, 10, 5), seed);
        drive(&mut refine, |r| Some(objective(&r.weights, &target, 100.0, r.seed)));
        let spent = refine.evaluations();
        let mut random = Optimizer::new(26, Plan { rounds: Some(1), ..plan(spent - 50, 10, 5) }, seed);
        drive(&mut random, |r| Some(objective(&r.weights, &target, 100.0, r.seed)));
        assert_eq!(random.evaluations(), spent);
        wins += usize::from(value(&refine) > value(&random));
    }
    assert!(wins >= 18, "{wins} of 20");
}

#[test]
fn noise_is_averaged_in_check() {
    // One vector in Find is lucky once: its seed gives it a score that its later ones do not confirm.
    let mut optimizer = Optimizer::new(3, Plan { rounds: Some(1), ..plan(50, 5, 8) }, 1);
    let asked = optimizer.ask();
    let lucky = asked[17].weights.clone();
    let truth = |w: &[f64]| if *w == lucky[..] { 0.0 } else { 100.0 * w[0] };
    let scores: Vec<Option<f64>> =
        asked.iter().enumerate().map(|(i, r)| Some(if i == 17 { 1e6 } else { truth(&r.weights) })).collect();
    optimizer.tell(&scores);
    assert_eq!(optimizer.phase(), Phase::Check);
    assert_eq!(optimizer.rounds()[0].found, 1e6);
    assert_eq!(optimizer.best().unwrap().weights, lucky, "nothing better is known yet");
    let asked = optimizer.ask();
    assert_eq!(asked.len(), 5 * 8);
    assert!(asked.iter().any(|r| r.weights == lucky));
    let scores: Vec<Option<f64>> = asked.iter().map(|r| Some(truth(&r.weights))).collect();
    optimizer.tell(&scores);
    assert_eq!(optimizer.stop(), Some(Stop::Rounds));
    let best = optimizer.best().unwrap();
    assert!(best.weights != lucky && best.score > 80.0 && best.evaluations == 8, "{best:?}");
}

#[test]
fn the_papers_algorithm_step_by_step() {
    let mut optimizer = Optimizer::new(2, plan(4, 2, 2), 7);
    let find = optimizer.ask();
    assert_eq!((find.len(), optimizer.round(), optimizer.phase()), (4, 1, Phase::Find(0)));
    optimizer.tell(&[Some(1.0), Some(4.0), Some(3.0), Some(2.0)]);
    let check = optimizer.ask();
    let of = |i: usize| &find[i].weights;
    assert_eq!(check.iter().map(|r| &r.weights).collect::<Vec<_>>(), [of(1), of(2), of(1), of(2)]);
    // The averages turn them around: 2.5 and 3.5.
    optimizer.tell(&[Some(2.0), Some(3.0), Some(3.0), Some(4.0)]);
    assert_eq!(optimizer.best().unwrap(), &Rated { weights: of(2).clone(), score: 3.5, evaluations: 2 });
    assert_eq!(optimizer.rounds()[0].checked, [3.5, 2.5]);
    let mut space = Space::new(2);
    space.refine(of(2), of(1));
    assert_eq!(optimizer.space(), &space);
    // A second round that is worse ends it, and the first round's vector stays.
    let again = optimizer.ask();
    assert!(again.iter().all(|r| {
        r.weights.iter().zip(space.intervals()).all(|(w, (low, high))| (low..=high).contains(&w))
    }));
    optimizer.tell(&[Some(9.0), Some(9.0), Some(0.0), Some(0.0)]);
    optimizer.ask();
    optimizer.tell(&[Some(3.0), Some(3.0), Some(3.0), Some(3.0)]);
    assert_eq!((optimizer.stop(), optimizer.phase()), (Some(Stop::Converged), Phase::Done));
    assert_eq!(optimizer.best().unwrap().score, 3.5);
    assert!(optimizer.ask().is_empty());
}

#[test]
fn spaces_change_where_signs_agree() {
    let mut space = Space::new(4);
    assert_eq!(space.refine(&[0.25, -0.5, 0.5, 0.0], &[0.75, -0.25, -0.5, 0.5]), 2);
    assert_eq!(space.intervals(), [(0.25, 1.0), (-1.0, -0.25), (-1.0, 1.0), (-1.0, 1.0)]);
    assert!((space.width() - (0.75 + 0.75 + 2.0 + 2.0) / 4.0).abs() < 1e-12);
    assert_eq!(space.refine(&[0.25, -0.5, 0.5, 0.0], &[0.75, -0.25, -0.5, 0.5]), 0);
}

#[test]
fn the_same_seed_and_scores_ask_the_same() {
    let run = |seed| {
        let mut asked = Vec::new();
        let mut optimizer = Optimizer::new(5, Plan::for_evaluations(Kind::Racing, 100), seed);
        drive(&mut optimizer, |r| {
            asked.push(r.clone());
            Some(objective(&r.weights, &[1.0; 5], 50.0, r.seed))
        });
        asked
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
    let seeds: std::collections::BTreeSet<u64> = run(3).iter().map(|r| r.seed).collect();
    assert_eq!(seeds.len(), run(3).len(), "every evaluation has a seed of its own");
}

#[test]
fn racing_tries_many_for_a_short_time_and_few_for_the_whole() {
    let plan = Plan { rungs: 2, kind: Kind::Racing, rounds: Some(1), ..plan(90, 4, 3) };
    let mut optimizer = Optimizer::new(3, plan, 1);
    let mut sizes = Vec::new();
    for _ in 0..3 {
        let asked = optimizer.ask();
        sizes.push((asked.len(), asked[0].scale));
        // A short run covers less; that must not look like a worse vector.
        let scores: Vec<_> =
            asked.iter().map(|r| Some(r.scale * objective(&r.weights, &[1.0; 3], 0.0, 0))).collect();
        optimizer.tell(&scores);
    }
    assert_eq!(sizes, [(90, 1.0 / 3.0), (30, 1.0), (12, 1.0)]);
    assert!(optimizer.best().unwrap().score > 1100.0);
}

#[test]
fn racing_finds_the_same_quality_for_less() {
    // Short runs tell as much as long ones: then racing may sample more for the same cost.
    let target = [1.0; 26];
    let mut sum = 0.0;
    for seed in 0..20 {
        let mut values = [Kind::Racing, Kind::Refine].map(|kind| {
            let mut optimizer = Optimizer::new(26, Plan::for_evaluations(kind, 240), seed);
            let mut spent = 0.0;
            drive(&mut optimizer, |r| {
                spent += r.scale;
                (spent <= 240.0).then(|| r.scale.sqrt() * objective(&r.weights, &target, 60.0, r.seed))
            });
            objective(&optimizer.best().unwrap().weights, &target, 0.0, 0)
        });
        values[0] -= values[1];
        sum += values[0];
    }
    assert!(sum > 0.0, "{sum}");
}

#[test]
fn a_budget_may_end_at_any_moment() {
    for most in 0..150 {
        let mut optimizer = Optimizer::new(4, plan(30, 5, 4), 9);
        let mut spent = 0;
        drive(&mut optimizer, |r| {
            spent += 1;
            (spent <= most).then(|| objective(&r.weights, &[1.0; 4], 10.0, r.seed))
        });
        assert_eq!(optimizer.best().is_some(), most > 0);
        assert!(optimizer.stop().is_some());
        assert!(optimizer.evaluations() <= most);
        if most >= 50 {
            assert!(optimizer.best().unwrap().evaluations >= 4, "a whole Check is known: {most}");
        }
    }
}

#[test]
fn what_is_left_confirms_the_best_of_all_rounds() {
    // Scores are nearly all noise, but the average of many tells.
    let target = [1.0; 4];
    let noise = 2000.0;
    let (mut with, mut without) = (0.0, 0.0);
    for seed in 0..60 {
        for (confirm, sum) in [(true, &mut with), (false, &mut without)] {
            let mut optimizer = Optimizer::new(4, Plan { confirm, rounds: Some(3), ..plan(20, 5, 5) }, seed);
            drive(&mut optimizer, |r| Some(objective(&r.weights, &target, noise, r.seed)));
            *sum += objective(&optimizer.best().unwrap().weights, &target, 0.0, 0);
        }
    }
    assert!(with > without, "{with} {without}");
    let mut optimizer = Optimizer::new(4, Plan { confirm: true, rounds: Some(2), ..plan(6, 3, 2) }, 1);
    let mut asked = Vec::new();
    while optimizer.phase() != Phase::Done {
        let phase = optimizer.phase();
        let requests = optimizer.ask();
        asked.push((phase, requests.len()));
        optimizer.tell(&requests.iter().map(|r| Some(r.weights[0])).collect::<Vec<_>>());
    }
    let end = &asked[asked.len() - 2..];
    // Two vectors of each of two rounds, then the better two of them twice as often.
    assert_eq!(end, [(Phase::Confirm(0), 8), (Phase::Confirm(1), 8)]);
    assert_eq!(optimizer.best().unwrap().evaluations, 6);
}

#[test]
fn confirming_may_be_cut_off_at_any_moment() {
    for most in 30..90 {
        let mut optimizer = Optimizer::new(4, Plan { confirm: true, rounds: Some(2), ..plan(6, 3, 3) }, 2);
        let mut spent = 0;
        drive(&mut optimizer, |r| {
            spent += 1;
            (spent <= most).then(|| objective(&r.weights, &[1.0; 4], 100.0, r.seed))
        });
        assert!(optimizer.best().unwrap().evaluations >= 3);
        assert_eq!(optimizer.phase(), Phase::Done);
    }
}

#[test]
fn a_known_vector_is_tried_and_confirmed() {
    // Nothing is better than the known vector, but its first trial has bad luck.
    let known = vec![0.0; 4];
    let distance = |w: &[f64]| w.iter().map(|x| x * x).sum::<f64>();
    for seed in 0..10 {
        let how = Plan { rounds: Some(2), confirm: true, ..plan(20, 3, 3) };
        let mut optimizer = Optimizer::new(4, how, seed).starting_with(known.clone());
        let mut unlucky = true;
        drive(&mut optimizer, |r| match r.weights == known && std::mem::take(&mut unlucky) {
            true => Some(-100.0),
            false => Some(-distance(&r.weights)),
        });
        assert!(!unlucky, "it was tried");
        assert_eq!(optimizer.best().unwrap().weights, known, "seed {seed}");
    }
    // A better one is preferred to it, and no vector is confirmed beside itself.
    let mut optimizer = Optimizer::new(1, Plan { rounds: Some(2), confirm: true, ..plan(20, 3, 3) }, 1)
        .starting_with(vec![0.0]);
    drive(&mut optimizer, |r| Some(r.weights[0]));
    assert!(optimizer.best().unwrap().weights[0] > 0.5);
}

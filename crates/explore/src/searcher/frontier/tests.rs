//! Each feature of the taste has an edge, a state or a number here that its weight changes, and a reason why.

use super::taste::{FRONTIER_FEATURES, FRONTIER_WEIGHTS, Novelty, Record, Taste, Waiting};
use super::*;
use crate::searcher::tests::World;
use forkwise_expr::{Exprs, SymbolId};
use forkwise_ir::EdgeFacts;
use std::collections::BTreeSet;

fn taste(of: &[(&str, f64)]) -> Taste {
    let mut weights = [0.0; FRONTIER_WEIGHTS];
    for (name, weight) in of {
        weights[FRONTIER_FEATURES.iter().position(|f| f.name == *name).expect("a feature")] = *weight;
    }
    Taste::new(&weights)
}

/// Taken before, in the user's code, with nothing in particular.
fn edge() -> Waiting {
    Waiting {
        novelty: Novelty::Nothing,
        record: Record { tried: 3, won: 1 },
        function: Record { tried: 6, won: 2 },
        library: false,
        distance: Some(30),
        loop_depth: 0,
        facts: EdgeFacts::default(),
        states: 1,
    }
}

/// By how much a weight of 1 for the feature multiplies the weight of the edge.
fn effect(feature: &str, edge: &Waiting) -> f64 {
    taste(&[(feature, 1.0)]).weigh(edge) / taste(&[]).weigh(edge)
}

#[track_caller]
fn about(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn names_are_distinct_and_have_meanings() {
    let names: BTreeSet<&str> = FRONTIER_FEATURES.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FRONTIER_WEIGHTS);
    assert!(FRONTIER_FEATURES.iter().all(|f| f.meaning.len() > 30));
}

#[test]
fn without_weights_it_is_what_people_made() {
    let t = taste(&[]);
    assert_eq!((t.patience, t.solving_patience, t.walk_every, t.draws), (300_000, 1_000_000_000, 8, 1));
    assert!(!t.needs_facts() && !t.counts_states());
    let promise = 5.0 / 4.0 * 9.0 / 7.0;
    // Whatever else there is to know of the edge.
    for states in [1, 7] {
        let facts = EdgeFacts::CASE;
        let e = Waiting { states, facts, loop_depth: 2, ..edge() };
        assert_eq!(t.weigh(&e), 10.0 / 40.0 * promise);
        assert_eq!(t.weigh(&Waiting { distance: None, ..e }), 0.02 * promise);
        assert_eq!(t.weigh(&Waiting { novelty: Novelty::Condition, ..e }), 50.0 * promise);
        assert_eq!(t.weigh(&Waiting { novelty: Novelty::Pair, library: true, ..e }), 10.0 * promise);
        assert_eq!(t.weigh(&Waiting { novelty: Novelty::Edge, ..e }), 1e6 / 16.0);
        assert_eq!(t.weigh(&Waiting { novelty: Novelty::Edge, library: true, ..e }), 50.0 / 16.0);
    }
    assert_eq!(t.elsewhere(Record { tried: 3, won: 1 }), 5.0 / 4.0);
}

#[test]
fn new_things_are_weighed_each_by_its_own() {
    let kinds = [
        ("new-edge", Waiting { novelty: Novelty::Edge, ..edge() }, 1e4),
        ("new-library-edge", Waiting { novelty: Novelty::Edge, library: true, ..edge() }, 100.0),
        ("new-condition", Waiting { novelty: Novelty::Condition, ..edge() }, 100.0),
        ("new-pair", Waiting { novelty: Novelty::Pair, ..edge() }, 100.0),
    ];
    for (feature, _, by) in &kinds {
        for (other, waiting, _) in &kinds {
            about(effect(feature, waiting), if feature == other { *by } else { 1.0 });
        }
        assert_eq!(effect(feature, &edge()), 1.0);
    }
}

#[test]
fn nearness_counts_more_or_less() {
    about(effect("nearness", &edge()), 0.25f64.powi(3));
    let new = Waiting { novelty: Novelty::Condition, ..edge() };
    assert_eq!(effect("nearness", &new), 1.0);
    about(effect("new-nearness", &new), 0.25);
    assert_eq!(effect("new-nearness", &edge()), 1.0);
    for novelty in [Novelty::Edge, Novelty::Condition, Novelty::Pair, Novelty::Nothing] {
        about(effect("dead-end", &Waiting { novelty, distance: None, ..edge() }), 100.0);
        assert_eq!(effect("dead-end", &Waiting { novelty, ..edge() }), 1.0);
    }
}

#[test]
fn the_past_counts_more_or_less() {
    about(effect("edge-promise", &edge()), (5.0f64 / 4.0).powi(3));
    about(effect("function-promise", &edge()), (9.0f64 / 7.0).powi(3));
    let new = Waiting { novelty: Novelty::Edge, ..edge() };
    about(effect("retries", &new), 1.0 / 16.0);
    assert_eq!((effect("retries", &edge()), effect("edge-promise", &new)), (1.0, 1.0));
    let (more, usual) = (taste(&[("edge-promise", 1.0)]), taste(&[]));
    let record = Record { tried: 1, won: 0 };
    about(more.elsewhere(record) / usual.elsewhere(record), 1.0 / 8.0);
}

#[test]
fn what_the_text_says_of_an_edge() {
    about(effect("library", &Waiting { library: true, ..edge() }), 100.0);
    about(effect("loop-depth", &Waiting { loop_depth: 2, ..edge() }), 100.0);
    about(effect("loop-depth", &Waiting { loop_depth: 9, ..edge() }), 1000.0);
    for (feature, facts) in [
        ("loop-continue", EdgeFacts::CONTINUES_LOOP),
        ("loop-exit", EdgeFacts::EXITS_LOOP),
        ("case", EdgeFacts::CASE),
    ] {
        assert!(taste(&[(feature, -0.1)]).needs_facts());
        about(effect(feature, &Waiting { facts, ..edge() }), 100.0);
    }
    for feature in ["library", "loop-depth", "loop-continue", "loop-exit", "case", "crowd"] {
        assert_eq!(effect(feature, &edge()), 1.0, "{feature}");
    }
    assert!(taste(&[("crowd", 1.0)]).counts_states());
    about(effect("crowd", &Waiting { states: 7, ..edge() }), 7.0);
}

#[test]
fn how_long_and_how_often() {
    let t = taste(&[("patience", 1.0), ("solving-patience", -1.0), ("walks", 1.0)]);
    assert_eq!((t.patience, t.solving_patience, t.walk_every), (3_000_000, 100_000_000, 2));
    assert_eq!(taste(&[("walks", -1.0)]).walk_every, 32);
}

#[test]
fn absurd_weights_are_still_numbers() {
    for sign in [1.0, -1.0] {
        let t = Taste::new(&[sign * 1e100; FRONTIER_WEIGHTS]);
        assert!(t.walk_every >= 1 && t.patience > 0 && t.draws <= 9);
        let facts = EdgeFacts::CASE;
        for novelty in [Novelty::Edge, Novelty::Condition, Novelty::Pair, Novelty::Nothing] {
            let record = Record { tried: u32::MAX, won: 0 };
            let e = Waiting { novelty, record, facts, states: usize::MAX, loop_depth: 99, ..edge() };
            for e in [e, Waiting { distance: None, library: true, ..e }] {
                let weight = t.weigh(&e);
                assert!(weight.is_finite() && weight > 0.0, "{weight}");
            }
        }
    }
}

/// Three states in the order of their ids: the middle one has executed most.
fn three() -> [Box<State>; 3] {
    let mut world = World::new();
    let mut states = [10, 30, 20].map(|instructions| {
        let mut st = world.state();
        st.instructions = instructions;
        st
    });
    let mut exprs = Exprs::new();
    // The first has most constraints.
    for (st, n) in states.iter_mut().zip([2, 1, 0]) {
        for i in 0..n {
            let (byte, seven) = (exprs.symbol(SymbolId(i)), exprs.constant(8, 7));
            let equal = exprs.eq(byte, seven);
            st.condition.add(&mut exprs, equal);
        }
    }
    states
}

#[test]
fn which_state_of_an_edge() {
    let states = three();
    let states: Vec<&State> = states.iter().map(|st| &**st).collect();
    for (feature, high, low) in [("newest", 2, 0), ("constraints", 0, 2), ("long", 1, 0)] {
        assert_eq!(taste(&[(feature, 1.0)]).best(&states), high, "{feature}");
        assert_eq!(taste(&[(feature, -1.0)]).best(&states), low, "{feature}");
        assert_eq!((taste(&[(feature, -1.0)]).draws, taste(&[(feature, 0.5)]).draws), (9, 5));
    }
    assert_eq!(taste(&[]).best(&states), 0);
}

#[test]
fn states_are_picked_by_taste() {
    let mut world = World::new();
    let mut s = Frontier::new(Random::new(1));
    let first = world.root(&mut s);
    let mut slots = vec![first];
    slots.extend((0..5).map(|_| world.fork(&mut s, first)));
    let mut counts = [[0; 6]; 2];
    for (t, counts) in [taste(&[]), taste(&[("newest", 1.0)])].iter().zip(&mut counts) {
        let mut random = Random::new(3);
        for _ in 0..600 {
            let slot = pick(t, world.view(), &slots, &mut random);
            counts[slots.iter().position(|s| *s == slot).expect("one of them")] += 1;
        }
    }
    assert!(counts[0].iter().all(|n| *n > 60), "{counts:?}");
    assert!(counts[1][5] > 400 && counts[1][5] < 600, "{counts:?}");
}

//! The page of a training campaign: how the coverage of sampled weights is distributed in each round, how the closing comparison ended, and
//! the weights that did best.

use super::layout::{Place, meter, page as frame, short, tile};
use super::time::{Axes, Series, plot};
use crate::campaign::Training;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Rounds that are drawn.
const ROUNDS: usize = 8;
const BINS: usize = 24;

/// The page.
pub fn page(t: &Training) -> String {
    let most = t.trials.iter().map(|x| x.branches).max().unwrap_or(0);
    let total = t.trials.iter().map(|x| x.total).max().unwrap_or(0);
    let body = html! {
        @for gap in &t.gaps { p.note { (gap) } }
        ul.tiles {
            (tile(&short(t.trials.len() as f64), "trials", false))
            (tile(&most.to_string(), &format!("branches at most in one trial, of {total}"), false))
            @if let Some((_, mean, times)) = t.best() { (tile(&format!("{mean:.1}"), &format!("branches on average of {times} trials with the best weights"), false)) }
        }
        (distributions(t))
        (labels(t))
        (weights(t))
    };
    frame(None, &Place::top(), &format!("Training in {}", t.root.display()), "", &[], body)
}

/// The scores of a round's sampled vectors; labels are `learn ROUND PHASE`.
fn rounds(t: &Training) -> BTreeMap<u32, Vec<u64>> {
    let mut out: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for trial in &t.trials {
        let mut words = trial.label.split_whitespace();
        if let (Some("learn"), Some(Ok(round)), Some("find")) =
            (words.next(), words.next().map(str::parse), words.next())
        {
            out.entry(round).or_default().push(trial.branches);
        }
    }
    out
}

fn distributions(t: &Training) -> Markup {
    let rounds = rounds(t);
    let all = || rounds.values().flatten().copied();
    let (Some(low), Some(high)) = (all().min(), all().max()) else { return html! {} };
    let bins_used = BINS.min((high - low) as usize + 1);
    let width = ((high - low) as f64 / bins_used as f64).max(1.0);
    let series: Vec<Series> = rounds
        .iter()
        .take(ROUNDS)
        .map(|(round, scores)| {
            let mut bins = vec![0u32; bins_used + 1];
            scores.iter().for_each(|s| bins[(((s - low) as f64 / width) as usize).min(bins_used)] += 1);
            let point = |(i, n): (usize, &u32)| {
                (low as f64 + (i as f64 + 0.5) * width, 100.0 * f64::from(*n) / scores.len() as f64)
            };
            Series {
                name: format!("round {round}, {} vectors", scores.len()),
                points: bins.iter().enumerate().map(point).collect(),
                ..Series::default()
            }
        })
        .collect();
    html! {
        h2 { "Sampled weights, round by round" }
        (plot(&Axes { title: "How many branches sampled weights cover: the share of vectors, in percent", x: "branches", y: "percent" }, &series))
        div.scroll { table {
            thead { tr { th.n { "Round" } th.n { "Vectors" } th.n { "Least" } th.n { "Mean" } th.n { "Most" } } }
            tbody { @for (round, scores) in &rounds { tr {
                td.n { (round) } td.n { (scores.len()) } td.n { (scores.iter().min().copied().unwrap_or(0)) }
                td.n { (short(scores.iter().sum::<u64>() as f64 / scores.len().max(1) as f64)) } td.n { (scores.iter().max().copied().unwrap_or(0)) }
            } } }
        } }
    }
}

/// What other trials were for: checks, confirmation, the closing comparison.
fn labels(t: &Training) -> Markup {
    let mut by: BTreeMap<&str, (usize, u64, u64)> = BTreeMap::new();
    for trial in &t.trials {
        let of = by.entry(&trial.label).or_default();
        *of = (of.0 + 1, of.1 + trial.branches, of.2.max(trial.branches));
    }
    html! {
        h2 { "Trials" }
        div.scroll { table {
            thead { tr { th { "For" } th.n { "Trials" } th.n { "Branches on average" } th.n { "Most" } } }
            tbody { @for (label, (n, sum, most)) in by { tr {
                td { (label) } td.n { (n) } td.n { (short(sum as f64 / n.max(1) as f64)) } td.n { (most) }
            } } }
        } }
    }
}

fn weights(t: &Training) -> Markup {
    let Some((weights, _, _)) = t.best() else { return html! {} };
    let mut sorted: Vec<(&String, &f64)> = weights.iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
    html! {
        h2 { "The best weights" }
        p { "A state or branch is chosen by the sum of the weights of its features: what has a high weight is favoured, what has a low one avoided. "
            code { "forkwise heuristic show FILE" } " says what each means." }
        div.scroll { table {
            thead { tr { th { "Feature" } th.n { "Weight" } th { "" } } }
            tbody { @for (name, w) in sorted { tr {
                td.mono { (name) } td.n { (format!("{w:+.2}")) } td { (meter(((w.clamp(-1.0, 1.0) + 1.0) * 50.0) as usize, 100)) }
            } } }
        } }
    }
}

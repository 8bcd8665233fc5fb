//! From what was seen to the next vector: scores of values, probabilities, a draw. The two scores are those of the paper
//! (section 3.3.3); `policy` decides which one is used. Everything random comes from the caller.

use crate::space::{Parameter, Space, Value, Vector};
use std::collections::BTreeMap;

/// Uniform numbers in `[0, 1)`.
pub type Draw<'a> = &'a mut dyn FnMut() -> f64;

/// The score of what was never used while exploring. The paper says "the highest possible"; the public tool takes this
/// number, which is ten times that of a value used once.
pub const NEVER_USED: f64 = 10.0;

/// How many vectors have a value, and how many have so many values, for one parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// By value: vectors in which it occurs, however often.
    pub values: BTreeMap<Value, f64>,
    /// By number of values.
    pub lengths: BTreeMap<usize, f64>,
}

/// Counts of every parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally(pub Vec<Counts>);

impl Tally {
    /// Counts vectors; a vector that comes twice counts twice.
    pub fn of<'a>(space: &Space, vectors: impl IntoIterator<Item = &'a Vector>) -> Tally {
        let mut tally = Tally(vec![Counts::default(); space.parameters.len()]);
        vectors.into_iter().for_each(|v| tally.add(v, 1.0));
        tally
    }

    /// Adds a vector with a weight.
    pub fn add(&mut self, vector: &Vector, weight: f64) {
        for (i, counts) in self.0.iter_mut().enumerate() {
            let mut values: Vec<&Value> = vector.values(i).iter().collect();
            if values.is_empty() {
                continue;
            }
            *counts.lengths.entry(values.len()).or_default() += weight;
            values.sort_unstable();
            values.dedup();
            for value in values {
                *counts.values.entry(value.clone()).or_default() += weight;
            }
        }
    }

    /// Multiplies everything, so that what is old counts less.
    pub fn fade(&mut self, factor: f64) {
        for counts in &mut self.0 {
            counts.values.values_mut().chain(counts.lengths.values_mut()).for_each(|n| *n *= factor);
        }
    }
}

/// Probabilities of one parameter: of each value, and of drawing 1, 2, … values.
#[derive(Clone, Debug, PartialEq)]
pub struct Odds {
    /// By value, in the parameter's order.
    pub values: Vec<f64>,
    /// By number of values, from 1.
    pub lengths: Vec<f64>,
}

/// Scores made into probabilities; if all are 0, each has the same.
pub fn normalise(scores: &[f64]) -> Vec<f64> {
    let sum: f64 = scores.iter().sum();
    match sum > 0.0 && sum.is_finite() {
        true => scores.iter().map(|s| s / sum).collect(),
        false => vec![1.0 / scores.len() as f64; scores.len()],
    }
}

/// All values alike.
pub fn uniform(parameter: &Parameter) -> Odds {
    Odds {
        values: normalise(&vec![0.0; parameter.values.len()]),
        lengths: normalise(&vec![0.0; parameter.max]),
    }
}

/// The less often used, the likelier.
pub fn explore(parameter: &Parameter, total: &Counts) -> Odds {
    let score = |used: Option<&f64>| match used {
        Some(n) if *n > 0.0 => 1.0 / n,
        _ => NEVER_USED,
    };
    let values: Vec<f64> = parameter.values.iter().map(|v| score(total.values.get(v))).collect();
    let lengths: Vec<f64> = (1..=parameter.max).map(|n| score(total.lengths.get(&n))).collect();
    Odds { values: normalise(&values), lengths: normalise(&lengths) }
}

/// The more often in the core for its uses, the likelier. A value that was never used has no such rate; it gets the
/// best that another one has, because otherwise new seeds would never be taken. A number of values that was never used
/// gets 0.
pub fn exploit(parameter: &Parameter, core: &Counts, total: &Counts) -> Odds {
    let rate = |core: Option<&f64>, total: Option<&f64>| match total {
        Some(n) if *n > 0.0 => Some(core.copied().unwrap_or(0.0) / n),
        _ => None,
    };
    let rates: Vec<Option<f64>> =
        parameter.values.iter().map(|v| rate(core.values.get(v), total.values.get(v))).collect();
    let best = rates.iter().flatten().copied().fold(0.0, f64::max);
    let values: Vec<f64> = rates.iter().map(|r| r.unwrap_or(best)).collect();
    let lengths: Vec<f64> = (1..=parameter.max)
        .map(|n| rate(core.lengths.get(&n), total.lengths.get(&n)).unwrap_or(0.0))
        .collect();
    Odds { values: normalise(&values), lengths: normalise(&lengths) }
}

/// The place in which a number of `[0, 1)` falls.
pub fn pick(odds: &[f64], at: f64) -> usize {
    let mut sum = 0.0;
    for (i, p) in odds.iter().enumerate() {
        sum += p;
        if at < sum {
            return i;
        }
    }
    // Rounding: the last one that is possible at all.
    odds.iter().rposition(|p| *p > 0.0).unwrap_or(0)
}

/// Draws the values of one parameter; none from an empty space.
pub fn draw(parameter: &Parameter, odds: &Odds, random: Draw<'_>) -> Vec<Value> {
    if parameter.values.is_empty() || parameter.max == 0 {
        return Vec::new();
    }
    let n = pick(&odds.lengths, random()) + 1;
    (0..n).map(|_| parameter.values[pick(&odds.values, random())].clone()).collect()
}

/// Draws a vector, with the odds that `odds` gives for each parameter.
pub fn vector(space: &Space, odds: impl Fn(usize, &Parameter) -> Odds, random: Draw<'_>) -> Vector {
    let mut out = Vector::default();
    for (i, parameter) in space.parameters.iter().enumerate() {
        out.0.push(draw(parameter, &odds(i, parameter), random));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        Some(text.into())
    }

    fn args(lists: &[&[&str]]) -> Vec<Vector> {
        lists.iter().map(|l| Vector(vec![l.iter().map(|v| value(v)).collect()])).collect()
    }

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} is not {b:?}");
    }

    /// ({2,4,6,8}, 3), the space of section 3.1, after four runs.
    fn example() -> (Space, Vec<Vector>) {
        let space = Space { parameters: vec![Parameter::new("-sym-arg", [2, 4, 6, 8], 3)] };
        (space, args(&[&["2"], &["2", "4", "2"], &["4", "2"], &["6"]]))
    }

    #[test]
    fn a_value_counts_once_for_each_vector() {
        let (space, total) = example();
        let tally = Tally::of(&space, &total);
        let n = |v: &str| tally.0[0].values.get(&value(v)).copied().unwrap_or(0.0);
        assert_eq!([n("2"), n("4"), n("6"), n("8")], [3.0, 2.0, 1.0, 0.0]);
        assert_eq!(tally.0[0].lengths, BTreeMap::from([(1, 2.0), (2, 1.0), (3, 1.0)]));
    }

    #[test]
    fn exploring_prefers_what_was_used_less() {
        let (space, total) = example();
        let odds = explore(&space.parameters[0], &Tally::of(&space, &total).0[0]);
        // Scores 1/3, 1/2, 1, 10; numbers of values 1/2, 1, 1.
        let sum = 1.0 / 3.0 + 0.5 + 1.0 + 10.0;
        close(&odds.values, &[1.0 / 3.0 / sum, 0.5 / sum, 1.0 / sum, 10.0 / sum]);
        close(&odds.lengths, &[0.2, 0.4, 0.4]);
    }

    #[test]
    fn exploiting_prefers_high_rates() {
        let (space, total) = example();
        let core = args(&[&["2", "4", "2"], &["2", "4", "2"], &["6"]]);
        let (core, total) = (Tally::of(&space, &core), Tally::of(&space, &total));
        let odds = exploit(&space.parameters[0], &core.0[0], &total.0[0]);
        // Rates 2/3, 2/2, 1/1, and 8, never used, as the best: 1.
        let sum = 2.0 / 3.0 + 3.0;
        close(&odds.values, &[2.0 / 3.0 / sum, 1.0 / sum, 1.0 / sum, 1.0 / sum]);
        // One value: 1 of 2, two: 0 of 1, three: 2 of 1.
        close(&odds.lengths, &[0.2, 0.0, 0.8]);
    }

    #[test]
    fn without_any_score_all_are_alike() {
        close(&normalise(&[0.0, 0.0, 0.0, 0.0]), &[0.25; 4]);
        close(&normalise(&[f64::INFINITY, 1.0]), &[0.5; 2]);
        let (space, total) = example();
        let none = Tally::of(&space, []);
        let odds = exploit(&space.parameters[0], &none.0[0], &Tally::of(&space, &total).0[0]);
        close(&odds.values, &[0.25; 4]);
    }

    #[test]
    fn draws_follow_the_odds() {
        let p = Parameter::new("-p", ["a", "b", "c"], 2);
        let odds = Odds { values: vec![0.5, 0.0, 0.5], lengths: vec![0.25, 0.75] };
        let mut script = [0.25, 0.49, 0.5].into_iter();
        assert_eq!(draw(&p, &odds, &mut || script.next().unwrap()), [value("a"), value("c")]);
        let mut script = [0.0, 0.999_999].into_iter();
        assert_eq!(draw(&p, &odds, &mut || script.next().unwrap()), [value("c")]);
        // Probabilities that do not quite add up to one never choose the impossible.
        assert_eq!(pick(&[0.3, 0.3, 0.0], 0.99), 1);
        let nothing = Parameter::new("-seed", Vec::<String>::new(), 1);
        assert!(draw(&nothing, &uniform(&nothing), &mut || 0.0).is_empty());
    }
}

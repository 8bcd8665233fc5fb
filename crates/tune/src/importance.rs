//! Which parameters mattered: how much of the differences between runs follows from a parameter's value (the correlation
//! ratio), and which value did best. A figure about what was sampled, no proof: runs differ in much at once.

use crate::space::{Space, Value, Vector};
use std::collections::BTreeMap;

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// Its place in the space.
    pub parameter: usize,
    /// The share of the variance between runs that its values account for beyond chance, from 0 to 1.
    pub share: f64,
    /// The value with the best mean, that mean, and the number of runs with it.
    pub best: Option<(Value, f64, usize)>,
}

/// All parameters, the most important first. Each run has a vector and a yield.
pub fn rank(space: &Space, runs: &[(&Vector, f64)]) -> Vec<Importance> {
    let mut out: Vec<Importance> = (0..space.parameters.len()).map(|i| of(i, runs)).collect();
    out.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.parameter.cmp(&b.parameter)));
    out
}

fn of(parameter: usize, runs: &[(&Vector, f64)]) -> Importance {
    // A run with several values is a member of each one's group.
    let mut groups: BTreeMap<&Value, Vec<f64>> = BTreeMap::new();
    for (vector, gain) in runs {
        let mut values: Vec<&Value> = vector.values(parameter).iter().collect();
        values.sort_unstable();
        values.dedup();
        values.into_iter().for_each(|v| groups.entry(v).or_default().push(*gain));
    }
    let all: Vec<f64> = groups.values().flatten().copied().collect();
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    let middle = mean(&all);
    let squares = |list: &[f64], m: f64| list.iter().map(|x| (x - m) * (x - m)).sum::<f64>();
    let whole = squares(&all, middle);
    let inside: f64 = groups.values().map(|g| squares(g, mean(g))).sum();
    // Epsilon squared: what groups of this number would account for by chance is taken off.
    let (n, k) = (all.len() as f64, groups.len() as f64);
    let share = match whole > 0.0 && n > k {
        true => 1.0 - (inside / (n - k)) / (whole / (n - 1.0)),
        false => 0.0,
    };
    let best = groups
        .iter()
        .filter(|(_, g)| g.len() > 1 || groups.values().all(|g| g.len() < 2))
        .map(|(v, g)| ((*v).clone(), mean(g), g.len()))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    Importance { parameter, share: share.clamp(0.0, 1.0), best }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    #[test]
    fn what_decides_comes_first() {
        let space = Space {
            parameters: vec![Parameter::new("-noise", [0, 1], 1), Parameter::new("-good", [0, 1], 1)],
        };
        let v = |a: u32, b: u32| Vector(vec![vec![Some(a.to_string())], vec![Some(b.to_string())]]);
        let vectors: Vec<(Vector, f64)> =
            (0..20).map(|i| (v(i % 2, i / 2 % 2), f64::from(i / 2 % 2) * 10.0 + f64::from(i % 3))).collect();
        let runs: Vec<(&Vector, f64)> = vectors.iter().map(|(v, g)| (v, *g)).collect();
        let ranked = rank(&space, &runs);
        assert_eq!(ranked[0].parameter, 1);
        assert!(ranked[0].share > 0.9 && ranked[1].share < 0.1, "{ranked:?}");
        assert_eq!(ranked[0].best.as_ref().map(|b| b.0.clone()), Some(Some("1".into())));
    }

    #[test]
    fn nothing_follows_from_nothing() {
        let space = Space { parameters: vec![Parameter::new("-a", [0], 1)] };
        assert_eq!(rank(&space, &[])[0].share, 0.0);
        let v = Vector(vec![vec![Some("0".into())]]);
        let ranked = rank(&space, &[(&v, 3.0), (&v, 3.0)]);
        assert_eq!((ranked[0].share, ranked[0].best.clone()), (0.0, Some((Some("0".into()), 3.0, 2))));
    }
}

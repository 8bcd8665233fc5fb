//! Weights in words: what a feature means, and which weigh most.

use forkwise_concolic::features::TABLE;
use forkwise_explore::{FRONTIER_FEATURES, STATE_FEATURES};
use forkwise_learn::weights::Family;

/// What a feature says; they are counted from 0.
pub fn meaning(family: Family, feature: usize) -> &'static str {
    match family {
        Family::States => STATE_FEATURES.get(feature).map_or("", |f| f.meaning),
        Family::Frontier => FRONTIER_FEATURES.get(feature).map_or("", |f| f.meaning),
        Family::Branches => TABLE.get(feature).map_or("", |f| f.meaning),
    }
}

/// The features with the highest weights above 0, highest first, and those with the lowest below 0, lowest first.
pub fn extremes(weights: &[f64], most: usize) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
    let high = order.iter().copied().filter(|i| weights[*i] > 0.0).take(most).collect();
    let low = order.iter().rev().copied().filter(|i| weights[*i] < 0.0).take(most).collect();
    (high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_in_their_order() {
        let weights = [0.5, -0.1, 0.0, 0.9, -0.7, 0.2];
        assert_eq!(extremes(&weights, 2), (vec![3, 0], vec![4, 1]));
        assert_eq!(extremes(&weights, 9), (vec![3, 0, 5], vec![4, 1]));
        assert_eq!(extremes(&[], 9), (vec![], vec![]));
    }

    #[test]
    fn every_feature_has_words() {
        assert!((0..26).all(|i| !meaning(Family::States, i).is_empty()));
        assert!((0..FRONTIER_FEATURES.len()).all(|i| !meaning(Family::Frontier, i).is_empty()));
        assert!((0..40).all(|i| !meaning(Family::Branches, i).is_empty()));
    }
}

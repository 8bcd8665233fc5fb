//! The pieces of the memetic algorithm, each on its own: selection, crossover, mutation, survival. They work on plain lists
//! and know nothing of programs; everything random comes from the generator they are given.

use forkwise_explore::Random;

/// An index with probability proportional to its cost; `None` when there is nothing to choose from. Where all costs are
/// zero, every index is as good.
pub fn select(random: &mut Random, costs: &[u64]) -> Option<usize> {
    if costs.is_empty() {
        return None;
    }
    let total: u128 = costs.iter().map(|c| u128::from(*c)).sum();
    if total == 0 {
        return Some(random.below(costs.len() as u64) as usize);
    }
    let mut at = (random.unit() * total as f64) as u128;
    for (i, c) in costs.iter().enumerate() {
        let c = u128::from(*c);
        if at < c {
            return Some(i);
        }
        at -= c;
    }
    costs.iter().rposition(|c| *c > 0)
}

/// Two different indices, each with probability proportional to its cost; `None` when there are fewer than two.
pub fn select_pair(random: &mut Random, costs: &[u64]) -> Option<(usize, usize)> {
    if costs.len() < 2 {
        return None;
    }
    let first = select(random, costs)?;
    let mut rest = costs.to_vec();
    rest.remove(first);
    let second = select(random, &rest)?;
    Some((first, second + usize::from(second >= first)))
}

/// Cuts both lists at random points (from 1 to their length) and joins the head of one with the tail of the other, both
/// ways.
pub fn crossover<T: Clone>(random: &mut Random, one: &[T], two: &[T]) -> (Vec<T>, Vec<T>) {
    let mut cut = |list: &[T]| match list.len() as u64 {
        0 => 0,
        n => 1 + random.below(n) as usize,
    };
    let (a, b) = (cut(one), cut(two));
    cross_at(one, two, a, b)
}

/// The same at given points.
pub fn cross_at<T: Clone>(one: &[T], two: &[T], a: usize, b: usize) -> (Vec<T>, Vec<T>) {
    let join = |head: &[T], tail: &[T]| head.iter().chain(tail).cloned().collect();
    (join(&one[..a], &two[b..]), join(&two[..b], &one[a..]))
}

/// Removes one element up to a tenth of them (one at least), chosen at random; after each removal it stops with
/// probability 1/2.
pub fn mutate<T>(random: &mut Random, list: &mut Vec<T>) {
    let most = (list.len() / 10).max(1);
    for _ in 0..most {
        if list.is_empty() {
            return;
        }
        let at = random.below(list.len() as u64) as usize;
        list.remove(at);
        if random.below(2) == 0 {
            return;
        }
    }
}

/// Who survives: the `elite` most costly, and others drawn by cost until there are `size`. Indices in the order of
/// survival, the most costly first.
pub fn survivors(random: &mut Random, costs: &[u64], elite: usize, size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    // Stable: among equals the elder comes first.
    order.sort_by_key(|i| std::cmp::Reverse(costs[*i]));
    let mut rest = order.split_off(elite.min(size).min(order.len()));
    let mut kept = order;
    while kept.len() < size && !rest.is_empty() {
        let left: Vec<u64> = rest.iter().map(|i| costs[*i]).collect();
        let Some(at) = select(random, &left) else { break };
        kept.push(rest.remove(at));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_is_proportional_to_cost() {
        let mut random = Random::new(1);
        let mut seen = [0u32; 4];
        for _ in 0..40_000 {
            seen[select(&mut random, &[10, 20, 0, 70]).unwrap()] += 1;
        }
        // Standard deviations are below 100.
        assert!(seen[0].abs_diff(4_000) < 400, "{seen:?}");
        assert!(seen[1].abs_diff(8_000) < 500, "{seen:?}");
        assert_eq!(seen[2], 0);
        assert!(seen[3].abs_diff(28_000) < 600, "{seen:?}");
    }

    #[test]
    fn without_costs_selection_is_uniform() {
        let mut random = Random::new(2);
        let mut seen = [0u32; 3];
        (0..3000).for_each(|_| seen[select(&mut random, &[0, 0, 0]).unwrap()] += 1);
        assert!(seen.iter().all(|n| n.abs_diff(1000) < 150), "{seen:?}");
        assert_eq!(select(&mut random, &[]), None);
    }

    #[test]
    fn parents_are_different() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            let (a, b) = select_pair(&mut random, &[1_000_000, 1, 1]).unwrap();
            assert_ne!(a, b);
        }
        assert_eq!(select_pair(&mut random, &[5]), None);
    }

    #[test]
    fn the_second_parent_is_drawn_by_cost_among_the_others() {
        let mut random = Random::new(4);
        let mut with_third = 0;
        for _ in 0..4000 {
            let (a, b) = select_pair(&mut random, &[1_000_000, 10, 30]).unwrap();
            with_third += u32::from(a == 0 && b == 2);
        }
        assert!(with_third.abs_diff(3000) < 150, "{with_third}");
    }

    #[test]
    fn crossover_joins_heads_and_tails() {
        let (one, two) = cross_at(&[1, 2, 3], &[7, 8, 9, 10], 2, 1);
        assert_eq!((one, two), (vec![1, 2, 8, 9, 10], vec![7, 3]));
        let (one, two) = cross_at(&[1, 2], &[7], 2, 1);
        assert_eq!((one, two), (vec![1, 2], vec![7]));
    }

    #[test]
    fn cut_points_lie_between_one_and_the_length() {
        let mut random = Random::new(5);
        let mut heads = [0u32; 4];
        for _ in 0..3000 {
            let (one, two) = crossover(&mut random, &['a', 'b', 'c'], &['x', 'y']);
            assert_eq!(one.len() + two.len(), 5, "nothing is lost");
            assert_eq!((one[0], two[0]), ('a', 'x'), "a cut is never before the first condition");
            heads[one.iter().filter(|c| "abc".contains(**c)).count()] += 1;
        }
        assert!(heads[0] == 0 && heads[1..].iter().all(|n| n.abs_diff(1000) < 150), "{heads:?}");
        let empty: Vec<char> = Vec::new();
        assert_eq!(crossover(&mut random, &empty, &empty), (vec![], vec![]));
    }

    #[test]
    fn mutation_removes_one_up_to_a_tenth() {
        let mut random = Random::new(6);
        let mut removed = [0u32; 11];
        for _ in 0..4000 {
            let mut list: Vec<u32> = (0..100).collect();
            mutate(&mut random, &mut list);
            assert!(list.is_sorted(), "the order stays");
            removed[100 - list.len()] += 1;
        }
        assert_eq!(removed[0], 0);
        // It stops with even probability after each.
        assert!(removed[1].abs_diff(2000) < 150 && removed[2].abs_diff(1000) < 120, "{removed:?}");
        assert!(removed[10] > 0 || removed[9] > 0, "{removed:?}");
        let mut short = vec![1, 2, 3];
        mutate(&mut random, &mut short);
        assert_eq!(short.len(), 2, "a short list loses one");
        let mut none: Vec<u32> = Vec::new();
        mutate(&mut random, &mut none);
    }

    #[test]
    fn the_elite_survives_and_nobody_twice() {
        let mut random = Random::new(7);
        let costs = [5, 90, 3, 80, 70, 1, 1, 1];
        for _ in 0..200 {
            let kept = survivors(&mut random, &costs, 3, 5);
            assert_eq!(kept[..3], [1, 3, 4]);
            assert_eq!(kept.len(), 5);
            let mut distinct = kept.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 5);
        }
        assert_eq!(survivors(&mut random, &[4, 2], 5, 50).len(), 2, "a small population survives as it is");
    }
}

//! The hand-made worst input of `quicksort_jdk`. How one partition runs depends only on which items are below, equal to
//! and above the pivot, and both parts may then be arranged at will; so the worst arrangement of n items is the worst
//! such pattern plus the worst arrangements of its parts, by dynamic programming. Patterns are tried where few items leave
//! the larger part; the result is therefore the best known, not a proved optimum.

use std::cmp::Ordering;

/// How the items of a part compare with its pivot, in their order.
type Pattern = Vec<Ordering>;

/// What the parts of the sort cost, in instructions of the program that the engine runs.
mod cost {
    /// One item is passed by a scan.
    pub const STEP: u64 = 19;
    /// One item of a scan is equal to the pivot and swapped to the end.
    pub const EQUAL: u64 = 16;
    /// Both scans stop and their items are swapped.
    pub const EXCHANGE: u64 = 47;
    /// The last scan for larger items stops at one, not at the other scan.
    pub const STOP: u64 = 5;
    /// One item equal to the pivot is swapped between the parts.
    pub const BACK: u64 = 22;
    /// A partition, whatever is in it.
    pub const PARTITION: u64 = 73;
    /// One that takes medians.
    pub const MEDIANS: u64 = 9;
    /// One that takes the median of medians.
    pub const NINTHER: u64 = 13;
    /// A median that is the second of its items, and any other.
    pub const MEDIAN: [u64; 2] = [19, 27];
    /// Calls for the smaller and for the larger items.
    pub const CALLS: [u64; 2] = [2, 3];
    /// A call that inserts.
    pub const INSERTION: u64 = 9;
    /// One item is inserted.
    pub const ITEM: u64 = 13;
    /// One step of an insertion.
    pub const INSERT: u64 = 32;
}

/// Items below which parts are sorted by insertion.
const INSERTION: usize = 7;
/// Items above which the pivot is a median of medians.
const NINTHER: usize = 40;
/// Up to here, all patterns are tried.
const EXHAUSTIVE: usize = 9;

/// The best arrangement of so many items.
struct Best {
    cost: u64,
    /// Of the first partition; empty where insertion sorts.
    pattern: Pattern,
}

/// The list.
pub fn worst(count: usize) -> Vec<i32> {
    let mut table: Vec<Best> = Vec::new();
    for n in 0..=count {
        table.push(if n < INSERTION { insertion(n as u64) } else { best(n, &table) });
    }
    let mut values = vec![0; count];
    let places: Vec<usize> = (0..count).collect();
    arrange(&table, &places, 0, &mut values);
    values
}

/// A falling list; parts of less than two items are not sorted at all.
fn insertion(n: u64) -> Best {
    let steps = n * n.saturating_sub(1) / 2;
    let cost = if n < 2 { 0 } else { cost::INSERTION + n * cost::ITEM + steps * cost::INSERT };
    Best { cost, pattern: Pattern::new() }
}

/// Gives the items at these places, in the order in which the sort sees them, the values from `low` on.
fn arrange(table: &[Best], places: &[usize], low: i32, values: &mut [i32]) {
    let n = places.len();
    let pattern = &table[n].pattern;
    if pattern.is_empty() {
        for (back, &place) in places.iter().rev().enumerate() {
            values[place] = low + back as i32;
        }
        return;
    }
    let done = partition(pattern);
    let pivot = low + done.below as i32;
    for (i, &place) in places.iter().enumerate() {
        if pattern[i] == Ordering::Equal {
            values[place] = pivot;
        }
    }
    let part = |range: std::ops::Range<usize>| -> Vec<usize> {
        done.order[range].iter().map(|&i| places[i]).collect()
    };
    arrange(table, &part(0..done.below), low, values);
    arrange(table, &part(n - done.above..n), pivot + 1, values);
}

/// The costliest pattern of n items among those tried.
fn best(n: usize, table: &[Best]) -> Best {
    let mut best = Best { cost: 0, pattern: Pattern::new() };
    let mut consider = |pattern: &Pattern| {
        if !is_consistent(pattern) {
            return;
        }
        let done = partition(pattern);
        let mut cost = done.cost + medians(pattern);
        for (part, call) in [done.below, done.above].into_iter().zip(cost::CALLS) {
            if part > 1 {
                cost += call + table[part].cost;
            }
        }
        if cost > best.cost {
            best = Best { cost, pattern: pattern.clone() };
        }
    };
    if n <= EXHAUSTIVE {
        let all: Vec<usize> = (0..n).collect();
        assign(&mut vec![Ordering::Less; n], &all, n, None, &mut consider);
        return best;
    }
    let samples = samples(n);
    for most in [Ordering::Greater, Ordering::Less] {
        let mut pattern = vec![most; n];
        let others = if n > NINTHER { 4 } else { 3 };
        assign(&mut pattern, &samples, others, Some(most), &mut |sampled: &Pattern| {
            consider(sampled);
            if n > NINTHER {
                return;
            }
            // One more item that leaves the larger part.
            let mut pattern = sampled.clone();
            for i in 0..n {
                for other in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
                    pattern[i] = other;
                    consider(&pattern);
                }
                pattern[i] = sampled[i];
            }
        });
    }
    best
}

/// Tries all ways to fill these places, at most `others` of them with something else than `most`.
fn assign(
    pattern: &mut Pattern,
    places: &[usize],
    others: usize,
    most: Option<Ordering>,
    found: &mut dyn FnMut(&Pattern),
) {
    let Some((&place, rest)) = places.split_first() else { return found(pattern) };
    for order in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
        let left = if Some(order) == most { Some(others) } else { others.checked_sub(1) };
        if let Some(left) = left {
            pattern[place] = order;
            assign(pattern, rest, left, most, found);
        }
    }
    if let Some(most) = most {
        pattern[place] = most;
    }
}

/// The places whose median is the pivot.
fn samples(n: usize) -> Vec<usize> {
    let (first, middle, last) = (0, n / 2, n - 1);
    match n {
        ..=7 => vec![middle],
        8..=NINTHER => vec![first, middle, last],
        _ => {
            let step = n / 8;
            vec![
                first,
                first + step,
                first + 2 * step,
                middle - step,
                middle,
                middle + step,
                last - 2 * step,
                last - step,
                last,
            ]
        }
    }
}

/// Whether the pivot that the sort chooses is the pattern's.
fn is_consistent(pattern: &Pattern) -> bool {
    let median = |three: &[Ordering]| {
        let mut three = three.to_vec();
        three.sort_unstable();
        three[three.len() / 2]
    };
    let sampled: Vec<Ordering> = samples(pattern.len()).into_iter().map(|i| pattern[i]).collect();
    let medians: Vec<Ordering> =
        if sampled.len() == 9 { sampled.chunks(3).map(median).collect() } else { sampled };
    median(&medians) == Ordering::Equal
}

/// What choosing the pivot costs, as far as the pattern says.
fn medians(pattern: &Pattern) -> u64 {
    let of_three = |places: &[usize]| {
        let [a, b, c] = [pattern[places[0]], pattern[places[1]], pattern[places[2]]];
        let (is_second, median) = match (a < b, b < c, b > c) {
            (true, true, _) | (false, _, true) => (true, places[1]),
            (true, ..) => (false, places[if a < c { 2 } else { 0 }]),
            (false, ..) => (false, places[if a > c { 2 } else { 0 }]),
        };
        (cost::MEDIAN[usize::from(!is_second)], median)
    };
    let samples = samples(pattern.len());
    match samples.len() {
        9 => {
            let thirds: Vec<(u64, usize)> = samples.chunks(3).map(of_three).collect();
            let medians: Vec<usize> = thirds.iter().map(|third| third.1).collect();
            let inner: u64 = thirds.iter().map(|third| third.0).sum();
            cost::MEDIANS + cost::NINTHER + inner + of_three(&medians).0
        }
        3 => cost::MEDIANS + of_three(&samples).0,
        _ => 0,
    }
}

/// What a partition does to a pattern.
struct Partitioned {
    cost: u64,
    /// Which item is where afterwards.
    order: Vec<usize>,
    below: usize,
    above: usize,
}

/// The partition of `bench/worst/quicksort_jdk.c`.
fn partition(pattern: &Pattern) -> Partitioned {
    let n = pattern.len();
    let mut order: Vec<usize> = (0..n).collect();
    let mut cost = cost::PARTITION;
    // `c` and `d` are one more than in the program, to stay unsigned.
    let (mut a, mut b, mut c, mut d) = (0, 0, n, n);
    loop {
        while b < c && pattern[order[b]] != Ordering::Greater {
            cost += cost::STEP;
            if pattern[order[b]] == Ordering::Equal {
                order.swap(a, b);
                a += 1;
                cost += cost::EQUAL;
            }
            b += 1;
        }
        let stopped = b < c;
        while c > b && pattern[order[c - 1]] != Ordering::Less {
            cost += cost::STEP;
            if pattern[order[c - 1]] == Ordering::Equal {
                order.swap(c - 1, d - 1);
                d -= 1;
                cost += cost::EQUAL;
            }
            c -= 1;
        }
        if b >= c {
            if stopped {
                cost += cost::STOP;
            }
            break;
        }
        order.swap(b, c - 1);
        b += 1;
        c -= 1;
        cost += cost::EXCHANGE;
    }
    let (below, above) = (b - a, d - c);
    let s = a.min(below);
    for i in 0..s {
        order.swap(i, b - s + i);
    }
    let t = above.min(n - d);
    for i in 0..t {
        order.swap(b + i, n - t + i);
    }
    cost += cost::BACK * (s + t) as u64;
    Partitioned { cost, order, below, above }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_divide() {
        let worst = worst(60);
        assert_eq!(worst.len(), 60);
        let pivot = worst[30];
        let pattern: Pattern = worst.iter().map(|v| v.cmp(&pivot)).collect();
        let done = partition(&pattern);
        assert!(done.order[..done.below].iter().all(|&i| worst[i] < pivot));
        assert!(done.order[60 - done.above..].iter().all(|&i| worst[i] > pivot));
        assert!(done.order[done.below..60 - done.above].iter().all(|&i| worst[i] == pivot));
    }

    #[test]
    fn hardly_anything_leaves_the_larger_part() {
        // Above forty items at least four leave it at each partition, below that two.
        let worst = worst(100);
        let mut distinct = worst.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() >= 40, "{distinct:?}");
    }
}

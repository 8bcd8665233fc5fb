//! Hand-made worst inputs of the subjects in `bench/worst`, for any size. Each is what the comment on top of its program
//! describes; `cargo xtask bench worst --check` compares them with all paths of small sizes. The table of subjects is
//! `subjects`.

use super::{lz, quicksort};

/// The values of a subject's inputs, in the order in which it makes them.
pub type Inputs = Vec<Input>;

/// One input.
pub struct Input {
    /// Its name in the program.
    pub name: &'static str,
    /// Its value.
    pub bytes: Vec<u8>,
}

/// One input of 32-bit integers.
fn ints(name: &'static str, values: impl IntoIterator<Item = i32>) -> Input {
    Input { name, bytes: values.into_iter().flat_map(i32::to_le_bytes).collect() }
}

/// One input of 16-bit integers.
fn shorts(name: &'static str, values: impl IntoIterator<Item = i32>) -> Input {
    Input { name, bytes: values.into_iter().flat_map(|value| (value as u16).to_le_bytes()).collect() }
}

fn list(values: impl IntoIterator<Item = i32>) -> Inputs {
    vec![ints("list", values)]
}

/// The vertices of a graph whose matrix has about so many entries, as `subject_vertices` in `subject.h`.
pub fn vertices(size: usize) -> usize {
    (2..).find(|n| n * n + n >= size).unwrap_or(2)
}

/// An adjacency matrix.
fn matrix(size: usize, entry: impl Fn(usize, usize) -> i32) -> Vec<i32> {
    let n = vertices(size);
    (0..n * n).map(|i| entry(i / n, i % n)).collect()
}

/// Zeros at even places.
pub fn alternate_0(size: usize) -> Inputs {
    list((0..size).map(|i| (i % 2) as i32))
}

/// A palindrome, and not the trivial one.
pub fn is_palindrome(size: usize) -> Inputs {
    list((0..size).map(|i| i.min(size - 1 - i) as i32 + 1))
}

/// Both halves get every other item of the sorted list.
pub fn merge_sort(size: usize) -> Inputs {
    fn unmerge(sorted: &[i32]) -> Vec<i32> {
        if sorted.len() < 2 {
            return sorted.to_vec();
        }
        // The right half is the larger one. From the end on, items go to both in turns, so that one is left when the
        // other half is used up.
        let left = sorted.len() / 2;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (back, &item) in sorted.iter().rev().enumerate() {
            if back % 2 == 0 && low.len() < left { low.push(item) } else { high.push(item) }
        }
        low.reverse();
        high.reverse();
        let mut list = unmerge(&low);
        list.extend(unmerge(&high));
        list
    }
    list(unmerge(&(0..size as i32).collect::<Vec<_>>()))
}

/// See [`quicksort`].
pub fn quicksort_jdk(size: usize) -> Inputs {
    list(quicksort::worst(size))
}

/// The pattern aab, and a's up to the last item of the text, which is one, too, if it is the only one.
pub fn kmp(size: usize) -> Inputs {
    let text = (1..=size).map(|i| if i == size && size > 1 { 3 } else { 1 });
    vec![ints("pattern", [1, 1, 2]), ints("text", text)]
}

/// No zeros.
pub fn memory_fill(size: usize) -> Inputs {
    list((0..size).map(|i| i as i32 + 1))
}

/// All but the last vertex are connected with each other, the last with the first alone.
pub fn dfs(size: usize) -> Inputs {
    let last = vertices(size) - 1;
    vec![ints("edges", matrix(size, |from, to| i32::from(to != last || from == 0)))]
}

/// Everything is connected.
pub fn bfs(size: usize) -> Inputs {
    vec![ints("edges", matrix(size, |_, _| 1))]
}

/// What comes after a star begins at every place and never goes on.
pub fn libc_fnmatch(size: usize) -> Inputs {
    let text = (0..size).map(|_| b'a').chain([0]).collect();
    vec![Input { name: "text", bytes: text }]
}

/// A falling list.
pub fn falling(size: usize) -> Inputs {
    list((0..size as i32).rev())
}

/// A rising list.
pub fn rising(size: usize) -> Inputs {
    list(0..size as i32)
}

/// 0, then 2 and 1, 4 and 3, and so on.
pub fn red_black_tree(size: usize) -> Inputs {
    let last = size as i32 - 1;
    list((0..=last).map(|i| match i % 2 {
        1 if i < last => i + 1,
        0 if i > 0 => i - 1,
        _ => i,
    }))
}

/// From the first vertex, the others are reached from the last one down; every step is shorter than what it replaces.
pub fn dijkstra(size: usize) -> Inputs {
    let n = vertices(size) as i32;
    let turn = |vertex: usize| if vertex == 0 { 0 } else { n - vertex as i32 };
    let length = |from, to| (2 * (turn(to) - turn(from)) - 1).max(1);
    vec![shorts("lengths", matrix(size, length))]
}

/// All edges are negative.
pub fn bellman_ford(size: usize) -> Inputs {
    vec![shorts("lengths", matrix(size, |_, _| -1))]
}

/// Beginnings with higher cities are shorter, and the ways home are long, but shorter from lower cities.
pub fn tsp(size: usize) -> Inputs {
    let n = vertices(size);
    let length = |from: usize, to: usize| match (from, to) {
        (0, _) => 3000 * (n - to),
        (_, 0) => 1000 + 100 * from,
        _ if from < to => 35,
        _ => 30,
    };
    vec![shorts("lengths", matrix(size, |from, to| length(from, to) as i32))]
}

/// Different keys with the hash 0.
pub fn hash_table(size: usize) -> Inputs {
    list((0..=i32::MAX).filter(|&key| (key as u32).wrapping_mul(2_654_435_769) >> 26 == 0).take(size))
}

/// Nothing but x.
pub fn regex_matcher(size: usize) -> Inputs {
    vec![Input { name: "text", bytes: vec![b'x'; size] }]
}

/// See [`lz`].
pub fn lz_compress(size: usize) -> Inputs {
    vec![Input { name: "input", bytes: lz::worst(size) }]
}

//! Hand-made worst inputs of the subjects in `bench/worst`, for any size. Each is what the comment on top of its program
//! describes; `cargo xtask bench worst --check` compares them with all paths of small sizes. The table of subjects is
//! `subjects`.

use super::quicksort;

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

fn list(values: impl IntoIterator<Item = i32>) -> Inputs {
    vec![ints("list", values)]
}

/// The vertices of a graph whose matrix has about so many entries, as `subject_vertices` in `subject.h`.
pub fn vertices(size: usize) -> usize {
    (2..).find(|n| n * n + n >= size).unwrap_or(2)
}

/// An adjacency matrix.
fn matrix(size: usize, entry: impl Fn(usize, usize) -> i32) -> impl Iterator<Item = i32> {
    let n = vertices(size);
    (0..n * n).map(move |i| entry(i / n, i % n))
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

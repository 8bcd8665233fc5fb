//! The subjects in `bench/worst`: their names, the sizes they are measured at, their hand-made worst inputs, and how sure
//! those are. A new subject is a C program there, a function in `manual` and a line here.

use super::manual::{self, Inputs};

/// How sure it is that no input is worse than the hand-made one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// There is an argument, in the program's comment, and all paths of small sizes agree.
    Proved,
    /// Nothing worse is known.
    BestKnown,
}

/// One program.
pub struct Subject {
    /// The name of its file, without `.c`.
    pub name: &'static str,
    /// One of the eight that a study measured.
    pub of_study: bool,
    /// Whether the hand-made input is the worst.
    pub optimum: Optimum,
    /// The sizes to measure.
    pub sizes: &'static [usize],
    /// Sizes whose paths can all be explored in seconds.
    pub small: &'static [usize],
    /// The hand-made worst input of a size.
    pub manual: fn(usize) -> Inputs,
}

/// The study's sizes.
const SIZES: &[usize] = &[10, 50, 75, 100];

const fn of_study(
    name: &'static str,
    optimum: Optimum,
    small: &'static [usize],
    manual: fn(usize) -> Inputs,
) -> Subject {
    Subject { name, of_study: true, optimum, sizes: SIZES, small, manual }
}

const fn further(
    name: &'static str,
    optimum: Optimum,
    sizes: &'static [usize],
    small: &'static [usize],
    manual: fn(usize) -> Inputs,
) -> Subject {
    Subject { name, of_study: false, optimum, sizes, small, manual }
}

/// All of them, those of the study first.
pub const SUBJECTS: &[Subject] = &[
    of_study("alternate_0", Optimum::Proved, &[1, 2, 5, 8], manual::alternate_0),
    of_study("is_palindrome", Optimum::Proved, &[1, 2, 5, 10], manual::is_palindrome),
    of_study("merge_sort", Optimum::Proved, &[1, 2, 3, 4, 5, 6], manual::merge_sort),
    of_study("quicksort_jdk", Optimum::BestKnown, &[1, 3, 5, 6, 7], manual::quicksort_jdk),
    of_study("kmp", Optimum::BestKnown, &[1, 2, 3, 4, 5, 6], manual::kmp),
    of_study("memory_fill", Optimum::Proved, &[8, 16], manual::memory_fill),
    of_study("dfs", Optimum::Proved, &[4, 9, 16], manual::dfs),
    of_study("bfs", Optimum::Proved, &[4, 9, 16], manual::bfs),
    further("insertion_sort", Optimum::Proved, SIZES, &[1, 2, 5, 7], manual::falling),
    further("heap_insert", Optimum::Proved, SIZES, &[1, 2, 5, 8], manual::falling),
    further("binary_search_tree", Optimum::Proved, SIZES, &[1, 3, 5, 6], manual::rising),
    further("red_black_tree", Optimum::BestKnown, SIZES, &[1, 3, 5, 6], manual::red_black_tree),
    further("dijkstra", Optimum::Proved, SIZES, &[4, 9], manual::dijkstra),
    further("bellman_ford", Optimum::Proved, SIZES, &[4], manual::bellman_ford),
    further("tsp", Optimum::BestKnown, &[9, 16, 25, 36], &[4, 9, 16], manual::tsp),
    further("hash_table", Optimum::Proved, &[5, 10, 20], &[1, 3, 5], manual::hash_table),
    further("regex_matcher", Optimum::Proved, &[5, 10, 20, 30], &[1, 3, 10], manual::regex_matcher),
    further("libc_qsort", Optimum::BestKnown, SIZES, &[1, 3, 5], manual::falling),
    further("libc_fnmatch", Optimum::BestKnown, SIZES, &[1, 2, 3], manual::libc_fnmatch),
    further("lz_compress", Optimum::BestKnown, SIZES, &[1, 3, 5, 8], manual::lz_compress),
];

//! The baseline: random paths, one after the other, every feasible side with the same probability.

use crate::ese::random_paths;
use crate::search::Search;

/// Paths between two looks at the memory.
const BATCH: usize = 64;

pub(crate) fn run(search: &mut Search<'_>) {
    while search.goes_on() {
        if random_paths(search, BATCH).is_empty() && search.goes_on() {
            search.complete();
        }
        search.machine.tidy(std::iter::empty(), std::iter::empty());
    }
}

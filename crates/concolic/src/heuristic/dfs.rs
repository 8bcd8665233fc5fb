//! Depth first: the deepest branch of the last path that was not tried yet.

use super::{Heuristic, View};
use crate::tree::Step;

/// See the module text.
#[derive(Debug)]
pub struct Dfs;

impl Heuristic for Dfs {
    fn last_path_only(&self) -> bool {
        true
    }

    fn choose(&mut self, view: View<'_>) -> Option<Step> {
        view.path.iter().rev().find_map(|step| view.tree.alternatives(*step).next())
    }
}

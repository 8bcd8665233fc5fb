//! Several searchers over the same states, asked in turn.

use super::{Searcher, View};
use crate::forest::Slot;

/// See the module text.
pub struct Interleave {
    parts: Vec<Box<dyn Searcher>>,
    next: usize,
}

impl Interleave {
    /// Takes turns among these; there must be at least one.
    pub fn new(parts: Vec<Box<dyn Searcher>>) -> Interleave {
        assert!(!parts.is_empty(), "nothing to interleave");
        Interleave { parts, next: 0 }
    }
}

impl Searcher for Interleave {
    fn select(&mut self, view: View<'_>) -> Slot {
        let part = self.next;
        self.next = (self.next + 1) % self.parts.len();
        self.parts[part].select(view)
    }

    fn update(&mut self, view: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        self.parts.iter_mut().for_each(|p| p.update(view, current, added, removed));
    }

    fn is_empty(&self) -> bool {
        self.parts[0].is_empty()
    }

    fn name(&self) -> String {
        self.parts.iter().map(|p| p.name()).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::tests::World;
    use crate::searcher::{Bfs, Dfs};

    #[test]
    fn searchers_take_turns() {
        let mut world = World::new();
        let mut s = Interleave::new(vec![Box::<Dfs>::default(), Box::<Bfs>::default()]);
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        assert_eq!(s.select(world.view()), b);
        assert_eq!(s.select(world.view()), a);
        assert_eq!(s.select(world.view()), b);
        assert_eq!(s.name(), "dfs,bfs");
    }
}

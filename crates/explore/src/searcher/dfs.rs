//! Depth first: the newest state. Deep paths first, little memory, and easily caught in a loop.

use super::queue::Queue;
use super::{Searcher, View};
use crate::forest::Slot;

/// See the module text.
#[derive(Debug, Default)]
pub struct Dfs {
    queue: Queue,
}

impl Searcher for Dfs {
    fn select(&mut self, _: View<'_>) -> Slot {
        self.queue.last().expect("there is a state")
    }

    fn update(&mut self, _: View<'_>, _: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        added.iter().for_each(|s| self.queue.push(*s));
        removed.iter().for_each(|s| self.queue.remove(*s));
    }

    fn is_empty(&self) -> bool {
        self.queue.last().is_none()
    }

    fn name(&self) -> String {
        "dfs".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::tests::World;

    #[test]
    fn the_newest_state_runs() {
        let (mut world, mut s) = (World::new(), Dfs::default());
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        assert_eq!(s.select(world.view()), b);
        let c = world.fork(&mut s, a);
        assert_eq!(s.select(world.view()), c);
        world.end(&mut s, b);
        world.end(&mut s, c);
        assert_eq!(s.select(world.view()), a);
    }
}

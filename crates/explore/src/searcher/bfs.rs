//! Breadth first: the oldest state; a state that forks goes to the end with its siblings, so that levels of the
//! execution tree are finished one after the other.

use super::queue::Queue;
use super::{Searcher, View};
use crate::forest::Slot;

/// See the module text.
#[derive(Debug, Default)]
pub struct Bfs {
    queue: Queue,
}

impl Searcher for Bfs {
    fn select(&mut self, _: View<'_>) -> Slot {
        self.queue.first().expect("there is a state")
    }

    fn update(&mut self, _: View<'_>, current: Option<Slot>, added: &[Slot], removed: &[Slot]) {
        if let Some(current) = current
            && !added.is_empty()
        {
            self.queue.remove(current);
            self.queue.push(current);
        }
        added.iter().for_each(|s| self.queue.push(*s));
        removed.iter().for_each(|s| self.queue.remove(*s));
    }

    fn is_empty(&self) -> bool {
        self.queue.first().is_none()
    }

    fn name(&self) -> String {
        "bfs".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searcher::tests::World;

    #[test]
    fn levels_are_finished_in_order() {
        let (mut world, mut s) = (World::new(), Bfs::default());
        let a = world.root(&mut s);
        let b = world.fork(&mut s, a);
        assert_eq!(s.select(world.view()), a);
        let c = world.fork(&mut s, a);
        // b is alone on its level now: a and c are one deeper.
        assert_eq!(s.select(world.view()), b);
        world.end(&mut s, b);
        assert_eq!(s.select(world.view()), a);
        world.end(&mut s, a);
        assert_eq!(s.select(world.view()), c);
    }
}

//! What the virtual Linux keeps for one path: tree, descriptors, working directory, and what the process calls need.
//! Forking shares it; the first change after a fork copies it, which costs what the path has changed so far.

use crate::descriptors::Descriptors;
use crate::inode::{Ino, Time};
use crate::process::{self, ProcessState};
use crate::tree::Tree;
use forkwise_expr::Expr;
use forkwise_vm::{OsState, State, Visited};
use std::any::Any;
use std::rc::Rc;

/// See the module text.
#[derive(Clone)]
pub(crate) struct World {
    /// The file system.
    pub tree: Tree,
    /// Descriptors.
    pub descriptors: Descriptors,
    /// Working directory.
    pub cwd: Ino,
    /// Bits that new files do not get.
    pub umask: u32,
    /// What the process calls keep.
    pub process: ProcessState,
    /// Calls that may fail on purpose.
    pub failures: crate::failures::Failures,
}

/// A shared world, as a state holds it.
struct Shared(Rc<World>);

impl OsState for Shared {
    fn clone_box(&self) -> Box<dyn OsState> {
        Box::new(Shared(self.0.clone()))
    }

    fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        if visited.first(&*self.0) {
            self.0.tree.expressions(visited, out);
            self.0.failures.expressions(out);
        }
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl World {
    /// Gives a state its world.
    pub fn install(self, st: &mut State) {
        st.os = Some(Box::new(Shared(Rc::new(self))));
    }

    /// Does the state have one?
    pub fn is_installed(st: &State) -> bool {
        st.os.as_ref().is_some_and(|os| os.as_any().is::<Shared>())
    }

    /// The world of a state that has one.
    pub fn of(st: &State) -> &World {
        let shared = st.os.as_ref().and_then(|os| os.as_any().downcast_ref::<Shared>());
        &shared.expect("the dispatcher installs a world before any call is served").0
    }

    /// The same, to change it.
    pub fn of_mut(st: &mut State) -> &mut World {
        let shared = st.os.as_mut().and_then(|os| os.as_any_mut().downcast_mut::<Shared>());
        Rc::make_mut(&mut shared.expect("the dispatcher installs a world before any call is served").0)
    }
}

/// The time on the path's clock.
pub(crate) fn now(st: &State) -> Time {
    let (seconds, micros) = process::now(st);
    (seconds as i64, micros as u32 * 1000)
}

//! What a process keeps between system calls, one value per path. Small, and shared where it is large, because every
//! fork of a path copies it.

use super::clock::Timer;
use super::memory::SharedMap;
use super::signals::Signals;
use crate::world::World;
use forkwise_vm::State;
use std::rc::Rc;

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct ProcessState {
    /// Nanoseconds that the process has slept.
    pub(super) slept: u64,
    /// `ITIMER_REAL`, which `alarm` sets, too.
    pub(super) timer: Timer,
    /// Dispositions, blocked and pending signals.
    pub(super) signals: Signals,
    /// Resource limits that were changed: resource, soft, hard.
    pub(super) limits: Rc<Vec<(u32, u64, u64)>>,
    /// `PR_SET_NAME`.
    pub(super) name: Rc<[u8; 16]>,
    /// `PR_SET_DUMPABLE`.
    pub(super) dumpable: bool,
    /// `PR_SET_KEEPCAPS`.
    pub(super) keep_capabilities: bool,
    /// `nice`.
    pub(super) nice: i32,
    /// Random bytes given so far.
    pub(super) random: u64,
    /// The area of `brk`, and where it ends now.
    pub(super) heap: Option<(u64, u64)>,
    /// Maps whose changes belong to a file.
    pub(super) shared_maps: Rc<Vec<SharedMap>>,
}

impl Default for ProcessState {
    fn default() -> ProcessState {
        ProcessState {
            slept: 0,
            timer: Timer::default(),
            signals: Signals::default(),
            limits: Rc::default(),
            name: Rc::new(*b"program\0\0\0\0\0\0\0\0\0"),
            dumpable: true,
            keep_capabilities: false,
            nice: 0,
            random: 0,
            heap: None,
            shared_maps: Rc::default(),
        }
    }
}

impl ProcessState {
    /// The state of this path's process, for changing.
    pub(crate) fn of(st: &mut State) -> &mut ProcessState {
        &mut World::of_mut(st).process
    }

    /// The same for looking; `None` before the program's start.
    pub(crate) fn get(st: &State) -> Option<&ProcessState> {
        World::is_installed(st).then(|| &World::of(st).process)
    }
}

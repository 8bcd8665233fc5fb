//! What a process keeps between system calls, one value per path. Small, and shared where it is large, because every
//! fork of a path copies it.

use super::clock::Timer;
use super::signals::Signals;
use forkwise_vm::{OsState, State};
use std::any::Any;
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
        }
    }
}

impl OsState for ProcessState {
    fn clone_box(&self) -> Box<dyn OsState> {
        Box::new(self.clone())
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl ProcessState {
    /// The state of this path's process, for changing.
    pub(crate) fn of(st: &mut State) -> &mut ProcessState {
        if st.os.as_ref().is_none_or(|os| !os.as_any().is::<ProcessState>()) {
            st.os = Some(Box::<ProcessState>::default());
        }
        let os = st.os.as_mut().expect("just set");
        os.as_any_mut().downcast_mut().expect("just checked")
    }

    /// The same for looking; `None` before the first change.
    pub(crate) fn get(st: &State) -> Option<&ProcessState> {
        st.os.as_ref()?.as_any().downcast_ref()
    }
}

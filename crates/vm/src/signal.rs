//! Calls of signal handlers. The operating system decides which signal arrives and what the program wants done about
//! it; here the handler is called between two operations, and afterwards the program goes on as if nothing had been.
//! Signals arrive at system calls only, so that a run is the same every time. Faults of the program never become
//! signals: they are findings.

use crate::call::Flow;
use crate::fault::{Fault, FaultKind, Termination};
use crate::machine::Vm;
use crate::state::{OnReturn, State};
use crate::value::Value;
use forkwise_ir::layout;

/// A signal whose handler is to be called.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Address of the handler.
    pub handler: u64,
    /// Its arguments: the signal, and where it wants to know more about it.
    pub args: Vec<Value>,
    /// Objects made for the arguments; they go when the handler returns or is left by longjmp.
    pub objects: Vec<u64>,
    /// Blocked signals before; the operating system gets them back when the handler returns.
    pub mask: u64,
}

/// How the interrupted function goes on after a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Where it stands.
    Here,
    /// After the system call it stands at.
    After,
    /// The same, with this error number.
    Failed(u32),
    /// Not at all: it called abort.
    Abort,
}

impl Vm {
    /// Calls the handlers of signals that arrive now. `Flow::Next` when there are none and the operation is done.
    pub(crate) fn deliver_signals(
        &mut self,
        st: &mut State,
        mut resume: Resume,
    ) -> Result<Flow, Termination> {
        let Some(mut os) = self.os.take() else { return self.resume(st, resume, true) };
        let mut flow = None;
        // Handlers of several signals are stacked as the kernel does it: the last one runs first.
        let result = loop {
            match os.next_signal(self, st) {
                Ok(Some(delivery)) => {
                    if let Err(end) = self.call_handler(st, delivery, resume) {
                        break Err(end);
                    }
                    resume = Resume::Here;
                    flow = Some(Flow::Moved);
                }
                Ok(None) => break Ok(()),
                Err(end) => break Err(end),
            }
        };
        self.os = Some(os);
        result?;
        match flow {
            Some(flow) => Ok(flow),
            None => self.resume(st, resume, true),
        }
    }

    fn call_handler(
        &mut self,
        st: &mut State,
        delivery: Delivery,
        resume: Resume,
    ) -> Result<(), Termination> {
        let program = self.program.clone();
        let Some(func) = layout::function_at(delivery.handler, program.functions.len()) else {
            let text = format!("a signal's handler is not a function ({:#x})", delivery.handler);
            return Err(Fault::new(FaultKind::BadCall, text).end());
        };
        let f = &program.functions[func as usize];
        if f.code.is_empty() {
            return Err(Termination::Unsupported(format!("'{}' as a signal's handler", f.name)));
        }
        self.call_from_engine(st, func, &delivery.args, OnReturn::Handler { mask: delivery.mask, resume })?;
        st.frame.allocas.extend(delivery.objects);
        Ok(())
    }

    /// A handler has returned.
    pub(crate) fn handler_returned(
        &mut self,
        st: &mut State,
        mask: u64,
        resume: Resume,
    ) -> Result<Flow, Termination> {
        if let Some(os) = &mut self.os {
            os.set_signal_mask(st, mask);
        }
        match resume {
            Resume::Failed(_) | Resume::Abort => self.resume(st, resume, false),
            Resume::Here | Resume::After => {
                self.resume(st, resume, false)?;
                // What the handler's mask held back.
                self.deliver_signals(st, Resume::Here)
            }
        }
    }

    /// Goes on. `called` is true while the operation is still being executed, which advances when it ends.
    fn resume(&mut self, st: &mut State, resume: Resume, called: bool) -> Result<Flow, Termination> {
        match resume {
            Resume::Here => Ok(Flow::Moved),
            Resume::After if called => Ok(Flow::Next),
            Resume::After => {
                st.frame.pc += 1;
                Ok(Flow::Moved)
            }
            Resume::Failed(errno) => match self.set_errno(st, errno)? {
                Flow::Next if !called => {
                    st.frame.pc += 1;
                    Ok(Flow::Moved)
                }
                flow => Ok(flow),
            },
            Resume::Abort => Err(Fault::new(FaultKind::Abort, "abort failure").end()),
        }
    }

    /// `abort`: a handler of SIGABRT runs first; nothing prevents the end.
    pub(crate) fn abort(&mut self, st: &mut State) -> Result<Flow, Termination> {
        if let Some(mut os) = self.os.take() {
            let delivery = os.abort_handler(self, st);
            self.os = Some(os);
            if let Some(delivery) = delivery? {
                self.call_handler(st, delivery, Resume::Abort)?;
                return Ok(Flow::Moved);
            }
        }
        self.resume(st, Resume::Abort, true)
    }
}

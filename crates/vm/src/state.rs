//! A state: one path through the program, at rest or running. Forking a state copies its top frame and shares the
//! rest; see `memory` for how contents are shared.

use crate::counts::CallPath;
use crate::gc::Visited;
use crate::memory::Memory;
use crate::seeds::Seed;
use crate::signal::Resume;
use crate::value::Value;
use forkwise_expr::{Assignment, Expr};
use forkwise_ir::Program;
use forkwise_ir::Slot;
use forkwise_solver::ConstraintSet;
use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

/// Arms of switches that a state remembers.
pub const CASES: usize = 8;

/// Identifies a state within one exploration; never reused.
pub type StateId = u64;

/// An activation of a function.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Function number.
    pub func: u32,
    /// The operation to execute next; in callers, the call being executed.
    pub pc: u32,
    /// Slots: constants, parameters, values.
    pub regs: Vec<Value>,
    /// First addresses of the stack objects of this activation.
    pub allocas: Vec<u64>,
    /// Where the caller wants the result.
    pub ret_dst: Slot,
    /// Slots the caller expects.
    pub ret_slots: u32,
    /// Variadic arguments: the area that `va_start` points into.
    pub varargs: Option<u64>,
    /// Identity of this activation (for longjmp).
    pub serial: u64,
    /// What to do after it returns, for calls the engine itself makes.
    pub on_return: OnReturn,
    /// The calls that led to it; 0 unless they are counted (`Config::count_executions`).
    pub call_path: CallPath,
}

/// What follows the destructors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exiting {
    /// The end, with this status.
    Status(i32),
    /// The C library's own clean-up, which called for them.
    Library,
}

/// Continuation of calls that the engine makes on its own behalf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnReturn {
    /// An ordinary call: store the result, go on in the caller.
    Resume,
    /// Start-up: run the next constructor, then main.
    NextConstructor(u32),
    /// `main` returned without a C library: run destructors, then exit with its result.
    Exit,
    /// The destructor before number `n` returned.
    NextDestructor(u32, Exiting),
    /// The address of errno was asked for: store this value there and go on after the call.
    StoreErrno(u32),
    /// A signal's handler: these signals are blocked again, and the interrupted function goes on so.
    Handler {
        /// Blocked signals.
        mask: u64,
        /// How to go on.
        resume: Resume,
    },
    /// Start of the program through the C library; must not return.
    Never,
}

/// A frame shared between states.
#[derive(Debug)]
pub struct Link {
    frame: Frame,
    below: Option<Rc<Link>>,
    /// Registers of this frame and all below, once somebody asked.
    registers: Cell<Option<Registers>>,
}

/// How many registers (slots without constants) hold concrete values and expressions. One that was not written yet holds
/// a concrete zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// Concrete values.
    pub concrete: u64,
    /// Expressions.
    pub symbolic: u64,
}

impl Registers {
    fn with(self, program: &Program, frame: &Frame) -> Registers {
        let constants = program.functions.get(frame.func as usize).map_or(0, |f| f.consts.len());
        let values = frame.regs.get(constants..).unwrap_or_default();
        let symbolic = values.iter().filter(|v| v.sym.is_some()).count() as u64;
        Registers {
            concrete: self.concrete + values.len() as u64 - symbolic,
            symbolic: self.symbolic + symbolic,
        }
    }
}

impl Link {
    /// Registers of this frame and all below. Walks down to the first frame that knows, and remembers on the way back.
    fn registers(&self, program: &Program) -> Registers {
        let mut unknown: Vec<&Link> = Vec::new();
        let mut at = Some(self);
        let mut all = Registers::default();
        while let Some(link) = at {
            if let Some(known) = link.registers.get() {
                all = known;
                break;
            }
            unknown.push(link);
            at = link.below.as_deref();
        }
        for link in unknown.into_iter().rev() {
            all = all.with(program, &link.frame);
            link.registers.set(Some(all));
        }
        all
    }
}

impl Drop for Link {
    // Long chains (deep recursion) must not be dropped recursively.
    fn drop(&mut self) {
        let mut next = self.below.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut link) => next = link.below.take(),
                Err(_) => break,
            }
        }
    }
}

/// A concrete assignment that satisfies the path condition.
#[derive(Debug)]
pub struct Witness {
    /// Identity of the content.
    pub id: u64,
    /// Byte of each symbol; symbols beyond the end are zero.
    pub bytes: Vec<u8>,
}

impl Witness {
    /// For evaluation.
    pub fn assignment(&self) -> Assignment<'_> {
        Assignment { id: self.id, bytes: &self.bytes }
    }
}

/// A symbolic input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name, as the program gave it.
    pub name: String,
    /// First symbol.
    pub first: u32,
    /// Bytes.
    pub size: u32,
    /// Address given to klee_make_symbolic, for reports.
    pub address: u64,
}

/// Output of the program, newest first; bytes may be symbolic.
#[derive(Debug)]
pub struct Output {
    /// File descriptor.
    pub fd: u32,
    /// The bytes; symbolic ones are in `symbolic`.
    pub bytes: Vec<u8>,
    /// Offsets and expressions of symbolic bytes.
    pub symbolic: Vec<(u32, Expr)>,
    /// What was written before.
    pub before: Option<Rc<Output>>,
}

impl Drop for Output {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut o) => next = o.before.take(),
                Err(_) => break,
            }
        }
    }
}

/// A place `setjmp` was called: its activation, and its slots as they were (single assignment: values made before
/// stay, later ones are computed again).
#[derive(Debug)]
pub struct JumpTarget {
    /// Address of the buffer.
    pub buffer: u64,
    /// Activation.
    pub serial: u64,
    /// The call of setjmp.
    pub pc: u32,
    /// Slots at that time.
    pub regs: Vec<Value>,
    /// Where the result of setjmp goes.
    pub dst: Slot,
    /// Number of stack objects alive then.
    pub allocas: usize,
    /// Blocked signals to return to (sigsetjmp with a second argument that is not zero).
    pub mask: Option<u64>,
}

/// What the virtual operating system keeps per state (see the `Os` trait).
pub trait OsState: Any {
    /// A copy for a forked state.
    fn clone_box(&self) -> Box<dyn OsState>;
    /// Every expression it names, for garbage collection; parts shared with other states once.
    fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>);
    /// For downcasting.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// For downcasting.
    fn as_any(&self) -> &dyn Any;
}

/// One decision at a symbolic fork, newest first (for `--write-paths` and the execution tree).
#[derive(Debug)]
pub struct Decision {
    /// Arm taken (0 = true / first).
    pub arm: u32,
    /// Location number.
    pub loc: u32,
    /// Earlier decisions.
    pub before: Option<Rc<Decision>>,
}

impl Drop for Decision {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut d) => next = d.before.take(),
                Err(_) => break,
            }
        }
    }
}

/// An edge that this path, or the one it was forked from, was the first of all to take; newest first.
#[derive(Debug)]
pub struct First {
    /// The edge.
    pub edge: u32,
    /// Earlier ones.
    pub before: Option<Rc<First>>,
}

impl First {
    #[cold]
    pub(crate) fn push(list: &mut Option<Rc<First>>, edge: u32) {
        *list = Some(Rc::new(First { edge, before: list.take() }));
    }
}

impl Drop for First {
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(rc) = next {
            match Rc::try_unwrap(rc) {
                Ok(mut f) => next = f.before.take(),
                Err(_) => break,
            }
        }
    }
}

/// The place of a state in the execution tree; whoever keeps the tree gives it a meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreePlace {
    /// A node.
    pub node: u32,
    /// The state was forked off below that node and has not run since.
    pub fresh: bool,
}

/// See the module text.
pub struct State {
    /// Identity.
    pub id: StateId,
    /// The running activation.
    pub frame: Frame,
    /// Callers not shared with other states, outermost first.
    owned: Vec<Frame>,
    /// Registers of the first frames of `owned`, each with all below it, as far as somebody asked.
    owned_registers: Vec<Registers>,
    /// Callers shared with other states.
    shared: Option<Rc<Link>>,
    /// Number of frames.
    pub stack_depth: u32,
    /// Bytes on the stack, as far as they are known.
    pub stack_bytes: u64,
    /// The most there ever were.
    pub stack_peak: u64,
    /// Memory.
    pub mem: Memory,
    /// Path condition.
    pub condition: ConstraintSet,
    /// An assignment satisfying it.
    pub witness: Rc<Witness>,
    /// Known inputs that satisfy the path condition.
    pub seeds: Vec<Seed>,
    /// Symbolic inputs in order of creation.
    pub inputs: Rc<Vec<Input>>,
    /// Output so far.
    pub output: Option<Rc<Output>>,
    /// Edge to follow before anything else (after a fork).
    pub pending_edge: Option<u32>,
    /// Condition that is not known to be feasible yet; must be solved before the state runs.
    pub pending: Option<Expr>,
    /// What the fork that made this state was about: a number for its edge, its condition and the decision before it,
    /// the same on every path (see `Exprs::fingerprint`). Kept for searches that leave branches unsolved
    /// (`Config::lazy`), as is `decided`: a number for the last decision of the path.
    pub fork_key: u64,
    /// See `fork_key`.
    pub decided: u64,
    /// Arms of switches in the user's code that the path took last, each once, newest first: mostly what its options
    /// are. Kept as `fork_key` is.
    pub cases: [u32; CASES],
    /// LLVM instructions executed.
    pub instructions: u64,
    /// The count when `main` was entered.
    pub main_at: u64,
    /// Activation of `main`; 0 before it.
    pub main_serial: u64,
    /// The count when it last covered something new, if ever.
    pub last_new: Option<u64>,
    /// Covered something new since it was forked.
    pub covered_new: bool,
    /// Edges that nobody had taken before it.
    pub firsts: Option<Rc<First>>,
    /// Its place in the execution tree.
    pub place: TreePlace,
    /// Symbolic branches taken with both sides feasible.
    pub depth: u32,
    /// Decisions taken, when they are recorded.
    pub decisions: Option<Rc<Decision>>,
    /// Targets of longjmp, by number.
    pub jumps: Rc<Vec<Rc<JumpTarget>>>,
    /// Forking allowed (klee_set_forking).
    pub forking: bool,
    /// Values tried so far at one place: (function, pc, count); see `Vm::concretize`.
    pub tried: (u32, u32, u32),
    /// State of the virtual operating system.
    pub os: Option<Box<dyn OsState>>,
    /// Serial of the next activation.
    pub next_serial: u64,
    /// Wall time spent by the solver for this state, in nanoseconds.
    pub solver_nanos: u64,
    /// The same in units of work (`Solver::work`, about a nanosecond each), which repeat from run to run: what searches
    /// look at.
    pub solver_work: u64,
    /// Branches, switches and computed jumps executed: symbolic ones always, concrete ones only while
    /// `Config::count_executions` is on.
    pub branches: u64,
    /// Registers of all frames, when they were last counted (`count_registers`).
    pub registers: Registers,
    /// Soft preferences for the test (klee_prefer_cex).
    pub preferences: Rc<Vec<Expr>>,
    /// Inputs begin with random values that follow from this number and their name; 0: with zeros.
    pub salt: u64,
    /// The thread pointer that the C library set.
    pub thread_pointer: u64,
}

impl State {
    /// A state about to run `frame`.
    pub fn new(id: StateId, frame: Frame, mem: Memory) -> State {
        State {
            id,
            frame,
            owned: Vec::new(),
            owned_registers: Vec::new(),
            shared: None,
            stack_depth: 1,
            stack_bytes: 0,
            stack_peak: 0,
            mem,
            condition: ConstraintSet::default(),
            witness: Rc::new(Witness { id: 1, bytes: Vec::new() }),
            seeds: Vec::new(),
            inputs: Rc::default(),
            output: None,
            pending_edge: None,
            pending: None,
            fork_key: 0,
            decided: 0,
            cases: [u32::MAX; CASES],
            instructions: 0,
            main_at: 0,
            main_serial: 0,
            last_new: None,
            covered_new: false,
            firsts: None,
            place: TreePlace::default(),
            depth: 0,
            decisions: None,
            jumps: Rc::default(),
            forking: true,
            tried: (u32::MAX, 0, 0),
            os: None,
            next_serial: 1,
            solver_nanos: 0,
            solver_work: 0,
            branches: 0,
            registers: Registers::default(),
            preferences: Rc::default(),
            salt: 0,
            thread_pointer: 0,
        }
    }

    /// A copy with another identity. Callers become shared.
    pub fn fork(&mut self, id: StateId) -> Box<State> {
        for (i, frame) in self.owned.drain(..).enumerate() {
            let registers = Cell::new(self.owned_registers.get(i).copied());
            self.shared = Some(Rc::new(Link { frame, below: self.shared.take(), registers }));
        }
        self.owned_registers.clear();
        Box::new(State {
            id,
            frame: self.frame.clone(),
            owned: Vec::new(),
            owned_registers: Vec::new(),
            shared: self.shared.clone(),
            stack_depth: self.stack_depth,
            stack_bytes: self.stack_bytes,
            stack_peak: self.stack_peak,
            mem: self.mem.clone(),
            condition: self.condition.clone(),
            witness: self.witness.clone(),
            // Each seed goes one way; `Vm::sibling` says which.
            seeds: Vec::new(),
            inputs: self.inputs.clone(),
            output: self.output.clone(),
            pending_edge: self.pending_edge,
            pending: self.pending,
            fork_key: self.fork_key,
            decided: self.decided,
            cases: self.cases,
            instructions: self.instructions,
            main_at: self.main_at,
            main_serial: self.main_serial,
            last_new: self.last_new,
            covered_new: false,
            firsts: self.firsts.clone(),
            place: TreePlace { fresh: true, ..self.place },
            depth: self.depth,
            decisions: self.decisions.clone(),
            jumps: self.jumps.clone(),
            forking: self.forking,
            tried: self.tried,
            os: self.os.as_ref().map(|o| o.clone_box()),
            next_serial: self.next_serial,
            solver_nanos: self.solver_nanos,
            solver_work: self.solver_work,
            branches: self.branches,
            registers: self.registers,
            preferences: self.preferences.clone(),
            salt: self.salt,
            thread_pointer: self.thread_pointer,
        })
    }

    /// Enters `callee`.
    #[inline]
    pub fn push_frame(&mut self, callee: Frame) {
        self.owned.push(std::mem::replace(&mut self.frame, callee));
        self.stack_depth += 1;
    }

    /// Leaves the top frame; returns it. `None` at the outermost one (which stays).
    #[inline]
    pub fn pop_frame(&mut self) -> Option<Frame> {
        let below = match self.owned.pop() {
            Some(f) => {
                self.owned_registers.truncate(self.owned.len());
                f
            }
            None => match Rc::try_unwrap(self.shared.take()?) {
                Ok(mut link) => {
                    self.shared = link.below.take();
                    // A frame cannot be moved out of a type with Drop; leave an empty one behind.
                    std::mem::replace(&mut link.frame, Frame::empty())
                }
                Err(rc) => {
                    self.shared = rc.below.clone();
                    rc.frame.clone()
                }
            },
        };
        self.stack_depth -= 1;
        Some(std::mem::replace(&mut self.frame, below))
    }

    /// Frames, innermost first.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        let mut link = self.shared.as_deref();
        let shared = std::iter::from_fn(move || {
            let l = link?;
            link = l.below.as_deref();
            Some(&l.frame)
        });
        std::iter::once(&self.frame).chain(self.owned.iter().rev()).chain(shared)
    }

    /// Counts the registers of all frames. Those of callers are counted once and remembered, so that counting again costs
    /// a look at the running frame.
    pub fn count_registers(&mut self, program: &Program) {
        let mut all = self.shared.as_deref().map_or(Registers::default(), |link| link.registers(program));
        if let Some(known) = self.owned_registers.last() {
            all = *known;
        }
        for frame in &self.owned[self.owned_registers.len()..] {
            all = all.with(program, frame);
            self.owned_registers.push(all);
        }
        self.registers = all.with(program, &self.frame);
    }

    /// The caller of the running function.
    pub fn caller(&self) -> Option<&Frame> {
        self.frames().nth(1)
    }

    /// Appends program output.
    pub fn write_output(&mut self, fd: u32, bytes: Vec<u8>, symbolic: Vec<(u32, Expr)>) {
        if !bytes.is_empty() {
            self.output = Some(Rc::new(Output { fd, bytes, symbolic, before: self.output.take() }));
        }
    }

    /// The output chunks, oldest first.
    pub fn output_chunks(&self) -> Vec<&Output> {
        let mut out = Vec::new();
        let mut o = self.output.as_deref();
        while let Some(c) = o {
            out.push(c);
            o = c.before.as_deref();
        }
        out.reverse();
        out
    }

    /// The decisions, oldest first.
    pub fn decision_list(&self) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        let mut d = self.decisions.as_deref();
        while let Some(x) = d {
            out.push((x.arm, x.loc));
            d = x.before.as_deref();
        }
        out.reverse();
        out
    }

    /// Every expression the state names, for garbage collection.
    pub(crate) fn expressions(&self, visited: &mut Visited, out: &mut Vec<Expr>) {
        let values = |regs: &[Value], out: &mut Vec<Expr>| out.extend(regs.iter().filter_map(|v| v.sym));
        values(&self.frame.regs, out);
        for f in &self.owned {
            values(&f.regs, out);
        }
        let mut link = self.shared.as_deref();
        while let Some(l) = link {
            if !visited.first(l) {
                break;
            }
            values(&l.frame.regs, out);
            link = l.below.as_deref();
        }
        self.mem.expressions(visited, out);
        out.extend(self.condition.iter());
        out.extend(self.pending);
        out.extend(self.preferences.iter().copied());
        for j in self.jumps.iter() {
            if visited.first(&**j) {
                values(&j.regs, out);
            }
        }
        if let Some(os) = &self.os {
            os.expressions(visited, out);
        }
        let mut o = self.output.as_deref();
        while let Some(chunk) = o {
            if !visited.first(chunk) {
                break;
            }
            out.extend(chunk.symbolic.iter().map(|s| s.1));
            o = chunk.before.as_deref();
        }
    }

    /// The path takes an arm of a switch.
    pub(crate) fn take_case(&mut self, edge: u32) {
        if !self.cases.contains(&edge) {
            self.cases.copy_within(..CASES - 1, 1);
            self.cases[0] = edge;
        }
    }

    /// Records a decision.
    pub fn decide(&mut self, arm: u32, loc: u32) {
        self.decisions = Some(Rc::new(Decision { arm, loc, before: self.decisions.take() }));
    }
}

impl Frame {
    /// A frame of no function.
    pub fn empty() -> Frame {
        Frame {
            func: 0,
            pc: 0,
            regs: Vec::new(),
            allocas: Vec::new(),
            ret_dst: 0,
            ret_slots: 0,
            varargs: None,
            serial: 0,
            on_return: OnReturn::Resume,
            call_path: 0,
        }
    }
}

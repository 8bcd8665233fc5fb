//! The machine: what all states share.

use crate::builtins::{Builtin, Shortcut};
use crate::counts::Counts;
use crate::coverage::Coverage;
use crate::fault::Termination;
use crate::profile::Profile;
use crate::shares::{ShareLimits, Shares};
use crate::signal::Delivery;
use crate::state::{State, StateId, Witness};
use crate::tape::Tape;
use crate::value::Value;
use forkwise_expr::{Evaluator, Expr, Exprs, TableId};
use forkwise_ir::Program;
use forkwise_solver::Solver;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What the machine checks and allows. A value, passed in; never a global.
#[derive(Clone, Debug)]
pub struct Config {
    /// Report shifts by the width or more.
    pub check_overshift: bool,
    /// Report division by zero (always on outside of KLEE's `--check-div-zero=false`).
    pub check_div_zero: bool,
    /// Report heap objects that are unreachable when the program exits.
    pub check_leaks: bool,
    /// Greatest number of frames.
    pub max_stack_frames: u32,
    /// Greatest number of bytes on the stack (8 MiB, as on Linux).
    pub max_stack_bytes: u64,
    /// Greatest number of bytes a path may have allocated.
    pub max_path_memory: u64,
    /// Greatest object that `malloc` gives; larger requests return null.
    pub max_allocation: u64,
    /// Instructions after which a path counts as hanging (0: never).
    pub max_path_instructions: u64,
    /// Forked values of one symbolic size, pointer or jump target, at one place on one path.
    pub max_values: u32,
    /// Elements of an array that a symbolic index may select from before the index is made concrete by forking.
    pub max_table: u64,
    /// Elements that a write with a symbolic index may touch before the index is made concrete by forking.
    pub max_symbolic_store: u64,
    /// Depth at which branches stop forking (0: never).
    pub max_depth: u32,
    /// Limits on the share of one place in all forks and solving.
    pub shares: Option<ShareLimits>,
    /// Record decisions (execution tree, `--write-paths`).
    pub record_decisions: bool,
    /// A recorded path, a number for each decision: 1 where the condition of a branch holds and 0 where it does not,
    /// the number of the case at a switch. Afterwards the path forks as usual. Has no effect with `lazy`.
    pub replay_path: Option<Rc<[u32]>>,
    /// Leave the side of a branch that the witness does not take unsolved until it is chosen.
    pub lazy: bool,
    /// Concolic testing: every side of a symbolic branch that the witness does not take is a sibling, unsolved, whether
    /// it is feasible or not; and what a path does depends on nothing but its beginning and the answers it got.
    pub concolic: bool,
    /// What states at a beginning draw random inputs from; 0: inputs begin with zeros.
    pub salt: u64,
    /// Count how often blocks are entered and what each call path executes ([`Vm::counts`]), and the concrete branches of
    /// each path, for searches that look at it.
    pub count_executions: bool,
    /// `klee_assume` that cannot hold ends the path silently.
    pub silent_assume: bool,
    /// Values for inputs, in order; the k-th input of a name takes the k-th entry of that name as its first witness.
    pub seed_inputs: Vec<(String, Vec<u8>)>,
    /// Inputs are not symbolic at all but have the values of `seed_inputs` (zero where it has none): a replay.
    pub concrete_inputs: bool,
    /// An input longer than a seed's value for it takes that value and zeros; otherwise the seed is given up.
    pub extend_seeds: bool,
    /// An input shorter than a seed's value takes what fits; otherwise the seed is given up.
    pub cut_seeds: bool,
    /// Every so many concrete reads from memory, the value becomes a symbol that is known to have it (0: never). It
    /// stresses the symbolic side of the machine; results change only where that lacks something (long double).
    pub concrete_to_symbolic: u32,
    /// Size reported by `forkwise_size()`.
    pub size_parameter: u64,
    /// KLEE's wording in messages.
    pub klee_names: bool,
    /// Seed of the random numbers that the program gets from its operating system.
    pub random_seed: u64,
    /// Ask how far a symbolic index really goes before making a table of what it may select; otherwise only its own
    /// structure counts.
    pub simplify_indices: bool,
    /// A symbolic switch is a chain of decisions between one target and all others, instead of one decision among all.
    /// Has no effect in concolic testing, and where decisions are recorded or replayed.
    pub switch_chain: bool,
    /// The solver's time for one operation, over all its queries, after which the path is left unfinished.
    pub max_operation_time: Option<Duration>,
    /// What a system call does that is not modelled.
    pub unmodelled: Unmodelled,
}

/// What becomes of a system call that is not modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmodelled {
    /// It fails with ENOSYS, as on a kernel without it.
    #[default]
    Fail,
    /// It returns 0 and does nothing.
    Succeed,
    /// The path ends: what would follow may not be what the program does.
    Stop,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            check_overshift: false,
            check_div_zero: true,
            check_leaks: false,
            max_stack_frames: 200_000,
            max_stack_bytes: 8 << 20,
            max_path_memory: 2 << 30,
            max_allocation: 1 << 30,
            max_path_instructions: 0,
            max_values: 64,
            max_table: 1 << 16,
            max_symbolic_store: 512,
            max_depth: 0,
            shares: None,
            record_decisions: false,
            replay_path: None,
            lazy: false,
            concolic: false,
            salt: 0,
            count_executions: false,
            silent_assume: false,
            seed_inputs: Vec::new(),
            concrete_inputs: false,
            extend_seeds: true,
            cut_seeds: true,
            concrete_to_symbolic: 0,
            size_parameter: 0,
            klee_names: false,
            random_seed: 0,
            simplify_indices: true,
            switch_chain: false,
            max_operation_time: None,
            unmodelled: Unmodelled::default(),
        }
    }
}

/// Why `run` came back.
#[derive(Debug)]
pub enum Step {
    /// The budget is used up; the state can go on.
    Budget,
    /// Queries took long: a moment to look at the clock. The same state goes on, with what is left of its budget.
    Paused,
    /// Siblings are in [`Vm::forks`] or [`Vm::ended`]; the state can go on.
    Forked,
    /// The path ended.
    Ended(Termination),
}

/// A sibling that ended the moment it was forked.
pub struct Ended {
    /// The state.
    pub state: Box<State>,
    /// How it ended.
    pub termination: Termination,
}

/// Result of a system call.
pub enum SysResult {
    /// The value in the result register (negative errno on failure).
    Value(Value),
    /// The path ends.
    End(Termination),
    /// The system call is not modelled: -ENOSYS, counted.
    Unmodelled,
}

/// The virtual operating system below the C library.
pub trait Os {
    /// Performs a system call of `st`.
    fn syscall(
        &mut self,
        vm: &mut Vm,
        st: &mut State,
        number: u64,
        args: &[Value; 6],
    ) -> Result<SysResult, Termination>;

    /// After each system call: the next signal whose handler is to be called, or the end by a signal without one.
    fn next_signal(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        let _ = (vm, st);
        Ok(None)
    }

    /// The program calls `abort`: its handler of SIGABRT, if it has one.
    fn abort_handler(&mut self, vm: &mut Vm, st: &mut State) -> Result<Option<Delivery>, Termination> {
        let _ = (vm, st);
        Ok(None)
    }

    /// The blocked signals.
    fn signal_mask(&self, st: &State) -> u64 {
        let _ = st;
        0
    }

    /// Blocks these signals and no others.
    fn set_signal_mask(&mut self, st: &mut State, mask: u64) {
        let _ = (st, mask);
    }
}

/// An operation that is about to be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// The state that executes it.
    pub state: StateId,
    /// Its function.
    pub func: u32,
    /// Its place in the function's code.
    pub pc: u32,
}

/// Hears of every operation.
pub type Tracer = Box<dyn FnMut(&Program, Executed)>;

/// See the module text.
pub struct Vm {
    /// The program.
    pub program: Rc<Program>,
    /// All expressions.
    pub exprs: Exprs,
    /// The solver chain.
    pub solver: Solver,
    /// Evaluation under witnesses.
    pub eval: Evaluator,
    /// Settings.
    pub config: Config,
    /// What was executed.
    pub coverage: Coverage,
    /// How often it was executed, if `Config::count_executions` asks for it.
    pub counts: Counts,
    /// Where forks, solving and instructions went.
    pub profile: Profile,
    /// New live siblings since the caller last took them.
    pub forks: Vec<Box<State>>,
    /// New ended siblings since the caller last took them.
    pub ended: Vec<Ended>,
    /// Warnings for the user, each text once, in order.
    pub notes: Vec<String>,
    /// System calls without a model: number → times.
    pub unmodelled: BTreeMap<u64, u64>,
    /// Lines printed by klee_print_expr and friends, for stderr.
    pub messages: Vec<String>,
    /// The virtual operating system.
    pub os: Option<Box<dyn Os>>,
    /// Hears of every operation, the C library's included. Without one, nothing is spent on it.
    pub tracer: Option<Tracer>,
    /// States forked so far.
    pub fork_count: u64,
    /// Instructions that the C library executed before `main`.
    pub startup_instructions: u64,
    /// No more forks (a limit was reached): branches follow the witness.
    pub stop_forking: bool,
    /// Answers of the solver, recorded or played.
    pub tape: Tape,
    /// So many siblings are not made: a path is run again up to one of them.
    pub skip_siblings: u64,
    /// When the first query since `run` was called began.
    pub(crate) solving_since: Option<Instant>,
    pub(crate) builtins: Vec<Option<Builtin>>,
    pub(crate) shortcuts: Vec<Option<Shortcut>>,
    /// Functions without by-value parameters: arguments are copied slot by slot.
    pub(crate) plain: Vec<bool>,
    /// Calls of the first function go to the second (klee_alias_function).
    pub(crate) function_aliases: BTreeMap<u32, u32>,
    /// The function that counts as the program's beginning.
    pub(crate) entry: u32,
    /// The C library's function that runs destructors.
    pub(crate) exit_hook: Option<u32>,
    pub(crate) next_state: StateId,
    next_witness: u64,
    symbols: FxHashMap<(String, u32), u32>,
    next_symbol: u32,
    pub(crate) constant_tables: FxHashMap<(u64, u64, u64, u64, u64), TableId>,
    /// Words that were put together from bytes before, by these bytes, lowest first: tables are read again and again.
    pub(crate) words: FxHashMap<[Option<Expr>; 8], Expr>,
    seen_notes: std::collections::BTreeSet<String>,
    pub(crate) regs_pool: Vec<Vec<Value>>,
    pub(crate) shares: Option<Box<Shares>>,
    /// Concrete reads so far, counted for `Config::concrete_to_symbolic` only.
    pub(crate) concrete_reads: u64,
}

impl Vm {
    /// A machine for a program.
    pub fn new(program: Rc<Program>, solver: Solver, config: Config) -> Vm {
        let (coverage, counts) = (Coverage::new(&program), Counts::new(&program));
        let profile = Profile::new(&program);
        let shares = config.shares.map(|limits| Box::new(Shares::new(limits)));
        let (builtins, shortcuts) = crate::builtins::resolve(&program);
        let plain = program
            .functions
            .iter()
            .map(|f| !f.params.iter().any(|p| matches!(p, forkwise_ir::ArgType::ByVal { .. })))
            .collect();
        Vm {
            program,
            exprs: Exprs::new(),
            solver,
            eval: Evaluator::default(),
            config,
            coverage,
            counts,
            profile,
            forks: Vec::new(),
            ended: Vec::new(),
            notes: Vec::new(),
            unmodelled: BTreeMap::new(),
            messages: Vec::new(),
            os: None,
            tracer: None,
            fork_count: 0,
            startup_instructions: 0,
            stop_forking: false,
            tape: Tape::Off,
            skip_siblings: 0,
            solving_since: None,
            builtins,
            shortcuts,
            plain,
            function_aliases: BTreeMap::new(),
            entry: u32::MAX,
            exit_hook: None,
            next_state: 1,
            next_witness: 2,
            symbols: FxHashMap::default(),
            next_symbol: 0,
            constant_tables: FxHashMap::default(),
            words: FxHashMap::default(),
            seen_notes: Default::default(),
            regs_pool: Vec::new(),
            shares,
            concrete_reads: 0,
        }
    }

    /// Tells the user something once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.seen_notes.insert(text.clone()) {
            self.notes.push(text);
        }
    }

    /// Symbols for an input of this name and size: the same on every path, so that answers can be shared.
    pub(crate) fn symbols_for(&mut self, name: &str, size: u32) -> u32 {
        if let Some(first) = self.symbols.get(&(name.to_string(), size)) {
            return *first;
        }
        let first = self.next_symbol;
        self.next_symbol += size;
        self.symbols.insert((name.to_string(), size), first);
        first
    }

    /// A witness with new content.
    pub(crate) fn new_witness(&mut self, bytes: Vec<u8>) -> Rc<Witness> {
        self.next_witness += 1;
        Rc::new(Witness { id: self.next_witness, bytes })
    }

    /// The value of an expression (at most 64 bits) under the state's witness.
    pub fn eval(&mut self, st: &State, e: Expr) -> u64 {
        self.eval.eval_u64(&self.exprs, e, st.witness.assignment())
    }

    /// The value of a slot of at most 64 bits under the state's witness.
    pub fn eval_value(&mut self, st: &State, v: Value) -> u64 {
        match v.sym {
            None => v.bits,
            Some(e) => self.eval(st, e),
        }
    }

    /// An expression of width `w` for a value.
    #[inline]
    pub fn expr_of(&mut self, v: Value, w: u32) -> Expr {
        match v.sym {
            Some(e) => e,
            None => self.exprs.constant(w, v.bits),
        }
    }

    /// A value from an expression of at most 64 bits: concrete when it is a constant.
    #[inline]
    pub fn value_of(&mut self, e: Expr) -> Value {
        match self.exprs.const_u64(e) {
            Some(c) => Value::concrete(c),
            None => Value::symbolic(e),
        }
    }

    /// Bytes of each input under the state's witness, in order.
    pub fn input_bytes(&self, st: &State) -> Vec<(String, Vec<u8>)> {
        let a = st.witness.assignment();
        st.inputs
            .iter()
            .map(|i| {
                let bytes = (i.first..i.first + i.size).map(|s| a.get(forkwise_expr::SymbolId(s))).collect();
                (i.name.clone(), bytes)
            })
            .collect()
    }

    /// Output of one descriptor under the state's witness.
    pub fn output_bytes(&mut self, st: &State, fd: u32) -> Vec<u8> {
        let mut out = Vec::new();
        for c in st.output_chunks() {
            if c.fd != fd {
                continue;
            }
            let at = out.len();
            out.extend_from_slice(&c.bytes);
            for (i, e) in &c.symbolic {
                out[at + *i as usize] = self.eval(st, *e) as u8;
            }
        }
        out
    }
}

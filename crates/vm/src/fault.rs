//! How a path ends. "The program is wrong" ([`Fault`]), "we do not support this" and "we are wrong" are different
//! outcomes everywhere.

use crate::state::State;
use forkwise_ir::Program;

/// What is wrong with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FaultKind {
    OutOfBoundsRead,
    OutOfBoundsWrite,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    NullDereference,
    WriteToConstant,
    DivisionByZero,
    OversizedShift,
    /// A check that the compiler put in (UBSan); the message says which.
    Undefined(UbKind),
    AssertionFailure,
    Abort,
    Unreachable,
    StackExhaustion,
    MemoryExhaustion,
    InstructionLimit,
    Leak,
    UserError,
    BadCall,
    BadJump,
}

/// Kinds of compiled-in checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UbKind {
    IntegerOverflow,
    DivisionOverflow,
    ShiftOutOfBounds,
    ArrayIndex,
    PointerOverflow,
    NullOrMisaligned,
    InvalidValue,
    FloatCast,
    ImplicitConversion,
    InvalidBuiltin,
    MissingReturn,
    UnreachableReached,
    VlaBound,
    NonnullViolated,
    FunctionType,
    Alignment,
    Other,
}

/// A bug found: kind, words, and for memory faults the address and the object concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened, in one line.
    pub message: String,
    /// The faulting address under the witness.
    pub address: Option<u64>,
    /// Further lines of explanation (the object's name, size, allocation site).
    pub details: Vec<String>,
    /// Suffix for KLEE's `.err` files when the program chose it (klee_report_error).
    pub suffix: Option<String>,
    /// File and line when the report names another place than the failing instruction (assertions).
    pub place: Option<(String, u32)>,
}

/// A limit that ended a path; not the program's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Limit {
    Depth,
    Forks,
    Instructions,
    Time,
    Memory,
    /// More values of a symbolic size, pointer or jump than the limit allows; the text says where.
    Values(String),
    /// The solver gave no answer.
    Solver(String),
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Termination {
    /// The program exited with this status.
    Exit(i32),
    /// The program was ended by this signal, which it sent itself.
    Signal(i32),
    /// The program is wrong.
    Fault(Box<Fault>),
    /// We do not support something that this path needs.
    Unsupported(String),
    /// A limit; the path is unfinished.
    Limit(Limit),
    /// The path ended by its own request (klee_silent_exit) or its assumption is impossible: no test.
    Silent,
    /// `klee_assume` of something that cannot hold.
    ImpossibleAssumption,
    /// We are wrong: an internal error, caught on this path.
    Internal(String),
}

impl Fault {
    /// A fault with a message only.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into(), address: None, details: Vec::new(), suffix: None, place: None }
    }

    /// As the end of a path.
    pub fn end(self) -> Termination {
        Termination::Fault(Box::new(self))
    }
}

/// One line of a stack: function and place, innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StackLine {
    /// Function name (of the source function when inlined).
    pub function: String,
    /// Source path, empty when unknown.
    pub file: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
    /// From the C library.
    pub is_library: bool,
    /// Function number and operation, for mapping back to the assembly.
    pub at: (u32, u32),
}

/// The stack of a state, innermost first, inlined calls expanded.
pub fn backtrace(program: &Program, st: &State) -> Vec<StackLine> {
    let mut out = Vec::new();
    for frame in st.frames() {
        let f = &program.functions[frame.func as usize];
        let mut loc = f.locs.get(frame.pc as usize).copied().unwrap_or(0);
        loop {
            let l = program.locations.get(loc as usize).copied().unwrap_or_default();
            let name = match (program.functions.get(l.function as usize), program.names.get(l.name as usize))
            {
                (_, Some(name)) if loc != 0 && !name.is_empty() => name.clone(),
                (Some(g), _) if loc != 0 => g.name.clone(),
                _ => f.name.clone(),
            };
            let file = if l.line == 0 { None } else { program.files.get(l.file as usize) };
            out.push(StackLine {
                function: name,
                file: file.map(|s| s.path.clone()).unwrap_or_default(),
                line: l.line,
                column: l.column,
                is_library: f.is_library || file.is_some_and(|s| s.is_library),
                at: (frame.func, frame.pc),
            });
            if l.inlined_at == 0 || loc == 0 {
                break;
            }
            loc = l.inlined_at;
        }
        if out.len() > 200 {
            break;
        }
    }
    out
}

//! The lowered program: everything the engine needs, with no LLVM object behind it.

use crate::op::{FpFormat, Op, Slot};

/// A whole program, ready to run.
#[derive(Debug, Default)]
pub struct Program {
    /// Name for messages (the file it came from).
    pub name: String,
    /// All functions, declarations included; the position is the function's number.
    pub functions: Vec<Function>,
    /// Every control-flow edge of the program; the position is the edge's number.
    pub edges: Vec<Edge>,
    /// Conditional branches and switches, in program order.
    pub branches: Vec<Branch>,
    /// What the conditions of the branches are made of, one each.
    pub conditions: Vec<Condition>,
    /// Lexical scopes of branches (compound statements, `if`s, …): the number of the scope around each. Scope 0 is
    /// "unknown", and around everything.
    pub scopes: Vec<u32>,
    /// All blocks; functions own consecutive ranges.
    pub blocks: Vec<Block>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// First free small index after the globals.
    pub first_free_index: u32,
    /// First free large index after the globals.
    pub first_free_large: u32,
    /// Constructors to run before main, in order; destructors after it.
    pub constructors: Vec<u32>,
    /// Destructors, in order.
    pub destructors: Vec<u32>,
    /// Source files, by number.
    pub files: Vec<SourceFile>,
    /// Source locations, by number; location 0 is "unknown".
    pub locations: Vec<Location>,
    /// Names of source functions, for `Location::name`; name 0 is empty.
    pub names: Vec<String>,
    /// Texts of inline assembly.
    pub asm: Vec<String>,
    /// Texts of unsupported instructions.
    pub unsupported: Vec<String>,
    /// Undefined global variables that were given zero-filled storage (their names), for a warning.
    pub undefined_globals: Vec<String>,
    /// Counters of the native program's coverage: one for each arm of each branch of the user's code.
    pub counters: u32,
    /// What loading had to leave out, one sentence each, for a warning.
    pub warnings: Vec<String>,
}

/// One function.
#[derive(Debug, Default)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// The operations; empty for a declaration.
    pub code: Vec<Op>,
    /// Location number of each operation.
    pub locs: Vec<u32>,
    /// For each operation: how many LLVM instructions of its block lie at or before it (for exact counts when a
    /// path ends inside a block).
    pub inst_offsets: Vec<u32>,
    /// Constants: the first slots of every frame.
    pub consts: Vec<u64>,
    /// Slots of all parameters together; they follow the constants.
    pub param_slots: u32,
    /// Types of the parameters, one each.
    pub params: Vec<ArgType>,
    /// Slots of the result.
    pub ret_slots: u32,
    /// Type of the result (`None`: void).
    pub ret: Option<ArgType>,
    /// Slots of a frame, constants and parameters included.
    pub n_slots: u32,
    /// Accepts more arguments than `params`.
    pub variadic: bool,
    /// The edge that enters the function (counts its first block). Meaningless for declarations.
    pub entry_edge: u32,
    /// Its blocks: `Program::blocks[first_block .. first_block + n_blocks]`.
    pub first_block: u32,
    /// Number of blocks.
    pub n_blocks: u32,
    /// Calls and intrinsics.
    pub sites: Vec<CallSite>,
    /// Switches.
    pub switches: Vec<SwitchTable>,
    /// Possible edges of each indirectbr.
    pub indirect_targets: Vec<Vec<u32>>,
    /// Bit casts that change the slot structure.
    pub bitcasts: Vec<BitcastShape>,
    /// Names of stack variables.
    pub variables: Vec<String>,
    /// Where it is defined.
    pub location: u32,
    /// Returns twice (setjmp and friends); calls to it are remembered.
    pub returns_twice: bool,
    /// `noreturn` attribute.
    pub noreturn: bool,
    /// Comes from the C library, not from the user's code (not counted in coverage).
    pub is_library: bool,
}

/// Type of an argument or result, as far as calls need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgType {
    /// Integer of some width.
    Int(u32),
    /// Pointer.
    Ptr,
    /// Pointer to a copy made for the callee.
    ByVal {
        /// Size of the copy.
        size: u64,
        /// Its alignment.
        align: u32,
    },
    /// Floating point.
    Float(FpFormat),
    /// Vector or aggregate, by its leaves: width in bits of each leaf value.
    Aggregate(Vec<u32>),
}

impl ArgType {
    /// Slots a value of this type takes.
    pub fn slots(&self) -> u32 {
        match self {
            ArgType::Int(w) => w.div_ceil(64),
            ArgType::Ptr | ArgType::ByVal { .. } => 1,
            ArgType::Float(format) => format.slots(),
            ArgType::Aggregate(leaves) => leaves.iter().map(|w| w.div_ceil(64)).sum(),
        }
    }
}

/// Arguments and result of one call.
#[derive(Clone, Debug, Default)]
pub struct CallSite {
    /// Slots of the arguments, flattened: one entry per slot, so an argument of two slots has two.
    pub slots: Vec<Slot>,
    /// One type per argument.
    pub args: Vec<ArgType>,
    /// Number of result slots.
    pub ret_slots: u32,
    /// Type of the result.
    pub ret: Option<ArgType>,
    /// The callee takes the place of the caller's frame (`musttail`).
    pub must_tail: bool,
}

/// A control-flow edge. Entering a function counts as one, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge {
    /// Where execution continues: the target block's first operation, or the copies for its phis.
    pub pc: u32,
    /// LLVM instructions of the target block (debug intrinsics not counted).
    pub insts: u32,
    /// Target block (index into `Program::blocks`).
    pub block: u32,
    /// Source block; equal to `u32::MAX` for a function's entry.
    pub from: u32,
}

/// A conditional branch or switch.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Its function.
    pub func: u32,
    /// The block it ends.
    pub block: u32,
    /// First edge; the arms have consecutive numbers (for a switch: cases in order, default last).
    pub first_edge: u32,
    /// Number of arms.
    pub arms: u32,
    /// Counter of the first arm in the native program's coverage (the others follow); `u32::MAX` in library code.
    pub counter: u32,
    /// Location.
    pub loc: u32,
}

/// What the condition of a branch or the value of a switch is made of, as far as the source can be told from the IR.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Compares or tests integers.
    pub integer: bool,
    /// Compares pointers, or reads through one.
    pub pointer: bool,
    /// Compares a character with a constant one, or hands a constant string to a function it calls.
    pub text: bool,
    /// Reads a local variable or a parameter.
    pub local: bool,
    /// Functions whose result it uses, directly or by way of variables.
    pub calls: Vec<u32>,
    /// Scope of the condition's own expression (see `Program::scopes`).
    pub scope: u32,
    /// Scope of the statement that branches. That of an `if` lies right around the condition's.
    pub statement_scope: u32,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its function.
    pub func: u32,
    /// First operation.
    pub pc: u32,
    /// One past its last operation (edge copies excluded).
    pub end: u32,
    /// LLVM instructions in it.
    pub insts: u32,
    /// Edges that leave it.
    pub succs: Vec<u32>,
    /// Functions called directly from it, in order, with the number of instructions before the call.
    pub calls: Vec<(u32, u32)>,
    /// Does it end in a return?
    pub returns: bool,
    /// Nesting depth of natural loops.
    pub loop_depth: u32,
    /// Header block of the innermost loop it is in, or `u32::MAX`.
    pub loop_header: u32,
    /// Distinct source lines (location numbers of line starts) of its instructions.
    pub lines: Vec<u32>,
}

/// Switch cases: `cases[i].0` (zero-extended) → edge `cases[i].1`, sorted by value; `default` otherwise.
#[derive(Clone, Debug, Default)]
pub struct SwitchTable {
    /// Sorted cases.
    pub cases: Vec<(u64, u32)>,
    /// Default edge.
    pub default: u32,
    /// Branch number.
    pub branch: u32,
}

impl SwitchTable {
    /// The edge that a value takes.
    #[inline]
    pub fn edge_for(&self, value: u64) -> u32 {
        match self.cases.binary_search_by_key(&value, |c| c.0) {
            Ok(i) => self.cases[i].1,
            Err(_) => self.default,
        }
    }
}

/// From the leaf widths of the source to those of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcastShape {
    /// Widths of the source's leaves, in memory order (first = lowest bits).
    pub from: Vec<u32>,
    /// Widths of the target's leaves.
    pub to: Vec<u32>,
}

/// A global variable.
#[derive(Clone, Debug, Default)]
pub struct Global {
    /// Symbol name.
    pub name: String,
    /// Its address (see `layout`).
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Initial bytes, addresses resolved; shorter than `size` when the rest is zero.
    pub init: Vec<u8>,
    /// May not be written.
    pub constant: bool,
    /// Alignment.
    pub align: u64,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// Path as recorded by the compiler, joined with its directory when relative.
    pub path: String,
    /// From the C library.
    pub is_library: bool,
}

/// A source location. An inlined instruction names the place it was inlined into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Location {
    /// File number.
    pub file: u32,
    /// Line, from 1; 0 = unknown.
    pub line: u32,
    /// Column, from 1; 0 = unknown.
    pub column: u32,
    /// Location of the call this was inlined at, or 0.
    pub inlined_at: u32,
    /// Name of the source function, as a number into `Program::functions` when it is known, else `u32::MAX`.
    pub function: u32,
    /// Name of the source function as a number into `Program::names` (also known when every call of it was
    /// inlined and the function itself is gone), 0 = unknown.
    pub name: u32,
}

impl Program {
    /// The number of the function with this name.
    pub fn function(&self, name: &str) -> Option<u32> {
        self.functions.iter().position(|f| f.name == name).map(|i| i as u32)
    }

    /// The edges of the branch or switch that an edge belongs to; `None` for other edges.
    pub fn arms_of(&self, edge: u32) -> Option<std::ops::Range<u32>> {
        let i = self.branches.partition_point(|b| b.first_edge <= edge).checked_sub(1)?;
        let branch = &self.branches[i];
        let arms = branch.first_edge..branch.first_edge + branch.arms;
        arms.contains(&edge).then_some(arms)
    }

    /// The block of an operation, and how many of its instructions have begun with it. Inside the copies of an edge:
    /// the block the edge leads to.
    pub fn position(&self, func: u32, pc: u32) -> Option<(u32, u32)> {
        let f = self.functions.get(func as usize)?;
        let first = f.first_block as usize;
        let blocks = self.blocks.get(first..first + f.n_blocks as usize)?;
        let mut at = pc;
        loop {
            let i = blocks.partition_point(|b| b.pc <= at).checked_sub(1)?;
            if at < blocks[i].end {
                let done = if at == pc { f.inst_offsets.get(pc as usize).copied().unwrap_or(0) } else { 0 };
                return Some(((first + i) as u32, done));
            }
            match f.code.get(at as usize)? {
                Op::Goto { pc } => {
                    let i = blocks.partition_point(|b| b.pc <= *pc).checked_sub(1)?;
                    return Some(((first + i) as u32, 0));
                }
                op if op.is_terminator() => return None,
                _ => at += 1,
            }
        }
    }

    /// The global with this name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.iter().find(|g| g.name == name)
    }
}

//! LLVM bitcode lowered once to a compact, pre-decoded [`Program`].
//!
//! `load` reads bitcode, links the C library by need and lowers; no LLVM type leaves this crate, and nothing of
//! LLVM is kept after loading. The crate knows nothing of states or solving. Read `op` for the bytecode, `layout`
//! for addresses, `program` for the rest.

mod archive;
mod dump;
mod error;
mod facts;
mod instrument;
pub mod layout;
mod link;
mod llvm;
mod load;
mod lower;
mod op;
mod probe;
mod program;

pub use error::LoadError;
pub use facts::{BranchDistances, EdgeFacts, FAR, Facts};
pub use instrument::{ARM_SECTION, BITCODE_SECTION, COUNTER_SECTION, embedded_bitcode, instrument};
pub use load::{LoadOptions, WithModule, load, load_with_assembly, load_with_module, print_assembly};
pub use op::{FpBin, FpFormat, FpPred, IntOp, IntPred, Intrinsic, Op, Slot};
pub use program::{
    ArgType, BitcastShape, Block, Branch, CallSite, Condition, Edge, Function, Global, Location, Program,
    SourceFile, SwitchTable,
};

//! Interned bit-vector and floating-point expressions over symbolic input bytes.
//!
//! [`Exprs`] is the only constructor of expressions: it checks widths, simplifies by named rewrite rules and
//! interns, so that equal expressions have equal handles. A handle ([`Expr`]) is four bytes and `Copy`.
//! Leaves are constants and *symbols*; a symbol is one input byte (8 bits). There is no array theory: memory with
//! a symbolic index becomes a [`Kind::Lookup`] into an interned table.
//!
//! This crate knows nothing of programs, states or solvers. Booleans are expressions of width 1.
//! Where to read on: `node` (what there is), `build` (the manager), `rules` (simplification and the normal form),
//! [`semantics`] (what operators mean), `eval` (values under an assignment), `facts` (ranges and known bits).
//!
//! Division and shifts have SMT-LIB's total meaning (x udiv 0 = all ones, x urem 0 = x, oversized shift = 0 or sign).

mod bits;
mod build;
mod display;
mod eval;
mod facts;
mod fingerprint;
mod gc;
mod node;
mod rules;
pub mod semantics;
pub mod softfloat;
mod store;
mod support;

pub use bits::Bits;
pub use build::Exprs;
pub use eval::{Assignment, Evaluator};
pub use node::{Expr, FpOp, Kind, Op, RoundingMode, SymbolId, TableId, Width};

//! Deciding path conditions: satisfiable or not, with a model.
//!
//! A [`ConstraintSet`] keeps a path condition in independent groups as it grows; a query sees only the groups it
//! touches. [`Solver`] is a chain of layers, one file each, assembled in one place ([`chain`]): cheap reasoning,
//! caches, reuse of recent models, our bit-blaster on an incremental SAT solver, and an SMT-LIB program for
//! floating point, hard arithmetic and cross-checking. This crate does not know what a state or a program is.

mod answer;
mod blast;
mod cache;
pub mod chain;
mod config;
mod constraints;
mod deadline;
mod domains;
mod intervals;
mod lanes;
mod models;
mod range;
mod sat;
mod smt;
pub mod trace;

#[cfg(test)]
extern crate self as forkwise_solver;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod common;

pub use answer::{Answer, Stats, Unknown};
pub use chain::Solver;
pub use config::{Config, SatEngine};
pub use constraints::ConstraintSet;

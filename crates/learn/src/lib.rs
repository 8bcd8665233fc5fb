//! Search heuristics as numbers: the file that holds the weights of a parametric heuristic (`weights`), how good weights are
//! found (`optimizer`), and the statistics by which heuristics are compared (`sample`, `wilcoxon`). Nothing here knows an
//! engine: the tables of features are the caller's. This crate runs no program.

mod nearest;
pub mod optimizer;
mod random;
pub mod sample;
pub mod weights;
pub mod wilcoxon;

pub use nearest::nearest;

//! Tuning an engine's parameters while it tests, as in "SymTuner: Maximizing the Power of Symbolic Execution by Adaptively
//! Tuning External Parameters" (ICSE 2022), and better. `tuner` puts the pieces together: `space` is what is tuned, `data`
//! what is known, `cover` its core, `sample` scores and draws, `policy` who decides, `budget` how long runs are. This crate
//! runs nothing, reads no clock and draws no random number of its own.

mod auto;
pub mod budget;
pub mod cover;
pub mod data;
pub mod importance;
pub mod policy;
pub mod sample;
pub mod seeds;
pub mod space;
pub mod space_file;
pub mod tuner;
pub mod venn;
pub mod words;

pub use auto::{Ablation, EVERYTHING, START};
pub use budget::Schedule;
pub use data::Bug;
pub use policy::{Gain, How, Kind, Policy, Proposal};
pub use space::{Parameter, Space, Value, Vector};
pub use space_file::SpaceFile;
pub use tuner::{Reached, Run, Tuner};

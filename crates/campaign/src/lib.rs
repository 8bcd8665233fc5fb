//! Campaigns: many independent runs of the engine, for learning, tuning and comparing. A [`Trial`] says what to run, an
//! [`Outcome`] what came of it; a [`Backend`] runs trials ([`LocalPool`]: child processes), a [`Store`] keeps what came of them,
//! and a [`Campaign`] is the two together, so that nothing is run twice.
//!
//! Nothing here knows what the trials are for: no optimiser, no parameter, no heuristic. Read [`Trial`] first, then [`Campaign`].

mod backend;
mod campaign;
mod hash;
pub mod local;
mod outcome;
pub mod store;
#[cfg(test)]
mod testing;
mod trial;

pub use backend::{Backend, BackendError, Delivery, Report, TestFile};
pub use campaign::{Batch, Campaign, CampaignError, Event, Moment};
pub use hash::ContentHash;
pub use local::{LocalPool, Pool};
pub use outcome::{Bug, End, Outcome};
pub use store::{News, Store, StoreError};
pub use trial::{Attachment, Budget, FILES, ProgramFile, RunId, Trial};

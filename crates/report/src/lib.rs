//! What a run left behind, for people and for other tools.
//!
//! [`data`] has the files of a run folder as types, [`folder`] reads a folder however far its run came, [`formats`] writes what other
//! tools read, [`pages`] the HTML report. Nothing here runs a program; everything that is read is untrusted and escaped.

pub mod campaign;
pub mod data;
pub mod events;
pub mod folder;
pub mod formats;
pub mod pages;

pub use campaign::Campaign;
pub use folder::{Bug, FolderError, Run};
pub use formats::Format;

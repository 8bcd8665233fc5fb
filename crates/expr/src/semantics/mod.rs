//! The concrete meaning of every operator, in one place: constant folding, evaluation and the virtual machine's
//! concrete arithmetic all come here, so they cannot disagree. Values are plain words ([`word`]) up to 64 bits and
//! [`crate::Bits`] ([`wide`]) beyond; floating point is in [`fp`] and, for x87 and quad, in [`crate::softfloat`].
//! Nothing here may know about expressions or their representation.

pub mod fp;
pub mod wide;
pub mod word;

pub use fp::{fp_bits, fp_u64};
pub use wide::{bin_bits, concat_bits, extract_bits, sext_bits, un_bits, zext_bits};
pub use word::{bin_u64, concat_u64, extract_u64, mask, sext_u64, to_signed, un_u64};

//! Noisy counts over a public domain: what the differentially private IPA and the contingency table share.
//!
//! A *cell* is a combination of one released value of every quasi-identifier and one sensitive value. All
//! cells of the domain count, whether a record is in them or not; only those with a noisy count of at least
//! a threshold are released. Proofs: `docs/methods/ipa-private.md`.

mod counts;
mod domain;
mod records;
mod threshold;

pub use counts::CellNoise;
pub(crate) use counts::refuse_undrawable;
pub use domain::CellDomain;
pub(crate) use records::too_wide;
pub use records::{occupied, release};
pub use threshold::{Expected, Tail};

/// The least ε of a step: noise below it is in the thousands.
pub const LEAST_EPSILON: (u64, u64) = (1, 1000);

/// The most records that noise alone may be expected to make.
pub const MOST_FALSE_RECORDS: f64 = 16_777_216.0;

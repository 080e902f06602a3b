//! Equivalence classes at lattice nodes, by roll-up.
//!
//! A [`Cell`] counts the records of one class (with one sensitive value, where those are kept).
//! A node's cells follow from those of any more specific node: replace codes, bring in order, merge.
//! A [`Space`] keeps the cells of the *prefix nodes* (some attributes at their final level, the rest
//! untouched), so that nodes which share a prefix share the work, and begins with the nearest one.

mod base;
mod coding;
mod raise;
mod slots;
mod space;
mod table;

pub use coding::{Coding, layout};
pub use space::Space;
pub use table::ClassTable;

use crate::key::Key;

/// How many records share a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell<const W: usize> {
    /// The codes of the quasi-identifiers, then of the sensitive attribute where it is kept.
    pub key: Key<W>,
    /// The number of records, at least 1.
    pub count: u64,
}

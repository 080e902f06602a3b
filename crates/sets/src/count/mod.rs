//! Counting sets of up to three items in a class.
//!
//! Each set is counted at its rarest item a: among the persons who have a, the items behind a that each of them has, alone or
//! in pairs. So counts of one item's sets fit into a cache, items can be counted in parallel, and no table of all pairs is
//! needed.

pub(crate) mod bits;
pub(crate) mod group;
pub(crate) mod pairs;
pub(crate) mod rank;
pub(crate) mod square;
pub(crate) mod tally;

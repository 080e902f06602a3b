//! Which stream of the seed serves what: draws that share one would depend on each other. The nodes of
//! h-ceiling and ipa use those from 0 up.

/// Insensitive values of counterfeits.
pub(crate) const HOT_DECK: u64 = u64::MAX;
/// The random sample before the search.
pub(crate) const SAMPLE: u64 = u64::MAX - 1;
/// The choice of the node in SafePub.
pub(crate) const SAFE_PUB_SEARCH: u64 = u64::MAX - 2;
/// The sample that SafePub releases.
pub(crate) const SAFE_PUB_SAMPLE: u64 = u64::MAX - 3;
/// Crossing and mutation in the genetic search.
pub(crate) const GENETIC: u64 = u64::MAX - 4;
/// Dives of the best-first search.
pub(crate) const DIVES: u64 = u64::MAX - 5;
/// The first records of blocks in clustering.
pub(crate) const CLUSTER_SEEDS: u64 = u64::MAX - 6;
/// The choice of the node in IPA as published.
pub(crate) const IPA_PUBLISHED_NODE: u64 = u64::MAX - 8;

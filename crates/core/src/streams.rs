//! Which stream of the seed serves what: draws that share one would depend on each other. The nodes of
//! h-ceiling and ipa use those from 0 up.

/// The even spread of counterfeits over values; with the number of a node, of the upper half.
pub const COVERING: u64 = 1 << 63;
/// Insensitive values of counterfeits.
pub(crate) const HOT_DECK: u64 = u64::MAX;
/// The random sample before the search.
pub(crate) const SAMPLE: u64 = u64::MAX - 1;
/// The records of persons who have too many.
pub(crate) const PERSON_RECORDS: u64 = u64::MAX - 25;
/// The choice of the node in SafePub.
pub const SAFE_PUB_SEARCH: u64 = u64::MAX - 2;
/// The sample that SafePub releases.
pub const SAFE_PUB_SAMPLE: u64 = u64::MAX - 3;
/// Crossing and mutation in the genetic search.
pub const GENETIC: u64 = u64::MAX - 4;
/// Chains of the iterated local search, downward from here.
pub const LOCAL_SEARCH: u64 = u64::MAX - 64;
/// Dives of the best-first search.
pub const DIVES: u64 = u64::MAX - 5;
/// The first records of blocks in clustering.
pub const CLUSTER_SEEDS: u64 = u64::MAX - 6;
/// The choice of the node in IPA as published.
pub const IPA_PUBLISHED_NODE: u64 = u64::MAX - 8;
/// The choice of the node in the differentially private IPA.
pub const IPA_CANDIDATES: u64 = u64::MAX - 16;
/// Noise of its suppressed records.
pub const IPA_SUPPRESSION: u64 = u64::MAX - 17;
/// Which values of attributes that it counts each by itself stand in one record.
pub const IPA_PAIRING: u64 = u64::MAX - 35;
/// Those of the records outside their domains that SafePub releases.
pub const SAFE_PUB_OUTSIDE: u64 = u64::MAX - 20;
/// Those of the strays that are in the random sample before the search.
pub(crate) const STRAY_SAMPLE: u64 = u64::MAX - 21;
/// Noise of the occupied cells of a contingency table or of IPA.
pub const OCCUPIED_CELLS: u64 = u64::MAX - 18;
/// Places and counts of their empty cells.
pub const EMPTY_CELLS: u64 = u64::MAX - 19;
/// Noise of the counts that invented records follow.
pub const MARGINAL_NOISE: u64 = u64::MAX - 26;
/// The choices of what is counted for them.
pub const MARGINAL_CHOICES: u64 = u64::MAX - 27;
/// Their values.
pub const INVENTED_RECORDS: u64 = u64::MAX - 28;
/// Which records of a person are counted for invented ones.
pub const COUNTED_RECORDS: u64 = u64::MAX - 29;
/// The choices of what DiffGen specializes.
pub const DIFFGEN_CHOICES: u64 = u64::MAX - 33;
/// Noise of the distances that DSAT compares.
pub const DSAT_DISTANCES: u64 = u64::MAX - 34;
/// The random sample that a profile looks at.
pub(crate) const PROFILE_SAMPLE: u64 = u64::MAX - 24;
/// The records of a table that is drawn again with replacement.
pub(crate) const RESAMPLED: u64 = u64::MAX - 43;
/// What boosted trees draw that learn to look for counterfeits.
pub const BOOSTED_TREES: u64 = u64::MAX - 44;
/// The persons that an attack looks for.
pub const ATTACK_TARGETS: u64 = u64::MAX - 40;
/// The sets of quasi-identifiers that an adversary knows.
pub const ATTACK_SETS: u64 = u64::MAX - 41;
/// Persons who are not in the original.
pub const ATTACK_OUTSIDERS: u64 = u64::MAX - 42;

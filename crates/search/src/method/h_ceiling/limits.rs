//! What a release may cost in counterfeits and suppressed records.
//!
//! # Summary
//! A person who is alone in a class stays alone among counterfeits, so classes of few real records are
//! suppressed instead of padded; of the nodes, those count that need neither too many counterfeits nor too
//! much suppression.
//!
//! # Definition
//! At a node, classes of fewer than *least-real* records are suppressed. The node is *admitted* if at most
//! ⌊suppression-limit · n⌋ of the n records are, and if the catalog's total is at most *counterfeit-limit* of
//! all released records.
//!
//! The *census* of a node is what its class sizes say before anything is drawn: the suppressed records, the
//! least padding P = Σ (k − |E|) over the other classes below k, and the deficit D, the same sum over all
//! classes. Of two nodes the more specific one has no fewer suppressed records and no smaller D, and at every
//! node D − P ≤ (k − 1) · suppressed. So where too many records are suppressed, or D − (k − 1) · limit asks
//! for too many counterfeits, no more specific node is admitted (`Limits::excludes_below`).
//!
//! # References
//! Lee et al. 2017 have no limits; these are ours. [`Limits::default`] is the published way.

use velamen_core::classes::ClassTable;
use velamen_core::plan::Fate;

/// The limits, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The catalog's total over the released records, at most.
    pub counterfeits: f64,
    /// The suppressed records over those of the original, at most.
    pub suppressed: f64,
    /// The real records that a class must have to be padded.
    pub least_real: u64,
}

impl Default for Limits {
    /// As published: nothing is suppressed, and counterfeits are as many as it takes.
    fn default() -> Self {
        Self { counterfeits: 1.0, suppressed: 0.0, least_real: 1 }
    }
}

/// Rounding of shares.
const TOLERANCE: f64 = 1e-9;

impl Limits {
    /// # Errors
    /// The key and what is wrong with it.
    pub(super) fn checked(self) -> Result<Self, (&'static str, String)> {
        let share = |key, value: f64| match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err((key, format!("{key} is a share of the records, from 0 to 1"))),
        };
        share("counterfeit-limit", self.counterfeits)?;
        share("suppression-limit", self.suppressed)?;
        match self.least_real {
            0 => Err(("least-real", "a class of no real record is none; least-real is at least 1".into())),
            _ => Ok(self),
        }
    }

    /// Whether anything is limited or suppressed at all.
    pub(super) fn bind(&self) -> bool {
        self.counterfeits < 1.0 || self.least_real > 1
    }

    /// The most records that may be suppressed of so many.
    pub(super) fn most_suppressed(&self, records: u64) -> u64 {
        velamen_contract::Limits::most_suppressed(self.suppressed, records)
    }

    /// What becomes of each class.
    pub(super) fn fates(&self, classes: &ClassTable) -> Vec<Fate> {
        let fate = |people: u64| if people < self.least_real { Fate::Suppress } else { Fate::Keep };
        (0..classes.len()).map(|class| fate(classes.people(class))).collect()
    }

    /// Whether so many counterfeits and suppressed records are within the limits.
    pub(super) fn admit(&self, counterfeits: u64, suppressed: u64, records: u64) -> bool {
        suppressed <= self.most_suppressed(records) && self.allows(counterfeits, records)
    }

    /// Whether so many counterfeits may stand beside so many real records.
    pub(super) fn allows(&self, counterfeits: u64, records: u64) -> bool {
        share(counterfeits, records) <= self.counterfeits + TOLERANCE
    }

    /// Whether what a node needs at least is within the limits.
    pub(super) fn may_admit(&self, census: &Census, records: u64) -> bool {
        census.suppressed <= self.most_suppressed(records) && self.allows(census.padding, records)
    }

    /// Whether the node and all more specific ones are beyond the limits.
    pub(super) fn excludes_below(&self, census: &Census, records: u64, k: u64) -> bool {
        let most = self.most_suppressed(records);
        let spared = most.saturating_mul(k.saturating_sub(1));
        census.suppressed > most || !self.allows(census.deficit.saturating_sub(spared), records)
    }
}

/// Counterfeits as a share of all released records.
pub(super) fn share(counterfeits: u64, records: u64) -> f64 {
    counterfeits as f64 / (counterfeits + records).max(1) as f64
}

/// What a node needs at least, by its class sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Records of classes with too few real ones.
    pub(super) suppressed: u64,
    /// Counterfeits that bring all other classes to k.
    pub(super) padding: u64,
    /// Counterfeits that bring all classes to k.
    pub(super) deficit: u64,
}

impl Census {
    /// Time: O(classes).
    pub(super) fn of(sizes: impl Iterator<Item = u64>, k: u64, least_real: u64) -> Self {
        let mut census = Self::default();
        for size in sizes.filter(|&size| size < k.max(least_real)) {
            let missing = k.saturating_sub(size);
            census.deficit += missing;
            if size < least_real {
                census.suppressed += size;
            } else {
                census.padding += missing;
            }
        }
        census
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_census_by_hand() {
        let census = Census::of([1, 1, 2, 4, 5, 9].into_iter(), 5, 2);
        assert_eq!(census, Census { suppressed: 2, padding: 3 + 1, deficit: 4 + 4 + 3 + 1 });
        let published = Census::of([1, 1, 2, 4, 5, 9].into_iter(), 5, 1);
        assert_eq!(published, Census { suppressed: 0, padding: 12, deficit: 12 });
    }

    /// Whatever classes split into, what is excluded above stays excluded.
    #[test]
    fn exclusion_goes_down() {
        let limits = Limits { counterfeits: 0.2, suppressed: 0.2, least_real: 2 };
        let (mut excluded, mut admitted) = (0, 0);
        for seed in 1u64..2000 {
            // Up to seven classes, each cut in two by a rule of its own.
            let above: Vec<u64> = (1..=seed % 7 + 1).map(|i| seed * i * i % 17 + 1).collect();
            let cut = |n: u64| [n * (seed % 5) / 8, n - n * (seed % 5) / 8];
            let below = above.iter().flat_map(|&n| cut(n)).filter(|&n| n > 0);
            let records = above.iter().sum();
            let below = Census::of(below, 5, 2);
            let above = Census::of(above.into_iter(), 5, 2);
            if limits.excludes_below(&above, records, 5) {
                assert!(!limits.may_admit(&below, records), "{above:?} {below:?}");
                excluded += 1;
            }
            admitted += u32::from(limits.may_admit(&below, records));
        }
        assert!(excluded > 100 && admitted > 100, "{excluded} {admitted}");
    }
}

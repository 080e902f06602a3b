//! What the catalog of counterfeits shows to an adversary who looks for a person's record.
//!
//! # Summary
//! A class of f records is no shelter of 1/f where the catalog says which of its records are likely
//! counterfeit: the adversary picks one that is most likely real.
//!
//! # Definition
//! A row of the catalog says that of the r released records of a value in a group of classes c are
//! counterfeit. Each of the r is real with p = 1 − c/r, all others with p = 1. In a class the person's
//! record is one of the real ones, so that one of the records with the greatest p is it with
//!
//!   max p / Σ p over the records of the class,
//!
//! which is no less than 1/f. The mean is over the real records, Σ over classes of max p, by Σ p.
//! Other knowledge than the release may separate all counterfeits. Even then a class has at
//! least f − Σ over values of min(c, its records of the value) real records, and one at least.
//!
//! # Parameters
//! The released records by class and sensitive value, and the catalog.
//!
//! # Returns
//! [`Doubts`].
//!
//! # Errors
//! None.
//!
//! # Complexity
//! O(cells · log values), where cells are the distinct pairs of class and value, however long the groups are.
//!
//! # References
//! Lee et al. 2017 for the catalog. The risk is ours: see `docs/methods/risk.md`.
//!
//! # Deviations
//! Shares stand for the probabilities: that counterfeits of a class depend on each other is left out.

use std::collections::BTreeMap;

/// The rows of the catalog that name the same classes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The positions of its classes, which are in no other group.
    pub classes: Vec<usize>,
    /// Its counterfeits by the code of their value.
    pub counterfeits: BTreeMap<u32, u64>,
}

/// What the catalog makes of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Doubt {
    records: u64,
    /// max p and Σ p.
    surest: f64,
    real: f64,
    /// Its records if as many as possible are counterfeit.
    least_real: u64,
}

/// What the catalog makes of each class.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubts(Vec<Doubt>);

impl Doubts {
    /// From the records of each class by value, and the groups of the catalog.
    #[must_use]
    pub fn new(cells: &[BTreeMap<u32, u64>], groups: &[Group]) -> Self {
        let certain = BTreeMap::new();
        let mut doubts: Vec<Doubt> = cells.iter().map(|cells| Doubt::new(cells, &certain)).collect();
        for group in groups {
            let mut released: BTreeMap<u32, u64> = BTreeMap::new();
            for (&value, &count) in group.classes.iter().flat_map(|&class| &cells[class]) {
                *released.entry(value).or_default() += count;
            }
            let told = group.counterfeits.iter();
            let told = told.map(|(&value, &most)| (value, share(most, released.get(&value).copied())));
            let told = told.collect();
            for &class in &group.classes {
                doubts[class] = Doubt::new(&cells[class], &told);
            }
        }
        Self(doubts)
    }

    /// The records of all classes.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.0.iter().map(|class| class.records).sum()
    }

    /// The highest and the mean risk of who picks what is most likely real; `None` without a real record.
    #[must_use]
    pub fn risks(&self) -> Option<(f64, f64)> {
        let real: f64 = self.0.iter().map(|class| class.real).sum();
        let highest = self.0.iter().map(Doubt::risk).fold(0.0, f64::max);
        (real > 0.0).then(|| (highest, self.0.iter().map(|class| class.surest).sum::<f64>() / real))
    }

    /// The records of classes of such a risk.
    #[must_use]
    pub fn records_where(&self, is_met: impl Fn(f64) -> bool) -> u64 {
        self.0.iter().filter(|class| is_met(class.risk())).map(|class| class.records).sum()
    }

    /// The highest risk that the catalog does not rule out, if all counterfeits could be told.
    #[must_use]
    pub fn highest_if_told_apart(&self) -> f64 {
        self.0.iter().map(|class| 1.0 / class.least_real as f64).fold(0.0, f64::max)
    }
}

impl Doubt {
    fn new(cells: &BTreeMap<u32, u64>, counterfeits: &BTreeMap<u32, (f64, u64)>) -> Self {
        let mut doubt = Self { records: 0, surest: 0.0, real: 0.0, least_real: 0 };
        for (value, &count) in cells {
            let (share, most) = counterfeits.get(value).copied().unwrap_or_default();
            doubt.records += count;
            doubt.surest = doubt.surest.max(1.0 - share);
            doubt.real += count as f64 * (1.0 - share);
            doubt.least_real += count.saturating_sub(most);
        }
        doubt.least_real = doubt.least_real.max(1);
        doubt
    }

    fn risk(&self) -> f64 {
        if self.real > 0.0 { self.surest / self.real } else { 0.0 }
    }
}

/// Which share of so many released records at most so many are counterfeit, and the number.
fn share(most: u64, released: Option<u64>) -> (f64, u64) {
    ((most as f64 / released.unwrap_or(0).max(1) as f64).min(1.0), most)
}

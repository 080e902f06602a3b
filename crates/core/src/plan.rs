//! What a method decides: levels, fates of classes, counterfeits, groups of the catalog.

use crate::classes::ClassTable;
use crate::lattice::Node;

/// What becomes of a class's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Released with the class's generalized values.
    Keep,
    /// Released with all quasi-identifiers `*`.
    Suppress,
    /// Released with the values of another (kept) class: untruthful.
    Move(u32),
}

/// Counterfeits of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterfeits {
    /// The class, an index into the plan's class table.
    pub class: u32,
    /// (sensitive code, count), ascending by code, counts at least 1.
    pub values: Vec<(u32, u64)>,
}

impl Counterfeits {
    /// How many records are added to the class.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum()
    }
}

/// A method's whole decision on a table, by full-domain recoding.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The level of each quasi-identifier.
    pub node: Node,
    /// The classes at the node.
    pub classes: ClassTable,
    /// One per class.
    pub fates: Vec<Fate>,
    /// Classes with counterfeits, ascending by class.
    pub counterfeits: Vec<Counterfeits>,
    /// The catalog's groups, each ascending by class, disjoint.
    pub groups: Vec<Vec<u32>>,
}

impl Plan {
    /// The number of records that are suppressed.
    #[must_use]
    pub fn suppressed(&self) -> u64 {
        self.records_with(|fate| fate == Fate::Suppress)
    }

    /// The number of records that are moved.
    #[must_use]
    pub fn moved(&self) -> u64 {
        self.records_with(|fate| matches!(fate, Fate::Move(_)))
    }

    fn records_with(&self, wanted: impl Fn(Fate) -> bool) -> u64 {
        self.fates
            .iter()
            .zip(&self.classes.sizes)
            .filter(|(fate, _)| wanted(**fate))
            .map(|(_, size)| size)
            .sum()
    }
}

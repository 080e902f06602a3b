//! What a method decides: levels, fates of classes, counterfeits, groups of the catalog.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::classes::ClassTable;
use crate::frequency::FrequencyTable;
use crate::lattice::Node;

pub use crate::counterfeits::Counterfeits;

/// Entries that are looked at one after the other.
const PART: usize = 1 << 17;

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

/// Classes of one fate.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    /// |E| of each class.
    pub sizes: Vec<u64>,
    /// The codes of each class's quasi-identifiers at the node, one class after the other.
    pub codes: Vec<u32>,
    /// The combinations of the rest in each class, one class after the other.
    pub rest: Vec<u32>,
}

impl Bag {
    /// Σ |E|.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Each class's size with its codes of `qis` attributes.
    pub fn classes(&self, qis: usize) -> impl Iterator<Item = (f64, &[u32])> {
        self.sizes.iter().map(|&size| size as f64).zip(self.codes.chunks_exact(qis.max(1)))
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.sizes.clear();
        self.codes.clear();
        self.rest.clear();
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

    /// The classes by fate, with all that metrics may need but the rest of their columns.
    #[must_use]
    pub fn bags(&self) -> (Bag, Bag) {
        let (mut kept, mut suppressed) = (Bag::default(), Bag::default());
        for class in 0..self.classes.len() {
            let bag = if self.fates[class] == Fate::Suppress { &mut suppressed } else { &mut kept };
            bag.sizes.push(self.classes.sizes[class]);
            bag.codes.extend_from_slice(self.classes.codes(class));
        }
        (kept, suppressed)
    }

    /// Per attribute, the suppressed records of each leaf. Time: O(entries · attributes).
    #[must_use]
    pub fn suppressed_leaves(&self, table: &FrequencyTable) -> Vec<Vec<u64>> {
        let gone = |class: &usize| self.fates[*class] == Fate::Suppress;
        let gone: FxHashSet<&[u32]> =
            (0..self.classes.len()).filter(gone).map(|class| self.classes.codes(class)).collect();
        let step = |(q, &level): (usize, &u8)| table.qis[q].hierarchy.step(0, level);
        let steps: Vec<Vec<u32>> = self.node.0.iter().enumerate().map(step).collect();
        let none = || -> Vec<Vec<u64>> { steps.iter().map(|step| vec![0; step.len()]).collect() };
        let parts = (0..table.len()).step_by(PART).map(|first| first..(first + PART).min(table.len()));
        let parts: Vec<Range<usize>> = parts.collect();
        let leaves = parts.into_par_iter().map(|part| leaves_of(part, table, &steps, &gone, none()));
        leaves.reduce(none, |mut all, part| {
            let both = all.iter_mut().flatten().zip(part.iter().flatten());
            both.for_each(|(all, part)| *all += part);
            all
        })
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
/// Adds the records of some entries to their leaves, as far as their classes are gone.
fn leaves_of(
    entries: Range<usize>,
    table: &FrequencyTable,
    steps: &[Vec<u32>],
    gone: &FxHashSet<&[u32]>,
    mut leaves: Vec<Vec<u64>>,
) -> Vec<Vec<u64>> {
    let (mut class, mut is_gone) = (vec![0; steps.len()], gone.contains(&vec![0; steps.len()][..]));
    for entry in entries {
        let mut same = true;
        for ((code, step), column) in class.iter_mut().zip(steps).zip(&table.codes) {
            let last = std::mem::replace(code, step[column[entry] as usize]);
            same &= last == *code;
        }
        // Entries ascend by their codes: the next one is mostly of the same class.
        is_gone = if same { is_gone } else { gone.contains(&class[..]) };
        if is_gone {
            for (leaves, column) in leaves.iter_mut().zip(&table.codes) {
                leaves[column[entry] as usize] += table.counts[entry];
            }
        }
    }
    leaves
}

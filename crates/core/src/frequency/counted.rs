//! What many ask of one table, counted once.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{FrequencyTable, compared};

/// What is counted of a table so far.
#[derive(Debug)]
pub struct Counts {
    records: OnceLock<u64>,
    marginals: Vec<OnceLock<Vec<u64>>>,
    rest_marginals: Vec<OnceLock<Vec<u64>>>,
    class_sizes: OnceLock<Vec<(u64, u64)>>,
}

impl Counts {
    /// Nothing is counted yet.
    #[must_use]
    pub fn none(table: &FrequencyTable) -> Arc<Self> {
        Arc::new(Self {
            records: OnceLock::new(),
            marginals: table.qis.iter().map(|_| OnceLock::new()).collect(),
            rest_marginals: table.rest.columns.iter().map(|_| OnceLock::new()).collect(),
            class_sizes: OnceLock::new(),
        })
    }
}

/// A table whose records and marginals are counted when somebody first asks, and not again.
pub struct Counted<'a> {
    table: &'a FrequencyTable,
    counts: Arc<Counts>,
}

impl<'a> Counted<'a> {
    /// A table of which nothing is counted yet.
    #[must_use]
    pub fn of(table: &'a FrequencyTable) -> Self {
        Self { table, counts: Counts::none(table) }
    }

    /// A table of which this was counted: of this very table, and of no other.
    #[must_use]
    pub fn so_far(table: &'a FrequencyTable, counts: &Arc<Counts>) -> Self {
        Self { table, counts: Arc::clone(counts) }
    }

    /// The same counts, of this table or, where it is another, from the beginning.
    #[must_use]
    pub fn here<'b>(&self, table: &'b FrequencyTable) -> Counted<'b> {
        if std::ptr::eq(self.table, table) {
            Counted::so_far(table, &self.counts)
        } else {
            Counted::of(table)
        }
    }

    /// The table itself.
    #[must_use]
    pub fn table(&self) -> &'a FrequencyTable {
        self.table
    }

    /// [`FrequencyTable::records`].
    #[must_use]
    pub fn records(&self) -> u64 {
        *self.counts.records.get_or_init(|| self.table.records())
    }

    /// [`FrequencyTable::marginal`].
    #[must_use]
    pub fn marginal(&self, qi: usize) -> &[u64] {
        self.counts.marginals[qi].get_or_init(|| self.table.marginal(qi))
    }

    /// [`FrequencyTable::rest_marginal`].
    #[must_use]
    pub fn rest_marginal(&self, column: usize) -> &[u64] {
        self.counts.rest_marginals[column].get_or_init(|| self.table.rest_marginal(column))
    }

    /// Counts every marginal that nobody has asked for yet, on all cores.
    pub fn count_marginals(&self) {
        (0..self.counts.marginals.len()).into_par_iter().for_each(|qi| {
            let _ = self.marginal(qi);
        });
    }

    /// Sizes of the classes of equal quasi-identifiers, ascending, and how many classes have each.
    ///
    /// Time: O(entries · quasi-identifiers) where entries ascend, as they do unless their codes were made others.
    #[must_use]
    pub fn class_sizes(&self) -> &[(u64, u64)] {
        self.counts.class_sizes.get_or_init(|| class_sizes(self.table))
    }
}

impl Deref for Counted<'_> {
    type Target = FrequencyTable;

    fn deref(&self) -> &FrequencyTable {
        self.table
    }
}

/// The parts that classes are counted in; any number gives the same sizes.
const PARTS: usize = 32;

/// Entries of which neighbours are compared at once, column by column.
const BLOCK: usize = 1 << 13;

fn class_sizes(table: &FrequencyTable) -> Vec<(u64, u64)> {
    if let Some(begins) = beginnings(table) {
        return sizes(&begins, |place| table.counts[place]).listed();
    }
    let compare = |a: usize, b: usize| compared(&table.codes, a, b);
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.par_sort_unstable_by(|&a, &b| compare(a, b));
    let differs = |place: usize| place == 0 || compare(order[place - 1], order[place]).is_ne();
    let begins: Vec<bool> = (0..table.len()).into_par_iter().map(differs).collect();
    sizes(&begins, |place| table.counts[order[place]]).listed()
}

/// Whether a class begins with each entry of a block; `None` where entries do not ascend.
fn beginnings_of_block(table: &FrequencyTable, first: usize) -> Option<Vec<bool>> {
    let end = (first + BLOCK).min(table.len());
    // The first entry of a block is compared with the last one before it.
    let (mut begins, mut ascends) = (vec![false; end - first], true);
    let skipped = usize::from(first == 0);
    begins[..skipped].fill(true);
    for codes in &table.codes {
        let neighbours = codes[first + skipped - 1..end].windows(2);
        for (begins, pair) in begins[skipped..].iter_mut().zip(neighbours) {
            ascends &= *begins | (pair[0] <= pair[1]);
            *begins |= pair[0] != pair[1];
        }
    }
    ascends.then_some(begins)
}

/// Whether a class begins with each entry; `None` where entries do not ascend.
fn beginnings(table: &FrequencyTable) -> Option<Vec<bool>> {
    let block = |first: usize| beginnings_of_block(table, first);
    let blocks: Vec<usize> = (0..table.len()).step_by(BLOCK).collect();
    let blocks: Option<Vec<Vec<bool>>> = blocks.into_par_iter().map(block).collect();
    Some(blocks?.concat())
}

/// The sizes of classes of entries that stand side by side.
fn sizes(begins: &[bool], count: impl Fn(usize) -> u64 + Sync) -> Sizes {
    let part = begins.len().div_ceil(PARTS).max(1);
    let sizes = (0..PARTS).into_par_iter().map(|p| {
        let (mut sizes, mut size) = (Sizes::default(), 0);
        let (first, end) = (p * part, ((p + 1) * part).min(begins.len()));
        for (place, &begins) in begins.iter().enumerate().skip(first) {
            // A class belongs to the part in which it begins.
            if place >= end && (begins || size == 0) {
                break;
            }
            if begins {
                sizes.add(std::mem::take(&mut size));
            } else if size == 0 {
                continue;
            }
            size += count(place);
        }
        sizes.add(size);
        sizes
    });
    sizes.reduce(Sizes::default, Sizes::with)
}

/// How many classes there are by size: most are small.
#[derive(Default)]
struct Sizes {
    small: [u64; 32],
    large: BTreeMap<u64, u64>,
}

impl Sizes {
    /// A class of that size; none of size 0 is a class.
    fn add(&mut self, size: u64) {
        if size > 0 {
            self.add_all(size, 1);
        }
    }

    fn add_all(&mut self, size: u64, classes: u64) {
        match self.small.get_mut(size as usize) {
            Some(number) => *number += classes,
            None => *self.large.entry(size).or_default() += classes,
        }
    }

    fn with(mut self, other: Self) -> Self {
        other.listed().into_iter().for_each(|(size, classes)| self.add_all(size, classes));
        self
    }

    fn listed(self) -> Vec<(u64, u64)> {
        let small = (0..).zip(self.small).filter(|&(_, classes)| classes > 0);
        small.chain(self.large).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn classes_are_counted_whatever_the_order(
            rows in proptest::collection::vec((0u32..4, 0u32..5, 1u64..60), 0..300)
                .prop_union(proptest::collection::vec((0u32..40, 0u32..300, 1u64..3), 20_000..20_001)),
            sorted in any::<bool>(),
        ) {
            let mut rows = rows;
            if sorted {
                rows.sort_unstable();
            }
            let mut classes: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            rows.iter().for_each(|row| *classes.entry((row.0, row.1)).or_default() += row.2);
            let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
            classes.values().for_each(|&size| *sizes.entry(size).or_default() += 1);
            let table = FrequencyTable {
                qis: Vec::new(),
                rest: super::super::Rest { len: 1, ..Default::default() },
                codes: vec![rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect()],
                rest_index: vec![0; rows.len()],
                counts: rows.iter().map(|row| row.2).collect(),
                population: None,
                strays: super::super::Strays::default(),
            };
            prop_assert_eq!(class_sizes(&table), sizes.into_iter().collect::<Vec<_>>());
        }
    }
}

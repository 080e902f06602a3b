//! What many ask of one table, counted once.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::FrequencyTable;

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

/// The parts that entries are looked at in; any number gives the same sizes.
const PARTS: usize = 32;

fn class_sizes(table: &FrequencyTable) -> Vec<(u64, u64)> {
    let compare = |a: usize, b: usize| {
        let mut codes = table.codes.iter().map(|codes| codes[a].cmp(&codes[b]));
        codes.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let ascend = (1..table.len()).into_par_iter().all(|next| compare(next - 1, next).is_le());
    let order: Option<Vec<usize>> = (!ascend).then(|| {
        let mut order: Vec<usize> = (0..table.len()).collect();
        order.par_sort_unstable_by(|&a, &b| compare(a, b));
        order
    });
    let entry = |place: usize| order.as_ref().map_or(place, |order| order[place]);
    let begins = |place: usize| place == 0 || compare(entry(place - 1), entry(place)).is_ne();
    let part = table.len().div_ceil(PARTS).max(1);
    let sizes = (0..PARTS).into_par_iter().map(|p| {
        let (first, end) = (p * part, ((p + 1) * part).min(table.len()));
        let mut sizes = Sizes::default();
        // A class belongs to the part in which it begins.
        let mut size = 0;
        for place in (first..end).skip_while(|&place| !begins(place)) {
            if size > 0 && begins(place) {
                sizes.add(size, 1);
                size = 0;
            }
            size += table.counts[entry(place)];
        }
        if size > 0 {
            let rest = (end..table.len()).take_while(|&place| !begins(place));
            sizes.add(size + rest.map(|place| table.counts[entry(place)]).sum::<u64>(), 1);
        }
        sizes
    });
    sizes.reduce(Sizes::default, Sizes::with).listed()
}

/// How many classes there are by size: most are small.
#[derive(Default)]
struct Sizes {
    small: [u64; 32],
    large: BTreeMap<u64, u64>,
}

impl Sizes {
    fn add(&mut self, size: u64, classes: u64) {
        match self.small.get_mut(size as usize) {
            Some(number) => *number += classes,
            None => *self.large.entry(size).or_default() += classes,
        }
    }

    fn with(mut self, other: Self) -> Self {
        other.listed().into_iter().for_each(|(size, classes)| self.add(size, classes));
        self
    }

    fn listed(self) -> Vec<(u64, u64)> {
        let small = (0..).zip(self.small).filter(|&(_, classes)| classes > 0);
        small.chain(self.large).collect()
    }
}

//! What many ask of one table, counted once.

use std::ops::Deref;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::FrequencyTable;

/// A table whose records and marginals are counted when somebody first asks, and not again.
pub struct Counted<'a> {
    table: &'a FrequencyTable,
    records: OnceLock<u64>,
    marginals: Vec<OnceLock<Vec<u64>>>,
}

impl<'a> Counted<'a> {
    /// A table of which nothing is counted yet.
    #[must_use]
    pub fn of(table: &'a FrequencyTable) -> Self {
        let marginals = table.qis.iter().map(|_| OnceLock::new()).collect();
        Self { table, records: OnceLock::new(), marginals }
    }

    /// [`FrequencyTable::records`].
    #[must_use]
    pub fn records(&self) -> u64 {
        *self.records.get_or_init(|| self.table.records())
    }

    /// [`FrequencyTable::marginal`].
    #[must_use]
    pub fn marginal(&self, qi: usize) -> &[u64] {
        self.marginals[qi].get_or_init(|| self.table.marginal(qi))
    }

    /// Counts every marginal that nobody has asked for yet, on all cores.
    pub fn count_marginals(&self) {
        (0..self.marginals.len()).into_par_iter().for_each(|qi| {
            let _ = self.marginal(qi);
        });
    }
}

impl Deref for Counted<'_> {
    type Target = FrequencyTable;

    fn deref(&self) -> &FrequencyTable {
        self.table
    }
}

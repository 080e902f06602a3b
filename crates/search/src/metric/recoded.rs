//! Local recodings as metrics look at them: there is no node, each class has released values of its own.
//!
//! A suppressed record is released as `*` throughout and counts as that, however a metric weighs the
//! suppressed records of a node.

use std::collections::BTreeMap;

use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Cell;
use velamen_core::recoding::{LocalPlan, Member, ReleasedValue};

/// A table and what becomes of it.
#[derive(Debug, Clone, Copy)]
pub struct Recoded<'a> {
    /// The original records.
    pub table: &'a FrequencyTable,
    /// Their classes.
    pub plan: &'a LocalPlan,
}

impl Recoded<'_> {
    pub(super) fn attributes(&self) -> usize {
        self.table.qis.len()
    }

    pub(super) fn records(&self) -> f64 {
        self.table.records() as f64
    }

    pub(super) fn suppressed(&self) -> f64 {
        total(&self.plan.suppressed) as f64
    }

    /// |E| of each class.
    pub(super) fn sizes(&self) -> Vec<u64> {
        self.plan.members.iter().map(|members| total(members)).collect()
    }

    /// What a class releases of an attribute.
    pub(super) fn value(&self, class: usize, q: usize) -> &ReleasedValue {
        &self.plan.values[q][self.plan.codes[class * self.attributes() + q] as usize]
    }

    /// The cell of a class's value.
    pub(super) fn cell(&self, class: usize, q: usize) -> Cell {
        let (value, hierarchy) = (self.value(class, q), &self.table.qis[q].hierarchy);
        let climbed = hierarchy.climbed(value.level);
        Cell { leaves: value.leaves as f64, domain: hierarchy.domain() as f64, climbed }
    }

    /// log₂ of the combinations of leaves that each class covers, with its size.
    pub(super) fn areas(&self) -> impl Iterator<Item = (f64, f64)> {
        let area = |class| (0..self.attributes()).map(|q| self.cell(class, q).leaves.log2()).sum();
        self.sizes().into_iter().enumerate().map(move |(class, size)| (size as f64, area(class)))
    }

    /// log₂ of all combinations of leaves.
    pub(super) fn whole(&self) -> f64 {
        self.table.qis.iter().map(|qi| (qi.hierarchy.domain() as f64).log2()).sum()
    }

    /// n · H(original | released) of an attribute, in bits: of kept records and of suppressed ones.
    pub(super) fn bits(&self, q: usize) -> (f64, f64) {
        let mut released: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
        for (class, members) in self.plan.members.iter().enumerate() {
            let value = self.plan.codes[class * self.attributes() + q];
            self.count(q, members, released.entry(value).or_default());
        }
        let mut suppressed = BTreeMap::new();
        self.count(q, &self.plan.suppressed, &mut suppressed);
        (released.values().map(bits).sum(), bits(&suppressed))
    }

    fn count(&self, q: usize, members: &[Member], leaves: &mut BTreeMap<u32, f64>) {
        for &(entry, count) in members {
            *leaves.entry(self.table.codes[q][entry as usize]).or_default() += count as f64;
        }
    }

    /// How many distinct combinations of the rest some records have.
    pub(super) fn distinct_rest(&self, members: &[Member]) -> usize {
        let mut rest: Vec<u32> = members.iter().map(|m| self.table.rest_index[m.0 as usize]).collect();
        rest.sort_unstable();
        rest.dedup();
        rest.len()
    }
}

fn total(members: &[Member]) -> u64 {
    members.iter().map(|member| member.1).sum()
}

/// −Σ n log₂(n / Σ n).
fn bits(leaves: &BTreeMap<u32, f64>) -> f64 {
    let whole: f64 = leaves.values().sum();
    leaves.values().map(|n| -n * (n / whole).log2()).sum()
}

//! From a local recoding to what is published.

use super::{Release, ReleasedAttribute, fill_rows};
use crate::frequency::FrequencyTable;
use crate::recoding::LocalPlan;

/// Applies a local recoding to its table.
///
/// Class ids follow the order of the plan's classes. Time: O(entries · log entries).
///
/// # Panics
/// If the plan belongs to another table.
#[must_use]
pub fn apply_local(table: &FrequencyTable, plan: &LocalPlan) -> Release {
    let attribute = |(qi, values): (&crate::frequency::QuasiIdentifier, &Vec<_>)| ReleasedAttribute {
        name: qi.name.clone(),
        level: None,
        recoding: plan.recoding,
        height: qi.hierarchy.top(),
        values: values.clone(),
    };
    let qis = table.qis.iter().zip(&plan.values).map(attribute).collect();
    let sizes = vec![0; plan.members.len()];
    let rest = table.rest.clone();
    let mut release = Release { qis, rest, codes: plan.codes.clone(), sizes, ..Release::default() };
    let of_rest = |members: &Vec<(u32, u64)>| {
        members.iter().map(|&(entry, count)| (table.rest_index[entry as usize], count)).collect()
    };
    let bags = std::iter::once(&plan.suppressed).chain(&plan.members).map(of_rest).collect();
    fill_rows(&mut release, bags);
    release
}

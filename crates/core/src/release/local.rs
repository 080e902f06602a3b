//! From a local recoding to what is published.

use velamen_dp::Seed;

use super::{Bags, Release, ReleasedAttribute, catalog, fill_rows, gather_counterfeits, sort_rest};
use crate::frequency::FrequencyTable;
use crate::recoding::LocalPlan;

/// Applies a local recoding to its table.
///
/// Class ids follow the order of the plan's classes; counterfeits take their insensitive values as
/// [`apply`](super::apply) says. Time: O(entries · log entries).
///
/// # Panics
/// If the plan belongs to another table.
#[must_use]
pub fn apply_local(table: &FrequencyTable, plan: &LocalPlan, seed: &Seed) -> Release {
    let qis = table.qis.iter().zip(&plan.values);
    let qis =
        qis.map(|(qi, values)| ReleasedAttribute::of_values(qi, plan.recoding, values.clone())).collect();
    let sizes = vec![0; plan.members.len()];
    let rest = table.rest.clone();
    let mut release = Release { qis, rest, codes: plan.codes.clone(), sizes, ..Release::default() };
    let of_rest = |members: &Vec<(u32, u64)>| {
        members.iter().map(|&(entry, count)| (table.rest_index[entry as usize], count)).collect()
    };
    let mut bags: Bags = std::iter::once(&plan.suppressed).chain(&plan.members).map(of_rest).collect();
    let ids: Vec<u64> = (1..=plan.members.len() as u64).collect();
    gather_counterfeits(table, &plan.counterfeits, &ids, &mut bags, &mut release.rest, seed);
    sort_rest(&mut release.rest, &mut bags);
    fill_rows(&mut release, bags);
    release.catalog = catalog(table, &plan.counterfeits, &plan.groups, &ids);
    release
}

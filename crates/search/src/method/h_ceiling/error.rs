//! RCE of what was decided, over the original records.

use std::collections::BTreeMap;

use velamen_core::classes::ClassTable;
use velamen_core::frequency::FrequencyTable;
use velamen_core::plan::{Counterfeits, Fate, Plan};

use crate::metric::Reading;
use crate::metric::rce::{certain, weight};

/// RCE of the original records under a plan, summed.
///
/// Time: O(cells · attributes). See [`crate::metric::rce`].
#[must_use]
pub fn reconstruction_error(table: &FrequencyTable, plan: &Plan, reading: Reading) -> f64 {
    let reciprocals = |class: usize| -> Vec<f64> {
        if plan.fates[class] == Fate::Suppress {
            return of_suppressed(table);
        }
        let leaves = |(q, &code): (usize, &u32)| table.qis[q].hierarchy.leaves(plan.node.0[q], code);
        plan.classes.codes(class).iter().enumerate().map(|at| 1.0 / leaves(at) as f64).collect()
    };
    error_of(&reciprocals, &plan.classes, &plan.counterfeits, &plan.groups, reading)
}

/// The 1/w of a suppressed record's cells.
pub(super) fn of_suppressed(table: &FrequencyTable) -> Vec<f64> {
    table.qis.iter().map(|qi| 1.0 / qi.hierarchy.domain() as f64).collect()
}

/// RCE, given the 1/w of each class's cells.
pub(super) fn error_of(
    reciprocals: &dyn Fn(usize) -> Vec<f64>,
    classes: &ClassTable,
    counterfeits: &[Counterfeits],
    groups: &[Vec<u32>],
    reading: Reading,
) -> f64 {
    let certain: f64 =
        (0..classes.len()).map(|c| classes.sizes[c] as f64 * certain(reading, &reciprocals(c))).sum();
    let mut of_class = vec![None; classes.len()];
    for counterfeit in counterfeits {
        of_class[counterfeit.class as usize] = Some(&counterfeit.values);
    }
    let penalty = |group: &Vec<u32>| {
        let mut sums: BTreeMap<u32, (u64, u64, f64)> = BTreeMap::new();
        for &class in group {
            let weight = weight(reading, &reciprocals(class as usize));
            for &(value, count) in of_class[class as usize].into_iter().flatten() {
                sums.entry(value).or_default().0 += count;
            }
            for &(value, count) in classes.sensitive(class as usize) {
                let sum = sums.entry(value).or_default();
                sum.1 += count;
                sum.2 += count as f64 * weight;
            }
        }
        let term = |&(counterfeit, real, weight): &(u64, u64, f64)| {
            let share = counterfeit as f64 / (counterfeit + real) as f64;
            share * share * weight
        };
        sums.values().map(term).sum::<f64>()
    };
    certain + groups.iter().map(penalty).sum::<f64>()
}

//! NCP as the program has it: three cells weigh otherwise than by Eq. 5.
//!
//! - A stay's days are divided by 100, not by the days of the domain, so that the longest weigh more than 1.
//! - A stay `*` weighs nothing, unless age is at its highest level.
//! - Above its second level all regions but 11 count as 6 of 16, not as 15.

use velamen_core::classes::ClassTable;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_search::metric::NCP;

/// The places of attributes in the table.
const AGE: usize = 0;
const STAY: usize = 2;
const LOCATION: usize = 3;

/// The highest level of age and of stay, and the level of location that is miscounted.
const TOP: u8 = 3;
const TWO_PARTS: u8 = 2;

/// What divides days, and what stands for 15 of 16 regions.
const DAYS: f64 = 100.0;
const REGIONS: f64 = 6.0 / 16.0;

/// The mean penalty of a record's cells, by class.
pub(super) fn penalties(table: &FrequencyTable, node: &Node, classes: &ClassTable) -> Vec<f64> {
    let by_code: Vec<Vec<f64>> = (0..table.qis.len()).map(|q| of_attribute(table, node, q)).collect();
    let sum = |codes: &[u32]| by_code.iter().zip(codes).map(|(own, &code)| own[code as usize]).sum::<f64>();
    (0..classes.len()).map(|class| sum(classes.codes(class)) / by_code.len() as f64).collect()
}

/// The NCP of a node where nothing is suppressed.
pub(in crate::lee2020) fn printed(table: &FrequencyTable, node: &Node, classes: &ClassTable) -> f64 {
    let own = penalties(table, node, classes);
    let sum: f64 = own.iter().zip(&classes.sizes).map(|(penalty, &size)| penalty * size as f64).sum();
    sum / table.records() as f64
}

/// By code of an attribute at its level, the penalty of a cell.
fn of_attribute(table: &FrequencyTable, node: &Node, q: usize) -> Vec<f64> {
    let width = table.qis[q].hierarchy.width(node.0[q]) as u32;
    (0..width).map(|code| of_cell(table, node, q, code)).collect()
}

fn of_cell(table: &FrequencyTable, node: &Node, q: usize, code: u32) -> f64 {
    let (hierarchy, level) = (&table.qis[q].hierarchy, node.0[q]);
    let leaves = hierarchy.leaves(level, code) as f64;
    match q {
        STAY if level == TOP => f64::from(u8::from(node.0[AGE] == TOP)),
        STAY if leaves > 1.0 => leaves / DAYS,
        LOCATION if level == TWO_PARTS && leaves > 1.0 => REGIONS,
        _ => (NCP.cell)(&hierarchy.cell(level, code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lee2017::tests::in_context;
    use crate::lee2020::sample;

    fn of(levels: [u8; 5], q: usize) -> Vec<f64> {
        let table = in_context(|context| sample::synthetic(2000, context)).unwrap().table;
        of_attribute(&table, &Node(levels.to_vec()), q)
    }

    #[test]
    fn stays_and_regions_weigh_as_in_the_program() {
        // {0, 1}, 2–4, 5–9, 10–29 and 30–400 days; then {0, 1} and 2–400.
        assert_eq!(of([0, 0, 1, 0, 0], STAY), [0.02, 0.03, 0.05, 0.2, 3.71]);
        assert_eq!(of([0, 0, 2, 0, 0], STAY), [0.02, 3.99]);
        assert_eq!((of([2, 0, 3, 0, 0], STAY), of([3, 0, 3, 0, 0], STAY)), (vec![0.0], vec![1.0]));
        assert_eq!(of([0, 0, 0, 1, 0], LOCATION), [0.0, 6.0 / 16.0, 9.0 / 16.0]);
        assert_eq!(of([0, 0, 0, 2, 0], LOCATION), [0.0, 6.0 / 16.0]);
        assert_eq!((of([3, 0, 0, 0, 0], AGE), of([0, 0, 0, 3, 0], LOCATION)), (vec![1.0], vec![1.0]));
    }
}

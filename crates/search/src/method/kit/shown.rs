//! Values of attributes without a hierarchy that counterfeits alone would make frequent enough.
//!
//! Where an attribute has a hierarchy, its values are declared, or wide enough that counterfeits may count for them. A value
//! that stands for itself and that fewer than k people have is shown by no release: its attribute is generalized.

use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::lattice::{Lattice, Node};

use super::error::MethodError;
use super::task::Task;
use crate::model::people;

/// By quasi-identifier the lowest level that shows no value of fewer than k records.
pub(in crate::method) fn least_levels(table: &FrequencyTable, task: &Task<'_>, k: u64) -> Vec<u8> {
    let is_rare = |q: usize| people::marginal(table, q).iter().any(|&count| 0 < count && count < k);
    let is_flat =
        |q: usize| task.attribute(&table.qis[q].name).is_some_and(|named| matches!(*named.rule, Rule::Flat));
    (0..table.qis.len()).map(|q| u8::from(is_flat(q) && is_rare(q))).collect()
}

/// The recipe's lattice from these levels up.
///
/// # Errors
/// [`MethodError::Infeasible`] if the recipe allows an attribute lower levels only.
pub(in crate::method) fn lattice(
    table: &FrequencyTable,
    task: &Task<'_>,
    least: &[u8],
) -> Result<Lattice, MethodError> {
    let (allowed, top) = (task.lattice(table).bottom(), task.lattice(table).top());
    let bottom = Node(allowed.0.iter().zip(least).map(|(&allowed, &least)| allowed.max(least)).collect());
    match bottom.0.iter().zip(&top.0).position(|(bottom, top)| bottom > top) {
        None => Ok(Lattice::between(&bottom, &top)),
        Some(q) => Err(rare(table, q)),
    }
}

/// Refuses a node that shows a rare value.
///
/// # Errors
/// [`MethodError::Infeasible`] if it does.
pub(in crate::method) fn check(table: &FrequencyTable, node: &Node, least: &[u8]) -> Result<(), MethodError> {
    match node.0.iter().zip(least).position(|(level, least)| level < least) {
        None => Ok(()),
        Some(q) => Err(rare(table, q)),
    }
}

fn rare(table: &FrequencyTable, q: usize) -> MethodError {
    MethodError::Infeasible(
        Problem::new(format!(
            "attribute `{}` has no hierarchy, and some of its values belong to fewer than k people",
            table.qis[q].name
        ))
        .mend("give it a hierarchy, or allow its level 1"),
    )
}

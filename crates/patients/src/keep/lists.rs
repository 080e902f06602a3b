//! Rows of lists that lost all their codes: they go, as a row goes with its only code.

use super::sets::codes;
use super::{Kept, Why};
use crate::loaded::Rows;
use crate::plan::Plan;

/// By table, which rows have codes in lists; nothing of tables without lists, and of that of persons, who stay.
pub(super) fn with_codes(plan: &Plan, tables: &[Rows]) -> Vec<Vec<bool>> {
    tables.iter().enumerate().map(|(table, rows)| with_codes_of(plan, table, rows)).collect()
}

fn with_codes_of(plan: &Plan, table: usize, rows: &Rows) -> Vec<bool> {
    let planned = &plan.tables[table];
    let has_lists = planned.columns.iter().any(|column| column.is_list());
    match has_lists && planned.parent.is_some() {
        true => (0..rows.number).map(|row| has_codes(plan, table, rows, row)).collect(),
        false => Vec::new(),
    }
}

/// Leaves out rows that had codes and have none.
pub(super) fn leave(had: &[Vec<bool>], plan: &Plan, tables: &[Rows], kept: &mut Kept, why: Why) {
    for (table, had) in had.iter().enumerate().filter(|(_, had)| !had.is_empty()) {
        let has_lost = |row: &usize| had[*row] && !has_codes(plan, table, &tables[table], *row);
        let rows: Vec<usize> = kept.of(table).filter(has_lost).collect();
        rows.into_iter().for_each(|row| kept.leave(table, row, why));
    }
}

/// Whether a row has a code of a set.
fn has_codes(plan: &Plan, table: usize, rows: &Rows, row: usize) -> bool {
    let mut sets = plan.tables[table].sets();
    sets.any(|set| codes(&rows.columns[set], row).any(|code| code != 0))
}

//! Codes of events that newspapers report: births, deaths of unknown cause, accidents, violence.

use velamen_core::hierarchy::Rule;

use super::{Kept, Why};
use crate::loaded::{Cells, Rows};
use crate::plan::{Plan, PlannedTable, Use};

/// Which of a column's codes are those of public events, where its hierarchy knows any.
pub(crate) fn of_column(plan: &Plan, table: &PlannedTable, column: usize) -> Option<fn(&str) -> bool> {
    let is_of_codes = matches!(table.columns[column].used, Use::Set { .. } | Use::MainCode | Use::Code);
    match table.rules.get(column) {
        Some(Some(Rule::Standard(standard))) if plan.drops_public_events && is_of_codes => {
            standard.structure().public_events()
        }
        _ => None,
    }
}

/// Leaves out rows with such a code, and takes such codes out of lists.
pub(super) fn apply(plan: &Plan, tables: &mut [Rows], kept: &mut Kept) {
    for (table, planned) in plan.tables.iter().enumerate() {
        for column in 0..planned.columns.len() {
            let Some(is_event) = of_column(plan, planned, column) else { continue };
            match &mut tables[table].columns[column] {
                Cells::Coded(coded) => {
                    let events: Vec<bool> = coded.texts.iter().map(|text| is_event(code(text))).collect();
                    for row in (0..coded.codes.len()).filter(|&row| events[coded.codes[row] as usize]) {
                        kept.leave(table, row, Why::Event);
                    }
                }
                Cells::Lists(lists) => {
                    let events: Vec<bool> = lists.texts.iter().map(|text| is_event(code(text))).collect();
                    lists.lists.iter_mut().for_each(|list| list.retain(|&code| !events[code as usize]));
                }
                _ => {}
            }
        }
    }
}

/// The code of a text: of a coding of FHIR, `system|code`, what stands behind the bar.
fn code(text: &str) -> &str {
    text.rsplit('|').next().unwrap_or(text)
}

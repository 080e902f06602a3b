//! Codes of events that newspapers report: births, deaths of unknown cause, accidents, violence.

use velamen_contract::linked::Shape;
use velamen_core::hierarchy::Rule;

use super::{Kept, Why};
use crate::icd10::{code, is_event, is_of_icd10};
use crate::loaded::{Cells, Rows};
use crate::plan::{Plan, PlannedTable, Use};

/// Which of a column's codes are those of public events.
#[derive(Clone, Copy)]
pub(crate) enum Events {
    /// Those of its hierarchy.
    OfHierarchy(fn(&str) -> bool),
    /// Those of FHIR's codings that name the ICD-10 as their system.
    OfIcd10,
}

impl Events {
    /// Of a column, where its hierarchy or the systems of its codes know any.
    pub(crate) fn of(plan: &Plan, table: &PlannedTable, column: usize, cells: &Cells) -> Option<Self> {
        let is_of_codes = matches!(table.columns[column].used, Use::Set { .. } | Use::MainCode | Use::Code);
        if !plan.drops_public_events || !is_of_codes {
            return None;
        }
        let known = match table.rules.get(column) {
            Some(Some(Rule::Standard(standard))) => standard.structure().public_events(),
            _ => None,
        };
        match (known, cells) {
            (Some(is_event), _) => Some(Self::OfHierarchy(is_event)),
            (None, Cells::Coded(coded)) if plan.shape == Shape::Fhir => {
                coded.texts.iter().any(|text| is_of_icd10(text)).then_some(Self::OfIcd10)
            }
            _ => None,
        }
    }

    fn has(self, text: &str) -> bool {
        match self {
            Self::OfHierarchy(is_event) => is_event(code(text)),
            Self::OfIcd10 => is_event(text),
        }
    }
}

/// Leaves out rows with such a code, and takes such codes out of lists.
pub(super) fn apply(plan: &Plan, tables: &mut [Rows], kept: &mut Kept) {
    for (table, planned) in plan.tables.iter().enumerate() {
        for column in 0..planned.columns.len() {
            let Some(found) = Events::of(plan, planned, column, &tables[table].columns[column]) else {
                continue;
            };
            match &mut tables[table].columns[column] {
                Cells::Coded(coded) => {
                    let events: Vec<bool> = coded.texts.iter().map(|text| found.has(text)).collect();
                    for row in (0..coded.codes.len()).filter(|&row| events[coded.at(row) as usize]) {
                        kept.leave(table, row, Why::Event);
                    }
                }
                Cells::Lists(lists) => {
                    let events: Vec<bool> = lists.texts.iter().map(|text| found.has(text)).collect();
                    lists.lists.iter_mut().for_each(|list| list.retain(|&code| !events[code as usize]));
                }
                _ => {}
            }
        }
    }
}

//! Codes of events that newspapers report: births, deaths of unknown cause, accidents, violence.

use velamen_contract::linked::Shape;
use velamen_core::hierarchy::{Rule, is_public_event};

use super::{Kept, Why};
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
        match (table.rules.get(column), cells) {
            (Some(Some(Rule::Standard(standard))), _) => {
                standard.structure().public_events().map(Self::OfHierarchy)
            }
            (_, Cells::Coded(coded)) if plan.shape == Shape::Fhir => {
                coded.texts.iter().any(|text| is_of_icd10(text)).then_some(Self::OfIcd10)
            }
            _ => None,
        }
    }

    fn has(self, text: &str) -> bool {
        match self {
            Self::OfHierarchy(is_event) => is_event(code(text)),
            Self::OfIcd10 => is_of_icd10(text) && is_public_event(code(text)),
        }
    }
}

/// The numbers of the ICD-10 and the ICD-10-CM among the systems of HL7.
const NUMBERS: [&str; 2] = ["urn:oid:2.16.840.1.113883.6.3", "urn:oid:2.16.840.1.113883.6.90"];

/// Whether a coding of FHIR, `system|code`, is of the ICD-10 or of a country's edition of it.
fn is_of_icd10(text: &str) -> bool {
    let system = text.rsplit_once('|').map_or("", |(system, _)| system);
    NUMBERS.contains(&system) || system.to_ascii_lowercase().contains("icd-10")
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
                    for row in (0..coded.codes.len()).filter(|&row| events[coded.codes[row] as usize]) {
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

/// The code of a text: of a coding of FHIR, `system|code`, what stands behind the bar.
fn code(text: &str) -> &str {
    text.rsplit('|').next().unwrap_or(text)
}

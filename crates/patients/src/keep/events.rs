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
            Self::OfIcd10 => is_of_icd10(text) && is_public_event(code(text)),
        }
    }
}

/// The ICD-10 and the ICD-10-CM by the numbers of their systems.
const NUMBERS: [&str; 2] = ["urn:oid:2.16.840.1.113883.6.3", "urn:oid:2.16.840.1.113883.6.90"];

/// The numbers under which Germany, Austria and Switzerland list systems of codes, each year's edition of the ICD-10 among them. Of
/// the others, few have codes of its form.
const LISTS: [&str; 3] = ["urn:oid:1.2.276.0.76.5.", "urn:oid:1.2.40.0.34.5.", "urn:oid:2.16.756.5."];

/// The ICD-10 by name, letters and digits alone: `icd-10-cm`, `ICD10`, and the WHO's `icd/release/10`.
const NAMES: [&str; 2] = ["icd10", "icdrelease10"];

/// Whether a coding of FHIR, `system|code`, is of the ICD-10 or of a country's edition of it.
fn is_of_icd10(text: &str) -> bool {
    let system = text.rsplit_once('|').map_or("", |(system, _)| system);
    let name: String = system.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let is_numbered = NUMBERS.contains(&system) || LISTS.iter().any(|list| system.starts_with(list));
    is_numbered || NAMES.iter().any(|known| name.contains(known))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editions_of_the_icd_10_are_known_by_name_and_number() {
        let systems = [
            "http://hl7.org/fhir/sid/icd-10-cm",
            "http://fhir.de/CodeSystem/bfarm/icd-10-gm",
            "http://id.who.int/icd/release/10",
            "urn:oid:2.16.840.1.113883.6.3",
            "urn:oid:1.2.276.0.76.5.530",
            "urn:oid:1.2.40.0.34.5.56",
            "urn:oid:2.16.756.5.30.1.127.3.6",
        ];
        for system in systems {
            assert!(Events::OfIcd10.has(&format!("{system}|W19")), "{system}");
            assert!(!Events::OfIcd10.has(&format!("{system}|I10")), "{system}");
        }
        for other in ["http://snomed.info/sct", "urn:oid:2.16.840.1.113883.6.96", ""] {
            assert!(!Events::OfIcd10.has(&format!("{other}|W19")), "{other}");
        }
    }
}

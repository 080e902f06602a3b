//! Numbers that say how old somebody is, by their unit or by the code of what was measured.

use velamen_contract::linked::{Ages, LinkedManifest, Shape, Table, Tier};

use super::faults::{Faults, Place};
use super::rows::Row;

/// The age from which on a release for anybody, or one that shows no birth, has no number.
pub(super) const TOP: u32 = 90;

/// Years, months, weeks, days and shorter times, and how many are less than a year or as many.
fn of_a_year(unit: &str) -> Option<f64> {
    Some(match unit {
        "a" | "a_j" | "a_g" | "a_t" | "y" | "yr" | "yrs" | "year" | "years" | "Jahr" | "Jahre" | "9448" => {
            1.0
        }
        "mo" | "mo_j" | "mo_g" | "mo_s" | "month" | "months" | "Monat" | "Monate" | "9580" => 12.0,
        "wk" | "week" | "weeks" | "Woche" | "Wochen" | "8511" => 365.0 / 7.0,
        "d" | "day" | "days" | "Tag" | "Tage" | "8512" => 365.0,
        "h" | "hr" | "hrs" | "hour" | "hours" | "Stunden" | "8505" => 365.0 * 24.0,
        "min" | "minutes" | "Minuten" | "8550" => 365.0 * 1440.0,
        "s" | "sec" | "seconds" | "Sekunden" | "8555" => 365.0 * 86_400.0,
        _ => return None,
    })
}

/// Whether a code is that of an age: in LOINC, in SNOMED CT, or a concept of OMOP.
fn is_age(code: &str) -> bool {
    let loinc = ["21611-9", "21612-7", "29553-5", "30525-0", "30972-4", "35659-2", "39016-1", "63900-5"];
    let others = ["397669002", "424144002", "445518008", "3022304", "4265453"];
    loinc.contains(&code) || others.contains(&code)
}

/// The columns of a table that has such numbers.
pub(super) struct Years<'a> {
    top: f64,
    name: &'a str,
    number: usize,
    unit: Option<usize>,
    codes: Vec<usize>,
}

impl<'a> Years<'a> {
    /// Of a table, if it has numbers with units.
    pub(super) fn of(manifest: &LinkedManifest, table: &'a Table) -> Option<Self> {
        let (number, unit, codes) = match manifest.shape {
            Shape::Fhir => ("valueQuantity.value", "valueQuantity.code", ["code", "code"]),
            Shape::Omop => {
                ("value_as_number", "unit_concept_id", ["measurement_concept_id", "observation_concept_id"])
            }
            Shape::Synthea => ("VALUE", "UNITS", ["CODE", "CODE"]),
            Shape::Tables => return None,
        };
        let place = |name: &str| table.columns.keys().position(|column| column.eq_ignore_ascii_case(name));
        let found = place(number)?;
        let (name, _) = table.columns.get_index(found)?;
        let codes = codes.into_iter().filter_map(place).collect();
        Some(Self { top: f64::from(top(manifest)), name, number: found, unit: place(unit), codes })
    }

    /// Looks at a row.
    pub(super) fn see(&self, row: &Row, place: Place<'_>, faults: &mut Faults) {
        let Some(number) = row.get(self.number).and_then(least) else { return };
        let code = |place: usize| row.get(place).map(|text| text.rsplit('|').next().unwrap_or(text));
        let unit = self.unit.and_then(code).and_then(of_a_year);
        let is_age = || self.codes.iter().any(|&column| code(column).is_some_and(is_age));
        let of_a_year = unit.or_else(|| is_age().then_some(1.0));
        if of_a_year.is_some_and(|of_a_year| number >= self.top * of_a_year) {
            faults.add(place.column(self.name), "a number that is an age of the oldest");
        }
    }
}

/// The least age that no number shows.
fn top(manifest: &LinkedManifest) -> u32 {
    let stated = manifest.ages.as_ref().map_or(TOP, |Ages { top, .. }| *top);
    if manifest.tier == Tier::Public { stated.min(TOP) } else { stated }
}

/// A number, or the least one of a band.
fn least(cell: &str) -> Option<f64> {
    let text = match cell.strip_prefix('[') {
        Some(band) => band.split(',').next()?,
        None => cell,
    };
    text.trim().parse().ok()
}

//! Numbers that say how old somebody is: those of the oldest are left out, as the oldest show one birth.
//!
//! A number is an age if its unit is one of time and it is as many years, whatever was measured: nothing else lasts as long. If its
//! unit is none of time, the code of what was measured decides, and the number is taken for years.

use velamen_contract::linked::Shape;

use super::numbers::{band, significant};
use super::{Kept, Rules};
use crate::loaded::{Cells, Coded, Rows};
use crate::plan::{PlannedTable, Use};

/// Of each shape the column of a number, those of what was measured, and that of its unit.
const PLACES: [(Shape, &str, &[&str], &str); 3] = [
    (Shape::Fhir, "valueQuantity.value", &["code"], "valueQuantity.code"),
    (
        Shape::Omop,
        "value_as_number",
        &["measurement_concept_id", "observation_concept_id"],
        "unit_concept_id",
    ),
    (Shape::Synthea, "VALUE", &["CODE"], "UNITS"),
];

/// The codes of ages in LOINC, SNOMED CT and OMOP's vocabulary: that of today, reported, calculated, estimated, at death, at the beginning of something.
const AGES: [&str; 13] = [
    "30525-0",
    "21612-7",
    "29553-5",
    "21611-9",
    "30972-4",
    "35659-2",
    "39016-1",
    "63900-5",
    "397669002",
    "424144002",
    "445518008",
    "3022304",
    "4265453",
];

/// How many of a unit of time are a year at least, by its code in UCUM, its usual names, and its concept in OMOP.
const UNITS: [(f64, &[&str]); 7] = [
    (1.0, &["a", "a_j", "a_g", "a_t", "year", "years", "yr", "yrs", "y", "Jahr", "Jahre", "9448"]),
    (12.0, &["mo", "mo_j", "mo_g", "mo_s", "month", "months", "Monat", "Monate", "9580"]),
    (365.0 / 7.0, &["wk", "week", "weeks", "Woche", "Wochen", "8511"]),
    (365.0, &["d", "day", "days", "Tag", "Tage", "8512"]),
    (8_760.0, &["h", "hour", "hours", "hr", "hrs", "Stunden", "8505"]),
    (525_600.0, &["min", "minutes", "Minuten", "8550"]),
    (31_536_000.0, &["s", "sec", "seconds", "Sekunden", "8555"]),
];

/// The age from which on numbers show nothing where no birth is released.
const OLD: u32 = 90;

/// What stands behind the system of a coding of FHIR.
fn code(text: &str) -> &str {
    text.rsplit('|').next().unwrap_or(text)
}

/// How many of a unit are a year; nothing of one that is none of time.
fn a_year(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(_, names)| names.contains(&code(unit))).map(|(number, _)| *number)
}

/// Leaves out the ages of the oldest, before and after they are rounded.
pub(super) fn apply(rules: &Rules<'_>, tables: &mut [Rows], kept: &mut Kept) {
    let top = rules.plan.top_age;
    let top = f64::from(if rules.demographics.oldest().is_some() { top } else { top.min(OLD) });
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        let Some(number) = Number::of(rules.plan.shape, planned) else { continue };
        let old = number.old(top, &tables[table], &kept.rows[table]);
        kept.count_emptied(table, number.place, old.len() as u64);
        if let Cells::Numbers(found) = &mut tables[table].columns[number.place] {
            found.put(old, f64::NAN);
        }
    }
}

/// A column of numbers that can be ages.
struct Number<'a> {
    place: usize,
    used: &'a Use,
    /// The columns of what was measured, and that of its unit.
    codes: Vec<usize>,
    unit: Option<usize>,
}

impl<'a> Number<'a> {
    fn of(shape: Shape, planned: &'a PlannedTable) -> Option<Self> {
        let (_, number, codes, unit) = PLACES.iter().find(|(of, ..)| *of == shape)?;
        let place =
            |name: &str| planned.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        let (codes, own) = (codes.iter().filter_map(|name| place(name)).collect(), place(number)?);
        Some(Self { place: own, used: &planned.columns[own].used, codes, unit: place(unit) })
    }

    /// The rows that stay whose number is an age of so many years or more.
    fn old(&self, top: f64, rows: &Rows, kept: &[bool]) -> Vec<usize> {
        let Cells::Numbers(found) = &rows.columns[self.place] else { return Vec::new() };
        let units = Each::of(self.unit.and_then(|unit| rows.coded(unit)), a_year);
        let is_age = |text: &str| AGES.contains(&code(text)).then_some(1.0);
        let codes: Vec<Each<'_>> =
            self.codes.iter().map(|&column| Each::of(rows.coded(column), is_age)).collect();
        let a_year = |row: usize| units.row(row).or_else(|| codes.iter().find_map(|codes| codes.row(row)));
        let is_old = |row: usize| a_year(row).is_some_and(|year| self.shown(found[row]) >= top * year);
        (0..rows.number).filter(|&row| kept[row] && is_old(row)).collect()
    }

    /// The most that a release would say of a number.
    fn shown(&self, number: f64) -> f64 {
        match self.used {
            Use::Value { digits, .. } => number.max(significant(number, *digits)),
            // The last band holds what is beyond it.
            Use::Band { bounds, .. } if !number.is_nan() => number.max(bounds[band(bounds, number)]),
            _ => number,
        }
    }
}

/// What is known of each text of a column.
struct Each<'a> {
    of_texts: Vec<Option<f64>>,
    codes: Option<&'a Coded>,
}

impl<'a> Each<'a> {
    fn of(coded: Option<&'a Coded>, known: impl Fn(&str) -> Option<f64>) -> Self {
        let of_texts = coded.map(|coded| coded.texts.iter().map(|text| known(text)).collect());
        Self { of_texts: of_texts.unwrap_or_default(), codes: coded }
    }

    fn row(&self, row: usize) -> Option<f64> {
        self.of_texts[self.codes?.at(row) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time_are_known_by_code_and_name() {
        assert_eq!(a_year("http://unitsofmeasure.org|a"), Some(1.0));
        assert_eq!(["|years", "9580", "urn:u|d"].map(a_year), [Some(1.0), Some(12.0), Some(365.0)]);
        assert_eq!(["", "A", "kg", "|mg/d"].map(a_year), [None; 4]);
    }
}

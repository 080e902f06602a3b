//! Elements and columns of a standard that hold days, births or numbers: nobody releases them as recorded, so no manifest says so.

use velamen_contract::linked::Shape;

use super::r4::{Form, form};

/// The columns of OMOP's tables that hold births, days or numbers, but for days of a beginning.
const OMOP: [&str; 16] = [
    "year_of_birth",
    "value_as_number",
    "refills",
    "quantity",
    "days_supply",
    "procedure_date",
    "measurement_date",
    "observation_date",
    "death_date",
    "observation_period_end_date",
    "visit_end_date",
    "visit_detail_end_date",
    "condition_end_date",
    "drug_exposure_end_date",
    "procedure_end_date",
    "device_exposure_end_date",
];

/// How the names of OMOP's days of a beginning end.
const OMOP_BEGINS: &str = "_start_date";

/// The columns of Synthea.
const SYNTHEA: [&str; 7] = ["BIRTHDATE", "START", "STOP", "DATE", "VALUE", "DISPENSES", "QUANTITY"];

/// Whether a column of a table, or an element, holds days, births, numbers or references.
pub(super) fn has_a_rule(shape: Shape, column: &str) -> bool {
    let is = |known: &&str| known.eq_ignore_ascii_case(column);
    match shape {
        Shape::Fhir => {
            matches!(form(column), Form::Day | Form::Birth | Form::Number | Form::Reference(_))
                || column == "id"
        }
        Shape::Omop => OMOP.iter().any(is) || column.to_ascii_lowercase().ends_with(OMOP_BEGINS),
        Shape::Synthea => SYNTHEA.iter().any(is),
        Shape::Tables => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_numbers_of_a_standard_have_rules() {
        let named = |shape: Shape, names: &str| names.split(' ').all(|name| has_a_rule(shape, name));
        assert!(named(Shape::Fhir, "recordedDate period.start birthDate valueQuantity.value subject id"));
        assert!(named(Shape::Omop, "visit_start_date death_date drug_exposure_end_date VALUE_AS_NUMBER"));
        assert!(named(Shape::Synthea, "START stop BIRTHDATE VALUE"));
        for (shape, name) in [
            (Shape::Fhir, "code"),
            (Shape::Fhir, "status"),
            (Shape::Omop, "verbatim_end_date"),
            (Shape::Omop, "condition_concept_id"),
            (Shape::Synthea, "CODE"),
            (Shape::Tables, "recordedDate"),
        ] {
            assert!(!has_a_rule(shape, name), "{name}");
        }
    }
}

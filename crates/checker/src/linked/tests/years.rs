//! Numbers that say how old somebody is, at the age from which on none may stand.

use indexmap::IndexMap;
use velamen_contract::linked::{Column, LinkedManifest, Shape, Table, Tier};

use super::super::faults::{Faults, Place};
use super::super::rows::Row;
use super::super::years::Years;
use super::made::manifest;

fn of_shape(shape: Shape) -> LinkedManifest {
    let mut manifest = manifest(IndexMap::new());
    (manifest.shape, manifest.ages) = (shape, None);
    manifest
}

/// Whether a row of a table with these columns has an age of the oldest.
fn is_old(manifest: &LinkedManifest, names: [&str; 3], cells: [&str; 3]) -> bool {
    let table = Table {
        file: "data/LAB.csv".into(),
        records: 1,
        parent: None,
        is_person_column: false,
        is_referred_to: false,
        window: None,
        emptied: Default::default(),
        columns: names.iter().map(|name| ((*name).to_owned(), Column::Insensitive)).collect(),
    };
    let mut faults = Faults::default();
    if let Some(years) = Years::of(manifest, &table) {
        years.see(&Row::from(cells.to_vec()), Place::table("LAB"), &mut faults);
    }
    !faults.is_empty()
}

const FHIR: [&str; 3] = ["code", "valueQuantity.value", "valueQuantity.code"];

#[test]
fn ninety_years_are_an_age_in_every_unit() {
    let manifest = of_shape(Shape::Fhir);
    for (units, less, most) in [
        ("a a_j a_g a_t y yr yrs year years Jahr Jahre 9448", "89.9", "90"),
        ("mo mo_j mo_g mo_s month months Monat Monate 9580", "1079", "1080"),
        ("wk week weeks Woche Wochen 8511", "4692", "4693"),
        ("d day days Tag Tage 8512", "32849", "32850"),
        ("h hr hrs hour hours Stunden 8505", "788399", "788400"),
        ("min minutes Minuten 8550", "47303999", "47304000"),
        ("s sec seconds Sekunden 8555", "2838239999", "2838240000"),
    ] {
        for unit in units.split(' ') {
            let unit = format!("http://unitsofmeasure.org|{unit}");
            let is_old = |number| is_old(&manifest, FHIR, ["urn:s|x", number, &unit]);
            assert_eq!([less, most].map(is_old), [false, true], "{unit}");
        }
    }
    assert!(!is_old(&manifest, FHIR, ["urn:s|x", "90", "|kg"]));
}

#[test]
fn the_code_of_an_age_needs_no_unit() {
    let omop = |code| [code, "value_as_number", "unit_concept_id"];
    for (shape, names, code) in [
        (Shape::Fhir, FHIR, "http://loinc.org|30525-0"),
        (Shape::Fhir, FHIR, "http://snomed.info/sct|445518008"),
        (Shape::Omop, omop("measurement_concept_id"), "3022304"),
        (Shape::Omop, omop("observation_concept_id"), "4265453"),
        (Shape::Synthea, ["CODE", "VALUE", "UNITS"], "30525-0"),
        (Shape::Synthea, ["code", "value", "units"], "397669002"),
    ] {
        let is_old = |code, number| is_old(&of_shape(shape), names, [code, number, ""]);
        assert_eq!([is_old(code, "90"), is_old(code, "89"), is_old("8302-2", "90")], [true, false, false]);
    }
    let tables = of_shape(Shape::Tables);
    assert!(!is_old(&tables, ["CODE", "VALUE", "UNITS"], ["30525-0", "90", "a"]), "nothing is known of them");
}

#[test]
fn a_band_is_as_old_as_its_least_number() {
    let manifest = of_shape(Shape::Fhir);
    let is_old = |band| is_old(&manifest, FHIR, ["urn:s|x", band, "|years"]);
    assert!(is_old("[90, 100)") && !is_old("[80, 100)") && !is_old(""));
}

#[test]
fn the_age_is_the_one_that_is_stated_and_for_anybody_at_most_ninety() {
    for (tier, top, least) in
        [(Tier::Agreement, 95, 95), (Tier::Agreement, 80, 80), (Tier::Public, 95, 90), (Tier::Public, 80, 80)]
    {
        let mut manifest = manifest(IndexMap::new());
        (manifest.shape, manifest.tier) = (Shape::Fhir, tier);
        manifest.ages.as_mut().unwrap().top = top;
        let is_old = |number: i32| is_old(&manifest, FHIR, ["urn:s|x", &number.to_string(), "|years"]);
        assert_eq!([least - 1, least].map(is_old), [false, true], "{tier:?} {top}");
    }
}

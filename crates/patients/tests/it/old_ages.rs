//! Numbers that are ages: those of the oldest are in no release, and a planted one is found.

use std::fmt::Write as _;

use serde_json::{Value, json};
use velamen_checker::State;

use super::fhir::agreement;
use super::fhir_odd::{changed, is};
use super::folder::{Made, omop, public, with_context};
use super::originals::found;

/// The state of a promise, by `verify`.
fn state(made: &Made, promise: &str) -> Option<State> {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let found = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    found.into_iter().find(|finding| finding.promise == promise).map(|finding| finding.state)
}

/// Rounded numbers beside years, as Safe Harbor wants them.
fn recipe() -> String {
    "preset = \"hipaa-safe-harbor\"\n".to_owned()
        + &agreement().replace("{ shift = 30 }", "\"year\"").replace("[key]\nfile = \"secret.key\"\n", "")
}

/// What an observation says by its number: an age of five persons each, in one of the ways to say it.
fn said(number: usize) -> (Value, Value) {
    let coded = |system: &str, code: &str| json!({ "coding": [{ "system": system, "code": code }] });
    let ucum = |value: u64, code: &str| json!({ "value": value, "system": "http://unitsofmeasure.org", "code": code });
    let old = (number / 5).is_multiple_of(2);
    let years = if old { 93 } else { 52 };
    let other = coded("urn:local", "since-birth");
    match number % 5 {
        0 => (coded("http://loinc.org", "30525-0"), ucum(years, "a")),
        1 => (coded("http://loinc.org", "21612-7"), json!({ "value": years })),
        2 => (other, ucum(years * 12, "mo")),
        3 => (other, ucum(if old { 33_900 } else { 18_900 }, "d")),
        _ => (other, json!({ "value": years, "unit": "years" })),
    }
}

#[test]
fn no_observation_says_that_somebody_is_over_ninety() {
    let made = changed(300, |number, resource| {
        if is(resource, "Observation") {
            (resource["code"], resource["valueQuantity"]) = said(number);
        }
    });
    made.run(&recipe()).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let path = made.path("release/data/Observation.ndjson");
    let text = std::fs::read_to_string(&path).unwrap();
    let shown = |value: &str| text.contains(&format!("\"value\":{value}"));
    assert!(shown("52") && shown("624") && shown("18900"), "the ages of others stay");
    assert!(!shown("93") && !shown("1116") && !shown("1120") && !shown("33900"));
    assert_eq!([state(&made, "ages"), state(&made, "preset")], [Some(State::Held); 2]);
    for (from, to) in [("52,\"system\"", "93,\"system\""), ("624,", "1110,"), ("18900", "33900")] {
        std::fs::write(&path, text.replacen(&format!("\"value\":{from}"), &format!("\"value\":{to}"), 1))
            .unwrap();
        assert_eq!([state(&made, "ages"), state(&made, "preset")], [Some(State::Broken); 2], "{to}");
    }
}

#[test]
fn no_band_begins_with_the_age_of_the_oldest() {
    let made = changed(300, |number, resource| {
        if is(resource, "Observation") {
            (resource["code"], resource["valueQuantity"]) = said(number - number % 5);
        }
    });
    let bands = |text: &str| {
        format!(
            "{}[tables.Observation.attributes.\"valueQuantity.value\"]\nrole = \"value\"\nbands = {text}\n",
            recipe()
        )
    };
    made.run(&bands("[0, 90, 95, 100]")).unwrap();
    let path = made.path("release/data/Observation.ndjson");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"low\":{\"value\":0,") && !text.contains("\"low\":{\"value\":90,"));
    let forged = text.replacen("\"low\":{\"value\":0,", "\"low\":{\"value\":90,", 1);
    std::fs::write(&path, forged.replacen("\"high\":{\"value\":90,", "\"high\":{\"value\":95,", 1)).unwrap();
    assert_eq!(state(&made, "ages"), Some(State::Broken));
}

#[test]
fn omop_has_ages_by_concept_and_by_unit() {
    let made = omop(300);
    made.change("MEASUREMENT.csv", |text| {
        let mut lines = text.lines();
        let mut made = lines.next().unwrap().to_owned() + "\n";
        for (number, line) in lines.enumerate() {
            let mut cells: Vec<&str> = line.split(',').collect();
            // The age by its concept without a unit, and something else in years.
            (cells[2], cells[6]) = if number % 2 == 0 { ("3022304", "0") } else { ("3004249", "9448") };
            cells[5] = if number / 2 % 2 == 0 { "94" } else { "47" };
            writeln!(made, "{}", cells.join(",")).unwrap();
        }
        made
    });
    let recipe = public("\"year\"").replace("\"public\"", "\"agreement\"");
    made.run(&recipe).unwrap();
    let shown = made.released("MEASUREMENT.csv");
    let has = |value: &str| shown.iter().any(|row| row["value_as_number"] == value);
    assert!(has("47") && !has("94"));
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let path = made.path("release/data/MEASUREMENT.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen(",47,", ",94,", 1)).unwrap();
    assert_eq!(state(&made, "ages"), Some(State::Broken));
    // An agreement can say that it shows ages up to another one.
    let births = "[tables.person.attributes.year_of_birth]\nrole = \"quasi-identifier\"\nlevel = 2\n\
         hierarchy = { interval = [10, 20], min = 1900, max = 2039 }\n";
    made.run(&(recipe.replace("[persons]\n", "[persons]\ntop-age = 110\n") + births)).unwrap();
    assert!(made.released("MEASUREMENT.csv").iter().any(|row| row["value_as_number"] == "94"));
    assert_eq!(state(&made, "ages"), Some(State::Held));
}

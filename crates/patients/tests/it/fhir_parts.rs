//! Components of observations, resources of nobody, addresses.

use serde_json::json;
use velamen_checker::State;
use velamen_core::error::Class;

use super::fhir::{agreement, released};
use super::fhir_odd::{changed, is, years};
use super::folder::Made;
use super::originals::found;

/// Every observation with two components, as of a blood pressure, and no value of its own.
fn pressures(persons: u64) -> Made {
    changed(persons, |number, resource| {
        if !is(resource, "Observation") {
            return;
        }
        let loinc = |code: &str| json!({ "coding": [{ "system": "http://loinc.org", "code": code, "display": "planted" }] });
        let value = |value: usize| json!({ "value": value, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mm[Hg]" });
        resource["code"] = loinc("85354-9");
        resource.as_object_mut().unwrap().remove("valueQuantity");
        resource["component"] = json!([
            { "code": loinc("8480-6"), "valueQuantity": value(110 + number % 40) },
            { "code": loinc("8462-4"), "valueQuantity": value(60 + number % 30), "interpretation": [{ "text": "planted" }] },
        ]);
    })
}

#[test]
fn components_become_observations() {
    let made = pressures(60);
    made.run(&agreement()).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let all = released(&made, "Observation");
    let of =
        |code: &str| all.iter().filter(|one| one["code"]["coding"][0]["code"] == code).collect::<Vec<_>>();
    let (wholes, upper, lower) = (of("85354-9"), of("8480-6"), of("8462-4"));
    assert!(!wholes.is_empty() && upper.len() == lower.len() && !upper.is_empty());
    assert!(wholes.iter().all(|one| one.get("valueQuantity").is_none()));
    for (all, least, most) in [(upper, 110.0, 149.0), (lower, 60.0, 89.0)] {
        for one in all {
            let value = one["valueQuantity"]["value"].as_f64().unwrap();
            assert!((least..=most).contains(&value), "{value}");
            assert!(one["effectiveDateTime"].is_string() && one["encounter"].is_object());
        }
    }
}

#[test]
fn a_component_of_another_type_is_refused_with_its_place() {
    for wrong in [json!({ "code": {} }), json!(["planted"])] {
        let made = changed(20, |number, resource| {
            if is(resource, "Observation") && number == 3 {
                resource["component"] = wrong.clone();
            }
        });
        let error = made.run(&agreement()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("Observation.ndjson: line 4, Observation.component: "), "{text}");
        assert_eq!(error.class(), Class::Data);
    }
}

#[test]
fn what_belongs_to_no_patient_goes_where_the_recipe_says_so() {
    let made = changed(60, |number, resource| {
        if is(resource, "Observation") && number % 10 == 0 {
            let reference = if number % 20 == 0 { "Group/7" } else { "Device/7" };
            resource["subject"] = json!({ "reference": reference });
        }
    });
    let error = made.run(&agreement()).unwrap_err().to_string();
    assert!(error.contains("[tables.Observation] orphans = \"drop\""), "{error}");
    made.run(&(agreement() + "[tables.Observation]\norphans = \"drop\"\n")).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn an_address_that_ends_in_another_id_is_refused() {
    let made = Made::empty();
    let entry = |address: u8, id: u8| {
        json!({ "fullUrl": format!("https://server/fhir/Patient/{address}"), "resource": {
            "resourceType": "Patient", "id": id.to_string(), "gender": "female", "birthDate": "1970" } })
    };
    let bundle = json!({ "resourceType": "Bundle", "entry": [entry(1, 1), entry(3, 2), entry(2, 3)] });
    made.table("all.json", &bundle.to_string());
    let error = made.run(&years()).unwrap_err().to_string();
    assert!(error.contains("all.json: entry 2, Patient.id: "), "{error}");
}

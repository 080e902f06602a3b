//! Components of observations, resources of nobody, addresses.

use serde_json::json;
use velamen_checker::State;
use velamen_core::error::Class;

use super::fhir::{agreement, released};
use super::fhir_odd::{changed, is, years};
use super::folder::{Made, with_context};
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

#[test]
fn numbers_in_bands_are_ranges() {
    let made = changed(200, |number, resource| {
        if is(resource, "Observation") && number % 9 == 0 {
            let unit = json!({ "value": 71, "unit": "pounds" });
            resource["valueQuantity"] = if number % 2 == 0 { unit } else { json!({ "value": 71 }) };
        }
        if is(resource, "Observation") && number % 11 == 0 {
            resource["valueRange"] = json!({ "low": { "value": 1.5, "unit": "planted" } });
        }
    });
    let bands = "[tables.Observation.attributes.\"valueQuantity.value\"]\nrole = \"value\"\nbands = [0, 62.5, 75, 200]\n";
    made.run(&(years() + bands)).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let all = released(&made, "Observation");
    let ranges: Vec<_> = all.iter().filter_map(|one| one.get("valueRange")).collect();
    assert!(ranges.len() > 100 && all.iter().all(|one| one["valueQuantity"].get("value").is_none()));
    let of = |range: &serde_json::Value, end: &str| range[end]["value"].as_f64().unwrap();
    for range in &ranges {
        let bounds = (of(range, "low"), of(range, "high"));
        assert!([(0.0, 62.5), (62.5, 75.0), (75.0, 200.0)].contains(&bounds), "{range}");
        assert_eq!(range["low"]["code"], range["high"]["code"]);
    }
    let with = |unit: &str, name: &str| ranges.iter().any(|range| range["low"][unit] == name);
    assert!(with("code", "kg") && with("unit", "pounds"));
    let text = std::fs::read_to_string(made.path("release/codebook.csv")).unwrap();
    assert!(text.contains("3 declared bands, as `valueRange`"), "{text}");
    let (path, broken) = (made.path("release/data/Observation.ndjson"), |text: &str| {
        let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
        std::fs::write(made.path("release/data/Observation.ndjson"), text).unwrap();
        let found =
            with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context));
        let broken = found.unwrap().into_iter().filter(|finding| finding.state == State::Broken);
        broken.map(|finding| finding.promise).collect::<Vec<_>>()
    });
    let before = std::fs::read_to_string(&path).unwrap();
    assert!(broken(&before).is_empty());
    let low = "\"low\":{\"value\":62.5";
    assert!(broken(&before.replacen(low, "\"low\":{\"value\":62.25", 1)).contains(&"values".to_owned()));
    let with_text = before.replacen(low, "\"low\":{\"unit\":\"planted\",\"value\":62.5", 1);
    assert!(broken(&with_text).contains(&"columns".to_owned()));
    let units = before.replacen("\"code\":\"kg\"}}", "\"code\":\"g\"}}", 1);
    assert!(broken(&units).contains(&"columns".to_owned()));
}

#[test]
fn what_is_left_out_for_want_of_a_code_is_said() {
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number % 10 == 4 {
            resource["code"] = json!({ "text": "secret" });
        }
        if is(resource, "Encounter") && number == 7 {
            resource.as_object_mut().unwrap().remove("class");
        }
        if is(resource, "Immunization") && number % 20 == 6 {
            resource["modifierExtension"] = json!([{ "url": "secret", "valueCode": "secret" }]);
        }
    });
    let request = |number: usize| {
        let medication = json!({ "reference": format!("Medication/{}", number % 2) });
        json!({ "resourceType": "MedicationRequest", "id": number.to_string(), "status": "active", "intent": "order",
            "subject": { "reference": format!("Patient/planted-{number}") }, "medicationReference": medication })
    };
    let requests: String = (0..60).map(|number| request(number).to_string() + "\n").collect();
    made.table("MedicationRequest.ndjson", &requests);
    let medication = json!({ "resourceType": "Medication", "id": "0", "code": { "coding": [{ "system": "urn:m", "code": "m" }] } });
    made.table("Medication.ndjson", &format!("{medication}\n"));
    let warnings = made.run(&years()).unwrap().warnings.join("\n");
    for said in [
        "`MedicationRequest`: 30 rows are left out, because they have no `medicationCodeableConcept`; the first is ",
        "MedicationRequest.ndjson: line 2",
        "Condition.ndjson: line 5",
        "`Encounter`: a row is left out, because it has no `class`; the first is ",
        "Encounter.ndjson: line 8",
        "`Immunization`: 3 resources are left out, because a modifier changes what it says; the first is ",
        "Immunization.ndjson: line 7",
    ] {
        assert!(warnings.contains(said), "{said}\n{warnings}");
    }
    assert!(!warnings.contains("secret"), "{warnings}");
    assert_eq!(released(&made, "MedicationRequest").len(), 30);
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn what_is_no_resource_in_its_place_is_refused() {
    let refused = |file: &str, text: &str, said: &str| {
        let made = changed(20, |_, _| {});
        made.table(file, text);
        let error = made.run(&agreement()).unwrap_err();
        let shown = error.to_string();
        assert!(shown.contains(file) && shown.contains(said) && !shown.contains("secret"), "{shown}");
        assert_eq!(error.class(), Class::Data);
    };
    let bundle = "{\"resourceType\":\"Bundle\",\"id\":\"secret\",\"entry\":[]}\n";
    refused("all.ndjson", bundle, "line 1: a bundle in the place of a resource");
    let within = format!("{{\"resourceType\":\"Bundle\",\"entry\":[{{\"resource\":{bundle}}}]}}");
    refused("all.json", &within, "entry 1: a bundle in the place of a resource");
    refused("Condition.1.ndjson", "\r\n\n[\"secret\"]\n", "line 3: a list in the place of an object");
    refused("Condition.1.ndjson", "{\"secret\":\r\n", "line 1: no JSON at character 10");
    refused("patients.xml", "<secret/>", "no file of FHIR resources");
    let long = "{\"resourceType\":\"Basic\",\"id\":\"1\"}\n".repeat(9_000) + "{\"secret\n";
    refused("Basic.ndjson", &long, "line 9001: no JSON");
    let other = changed(60, |_, _| {});
    other.table("Basic.ndjson", "{\"resourceType\":\"Basic\",\"id\":\"secret\"}\n");
    other.run(&agreement()).unwrap();
    assert!(!other.path("release/data/Basic.ndjson").exists());
}

#[test]
fn dates_that_r4_does_not_have_are_refused_with_their_place() {
    let refused = |kind: &str, element: &str, text: &str| {
        let made = changed(60, |number, resource| {
            if is(resource, kind) && number == 5 {
                resource[element] = text.into();
            }
        });
        let error = made.run(&agreement()).unwrap_err().to_string();
        assert!(error.contains(&format!("{kind}.ndjson: line 6, {kind}.{element}: no date")), "{error}");
        assert!(!error.contains(text), "{error}");
    };
    for day in ["2015-02-30", "0000", "0000-03-01", "2015-02-07 13:28:17Z", "2015-02-07T13:28:17Y"] {
        refused("Condition", "onsetDateTime", day);
    }
    for birth in ["0000", "1960-13", "1960-03-17T10:00:00Z"] {
        refused("Patient", "birthDate", birth);
    }
}

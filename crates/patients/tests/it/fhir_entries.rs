//! Entries of bundles that are no resources, and units that are texts.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_core::error::Class;

use super::fhir::{released, resources};
use super::fhir_odd::{changed, is, years};
use super::folder::{Made, with_context};
use super::originals::found;

/// A bundle of some patients with these entries before theirs.
fn bundle(before: &[Value]) -> Made {
    let all = resources(60).into_values().flatten().map(|resource| json!({ "resource": resource }));
    let entries: Vec<Value> = before.iter().cloned().chain(all).collect();
    let made = Made::empty();
    let bundle = json!({ "resourceType": "Bundle", "type": "transaction", "entry": entries });
    made.table("all.json", &bundle.to_string());
    made
}

#[test]
fn entries_without_a_resource_are_said() {
    let get = json!({ "request": { "method": "GET", "url": "Patient/secret" } });
    let answer = json!({ "resource": null, "response": { "status": "201", "location": "Patient/secret" } });
    let made = bundle(&[get, answer]);
    let outcome = made.run(&years()).unwrap();
    let said = "2 entries have no resource, such as a request or an answer alone; the first is ";
    let warnings = outcome.warnings.join("\n");
    assert!(warnings.contains(said) && warnings.contains("all.json: entry 1"), "{warnings}");
    assert!(!warnings.contains("secret"), "{warnings}");
    assert_eq!(outcome.manifest.persons.records + outcome.manifest.persons.suppressed, 60);
}

#[test]
fn requests_to_change_other_resources_are_refused() {
    let answer = json!({ "response": { "status": "200" } });
    let resource = json!({ "resourceType": "Parameters", "id": "secret" });
    for (method, resource) in [("DELETE", Value::Null), ("PATCH", resource.clone()), ("delete", resource)] {
        let change =
            json!({ "resource": resource, "request": { "method": method, "url": "Patient/secret" } });
        let error = bundle(&[answer.clone(), change]).run(&years()).unwrap_err();
        let (shown, said) = (
            error.to_string(),
            format!("all.json: entry 2: a request to {} a resource", method.to_uppercase()),
        );
        assert!(shown.contains(&said) && !shown.contains("secret"), "{shown}");
        assert_eq!(error.class(), Class::Data);
    }
}

#[test]
fn a_unit_without_a_code_is_a_known_one_or_declared() {
    let units = ["kg", "Dr.Secret", "Stk", "kg on ward secret"];
    let made = changed(200, |number, resource| {
        if is(resource, "Observation") {
            // Many share each of the names.
            resource["valueQuantity"] = match number % 5 {
                4 => json!({ "value": 71, "unit": "kg", "code": "secret" }),
                of => json!({ "value": 71, "unit": units[of] }),
            };
        }
    });
    let public = |recipe: &str| {
        let bands =
            "[tables.Observation.attributes.\"valueQuantity.value\"]\nrole = \"value\"\nbands = [0, 100]\n";
        format!("{recipe}{bands}")
    };
    let shown = |recipe: &str| {
        let warnings = made.run(&public(recipe)).unwrap().warnings.join("\n");
        let all = released(&made, "Observation");
        let text = std::fs::read_to_string(made.path("release/data/Observation.ndjson")).unwrap();
        assert!(!text.to_lowercase().contains("secret") && !warnings.to_lowercase().contains("secret"));
        assert!(
            all.iter().all(|one| one["valueRange"].is_null() != one["valueRange"]["low"]["unit"].is_string())
        );
        let units = all.iter().filter_map(|one| one["valueRange"]["low"]["unit"].as_str().map(str::to_owned));
        (units.collect::<BTreeSet<String>>(), warnings)
    };
    let (units, warnings) = shown(&years());
    assert_eq!(units, BTreeSet::from(["kg".to_owned()]));
    let said = "numbers are left out, because the unit is no known one; the first is ";
    assert!(warnings.contains(said) && warnings.contains("Observation.ndjson: line 2;"), "{warnings}");
    let (units, _) = shown(&years().replace("[persons]\n", "[persons]\nunits = [\"Stk\"]\n"));
    assert_eq!(units, BTreeSet::from(["Stk".to_owned(), "kg".to_owned()]));
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    forged_units(&made);
}

/// Recipients find a unit that neither is known nor was declared.
fn forged_units(made: &Made) {
    let path = made.path("release/data/Observation.ndjson");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"unit\":\"Stk\"", "\"unit\":\"Dr.Doe\"")).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let found = with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context));
    let columns = found.unwrap().into_iter().find(|finding| finding.promise == "columns").unwrap();
    assert_eq!(columns.state, State::Broken);
}

#[test]
fn units_are_declared_for_fhir_as_names() {
    let made = changed(20, |_, _| {});
    for wrong in ["", " kg", "a| b", "urn:a|", "a\\nb"] {
        let recipe = years().replace("[persons]\n", &format!("[persons]\nunits = [\"{wrong}\"]\n"));
        let error = made.run(&recipe).unwrap_err();
        assert!(error.to_string().contains("a name that no unit has"), "{error}");
    }
}

#[test]
fn a_bundle_of_many_entries_is_read_as_one_of_few() {
    let text = |number: usize| json!({ "resource": { "resourceType": "Basic", "id": number.to_string() } });
    let before: Vec<Value> = (0..10_000).map(text).collect();
    let (many, few) = (bundle(&before), bundle(&[]));
    many.run(&years()).unwrap();
    few.run(&years()).unwrap();
    for kind in ["Patient", "Encounter", "Condition", "Observation"] {
        assert_eq!(released(&many, kind).len(), released(&few, kind).len(), "{kind}");
    }
    many.change("all.json", |text| text.replacen("\"gender\":\"male\"", "\"gender\":\"secret\"", 1));
    let shown = many.run(&years()).unwrap_err().to_string();
    assert!(shown.contains("all.json: entry 10") && shown.contains("Patient.gender: "), "{shown}");
}

#[test]
fn a_release_is_read_again() {
    let made = changed(200, |_, _| {});
    made.run(&years()).unwrap();
    let again = years()
        .replace("folder = \"in\"", "folder = \"release\"")
        .replace("path = \"release\"", "path = \"again\"");
    let outcome = made.run(&again).unwrap();
    let persons = outcome.manifest.persons;
    assert_eq!(persons.records + persons.suppressed, released(&made, "Patient").len() as u64);
    assert!(made.path("again/data/Condition.ndjson").exists());
}

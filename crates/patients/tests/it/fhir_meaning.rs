//! Elements that turn what a resource says into something else.

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_core::error::Class;

use super::fhir::{agreement, released};
use super::fhir_odd::{changed, is, years};
use super::folder::Made;
use super::originals::found;

/// The refusal of a resource of a kind with an element; where it stands is said.
fn refused(kind: &str, element: &str, value: &Value, place: &str) {
    let made = changed(20, |number, resource| {
        if is(resource, kind) && number == 3 {
            resource[element] = value.clone();
        }
    });
    let error = made.run(&agreement()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("{kind}.ndjson: line 4, {place}: of another JSON type")), "{text}");
    assert!(error.class() == Class::Data && !text.contains("planted"), "{text}");
}

#[test]
fn what_is_of_another_json_type_is_refused() {
    for wrong in [json!("true"), json!(1), json!([true]), json!({ "value": true })] {
        refused("Immunization", "isSubpotent", &wrong, "Immunization.isSubpotent");
        refused("Condition", "doNotPerform", &wrong, "Condition.doNotPerform");
    }
    refused("Condition", "modifierExtension", &json!({ "url": "planted" }), "Condition.modifierExtension");
    refused("Condition", "implicitRules", &json!(["planted"]), "Condition.implicitRules");
    for coding in [
        json!({ "system": "urn:a", "code": 44_054_006 }),
        json!({ "system": ["planted"], "code": "1" }),
        json!("planted"),
    ] {
        refused("Condition", "code", &json!({ "coding": [coding] }), "Condition.code");
        refused("Condition", "category", &json!([{ "coding": [coding] }]), "Condition.category");
    }
    let compared = json!({ "value": 5, "comparator": 5 });
    refused("Observation", "valueQuantity", &compared, "Observation.valueQuantity.value");
    let component = json!([{ "code": { "coding": [] }, "modifierExtension": { "url": "planted" } }]);
    refused("Observation", "component", &component, "Observation.component");
}

#[test]
fn a_component_with_a_modifier_is_left_out() {
    let made = changed(60, |number, resource| {
        if !is(resource, "Observation") {
            return;
        }
        let value = json!({ "value": 70, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg" });
        let code = |code: &str| json!({ "coding": [{ "system": "urn:s", "code": code }] });
        let mut components = json!([{ "code": code("told"), "valueQuantity": value }, { "code": code("denied"), "valueQuantity": value }]);
        components[1]["modifierExtension"] = json!([{ "url": "planted", "valueBoolean": number % 2 == 0 }]);
        resource["component"] = components;
    });
    let warnings = made.run(&years()).unwrap().warnings.join("\n");
    assert!(warnings.contains("because a modifier changes what it says"), "{warnings}");
    let codes: Vec<String> = released(&made, "Observation")
        .iter()
        .map(|one| one["code"]["coding"][0]["code"].as_str().unwrap().to_owned())
        .collect();
    assert!(codes.iter().any(|code| code == "told") && !codes.iter().any(|code| code == "denied"));
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

/// Requests of sixty persons for one of two medications, of which `change` changes the second.
fn requests(is_contained: bool, change: impl Fn(&mut Value)) -> Made {
    let made = changed(60, |_, _| {});
    let medication = |number: usize| {
        let code = json!({ "coding": [{ "system": "urn:m", "code": format!("m{number}") }] });
        let mut one = json!({ "resourceType": "Medication", "id": format!("m{number}"), "code": code });
        if number == 1 {
            change(&mut one);
        }
        one
    };
    let request = |number: usize| {
        let (of, mark) = (number % 2, if is_contained { "#" } else { "Medication/" });
        let mut one = json!({ "resourceType": "MedicationRequest", "id": number.to_string(), "status": "active", "intent": "order",
            "subject": { "reference": format!("Patient/planted-{number}") }, "medicationReference": { "reference": format!("{mark}m{of}") } });
        if is_contained {
            one["contained"] = json!([medication(of)]);
        }
        one.to_string() + "\n"
    };
    made.table("MedicationRequest.ndjson", &(0..60).map(request).collect::<String>());
    if !is_contained {
        made.table("Medication.ndjson", &format!("{}\n{}\n", medication(0), medication(1)));
    }
    made
}

#[test]
fn a_medication_that_is_not_what_it_says_gives_no_code() {
    let shown = |made: &Made| {
        made.run(&years()).unwrap();
        released(made, "MedicationRequest").len()
    };
    for is_contained in [false, true] {
        assert_eq!(shown(&requests(is_contained, |_| {})), 60);
        for (element, value) in [
            ("modifierExtension", json!([{ "url": "planted" }])),
            ("implicitRules", json!("planted")),
            ("status", json!("entered-in-error")),
        ] {
            let made = requests(is_contained, |medication| medication[element] = value.clone());
            assert_eq!(shown(&made), 30, "{element}");
        }
    }
}

#[test]
fn words_alone_can_say_that_it_is_not_so() {
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number % 3 == 0 {
            resource["verificationStatus"] = json!({ "text": "refuted" });
        }
    });
    let with = changed(60, |_, _| {});
    made.run(&years()).unwrap();
    with.run(&years()).unwrap();
    assert!(released(&made, "Condition").len() < released(&with, "Condition").len());
    let ids = |made: &Made| std::fs::read_to_string(made.path("release.custodian/keys.csv")).unwrap();
    assert!(!ids(&made).is_empty());
}

#[test]
fn the_code_of_a_unit_is_a_known_one_or_declared() {
    let made = changed(200, |number, resource| {
        if is(resource, "Observation") {
            let unit = |system: &str, code: &str| json!({ "value": 71, "system": system, "code": code });
            resource["valueQuantity"] = match number % 5 {
                0 => unit("urn:local", "Dr Secret"),
                1 => unit("http://unitsofmeasure.org", "kg on secret"),
                2 => unit("http://unitsofmeasure.org", "kg.m/s2"),
                3 => unit("urn:local", "Stk"),
                _ => unit("urn:secret:ward-7", "kg"),
            };
        }
    });
    let bands =
        "[tables.Observation.attributes.\"valueQuantity.value\"]\nrole = \"value\"\nbands = [0, 100]\n";
    let shown = |recipe: String| {
        made.run(&(recipe + bands)).unwrap();
        assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
        std::fs::read_to_string(made.path("release/data/Observation.ndjson")).unwrap()
    };
    let text = shown(years());
    assert!(text.contains("\"kg.m/s2\"") && !text.contains("\"kg\"") && !text.contains("Stk"));
    assert!(!text.to_lowercase().contains("secret"));
    // The name is declared, and not that of this system.
    let text = shown(years().replace("[persons]\n", "[persons]\nunits = [\"Stk\"]\n"));
    assert!(!text.contains("Stk"));
    let text = shown(years().replace("[persons]\n", "[persons]\nunits = [\"urn:local|Stk\"]\n"));
    assert!(text.contains("\"Stk\"") && !text.to_lowercase().contains("secret"));
}

#[test]
fn a_reference_that_names_nothing_goes_where_the_recipe_says_so() {
    let made = changed(60, |number, resource| {
        if is(resource, "Observation") && number % 10 == 0 {
            resource["subject"] = json!({ "display": "planted", "identifier": { "value": "planted" } });
        }
    });
    let error = made.run(&agreement()).unwrap_err().to_string();
    assert!(
        error.contains("a reference without `reference`") && error.contains("orphans = \"drop\""),
        "{error}"
    );
    made.run(&(agreement() + "[tables.Observation]\norphans = \"drop\"\n")).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

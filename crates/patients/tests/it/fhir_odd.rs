//! Exports of FHIR with what is legal and easily overlooked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_core::error::Class;

use super::fhir::{agreement, released, resources};
use super::folder::{Made, with_context};
use super::originals::found;

/// An export of some patients, each resource changed.
pub(crate) fn changed(persons: u64, change: impl Fn(usize, &mut Value)) -> Made {
    let made = Made::empty();
    for (kind, mut all) in resources(persons) {
        let mut text = String::new();
        for (number, resource) in all.iter_mut().enumerate() {
            change(number, resource);
            writeln!(text, "{resource}").unwrap();
        }
        made.table(&format!("{kind}.ndjson"), &text);
    }
    made
}

pub(crate) fn is(resource: &Value, kind: &str) -> bool {
    resource["resourceType"] == kind
}

/// The recipe that gives years.
pub(crate) fn years() -> String {
    agreement()
        .replace("\"agreement\"", "\"public\"")
        .replace("{ shift = 30 }", "\"year\"")
        .replace("window = [\"2010-01-01\", \"2019-12-31\"]\n", "")
        .replace("[key]\nfile = \"secret.key\"\n", "")
}

#[test]
fn an_address_is_that_of_its_bundle() {
    let made = Made::empty();
    for (part, sex) in ["female", "male"].into_iter().enumerate() {
        let mut entries = Vec::new();
        for number in 0..20 {
            // Both bundles call their patients the same, and their ids are others.
            let address = format!("urn:uuid:{number}");
            let code = format!("code-of-{sex}");
            entries.push(json!({ "fullUrl": address, "resource": {
                "resourceType": "Patient", "id": format!("{sex}-{number}"), "gender": sex, "birthDate": "1970-05-01" } }));
            entries.push(json!({ "resource": {
                "resourceType": "Condition", "id": format!("c-{sex}-{number}"), "subject": { "reference": address },
                "code": { "coding": [{ "system": "urn:s", "code": code }] }, "onsetDateTime": "2015-03-01" } }));
        }
        let bundle = json!({ "resourceType": "Bundle", "type": "collection", "entry": entries });
        made.table(&format!("part-{part}.json"), &bundle.to_string());
    }
    made.run(&years()).unwrap();
    let sexes: BTreeMap<String, String> = released(&made, "Patient")
        .iter()
        .map(|one| {
            (format!("Patient/{}", one["id"].as_str().unwrap()), one["gender"].as_str().unwrap().into())
        })
        .collect();
    let conditions = released(&made, "Condition");
    assert_eq!(conditions.len(), 40);
    for one in conditions {
        let sex = &sexes[one["subject"]["reference"].as_str().unwrap()];
        assert_eq!(one["code"]["coding"][0]["code"], format!("code-of-{sex}"));
    }
}

#[test]
fn a_resource_without_an_id_is_known_by_its_address() {
    let made = Made::empty();
    let mut entries = Vec::new();
    for number in 0..20 {
        let address = format!("urn:uuid:{number}");
        entries.push(json!({ "fullUrl": address, "resource": {
            "resourceType": "Patient", "gender": "female", "birthDate": "1970" } }));
        entries.push(json!({ "fullUrl": format!("urn:uuid:c-{number}"), "resource": {
            "resourceType": "Condition", "subject": { "reference": address }, "onsetDateTime": "2015",
            "code": { "coding": [{ "system": "urn:s", "code": "a" }] } } }));
    }
    made.table("all.json", &json!({ "resourceType": "Bundle", "entry": entries }).to_string());
    made.run(&years()).unwrap();
    assert_eq!(released(&made, "Condition").len(), 20);
}

#[test]
fn no_date_shows_that_somebody_is_older_than_the_oldest() {
    let made = changed(200, |number, resource| {
        if is(resource, "Condition") && number % 9 == 0 {
            resource["onsetDateTime"] = "1925-03-01".into();
        }
        // A year or a month is all that is known of some births.
        if is(resource, "Patient") && number % 5 == 0 {
            resource["birthDate"] = if number % 2 == 0 { "1950".into() } else { "1950-06".into() };
        }
    });
    made.run(&years()).unwrap();
    let onsets: BTreeSet<String> = released(&made, "Condition")
        .iter()
        .filter_map(|one| one["onsetDateTime"].as_str().map(str::to_owned))
        .collect();
    assert!(!onsets.is_empty() && onsets.iter().all(|year| year.as_str() > "1930"), "{onsets:?}");
}

#[test]
fn what_did_not_happen_is_not_said_to_have() {
    let verification = |code: &str| json!({ "coding": [{ "system": "http://terminology.hl7.org/CodeSystem/condition-ver-status", "code": code }] });
    let made = changed(200, |number, resource| match number % 4 {
        0 if is(resource, "Condition") => resource["verificationStatus"] = verification("refuted"),
        1 if is(resource, "Condition") => resource["modifierExtension"] = json!([{ "url": "urn:not" }]),
        _ if is(resource, "Condition") => resource["verificationStatus"] = verification("confirmed"),
        0 if is(resource, "Observation") => resource["valueQuantity"]["comparator"] = "<".into(),
        1 if is(resource, "Observation") => {
            resource["valueCodeableConcept"] = json!({ "coding": [{ "code": "x" }] })
        }
        2 if is(resource, "Observation") => resource["status"] = "entered-in-error".into(),
        _ => {}
    });
    let all = resources(200)["Condition"].len();
    made.run(&agreement()).unwrap();
    let conditions = released(&made, "Condition");
    assert!(!conditions.is_empty() && conditions.len() <= all / 2 + 1);
    assert!(conditions.iter().all(|one| one["verificationStatus"]["coding"][0]["code"] == "confirmed"));
    let weights = released(&made, "Observation");
    assert!(weights.iter().all(|one| one["status"] == "final"));
    assert!(
        weights.iter().any(|one| one["valueQuantity"].is_null()),
        "what was less than a number shows none"
    );
    assert!(
        weights.iter().all(|one| one["valueQuantity"].is_null() || one["valueCodeableConcept"].is_null())
    );
    assert_eq!(found(&made).reached["codes"], 0);
}

#[test]
fn codes_of_the_icd_climb_and_those_of_accidents_go() {
    let icd =
        |code: &str| json!({ "coding": [{ "system": "http://hl7.org/fhir/sid/icd-10", "code": code }] });
    let made = changed(150, |number, resource| {
        if is(resource, "Condition") {
            let codes = ["E11.9", "E11.0", "I10", "W19"];
            resource["code"] = icd(codes[number % codes.len()]);
        }
    });
    let recipe = years().replace(
        "[[privacy]]",
        "[tables.Condition.attributes.code]\nrole = \"set\"\nhierarchy = { icd-10 = \"who\" }\n[[privacy]]",
    );
    let outcome = made.run(&recipe).unwrap();
    assert_eq!(outcome.manifest.public_events, ["Condition.code"]);
    let codes: BTreeSet<String> = released(&made, "Condition")
        .iter()
        .map(|one| one["code"]["coding"][0]["code"].as_str().unwrap().to_owned())
        .collect();
    let has = |begins: &str| codes.iter().any(|code| code.starts_with(begins));
    assert!(has("E11") && has("I10") && !has("W") && !has("V"), "{codes:?}");
}

#[test]
fn accidents_are_known_by_the_system_of_their_code() {
    let of = |system: &str, code: &str| json!({ "coding": [{ "system": system, "code": code }] });
    let made = changed(150, |number, resource| {
        if is(resource, "Condition") {
            resource["code"] = match number % 3 {
                0 => of("http://hl7.org/fhir/sid/icd-10-cm", "W19.XXXA"),
                1 => of("http://hl7.org/fhir/sid/icd-10-cm", "I10"),
                // A code of the same form, of another system.
                _ => of("https://www.cms.gov/Medicare/Coding/HCPCSReleaseCodeSets", "V2020"),
            };
        }
    });
    let outcome = made.run(&years()).unwrap();
    assert_eq!(outcome.manifest.public_events, ["Condition.code"]);
    let codes: BTreeSet<String> = released(&made, "Condition")
        .iter()
        .map(|one| one["code"]["coding"][0]["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(codes, BTreeSet::from(["I10".to_owned(), "V2020".to_owned()]));
}

#[test]
fn what_would_not_be_fhir_is_refused_with_its_place() {
    let refused = |made: &Made, recipe: &str, words: &[&str]| {
        let error = made.run(recipe).unwrap_err();
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(!text.contains("velamen-fhir"), "a temporary folder: {text}");
        error.class()
    };
    let made = changed(60, |number, resource| {
        if is(resource, "Patient") && number == 7 {
            resource["gender"] = "F".into();
        }
    });
    let words = ["Patient.ndjson", "line 8", "Patient.gender", "female"];
    assert_eq!(refused(&made, &agreement(), &words), Class::Data);
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number == 3 {
            resource["subject"]["reference"] = "Patient/nobody".into();
        }
    });
    let words = ["Condition.ndjson: line 4, Condition.subject", "no row of `Patient`"];
    assert_eq!(refused(&made, &agreement(), &words), Class::Data);
    let births = agreement()
        .replace("[[privacy]]", "[tables.Patient.attributes.birthDate]\nrole = \"insensitive\"\n[[privacy]]");
    let made = changed(60, |_, _| {});
    assert_eq!(refused(&made, &births, &["birthDate", "it holds births"]), Class::Recipe);
}

#[test]
fn a_name_twice_and_a_second_server_are_refused() {
    let refused = |made: &Made| made.run(&years()).unwrap_err().to_string();
    let made = changed(30, |_, _| {});
    let twice = "\"subject\":{\"reference\":\"Patient/1\",";
    made.change("Condition.ndjson", |text| text.replacen("\"subject\":{", twice, 1));
    assert!(refused(&made).contains("line 1, Condition.subject: a name twice"), "{}", refused(&made));
    let made = changed(30, |number, resource| {
        if is(resource, "Condition") && number == 8 {
            let own = resource["subject"]["reference"].as_str().unwrap();
            resource["subject"]["reference"] = format!("https://another/fhir/{own}").into();
        }
    });
    assert!(
        refused(&made).contains("line 9, Condition: a reference to another server"),
        "{}",
        refused(&made)
    );
}

#[test]
fn a_medication_named_by_reference_has_its_code() {
    let of = |number: usize| format!("code-{}", number % 2);
    let code = |number: usize| json!({ "coding": [{ "system": "urn:s", "code": of(number) }] });
    let made = changed(100, |_, _| {});
    let (mut medications, mut requests) = (String::new(), String::new());
    for number in 0..2 {
        let one = json!({ "resourceType": "Medication", "id": format!("m{number}"), "code": code(number) });
        writeln!(medications, "{one}").unwrap();
    }
    for number in 0..100 {
        let mut one = json!({ "resourceType": "MedicationRequest", "id": format!("r{number}"), "status": "active",
            "intent": "order", "subject": { "reference": format!("Patient/planted-{number}") }, "authoredOn": "2015" });
        if number % 3 == 0 {
            one["contained"] = json!([{ "resourceType": "Medication", "id": "x", "code": code(number) }]);
            one["medicationReference"] = json!({ "reference": "#x" });
        } else {
            one["medicationReference"] = json!({ "reference": format!("Medication/m{}", number % 2) });
        }
        writeln!(requests, "{one}").unwrap();
    }
    made.table("Medication.ndjson", &medications);
    made.table("MedicationRequest.ndjson", &requests);
    made.run(&years()).unwrap();
    let codes: Vec<String> = released(&made, "MedicationRequest")
        .iter()
        .map(|one| one["medicationCodeableConcept"]["coding"][0]["code"].as_str().unwrap().to_owned())
        .collect();
    assert!(codes.len() > 80, "{}", codes.len());
    assert!((0..2).all(|number| codes.contains(&of(number))));
}

#[test]
fn extensions_that_are_named_are_person_columns() {
    let core = "http://hl7.org/fhir/us/core/StructureDefinition/";
    let made = changed(240, |number, resource| {
        if is(resource, "Patient") && number % 6 != 5 {
            let (code, sex) = if number % 2 == 0 { ("2106-3", "F") } else { ("2054-5", "M") };
            resource["extension"] = json!([
                { "url": format!("{core}us-core-race"), "extension": [
                    { "url": "ombCategory", "valueCoding": { "system": "urn:oid:2.16.840.1.113883.6.238", "code": code, "display": "planted" } },
                    { "url": "detailed", "valueCoding": { "system": "urn:oid:2.16.840.1.113883.6.238", "code": "planted" } },
                    { "url": "text", "valueString": "planted" }] },
                { "url": format!("{core}us-core-birthsex"), "valueCode": sex },
                { "url": "urn:planted", "valueString": "planted" }]);
        }
    });
    let named = format!("dates = \"year\"\nextensions = [\"{core}us-core-race\"]");
    let recipe = years().replace("dates = \"year\"", &named);
    let outcome = made.run(&recipe).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let person = &outcome.manifest.tables["Patient"].columns;
    assert!(
        person.contains_key("extension.us-core-race") && !person.contains_key("extension.us-core-birthsex")
    );
    let patients = released(&made, "Patient");
    let races: BTreeSet<String> = patients.iter().map(|one| one["extension"][0].to_string()).collect();
    assert_eq!(races.len(), 3, "two, and those who have none: {races:?}");
    assert!(races.iter().any(|race| race.contains("Black or African American")));
    let path = made.path("release/data/Patient.ndjson");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("planted") && !text.contains("birthsex"));
    // Another's name beside the code is no release of ours.
    std::fs::write(&path, text.replacen("\"White\"", "\"Mr Planted\"", 1)).unwrap();
    let release = made.path("release");
    let findings = with_context(|context| velamen_patients::verify(&release, &outcome.manifest, context));
    let columns = findings.unwrap().into_iter().find(|finding| finding.promise == "columns").unwrap();
    assert_eq!(columns.state, State::Broken);
    let refused = recipe.replace("us-core-race", "us-core-planted");
    assert!(made.run(&refused).unwrap_err().to_string().contains("expected us-core-race"));
}

#[test]
fn what_ends_before_it_begins_is_said() {
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number < 3 {
            resource["onsetDateTime"] = "2015-06-20".into();
            resource["abatementDateTime"] = "2014-06-10".into();
        }
    });
    let warnings = made.run(&years()).unwrap().warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("`Condition`: 3 rows end before")),
        "{warnings:?}"
    );
}

#[test]
fn a_period_that_ends_before_it_begins_has_no_end() {
    let made = changed(60, |number, resource| {
        if is(resource, "Encounter") && number % 3 == 0 {
            resource["period"] =
                json!({ "start": "2015-01-01T01:00:00+09:00", "end": "2014-12-31T20:00:00-05:00" });
        }
    });
    made.run(&years()).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let all = released(&made, "Encounter");
    let ends = all.iter().filter(|one| one["period"]["end"].is_string()).count();
    assert!(ends > 0 && ends < all.len());
    let path = made.path("release/data/Encounter.ndjson");
    let text = std::fs::read_to_string(&path).unwrap();
    let forged = text.replacen("\"start\":\"2015\"}", "\"start\":\"2015\",\"end\":\"2014\"}", 1);
    assert_ne!(text, forged);
    std::fs::write(&path, forged).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let findings =
        with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context)).unwrap();
    let columns = findings.iter().find(|finding| finding.promise == "columns").unwrap();
    assert_eq!(columns.state, State::Broken);
}

#[test]
fn what_is_turned_into_its_opposite_is_left_out() {
    let made = changed(120, |number, resource| {
        if is(resource, "Immunization") && number % 2 == 0 {
            resource["isSubpotent"] = true.into();
        }
        if is(resource, "Condition") && number % 3 == 0 {
            resource["implicitRules"] = "urn:rules".into();
        }
    });
    let (doses, conditions) = (resources(120)["Immunization"].len(), resources(120)["Condition"].len());
    made.run(&years()).unwrap();
    let [left, kept] = ["Immunization", "Condition"].map(|kind| released(&made, kind).len());
    assert!(left > 0 && left <= doses / 2 && kept > 0 && kept <= conditions * 2 / 3);
}

#[test]
fn other_systems_beside_the_icd_10_are_no_events() {
    let of = |system: &str, code: &str| json!({ "coding": [{ "system": system, "code": code }] });
    let made = changed(150, |number, resource| {
        if is(resource, "Condition") {
            resource["code"] = match number % 4 {
                0 => of("http://id.who.int/icd/release/10", "X95.9"),
                // A code without a system is nobody's.
                3 => json!({ "coding": [{ "code": "V20.3" }] }),
                1 => of("http://hl7.org/fhir/sid/icd-10", "I10"),
                _ => of("http://hl7.org/fhir/sid/icd-9-cm", "V20.2"),
            };
        }
    });
    made.run(&years()).unwrap();
    let text = std::fs::read_to_string(made.path("release/data/Condition.ndjson")).unwrap();
    assert!(["V20.2", "V20.3", "I10"].iter().all(|code| text.contains(code)) && !text.contains("X95"));
    // Other columns say by their system what they have, too.
    let path = made.path("release/data/Encounter.ndjson");
    let visits = std::fs::read_to_string(&path).unwrap();
    let visits = visits.replace("http://snomed.info/sct", "http://hl7.org/fhir/sid/icd-10");
    let code =
        visits.split("\"type\":[{\"coding\":[{").nth(1).and_then(|rest| rest.split("\"code\":\"").nth(1));
    let code = code.and_then(|rest| rest.split('"').next()).unwrap();
    std::fs::write(&path, visits.replace(&format!("\"code\":\"{code}\""), "\"code\":\"X95\"")).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let findings =
        with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context)).unwrap();
    let events = findings.iter().find(|finding| finding.promise == "public-events").unwrap();
    assert_eq!(events.state, State::Broken);
}

#[test]
fn births_known_by_their_month_are_those_of_the_original() {
    let made = changed(200, |number, resource| {
        if is(resource, "Patient") && number % 3 == 0 {
            resource["birthDate"] = if number % 2 == 0 { "1970-05".into() } else { "1970".into() };
        }
    });
    made.run(&years()).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn small_numbers_are_released_without_exponents() {
    let made = changed(120, |_, resource| {
        if is(resource, "Observation") {
            resource["valueQuantity"]["value"] = json!(0.000_001);
        }
    });
    made.run(&agreement()).unwrap();
    let text = std::fs::read_to_string(made.path("release/data/Observation.ndjson")).unwrap();
    assert!(text.contains("\"value\":0.000001,"));
}

#[test]
fn what_is_active_has_not_ended() {
    let status = |system: &str, code: &str| json!({ "coding": [{ "system": "urn:local", "code": "x" }, { "system": system, "code": code }] });
    let clinical = "http://terminology.hl7.org/CodeSystem/condition-clinical";
    let made = changed(120, |number, resource| {
        if is(resource, "Condition") {
            resource["clinicalStatus"] =
                status(clinical, if number % 2 == 0 { "active" } else { "resolved" });
            resource["abatementDateTime"] = "2019".into();
        }
    });
    made.run(&years()).unwrap();
    let conditions = released(&made, "Condition");
    let code = |one: &Value| one["clinicalStatus"]["coding"][0]["code"].as_str().unwrap().to_owned();
    assert!(conditions.iter().all(|one| one["abatementDateTime"].is_null() || code(one) == "resolved"));
    assert!(conditions.iter().any(|one| !one["abatementDateTime"].is_null()));
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number == 4 {
            resource["clinicalStatus"] = json!({ "coding": [{ "system": "http://foo", "code": "active" }] });
        }
    });
    let error = made.run(&years()).unwrap_err().to_string();
    assert!(error.contains("line 5, Condition.clinicalStatus: a code of another system"), "{error}");
}

#[test]
fn nothing_of_a_folder_is_passed_over() {
    let refused = |change: &dyn Fn(&Made)| {
        let made = changed(60, |_, _| {});
        change(&made);
        made.run(&years()).unwrap_err().to_string()
    };
    let zst = refused(&|made| made.table("Condition.2.ndjson.zst", "x"));
    assert!(zst.contains("Condition.2.ndjson.zst: no file of FHIR resources"), "{zst}");
    let inside = refused(&|made| {
        std::fs::create_dir(made.path("in/more")).unwrap();
        made.table("more/Condition.ndjson", "{}");
    });
    assert!(inside.contains("more: a folder of files within the folder"), "{inside}");
    let unknown = refused(&|made| made.table("Foo.ndjson", "\n{\"resourceType\":\"Foo\",\"id\":\"1\"}\n"));
    assert!(unknown.contains("Foo.ndjson: line 2: a kind of resources that R4 does not have"), "{unknown}");
    let twice = refused(&|made| {
        let one = |code: &str| {
            format!(
                "{{\"resourceType\":\"Medication\",\"id\":\"m\",\"code\":{{\"coding\":[{{\"code\":\"{code}\"}}]}}}}\n"
            )
        };
        made.table("Medication.ndjson", &(one("a") + &one("b")));
    });
    assert!(twice.contains("line 2, Medication.code: the id of an earlier"), "{twice}");
    let typed = refused(&|made| {
        made.change("Condition.ndjson", |text| text.replacen("\"code\":{", "\"code\":[{}],\"other\":{", 1));
    });
    assert!(typed.contains("line 1, Condition.code: of another JSON type"), "{typed}");
    // Other endings are read, and a server's list of the files is none of resources.
    let made = changed(60, |_, _| {});
    std::fs::rename(made.path("in/Condition.ndjson"), made.path("in/Condition.2.JSONL")).unwrap();
    made.table("manifest.json", "\u{feff}{\"transactionTime\":\"2020-01-01\",\"output\":[]}");
    made.run(&years()).unwrap();
}

#[test]
fn what_a_resource_needs_is_not_left_out() {
    let made = changed(60, |_, _| {});
    let recipe = years()
        .replace("[[privacy]]", "[tables.Encounter.attributes.class]\nrole = \"identifier\"\n[[privacy]]");
    let error = made.run(&recipe).unwrap_err();
    assert_eq!(error.class(), Class::Recipe);
    assert!(error.to_string().contains("needs its `class`"), "{error}");
}

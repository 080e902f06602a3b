//! A bulk export of FHIR R4: resources in, resources out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_contract::linked::Shape;
use velamen_core::context::{Context, Silent};
use velamen_core::error::Class;
use velamen_dp::Seed;
use velamen_patients::{figures, load, profile};

use super::folder::{Drawn, Made, day};
use super::originals::found;

const SNOMED: &str = "http://snomed.info/sct";

fn concept(code: u64) -> Value {
    json!({ "coding": [{ "system": SNOMED, "code": code.to_string(), "display": "planted" }], "text": "planted" })
}

/// Invented patients with what must not survive in every resource.
pub(crate) fn resources(persons: u64) -> BTreeMap<&'static str, Vec<Value>> {
    let mut drawn = Drawn(23);
    let mut all: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for person in 0..persons {
        let id = format!("planted-{person}");
        let born = 1925 + drawn.below(80);
        let sex = if drawn.below(2) == 0 { "female" } else { "male" };
        all.entry("Patient").or_default().push(json!({
            "resourceType": "Patient", "id": id, "meta": { "lastUpdated": "2022-01-01T00:00:00Z" },
            "text": { "status": "generated", "div": "<div>planted</div>" },
            "extension": [{ "url": "planted", "valueString": "planted" }],
            "name": [{ "family": "Planted" }], "telecom": [{ "value": "planted" }], "gender": sex,
            "birthDate": format!("{born}-03-17"), "address": [{ "city": "Planted" }],
        }));
        for stay in 0..1 + drawn.below(2) {
            let encounter = format!("planted-{person}-{stay}");
            let start = drawn.below(3_000);
            let subject = json!({ "reference": format!("Patient/{id}"), "display": "planted" });
            let within =
                json!({ "reference": format!("https://planted/fhir/Encounter/{encounter}/_history/1") });
            all.entry("Encounter").or_default().push(json!({
                "resourceType": "Encounter", "id": encounter, "identifier": [{ "value": "planted" }], "status": "finished",
                "class": { "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB", "display": "planted" },
                "type": [concept(185_349_003)], "subject": subject,
                "period": { "start": format!("{}T22:58:16-05:00", day(start)), "end": day(start + drawn.below(4)) },
                "serviceProvider": { "reference": "Organization/planted" },
            }));
            all.entry("Condition").or_default().push(json!({
                "resourceType": "Condition", "id": format!("planted-c-{person}-{stay}"),
                "clinicalStatus": { "coding": [{ "system": "http://terminology.hl7.org/CodeSystem/condition-clinical", "code": "resolved" }] },
                "code": concept(44_054_000 + drawn.below(3) * drawn.below(3)), "subject": subject, "encounter": within,
                "onsetDateTime": day(start), "abatementDateTime": day(start + drawn.below(60)), "note": [{ "text": "planted" }],
            }));
            all.entry("Observation").or_default().push(json!({
                "resourceType": "Observation", "id": format!("planted-o-{person}-{stay}"), "status": "final",
                "code": { "coding": [{ "system": "http://loinc.org", "code": "29463-7" }] }, "subject": subject,
                "encounter": within, "effectiveDateTime": day(start), "issued": "2022-01-01T00:00:00Z",
                "valueQuantity": { "value": 50.0 + drawn.below(4_000) as f64 / 100.0, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg" },
            }));
        }
        let subject = json!({ "reference": format!("Patient/{id}") });
        all.entry("Immunization").or_default().push(json!({
            "resourceType": "Immunization", "id": format!("planted-i-{person}"), "status": "completed",
            "vaccineCode": { "coding": [{ "system": "http://hl7.org/fhir/sid/cvx", "code": "140" }] }, "patient": subject,
            "occurrenceDateTime": if person % 7 == 0 { "2015".to_owned() } else { day(drawn.below(3_000)) }, "lotNumber": "planted",
        }));
    }
    all.entry("Organization")
        .or_default()
        .push(json!({ "resourceType": "Organization", "id": "planted", "name": "Planted" }));
    all
}

pub(crate) fn export(persons: u64) -> Made {
    let made = Made::empty();
    for (kind, resources) in resources(persons) {
        // Patients come in two files.
        for (part, chunk) in resources.chunks(resources.len().div_ceil(2)).enumerate() {
            let mut text = String::new();
            chunk.iter().for_each(|resource| writeln!(text, "{resource}").unwrap());
            made.table(&format!("{kind}.{part:03}.ndjson"), &text);
        }
    }
    made.table("log.ndjson", "not even JSON\n");
    made
}

/// The resources of a released file.
pub(crate) fn released(made: &Made, kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(made.path("release/data").join(format!("{kind}.ndjson"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn with_context<T>(body: impl FnOnce(&Context<'_>) -> T) -> T {
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    body(&Context { seed: &seed, progress: &Silent, cancel: &cancel })
}

pub(crate) fn agreement() -> String {
    "[input]\nfolder = \"in\"\nshape = \"fhir\"\n[persons]\ntier = \"agreement\"\ndates = { shift = 30 }\n\
     window = [\"2010-01-01\", \"2019-12-31\"]\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n\
     [key]\nfile = \"secret.key\"\n[output]\npath = \"release\"\n"
        .to_owned()
}

fn nothing_planted(made: &Made) {
    for entry in std::fs::read_dir(made.path("release/data")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap().to_ascii_lowercase();
        for word in ["planted", "22:58", "lastupdated", "display", "extension"] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
        assert!(text.lines().all(|line| line.contains("anonyed")));
    }
}

#[test]
fn the_suggested_recipe_gives_resources_and_nothing_planted() {
    let made = export(300);
    let (found_there, recipe) =
        with_context(|context| profile(&made.path("in"), Shape::Fhir, made.folder.path(), context)).unwrap();
    assert_eq!((found_there.persons, &found_there.left_out[..]), (300, &["Organization".to_owned()][..]));
    let outcome = made.run(&recipe).unwrap();
    assert!(outcome.survived.persons[1] > 250 && outcome.survived.pairs[1] * 2 > outcome.survived.pairs[0]);
    nothing_planted(&made);
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let patients: BTreeSet<String> = released(&made, "Patient")
        .iter()
        .map(|patient| format!("Patient/{}", patient["id"].as_str().unwrap()))
        .collect();
    for condition in released(&made, "Condition") {
        assert!(patients.contains(condition["subject"]["reference"].as_str().unwrap()));
        assert_eq!(condition["onsetDateTime"].as_str().unwrap().len(), 4, "a year");
        assert_eq!(condition["code"]["coding"][0]["system"], SNOMED);
    }
    assert!(released(&made, "Immunization").iter().any(|one| one["occurrenceDateTime"] == "2015"));
    for patient in released(&made, "Patient") {
        let born = patient["birthDate"].as_str();
        assert!(born.is_none_or(|born| born.len() == 4), "{born:?}");
    }
    let manifest = load(&made.path("release")).unwrap().unwrap();
    let shown = with_context(|context| figures(&made.path("release"), &manifest, context)).unwrap();
    assert_eq!(shown.persons, outcome.survived.persons[1]);
    let (release, again) = (made.path("release"), made.path("again.html"));
    let checked =
        with_context(|context| velamen_patients::write_report(&release, &manifest, &again, context)).unwrap();
    assert!(!checked.is_empty());
    assert_eq!(std::fs::read(again).unwrap(), std::fs::read(release.join("report.html")).unwrap());
    let data = release.join("data/Patient.ndjson");
    let over = with_context(|context| velamen_patients::write_report(&release, &manifest, &data, context));
    assert!(over.is_err(), "a report replaces a page alone");
}

#[test]
fn one_shift_moves_all_resources_of_a_person() {
    let made = export(300);
    made.run(&agreement()).unwrap();
    nothing_planted(&made);
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let starts: BTreeMap<String, String> = released(&made, "Encounter")
        .iter()
        .map(|stay| {
            (
                format!("Encounter/{}", stay["id"].as_str().unwrap()),
                stay["period"]["start"].as_str().unwrap().into(),
            )
        })
        .collect();
    let conditions = released(&made, "Condition");
    assert!(conditions.len() > 100);
    for condition in &conditions {
        assert_eq!(starts[condition["encounter"]["reference"].as_str().unwrap()], condition["onsetDateTime"]);
    }
    let weights = released(&made, "Observation");
    assert!(
        weights
            .iter()
            .any(|one| one["valueQuantity"]["value"].is_number() && one["valueQuantity"]["code"] == "kg")
    );
    assert!(
        released(&made, "Immunization")
            .iter()
            .all(|one| one["occurrenceDateTime"].as_str().unwrap().len() == 10)
    );
}

#[test]
fn a_bundle_is_the_same_as_its_resources() {
    let (lines, bundle) = (export(120), Made::empty());
    let entries: Vec<Value> = resources(120)
        .into_values()
        .flatten()
        .map(|resource| json!({ "fullUrl": format!("urn:uuid:{}", resource["id"].as_str().unwrap()), "resource": resource }))
        .collect();
    bundle.table(
        "all.json",
        &json!({ "resourceType": "Bundle", "type": "transaction", "entry": entries }).to_string(),
    );
    lines.run(&agreement()).unwrap();
    bundle.run(&agreement()).unwrap();
    for kind in ["Patient", "Encounter", "Condition"] {
        assert_eq!(released(&lines, kind), released(&bundle, kind), "{kind}");
    }
}

#[test]
fn forged_resources_are_found() {
    let made = export(200);
    made.run(&agreement()).unwrap();
    let manifest = load(&made.path("release")).unwrap().unwrap();
    let path = made.path("release/data/Condition.ndjson");
    let before = std::fs::read_to_string(&path).unwrap();
    let broken = |change: &dyn Fn(&str) -> String| {
        std::fs::write(&path, change(&before)).unwrap();
        let findings =
            with_context(|context| velamen_patients::verify(&made.path("release"), &manifest, context))
                .unwrap();
        let broken = findings.iter().filter(|finding| finding.state == State::Broken);
        broken.map(|finding| finding.promise.clone()).filter(|promise| promise != "files").collect::<Vec<_>>()
    };
    assert!(broken(&str::to_owned).is_empty());
    let columns = |change: &dyn Fn(&str) -> String| assert!(broken(change).contains(&"columns".to_owned()));
    columns(&|text| text.replacen("\"code\":{", "\"note\":[{\"text\":\"planted\"}],\"code\":{", 1));
    columns(&|text| text.replacen("{\"coding\"", "{\"text\":\"planted\",\"coding\"", 1));
    columns(&|text| text.replacen("\"ANONYED\"", "\"OTHER\"", 1));
    columns(&|text| text.replacen("\"resourceType\":\"Condition\"", "\"resourceType\":\"Procedure\"", 1));
    columns(&|text| text.replacen("\"clinicalStatus\"", "\"clinicalstatus\"", 1));
    columns(&|text| text.replacen(':', ": ", 1));
    assert!(broken(&|text| text.replacen("Patient/", "Patient/9999", 1)).contains(&"keys".to_owned()));
    assert!(
        broken(&|text| text.replacen("\"onsetDateTime\":\"201", "\"onsetDateTime\":\"205", 1))
            .contains(&"dates".to_owned())
    );
}

#[test]
fn what_is_no_resource_of_r4_is_refused_with_its_place() {
    let refused = |file: &str, line: &str| {
        let made = export(60);
        made.table(file, &format!("{line}\n"));
        let error = made.run(&agreement()).unwrap_err();
        assert_eq!(error.class(), Class::Data, "{error}");
        let text = error.to_string();
        assert!(text.contains(file) && !text.contains("secret"), "{text}");
        text
    };
    let of = |more: &str| format!("{{\"resourceType\":\"Condition\",\"id\":\"secret\",{more}}}");
    assert!(refused("Condition.9.ndjson", "{\"resourceType\": \"Condition\", \"id\": ").contains("line 1"));
    assert!(refused("Condition.9.ndjson", "{\"id\":\"secret\"}").contains("resourceType"));
    assert!(refused("Condition.9.ndjson", &of("\"assertedDate\":\"2015\"")).contains("STU3"));
    assert!(
        refused("Encounter.9.ndjson", "{\"resourceType\":\"Encounter\",\"id\":\"secret\",\"class\":[{}]}")
            .contains("R5")
    );
    assert!(
        refused("Condition.9.ndjson", &of("\"subject\":{\"reference\":\"Group/secret\"}"))
            .contains("Condition.subject")
    );
    assert!(
        refused("Condition.9.ndjson", &of("\"subject\":{\"reference\":\"Patient?identifier=secret\"}"))
            .contains("conditional")
    );
    let unknown = export(60);
    unknown.table("Planet.ndjson", "{\"resourceType\":\"Planet\",\"id\":\"1\"}\n");
    let error = unknown.run(&agreement()).unwrap_err();
    assert!(error.to_string().contains("Planet"), "{error}");
    let drop = agreement().replace("[[privacy]]", "[tables.Planet]\ndrop = true\n[[privacy]]");
    unknown.run(&drop).unwrap();
    let none = agreement().replace("{ shift = 30 }", "\"none\"");
    assert_eq!(unknown.run(&none).unwrap_err().class(), Class::Recipe);
}

//! Resources that deny what they describe, and codings behind the first one that say what a row is about.

use std::cell::Cell;

use serde_json::{Value, json};
use velamen_checker::State;
use velamen_contract::linked::Shape;
use velamen_patients::{LinkedRecipe, estimate, profile, risk_of_recipe};
use velamen_recipe::Overrides;

use super::fhir::released;
use super::fhir_odd::{changed, is, years};
use super::folder::{Made, with_context};
use super::originals::found;

fn status(codes: &[&str]) -> Value {
    let system = "http://terminology.hl7.org/CodeSystem/condition-ver-status";
    let coding = |code: &&str| json!({ "system": system, "code": code });
    json!({ "coding": codes.iter().map(coding).collect::<Vec<_>>() })
}

/// Sixty patients, and how many of their conditions deny a code that nobody else has.
fn denied() -> (Made, usize) {
    let denied = Cell::new(0);
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") && number % 4 == 1 {
            let says = if number % 8 == 1 {
                status(&["refuted"])
            } else {
                status(&["confirmed", "entered-in-error"])
            };
            resource["verificationStatus"] = says;
            resource["code"]["coding"][0]["code"] = json!(format!("denied-{number}"));
            denied.set(denied.get() + 1);
        }
        if is(resource, "Encounter") && number == 4 {
            resource["status"] = json!("entered-in-error");
        }
        if is(resource, "Immunization") && number == 7 {
            resource["status"] = json!("not-done");
        }
    });
    (made, denied.get())
}

#[test]
fn what_is_denied_is_counted_nowhere() {
    let (made, denied) = denied();
    let warnings = made.run(&years()).unwrap().warnings.join("\n");
    let words = "left out, as refuted, not done or entered in error; the first is";
    assert!(warnings.contains(&format!("table `Condition`: {denied} resources are {words}")), "{warnings}");
    assert!(
        warnings.contains("Condition.ndjson: line 2") && warnings.contains("Immunization.ndjson: line 8")
    );
    assert!(warnings.contains("table `Encounter`: a resource is left out, as refuted"), "{warnings}");
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let losses = std::fs::read_to_string(made.path("release.custodian/losses.csv")).unwrap();
    assert!(losses.contains("44054") && !losses.contains("denied"), "{losses}");
    let path = made.path("recipe.toml");
    let recipe = LinkedRecipe::load(&path, &Overrides::default()).unwrap();
    let estimated = with_context(|context| estimate(&recipe, &path, context)).unwrap();
    let (shown, _) =
        with_context(|context| profile(&made.path("in"), Shape::Fhir, made.folder.path(), context)).unwrap();
    let alone = with_context(|context| risk_of_recipe(&recipe, &path, context)).unwrap().by_codes[&1].best;
    assert!(estimated.codes < 10 && shown.codes == estimated.codes, "{} {}", estimated.codes, shown.codes);
    assert!(alone < 0.1, "{alone}");
}

#[test]
fn a_public_event_is_found_in_every_coding() {
    let made = changed(60, |number, resource| {
        if is(resource, "Condition") {
            let icd = if number % 2 == 0 { "W19" } else { "I10" };
            let snomed = if number % 2 == 0 { "217082002" } else { "38341003" };
            resource["code"]["coding"] = json!([
                { "system": "http://snomed.info/sct", "code": snomed },
                { "system": "http://hl7.org/fhir/sid/icd-10-cm", "code": icd }
            ]);
        }
    });
    let shown = |recipe: String| {
        made.run(&recipe).unwrap();
        assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
        let codes = released(&made, "Condition").into_iter().map(|one| one["code"]["coding"].to_string());
        codes.collect::<Vec<_>>().join("\n")
    };
    let text = shown(years());
    assert!(text.contains("38341003") && !text.contains("217082002") && !text.contains("W19"), "{text}");
    let text = shown(years().replace("[persons]\n", "[persons]\npublic-events = \"keep\"\n"));
    assert!(text.contains("217082002") && !text.contains("W19"), "{text}");
}

#[test]
fn a_release_that_is_broken_is_judged_beside_the_original_too() {
    let made = changed(60, |_, _| {});
    made.run(&years()).unwrap();
    for (file, from, to) in [("Encounter", "finished", "completed"), ("Patient", "\"male\"", "\"weiblich\"")]
    {
        let path = made.path("release/data").join(format!("{file}.ndjson"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let (release, custodian) = (made.path("release"), made.path("release.custodian"));
        let manifest = velamen_patients::load(&release).unwrap().unwrap();
        let plain = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
        let mut beside = with_context(|context| {
            velamen_patients::verify_with(&release, &manifest, Some(&custodian), context)
        })
        .unwrap();
        let originals = beside.pop().unwrap();
        assert_eq!((originals.promise.as_str(), originals.state), ("originals", State::NotChecked));
        let recorded = beside.pop().unwrap();
        assert_eq!((recorded.promise.as_str(), recorded.state), ("recorded", State::Held));
        assert_eq!(plain, beside);
        let columns = plain.iter().find(|finding| finding.promise == "columns").unwrap();
        let first = text.lines().position(|line| line.contains(from)).unwrap() + 1;
        assert_eq!((columns.state, &columns.reached["first"]["row"]), (State::Broken, &json!(first)));
        std::fs::write(&path, text).unwrap();
    }
}

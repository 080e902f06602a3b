//! Presets of linked tables.

use std::fmt::Write as _;

use serde_json::json;
use velamen_checker::{State, linked};
use velamen_contract::linked::{Column, LinkedManifest};
use velamen_contract::manifest::Preset;
use velamen_core::error::Class;

use super::fhir_odd::{changed, years};
use super::folder::{Drawn, Made, agreement, omop, public, with_context};

/// Whether the release keeps its preset, by `verify`.
fn state(made: &Made) -> Option<State> {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let found = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    found.into_iter().find(|finding| finding.promise == "preset").map(|finding| finding.state)
}

fn forged(made: &Made, from: &str, to: &str) {
    let path = made.path("release/release.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}\n{text}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_preset_asks_for_its_least_k() {
    let made = omop(300);
    let with = |preset: &str, recipe: String| format!("preset = \"{preset}\"\n{recipe}");
    let error = made.run(&with("cms-11", public("\"year\""))).unwrap_err();
    assert!(error.to_string().contains("preset \"cms-11\" asks for k = 11, the recipe for k = 5"), "{error}");
    assert_eq!(error.class(), Class::Recipe);
    let recipe = public("\"year\"").replace("k = 5", "k = 11").replace("k-km-anonymity", "km-anonymity");
    let outcome = made.run(&with("cms-11", recipe)).unwrap();
    let names: Vec<&str> = outcome.manifest.privacy.iter().map(|promise| promise.name()).collect();
    assert_eq!(names, ["km-anonymity", "k-anonymity"]);
    assert_eq!(outcome.manifest.preset.unwrap().name, Preset::Cms11);
    assert_eq!(state(&made), Some(State::Held));
    let readme = std::fs::read_to_string(made.path("release/README.md")).unwrap();
    assert!(readme.contains("`cms-11`") && readme.contains("The rule cannot judge"), "{readme}");
    forged(&made, "\"code-floor\": 11", "\"code-floor\": 10");
    assert_eq!(state(&made), Some(State::Broken));
    made.run(&public("\"year\"")).unwrap();
    assert_eq!(state(&made), None);
}

#[test]
fn the_safe_harbor_allows_no_shift_and_no_identifier_by_its_name() {
    let made = omop(300);
    let with = |recipe: String| format!("preset = \"hipaa-safe-harbor\"\n{recipe}");
    let refused = |recipe: String, words: &str| {
        let error = made.run(&recipe).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(with(agreement(5, 1)), "a shifted day is a day");
    let top = public("\"year\"").replace("[persons]\n", "[persons]\ntop-age = 95\n");
    refused(with(top.replace("\"public\"", "\"agreement\"")), "ages from 90 up as one value");
    let named = "[tables.condition_occurrence.attributes.stop_reason]\nrole = \"insensitive\"\n";
    made.change("CONDITION_OCCURRENCE.csv", |text| text.replacen("stop_reason", "phone", 1));
    refused(with(public("\"year\"") + &named.replace("stop_reason", "phone")), "164.514(b)(2)(i)");
    made.change("CONDITION_OCCURRENCE.csv", |text| text.replacen("phone", "stop_reason", 1));
    made.run(&with(public("\"year\""))).unwrap();
    assert_eq!(state(&made), Some(State::Held));
}

/// The state of the preset `hipaa-safe-harbor` of a release that was made without it.
fn under_safe_harbor(made: &Made) -> Option<State> {
    let release = made.path("release");
    let mut manifest = velamen_patients::load(&release).unwrap().unwrap();
    manifest.preset = Some(Preset::HipaaSafeHarbor.entry());
    let found = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    found.into_iter().find(|finding| finding.promise == "preset").map(|finding| finding.state)
}

#[test]
fn verify_looks_into_columns_that_the_shape_knows_and_the_recipe_calls_insensitive() {
    let made = omop(300);
    made.run(&public("\"year\"")).unwrap();
    assert_eq!(under_safe_harbor(&made), Some(State::Held));
    made.change("CONDITION_OCCURRENCE.csv", |text| {
        let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        let place = lines[0].split(',').position(|name| name == "stop_reason").unwrap();
        for (number, line) in lines.iter_mut().enumerate().skip(1) {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            cells[place] = format!("+49 151 {:07}", 2_300_000 + number * 7);
            *line = cells.join(",");
        }
        lines.join("\n") + "\n"
    });
    let named = "[tables.condition_occurrence.attributes.stop_reason]\nrole = \"insensitive\"\n";
    let refused = |recipe: String| made.run(&recipe).unwrap_err().to_string();
    let recipe = public("\"year\"") + named;
    assert!(refused(recipe.clone()).contains("the shape leaves it out"));
    let meant = recipe + "identifier-like = \"intended\"\n";
    assert!(refused(format!("preset = \"hipaa-safe-harbor\"\n{meant}")).contains("the shape leaves it out"));
    made.run(&meant).unwrap();
    assert_eq!((state(&made), under_safe_harbor(&made)), (None, Some(State::Broken)));
}

#[test]
fn verify_looks_into_codes_of_resources_and_of_synthea() {
    let names = ["Anna Krüger", "Peter Meyer", "Jane Smith"];
    let made = changed(100, |number, resource| {
        if resource["resourceType"] == "Condition" {
            resource["code"]["coding"][0] = json!({ "system": "urn:local", "code": names[number % 3] });
        }
    });
    let meant = "[tables.Condition.attributes.code]\nrole = \"set\"\nidentifier-like = \"intended\"\n";
    made.run(&(years() + meant)).unwrap();
    assert_eq!(under_safe_harbor(&made), Some(State::Broken));
    let made = changed(100, |_, _| ());
    made.run(&years()).unwrap();
    assert_eq!(under_safe_harbor(&made), Some(State::Held));
}

/// Days and numbers of a standard are no columns that somebody releases as recorded, whatever the manifest says.
#[test]
fn no_manifest_calls_days_of_a_standard_insensitive() {
    let made = changed(100, |_, _| ());
    made.run(&years()).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let columns = |manifest: &LinkedManifest| {
        let found = linked::certify(&made.path("release"), manifest).unwrap();
        found.into_iter().find(|finding| finding.promise == linked::COLUMNS).unwrap().state
    };
    assert_eq!(columns(&manifest), State::Held);
    for (table, column) in [("Condition", "onsetDateTime"), ("Encounter", "period.start")] {
        let mut forged = manifest.clone();
        *forged.tables[table].columns.get_mut(column).unwrap() = Column::Insensitive;
        assert_eq!(columns(&forged), State::Broken, "{column}");
    }
}

/// One table with a set of codes, an age and a ZIP code.
fn people(number: u64) -> Made {
    let made = Made::empty();
    let (mut drawn, mut text) = (Drawn(5), "id,age,zip,codes\n".to_owned());
    for id in 0..number {
        let zip = ["10001", "10002", "36003"][drawn.below(3) as usize];
        let _ = writeln!(text, "{id},{},{zip},E1{};I10", 20 + drawn.below(79), drawn.below(2));
    }
    made.table("people.csv", &text);
    std::fs::write(made.path("zip3.csv"), "zip3,population\n100,2000000\n360,9000\n").unwrap();
    made
}

const PEOPLE: &str = r#"preset = "hipaa-safe-harbor"
[input]
path = "in/people.csv"
[attributes]
id = { role = "identifier" }
age = { role = "quasi-identifier", hierarchy = { age = 90 } }
zip = { role = "quasi-identifier", hierarchy = { us-zip = "zip3.csv" } }
codes = { role = "set", items = ";" }
[[privacy]]
model = "k-km-anonymity"
k = 2
m = 1
[method]
suppression-limit = 0.9
[output]
path = "release"
"#;

#[test]
fn the_safe_harbor_shows_three_digits_and_no_age_over_89() {
    let made = people(4_000);
    made.run(PEOPLE).unwrap();
    let rows = made.released("people.csv");
    let oldest: Vec<&str> = rows.iter().map(|row| &*row["age"]).filter(|age| age.contains('9')).collect();
    assert!(rows.iter().any(|row| row["age"].contains("90")), "{:?}", &rows[..5]);
    assert!(oldest.iter().all(|age| !["91", "95", "98"].iter().any(|old| age.contains(old))), "{oldest:?}");
    assert!(rows.iter().all(|row| !row["zip"].contains("10001") && !row["zip"].contains("360")));
    assert_eq!(state(&made), Some(State::Held));
    let refused = |from: &str, to: &str, words: &str| {
        let error = made.run(&PEOPLE.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    refused("\"zip3.csv\" }", "\"zip3.csv\" }, level = 0", "needs level 1 at least");
    refused(", hierarchy = { age = 90 }", "", "164.514(b)(2)(i)(C)");
    refused(", hierarchy = { us-zip = \"zip3.csv\" }", "", "164.514(b)(2)(i)");
}

//! What is known of each promise: held, broken, not checked or stated, in words, codes and on the page.

use crate::common::{Folder, H_CEILING, OPTIMAL, patients, recipe, written};
use serde_json::{Value, json};

const MANIFEST: &str = "release/release.json";

/// By promise its state, as `verify --json` has it.
fn states(folder: &Folder, options: &[&str], code: i32) -> Vec<(String, String)> {
    let run = folder.run(&[&["verify", "release", "--json"], options].concat());
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    let findings: Value = serde_json::from_str(&run.out).unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    findings.as_array().unwrap().iter().map(|f| (text(f, "promise"), text(f, "state"))).collect()
}

fn state_of<'a>(states: &'a [(String, String)], promise: &str) -> &'a str {
    &states.iter().find(|(name, _)| name == promise).unwrap_or_else(|| panic!("no {promise}: {states:?}")).1
}

fn altered(folder: &Folder, alter: impl FnOnce(&mut Value)) {
    let mut manifest = folder.json(MANIFEST);
    let before = manifest.clone();
    alter(&mut manifest);
    assert_ne!(before, manifest, "nothing was altered");
    folder.write(MANIFEST, written(&manifest));
}

#[test]
fn without_the_population_what_looks_at_it_is_not_checked() {
    let folder = Folder::with(OPTIMAL);
    folder.write("population.csv", patients());
    let models =
        "[population]\npath = \"population.csv\"\n[[privacy]]\nmodel = \"k-map\"\nk = 5\n[[privacy]]";
    folder.write("recipe.toml", recipe(OPTIMAL).replace("[[privacy]]", models));
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = states(&folder, &[], 8);
    assert_eq!([state_of(&found, "k-map"), state_of(&found, "k-anonymity")], ["not-checked", "held"]);
    let run = folder.run(&["verify", "release"]);
    assert!(run.err.contains("not checked: k-map (needs the population)"), "{}", run.err);
    let run = folder.run(&["report", "release", "--output", "again.html"]);
    assert!(run.code == 8 && folder.read("again.html").contains("Not all is checked:"), "{}", run.err);
    assert!(folder.read("again.html") == folder.read("release/report.html"));
    let population = ["--population", "population.csv"];
    assert_eq!(state_of(&states(&folder, &population, 0), "k-map"), "held");
    folder.ok(&[&["report", "release", "--output", "again.html"], &population[..]].concat());
    assert!(folder.read("again.html").contains("The promises are kept"));
    // What is broken counts more than what is open.
    altered(&folder, |manifest| manifest["records"] = 1.into());
    assert_eq!(state_of(&states(&folder, &[], 3), "k-map"), "not-checked");
}

#[test]
fn what_no_release_can_show_is_stated() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = states(&folder, &[], 0);
    assert_eq!([state_of(&found, "random-draws"), state_of(&found, "lemma-1")], ["stated", "stated"]);
    let folder = Folder::new();
    let rows =
        patients().lines().skip(1).zip(0..).map(|(row, i)| format!("{},{row}\n", i / 2)).collect::<String>();
    folder.write("patients.csv", format!("who,age,sex,diagnosis\n{rows}"));
    let who = "[attributes.who]\nrole = \"person\"\n[method]";
    folder.write("recipe.toml", recipe(OPTIMAL).replace("[method]", who));
    folder.ok(&["anonymize", "recipe.toml"]);
    let found = states(&folder, &[], 0);
    assert_eq!(state_of(&found, "k-anonymity"), "stated");
    assert_eq!(state_of(&found, "original-figures"), "stated");
    let page = folder.read("release/report.html");
    assert!(page.contains("Stated by the custodian, since no release can show it:"));
}

#[test]
fn misstated_figures_are_broken_promises() {
    let misstated = |method: &str, place: &str, value: Value, promise: &str| {
        let folder = Folder::with(method);
        folder.ok(&["anonymize", "recipe.toml"]);
        altered(&folder, |manifest| *manifest.pointer_mut(place).unwrap() = value);
        assert_eq!(state_of(&states(&folder, &[], 3), promise), "broken", "{place}");
    };
    for method in [H_CEILING, OPTIMAL, "name = \"mondrian\"", "name = \"mdav\""] {
        misstated(method, "/utility/discernibility", 1.into(), "utility");
    }
    for place in ["/utility/lm/value", "/utility/loss/by-attribute/age", "/utility/rce/value"] {
        misstated(OPTIMAL, place, json!(0.001), "utility");
        misstated(H_CEILING, place, json!(0.001), "utility");
    }
    misstated(OPTIMAL, "/utility/height", json!({ "value": 1 }), "utility");
    misstated(OPTIMAL, "/attributes/age/levels", 9.into(), "manifest");
    misstated(H_CEILING, "/method/h", json!(0.1), "manifest");
}

#[test]
fn misstated_figures_of_noise_are_broken_promises() {
    let folder = Folder::with(OPTIMAL);
    let text = recipe("name = \"ipa\"\nseed = 4")
        .replace("role = \"quasi-identifier\"\n[attributes.diag", "role = \"quasi-identifier\"\nhierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"]] }\n[attributes.diag")
        .replace("role = \"sensitive\"", "role = \"sensitive\"\ndomain = [\"I63\", \"J18\"]")
        .replace("model = \"k-anonymity\"\nk = 5", "model = \"differential-privacy\"\nepsilon = 3");
    folder.write("recipe.toml", text);
    folder.ok(&["anonymize", "recipe.toml"]);
    assert_eq!(state_of(&states(&folder, &[], 0), "noise"), "held");
    let before = folder.read(MANIFEST);
    for (key, value, promise) in [
        ("cells", json!("7"), "noise"),
        ("expected-cells-of-noise", json!(0.0), "noise"),
        ("expected-records-of-noise", json!(0.0), "noise"),
        ("expected-suppressed-of-noise", json!(1e6), "noise"),
        ("epsilon", json!(0.5), "manifest"),
    ] {
        altered(&folder, |manifest| manifest["method"][key] = value);
        assert_eq!(state_of(&states(&folder, &[], 3), promise), "broken", "{key}");
        folder.write(MANIFEST, &before);
    }
}

#[test]
fn releases_without_a_format_verify_and_newer_formats_are_refused() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    assert_eq!(folder.json(MANIFEST)["format"], 3);
    altered(&folder, |manifest| drop(manifest.as_object_mut().unwrap().remove("format")));
    assert_eq!(state_of(&states(&folder, &[], 8), "format"), "not-checked");
    altered(&folder, |manifest| manifest["format"] = 4.into());
    folder.refused(&["verify", "release"], 4, &["release.json", "format is 4", "up to format 3"]);
    folder.refused(&["measure", "release"], 4, &["format is 4"]);
    altered(&folder, |manifest| manifest["format"] = "one".into());
    folder.refused(&["verify", "release"], 4, &["format: a wrong value; expected a whole number"]);
}

#[test]
fn a_preset_of_too_many_levels_is_not_kept() {
    // As many levels as a byte can count, and one more: none is coarse enough.
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml"]);
    let months = vec!["month"; 255];
    altered(&folder, |manifest| {
        let safe_harbor = json!({ "name": "hipaa-safe-harbor", "sets": [], "cannot-judge": [] });
        manifest["preset"] = safe_harbor;
        manifest["attributes"]["age"]["hierarchy"] =
            json!({ "date": months, "min": "2000-01-01", "max": "2024-12-31" });
    });
    let run = folder.run(&["verify", "release"]);
    assert!([3, 4].contains(&run.code), "{}{}", run.out, run.err);
}

/// [`patients`] with a number that every record has for itself.
fn numbered() -> String {
    let rows =
        patients().lines().skip(1).zip(0..).map(|(row, i)| format!("{row},{}\n", i * i)).collect::<String>();
    format!("age,sex,diagnosis,cost\n{rows}")
}

#[test]
fn what_speaks_against_a_release_is_in_its_verdict() {
    let page = |method: &str, more: &str| {
        let folder = Folder::new();
        folder.write("patients.csv", numbered());
        folder.write("recipe.toml", recipe(method) + more);
        let intended = "[attributes.cost]\nrole = \"insensitive\"\n[method]";
        folder.write("recipe.toml", folder.read("recipe.toml").replace("[method]", intended));
        folder.ok(&["anonymize", "recipe.toml"]);
        folder.ok(&["report", "release", "--output", "again.html"]);
        assert!(folder.read("again.html") == folder.read("release/report.html"));
        folder.read("again.html")
    };
    let but = "The promises are kept, but read below what they leave open.";
    let single = page(OPTIMAL, "");
    assert!(
        single.contains(but)
            && single.contains("The column cost is released as it is and singles people out")
    );
    let dropped = page(&H_CEILING.replace("0.5", "0.3"), "");
    assert!(
        !dropped.contains("The column cost")
            && dropped.contains("neither known to others nor sensitive are left out")
    );
    let folder = Folder::with(OPTIMAL);
    folder.write("recipe.toml", recipe(OPTIMAL) + "[report]\nrisk = 0.01\n");
    folder.ok(&["anonymize", "recipe.toml"]);
    let missed = folder.read("release/report.html");
    assert!(missed.contains(but) && missed.contains("The recipe asks for a risk of at most 1.0"));
    assert!(missed.contains("with k = 100 would do."), "what would do");
    folder.write("recipe.toml", recipe(OPTIMAL) + "[report]\nrisk = 0.2\n");
    folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
    let met = folder.read("release/report.html");
    assert!(
        met.contains("The promises are kept") && met.contains("The recipe asks for a risk of at most 20.0")
    );
    // Nothing that nobody asked for is called not met.
    assert!(!met.contains("not met</span>") && met.contains("</span> met</span>"));
    folder.write("recipe.toml", recipe(OPTIMAL) + "[report]\nrisk = 2\n");
    folder.refused(&["anonymize", "recipe.toml", "--overwrite"], 5, &["report.risk", "above 0 and up to 1"]);
}

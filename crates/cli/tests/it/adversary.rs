//! The adversary who tells counterfeits, on the draw that he tells best: the same values for all classes.

use std::path::Path;

use crate::common::{Folder, people, people_recipe};
use serde_json::Value;

const OLD: [&str; 14] = [
    "--set",
    "method.h=0.3",
    "--set",
    "method.objective=rce",
    "--set",
    "method.draw=empirical",
    "--set",
    "method.group-classes=2",
    "--set",
    "method.counterfeit-limit=1",
    "--set",
    "method.suppression-limit=0",
    "--set",
    "method.least-real=1",
];

fn custodian(folder: &Folder, release: &str) -> Value {
    serde_json::from_str(&folder.read(&format!("{release}.custodian/custodian.json"))).unwrap()
}

fn small_classes(folder: &Folder, release: &str) -> f64 {
    custodian(folder, release)["adversary"]["auc-in-small-classes"].as_f64().unwrap()
}

#[test]
fn values_drawn_for_all_classes_alike_are_told_on_the_sample() {
    let folder = Folder::new();
    // The recipe of the demonstration, and the same sample each time.
    folder.ok(&["demo", "--method", "h-ceiling", "--rows", "20000", "--output", "demo"]);
    let text = folder.read("demo/recipe.toml").replace("k = 5", "k = 10");
    folder.write("demo/recipe.toml", text.replace("suppression-limit = 0.05\n", ""));
    folder.ok(&["synth", "nps", "--rows", "100000", "--seed", "1", "--output", "demo/patients.csv"]);
    let run = ["anonymize", "demo/recipe.toml", "--seed", "1", "--output", "old"];
    folder.ok(&[&run[..], &OLD].concat());
    let new = ["anonymize", "demo/recipe.toml", "--seed", "1", "--output", "new"];
    folder.ok(&[&new[..], &["--set", "method.objective=rce"]].concat());
    let (old, new) = (small_classes(&folder, "old"), small_classes(&folder, "new"));
    assert!(old > 0.65, "{old}");
    assert!(new < old - 0.08 && new < 0.6, "{new} {old}");
    assert!(
        folder
            .read("old.custodian/custodian-report.html")
            .contains("How well counterfeits can be recognized")
    );
    assert!(!folder.read("old/report.html").contains("How well counterfeits can be recognized"));

    let attack = [
        "attack",
        "old",
        "--original",
        "demo/patients.csv",
        "--attacks",
        "counterfeits",
        "--seed",
        "1",
        "--json",
    ];
    let found: Value = serde_json::from_str(&folder.ok(&attack).out).unwrap();
    let figures = found["attacks"][0]["figures"].as_array().unwrap();
    let figure = |what: &str| {
        let figure = figures.iter().find(|figure| figure["what"].as_str().unwrap().contains(what));
        figure.unwrap()["rate"].as_f64().unwrap()
    };
    // The attack judges all records, the run a sample of them.
    let told = custodian(&folder, "old")["adversary"].clone();
    assert!(told["sampled"]["judged"].as_u64() < told["sampled"]["of"].as_u64(), "{told}");
    let areas = [
        ("auc", "AUC, all records"),
        ("auc-where-possible", "AUC, classes that can hold"),
        ("auc-in-small-classes", "at most k + 6"),
        ("auc-knowing-some", "three in ten"),
    ];
    for (key, what) in areas {
        let (sample, all) = (told[key].as_f64().unwrap(), figure(what));
        assert!((sample - all).abs() < 1e-2, "{key}: {sample} of the sample, {all} of all");
    }
    let alone = told["alone"]["right"].as_f64().unwrap();
    assert!((figure("right record of a person alone") - alone).abs() < 3e-2);
}

/// Adult, where `VELAMEN_DATA` names the folder of data.
#[test]
fn they_are_told_on_adult() {
    let Some(data) = std::env::var_os("VELAMEN_DATA") else { return };
    let adult = Path::new(&data).join("adult");
    let mut recipe = format!("[input]\npath = {:?}\n", adult.join("adult.csv"));
    let mut attribute = |name: &str, role: &str| {
        let hierarchy = adult.join(format!("adult_hierarchy_{name}.csv"));
        recipe += &format!("[attributes.{name}]\nrole = \"{role}\"\nhierarchy = {hierarchy:?}\n");
    };
    for name in ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"] {
        attribute(name, "quasi-identifier");
    }
    attribute("occupation", "sensitive");
    attribute("salary-class", "identifier");
    recipe += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[method]\nname = \"h-ceiling\"\nadversary-limit = 1\nh = 0.3\nseed = 1\n";
    let folder = Folder::new();
    folder.write("recipe.toml", recipe + "[output]\npath = \"old\"\n");
    folder.ok(&[&["anonymize", "recipe.toml"][..], &OLD].concat());
    let told = small_classes(&folder, "old");
    assert!(told >= 0.83, "{told}");
}

/// Counterfeits that an adversary would tell are not released; groups of few real records are suppressed instead.
#[test]
fn counterfeits_that_would_be_told_are_not_made() {
    let folder = Folder::new();
    folder.ok(&["demo", "--method", "h-ceiling", "--rows", "6000", "--output", "demo"]);
    // The demonstration shows what counterfeits are, and judges none.
    let text = folder.read("demo/recipe.toml");
    assert!(text.contains("adversary-limit = 1\n"), "{text}");
    folder.write("demo/recipe.toml", text.replace("adversary-limit = 1\n", ""));
    folder.ok(&["synth", "nps", "--rows", "6000", "--seed", "1", "--output", "demo/patients.csv"]);
    let run = |more: &[&str]| {
        let run = ["anonymize", "demo/recipe.toml", "--seed", "1", "--output", "release", "--overwrite"];
        folder.run(&[&run[..], more].concat())
    };
    let made = |more: &[&str]| {
        let made = run(more);
        assert_eq!(made.code, 0, "{}", made.err);
        folder.ok(&["verify", "release"]);
        (made.err, folder.json("release/release.json")["counterfeits"].as_u64().unwrap())
    };
    // As few as the demonstration makes of so few records protect from all but who counts.
    let (told, counterfeits) = made(&[]);
    assert!(counterfeits == 0 && told.contains("since somebody who counts the records"), "{told}");
    let (told, counterfeits) = made(&["--set", "method.adversary-limit=0.95"]);
    assert!(counterfeits > 0 && !told.contains("would not protect"), "{told}");
    let ten = ["--set", "privacy.0.k=10"];
    let (told, counterfeits) = made(&ten);
    assert!(counterfeits == 0 && told.contains("no counterfeits: they would not protect"), "{told}");
    assert!(told.contains("AUC"), "{told}");
    let mut sizes: std::collections::BTreeMap<String, u64> = Default::default();
    for line in folder.read("release/data.csv").lines().skip(1) {
        *sizes.entry(line.split(',').next().unwrap().to_owned()).or_default() += 1;
    }
    sizes.remove("");
    assert!(sizes.len() > 10 && sizes.values().all(|size| *size >= 10), "{sizes:?}");
    let (told, counterfeits) = made(&[&ten[..], &["--set", "method.adversary-limit=1"]].concat());
    assert!(counterfeits > 0 && !told.contains("would not protect"), "{told}");
    // Where nothing is possible without them, there is no release.
    let refused =
        run(&[&ten[..], &["--set", "method.h=0.23", "--set", "method.suppression-limit=0.01"]].concat());
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("counterfeits would not protect"), "{}", refused.err);
    assert!(refused.err.contains("without them every node under the ceiling"), "{}", refused.err);
}

/// Counterfeits whose values are drawn for all classes alike stand out to who saw other runs of the recipe.
#[test]
fn runs_of_the_recipe_teach_to_tell_counterfeits() {
    let folder = Folder::new();
    folder.write("table.csv", people(240));
    let models = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 8";
    folder.write("recipe.toml", people_recipe(models, "h = 0.15\nseed = 3", "release"));
    folder.ok(&["anonymize", "recipe.toml"]);
    assert!(folder.json("release/release.json")["counterfeits"].as_u64().unwrap() > 20);
    let call = ["attack", "release", "--original", "table.csv", "--attacks", "counterfeits", "--json"];
    let simulated = [&call[..], &["--recipe", "recipe.toml", "--simulate", "2"]].concat();
    let attack = |call: &[&str]| folder.ok(call).out;
    let text = attack(&simulated);
    let found: Value = serde_json::from_str(&text).unwrap();
    let of = |name: &str| {
        let attacks = found["attacks"].as_array().unwrap().iter();
        attacks.clone().find(|attack| attack["attack"] == name).unwrap_or_else(|| panic!("{found:#}")).clone()
    };
    let area = |name: &str| {
        let figures = of(name)["figures"].as_array().unwrap().clone();
        let area = figures.iter().find(|figure| figure["what"] == "AUC, classes that can hold counterfeits");
        area.unwrap_or_else(|| panic!("{found:#}"))["rate"].as_f64().unwrap()
    };
    // It sees what the fixed adversary makes of each record, and learns what that is worth.
    let (learned, fixed) = (area("simulation"), area("counterfeits"));
    assert!((0.5..=1.0).contains(&learned) && learned > fixed - 0.1, "{learned} {fixed}");
    let note = of("simulation")["notes"][0].as_str().unwrap().to_owned();
    assert!(note.contains("records of 2 runs of the recipe"), "{note}");
    // Nothing is learned without the recipe, and a word says so where it is asked for by name alone.
    let refused = folder.run(&[&call[..], &["--simulate", "4"]].concat());
    assert!(refused.code == 2 && refused.err.contains("--recipe"), "{} {}", refused.code, refused.err);
    let many = folder.run(&[&simulated[..7], &["--recipe", "recipe.toml", "--simulate", "1001"]].concat());
    assert!(many.code == 2 && many.err.contains("0 to 1000"), "{} {}", many.code, many.err);
    let named = ["attack", "release", "--original", "table.csv", "--attacks", "simulation"];
    assert!(folder.ok(&named).out.contains("give --simulate"));
}

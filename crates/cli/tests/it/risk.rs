//! `velamen risk`: figures by hand, wrong calls, releases.

use crate::common::{CANARY, Folder, H_CEILING, OPTIMAL};
use serde_json::{Value, json};

/// Rows of `a,b` with their counts.
fn table(classes: &[(&str, u32, usize)]) -> String {
    let rows = classes.iter().flat_map(|&(a, b, count)| vec![format!("{a},{b}\n"); count]);
    std::iter::once("a,b\n".to_owned()).chain(rows).collect()
}

/// Classes of 1, 2, 2 and 5 of 10 records; 4, 2, 8 and 10 of 24 in the population, and one more that is alone.
fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", table(&[("x", 1, 1), ("x", 2, 2), ("y", 1, 2), ("y", 2, 5)]));
    folder.write("p.csv", table(&[("y", 2, 10), ("x", 1, 4), ("x", 2, 2), ("y", 1, 8), ("z", 7, 1)]));
    folder
}

fn figures(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.ok(&[&["risk"], arguments, &["--json"]].concat()).out).unwrap()
}

/// Runs what must be refused and gives the message.
fn refused(folder: &Folder, arguments: &[&str], code: i32) -> String {
    let run = folder.run(&[&["risk"], arguments].concat());
    assert_eq!((run.code, run.out.as_str()), (code, ""), "{arguments:?}: {}", run.err);
    run.err
}

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-12
}

#[test]
fn a_table_by_hand() {
    let found = figures(&sample(), &["t.csv", "--qi", "a,b", "--threshold", "0.4"]);
    assert_eq!((&found["records"], &found["classes"], &found["uniques"]), (&json!(10), &json!(4), &json!(1)));
    let risks = &found["risks"];
    assert!(near(&risks["prosecutor"]["highest"], 1.0) && near(&risks["prosecutor"]["mean"], 0.4));
    assert!(near(&risks["marketer"]["mean"], 0.4) && risks["journalist"] == risks["prosecutor"]);
    assert_eq!(found["class-sizes"][2], json!({ "from": 5, "to": 8, "classes": 1, "records": 5 }));
    // Above 0.4 are classes of 1 and 2: five records. Above 0.2 the same.
    let asked = &found["thresholds"][0];
    assert_eq!((&asked["threshold"], &asked["prosecutor"]["records-at-risk"]), (&json!(0.4), &json!(5)));
    assert_eq!(
        (&asked["prosecutor"]["highest-met"], &asked["prosecutor"]["mean-met"]),
        (&json!(false), &json!(true))
    );
    assert!(asked.get("journalist").is_none() && found.get("population").is_none());
    // The only record of (x, 1); neither x nor 1 is alone.
    let special = &found["special-uniques"];
    assert_eq!((&special["records"], &special["by-size"]), (&json!(1), &json!([0, 1])));
    // Without a the classes are 3 and 7 records, without b 3 and 7 as well.
    for attribute in found["attributes"].as_array().unwrap() {
        assert!(near(&attribute["mean-risk-without"], 0.2) && attribute["uniques-without"] == 0);
        assert!(near(&attribute["contribution"], 1.0));
    }
}

#[test]
fn a_counted_population_by_hand() {
    let found = figures(&sample(), &["t.csv", "--qi", "a,b", "--population", "p.csv"]);
    let risks = &found["risks"];
    assert!(near(&risks["prosecutor"]["highest"], 1.0) && near(&risks["journalist"]["highest"], 0.5));
    // (1/4 + 2/2 + 2/8 + 5/10)/10.
    assert!(near(&risks["marketer"]["mean"], 0.2) && near(&risks["journalist"]["mean"], 0.2));
    let fifth = &found["thresholds"][0]["journalist"];
    assert_eq!((&fifth["records-at-risk"], &fifth["mean-met"]), (&json!(3), &json!(true)));
    let population = &found["population"];
    assert_eq!((&population["records"], &population["uniques-counted"]), (&json!(25), &json!(1)));
    assert_eq!(population["uniques-counted-in-table"], 0);
    // DIS with π = 0.4, one unique and two pairs: 0.4/(0.4 + 2·0.6·2).
    assert!(near(&found["dis"]["dis"], 0.4 / 2.8));
    assert!(near(&found["dis"]["highest-dis-suda"], 0.4 / 2.8));
}

#[test]
fn an_estimated_population() {
    let folder = sample();
    folder.write("one.csv", "a\nx\nx\n");
    let one = figures(&folder, &["one.csv", "--qi", "a", "--population-size", "20"]);
    // E(1/F | f = 2) = p/q − (p/q)² ln(1/p) for p = 0.1, as one class tells nothing of others.
    let journalist = &one["risks"]["journalist"];
    let mean = journalist["mean"].as_f64().unwrap();
    assert!((mean - (1.0 / 9.0 - 10f64.ln() / 81.0)).abs() < 1e-12);
    // Both may be all there are in the population.
    assert_eq!(journalist["highest"], 0.5);
    let found = figures(&folder, &["t.csv", "--qi", "a,b", "--population-size", "100"]);
    let mean = found["risks"]["journalist"]["mean"].as_f64().unwrap();
    assert!(mean > 0.05 && mean < found["risks"]["prosecutor"]["mean"].as_f64().unwrap(), "{mean}");
    assert!(found["remarks"].to_string().contains("without any guarantee"));
    let population = &found["population"];
    assert_eq!(population["chosen"], "pitman");
    let by: Vec<&str> = population["uniques"]
        .as_array()
        .unwrap()
        .iter()
        .map(|by| by["estimator"].as_str().unwrap())
        .collect();
    assert_eq!(by, ["pitman", "zayatz", "snb"]);
}

#[test]
fn rows_are_those_of_the_file() {
    let folder = Folder::new();
    folder.write("t.csv", format!("id,a,b\n1,x,1\n2,x,1\n3,{CANARY},1\n4,x,2\n5,y,2\n6,y,2\n"));
    let rows = |arguments: &[&str]| -> Vec<u64> {
        let found = figures(&folder, &[&["t.csv", "--qi", "b,a", "--rows", "2"], arguments].concat());
        found["riskiest"].as_array().unwrap().iter().map(|record| record["row"].as_u64().unwrap()).collect()
    };
    // The third is alone in one attribute, the fourth in two.
    assert_eq!((rows(&[]), rows(&["--special-uniques", "0"])), (vec![3, 4], vec![3, 4]));
    let quiet = folder.ok(&["risk", "t.csv", "--qi", "a,b", "--rows", "9"]);
    assert!(!quiet.out.contains(CANARY) && !quiet.err.contains(CANARY));
    let shown = folder.ok(&["risk", "t.csv", "--qi", "a,b", "--rows", "1", "--show-values"]).out;
    assert!(shown.contains(CANARY), "{shown}");
}

#[test]
fn calls_that_make_no_sense() {
    let folder = sample();
    assert!(refused(&folder, &["t.csv"], 2).contains("whose columns are: a, b"));
    assert!(refused(&folder, &["t.csv", "--qi", "A,b"], 2).contains("did you mean `a`"));
    assert!(refused(&folder, &["t.csv", "--qi", "a,a"], 2).contains("named twice"));
    assert!(
        refused(&folder, &["t.csv", "--qi", "a", "--threshold", "1.5"], 2).contains("above 0 and at most 1")
    );
    assert!(
        refused(&folder, &["t.csv", "--qi", "a", "--threshold", "nan"], 2).contains("expected a probability")
    );
    let small = refused(&folder, &["t.csv", "--qi", "a", "--population-size", "9"], 2);
    assert!(small.contains("has 10 records"), "{small}");
    refused(&folder, &["t.csv", "--qi", "a", "--population-size", "50", "--population", "p.csv"], 2);
    refused(&folder, &["t.csv", "--qi", "a", "--show-values"], 2);
    assert!(refused(&folder, &["none.csv", "--qi", "a"], 6).contains("none.csv"));
    let wide: Vec<String> = (0..65).map(|c| format!("c{c}")).collect();
    folder.write("wide.csv", format!("{0}\n{0}\n", wide.join(",")));
    let all = wide.join(",");
    assert!(refused(&folder, &["wide.csv", "--qi", &all], 2).contains("--special-uniques 0"));
    folder.ok(&["risk", "wide.csv", "--qi", &all, "--special-uniques", "0"]);
}

#[test]
fn a_population_that_does_not_contain_the_table() {
    let folder = sample();
    folder.write("q.csv", table(&[("y", 2, 10), ("x", 1, 4), ("x", 2, 1)]));
    let message = refused(&folder, &["t.csv", "--qi", "a,b", "--population", "q.csv"], 4);
    assert!(
        message.contains("1 classes of t.csv (2 records) are not in the population, and 1 have fewer"),
        "{message}"
    );
    folder.write("c.csv", "a\nx\n");
    assert!(
        refused(&folder, &["t.csv", "--qi", "a,b", "--population", "c.csv"], 4).contains("no column `b`")
    );
}

#[test]
fn a_release_beside_its_original() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=25"]);
    let found = figures(&folder, &["release", "--before", "patients.csv"]);
    assert_eq!((&found["quasi-identifiers"], &found["suppressed"]), (&json!(["age", "sex"]), &json!(0)));
    // Twelve classes of ten before; k = 25 after.
    assert_eq!((&found["before"]["classes"], &found["before"]["least-class"]), (&json!(12), &json!(10)));
    assert!(found["least-class"].as_u64().unwrap() >= 25);
    assert!(near(&found["before"]["risks"]["prosecutor"]["mean"], 0.1));
    // Generalized as the release is, its original is its population.
    let same = figures(&folder, &["release", "--population", "patients.csv"]);
    assert_eq!(same["risks"]["journalist"], same["risks"]["prosecutor"]);
    assert!(refused(&folder, &["release", "--qi", "age"], 2).contains("leave out --qi"));
    assert!(refused(&folder, &["release", "--rows", "3"], 2).contains("--rows"));
    assert!(refused(&folder, &["release", "--before", "recipe.toml"], 4).contains("this is a recipe"));
}

#[test]
fn suppressed_records_are_in_no_class() {
    let folder = Folder::with("name = \"suppression\"\nsuppression-limit = 0.1");
    let mut patients = folder.read("patients.csv");
    patients += "99,F,I63\n";
    folder.write("patients.csv", patients);
    folder.ok(&["anonymize", "recipe.toml", "--set", "attributes.age.level=0"]);
    let found = figures(&folder, &["release"]);
    assert_eq!(
        (&found["records"], &found["suppressed"], &found["classes"]),
        (&json!(121), &json!(1), &json!(12))
    );
    assert!(near(&found["risks"]["prosecutor"]["mean"], 0.1));
    assert!(found["remarks"][0].as_str().unwrap().contains("1 suppressed"));
}

#[test]
fn counterfeits_are_told() {
    let folder = Folder::with(H_CEILING);
    folder.ok(&["anonymize", "recipe.toml", "--set", "privacy.0.k=25", "--set", "method.h=0.1"]);
    let found = figures(&folder, &["release"]);
    let hidden = &found["counterfeits"];
    let number = hidden["counterfeits"].as_u64().unwrap();
    assert!(number > 0);
    assert_eq!(hidden["real-records"].as_u64().unwrap() + number, found["records"].as_u64().unwrap());
    // Who uses the catalog does better than one by the size of the class.
    let least = found["least-class"].as_f64().unwrap();
    assert!(found["risks"]["prosecutor"]["highest"].as_f64().unwrap() > 1.0 / least);
    assert!(hidden["highest-if-told-apart"].as_f64().unwrap() <= 1.0);
    let apart = hidden["mean-if-told-apart"].as_f64().unwrap();
    assert!(apart > found["risks"]["prosecutor"]["mean"].as_f64().unwrap() && apart <= 1.0);
    assert!(refused(&folder, &["release", "--population", "patients.csv"], 2).contains("--population-size"));
}

#[test]
fn a_random_sample_tells_its_population() {
    let folder = Folder::with(OPTIMAL);
    folder.ok(&["anonymize", "recipe.toml", "--set", "input.sample=0.5", "--set", "privacy.0.k=2"]);
    let found = figures(&folder, &["release"]);
    assert_eq!(found["population"]["source"], "stated-fraction");
    assert_eq!(found["population"]["records"], found["records"].as_u64().unwrap() * 2);
    let mean = |who: &str| found["risks"][who]["mean"].as_f64().unwrap();
    assert!(mean("journalist") < mean("prosecutor"));
}

#[test]
fn missing_values_that_match_any() {
    let folder = Folder::with(OPTIMAL);
    let mut patients = folder.read("patients.csv");
    patients += ",F,I63\n";
    folder.write("patients.csv", patients);
    folder.ok(&["anonymize", "recipe.toml", "--set", "input.missing=wildcard", "--set", "privacy.0.k=5"]);
    let found = figures(&folder, &["release"]);
    // The record without age is one of the 61 women; each of the six classes of women has 11 with it.
    assert_eq!(
        (&found["classes"], &found["least-class"], &found["uniques"]),
        (&json!(13), &json!(10), &json!(0))
    );
    let bins = found["class-sizes"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["records"].as_u64().unwrap()).sum::<u64>(), 121);
    let mean = (6.0 + 60.0 / 11.0 + 1.0 / 61.0) / 121.0;
    assert!(near(&found["risks"]["prosecutor"]["mean"], mean));
    assert!(found.get("special-uniques").is_none());
    assert!(
        refused(&folder, &["release", "--population-size", "1000"], 2).contains("missing values match any")
    );
}

#[test]
fn the_report_as_it_stands() {
    let folder = sample();
    let arguments =
        ["risk", "t.csv", "--qi", "a,b", "--population", "p.csv", "--before", "p.csv", "--rows", "2"];
    insta::assert_snapshot!("risk", folder.ok(&arguments).out);
}

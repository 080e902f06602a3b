//! The promise that a method, a metric and a format are one file each, and a model two, its own and its check: a program
//! adds a toy of each and runs them from recipe to verified release, and nothing else knows of them.

mod check;
mod format;
mod method;
mod metric;
mod model;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use velamen_checker::{CHECKS, Finding, State};
use velamen_core::context::Context;
use velamen_engine::format::FORMATS;
use velamen_job::{Outcome, RunOptions, anonymize, verify};
use velamen_recipe::{JobError, Overrides, Recipe};
use velamen_testsuite::with_context;

/// Stays in wards of two hospitals; two stays at a third.
const TABLE: &str = "sex,ward,disease\n\
    f,A1,flu\nm,A1,flu\nf,A2,gout\nm,A2,gout\nf,B1,flu\nm,B1,gout\nf,B2,flu\nm,B2,gout\n\
    f,C1,flu\nm,C1,flu\n";

/// A search that was there, with a metric, a model and a format that were not.
const SEARCH: &str = r#"
    [input]
    path = "stays.csv"
    [attributes.sex]
    role = "quasi-identifier"
    hierarchy = { rows = [["f", "*"], ["m", "*"]] }
    [attributes.ward]
    role = "quasi-identifier"
    hierarchy = { rows = [["A1", "A", "*"], ["A2", "A", "*"], ["B1", "B", "*"], ["B2", "B", "*"], ["C1", "C", "*"]] }
    max-level = 1
    [attributes.disease]
    role = "sensitive"
    [[privacy]]
    model = "toy"
    least = 2
    [method]
    name = "optimal"
    metric = "toy"
    [output]
    path = "first"
    format = "toy"
"#;

/// The first release as the input of a method that was not there.
const METHOD: &str = r#"
    [input]
    path = "first/data.toy"
    [attributes.ClassID]
    role = "identifier"
    [attributes.sex]
    role = "insensitive"
    [attributes.ward]
    role = "quasi-identifier"
    hierarchy = { rows = [["A", "*"], ["B", "*"], ["C", "*"]] }
    max-level = 0
    [attributes.disease]
    role = "sensitive"
    [[privacy]]
    model = "toy"
    least = 2
    [method]
    name = "toy"
    smallest = 3
    [output]
    path = "second"
    format = "toy"
"#;

fn add() {
    // Tests of one process share the registries.
    let _ = velamen_search::method::REGISTRY.add(&method::ENTRY);
    let _ = velamen_search::metric::REGISTRY.add(&metric::ENTRY);
    let _ = CHECKS.add(&check::ENTRY);
    let _ = velamen_contract::model::REGISTRY.add(&model::TERMS);
    let _ = velamen_search::model::REGISTRY.add(&model::ENTRY);
    let _ = FORMATS.add(&format::ENTRY);
}

fn run(recipe: &str, folder: &Path, context: &Context<'_>) -> Result<Outcome, JobError> {
    let path = folder.join("recipe.toml");
    std::fs::write(&path, recipe).expect("a temporary file can be written");
    let resolved = Recipe::load(&path, &Overrides::default())?.resolve(&path)?;
    anonymize(&resolved, &path, &RunOptions::default(), context)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    std::fs::write(folder.path().join("stays.csv"), TABLE).expect("a temporary file can be written");
    folder
}

fn text(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is known of the toy model's promise.
fn promise(findings: &[Finding]) -> (State, &Value) {
    let finding = findings.iter().find(|finding| finding.promise == "toy").expect("the toy model's finding");
    (finding.state, &finding.reached)
}

#[test]
fn toys_run_from_recipe_to_verified_release() {
    add();
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    with_context(7, |context| {
        let first = run(SEARCH, folder.path(), context).expect("the first release");
        // One sex of a hospital has values once: no cell stays as it was.
        assert_eq!(first.manifest.utility["toy"]["by-attribute"], json!({ "sex": 1.0, "ward": 1.0 }));
        assert_eq!(promise(&first.findings), (State::Held, &json!({ "least": 2 })));
        assert!(text(path("first/data.toy")).starts_with("#toy\nClassID|sex|ward|disease\n"));

        let second = run(METHOD, folder.path(), context).expect("the second release");
        assert_eq!(promise(&second.findings), (State::Held, &json!({ "least": 2 })));
        assert_eq!(
            (second.manifest.method.entries()["smallest"].as_u64(), second.manifest.suppressed),
            (Some(3), 2)
        );
        let report = text(path("second/report.html"));
        for words in ["as coarse as it may be", "No value that few of a group have", metric::ENTRY.words] {
            assert!(report.contains(words), "{words}");
        }

        let verified = |name: &str| verify(&path(name), None, context).expect("a readable release");
        assert_eq!(promise(&verified("second")).0, State::Held);
        let released = text(path("second/data.toy"));
        let forged = released.replacen("|flu\n", "|gout\n", 1);
        std::fs::write(path("second/data.toy"), forged).expect("a file can be written again");
        assert_eq!(promise(&verified("second")), (State::Broken, &json!({ "least": 1 })));
    });
}

#[test]
fn what_a_recipe_says_of_toys_is_read_and_described_as_of_others() {
    add();
    let schema = Recipe::schema();
    let entry = |section: &Value| {
        let all = section["oneOf"].as_array().expect("a schema by name").clone();
        all.into_iter().find(|one| one["title"] == "toy").expect("the toy's schema")
    };
    let of_method = entry(&schema["properties"]["method"]);
    let described = |schema: &Value, key: &str| schema["properties"][key]["description"].clone();
    assert_eq!(described(&of_method, "smallest"), "Classes of fewer records are suppressed.");
    let of_model = entry(&schema["$defs"]["PrivacySection"]);
    assert!(described(&of_model, "least").as_str().is_some_and(|text| text.starts_with("The least number")));

    let folder = folder();
    let refused = |from: &str, to: &str| {
        let error = with_context(7, |context| run(&SEARCH.replace(from, to), folder.path(), context));
        error.expect_err("a wrong recipe").to_string()
    };
    let toy = "name = \"toy\"\n    smalest = 3";
    let unknown = refused("name = \"optimal\"\n    metric = \"toy\"", toy);
    assert!(unknown.contains("unknown field `smalest`; did you mean `smallest`?"), "{unknown}");
    let foreign = refused("name = \"optimal\"", "name = \"toy\"");
    assert!(foreign.contains("toy knows: smallest"), "{foreign}");
    let wrong = refused("name = \"optimal\"\n    metric = \"toy\"", "name = \"toy\"\n    smallest = 0");
    assert!(wrong.contains("smallest must be above 0"), "{wrong}");
    let near = refused("metric = \"toy\"", "metric = \"toi\"");
    assert!(near.contains("did you mean `toy`?"), "{near}");
    let near = refused("least = 2", "leest = 2");
    assert!(near.contains("privacy 1") && near.contains("`least`"), "{near}");
}

#[test]
fn every_model_has_a_check() {
    add();
    for entry in velamen_search::model::REGISTRY.iter() {
        assert!(CHECKS.find(entry.terms.name).is_some(), "{} has no check", entry.terms.name);
    }
}

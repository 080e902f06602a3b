//! h-ceiling with other models than k-anonymity, through the command line.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;

use common::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    let mut table = String::from("age,sex,region,disease\n");
    for i in 0..240u32 {
        let disease = ["flu", "cold", "asthma", "measles"][(i * i % 7 % 4) as usize];
        table += &format!("{},{},{},{disease}\n", 20 + i * 17 % 60, ["F", "M"][(i % 2) as usize], i * 5 % 9);
    }
    folder.write("table.csv", &table);
    folder
}

fn recipe(models: &str, method: &str) -> String {
    format!(
        r#"
[input]
path = "table.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 20], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
[attributes.region]
role = "quasi-identifier"
hierarchy = {{ interval = [3], min = 0, max = 8 }}
[attributes.disease]
role = "sensitive"
{models}
[method]
name = "h-ceiling"
h = 0.5
{method}
[output]
path = "release"
"#
    )
}

const MODELS: [&str; 6] = [
    "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 3",
    "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.3\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 4",
    "[[privacy]]\nmodel = \"delta-disclosure\"\ndelta = 1.5",
    "[[privacy]]\nmodel = \"ms-bounding\"\nk = 3\ntheta = { flu = 0.6 }",
    "[[privacy]]\nmodel = \"average-risk\"\nrisk = 0.1",
    "[[privacy]]\nmodel = \"records-at-risk\"\nrisk = 0.2\nshare = 0.0\n[[privacy]]\nmodel = \"entropy-l-diversity\"\nl = 2",
];

#[test]
fn every_model_is_kept_by_every_kind_of_parts() {
    let folder = folder();
    for (at, models) in MODELS.iter().enumerate() {
        for parts in ["full-domain", "mondrian", "clustering"] {
            folder.write("recipe.toml", recipe(models, &format!("parts = \"{parts}\"")));
            folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5"]);
            folder.ok(&["verify", "release"]);
            let manifest = folder.json("release/release.json");
            let added = manifest["counterfeits"].as_u64().unwrap();
            assert_eq!(manifest["records"].as_u64().unwrap(), 240 + added, "{models} {parts}");
            let truthful = format!("truthful-{at}-{parts}.csv");
            folder.ok(&["truthful", "release", "--output", &truthful]);
            assert_eq!(folder.read(&truthful).lines().count(), 241, "{models} {parts}");
        }
    }
}

#[test]
fn what_counterfeits_cannot_mend_is_refused() {
    let folder = folder();
    let models = "[[privacy]]\nmodel = \"k-map\"\nk = 3\n[population]\nsize = 10000";
    folder.write("recipe.toml", recipe(models, ""));
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 5);
    assert!(run.err.contains("counterfeits are none"), "{}", run.err);
    let coded = recipe(MODELS[0], "parts = \"mondrian\"")
        .replace("min = 0, max = 99 }", "min = 0, max = 99 }\ntop = 80");
    folder.write("recipe.toml", &coded);
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert_eq!(run.code, 5);
    assert!(run.err.contains("full-domain"), "{}", run.err);
}

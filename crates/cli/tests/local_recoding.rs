//! Methods whose classes have released values of their own, with the real binary.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;

use common::{Folder, column, recipe, rows};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 240 patients of uneven ages, some unknown, in wards without hierarchy.
fn table() -> String {
    let mut text = String::from("ward,age,sex,diagnosis\n");
    for i in 0..240u32 {
        let age = if i % 40 == 7 { String::new() } else { (20 + i * i * 7 % 61).to_string() };
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        text += &format!("w{},{age},{},{diagnosis}\n", i % 7, ["F", "M"][(i % 3 / 2) as usize]);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table());
    let ward = "[attributes.ward]\nrole = \"quasi-identifier\"\n[attributes.age]";
    folder.write("recipe.toml", recipe(method).replace("[attributes.age]", ward));
    folder
}

fn released(folder: &Folder, set: &[&str]) -> Value {
    let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    folder.ok(&["verify", "release"]);
    folder.json("release/release.json")
}

#[test]
fn mondrian_releases_ranges() {
    let folder = folder("name = \"mondrian\"");
    let strict = released(&folder, &[]);
    assert!(strict.get("node").is_none(), "{strict}");
    assert_eq!(strict["attributes"]["age"]["recoding"], "ranges");
    assert!(strict["attributes"]["age"].get("level").is_none());
    assert_eq!(strict["method"]["partitioning"], "strict");
    assert!(strict["classes"].as_u64().unwrap() > 10, "{strict}");
    assert!(strict["utility"].get("height").is_none());
    let full_domain = released(&folder, &["method.name=optimal"]);
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    assert!(loss(&strict) < loss(&full_domain));
    let relaxed = released(&folder, &["method.name=mondrian", "method.partitioning=relaxed"]);
    assert_eq!(relaxed["records"], 240);
    let data = folder.read("release/data.csv");
    assert_eq!(column(&data, "diagnosis"), column(&table(), "diagnosis"));
    assert!(rows(&data)[1..].iter().any(|row| row[2].starts_with('[')));
}

#[test]
fn the_order_of_the_records_does_not_matter() {
    for partitioning in ["strict", "relaxed"] {
        let folder = folder(&format!("name = \"mondrian\"\npartitioning = \"{partitioning}\""));
        released(&folder, &[]);
        let before = (folder.read("release/data.csv"), folder.read("release/release.json"));
        let mut records: Vec<String> = table().lines().skip(1).map(str::to_owned).collect();
        records.reverse();
        folder.write("patients.csv", format!("ward,age,sex,diagnosis\n{}\n", records.join("\n")));
        released(&folder, &[]);
        assert!(before == (folder.read("release/data.csv"), folder.read("release/release.json")));
    }
}

#[test]
fn other_models_stop_the_cuts_too() {
    let folder = folder("name = \"mondrian\"");
    let recipe = folder.read("recipe.toml");
    let close = "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.2\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", close));
    let manifest = released(&folder, &[]);
    assert!(manifest["privacy"][1]["reached"]["t"].as_f64().unwrap() <= 0.2);
    let disclosure = "[[privacy]]\nmodel = \"delta-disclosure\"\ndelta = 1.5\n[method]";
    folder.write("recipe.toml", recipe.replace("[method]", disclosure));
    released(&folder, &[]);
    folder.refused(&[&RUN[..], &["--set", "method.partitioning=relaxed"]].concat(), 5, &["delta-disclosure"]);
    folder.refused(
        &[&RUN[..], &["--set", "privacy.1.delta=0.0001", "--set", "privacy.0.k=241"]].concat(),
        3,
        &[],
    );
}

#[test]
fn a_label_outside_the_domain_is_found() {
    let folder = folder("name = \"mondrian\"");
    released(&folder, &[]);
    let data = folder.read("release/data.csv");
    let label = rows(&data)[1..].iter().map(|row| row[2].clone()).find(|l| l.starts_with('[')).unwrap();
    folder.write("release/data.csv", data.replace(&label, "[20-100]"));
    let run = folder.run(&["verify", "release"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("labels"), "{}", run.err);
}

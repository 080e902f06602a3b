//! Population uniqueness, from the recipe to the checked release.

use crate::common::{Folder, OPTIMAL, recipe};

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 60 patients, of whom 20 are alone with their age.
fn folder(population: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::from("age,sex,diagnosis\n");
    for i in 0..60u32 {
        text += &format!("{},F,I63\n", if i < 20 { i } else { 30 + i % 10 });
    }
    folder.write("patients.csv", text);
    let model = "model = \"population-uniqueness\"\nshare = 0.01";
    let changed = recipe(OPTIMAL).replace("model = \"k-anonymity\"\nk = 5", model);
    folder.write("recipe.toml", changed.replace("[[privacy]]", &format!("{population}[[privacy]]")));
    folder
}

#[test]
fn every_estimator_is_kept_and_checked() {
    let folder = folder("[population]\nsize = 100\n");
    for estimator in ["pitman", "zayatz", "snb", "dankar"] {
        folder.ok(&[&RUN[..], &["--set", &format!("privacy.0.estimator={estimator}")]].concat());
        folder.ok(&["verify", "release"]);
        let promise = &folder.json("release/release.json")["privacy"][0];
        assert_eq!(promise["asked"]["estimator"], estimator);
        assert!(promise["reached"]["share"].as_f64().unwrap() <= 0.01, "{promise}");
    }
    // A claim that does not hold of the file is found out.
    folder.ok(&[&RUN[..], &["--set", "privacy.0.share=0.9"]].concat());
    let stated = folder.read("release/release.json");
    let changed = stated.replacen("\"share\": 0.9", "\"share\": 0.0", 1);
    assert_ne!(changed, stated);
    folder.write("release/release.json", changed);
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn the_population_is_needed() {
    folder("").refused(&RUN, 5, &["population-uniqueness", "[population]"]);
    folder("[population]\nsize = 59\n").refused(&RUN, 4, &["fewer records"]);
}

/// Whatever the model is: a table is no sample of fewer records than it has.
#[test]
fn no_population_is_smaller_than_its_table() {
    let folder = folder("");
    let plain = recipe(OPTIMAL).replace("[[privacy]]", "[population]\nsize = 59\n[[privacy]]");
    folder.write("recipe.toml", plain);
    folder.refused(&RUN, 4, &["the population has 59: fewer records than the table, which has 60"]);
    folder.ok(&[&RUN[..], &["--set", "population.size=60"]].concat());
}

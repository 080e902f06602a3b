//! Models, metrics and searches with the real binary: what is asked for is reached, checked again and stated.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Folder, OPTIMAL, column, recipe, rows};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 200 patients of uneven ages; every fourth of the population of 800.
fn patients(step: u32) -> String {
    let mut text = String::from("age,sex,diagnosis\n");
    for i in (0..800u32).step_by(step as usize) {
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        text += &format!("{},{},{diagnosis}\n", 20 + i * i * 7 % 61, ["F", "M"][(i % 3 / 2) as usize]);
    }
    text
}

fn folder(method: &str, models: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients(4));
    let text = recipe(method);
    let models = if models.is_empty() { "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5" } else { models };
    folder.write("recipe.toml", text.replace("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5", models));
    folder
}

/// Runs the recipe with changes; the release verifies.
fn released(folder: &Folder, set: &[&str]) -> Value {
    let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    let population = folder.path("population.csv");
    let population = population.to_str().filter(|_| population.exists());
    let option: Vec<&str> = population.into_iter().flat_map(|path| ["--population", path]).collect();
    folder.ok(&[&["verify", "release"][..], &option].concat());
    folder.json("release/release.json")
}

fn reached(manifest: &Value, model: &str) -> Value {
    let promises = manifest["privacy"].as_array().unwrap();
    promises.iter().find(|promise| promise["model"] == model).unwrap()["reached"].clone()
}

const POPULATION: &str = "[population]\npath = \"population.csv\"\n";

fn with_population(models: &str) -> Folder {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.2", &format!("{POPULATION}{models}"));
    folder.write("population.csv", patients(1));
    folder
}

#[test]
fn k_map_counts_the_population() {
    let folder = with_population("[[privacy]]\nmodel = \"k-map\"\nk = 6");
    let manifest = released(&folder, &[]);
    assert!(reached(&manifest, "k-map")["k"].as_u64().unwrap() >= 6, "{manifest:#}");
    let run = folder.run(&["verify", "release"]);
    assert!(run.code == 8 && run.out.contains("not checked  k-map"), "{}{}", run.out, run.err);
    let run = folder.ok(&["verify", "release", "--population", "population.csv"]);
    assert!(!run.out.contains("not checked"), "{}", run.out);
    // The sample alone is too small a population.
    let run = folder.run(&["verify", "release", "--population", "patients.csv"]);
    assert_eq!(run.code, 3, "{}", run.out);
    // Fewer records generalize less where the population counts.
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    folder.write("recipe.toml", folder.read("recipe.toml").replace("k-map", "k-anonymity"));
    assert!(loss(&manifest) <= loss(&released(&folder, &[])));
}

#[test]
fn a_population_without_the_records_is_refused() {
    let folder = with_population("[[privacy]]\nmodel = \"k-map\"\nk = 6");
    let few: Vec<String> = patients(1).lines().take(30).map(str::to_owned).collect();
    folder.write("population.csv", few.join("\n") + "\n");
    folder.refused(&RUN, 4, &["records of the input are not in the population"]);
    folder.write("population.csv", "sex,weight\nF,70\n");
    folder.refused(&RUN, 4, &["no column `age`"]);
}

#[test]
fn delta_presence_bounds_the_share() {
    let models = "[[privacy]]\nmodel = \"delta-presence\"\nmin = 0.0\nmax = 0.4";
    let folder = with_population(models);
    let manifest = released(&folder, &[]);
    let delta = reached(&manifest, "delta-presence");
    assert!(delta["max"].as_f64().unwrap() <= 0.4, "{delta}");
    folder.ok(&["verify", "release", "--population", "population.csv"]);
    let run = folder.run(&["verify", "release", "--population", "patients.csv"]);
    assert_eq!(run.code, 3, "{}", run.out);
}

/// Each of 40 persons has one to ten records, all alike but for the diagnosis.
fn stays() -> String {
    let mut text = String::from("person,age,sex,diagnosis\n");
    for i in 0..40u32 {
        for stay in 0..=(i % 4 * 3) {
            let diagnosis = ["I63", "J18", "E11"][((i + stay) % 3) as usize];
            let (age, sex) = (20 + i * 7 % 61, ["F", "M"][(i % 2) as usize]);
            text += &format!("p{:03},{age},{sex},{diagnosis}\n", (i * 37) % 40);
        }
    }
    text
}

fn stays_folder() -> Folder {
    let folder = folder(OPTIMAL, "");
    folder.write("patients.csv", stays());
    let text = folder.read("recipe.toml");
    folder.write(
        "recipe.toml",
        text.replace("[attributes.age]", "[attributes.person]\nrole = \"person\"\n[attributes.age]"),
    );
    folder
}

#[test]
fn k_counts_persons_who_are_not_released() {
    let folder = stays_folder();
    let manifest = released(&folder, &[]);
    assert_eq!(manifest["method"]["person"], "person");
    let data = folder.read("release/data.csv");
    assert_eq!(rows(&data)[0], ["ClassID", "age", "sex", "diagnosis"]);
    assert!(!data.contains("p0"));
    // As many released records by class as k persons have at least.
    let by_record = folder
        .read("recipe.toml")
        .replace("role = \"person\"", "role = \"identifier\"\nrows = \"independent\"");
    folder.write("recipe.toml", by_record);
    let records = released(&folder, &[]);
    let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
    assert!(loss(&manifest) >= loss(&records));
    let classes = |manifest: &Value| manifest["classes"].as_u64().unwrap();
    assert!(classes(&manifest) < classes(&records), "counting persons changes nothing");
}

#[test]
fn methods_that_count_records_refuse_persons() {
    let folder = stays_folder();
    let set = "method.name=iab";
    folder.refused(
        &["anonymize", "recipe.toml", "--set", set],
        5,
        &["person", "the method works row by row"],
    );
}

#[test]
fn the_k_of_a_population_is_no_number_of_persons() {
    let folder = stays_folder();
    folder.write("population.csv", stays());
    let text = folder.read("recipe.toml").replace("model = \"k-anonymity\"", "model = \"k-map\"");
    folder.write("recipe.toml", format!("{text}\n[population]\npath = \"population.csv\"\n"));
    // Classes of k records of the population can be those of fewer than k persons.
    let manifest = released(&folder, &[]);
    assert!(manifest["privacy"][0]["reached"]["k"].as_u64().unwrap() >= 5);
}

#[test]
fn the_order_of_rows_does_not_follow_persons() {
    let folder = stays_folder();
    released(&folder, &["method.seed=5"]);
    let data = folder.read("release/data.csv");
    let order: Vec<Vec<String>> = rows(&data)[1..].to_vec();
    // Rows are ordered by class, then by what is released: equal ones stand together.
    let mut runs: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    for run in order.chunk_by(|a, b| a == b) {
        *runs.entry(run[0].clone()).or_default() += 1;
    }
    assert!(runs.values().all(|&runs| runs == 1));
    // Persons renamed and in another order: the same bytes.
    let mut lines: Vec<String> = stays().lines().skip(1).map(|line| format!("q{}", &line[1..])).collect();
    lines.reverse();
    folder.write("patients.csv", format!("person,age,sex,diagnosis\n{}\n", lines.join("\n")));
    released(&folder, &["method.seed=5"]);
    assert_eq!(folder.read("release/data.csv"), data);
}

#[test]
fn levels_are_kept_within_their_bounds() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 1", "");
    let level = |set: &[&str]| released(&folder, set)["node"]["age"].as_u64().unwrap();
    let free = level(&[]);
    assert_eq!(level(&["attributes.age.level=3"]), 3);
    assert!(level(&["attributes.age.min-level=2"]) >= free.max(2));
    assert!(level(&["attributes.age.max-level=1"]) <= 1);
    let refused = |set: &str| {
        folder.refused(&["anonymize", "recipe.toml", "--overwrite", "--set", set], 5, &["`age`", "levels"])
    };
    refused("attributes.age.max-level=9");
    refused("attributes.age.level=5");
}

#[test]
fn weights_decide_what_is_generalized() {
    let folder = folder("name = \"optimal\"\nmetric = \"precision\"", "");
    let node = |age: &str, sex: &str| {
        let manifest = released(
            &folder,
            &[&format!("attributes.age.weight={age}"), &format!("attributes.sex.weight={sex}")],
        );
        (manifest["node"]["age"].as_u64().unwrap(), manifest["node"]["sex"].as_u64().unwrap())
    };
    let (for_age, for_sex) = (node("1", "0"), node("0", "1"));
    assert!(for_age.0 <= for_sex.0 && for_age.1 >= for_sex.1, "{for_age:?} {for_sex:?}");
    assert!(for_age != for_sex);
    let set = ["anonymize", "recipe.toml", "--set", "attributes.age.weight=-1", "--overwrite"];
    folder.refused(&set, 5, &["weight"]);
}

#[test]
fn exhaustive_lists_what_optimal_finds() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", "");
    for metric in ["loss", "precision", "non-uniform-entropy", "kl-divergence", "discernibility"] {
        let metric_is = format!("method.metric={metric}");
        let optimal = released(&folder, &[&metric_is]);
        let value = folder.json("release.custodian/custodian.json")["search"]["value"].as_f64().unwrap();
        let exhaustive = released(&folder, &[&metric_is, "method.name=exhaustive"]);
        let nodes = rows(&folder.read("release.custodian/nodes.csv"));
        assert_eq!(nodes[0], ["age", "sex", "anonymous", "suppressed", "classes", metric]);
        assert_eq!(nodes.len(), 1 + 5 * 2);
        let anonymous = nodes[1..].iter().filter(|row| row[2] == "true");
        let least = anonymous.map(|row| row[5].parse::<f64>().unwrap()).fold(f64::INFINITY, f64::min);
        assert!((value - least).abs() < 1e-9, "{metric}: {value} {least}");
        assert_eq!(optimal["node"], exhaustive["node"], "{metric}");
        released(&folder, &["method.name=best-first", &metric_is]);
        assert!(!folder.path("release.custodian/nodes.csv").exists());
        let found = folder.json("release.custodian/custodian.json")["search"]["value"].as_f64().unwrap();
        assert!((value - found).abs() < 1e-9, "{metric}: best-first {found}, optimal {value}");
    }
}

const METRICS: [&str; 14] = [
    "loss",
    "lm",
    "precision",
    "height",
    "discernibility",
    "discernibility-star",
    "average-class-size",
    "non-uniform-entropy",
    "ambiguity",
    "kl-divergence",
    "ncp",
    "rce",
    "conditional-entropy",
    "rows-retained",
];

#[test]
fn every_metric_can_be_asked_for() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1", "");
    for metric in METRICS {
        let manifest = released(&folder, &[&format!("method.metric={metric}")]);
        assert_eq!(manifest["method"]["metric"], metric);
        let stated: BTreeSet<&String> = manifest["utility"].as_object().unwrap().keys().collect();
        assert!(METRICS.iter().all(|metric| stated.contains(&(*metric).to_owned())), "{stated:?}");
    }
    let unknown = ["anonymize", "recipe.toml", "--overwrite", "--set", "method.metric=utility"];
    folder.refused(&unknown, 5, &["unknown metric", "kl-divergence"]);
}

#[test]
fn aggregates_and_the_factor_are_used_and_stated() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.3", "");
    for aggregate in ["geometric-mean", "arithmetic-mean", "sum", "max", "rank"] {
        let manifest = released(&folder, &[&format!("method.aggregate={aggregate}")]);
        assert_eq!(manifest["method"]["aggregate"], aggregate);
    }
    let suppressed = |factor: &str| {
        let manifest = released(&folder, &[&format!("method.gs-factor={factor}"), "method.metric=precision"]);
        assert_eq!(manifest["method"]["gs-factor"].as_f64(), factor.parse().ok().filter(|f| *f != 0.5));
        manifest["suppressed"].as_u64().unwrap()
    };
    let (free, neutral, dear) = (suppressed("0.0"), suppressed("0.5"), suppressed("1.0"));
    assert!(free >= neutral && neutral >= dear, "{free} {neutral} {dear}");
    let refused = |set: &str, says: &str| {
        folder.refused(&[&RUN[..], &["--set", set]].concat(), 5, &[says]);
    };
    refused("method.gs-factor=1.5", "gs-factor");
    folder.refused(
        &[&RUN[..], &["--set", "method.metric=discernibility", "--set", "method.aggregate=sum"]].concat(),
        5,
        &["drop `aggregate`"],
    );
}

#[test]
fn budgets_belong_to_searches_that_may_stop() {
    let folder = folder("name = \"best-first\"\nsuppression-limit = 0.1\nseed = 4", "");
    for name in ["best-first", "genetic"] {
        let named = format!("method.name={name}");
        let manifest = released(&folder, &[&named, "method.budget-steps=6"]);
        assert_eq!(manifest["method"]["budget-steps"], 6, "{name}");
        let data = folder.read("release/data.csv");
        released(&folder, &[&named, "method.budget-steps=6"]);
        assert_eq!(folder.read("release/data.csv"), data, "{name}: another release of the same seed");
        released(&folder, &[&named, "method.budget-seconds=0.5"]);
    }
    for name in ["optimal", "exhaustive", "datafly", "top-down"] {
        let named = format!("method.name={name}");
        for budget in ["method.budget-steps=6", "method.budget-seconds=1"] {
            let set = ["--set", &named, "--set", budget];
            folder.refused(
                &[&RUN[..], &set].concat(),
                2,
                &["is a key of best-first, genetic", &format!("--set {budget}")],
            );
        }
    }
}

#[test]
fn models_of_the_whole_table_suppress_the_smallest_classes() {
    let models = [
        ("average-risk", "risk = 0.1", "risk", 0.1),
        ("records-at-risk", "share = 0.05\nrisk = 0.2", "share", 0.05),
        ("sample-uniqueness", "share = 0.01", "share", 0.01),
        ("information-leak", "share = 0.5", "share", 0.5),
    ];
    for (model, parameters, key, most) in models {
        let text = format!("[[privacy]]\nmodel = \"{model}\"\n{parameters}");
        let folder = folder("name = \"optimal\"\nsuppression-limit = 0.15", &text);
        let manifest = released(&folder, &[]);
        let found = reached(&manifest, model);
        assert!(found[key].as_f64().unwrap() <= most, "{model}: {found}");
        assert!(manifest["suppressed"].as_u64().unwrap() <= 30);
        let data = folder.read("release/data.csv");
        assert_eq!(column(&data, "diagnosis"), column(&patients(4), "diagnosis"));
        let strict = released(&folder, &["method.suppression-limit=0"]);
        let loss = |manifest: &Value| manifest["utility"]["loss"]["value"].as_f64().unwrap();
        assert!(loss(&manifest) <= loss(&strict), "{model}");
    }
}

#[test]
fn as_few_of_the_smallest_classes_are_suppressed_as_will_do() {
    let text = "[[privacy]]\nmodel = \"average-risk\"\nrisk = 0.2";
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.5", text);
    let recipe = folder.read("recipe.toml").replace("hierarchy = ", "level = 0\nhierarchy = ");
    folder.write("recipe.toml", recipe.replace("[attributes.sex]", "[attributes.sex]\nlevel = 0"));
    // Forty of one class and ten that are alone; with c of these (1 + c) / (40 + c) is at most 0.2 up to c = 8.
    let crowd = "50,F,I63\n".repeat(40);
    let alone: String = (20..30).rev().map(|age| format!("{age},F,J18\n")).collect();
    folder.write("patients.csv", format!("age,sex,diagnosis\n{alone}{crowd}"));
    let manifest = released(&folder, &[]);
    assert_eq!((&manifest["suppressed"], &manifest["classes"]), (&2.into(), &9.into()));
    // The first in canonical order are gone, whatever the order of the records.
    let ages = column(&folder.read("release/data.csv"), "age");
    assert!(!ages.iter().any(|age| age == "20" || age == "21"), "{ages:?}");
}

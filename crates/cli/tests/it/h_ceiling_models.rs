//! h-ceiling with other models than k-anonymity, through the command line.

use std::collections::BTreeMap;

use crate::common;

use crate::common::{Folder, people, people_recipe, written};
use serde_json::{Value, json};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("table.csv", people(240));
    folder
}

fn recipe(models: &str, method: &str) -> String {
    people_recipe(models, &format!("h = 0.5\n{method}"), "release")
}

const MODELS: [&str; 6] = [
    "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 3",
    "[[privacy]]\nmodel = \"t-closeness\"\nt = 0.3\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 4",
    "[[privacy]]\nmodel = \"delta-disclosure\"\ndelta = 1.5",
    "[[privacy]]\nmodel = \"ms-bounding\"\nk = 3\ntheta = { flu = 0.6 }",
    "[[privacy]]\nmodel = \"average-risk\"\nrisk = 0.1",
    "[[privacy]]\nmodel = \"records-at-risk\"\nrisk = 0.2\nshare = 0.0\n[[privacy]]\nmodel = \"entropy-l-diversity\"\nl = 2",
];

/// What a release says of a model.
fn promised<'m>(manifest: &'m Value, model: &str) -> Option<&'m Value> {
    manifest["privacy"].as_array()?.iter().find(|promise| promise["model"] == model)
}

#[test]
fn every_model_is_kept_by_every_kind_of_parts() {
    let folder = folder();
    for (at, models) in MODELS.iter().enumerate() {
        for parts in ["full-domain", "mondrian", "clustering"] {
            let method = format!("parts = \"{parts}\"\ncounterfeits-count = true");
            folder.write("recipe.toml", recipe(models, &method));
            folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5"]);
            folder.ok(&["verify", "release"]);
            let manifest = folder.json("release/release.json");
            if let Some(bounding) = promised(&manifest, "ms-bounding") {
                let reached = &bounding["reached"]["theta"];
                assert!(reached["flu"].as_f64().unwrap() <= 0.6 + 1e-9, "{reached}");
                assert_eq!(
                    reached.as_object().unwrap().len(),
                    1,
                    "values without a bound are not of interest"
                );
            }
            let added = manifest["counterfeits"].as_u64().unwrap();
            assert_eq!(manifest["records"].as_u64().unwrap(), 240 + added, "{models} {parts}");
            let truthful = format!("truthful-{at}-{parts}.csv");
            folder.ok(&["truthful", "release", "--output", &truthful]);
            assert_eq!(folder.read(&truthful).lines().count(), 241, "{models} {parts}");
        }
    }
}

/// By class the diseases of its real records: what is released less the custodian's counterfeits.
fn real(folder: &Folder) -> Vec<BTreeMap<String, u64>> {
    let rows = |name: &str| common::rows(&folder.read(name)).split_off(1);
    let mut classes: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for row in rows("release/data.csv").into_iter().filter(|row| !row[0].is_empty()) {
        *classes.entry(row[0].clone()).or_default().entry(row[4].clone()).or_default() += 1;
    }
    for row in rows("release.custodian/counterfeits.csv") {
        let number: u64 = row[2].parse().unwrap();
        let held = classes.get_mut(&row[0]).unwrap();
        *held.get_mut(&row[1]).unwrap() -= number;
        held.retain(|_, records| *records > 0);
    }
    classes.into_values().collect()
}

/// A counterfeit makes nobody diverse, unless the recipe says that it does.
#[test]
fn real_records_meet_the_models_by_themselves() {
    let limits = "suppression-limit = 0.6";
    let folder = folder();
    let release = |method: &str| {
        let text =
            recipe(MODELS[0], method).replace("suppression-limit = 0", limits).replace("h = 0.5", "h = 0.1");
        folder.write("recipe.toml", text);
        folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5"])
    };
    let mut alike = 0;
    for parts in ["full-domain", "mondrian", "clustering"] {
        let parts = format!("parts = \"{parts}\"");
        release(&parts);
        assert!(real(&folder).iter().all(|class| class.len() >= 3), "{parts}");
        assert_eq!(folder.json("release/release.json")["method"]["counterfeits-count"], false);
        let told = folder.ok(&["verify", "release", "--json"]).out;
        assert!(told.contains("real-records"), "{told}");
        let run = release(&format!("{parts}\ncounterfeits-count = true"));
        let unlike = real(&folder).iter().filter(|class| class.len() < 3).count();
        assert_eq!(run.err.contains("lack the values"), unlike > 0, "{parts}: {}", run.err);
        assert!(!folder.ok(&["verify", "release", "--json"]).out.contains("real-records"));
        alike += unlike;
    }
    assert!(alike > 5, "{alike}");
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

/// Ages of the released records.
fn ages(folder: &Folder) -> Vec<String> {
    common::column(&folder.read("release/data.csv"), "age")
}

#[test]
fn levels_are_kept_or_refused() {
    let folder = folder();
    let k = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3";
    folder.write("recipe.toml", recipe(k, ""));
    let least =
        ["anonymize", "recipe.toml", "--overwrite", "--seed", "5", "--set", "attributes.age.min-level=1"];
    folder.ok(&least);
    assert!(ages(&folder).iter().all(|age| age.starts_with('[') || age == "*"), "an exact age");
    for method in [
        "name = \"h-ceiling\"\nadversary-limit = 1\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nparts = \"mondrian\"",
        "name = \"mondrian\"",
        "name = \"k-member\"",
    ] {
        let text = recipe(k, "").replace(
            "name = \"h-ceiling\"\nadversary-limit = 1\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nh = 0.5",
            method,
        );
        folder.write("recipe.toml", text);
        let run = folder.run(&least);
        assert_eq!(run.code, 5, "{method}: {}", run.err);
        assert!(run.err.contains("min-level"), "{}", run.err);
    }
}

#[test]
fn a_label_of_another_level_is_found() {
    let folder = folder();
    folder.write("recipe.toml", recipe("[[privacy]]\nmodel = \"k-anonymity\"\nk = 3", ""));
    folder.ok(&["anonymize", "recipe.toml", "--seed", "5", "--set", "attributes.age.level=1"]);
    let data = folder.read("release/data.csv");
    let label = ages(&folder).into_iter().find(|age| age.starts_with('[')).unwrap();
    for foreign in ["23", "[20-39]", "banana"] {
        folder.write("release/data.csv", data.replace(&label, foreign));
        let run = folder.run(&["verify", "release"]);
        assert_eq!(run.code, 3, "{foreign}: {}", run.out);
        assert!(run.out.contains("labels"), "{foreign}: {}", run.out);
    }
}

/// The table with one column more, and a recipe that names it insensitive.
fn with_column(folder: &Folder, name: &str, cell: impl Fn(usize) -> String) {
    let with = |(at, line): (usize, &str)| match at {
        0 => format!("{line},{name}"),
        _ => format!("{line},{}", cell(at)),
    };
    let text = folder.read("table.csv").lines().enumerate().map(with).collect::<Vec<_>>().join("\n");
    folder.write("table.csv", text);
    let named = format!("[attributes.{name}]\nrole = \"insensitive\"\n[attributes.sex]");
    let text = recipe("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5", "").replace("[attributes.sex]", &named);
    folder.write("recipe.toml", text);
}

const RUN: [&str; 6] = ["anonymize", "recipe.toml", "--seed", "5", "--set", "method.h=0.1"];
const RELEASED: [&str; 3] = ["--overwrite", "--set", "method.insensitive=release"];

#[test]
fn insensitive_columns_are_dropped() {
    let folder = folder();
    with_column(&folder, "cost", |at| at.to_string());
    let run = folder.ok(&RUN);
    assert!(run.err.contains("column `cost` is insensitive and dropped"), "{}", run.err);
    assert!(folder.json("release/release.json")["counterfeits"].as_u64().unwrap() > 0);
    assert_eq!(folder.json("release/release.json")["method"]["insensitive"], "dropped");
    assert!(!folder.read("release/data.csv").contains("cost"));
    assert!(
        folder.read("release/report.html").contains("neither known to others nor sensitive are left out")
    );
    folder.ok(&["verify", "release"]);
    // A counterfeit repeats a real record's values: where these are unique, that tells.
    folder.refused(
        &[&RUN[..], &RELEASED].concat(),
        3,
        &["alike in a class that can hold counterfeits", "k = 5"],
    );
}

#[test]
fn insensitive_columns_that_leave_enough_alike_are_released() {
    let folder = folder();
    with_column(&folder, "ward", |at| format!("w{}", at % 3));
    folder.ok(&[&RUN[..], &RELEASED[1..]].concat());
    let manifest = folder.json("release/release.json");
    let promise =
        manifest["privacy"].as_array().unwrap().iter().find(|promise| promise["model"] == "insensitive");
    let promise = promise.unwrap();
    assert_eq!(promise["asked"]["k"], 5);
    assert!(promise["reached"]["k"].as_u64().unwrap() >= 5);
    assert!(folder.ok(&["verify", "release"]).out.contains("insensitive"));
    // Cells that are each record's own are found.
    let own: Vec<String> = folder
        .read("release/data.csv")
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { line.to_owned() } else { line.replacen(",w", &format!(",{at}w"), 1) })
        .collect();
    folder.write("release/data.csv", own.join("\n"));
    let run = folder.run(&["verify", "release"]);
    assert!(run.code == 3 && run.err.contains("insensitive"), "{}", run.err);
}

/// A record of a class that holds no counterfeits may have values of its own: that is counted.
#[test]
fn records_that_are_surely_real_are_counted() {
    let folder = folder();
    let text = folder.read("table.csv");
    folder.write("table.csv", text + &"25,F,1,flu\n".repeat(40));
    with_column(&folder, "ward", |at| if at > 279 { "alone".into() } else { "w".into() });
    let run = folder.ok(&[
        &RUN[..],
        &RELEASED[1..],
        &["--set", "method.objective=rce", "--set", "input.rows=independent"],
    ]
    .concat());
    assert!(
        run.err.contains("1 of ") && run.err.contains("released records are certainly genuine"),
        "{}",
        run.err
    );
    assert!(folder.read("release/report.html").contains("are certainly genuine"));
}

/// Of records that are alike but for an insensitive column nobody can tell which are counterfeits.
#[test]
fn the_truthful_version_leaves_out_insensitive_columns() {
    let folder = folder();
    let text = folder.read("table.csv");
    let with_ward: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!("{line},ward") } else { format!("{line},w{}", at % 11) })
        .collect();
    folder.write("table.csv", with_ward.join("\n"));
    let text = recipe("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5", "")
        .replace("[attributes.sex]", "[attributes.ward]\nrole = \"insensitive\"\n[attributes.sex]");
    folder.write("recipe.toml", text);
    folder.ok(&[&RUN[..], &RELEASED[1..]].concat());
    assert!(folder.json("release/release.json")["counterfeits"].as_u64().unwrap() > 0);
    folder.ok(&["truthful", "release", "--output", "truthful.csv"]);
    let truthful = folder.read("truthful.csv");
    assert_eq!(truthful.lines().next().unwrap(), "ClassID,age,sex,region,disease");
    assert_eq!(truthful.lines().count(), 241);
}

const CATALOG_RISK: &str =
    "[[privacy]]\nmodel = \"k-anonymity\"\nk = 8\n[[privacy]]\nmodel = \"catalog-risk\"\nrisk = 0.25";

/// The entry of `catalog-risk` in a manifest.
fn catalog_risk(manifest: &serde_json::Value) -> &serde_json::Value {
    manifest["privacy"].as_array().unwrap().iter().find(|promise| promise["model"] == "catalog-risk").unwrap()
}

#[test]
fn the_risk_that_the_catalog_leaves_is_kept_and_checked() {
    let folder = folder();
    for parts in ["full-domain", "mondrian", "clustering"] {
        folder.write("recipe.toml", recipe(CATALOG_RISK, &format!("parts = \"{parts}\"")));
        folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5", "--set", "method.h=0.1"]);
        folder.ok(&["verify", "release"]);
        let mut manifest = folder.json("release/release.json");
        // Only the size decides on padding: the model is none of those that padding goes on for.
        assert_eq!(manifest["method"]["largest-padded-class"], 14, "{parts}");
        let reached = catalog_risk(&manifest)["reached"]["risk"].as_f64().unwrap();
        assert!(reached <= 0.25 && manifest["counterfeits"] != 0, "{parts}: {reached}");
        let real = &folder.json("release.custodian/custodian.json")["provably-real"];
        assert!(real["provably-real"].as_u64().unwrap() <= real["records"].as_u64().unwrap());
        let page = |path| folder.read(path).to_lowercase().contains("provably real");
        // Recipients can count these themselves.
        assert!(page("release.custodian/custodian-report.html") && page("release/report.html"));
        // They are counted and compared, and so is what an adversary expects.
        let stated = &manifest["adversary"];
        assert_eq!(stated["provably-real"], real["provably-real"], "{parts}");
        let expected = stated["auc-expected"].as_f64().unwrap();
        assert!((0.5..=1.0).contains(&expected), "{parts}: {expected}");
        assert!(folder.read("release/report.html").contains("expects to tell counterfeits"), "{parts}");
        let as_made = manifest.clone();
        let broken = |adversary: Value, promise: &str| {
            let mut forged = as_made.clone();
            match adversary.is_null() {
                true => drop(forged.as_object_mut().unwrap().shift_remove("adversary")),
                false => forged["adversary"] = adversary,
            }
            folder.write("release/release.json", written(&forged));
            let run = folder.run(&["verify", "release"]);
            assert!(run.code == 3 && run.err.contains(promise), "{parts}, {promise}: {}", run.err);
        };
        let number = real["provably-real"].as_u64().unwrap();
        broken(json!({ "provably-real": number, "auc-expected": expected - 0.02 }), "adversary");
        broken(json!({ "provably-real": number + 1, "auc-expected": expected }), "provably-real");
        broken(Value::Null, "adversary");
        // Who promises less than was reached breaks it.
        let place = manifest["privacy"].as_array().unwrap().iter().position(|p| p["model"] == "catalog-risk");
        manifest["privacy"][place.unwrap()]["asked"]["risk"] = (reached * 0.999).into();
        folder.write("release/release.json", written(&manifest));
        assert_eq!(folder.run(&["verify", "release"]).code, 3, "{parts}");
    }
}

#[test]
fn a_risk_that_no_catalog_keeps_is_told_with_the_least_seen() {
    let folder = folder();
    let models = "[[privacy]]\nmodel = \"catalog-risk\"\nrisk = 0.2";
    for parts in ["full-domain", "mondrian"] {
        folder.write("recipe.toml", recipe(models, &format!("parts = \"{parts}\"")));
        let run = folder.run(&["anonymize", "recipe.toml", "--seed", "5", "--set", "method.h=0.1"]);
        assert_eq!(run.code, 3, "{parts}: {}", run.err);
        assert!(
            run.err.contains("catalog-risk: no catalog keeps the risk, the least seen is 0.2"),
            "{}",
            run.err
        );
    }
    folder.write("recipe.toml", recipe(CATALOG_RISK, "padding = \"exact\""));
    let run = folder.run(&["anonymize", "recipe.toml"]);
    assert!(run.code == 5 && run.err.contains("with exact padding the size of a class"), "{}", run.err);
}

#[test]
fn without_a_catalog_the_risk_is_k_anonymity() {
    let folder = folder();
    let models = "[[privacy]]\nmodel = \"catalog-risk\"\nrisk = 0.2";
    for method in ["optimal", "mondrian"] {
        let text = recipe(models, "")
            .replace("name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.5", &format!("name = \"{method}\""));
        folder.write("recipe.toml", text);
        folder.ok(&["anonymize", "recipe.toml", "--overwrite"]);
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        assert!(catalog_risk(&manifest)["reached"]["risk"].as_f64().unwrap() <= 0.2, "{method}");
    }
}

/// What a recipient has to believe the custodian can check: who is counterfeit stands in the folder beside.
#[test]
fn with_the_custodians_folder_real_records_are_checked() {
    let folder = folder();
    let text = recipe(MODELS[0], "counterfeits-count = true").replace("h = 0.5", "h = 0.1");
    let limits = text.replace("suppression-limit = 0", "suppression-limit = 0.6");
    folder.write("recipe.toml", &limits);
    let told = |code: i32| -> Vec<(String, String)> {
        let run = folder.run(&["verify", "release", "--custodian", "release.custodian", "--json"]);
        assert_eq!(run.code, code, "{} {}", run.out, run.err);
        let findings: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let told = |finding: &serde_json::Value| {
            let text = |key: &str| finding[key].as_str().unwrap().to_owned();
            (text("promise"), text("state"))
        };
        findings.as_array().unwrap().iter().map(told).collect()
    };
    let has = |found: &[(String, String)], promise: &str, state: &str| {
        found.iter().any(|(name, of)| name == promise && of == state)
    };
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5"]);
    let found = told(0);
    assert!(!found.iter().any(|(name, _)| name == "real-records"), "nothing is promised of them: {found:?}");
    assert!(has(&found, "placed-counterfeits", "held") && has(&found, "least-real", "held"), "{found:?}");
    // The same release, as if more were promised: here counterfeits stand in for people.
    assert!(real(&folder).iter().any(|class| class.len() < 3));
    let promised = folder.read("release/release.json");
    folder.write(
        "release/release.json",
        promised.replace("\"counterfeits-count\": true", "\"counterfeits-count\": false"),
    );
    assert!(has(&told(3), "real-records", "broken"));
    folder.write("recipe.toml", limits.replace("counterfeits-count = true", ""));
    folder.ok(&["anonymize", "recipe.toml", "--overwrite", "--seed", "5"]);
    assert!(has(&told(0), "real-records", "held"));
    // A counterfeit in another class than its own.
    let list = folder.read("release.custodian/counterfeits.csv");
    let (header, rows) = list.split_once('\n').unwrap();
    let (id, row) = rows.split_once(',').unwrap();
    folder.write("release.custodian/counterfeits.csv", format!("{header}\n{id}999,{row}"));
    assert!(has(&told(3), "placed-counterfeits", "broken"));
    folder.write("release.custodian/counterfeits.csv", format!("{header}\nfirst,{row}"));
    let folder_of_none = ["verify", "release", "--custodian", "release"];
    folder.refused(&folder_of_none, 4, &["no custodian's folder", "NAME.custodian"]);
    let unreadable = ["verify", "release", "--custodian", "release.custodian"];
    folder.refused(&unreadable, 4, &["counterfeits.csv, line 2", "ClassID, value and Count"]);
}

/// What suppressed records had adds one integral each, in the search's figure and in that which recipients compute.
#[test]
fn the_values_of_suppressed_records_count_where_it_is_asked() {
    let folder = Folder::new();
    folder.write("table.csv", people(200) + "99,F,8,flu\n98,M,0,cold\n");
    let recipe = people_recipe("[[privacy]]\nmodel = \"k-anonymity\"\nk = 5", "h = 0.3\nseed = 3", "release");
    let recipe = recipe.replace("suppression-limit = 0\n", "suppression-limit = 0.2\n");
    // Nobody is padded: classes of fewer than five are suppressed.
    let recipe = recipe.replace("least-real = 1\n", "least-real = 5\n");
    folder.write("recipe.toml", recipe.replace("counterfeit-limit = 1\n", "counterfeit-limit = 0\n"));
    let released = |more: &[&str]| {
        folder.ok(&[&["anonymize", "recipe.toml", "--overwrite"], more].concat());
        folder.ok(&["verify", "release"]);
        let manifest = folder.json("release/release.json");
        let own = folder.json("release.custodian/custodian.json");
        let rce = |of: &serde_json::Value| of.as_f64().unwrap();
        let figures = [rce(&manifest["utility"]["rce"]["value"]), rce(&own["original-figures"]["rce"])];
        (manifest["suppressed"].as_u64().unwrap() as f64, figures)
    };
    let (suppressed, plain) = released(&[]);
    let (_, counted) = released(&["--set", "method.rce-suppressed-values=true"]);
    assert!(suppressed > 0.0);
    for (plain, counted) in plain.into_iter().zip(counted) {
        assert!((counted - plain - suppressed).abs() < 1e-6, "{plain} {counted} {suppressed}");
    }
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["rce-suppressed-values"], true);
    // Wholly lost in the joint reading: 1 for each.
    let joint = ["--set", "method.rce=joint"];
    let (_, plain) = released(&joint);
    let (_, counted) = released(&[&joint[..], &["--set", "method.rce-suppressed-values=true"]].concat());
    assert!(counted[0] > plain[0] && counted[0] - plain[0] < suppressed);
}

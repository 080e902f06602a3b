//! IPA with a guarantee for several informative attributes: counted jointly, and each by itself.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Folder, rows};
use crate::ipa::{IPA, RECORDS, RUN, folder, patients, recipe};

/// As [`patients`], each with an outcome that goes with the disease.
fn with_outcomes(records: u32) -> String {
    let lines = patients(records);
    let mut lines = lines.lines();
    let header = lines.next().unwrap().to_owned() + ",outcome\n";
    let outcome = |disease: &str| if disease == "A" { "well" } else { "dead" };
    header
        + &lines
            .map(|line| format!("{line},{}\n", outcome(line.rsplit(',').next().unwrap())))
            .collect::<String>()
}

fn of_outcomes(values: &str) -> Folder {
    let folder = folder(IPA);
    folder.write("patients.csv", with_outcomes(RECORDS));
    let outcome = format!("[attributes.outcome]\nrole = \"sensitive\"\ndomain = {values}\n[[privacy]]");
    folder.write("recipe.toml", recipe(IPA).replace("[[privacy]]", &outcome));
    folder
}

/// Several informative attributes are counted together: what belongs to one record stays together, at the budget of one.
#[test]
fn several_informative_attributes_are_released_jointly() {
    let folder = of_outcomes("[\"well\", \"ill\", \"dead\"]");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["spent"][1]["epsilon"], "4/5");
    // 4 diseases and 3 outcomes, at the levels that were chosen.
    let cells: u64 = manifest["method"]["cells"].as_str().unwrap().parse().unwrap();
    assert_eq!(cells % 12, 0, "{cells}");
    let data = folder.read("release/data.csv");
    assert_eq!(rows(&data)[0], ["ClassID", "age", "sex", "disease", "outcome"]);
    let mut pairs: BTreeMap<(String, String), u64> = BTreeMap::new();
    for row in rows(&data).iter().skip(1).filter(|row| !row[0].is_empty()) {
        *pairs.entry((row[3].clone(), row[4].clone())).or_default() += 1;
    }
    let of =
        |disease: &str, outcome: &str| pairs.get(&(disease.into(), outcome.into())).copied().unwrap_or(0);
    assert!(of("A", "well") > 3000 && of("B", "dead") > 1000, "{pairs:?}");
    assert!(of("A", "dead") + of("B", "well") < 100, "noise alone: {pairs:?}");
    // A forged value is found, and so is a cell of too few records.
    folder.write("release/data.csv", data.replacen("A,well", "A,cured", 1));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn one_record_does_not_show_in_what_is_counted_jointly() {
    let folder = of_outcomes("[\"well\", \"ill\", \"dead\"]");
    let found =
        folder.ok(&["audit", "recipe.toml", "--trials", "40", "--ordinary", "--seed", "1", "--json"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["verdict"]["says"], "not-refuted", "{found}");
}

/// The recipe of several informative attributes, each counted by itself.
fn of_each(keys: &str) -> Folder {
    let folder = of_outcomes("[\"well\", \"ill\", \"dead\"]");
    let text = folder
        .read("recipe.toml")
        .replace("name = \"ipa\"", &format!("name = \"ipa\"\ninformative = \"each\"\n{keys}"));
    folder.write("recipe.toml", text);
    folder
}

/// Each attribute's counts are kept at its own part of the budget; which values stand in one record says nothing.
#[test]
fn several_informative_attributes_are_released_each_by_itself() {
    let folder = of_each("attribute-shares = { disease = 0.75, outcome = 0.25 }");
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    let steps: Vec<String> = (manifest["method"]["spent"].as_array().unwrap().iter())
        .map(|step| format!("{} {}", step["step"].as_str().unwrap(), step["epsilon"].as_str().unwrap()))
        .collect();
    let expected = [
        "candidates 1/10",
        "insertion of disease 3/5",
        "insertion of outcome 1/5",
        "suppression of disease 3/40",
        "suppression of outcome 1/40",
    ];
    assert_eq!(steps, expected);
    let data = folder.read("release/data.csv");
    let kept = rows(&data);
    // Those with A are well, and no others: both attributes' counts say so, each by itself.
    let with =
        |place: usize, value: &str| kept.iter().skip(1).filter(|row| row[place] == value).count() as i64;
    let (ill, well) = (with(3, "A"), with(4, "well"));
    assert!((ill - well).abs() < 200 && ill > 2000, "{ill} {well}");
    assert!(with(3, "") + with(4, "") > 0, "noise makes sums differ");
    let page = folder.read("release/report.html");
    assert!(page.contains("says nothing about anybody"));
    // Forged: a value that is not declared, a step that one attribute did not pay, a least count, a further empty cell.
    folder.write("release/data.csv", data.replacen(",well\n", ",cured\n", 1));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
    folder.write("release/data.csv", &data);
    let text = folder.read("release/release.json");
    for (from, to) in [
        ("insertion of outcome", "insertion of another"),
        ("\"informative\": \"each\",", ""),
        ("\"informative\": \"each\"", "\"informative\": \"joint\""),
    ] {
        assert!(text.contains(from), "{from}");
        folder.write("release/release.json", text.replacen(from, to, 1));
        assert_eq!(folder.run(&["verify", "release"]).code, 3, "{from}");
    }
    let mut forged = manifest.clone();
    let least = forged["method"]["each"]["outcome"]["least-count"].as_u64().unwrap();
    forged["method"]["each"]["outcome"]["least-count"] = (least + 1).into();
    folder.write("release/release.json", serde_json::to_string_pretty(&forged).unwrap() + "\n");
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn one_record_does_not_show_in_what_is_counted_each_by_itself() {
    let folder = of_each("");
    let found =
        folder.ok(&["audit", "recipe.toml", "--trials", "40", "--ordinary", "--seed", "1", "--json"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["verdict"]["says"], "not-refuted", "{found}");
}

#[test]
fn shares_of_attributes_are_refused_that_are_none() {
    let refused = |keys: &str, says: &[&str]| of_each(keys).refused(&RUN, 5, says);
    refused("attribute-shares = { disease = 0.7, outcome = 0.2 }", &["do not add up to 1", "0.7 and 0.3"]);
    refused("attribute-shares = { disease = 1 }", &["share of `outcome` is missing"]);
    refused("attribute-shares = { disease = 1, outcome = 0 }", &["`outcome` has no share"]);
    refused(
        "attribute-shares = { disease = 0.5, outcome = 0.4, age = 0.1 }",
        &["`age` is no sensitive attribute"],
    );
    refused("attribute-shares = { disease = -0.5, outcome = 1.5 }", &["attribute-shares"]);
    let joint = of_outcomes("[\"well\", \"dead\"]");
    let text = joint.read("recipe.toml");
    let with = |key: &str| text.replace("name = \"ipa\"", &format!("name = \"ipa\"\n{key}"));
    joint.write("recipe.toml", with("attribute-shares = { disease = 0.5, outcome = 0.5 }"));
    joint.refused(&RUN, 5, &["informative = \"each\""]);
    joint.write("recipe.toml", with("informative = \"both\""));
    joint.refused(&RUN, 5, &["informative"]);
    let empty = of_each("");
    let text =
        empty.read("recipe.toml").replace("[\"well\", \"ill\", \"dead\"]", "[\"well\", \"\", \"dead\"]");
    empty.write("recipe.toml", text);
    empty.refused(&RUN, 5, &["`outcome`"]);
}

/// The product of the domains is never formed.
#[test]
fn domains_that_are_too_many_together_are_counted_each_by_itself() {
    let more: Vec<String> = (0..1100).map(|number| format!("\"{number}\"")).collect();
    let folder = of_each("");
    let text = folder.read("recipe.toml").replace("\"well\"", &format!("\"well\", {}", more.join(", ")));
    let domain = "domain = [\"A\", \"B\", \"C\", \"D\"";
    folder.write("recipe.toml", text.replace(domain, &format!("{domain}, {}", more.join(", "))));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
}

#[test]
fn too_many_combinations_of_values_are_refused() {
    let more: Vec<String> = (0..1100).map(|number| format!("\"{number}\"")).collect();
    let folder = of_outcomes(&format!("[\"well\", \"dead\", {}]", more.join(", ")));
    // 1,104 diseases and 1,102 outcomes.
    let domain = "domain = [\"A\", \"B\", \"C\", \"D\"";
    let recipe = folder.read("recipe.toml").replace(domain, &format!("{domain}, {}", more.join(", ")));
    folder.write("recipe.toml", recipe);
    let run = folder.run(&RUN);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("`disease`, `outcome` have more than 1,048,576 combinations"), "{}", run.err);
}

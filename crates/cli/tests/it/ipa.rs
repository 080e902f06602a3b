//! Noisy counts, from the recipe to the checked release.

use std::collections::BTreeMap;

use crate::common::{CANARY, Folder, column, rows};
use serde_json::{Value, json};

pub(crate) const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
/// A number of records that is found nowhere else.
pub(crate) const RECORDS: u32 = 7213;

/// Patients of 20 to 59 years, half of them with the disease A, nobody with D.
pub(crate) fn patients(records: u32) -> String {
    let mut text = String::from("name,age,sex,disease\n");
    for i in 0..records {
        let disease = ["A", "A", "B", "C"][i as usize % 4];
        text += &format!("{CANARY} {i},{},{},{disease}\n", 20 + i * 7 % 40, ["f", "m"][(i / 4) as usize % 2]);
    }
    text
}

pub(crate) fn recipe(method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [10, 50], min = 0, max = 99 }}
[attributes.sex]
role = "quasi-identifier"
hierarchy = {{ rows = [["f", "*"], ["m", "*"]] }}
[attributes.disease]
role = "sensitive"
domain = ["A", "B", "C", "D"]
[[privacy]]
model = "differential-privacy"
epsilon = 1
[method]
{method}
[output]
path = "release"
"#
    )
}

pub(crate) const IPA: &str = "name = \"ipa\"\nseed = 4";
const TABLE: &str = "name = \"contingency-table\"\nseed = 4";

pub(crate) fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients(RECORDS));
    folder.write("recipe.toml", recipe(method));
    folder
}

#[test]
fn a_release_verifies_and_its_budget_adds_up() {
    let folder = folder(IPA);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    let method = &manifest["method"];
    let expected = json!([
        { "step": "candidates", "epsilon": "1/10", "delta": "0" },
        { "step": "insertion", "epsilon": "4/5", "delta": "0" },
        { "step": "suppression", "epsilon": "1/10", "delta": "0" },
    ]);
    assert_eq!((&method["spent"], &method["left"]), (&expected, &json!({ "epsilon": "0", "delta": "0" })));
    assert_eq!(
        (&method["guarantee"], &manifest["truthful"]),
        (&json!("differential-privacy"), &json!(false))
    );
    assert_eq!(manifest["privacy"][0]["reached"]["epsilon"], 1.0);
    // Nearly all records are in cells of at least T: 40 ages, two sexes and three diseases make 240 at most.
    let data = folder.read("release/data.csv");
    let mut cells: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows(&data).iter().skip(1).filter(|row| !row[0].is_empty()) {
        *cells.entry(row.join(",")).or_default() += 1;
    }
    let least = method["least-count"].as_u64().unwrap();
    assert!(cells.values().all(|&count| count >= least), "{least}: {cells:?}");
    let kept: u64 = cells.values().sum();
    assert!((6000..8000).contains(&kept), "{kept}");
    let suppressed = column(&data, "ClassID").iter().filter(|id| id.is_empty()).count();
    assert_eq!(manifest["suppressed"], suppressed);
    let known = folder.json("release.custodian/custodian.json");
    assert_eq!(known["original-records"], RECORDS);
    assert!(known["search"]["records-in-released-cells"].as_u64().unwrap() > 6000);
}

#[test]
fn nothing_in_the_release_tells_of_the_original() {
    for method in [IPA, TABLE] {
        let folder = folder(method);
        folder.ok(&RUN);
        for name in ["release/data.csv", "release/release.json", "release/report.html"] {
            let text = folder.read(name);
            for told in [RECORDS.to_string(), "7,213".into(), "7 213".into(), CANARY.into()] {
                assert!(!text.contains(&told), "{name} tells {told}");
            }
        }
        // Of a table of one record the manifest states the same domains and parameters.
        let before = folder.json("release/release.json");
        folder.write("patients.csv", patients(1));
        let more = if method == IPA { "false-cells = 50" } else { "" };
        folder.write("recipe.toml", recipe(&format!("{method}\n{more}")));
        folder.ok(&RUN);
        folder.ok(&["verify", "release"]);
        let after = folder.json("release/release.json");
        let hierarchies = |manifest: &Value| {
            ["age", "sex", "disease"].map(|name| manifest["attributes"][name]["hierarchy"].clone())
        };
        assert_eq!(hierarchies(&before), hierarchies(&after));
        assert_eq!(
            (&before["method"]["spent"], &before["privacy"][0]["asked"]),
            (&after["method"]["spent"], &after["privacy"][0]["asked"])
        );
    }
}

#[test]
fn with_delta_only_what_occurs_is_released() {
    let folder = folder(IPA);
    folder.write("recipe.toml", recipe(IPA).replace("epsilon = 1", "epsilon = 1\ndelta = 1e-6"));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["spent"][1]["delta"], "1/1000000");
    assert_eq!(manifest["method"]["occupied-cells-only"], true);
    assert_eq!(manifest["method"]["expected-cells-of-noise"], 0.0);
    // e^−0.8(T − 1)/(1 + e^−0.8) ≤ 10⁻⁶ for T − 1 ≥ 16.9.
    assert_eq!(manifest["method"]["least-count"], 18);
}

#[test]
fn a_given_node_costs_nothing_and_a_table_has_one() {
    let levels =
        |text: String| text.replace("max = 99 }", "max = 99 }\nlevel = 1").replace("]] }", "]] }\nlevel = 0");
    let folder = folder(IPA);
    folder.write("recipe.toml", levels(recipe(IPA)));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["node"], json!({ "age": 1, "sex": 0 }));
    assert_eq!(
        manifest["method"]["spent"][0],
        json!({ "step": "insertion", "epsilon": "9/10", "delta": "0" })
    );
    folder.write("recipe.toml", levels(recipe(TABLE)));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["method"]["spent"], json!([{ "step": "cells", "epsilon": "1", "delta": "0" }]));
    assert_eq!((&manifest["method"]["least-count"], &manifest["method"]["cells"]), (&json!(1), &json!("80")));
    assert_eq!(manifest["suppressed"], 0);
    // 80 cells, the noise of each with a standard deviation below 1.4.
    let records = manifest["records"].as_u64().unwrap();
    assert!(records.abs_diff(RECORDS.into()) < 120, "{records}");
}

#[test]
fn threads_and_formats_change_nothing() {
    for method in [IPA, TABLE] {
        let folder = folder(method);
        folder.ok(&[&RUN[..], &["--threads", "1"]].concat());
        let one =
            ["data.csv", "release.json", "report.html"].map(|name| folder.read(&format!("release/{name}")));
        folder.ok(&[&RUN[..], &["--threads", "2"]].concat());
        assert_eq!(
            one,
            ["data.csv", "release.json", "report.html"].map(|name| folder.read(&format!("release/{name}")))
        );
        folder.ok(&[&RUN[..], &["--set", "output.format=parquet"]].concat());
        folder.ok(&["verify", "release"]);
    }
}

#[test]
fn insensitive_columns_are_refused_or_dropped() {
    let folder = folder(IPA);
    let without_name = recipe(IPA).replace("[attributes.name]\nrole = \"identifier\"\n", "");
    folder.write("recipe.toml", &without_name);
    folder.refused(&RUN, 5, &["`name`", "not named", "unnamed = \"drop\""]);
    folder.write("recipe.toml", "unnamed = \"insensitive\"\n".to_owned() + &without_name);
    folder.refused(&RUN, 5, &["unnamed = \"insensitive\"", "not differentially private"]);
    let named = recipe(IPA).replace("role = \"identifier\"", "role = \"insensitive\"");
    folder.write("recipe.toml", &named);
    folder.refused(&RUN, 5, &["attribute `name`", "drop-insensitive"]);
    let dropped = named.replace("[method]", "[method]\ndrop-insensitive = true");
    for (text, says) in [
        (dropped, "`name` is insensitive and dropped"),
        ("unnamed = \"drop\"\n".to_owned() + &without_name, "`name` is not named in the recipe: dropped"),
    ] {
        folder.write("recipe.toml", text);
        let run = folder.ok(&RUN);
        assert!(run.err.contains(says), "{}", run.err);
        folder.ok(&["verify", "release"]);
        assert!(folder.read("release/data.csv").starts_with("ClassID,age,sex,disease\n"));
    }
}

#[test]
fn what_has_no_public_domain_is_refused() {
    let folder = folder(IPA);
    let refused = |from: &str, to: &str, says: &[&str]| {
        let changed = recipe(IPA).replacen(from, to, 1);
        assert_ne!(changed, recipe(IPA), "{from}");
        folder.write("recipe.toml", changed);
        folder.refused(&RUN, 5, says);
    };
    refused("domain = [\"A\", \"B\", \"C\", \"D\"]", "", &["`disease`", "domain = "]);
    refused("interval = [10, 50], min = 0, max = 99", "mask = \"right\", length = 2", &["`age`", "mask"]);
    refused("hierarchy = { rows = [[\"f\", \"*\"], [\"m\", \"*\"]] }", "", &["`sex`", "needs a hierarchy"]);
    refused("max = 99 }", "max = 99, decimals = 9 }", &["`age`", "fewer decimals"]);
    refused(
        "role = \"sensitive\"\ndomain = [\"A\", \"B\", \"C\", \"D\"]",
        "role = \"identifier\"",
        &["informative attributes", "none of the role"],
    );
    refused("role = \"identifier\"", "role = \"person\"", &["`name`", "person"]);
    refused("domain = [\"A\"", "domain = [\"A\", \"A\"", &["`disease`", "repeats"]);
    refused("[[privacy]]", "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n[[privacy]]", &["one model only"]);
    refused("[[privacy]]", "[population]\nsize = 100000\n[[privacy]]", &["population"]);
    refused("epsilon = 1", "epsilon = 0", &["epsilon"]);
    refused("epsilon = 1", "epsilon = 1\ndelta = 1", &["delta"]);
    refused("epsilon = 1", "epsilon = 0.001", &["raise epsilon"]);
    refused("seed = 4", "least-count = 0", &["least-count"]);
    refused("seed = 4", "candidates-share = 0.6\nsuppression-share = 0.5", &["insertion-share"]);
    refused("seed = 4", "guarantee = \"published\"", &["keeps no privacy model"]);
}

#[test]
fn values_outside_the_domain_are_counted_and_not_shown() {
    let folder = folder(IPA);
    let text = patients(50) + &format!("x,30,f,{CANARY}\nx,30,f,\nx,30,,A\n");
    folder.write("patients.csv", &text);
    let run = folder.ok(&RUN);
    assert!(!run.err.contains("line 5") && !folder.read("release/data.csv").contains(CANARY), "{}", run.err);
    let counted = |value: u32, qi: u32| {
        let known = folder.json("release.custodian/custodian.json");
        let counted = &known["not-as-declared"];
        assert_eq!(counted["sensitive-value-outside-its-domain"], value);
        assert_eq!(counted["quasi-identifier-outside-its-domain"], qi);
    };
    counted(2, 1);
    let with_missing =
        recipe(IPA).replace("\"D\"]", "\"\"]").replace("[\"m\", \"*\"]", "[\"m\", \"*\"], [\"\", \"*\"]");
    folder.write("recipe.toml", with_missing);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    counted(1, 0);
}

#[test]
fn a_domain_can_be_a_file() {
    let folder = folder(IPA);
    folder.write("codes.csv", "A\nB\nC\nD\n");
    folder.ok(&RUN);
    let listed = folder.read("release/data.csv");
    let changed = recipe(IPA).replace("[\"A\", \"B\", \"C\", \"D\"]", "\"codes.csv\"");
    folder.write("recipe.toml", &changed);
    folder.ok(&RUN);
    assert_eq!(folder.read("release/data.csv"), listed);
    folder.write("codes.csv", "A\nB\n\nC\n");
    folder.refused(&RUN, 5, &["codes.csv", "line 3"]);
}

#[test]
fn a_release_that_claims_more_is_found_out() {
    let folder = folder(IPA);
    folder.ok(&RUN);
    let (stated, data) = (folder.read("release/release.json"), folder.read("release/data.csv"));
    let least = folder.json("release/release.json")["method"]["least-count"].as_u64().unwrap();
    let node = folder.json("release/release.json")["node"]["age"].as_u64().unwrap();
    let broken = |what: &str| {
        let run = folder.run(&["verify", "release"]);
        assert_eq!(run.code, 3, "{what}: {}{}", run.out, run.err);
    };
    for (from, to) in [
        (
            "\"epsilon\": 1.0,\n        \"delta\"".to_owned(),
            "\"epsilon\": 0.5,\n        \"delta\"".to_owned(),
        ),
        ("\"epsilon\": \"4/5\"".into(), "\"epsilon\": \"9/5\"".into()),
        ("\"epsilon\": \"4/5\"".into(), "\"epsilon\": \"2/5\"".into()),
        (format!("\"least-count\": {least}"), "\"least-count\": 4000".into()),
        ("\"occupied-cells-only\": false".into(), "\"occupied-cells-only\": true".into()),
        ("\"D\"".into(), "\"A2\"".into()),
        ("\"A\"".into(), "\"A1\"".into()),
        ("\"step\": \"suppression\"".into(), "\"step\": \"insertion\"".into()),
        (format!("\"level\": {node}"), format!("\"level\": {}", node + 1)),
    ] {
        let changed = stated.replacen(&from, &to, 1);
        assert_ne!(changed, stated, "{from}");
        folder.write("release/release.json", changed);
        // Nobody has D: another name for it is another domain, in which nothing is wrong.
        if from == "\"D\"" {
            folder.ok(&["verify", "release"]);
        } else {
            broken(&from);
        }
    }
    folder.write("release/release.json", &stated);
    let row = data.lines().nth(1).unwrap();
    for changed in [row.replace(",A", ",E"), row.replacen('[', "[1", 1), row.replacen(',', ",7", 1)] {
        if changed != row {
            folder.write("release/data.csv", data.replacen(row, &changed, 1));
            broken(&changed);
        }
    }
}

#[test]
fn what_rests_on_single_records_is_refused_of_a_release() {
    let folder = folder(IPA);
    folder.ok(&RUN);
    let run = folder.run(&["truthful", "release", "--output", "truthful.csv"]);
    assert!(run.code != 0 && run.err.contains("noisy counts"), "{}", run.err);
    let run = folder.run(&["compare", "patients.csv", "release", "--only", "metrics"]);
    assert!(run.code != 0 && run.err.contains("noisy counts"), "{}", run.err);
    folder.ok(&["measure", "release"]);
}

#[test]
fn noise_that_drowns_the_table_is_told_or_refused() {
    let folder = folder(TABLE);
    folder.write("patients.csv", patients(40));
    let run = folder.ok(&RUN);
    assert!(run.err.contains("noise alone"), "{}", run.err);
    let wide = recipe(TABLE).replace("max = 99 }", "max = 99999 }").replace("epsilon = 1", "epsilon = 0.01");
    folder.write("recipe.toml", wide);
    folder.refused(&RUN, 4, &["noise alone would make", "delta above 0"]);
}

/// What one record can decide of a file's form must not show: ndjson has types and an order of its own.
#[test]
fn the_form_of_ndjson_does_not_show() {
    let line = |value: &str| format!("{{\"disease\":{value},\"sex\":\"f\",\"age\":34}}\n");
    let swapped = "{\"age\":34,\"sex\":\"f\",\"disease\":\"1\"}\n".to_owned();
    let text =
        recipe("name = \"contingency-table\"\nseed = 4\nleast-count = 1").replace("patients.csv", "p.ndjson");
    let text = text
        .replace("[attributes.name]\nrole = \"identifier\"\n", "")
        .replace("\"A\", \"B\", \"C\", \"D\"", "\"1\", \"2\"")
        .replace("epsilon = 1", "epsilon = 9")
        .replace("[output]", "[output]\nformat = \"ndjson\"");
    for input in [line("1").repeat(9), line("1").repeat(8) + &line("\"1\""), swapped + &line("1").repeat(8)] {
        let folder = Folder::new();
        folder.write("p.ndjson", &input);
        folder.write("recipe.toml", &text);
        folder.ok(&RUN);
        let released = folder.read("release/data.ndjson");
        let first = released.lines().next().unwrap();
        assert!(
            first.starts_with("{\"ClassID\":1,\"age\":") && first.ends_with(",\"sex\":\"f\"}"),
            "{first}"
        );
        assert!(first.contains("\"disease\":\"1\""), "{first}");
    }
}

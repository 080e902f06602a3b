//! Differential privacy, from the recipe to the checked release.

use crate::common::{CANARY, Folder, column, rows};
use serde_json::json;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];
/// A number of records that is found nowhere else.
const RECORDS: u32 = 3217;

/// Patients of two wards; one is a hundred years old, and one's sex is missing.
fn patients() -> String {
    let mut text = String::from("name,age,sex\n");
    for i in 2..RECORDS {
        text += &format!("{CANARY} {i},{},{}\n", 20 + i * 7 % 60, ["f", "m"][i as usize % 2]);
    }
    text + &format!("{CANARY} 0,100,f\n{CANARY} 1,50,\n")
}

fn recipe(method: &str) -> String {
    format!(
        r#"[input]
path = "patients.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ interval = [5, 10, 20], min = 0, max = 119 }}
[attributes.sex]
role = "quasi-identifier"
hierarchy = {{ rows = [["f", "*"], ["m", "*"]] }}
[[privacy]]
model = "differential-privacy"
epsilon = 2
delta = 1e-4
[method]
name = "safe-pub"
{method}
[output]
path = "release"
"#
    )
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", patients());
    folder.write("recipe.toml", recipe(method));
    folder
}

#[test]
fn a_release_verifies_and_its_budget_adds_up() {
    let folder = folder("seed = 4");
    let run = folder.ok(&RUN);
    assert!(run.err.contains("the seed is fixed"), "{}", run.err);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    let expected = json!([
        { "step": "search", "epsilon": "1/5", "delta": "0" },
        { "step": "release", "epsilon": "9/5", "delta": "1/10000" },
    ]);
    assert_eq!(manifest["method"]["spent"], expected);
    let promise = &manifest["privacy"][0];
    assert_eq!(promise["asked"], json!({ "epsilon": 2.0, "delta": 1e-4 }));
    assert_eq!(promise["reached"]["needed-class-size"], manifest["method"]["k"]);
    assert!(promise["reached"]["class-size"].as_u64() >= manifest["method"]["k"].as_u64());
    let released = rows(&folder.read("release/data.csv")).len() as u64 - 1;
    assert_eq!((manifest["records"].as_u64(), &manifest["suppressed"]), (Some(released), &json!(0)));
    // 1 − e^−1.8 of the records are drawn, 83 %.
    assert!((2000..2900).contains(&released), "{released}");
}

#[test]
fn nothing_in_the_release_tells_of_what_is_not_released() {
    let folder = folder("seed = 4");
    folder.ok(&RUN);
    let data = folder.read("release/data.csv");
    assert!(!column(&data, "age").iter().any(|age| age.contains("10") && age.contains("119")));
    for name in ["release/data.csv", "release/release.json", "release/report.html"] {
        let text = folder.read(name);
        for told in [RECORDS.to_string(), "3,217".into(), "3 217".into(), CANARY.into(), "examined".into()] {
            assert!(!text.contains(&told), "{name} tells {told}");
        }
    }
    let manifest = folder.json("release/release.json");
    for attribute in ["age", "sex"] {
        assert_eq!(manifest["attributes"][attribute]["missing-values"], true);
        assert!(manifest["attributes"][attribute].get("domain-from-data").is_none());
    }
    // The one missing sex and the one old age are in no class, so that without them all is as it was but
    // for the draws of their records: the manifest has the same keys and the same parameters.
    let fewer: String =
        patients().lines().take(RECORDS as usize - 1).map(|line| format!("{line}\n")).collect();
    folder.write("patients.csv", fewer);
    folder.ok(&RUN);
    let other = folder.json("release/release.json");
    assert_eq!(
        (&other["method"], &other["attributes"]["sex"]),
        (&manifest["method"], &manifest["attributes"]["sex"])
    );
}

#[test]
fn a_given_node_gets_the_whole_budget() {
    let method = "search = \"data-independent\"\nseed = 4";
    let folder = folder(method);
    folder.refused(&RUN, 5, &["`age` needs `level`"]);
    let given =
        recipe(method).replace("max = 119 }", "max = 119 }\nlevel = 3").replace("]] }", "]] }\nlevel = 1");
    folder.write("recipe.toml", &given);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["node"], json!({ "age": 3, "sex": 1 }));
    let whole = json!([{ "step": "release", "epsilon": "2", "delta": "1/10000" }]);
    assert_eq!(manifest["method"]["spent"], whole);
    assert!(manifest["method"].get("search-share").is_none());
    assert_eq!(manifest["method"]["k"], manifest["privacy"][0]["reached"]["needed-class-size"]);
}

#[test]
fn threads_and_formats_change_nothing() {
    let folder = folder("seed = 9");
    folder.ok(&[&RUN[..], &["--threads", "1"]].concat());
    let one = (folder.read("release/data.csv"), folder.read("release/report.html"));
    folder.ok(&[&RUN[..], &["--threads", "2"]].concat());
    assert_eq!(one, (folder.read("release/data.csv"), folder.read("release/report.html")));
    folder.ok(&[&RUN[..], &["--set", "output.format=parquet"]].concat());
    folder.ok(&["verify", "release"]);
}

#[test]
fn k_anonymity_can_ask_for_larger_classes() {
    let folder = folder("seed = 4");
    let text = recipe("seed = 4") + "[[privacy]]\nmodel = \"k-anonymity\"\nk = 300\n";
    folder.write("recipe.toml", text);
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    assert_eq!(folder.json("release/release.json")["method"]["k"], 300);
}

#[test]
fn what_the_theorem_does_not_cover_is_refused() {
    let folder = folder("");
    let refused = |from: &str, to: &str, says: &[&str]| {
        let changed = recipe("").replacen(from, to, 1);
        assert_ne!(changed, recipe(""), "{from}");
        folder.write("recipe.toml", changed);
        folder.refused(&RUN, 5, says);
    };
    let sensitive = ["attribute `sex`", "\"quasi-identifier\"", "\"identifier\""];
    for role in ["sensitive", "insensitive", "person"] {
        let sex = "[attributes.sex]\nrole = \"quasi-identifier\"\nhierarchy = { rows = [[\"f\", \"*\"], [\"m\", \"*\"]] }";
        refused(sex, &format!("[attributes.sex]\nrole = \"{role}\""), &sensitive);
    }
    refused("hierarchy = { rows = [[\"f\", \"*\"], [\"m\", \"*\"]] }", "", &["needs a hierarchy"]);
    refused("[attributes.name]\nrole = \"identifier\"\n", "", &["`name`", "not named in the recipe"]);
    refused("[input]", "unnamed = \"insensitive\"\n[input]", &["unnamed", "not differentially private"]);
    refused("[[privacy]]", "[population]\nsize = 100000\n[[privacy]]", &["population"]);
    refused(
        "[[privacy]]",
        "[[privacy]]\nmodel = \"average-risk\"\nrisk = 0.1\n[[privacy]]",
        &["`average-risk`"],
    );
    refused(
        "model = \"differential-privacy\"\nepsilon = 2\ndelta = 1e-4",
        "model = \"k-anonymity\"\nk = 5",
        &["needs one"],
    );
    refused("delta = 1e-4", "delta = 1", &["delta"]);
    refused("epsilon = 2", "epsilon = 1000", &["epsilon"]);
    refused("safe-pub\"", "safe-pub\"\nsearch-share = 1", &["search-share"]);
    refused("safe-pub\"", "optimal\"", &["choose name = \"safe-pub\""]);
}

#[test]
fn a_manifest_that_claims_more_is_found_out() {
    let folder = folder("seed = 4");
    folder.ok(&RUN);
    let stated = folder.read("release/release.json");
    let changes = [
        ("\"epsilon\": 2.0,\n        \"delta\"", "\"epsilon\": 1.0,\n        \"delta\""),
        ("\"epsilon\": \"9/5\"", "\"epsilon\": \"19/5\""),
        ("\"delta\": \"1/10000\"", "\"delta\": \"1/1000000000\""),
    ];
    for (from, to) in changes {
        let changed = stated.replacen(from, to, 1);
        assert_ne!(changed, stated, "{from}");
        folder.write("release/release.json", changed);
        let run = folder.run(&["verify", "release"]);
        assert_eq!(run.code, 3, "{from}: {}{}", run.out, run.err);
    }
}

#[test]
fn too_few_records_leave_a_header() {
    let folder = folder("");
    folder.write("patients.csv", format!("name,age,sex\n{CANARY},30,f\n"));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    assert_eq!(folder.read("release/data.csv"), "ClassID,age,sex\n");
}

//! A release beside its original, and a release by itself: the figures are those of the manifest.

use crate::common::{CANARY, Folder, recipe};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 240 patients of uneven ages, some unknown, in wards without hierarchy.
fn table() -> String {
    let mut text = String::from("ward,age,sex,zip,diagnosis\n");
    for i in 0..240u32 {
        let age = if i % 40 == 7 { String::from("NA") } else { (20 + i * i * 7 % 61).to_string() };
        let diagnosis = ["I63", "J18", "E11"][(i * i % 11 % 3) as usize];
        let (ward, sex, zip) = (i % 7, ["F", "M"][(i % 3 / 2) as usize], 100 + i * 13 % 50);
        text += &format!("w{ward},{age},{sex},{zip},{diagnosis}\n");
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    // Means need a number everywhere.
    let table = if method.contains("mdav") { table().replace(",NA,", ",44,") } else { table() };
    folder.write("patients.csv", table);
    let more = "null = [\"NA\"]\n[attributes.ward]\nrole = \"quasi-identifier\"\n[attributes.zip]\nrole = \
                \"quasi-identifier\"\nhierarchy = { mask = \"right\", length = 3 }\n[attributes.age]";
    folder.write("recipe.toml", recipe(method).replace("[attributes.age]", more));
    folder.ok(&RUN);
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    serde_json::from_str(&folder.ok(&[arguments, &["--json"]].concat()).out).unwrap()
}

/// Equal but for the last digits, which follow the order of summation.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|b| close(value, b)))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1.0),
            _ => a == b,
        },
    }
}

const COMPARE: [&str; 5] = ["compare", "patients.csv", "release", "--null", "NA"];

#[test]
fn figures_over_the_original() {
    for method in ["name = \"optimal\"\nsuppression-limit = 0.1", "name = \"datafly\"\nsuppression-limit = 1"]
    {
        let folder = folder(method);
        let manifest = folder.json("release/release.json");
        let compared = json(&folder, &COMPARE);
        assert_eq!((&compared["over-original"], &compared["records"]), (&true.into(), &240.into()));
        assert!(close(&compared["utility"], &manifest["utility"]), "{compared:#}\n{manifest:#}");
        assert!(compared["utility"].as_object().unwrap().len() >= 14);
    }
}

#[test]
fn figures_that_the_released_table_shows() {
    let methods = [
        "name = \"mondrian\"",
        "name = \"optimal\"\nlocal-recoding = true\nsuppression-limit = 0.2",
        "name = \"optimal\"\ncell-suppression = true\nsuppression-limit = 0.2",
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.2\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 3",
        "name = \"mdav\"",
    ];
    for method in methods {
        let folder = folder(method);
        let manifest = folder.json("release/release.json");
        let compared = json(&folder, &COMPARE);
        assert_eq!(compared["over-original"], false, "{method}");
        assert!(close(&compared["utility"], &manifest["utility"]), "{method}: {compared:#}\n{manifest:#}");
    }
}

#[test]
fn relocated_records_hide_what_became_of_them() {
    let folder = folder("name = \"relocation\"\nsuppression-limit = 1");
    let levels = ["attributes.age.level=2", "attributes.ward.level=1", "attributes.zip.level=2"];
    let set: Vec<&str> = levels.iter().flat_map(|level| ["--set", level]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    let (manifest, compared) = (folder.json("release/release.json"), json(&folder, &COMPARE));
    assert_eq!(compared["over-original"], false);
    assert!(compared["utility"].get("kl-divergence").is_none());
    assert!(close(&compared["utility"], &manifest["utility"]), "{compared:#}\n{manifest:#}");
}

#[test]
fn a_release_is_measured_by_itself() {
    for (method, all) in [
        ("name = \"optimal\"\nsuppression-limit = 0.1", true),
        (
            "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.2\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 3",
            true,
        ),
        ("name = \"optimal\"\nlocal-recoding = true\nsuppression-limit = 0.2", true),
        // Sets of values without hierarchy name what they cover.
        ("name = \"mondrian\"", true),
    ] {
        let folder = folder(method);
        let manifest = folder.json("release/release.json");
        let measured = json(&folder, &["measure", "release"]);
        assert_eq!(measured["k"], manifest["privacy"][0]["reached"]["k"]);
        assert_eq!(measured["classes"], manifest["classes"]);
        assert!(measured["sensitive"]["diagnosis"]["distinct-l"].is_number());
        let figures = measured["utility"].as_object().unwrap();
        assert_eq!(figures.contains_key("loss"), all, "{method}");
        for (name, figure) in figures {
            let stated = &manifest["utility"][name];
            let stated = if figure.is_object() { stated } else { stated.get("value").unwrap_or(stated) };
            assert!(close(figure, stated), "{method}: {name} {figure} {stated}");
        }
    }
}

#[test]
fn top_and_bottom_coding_are_understood() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1");
    let text = folder.read("recipe.toml").replace("max = 99 }", "max = 99 }\ntop = 60\nmax-level = 1");
    folder.write("recipe.toml", text);
    folder.ok(&RUN);
    assert!(folder.read("release/data.csv").contains(">=60"));
    let manifest = folder.json("release/release.json");
    assert!(close(&json(&folder, &COMPARE)["utility"], &manifest["utility"]));
    let measured = json(&folder, &["measure", "release"]);
    assert!(close(&measured["utility"]["lm"], &manifest["utility"]["lm"]));
}

#[test]
fn another_table_is_not_the_original() {
    let folder = folder("name = \"optimal\"\nsuppression-limit = 0.1");
    let refused = |table: String, says: &str| {
        folder.write("other.csv", table);
        folder.refused(&["compare", "other.csv", "release", "--null", "NA"], 4, &[says]);
    };
    let first = table().lines().nth(1).unwrap().to_owned();
    refused(format!("{}{first}\n", table()), "numbers of records");
    refused(table().replace("ward,", "room,"), "no column `ward`");
    refused(table().replacen("w1,", &format!("{CANARY},"), 1), "different values");
    refused(table().replace(",F,", ",X,").replace(",M,", ",F,"), "not a release of");
}

#[test]
fn a_sample_and_wrong_calls_are_refused() {
    let folder = folder("name = \"optimal\"");
    folder.refused(&["measure", "release", "--qi", "age"], 2, &["leave out --qi"]);
    folder.refused(&["compare", "patients.csv", "nowhere"], 6, &["release.json"]);
    let sampled = folder.read("recipe.toml").replace("[input]", "[input]\nsample = 0.5");
    folder.write("recipe.toml", sampled);
    folder.ok(&RUN);
    folder.refused(&[&COMPARE[..], &["--only", "metrics"]].concat(), 4, &["random sample"]);
}

#[test]
fn a_manifest_that_lies_ends_with_an_error() {
    let folder = folder(
        "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.2\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nseed = 3",
    );
    let (manifest, catalog) = (folder.read("release/release.json"), folder.read("release/catalog.csv"));
    folder.write("release/catalog.csv", format!("{catalog}99999,I63,1\n"));
    folder.refused(&["measure", "release"], 4, &["catalog.csv"]);
    folder.write("release/catalog.csv", catalog);
    folder.write("release/release.json", manifest.replace("\"level\": ", "\"level\": 9"));
    folder.refused(&["measure", "release"], 4, &["no such level"]);
    let data = folder.read("release/data.csv").replacen("\n1,", "\n70000,", 1);
    folder.write("release/release.json", manifest);
    folder.write("release/data.csv", data);
    folder.refused(&["measure", "release"], 4, &["ids"]);
}

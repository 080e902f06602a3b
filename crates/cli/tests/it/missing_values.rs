//! Missing values that match any value, with the real binary and a count of pairs of its own.

use crate::common::{Folder, recipe, rows};
use serde_json::Value;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

/// 120 patients, of whom some have no age and some no sex.
fn table() -> String {
    let mut text = String::from("age,sex,diagnosis\n");
    for i in 0..120u32 {
        let age = if i % 17 == 3 { String::new() } else { (20 + i * i * 7 % 61).to_string() };
        let sex = ["F", "M", "F", "", "M", "F", "M"][(i % 7) as usize];
        text += &format!("{age},{sex},{}\n", ["I63", "J18"][(i % 2) as usize]);
    }
    text
}

fn folder(method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("patients.csv", table());
    folder.write("recipe.toml", recipe(method).replace("[input]", "[input]\nmissing = \"wildcard\""));
    folder
}

fn released(folder: &Folder, set: &[&str]) -> Value {
    let set: Vec<&str> = set.iter().flat_map(|pair| ["--set", pair]).collect();
    folder.ok(&[&RUN[..], &set].concat());
    folder.ok(&["verify", "release"]);
    folder.json("release/release.json")
}

/// Over all pairs of released records, the fewest that one cannot be told from.
fn least_count(data: &str) -> usize {
    let rows: Vec<Vec<String>> = rows(data)[1..].iter().filter(|row| !row[0].is_empty()).cloned().collect();
    let agree = |a: &str, b: &str| a == b || a.is_empty() || b.is_empty();
    let matches = |a: &Vec<String>, b: &Vec<String>| agree(&a[1], &b[1]) && agree(&a[2], &b[2]);
    rows.iter().map(|a| rows.iter().filter(|b| matches(a, b)).count()).min().unwrap()
}

#[test]
fn k_counts_all_that_agree() {
    for method in ["optimal", "exhaustive", "best-first", "genetic", "datafly", "top-down", "suppression"] {
        for limit in ["0", "0.1", "0.3"] {
            let folder = folder(&format!("name = \"{method}\"\nseed = 1"));
            let limit = format!("method.suppression-limit={limit}");
            let wild = released(&folder, &[&limit]);
            assert_eq!(wild["missing"], "wildcard");
            let least = least_count(&folder.read("release/data.csv"));
            assert_eq!(wild["privacy"][0]["reached"]["k"], least, "{method} {limit}");
            assert!(least >= 5);
        }
    }
}

#[test]
fn optimal_is_what_all_nodes_show_and_no_worse_than_own_values() {
    let folder = folder("name = \"optimal\"");
    let value = || folder.json("release.custodian/custodian.json")["search"]["value"].as_f64().unwrap();
    for limit in ["0", "0.03", "0.1", "0.3"] {
        for k in ["2", "5", "9"] {
            let (limit, k) = (format!("method.suppression-limit={limit}"), format!("privacy.0.k={k}"));
            released(&folder, &[&limit, &k]);
            let optimal = value();
            released(&folder, &[&limit, &k, "method.name=exhaustive"]);
            assert!((optimal - value()).abs() < 1e-12, "{limit} {k}");
            let own = released(&folder, &[&limit, &k, "input.missing=own-value"]);
            assert!(own.get("missing").is_none() && optimal <= value() + 1e-12, "{limit} {k}");
        }
    }
}

#[test]
fn a_manifest_cannot_leave_it_out() {
    let folder = folder("name = \"optimal\"");
    released(&folder, &["attributes.age.level=1", "method.suppression-limit=1"]);
    let manifest = folder.read("release/release.json");
    folder.write("release/release.json", manifest.replace("  \"missing\": \"wildcard\",\n", ""));
    assert_eq!(folder.run(&["verify", "release"]).code, 3);
}

#[test]
fn what_does_more_than_count_is_refused() {
    let folder = folder("name = \"optimal\"");
    for set in ["method.name=h-ceiling", "method.name=mondrian", "method.name=mdav", "method.name=relocation"]
    {
        folder.refused(&[&RUN[..], &["--set", set]].concat(), 5, &["input.missing", "search"]);
    }
    folder.refused(&[&RUN[..], &["--set", "method.local-recoding=true"]].concat(), 5, &["local recoding"]);
    folder.refused(&[&RUN[..], &["--set", "input.missing=any"]].concat(), 2, &["own-value", "wildcard"]);
    let text = folder.read("recipe.toml");
    let refused = |from: &str, to: &str, says: &str| {
        folder.write("recipe.toml", text.replace(from, to));
        folder.refused(&RUN, 5, &["input.missing", says]);
    };
    refused("[method]", "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]", "k-anonymity only");
    refused("[method]", "[population]\nsize = 1000\n[method]", "population");
    let rows = "[attributes.sex]\nhierarchy = { rows = [[\"F\", \"*\"], [\"M\", \"*\"], [\"\", \"*\"]] }";
    refused("[attributes.sex]", rows, "`sex`");
}

/// A missing number stays itself below the top, so its label does not show the level that its class was released at.
#[test]
fn a_class_of_missing_numbers_is_read_back_as_it_was_written() {
    let folder = Folder::new();
    let cost = |i: u32| if i % 9 == 4 { String::new() } else { (i * i * 131 % 30_000).to_string() };
    let rows: String = (0..120).map(|i| format!("{},I63\n", cost(i))).collect();
    folder.write("patients.csv", format!("cost,diagnosis\n{rows}"));
    folder.write(
        "recipe.toml",
        "[input]\npath = \"patients.csv\"\n\
         [attributes.cost]\nrole = \"quasi-identifier\"\n\
         hierarchy = { interval = [10000, 20000], min = 0, max = 39999 }\n\
         [attributes.diagnosis]\nrole = \"sensitive\"\n\
         [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\
         [method]\nname = \"optimal\"\nlocal-recoding = true\n\
         [output]\npath = \"release\"\n",
    );
    folder.ok(&RUN);
    assert!(folder.read("release/data.csv").contains("[10000-19999]"));
    folder.ok(&["verify", "release"]);
}

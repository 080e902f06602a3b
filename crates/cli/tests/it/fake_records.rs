//! Fake records after IAB, the last step that Arca and Hewett 2021 name: as an option of the search, and by h-ceiling at its levels.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::arca2021_example::{RECIPE, folder, run};
use crate::common::{Folder, rows};

/// The sizes of the released groups.
fn sizes(folder: &Folder) -> Vec<u64> {
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for row in &rows(&folder.read("release/data.csv"))[1..] {
        *sizes.entry(row[0].clone()).or_default() += 1;
    }
    sizes.into_values().collect()
}

/// The last step that the paper names, after its post-analytics: fake records beside the people whom IAB leaves in small groups. The
/// groups are those of IAB's levels, and fewer than seven are filled up.
#[test]
fn fake_records_fill_up_the_groups_that_iab_leaves_small() {
    let folder = folder();
    run(&folder, &[]);
    let levels = folder.json("release/release.json")["node"].clone();
    assert_eq!(levels, json!({ "AC": 0, "Age": 1, "Zip": 1 }));
    let mut recipe = RECIPE.replace("k = 3\nattributes = [\"Zip\", \"Age\", \"AC\"]", "k = 7").replace(
        "name = \"iab\"",
        "name = \"h-ceiling\"\nseed = 1\nadversary-limit = 1\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 3",
    );
    for (name, level) in levels.as_object().unwrap() {
        let section = format!("[attributes.{name}]\n");
        recipe = recipe.replace(&section, &format!("{section}level = {level}\n"));
    }
    folder.write("recipe.toml", recipe);
    run(&folder, &[]);
    let manifest = folder.json("release/release.json");
    assert_eq!(manifest["node"], levels);
    let fakes = manifest["counterfeits"].as_u64().unwrap();
    assert_eq!(manifest["records"], 60 + fakes);
    // Of Table 5's eleven groups nine have three to six people: 6, 4, 3, 5, 4, 4, 3, 3 and 6 of seven at least.
    let sizes = sizes(&folder);
    assert!(sizes.len() == 11 && sizes.iter().all(|size| *size >= 7), "{sizes:?}");
    assert!(fakes >= 25, "{fakes}");
}

/// The recipe of Table 5 with fake records, and further keys.
fn padded(keys: &str) -> Folder {
    let folder = folder();
    let method = format!("name = \"iab\"\nseed = 1\npad-to = 7\n{keys}");
    folder.write("recipe.toml", RECIPE.replace("name = \"iab\"", &method));
    folder
}

/// What of Table 1 is released with fake records: nobody could make up the other columns of these.
fn plain() -> Folder {
    let folder = folder();
    folder.write("recipe.toml", RECIPE.replace("\"insensitive\"", "\"identifier\""));
    run(&folder, &[]);
    folder
}

/// The same as an option of the search: its answer stays, every group has seven records, and of the shields' promise no counterfeit is
/// needed.
#[test]
fn the_search_fills_up_the_groups_that_it_leaves_small() {
    let folder = padded("counterfeit-limit = 1\nadversary-limit = 1");
    run(&folder, &[]);
    let manifest = folder.json("release/release.json");
    let bare = plain();
    assert_eq!(manifest["node"], bare.json("release/release.json")["node"]);
    let fakes = manifest["counterfeits"].as_u64().unwrap();
    let (filled, before) = (sizes(&folder), sizes(&bare));
    let missing: u64 = before.iter().map(|size| 7u64.saturating_sub(*size)).sum();
    assert!(filled.len() == before.len() && filled.iter().all(|size| *size >= 7), "{filled:?}");
    assert!(fakes >= missing && missing > 0 && manifest["records"] == 60 + fakes, "{fakes} {missing}");
    let mut catalog = 0;
    for row in &rows(&folder.read("release/catalog.csv"))[1..] {
        catalog += row.last().unwrap().parse::<u64>().unwrap();
    }
    assert_eq!(catalog, fakes, "every counterfeit is in the catalog");
    let promises: Vec<(&str, &Value)> = (manifest["privacy"].as_array().unwrap().iter())
        .map(|promise| (promise["model"].as_str().unwrap(), &promise["asked"]["k"]))
        .collect();
    assert!(
        promises.contains(&("k-anonymity", &json!(3))) && promises.contains(&("k-anonymity", &json!(7))),
        "{promises:?}"
    );
    let known = folder.json("release.custodian/custodian.json");
    assert_eq!(known["search"]["padding"]["counterfeits"], fakes);
    // Its rows are those of real records: the plain search has as many.
    let of_plain = bare.json("release.custodian/custodian.json");
    assert_eq!(known["search"]["released"], of_plain["search"]["released"]);
    assert!(manifest["utility"].get("rows-retained").is_none(), "rows of counterfeits are not retained");
    let page = folder.read("release/report.html");
    assert!(page.contains("counterfeit"));
    // Forged: a group that is said to be larger, no catalog, fewer counterfeits.
    let text = folder.read("release/release.json");
    for (from, to) in [
        ("\"pad-to\": 7", "\"pad-to\": 8"),
        (&*format!("\"counterfeits\": {fakes}"), "\"counterfeits\": 0"),
        ("\"k\": 7", "\"k\": 70"),
    ] {
        assert!(text.contains(from), "{from}");
        folder.write("release/release.json", text.replacen(from, to, 1));
        assert_eq!(folder.run(&["verify", "release"]).code, 3, "{from}");
    }
    folder.write("release/release.json", &text);
    folder.ok(&["verify", "release"]);
    folder.ok(&["verify", "release", "--custodian", "release.custodian"]);
}

#[test]
fn fake_records_that_cannot_be_are_refused() {
    let refused = |keys: &str, code: i32, says: &[&str]| {
        padded(keys).refused(&["anonymize", "recipe.toml"], code, says);
    };
    refused("recoding = \"subtree\"", 5, &["pad-to", "full-domain"]);
    // 25 of 85 are more than a twentieth.
    refused("adversary-limit = 1", 3, &["pad-to = 7", "counterfeit"]);
    refused("counterfeit-limit = 2", 5, &["counterfeit-limit"]);
    let folder = folder();
    let with = |keys: &str| folder.write("recipe.toml", RECIPE.replace("name = \"iab\"", keys));
    with("name = \"iab\"\npad-to = 1");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["pad-to", "from 2"]);
    with("name = \"iab\"\nleast-real = 2");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["least-real", "pad-to"]);
    with("name = \"greedy\"\npad-to = 7");
    folder.refused(&["anonymize", "recipe.toml"], 5, &["pad-to"]);
}

//! Releasing a table twice: counterfeits drawn afresh would be told by what two releases have in common.

use std::collections::BTreeMap;

use crate::common::{Folder, people, people_recipe};

fn folder(models: &str, method: &str) -> Folder {
    let folder = Folder::new();
    folder.write("table.csv", people(300));
    let models = format!("{models}\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 5");
    folder.write("recipe.toml", people_recipe(&models, &format!("h = 0.1\n{method}"), "first"));
    folder
}

const FIRST: [&str; 2] = ["anonymize", "recipe.toml"];
const SECOND: [&str; 6] = ["anonymize", "recipe.toml", "--output", "second", "--after", "first.custodian"];
const FILES: [&str; 3] = ["data.csv", "catalog.csv", "release.json"];

/// The counterfeits of a release by the labels of their class and their value.
fn counterfeits(folder: &Folder, release: &str) -> BTreeMap<String, u64> {
    let rows = |name: &str| -> Vec<Vec<String>> {
        folder.read(name).lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let labels: BTreeMap<String, String> = rows(&format!("{release}/data.csv"))
        .into_iter()
        .map(|row| (row[0].clone(), row[1..4].join(",")))
        .collect();
    let made = rows(&format!("{release}.custodian/counterfeits.csv")).into_iter();
    made.map(|row| (format!("{},{}", labels[&row[0]], row[1]), row[2].parse().unwrap())).collect()
}

/// How many counterfeits two releases share, and how many the first has.
fn shared(folder: &Folder) -> (u64, u64) {
    let (first, second) = (counterfeits(folder, "first"), counterfeits(folder, "second"));
    let both = first.iter().filter_map(|(place, count)| second.get(place).map(|other| *other.min(count)));
    (both.sum(), first.values().sum())
}

#[test]
fn the_same_table_again_is_the_same_release() {
    let diversity = "[[privacy]]\nmodel = \"distinct-l-diversity\"\nl = 3";
    for (models, method) in [
        ("", ""),
        (diversity, "counterfeits-count = true"),
        ("", "parts = \"mondrian\""),
        ("", "padding = \"exact\""),
    ] {
        let folder = folder(models, method);
        folder.ok(&FIRST);
        let run = folder.ok(&SECOND);
        assert!(!run.err.contains("earlier release"), "{method}: {}", run.err);
        for file in FILES {
            assert!(
                folder.read(&format!("first/{file}")) == folder.read(&format!("second/{file}")),
                "{method}: {file}"
            );
        }
    }
}

#[test]
fn what_is_replaced_is_found() {
    let folder = folder("", "");
    folder.ok(&FIRST);
    let data = folder.read("first/data.csv");
    let again = [&FIRST[..], &["--overwrite"]].concat();
    let run = folder.ok(&again);
    assert!(folder.read("first/data.csv") == data && !run.err.contains("earlier release"), "{}", run.err);
    let run = folder.ok(&[&again[..], &["--seed", "9"]].concat());
    assert!(run.err.contains("Whoever has both can spot counterfeits"), "{}", run.err);
    assert!(folder.read("first/data.csv") != data);
    // Of another input it is another table's.
    folder.write("other.csv", people(300));
    let run = folder.ok(&[&again[..], &["--input", "other.csv"]].concat());
    assert!(!run.err.contains("Whoever has both"), "{}", run.err);
}

#[test]
fn classes_that_stand_keep_their_counterfeits() {
    let folder = folder("", "");
    folder.ok(&FIRST);
    folder.write("table.csv", people(300) + "21,F,3,flu\n64,M,7,cold\n");
    let run = folder.ok(&SECOND);
    let (kept, all) = shared(&folder);
    assert!(all > 30 && kept * 100 >= all * 95, "{kept} of {all}");
    assert!(
        !run.err.contains("Whoever has both") || run.err.contains("counterfeits of the earlier release"),
        "{}",
        run.err
    );
    folder.ok(&["verify", "second"]);
    folder.ok(&["anonymize", "recipe.toml", "--output", "second", "--overwrite", "--seed", "3"]);
    let (by_chance, _) = shared(&folder);
    assert!(by_chance * 100 < all * 80, "{by_chance} of {all}");
    // Other levels, other classes.
    let coarse = [&SECOND[..], &["--overwrite", "--set", "attributes.region.level=1"]].concat();
    folder.refused(&coarse, 5, &["--after keeps no counterfeit", "--redraw"]);
    let run = folder.ok(&[&coarse[..], &["--redraw"]].concat());
    assert!(run.err.contains("counterfeits of the earlier release are not in this one"), "{}", run.err);
    folder.ok(&["verify", "second"]);
}

#[test]
fn mistakes_are_told() {
    let folder = folder("", "");
    folder.ok(&FIRST);
    folder.refused(
        &[&SECOND[..], &["--seed", "9"]].concat(),
        2,
        &["--after takes the seed of the earlier release"],
    );
    folder.refused(
        &["anonymize", "recipe.toml", "--output", "second", "--after", "nowhere.custodian"],
        6,
        &["nowhere"],
    );
    folder.refused(
        &["anonymize", "recipe.toml", "--output", "second", "--after", "first"],
        6,
        &["custodian.json"],
    );
    std::fs::rename(folder.path("first"), folder.path("moved")).unwrap();
    folder.refused(&SECOND, 6, &["first"]);
    let recipe = folder.read("recipe.toml").replace(
        "name = \"h-ceiling\"\nadversary-limit = 1\ncounterfeit-limit = 1\nsuppression-limit = 0\nleast-real = 1\nh = 0.1",
        "name = \"optimal\"",
    );
    folder.write("recipe.toml", recipe);
    folder.refused(&SECOND, 2, &["--after keeps counterfeits, and optimal makes none"]);
}

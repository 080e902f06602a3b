//! Spellings of one value count as one value, and of one person as one person.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::common::{Folder, column, rows};

const SPELLED: [&str; 5] = ["HIV", "hiv", "HIV ", " hIv", "HI\u{200b}V"];

const RECIPE: &str = "[input]\npath = \"people.csv\"\nrows = \"independent\"\n\
    [attributes.age]\nrole = \"quasi-identifier\"\nhierarchy = { interval = [10, 100], min = 0, max = 99 }\n\
    [attributes.diagnosis]\nrole = \"sensitive\"\n\
    [[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n\
    [[privacy]]\nmodel = \"distinct-l-diversity\"\nattribute = \"diagnosis\"\nl = 2\n\
    [method]\nname = \"optimal\"\n[output]\npath = \"release\"\n";

fn words(value: &str) -> String {
    let seen: String = value.chars().filter(|letter| *letter != '\u{200b}').collect();
    seen.trim().to_lowercase()
}

#[test]
fn a_class_of_spellings_is_not_diverse() {
    let folder = Folder::new();
    let mut table = "age,diagnosis\n".to_owned();
    for n in 0..20 {
        writeln!(table, "31,\"{}\"\n52,{}", SPELLED[n % 5], ["I10", "J18", "K35"][n % 3]).unwrap();
    }
    folder.write("people.csv", table);
    folder.write("recipe.toml", RECIPE);
    folder.ok(&["anonymize", "recipe.toml"]);
    folder.ok(&["verify", "release"]);
    let mut classes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows(&folder.read("release/data.csv")).into_iter().skip(1) {
        classes.entry(row[0].clone()).or_default().insert(words(row.last().unwrap()));
    }
    assert!(!classes.is_empty() && classes.values().all(|values| values.len() > 1), "{classes:?}");
}

#[test]
fn a_forged_spelling_breaks_the_promise() {
    let folder = Folder::new();
    let mut table = "age,diagnosis\n".to_owned();
    for n in 0..20 {
        writeln!(table, "31,{}\n52,{}", ["I10", "I11"][n % 2], ["I10", "J18", "K35"][n % 3]).unwrap();
    }
    folder.write("people.csv", table);
    folder.write("recipe.toml", RECIPE);
    folder.ok(&["anonymize", "recipe.toml"]);
    let data = folder.read("release/data.csv").replace("I11", "i10");
    folder.write("release/data.csv", data);
    let broken = folder.run(&["verify", "release"]);
    assert_eq!(broken.code, 3, "{}", broken.err);
    assert!(broken.err.contains("distinct-l-diversity"), "{}", broken.err);
}

#[test]
fn spellings_of_one_person_are_one_person() {
    let folder = Folder::new();
    let mut table = "pid,age,diagnosis\n".to_owned();
    for n in 0..40 {
        // One person has five spellings, the others one each.
        let (pid, age) = if n < 5 {
            (["p1", "P1", " p1 ", "P-1", "p1\u{a0}"][n].to_owned(), 31)
        } else {
            (format!("q{n}"), 52)
        };
        writeln!(table, "{pid},{age},{}", ["I10", "J18", "K35"][n % 3]).unwrap();
    }
    folder.write("people.csv", table);
    let recipe = RECIPE
        .replace("rows = \"independent\"\n", "[attributes.pid]\nrole = \"person\"\n")
        .replace("interval = [10, 100]", "interval = [10]");
    folder.write(
        "recipe.toml",
        recipe.replace("name = \"optimal\"", "name = \"optimal\"\nsuppression-limit = 0.2"),
    );
    folder.ok(&["anonymize", "recipe.toml"]);
    let ages = column(&folder.read("release/data.csv"), "age");
    assert!(
        ages.iter().all(|age| !age.contains('3')) && ages.iter().any(|age| age.contains('5')),
        "{ages:?}"
    );
}

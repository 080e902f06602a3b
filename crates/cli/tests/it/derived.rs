//! Derived columns from recipe to release, and back to the original by `compare`, `leak` and `attack`.

use crate::common::{CANARY, Folder};

/// Births, admissions and discharges of 60 patients, one of them 101 years old and one still there.
fn stays() -> String {
    let mut text = String::from("name,birth_date,admission,discharge,weight,diagnosis\n");
    for number in 0..60 {
        let (year, month) = (if number == 7 { 1922 } else { 1940 + number % 6 * 10 }, 1 + number % 12);
        let discharge = if number == 3 { String::new() } else { format!("{}.03.2024", 10 + number % 3) };
        let weight = format!("{}.{}", 60 + number % 20, number % 10);
        let diagnosis = ["I63", "J18"][number % 2];
        text += &format!(
            "{CANARY},{:02}.{month:02}.{year},09.03.2024 14:30,{discharge},{weight},{diagnosis}\n",
            9
        );
    }
    text
}

const RECIPE: &str = r#"[input]
path = "stays.csv"
[derived.age]
age-at = "admission"
birth = "birth_date"
format = "%d.%m.%Y"
[derived.stay]
days-between = ["admission", "discharge"]
format = "%d.%m.%Y"
[derived.kilograms]
round = "weight"
to = 5
[attributes.name]
role = "identifier"
[attributes.diagnosis]
role = "sensitive"
[attributes.age]
role = "quasi-identifier"
hierarchy = { age = 90 }
[attributes.stay]
role = "insensitive"
[attributes.kilograms]
role = "quasi-identifier"
hierarchy = { interval = [10, 20, 40], min = 40, max = 119 }
[[privacy]]
model = "k-anonymity"
k = 5
[method]
name = "optimal"
suppression-limit = 0.1
[output]
path = "release"
"#;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("stays.csv", stays());
    folder.write("recipe.toml", RECIPE);
    folder
}

#[test]
fn derived_columns_are_released_and_their_sources_are_not() {
    let folder = folder();
    folder.ok(&RUN);
    let data = folder.read("release/data.csv");
    assert!(data.starts_with("ClassID,diagnosis,age,kilograms,stay\n"), "{}", data.lines().next().unwrap());
    assert!(!data.contains("2024") && !data.contains(CANARY));
    folder.ok(&["verify", "release"]);
    let manifest = folder.read("release/release.json");
    for said in
        ["\"age-at\": \"admission\"", "\"birth\": \"birth_date\"", "\"format\": \"%d.%m.%Y\"", "\"round\""]
    {
        assert!(manifest.contains(said), "{said}");
    }
    // What was derived is derived again where the original is looked at.
    folder.ok(&["compare", "stays.csv", "release"]);
    folder.ok(&["leak", "stays.csv", "--after", "release"]);
    folder.ok(&["attack", "release", "--original", "stays.csv"]);
}

#[test]
fn a_source_with_a_role_of_its_own_is_released() {
    let folder = folder();
    let admission = "[attributes.admission]\nrole = \"quasi-identifier\"\n\
        hierarchy = { date = [\"month\", \"year\"], min = \"2020-01-01\", max = \"2024-12-31\", format = \"%d.%m.%Y %H:%M\" }\n";
    folder.write("recipe.toml", RECIPE.to_owned() + admission);
    folder.ok(&RUN);
    assert!(folder.read("release/data.csv").starts_with("ClassID,admission,diagnosis,age,kilograms,stay\n"));
}

#[test]
fn persons_and_earlier_releases_see_derived_columns_as_any_other() {
    let folder = folder();
    // Two stays of each patient.
    let mut text = String::new();
    for (number, line) in stays().lines().enumerate() {
        let person = if number == 0 { "patient".to_owned() } else { format!("p{}", number / 2) };
        text += &format!("{person},{line}\n");
    }
    folder.write("stays.csv", text);
    let person = "[attributes.patient]\nrole = \"person\"\n[[privacy]]\nmodel = \"k-anonymity\"";
    folder.write("recipe.toml", RECIPE.replace("[[privacy]]\nmodel = \"k-anonymity\"", person));
    folder.ok(&RUN);
    folder.ok(&["verify", "release"]);
    folder.write("stays.csv", stays());
    let padded = "name = \"h-ceiling\"\nadversary-limit = 1\nh = 0.9\ncounterfeit-limit = 1\nsuppression-limit = 1\nleast-real = 1\n\
                  group-classes = 2\ninsensitive = \"drop\"";
    let recipe = RECIPE.replace("name = \"optimal\"\nsuppression-limit = 0.1", padded);
    folder.write("recipe.toml", recipe);
    folder.ok(&RUN);
    let first = folder.read("release/data.csv");
    folder.ok(&[&RUN[..], &["--after", "release.custodian"]].concat());
    assert_eq!(folder.read("release/data.csv"), first);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = folder();
    let refused = |from: &str, to: &str, code: i32, says: &[&str]| {
        assert!(RECIPE.contains(from), "{from}");
        folder.write("recipe.toml", RECIPE.replace(from, to));
        let run = folder.refused(&RUN, code, says);
        assert!(!run.err.contains(CANARY), "{}", run.err);
    };
    refused("birth = \"birth_date\"\n", "", 5, &["line 4", "derived column `age`", "goes with `birth`"]);
    refused(
        "[attributes.stay]\nrole = \"insensitive\"\n",
        "",
        5,
        &["`stay`", "it has no role; add [attributes.stay]"],
    );
    refused("round = \"weight\"", "round = \"wieght\"", 4, &["`kilograms`", "no column `wieght`"]);
    refused("round = \"weight\"", "rund = \"weight\"", 5, &["rund", "round"]);
    refused(
        "birth = \"birth_date\"\nformat = \"%d.%m.%Y\"",
        "birth = \"birth_date\"",
        4,
        &["line 2 (record 1), column `birth_date`", "a date such as 2021-03-04", "`format` under [derived]"],
    );
    let dropped = "[attributes.birth_date]\nrole = \"identifier\"\n[derived.age]\nbirth = \"discharge\"";
    refused(
        "[derived.age]\nage-at = \"admission\"\nbirth = \"birth_date\"",
        &format!("{dropped}\nage-at = \"admission\""),
        4,
        &["column `age`", "lies before the birth"],
    );
    refused(
        "[output]",
        "[engine]\nkind = \"cluster\"\nscheduler = \"df://localhost:1\"\n[output]",
        5,
        &["a cluster does not derive columns"],
    );
}

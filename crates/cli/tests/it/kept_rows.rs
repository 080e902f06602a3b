//! `[[where]]` from recipe to release, and back to the original by what looks at it again.

use crate::common::{CANARY, Folder};

/// 120 stays in two countries, some of them of children, one in a country of its own.
fn stays() -> String {
    let mut text = String::from("age,sex,land,diagnosis,nights\n");
    for number in 0..120 {
        let land = if number == 5 { CANARY } else { ["DE", "FR"][number % 2] };
        let (age, sex, diagnosis) =
            (10 + number % 60, ["f", "m"][number / 2 % 2], ["I63", "J18", "C50"][number % 3]);
        text += &format!("{age},{sex},{land},{diagnosis},{}\n", number % 7);
    }
    text
}

const RECIPE: &str = r#"[input]
path = "stays.csv"
[[where]]
column = "land"
among = ["DE"]
[[where]]
column = "age"
min = 18
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10, 20], min = 0, max = 119 }
[attributes.sex]
role = "quasi-identifier"
[attributes.diagnosis]
role = "sensitive"
[attributes.nights]
role = "insensitive"
[[privacy]]
model = "k-anonymity"
k = 3
[method]
name = "optimal"
suppression-limit = 0.1
[output]
path = "release"
"#;

const RUN: [&str; 3] = ["anonymize", "recipe.toml", "--overwrite"];

fn folder(recipe: &str) -> Folder {
    let folder = Folder::new();
    folder.write("stays.csv", stays());
    folder.write("recipe.toml", recipe);
    folder
}

/// The records of the table that meet the recipe's conditions.
fn kept() -> Vec<String> {
    let is_kept = |line: &&str| {
        let cells: Vec<&str> = line.split(',').collect();
        cells[2] == "DE" && cells[0].parse::<u32>().is_ok_and(|age| age >= 18)
    };
    stays().lines().skip(1).filter(is_kept).map(str::to_owned).collect()
}

#[test]
fn only_records_that_meet_all_conditions_are_released() {
    let whole = folder(RECIPE);
    whole.ok(&RUN);
    whole.ok(&["verify", "release"]);
    let data = whole.read("release/data.csv");
    assert_eq!(data.lines().count() - 1, kept().len());
    // The same as of a table that holds those records alone.
    let conditions = &RECIPE[RECIPE.find("[[where]]").unwrap()..RECIPE.find("[attributes.age]").unwrap()];
    let alone = folder(&RECIPE.replace(conditions, "").replacen("[input]", "unnamed = \"drop\"\n[input]", 1));
    alone.write("stays.csv", format!("age,sex,land,diagnosis,nights\n{}\n", kept().join("\n")));
    alone.ok(&RUN);
    assert_eq!(data, alone.read("release/data.csv"));
    for file in ["release/release.json", "release/README.md", "release/report.html", "release/codebook.csv"] {
        assert!(!whole.read(file).contains(CANARY), "{file}");
    }
    let manifest = whole.read("release/release.json");
    assert!(manifest.contains("\"where\"") && manifest.contains("\"among\""), "{manifest}");
    assert!(whole.read("release/report.html").contains("land is DE; age is at least 18"));
    assert!(whole.read("release/README.md").contains("land is DE; age is at least 18"));
}

#[test]
fn what_looks_at_the_original_again_keeps_the_same_records() {
    let folder = folder(RECIPE);
    folder.ok(&RUN);
    let compared = folder.ok(&["compare", "stays.csv", "release", "--json"]).out;
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    assert_eq!(compared["records"], kept().len());
    folder.ok(&["leak", "stays.csv", "--after", "release"]);
    folder.ok(&["attack", "release", "--original", "stays.csv"]);
}

#[test]
fn a_release_that_holds_another_record_is_refused() {
    let folder = folder(
        &RECIPE
            .replace("column = \"land\"\namong = [\"DE\"]", "column = \"diagnosis\"\nnot = [\"C50\"]")
            .replacen("[input]", "unnamed = \"drop\"\n[input]", 1),
    );
    folder.ok(&RUN);
    let report = folder.read("release/report.html");
    assert!(report.contains("The records were chosen by the sensitive column"), "{report}");
    let manifest = folder.read("release/release.json");
    folder.write("release/release.json", manifest.replace("\"C50\"", "\"I63\""));
    let verified = folder.run(&["verify", "release"]);
    assert_eq!(verified.code, 3, "{}", verified.err);
    assert!(verified.out.contains("values of diagnosis"), "{}", verified.out);
}

#[test]
fn the_population_is_the_whole_table_of_a_research_subset() {
    let presence = "model = \"delta-presence\"\nmin = 0\nmax = 0.9\n[population]\npath = \"stays.csv\"";
    let folder = folder(&RECIPE.replace("model = \"k-anonymity\"\nk = 3", presence));
    folder.ok(&RUN);
    folder.ok(&["verify", "release", "--population", "stays.csv"]);
}

#[test]
fn a_group_that_holds_no_kept_record_is_refused() {
    let folder = folder(RECIPE);
    folder.ok(&RUN);
    // The records are of age 18 to 69: stated as under 20 alone, ranges above are of nobody who was kept.
    let manifest = folder.read("release/release.json");
    let forged = manifest.replacen("\"min\": 18.0", "\"max\": 19.0", 1);
    assert_ne!(manifest, forged);
    folder.write("release/release.json", forged);
    let verified = folder.run(&["verify", "release"]);
    assert_eq!(verified.code, 3, "{}", verified.err);
    assert!(verified.out.contains("values of age"), "{}", verified.out);
}

/// Stays of persons who have several, in wards: ward `W9` is of one person alone.
fn stays_of_persons() -> String {
    let mut text = String::from("nr,age,ward,diagnosis\n");
    for number in 0..160 {
        let person = number / 2;
        let ward = if person == 7 { "W9" } else { ["W1", "W2", "W3"][number % 3] };
        text += &format!("{person},{},{ward},{}\n", 20 + person % 9 * 5, ["I63", "J18"][number % 5 % 2]);
    }
    text
}

const OF_PERSONS: &str = r#"[input]
path = "stays.csv"
[[where]]
column = "ward"
not = ["W3"]
[attributes.nr]
role = "person"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [10, 20], min = 0, max = 119 }
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 4
[method]
name = "optimal"
suppression-limit = 0.5
[output]
path = "release"
"#;

#[test]
fn persons_of_the_kept_records_are_counted() {
    let whole = folder(OF_PERSONS);
    whole.write("stays.csv", stays_of_persons());
    whole.ok(&RUN);
    whole.ok(&["verify", "release", "--custodian", "release.custodian"]);
    let alone = folder(&OF_PERSONS.replace("[[where]]\ncolumn = \"ward\"\nnot = [\"W3\"]\n", "").replacen(
        "[input]",
        "unnamed = \"drop\"\n[input]",
        1,
    ));
    let stays = stays_of_persons();
    let kept: Vec<&str> = stays.lines().filter(|line| !line.contains(",W3,")).collect();
    assert!(kept.len() > 100, "{}", kept.len());
    alone.write("stays.csv", kept.join("\n") + "\n");
    alone.ok(&RUN);
    assert_eq!(whole.read("release/data.csv"), alone.read("release/data.csv"));
}

#[test]
fn a_value_of_one_person_is_not_stated_however_many_records_have_it() {
    for condition in ["not = [\"W3\", \"W9\"]", "among = [\"W1\", \"W9\"]"] {
        let folder = folder(&OF_PERSONS.replace("not = [\"W3\"]", condition));
        folder.write("stays.csv", stays_of_persons());
        let run = folder.refused(&RUN, 5, &["line 5", "one person alone has value 2"]);
        assert!(!run.err.contains("W9"), "{}", run.err);
    }
    // Whoever declares the column's values publishes them anyway.
    let declared = "[attributes.ward]\nrole = \"sensitive\"\ndomain = [\"W1\", \"W2\", \"W3\", \"W9\"]\n[attributes.age]";
    let folder = folder(&OF_PERSONS.replace("\"W3\"", "\"W9\"").replace("[attributes.age]", declared));
    folder.write("stays.csv", stays_of_persons());
    folder.ok(&RUN);
}

#[test]
fn a_condition_on_an_identifier_is_refused() {
    let of = |column: &str| {
        OF_PERSONS.replace("column = \"ward\"\nnot = [\"W3\"]", &format!("column = \"{column}\"\nmin = 3"))
    };
    folder(&of("nr")).refused(&RUN, 5, &["line 4", "numbers the persons"]);
    let folder = folder(&of("patient_id"));
    folder.write("stays.csv", stays_of_persons().replacen("ward", "patient_id", 1));
    folder.refused(&RUN, 5, &["line 4", "patient_id", "looks like"]);
}

#[test]
fn safe_harbor_allows_no_condition_that_is_finer_than_what_it_releases() {
    let preset = |condition: &str| {
        let recipe =
            OF_PERSONS.replacen("[input]", "preset = \"hipaa-safe-harbor\"\nunnamed = \"drop\"\n[input]", 1);
        let recipe = recipe
            .replace("hierarchy = { interval = [10, 20], min = 0, max = 119 }", "hierarchy = { age = 90 }");
        let folder = folder(&recipe.replace("column = \"ward\"\nnot = [\"W3\"]", condition));
        folder.write("stays.csv", stays_of_persons());
        folder
    };
    preset("column = \"ward\"\nnot = [\"W3\"]").refused(&RUN, 5, &["hipaa-safe-harbor", "ward", "finer"]);
    let adults = preset("column = \"age\"\nmin = 25");
    adults.ok(&RUN);
    adults.ok(&["verify", "release"]);
}

#[test]
fn mistakes_are_said_with_their_place() {
    let refused = |from: &str, to: &str, code: i32, says: &[&str]| {
        assert!(RECIPE.contains(from), "{from}");
        let run = folder(&RECIPE.replace(from, to)).refused(&RUN, code, says);
        assert!(!run.err.contains(CANARY), "{}", run.err);
    };
    refused("among = [\"DE\"]", "", 5, &["line 3", "exactly one of `among`"]);
    refused("min = 18", "min = 18\nmax = 2", 5, &["line 8", "not above `max`"]);
    refused("min = 18", "least = 18", 5, &["least", "line 8"]);
    refused("column = \"land\"", "column = \"lande\"", 5, &["line 4", "`lande` is not a column", "`land`"]);
    refused("among = [\"DE\"]", "among = [\"AT\"]", 4, &["no record meets"]);
    refused(
        "[output]",
        "[engine]\nkind = \"cluster\"\nscheduler = \"df://localhost:1\"\n[output]",
        5,
        &["cluster"],
    );
}

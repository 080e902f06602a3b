//! Any folder by a recipe: keys that are texts, rows of rows, bands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::folder::{Drawn, Made, day};

pub(crate) fn hospital(persons: u64) -> Made {
    let made = Made::empty();
    let mut drawn = Drawn(3);
    let (mut people, mut stays, mut codes) = (
        "Id;SEX;BIRTHDATE\n".to_owned(),
        "Id;PATIENT;START;KIND\n".to_owned(),
        "STAY;CODE;COST\n".to_owned(),
    );
    for person in 0..persons {
        let sex = if drawn.below(2) == 0 { "F" } else { "M" };
        let _ = writeln!(people, "p-{person:04};{sex};{}-07-01", 1930 + drawn.below(70));
        for stay in 0..1 + drawn.below(2) {
            let _ = writeln!(
                stays,
                "s-{person}-{stay};p-{person:04};{}T10:00:00Z;k{}",
                day(drawn.below(3_000)),
                drawn.below(2)
            );
            for _ in 0..1 + drawn.below(3) {
                let _ = writeln!(
                    codes,
                    "s-{person}-{stay};C{};{}",
                    drawn.below(3) * drawn.below(3),
                    drawn.below(300)
                );
            }
        }
    }
    made.table("patients.csv", &people);
    made.table("stays.csv", &stays);
    made.table("codes.csv", &codes);
    made
}

pub(crate) const RECIPE: &str = r#"
[input]
folder = "in"
[persons]
dates = { relative = "quarter" }
[tables.patients]
path = "patients.csv"
key = "Id"
[tables.patients.attributes]
SEX = { role = "quasi-identifier" }
BIRTHDATE = { role = "quasi-identifier", birth = true, hierarchy = { date = ["year", "10-years"], min = "1900-01-01", max = "2029-12-31" } }
[tables.stays]
path = "stays.csv"
key = "Id"
parent = { table = "patients", column = "PATIENT" }
is-referred-to = true
[tables.stays.attributes]
START = { role = "date" }
KIND = { role = "code" }
[tables.codes]
path = "codes.csv"
parent = { table = "stays", column = "STAY" }
[tables.codes.attributes]
CODE = { role = "set" }
COST = { role = "value", bands = [0, 100, 200, 300] }
[[privacy]]
model = "km-anonymity"
k = 4
m = 2
[output]
path = "release"
"#;

#[test]
fn rows_of_rows_stay_with_their_person() {
    let made = hospital(300);
    let outcome = made.run(RECIPE).unwrap();
    assert!(outcome.survived.pairs[1] > 100);
    let stays: BTreeSet<String> =
        made.released("stays.csv").into_iter().map(|row| row["Id"].clone()).collect();
    let codes = made.released("codes.csv");
    let referred: BTreeSet<String> = codes.iter().map(|row| row["STAY"].clone()).collect();
    assert_eq!(stays, referred);
    let bands: BTreeSet<&str> =
        codes.iter().map(|row| row["COST"].as_str()).filter(|band| !band.is_empty()).collect();
    assert!(
        bands.iter().all(|band| ["[0, 100)", "[100, 200)", "[200, 300)"].contains(band)) && bands.len() > 1
    );
    let text = std::fs::read_to_string(made.path("release/data/stays.csv")).unwrap();
    assert!(!text.contains("s-") && !text.contains("p-") && !text.contains("T10"));
}

#[test]
fn unnamed_columns_are_refused_at_once() {
    let made = hospital(20);
    let recipe = RECIPE.replace("START = { role = \"date\" }\nKIND = { role = \"code\" }\n", "");
    let error = made.run(&recipe).unwrap_err();
    assert_eq!(error.exit_code(), 5);
    assert!(
        error.to_string().contains("table `stays`: nothing says what becomes of `START`, `KIND`"),
        "{error}"
    );
}

#[test]
fn a_circle_of_tables_is_refused() {
    let made = hospital(20);
    let circle = RECIPE.replace(
        "parent = { table = \"patients\", column = \"PATIENT\" }",
        "parent = { table = \"codes\", column = \"PATIENT\" }",
    );
    let error = made.run(&circle).unwrap_err();
    assert!(error.to_string().contains("in a circle"), "{error}");
}

#[test]
fn a_table_that_refers_to_itself_is_refused() {
    let made = hospital(20);
    let kind = "KIND = { role = \"code\" }";
    let own = RECIPE.replace(kind, "KIND = { role = \"reference\", table = \"stays\" }");
    let parent =
        RECIPE.replace("table = \"patients\", column = \"PATIENT\"", "table = \"stays\", column = \"KIND\"");
    for (recipe, said) in [
        (own, "column `KIND`: a reference to its own table"),
        (parent, "the parent of table `stays` is no other released table"),
    ] {
        let error = made.run(&recipe).unwrap_err();
        assert!(error.exit_code() == 5 && error.to_string().contains(said), "{error}");
    }
}

#[test]
fn sets_that_would_move_persons_are_refused() {
    let made = hospital(20);
    let sex = "SEX = { role = \"quasi-identifier\" }";
    let of_persons = RECIPE.replace(sex, "SEX = { role = \"set\" }");
    let listed = RECIPE.replace(sex, "SEX = { role = \"set\", items = \";\" }");
    let of_fact = RECIPE.replace("[tables.codes]\n", "[tables.codes]\nis-person-column = true\n");
    for (recipe, said) in [
        (of_persons, "table `patients`, column `SEX`: a set in the table of persons"),
        (of_fact, "table `codes`, column `CODE`: a set in a table of which having a row is a person column"),
    ] {
        let error = made.run(&recipe).unwrap_err();
        assert!(error.exit_code() == 5 && error.to_string().contains(said), "{error}");
    }
    assert!(made.run(&listed).is_ok());
}

#[test]
fn two_tables_have_two_files() {
    let made = hospital(20);
    let one = RECIPE.replace("path = \"codes.csv\"", "path = \"stays.csv\"").replace("STAY\" }", "Id\" }");
    let one = one.replace(
        "CODE = { role = \"set\" }\nCOST = { role = \"value\", bands = [0, 100, 200, 300] }",
        "PATIENT = { role = \"identifier\" }\nSTART = { role = \"date\" }\nKIND = { role = \"set\" }",
    );
    let error = made.run(&one).unwrap_err();
    assert!(error.exit_code() == 5 && error.to_string().contains("are from one file"), "{error}");
    // Of folders of their own they can have one name.
    std::fs::create_dir(made.path("in/more")).unwrap();
    std::fs::rename(made.path("in/codes.csv"), made.path("in/more/stays.csv")).unwrap();
    let moved = RECIPE.replace("path = \"codes.csv\"", "path = \"more/stays.csv\"");
    assert!(made.run(&moved).is_ok());
}

#[test]
fn digits_that_no_release_has_are_refused() {
    let made = hospital(20);
    for digits in [0, 4] {
        let recipe = RECIPE.replace("bands = [0, 100, 200, 300]", &format!("digits = {digits}"));
        let error = made.run(&recipe).unwrap_err();
        assert!(error.exit_code() == 5 && error.to_string().contains("1 to 3"), "{error}");
    }
}

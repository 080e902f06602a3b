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

#[test]
fn a_column_of_original_keys_is_refused_whatever_is_intended() {
    let made = hospital(60);
    let copied = |from: &str| {
        made.change("stays.csv", |text| {
            let mut lines = text.lines().map(|line| line.split(';').take(4).map(str::to_owned).collect());
            let mut rows: Vec<Vec<String>> = lines.by_ref().collect();
            let place = rows[0].iter().position(|name| name == from).unwrap();
            rows.iter_mut().for_each(|row| row.push(row[place].clone()));
            rows[0][4] = "OLD".into();
            rows.iter().map(|row| row.join(";") + "\n").collect()
        });
    };
    let old = "KIND = { role = \"code\" }\nOLD = { role = \"insensitive\", identifier-like = \"intended\" }";
    let recipe = RECIPE.replace("KIND = { role = \"code\" }", old);
    for from in ["Id", "PATIENT"] {
        copied(from);
        let error = made.run(&recipe).unwrap_err();
        assert!(error.to_string().contains("`OLD`: its cells are keys of the original"), "{from}: {error}");
        assert_eq!(error.exit_code(), 5);
    }
    copied("KIND");
    made.run(&recipe).unwrap();
}

#[test]
fn numbers_are_told_apart_by_the_codes_of_their_row() {
    let made = Made::empty();
    let mut labs = "LAB;PATIENT;TEST;RESULT\n".to_owned();
    let mut people = "Id;SEX\n".to_owned();
    for person in 0..40 {
        let _ = writeln!(people, "p{person};{}", if person % 2 == 0 { "F" } else { "M" });
        // One person has the greatest number of the second test, far below those of the first.
        let second = if person == 0 { 9 } else { 4 };
        let _ = writeln!(labs, "a{person};p{person};GLU;{}", 100 + person % 4);
        let _ = writeln!(labs, "b{person};p{person};TNI;{second}");
    }
    made.table("patients.csv", &people);
    made.table("labs.csv", &labs);
    let recipe = |by: &str| {
        format!(
            r#"
[input]
folder = "in"
[persons]
tier = "agreement"
dates = "none"
[tables.patients]
path = "patients.csv"
key = "Id"
[tables.patients.attributes]
SEX = {{ role = "quasi-identifier" }}
[tables.labs]
path = "labs.csv"
key = "LAB"
parent = {{ table = "patients", column = "PATIENT" }}
[tables.labs.attributes]
TEST = {{ role = "set" }}
RESULT = {{ role = "value"{by} }}
[[privacy]]
model = "k-km-anonymity"
k = 4
m = 1
[output]
path = "release"
"#
        )
    };
    let greatest = |by: &str| {
        made.run(&recipe(by)).unwrap();
        let labs = made.released("labs.csv");
        let of = labs.iter().filter(|row| row["TEST"] == "TNI");
        let codebook = std::fs::read_to_string(made.path("release/codebook.csv")).unwrap();
        (of.map(|row| row["RESULT"].parse::<u32>().unwrap()).max(), codebook)
    };
    let (apart, codebook) = greatest("");
    assert!(apart == Some(4) && codebook.contains("the greatest by TEST are those"), "{apart:?} {codebook}");
    let (together, codebook) = greatest(", by = []");
    assert!(together == Some(9) && codebook.contains("the greatest of all are those"), "{codebook}");
}

//! What was removed leaves no trace: nobody who knows it finds an empty cell in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::folder::{Made, Read, omop, public};

pub(crate) const RECIPE: &str = r#"
[input]
folder = "in"
[persons]
tier = "agreement"
[tables.p]
path = "p.csv"
key = "id"
[tables.p.attributes]
sex = { role = "quasi-identifier" }
[tables.stay]
path = "stay.csv"
key = "sid"
parent = { table = "p", column = "pid" }
[tables.stay.attributes]
kind = { role = "code" }
[tables.lab]
path = "lab.csv"
parent = { table = "p", column = "pid" }
[tables.lab.attributes]
test = { role = "code" }
result = { role = "code" }
value = { role = "value", by = ["test", "unit"] }
unit = { role = "code" }
dx = { role = "set", items = ";" }
stay = { role = "reference", table = "stay" }
[[privacy]]
model = "k-km-anonymity"
k = 3
m = 1
[output]
path = "release"
"#;

/// A row of `lab`.
#[derive(Clone)]
pub(crate) struct Lab {
    pub(crate) test: &'static str,
    pub(crate) result: &'static str,
    value: &'static str,
    unit: &'static str,
    dx: &'static str,
}

/// Sixty persons with a stay and two rows each, changed by `change` of person and test.
pub(crate) fn labs(change: impl Fn(usize, &mut Lab)) -> Made {
    let made = Made::empty();
    let (mut persons, mut stays) = ("id,sex\n".to_owned(), "sid,pid,kind\n".to_owned());
    let mut rows = "pid,test,result,value,unit,dx,stay\n".to_owned();
    for person in 0..60 {
        let _ = writeln!(persons, "{person},{}", if person % 2 == 0 { "F" } else { "M" });
        let _ = writeln!(stays, "{person},{person},in");
        let hiv = Lab { test: "HIV", result: "neg", value: "", unit: "", dx: "I10" };
        let glucose = Lab { test: "GLU", result: "", value: "5", unit: "mmol/L", dx: "I10;E11" };
        for mut lab in [hiv, glucose] {
            // Of the first test a third of the persons has a row.
            if lab.test == "HIV" && person % 3 != 0 {
                continue;
            }
            change(person, &mut lab);
            let Lab { test, result, value, unit, dx } = lab;
            let _ = writeln!(rows, "{person},{test},{result},{value},{unit},{dx},{person}");
        }
    }
    made.table("p.csv", &persons);
    made.table("stay.csv", &stays);
    made.table("lab.csv", &rows);
    made
}

/// The rows of a test, and how many of them have each text in a column.
fn shown(made: &Made, test: &str, column: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in made.released("lab.csv").iter().filter(|row| row["test"] == test) {
        *counts.entry(row[column].clone()).or_default() += 1;
    }
    counts
}

fn of<const N: usize>(counts: [(&str, usize); N]) -> BTreeMap<String, usize> {
    counts.into_iter().map(|(text, count)| (text.to_owned(), count)).collect()
}

#[test]
fn a_rare_result_goes_with_its_row() {
    let positive = |persons: usize| {
        let made = labs(|person, lab| {
            if lab.test == "HIV" && person < 3 * persons {
                lab.result = ["pos", "unsure", "weak", "late"][person / 3];
            }
        });
        made.run(RECIPE).unwrap();
        shown(&made, "HIV", "result")
    };
    assert_eq!(positive(0), of([("neg", 20)]));
    assert_eq!(positive(1), of([("neg", 19)]), "an empty cell beside the test would be that of one person");
    assert_eq!(positive(2), of([("neg", 18)]));
    assert_eq!(positive(4), of([("", 4), ("neg", 16)]), "four persons hide each other");
}

#[test]
fn a_gap_of_the_original_stays_where_nothing_was_emptied() {
    let gap = |rare: bool| {
        let made = labs(|person, lab| match (lab.test, person) {
            ("HIV", 6) => lab.result = "",
            ("HIV", 9) if rare => lab.result = "pos",
            _ => {}
        });
        let manifest = made.run(RECIPE).unwrap().manifest;
        (shown(&made, "HIV", "result"), manifest.tables["lab"].emptied.iter().cloned().collect::<Vec<_>>())
    };
    assert_eq!(gap(false), (of([("", 1), ("neg", 19)]), vec![]));
    assert_eq!(gap(true), (of([("neg", 18)]), vec!["result".to_owned()]));
}

#[test]
fn a_row_goes_with_the_last_code_of_its_list() {
    let made = labs(|person, lab| {
        if lab.test == "GLU" && person == 7 {
            lab.dx = "Q99;Q98";
        }
        if lab.test == "HIV" && person == 6 {
            lab.dx = "";
        }
    });
    made.run(RECIPE).unwrap();
    assert_eq!(shown(&made, "GLU", "dx"), of([("E11;I10", 59)]));
    // A list that is empty never had a code: of those that lost all, the rows went.
    assert_eq!(shown(&made, "HIV", "dx"), of([("", 1), ("I10", 19)]));
}

#[test]
fn a_number_goes_with_its_unit() {
    let rare = |persons: usize| {
        let made = labs(|person, lab| {
            if lab.test == "GLU" && person < persons {
                (lab.value, lab.unit) = ("40", ["mg/dL", "g/L", "mg/L", "g/dL"][person]);
            }
        });
        made.run(RECIPE).unwrap();
        (shown(&made, "GLU", "value"), shown(&made, "GLU", "unit"))
    };
    assert_eq!(rare(1), (of([("5", 59)]), of([("mmol/L", 59)])));
    // No number of another unit stands without its unit.
    assert_eq!(rare(4), (of([("", 4), ("5", 56)]), of([("", 4), ("mmol/L", 56)])));
}

#[test]
fn a_rare_band_goes_with_its_row() {
    let made = labs(|person, lab| {
        if lab.test == "GLU" && (person == 4 || person == 9) {
            lab.value = "150";
        }
    });
    let bands = RECIPE.replace("by = [\"test\", \"unit\"]", "by = [\"test\"], bands = [0, 50, 200]");
    made.run(&bands).unwrap();
    assert_eq!(shown(&made, "GLU", "value"), of([("[0, 50)", 58)]));
}

#[test]
fn what_belonged_to_a_rare_stay_goes() {
    let made = labs(|_, _| {});
    made.change("stay.csv", |text| text.replace("\n5,5,in", "\n5,5,prison"));
    made.run(RECIPE).unwrap();
    let (stays, labs): (Read, Read) = (made.released("stay.csv"), made.released("lab.csv"));
    assert_eq!(stays.len(), 59);
    assert!(labs.iter().all(|row| !row["stay"].is_empty()));
    let persons: BTreeSet<&String> = labs.iter().map(|row| &row["pid"]).collect();
    assert_eq!(persons.len(), 59);
}

#[test]
fn a_death_keeps_its_row_without_the_column() {
    let made = labs(|_, _| {});
    let text: String =
        (0..30).map(|person| format!("{person},{}\n", if person == 3 { "x" } else { "y" })).collect();
    made.table("dead.csv", &format!("pid,cause\n{text}"));
    let dead = "[tables.dead]\npath = \"dead.csv\"\nis-person-column = true\nparent = { table = \"p\", column = \"pid\" }\n\
                [tables.dead.attributes]\ncause = { role = \"code\" }\n[[privacy]]";
    made.run(&RECIPE.replace("[[privacy]]", dead)).unwrap();
    let rows = made.released("dead.csv");
    assert_eq!(rows.len(), 30);
    assert!(rows.iter().all(|row| row["cause"].is_empty()));
}

#[test]
fn a_rare_band_of_a_known_shape() {
    let made = omop(120);
    made.change("MEASUREMENT.csv", |text| {
        let changed = |(row, line): (usize, &str)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            if row > 0 {
                cells[5] = if row == 5 || row == 9 { "150" } else { "70" };
            }
            cells.join(",") + "\n"
        };
        text.lines().enumerate().map(changed).collect()
    });
    let bands = "[tables.measurement.attributes.value_as_number]\nrole = \"value\"\nbands = [0, 100, 200]\n";
    made.run(&(public("\"year\"") + bands)).unwrap();
    let rows = made.released("MEASUREMENT.csv");
    assert!(rows.len() > 50 && rows.iter().all(|row| row["value_as_number"] == "[0, 100)"));
}

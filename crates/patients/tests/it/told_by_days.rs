//! What days show beside themselves: ages that are not told, and by how much they were moved.

use std::fmt::Write as _;
use std::path::Path;

use velamen_checker::{Finding, State};

use super::folder::{Made, agreement, omop, with_context};

const RECIPE: &str = r#"
[input]
folder = "in"
[persons]
tier = "public"
dates = { relative = "month" }
[tables.p]
path = "p.csv"
key = "id"
[tables.p.attributes]
sex = { role = "quasi-identifier" }
born = { role = "quasi-identifier", birth = true, hierarchy = { interval = [10, 20], min = 1900, max = 2039 } }
[tables.c]
path = "c.csv"
key = "cid"
parent = { table = "p", column = "pid" }
[tables.c.attributes]
day = { role = "date" }
code = { role = "set" }
[[privacy]]
model = "k-km-anonymity"
k = 3
m = 1
[output]
path = "release"
"#;

/// Sixty persons; of each fourth the rows are 95 years apart.
fn lives() -> Made {
    let made = Made::empty();
    let (mut persons, mut rows) = ("id,sex,born\n".to_owned(), "cid,pid,day,code\n".to_owned());
    for person in 0..60 {
        let born = if person % 4 == 0 { 1925 } else { 1970 + person % 10 };
        let _ = writeln!(persons, "{person},{},{born}", if person % 2 == 0 { "F" } else { "M" });
        let last = if person % 4 == 0 { 2020 } else { 2010 };
        let _ = writeln!(rows, "{},{person},{born}-05-0{},A", 2 * person, 1 + person % 5);
        let _ = writeln!(rows, "{},{person},{last}-06-0{},A", 2 * person + 1, 1 + person % 5);
    }
    made.table("p.csv", &persons);
    made.table("c.csv", &rows);
    made
}

fn finding(made: &Made, promise: &str) -> Finding {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let findings = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    findings.into_iter().find(|finding| finding.promise == promise).unwrap()
}

fn replaced(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn relative_days_end_before_they_show_an_age() {
    let made = lives();
    made.run(RECIPE).unwrap();
    let rows = made.released("c.csv");
    let latest = rows.iter().map(|row| row["day"].clone()).max().unwrap();
    assert!(latest.as_str() > "2030" && latest.as_str() < "2090", "{latest}");
    assert_eq!(rows.len(), 15 + 2 * 45, "each first day stays");
    // Nothing but the custodian's word says when the data end.
    assert_eq!(finding(&made, "ages").state, State::Stated);
    replaced(&made.path("release/data/c.csv"), &latest, "2095-02-01");
    assert_eq!(finding(&made, "ages").state, State::Broken);
}

#[test]
fn periods_are_those_of_the_released_days() {
    let made = omop(300);
    let header = "observation_period_id,person_id,observation_period_start_date,observation_period_end_date,period_type_concept_id";
    made.table("OBSERVATION_PERIOD.csv", &format!("{header}\n"));
    made.run(&agreement(5, 1)).unwrap();
    assert_eq!(finding(&made, "dates").state, State::Held);
    let path = made.path("release/data/OBSERVATION_PERIOD.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    for (cell, other) in [(row[2], "2015-07-15"), (row[3], "2019-07-15")] {
        replaced(&path, &format!(",{cell},"), &format!(",{other},"));
        assert_eq!(finding(&made, "dates").state, State::Broken, "{other}");
        std::fs::write(&path, &text).unwrap();
    }
    let without: Vec<&str> = text.lines().take(text.lines().count() - 1).collect();
    std::fs::write(&path, without.join("\n") + "\n").unwrap();
    assert_eq!(finding(&made, "dates").state, State::Broken, "a person without a period");
}

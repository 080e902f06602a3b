//! What would show who somebody is: contacts, days and births in columns of other roles, several rows of one person, columns of one
//! name, and days that many share.

use std::fmt::Write as _;

use velamen_checker::State;

use super::folder::{Drawn, Made, agreement, omop, with_context};

/// Persons with a birth and one more cell, and two rows each with a code and one more cell.
fn folder(of_person: &dyn Fn(u64) -> String, of_row: &dyn Fn(u64) -> String) -> Made {
    let made = Made::empty();
    let (mut persons, mut rows) = ("id,sex,born,more\n".to_owned(), "pid,code,other\n".to_owned());
    let mut drawn = Drawn(3);
    for id in 0..60 {
        let sex = ["m", "f"][drawn.below(2) as usize];
        let _ = writeln!(persons, "k{id},{sex},19{}-03-04,{}", 50 + id % 10, of_person(id));
        for row in 0..2 {
            let _ = writeln!(rows, "k{id},A{},{}", (id + row) % 3, of_row(id));
        }
    }
    made.table("p.csv", &persons);
    made.table("d.csv", &rows);
    made
}

const RECIPE: &str = r#"[input]
folder = "in"
[persons]
window = ["2010-01-01", "2019-12-31"]
[tables.p]
path = "p.csv"
key = "id"
[tables.p.attributes]
sex = { role = "quasi-identifier" }
born = { role = "quasi-identifier", birth = true, hierarchy = { date = ["year", "10-years"], min = "1900-01-01", max = "2039-12-31" } }
more = { role = "insensitive" }
[tables.d]
path = "d.csv"
parent = { table = "p", column = "pid" }
[tables.d.attributes]
code = { role = "set" }
other = { role = "code" }
[[privacy]]
model = "k-km-anonymity"
k = 3
m = 1
[output]
path = "release"
"#;

fn plain(id: u64) -> String {
    ["red", "green"][(id % 2) as usize].to_owned()
}

fn mail(id: u64) -> String {
    format!("secret.cell{id}@example.org")
}

fn seen(id: u64) -> String {
    format!("2019-03-{:02}", 1 + id % 5)
}

#[track_caller]
fn refused(made: &Made, recipe: &str, says: &[&str]) {
    let error = made.run(recipe).map(|_| ()).unwrap_err();
    let message = error.to_string();
    assert_eq!(error.exit_code(), 5, "{message}");
    assert!(says.iter().all(|words| message.contains(words)), "{message}");
    assert!(!message.contains("secret") && !message.contains("2019-03-0"), "{message}");
    assert!(!made.path("release").exists());
}

#[test]
fn contacts_and_days_are_not_released_as_recorded() {
    folder(&plain, &plain).run(RECIPE).unwrap();
    refused(&folder(&mail, &plain), RECIPE, &["table `p`, column `more`", "e-mail", "identifier-like"]);
    refused(&folder(&seen, &plain), RECIPE, &["table `p`, column `more`", "days", "quasi-identifier"]);
    refused(&folder(&plain, &seen), RECIPE, &["table `d`, column `other`", "days", "role \"date\""]);
    let meant = RECIPE
        .replace("{ role = \"insensitive\" }", "{ role = \"insensitive\", identifier-like = \"intended\" }");
    folder(&mail, &plain).run(&meant).unwrap();
    let preset = format!("preset = \"hipaa-safe-harbor\"\n{meant}");
    refused(&folder(&mail, &plain), &preset, &["table `p`, column `more`", "e-mail"]);
}

/// One of few physicians.
fn physician(id: u64) -> String {
    ["Dr. Anna Krüger", "Dr. Peter Meyer", "Dr. Heike Nowak"][(id % 3) as usize].to_owned()
}

/// One of few sentences.
fn sentence(id: u64) -> String {
    let all = [
        "came with cough and fever since last week",
        "has no pain any more and wants to go home",
        "asks for her daughter who works at the bakery",
    ];
    all[(id % 3) as usize].to_owned()
}

#[test]
fn what_is_no_code_is_not_released_as_one() {
    for role in ["code", "set", "insensitive"] {
        let recipe =
            RECIPE.replace("other = { role = \"code\" }", &format!("other = {{ role = \"{role}\" }}"));
        let (by_name, by_text) = (folder(&plain, &physician), folder(&plain, &sentence));
        refused(&by_name, &recipe, &["table `d`, column `other`", "looks like names", "identifier-like"]);
        refused(&by_text, &recipe, &["table `d`, column `other`", "sentences", "identifier-like"]);
        let meant = recipe.replace("other = {", "other = { identifier-like = \"intended\",");
        by_name.run(&meant).unwrap();
        by_text.run(&meant).unwrap();
    }
    let treating = folder(&plain, &plain);
    treating.change("d.csv", |text| text.replacen("other", "attending_physician", 1));
    let recipe = RECIPE.replace("other = ", "attending_physician = ");
    refused(&treating, &recipe, &["table `d`, column `attending_physician`", "people who treat others"]);
}

#[test]
fn times_that_are_counted_are_no_numbers() {
    let recipe =
        RECIPE.replace("other = { role = \"code\" }", "other = { role = \"value\", bands = [0, 1e15] }");
    let seconds = |id: u64| (1_425_168_007 + id * 86_411).to_string();
    let milliseconds = |id: u64| (1_425_168_007_003 + id * 86_411_007).to_string();
    let compact = |id: u64| (20_150_301 + id % 28).to_string();
    refused(&folder(&plain, &seconds), &recipe, &["table `d`, column `other`", "since 1970", "YYYY-MM-DD"]);
    refused(&folder(&plain, &milliseconds), &recipe, &["table `d`, column `other`", "since 1970"]);
    refused(&folder(&plain, &compact), &recipe, &["table `d`, column `other`", "days", "role \"date\""]);
    let recorded = RECIPE.replace("other = { role = \"code\" }", "other = { role = \"insensitive\" }");
    refused(&folder(&plain, &seconds), &recorded, &["table `d`, column `other`", "since 1970"]);
    let platelets = |id: u64| (250 + id % 90).to_string() + "000000000";
    folder(&plain, &platelets).run(&recipe).unwrap();
}

#[test]
fn births_are_called_births() {
    let made = folder(&plain, &plain);
    let unsaid = RECIPE.replace("birth = true, ", "");
    refused(&made, &unsaid, &["table `p`, column `born`", "births", "birth = true"]);
    // Whatever it is called: somebody of that day would be over 90.
    made.change("p.csv", |text| text.replacen("born", "began", 1).replacen("1950-03-04", "1911-03-04", 1));
    let began = unsaid.replace("born = ", "began = ");
    refused(&made, &began, &["table `p`, column `began`", "births"]);
}

/// What `verify` says of the preset.
fn preset(made: &Made) -> Option<State> {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let found = with_context(|context| velamen_patients::verify(&release, &manifest, context)).unwrap();
    found.into_iter().find(|finding| finding.promise == "preset").map(|finding| finding.state)
}

#[test]
fn a_forged_cell_breaks_the_safe_harbor() {
    let made = folder(&plain, &plain);
    made.run(&format!("preset = \"hipaa-safe-harbor\"\n{RECIPE}")).unwrap();
    assert_eq!(preset(&made), Some(State::Held));
    let path = made.path("release/data/p.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    for (from, to) in [("red", "secret@example.org"), ("green", "2019-03-04")] {
        std::fs::write(&path, text.replace(from, to)).unwrap();
        assert_eq!(preset(&made), Some(State::Broken), "{to}");
    }
}

#[test]
fn rows_of_one_person_are_not_persons() {
    let made = Made::empty();
    let mut text = "patient_id,sex,dx\n".to_owned();
    for person in 0..12 {
        for row in 0..5 {
            let codes = if person == 3 { "A;RARE" } else { "A;B" };
            let _ = writeln!(text, "{},{},{codes}", 1_000 + person, ["m", "f"][person % 2]);
            let _ = row;
        }
    }
    made.table("p.csv", &text);
    let recipe = r#"[input]
path = "in/p.csv"
[attributes]
patient_id = { role = "identifier" }
sex = { role = "quasi-identifier" }
dx = { role = "set", items = ";" }
[[privacy]]
model = "k-km-anonymity"
k = 3
m = 1
[output]
path = "release"
"#;
    refused(&made, recipe, &["table `persons`", "`patient_id` tells 12 people apart in 60 rows", "parent"]);
    made.run(&recipe.replace("[attributes]", "rows = \"independent\"\n[attributes]")).unwrap();
}

#[test]
fn columns_of_one_name_are_refused() {
    let made = folder(&plain, &plain);
    made.change("p.csv", |text| text.replacen("sex,born", "MORE,born", 1));
    let error = made.run(RECIPE).unwrap_err();
    assert!(error.to_string().contains("`MORE` and `more` have one name"), "{error}");
    assert_eq!(error.exit_code(), 4);
}

/// One day in a column of all rows.
fn with_day(text: &str, column: usize) -> String {
    let mut lines = text.lines();
    let mut made = lines.next().unwrap().to_owned() + "\n";
    for line in lines {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells[column] = "2015-06-30";
        made += &(cells.join(",") + "\n");
    }
    made
}

#[test]
fn a_day_that_many_share_does_not_tell_the_shift() {
    let made = omop(200);
    made.change("CONDITION_OCCURRENCE.csv", |text| with_day(&text, 4));
    let outcome = made.run(&agreement(3, 1)).unwrap();
    let said = |words: &str| outcome.warnings.iter().any(|warning| warning.contains(words));
    assert!(said("column `condition_end_date`: one day is that of 200 persons"), "{:?}", outcome.warnings);
    let rows = made.released("CONDITION_OCCURRENCE.csv");
    assert!(!rows.is_empty() && rows.iter().all(|row| row["condition_end_date"].is_empty()));
    // What a row is about cannot be emptied.
    made.change("CONDITION_OCCURRENCE.csv", |text| with_day(&text, 3));
    std::fs::remove_dir_all(made.path("release")).unwrap();
    refused(
        &made,
        &agreement(3, 1),
        &["condition_start_date", "one day is that of 200 persons", "drop = true"],
    );
}

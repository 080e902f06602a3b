//! Where tables come from, and which of their rows are looked at.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use velamen_checker::State;
use velamen_core::error::Class;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::folder::{Drawn, Made, agreement, omop};
use super::originals::found;
use super::tables::{self, hospital};

/// Persons with lists of codes as NDJSON has them.
fn lists(number: u64) -> (String, String) {
    let mut drawn = Drawn(9);
    let (mut json, mut csv) = (String::new(), "id,sex,codes\n".to_owned());
    for id in 0..number {
        let sex = if drawn.below(2) == 0 { "F" } else { "M" };
        let mut codes: Vec<String> =
            (0..drawn.below(4)).map(|_| format!("E1{}", drawn.below(3) * drawn.below(3))).collect();
        codes.push(if drawn.below(5) == 0 { "W19.1".into() } else { "I10".into() });
        let _ = writeln!(json, "{{\"id\":{id},\"sex\":\"{sex}\",\"codes\":[\"{}\"]}}", codes.join("\", \""));
        let _ = writeln!(csv, "{id},{sex},{}", codes.join(";"));
    }
    (json, csv)
}

const LISTS: &str = r#"
[input]
path = "in/patients.ndjson"
[persons]
public-events = "keep"
[tables.patients]
key = "id"
[tables.patients.attributes]
sex = { role = "quasi-identifier" }
codes = { role = "set", hierarchy = { icd-10 = "who" } }
[[privacy]]
model = "k-km-anonymity"
k = 5
m = 1
[key]
file = "secret.key"
[output]
path = "release"
"#;

#[test]
fn a_list_is_a_cell_of_codes() {
    let made = Made::empty();
    let (json, csv) = lists(200);
    made.table("patients.ndjson", &json);
    made.table("patients.csv", &csv);
    let from_lists = made.run(LISTS).unwrap();
    let rows = made.released("patients.csv");
    assert!(rows.iter().any(|row| row["codes"].contains(';')), "codes of lists stand beside each other");
    assert_eq!(found(&made).state, State::Held, "the original's lists are read");
    let from_cells = LISTS.replace("ndjson", "csv").replace("\"set\",", "\"set\", items = \";\",");
    let from_cells = made.run(&from_cells).unwrap();
    assert_eq!(rows, made.released("patients.csv"));
    assert_eq!(from_lists.survived, from_cells.survived);
}

#[test]
fn lists_are_for_sets() {
    let made = Made::empty();
    made.table("patients.ndjson", &lists(60).0);
    let refused = |recipe: &str| {
        let error = made.run(recipe).unwrap_err();
        (error.class(), error.to_string())
    };
    let (class, text) =
        refused(&LISTS.replace("\"set\", hierarchy = { icd-10 = \"who\" }", "\"insensitive\""));
    assert!(class == Class::Recipe && text.contains("lists") && text.contains("codes"), "{text}");
    let (class, text) = refused(&LISTS.replace("\"set\",", "\"set\", items = \"1\","));
    assert!(class == Class::Data && text.contains("row 1") && text.contains("items"), "{text}");
    assert!(!text.contains("I10") && !text.contains("E11"), "{text}");
}

#[test]
fn codes_of_public_events_go_unless_somebody_says_otherwise() {
    let made = Made::empty();
    made.table("patients.ndjson", &lists(200).0);
    made.run(LISTS).unwrap();
    let has_events =
        |made: &Made| made.released("patients.csv").iter().any(|row| row["codes"].contains("W19"));
    assert!(has_events(&made));
    let outcome = made.run(&LISTS.replace("public-events = \"keep\"\n", "")).unwrap();
    assert!(!has_events(&made));
    assert_eq!(outcome.manifest.public_events, ["patients.codes"]);
    let found = outcome.findings.iter().find(|finding| finding.promise == "public-events").unwrap();
    assert_eq!(found.state, State::Held);
    let readme = std::fs::read_to_string(made.path("release/README.md")).unwrap();
    assert!(readme.contains("No code of the ICD-10 in `patients.codes` is that of a birth"), "{readme}");
}

/// Packs the folder of the tables, and takes the tables away.
fn pack(made: &Made) {
    let mut writer = ZipWriter::new(File::create(made.path("in.zip")).unwrap());
    for entry in std::fs::read_dir(made.path("in")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("export/{}", path.file_name().unwrap().to_string_lossy());
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(&std::fs::read(&path).unwrap()).unwrap();
        std::fs::remove_file(path).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_folder_may_be_packed() {
    let made = omop(150);
    let recipe = agreement(3, 1);
    made.run(&recipe).unwrap();
    let plain = std::fs::read(made.path("release/data/CONDITION_OCCURRENCE.csv")).unwrap();
    pack(&made);
    made.run(&recipe.replace("folder = \"in\"", "folder = \"in.zip\"")).unwrap();
    assert_eq!(std::fs::read(made.path("release/data/CONDITION_OCCURRENCE.csv")).unwrap(), plain);
    assert_eq!(found(&made).state, State::Held, "the packed original is read");
    std::fs::remove_file(made.path("in.zip")).unwrap();
    assert_eq!(found(&made).state, State::NotChecked);
}

#[test]
fn a_table_may_have_a_window_of_its_own() {
    let made = omop(200);
    let own = agreement(3, 1).replace(
        "[[privacy]]",
        "[tables.measurement]\nwindow = [\"2014-01-01\", \"2019-12-31\"]\n[[privacy]]",
    );
    made.run(&own).unwrap();
    let days = |name: &str, column: &str| -> BTreeSet<String> {
        made.released(name).into_iter().map(|row| row[column].clone()).collect()
    };
    let first = days("MEASUREMENT.csv", "measurement_date").pop_first().unwrap();
    assert!(first.as_str() >= "2014-01-31", "{first}: a shift of 30 days");
    assert!(days("VISIT_OCCURRENCE.csv", "visit_start_date").pop_first().unwrap().as_str() < "2014-01-01");
    for wrong in ["\"2009-01-01\", \"2019-12-31\"", "\"2014-01-01\", \"2014-01-20\"", "\"2014\", \"2015\""] {
        let error = made.run(&own.replace("\"2014-01-01\", \"2019-12-31\"", wrong)).unwrap_err();
        assert!(error.class() == Class::Recipe && error.to_string().contains("window"), "{error}");
    }
}

#[test]
fn text_may_have_another_encoding() {
    let made = hospital(200);
    let patients = std::fs::read_to_string(made.path("in/patients.csv")).unwrap();
    let latin: Vec<u8> = patients
        .replace(";F;", ";männlich;")
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect();
    std::fs::write(made.path("in/patients.csv"), latin).unwrap();
    assert_eq!(made.run(tables::RECIPE).unwrap_err().class(), Class::Data);
    let recipe = tables::RECIPE.replace("folder = \"in\"", "folder = \"in\"\nencoding = \"windows-1252\"");
    made.run(&recipe).unwrap();
    let text = std::fs::read_to_string(made.path("release/data/patients.csv")).unwrap();
    assert!(text.contains("männlich"), "{text}");
    assert_eq!(found(&made).state, State::Held, "the original is read so, too");
    let wrong = made.run(&recipe.replace("windows-1252", "klingon")).unwrap_err();
    assert_eq!(wrong.class(), Class::Recipe);
}

#[test]
fn one_place_has_the_tables() {
    let made = hospital(50);
    for wrong in
        ["folder = \"in\"\npath = \"in/patients.csv\"", "database = \"sqlite:a.db\"\nfolder = \"in\"", ""]
    {
        let error = made.run(&tables::RECIPE.replace("folder = \"in\"", wrong)).unwrap_err();
        assert!(
            error.class() == Class::Recipe && error.to_string().contains("no folder of tables"),
            "{error}"
        );
    }
    let error =
        made.run(&tables::RECIPE.replace("path = \"stays.csv\"", "query = \"SELECT 1\"")).unwrap_err();
    assert!(error.to_string().contains("a query is for databases"), "{error}");
}

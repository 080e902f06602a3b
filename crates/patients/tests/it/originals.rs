//! Released rows beside the original, and what is forged.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_checker::{Finding, State};
use velamen_contract::linked::{Column, Table};
use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;

use super::folder::{Made, agreement, omop, public};
use super::removed::{RECIPE, labs};
use super::tables;

/// What `verify` finds of the originals.
pub(crate) fn found(made: &Made) -> Finding {
    named(made, "originals")
}

/// What `verify` with the custodian's folder finds of a promise.
fn named(made: &Made, name: &str) -> Finding {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let custodian = made.path("release.custodian");
    let findings = velamen_patients::verify_with(&release, &manifest, Some(&custodian), &context).unwrap();
    findings.into_iter().find(|finding| finding.promise == name).unwrap()
}

fn faults(finding: &Finding, kind: &str) -> u64 {
    finding.reached[kind].as_u64().unwrap()
}

#[test]
fn the_statement_is_that_of_the_run() {
    let made = omop(60);
    made.run(&agreement(3, 1)).unwrap();
    assert_eq!([named(&made, "recorded").state, found(&made).state], [State::Held; 2]);
    let path = made.path("release/release.json");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"suppressed\""), "{text}");
    std::fs::write(&path, text + "\n").unwrap();
    let finding = named(&made, "recorded");
    assert_eq!(finding.state, State::Broken);
    assert_eq!(finding.reached["changed"], serde_json::json!(["release.json"]));
    assert_eq!(found(&made).state, State::Held);
    // Earlier versions recorded none.
    let custodian = made.path("release.custodian/custodian.json");
    let text = std::fs::read_to_string(&custodian).unwrap();
    std::fs::write(&custodian, text.replace("manifest-sha256", "other")).unwrap();
    assert_eq!(named(&made, "recorded").state, State::NotChecked);
}

/// A table's cells, its header among them.
fn cells(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).unwrap();
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Changes a file of rows.
fn forge(path: &Path, change: impl Fn(&mut Vec<Vec<String>>)) {
    let mut rows = cells(path);
    change(&mut rows);
    let mut writer = csv::WriterBuilder::new().flexible(true).from_path(path).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
}

/// Changes a released table, and says that one kind of fault alone is found.
pub(crate) fn broken(
    made: &Made,
    table: &str,
    kind: &str,
    change: impl Fn(&mut Vec<Vec<String>>),
) -> Finding {
    let path = made.path("release/data").join(table);
    let before = std::fs::read(&path).unwrap();
    forge(&path, change);
    let finding = found(made);
    std::fs::write(&path, before).unwrap();
    assert_eq!(finding.state, State::Broken, "{kind}: {:?}", finding.reached);
    assert!(faults(&finding, kind) > 0, "{kind}: {:?}", finding.reached);
    let others = finding.asked.as_object().unwrap().keys().filter(|other| *other != kind);
    others.for_each(|other| assert_eq!(faults(&finding, other), 0, "{kind}, {other}: {:?}", finding.reached));
    finding
}

pub(crate) fn place(rows: &[Vec<String>], column: &str) -> usize {
    rows[0].iter().position(|name| name == column).unwrap()
}

/// Two rows of one person that differ in a column.
fn two_of_one(rows: &[Vec<String>], column: &str) -> (usize, usize) {
    let (person, of) = (place(rows, "person_id"), place(rows, column));
    let pair = |a: usize| {
        Some((
            a,
            (a + 1..rows.len())
                .find(|&b| rows[a][person] == rows[b][person] && rows[a][of] != rows[b][of])?,
        ))
    };
    (1..rows.len()).find_map(pair).unwrap()
}

fn swap(rows: &mut [Vec<String>], (a, b): (usize, usize), column: usize) {
    let cell = std::mem::take(&mut rows[a][column]);
    rows[a][column] = std::mem::replace(&mut rows[b][column], cell);
}

/// Exchanges the cells of two rows of one person.
fn swap_of_one(rows: &mut [Vec<String>], column: &str) {
    let (pair, column) = (two_of_one(rows, column), place(rows, column));
    swap(rows, pair, column);
}

#[test]
fn every_release_is_of_its_original() {
    let made = omop(300);
    for dates in [
        "\"year\"",
        "\"none\"",
        "{ relative = \"week\" }",
        "{ relative = \"month\" }",
        "{ relative = \"quarter\" }",
    ] {
        let window = "window = [\"2010-01-01\", \"2019-12-31\"]\n[[privacy]]";
        made.run(&public(dates).replace("[[privacy]]", window)).unwrap();
        let finding = found(&made);
        assert_eq!(finding.state, State::Held, "{dates}: {:?}", finding.reached);
    }
    made.run(&agreement(5, 2)).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    let made = tables::hospital(300);
    made.run(tables::RECIPE).unwrap();
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn codes_may_climb() {
    let made = omop(150);
    // Each code is that of few, each family that of many.
    made.change("CONDITION_OCCURRENCE.csv", |text| {
        let rare =
            |(row, line): (usize, &str)| line.replacen(",4000", &format!(",4{:02}0", row * 37 % 100), 1);
        text.lines().enumerate().map(rare).collect::<Vec<_>>().join("\n") + "\n"
    });
    let tree = "[tables.condition_occurrence.attributes.condition_concept_id]\nrole = \"set\"\nhierarchy = { prefix = [2, 6], alphabet = 10 }\n";
    let outcome = made.run(&(agreement(5, 1) + tree)).unwrap();
    assert!(!outcome.manifest.generalized_codes.is_empty());
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    // What climbed to another code than the list says is not the row's own.
    forge(&made.path("release.custodian/climbed.csv"), |rows| {
        let other = |row: &mut Vec<String>| {
            if row[1] == "condition_concept_id" {
                row[3] = "399".into()
            }
        };
        rows.iter_mut().for_each(other);
    });
    assert!(faults(&found(&made), "codes") > 0);
}

#[test]
fn each_forgery_is_found_where_it_is() {
    let made = omop(300);
    made.run(&agreement(5, 1)).unwrap();
    let conditions = "CONDITION_OCCURRENCE.csv";
    let finding = broken(&made, conditions, "rows", |rows| {
        let mut row = rows[7].clone();
        row[0] = rows.len().to_string();
        rows.push(row);
    });
    let rows = cells(&made.path("release/data").join(conditions)).len();
    let first = &finding.reached["first"]["rows"];
    assert_eq!(
        (faults(&finding, "rows"), &first["table"], &first["row"]),
        (1, &"condition_occurrence".into(), &rows.into())
    );
    let finding = broken(&made, conditions, "codes", |rows| swap_of_one(rows, "condition_concept_id"));
    assert_eq!(faults(&finding, "codes"), 2);
    let finding = broken(&made, conditions, "dates", |rows| {
        let column = place(rows, "condition_start_date");
        let other = rows.iter().skip(2).find(|row| row[column] != rows[1][column]).unwrap()[column].clone();
        rows[1][column] = other;
    });
    assert_eq!((faults(&finding, "dates"), &finding.reached["first"]["dates"]["row"]), (1, &1.into()));
    broken(&made, "VISIT_OCCURRENCE.csv", "persons", |rows| {
        let column = place(rows, "person_id");
        let last = rows.len() - 1;
        swap(rows, (1, last), column);
    });
    broken(&made, "DEATH.csv", "persons", |rows| rows[1][0] = "999999".into());
    broken(&made, "DEATH.csv", "rows", |rows| rows.push(rows[1].clone()));
    broken(&made, conditions, "references", |rows| swap_of_one(rows, "visit_occurrence_id"));
    // A cell is empty only where the run says that it emptied some.
    broken(&made, "CONDITION_OCCURRENCE.csv", "codes", |rows| {
        let column = place(rows, "condition_type_concept_id");
        rows[1][column].clear();
    });
    broken(&made, "MEASUREMENT.csv", "numbers", |rows| swap_of_one(rows, "value_as_number"));
    broken(&made, "PERSON.csv", "person-columns", |rows| {
        let column = place(rows, "gender_concept_id");
        let other = (2..rows.len()).find(|&row| rows[row][column] != rows[1][column]).unwrap();
        swap(rows, (1, other), column);
    });
}

#[test]
fn relative_days_have_one_beginning() {
    let made = omop(300);
    made.run(&public("{ relative = \"month\" }")).unwrap();
    let finding = broken(&made, "CONDITION_OCCURRENCE.csv", "dates", |rows| {
        let column = place(rows, "condition_start_date");
        rows[1][column] = "2031-01-01".into();
    });
    assert_eq!(faults(&finding, "dates"), 1);
}

#[test]
fn an_edited_list_is_found() {
    let made = omop(300);
    made.run(&agreement(5, 1)).unwrap();
    let path = made.path("release.custodian/keys.csv");
    let before = std::fs::read(&path).unwrap();
    let of = |rows: &[Vec<String>], table: &str| rows.iter().position(|row| row[0] == table).unwrap();
    // Two persons exchanged: their rows are now of others.
    forge(&path, |rows| {
        let first = of(rows, "person");
        swap(rows, (first, first + 1), 1);
    });
    let finding = found(&made);
    assert!(finding.state == State::Broken && faults(&finding, "persons") > 0, "{:?}", finding.reached);
    std::fs::write(&path, &before).unwrap();
    // One original for two released rows.
    forge(&path, |rows| {
        let first = of(rows, "measurement");
        rows[first + 1][1] = rows[first][1].clone();
    });
    assert_eq!(faults(&found(&made), "rows"), 2);
    std::fs::write(&path, &before).unwrap();
    forge(&made.path("release.custodian/shifts.csv"), |rows| {
        rows[1][1] = if rows[1][1] == "3" { "4".into() } else { "3".into() }
    });
    let finding = found(&made);
    assert!(faults(&finding, "dates") > 0 && faults(&finding, "rows") == 0, "{:?}", finding.reached);
}

#[test]
fn what_is_not_there_is_said() {
    let made = omop(100);
    made.run(&agreement(3, 1)).unwrap();
    let file = made.path("in/MEASUREMENT.csv");
    std::fs::rename(&file, made.path("moved.csv")).unwrap();
    let finding = found(&made);
    assert_eq!(finding.state, State::NotChecked);
    assert!(
        finding.why_not_checked().contains("the original of table `measurement` is not there; put "),
        "{}",
        finding.why_not_checked()
    );
    std::fs::rename(made.path("moved.csv"), &file).unwrap();
    assert_eq!(found(&made).state, State::Held);
    forge(&made.path("release.custodian/shifts.csv"), |rows| rows[2][1] = "soon".into());
    let why = found(&made).why_not_checked().to_owned();
    assert!(
        why.contains("shifts.csv: row 2 is not what a run wrote; expected person,days")
            && !why.contains("soon"),
        "{why}"
    );
}

/// Empty cells of a column that is not stated are counted by nobody.
#[test]
fn columns_with_emptied_cells_are_those_of_the_run() {
    // Four persons hide each other behind an empty result.
    let made = labs(|person, lab| {
        if lab.test == "HIV" && person < 12 {
            lab.result = ["pos", "unsure", "weak", "late"][person / 3];
        }
    });
    made.run(RECIPE).unwrap();
    let path = made.path("release/release.json");
    let before = std::fs::read_to_string(&path).unwrap();
    let altered = |alter: &dyn Fn(&mut BTreeSet<String>, &Table)| {
        let mut manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
        let is_stated = |table: &&Table| !table.emptied.is_empty() && table.columns.len() > 3;
        let table = manifest.tables.values().find(is_stated).expect("cells were emptied").clone();
        let of = manifest.tables.values_mut().find(|of| **of == table).unwrap();
        alter(&mut of.emptied, &table);
        std::fs::write(&path, serde_json::to_string_pretty(&manifest).unwrap() + "\n").unwrap();
        let finding = found(&made);
        std::fs::write(&path, &before).unwrap();
        (faults(&finding, "emptied"), finding.state)
    };
    assert_eq!(altered(&|_, _| ()), (0, State::Held));
    let all = altered(&|emptied, _| emptied.clear());
    assert!(all.0 > 0 && all.1 == State::Broken, "{all:?}");
    let more = altered(&|emptied, table| {
        let is_other =
            |(name, of): &(&String, &Column)| matches!(of, Column::Code) && !emptied.contains(*name);
        let other = table.columns.iter().find(is_other).map(|(name, _)| name.clone());
        emptied.extend(other);
    });
    assert_eq!(more, (1, State::Broken));
}

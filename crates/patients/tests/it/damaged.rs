//! Releases whose manifest or tables are damaged: an error says so, and nothing panics.

use velamen_checker::State;
use velamen_contract::linked::{Column, LinkedManifest};
use velamen_core::error::Class;
use velamen_patients::{figures, risk_of_release, verify};

use super::folder::{Made, agreement, omop, with_context};

/// What is said of a changed manifest by all that read a release.
fn said(made: &Made, change: impl Fn(&mut LinkedManifest)) -> String {
    let release = made.path("release");
    let mut manifest = velamen_patients::load(&release).unwrap().unwrap();
    change(&mut manifest);
    let measured = with_context(|context| figures(&release, &manifest, context)).unwrap_err();
    let risk = with_context(|context| risk_of_release(&release, &manifest, context)).unwrap_err();
    assert_eq!((measured.class(), risk.to_string()), (Class::Data, measured.to_string()));
    let findings = with_context(|context| verify(&release, &manifest, context)).unwrap();
    assert!(findings.iter().any(|finding| finding.state == State::Broken));
    measured.to_string()
}

fn refers(manifest: &mut LinkedManifest, table: &str, column: &str, to: &str) {
    manifest.tables[table].columns[column] = Column::Reference { table: to.to_owned() };
}

#[test]
fn tables_that_lead_nowhere_are_refused() {
    let made = omop(60);
    made.run(&agreement(3, 1)).unwrap();
    let conditions = "condition_occurrence";
    for to in ["zz", ""] {
        let said = said(&made, |manifest| refers(manifest, conditions, "person_id", to));
        assert!(said.contains("table `condition_occurrence` refers to one that is not there"), "{said}");
        let said = self::said(&made, |manifest| refers(manifest, conditions, "visit_occurrence_id", to));
        assert!(said.contains("table `condition_occurrence` refers to one that is not there"), "{said}");
    }
    let circle = said(&made, |manifest| {
        refers(manifest, conditions, "person_id", "measurement");
        refers(manifest, "measurement", "person_id", conditions);
    });
    assert!(circle.contains("leads to no person"), "{circle}");
    for persons in ["zz", "visit_occurrence"] {
        let said = said(&made, |manifest| manifest.persons.table = persons.to_owned());
        assert!(said.contains(&format!("table `{persons}` is to be that of persons, and is not")), "{said}");
    }
    let none = said(&made, |manifest| manifest.tables[conditions].parent = None);
    assert!(none.contains("table `condition_occurrence` leads to no person"), "{none}");
}

#[test]
fn a_row_of_nobody_is_refused() {
    let made = omop(60);
    made.run(&agreement(3, 1)).unwrap();
    let path = made.path("release/data/PERSON.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let first: Vec<&str> = text.lines().take(1).chain(text.lines().skip(2)).collect();
    std::fs::write(&path, first.join("\n") + "\n").unwrap();
    let said = said(&made, |_| {});
    assert!(said.contains("row 1 belongs to no released person"), "{said}");
}

//! What an adversary gets from a release, beside counts of the tests' own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use velamen_core::context::{Context, Silent};
use velamen_dp::Seed;
use velamen_patients::{AttackAsked, LinkedAttack, attack};
use velamen_recipe::JobError;

use super::folder::{Made, agreement, omop, public};

pub(crate) fn tried(made: &Made, m: u8, targets: usize) -> Result<LinkedAttack, JobError> {
    on(made, None, m, targets)
}

/// The same with the original in another folder.
fn on(made: &Made, original: Option<&Path>, m: u8, targets: usize) -> Result<LinkedAttack, JobError> {
    let release = made.path("release");
    let manifest = velamen_patients::load(&release).unwrap().unwrap();
    let (seed, cancel) = (Seed::from_number(7), AtomicBool::new(false));
    let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    let custodian = made.path("release.custodian");
    attack(
        &AttackAsked { release: &release, manifest: &manifest, custodian: &custodian, original, m, targets },
        &context,
    )
}

/// The least number of released persons with the same sex, year of birth, death and conditions `m` of them, over the persons.
fn least(made: &Made) -> Vec<usize> {
    let dead: BTreeSet<String> = match made.path("release/data/DEATH.csv").exists() {
        true => made.released("DEATH.csv").iter().map(|row| row["person_id"].clone()).collect(),
        false => BTreeSet::new(),
    };
    let mut codes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in made.released("CONDITION_OCCURRENCE.csv") {
        codes.entry(row["person_id"].clone()).or_default().insert(row["condition_concept_id"].clone());
    }
    let persons: Vec<(String, (Option<String>, Option<String>, bool))> = made
        .released("PERSON.csv")
        .into_iter()
        .map(|row| {
            let id = row["person_id"].clone();
            let class = (
                row.get("gender_concept_id").cloned(),
                row.get("year_of_birth").cloned(),
                dead.contains(&id),
            );
            (id, class)
        })
        .collect();
    let empty = BTreeSet::new();
    let of = |id: &String| codes.get(id).unwrap_or(&empty);
    let count = |class: &(Option<String>, Option<String>, bool), code: Option<&String>| {
        persons
            .iter()
            .filter(|(id, other)| other == class && code.is_none_or(|code| of(id).contains(code)))
            .count()
    };
    let least = |(id, class): &(String, _)| {
        of(id).iter().map(|code| count(class, Some(code))).min().unwrap_or_else(|| count(class, None))
    };
    persons.iter().map(least).collect()
}

#[test]
fn nobody_is_alone_by_what_is_promised() {
    let made = omop(300);
    let outcome = made.run(&agreement(5, 2)).unwrap();
    let found = tried(&made, 2, 1_000).unwrap();
    assert_eq!((found.persons, found.original_persons), (outcome.survived.persons[1], 300));
    assert_eq!((found.released.targets, found.left_out.targets), (found.persons, 300 - found.persons));
    let worst = found.released.worst_codes.unwrap();
    assert_eq!((found.released.codes.alone, worst.alone, worst.nobody), (0.0, 0.0, 0.0));
    assert!(
        worst.chance <= 0.2
            && found.released.codes.chance <= worst.chance
            && found.released.codes.chance > 0.0
    );
    assert_eq!((found.left_out.codes.alone, found.left_out.codes.chance), (0.0, 0.0));
    assert!(found.left_out.worst_codes.is_none());
    // A day is not covered by the promise, and helps.
    let day = found.released.worst_codes_and_day.unwrap();
    assert!(day.alone > 0.0 && day.chance > worst.chance, "{day:?}");
    assert!(found.released.codes_and_day.chance > found.released.codes.chance);
}

#[test]
fn the_worst_code_is_that_of_the_fewest() {
    let made = omop(200);
    made.run(&agreement(4, 1)).unwrap();
    let found = tried(&made, 1, 1_000).unwrap();
    let least = least(&made);
    let chance = least.iter().map(|number| 1.0 / *number as f64).sum::<f64>() / least.len() as f64;
    assert!((found.released.worst_codes.unwrap().chance - chance).abs() < 1e-9, "{found:?} {chance}");
}

#[test]
fn more_codes_than_promised_find_people() {
    let made = omop(300);
    made.run(&agreement(5, 1)).unwrap();
    let found = tried(&made, 3, 1_000).unwrap();
    assert!(found.released.worst_codes.unwrap().alone > 0.0, "{found:?}");
    assert_eq!(found, tried(&made, 3, 1_000).unwrap());
    assert_eq!(tried(&made, 3, 10).unwrap().released.targets, 10);
}

#[test]
fn a_relative_day_tells_nothing() {
    let made = omop(300);
    made.run(&public("{ relative = \"month\" }")).unwrap();
    let found = tried(&made, 1, 100).unwrap().released;
    assert_eq!((found.codes, found.worst_codes), (found.codes_and_day, found.worst_codes_and_day));
    made.run(&public("\"year\"")).unwrap();
    let found = tried(&made, 1, 100).unwrap().released;
    assert!(found.codes.chance < found.codes_and_day.chance);
}

#[test]
fn what_stands_without_its_reason_is_counted() {
    let made = omop(300);
    // One person's only visit has a measurement of a code of its own class, and a condition that nobody else has.
    made.change("CONDITION_OCCURRENCE.csv", |text| {
        let rare = |(row, line): (usize, &str)| match row > 0 && row % 4 == 0 {
            true => line.replacen(",4000", &format!(",{}", 5_000 + row), 1),
            false => line.to_owned(),
        };
        text.lines().enumerate().fold(String::new(), |mut all, line| {
            let _ = writeln!(all, "{}", rare(line));
            all
        })
    });
    made.run(&agreement(5, 1)).unwrap();
    let traces = tried(&made, 1, 1).unwrap().traces;
    let visits: BTreeSet<String> = made
        .released("CONDITION_OCCURRENCE.csv")
        .iter()
        .map(|row| row["visit_occurrence_id"].clone())
        .collect();
    // Every row of the original has a visit, a number and a unit where its table has the column.
    let is_trace = |row: &&BTreeMap<String, String>| {
        let visit = &row["visit_occurrence_id"];
        let filled = ["visit_occurrence_id", "value_as_number", "unit_concept_id"];
        let is_emptied = filled.iter().any(|column| row.get(*column).is_some_and(String::is_empty));
        let has_codes = row.contains_key("condition_concept_id") || visits.contains(visit);
        is_emptied || !has_codes
    };
    let conditions = made.released("CONDITION_OCCURRENCE.csv");
    let (measured, all) = (made.released("MEASUREMENT.csv"), made.released("VISIT_OCCURRENCE.csv"));
    let rows: Vec<_> = measured.iter().chain(&all).chain(&conditions).filter(is_trace).collect();
    let persons: BTreeSet<&String> = rows.iter().map(|row| &row["person_id"]).collect();
    assert!(!rows.is_empty());
    assert_eq!((traces.rows, traces.persons), (rows.len() as u64, persons.len() as u64));
    assert!(traces.alone <= traces.persons);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let made = omop(100);
    made.run(&agreement(3, 1)).unwrap();
    assert!(tried(&made, 4, 1).unwrap_err().to_string().contains("1, 2 or 3"));
    let found = tried(&made, 1, 1).unwrap();
    std::fs::rename(made.path("in"), made.path("moved")).unwrap();
    assert_eq!(on(&made, Some(&made.path("moved")), 1, 1).unwrap(), found);
    let error = tried(&made, 1, 1).unwrap_err();
    assert!(error.to_string().contains("the original of table `person` is not there"), "{error}");
}

//! Person columns that Mondrian cuts: classes have ranges and values of their own.

use std::collections::{BTreeMap, BTreeSet};

use velamen_checker::State;
use velamen_contract::linked::Column;

use super::attacked::tried;
use super::fhir::{export, released};
use super::folder::{Made, Read, omop, public, read};
use super::naive;
use super::originals::{broken, found, place};
use super::synthea::synthea;
use super::tables::{RECIPE, hospital};

/// A recipe whose persons are cut.
fn cut(recipe: &str) -> String {
    recipe.replace("[output]", "[method]\nname = \"thin\"\ndemographics = \"mondrian\"\n[output]")
}

fn hospital_recipe() -> String {
    cut(&RECIPE.replace("km-anonymity", "k-km-anonymity").replace("m = 2", "m = 1"))
}

/// The least number of persons who show the same.
fn least(rows: &Read, columns: &[&str]) -> usize {
    let mut counts: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in rows {
        let shown = columns.iter().filter_map(|column| row.get(*column)).map(String::as_str).collect();
        *counts.entry(shown).or_default() += 1;
    }
    counts.into_values().min().unwrap()
}

/// What each value of a column stands for.
fn labels(made: &Made, table: &str, column: &str) -> BTreeMap<String, String> {
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    match &manifest.tables[table].columns[column] {
        Column::QuasiIdentifier { levels: 0, labels, .. } => labels.clone().into_iter().collect(),
        other => panic!("{other:?}"),
    }
}

/// The first and the last year of a label.
fn years(label: &str) -> (i32, i32) {
    if label == "*" {
        return (0, 9999);
    }
    let label = label.trim_matches(['[', ']']);
    if let Some(last) = label.strip_suffix(" or earlier") {
        return (0, last.parse().unwrap());
    }
    if let Some(first) = label.strip_prefix(">=") {
        return (first.parse().unwrap(), 9999);
    }
    let (low, high) = label.split_once('-').unwrap_or((label, label));
    (low.parse().unwrap(), high.parse().unwrap())
}

/// Says that each released birth covers the original one; how many there are.
fn births_are_covered(
    made: &Made,
    original: &Read,
    names: [&str; 3],
    labels: &BTreeMap<String, String>,
) -> usize {
    let [table, key, birth] = names;
    let keys = read(&made.path("release.custodian/keys.csv"));
    let keys = keys.iter().filter(|row| row["table"] == table);
    let originals: BTreeMap<&str, &str> =
        keys.map(|row| (row["released"].as_str(), row["original"].as_str())).collect();
    let born: BTreeMap<&str, i32> =
        original.iter().map(|row| (row[key].as_str(), row[birth][..4].parse().unwrap())).collect();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let file = manifest.tables[table].file.strip_prefix("data/").unwrap().to_owned();
    let rows = made.released(&file);
    for row in &rows {
        let (low, high) = years(&labels[&row[birth]]);
        let year = born[originals[row[key].as_str()]];
        assert!((low..=high).contains(&year), "{year}: {low} to {high}");
    }
    rows.len()
}

fn semicolons(made: &Made, name: &str) -> Read {
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').from_path(made.path("in").join(name)).unwrap();
    let header = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        header.iter().map(str::to_owned).zip(row.iter().map(str::to_owned)).collect()
    };
    reader.records().map(|found| row(found.unwrap())).collect()
}

#[test]
fn classes_have_ranges_of_their_own_and_cover_what_was() {
    let made = hospital(300);
    let outcome = made.run(&hospital_recipe()).unwrap();
    assert_eq!(outcome.manifest.persons.suppressed, 0);
    let labels = labels(&made, "patients", "BIRTHDATE");
    let persons = made.released("patients.csv");
    assert!(least(&persons, &["SEX", "BIRTHDATE"]) >= 4);
    assert!(labels.len() > 14 && labels.values().any(|label| label.starts_with('[')), "{labels:?}");
    assert_eq!(
        births_are_covered(
            &made,
            &semicolons(&made, "patients.csv"),
            ["patients", "Id", "BIRTHDATE"],
            &labels
        ),
        300
    );
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
    // More classes than one level for each column leaves.
    let cut = classes(&persons);
    made.run(&hospital_recipe().replace("mondrian", "samarati")).unwrap();
    assert!(cut > classes(&made.released("patients.csv")), "{cut}");
}

/// How many combinations of person columns there are.
fn classes(rows: &Read) -> usize {
    let shown = |row: &BTreeMap<String, String>| [row.get("SEX").cloned(), row.get("BIRTHDATE").cloned()];
    rows.iter().map(shown).collect::<BTreeSet<_>>().len()
}

#[test]
fn what_is_forged_is_found() {
    let made = hospital(120);
    made.run(&hospital_recipe()).unwrap();
    // A person in another class than the original one.
    let other = |rows: &mut Vec<Vec<String>>| {
        let birth = place(rows, "BIRTHDATE");
        let first = rows[1][birth].clone();
        let second = rows[1..].iter().map(|row| row[birth].clone()).find(|birth| *birth != first).unwrap();
        rows[1][birth] = second;
    };
    broken(&made, "patients.csv", "person-columns", other);
    // A class that one person is alone in.
    let path = made.path("release/data/patients.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let rows = made.released("patients.csv");
    let births: BTreeSet<&str> = rows.iter().map(|row| row["BIRTHDATE"].as_str()).collect();
    let shown: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row["SEX"].as_str(), row["BIRTHDATE"].as_str())).collect();
    let row = &rows[0];
    let lone = births.iter().find(|birth| !shown.contains(&(row["SEX"].as_str(), **birth))).unwrap();
    std::fs::write(&path, text.replacen(&row["BIRTHDATE"], lone, 1)).unwrap();
    let manifest = velamen_patients::load(&made.path("release")).unwrap().unwrap();
    let findings = velamen_checker::linked::certify(&made.path("release"), &manifest).unwrap();
    let of = |promise: &str| findings.iter().find(|finding| finding.promise == promise).unwrap().state;
    assert_eq!(of("k-km-anonymity"), State::Broken);
}

#[test]
fn concepts_are_codes_and_births_are_years() {
    let made = omop(400);
    let recipe = cut(&public("\"year\""));
    let outcome = made.run(&recipe).unwrap();
    assert!(naive::least(&made, 1) >= 5);
    let births = labels(&made, "person", "year_of_birth");
    assert!(births.keys().all(|year| year == "*" || year.parse::<i32>().is_ok()), "{births:?}");
    assert!(births.len() > 3);
    let all: Vec<(i32, i32)> = births.values().map(|label| years(label)).collect();
    // Bands of the hierarchy, of different widths.
    assert!(all.iter().any(|(low, high)| high - low == 4), "{births:?}");
    let original = read(&made.path("in/PERSON.csv"));
    births_are_covered(&made, &original, ["person", "person_id", "year_of_birth"], &births);
    let ages = outcome.manifest.ages.unwrap();
    assert_eq!(
        births.get(&ages.oldest).map(String::as_str),
        Some(&*format!("{} or earlier", ages.until - 90))
    );
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn nobody_is_alone_in_a_class() {
    let made = omop(400);
    made.run(&cut(&public("\"year\""))).unwrap();
    let attack = tried(&made, 1, 1_000).unwrap();
    let worst = attack.released.worst_codes.unwrap();
    assert!(worst.alone == 0.0 && worst.chance > 0.05 && worst.chance <= 0.2, "{worst:?}");
}

#[test]
fn patients_stay_resources() {
    let made = export(300);
    let recipe = "[input]\nfolder = \"in\"\nshape = \"fhir\"\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n[output]\npath = \"release\"\n";
    let hierarchy = "[tables.Patient.attributes.birthDate]\nrole = \"quasi-identifier\"\nhierarchy = { date = [\"year\", \"5-years\", \"10-years\"], min = \"1900-01-01\", max = \"2039-12-31\" }\n[[privacy]]";
    made.run(&cut(&recipe.replace("[[privacy]]", hierarchy))).unwrap();
    let patients = released(&made, "Patient");
    let years: BTreeSet<String> =
        patients.iter().filter_map(|patient| patient["birthDate"].as_str().map(str::to_owned)).collect();
    assert!(years.len() > 3 && years.iter().all(|year| year.len() == 4), "{years:?}");
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn synthea_has_ranges() {
    let made = synthea(300);
    let recipe = "[input]\nfolder = \"in\"\nshape = \"synthea\"\n[[privacy]]\nmodel = \"k-km-anonymity\"\nk = 5\nm = 1\n[output]\npath = \"release\"\n";
    made.run(&cut(recipe)).unwrap();
    assert!(labels(&made, "patients", "BIRTHDATE").keys().any(|birth| birth.starts_with('[')));
    assert_eq!(found(&made).state, State::Held, "{:?}", found(&made).reached);
}

#[test]
fn a_level_is_refused() {
    let made = hospital(40);
    let recipe = hospital_recipe().replace("SEX = {", "SEX = { level = 1,");
    let error = made.run(&recipe).unwrap_err();
    assert_eq!(error.exit_code(), 5);
    assert!(error.to_string().contains("patients.SEX: `level`: with demographics"), "{error}");
}

//! The folder as a whole: it repeats, its keys resolve, and it has the shape that it claims.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::*;

/// Splits CSV into rows of fields; quoted fields may have commas and line feeds.
fn parsed(text: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8(text.to_vec()).expect("text");
    let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    rows
}

struct Folder(BTreeMap<Table, Vec<Vec<String>>>);

/// Persons of two blocks.
const PERSONS: u64 = BLOCK + 100;

static FOLDER: LazyLock<Folder> = LazyLock::new(|| Folder::of(PERSONS));

impl Folder {
    fn of(persons: u64) -> Self {
        let omop = Omop::new(persons, &Seed::from_number(1));
        let blocks: Vec<Rows> = (0..omop.blocks()).map(|index| omop.block(index)).collect();
        let whole = |table: Table| {
            let mut text = omop.once(table);
            blocks.iter().for_each(|rows| text.extend(rows.of(table)));
            (table, parsed(&text))
        };
        Self(TABLES.into_iter().map(whole).collect())
    }

    fn column(&self, table: Table, name: &str) -> Vec<&str> {
        let at = table.header().split(',').position(|column| column == name).expect("a column of the table");
        self.0[&table].iter().map(|row| row[at].as_str()).collect()
    }

    fn set(&self, table: Table, name: &str) -> BTreeSet<&str> {
        self.column(table, name).into_iter().collect()
    }
}

#[test]
fn every_row_has_the_fields_of_its_header() {
    let folder = &*FOLDER;
    for (table, rows) in &folder.0 {
        let columns = table.header().split(',').count();
        assert!(!rows.is_empty(), "{} has no rows", table.name());
        assert!(rows.iter().all(|row| row.len() == columns), "{}: {:?}", table.name(), rows[0]);
        assert!(!table.header().contains(' '), "{}", table.name());
    }
}

#[test]
fn keys_are_distinct_and_references_resolve() {
    let folder = &*FOLDER;
    let keys = [
        (Table::Person, "person_id"),
        (Table::VisitOccurrence, "visit_occurrence_id"),
        (Table::Provider, "provider_id"),
        (Table::CareSite, "care_site_id"),
        (Table::Location, "location_id"),
    ];
    for (table, key) in keys {
        let known = folder.set(table, key);
        assert_eq!(known.len(), folder.0[&table].len(), "{key} of {}", table.name());
        for other in TABLES.into_iter().filter(|other| other.header().split(',').any(|column| column == key))
        {
            for reference in folder.column(other, key).into_iter().filter(|reference| !reference.is_empty()) {
                assert!(known.contains(reference), "{key} {reference} of {}", other.name());
            }
        }
    }
    let own = [
        (Table::ConditionOccurrence, "condition_occurrence_id"),
        (Table::DrugExposure, "drug_exposure_id"),
        (Table::Measurement, "measurement_id"),
    ];
    assert!(own.iter().all(|&(table, key)| folder.set(table, key).len() == folder.0[&table].len()));
}

#[test]
fn every_concept_is_in_the_vocabulary() {
    let folder = &*FOLDER;
    let known = folder.set(Table::Concept, "concept_id");
    assert_eq!(known.len(), folder.0[&Table::Concept].len());
    for table in TABLES {
        for column in table.header().split(',').filter(|column| column.contains("concept_id")) {
            for concept in folder.column(table, column).into_iter().filter(|concept| !concept.is_empty()) {
                assert!(known.contains(concept), "{concept} in {column} of {}", table.name());
            }
        }
    }
}

#[test]
fn a_row_lies_at_its_visit() {
    let folder = &*FOLDER;
    let persons: BTreeMap<&str, &str> = folder
        .column(Table::VisitOccurrence, "visit_occurrence_id")
        .into_iter()
        .zip(folder.column(Table::VisitOccurrence, "person_id"))
        .collect();
    for table in [Table::ConditionOccurrence, Table::DrugExposure, Table::Measurement, Table::Note] {
        let visits = folder.column(table, "visit_occurrence_id");
        for (visit, person) in visits.into_iter().zip(folder.column(table, "person_id")) {
            assert_eq!(persons[visit], person, "visit {visit} of {}", table.name());
        }
    }
    let days = folder.column(Table::VisitOccurrence, "visit_start_date");
    assert!(days.iter().all(|day| ("2015-01-01"..="2024-12-31").contains(day)));
}

#[test]
fn a_person_has_some_twenty_rows_and_skewed_codes() {
    let folder = &*FOLDER;
    let rows: usize = TABLES[1..10].iter().map(|table| folder.0[table].len()).sum();
    let mean = rows as f64 / PERSONS as f64;
    assert!((18.0..26.0).contains(&mean), "{mean} rows a person");
    let codes: BTreeSet<(&str, &str)> = folder
        .column(Table::ConditionOccurrence, "person_id")
        .into_iter()
        .zip(folder.column(Table::ConditionOccurrence, "condition_concept_id"))
        .collect();
    let mean = codes.len() as f64 / PERSONS as f64;
    assert!((6.0..7.0).contains(&mean), "{mean} codes a person");
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    codes.iter().for_each(|&(person, _)| *sizes.entry(person).or_default() += 1);
    let large = sizes.values().filter(|&&size| size > 27).count() as f64 / PERSONS as f64;
    assert!((0.005..0.02).contains(&large), "{large} have more than 27");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    codes.iter().for_each(|&(_, code)| *counts.entry(code).or_default() += 1);
    let rare = counts.values().filter(|&&count| count < 5).count() as f64 / counts.len() as f64;
    assert!(rare > 0.4, "{rare} of the codes are rare");
}

#[test]
fn equal_seeds_give_equal_bytes_in_any_order() {
    let omop = |persons, seed| Omop::new(persons, &Seed::from_number(seed));
    let (short, long) = (omop(BLOCK + 10, 7), omop(2 * BLOCK - 3000, 7));
    let (last, next, first) = (short.block(1), long.block(1), omop(BLOCK + 10, 7).block(1));
    for table in TABLES {
        assert_eq!(last.of(table), first.of(table));
        assert!(next.of(table).starts_with(last.of(table)));
    }
    assert_ne!(omop(10, 7).block(0).of(Table::Person), omop(10, 8).block(0).of(Table::Person));
    assert!(omop(10, 7).block(1).of(Table::Person).is_empty());
}

#[test]
fn bytes_do_not_change_between_versions() {
    let omop = Omop::new(200, &Seed::from_number(42));
    let rows = omop.block(0);
    let text = TABLES.into_iter().flat_map(|table| [omop.once(table), rows.of(table).to_vec()].concat());
    // FNV-1a, so that the expected value needs no dependency.
    let hash = text
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    assert_eq!(
        hash, 0xFDF7_4DEB_6DAE_1BD6,
        "a change of the model changes every benchmark that names a seed"
    );
}

#[test]
fn what_must_not_survive_is_there() {
    let folder = &*FOLDER;
    assert!(folder.column(Table::Note, "note_text").iter().all(|text| text.contains("phone")));
    assert!(
        folder
            .column(Table::Observation, "value_as_string")
            .iter()
            .any(|text| text.starts_with("brought in by"))
    );
    assert!(
        folder.column(Table::Person, "person_source_value").iter().all(|value| value.starts_with("MRN-"))
    );
    assert!(folder.column(Table::Provider, "provider_name").iter().all(|name| name.contains(' ')));
    assert!(folder.set(Table::Death, "person_id").len() > 20);
}

#[test]
fn other_forms_have_the_columns_and_resources_that_they_name() {
    let omop = Omop::new(200, &Seed::from_number(3));
    let tables = omop.synthea(0);
    for ((name, header), rows) in SYNTHEA.iter().zip(&tables) {
        let columns = header.split(',').count();
        let text = String::from_utf8(rows.clone()).unwrap();
        assert!(text.lines().count() > 20, "{name}");
        assert!(
            text.lines().all(|line| line.split(',').count() == columns),
            "{name}: {:?}",
            text.lines().next()
        );
    }
    assert_eq!(tables[0].iter().filter(|&&byte| byte == b'\n').count(), 200);
    for (kind, lines) in KINDS.iter().zip(omop.fhir(0)) {
        let begins = format!("{{\"resourceType\":\"{kind}\",\"id\":\"");
        let text = String::from_utf8(lines).unwrap();
        assert!(text.lines().count() > 20 && text.lines().all(|line| line.starts_with(&begins)), "{kind}");
    }
    assert_eq!(omop.fhir(0), omop.fhir(0));
    let longer = Omop::new(BLOCK + 1, &Seed::from_number(3)).fhir(1);
    assert!(longer.last().unwrap().is_empty(), "practitioners are written once");
}

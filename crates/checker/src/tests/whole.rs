//! Findings over whole tables: ids of classes, people by pseudonyms, values of real records.

use super::*;

fn findings(table: &(Rest, Vec<u64>), people: Option<usize>, promises: &Promises) -> Vec<Finding> {
    certify(&Published { table: &table.0, counts: &table.1, people }, promises).unwrap()
}

fn broken(rows: &[(&str, &str, &str)], promises: &Promises) -> Vec<String> {
    let found = findings(&table(rows), None, promises);
    found
        .into_iter()
        .filter(|finding| finding.state == State::Broken)
        .map(|finding| finding.promise)
        .collect()
}

/// The promises of classes with levels of their own, by ranges.
fn classes_of(classes: u64, records: u64) -> Promises {
    let cuts = vec![vec![20.0, 30.0, 40.0, 50.0]];
    let qi = PromisedAttribute {
        name: "age".into(),
        level: Some(1),
        hierarchy: Definition::Cuts { cuts, min: 0.0, max: 99.0, decimals: 0 },
        ..PromisedAttribute::default()
    };
    Promises {
        privacy: vec![("k-anonymity".into(), json!({ "k": 1 }))],
        qis: vec![qi],
        records,
        classes,
        ..Promises::default()
    }
}

#[test]
fn each_combination_has_one_id_in_whatever_order() {
    let rows =
        |labels: [&'static str; 3]| [("1", labels[0], "a"), ("2", labels[1], "a"), ("3", labels[2], "a")];
    let (low, middle, high) = ("[20-29]", "[30-39]", "[40-49]");
    for distinct in [[low, middle, high], [high, low, middle], [high, middle, low], [middle, high, low]] {
        assert_eq!(broken(&rows(distinct), &classes_of(3, 3)), Vec::<String>::new(), "{distinct:?}");
    }
    for twice in [[low, low, high], [low, high, high], [high, low, high], [low, low, low], [high, high, low]]
    {
        assert_eq!(broken(&rows(twice), &classes_of(3, 3)), ["class-ids"], "{twice:?}");
    }
}

#[test]
fn a_pseudonym_that_several_records_share_counts_people() {
    let rows: [(&[&str], u64); 4] = [
        (&["1", "[20-29]", "p1"], 1),
        (&["1", "[20-29]", "p2"], 1),
        (&["2", "[30-39]", "p3"], 1),
        (&["2", "[30-39]", "p3"], 1),
    ];
    let table = released(&[CLASS_ID, "age", "patient"], &rows);
    let asked = |pseudonyms: Vec<String>| Promises {
        privacy: vec![("k-anonymity".into(), json!({ "k": 2 }))],
        pseudonyms,
        ..classes_of(2, 4)
    };
    let k = |promises: &Promises| {
        findings(&table, None, promises).into_iter().find(|finding| finding.promise == "k-anonymity").unwrap()
    };
    let (unnamed, named) = (k(&asked(Vec::new())), k(&asked(vec!["patient".into()])));
    assert_eq!((unnamed.state, unnamed.reached["k"].as_u64()), (State::Held, Some(2)));
    assert_eq!((named.state, named.reached["k"].as_u64()), (State::Broken, Some(1)));
}

#[test]
fn values_are_those_of_real_records() {
    let rows = [("1", "[20-29]", "a"), ("1", "[20-29]", "b"), ("2", "[30-39]", "a"), ("2", "[30-39]", "a")];
    let (table, counts) = table(&rows);
    let diversity = ("distinct-l-diversity".to_owned(), json!({ "l": 2, "attribute": "disease" }));
    let size = ("k-anonymity".to_owned(), json!({ "k": 9 }));
    let promises = Promises { privacy: vec![size, diversity], ..classes_of(2, 4) };
    let published = Published { table: &table, counts: &counts, people: None };
    let found = certify_values(&published, &promises).unwrap();
    let told: Vec<(&str, State)> = found.iter().map(|finding| (&*finding.promise, finding.state)).collect();
    assert_eq!(told, [("distinct-l-diversity", State::Broken)]);
}

#[test]
fn suppressed_records_that_show_values_are_a_class_with_its_labels() {
    let rows = [("1", "[20-29]", "a"), ("1", "[20-29]", "b"), ("", "*", "a"), ("", "*", "b")];
    let (table, counts) = table(&rows);
    let published = Published { table: &table, counts: &counts, people: None };
    let view = View::new(&published, 0, vec![1]);
    let star = table.columns[1].values.iter().position(|label| label == "*").unwrap() as u32;
    assert_eq!((view.qi_codes(2), view.qi_codes(0)), (vec![star], vec![1 - star]));
}

#[test]
fn a_row_of_the_catalog_counts_something() {
    let mut promises = promises(vec![1, 2]);
    promises.catalog[0].count = 0;
    promises.counterfeits = 0;
    assert!(failed(&TABLE_5, &promises).contains(&"catalog".to_owned()));
}

#![allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]

use velamen_core::hierarchy::Definition;

use super::*;

fn table(rows: &[(&str, &str, &str)]) -> (Rest, Vec<u64>) {
    use velamen_core::frequency::{RestColumn, Role};
    use velamen_core::release::canonical_codes;
    let column = |name: &str, pick: fn(&(&str, &str, &str)) -> String| {
        let all: Vec<String> = rows.iter().map(pick).collect();
        let mut values = all.clone();
        values.sort();
        values.dedup();
        let (values, _) = canonical_codes(values);
        let codes = all.iter().map(|v| values.iter().position(|w| w == v).unwrap() as u32).collect();
        (RestColumn { name: name.into(), role: Role::Insensitive, values }, codes)
    };
    let (columns, codes) =
        [column(CLASS_ID, |r| r.0.into()), column("age", |r| r.1.into()), column("disease", |r| r.2.into())]
            .into_iter()
            .unzip();
    (Rest { columns, codes, len: rows.len() }, vec![1; rows.len()])
}

/// Lee 2017, Table 5, with its ages only.
const TABLE_5: [(&str, &str, &str); 8] = [
    ("1", "[35-37]", "Pneumonia"),
    ("1", "[35-37]", "Diabetes"),
    ("1", "[35-37]", "Anemia"),
    ("1", "[35-37]", "Diabetes"),
    ("2", "[61-66]", "Pneumonia"),
    ("2", "[61-66]", "Diabetes"),
    ("2", "[61-66]", "Diabetes"),
    ("2", "[61-66]", "Pneumonia"),
];

fn promises(classes: Vec<u64>) -> Promises {
    let hierarchy =
        Definition::Cuts { cuts: vec![vec![35.0, 38.0, 61.0, 67.0]], min: 0.0, max: 99.0, decimals: 0 };
    Promises {
        privacy: vec![("k-anonymity".into(), json!({ "k": 4 }))],
        h: Some(0.06),
        qis: vec![PromisedAttribute {
            name: "age".into(),
            level: Some(1),
            hierarchy,
            ..PromisedAttribute::default()
        }],
        sensitive: Some("disease".into()),
        records: 8,
        classes: 2,
        counterfeits: 1,
        catalog: vec![CatalogRow { classes: classes.into(), value: "Diabetes".into(), count: 1 }],
        ..Promises::default()
    }
}

fn failed(rows: &[(&str, &str, &str)], promises: &Promises) -> Vec<String> {
    let (table, counts) = table(rows);
    let findings = certify(&Published { table: &table, counts: &counts }, promises).unwrap();
    findings.into_iter().filter(|f| f.state == State::Broken).map(|f| f.promise).collect()
}

#[test]
fn table_8_is_safe_and_table_7_is_not() {
    assert_eq!(failed(&TABLE_5, &promises(vec![1, 2])), Vec::<String>::new());
    assert_eq!(failed(&TABLE_5, &promises(vec![1])), ["catalog"]);
}

#[test]
fn each_broken_promise_is_named() {
    let mut wrong = promises(vec![1, 2]);
    wrong.privacy[0].1 = json!({ "k": 5 });
    wrong.h = Some(0.03);
    wrong.records = 9;
    assert_eq!(failed(&TABLE_5, &wrong), ["k-anonymity", "h-ceiling", "records"]);
    let mut rows = TABLE_5;
    rows[7].1 = "[35-37]";
    assert_eq!(failed(&rows, &promises(vec![1, 2])), ["class-ids"]);
    rows = TABLE_5;
    rows[7].0 = "";
    assert!(failed(&rows, &promises(vec![1, 2])).contains(&"suppressed-records".to_owned()));
}

#[test]
fn suppressed_records_show_only_what_is_promised() {
    let whole = |suppressed_whole| Promises {
        privacy: vec![("k-anonymity".into(), json!({ "k": 4 }))],
        h: None,
        sensitive: None,
        classes: 1,
        suppressed: 4,
        most_suppressed: 4,
        counterfeits: 0,
        catalog: Vec::new(),
        suppressed_whole,
        ..promises(vec![1, 2])
    };
    let mut rows = TABLE_5;
    rows.iter_mut().take(4).for_each(|row| (row.0, row.1) = ("", "*"));
    rows.iter_mut().skip(4).for_each(|row| row.0 = "1");
    assert_eq!(failed(&rows, &whole(false)), Vec::<String>::new());
    assert_eq!(failed(&rows, &whole(true)), ["suppressed-records"]);
    rows.iter_mut().take(4).for_each(|row| row.2 = "*");
    assert_eq!(failed(&rows, &whole(true)), Vec::<String>::new());
}

#[test]
fn a_counterfeit_that_only_one_class_can_hold_is_located() {
    let mut rows = TABLE_5.to_vec();
    rows.push(("2", "[61-66]", "Anemia"));
    let mut promises = promises(vec![1, 2]);
    promises.records = 9;
    assert_eq!(failed(&rows, &promises), Vec::<String>::new());
    // Whoever knows that classes above 4 records were not padded finds the Diabetes of class 1.
    promises.largest_padded = Some(4);
    assert_eq!(failed(&rows, &promises), ["catalog"]);
}

#[test]
fn a_model_without_a_check_is_not_taken_for_kept() {
    let (table, counts) = table(&TABLE_5);
    for asked in [json!({ "k": 1 }), json!({ "attribute": "disease" })] {
        let promises = Promises { privacy: vec![("h-anonymity".into(), asked)], ..promises(vec![1, 2]) };
        let refused = certify(&Published { table: &table, counts: &counts }, &promises);
        assert_eq!(refused, Err(Uncheckable::UnknownModel("h-anonymity".into())));
    }
}

#[test]
fn a_group_of_fewer_classes_than_promised_is_found() {
    let mut promises = promises(vec![1, 2]);
    promises.group_classes = Some(100);
    assert_eq!(failed(&TABLE_5, &promises), Vec::<String>::new(), "there are only two");
    promises.catalog[0].classes = vec![1].into();
    assert!(failed(&TABLE_5, &promises).contains(&"group-classes".to_owned()));
}

#![allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]

use velamen_core::hierarchy::Definition;

use super::*;

/// A released table: the names of its columns and, by row, its cells and how many records it stands for.
pub(crate) fn released(columns: &[&str], rows: &[(&[&str], u64)]) -> (Rest, Vec<u64>) {
    use velamen_core::frequency::{RestColumn, Role};
    let column = |(at, name): (usize, &&str)| {
        let mut values: Vec<String> = rows.iter().map(|row| row.0[at].to_owned()).collect();
        values.sort();
        values.dedup();
        let code = |row: &(&[&str], u64)| values.iter().position(|value| value == row.0[at]).unwrap() as u32;
        let codes = rows.iter().map(code).collect();
        (RestColumn { name: (*name).into(), role: Role::Insensitive, values }, codes)
    };
    let (columns, codes) = columns.iter().enumerate().map(column).unzip();
    (Rest { columns, codes, len: rows.len() }, rows.iter().map(|row| row.1).collect())
}

fn table(rows: &[(&str, &str, &str)]) -> (Rest, Vec<u64>) {
    let cells: Vec<[&str; 3]> = rows.iter().map(|row| [row.0, row.1, row.2]).collect();
    let rows: Vec<(&[&str], u64)> = cells.iter().map(|cells| (&cells[..], 1)).collect();
    released(&[CLASS_ID, "age", "disease"], &rows)
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
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, promises).unwrap();
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
        let refused = certify(&Published { table: &table, counts: &counts, people: None }, &promises);
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

/// What is found of one promise.
fn found(rows: &[(&str, &str, &str)], promises: &Promises, promise: &str) -> Option<Finding> {
    let (table, counts) = table(rows);
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, promises).unwrap();
    findings.into_iter().find(|finding| finding.promise == promise)
}

fn state(rows: &[(&str, &str, &str)], promises: &Promises, promise: &str) -> Option<State> {
    found(rows, promises, promise).map(|finding| finding.state)
}

#[test]
fn a_table_and_a_manifest_that_do_not_belong_together_are_refused() {
    let refused = |rows: &[(&str, &str, &str)], promises: &Promises| {
        let (table, counts) = table(rows);
        certify(&Published { table: &table, counts: &counts, people: None }, promises).unwrap_err()
    };
    let mut wrong = promises(vec![1, 2]);
    wrong.qis[0].name = "weight".into();
    assert_eq!(refused(&TABLE_5, &wrong), Uncheckable::NoColumn("weight".into()));
    let none = Definition::Interval { interval: vec![0.0], min: 0.0, max: 99.0, decimals: 0 };
    let mut wrong = promises(vec![1, 2]);
    wrong.qis[0].hierarchy = none.clone();
    assert!(matches!(refused(&TABLE_5, &wrong), Uncheckable::Hierarchy(name, _) if name == "age"));
    let mut wrong = promises(vec![1, 2]);
    wrong.hierarchies.insert("disease".into(), none);
    assert!(matches!(refused(&TABLE_5, &wrong), Uncheckable::Hierarchy(name, _) if name == "disease"));
}

#[test]
fn enough_records_are_not_yet_enough_persons() {
    let of = |model: &str, asked: serde_json::Value, persons| {
        let privacy = vec![(model.into(), asked)];
        state(&TABLE_5, &Promises { privacy, persons, ..promises(vec![1, 2]) }, model).unwrap()
    };
    assert_eq!(of("k-anonymity", json!({ "k": 4 }), false), State::Held);
    assert_eq!(of("k-anonymity", json!({ "k": 4 }), true), State::Stated);
    assert_eq!(of("k-anonymity", json!({ "k": 5 }), true), State::Broken, "too few are too few");
    assert_eq!(of("catalog-risk", json!({ "risk": 0.9 }), true), State::Stated);
    let t = json!({ "attribute": "disease", "t": 1.0 });
    assert_eq!(of("t-closeness", t, true), State::Stated, "every model counts people");
}

/// A person with most records of a class may be one of many people there.
#[test]
fn shares_of_records_break_no_share_of_people() {
    let mut uneven = TABLE_5;
    uneven[7].2 = "Diabetes";
    let of = |model: &str, mut asked: serde_json::Value, persons| {
        asked["attribute"] = "disease".into();
        let privacy = vec![(model.into(), asked)];
        state(&uneven, &Promises { privacy, persons, ..promises(vec![1, 2]) }, model).unwrap()
    };
    for (model, asked) in [
        ("t-closeness", json!({ "t": 0.001 })),
        ("alpha-k-anonymity", json!({ "alpha": 0.3, "k": 2 })),
        ("entropy-l-diversity", json!({ "l": 1.9 })),
        ("recursive-cl-diversity", json!({ "c": 0.5, "l": 2 })),
        ("delta-disclosure", json!({ "delta": 0.001 })),
        ("basic-beta-likeness", json!({ "beta": 0.001 })),
        ("enhanced-beta-likeness", json!({ "beta": 0.001 })),
        ("ms-bounding", json!({ "k": 2, "theta": { "Diabetes": 0.1 } })),
    ] {
        assert_eq!(of(model, asked.clone(), false), State::Broken, "{model}");
        assert_eq!(of(model, asked, true), State::Stated, "{model}");
    }
    // Too few records, and too few values, are too few of people as well.
    for (model, asked) in [
        ("alpha-k-anonymity", json!({ "alpha": 0.9, "k": 99 })),
        ("ms-bounding", json!({ "k": 99, "theta": {} })),
        ("distinct-l-diversity", json!({ "l": 9 })),
        ("entropy-l-diversity", json!({ "l": 9 })),
    ] {
        assert_eq!(of(model, asked, true), State::Broken, "{model}");
    }
}

#[test]
fn what_no_release_shows_is_stated() {
    let of = |h, drawn| {
        let promises = Promises { h, drawn, ..promises(vec![1, 2]) };
        ["lemma-1", "random-draws"].map(|promise| state(&TABLE_5, &promises, promise))
    };
    assert_eq!(of(Some(0.06), true), [Some(State::Stated); 2]);
    assert_eq!(of(None, false), [None; 2]);
}

#[test]
fn two_texts_of_one_id_are_one_class() {
    let mut rows = TABLE_5;
    (rows[0].0, rows[5].0) = ("01", "+2");
    assert_eq!(failed(&rows, &promises(vec![1, 2])), Vec::<String>::new());
    // Their released values have to agree, and those of each text.
    for other in [0, 1] {
        let mut torn = rows;
        torn[other].1 = "[38-60]";
        assert_eq!(state(&torn, &promises(vec![1, 2]), "class-ids"), Some(State::Broken), "{other}");
    }
    rows[2].0 = "01";
    rows[2].1 = "[38-60]";
    assert_eq!(state(&rows, &promises(vec![1, 2]), "class-ids"), Some(State::Broken));
}

#[test]
fn a_foreign_label_is_a_finding() {
    let mut rows = TABLE_5;
    assert_eq!(found(&rows, &promises(vec![1, 2]), "labels"), None, "one level and nothing wrong");
    rows.iter_mut().take(4).for_each(|row| row.1 = "[35-36]");
    let finding = found(&rows, &promises(vec![1, 2]), "labels").unwrap();
    assert_eq!((finding.reached, finding.state), (json!({ "foreign-labels": 1 }), State::Broken));
    let mut local = promises(vec![1, 2]);
    (local.qis[0].level, local.qis[0].recoding) = (None, velamen_core::recoding::Recoding::Nodes);
    assert_eq!(state(&TABLE_5, &local, "labels"), Some(State::Held));
    assert_eq!(state(&rows, &local, "labels"), Some(State::Broken));
    assert_eq!(failed(&rows, &local), ["labels"]);
}

#[test]
fn the_degree_is_the_mean_of_the_attributes() {
    let (table, counts) =
        released(&[CLASS_ID, "age", "sex"], &[(&["1", "[35-37]", "*"], 1), (&["2", "[61-66]", "f"], 1)]);
    let of = |h: f64| {
        let mut promises = Promises { h: Some(h), privacy: Vec::new(), ..promises(vec![1, 2]) };
        promises.sensitive = None;
        promises.qis.push(PromisedAttribute {
            name: "sex".into(),
            recoding: velamen_core::recoding::Recoding::Nodes,
            hierarchy: Definition::Flat { domain: 2 },
            ..PromisedAttribute::default()
        });
        let findings =
            certify(&Published { table: &table, counts: &counts, people: None }, &promises).unwrap();
        let ceiling = findings.into_iter().find(|finding| finding.promise == CEILING).unwrap();
        (ceiling.reached["h"].as_f64().unwrap(), ceiling.state)
    };
    // 3 of 100 ages are 2/99, any sex is 1.
    let degree = (2.0 / 99.0 + 1.0) / 2.0;
    assert!((of(1.0).0 - degree).abs() < 1e-15);
    assert_eq!((of(degree).1, of(degree - 1e-9).1), (State::Held, State::Broken));
}

#[test]
fn a_label_is_read_as_the_check_reads_it() {
    let age = promises(vec![1, 2]).qis.swap_remove(0);
    assert_eq!(read(&age, "[35-37]"), (true, 2.0 / 99.0));
    assert_eq!(read(&age, "[35-36]"), (false, 1.0 / 99.0));
    let codes: Definition = serde_json::from_str(r#"{ "prefix": [2, 5] }"#).unwrap();
    assert_eq!(standard_place(&codes, None, "12"), Some((1, 1000)));
    assert_eq!(standard_place(&codes, Some(0), "12"), None);
}

#[test]
fn without_attributes_there_is_no_degree() {
    let promises = Promises { qis: Vec::new(), ..promises(vec![1, 2]) };
    assert_eq!(state(&TABLE_5, &promises, CEILING), Some(State::Broken));
}

#[test]
fn counterfeits_are_a_share_of_the_released_records() {
    let of = |limit| {
        let promises = Promises { counterfeit_limit: Some(limit), ..promises(vec![1, 2]) };
        let finding = found(&TABLE_5, &promises, "counterfeit-limit").unwrap();
        (finding.reached.as_f64().unwrap(), finding.state)
    };
    assert_eq!(of(0.125), (0.125, State::Held));
    assert_eq!(of(0.1249), (0.125, State::Broken));
    assert_eq!(of(f64::NAN).1, State::Broken);
}

#[test]
fn records_that_the_catalog_proves_real_are_as_many_as_stated() {
    let row = CatalogRow { classes: [1, 2, 3].into(), value: "Anemia".into(), count: 1 };
    let of = |stated, change: &dyn Fn(&mut Promises)| {
        let (provably_real, catalog) = (Some(stated), vec![row.clone()]);
        let mut promises = Promises { provably_real, catalog, classes: 4, ..promises(vec![1, 2]) };
        change(&mut promises);
        let found = found(&FOUR, &promises, "provably-real").unwrap();
        (found.reached.as_u64().unwrap(), found.state)
    };
    // The Diabetes of the classes 1 to 3; class 4 is in no group.
    assert_eq!(of(3, &|_| ()), (3, State::Held));
    assert_eq!(of(2, &|_| ()), (3, State::Broken));
    // Classes of two records could not be padded.
    assert_eq!(of(0, &|promises| promises.largest_padded = Some(1)), (0, State::Held));
    // Where two values are promised of real records, those of a class that has no others are real.
    let diverse = |promises: &mut Promises| {
        promises.of_real = true;
        promises.privacy.push(("distinct-l-diversity".into(), json!({ "attribute": "disease", "l": 2 })));
    };
    assert_eq!(of(6, &diverse), (6, State::Held));
}

/// The state of the catalog's own finding, with these rows: group, value, counterfeits.
fn catalog(rows: &[(&[u64], &str, u64)]) -> State {
    let row = |&(classes, value, count): &(&[u64], &str, u64)| CatalogRow {
        classes: classes.into(),
        value: value.into(),
        count,
    };
    let catalog = rows.iter().map(row).collect();
    state(&FOUR, &Promises { catalog, classes: 4, ..promises(vec![1, 2]) }, CATALOG).unwrap()
}

/// Four classes of two records each with the same values, so that no counterfeit is located.
const FOUR: [(&str, &str, &str); 8] = [
    ("1", "[0-34]", "Anemia"),
    ("1", "[0-34]", "Diabetes"),
    ("2", "[35-37]", "Anemia"),
    ("2", "[35-37]", "Diabetes"),
    ("3", "[38-60]", "Anemia"),
    ("3", "[38-60]", "Diabetes"),
    ("4", "[61-66]", "Anemia"),
    ("4", "[61-66]", "Diabetes"),
];

#[test]
fn groups_of_a_catalog_are_disjoint_and_of_the_table() {
    let (first, second): (&[u64], &[u64]) = (&[1, 2], &[3, 4]);
    assert_eq!(catalog(&[(first, "Anemia", 1), (first, "Diabetes", 1), (second, "Anemia", 1)]), State::Held);
    assert_eq!(catalog(&[(first, "Anemia", 1), (&[2, 3], "Anemia", 1)]), State::Broken, "2 is in both");
    assert_eq!(catalog(&[(first, "Anemia", 1), (&[3, 5], "Anemia", 1)]), State::Broken, "no class 5");
    // In either of both no counterfeit could be located.
    assert_eq!(catalog(&[(&[1, 2, 3], "Anemia", 1), (second, "Anemia", 1)]), State::Broken, "3 is in both");
    assert_eq!(catalog(&[(&[1, 2, 5], "Anemia", 1)]), State::Broken, "no class 5 beside two others");
    assert_eq!(catalog(&[(first, "Anemia", 0), (first, "Diabetes", 1)]), State::Broken, "none of a value");
    assert_eq!(catalog(&[(first, "Anemia", 0)]), State::Broken, "none at all");
    assert_eq!(catalog(&[(&[1], "Anemia", 0)]), State::Broken, "a group of one");
    // Each of the two rows for itself would be well formed and not located.
    let four: &[u64] = &[1, 2, 3, 4];
    assert_eq!(catalog(&[(four, "Anemia", 1), (four, "Anemia", 1)]), State::Broken, "two rows of one value");
    assert_eq!(catalog(&[(four, "Anemia", 3)]), State::Held);
    assert_eq!(catalog(&[(four, "Anemia", 4)]), State::Broken, "all records of a value");
    assert_eq!(catalog(&[(four, "Rabies", 1)]), State::Broken, "nobody has it");
}

#[test]
fn where_values_are_promised_of_real_records_the_last_of_each_is_no_counterfeit() {
    let of = |l: u64, of_real, rows: &[(&str, &str, &str)]| {
        let row = CatalogRow { classes: [1, 2, 3, 4].into(), value: "Anemia".into(), count: 1 };
        let promises = Promises {
            privacy: vec![("distinct-l-diversity".into(), json!({ "attribute": "disease", "l": l }))],
            catalog: vec![row],
            classes: 4,
            of_real,
            ..promises(vec![1, 2])
        };
        found(rows, &promises, CATALOG).unwrap().reached["located-counterfeits"].clone()
    };
    assert_eq!(of(2, false, &FOUR), json!(0), "counterfeits count");
    assert_eq!(of(2, true, &FOUR), json!(1), "no record of two values in a class of two can be counterfeit");
    // A second record of the value in two classes: either of them can be.
    let mut rows = FOUR.to_vec();
    rows.push(("4", "[61-66]", "Anemia"));
    assert_eq!(of(2, true, &rows), json!(1), "in class 4 alone");
    rows.push(("3", "[38-60]", "Anemia"));
    assert_eq!(of(2, true, &rows), json!(0));
    // A third value leaves room for doubt.
    let mut rows = FOUR.to_vec();
    rows.extend([("1", "[0-34]", "Rabies"), ("2", "[35-37]", "Rabies")]);
    assert_eq!(of(2, true, &rows), json!(0));
    assert_eq!(of(3, true, &rows), json!(1));
}

#[test]
fn a_class_of_the_largest_padded_size_can_hold_counterfeits() {
    let of = |most| {
        let mut promises = promises(vec![1, 2]);
        promises.largest_padded = Some(most);
        failed(&TABLE_5, &promises)
    };
    assert_eq!(of(4), Vec::<String>::new());
    assert_eq!(of(3), ["catalog"], "no class can hold the counterfeit");
}

#[test]
fn a_group_has_so_many_classes_that_can_hold_counterfeits() {
    let of = |least, most, rows: &[(&str, &str, &str)]| {
        let group =
            |classes: &[u64]| CatalogRow { classes: classes.into(), value: "Anemia".into(), count: 1 };
        let promises = Promises {
            catalog: vec![group(&[1, 2]), group(&[3, 4])],
            classes: 4,
            group_classes: Some(least),
            largest_padded: most,
            ..promises(vec![1, 2])
        };
        let finding = found(rows, &promises, "group-classes").unwrap();
        (finding.asked, finding.reached, finding.state)
    };
    assert_eq!(of(2, None, &FOUR), (json!(2), json!(2), State::Held));
    assert_eq!(of(3, None, &FOUR), (json!(3), json!(2), State::Broken));
    assert_eq!(of(9, None, &FOUR), (json!(4), json!(2), State::Broken), "there are four");
    let nothing = Promises { group_classes: Some(9), catalog: Vec::new(), ..promises(vec![1, 2]) };
    let none = found(&FOUR, &nothing, "group-classes").unwrap();
    assert_eq!((none.asked, none.reached, none.state), (json!(9), json!("no group"), State::Held));
    // Class 4 is too large.
    let mut rows = FOUR.to_vec();
    rows.push(("4", "[61-66]", "Anemia"));
    assert_eq!(of(2, Some(2), &rows), (json!(2), json!(1), State::Broken));
    assert_eq!(of(1, Some(2), &rows), (json!(1), json!(1), State::Held));
}

#[test]
fn records_with_values_of_their_own_are_real() {
    let of = |k, rows: &[(&str, &str, &str)], most| {
        let promises = Promises {
            alike: Some((k, Vec::new())),
            catalog: vec![CatalogRow { classes: [1, 2].into(), value: "Diabetes".into(), count: 1 }],
            largest_padded: most,
            ..promises(vec![1, 2])
        };
        let finding = found(rows, &promises, INSENSITIVE).unwrap();
        (finding.reached["k"].as_u64(), finding.state)
    };
    // The one anemia is real; three records of class 1 are left.
    assert_eq!(of(3, &TABLE_5, None), (Some(3), State::Held));
    assert_eq!(of(4, &TABLE_5, None), (Some(3), State::Broken));
    // Where no class can hold counterfeits nobody is asked for.
    assert_eq!(of(4, &TABLE_5, Some(3)), (None, State::Held));
    // A second anemia, though it is of a suppressed record, and the first can be its counterfeit.
    let mut rows = TABLE_5.to_vec();
    rows.push(("", "*", "Anemia"));
    assert_eq!(of(4, &rows, None), (Some(4), State::Held));
    assert_eq!(of(5, &rows, None), (Some(4), State::Broken));
}

#[test]
fn impossible_pairs_hold_no_counterfeit() {
    let entry = velamen_core::impossible::Impossible {
        attribute: "age".into(),
        to: Some(37.0),
        sensitive: vec!["Diabetes".into()],
        ..Default::default()
    };
    let of = |count, impossible: &[velamen_core::impossible::Impossible]| {
        let catalog = vec![CatalogRow { classes: [1, 2].into(), value: "Diabetes".into(), count }];
        let impossible = impossible.to_vec();
        let promises = Promises { counterfeits: count, catalog, impossible, ..promises(vec![1, 2]) };
        let pairs = found(&TABLE_5, &promises, "impossible-pairs").map(|f| (f.reached, f.state));
        let located = found(&TABLE_5, &promises, CATALOG).unwrap().reached;
        (pairs, located["located-counterfeits"].as_u64().unwrap())
    };
    let pairs = |n: u64, state| Some((json!({ "counterfeits": n }), state));
    assert_eq!(of(2, &[]), (None, 0));
    // Nobody of class 1 has diabetes: both records of class 2 are the counterfeits, one of them is located either way.
    let entry = std::slice::from_ref(&entry);
    assert_eq!(of(2, entry), (pairs(0, State::Held), 2));
    assert_eq!(of(3, entry), (pairs(1, State::Broken), 3));
}

mod judged;
mod located;
mod whole;

//! What entries name, label by label.

use super::*;

fn entry(values: &[&str], from: Option<f64>, to: Option<f64>) -> Impossible {
    let values = values.iter().map(|&value| value.to_owned()).collect();
    Impossible { attribute: "a".into(), values, from, to, ..Impossible::default() }
}

fn covered(entry: &Impossible, attribute: &PromisedAttribute, label: &str) -> bool {
    covers(entry, attribute, &of_rows(entry, &attribute.hierarchy), label)
}

/// The labels of a list that an entry names wholly.
fn of<'l>(attribute: &PromisedAttribute, entry: &Impossible, labels: &[&'l str]) -> Vec<&'l str> {
    labels.iter().copied().filter(|label| covered(entry, attribute, label)).collect()
}

fn attribute(hierarchy: Definition) -> PromisedAttribute {
    PromisedAttribute { name: "a".into(), hierarchy, ..PromisedAttribute::default() }
}

fn table(rows: &[&[&str]]) -> Definition {
    let texts = |row: &&[&str]| row.iter().map(|&text| text.to_owned()).collect();
    Definition::Table { rows: rows.iter().map(texts).collect() }
}

const NONE: [&str; 0] = [];

#[test]
fn a_table_lists_what_a_label_covers() {
    let rows = table(&[&["4", "low", "*"], &["6", "low", "*"], &["9", "high", "*"], &["x", "high", "*"]]);
    let ages = attribute(rows);
    let all = ["4", "6", "9", "x", "low", "high", "[4-6]", "[4-9]", "[5-5]", "[x-y]", "*", "other"];
    let named = |values: &[&str], from, to| of(&ages, &entry(values, from, to), &all);
    assert_eq!(named(&["4"], None, None), ["4"]);
    assert_eq!(named(&["4", "6"], None, None), ["4", "6", "low", "[4-6]"]);
    assert_eq!(named(&["low"], None, None), ["4", "6", "low", "[4-6]"]);
    assert_eq!(named(&["low", "9", "x"], None, None), ["4", "6", "9", "x", "low", "high", "[4-6]", "[4-9]"]);
    assert_eq!(named(&["*"], None, None), NONE, "the top names nothing");
    assert_eq!(named(&[], None, None), NONE);
    assert_eq!(named(&[], Some(4.0), Some(6.0)), ["4", "6", "low", "[4-6]"]);
    assert_eq!(named(&[], Some(4.5), None), ["6", "9"], "x is no number");
    assert_eq!(named(&[], None, Some(5.5)), ["4"]);
    assert_eq!(named(&["x"], Some(9.0), None), ["9", "x", "high"]);
    let coded = attribute(table(&[&["<=4", "*"], &["6", "*"], &[">=9", "*"]]));
    assert_eq!(
        of(&coded, &entry(&[], Some(6.0), None), &["<=4", "6", ">=9", "[4-6]", "[6-9]"]),
        ["6", ">=9", "[6-9]"]
    );
    assert_eq!(of(&coded, &entry(&[], None, Some(4.0)), &["<=4", "6", ">=9"]), ["<=4"]);
    assert_eq!(of(&coded, &entry(&[], None, Some(99.0)), &["<=4", "6", ">=9"]), ["<=4", "6"]);
}

fn interval(max: f64, decimals: u32) -> PromisedAttribute {
    attribute(Definition::Interval { interval: vec![5.0, 10.0], min: 0.0, max, decimals })
}

#[test]
fn numbers_are_named_one_by_one_or_in_ranges() {
    let all = ["0", "4", "5", "[0-4]", "[5-9]", "[0-9]", "*", "other"];
    let named = |values: &[&str], from, to| of(&interval(99.0, 0), &entry(values, from, to), &all);
    assert_eq!(named(&[], None, Some(4.0)), ["0", "4", "[0-4]"]);
    assert_eq!(named(&[], None, Some(3.0)), ["0"]);
    assert_eq!(named(&[], Some(5.0), None), ["5", "[5-9]"]);
    assert_eq!(named(&[], Some(6.0), None), NONE);
    assert_eq!(named(&[], Some(0.0), Some(9.0)), ["0", "4", "5", "[0-4]", "[5-9]", "[0-9]"]);
    assert_eq!(named(&["[0-4]", "[5-9]"], None, None), ["0", "4", "5", "[0-4]", "[5-9]", "[0-9]"]);
    assert_eq!(named(&["[5-9]"], None, Some(4.0)), ["0", "4", "5", "[0-4]", "[5-9]", "[0-9]"]);
    assert_eq!(named(&["[0-4]", "[6-9]"], None, None), ["0", "4", "[0-4]"], "5 is between them");
    assert_eq!(named(&["3", "1", "0", "4", "2"], None, None), ["0", "4", "[0-4]"]);
    assert_eq!(named(&["[0-9]", "[2-3]"], None, None), ["0", "4", "5", "[0-4]", "[5-9]", "[0-9]"]);
    assert_eq!(named(&["[0-4]", "[1-3]"], None, None), ["0", "4", "[0-4]"]);
    assert_eq!(named(&["*", "other"], None, None), ["other"]);
    assert_eq!(named(&[], None, None), NONE);
}

#[test]
fn an_end_between_two_numbers_names_neither_beyond_it() {
    let labels = ["[0-4]", "[5-9]", "4", "5"];
    let whole = |from, to| of(&interval(99.0, 0), &entry(&[], from, to), &labels);
    assert_eq!(whole(None, Some(3.9)), NONE);
    assert_eq!(whole(None, Some(4.9)), ["[0-4]", "4"]);
    assert_eq!(whole(Some(4.1), None), ["[5-9]", "5"]);
    assert_eq!(whole(Some(5.1), None), NONE);
    // 1.3 + 0.1 is more than 1.4 in floating point.
    let tenths =
        |from, to| of(&interval(99.0, 1), &entry(&[], from, to), &["[0.0-1.4]", "[1.1-1.4]", "[2.3-2.9]"]);
    assert_eq!(tenths(None, Some(1.3)), NONE);
    assert_eq!(tenths(None, Some(1.4)), ["[0.0-1.4]", "[1.1-1.4]"]);
    assert_eq!(tenths(Some(1.1), Some(2.8)), ["[1.1-1.4]"]);
    assert_eq!(tenths(Some(2.3), Some(2.9)), ["[2.3-2.9]"]);
}

#[test]
fn a_coded_end_goes_on() {
    let coded = PromisedAttribute { bottom: Some(10.0), top: Some(90.0), ..interval(99.0, 0) };
    let all = ["<=10", "[0-14]", "11", "[85-89]", "[85-94]", ">=90"];
    let named = |values: &[&str], from, to| of(&coded, &entry(values, from, to), &all);
    assert_eq!(named(&[], Some(90.0), None), [">=90"]);
    assert_eq!(named(&[], Some(85.0), None), ["[85-89]", "[85-94]", ">=90"]);
    assert_eq!(named(&[], Some(85.0), Some(99.0)), ["[85-89]"], "some are 100");
    assert_eq!(named(&["[85-89]", ">=90"], None, None), ["[85-89]", "[85-94]", ">=90"]);
    assert_eq!(named(&[], None, Some(14.0)), ["<=10", "[0-14]", "11"]);
    assert_eq!(named(&[], Some(0.0), Some(14.0)), ["11"], "some are below 0");
    assert_eq!(named(&["<=10"], None, None), ["<=10"]);
    assert_eq!(named(&["50"], None, None), NONE);
}

#[test]
fn of_a_large_domain_labels_are_named_as_they_are() {
    let labels = ["[0-4]", "[0-9]", "3"];
    let named = |max| of(&interval(max, 0), &entry(&["[0-4]"], Some(0.0), Some(9.0)), &labels);
    assert_eq!(named(99_999.0), ["[0-4]", "[0-9]", "3"]);
    assert_eq!(named(100_000.0), ["[0-4]"]);
    assert_eq!(of(&interval(9999.9, 1), &entry(&[], None, Some(9.0)), &["[0.0-4.9]"]), ["[0.0-4.9]"]);
    assert_eq!(of(&interval(10_000.0, 1), &entry(&[], None, Some(9.0)), &["[0.0-4.9]"]), NONE);
    let late = Definition::Interval { interval: vec![5.0], min: 99_990.0, max: 100_009.0, decimals: 0 };
    assert_eq!(
        of(&attribute(late), &entry(&[], None, Some(99_999.0)), &["[99990-99994]"]),
        ["[99990-99994]"]
    );
}

#[test]
fn without_a_list_of_values_a_label_is_named_by_itself_or_by_its_numbers() {
    let flat = attribute(Definition::Flat { domain: 9 });
    let all = ["7", "[3-9]", ">=5", "<=5", "x", "*"];
    let named = |values: &[&str], from, to| of(&flat, &entry(values, from, to), &all);
    assert_eq!(named(&["7", "*"], None, None), ["7"]);
    assert_eq!(named(&["x"], Some(5.0), None), ["7", ">=5", "x"]);
    assert_eq!(named(&[], Some(3.0), Some(9.0)), ["7", "[3-9]"]);
    assert_eq!(named(&[], Some(4.0), Some(9.0)), ["7"]);
    assert_eq!(named(&[], None, Some(5.0)), ["<=5"]);
    assert_eq!(named(&[], None, None), NONE);
    let mask = attribute(serde_json::from_str(r#"{ "mask": "right", "length": 2 }"#).unwrap());
    assert_eq!(of(&mask, &entry(&["1*"], Some(0.0), None), &["1*", "11", "2*"]), ["1*"]);
}

#[test]
fn a_sensitive_value_is_named_by_itself_and_by_what_is_above_it() {
    let tree = table(&[&["flu", "infection", "*"], &["C61.9", "cancer", "*"]]);
    let named = |sensitive: &[&str], value: &str| {
        let sensitive = sensitive.iter().map(|&text| text.to_owned()).collect();
        names(&Impossible { sensitive, ..Impossible::default() }, Some(&tree), value)
    };
    assert!(named(&["flu"], "flu") && named(&["infection"], "flu") && named(&["x", "cancer"], "C61.9"));
    assert!(!named(&["cancer"], "flu") && !named(&["*"], "flu") && !named(&[], "flu"));
    assert!(named(&["C61"], "C61.9") && !named(&["C62"], "C61.9") && !named(&["infection"], "unknown"));
    let entry = Impossible { sensitive: vec!["cancer".into()], ..Impossible::default() };
    assert!(!names(&entry, None, "C61.9") && names(&entry, None, "cancer"));
}

#[test]
fn a_diagnosis_is_of_a_code_that_it_begins_with_or_of_a_range_of_categories() {
    for (given, value) in [
        ("C61", "C61.9"),
        ("C61", "C619"),
        ("c61", "C61"),
        ("C61.9", "c61.91"),
        ("O00-O99", "O42.1"),
        ("O00-O99", "O00"),
        ("O00-O99", "O99.8"),
        ("C50-C50", "C50.1"),
        ("C4A", "C4A.1234"),
    ] {
        assert!(is_of_code(given, value), "{given} {value}");
    }
    for (given, value) in [
        ("C61.9", "C61"),
        ("C61", "C62"),
        ("O00-O99", "P00"),
        ("O01-O98", "O00"),
        ("O01-O98", "O99"),
        ("O00.1-O99", "O42"),
        ("O00-O9", "O42"),
        // No codes.
        ("C61", "C61."),
        ("C61", "C61.12345"),
        ("C6", "C61"),
        ("1C6", "1C6"),
        ("CC6", "CC6"),
        ("C6é", "C6é"),
        ("C6-", "C6-1"),
        ("C61", "C61.1_"),
        ("", ""),
    ] {
        assert!(!is_of_code(given, value), "{given} {value}");
    }
}

/// Two attributes whose values exclude each other.
mod of_two_attributes {
    use super::*;
    use crate::tests::released;
    use crate::{CLASS_ID, Published, State, certify};

    fn attribute(name: &str, values: &[&str]) -> PromisedAttribute {
        let rows = values.iter().map(|value| vec![(*value).to_owned(), "*".into()]).collect();
        let hierarchy = Definition::Table { rows };
        PromisedAttribute { name: name.into(), level: Some(0), hierarchy, ..PromisedAttribute::default() }
    }

    /// What is found of the records, and its state.
    fn found(impossible: Vec<Impossible>) -> Option<(serde_json::Value, State)> {
        let rows: [(&[&str], u64); 3] =
            [(&["1", "F", "yes"], 5), (&["2", "M", "no"], 7), (&["3", "M", "yes"], 2)];
        let (table, counts) = released(&[CLASS_ID, "sex", "pregnant"], &rows);
        let promises = Promises {
            qis: vec![attribute("sex", &["F", "M"]), attribute("pregnant", &["yes", "no"])],
            records: 14,
            classes: 3,
            impossible,
            ..Promises::default()
        };
        let published = Published { table: &table, counts: &counts, people: None };
        let mut findings = certify(&published, &promises).unwrap().into_iter();
        findings
            .find(|finding| finding.promise == "impossible-records")
            .map(|found| (found.reached, found.state))
    }

    fn entry(attribute: &str, value: &str, of: &str, other: &str) -> Impossible {
        Impossible {
            attribute: attribute.into(),
            values: vec![value.into()],
            sensitive: vec![other.into()],
            of: Some(of.into()),
            ..Impossible::default()
        }
    }

    #[test]
    fn records_that_nobody_is_are_found() {
        let records = |n: u64, state| Some((json!({ "records": n }), state));
        assert_eq!(found(Vec::new()), None);
        assert_eq!(found(vec![entry("sex", "M", "pregnant", "yes")]), records(2, State::Broken));
        assert_eq!(found(vec![entry("sex", "F", "pregnant", "no")]), records(0, State::Held));
        let both = vec![entry("sex", "F", "pregnant", "no"), entry("sex", "M", "pregnant", "yes")];
        assert_eq!(found(both), records(2, State::Broken));
    }

    #[test]
    fn an_entry_about_what_is_not_there_is_not_taken_for_kept() {
        for (attribute, of) in [("sex", "smoker"), ("smoker", "pregnant")] {
            let found = found(vec![entry(attribute, "M", of, "yes")]);
            assert_eq!(found, Some((json!({ "records": 0 }), State::Broken)), "{attribute}, {of}");
        }
        // Nobody has two values of one attribute, which no entry has to say.
        let one = found(vec![entry("sex", "M", "sex", "F")]);
        assert_eq!(one, Some((json!({ "records": 0 }), State::Broken)));
        // An entry about a sensitive value is another promise.
        let sensitive = Impossible { of: None, ..entry("sex", "M", "", "yes") };
        assert_eq!(found(vec![sensitive]), None);
    }
}

/// Codes and ranges of them name the leaves of a table, and a label where they name each leaf under it.
#[test]
fn codes_name_the_labels_of_another_attribute() {
    let rows: [&[&str]; 5] = [
        &["O42.1", "O", "*"],
        &["O99", "O", "*"],
        &["C61", "C", "*"],
        &["none", "C", "*"],
        &["P07", "P", "*"],
    ];
    let (sex, diagnosis) = (attribute(table(&[&["F", "*"], &["M", "*"]])), attribute(table(&rows)));
    let all = ["O42.1", "O99", "C61", "none", "P07", "O", "C", "P", ""];
    let of = |given: &[&str]| {
        let sensitive = given.iter().map(|&text| text.to_owned()).collect();
        let entry = Impossible { sensitive, ..entry(&["M"], None, None) };
        let (rows, columns) = named(&entry, &sex, &diagnosis);
        assert_eq!([rows("M"), rows("F"), rows("*")], [true, false, false]);
        all.into_iter().filter(|label| columns(label)).collect::<Vec<&str>>()
    };
    assert_eq!(of(&["O00-O99"]), ["O42.1", "O99", "O"]);
    assert_eq!(of(&["O42", "O99"]), ["O42.1", "O99", "O"]);
    assert_eq!(of(&["O99"]), ["O99"]);
    assert_eq!(of(&["O42"]), ["O42.1"]);
    // By a code and by what is written; by a label and by a code.
    assert_eq!(of(&["C61", "none"]), ["C61", "none", "C"]);
    assert_eq!(of(&["C", "P07"]), ["C61", "none", "P07", "C", "P"]);
    assert_eq!(of(&["*"]), NONE, "the top names nothing");
    assert_eq!(of(&[]), NONE);
}

#[test]
fn a_missing_value_is_named_by_itself() {
    let rows = attribute(table(&[&["4", "*"], &["6", "*"]]));
    let numbers = interval(99.0, 0);
    for attribute in [&rows, &numbers] {
        assert_eq!(of(attribute, &entry(&[""], None, None), &["", "4", "6"]), [""]);
        assert_eq!(of(attribute, &entry(&["4"], Some(6.0), None), &["", "4", "6"]), ["4", "6"]);
    }
}

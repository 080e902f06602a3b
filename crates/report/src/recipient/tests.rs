use serde_json::{Value, json};
use velamen_core::hierarchy::Definition;
use velamen_core::recoding::ReleasedValue;

use super::extent::{Extent, Reader};
use super::shown::shown;
use super::{in_units, level_in_words};
use crate::manifest::AttributeEntry;

fn entry(level: u8, levels: u8, hierarchy: &Value) -> AttributeEntry {
    let entry =
        json!({ "role": "quasi-identifier", "level": level, "levels": levels, "hierarchy": hierarchy });
    serde_json::from_value(entry).unwrap()
}

#[test]
fn levels_are_told_in_words() {
    let zip = json!({ "mask": "right", "length": 5 });
    let age = json!({ "interval": [5, 10, 20], "min": 0, "max": 99 });
    let day = json!({ "date": ["month", "year"], "min": "2018-01-01", "max": "2020-12-31" });
    let icd = json!({ "icd-10": "who" });
    let ward = json!({ "rows": [["a", "x", "*"], ["b", "x", "*"]] });
    let fives = json!({ "rows": [["0", "[0-4]", "*"], ["7", "[5-9]", "*"], ["10", "[10-12]", "*"]] });
    for (entry, expected) in [
        (entry(0, 6, &zip), "as recorded"),
        (entry(2, 6, &zip), "first 3 of 5 characters"),
        (entry(5, 6, &zip), "nothing left: every value is *"),
        (entry(2, 5, &age), "ranges of 10"),
        (entry(1, 4, &day), "the month"),
        (entry(1, 5, &icd), "first 3 characters of the code"),
        (entry(2, 5, &icd), "block of the ICD-10"),
        (entry(3, 5, &icd), "chapter of the ICD-10"),
        (entry(1, 3, &ward), "1 group"),
        (entry(1, 3, &fives), "ranges of 5"),
    ] {
        assert_eq!(shown(&entry, &[]), expected);
    }
    let coded = AttributeEntry { top: Some(90.0), ..entry(1, 5, &age) };
    assert_eq!(shown(&coded, &[]), "ranges of 5; >=90 is one value");
    let in_years = AttributeEntry { unit: Some("years".into()), ..entry(2, 5, &age) };
    assert_eq!(in_units(&in_years, shown(&in_years, &[])), "ranges of 10 years");
    assert_eq!(in_units(&in_years, "as recorded".into()), "as recorded");
}

#[test]
fn levels_to_choose_from_are_told_in_words() {
    let words = |hierarchy: Value, level: u8, top: u8| {
        let definition: Definition = serde_json::from_value(hierarchy).unwrap();
        level_in_words(Some(&definition), level, top)
    };
    let ward = json!({ "rows": [["a", "x", "u", "*"], ["b", "x", "u", "*"], ["c", "y", "u", "*"]] });
    assert_eq!(words(ward.clone(), 1, 3), "2 groups");
    assert_eq!(words(ward.clone(), 2, 3), "1 group");
    assert_eq!((words(ward.clone(), 0, 3), words(ward, 3, 3)), ("as recorded".into(), "left out".into()));
    assert_eq!(words(json!({ "interval": [5, 10], "min": 0, "max": 99 }), 2, 3), "ranges of 10");
    assert_eq!(level_in_words(None, 1, 1), "left out");
}

#[test]
fn what_groups_show_is_told_by_their_values() {
    let ward = json!({ "rows": [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]] });
    let of = |recoding: &str, values: &[(&str, u8)]| {
        let recoding = serde_json::from_value(json!(recoding)).unwrap();
        let entry = AttributeEntry { level: None, recoding: Some(recoding), ..entry(0, 3, &ward) };
        let value =
            |&(label, level): &(&str, u8)| ReleasedValue { label: label.to_owned(), leaves: 1, level };
        shown(&entry, &values.iter().map(value).collect::<Vec<_>>())
    };
    let (whole, mixed): (&[_], &[_]) = (&[("a", 0), ("", 0), ("c", 0)], &[("a", 0), ("x", 1), ("*", 2)]);
    for recoding in ["nodes", "ranges"] {
        assert_eq!(of(recoding, whole), "as recorded");
        assert_eq!(of(recoding, &[("*", 2)]), "nothing left: every value is *");
    }
    assert_eq!(of("nodes", &[("x", 1), ("", 0), ("y", 1)]), "2 groups");
    assert_eq!(of("nodes", mixed), "more or less detail, by group of records");
    assert_eq!(of("nodes", &[]), "more or less detail, by group of records");
    assert_eq!(of("ranges", mixed), "sets of values, which differ by group of records");
    assert_eq!(of("ranges", &[("1", 0), ("[2-3]", 1)]), "ranges, which differ by group of records");
    assert_eq!(of("ranges", &[("a", 0), ("[b..c]", 1)]), "ranges, which differ by group of records");
    assert_eq!(of("ranges", &[("1", 0), (">=4", 0)]), "ranges, which differ by group of records");
    assert_eq!(of("aggregates", &[("1.5", 0)]), "the mean of each group of records");
}

fn cells(hierarchy: &Value, label: &str) -> Option<[String; 3]> {
    Reader::of(&entry(1, 3, hierarchy)).extent(label).map(|extent| extent.cells())
}

fn three(low: &str, high: &str, mid: &str) -> Option<[String; 3]> {
    Some([low, high, mid].map(str::to_owned))
}

#[test]
fn labels_stand_for_numbers_and_days() {
    let change = json!({ "interval": [5, 10], "min": -20, "max": 19 });
    assert_eq!(cells(&change, "[-5--1]"), three("-5", "-1", "-3"));
    assert_eq!(cells(&change, "*"), three("-20", "19", "-0.5"));
    assert_eq!(cells(&change, ">=10"), three("10", "19", "14.5"));
    assert_eq!(cells(&change, "x"), None);
    let coded = AttributeEntry { top: Some(10.0), ..entry(1, 4, &change) };
    let of = |label: &str| Reader::of(&coded).extent(label).map(|extent| extent.cells());
    assert_eq!(
        (of(">=10"), of("*"), of("[0-9]")),
        (three("10", "", ""), three("-20", "", ""), three("0", "9", "4.5"))
    );
    let flat = serde_json::to_value(Definition::Flat { domain: 9 }).unwrap();
    assert_eq!((cells(&flat, "[1.5-4]"), cells(&flat, "*")), (three("1.5", "4", "2.75"), None));
    assert_eq!(cells(&flat, "<=3"), three("", "3", ""));
    let score = json!({ "rows": [["1", "low", "*"], ["4", "low", "*"], [">=9", "high", "*"]] });
    assert_eq!((cells(&score, "low"), cells(&score, "high")), (three("1", "4", "2.5"), three("9", "", "")));
    let ward = json!({ "rows": [["1", "low", "*"], ["b", "low", "*"]] });
    assert_eq!(cells(&ward, "low"), None);
    let place = json!({ "rows": [["1101", "11**", "*"], ["1102", "11**", "*"]] });
    assert_eq!(cells(&place, "11**"), None);
    let day = json!({ "date": ["month", "year"], "min": "2018-02-10", "max": "2020-12-31" });
    assert_eq!(cells(&day, "2018-02"), three("2018-02-10", "2018-02-28", ""));
    assert_eq!(cells(&day, "*"), three("2018-02-10", "2020-12-31", ""));
    assert!(Extent::Days("a".into(), "b".into()).is_range());
}

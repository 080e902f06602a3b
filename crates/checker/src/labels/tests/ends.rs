//! Ranges whose manifest says where they end: values, coded ends, and what ends on the grid.

use velamen_contract::PromisedAttribute;
use velamen_core::recoding::Recoding;
use velamen_core::step::Ends;

use super::{attribute, json, of, with_null};
use crate::labels::{Reader, near};

const AGES: &str = r#"{ "interval": [5, 10], "min": 0, "max": 99 }"#;
const TEXTS: &str = r#"{ "domain": 9 }"#;
const ROWS: &str = r#"{ "rows": [["4", "low", "*"], ["6", "low", "*"], ["9", "high", "*"]] }"#;

fn ranges(hierarchy: &str, ends: &str) -> PromisedAttribute {
    PromisedAttribute {
        recoding: Recoding::Ranges,
        level: None,
        ends: Some(serde_json::from_str(ends).unwrap()),
        ..attribute(json(hierarchy), 0)
    }
}

#[test]
fn values_and_ranges_on_the_grid_are_released() {
    let labels = ["35", "[35-39]", "[35-49]", "*", "", "[36-49]", "[35-48]", "x", ">=90", "<=9"];
    // A range to the domain's end has one end on the grid.
    assert_eq!(
        of(&ranges(AGES, r#""intervals""#), &labels),
        ["35", "[35-39]", "[35-49]", "*", ">=90", "<=9"]
    );
    // Values of the hierarchy stay those; other ranges end on the multiples of 10.
    assert_eq!(of(&ranges(AGES, "10"), &labels), ["35", "[35-39]", "*", ">=90", "<=9"]);
    assert_eq!(of(&ranges(AGES, "10"), &["[30-49]", "[35-49]", "[30-45]"]), ["[30-49]"]);
}

#[test]
fn of_an_attribute_without_hierarchy_numbers_and_days_are_values() {
    let labels = ["35", "35.5", "2020-02-29", "x", "[30-49]", "[31-49]", "[2020-01-01..2020-12-31]", "*", ""];
    assert_eq!(of(&ranges(TEXTS, "10"), &labels), ["35", "35.5", "[30-49]", "*", ""]);
    assert_eq!(of(&ranges(TEXTS, r#""year""#), &labels), ["2020-02-29", "[2020-01-01..2020-12-31]", "*", ""]);
    assert_eq!(of(&ranges(TEXTS, r#""year""#), &["2021-02-29", "2020", "[2020-02-01..2020-12-31]"]), [""; 0]);
}

#[test]
fn a_text_is_a_value_unless_it_looks_like_a_set() {
    let texts = ranges(TEXTS, r#""values""#);
    let values = ["x", ">=5", "{a", "a}", "{a}", "a|b", "{a|b", "a|b}"];
    assert_eq!(of(&texts, &values), values);
    // A set names each of its values once; a range of texts has no ends that are known.
    assert_eq!(of(&texts, &["{a|b}", "{a|a}", "{a|}", "{|}", "[a..b]"]), ["{a|b}"]);
}

#[test]
fn ranges_of_a_table_go_from_leaf_to_leaf() {
    let labels = ["4", "low", "[4-9]", "[9-4]", "[4-8]", "mid", ""];
    assert_eq!(of(&ranges(ROWS, r#""values""#), &labels), ["4", "low", "[4-9]"]);
}

#[test]
fn a_coded_end_is_the_stated_one() {
    let labels = [">=85", ">=87", ">=80", "<=12", "<=13", "<=19"];
    let coded = |hierarchy, ends| PromisedAttribute {
        top: Some(87.0),
        bottom: Some(12.0),
        ..ranges(hierarchy, ends)
    };
    // On the grid are the ends of its cells, too.
    assert_eq!(of(&ranges(AGES, "10"), &labels), [">=80", "<=19"]);
    assert_eq!(of(&coded(AGES, "10"), &labels), [">=87", ">=80", "<=12", "<=19"]);
    assert_eq!(of(&ranges(TEXTS, "10"), &labels), [">=80", "<=19"]);
    assert_eq!(of(&coded(TEXTS, "10"), &labels), [">=87", ">=80", "<=12", "<=19"]);
    assert_eq!(of(&ranges(AGES, r#""intervals""#), &labels), [">=85", ">=80", "<=19"]);
    assert_eq!(of(&coded(AGES, r#""intervals""#), &labels), [">=85", ">=87", ">=80", "<=12", "<=19"]);
    let top = PromisedAttribute { top: Some(87.0), ..ranges(AGES, "10") };
    assert_eq!(of(&top, &labels), [">=87", ">=80", "<=19"], "the lower end is not coded");
    let bottom = PromisedAttribute { bottom: Some(12.0), ..ranges(AGES, "10") };
    assert_eq!(of(&bottom, &labels), [">=80", "<=12", "<=19"], "the upper end is not coded");
}

#[test]
fn a_missing_value_is_released_where_it_is_a_value() {
    let labels = ["", "*", "?"];
    for ends in ["10", r#""intervals""#] {
        assert_eq!(of(&ranges(AGES, ends), &labels), ["*"]);
        assert_eq!(of(&with_null(ranges(AGES, ends)), &labels), ["", "*"]);
    }
    // Any text can be a value, and none is one, too.
    for ends in ["10", r#""year""#] {
        assert_eq!(of(&ranges(TEXTS, ends), &labels), ["", "*"]);
        assert_eq!(of(&with_null(ranges(TEXTS, ends)), &labels), ["", "*"]);
    }
}

#[test]
fn the_missing_value_of_texts_is_no_range() {
    let texts = ranges(TEXTS, "10");
    assert_eq!(
        ["", "35", "*", "[30-49]"].map(|label| Reader::new(&texts).degree(label)),
        [0.0, 0.0, 1.0, 1.0]
    );
}

#[test]
fn numbers_have_the_decimals_of_their_hierarchy() {
    let tenths = r#"{ "cuts": [[1.5, 3]], "min": 0, "max": 4, "decimals": 1 }"#;
    let halves = r#"{ "interval": [0.5], "min": 0, "max": 9.9, "decimals": 1 }"#;
    for (hierarchy, values, intervals) in [
        (halves, ["7.3", "7.30", "7.34", "7.26"], ["[7.0-7.4]", "[7.04-7.4]", "[6.96-7.4]", "[7.0-7.44]"]),
        (AGES, ["35", "35.0", "35.4", "34.6"], ["[35-39]", "[35.4-39]", "[34.6-39]", "[35-39.4]"]),
        (tenths, ["2.5", "2.50", "2.54", "2.46"], ["[1.5-2.9]", "[1.54-2.9]", "[1.46-2.9]", "[1.5-2.94]"]),
    ] {
        let labels = [values, intervals].concat();
        let of = |recoding, level, ends| {
            of(&PromisedAttribute { recoding, level, ends, ..attribute(json(hierarchy), 0) }, &labels)
        };
        // A number may be written with a zero more, but has no more decimals.
        let honest = [&values[..2], &intervals[..1]].concat();
        assert_eq!(of(Recoding::Nodes, None, None), honest);
        assert_eq!(of(Recoding::Ranges, None, Some(Ends::Intervals)), honest);
        assert_eq!(of(Recoding::FullDomain, Some(0), None), values[..2]);
        assert_eq!(of(Recoding::FullDomain, Some(1), None), intervals[..1]);
    }
    let ages = PromisedAttribute { level: None, recoding: Recoding::Nodes, ..attribute(json(AGES), 0) };
    assert_eq!(of(&ages, &["0", "0.01", "0.000001"]), ["0"]);
}

#[test]
fn numbers_are_one_but_for_rounding() {
    assert!(near(0.1 + 0.2, 0.3, 0.1) && near(-20.0, -20.0, 1.0));
    assert!(!near(0.6, 0.7, 0.1) && !near(18.0, 18.5, 1.0), "half a unit apart, and more");
}

//! Labels that may be released and what they cover, and others.

use super::*;

fn degree(attribute: &PromisedAttribute, label: &str) -> f64 {
    Reader::new(attribute).degree(label)
}

fn at_level(attribute: &PromisedAttribute, label: &str) -> bool {
    Reader::new(attribute).at_level(label)
}

fn allowed(attribute: &PromisedAttribute, label: &str) -> bool {
    Reader::new(attribute).allowed(label)
}

fn attribute(hierarchy: Definition, level: u8) -> PromisedAttribute {
    PromisedAttribute { name: "a".into(), level: Some(level), hierarchy, ..PromisedAttribute::default() }
}

#[test]
fn degrees_from_labels() {
    let age = Definition::Interval { interval: vec![5.0], min: 0.0, max: 99.0, decimals: 0 };
    assert!((degree(&attribute(age.clone(), 1), "[35-66]") - 31.0 / 99.0).abs() < 1e-12);
    assert_eq!(degree(&attribute(age.clone(), 2), "*"), 1.0);
    assert_eq!(degree(&attribute(age, 0), "35"), 0.0);
    assert_eq!(bounds("[-5--1]"), Some((-5.0, -1.0)));
    assert_eq!(bounds("[20.0-24.9]"), Some((20.0, 24.9)));
    let age = Definition::Interval { interval: vec![5.0], min: 0.0, max: 99.0, decimals: 0 };
    assert!((degree(&attribute(age, 0), ">=90") - 9.0 / 99.0).abs() < 1e-12);
    let zip = Definition::Mask { mask: Side::Right, length: 5, alphabet: 10, levels: None };
    assert!((degree(&attribute(zip, 2), "130**") - 99.0 / 99_999.0).abs() < 1e-12);
}

#[test]
fn a_level_has_its_own_labels() {
    let all = |attribute: &PromisedAttribute, labels: &[&str]| labels.iter().all(|l| at_level(attribute, l));
    let none =
        |attribute: &PromisedAttribute, labels: &[&str]| !labels.iter().any(|l| at_level(attribute, l));
    let age = Definition::Interval { interval: vec![5.0, 10.0], min: 0.0, max: 20.0, decimals: 0 };
    let level = |level| attribute(age.clone(), level);
    assert!(all(&level(0), &["0", "20"]) && none(&level(0), &["[0-4]", "*", "21", ""]));
    assert!(all(&level(1), &["[0-4]", "[15-19]", "20"]) && none(&level(1), &["[0-9]", "*", "19", "[16-19]"]));
    assert!(all(&level(2), &["[0-9]", "20"]) && none(&level(2), &["[0-4]", "*"]));
    assert!(all(&level(3), &["*"]) && none(&level(3), &["[0-9]", "20"]) && none(&level(4), &["*"]));
    let coded = PromisedAttribute { top: Some(15.0), ..level(1) };
    assert!(all(&coded, &[">=15", "[5-9]"]) && none(&coded, &[">=10"]));
    let cuts = Definition::Cuts { cuts: vec![vec![1.5, 3.0]], min: 0.0, max: 4.0, decimals: 1 };
    assert!(at_level(&attribute(cuts.clone(), 1), "[1.5-2.9]") && !at_level(&attribute(cuts, 1), "1.5"));
    let rows = vec![vec!["4".into(), "low".into()], vec!["9".into(), "high".into()]];
    let table = attribute(Definition::Table { rows }, 1);
    assert!(all(&table, &["low", "high"]) && none(&table, &["4", "*"]));
    assert!(none(&attribute(Definition::Flat { domain: 2 }, 1), &["*"]));
    assert!(none(&PromisedAttribute { level: None, ..table }, &["low"]));
}

fn local(hierarchy: Definition, recoding: Recoding) -> PromisedAttribute {
    PromisedAttribute { recoding, ..PromisedAttribute { level: None, ..attribute(hierarchy, 0) } }
}

#[test]
fn a_label_of_two_levels_is_the_wider_one() {
    let codes: Definition = serde_json::from_str(r#"{ "icd-10": "who" }"#).unwrap();
    // A category and its ten fourth characters; and the code that has none.
    let category = standard_place(&codes, Some(1), "I63").unwrap();
    assert!(category.1 > 1 && standard_place(&codes, Some(0), "I63") == Some((0, 1)));
    assert_eq!(standard_place(&codes, None, "I63"), Some(category));
    assert_eq!(standard_place(&codes, None, "I63.1"), Some((0, 1)));
}

#[test]
fn a_missing_value_covers_itself() {
    let rows = ["4", "6"].map(|leaf| vec![leaf.to_owned(), "*".to_owned()]).to_vec();
    let table = local(Definition::Table { rows }, Recoding::Ranges);
    let table = PromisedAttribute { null_leaf: true, ..table };
    assert_eq!(["", "4", "*"].map(|label| degree(&table, label)), [0.0, 0.0, 1.0]);
}

#[test]
fn degrees_of_labels_of_any_level() {
    let rows = [["4", "low"], ["6", "low"], ["9", "high"], ["", "none"]];
    let rows = rows.map(|[leaf, group]| vec![leaf.to_owned(), group.to_owned(), "*".to_owned()]).to_vec();
    let table = local(Definition::Table { rows }, Recoding::Ranges);
    let degrees = ["4", "low", "high", "[4-9]", "*", "unheard of"].map(|label| degree(&table, label));
    // The missing value is in no range.
    assert_eq!(degrees, [0.0, 1.0 / 3.0, 0.0, 2.0 / 3.0, 1.0, 1.0]);
    let flat = local(Definition::Flat { domain: 4 }, Recoding::Ranges);
    assert_eq!(["x", "*", "[a..b]"].map(|label| degree(&flat, label)), [0.0, 1.0, 1.0]);
}

#[test]
fn values_of_a_hierarchy_and_others() {
    let all = |attribute: &PromisedAttribute, labels: &[&str]| labels.iter().all(|l| allowed(attribute, l));
    let none = |attribute: &PromisedAttribute, labels: &[&str]| !labels.iter().any(|l| allowed(attribute, l));
    let age = Definition::Interval { interval: vec![5.0, 10.0], min: 1.0, max: 99.0, decimals: 0 };
    let nodes = local(age.clone(), Recoding::Nodes);
    assert!(all(&nodes, &["7", "[1-5]", "[96-99]", "[91-99]", "*"]));
    assert!(none(&nodes, &["", "0", "100", "[2-6]", "[1-4]", "[96-100]", "x"]));
    let ranges = local(age, Recoding::Ranges);
    assert!(all(&ranges, &["[2-6]", "7"]) && none(&ranges, &["[6-2]", "[0-6]", "[2-]"]));
    let coded = PromisedAttribute { top: Some(90.0), bottom: Some(10.0), ..nodes };
    assert!(all(&coded, &[">=90", "<=10", "11", "[91-99]"]) && none(&coded, &[">=80", "90", "10", "<=20"]));
    let coded = PromisedAttribute { recoding: Recoding::Ranges, ..coded };
    assert!(all(&coded, &[">=80", "<=20", ">=90", "<=10"]) && none(&coded, &[">=95", "<=5"]));
    let cuts = Definition::Cuts { cuts: vec![vec![1.5, 3.0]], min: 0.0, max: 4.0, decimals: 1 };
    let cuts = local(cuts, Recoding::Nodes);
    assert!(all(&cuts, &["[0.0-1.4]", "[1.5-2.9]", "[3.0-4.0]", "2.5"]) && none(&cuts, &["[0.0-2.9]"]));
    let zip = Definition::Mask { mask: Side::Right, length: 3, alphabet: 10, levels: Some(vec![2, 3]) };
    let zip = local(zip, Recoding::Nodes);
    assert!(all(&zip, &["123", "1**", "*"]) && none(&zip, &["12*", "1234", "12"]));
    let rows = vec![vec!["4".into(), "low".into(), "*".into()], vec!["9".into(), "high".into(), "*".into()]];
    let table = local(Definition::Table { rows }, Recoding::Ranges);
    assert!(all(&table, &["4", "low", "[4-9]"]) && none(&table, &["[9-4]", "[4-8]", "mid", ""]));
    let flat = local(Definition::Flat { domain: 4 }, Recoding::Ranges);
    assert!(all(&flat, &["x", "[a..b]", "[3-7]"]) && none(&flat, &["[b..a]"]));
}

fn json(text: &str) -> Definition {
    serde_json::from_str(text).unwrap()
}

/// The labels of a list that are allowed.
fn of<'l>(attribute: &PromisedAttribute, labels: &[&'l str]) -> Vec<&'l str> {
    labels.iter().copied().filter(|label| allowed(attribute, label)).collect()
}

fn with_null(attribute: PromisedAttribute) -> PromisedAttribute {
    PromisedAttribute { null_leaf: true, ..attribute }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn degrees_of_one_level_of_a_table() {
    let rows = json(r#"{ "rows": [["4", "low", "*"], ["6", "low", "*"], ["9", "high", "*"]] }"#);
    let level = |level| attribute(rows.clone(), level);
    assert_eq!(["low", "high", "unheard of"].map(|label| degree(&level(1), label)), [0.5, 0.0, 0.0]);
    assert_eq!((degree(&level(0), "4"), degree(&level(2), "*")), (0.0, 1.0));
    // The missing value is one leaf more, and under the top alone.
    let null = |at| with_null(level(at));
    assert!(near(degree(&null(1), "low"), 1.0 / 3.0) && near(degree(&null(2), "*"), 1.0));
    let one = attribute(json(r#"{ "rows": [["4", "*"]] }"#), 1);
    assert_eq!((degree(&one, "*"), degree(&with_null(one), "*")), (0.0, 1.0));
}

#[test]
fn degrees_of_numbers() {
    let ages = json(r#"{ "interval": [5], "min": 10, "max": 29 }"#);
    let level = |level| attribute(ages.clone(), level);
    assert!(near(degree(&level(1), "[10-14]"), 4.0 / 19.0) && near(degree(&level(2), "*"), 1.0));
    assert!(near(degree(&level(1), ">=20"), 9.0 / 19.0) && near(degree(&level(1), "<=19"), 9.0 / 19.0));
    let null = |at| with_null(level(at));
    assert!(near(degree(&null(1), "[10-14]"), 4.0 / 20.0) && near(degree(&null(2), "*"), 1.0));
    let tenths = attribute(json(r#"{ "cuts": [[2]], "min": 1, "max": 2.9, "decimals": 1 }"#), 1);
    for (label, leaves) in [("[1.0-1.4]", 5.0), (">=2.0", 10.0), ("<=1.9", 10.0), ("*", 20.0)] {
        assert!(near(degree(&tenths, label), (leaves - 1.0) / 19.0), "{label}");
    }
}

#[test]
fn degrees_of_masks_and_texts() {
    let left = attribute(json(r#"{ "mask": "left", "length": 3 }"#), 1);
    assert!(near(degree(&left, "*13"), 9.0 / 999.0) && near(degree(&left, "**3"), 99.0 / 999.0));
    assert!(near(degree(&left, "13*"), 0.0), "masked from the other side");
    let null = with_null(attribute(json(r#"{ "mask": "right", "length": 1 }"#), 1));
    assert!(near(degree(&null, "*"), 1.0) && near(degree(&null, "3"), 0.0));
    let flat = |level| attribute(Definition::Flat { domain: 4 }, level);
    assert_eq!([degree(&flat(0), "x"), degree(&flat(1), "*")], [0.0, 1.0]);
    assert!(near(degree(&with_null(flat(1)), "*"), 3.0 / 4.0));
}

#[test]
fn degrees_of_codes() {
    // Two digits, then five: 100 codes of two, 1000 of each.
    let codes = json(r#"{ "prefix": [2, 5] }"#);
    let level = |level| attribute(codes.clone(), level);
    assert!(near(degree(&level(0), "12345"), 0.0) && near(degree(&level(1), "12"), 999.0 / 99_999.0));
    assert!(near(degree(&level(2), "*"), 1.0) && near(degree(&with_null(level(2)), "*"), 1.0));
    assert!(near(degree(&with_null(level(1)), "12"), 999.0 / 100_000.0));
    assert!(near(degree(&level(0), "12"), 0.0), "no code of that level");
    let anywhere = local(codes, Recoding::Nodes);
    assert!(near(degree(&anywhere, "12345"), 0.0) && near(degree(&anywhere, "12"), 999.0 / 99_999.0));
    assert!(near(degree(&anywhere, "*"), 1.0));
    let ages = local(json(r#"{ "interval": [5], "min": 0, "max": 99 }"#), Recoding::Ranges);
    assert!(near(degree(&ages, "[35-66]"), 31.0 / 99.0) && near(degree(&ages, "7"), 0.0));
}

#[test]
fn a_missing_value_that_is_no_leaf_covers_all() {
    let table = local(json(r#"{ "rows": [["4", "*"], ["6", "*"]] }"#), Recoding::Ranges);
    assert_eq!(degree(&table, ""), 1.0);
}

#[test]
fn codes_have_their_levels_and_one_top() {
    let level = |level| attribute(json(r#"{ "icd-10": "who" }"#), level);
    let all = ["E11.9", "E11", "E10-E14", "E00-E90", "*", "E09"];
    let at = |at: u8| -> Vec<&str> { all.into_iter().filter(|label| at_level(&level(at), label)).collect() };
    assert_eq!([at(0), at(1), at(2)], [["E11.9", "E11"].to_vec(), vec!["E11"], vec!["E10-E14"]]);
    assert_eq!([at(3), at(4), at(5)], [vec!["E00-E90"], vec!["*"], vec![]]);
}

#[test]
fn the_top_of_a_recoding_by_levels_is_the_level_asked_for() {
    let ages = json(r#"{ "interval": [5], "min": 0, "max": 99 }"#);
    let labels = ["35", "[35-39]", "*", "", ">=90", "x"];
    let level = |level| attribute(ages.clone(), level);
    assert_eq!(of(&level(0), &labels), ["35"]);
    assert_eq!(of(&level(1), &labels), ["[35-39]"]);
    assert_eq!(of(&level(2), &labels), ["*"]);
    // A missing value is released as itself below the top, and as the top above the lowest.
    assert_eq!(of(&with_null(level(0)), &labels), ["35", ""]);
    assert_eq!(of(&with_null(level(1)), &labels), ["[35-39]", "*", ""]);
    assert_eq!(of(&with_null(level(2)), &labels), ["*"]);
    let coded = PromisedAttribute { top: Some(90.0), ..level(1) };
    assert_eq!(of(&coded, &labels), ["[35-39]", ">=90"]);
    // At the top a coded end shows more than was promised.
    let coded = |hierarchy, level| PromisedAttribute { top: Some(90.0), ..attribute(hierarchy, level) };
    assert_eq!(of(&coded(ages.clone(), 0), &labels), ["35", ">=90"]);
    assert_eq!(of(&coded(ages.clone(), 2), &labels), ["*"]);
    assert_eq!(of(&coded(Definition::Flat { domain: 9 }, 1), &labels), ["*"]);
    // Without a level the labels of any are allowed.
    let any = PromisedAttribute { level: None, ..level(0) };
    assert_eq!(of(&any, &labels), ["35", "[35-39]", "*"]);
    let aggregates = PromisedAttribute { recoding: Recoding::Aggregates, ..any };
    assert_eq!(of(&aggregates, &["36.5", "[35-39]", "[36-39]", "x"]), ["36.5", "[35-39]"]);
}

#[test]
fn at_the_top_it_does_not_show_whether_a_value_is_missing() {
    for (hierarchy, top) in [
        (r#"{ "rows": [["4", "low", "*"], ["6", "low", "*"]] }"#, 2),
        (r#"{ "rows": [["4"], ["6"]] }"#, 0),
        (r#"{ "interval": [5, 10], "min": 0, "max": 99 }"#, 3),
        (r#"{ "cuts": [[15, 30]], "min": 0, "max": 40 }"#, 2),
        (r#"{ "mask": "right", "length": 3 }"#, 3),
        (r#"{ "mask": "right", "length": 3, "levels": [2, 3] }"#, 2),
        (r#"{ "domain": 4 }"#, 1),
        (r#"{ "icd-10": "who" }"#, 4),
        (r#"{ "us-zip": [] }"#, 2),
        (r#"{ "date": ["month"], "min": "2020-01-01", "max": "2020-12-31" }"#, 2),
    ] {
        let shown = |level| allowed(&with_null(attribute(json(hierarchy), level)), "");
        assert!((0..top.max(1)).all(shown) && (top == 0 || !shown(top)), "{hierarchy}");
    }
}

#[test]
fn any_text_is_a_value_of_an_attribute_without_hierarchy() {
    let flat = |level| attribute(Definition::Flat { domain: 4 }, level);
    assert_eq!(of(&flat(0), &["x", "", "*"]), ["x", "", "*"]);
    assert_eq!(of(&flat(1), &["x", "", "*"]), ["*"]);
    let ranges = local(Definition::Flat { domain: 4 }, Recoding::Ranges);
    assert_eq!(of(&ranges, &["[a..b]", "[a..a]", "[b..a]", "[9-3]"]), ["[a..b]", "[9-3]"]);
}

#[test]
fn a_mask_hides_as_much_as_its_level() {
    let zip = json(r#"{ "mask": "right", "length": 3 }"#);
    let labels = ["130", "13*", "1**", "***", "*", "13", "13**", "*30", ""];
    let level = |level| attribute(zip.clone(), level);
    // A star can be a character of a code: more stars than the level has are no fewer.
    assert_eq!(of(&level(0), &labels), ["130", "13*", "1**", "***", "*30"]);
    assert_eq!(of(&level(1), &labels), ["13*", "1**", "***"]);
    assert_eq!(of(&level(2), &labels), ["1**", "***"]);
    assert_eq!(of(&level(3), &labels), ["*"]);
    assert_eq!(of(&with_null(level(2)), &labels), ["1**", "***", ""]);
    assert_eq!(of(&with_null(level(3)), &labels), ["*"]);
    let steps = |level| attribute(json(r#"{ "mask": "right", "length": 3, "levels": [2, 3] }"#), level);
    assert_eq!(of(&steps(1), &labels), ["1**", "***"]);
    assert_eq!(of(&steps(2), &labels), ["*"]);
    assert_eq!(of(&steps(3), &labels), ["*"]);
    let left = attribute(json(r#"{ "mask": "left", "length": 3 }"#), 1);
    assert_eq!(of(&left, &labels), ["***", "*30"]);
}

#[test]
fn codes_of_any_level_are_allowed_and_others_are_not() {
    let codes = local(json(r#"{ "icd-10": "who" }"#), Recoding::Nodes);
    assert_eq!(
        of(&codes, &["E11.9", "E11", "E10-E14", "*", "E10-E15", "x"]),
        ["E11.9", "E11", "E10-E14", "*"]
    );
}

#[test]
fn intervals_begin_where_the_domain_does() {
    let ages = attribute(json(r#"{ "interval": [5], "min": 18, "max": 99 }"#), 1);
    let labels =
        ["[18-22]", "[23-27]", "[20-24]", "[98-99]", "[13-17]", "[18.6-22]", "[18.5-22]", "[18-21.5]"];
    assert_eq!(of(&ages, &labels), ["[18-22]", "[23-27]", "[98-99]"]);
    let single = attribute(json(r#"{ "interval": [1, 5], "min": 18, "max": 99 }"#), 1);
    assert_eq!(of(&single, &["18", "17", "100"]), ["18"]);
    let tenths = |recoding, level| PromisedAttribute {
        recoding,
        level,
        ..attribute(json(r#"{ "interval": [5], "min": 0, "max": 9.9, "decimals": 1 }"#), 1)
    };
    for attribute in [tenths(Recoding::FullDomain, Some(1)), tenths(Recoding::Nodes, None)] {
        assert_eq!(
            of(&attribute, &["[0.0-4.9]", "[0.0-4.8]", "[5.0-9.9]", "[0.1-4.9]"]),
            ["[0.0-4.9]", "[5.0-9.9]"]
        );
    }
}

#[test]
fn intervals_between_cuts_end_one_unit_before_the_next() {
    let whole = attribute(json(r#"{ "cuts": [[15, 30]], "min": 0, "max": 40 }"#), 1);
    let labels = ["[0-14]", "[15-29]", "[30-40]", "[15-30]", "[15.5-29]", "[15.6-29]", "[15-28.4]", "[0-29]"];
    assert_eq!(of(&whole, &labels), ["[0-14]", "[15-29]", "[30-40]"]);
    let tenths = json(r#"{ "cuts": [[1.5, 3]], "min": 0, "max": 4, "decimals": 1 }"#);
    for attribute in [attribute(tenths.clone(), 1), local(tenths, Recoding::Nodes)] {
        assert_eq!(of(&attribute, &["[1.5-2.9]", "[1.5-2.8]", "[1.4-2.9]"]), ["[1.5-2.9]"]);
    }
}

mod ends;
mod honest;

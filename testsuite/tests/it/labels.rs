//! The grammar of released labels: what is written is read back, and the checker, which has a reader of its own,
//! reads it alike.

use proptest::prelude::*;
use velamen_checker::read;
use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{CodedRule, Definition, Rule};
use velamen_core::label::{Open, Range, number, of_numbers, of_texts, position};
use velamen_core::recoding::Recoding;

fn bounds(label: &str) -> Option<(f64, f64)> {
    Range::read(label)?.bounds()
}

#[test]
fn ranges_of_numbers() {
    assert_eq!(bounds("[3-17]"), Some((3.0, 17.0)));
    assert_eq!(bounds("[-5--1]"), Some((-5.0, -1.0)));
    assert_eq!(bounds("[1e-5-2]"), Some((0.00001, 2.0)));
    assert_eq!(bounds("[+.5-7.]"), Some((0.5, 7.0)));
    assert_eq!(bounds("[20.0-24.9]"), Some((20.0, 24.9)));
    assert_eq!(bounds(">=90"), Some((90.0, f64::INFINITY)));
    assert_eq!(bounds("<=-2"), Some((f64::NEG_INFINITY, -2.0)));
    assert_eq!(bounds("[80->=90]"), Some((80.0, f64::INFINITY)));
    assert_eq!(bounds("[<=-9--3]"), Some((f64::NEG_INFINITY, -3.0)));
}

#[test]
fn other_labels_are_no_ranges() {
    let others = [
        "*",
        "",
        "17",
        "-17",
        "130**",
        "2021-03-04",
        "2020-2024",
        "2021-W**",
        "I63.1",
        "[",
        "[]",
        "[2-]",
        "[-2]",
        "[a-b]",
        "[9-3]",
        "[b..a]",
        "[1-inf]",
        "[NaN-3]",
        ">=",
        ">=inf",
        "<=x",
        ">=>=90",
        "<18",
        "{a, b}",
    ];
    for label in others {
        assert_eq!(Range::read(label), None, "{label}");
    }
}

#[test]
fn texts_are_parted_wherever_they_can_be() {
    let has = |label: &str, value: &str| Range::read(label).is_some_and(|range| range.has(value));
    assert!(has("[Bern..Genf]", "Chur") && has("[Bern..Genf]", "Bern") && !has("[Bern..Genf]", "Zug"));
    // A to `b..C`, or `A..b` to C.
    assert!(has("[A..b..C]", "Zug") && !has("[A..b..C]", "zoo"));
    // The dot that a text ends with is no dot of the range.
    assert!(has("[Dr...Prof]", "Dr.") && has("[Dr...Prof]", "Frau"));
    assert!(has("[Ä..Ü]", "Ö"));
}

#[test]
fn values_stand_at_themselves_or_at_their_bound() {
    let at = ["-3", ">=90", "<=19", "x", ">=x", "inf", ""].map(position);
    assert_eq!(at, [Some(-3.0), Some(90.0), Some(19.0), None, None, None, None]);
    let range = Range::read("[80-95]").unwrap();
    assert!(range.has(">=90") && range.has("95") && !range.has(">=96") && !range.has(""));
}

/// What the checker makes of a label: whether it may be released, and the share that it covers.
fn checked(json: &str, recoding: Recoding, coded: (Option<f64>, Option<f64>), label: &str) -> (bool, f64) {
    let hierarchy = serde_json::from_str(json).expect("a hierarchy");
    let (bottom, top) = coded;
    let attribute = PromisedAttribute { recoding, hierarchy, bottom, top, ..PromisedAttribute::default() };
    read(&attribute, label)
}

/// Where this reader and the checker's differ: on text that the program does not write.
#[test]
fn differences_to_the_checker_are_known() {
    let ages = r#"{"interval":[5],"min":0,"max":99}"#;
    let table = r#"{"rows":[["80","*"],["85","*"],[">=90","*"],["x","*"]]}"#;
    let flat = r#"{"domain":4}"#;
    let ranges = |json, label| checked(json, Recoding::Ranges, (None, None), label).0;
    // Read here as all from 80. The checker knows it of a table's leaves alone, and any text as a value.
    assert!(bounds("[80->=90]").is_some());
    assert!(!ranges(ages, "[80->=90]") && ranges(table, "[80->=90]") && ranges(flat, "[80->=90]"));
    // Here no range for its order or its end: a value of an attribute without hierarchy, and of no other.
    for label in ["[90-80]", "[1-inf]"] {
        assert!(bounds(label).is_none() && !ranges(ages, label) && !ranges(table, label));
        assert!(ranges(flat, label));
    }
    // Open to the end of any numbers here; the checker asks what the ends of this domain are coded as.
    assert!(bounds(">=90").is_some() && !ranges(ages, ">=90"));
    assert!(checked(ages, Recoding::Ranges, (None, Some(90.0)), ">=90").0);
}

/// Widths that nest, a domain, and decimals.
fn intervals() -> impl Strategy<Value = (Vec<i64>, i64, i64, u32)> {
    let widths = prop_oneof![Just(vec![5]), Just(vec![2, 6]), Just(vec![10, 20, 40])];
    (widths, -60i64..40, 1i64..120, 0u32..3)
        .prop_map(|(widths, min, size, decimals)| (widths, min, min + size, decimals))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every label of every level is read as the numbers that have it, and the checker counts as many.
    #[test]
    fn labels_of_intervals_are_read_back((widths, min, max, decimals) in intervals(), ends in (0..4u8, 0..8i64)) {
        let scale = 10f64.powi(decimals as i32);
        let unit = |number: i64| number as f64 / scale;
        let json = serde_json::json!({
            "interval": widths.iter().map(|width| unit(*width)).collect::<Vec<_>>(),
            "min": unit(min), "max": unit(max), "decimals": decimals,
        }).to_string();
        let rule = Rule::try_from(&serde_json::from_str::<Definition>(&json).unwrap()).unwrap();
        // Coded ends that cut no interval.
        let widest = widths.last().unwrap();
        let bottom = Some(min + widest - 1).filter(|bottom| ends.0 & 1 > 0 && *bottom < max);
        let above = bottom.unwrap_or(min);
        let top = Some(min + ends.1 * widest).filter(|top| ends.0 & 2 > 0 && (above + 1..=max).contains(top));
        let (bottom, top) = (bottom.map(unit), top.map(unit));
        let rule = match rule {
            Rule::Interval(rule) if bottom.is_some() || top.is_some() => {
                Rule::Coded(CodedRule::new(Some(rule), bottom, top).unwrap())
            }
            rule => rule,
        };
        let leaves = rule.whole_domain(1000).unwrap();
        let (leaves, hierarchy) = rule.over(leaves, false);
        for level in 0..hierarchy.top() {
            for (leaf, value) in (0u32..).zip(&leaves) {
                let code = hierarchy.code(level, leaf);
                let label = hierarchy.label(level, code);
                let range = Range::read(label);
                let has = |value: &str| range.map_or(value == label, |range| range.has(value));
                prop_assert!(has(value), "{label} {value}");
                for (other, value) in (0u32..).zip(&leaves) {
                    prop_assert_eq!(has(value), hierarchy.code(level, other) == code, "{} {}", label, value);
                }
                let (low, high) = range.and_then(|range| range.bounds()).unwrap_or((0.0, 0.0));
                let span = high.min(unit(max)) - low.max(unit(min));
                let counted = if range.is_some() { (span * scale).round() as u64 + 1 } else { 1 };
                prop_assert_eq!(counted, hierarchy.leaves(level, code), "{}", label);
                let (may, share) = checked(&json, Recoding::Nodes, (bottom, top), label);
                prop_assert!(may, "{} {}", label, json);
                prop_assert!((share - hierarchy.degree(level, code)).abs() < 1e-9, "{} {}", label, share);
            }
        }
    }

    #[test]
    fn written_numbers_are_read_back(a in "-?[0-9]{1,4}([.][0-9]{0,3})?(e-?[0-9])?", b in "[+-]?[0-9]{0,3}[.][0-9]{1,3}") {
        let (low, high) = if number(&a) <= number(&b) { (&a, &b) } else { (&b, &a) };
        let label = of_numbers(low, high);
        prop_assert_eq!(Range::read(&label), Some(Range::Numbers(low, high)));
        for open in [Open::Above, Open::Below] {
            let label = open.label(&a);
            prop_assert_eq!(Open::read(&label), Some((open, a.as_str())));
            prop_assert!(Range::read(&label).unwrap().has(&a));
        }
    }

    #[test]
    fn written_texts_are_read_back(mut texts in prop::collection::btree_set("[-.a-cÄ0-9]{1,5}", 3)) {
        let (first, between, last) =
            (texts.pop_first().unwrap(), texts.pop_first().unwrap(), texts.pop_first().unwrap());
        let label = of_texts(&first, &last);
        let range = Range::read(&label).unwrap();
        prop_assert!(range.has(&first) && range.has(&between) && range.has(&last), "{}", label);
        let flat = checked(r#"{"domain":3}"#, Recoding::Ranges, (None, None), &label);
        prop_assert_eq!(flat, (true, 1.0), "{}", label);
    }
}

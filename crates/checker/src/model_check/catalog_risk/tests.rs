//! The risk of small releases against a look at every set of records that the counterfeits can be.

#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use velamen_core::release::CatalogRow;

use super::{Least, Urn, doubted, each_apart, of_class};
use crate::tests::released;
use crate::{CLASS_ID, Promises, Published, State, certify};

/// By class the values of its records.
type Classes<'a> = &'a [&'a str];

const IDS: [&str; 4] = ["1", "2", "3", "4"];

/// A letter is a value: `"AAB"` is a class of two records of A and one of B.
fn records(classes: Classes<'_>) -> Vec<(usize, char)> {
    classes.iter().enumerate().flat_map(|(id, values)| values.chars().map(move |value| (id, value))).collect()
}

/// The definition, for one group of the classes up to the largest padded size: by class and value the mean of the share
/// of real records of the value, over the class's real records, where there are `least` real ones.
fn naive(classes: Classes<'_>, counterfeits: &[(char, u64)], most: usize, least: u64) -> f64 {
    let records = records(classes);
    let inside: Vec<usize> = (0..records.len()).filter(|&at| classes[records[at].0].len() <= most).collect();
    let mut sums: BTreeMap<(usize, char), (f64, f64)> = BTreeMap::new();
    for set in 0u32..1 << inside.len() {
        let black: Vec<usize> =
            inside.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, &at)| at).collect();
        let has = |value: char| black.iter().filter(|&&at| records[at].1 == value).count() as u64;
        let listed = counterfeits.iter().all(|&(value, count)| has(value) == count);
        if !listed || black.len() as u64 != counterfeits.iter().map(|row| row.1).sum::<u64>() {
            continue;
        }
        for (id, values) in classes.iter().enumerate().filter(|(_, values)| values.len() <= most) {
            let false_ones: Vec<char> =
                black.iter().filter(|&&at| records[at].0 == id).map(|&at| records[at].1).collect();
            let real = (values.len() - false_ones.len()) as u64;
            if real < least {
                continue;
            }
            for value in values.chars() {
                let own = values.chars().filter(|v| *v == value).count();
                let own_real = own - false_ones.iter().filter(|v| **v == value).count();
                let sum = sums.entry((id, value)).or_default();
                // Once for every record of the value: numerator and denominator alike.
                *sum = (sum.0 + own_real as f64 / own as f64 / real as f64, sum.1 + 1.0);
            }
        }
    }
    let of_class = |(id, values): (usize, &&str)| {
        let in_group = values.len() <= most;
        let of_value = |value| sums.get(&(id, value)).map_or(1.0, |(sum, sets)| sum / sets);
        if in_group { values.chars().map(of_value).fold(0.0, f64::max) } else { 1.0 / values.len() as f64 }
    };
    classes.iter().enumerate().map(of_class).fold(0.0, f64::max)
}

/// What the check finds, and whether it is at most a risk.
fn checked(
    classes: Classes<'_>,
    counterfeits: &[(char, u64)],
    most: usize,
    least: Option<u64>,
    risk: f64,
) -> (f64, State) {
    let texts: Vec<(&str, String)> =
        records(classes).into_iter().map(|(id, value)| (IDS[id], value.to_string())).collect();
    let cells: Vec<[&str; 2]> = texts.iter().map(|(id, value)| [*id, &value[..]]).collect();
    let rows: Vec<(&[&str], u64)> = cells.iter().map(|cells| (&cells[..], 1)).collect();
    let (table, counts) = released(&[CLASS_ID, "s"], &rows);
    let ids: Vec<u64> = (1..=classes.len() as u64).collect();
    let row = |&(value, count): &(char, u64)| CatalogRow {
        classes: ids.clone().into(),
        value: value.to_string(),
        count,
    };
    let promises = Promises {
        privacy: vec![("catalog-risk".into(), json!({ "risk": risk }))],
        sensitive: Some("s".into()),
        catalog: counterfeits.iter().map(row).collect(),
        largest_padded: Some(most as u64),
        least_real: least,
        ..Promises::default()
    };
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, &promises).unwrap();
    let found = findings.into_iter().find(|finding| finding.promise == "catalog-risk").unwrap();
    (found.reached["risk"].as_f64().unwrap(), found.state)
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-11
}

#[test]
fn one_counterfeit_of_two_is_here_or_there() {
    // Of class 1 one record is real, or two: 1/2 · 1 · ½ + 1/2 · 1/2 for A, and for B 3/4.
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, None, 1.0), (0.75, State::Held));
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, None, 0.75).1, State::Held);
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, None, 0.74).1, State::Broken);
    // Who has two real records for sure is known to be one of them.
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, Some(2), 1.0).0, 0.5);
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, Some(0), 1.0).0, 0.75, "a class has one real record");
    // More real records than the class has cannot be.
    assert_eq!(checked(&["AB", "AC"], &[('A', 1)], 2, Some(3), 1.0).0, 1.0);
    // Nor can more counterfeits than records.
    assert_eq!(checked(&["AABBB", "AABBB"], &[('A', 5)], 5, None, 1.0).0, 1.0);
}

#[test]
fn without_counterfeits_the_size_decides() {
    assert_eq!(checked(&["AB", "ABCD"], &[], 4, None, 0.5), (0.5, State::Held));
    assert_eq!(checked(&["ABC", "ABCD"], &[('A', 1)], 2, None, 0.5).0, 1.0 / 3.0, "no class can hold any");
    let (table, counts) = released(&[CLASS_ID, "s"], &[(&["1", "A"], 4)]);
    let asked = |risk| vec![("catalog-risk".into(), json!({ "risk": risk }))];
    let of = |risk| {
        let promises = Promises { privacy: asked(risk), ..Promises::default() };
        certify(&Published { table: &table, counts: &counts, people: None }, &promises)
            .unwrap()
            .swap_remove(0)
            .state
    };
    assert_eq!((of(0.25), of(0.24)), (State::Held, State::Broken));
}

#[test]
fn without_doubtful_values_each_record_is_one_of_its_class() {
    let urn = |drawn| Urn { own: drawn, drawn, balls: 9, black: 0 };
    assert_eq!(of_class(&[urn(2), urn(2)], 1), 0.25);
    each_apart(&[], vec![1.0], &mut |_, _, _| panic!("there is no law"));
}

/// In a class of no more values than are promised of its real records, one of each is real.
#[test]
fn the_last_record_of_a_value_that_is_promised_is_no_counterfeit() {
    let cells = BTreeMap::from([("A", 3), ("B", 1)]);
    let of = |values| doubted(&cells, Least { real: 1, values }).map(|cell| cell.2).collect::<Vec<u64>>();
    assert_eq!([of(1), of(2), of(3)], [[3, 1], [2, 0], [2, 0]]);
    let one = BTreeMap::from([("A", 2)]);
    let of = |values| doubted(&one, Least { real: 1, values }).map(|cell| cell.2).collect::<Vec<u64>>();
    assert_eq!([of(1), of(2)], [[2], [1]], "where nothing is promised, each can be one");
    let three = BTreeMap::from([("A", 3), ("B", 1), ("C", 1)]);
    let doubtful = doubted(&three, Least { real: 1, values: 2 }).map(|cell| cell.2).collect::<Vec<u64>>();
    assert_eq!(doubtful, [3, 1, 1], "a third value leaves room");
}

/// Classes, counterfeits by value, the largest padded size and the least real records.
type Forgery<'a> = (Classes<'a>, &'a [(char, u64)], usize, u64);

#[test]
fn figures_of_the_definition() {
    let cases: [Forgery<'_>; 10] = [
        (&["AAB", "ABB"], &[('A', 1)], 3, 1),
        (&["AAB", "ABB"], &[('A', 1), ('B', 1)], 3, 1),
        (&["AAB", "ABB"], &[('A', 2), ('B', 1)], 3, 1),
        (&["AAB", "ABB"], &[('A', 2), ('B', 2)], 3, 2),
        (&["AABBC", "ABC", "CCA"], &[('A', 2), ('B', 1), ('C', 2)], 5, 1),
        (&["AABBC", "ABC", "CCA"], &[('A', 2), ('B', 1), ('C', 2)], 5, 2),
        (&["AABBC", "ABC", "CCA"], &[('A', 1), ('C', 2)], 3, 1),
        (&["AAAA", "AAAA"], &[('A', 4)], 4, 1),
        (&["AAAA", "AAAA"], &[('A', 4)], 4, 3),
        (&["ABCD", "ABCD", "ABCD"], &[('A', 1), ('B', 1), ('C', 2), ('D', 1)], 4, 2),
    ];
    for (classes, counterfeits, most, least) in cases {
        let expected = naive(classes, counterfeits, most, least);
        let found = checked(classes, counterfeits, most, Some(least), 1.0).0;
        assert!(close(found, expected), "{classes:?} {counterfeits:?}: {found} {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_small_release_has_the_risk_of_the_definition(
        classes in prop::collection::vec("[ABC]{1,5}", 2..4), counts in [0u64..3, 0..3, 0..2], least in 1u64..3
    ) {
        let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
        prop_assume!(classes.iter().map(|class| class.len()).sum::<usize>() <= 12);
        let all = |value: char| classes.iter().flat_map(|class| class.chars()).filter(|v| *v == value).count() as u64;
        let counterfeits: Vec<(char, u64)> = "ABC".chars().zip(counts).map(|(v, n)| (v, n.min(all(v)))).collect();
        let counterfeits: Vec<(char, u64)> = counterfeits.into_iter().filter(|row| row.1 > 0).collect();
        let expected = naive(&classes, &counterfeits, 5, least);
        // A class that no counterfeit can be in has the risk of its size, which the definition asks for, too.
        prop_assume!(!counterfeits.is_empty());
        let found = checked(&classes, &counterfeits, 5, Some(least), 1.0).0;
        prop_assert!(close(found, expected), "{classes:?} {counterfeits:?} {least}: {found} {expected}");
    }
}

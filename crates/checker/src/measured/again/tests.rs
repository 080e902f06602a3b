//! What follows from the tables, part by part and by hand.

#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

use velamen_core::hierarchy::Definition;
use velamen_core::impossible::Impossible;

use super::super::tests::{ROWS, measured, promises, table};
use super::*;
use crate::{CLASS_ID, Published};

/// Shows a part of the case to a test.
fn case<T>(
    measured: &Measurements,
    promises: &Promises,
    rows: &[(&[&str], u64)],
    show: impl FnOnce(&Case<'_>) -> T,
) -> T {
    let (table, counts) = crate::tests::released(&[CLASS_ID, "a", "b"], rows);
    let published = Published { table: &table, counts: &counts, people: None };
    let view = View::new(&published, 0, vec![1, 2]);
    let sizes = Sizes::of(measured, promises).unwrap();
    show(&Case { measured, view: &view, promises, sizes: &sizes, names: names(measured) })
}

/// Nobody has both values.
fn never((a, value): (&str, &str), (b, other): (&str, &str)) -> Impossible {
    Impossible {
        attribute: a.into(),
        values: vec![value.into()],
        sensitive: vec![other.into()],
        of: Some(b.into()),
        ..Impossible::default()
    }
}

fn barred(measured: &Measurements, promises: &Promises, impossible: &[Impossible]) -> Option<Barred> {
    let promises = Promises { impossible: impossible.to_vec(), ..promises.clone() };
    case(measured, &promises, &ROWS, |case| case.barred())
}

/// x, y and what else there is of a, by 0 and 1 of b.
fn of_pairs(cells: [u8; 6]) -> Option<Barred> {
    Some(vec![(vec![0, 1], cells.map(|cell| cell == 1).to_vec())])
}

#[test]
fn barred_cells_are_those_of_both_values() {
    let of = |impossible: &[Impossible]| barred(&measured(), &promises(), impossible);
    assert_eq!(of(&[]), Some(Vec::new()));
    let y1 = never(("a", "y"), ("b", "1"));
    assert_eq!(of(std::slice::from_ref(&y1)), of_pairs([0, 0, 0, 1, 0, 0]));
    // Said the other way round it is the same table.
    assert_eq!(of(&[never(("b", "1"), ("a", "y"))]), of_pairs([0, 0, 0, 1, 0, 0]));
    assert_eq!(of(&[y1.clone(), never(("b", "0"), ("a", "x"))]), of_pairs([1, 0, 0, 1, 0, 0]));
    assert_eq!(of(&[never(("a", "z"), ("b", "0"))]), of_pairs([0, 0, 0, 0, 1, 0]));
    // Of a sensitive value, and of what is not there.
    assert_eq!(of(&[Impossible { of: None, ..y1.clone() }]), Some(Vec::new()));
    assert_eq!(of(&[never(("a", "y"), ("c", "1"))]), None);
    assert_eq!(of(&[never(("a", "x"), ("a", "y"))]), None, "one attribute");
    // A missing value is named by itself.
    let (mut with_missing, mut promised) = (measured(), promises());
    with_missing.domains.insert("a".into(), ["", "x", "y"].map(String::from).to_vec());
    promised.qis[0].null_leaf = true;
    assert_eq!(
        barred(&with_missing, &promised, &[never(("a", ""), ("b", "0"))]),
        of_pairs([1, 0, 0, 0, 0, 0])
    );
}

/// The same release, a in bins of numbers from 0 to 9.
fn in_bins() -> (Measurements, Promises) {
    let (mut measured, mut promises) = (measured(), promises());
    measured.domains.insert("a".into(), ["[0-1]", "[2-5]", "[6-9]"].map(String::from).to_vec());
    measured.levels.insert("a".into(), 1);
    promises.qis[0].hierarchy =
        Definition::Cuts { cuts: vec![vec![2.0, 6.0]], min: 0.0, max: 9.0, decimals: 0 };
    (measured, promises)
}

#[test]
fn a_bin_is_barred_where_all_its_values_are() {
    let (measured, promises) = in_bins();
    let up_to = |to| Impossible { to: Some(to), values: Vec::new(), ..never(("a", ""), ("b", "1")) };
    let of = |to| barred(&measured, &promises, &[up_to(to)]);
    assert_eq!(of(0.0), of_pairs([0; 6]), "1 is of the bin, too");
    assert_eq!(of(1.0), of_pairs([0, 1, 0, 0, 0, 0]));
    assert_eq!(of(4.0), of_pairs([0, 1, 0, 0, 0, 0]));
    assert_eq!(of(5.0), of_pairs([0, 1, 0, 1, 0, 0]));
}

#[test]
fn values_with_an_impossible_partner_are_tied() {
    let tied = |attribute, cells| {
        let found =
            case(&measured(), &promises(), &ROWS, |case| case.tied(attribute, &of_pairs(cells).unwrap()));
        found.unwrap().into_iter().collect::<Vec<usize>>()
    };
    assert_eq!((tied(0, [0, 0, 0, 0, 1, 0]), tied(1, [0, 0, 0, 0, 1, 0])), (vec![2], vec![0]));
    assert_eq!((tied(0, [0, 1, 0, 1, 0, 0]), tied(1, [0, 1, 0, 1, 0, 0])), (vec![0, 1], vec![1]));
    assert_eq!(tied(2, [1; 6]), [0; 0], "another attribute");
}

#[test]
fn ways_of_all_attributes_are_multiplied() {
    let of = |cells: Option<[u8; 6]>| {
        let barred = cells.map_or_else(Vec::new, |cells| of_pairs(cells).unwrap());
        case(&measured(), &promises(), &ROWS, |case| case.log_ways(&barred)).unwrap()
    };
    // No count is above 19σ. One of three values is below 3σ: C(3, 1) · 2 · 3; and none of two: 1 · 2.
    assert!((of(None) - 36f64.ln()).abs() < 1e-12);
    // The one of three is kept whatever its noise, and 0 of b is: 1 · 2 each.
    assert!((of(Some([0, 0, 0, 0, 1, 0])) - 4f64.ln()).abs() < 1e-12);
    let found = case(&measured(), &promises(), &ROWS, |case| {
        found(case.measured, case.view, case.promises, case.sizes)
    });
    assert!((found.unwrap().noise.log_ways - 36f64.ln()).abs() < 1e-12);
}

#[test]
fn a_table_names_its_attributes_in_their_order() {
    let of = |names: &[&str], counts| {
        let table = table(names, "1", counts);
        case(&measured(), &promises(), &ROWS, |case| case.table(&table)).map(|noisy| noisy.set)
    };
    assert_eq!(of(&["a", "b"], "1 2 3 4 5 6"), Some(vec![0, 1]));
    assert_eq!(of(&["b", "a"], "1 2 3 4 5 6"), None);
    assert_eq!(of(&["a", "a"], "1 2 3 4 5 6 7 8 9"), None, "an attribute by itself");
}

#[test]
fn as_many_records_are_released_as_are_estimated_rounded() {
    let promises = promises();
    let mut measured = measured();
    // 300 and 301, each as certain as the other.
    measured.alone = vec![table(&["a"], "100", "200 90 10"), table(&["b"], "150", "141 160")];
    (measured.tables, measured.choices) = (Vec::new(), Vec::new());
    measured.merged.clear();
    let of = |records: u64| {
        let rows: [(&[&str], u64); 6] = [
            (&["1", "x", "0"], 93),
            (&["2", "x", "1"], 107),
            (&["3", "y", "0"], 42),
            (&["4", "y", "1"], 48),
            (&["5", "z", "0"], 5),
            (&["6", "z", "1"], records - 295),
        ];
        case(&measured, &promises, &rows, |case| found(case.measured, case.view, case.promises, case.sizes))
            .is_some()
    };
    assert_eq!([299, 300, 301, 302].map(of), [false, true, true, false]);
}

#[test]
fn values_that_were_put_together_are_spread_as_their_noisy_counts() {
    let of = |counts: &str, [y, z]: [u64; 2]| {
        let mut measured = measured();
        measured.alone[0].counts = counts.into();
        measured.merged.insert("a".into(), vec![1, 2]);
        let rows: [(&[&str], u64); 3] = [(&["1", "x", "0"], 9), (&["2", "y", "0"], y), (&["3", "z", "0"], z)];
        case(&measured, &promises(), &rows, |case| case.is_spread("a")).unwrap()
    };
    // 60 and 45 of 105: 40 and 30 of 70, 40.57 and 30.43 of 71.
    assert!(of("200 60 45", [40, 30]) && of("200 60 45", [41, 30]) && of("200 60 45", [40, 31]));
    assert!(!of("200 60 45", [42, 29]) && !of("200 60 45", [60, 10]) && !of("200 60 45", [35, 35]));
    // As expected, 40 and 39.999999 are the same number.
    assert!(of("200 60 45", [39, 31]) && !of("200 60 45", [38, 32]));
    // A count below 0 is one of 0; where all are, values are alike.
    assert!(of("200 60 -45", [70, 0]) && !of("200 60 -45", [68, 2]));
    assert!(of("200 -9 -5", [20, 20]) && of("200 0 0", [21, 20]) && !of("200 -9 -5", [30, 10]));
}

#[test]
fn values_of_a_bin_are_alike() {
    let bin = |counts: &[u64]| -> BTreeMap<String, u64> {
        counts.iter().enumerate().map(|(at, &count)| (at.to_string(), count)).collect()
    };
    // λ/3 + √(λ²/9 + 2Vλ), V = 900 · ⅓ · ⅔: 1 + √1201 = 35.66.
    assert!(is_even(&bin(&[335, 300, 265]), 3.0) && !is_even(&bin(&[336, 300, 264]), 3.0));
    // V = 32 · ½ · ½: 1 + √49, to which rounding adds nothing.
    assert!(is_even(&bin(&[24, 8]), 3.0) && !is_even(&bin(&[25, 7]), 3.0));
    assert!(is_even(&bin(&[0, 0, 0]), 3.0) && is_even(&bin(&[9]), 3.0));
}

#[test]
fn values_of_all_bins_are_alike_but_for_what_draws_explain() {
    let (measured, promises) = in_bins();
    let of = |zeros: u64| {
        let rows: [(&[&str], u64); 2] = [(&["1", "0", "0"], zeros), (&["2", "1", "0"], 400 - zeros)];
        let both: [fn(&Case<'_>) -> Option<bool>; 2] =
            [|case| case.is_even_in_bins("a"), |case| case.is_spread("a")];
        both.map(|one| case(&measured, &promises, &rows, one).unwrap())
    };
    // λ = 20.7 + ln(2 · 11), V = 400/4: 7.93 + √(62.9 + 4758.2) = 77.4.
    assert_eq!([of(200), of(277), of(123)], [[true; 2]; 3]);
    assert_eq!([of(278), of(122), of(400)], [[false; 2]; 3]);
    let other: [(&[&str], u64); 1] = [(&["1", "12", "0"], 5)];
    assert_eq!(case(&measured, &promises, &other, |case| case.is_even_in_bins("a")), None, "of no bin");
}

//! Worked figures of every model: what is reached, the bound that just holds and the next that does not.

#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

mod of_people;
mod of_populations;

use serde_json::{Value, json};
use velamen_core::hierarchy::Definition;
use velamen_core::uniqueness::{Estimator, Sample, estimate};

use crate::tests::released;
use crate::{CLASS_ID, Finding, PromisedAttribute, Promises, Published, State, Uncheckable, certify};

/// Class id, sensitive value, records.
type Cells<'a> = &'a [(&'a str, &'a str, u64)];

/// Shares 1/2, 3/8 and 1/8 in the table; 3/4, 1/4, 0 in class 1; 1/4, 1/2, 1/4 in class 2.
const TWO: Cells<'static> = &[("1", "A", 3), ("1", "B", 1), ("2", "A", 1), ("2", "B", 2), ("2", "C", 1)];

#[test]
fn names_are_unique() {
    for (number, entry) in super::CHECKS.iter().enumerate() {
        assert!(super::CHECKS.names().take(number).all(|other| other != entry.name), "{}", entry.name);
    }
}

fn checked(model: &str, asked: Value, cells: Cells<'_>, promises: &Promises) -> Result<Finding, Uncheckable> {
    let rows: Vec<[&str; 2]> = cells.iter().map(|cell| [cell.0, cell.1]).collect();
    let rows: Vec<(&[&str], u64)> = rows.iter().zip(cells).map(|(row, cell)| (&row[..], cell.2)).collect();
    let (table, counts) = released(&[CLASS_ID, "s"], &rows);
    let promises = Promises { privacy: vec![(model.into(), asked)], ..promises.clone() };
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, &promises)?;
    Ok(findings.into_iter().find(|finding| finding.promise == model).unwrap())
}

/// What a table of one sensitive attribute reaches, and whether that is enough.
fn found(model: &str, mut asked: Value, cells: Cells<'_>) -> (Value, State) {
    asked["attribute"] = "s".into();
    let finding = checked(model, asked, cells, &Promises::default()).unwrap();
    (finding.reached, finding.state)
}

/// Whether a bound is kept.
fn holds(model: &str, asked: Value, cells: Cells<'_>) -> bool {
    found(model, asked, cells).1 == State::Held
}

/// A figure of what was reached.
fn reached(model: &str, asked: Value, cells: Cells<'_>, figure: &str) -> f64 {
    found(model, asked, cells).0[figure].as_f64().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn a_k_beside_another_parameter_has_to_hold_too() {
    let asked = |k| json!({ "alpha": 0.75, "k": k });
    assert!(holds("alpha-k-anonymity", asked(4), TWO) && !holds("alpha-k-anonymity", asked(5), TWO));
    assert_eq!(reached("alpha-k-anonymity", asked(5), TWO, "k"), 4.0);
}

/// What reads otherwise than the model writes it is not left unchecked.
#[test]
fn a_parameter_that_does_not_read_is_refused() {
    let unread = |model: &str, asked: Value| {
        let found = checked(model, asked.clone(), TWO, &population());
        assert_eq!(found.unwrap_err(), Uncheckable::Parameters(model.into()), "{asked}");
    };
    for k in [json!("9"), json!(9.5), json!(null), json!(-9)] {
        unread("alpha-k-anonymity", json!({ "attribute": "s", "alpha": 1.0, "k": k }));
    }
    for (key, value) in [("distance", json!(1)), ("distance", json!("Ordered")), ("order", json!("other"))] {
        unread("t-closeness", json!({ "attribute": "s", "t": 1.0, key: value }));
    }
    unread("k-map", json!({ "k": 1, "significance": 0.5, "estimate": "Poisson" }));
    unread("k-map", json!({ "k": 1, "significance": 0.5, "estimate": null }));
    unread("delta-presence", json!({ "max": 1.0, "min": "0.9" }));
}

#[test]
fn the_most_frequent_value_decides_alpha() {
    let asked = |alpha| json!({ "alpha": alpha, "k": 1 });
    assert_eq!(reached("alpha-k-anonymity", asked(1.0), TWO, "alpha"), 0.75);
    assert!(holds("alpha-k-anonymity", asked(0.75), TWO) && !holds("alpha-k-anonymity", asked(0.74), TWO));
    assert!(holds("alpha-k-anonymity", asked(0.1), &[]), "no class, no record at risk");
}

#[test]
fn distinct_values_are_counted_in_the_poorest_class() {
    type Asked = fn(Value) -> Value;
    let models: [(&str, &str, Asked); 2] = [
        ("distinct-l-diversity", "l", |l| json!({ "l": l })),
        ("p-sensitive-k-anonymity", "p", |p| json!({ "p": p, "k": 1 })),
    ];
    for (model, parameter, asked) in models {
        assert_eq!(reached(model, asked(json!(2)), TWO, parameter), 2.0);
        assert!(holds(model, asked(json!(2)), TWO) && !holds(model, asked(json!(3)), TWO));
        let mut fraction = asked(json!(2.1));
        fraction["attribute"] = "s".into();
        assert!(checked(model, fraction, TWO, &Promises::default()).is_err(), "no number of values");
        assert!(checked(model, json!({ "attribute": "s" }), TWO, &Promises::default()).is_err());
    }
}

#[test]
fn entropy_is_that_of_the_least_even_class() {
    let (model, asked) = ("entropy-l-diversity", |l| json!({ "l": l }));
    let entropy = -0.75 * 0.75f64.ln() - 0.25 * 0.25f64.ln();
    assert!(near(reached(model, asked(1.0), TWO, "l"), entropy.exp()));
    assert!(holds(model, asked(entropy.exp()), TWO) && !holds(model, asked(1.76), TWO));
    // Forgiven rounding is no third value.
    let even: Cells<'_> = &[("1", "A", 1), ("1", "B", 1)];
    assert!(holds(model, asked(2.0), even) && !holds(model, asked(2.0 + 1e-10), even));
}

#[test]
fn the_most_frequent_value_is_rarer_than_c_times_the_others() {
    let (model, asked) = ("recursive-cl-diversity", |l, c| json!({ "l": l, "c": c }));
    // 3 by 1, and 2 by 1 + 1.
    assert_eq!(reached(model, asked(2, 4.0), TWO, "c"), 3.0);
    assert!(holds(model, asked(2, 3.1), TWO) && !holds(model, asked(2, 3.0), TWO));
    // With l = 1 the most frequent is counted among the others: 3 by 4.
    assert!(holds(model, asked(1, 0.76), TWO) && !holds(model, asked(1, 0.75), TWO));
    // Class 1 has no third value.
    assert_eq!(found(model, asked(3, 1e9), TWO), (json!({ "c": null }), State::Broken));
    let unread = checked(model, json!({ "attribute": "s", "l": 0, "c": 1.0 }), TWO, &Promises::default());
    assert_eq!(unread.unwrap_err(), Uncheckable::Parameters(model.into()));
    // A class without records has no second value either.
    assert!(!holds(model, asked(2, 3.0), &[("1", "A", 0), ("2", "A", 2), ("2", "B", 1)]));
}

#[test]
fn delta_disclosure_is_of_shares_that_fall_or_rise() {
    let (model, asked) = ("delta-disclosure", |delta| json!({ "delta": delta }));
    // In class 2 A falls to the half, C rises to the double: one bit.
    assert_eq!(reached(model, asked(2.0), TWO, "delta"), 1.0);
    assert!(holds(model, asked(1.01), TWO) && !holds(model, asked(1.0), TWO));
    // A falls to the half in class 1, where B rises by half, and the other way round in class 2.
    let falling: Cells<'_> = &[("1", "A", 1), ("1", "B", 3), ("2", "A", 3), ("2", "B", 1)];
    assert_eq!(reached(model, asked(2.0), falling, "delta"), 1.0);
    let rarer: Cells<'_> = &[("1", "A", 1), ("1", "B", 7), ("2", "A", 7), ("2", "B", 1)];
    assert_eq!(reached(model, asked(9.0), rarer, "delta"), 2.0);
}

#[test]
fn basic_beta_is_the_largest_relative_gain() {
    let (model, asked) = ("basic-beta-likeness", |beta| json!({ "beta": beta }));
    assert_eq!(reached(model, asked(1.0), TWO, "beta"), 1.0);
    assert!(holds(model, asked(1.0), TWO) && !holds(model, asked(0.99), TWO));
}

#[test]
fn enhanced_beta_bounds_frequent_values_by_their_share() {
    let (model, asked) = ("enhanced-beta-likeness", |beta| json!({ "beta": beta }));
    assert_eq!(reached(model, asked(1.0), TWO, "beta"), 1.0);
    assert!(holds(model, asked(1.0), TWO) && !holds(model, asked(0.99), TWO));
    // C is 1/8 of the table and 3/8 of class 1: a gain of 2, below −ln 1/8.
    let rare: Cells<'_> = &[("1", "A", 2), ("1", "B", 3), ("1", "C", 3), ("2", "A", 8), ("2", "B", 8)];
    assert_eq!(reached(model, asked(2.0), rare, "beta"), 2.0);
    assert!(holds(model, asked(2.0), rare) && !holds(model, asked(1.99), rare));
    let halves =
        |more: u64, less: u64| [("1", "A", more), ("1", "B", less), ("2", "A", less), ("2", "B", more)];
    assert!(holds(model, asked(0.5), &halves(3, 1)) && !holds(model, asked(0.49), &halves(3, 1)));
    // Of a share of 1/2 no gain above −ln 1/2 = 0.69 is allowed, however large β is.
    assert!(holds(model, asked(2.0), &halves(8, 2)) && !holds(model, asked(2.0), &halves(9, 1)));
}

#[test]
fn bounds_of_values_hold_for_each_of_them() {
    let (model, asked) = ("ms-bounding", |a: f64, b: f64| json!({ "theta": { "A": a, "B": b }, "k": 1 }));
    let mut loose = asked(1.0, 1.0);
    loose["attribute"] = "s".into();
    let found = checked(model, loose, TWO, &Promises::default()).unwrap();
    assert_eq!(found.reached["theta"], json!({ "A": 0.75, "B": 0.5 }));
    assert!(holds(model, asked(0.75, 0.5), TWO));
    assert!(!holds(model, asked(0.74, 0.5), TWO) && !holds(model, asked(0.75, 0.49), TWO));
    for theta in [json!(1), json!({ "A": "1" }), json!({ "A": 1, "B": null })] {
        let asked = json!({ "attribute": "s", "theta": theta, "k": 1 });
        assert!(checked(model, asked, TWO, &Promises::default()).is_err());
    }
}

#[test]
fn three_distances_of_one_table() {
    let model = "t-closeness";
    // 1/4, 1/8 and 1/8 move, half of what differs.
    assert_eq!(reached(model, json!({ "t": 1.0 }), TWO, "t"), 0.25);
    assert!(holds(model, json!({ "t": 0.25 }), TWO) && !holds(model, json!({ "t": 0.24 }), TWO));
    assert_eq!(reached(model, json!({ "t": 1.0, "distance": "equal" }), TWO, "t"), 0.25);
    // By steps of 1/2: 1/4 moves one, 1/8 another.
    let ordered = |t: f64| json!({ "t": t, "distance": "ordered" });
    assert_eq!(reached(model, ordered(1.0), TWO, "t"), 0.1875);
    assert!(holds(model, ordered(0.1875), TWO) && !holds(model, ordered(0.18), TWO));
    assert_eq!(reached(model, ordered(0.1), &[("1", "A", 4)], "t"), 0.0, "one value cannot move");
    assert!(holds(model, ordered(0.1), &[("1", "A", 4)]));
    let foreign = json!({ "attribute": "s", "t": 1.0, "distance": "far" });
    assert!(checked(model, foreign, TWO, &Promises::default()).is_err());
}

fn rows(rows: &[&[&str]]) -> Definition {
    let texts = |row: &&[&str]| row.iter().map(|&text| text.to_owned()).collect();
    Definition::Table { rows: rows.iter().map(texts).collect() }
}

#[test]
fn values_are_ordered_as_numbers_where_all_are() {
    let of = |a: &str, b: &str, c: &str| {
        let values = |value| match value {
            "A" => a.to_owned(),
            "B" => b.to_owned(),
            _ => c.to_owned(),
        };
        let texts: Vec<String> = TWO.iter().map(|cell| values(cell.1)).collect();
        let cells: Vec<_> = TWO.iter().zip(&texts).map(|(cell, text)| (cell.0, &text[..], cell.2)).collect();
        reached("t-closeness", json!({ "t": 1.0, "distance": "ordered" }), &cells, "t")
    };
    // B, A, C: 1/8 moves one step there, 1/8 back.
    assert_eq!([of("10", "2", "30"), of("2.5", "", "10"), of("-1", "-2", "0")], [0.125; 3]);
    // A, B, C by code point, since one is no number; infinity is none.
    assert_eq!([of("10", "2", "x"), of("10", "2", "inf")], [0.1875; 2]);
}

#[test]
fn values_are_ordered_as_their_hierarchy_lists_them() {
    let hierarchy = rows(&[&["B", "*"], &["A", "*"], &["C", "*"]]);
    let promises = Promises { hierarchies: [("s".to_owned(), hierarchy)].into(), ..Promises::default() };
    let of = |order: &str| {
        let asked = json!({ "attribute": "s", "t": 1.0, "distance": "ordered", "order": order });
        checked("t-closeness", asked, TWO, &promises).unwrap().reached["t"].as_f64().unwrap()
    };
    assert_eq!([of("hierarchy"), of("type")], [0.125, 0.1875]);
}

#[test]
fn a_hierarchy_makes_near_values_nearer() {
    let of = |hierarchy: Option<Definition>, t: f64| {
        let hierarchies = hierarchy.map(|hierarchy| ("s".to_owned(), hierarchy)).into_iter().collect();
        let promises = Promises { hierarchies, ..Promises::default() };
        let asked = json!({ "attribute": "s", "t": t, "distance": "hierarchical" });
        checked("t-closeness", asked, TWO, &promises)
    };
    let tree = rows(&[&["A", "x", "*"], &["B", "x", "*"], &["C", "y", "*"]]);
    // 1/8 between A and B at half the height, 1/8 between x and y at the whole.
    let finding = of(Some(tree.clone()), 0.1875).unwrap();
    assert_eq!((finding.reached["t"].as_f64(), finding.state), (Some(0.1875), State::Held));
    assert_eq!(of(Some(tree), 0.18).unwrap().state, State::Broken);
    // All at one height: as with equal distances.
    let flat = rows(&[&["A", "*"], &["B", "*"], &["C", "*"]]);
    assert_eq!(of(Some(flat), 1.0).unwrap().reached["t"], json!(0.25));
    // Two nodes of one label under different parents are two.
    let twins = rows(&[&["A", "x", "u", "*"], &["B", "x", "v", "*"], &["C", "x", "v", "*"]]);
    let finding = of(Some(twins), 1.0);
    assert!(finding.is_err() || finding.unwrap().reached["t"] == json!(0.25));
    assert!(of(None, 1.0).is_err());
}

#[test]
fn only_what_lies_under_one_root_is_a_way() {
    let of = |hierarchy: Definition| {
        let promises = Promises { hierarchies: [("s".to_owned(), hierarchy)].into(), ..Promises::default() };
        let asked = json!({ "attribute": "s", "t": 1e-6, "distance": "hierarchical" });
        checked("t-closeness", asked, TWO, &promises)
    };
    // Nothing would have to be moved from one piece to another.
    assert!(of(rows(&[&["A", "a"], &["B", "b"], &["C", "c"]])).is_err());
    let padded = ["A", "B", "C"].map(|value| [vec![value], vec!["*"; 200]].concat());
    let padded = of(rows(&padded.each_ref().map(|row| &row[..]))).unwrap();
    assert_eq!((padded.reached["t"].as_f64(), padded.state), (Some(0.25), State::Broken));
    let foreign = of(rows(&[&["A", "*"], &["B", "*"]])).unwrap();
    assert_eq!(foreign.reached["values-outside-the-hierarchy"], json!(1));
}

#[test]
fn a_value_outside_the_hierarchy_is_never_near() {
    let hierarchy = rows(&[&["A", "*"], &["B", "*"]]);
    let promises = Promises { hierarchies: [("s".to_owned(), hierarchy)].into(), ..Promises::default() };
    for asked in [
        json!({ "attribute": "s", "t": 1.0, "distance": "hierarchical" }),
        json!({ "attribute": "s", "t": 1.0, "distance": "ordered", "order": "hierarchy" }),
    ] {
        assert_eq!(checked("t-closeness", asked, TWO, &promises).unwrap().state, State::Broken);
    }
}

#[test]
fn suppressed_records_count_in_the_table_where_they_show_a_value() {
    let cells: Cells<'_> = &[("1", "A", 2), ("1", "B", 2), ("", "B", 4)];
    let of = |suppressed_whole| {
        let promises = Promises { suppressed_whole, ..Promises::default() };
        let asked = json!({ "attribute": "s", "t": 1.0 });
        checked("t-closeness", asked, cells, &promises).unwrap().reached["t"].as_f64().unwrap()
    };
    assert_eq!([of(false), of(true)], [0.25, 0.0]);
}

#[test]
fn a_model_needs_its_attribute_in_the_table() {
    let of = |asked| checked("distinct-l-diversity", asked, TWO, &Promises::default()).unwrap_err();
    assert_eq!(of(json!({ "l": 2 })), Uncheckable::Parameters("distinct-l-diversity".into()));
    assert_eq!(of(json!({ "l": 2, "attribute": "t" })), Uncheckable::NoColumn("t".into()));
}

/// Classes of 1, 1, 2 and 4 records.
const SIZES: Cells<'static> = &[("1", "A", 1), ("2", "A", 1), ("3", "A", 2), ("4", "A", 4)];

/// Suppressed records that show their values are a class like any other; those that show none are not.
#[test]
fn suppressed_records_with_values_are_a_class() {
    let with = |star: (&'static str, u64)| [SIZES, &[("", star.0, star.1)]].concat();
    let of = |model: &str, mut asked: Value, cells: Cells<'_>, suppressed_whole| {
        asked["attribute"] = "s".into();
        let promises = Promises { suppressed_whole, ..Promises::default() };
        let finding = checked(model, asked, cells, &promises).unwrap();
        (finding.reached, finding.state)
    };
    let one = [("1", "A", 4), ("1", "B", 4), ("", "B20", 1)];
    let least = |whole| of("k-anonymity", json!({ "k": 5 }), &one, whole);
    assert_eq!(least(false), (json!({ "k": 1 }), State::Broken), "she is alone, and her value shows");
    assert_eq!(least(true), (json!({ "k": 8 }), State::Held));
    let l = |whole| of("distinct-l-diversity", json!({ "l": 2 }), &one, whole);
    assert_eq!((l(false).1, l(true).1), (State::Broken, State::Held));
    // What is compared with the table is compared with what it shows: 1/2 and 1/2, or 4/9, 4/9 and 1/9.
    let t = |whole| of("t-closeness", json!({ "t": 0.0 }), &one, whole).1;
    assert_eq!((t(false), t(true)), (State::Broken, State::Held));
    let mean =
        |cells: Cells<'_>, whole| of("average-risk", json!({ "risk": 1.0 }), cells, whole).0["risk"].as_f64();
    assert_eq!(mean(&with(("A", 8)), false), Some(5.0 / 16.0));
    assert_eq!(mean(&with(("*", 8)), true), Some(0.5));
    let shield = |whole| {
        let asked = json!({ "k": 2, "attributes": ["a"] });
        labelled("k-anonymity", asked, LABELS, Promises { suppressed_whole: whole, ..Promises::default() })
    };
    assert_eq!(shield(false).unwrap().reached, json!({ "k": 1 }));
    // Of the population everybody can be behind `*`.
    let map =
        labelled("k-map", json!({ "k": 3 }), LABELS, Promises { suppressed_whole: false, ..population() });
    assert_eq!(map.unwrap().reached, json!({ "k": 3 }));
}

#[test]
fn the_average_risk_is_classes_by_records() {
    let asked = |risk| json!({ "risk": risk });
    assert_eq!(reached("average-risk", asked(1.0), SIZES, "risk"), 0.5);
    assert!(holds("average-risk", asked(0.5), SIZES) && !holds("average-risk", asked(0.49), SIZES));
    assert_eq!(reached("average-risk", asked(0.1), &[], "risk"), 0.0);
}

#[test]
fn records_at_risk_are_those_of_smaller_classes() {
    let asked = |risk, share| json!({ "risk": risk, "share": share });
    let of = |risk| reached("records-at-risk", asked(risk, 1.0), SIZES, "share");
    // 1/2 itself is no higher risk than 1/2, nor is 1/4.
    assert_eq!([of(1.0), of(0.5), of(0.49), of(0.25), of(0.2)], [0.0, 0.25, 0.5, 0.5, 1.0]);
    assert!(holds("records-at-risk", asked(0.5, 0.25), SIZES));
    assert!(!holds("records-at-risk", asked(0.5, 0.24), SIZES));
}

#[test]
fn unique_records_are_those_of_classes_of_one() {
    let asked = |share| json!({ "share": share });
    assert_eq!(reached("sample-uniqueness", asked(1.0), SIZES, "share"), 0.25);
    assert!(holds("sample-uniqueness", asked(0.25), SIZES));
    assert!(!holds("sample-uniqueness", asked(0.24), SIZES));
}

#[test]
fn the_leak_is_the_entropy_of_the_classes() {
    let asked = |share| json!({ "share": share });
    // Of 8 records: 2 · 3/8 + 2/4 + 1/2 of 3 bits.
    let leak = reached("information-leak", asked(0.9), SIZES, "share");
    assert!(near(leak, 1.75 / 3.0), "{leak}");
    assert!(
        holds("information-leak", asked(0.584), SIZES) && !holds("information-leak", asked(0.583), SIZES)
    );
    assert_eq!(reached("information-leak", asked(0.0), &[("1", "A", 1)], "share"), 0.0);
    // Where it is of people and the table does not say whose its records are, no share of records breaks it.
    let promises = Promises {
        privacy: vec![("information-leak".into(), asked(0.1))],
        persons: true,
        ..Promises::default()
    };
    let rows: Vec<(&[&str], u64)> = vec![(&["1"], 1), (&["2"], 3)];
    let (table, counts) = released(&[CLASS_ID], &rows);
    let published = Published { table: &table, counts: &counts, people: None };
    let found = crate::certify_models(&published, &promises).unwrap().remove(0);
    assert!(found.state != State::Broken && found.reached["share"].as_f64().unwrap() > 0.1);
}

/// Class id, two quasi-identifiers and records; `a` at level 1 of a table, `b` as it is.
type Labels<'a> = &'a [(&'a str, &'a str, &'a str, u64)];

const LABELS: Labels<'static> =
    &[("1", "low", "x", 2), ("2", "low", "y", 3), ("3", "high", "x", 4), ("", "*", "*", 1)];

fn labelled(
    model: &str,
    asked: Value,
    cells: Labels<'_>,
    promises: Promises,
) -> Result<Finding, Uncheckable> {
    let texts: Vec<[&str; 3]> = cells.iter().map(|cell| [cell.0, cell.1, cell.2]).collect();
    let texts: Vec<(&[&str], u64)> = texts.iter().zip(cells).map(|(row, cell)| (&row[..], cell.3)).collect();
    let (table, counts) = released(&[CLASS_ID, "a", "b"], &texts);
    let qi = |name: &str, level, hierarchy| PromisedAttribute {
        name: name.into(),
        level: Some(level),
        hierarchy,
        ..PromisedAttribute::default()
    };
    let leaves = rows(&[&["1", "low", "*"], &["2", "low", "*"], &["9", "high", "*"]]);
    let promises = Promises {
        privacy: vec![(model.into(), asked)],
        qis: vec![qi("a", 1, leaves), qi("b", 0, Definition::Flat { domain: 3 })],
        ..promises
    };
    let findings = certify(&Published { table: &table, counts: &counts, people: None }, &promises)?;
    Ok(findings.into_iter().find(|finding| finding.promise == model).unwrap())
}

/// Suppressed records show no values.
fn hidden() -> Promises {
    Promises { suppressed_whole: true, ..Promises::default() }
}

fn least_k(cells: Labels<'_>, promises: Promises) -> u64 {
    let finding = labelled("k-anonymity", json!({ "k": 5 }), cells, promises).unwrap();
    let least = finding.reached["k"].as_u64().unwrap();
    assert_eq!(finding.state, if least >= 5 { State::Held } else { State::Broken });
    least
}

#[test]
fn an_empty_label_can_stand_for_any() {
    let wildcards = || Promises { wildcards: true, ..hidden() };
    assert_eq!(least_k(LABELS, hidden()), 2);
    assert_eq!(least_k(LABELS, wildcards()), 2, "no label is empty");
    // The empty one is met by both `low`: classes of 2 + 1, 5 + 1 and 3 of themselves.
    let of = |empty: u64, first: u64, second: u64, other: u64| {
        let cells = [
            ("1", "low", "", empty),
            ("2", "low", "x", first),
            ("3", "low", "y", second),
            ("4", "high", "x", other),
        ];
        (least_k(&cells, wildcards()), least_k(&cells, Promises::default()))
    };
    assert_eq!(of(1, 5, 6, 7), (6, 1));
    assert_eq!(of(1, 3, 9, 9), (4, 1));
    assert_eq!(of(1, 9, 3, 9), (4, 1));
    assert_eq!(of(1, 9, 9, 3), (3, 1), "no empty label agrees with it");
    assert_eq!(of(20, 1, 1, 30), (21, 1));
    // Two classes with empty labels that agree are counted once for each.
    let cells = [("1", "low", "", 2), ("2", "", "x", 1), ("3", "high", "z", 8)];
    assert_eq!(least_k(&cells, wildcards()), 3);
    let cells = [("1", "low", "", 4), ("2", "high", "", 9)];
    assert_eq!(least_k(&cells, wildcards()), 4, "their other labels differ");
}

#[test]
fn a_shield_counts_the_records_of_some_columns() {
    let of = |k: u64, attributes: Value| {
        let asked = json!({ "k": k, "attributes": attributes });
        labelled("k-anonymity", asked, LABELS, hidden()).map(|f| (f.reached["k"].as_u64(), f.state))
    };
    assert_eq!(of(4, json!(["a"])), Ok((Some(4), State::Held)));
    assert_eq!(of(5, json!(["a"])), Ok((Some(4), State::Broken)));
    assert_eq!(of(3, json!(["b"])), Ok((Some(3), State::Held)));
    assert_eq!(of(3, json!(["a", "b"])), Ok((Some(2), State::Broken)));
    assert!(of(3, json!([])).is_err() && of(3, json!([1])).is_err() && of(3, json!("a")).is_err());
    assert_eq!(of(3, json!(["c"])), Err(Uncheckable::NoColumn("c".into())));
    assert_eq!(of(3, json!([CLASS_ID])), Err(Uncheckable::NoColumn(CLASS_ID.into())), "no quasi-identifier");
}

/// The population: 4 records `low`, `x`, 3 `low`, `y`, 8 `high`, `x` and one that nobody released.
fn population() -> Promises {
    let row = |a: &str, b: &str, count| (vec![a.to_owned(), b.to_owned()], count);
    let rows = vec![row("1", "x", 3), row("2", "x", 1), row("1", "y", 3), row("9", "x", 8), row("9", "z", 1)];
    Promises { population: Some(rows), ..hidden() }
}

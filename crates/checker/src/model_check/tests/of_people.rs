//! Worked figures of people with several records.

use super::*;

/// Class id, person, sensitive value.
type Visits<'a> = &'a [(&'a str, &'a str, &'a str)];

/// Five people in a class: four with F32 only, one with nine codes.
const FIVE: Visits<'static> = &[
    ("1", "a", "F32"),
    ("1", "b", "F32"),
    ("1", "c", "F32"),
    ("1", "d", "F32"),
    ("1", "e", "F32"),
    ("1", "e", "A1"),
    ("1", "e", "A2"),
    ("1", "e", "A3"),
    ("1", "e", "A4"),
    ("1", "e", "A5"),
    ("1", "e", "A6"),
    ("1", "e", "A7"),
    ("1", "e", "A8"),
    ("1", "a", "F32"),
];

fn of_people(model: &str, mut asked: Value, visits: Visits<'_>) -> Finding {
    asked["attribute"] = "s".into();
    let rows: Vec<[&str; 3]> = visits.iter().map(|visit| [visit.0, visit.1, visit.2]).collect();
    let rows: Vec<(&[&str], u64)> = rows.iter().map(|row| (&row[..], 1)).collect();
    let (table, counts) = released(&[CLASS_ID, "who", "s"], &rows);
    let promises = Promises { privacy: vec![(model.into(), asked)], ..Promises::default() };
    let published = Published { table: &table, counts: &counts, people: Some(1) };
    crate::certify_models(&published, &promises).unwrap().remove(0)
}

#[test]
fn people_are_counted_and_not_their_records() {
    let state = |model: &str, asked| of_people(model, asked, FIVE).state;
    assert_eq!(of_people("k-anonymity", json!({ "k": 5 }), FIVE).reached, json!({ "k": 5 }));
    assert_eq!(state("k-anonymity", json!({ "k": 6 })), State::Broken);
    // One patient with nine codes makes nobody else diverse, and what all five have is certain.
    let l = of_people("distinct-l-diversity", json!({ "l": 2 }), FIVE);
    assert_eq!((l.reached, l.state), (json!({ "l": 2.0 }), State::Broken));
    assert_eq!(state("p-sensitive-k-anonymity", json!({ "p": 2, "k": 5 })), State::Broken);
    assert_eq!(state("entropy-l-diversity", json!({ "l": 1.5 })), State::Broken);
    assert_eq!(state("recursive-cl-diversity", json!({ "c": 99.0, "l": 2 })), State::Broken);
    let alpha = of_people("alpha-k-anonymity", json!({ "alpha": 0.9, "k": 5 }), FIVE);
    assert_eq!((alpha.reached["alpha"].as_f64(), alpha.state), (Some(1.0), State::Broken));
    // Without e's F32 four of five have it.
    let four: Vec<_> = FIVE.iter().filter(|visit| **visit != ("1", "e", "F32")).copied().collect();
    let of = |model: &str, asked| of_people(model, asked, &four);
    assert_eq!(of("distinct-l-diversity", json!({ "l": 2 })).state, State::Held);
    assert_eq!(of("distinct-l-diversity", json!({ "l": 3 })).state, State::Broken);
    assert_eq!(of("alpha-k-anonymity", json!({ "alpha": 0.8, "k": 5 })).state, State::Held);
    // r₁ = 4, and e's eight codes are one person.
    assert_eq!(of("recursive-cl-diversity", json!({ "c": 5.0, "l": 2 })).state, State::Held);
    let c = of("recursive-cl-diversity", json!({ "c": 4.0, "l": 2 }));
    assert!(near(c.reached["c"].as_f64().unwrap(), 4.0) && c.state == State::Broken);
    // The whole table is one class: as far from itself as nothing.
    assert_eq!(of("t-closeness", json!({ "t": 0.001 })).state, State::Held);
}

#[test]
fn distances_and_gains_are_between_people() {
    let visits: Visits<'_> = &[
        ("1", "a", "A"),
        ("1", "a", "A"),
        ("1", "a", "A"),
        ("1", "b", "B"),
        ("2", "c", "A"),
        ("2", "d", "B"),
        ("2", "d", "B"),
        ("2", "d", "A"),
    ];
    // A: a, c and half of d; B: b and half of d. In class 1 half and half, in class 2 3/4 and 1/4; in all 5/8 and 3/8.
    let t = of_people("t-closeness", json!({ "t": 1.0 }), visits);
    assert!(near(t.reached["t"].as_f64().unwrap(), 0.125), "{}", t.reached);
    // Of four people three have A; in class 2 both do.
    let beta = of_people("basic-beta-likeness", json!({ "beta": 1.0 }), visits);
    assert!(near(beta.reached["beta"].as_f64().unwrap(), 1.0 / 3.0), "{}", beta.reached);
}

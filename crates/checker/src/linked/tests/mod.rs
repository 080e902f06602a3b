#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

mod forged;
mod made;
mod manifests;
mod random;

use made::Made;

use crate::State;

#[test]
fn a_release_as_promised_holds() {
    let made = Made::new();
    assert_eq!(made.broken(), [""; 0]);
    let state = |name: &str| made.finding(name).state;
    for name in [super::COLUMNS, super::RECORDS, super::KEYS, super::ORDER, super::CODE_FLOOR, super::COUNTS]
    {
        assert_eq!(state(name), State::Held, "{name}");
    }
    for name in [super::VALUES, super::DATES, super::AGES, super::TRACES, super::NOT_COVERED, super::LABELS] {
        assert_eq!(state(name), State::Held, "{name}");
    }
    assert_eq!(state(super::SHIFT), State::Stated);
}

#[test]
fn what_is_reached_is_what_fewest_have() {
    let made = Made::new();
    for (name, least) in [("k-km-anonymity", 4), ("values", 3), ("code-floor", 12), ("counts", 12)] {
        assert_eq!(made.finding(name).reached["k"], least, "{name}");
    }
}

#[test]
fn uuids_are_keys() {
    let mut made = Made::new();
    made.with_uuids("PERSON", &[("VISIT", "person_id"), ("CONDITION", "person_id"), ("LAB", "person_id")]);
    made.with_uuids("VISIT", &[("CONDITION", "visit_id"), ("DETAIL", "visit_id"), ("VISIT", "before")]);
    assert_eq!(made.broken(), ["keys"], "deaths still refer to numbers");
    let mut made = Made::new();
    made.with_uuids("VISIT", &[("CONDITION", "visit_id"), ("DETAIL", "visit_id"), ("VISIT", "before")]);
    assert_eq!(made.broken(), [""; 0]);
    let first = made.cell("VISIT", 0, "visit_id").to_owned();
    made.set("VISIT", 1, "visit_id", &first);
    assert!(made.broken().contains(&"keys".to_owned()));
    let mut made = Made::new();
    let all =
        [("VISIT", "person_id"), ("CONDITION", "person_id"), ("LAB", "person_id"), ("DEATH", "person_id")];
    made.with_uuids("PERSON", &all);
    assert_eq!(made.broken(), [""; 0]);
    let upper = made.cell("PERSON", 3, "person_id").replace('f', "F");
    assert_ne!(upper, made.cell("PERSON", 3, "person_id"));
    made.set("PERSON", 3, "person_id", &upper);
    assert!(made.broken().contains(&"keys".to_owned()));
}

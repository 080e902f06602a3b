#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may fail by a panic")]

mod empties;
mod events;
mod forged;
mod lists;
mod made;
mod manifests;
mod random;
mod resources;
mod rows;
mod standards;
mod years;

use std::sync::atomic::{AtomicBool, Ordering};

use made::Made;
use velamen_contract::linked::{Dates, Unit};

use super::codes::Codes;
use super::counts;
use super::date::{Date, Rule};
use super::faults::{Faults, Place};
use super::itemsets::Sets;
use super::keys::{Collected, Keys, NOBODY};
use super::number::{Ends, significant_digits};
use super::source::{Alone, Host};

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
    for (name, least) in [("k-km-anonymity", 4), ("values", 3), ("code-floor", 4), ("counts", 12)] {
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

#[test]
fn an_end_is_that_of_persons_and_not_of_rows() {
    let mut ends = Ends::default();
    for (person, number) in
        [(0, 5.0), (0, 5.0), (1, 5.0), (0, 5.0), (1, 9.0), (2, 9.0), (0, 9.0), (3, 9.0), (2, 5.0), (2, 7.0)]
    {
        ends.add("a", person, number);
    }
    assert_eq!(ends.fewest(), Some(3));
    assert_eq!(Ends::default().fewest(), None);
}

#[test]
fn digits_count_from_the_first_to_the_last_that_matters() {
    for (cell, digits) in [("0", 0), ("120", 2), ("0.00120", 2), ("-1.5e10", 2), ("1.005", 4), ("10.0", 1)] {
        assert_eq!(significant_digits(cell), digits, "{cell}");
    }
}

#[test]
fn a_date_has_one_spelling() {
    for day in
        ["2020-1-011", "2020-01-1 ", "20200-1-01", "2020-1-1-1", "+020-01-01", "2020/01/01", "2020-01-0"]
    {
        assert_eq!(Date::read(day), None, "{day}");
    }
    let months = Rule::new(Dates::Relative(Unit::Month), None).unwrap();
    assert_eq!(months.read("1999-12-01"), Err("a day before the first of all"));
    assert_eq!([months.read("2000-01-01"), months.read("2000-02-01")], [Ok(10_957), Ok(10_988)]);
}

/// Days since 1970 of a computation by counting.
#[test]
fn days_are_numbered_without_gaps() {
    let mut expected = 0;
    for year in 1970..2405 {
        for month in 1..=12 {
            for day in 1..=31 {
                if let Some(date) = Date::read(&format!("{year:04}-{month:02}-{day:02}")) {
                    assert_eq!(date.number(), expected);
                    expected += 1;
                }
            }
        }
    }
    assert_eq!(expected, 158_881, "435 years with 106 leap days");
    assert_eq!(Date::read("0001-01-01").unwrap().number(), -719_162);
    assert_eq!(Date::read("0000-03-01").unwrap().number(), -719_468);
}

#[test]
fn codes_are_those_of_persons_and_not_of_rows() {
    let mut codes = Codes::default();
    for (person, code) in [(0, "a"), (1, "a"), (0, "a"), (0, "b"), (0, "b"), (1, "b"), (2, "b")] {
        codes.add(person, code);
    }
    assert_eq!(codes.len(), 2);
    assert_eq!(codes.fewest(), Some(2));
    assert_eq!(Codes::default().fewest(), None);
}

#[test]
fn numbers_of_rows_may_come_in_any_order() {
    assert_eq!(counts::fewest(&[1, 2, 0, 1, 2, 1]), Some(2));
    assert_eq!(counts::at_the_top(&[1, 2, 0, 1, 2, 1]), Some(2));
    assert_eq!((counts::fewest(&[0, 0]), counts::at_the_top(&[0])), (None, None));
}

#[test]
fn a_key_beyond_the_rows_is_nobodys() {
    let (mut keys, mut faults) = (Collected::default(), Faults::default());
    assert!(["2", "1", "4"].into_iter().all(|key| keys.take(key)));
    let known = Keys::new(&keys, None, Place::table("PERSON"), &mut faults);
    assert_eq!(known.numbers(&keys), [1, 0, NOBODY]);
    assert!(!faults.is_empty());
}

/// Remembers whether somebody asked, and ends nothing.
#[derive(Default)]
struct Asked(AtomicBool);

impl Host for Asked {
    fn is_stopped(&self) -> bool {
        self.0.store(true, Ordering::Relaxed);
        false
    }
}

#[test]
fn whoever_counts_sets_asks_whether_to_end() {
    for m in [1, 2, 3] {
        let host = Asked::default();
        assert_eq!(Sets::new(vec![(0, 0), (0, 1)], 1, 2).fewest(None, m, &host), Some(1));
        assert!(host.0.into_inner(), "{m}");
    }
}

#[test]
fn an_item_that_comes_twice_is_one() {
    let sets = Sets::new(vec![(0, 1), (1, 0), (0, 0), (0, 1), (1, 1), (1, 0)], 3, 2);
    assert_eq!([1, 2, 3].map(|m| sets.fewest(None, m, &Alone)), [Some(2); 3]);
    assert_eq!(Sets::new(vec![], 3, 0).fewest(None, 2, &Alone), None);
}

#[test]
fn an_item_of_two_classes_is_counted_in_each() {
    let sets = Sets::new(vec![(0, 0), (1, 0), (2, 0)], 3, 1);
    assert_eq!(sets.fewest(Some(&[0, 0, 1]), 1, &Alone), Some(1));
    assert_eq!(sets.fewest(None, 1, &Alone), Some(3));
}

#[test]
fn sets_of_more_items_than_promised_are_not_counted() {
    // Five persons with all but one of five items each, and one with all.
    let of_person = |person: u32| (0..5).filter(move |item| *item != person).map(move |item| (person, item));
    let sets = Sets::new((0..6).flat_map(of_person).collect(), 6, 5);
    assert_eq!([1, 2, 3].map(|m| sets.fewest(None, m, &Alone)), [Some(5), Some(4), Some(3)]);
}

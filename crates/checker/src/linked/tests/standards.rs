//! What the tables of a standard promise beside: ages where births are shown, and periods of observation.

use indexmap::IndexMap;
use velamen_contract::linked::{Column, Dates, Shape, Table, Tier, Unit};

use super::super::faults::Faults;
use super::super::periods::{self, NONE};
use super::super::{AGES, ages};
use super::made::{Made, quasi_identifier, reference};
use crate::State;

/// Which promises are broken after a change.
fn after(change: impl FnOnce(&mut Made)) -> Vec<String> {
    let mut made = Made::new();
    change(&mut made);
    made.broken()
}

/// A release of a shape that states no ages, with another name for the column of births.
fn unstated(shape: Shape, birth: &str) -> Made {
    let mut made = Made::new();
    (made.manifest.shape, made.manifest.ages) = (shape, None);
    let columns = std::mem::take(&mut made.manifest.tables["PERSON"].columns);
    let renamed = columns.into_iter().map(|(name, of)| (name.replace("birth", birth), of));
    made.manifest.tables["PERSON"].columns = renamed.collect();
    made.files["PERSON"][0][2] = birth.into();
    made
}

#[test]
fn births_without_a_word_on_ages() {
    for (shape, birth, expected) in [
        (Shape::Omop, "year_of_birth", &["ages"][..]),
        (Shape::Omop, "YEAR_OF_BIRTH", &["ages"]),
        (Shape::Omop, "BIRTHDATE", &[]),
        (Shape::Synthea, "BIRTHDATE", &["ages"]),
        (Shape::Fhir, "birthDate", &["ages"]),
        (Shape::Tables, "birthDate", &[]),
    ] {
        let made = unstated(shape, birth);
        assert_eq!(ages::is_missing(&made.manifest), !expected.is_empty(), "{shape:?} {birth}");
        if shape != Shape::Fhir {
            assert_eq!(made.broken(), expected, "{shape:?} {birth}");
        }
    }
    let mut made = unstated(Shape::Omop, "year_of_birth");
    *made.column("PERSON", "year_of_birth") = quasi_identifier(&[("1930", "*"), ("1937", "*")]);
    assert_eq!(made.broken(), [""; 0], "every year is one");
    assert!(!ages::is_missing(&Made::new().manifest));
}

#[test]
fn a_number_that_is_an_age_where_nothing_is_said_of_ages() {
    let mut made = unstated(Shape::Synthea, "born");
    made.set_all("LAB", "code", "30525-0");
    assert_eq!(made.broken(), [""; 0]);
    (0..3).for_each(|row| made.set("LAB", row, "value", "90"));
    assert!(made.broken().contains(&AGES.to_owned()), "{:?}", made.broken());
}

#[test]
fn dates_and_windows_say_when_the_data_end() {
    // Who was 90 by the end of 2024 was born up to 1934.
    let dated = |day: &'static str| {
        after(|made| {
            made.manifest.dates = Dates::Year;
            made.set_all("VISIT", "day", day);
        })
    };
    for (day, expected) in
        [("1934-01-01", &["ages"][..]), ("1935-01-01", &[]), ("2024-01-01", &[]), ("2025-01-01", &["ages"])]
    {
        assert_eq!(dated(day), expected, "{day}");
    }
    let window = |end: &str| after(|made| made.manifest.window = Some(["2010-01-01".into(), end.into()]));
    assert_eq!([window("2024-12-31"), window("2025-01-01")], [vec![], vec!["ages".to_owned()]]);
    let public = |top: u32| {
        after(|made| {
            (made.manifest.tier, made.manifest.dates) = (Tier::Public, Dates::Year);
            made.set_all("VISIT", "day", "2014-01-01");
            *made.column("LAB", "value") = Column::Insensitive;
            let ages = made.manifest.ages.as_mut().unwrap();
            (ages.top, ages.until) = (top, 1934 + i32::try_from(top).unwrap());
        })
    };
    assert_eq!([public(90), public(91)], [vec![], vec!["ages".to_owned()]]);
}

#[test]
fn a_date_ninety_years_after_the_first_is_an_age() {
    let made = |day: &str| {
        let mut made = Made::new();
        made.manifest.dates = Dates::Relative(Unit::Month);
        made.set_all("VISIT", "day", "2000-01-01");
        made.set("VISIT", 1, "day", day);
        made
    };
    assert_eq!(made("2089-12-01").broken(), [""; 0]);
    assert_eq!(made("2090-01-01").broken(), [AGES]);
    assert_eq!(made("2089-12-01").finding(AGES).state, State::Stated, "when the data end is not shown");
}

#[test]
fn without_a_date_nothing_shows_when_the_data_end() {
    for dates in [Dates::Year, Dates::Shift(100), Dates::Relative(Unit::Month)] {
        let mut made = Made::new();
        made.manifest.dates = dates;
        made.set_all("VISIT", "day", "");
        assert_eq!(made.broken(), [""; 0], "{dates:?}");
        assert_eq!(made.finding(AGES).state, State::Stated, "{dates:?}");
    }
    assert_eq!(Made::new().finding(AGES).state, State::Held);
}

#[test]
fn a_year_of_the_calendar_is_no_number_of_years_after_the_first_day() {
    // Who was 13 by the end of 2024 was born up to 2011, before the first of all visits; the last are those of 2017, more than
    // 13 years after the first day of relative dates.
    let broken = after(|made| {
        made.manifest.ages.as_mut().unwrap().top = 13;
        *made.column("PERSON", "birth") = quasi_identifier(&[("1930", "<=2011"), ("1937", "2012-2019")]);
    });
    assert_eq!(broken, [""; 0]);
}

/// A release with periods of observation: from each person's first visit to the last.
fn with_periods() -> Made {
    let mut made = Made::new();
    made.manifest.shape = Shape::Omop;
    let columns = IndexMap::from_iter([
        ("person_id".to_owned(), reference("PERSON")),
        ("observation_period_start_date".to_owned(), Column::Date),
        ("observation_period_end_date".to_owned(), Column::Date),
    ]);
    let mut rows = vec![columns.keys().cloned().collect()];
    for person in 0..12 {
        let mut days = [0, 1].map(|visit| made.cell("VISIT", 2 * person + visit, "day").to_owned());
        days.sort();
        let [first, last] = days;
        rows.push(vec![(person + 1).to_string(), first, last]);
    }
    let death = made.manifest.tables["DEATH"].clone();
    let file = "data/Observation_Period.csv".to_owned();
    let table = Table { file, is_person_column: false, emptied: Default::default(), columns, ..death };
    made.manifest.tables.insert("Observation_Period".into(), table);
    made.files.insert("Observation_Period".into(), rows);
    made.state_rows();
    made
}

#[test]
fn periods_are_those_of_the_released_days() {
    const TABLE: &str = "Observation_Period";
    let after = |change: fn(&mut Made)| {
        let mut made = with_periods();
        change(&mut made);
        made.broken()
    };
    assert_eq!(after(|_| {}), [""; 0]);
    assert_eq!(after(|made| made.set(TABLE, 3, "observation_period_start_date", "2012-02-01")), ["dates"]);
    assert_eq!(after(|made| made.set(TABLE, 3, "observation_period_end_date", "2019-02-01")), ["dates"]);
    assert_eq!(after(|made| made.remove(TABLE, 3)), ["dates"]);
    let nobodys = |made: &mut Made| [6, 7].into_iter().for_each(|row| made.set("VISIT", row, "day", ""));
    assert_eq!(after(nobodys), ["dates"]);
    let mut made = with_periods();
    nobodys(&mut made);
    made.remove(TABLE, 3);
    assert_eq!(made.broken(), [""; 0], "no days, no period");
    let mut made = with_periods();
    made.set(TABLE, 3, "observation_period_end_date", "2019-02-01");
    made.manifest.shape = Shape::Tables;
    assert_eq!(made.broken(), [""; 0], "another table of that name is none of OMOP's");
}

#[test]
fn days_of_a_person_widen_from_both_ends() {
    let mut spans = Vec::new();
    periods::widen(&mut spans, &[(3, 5), NONE, (2, 2)]);
    assert_eq!(spans, [(3, 5), NONE, (2, 2)]);
    periods::widen(&mut spans, &[(4, 7), (1, 1), NONE]);
    assert_eq!(spans, [(3, 7), (1, 1), (2, 2)]);
}

#[test]
fn each_period_is_compared_by_itself() {
    let faults = |columns: &[(&str, periods::Spans)], rows: &[u32]| {
        let mut faults = Faults::default();
        let all = [(3, 7), NONE];
        periods::check(("p", ["start", "end"]), (rows, columns), &all, &mut faults);
        faults.reached()["faults"].as_u64().unwrap()
    };
    let of = |start, end| [("START", vec![start, NONE]), ("end", vec![end, NONE])];
    assert_eq!(faults(&of((3, 3), (7, 7)), &[1, 0]), 0);
    assert_eq!(faults(&of((3, 4), (7, 7)), &[1, 0]), 1, "two starts");
    assert_eq!(faults(&of((2, 3), (6, 7)), &[1, 0]), 2);
    assert_eq!(faults(&of(NONE, (7, 7)), &[1, 0]), 0, "an empty cell");
    assert_eq!(faults(&of((3, 3), (7, 7))[..1], &[1, 0]), 0, "a column that is not released");
    assert_eq!(faults(&of((3, 3), (7, 7)), &[2, 1]), 2);
    assert_eq!(faults(&of((3, 3), (7, 7)), &[1, 0, 1]), 1, "nobody has a day");
}

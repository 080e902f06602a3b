//! Relative days: one first day a person.

use chrono::NaiveDate;
use rustc_hash::FxHashMap;
use velamen_contract::linked::{Column, Unit};

use super::days;
use super::faults::{Faults, Kind, Place};
use crate::beside::{Pair, Pairs};

/// A released day, the original one, and where it is.
type Seen<'a> = (NaiveDate, NaiveDate, Place<'a>);

/// The days of each person by original key.
#[derive(Debug, Default)]
pub(super) struct People<'a>(FxHashMap<&'a str, Vec<Seen<'a>>>);

impl<'a> People<'a> {
    /// Takes the days of a row. Without a day on either side the row itself is at fault or shows nothing.
    pub(super) fn add(&mut self, pair: &'a Pair<'a>, row: usize, original: usize) {
        for (column, _) in dates(pair) {
            let after = days::day(pair.released.cell(column, row));
            if let Some((after, before)) = after.zip(days::day(pair.original.cell(column, original))) {
                let seen = self.0.entry(pair.persons[original].as_str()).or_default();
                seen.push((after, before, (pair.name, column, row)));
            }
        }
    }

    /// Counts the days that do not fit, with the first day of each person by which the fewest do not.
    pub(super) fn check(&self, unit: Unit, pairs: &Pairs<'_>, faults: &mut Faults) {
        let mut firsts: FxHashMap<&str, Vec<NaiveDate>> = FxHashMap::default();
        for pair in pairs.all() {
            for (column, _) in dates(pair) {
                for (row, person) in
                    pair.persons.iter().enumerate().filter(|(_, person)| self.0.contains_key(person.as_str()))
                {
                    firsts.entry(person).or_default().extend(days::day(pair.original.cell(column, row)));
                }
            }
        }
        let mut first = |person: &str| firsts.remove(person).unwrap_or_default();
        let places = self.0.iter().flat_map(|(person, seen)| fewest(seen, first(person), unit));
        let mut wrong: Vec<Place<'_>> = places.collect();
        wrong.sort_unstable();
        wrong.into_iter().for_each(|place| faults.add(Kind::Dates, place));
    }
}

fn dates<'a>(pair: &'a Pair<'_>) -> impl Iterator<Item = (&'a str, &'a Column)> {
    let columns = pair.table.columns.iter().map(|(name, column)| (name.as_str(), column));
    columns.filter(|(_, column)| matches!(column, Column::Date))
}

/// The places that do not fit, by the first day that leaves the fewest.
fn fewest<'a>(seen: &[Seen<'a>], mut firsts: Vec<NaiveDate>, unit: Unit) -> Vec<Place<'a>> {
    firsts.sort_unstable();
    firsts.dedup();
    let wrong = |first| wrong(seen, first, unit);
    firsts.into_iter().map(wrong).min_by_key(Vec::len).unwrap_or_default()
}

/// The places that do not fit with a first day.
fn wrong<'a>(seen: &[Seen<'a>], first: NaiveDate, unit: Unit) -> Vec<Place<'a>> {
    let wrong = seen.iter().filter(|(after, before, _)| !days::is_relative(*after, *before, first, unit));
    wrong.map(|(_, _, place)| *place).collect()
}

//! What is found by what is known of a person.

use chrono::{Datelike, NaiveDate};
use rustc_hash::FxHashMap;
use velamen_contract::linked::{Column, Dates, LinkedManifest};
use velamen_dp::{Stream, below};

use super::side::{Codes, Dated, Side, Which};
use super::{Candidates, drawn};
use crate::beside::{Pairs, key};

/// An adversary who has a release.
#[derive(Debug)]
pub(super) struct Adversary {
    m: usize,
    dates: Dates,
    original: Side,
    released: Side,
    /// The released persons of each combination of person columns.
    classes: FxHashMap<Vec<String>, Vec<u32>>,
    /// The released person of each original one.
    own: Vec<Option<u32>>,
    /// Whether classes have values of their own.
    is_local: bool,
}

impl Adversary {
    pub(super) fn of(pairs: &Pairs<'_>, m: u8) -> Self {
        let mut numbers = Codes::default();
        let original = Side::of(pairs, Which::Original, &mut numbers);
        let released = Side::of(pairs, Which::Released, &mut numbers);
        let mut classes: FxHashMap<Vec<String>, Vec<u32>> = FxHashMap::default();
        for (person, columns) in released.columns.iter().enumerate() {
            classes.entry(columns.clone()).or_default().push(person as u32);
        }
        let own = own(pairs, original.columns.len());
        let is_local = has_local(pairs.manifest);
        Self { m: usize::from(m), dates: pairs.manifest.dates, original, released, classes, own, is_local }
    }

    /// All persons of the original.
    pub(super) fn originals(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.own.len() as u32
    }

    /// How many persons are released.
    pub(super) fn persons(&self) -> usize {
        self.released.columns.len()
    }

    /// The released person that an original one is.
    pub(super) fn own(&self, person: u32) -> Option<u32> {
        self.own[person as usize]
    }

    /// The released persons who show what a released person shows.
    pub(super) fn class_of(&self, released: u32) -> &[u32] {
        self.classes.get(&self.released.columns[released as usize]).map_or(&[], Vec::as_slice)
    }

    /// The released persons who show what a person of the original shows or would. Where classes have values of their own, only the
    /// release says which.
    fn class(&self, person: u32) -> &[u32] {
        if let Some(own) = self.own(person).filter(|_| self.is_local) {
            return self.class_of(own);
        }
        self.classes.get(&self.original.columns[person as usize]).map_or(&[], Vec::as_slice)
    }

    /// Whether a released person has a code.
    fn has(&self, released: u32, code: u32) -> bool {
        self.released.codes[released as usize].binary_search(&code).is_ok()
    }

    /// Whether a released person has a row of a code that can be of a day.
    fn has_dated(&self, released: u32, (code, day): Dated) -> bool {
        let can_be = |after: Option<i32>| {
            day.zip(after).is_none_or(|(before, after)| can_be(self.dates, before, after))
        };
        self.released.dated[released as usize].iter().any(|&(other, after)| other == code && can_be(after))
    }

    /// The candidates by m codes drawn at random, and by these and the day of one of them.
    pub(super) fn random(&self, person: u32, stream: &mut Stream) -> (Candidates, Candidates) {
        let codes = drawn(self.original.codes[person as usize].clone(), self.m, stream);
        let fits = |released: &&u32| codes.iter().all(|&code| self.has(**released, code));
        let by_codes: Vec<u32> = self.class(person).iter().filter(fits).copied().collect();
        let is_known = |(code, day): &&Dated| codes.contains(code) && day.is_some();
        let days: Vec<Dated> =
            self.original.dated[person as usize].iter().filter(is_known).copied().collect();
        let day = (!days.is_empty()).then(|| days[below(stream, days.len() as u64) as usize]);
        let fits = |released: &&u32| day.is_none_or(|day| self.has_dated(**released, day));
        let by_day: Vec<u32> = by_codes.iter().filter(fits).copied().collect();
        (self.candidates(person, &by_codes), self.candidates(person, &by_day))
    }

    fn candidates(&self, person: u32, found: &[u32]) -> Candidates {
        Candidates { number: found.len(), has_own: self.own(person).is_some_and(|own| found.contains(&own)) }
    }

    /// The candidates by those m of the released codes that leave the fewest, and by these and a day; of a released person
    /// whose own record shows the person columns.
    pub(super) fn worst(&self, person: u32) -> Option<[Candidates; 2]> {
        let own = self.own(person)?;
        let class = self.class(person);
        if !class.contains(&own) {
            return Some([Candidates { number: 0, has_own: false }; 2]);
        }
        let of = &self.original.codes[person as usize];
        let codes: Vec<u32> = of.iter().copied().filter(|&code| self.has(own, code)).collect();
        let by_codes = self.fewest(&codes, class.iter().copied(), self.m);
        let mut by_day = by_codes;
        let mut days = self.original.dated[person as usize].clone();
        days.sort_unstable();
        days.dedup();
        for day in days.into_iter().filter(|day| day.1.is_some() && self.has_dated(own, *day)) {
            let others: Vec<u32> = codes.iter().copied().filter(|&code| code != day.0).collect();
            let class = class.iter().copied().filter(|&released| self.has_dated(released, day));
            by_day = by_day.min(self.fewest(&others, class, self.m - 1));
        }
        Some([by_codes, by_day].map(|number| Candidates { number, has_own: true }))
    }

    /// The least number of persons who have the same codes, over all choices of so many of these; the person of whom they
    /// are is among them.
    fn fewest(&self, codes: &[u32], class: impl Iterator<Item = u32>, size: usize) -> usize {
        let size = size.min(codes.len());
        let mut counts: FxHashMap<[u32; 3], usize> = FxHashMap::default();
        for released in class {
            let common: Vec<u32> = codes.iter().copied().filter(|&code| self.has(released, code)).collect();
            choices(&common, size, &mut |choice| *counts.entry(choice).or_default() += 1);
        }
        counts.into_values().min().unwrap_or(0)
    }
}

fn has_local(manifest: &LinkedManifest) -> bool {
    let mut columns = manifest.person_table().into_iter().flat_map(|table| table.columns.values());
    columns.any(|column| matches!(column, Column::QuasiIdentifier { levels: 0, .. }))
}

/// The released person of each original one.
fn own(pairs: &Pairs<'_>, persons: usize) -> Vec<Option<u32>> {
    let mut own = vec![None; persons];
    let Some(pair) = pairs.of(&pairs.manifest.persons.table).filter(|pair| key(pair.table).is_some()) else {
        return own;
    };
    for (released, original) in pair.rows.iter().enumerate() {
        if let Some(own) = original.and_then(|original| own.get_mut(original as usize)) {
            *own = Some(released as u32);
        }
    }
    own
}

/// Whether a released day can be of an original one.
fn can_be(dates: Dates, before: i32, after: i32) -> bool {
    let year = |day: i32| NaiveDate::from_num_days_from_ce_opt(day).map(|day| day.year());
    match dates {
        Dates::None | Dates::Relative(_) => true,
        Dates::Year => year(before) == year(after),
        Dates::Shift(most) => before.abs_diff(after) <= most,
    }
}

/// Each choice of `size`, at most three, of ascending codes.
fn choices(codes: &[u32], size: usize, take: &mut dyn FnMut([u32; 3])) {
    const NO: u32 = u32::MAX;
    match size {
        0 => take([NO; 3]),
        1 => codes.iter().for_each(|&a| take([a, NO, NO])),
        2 => pairs(codes, &mut |a, b| take([a, b, NO])),
        _ => codes
            .iter()
            .enumerate()
            .for_each(|(place, &a)| pairs(&codes[place + 1..], &mut |b, c| take([a, b, c]))),
    }
}

fn pairs(codes: &[u32], take: &mut dyn FnMut(u32, u32)) {
    for (place, &a) in codes.iter().enumerate() {
        codes[place + 1..].iter().for_each(|&b| take(a, b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_choices_are_made_once() {
        for (size, number) in [(0, 1), (1, 5), (2, 10), (3, 10)] {
            let mut all = Vec::new();
            choices(&[1, 2, 3, 4, 5], size, &mut |choice| all.push(choice));
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), number, "{size}");
        }
    }

    #[test]
    fn a_day_fits_as_dates_are_released() {
        let day = |text: &str| crate::days::parse(text).unwrap();
        let (first, last, next) = (day("2014-01-01"), day("2014-12-31"), day("2015-01-01"));
        assert!(can_be(Dates::Year, last, first) && !can_be(Dates::Year, next, first));
        assert!(can_be(Dates::Shift(1), last, next) && !can_be(Dates::Shift(1), first, last));
        assert!(can_be(Dates::None, first, next));
    }
}

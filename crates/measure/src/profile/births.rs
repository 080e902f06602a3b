//! Dates of birth, by the dates themselves.
//!
//! # Definition
//! A column of days holds births if 9 in 10 of its records lie within 20 years or more, and none is later than the year 2100: ages of a
//! population differ by more, and the days on which something was recorded by less.
//!
//! # Complexity
//! O(values · formats).

use std::collections::BTreeMap;

use super::Cells;
use super::chance::is_more_than_chance;
use super::kind::{self, Kind};
use velamen_core::written::dates::DateFormat;

/// 9 in 10 births lie at least so many years apart.
const YEARS: i64 = 20;

/// The share of records that is left out at either end.
const TAIL: f64 = 0.05;

/// Whether whole numbers are years of birth or ages, whatever their column is called: numbers from 1900 to 2100, or from 0 to 115, of which 9
/// in 10 records lie within 20 years or more, and half within ten or more.
#[must_use]
pub fn are_years(cells: Cells<'_>) -> bool {
    let number = |&(value, count): &(&str, u64)| Some((value.parse::<u32>().ok()?, count));
    let mut numbers: Vec<(u32, u64)> = cells.0.iter().filter_map(number).collect();
    numbers.sort_unstable();
    let all: u64 = numbers.iter().map(|(_, count)| count).sum();
    let (Some((low, _)), Some((high, _))) = (numbers.first(), numbers.last()) else { return false };
    let within = *high <= 115 || (1900..=2100).contains(low) && *high <= 2100;
    let at = |share: f64| i64::from(at_share(&numbers, share));
    let whole = all * 20 >= cells.records() * 19;
    whole && within && at(1.0 - TAIL) - at(TAIL) >= YEARS && at(0.75) - at(0.25) >= YEARS / 2
}

/// The number that so large a share of the records has or falls short of.
fn at_share<N: Copy + Default>(sorted: &[(N, u64)], share: f64) -> N {
    let all: u64 = sorted.iter().map(|(_, count)| count).sum();
    let rank = (share * all as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    let found = sorted.iter().find(|(_, count)| {
        seen += count;
        seen >= rank
    });
    found.map_or(N::default(), |(number, _)| *number)
}

/// Days of birth on which neighbours or namesakes would not be born: how many pairs of records share one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedDays {
    /// Pairs of records of one day.
    pub pairs: f64,
    /// As many as different people have on average.
    pub expected: f64,
}

/// Fewer records say nothing.
const ENOUGH: u64 = 50;

/// Days that stand for an unknown one: so many of those with most records are left out, and each first of January.
const DEFAULTS: usize = 3;

/// Two people share a day of birth with this probability at most: that of children of three years.
const OF_CHILDREN: f64 = 1.0 / 1_000.0;

/// As [`shared_days`], of days in a form that is not known, in a column that by its name holds births: two people share one with a probability
/// of 1/1,000 at most. Years and months are no days.
#[must_use]
pub fn shared_texts(cells: Cells<'_>) -> Option<SharedDays> {
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let letters = |text: &str| text.chars().any(char::is_alphabetic);
    let days = cells.share(|text| digits(text) > 4 || digits(text) == 4 && letters(text)) >= 0.9;
    let mut counts: Vec<u64> = cells.0.iter().map(|(_, count)| *count).collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    counts.drain(..DEFAULTS.min(counts.len()));
    if days { too_often(&counts, OF_CHILDREN) } else { None }
}

/// Pairs of records of one day, where they are more than those of different people, of whom two share a day with the probability `chance`.
fn too_often(counts: &[u64], chance: f64) -> Option<SharedDays> {
    let records: u64 = counts.iter().sum();
    let pairs = counts.iter().map(|&count| pairs_of(count)).sum();
    let found = SharedDays { pairs, expected: pairs_of(records) * chance };
    let most = records >= ENOUGH && is_more_than_chance(found.pairs, found.expected, records as f64);
    most.then_some(found)
}

fn pairs_of(count: u64) -> f64 {
    count as f64 * count.saturating_sub(1) as f64 / 2.0
}

/// Pairs of records that share a day of birth, where they are more than different people have.
///
/// Of different people, year and day of the year are independent: two share both with the probability Σ p(year)² · Σ p(day)². There are
/// more where at least twice as many pairs share one, one for 20 records, and so many only with a probability below 10⁻⁶
/// (Chernoff's bound of the Poisson distribution).
#[must_use]
pub fn shared_days(cells: Cells<'_>) -> Option<SharedDays> {
    if !are_births(cells) {
        return None;
    }
    let format = format_of(cells)?;
    let day = |&(value, count): &(&str, u64)| Some((format.parse(value)?, count));
    let mut days: Vec<((u32, u32, u32), u64)> =
        cells.0.iter().filter_map(day).filter(|((_, month, day), _)| (*month, *day) != (1, 1)).collect();
    days.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(*count));
    days.drain(..DEFAULTS.min(days.len()));
    let of_years = agreement(days.iter().map(|((year, ..), count)| ((*year, 0), *count)));
    let of_days = agreement(days.iter().map(|((_, month, day), count)| ((*month, *day), *count)));
    let counts: Vec<u64> = days.iter().map(|(_, count)| *count).collect();
    too_often(&counts, of_years * of_days)
}

/// As [`shared_days`], of days by their number, as spreadsheets and programs count them from some day on.
#[must_use]
pub fn shared_serials(cells: Cells<'_>) -> Option<SharedDays> {
    const DAYS: i64 = 365;
    let number =
        |text: &str| text.parse::<i64>().ok().filter(|number| (DAYS..100 * DAYS * 2).contains(number));
    by_parts(cells, |text| number(text).map(|number| (number / DAYS, number % DAYS)))
}

/// As [`shared_days`], of ages with two decimals and more: years, and what is behind them.
#[must_use]
pub fn shared_ages(cells: Cells<'_>) -> Option<SharedDays> {
    by_parts(cells, age_parts)
}

/// The years of an age, and the first two decimals behind them.
fn age_parts(text: &str) -> Option<(i64, i64)> {
    let (years, behind) = text.split_once('.').or_else(|| text.split_once(','))?;
    let years = years.parse::<i64>().ok().filter(|years| (0..=130).contains(years))?;
    Some((years, behind.get(..2)?.parse::<i64>().ok()?))
}

/// Of records whose values have two parts, a year and a day of it, most of them at least.
fn by_parts(cells: Cells<'_>, parts: impl Fn(&str) -> Option<(i64, i64)>) -> Option<SharedDays> {
    let mut days: Vec<((i64, i64), u64)> =
        cells.0.iter().filter_map(|&(value, count)| Some((parts(value)?, count))).collect();
    let records: u64 = days.iter().map(|(_, count)| count).sum();
    if records * 10 < cells.records() * 9 {
        return None;
    }
    days.sort_unstable_by_key(|(day, count)| (std::cmp::Reverse(*count), *day));
    days.drain(..DEFAULTS.min(days.len()));
    let of_years = agreement(days.iter().map(|((year, _), count)| (*year, *count)));
    let of_days = agreement(days.iter().map(|((_, day), count)| (*day, *count)));
    let counts: Vec<u64> = days.iter().map(|(_, count)| *count).collect();
    too_often(&counts, of_years * of_days)
}

/// The probability that two records agree, Σ p².
fn agreement<K: Ord>(counted: impl Iterator<Item = (K, u64)>) -> f64 {
    let mut records: BTreeMap<K, u64> = BTreeMap::new();
    counted.for_each(|(key, count)| *records.entry(key).or_default() += count);
    let all = records.values().sum::<u64>().max(1) as f64;
    records.values().map(|count| (*count as f64 / all).powi(2)).sum()
}

/// How days are written.
pub(super) fn format_of(cells: Cells<'_>) -> Option<DateFormat> {
    let Kind::Date { format: pattern, time, .. } = kind::of(cells).0 else { return None };
    DateFormat::all().find(|format| format.pattern() == pattern && format.time == time)
}

/// Whether values are dates of birth, whatever their column is called.
#[must_use]
pub fn are_births(cells: Cells<'_>) -> bool {
    let Some(format) = format_of(cells) else { return false };
    let year = |&(value, count): &(&str, u64)| Some((i64::from(format.parse(value)?.0), count));
    let mut years: Vec<(i64, u64)> = cells.0.iter().filter_map(year).collect();
    years.sort_unstable();
    let at = |share: f64| at_share(&years, share);
    at(1.0 - TAIL) - at(TAIL) >= YEARS && at(1.0) <= 2100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(dates: impl Iterator<Item = String>) -> bool {
        let dates: Vec<String> = dates.collect();
        let counted: Vec<(&str, u64)> = dates.iter().map(|date| (date.as_str(), 1)).collect();
        are_births(Cells(&counted))
    }

    #[test]
    fn births_lie_far_apart_and_stays_do_not() {
        let german = |year: u32| format!("{:02}.{:02}.{year}", 1 + year % 28, 1 + year % 12);
        assert!(are((1930..2004).map(|year| format!("{year}-03-07"))));
        assert!(are((1930..2004).map(german)));
        assert!(
            !are((2012..2025).flat_map(|year| (1..13).map(move |month| format!("{year}-{month:02}-07"))))
        );
        // Two slips of the pen make no births of stays.
        let slips = ["1912-01-01".to_owned(), "1900-01-01".to_owned()];
        assert!(!are((1..28).flat_map(|d| (1..13).map(move |m| format!("2024-{m:02}-{d:02}"))).chain(slips)));
        assert!(!are((1930..2004).map(|year| year.to_string())) && !are(std::iter::empty()));
    }

    fn are_numbers(numbers: std::ops::Range<u32>) -> bool {
        let texts: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let counted: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), 3)).collect();
        are_years(Cells(&counted))
    }

    #[test]
    fn years_and_ages_are_told_from_other_numbers() {
        assert!(are_numbers(1930..2004) && are_numbers(18..90));
        assert!(!are_numbers(2012..2026) && !are_numbers(1..12));
        assert!(!are_numbers(90..200) && !are_numbers(0..0));
    }

    fn mixed(number: u32) -> u32 {
        let mixed = u64::from(number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) % 1_000_003) as u32
    }

    fn day(person: u32) -> String {
        let drawn = mixed(person);
        format!("{}-{:02}-{:02}", 1930 + drawn % 71, 1 + drawn / 71 % 12, 1 + drawn / 852 % 28)
    }

    fn of(people: u32, rows: u64, text: &dyn Fn(u32) -> String, ask: &dyn Fn(Cells<'_>) -> bool) -> bool {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        (0..people).map(text).for_each(|text| *counts.entry(text).or_default() += rows);
        let counted: Vec<(&str, u64)> = counts.iter().map(|(text, rows)| (text.as_str(), *rows)).collect();
        ask(Cells(&counted))
    }

    #[test]
    fn serial_numbers_and_decimal_ages_are_days_too() {
        let serial = |person: u32| (9_000 + mixed(person) % 33_000).to_string();
        let age = |person: u32| format!("{:.2}", f64::from(mixed(person) % 8_000) / 100.0);
        let serials = |cells: Cells<'_>| shared_serials(cells).is_some();
        let ages = |cells: Cells<'_>| shared_ages(cells).is_some();
        assert!(
            of(600, 4, &serial, &serials)
                && !of(600, 1, &serial, &serials)
                && !of(20_000, 1, &serial, &serials)
        );
        assert!(of(600, 4, &age, &ages) && !of(600, 1, &age, &ages) && !of(20_000, 1, &age, &ages));
        let whole = |person: u32| (mixed(person) % 80).to_string();
        assert!(!of(600, 4, &whole, &ages) && !of(600, 4, &whole, &serials));
    }

    fn shared(people: u32, rows: u64) -> bool {
        let mut days: BTreeMap<String, u64> = BTreeMap::new();
        (0..people).map(day).for_each(|day| *days.entry(day).or_default() += rows);
        let counted: Vec<(&str, u64)> = days.iter().map(|(day, rows)| (day.as_str(), *rows)).collect();
        shared_days(Cells(&counted)).is_some()
    }

    #[test]
    fn days_of_birth_are_shared_by_rows_of_one_person_and_not_by_people() {
        assert!(shared(300, 4) && shared(3_000, 3));
        assert!(!shared(300, 1) && !shared(3_000, 1) && !shared(20_000, 1));
    }
}

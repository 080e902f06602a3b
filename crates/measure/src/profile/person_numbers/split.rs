//! Sexes that change from one year of birth to the next more than those of different people do.
//!
//! # Definition
//! Of t records of one age or year of birth, m have the more frequent sex. Of different people m is binomial, with the share p of the years
//! around it: D = (m − t p)² / (t p (1 − p) (1 + t / T)) is about 1, where T records stand behind p. Records of one person have one sex,
//! so that with r of each D is about r, in whatever order they are. D̄ is the mean without the largest twentieth, over that of chance: one
//! year can be a screening's. Reported where D̄ is at least 2.5, and beyond what chance gives to so many years.
//!
//! Real differences from year to year weigh more, the more records a year has: t̄ / 500 is allowed for them. Where hardly a year has both
//! sexes, one column was made of the other; where they come in turn, as in a table that somebody made up, nothing follows.
//!
//! # Complexity
//! O(n), and O(years).

use std::collections::BTreeMap;

use super::super::Cells;
use super::super::births::are_years;
use super::super::header;
use super::Column;
use super::agreeing::{is_birth, is_sex};

/// Fewer records, or fewer years, say nothing.
const ENOUGH: usize = 100;
const YEARS: usize = 8;

/// The years around one on each side.
const AROUND: usize = 5;

/// What the share of all weighs beside that of the years around, in records.
const OF_ALL: f64 = 10.0;

/// The share of years of one sex alone from which one column was made of the other.
const MADE: f64 = 0.95;

/// Sexes come in turn if so many of them are those of a few records before.
const TURN: usize = 12;
const IN_TURN: f64 = 0.98;

/// They do not if so many are those of the record before.
const ALIKE: f64 = 0.9;

/// The share of years that counts, and the mean of χ² with one degree of freedom below that quantile.
const KEPT: f64 = 0.95;
const MEAN: f64 = 0.759;

/// How many times as much as by chance, and how many standard deviations of such a mean.
const TIMES: f64 = 2.5;
const DEVIATIONS: f64 = 8.0;

/// A standard deviation is this over √years.
const DEVIATION: f64 = 1.4;

/// Records of a year for which real differences count as much as chance.
const REAL: f64 = 500.0;

/// The records of a year: of the more frequent sex, and all.
type Year = (f64, f64);

/// What to say where sexes change too much from year to year.
#[must_use]
pub fn split(columns: &[Column<'_>], records: usize) -> Option<String> {
    let counts = vec![1; records];
    let of = |is: &dyn Fn(&Column<'_>, Cells<'_>) -> bool| {
        columns.iter().find(|column| is(column, Cells(&column.counted(&counts))))
    };
    let sex = of(&is_sex)?;
    let is_unnamed =
        |column: &Column<'_>, cells: Cells<'_>| header::about(column.name).is_none() && are_years(cells);
    let birth = of(&is_birth).or_else(|| of(&is_unnamed))?;
    if come_in_turn(sex, records) {
        return None;
    }
    let times = varies(&years(sex, birth, records)?)?;
    Some(format!(
        "from one value of `{}` to the next `{}` changes {times:.1} times as much as that of different people",
        birth.name, sex.name
    ))
}

/// Whether the values repeat after a few records, all along the table.
fn come_in_turn(sex: &Column<'_>, records: usize) -> bool {
    let same = |apart: usize| same(sex, records, apart);
    same(1) < ALIKE && (2..=TURN).any(|apart| same(apart) >= IN_TURN)
}

/// The share of records whose value is that of the record so far behind.
fn same(column: &Column<'_>, records: usize, apart: usize) -> f64 {
    let pairs = records.saturating_sub(apart);
    let agree = (0..pairs).filter(|&row| column.codes.at(row) == column.codes.at(row + apart)).count();
    agree as f64 / pairs.max(1) as f64
}

/// The years in their order.
fn years(sex: &Column<'_>, birth: &Column<'_>, records: usize) -> Option<Vec<Year>> {
    let mut of_sex = vec![0u64; sex.values.len()];
    (0..records).for_each(|row| of_sex[sex.codes.at(row) as usize] += 1);
    let mut sexes: Vec<u32> =
        (0..).zip(&sex.values).filter(|(_, text)| !text.is_empty()).map(|(at, _)| at).collect();
    sexes.sort_by_key(|&code| std::cmp::Reverse(of_sex[code as usize]));
    let &[most, second, ..] = sexes.as_slice() else { return None };
    let mut of_birth = vec![Year::default(); birth.values.len()];
    for row in 0..records {
        let (code, year) = (sex.codes.at(row), &mut of_birth[birth.codes.at(row) as usize]);
        year.0 += f64::from(u8::from(code == most));
        year.1 += f64::from(u8::from(code == most || code == second));
    }
    let mut years: BTreeMap<u32, Year> = BTreeMap::new();
    for (text, (of_sex, all)) in birth.values.iter().zip(of_birth).filter(|(_, (_, all))| *all > 0.0) {
        let Ok(number) = text.parse() else { continue };
        let year = years.entry(number).or_default();
        *year = (year.0 + of_sex, year.1 + all);
    }
    Some(years.into_values().collect())
}

/// How many times as much as by chance the share changes, where that is told.
fn varies(years: &[Year]) -> Option<f64> {
    let (of_sex, all) = years.iter().fold((0.0, 0.0), |sum, year| (sum.0 + year.0, sum.1 + year.1));
    let several: Vec<usize> = (0..years.len()).filter(|&at| years[at].1 >= 2.0).collect();
    let is_alone = |&&at: &&usize| years[at].0 == 0.0 || years[at].0 == years[at].1;
    if (all as usize) < ENOUGH
        || several.len() < YEARS
        || several.iter().filter(is_alone).count() as f64 > MADE * several.len() as f64
    {
        return None;
    }
    let mut found: Vec<f64> = several.iter().map(|&at| deviation(years, at, of_sex / all)).collect();
    found.sort_by(f64::total_cmp);
    let kept = (KEPT * found.len() as f64).ceil() as usize;
    let times = found[..kept].iter().sum::<f64>() / kept as f64 / MEAN;
    let mean = several.iter().map(|&at| years[at].1).sum::<f64>() / several.len() as f64;
    let beyond = (times - 1.0) * (several.len() as f64).sqrt() / DEVIATION;
    (times >= TIMES + mean / REAL && beyond >= DEVIATIONS).then_some(times)
}

/// D of a year.
fn deviation(years: &[Year], at: usize, share: f64) -> f64 {
    let around = (at.saturating_sub(AROUND)..(at + AROUND + 1).min(years.len())).filter(|&other| other != at);
    let start = (OF_ALL * share, OF_ALL);
    let (of_sex, all) = around.fold(start, |sum, other| (sum.0 + years[other].0, sum.1 + years[other].1));
    let (p, (m, t)) = (of_sex / all, years[at]);
    let variance = t * p * (1.0 - p) * (1.0 + t / all);
    if variance > 0.0 { (m - t * p).powi(2) / variance } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Codes;
    use super::*;

    fn mixed(number: u64) -> u64 {
        let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
    }

    /// What is said of people with so many rows each, one round of all people after another.
    fn said(name: &str, people: u64, rows: u64, sex: impl Fn(u64) -> u32) -> Option<String> {
        let years: Vec<String> = (0..95).map(|year| year.to_string()).collect();
        let of =
            |code: &dyn Fn(u64) -> u32| (0..rows).flat_map(|_| (0..people).map(code)).collect::<Vec<u32>>();
        let columns = [
            Column { name: "Geschlecht", values: vec!["m", "w"], codes: Codes::of(of(&sex)) },
            Column {
                name,
                values: years.iter().map(String::as_str).collect(),
                codes: Codes::of(of(&|person| (mixed(person * 2) % 95) as u32)),
            },
        ];
        split(&columns, (people * rows) as usize)
    }

    #[test]
    fn rows_of_one_person_have_one_sex() {
        let sex = |person: u64| (mixed(person * 2 + 1) % 2) as u32;
        for (people, rows) in [(40, 12), (60, 8), (300, 4), (1_000, 3), (10_000, 3)] {
            let found = said("Alter", people, rows, sex).unwrap_or_else(|| panic!("{people} × {rows}"));
            assert!(found.contains("from one value of `Alter` to the next `Geschlecht`"), "{found}");
        }
        assert!(said("v7", 60, 8, sex).is_some());
        for people in [100, 300, 1_000, 10_000, 100_000] {
            assert!(said("Alter", people, 1, sex).is_none(), "{people}");
        }
        // Women only from a certain age on, and more and more of them.
        let of_age = |person: u64| u32::from(mixed(person * 2) % 95 > 60);
        assert!(said("Alter", 2_000, 1, of_age).is_none());
        let rising = |person: u64| u32::from(mixed(person * 2 + 1) % 95 > mixed(person * 2) % 95);
        assert!(said("Alter", 2_000, 1, rising).is_none());
    }

    #[test]
    fn one_column_that_was_made_of_the_other_says_nothing() {
        assert!(said("Alter", 1_000, 1, |person| (mixed(person * 2) % 95 % 2) as u32).is_none());
    }

    /// What is said of rows in that order, whose ages are made of their numbers; one in six is a year older.
    fn said_in(order: &[u32], sex: impl Fn(u32) -> u32) -> Option<String> {
        let years: Vec<String> = (0..95).map(|year| year.to_string()).collect();
        let age = |row: u32| (row * 7 % 60) + u32::from(row % 11 > 8);
        let of =
            |code: &dyn Fn(u32) -> u32| Codes::of(order.iter().map(|&row| code(row)).collect::<Vec<u32>>());
        let columns = [
            Column { name: "sex", values: vec!["f", "m"], codes: of(&sex) },
            Column { name: "age", values: years.iter().map(String::as_str).collect(), codes: of(&age) },
        ];
        split(&columns, order.len())
    }

    #[test]
    fn sexes_that_come_in_turn_say_nothing() {
        let as_made: Vec<u32> = (0..600).collect();
        assert!(said_in(&as_made, |row| row % 2).is_none());
        assert!(said_in(&as_made, |row| u32::from(row % 3 == 0)).is_none());
        let mut mixed_up = as_made;
        mixed_up.sort_by_key(|&row| mixed(row.into()));
        assert!(said_in(&mixed_up, |row| row % 2).is_some());
    }

    #[test]
    fn one_year_that_differs_is_a_screening() {
        let women_of_50 = |person: u64| match mixed(person * 2) % 95 {
            50 => 1,
            _ => (mixed(person * 2 + 1) % 2) as u32,
        };
        assert!(said("Alter", 5_000, 1, women_of_50).is_none());
    }
}

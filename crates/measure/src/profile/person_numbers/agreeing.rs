//! Records that agree in sex, birth and place more often than those of different people do.
//!
//! # Definition
//! Of n records A pairs agree in all three columns. Sex may depend on birth and on place, as in a clinic for women, but a place says little
//! of a birth: records of different people would have about E = max(A(sex, place) · P(birth), A(sex, birth) · P(place)) such pairs.
//! A(…) counts those that agree in two columns, and P(x) = A(x) / (n (n − 1) / 2). Reported where A is at least twice as large, and no
//! accident (module `chance`).
//!
//! # Complexity
//! Time and memory O(n).

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::chance::is_more_than_chance;
use super::super::header::{self, About};
use super::super::identifier::Identifier;
use super::super::{Cells, births};
use super::words::{BIRTH, PLACE, SEX};
use super::{Column, are_sexes, says};

/// Fewer records say nothing.
const ENOUGH: usize = 100;

/// Of fewer places each can have its own ages.
const PLACES: usize = 5;

/// Fewer rows of a birth can be those of one person.
const SEVERAL: u64 = 3;

/// What to say where sex, birth and place agree too often; days of birth say more by themselves.
#[must_use]
pub fn agreeing(columns: &[Column<'_>], records: usize) -> Option<String> {
    let of = |is: fn(&Column<'_>, Cells<'_>) -> bool| {
        columns.iter().find(|column| is(column, Cells(&column.counted(&vec![1; records]))))
    };
    let (sex, birth, place) = (of(is_sex)?, of(is_birth)?, of(is_place)?);
    let is_there = |column: &Column<'_>, row: usize| !column.values[column.codes.at(row) as usize].is_empty();
    let three = [sex, birth, place];
    let rows = (0..records).filter(|&row| three.iter().all(|column| is_there(column, row)));
    let rows: Vec<[u32; 3]> = rows.map(|row| three.map(|column| column.codes.at(row))).collect();
    let all = rows.len() as f64 * (rows.len() as f64 - 1.0) / 2.0;
    let pairs = pairs(&rows, [true; 3]);
    let by_birth = self::pairs(&rows, [true, false, true]) * self::pairs(&rows, [false, true, false]) / all;
    let by_place = self::pairs(&rows, [true, true, false]) * self::pairs(&rows, [false, false, true]) / all;
    let expected = by_birth.max(by_place);
    let is_told =
        rows.len() >= ENOUGH && !follows(&rows) && is_more_than_chance(pairs, expected, rows.len() as f64);
    is_told.then(|| {
        format!(
            "{pairs:.0} pairs of records agree in `{}`, `{}` and `{}`, where different people would have about {expected:.0}",
            sex.name, birth.name, place.name
        )
    })
}

pub(super) fn is_sex(column: &Column<'_>, cells: Cells<'_>) -> bool {
    header::words(column.name).iter().any(|word| says(SEX, word)) || are_sexes(cells)
}

pub(super) fn is_birth(column: &Column<'_>, cells: Cells<'_>) -> bool {
    let named = header::tells_births(column.name)
        || header::words(column.name).iter().any(|word| says(BIRTH, word))
        || matches!(header::about(column.name), Some((About::Age, _)));
    named && births::are_years(cells)
}

fn is_place(column: &Column<'_>, cells: Cells<'_>) -> bool {
    let is_geographic = matches!(header::identifier(column.name), Some((Identifier::Geographic, _)));
    let named = is_geographic || header::words(column.name).iter().any(|word| says(PLACE, word));
    named && cells.distinct() >= PLACES
}

/// Whether most births that several rows have go with one place or sex alone, as where one column was made of another.
fn follows(rows: &[[u32; 3]]) -> bool {
    let mut of_births: FxHashMap<u32, (u64, FxHashSet<(u32, u32)>)> = FxHashMap::default();
    for &[sex, birth, place] in rows {
        let (count, others) = of_births.entry(birth).or_default();
        *count += 1;
        others.insert((sex, place));
    }
    let many = of_births.values().filter(|(count, _)| *count >= SEVERAL);
    let (all, alone) =
        many.fold((0, 0), |(all, alone), (_, others)| (all + 1, alone + u64::from(others.len() == 1)));
    2 * alone > all
}

/// How many pairs of rows agree in those columns.
fn pairs(rows: &[[u32; 3]], of: [bool; 3]) -> f64 {
    let mut counts: FxHashMap<[u32; 3], f64> = FxHashMap::default();
    for row in rows {
        let key = [0, 1, 2].map(|column: usize| if of[column] { row[column] } else { 0 });
        *counts.entry(key).or_default() += 1.0;
    }
    counts.values().map(|count| count * (count - 1.0) / 2.0).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Codes;
    use super::*;

    fn mixed(number: u64) -> u64 {
        let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
    }

    /// What is said of people with so many rows each, far apart from one another.
    fn said(people: u64, rows: u64, birth: &'static str, sex_by_place: bool) -> Option<String> {
        let years: Vec<String> = (1930..2010).map(|year| year.to_string()).collect();
        let places: Vec<String> = (0..40).map(|place| format!("24{place:03}")).collect();
        let all = || (0..rows).flat_map(|_| 0..people);
        let place = |person: u64| (mixed(person * 3 + 1) % 40) as u32;
        let sex = |person: u64| match sex_by_place {
            true => place(person) % 2,
            false => (mixed(person * 3) % 2) as u32,
        };
        let columns = [
            ("sex", vec!["f", "m"], all().map(sex).collect::<Vec<u32>>()),
            (
                birth,
                years.iter().map(String::as_str).collect(),
                all().map(|person| (mixed(person * 3 + 2) % 80) as u32).collect(),
            ),
            ("zip", places.iter().map(String::as_str).collect(), all().map(place).collect()),
        ];
        let columns = columns.map(|(name, values, codes)| Column { name, values, codes: Codes::of(codes) });
        agreeing(&columns, (people * rows) as usize)
    }

    #[test]
    fn rows_of_one_person_agree_more_often_than_those_of_different_people() {
        let found = said(500, 2, "year_of_birth", false).unwrap();
        assert!(found.contains("agree in `sex`, `year_of_birth` and `zip`"), "{found}");
        assert!(said(500, 3, "birthyear", true).is_some());
        for people in [150, 1_000, 20_000] {
            assert!(said(people, 1, "year_of_birth", false).is_none(), "{people}");
            assert!(said(people, 1, "year_of_birth", true).is_none(), "{people}");
        }
        assert!(said(500, 3, "year_of_admission", false).is_none());
        // One column is made of another.
        let numbers = |modulus: u32| (0..300).map(move |row| row * 37 % modulus).collect::<Vec<u32>>();
        let texts = |modulus: u32| (0..modulus).map(|number| number.to_string()).collect::<Vec<String>>();
        let (ages, places) = (texts(90), texts(9));
        let columns = [
            ("sex", vec!["f", "m"], numbers(2)),
            ("age", ages.iter().map(String::as_str).collect(), numbers(90)),
            ("region", places.iter().map(String::as_str).collect(), numbers(9)),
        ];
        let columns = columns.map(|(name, values, codes)| Column { name, values, codes: Codes::of(codes) });
        assert!(agreeing(&columns, 300).is_none());
    }
}

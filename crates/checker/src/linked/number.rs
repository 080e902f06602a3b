//! Numbers and their ends.

use std::fmt::Display;

use super::codes::Numbered;

/// A finite number.
pub(super) fn read(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A number in its one spelling: the shortest, without an exponent, a plus sign or a negative zero.
pub(super) fn written(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { number.to_string() }
}

/// The digits from the first to the last that is not 0.
pub(super) fn significant_digits(cell: &str) -> usize {
    let mantissa = cell.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// The names of bands, `[a, b)`.
pub(super) fn bands(bounds: &[f64]) -> Vec<String> {
    bounds.iter().zip(bounds.iter().skip(1)).map(|(from, to)| named(from, to)).collect()
}

/// The name of the band between two bounds.
pub(super) fn named(from: impl Display, to: impl Display) -> String {
    format!("[{from}, {to})")
}

/// The least and the greatest number of each group, and the persons who have them.
#[derive(Default)]
pub(super) struct Ends {
    groups: Numbered,
    least: Vec<End>,
    greatest: Vec<End>,
}

/// One end, and those who have it.
struct End {
    number: f64,
    persons: Vec<u32>,
}

impl Ends {
    /// A number of a person in a group.
    pub(super) fn add(&mut self, group: &str, person: u32, number: f64) {
        let group = self.groups.number(group) as usize;
        End::add(&mut self.least, group, person, number, |new, old| new < old);
        End::add(&mut self.greatest, group, person, number, |new, old| new > old);
    }

    /// The number of persons of the end that fewest have.
    pub(super) fn fewest(self) -> Option<u64> {
        self.least.into_iter().chain(self.greatest).map(End::persons).min()
    }
}

impl End {
    fn add(ends: &mut Vec<Self>, group: usize, person: u32, number: f64, is_further: fn(f64, f64) -> bool) {
        match ends.get_mut(group) {
            // Groups are numbered in the order in which they are seen.
            None => ends.push(Self { number, persons: vec![person] }),
            Some(end) if is_further(number, end.number) => *end = Self { number, persons: vec![person] },
            Some(end) if number == end.number && end.persons.last() != Some(&person) => {
                end.persons.push(person);
            }
            Some(_) => {}
        }
    }

    fn persons(mut self) -> u64 {
        self.persons.sort_unstable();
        self.persons.dedup();
        self.persons.len() as u64
    }
}

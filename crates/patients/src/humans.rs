//! Whether several rows of persons are of one human, by what no release shows: numbers, names with a birth, and links.
//!
//! # Definition
//! Two persons are one human if they have a number in common that only persons of one birth date have, and no different given names. So are two of one family name, first
//! given name, sex and whole birth date, and two of whom one is said to be the other. Two people have one name and birth by
//! chance in one of 10⁹ to 10⁸ pairs: of n people up to λ + 3√λ are said, and not refused, with λ = n²·10⁻⁸.
//!
//! # Complexity
//! Some 50 bytes a person, and O(n log n) time.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher as _};

use rustc_hash::{FxHashMap, FxHasher};

/// By so many for each square of the persons names and births can be the same by chance, and by so many deviations more.
const BY_CHANCE: (f64, f64) = (1e-8, 3.0);

/// What shows who a person is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Human {
    /// Of each number itself, and of the birth beside it.
    pub(crate) numbers: Vec<(u64, u64)>,
    /// The first given name: twins can have one number of a family.
    pub(crate) given: Option<u64>,
    /// Of each name, with sex and birth.
    pub(crate) names: Vec<u64>,
    /// The ids of those that it is said to be.
    pub(crate) links: Vec<u64>,
}

/// What stands for a text, or for several.
pub(crate) fn hash(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// All persons so far.
#[derive(Debug, Default)]
pub(crate) struct Humans {
    ids: Vec<u64>,
    given: Vec<Option<u64>>,
    numbers: Vec<(u64, u64, u32)>,
    names: Vec<(u64, u32)>,
    links: Vec<(u64, u32)>,
}

/// Persons who seem to be one human with others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Several {
    pub(crate) number: usize,
    /// Whether there are more than chance makes.
    pub(crate) is_certain: bool,
    /// The rows of the first of them, and of one beside it.
    pub(crate) first: (u32, u32),
}

impl Humans {
    /// Adds the next person.
    pub(crate) fn add(&mut self, id: &str, human: &Human) {
        let row = self.ids.len() as u32;
        self.ids.push(hash(&id));
        self.given.push(human.given);
        self.numbers.extend(human.numbers.iter().map(|&(number, birth)| (number, birth, row)));
        self.names.extend(human.names.iter().map(|&name| (name, row)));
        self.links.extend(human.links.iter().map(|&link| (link, row)));
    }

    /// Those who seem to be one human with another one; nothing if nobody does.
    pub(crate) fn several(mut self) -> Option<Several> {
        let linked = self.linked();
        let mut pairs: Vec<(u32, u32)> = self.numbered();
        pairs.extend(self.of_one_name());
        let by_chance = (self.ids.len() as f64).powi(2) * BY_CHANCE.0;
        let by_chance = by_chance + BY_CHANCE.1 * by_chance.sqrt();
        let is_certain = !linked.is_empty() || pairs.len() as f64 > by_chance;
        pairs.extend(linked);
        let first = pairs.iter().copied().min_by_key(|(row, _)| *row)?;
        let number = pairs.iter().map(|(row, _)| row).collect::<BTreeSet<_>>().len();
        Some(Several { number, is_certain, first })
    }

    /// The persons with a number that an earlier one has, and that one; of numbers that persons of one birth date have.
    fn numbered(&mut self) -> Vec<(u32, u32)> {
        self.numbers.sort_unstable();
        let of_number = self.numbers.chunk_by(|one, other| one.0 == other.0);
        let of_one_birth =
            of_number.filter(|all| all.first().map(|one| one.1) == all.last().map(|one| one.1));
        let pairs = of_one_birth.flat_map(|all| beside(all.iter().map(|one| one.2)));
        pairs.filter(|&(row, first)| self.may_be_one(row, first)).collect()
    }

    /// Whether two rows have no given names that differ.
    fn may_be_one(&self, row: u32, other: u32) -> bool {
        let given = |row: u32| self.given[row as usize];
        given(row).zip(given(other)).is_none_or(|(one, other)| one == other)
    }

    fn of_one_name(&mut self) -> Vec<(u32, u32)> {
        self.names.sort_unstable();
        let of_name = self.names.chunk_by(|one, other| one.0 == other.0);
        of_name.flat_map(|all| beside(all.iter().map(|one| one.1))).collect()
    }

    /// The persons with a link to another one that is there.
    fn linked(&self) -> Vec<(u32, u32)> {
        if self.links.is_empty() {
            return Vec::new();
        }
        let rows: FxHashMap<u64, u32> = self.ids.iter().copied().zip(0..).collect();
        let pairs = self.links.iter().filter_map(|&(link, from)| Some((from, *rows.get(&link)?)));
        pairs.filter(|(from, to)| from != to).map(|(from, to)| (from.max(to), from.min(to))).collect()
    }
}

/// Each row but the first, beside the first; rows in their order.
fn beside(rows: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut rows: Vec<u32> = rows.collect();
    rows.dedup();
    rows.iter().skip(1).map(|&row| (row, rows[0])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers with births, names and links of a person.
    type Shown<'a> = (&'a [(u64, u64)], &'a [u64], &'a [&'a str]);

    fn humans(all: &[Shown<'_>]) -> Option<Several> {
        let mut humans = Humans::default();
        for (row, (numbers, names, links)) in all.iter().enumerate() {
            let links = links.iter().map(hash).collect();
            let human = Human { numbers: numbers.to_vec(), names: names.to_vec(), links, ..Human::default() };
            humans.add(&format!("p{row}"), &human);
        }
        humans.several()
    }

    #[test]
    fn a_number_of_one_birth_is_a_human() {
        let found = humans(&[(&[(7, 1)], &[], &[]), (&[(8, 1)], &[], &[]), (&[(7, 1), (7, 1)], &[], &[])]);
        assert_eq!(found, Some(Several { number: 1, is_certain: true, first: (2, 0) }));
        // A family's insurance, or the same words for "unknown".
        assert_eq!(humans(&[(&[(7, 1)], &[], &[]), (&[(7, 2)], &[], &[]), (&[(7, 2)], &[], &[])]), None);
    }

    #[test]
    fn twins_of_one_number_have_names_of_their_own() {
        let of = |given: [Option<u64>; 2]| {
            let mut humans = Humans::default();
            for given in given {
                humans.add("", &Human { numbers: vec![(7, 1)], given, ..Human::default() });
            }
            humans.several().is_some()
        };
        assert!(!of([Some(1), Some(2)]) && of([Some(1), Some(1)]) && of([Some(1), None]));
    }

    #[test]
    fn so_are_a_name_with_a_birth_and_a_link_to_who_is_there() {
        let found = humans(&[(&[], &[5], &[]), (&[], &[5, 6], &[]), (&[], &[6], &[])]).unwrap();
        assert_eq!((found.number, found.first), (2, (1, 0)));
        let found = humans(&[(&[], &[], &["p1"]), (&[], &[], &["p0"]), (&[], &[], &["p9"])]).unwrap();
        assert_eq!((found.number, found.first, found.is_certain), (1, (1, 0), true));
    }

    #[test]
    fn of_very_many_some_have_one_name_and_birth_by_chance() {
        let mut humans = Humans::default();
        for row in 0..40_000_u64 {
            let names = vec![row.max(6)];
            humans.add(&row.to_string(), &Human { names, ..Human::default() });
        }
        assert!(!humans.several().unwrap().is_certain);
    }
}

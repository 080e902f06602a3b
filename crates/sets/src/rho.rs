//! ρ-uncertainty: how sure somebody can be of a sensitive item who knows other items.
//!
//! # Definition
//! Sets are ρ-uncertain if for every set χ of items that somebody has and every sensitive item α outside χ
//! sup(χ ∪ {α}) / sup(χ) ≤ ρ.
//!
//! # Complexity
//! Σ |set| · C(|set|, 2) for sets χ of at most two items.
//!
//! # References
//! Cao, Karras, Raïssi, Tan: "ρ-uncertainty: inference-proof transaction anonymization", PVLDB 3(1), 2010.
//!
//! # Deviations
//! - χ has at most m ≤ 2 items, as the adversary of kᵐ-anonymity knows at most m. The paper has no limit.
//! - The paper transforms the sets. Here they are only checked.

use rayon::prelude::*;

use crate::Sets;
use crate::classes::members;
use crate::count::group::Group;
use crate::largest::whole;

/// Who knows that a person has some items, infers that the person has a sensitive one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealing {
    /// The items that are known, ascending; none if the sensitive one is that common.
    pub known: Vec<u32>,
    /// The sensitive item.
    pub sensitive: u32,
    /// How many persons of the class have the known items.
    pub having: u32,
    /// How many of them have the sensitive item, too.
    pub both: u32,
}

impl Revealing {
    /// The confidence of the inference, which ρ-uncertainty limits to ρ.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        f64::from(self.both) / f64::from(self.having)
    }

    /// The surer inference first; among equals that of more persons, of fewer known items, of lower ones.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let surer = u64::from(other.both) * u64::from(self.having);
        let sure = u64::from(self.both) * u64::from(other.having);
        let rest = |one: &Self| (one.known.len(), one.known.clone(), one.sensitive);
        surer.cmp(&sure).then(other.having.cmp(&self.having)).then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// The surest inference of a sensitive item from at most m known items, in any class; none if no released person has a
/// sensitive item. The sets are ρ-uncertain against m known items iff its confidence is at most ρ.
///
/// `sensitive` says of each item whether it is sensitive; items behind its end are not.
///
/// # Panics
/// If `m` is above 2, or if `classes` does not have one entry a person.
#[must_use]
pub fn rho_uncertainty(sets: &Sets, classes: &[u32], sensitive: &[bool], m: u8) -> Option<Revealing> {
    assert!(m <= 2, "{m} known items: at most 2");
    assert_eq!(classes.len(), sets.persons(), "one class a person");
    members(classes)
        .par_iter()
        .filter_map(|members| Class::new(whole(sets, members), sensitive).surest(m))
        .min_by(Revealing::order)
}

struct Class {
    group: Group,
    /// By rank, whether it is sensitive.
    sensitive: Vec<bool>,
}

impl Class {
    fn new(group: Group, sensitive: &[bool]) -> Self {
        let of = |&item: &u32| sensitive.get(item as usize).copied().unwrap_or(false);
        Self { sensitive: group.names().iter().map(of).collect(), group }
    }

    fn surest(&self, m: u8) -> Option<Revealing> {
        let items = (0..self.group.ranks()).into_par_iter();
        let persons = self.group.persons() as u32;
        let none = items
            .clone()
            .filter(|&item| self.sensitive[item])
            .map(|item| self.revealing(&[], item as u32, persons, self.group.having(item).count() as u32));
        let some = items.with_max_len(1).filter_map(|item| self.with(item as u32, m));
        let some = if m > 0 { some.min_by(Revealing::order) } else { None };
        none.min_by(Revealing::order).into_iter().chain(some).min_by(Revealing::order)
    }

    fn revealing(&self, known: &[u32], sensitive: u32, having: u32, both: u32) -> Revealing {
        let name = |rank: u32| self.group.names()[rank as usize];
        let mut known: Vec<u32> = known.iter().map(|&rank| name(rank)).collect();
        known.sort_unstable();
        Revealing { known, sensitive: name(sensitive), having, both }
    }

    /// The surest inference from an item, alone or with another one.
    fn with(&self, item: u32, m: u8) -> Option<Revealing> {
        let sets: Vec<&[u32]> =
            self.group.having(item as usize).map(|having| self.group.of(having.person as usize)).collect();
        let others = Others::of(&sets, item);
        let all = sets.len() as u32;
        let one = others.each().filter(|&(other, _)| self.sensitive[other as usize]);
        let one = one.map(|(other, both)| self.revealing(&[item], other, all, both)).min_by(Revealing::order);
        let two = if m >= 2 { self.beside(item, &sets, &others) } else { None };
        one.into_iter().chain(two).min_by(Revealing::order)
    }

    /// The surest inference from an item and another one.
    fn beside(&self, item: u32, sets: &[&[u32]], others: &Others) -> Option<Revealing> {
        let width = others.met.len();
        let mut both = vec![0_u32; width * width];
        for set in sets {
            for &known in set.iter().filter(|&&known| known != item) {
                for &other in set.iter().filter(|&&other| self.sensitive[other as usize] && other != item) {
                    both[others.number(known) * width + others.number(other)] += 1;
                }
            }
        }
        let pairs = others.each().flat_map(|known| others.each().map(move |other| (known, other)));
        pairs
            .zip(both)
            .filter(|&(((known, _), (other, _)), both)| both > 0 && known != other)
            .map(|(((known, having), (other, _)), both)| self.revealing(&[item, known], other, having, both))
            .min_by(Revealing::order)
    }
}

/// The items beside a given one, ascending, with the number of persons who have both.
struct Others {
    met: Vec<(u32, u32)>,
}

impl Others {
    fn of(sets: &[&[u32]], item: u32) -> Self {
        let mut all: Vec<u32> =
            sets.iter().flat_map(|set| set.iter().copied()).filter(|&other| other != item).collect();
        all.sort_unstable();
        Self { met: all.chunk_by(|one, next| one == next).map(|run| (run[0], run.len() as u32)).collect() }
    }

    fn each(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.met.iter().copied()
    }

    /// The place of an item that is among them.
    fn number(&self, item: u32) -> usize {
        self.met.partition_point(|&(other, _)| other < item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knowing_more_makes_surer() {
        // 2 is sensitive: three of five have it, two of three beside 0, and all of those who have 0 and 1.
        let pairs = vec![(0, 0), (0, 1), (0, 2), (1, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 2)];
        let sets = Sets::from_pairs(5, pairs);
        let surest = |m| rho_uncertainty(&sets, &[0; 5], &[false, false, true], m).expect("a sensitive item");
        assert_eq!(surest(0), Revealing { known: vec![], sensitive: 2, having: 5, both: 3 });
        assert_eq!(surest(1), Revealing { known: vec![0], sensitive: 2, having: 3, both: 2 });
        assert_eq!(surest(2), Revealing { known: vec![0, 1], sensitive: 2, having: 2, both: 2 });
        assert_eq!(surest(2).confidence(), 1.0);
    }

    #[test]
    fn without_sensitive_items_nothing_is_revealed() {
        let sets = Sets::from_pairs(1, vec![(0, 0)]);
        assert_eq!(rho_uncertainty(&sets, &[0], &[], 2), None);
    }
}

//! Whose the records of classes are, and how easily a person is found among them.
//!
//! # Summary
//! People per class, and the risk of each person, where a person can have several records, in one class or in several.
//!
//! # Definition
//! Person i has r_ij of the R_j records of class j, in which P_j people have records. A person is as easy to find as by the
//! class that gives her away most:
//!
//! - who picks a record of a class finds her with max over j of r_ij/R_j;
//! - who picks one of the people of a class finds her with max over j of 1/P_j.
//!
//! The highest of the first is never below the highest of the second, and their means are the same where each person is in one
//! class. Where each person has one record both are 1/f_j. A person is alone if she has a class for herself.
//!
//! # Parameters
//! Triples of class, person and records, and the threshold τ.
//!
//! # Returns
//! [`Risk`]s over people; `None` where there is nobody.
//!
//! # Errors
//! None.
//!
//! # Complexity
//! O(pairs · log pairs) for pairs of a class and a person.
//!
//! # References
//! El Emam 2013, as in [`crate::risk::reidentification`], whose risks these are where each person has one record.
//!
//! # Deviations
//! None.

use crate::risk::reidentification::{Risk, is_above, of_records};

/// The records of one person in one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// The class.
    pub class: u32,
    /// The person.
    pub person: u32,
    /// How many records of the class are hers, at least 1.
    pub records: u64,
}

/// Whose the records of some classes are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holdings {
    /// Ascending by class and person, each pair once.
    held: Vec<Held>,
    /// By class its people and its records.
    classes: Vec<(u64, u64)>,
    /// Places of `held`, by person.
    by_person: Vec<u32>,
}

impl Holdings {
    /// Of so many classes; the triples (class, person, records) may come in any order and again.
    #[must_use]
    pub fn new(triples: impl Iterator<Item = (u32, u32, u64)>, classes: usize) -> Self {
        let mut held: Vec<Held> =
            triples.map(|(class, person, records)| Held { class, person, records }).collect();
        held.sort_unstable();
        held.dedup_by(|next, kept| {
            let same = (next.class, next.person) == (kept.class, kept.person);
            kept.records += if same { next.records } else { 0 };
            same
        });
        let mut sizes = vec![(0, 0); classes];
        for one in &held {
            let (people, records) = &mut sizes[one.class as usize];
            (*people, *records) = (*people + 1, *records + one.records);
        }
        let mut by_person: Vec<u32> = (0..held.len() as u32).collect();
        by_person.sort_by_key(|&place| held[place as usize].person);
        Self { held, classes: sizes, by_person }
    }

    /// The same records in the classes that these become.
    #[must_use]
    pub fn merged(&self, into: &[u32]) -> Self {
        let classes = into.iter().max().map_or(0, |most| *most as usize + 1);
        let moved = self.held.iter().map(|one| (into[one.class as usize], one.person, one.records));
        Self::new(moved, classes)
    }

    /// Who has records in which class, ascending by class and person.
    #[must_use]
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// By class its people.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        self.classes.iter().map(|(people, _)| *people).collect()
    }

    /// How many people there are.
    #[must_use]
    pub fn people(&self) -> u64 {
        self.worst(|_| 1.0).count() as u64
    }

    /// How many people have records in a class of which one person has more than so large a share.
    #[must_use]
    pub fn beside_holders(&self, share: f64) -> u64 {
        let of = |one: &Held| one.records as f64 / self.classes[one.class as usize].1 as f64;
        let mut held = vec![false; self.classes.len()];
        self.held
            .iter()
            .filter(|one| is_above(of(one), share))
            .for_each(|one| held[one.class as usize] = true);
        self.worst(|one| f64::from(u8::from(held[one.class as usize]))).filter(|figure| *figure > 0.0).count()
            as u64
    }

    /// Whether somebody has records in several classes.
    #[must_use]
    pub fn is_split(&self) -> bool {
        (self.people() as usize) < self.held.len()
    }

    /// How many people have a class for themselves.
    #[must_use]
    pub fn alone(&self) -> u64 {
        self.worst(|one| self.one_of(one)).filter(|risk| *risk >= 1.0).count() as u64
    }

    /// The risks of people whose records are picked; `None` without anybody.
    #[must_use]
    pub fn by_record(&self, threshold: f64) -> Option<Risk> {
        let share = |one: &Held| one.records as f64 / self.classes[one.class as usize].1 as f64;
        of(self.worst(share), threshold)
    }

    /// The risks of people who are picked among those of their class; `None` without anybody.
    #[must_use]
    pub fn by_person(&self, threshold: f64) -> Option<Risk> {
        of(self.worst(|one| self.one_of(one)), threshold)
    }

    /// The risks of people who are picked among so many people of each class in the population; `None` without anybody.
    #[must_use]
    pub fn in_population(&self, people: &[u64], threshold: f64) -> Option<Risk> {
        of(self.worst(|one| 1.0 / people[one.class as usize].max(1) as f64), threshold)
    }

    fn one_of(&self, one: &Held) -> f64 {
        1.0 / self.classes[one.class as usize].0 as f64
    }

    /// By person the largest figure of her classes.
    fn worst(&self, figure: impl Fn(&Held) -> f64) -> impl Iterator<Item = f64> {
        let person = |place: u32| self.held[place as usize].person;
        let own = self.by_person.chunk_by(move |&a, &b| person(a) == person(b));
        own.map(move |own| own.iter().map(|&place| figure(&self.held[place as usize])).fold(0.0, f64::max))
    }
}

fn of(risks: impl Iterator<Item = f64>, threshold: f64) -> Option<Risk> {
    of_records(risks.map(|risk| (1, risk)), threshold)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four people with three records each and one with nine in one class, five people with one record in another.
    fn stays() -> Holdings {
        let women = (0..4).map(|person| (0, person, 3)).chain([(0, 4, 4), (0, 4, 5)]);
        Holdings::new(women.chain((5..10).map(|person| (1, person, 1))), 2)
    }

    #[test]
    fn a_person_with_most_records_is_found_by_them() {
        let stays = stays();
        assert_eq!(
            (stays.people(), stays.sizes(), stays.is_split(), stays.alone()),
            (10, vec![5, 5], false, 0)
        );
        let (picked, person) = (stays.by_record(0.2).unwrap(), stays.by_person(0.2).unwrap());
        assert_eq!((picked.highest, picked.records_at_risk), (9.0 / 21.0, 1));
        assert_eq!((person.highest, person.records_at_risk), (0.2, 0));
        assert!((picked.mean - 0.2).abs() < 1e-12 && (person.mean - 0.2).abs() < 1e-12);
        let merged = stays.merged(&[0, 0]);
        assert_eq!((merged.sizes(), merged.by_record(1.0).unwrap().highest), (vec![10], 9.0 / 26.0));
        // She holds more than 0.2 of the first class, and five people are in it.
        assert_eq!([0.2, 0.4, 0.43].map(|share| stays.beside_holders(share)), [5, 5, 0]);
    }

    /// Two classes of one woman and another: she is as easy to find as in the class that she has for herself.
    #[test]
    fn the_worst_class_of_a_person_decides() {
        let split = Holdings::new([(0, 7, 1), (0, 8, 9), (1, 7, 2)].into_iter(), 2);
        assert!(split.is_split());
        assert_eq!((split.people(), split.alone()), (2, 1));
        assert_eq!(split.by_record(0.5).unwrap().mean, (1.0 + 0.9) / 2.0);
        assert_eq!(split.by_person(0.5).unwrap().mean, (1.0 + 0.5) / 2.0);
        let known = split.in_population(&[4, 2], 0.3).unwrap();
        assert_eq!((known.highest, known.mean, known.records_at_risk), (0.5, (0.5 + 0.25) / 2.0, 1));
        assert_eq!(Holdings::default().by_record(0.2), None);
    }
}

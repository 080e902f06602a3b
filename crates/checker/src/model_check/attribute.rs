//! What the released table says of one sensitive attribute.
//!
//! Records are counted, or people where a column says whose the records are: of a person with several records every
//! value counts, once. See [`Counts`].

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::AskedFor;
use velamen_core::hierarchy::Definition;

use super::Case;
use super::spelling::standing_for;
use crate::Uncheckable;

/// How many records, or people, have each value of an attribute.
#[derive(Debug, Default)]
pub struct Counts {
    of: BTreeMap<String, u64>,
    total: u64,
    /// The values of each person, where people are counted.
    people: BTreeMap<u32, BTreeSet<String>>,
}

impl Counts {
    fn add(&mut self, value: &str, count: u64) {
        self.total = self.total.saturating_add(count);
        match self.of.get_mut(value) {
            Some(counted) => *counted = counted.saturating_add(count),
            None => drop(self.of.insert(value.to_owned(), count)),
        }
    }

    /// A record of a person, whose values count once each.
    fn add_of(&mut self, person: u32, value: &str) {
        let known = self.people.entry(person).or_default();
        if known.is_empty() {
            self.total = self.total.saturating_add(1);
        }
        if known.insert(value.to_owned()) {
            let counted = self.of.entry(value.to_owned()).or_default();
            *counted = counted.saturating_add(1);
        }
    }

    /// Values of records that tell nobody's name where others do. They may be those of one of the others, so that they make the class no
    /// larger, no value rarer, and nothing diverse. Where nobody is named, they are of one person.
    fn add_of_nobody(&mut self, nobody: u32, values: &BTreeSet<&str>) {
        if self.people.is_empty() {
            values.iter().for_each(|value| self.add_of(nobody, value));
            return;
        }
        for value in values {
            let counted = self.of.entry((*value).to_owned()).or_default();
            *counted = counted.saturating_add(1).min(self.total);
        }
    }

    /// The share of the records, or people, that have a value: those of people can sum to more than 1.
    #[must_use]
    pub fn share(&self, value: &str) -> f64 {
        self.of.get(value).copied().unwrap_or(0) as f64 / self.total as f64
    }

    /// The values that occur.
    pub fn values(&self) -> impl Iterator<Item = &String> {
        self.of.keys()
    }

    /// How many records, or people, have each value.
    pub fn counts(&self) -> impl ExactSizeIterator<Item = u64> {
        self.of.values().copied()
    }

    /// Shares that sum to 1: each person is divided by the number of her values.
    #[must_use]
    pub fn divided(&self) -> BTreeMap<String, f64> {
        let mut shares: BTreeMap<String, f64> = BTreeMap::new();
        if self.people.is_empty() {
            return self.of.keys().map(|value| (value.clone(), self.share(value))).collect();
        }
        for values in self.people.values() {
            for value in values {
                *shares.entry(value.clone()).or_default() += 1.0 / values.len() as f64;
            }
        }
        shares.values_mut().for_each(|share| *share /= self.total as f64);
        shares
    }

    /// How many have each value, in descending order: people are divided among their values.
    #[must_use]
    pub fn parts(&self) -> Vec<f64> {
        let mut parts: Vec<f64> = match self.people.is_empty() {
            true => self.of.values().map(|&count| count as f64).collect(),
            false => self.divided().into_values().map(|share| share * self.total as f64).collect(),
        };
        parts.sort_by(|a, b| b.total_cmp(a));
        parts
    }

    /// How many have the most frequent value.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.of.values().copied().max().unwrap_or(0)
    }

    /// Whether there is a value that all have.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.total > 0 && self.of.values().any(|&count| count >= self.total)
    }

    /// The most different values that as many different records, or people, have.
    ///
    /// Each value in turn is given to somebody who has it; who has one already may take another of hers instead.
    #[must_use]
    pub fn different(&self) -> u64 {
        if self.people.is_empty() {
            return self.of.len() as u64;
        }
        let mut given: BTreeMap<u32, &str> = BTreeMap::new();
        let found = self.of.keys().filter(|value| self.give(value, &mut given, &mut BTreeSet::new()));
        found.count() as u64
    }

    /// Whether a value finds somebody, others changing theirs; the depth is at most the number of values.
    fn give<'a>(
        &'a self,
        value: &'a str,
        given: &mut BTreeMap<u32, &'a str>,
        asked: &mut BTreeSet<u32>,
    ) -> bool {
        let having = self.people.iter().filter(|(_, values)| values.contains(value));
        let free = having.clone().find(|(person, _)| !given.contains_key(person));
        if let Some((&person, _)) = free {
            given.insert(person, value);
            return true;
        }
        for (&person, _) in having {
            if !asked.insert(person) {
                continue;
            }
            let Some(other) = given.get(&person).copied() else { continue };
            if self.give(other, given, asked) {
                given.insert(person, value);
                return true;
            }
        }
        false
    }
}

/// A sensitive attribute of the released table.
#[derive(Debug)]
pub struct Attribute<'a> {
    /// Per class its counts.
    pub classes: Vec<Counts>,
    /// All records that show a value: suppressed ones, too, unless nothing of them is released.
    pub table: Counts,
    /// The attribute's hierarchy, if the manifest has one.
    pub hierarchy: Option<&'a Definition>,
}

impl Attribute<'_> {
    /// The largest figure of any class, from its counts and the table's; `None` where there is no class.
    pub fn worst(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::max)
    }

    /// The least figure of any class.
    pub fn least(&self, figure: impl Fn(&Counts, &Counts) -> f64) -> Option<f64> {
        self.classes.iter().map(|class| figure(class, &self.table)).reduce(f64::min)
    }

    /// Whether a class has a value that all its people have: shares that are divided do not show it.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.classes.iter().any(Counts::is_certain)
    }
}

impl<'a> Case<'a> {
    /// The counts of the model's sensitive attribute in every class and in the whole table. Suppressed records that
    /// show their values are a class, too.
    ///
    /// # Errors
    /// [`Uncheckable`] if the manifest names none, or one that the table does not have.
    pub fn attribute(&self) -> Result<Attribute<'a>, Uncheckable> {
        let name = AskedFor(self.asked).attribute().ok_or_else(|| self.unread())?;
        let published = self.view.published;
        let column = published.position(name)?;
        let mut classes: BTreeMap<Option<u64>, Counts> = BTreeMap::new();
        let mut table = Counts::default();
        let nobody = self.view.nobody();
        let mut of_nobody: BTreeMap<Option<u64>, BTreeSet<&str>> = BTreeMap::new();
        let values = standing_for(self.view.values(column));
        for (row, &count) in published.counts.iter().enumerate() {
            let value = values.get(self.view.code(column, row) as usize).copied().unwrap_or_default();
            let class = self.view.class_id(row);
            if class.is_none() && self.promises.suppressed_whole {
                continue;
            }
            if class.is_none() && self.promises.suppressed_noise {
                table.add(value, count);
                continue;
            }
            let person = published.people.map(|people| self.view.code(people, row));
            if person.is_some() && person == nobody {
                of_nobody.entry(class).or_default().insert(value);
                classes.entry(class).or_default();
                continue;
            }
            for counts in [&mut table, classes.entry(class).or_default()] {
                match person {
                    Some(person) => counts.add_of(person, value),
                    None => counts.add(value, count),
                }
            }
        }
        if let Some(nobody) = nobody {
            let all: BTreeSet<&str> = of_nobody.values().flatten().copied().collect();
            table.add_of_nobody(nobody, &all);
            for (class, values) in &of_nobody {
                classes.entry(*class).or_default().add_of_nobody(nobody, values);
            }
        }
        let hierarchy = self.promises.hierarchies.get(name);
        Ok(Attribute { classes: classes.into_values().collect(), table, hierarchy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_are_those_of_as_many_different_people() {
        let of = |records: &[(u32, &str)]| {
            let mut counts = Counts::default();
            records.iter().for_each(|(person, value)| counts.add_of(*person, value));
            counts.different()
        };
        // The first can give A to the second.
        assert_eq!(of(&[(1, "A"), (2, "A"), (1, "B")]), 2);
        assert_eq!(of(&[(1, "A"), (1, "B")]), 1);
        // A goes to the third, B to the second, C to the first.
        assert_eq!(of(&[(1, "A"), (2, "A"), (3, "A"), (1, "B"), (2, "B"), (1, "C")]), 3);
        assert_eq!(of(&[(1, "A"), (2, "A"), (1, "B"), (2, "B"), (1, "C"), (2, "C")]), 2);
        assert_eq!(of(&[]), 0);
    }

    #[test]
    fn a_value_is_certain_where_all_of_some_have_it() {
        let of = |records: &[(&str, u64)]| {
            let mut counts = Counts::default();
            records.iter().for_each(|(value, count)| counts.add(value, *count));
            counts.is_certain()
        };
        assert!(of(&[("A", 2)]) && !of(&[("A", 2), ("B", 1)]));
        assert!(!of(&[]) && !of(&[("A", 0)]), "nobody has it");
    }
}

//! Who is alone with the values of columns that are released as they are.
//!
//! A person is alone with the values of some columns if nobody else has them, in however many of her records. Where
//! pseudonyms do not tell whose the records are, each record is counted by itself.

use std::collections::BTreeSet;

use velamen_core::hierarchy::NULL;
use velamen_core::release::{Release, SUPPRESSED};

use crate::manifest::Manifest;
use crate::people;

/// A table of fewer says nothing.
const FEW: u64 = 20;

/// Whom a release shows, by the values of columns.
pub(crate) struct Alone<'a> {
    release: &'a Release,
    /// The column of pseudonyms that shows whose the records are.
    people: Option<usize>,
}

impl<'a> Alone<'a> {
    pub(crate) fn of(manifest: &Manifest, release: &'a Release) -> Self {
        Self { release, people: people::column(manifest, release) }
    }

    /// Whom the shares are of.
    pub(crate) fn whom(&self) -> &'static str {
        if self.people.is_some() { "people" } else { "records" }
    }

    /// The share of people, or of real records, who have values in some columns that nobody else has; 0 in a table too small to
    /// say. Of one column missing values are left aside; of several they are values.
    ///
    /// Time: O(records · columns · log records).
    pub(crate) fn share(&self, columns: &[usize]) -> f64 {
        match self.people {
            Some(people) => self.of_people(people, columns),
            None => self.of_records(columns),
        }
    }

    /// The values of a combination of the rest.
    fn values<'s>(&'s self, columns: &'s [usize], rest: usize) -> impl Iterator<Item = u32> + 's {
        columns.iter().map(move |&column| self.release.rest.codes[column][rest])
    }

    /// The combinations of the rest that are somebody's, ascending by their values; `counts` are their records.
    fn told(&self, columns: &[usize], counts: &[u64]) -> Vec<usize> {
        let missing = match columns {
            [only] => self.release.rest.columns[*only].values.iter().position(|value| value == NULL),
            _ => None,
        };
        let is_missing = |rest: usize| {
            missing.is_some_and(|missing| self.values(columns, rest).all(|code| code as usize == missing))
        };
        let mut told: Vec<usize> =
            (0..counts.len()).filter(|&rest| counts[rest] > 0 && !is_missing(rest)).collect();
        told.sort_unstable_by(|a, b| self.values(columns, *a).cmp(self.values(columns, *b)));
        told
    }

    fn of_records(&self, columns: &[usize]) -> f64 {
        let counts = self.counts(|_| true);
        let told = self.told(columns, &counts);
        let groups = told.chunk_by(|a, b| self.values(columns, *a).eq(self.values(columns, *b)));
        let sizes = groups.map(|group| group.iter().map(|&rest| counts[rest]).sum());
        share_of(sizes, self.release.counterfeits())
    }

    /// Whose a suppressed record is can be blanked, too: these are left out.
    fn of_people(&self, people: usize, columns: &[usize]) -> f64 {
        let told = self.told(columns, &self.counts(|class| class != SUPPRESSED));
        let person = |rest: &usize| self.release.rest.codes[people][*rest];
        let all: BTreeSet<u32> = told.iter().map(person).collect();
        let groups = told.chunk_by(|a, b| self.values(columns, *a).eq(self.values(columns, *b)));
        let one = |group: &[usize]| {
            let first = person(group.first()?);
            group.iter().all(|rest| person(rest) == first).then_some(first)
        };
        let alone: BTreeSet<u32> = groups.filter_map(one).collect();
        if (all.len() as u64) < FEW { 0.0 } else { alone.len() as f64 / all.len() as f64 }
    }

    /// The records of each combination of the rest, of some classes.
    fn counts(&self, of: impl Fn(u32) -> bool) -> Vec<u64> {
        let mut counts = vec![0u64; self.release.rest.len];
        for row in self.release.rows.iter().filter(|row| of(row.class)) {
            counts[row.rest as usize] += row.count;
        }
        counts
    }
}

/// The share of real records whose value no other real record has, from how many records have each value.
///
/// A counterfeit repeats a value of a real record, and hides that this is alone: of d different values of n real
/// records at least 2d − n are alone, however the counterfeits fell.
fn share_of(counts: impl Iterator<Item = u64>, counterfeits: u64) -> f64 {
    let (mut alone, mut all, mut distinct) = (0u64, 0u64, 0u64);
    for count in counts.filter(|count| *count > 0) {
        (alone, all, distinct) = (alone + u64::from(count == 1), all + count, distinct + 1);
    }
    let real = all.saturating_sub(counterfeits);
    if real < FEW {
        return 0.0;
    }
    let alone = alone.max((2 * distinct).saturating_sub(real));
    (alone as f64 / real as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use velamen_core::frequency::{Rest, RestColumn, Role};
    use velamen_core::release::Row;

    use super::*;

    fn column(name: &str, values: usize) -> RestColumn {
        RestColumn {
            name: name.into(),
            role: Role::Insensitive,
            values: (0..values).map(|v| v.to_string()).collect(),
        }
    }

    /// Thirty people of two records with one value, which nobody else has: all are alone, and no record is.
    #[test]
    fn a_person_of_several_records_is_alone() {
        let release = Release {
            rest: Rest {
                columns: vec![column("patient", 30), column("cost", 30)],
                codes: vec![(0..30).collect(), (0..30).collect()],
                len: 30,
            },
            rows: (0..30).map(|rest| Row { class: 0, rest, count: 2 }).collect(),
            sizes: vec![60],
            ..Release::default()
        };
        let share = |people| Alone { release: &release, people }.share(&[1]);
        assert_eq!([share(Some(0)), share(None)], [1.0, 0.0]);
    }

    /// One value of thirty people, and one more value that one of them has besides.
    #[test]
    fn one_value_of_her_own_is_enough() {
        let release = Release {
            rest: Rest {
                columns: vec![column("patient", 30), column("cost", 2)],
                codes: vec![(0..30).chain([7]).collect(), [vec![0; 30], vec![1]].concat()],
                len: 31,
            },
            rows: (0..31).map(|rest| Row { class: 0, rest, count: 3 }).collect(),
            sizes: vec![93],
            ..Release::default()
        };
        assert_eq!(Alone { release: &release, people: Some(0) }.share(&[1]), 1.0 / 30.0);
        assert_eq!(Alone { release: &release, people: None }.share(&[1]), 0.0);
    }
}

//! Whom columns single out, where a column says whose the records are.
//!
//! A person is alone with the values of some columns if nobody else has them, in however many of her records; a value is as rare
//! as the people who have it.

use std::collections::BTreeSet;

use super::columns::ColumnProfile;

/// Columns of codes by entry, and whose each entry is.
pub(super) struct JointPeople {
    pub(super) codes: Vec<Vec<u32>>,
    pub(super) whose: Vec<u32>,
}

/// The people of a set of columns.
pub(super) struct PeopleFigures {
    /// How many are alone with their values.
    pub(super) alone: u64,
    /// How many have the rarest values.
    pub(super) rarest: u64,
}

impl JointPeople {
    /// Whom a set of the columns singles out.
    ///
    /// Time: O(entries · log entries · columns).
    pub(super) fn of(&self, columns: &[usize]) -> PeopleFigures {
        let values = |&entry: &usize| columns.iter().map(move |&column| self.codes[column][entry]);
        let mut entries: Vec<usize> = (0..self.whose.len()).collect();
        entries.sort_unstable_by(|a, b| values(a).cmp(values(b)).then(self.whose[*a].cmp(&self.whose[*b])));
        let (mut alone, mut rarest) = (BTreeSet::new(), None);
        for class in entries.chunk_by(|a, b| values(a).eq(values(b))) {
            let people = class.chunk_by(|a, b| self.whose[*a] == self.whose[*b]).count() as u64;
            if people == 1 {
                alone.insert(self.whose[class[0]]);
            }
            rarest = Some(rarest.map_or(people, |rarest: u64| rarest.min(people)));
        }
        PeopleFigures { alone: alone.len() as u64, rarest: rarest.unwrap_or(0) }
    }

    /// How many people there are.
    pub(super) fn number(&self) -> u64 {
        self.whose.iter().collect::<BTreeSet<_>>().len() as u64
    }

    /// Counts people in the figures of the columns that take part.
    pub(super) fn count_in(&self, names: &[String], columns: &mut [ColumnProfile]) {
        for (place, name) in names.iter().enumerate() {
            let figures = self.of(&[place]);
            for column in columns.iter_mut().filter(|column| column.name == *name) {
                (column.unique, column.rarest) = (figures.alone, figures.rarest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three people of one has two records of a value of hers, and one of that which the two others have, too.
    #[test]
    fn a_person_is_alone_in_however_many_records() {
        let joint = JointPeople { codes: vec![vec![0, 0, 1, 1, 1]], whose: vec![7, 7, 7, 8, 9] };
        let figures = joint.of(&[0]);
        assert_eq!((figures.alone, figures.rarest), (1, 1));
        let figures = joint.of(&[]);
        assert_eq!((figures.alone, figures.rarest), (0, 3));
    }
}

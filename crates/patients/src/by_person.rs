//! Rows by person: counted, not compared, since most comparisons would wait for memory.

use crate::loaded::NONE;

/// Rows, each person's one behind the other, those of nobody last.
#[derive(Debug)]
pub(crate) struct ByPerson {
    rows: Vec<u32>,
    /// Where those of each person end.
    ends: Vec<u32>,
}

impl ByPerson {
    /// Of some rows; `persons` gives the person of each row, or [`NONE`]. Rows of a person keep their order. Time: linear.
    pub(crate) fn of(rows: &[u32], persons: &dyn Fn(u32) -> u32) -> Self {
        let known = rows.iter().map(|&row| persons(row)).filter(|person| *person != NONE);
        let nobody = known.max().map_or(0, |most| most + 1);
        let person = |&row: &u32| persons(row).min(nobody) as usize;
        let mut next = vec![0u32; nobody as usize + 1];
        rows.iter().for_each(|row| next[person(row)] += 1);
        let mut before = 0;
        for place in &mut next {
            before += std::mem::replace(place, before);
        }
        let mut ordered = vec![0; rows.len()];
        for row in rows {
            let place = &mut next[person(row)];
            ordered[*place as usize] = *row;
            *place += 1;
        }
        // Behind the last row of a person the next one's begin.
        Self { rows: ordered, ends: next }
    }

    /// The rows of each person who has some, in the order of the persons.
    pub(crate) fn each(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let rows = starts.zip(&self.ends).map(|(start, &end)| &self.rows[start as usize..end as usize]);
        rows.filter(|rows| !rows.is_empty())
    }

    /// All rows.
    pub(crate) fn into_rows(self) -> Vec<u32> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_by_person() {
        let persons = [3, NONE, 1, 3, 2, 1];
        let persons = |row: u32| persons[row as usize];
        let by = ByPerson::of(&[0, 2, 3, 4, 5], &persons);
        assert_eq!(by.each().collect::<Vec<_>>(), [&[2, 5][..], &[4], &[0, 3]]);
        assert_eq!(by.into_rows(), [2, 5, 4, 0, 3]);
        assert_eq!(ByPerson::of(&[1, 3, 2], &persons).into_rows(), [2, 3, 1]);
        assert_eq!(ByPerson::of(&[], &persons).each().count(), 0);
    }
}

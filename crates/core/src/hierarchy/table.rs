//! A hierarchy given as a table: one row per leaf, one column per level.

use rustc_hash::FxHashMap;

use super::{Ancestor, HierarchyError};
use crate::written::number;

/// Rows `value; level 1; …`, each label with one parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRule {
    rows: Vec<Vec<String>>,
    index: FxHashMap<String, usize>,
    /// Per level the leaves under each label.
    covered: Vec<FxHashMap<String, u64>>,
    /// Rows by number, where leaves are numbers however they are written; empty elsewhere.
    numbers: FxHashMap<String, usize>,
}

impl TableRule {
    /// Checks the rows: rectangular, each leaf once, each label with one parent.
    ///
    /// # Errors
    /// [`HierarchyError`] with the row and column, counted from 1.
    pub fn new(rows: Vec<Vec<String>>) -> Result<Self, HierarchyError> {
        if let Some(first) = Self::faults(&rows).into_iter().next() {
            return Err(first);
        }
        let expected = rows[0].len();
        let index = rows.iter().enumerate().map(|(i, row)| (row[0].clone(), i)).collect();
        let covered = (0..expected).map(|level| count_leaves(&rows, level)).collect();
        Ok(Self { rows, index, covered, numbers: FxHashMap::default() })
    }

    /// The same table, whose leaves are numbers and not codes: `5`, `5.0` and `+5` are one.
    pub(super) fn of_numbers(mut self) -> Self {
        let rows = self.rows.iter().enumerate();
        self.numbers = rows.filter_map(|(place, row)| Some((shown(&row[0])?, place))).collect();
        self
    }

    /// All that is wrong with rows, in the order of the rows; labels are looked at where all rows have the
    /// same number of levels.
    #[must_use]
    pub fn faults(rows: &[Vec<String>]) -> Vec<HierarchyError> {
        let Some(expected) = rows.first().map(Vec::len).filter(|&levels| levels > 0) else {
            return vec![HierarchyError::Empty];
        };
        if expected > 255 {
            return vec![HierarchyError::TooManyLevels];
        }
        let mut faults = leaf_faults(rows, expected);
        if rows.iter().all(|row| row.len() == expected) {
            faults.extend((1..expected.saturating_sub(1)).flat_map(|column| parent_faults(rows, column)));
        }
        faults
    }

    /// The number of leaves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A checked table has at least one row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, as given.
    #[must_use]
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    pub(super) fn leaves(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row[0].as_str())
    }

    pub(super) fn top(&self) -> u8 {
        (self.covered.len() - 1) as u8
    }

    /// The lowest level with one label for all leaves.
    pub(super) fn height(&self) -> Option<u8> {
        self.covered.iter().position(|labels| labels.len() == 1).map(|level| level as u8)
    }

    pub(super) fn row(&self, value: &str) -> Option<usize> {
        let as_written = self.index.get(value).copied();
        as_written.or_else(|| self.numbers.get(&shown(value).filter(|_| !self.numbers.is_empty())?).copied())
    }

    /// A number as the rows write it; `None` where leaves are codes, which are written in one way.
    pub(super) fn canonical(&self, value: &str) -> Option<String> {
        let row = self.row(value).filter(|_| !self.numbers.is_empty())?;
        Some(self.rows[row][0].clone())
    }

    /// How many leaves a label covers at a level; 0 if it does not stand there.
    #[must_use]
    pub fn under(&self, label: &str, level: u8) -> u64 {
        self.covered.get(usize::from(level)).and_then(|labels| labels.get(label)).copied().unwrap_or(0)
    }

    pub(super) fn ancestor(&self, value: &str, level: u8) -> Option<Ancestor> {
        let label = &self.rows[self.row(value)?][usize::from(level)];
        let leaves = *self.covered[usize::from(level)].get(label)?;
        Some(Ancestor { label: label.clone(), leaves })
    }
}

/// A number in its shortest spelling.
fn shown(text: &str) -> Option<String> {
    // −0 is 0.
    number::parse(text).map(|number| (number.value + 0.0).to_string())
}

/// Rows of another length than the first, and leaves that stand twice.
fn leaf_faults(rows: &[Vec<String>], expected: usize) -> Vec<HierarchyError> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let mut faults = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        if row.len() != expected {
            faults.push(HierarchyError::Ragged { row: i + 1, found: row.len(), expected });
        }
        let leaf = row.first().map_or("", String::as_str);
        let first = *seen.entry(leaf).or_insert(i);
        if first < i {
            faults.push(HierarchyError::DuplicateLeaf { row: i + 1, first: first + 1 });
        }
    }
    faults
}

/// Labels of a column under another parent than in the first row that has them.
fn parent_faults(rows: &[Vec<String>], column: usize) -> Vec<HierarchyError> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    let mut faults = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let first = *seen.entry(&row[column]).or_insert(i);
        if rows[first][column + 1] != row[column + 1] {
            faults.push(HierarchyError::AmbiguousParent { row: i + 1, column: column + 1, first: first + 1 });
        }
    }
    faults
}

fn count_leaves(rows: &[Vec<String>], level: usize) -> FxHashMap<String, u64> {
    let mut counts = FxHashMap::default();
    for row in rows {
        *counts.entry(row[level].clone()).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn numbers_are_one_however_they_are_written() {
        let codes = TableRule::new(rows("-5;*\n0;*\n5;*\n7.50;*\n;*")).unwrap();
        let numbers = codes.clone().of_numbers();
        for (text, row) in [("5.0", 2), ("+5", 2), ("-5.00", 0), ("-0", 1), ("7.5", 3), ("7.50", 3), ("", 4)]
        {
            assert_eq!(numbers.row(text), Some(row), "{text}");
        }
        assert_eq!(numbers.canonical("7.5").as_deref(), Some("7.50"));
        for text in ["5.1", "05", "5e0", "x", " 5"] {
            assert_eq!(numbers.row(text), None, "{text}");
        }
        assert_eq!((codes.row("5.0"), codes.row("5")), (None, Some(2)));
    }

    #[test]
    fn says_where_a_table_is_wrong() {
        let wrong = |text| TableRule::new(rows(text)).unwrap_err();
        assert_eq!(TableRule::new(vec![]).unwrap_err(), HierarchyError::Empty);
        assert_eq!(wrong("a;x;*\nb;*"), HierarchyError::Ragged { row: 2, found: 2, expected: 3 });
        assert_eq!(wrong("a;x\nb;x\na;x"), HierarchyError::DuplicateLeaf { row: 3, first: 1 });
        assert_eq!(
            wrong("a;x;p;*\nb;x;q;*"),
            HierarchyError::AmbiguousParent { row: 2, column: 2, first: 1 }
        );
    }

    #[test]
    fn all_faults_are_told() {
        let faults = TableRule::faults(&rows("a;x;p;*\nb;x;q;*\na;y;q;*\nc;x;r;*"));
        assert_eq!(
            faults,
            [
                HierarchyError::DuplicateLeaf { row: 3, first: 1 },
                HierarchyError::AmbiguousParent { row: 2, column: 2, first: 1 },
                HierarchyError::AmbiguousParent { row: 4, column: 2, first: 1 },
            ]
        );
    }
}

//! A hierarchy given as a table: one row per leaf, one column per level.

use rustc_hash::FxHashMap;

use super::{Ancestor, HierarchyError};

/// Rows `value; level 1; …`, each label with one parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRule {
    rows: Vec<Vec<String>>,
    index: FxHashMap<String, usize>,
    /// Per level the leaves under each label.
    covered: Vec<FxHashMap<String, u64>>,
}

impl TableRule {
    /// Checks the rows: rectangular, each leaf once, each label with one parent.
    ///
    /// # Errors
    /// [`HierarchyError`] with the row and column, counted from 1.
    pub fn new(rows: Vec<Vec<String>>) -> Result<Self, HierarchyError> {
        let expected = rows.first().filter(|row| !row.is_empty()).ok_or(HierarchyError::Empty)?.len();
        if expected > 255 {
            return Err(HierarchyError::TooManyLevels);
        }
        let mut index = FxHashMap::default();
        for (i, row) in rows.iter().enumerate() {
            if row.len() != expected {
                return Err(HierarchyError::Ragged { row: i + 1, found: row.len(), expected });
            }
            if let Some(first) = index.insert(row[0].clone(), i) {
                return Err(HierarchyError::DuplicateLeaf { row: i + 1, first: first + 1 });
            }
        }
        for column in 1..expected.saturating_sub(1) {
            check_parents(&rows, column)?;
        }
        let covered = (0..expected).map(|level| count_leaves(&rows, level)).collect();
        Ok(Self { rows, index, covered })
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

    pub(super) fn row(&self, value: &str) -> Option<usize> {
        self.index.get(value).copied()
    }

    pub(super) fn ancestor(&self, value: &str, level: u8) -> Option<Ancestor> {
        let label = &self.rows[self.row(value)?][usize::from(level)];
        let leaves = *self.covered[usize::from(level)].get(label)?;
        Some(Ancestor { label: label.clone(), leaves })
    }
}

fn check_parents(rows: &[Vec<String>], column: usize) -> Result<(), HierarchyError> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, row) in rows.iter().enumerate() {
        let first = *seen.entry(&row[column]).or_insert(i);
        if rows[first][column + 1] != row[column + 1] {
            return Err(HierarchyError::AmbiguousParent { row: i + 1, column: column + 1, first: first + 1 });
        }
    }
    Ok(())
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
}

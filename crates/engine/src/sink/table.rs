//! The rows of labels that are written.

use std::borrow::Cow;

use arrow_schema::DataType;

use crate::formula::escape;

/// A column to write: its name and the labels that codes stand for.
#[derive(Debug, Clone)]
pub struct OutColumn {
    /// The header.
    pub name: String,
    /// The cells by code; an empty label is a missing value.
    pub labels: Vec<String>,
    /// What the column holds in formats with types.
    pub kind: ColumnKind,
}

/// The type of a column in formats with types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Text.
    #[default]
    Text,
    /// Whole numbers; every label is one or empty.
    Integer,
    /// As the input's column was: the Arrow type to cast the labels to.
    As(DataType),
}

impl ColumnKind {
    /// Whether any text is a value of it.
    #[must_use]
    pub fn is_text(&self) -> bool {
        fn takes_text(kind: &DataType) -> bool {
            match kind {
                DataType::Dictionary(_, value) => takes_text(value),
                kind => kind.is_string(),
            }
        }
        match self {
            Self::Text => true,
            Self::Integer => false,
            Self::As(kind) => takes_text(kind),
        }
    }
}

/// Rows as codes: one entry of `codes` per column and distinct row, in order.
#[derive(Debug, Clone, Default)]
pub struct OutTable {
    /// The columns.
    pub columns: Vec<OutColumn>,
    /// Per column, the code in each distinct row.
    pub codes: Vec<Vec<u32>>,
    /// How many times each distinct row is written.
    pub counts: Vec<u64>,
}

impl OutTable {
    /// The number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether a spreadsheet would run a cell or a name as a formula.
    #[must_use]
    pub fn has_formulas(&self) -> bool {
        let mut texts =
            self.columns.iter().flat_map(|column| std::iter::once(&column.name).chain(&column.labels));
        texts.any(|text| matches!(escape(text), Cow::Owned(_)))
    }

    /// Keeps spreadsheets from running cells as formulas; whether any cell or name had to be changed.
    pub fn escape_formulas(&mut self) -> bool {
        let texts = self
            .columns
            .iter_mut()
            .flat_map(|column| std::iter::once(&mut column.name).chain(column.labels.iter_mut()));
        let mut changed = false;
        for text in texts {
            if let Cow::Owned(escaped) = escape(text) {
                *text = escaped;
                changed = true;
            }
        }
        changed
    }
}

/// A run of copies of one distinct row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// The row.
    pub row: usize,
    /// How often it is written.
    pub times: u64,
}

/// Cuts the rows into batches of at most `most` records.
pub(crate) fn batches(counts: &[u64], most: u64) -> impl Iterator<Item = Vec<Copies>> {
    let (mut row, mut done) = (0, 0);
    std::iter::from_fn(move || {
        let mut batch = Vec::new();
        let mut room = most;
        while room > 0 && row < counts.len() {
            let times = room.min(counts[row] - done);
            if times > 0 {
                batch.push(Copies { row, times });
            }
            room -= times;
            done += times;
            if done == counts[row] {
                (row, done) = (row + 1, 0);
            }
        }
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_copy_once() {
        let counts = [3, 0, 10, 1];
        let batches: Vec<Vec<(usize, u64)>> =
            batches(&counts, 4).map(|batch| batch.iter().map(|c| (c.row, c.times)).collect()).collect();
        assert_eq!(batches, [vec![(0, 3), (2, 1)], vec![(2, 4)], vec![(2, 4)], vec![(2, 1), (3, 1)]]);
    }
}

//! Rows of a pair of tables in groups.

use rustc_hash::FxHashMap;
use velamen_contract::linked::Column;

use super::numbers::Ends;
use crate::beside::Pair;

impl Pair<'_> {
    /// The original rows of each parent, and how many there are.
    pub(super) fn originals_by(&self, parent: &str) -> FxHashMap<&str, (Vec<usize>, usize)> {
        let mut by: FxHashMap<&str, (Vec<usize>, usize)> = FxHashMap::default();
        for row in 0..self.original.rows {
            let (rows, number) = by.entry(self.original.cell(parent, row)).or_default();
            rows.push(row);
            *number += 1;
        }
        by
    }

    /// The least and greatest released number of each group; `by_original` groups by the original codes of cells that are
    /// released.
    pub(super) fn ends(&self, by_original: bool) -> Ends {
        let mut ends = Ends::default();
        for (column, of) in &self.table.columns {
            let Column::Value { by, .. } = of else { continue };
            for row in 0..self.released.rows {
                let original = if by_original { self.rows[row] } else { None };
                if by_original && original.is_none() {
                    continue;
                }
                if let Ok(number) = self.released.cell(column, row).parse() {
                    ends.take(column, self.group(by, row, original.map(|row| row as usize)), number);
                }
            }
        }
        ends
    }

    /// The group of a row by the columns `by`, with the original's codes where it is given.
    pub(super) fn group(&self, by: &[String], row: usize, original: Option<usize>) -> String {
        let code = |column: &String| match (self.released.cell(column, row), original) {
            ("", _) => "",
            (_, Some(original)) => self.original.cell(column, original),
            (released, None) => released,
        };
        by.iter().map(code).collect::<Vec<_>>().join("\0")
    }
}

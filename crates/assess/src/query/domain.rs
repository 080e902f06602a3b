//! The values that the records of a column can have had, as leaves that a query sees.

use std::ops::Range;

use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::label::number;
use velamen_sql::{ColumnValues, Leaves, Scalar, Use};

use super::table::ReleasedColumn;

/// The most values of one attribute that are looked at one by one.
pub(super) const MOST: u64 = 1_000_000;

/// Stands for a value that no released record shows.
pub(super) const UNSEEN: u32 = u32::MAX;

/// The values that the records of a column can have had.
#[derive(Debug, Default)]
pub(super) struct Domain {
    /// The text of each leaf; empty for the missing value.
    pub(super) texts: Vec<String>,
    /// Where leaves stand for many numbers: a number within, the least and the greatest.
    pub(super) spans: Option<Vec<Option<(f64, f64, f64)>>>,
    /// How much each leaf counts when a cell's records are spread over its leaves.
    pub(super) weights: Vec<f64>,
    /// Per released label the leaves that it covers, ascending and disjoint.
    pub(super) covers: Vec<Vec<Range<u32>>>,
    /// Per released label whether it covers values besides that no leaf stands for.
    pub(super) unseen: Vec<bool>,
    /// Whether values are never read as numbers.
    pub(super) codes: bool,
}

/// A column as queries see it.
pub(super) struct Scope<'a> {
    pub(super) released: &'a ReleasedColumn,
    /// What the manifest says of it, for quasi-identifiers.
    pub(super) attribute: Option<&'a PromisedAttribute>,
    /// The numbers that the query writes.
    pub(super) literals: &'a [f64],
    /// Whether the query does no more than compare it with them, or add it up.
    pub(super) compared: bool,
    /// The least level of its hierarchy that the query asks for, 0 for the values themselves.
    pub(super) level: u8,
}

impl Domain {
    /// The values as the engine takes them.
    pub(super) fn values(&self) -> ColumnValues {
        match &self.spans {
            Some(spans) => ColumnValues::Number(spans.iter().map(|span| span.map(|span| span.0)).collect()),
            None if self.codes => ColumnValues::Text(self.texts.iter().map(|text| present(text)).collect()),
            None => typed(&self.texts),
        }
    }

    /// What expressions use of the column.
    pub(super) fn leaves(&self, uses: &[(String, Use)], rule: Option<&Rule>) -> Leaves {
        let uses = uses.iter().map(|(name, used)| (name.clone(), self.used(used, rule))).collect();
        Leaves { size: self.texts.len(), uses }
    }

    fn used(&self, used: &Use, rule: Option<&Rule>) -> ColumnValues {
        match (used.level, rule) {
            (Some(level), Some(rule)) => {
                let label = |text: &String| present(&rule.label_at(text, level));
                ColumnValues::Text(self.texts.iter().map(label).collect())
            }
            _ => self.values(),
        }
    }

    /// The least, the greatest and a middle number of the values of a leaf that stands for many.
    pub(super) fn span(&self, leaf: u32) -> Option<(f64, f64, f64)> {
        let (_, low, high) = self.spans.as_ref()?[leaf as usize]?;
        let middle = f64::midpoint(low, high);
        Some((low, high, if middle.is_finite() { middle } else { 0.0 }))
    }

    /// The leaves that a label covers, the one for unseen values last.
    pub(super) fn of_label(&self, label: u32) -> Vec<u32> {
        let mut leaves: Vec<u32> = self.covers[label as usize].iter().cloned().flatten().collect();
        if self.unseen[label as usize] {
            leaves.push(UNSEEN);
        }
        leaves
    }
}

/// What an expression does with a column beyond comparing it with literals; it may be added up as it is.
pub(super) fn compares(
    scalar: &Scalar,
    column: usize,
    columns: &[velamen_sql::ColumnInfo],
    added_up: bool,
) -> bool {
    scalar.compares_only(column, columns) || (added_up && scalar.is_column())
}

/// Texts as numbers, if all are and none is a code with leading zeros.
pub(super) fn typed(texts: &[String]) -> ColumnValues {
    let shown = || texts.iter().filter(|text| *text != NULL);
    if shown().next().is_none() || !shown().all(|text| is_plain(text)) {
        return ColumnValues::Text(texts.iter().map(|text| present(text)).collect());
    }
    if shown().all(|text| text.parse::<i64>().is_ok()) {
        return ColumnValues::Whole(texts.iter().map(|text| text.parse().ok()).collect());
    }
    ColumnValues::Number(texts.iter().map(|text| number(text)).collect())
}

/// Whether a text is a number, and no code with leading zeros.
fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    !code && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && number(text).is_some()
}

fn present(text: &str) -> Option<String> {
    (text != NULL).then(|| text.to_owned())
}

/// The ranges of ascending places.
pub(super) fn ranges(places: impl Iterator<Item = usize>) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for place in places.map(|place| place as u32) {
        match ranges.last_mut().filter(|range| range.end == place) {
            Some(range) => range.end += 1,
            None => ranges.push(place..place + 1),
        }
    }
    ranges
}

//! Cells that look like missing values without being empty.
//!
//! The markers are those of a fixed list, so that naming one shows nothing of the data but that it occurs.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::written::missing::{CERTAIN, DOUBTFUL, NUMBERS};
use velamen_core::written::number;

use super::Cells;

/// A suspected marker.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Marker {
    /// The marker, one of a fixed list.
    pub marker: &'static str,
    /// The records that have it.
    pub records: u64,
    /// Whether it can hardly mean anything else.
    pub certain: bool,
}

/// The suspected markers of a column, most frequent first.
#[must_use]
pub fn markers(cells: Cells<'_>) -> Vec<Marker> {
    let mut markers: Vec<Marker> = texts(cells).chain(numbers(cells)).collect();
    // A column of nothing but markers is one of values.
    if markers.len() == cells.distinct() && markers.iter().all(|marker| !marker.certain) {
        markers.clear();
    }
    markers.sort_by(|a, b| b.records.cmp(&a.records).then(a.marker.cmp(b.marker)));
    markers
}

fn texts(cells: Cells<'_>) -> impl Iterator<Item = Marker> {
    cells.0.iter().filter_map(named)
}

fn named(&(value, records): &(&str, u64)) -> Option<Marker> {
    let listed = |list: &[&'static str]| list.iter().find(|marker| **marker == value).copied();
    let certain = listed(&CERTAIN).map(|marker| (marker, true));
    let (marker, certain) = certain.or_else(|| listed(&DOUBTFUL).map(|marker| (marker, false)))?;
    Some(Marker { marker, records, certain })
}

/// A number of the list that occurs more than once, at an end of the column, detached from the others: at
/// least as far away as the others reach, or the one negative number.
fn numbers(cells: Cells<'_>) -> impl Iterator<Item = Marker> {
    let listed = |value: &str| {
        NUMBERS.iter().find(|marker| {
            number::parse(value)
                .is_some_and(|found| number::parse(marker).is_some_and(|of| of.value == found.value))
        })
    };
    let found: Vec<(&'static str, f64, u64)> = cells
        .0
        .iter()
        .filter_map(|&(value, records)| Some((*listed(value)?, number::parse(value)?.value, records)))
        .collect();
    let others: Vec<f64> = cells
        .values()
        .filter(|value| listed(value).is_none())
        .filter_map(|value| number::parse(value).map(|number| number.value))
        .collect();
    let low = others.iter().copied().fold(f64::INFINITY, f64::min);
    let high = others.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let several = others.len() >= 3;
    found
        .into_iter()
        .filter(move |&(_, value, records)| {
            let above = value > high + (high - low).max(high.abs());
            let below = value < 0.0 && low >= 0.0;
            several && records >= 2 && (above || below)
        })
        .map(|(marker, _, records)| Marker { marker, records, certain: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[(&str, u64)]) -> Vec<(&'static str, u64, bool)> {
        markers(Cells(values)).into_iter().map(|m| (m.marker, m.records, m.certain)).collect()
    }

    #[test]
    fn markers_of_the_list_are_suspected() {
        assert_eq!(found(&[("1", 5), ("?", 2), ("NA", 3)]), [("NA", 3, true), ("?", 2, true)]);
        assert_eq!(found(&[("yes", 5), ("unknown", 2)]), [("unknown", 2, false)]);
        assert!(found(&[("none", 5), ("unknown", 2)]).is_empty());
    }

    #[test]
    fn numbers_are_suspected_where_they_stand_apart() {
        let glucose = [("80", 5), ("95", 4), ("130", 2), ("999", 6)];
        assert_eq!(found(&glucose), [("999", 6, false)]);
        assert_eq!(found(&[("0", 5), ("1", 4), ("3", 2), ("-9", 6)]), [("-9", 6, false)]);
        // Ages up to 99, and a scale to 9, are what they are.
        assert!(found(&[("20", 5), ("60", 4), ("90", 2), ("99", 2)]).is_empty());
        assert!(found(&[("5", 5), ("6", 4), ("7", 2), ("8", 2), ("9", 2)]).is_empty());
        assert!(found(&[("-20", 5), ("-9", 4), ("7", 2), ("8", 2), ("9", 2)]).is_empty());
        // One record is no habit.
        assert!(found(&[("80", 5), ("95", 4), ("130", 2), ("999", 1)]).is_empty());
    }
}

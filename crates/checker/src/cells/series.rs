//! Whether a release has the series of histograms that is stated: each time has its own or an earlier one's, and no more were drawn
//! than were paid for.

use std::collections::{BTreeMap, BTreeSet};

use velamen_contract::{HistogramSeries, Promises};

use crate::{View, labels};

/// The records of each combination of values but the time.
type Histogram<'a> = BTreeMap<Vec<&'a str>, u64>;

/// Checks the series.
pub(super) fn holds(series: &HistogramSeries, view: &View<'_>, promises: &Promises) -> bool {
    let Some(place) = promises.qis.iter().position(|qi| qi.name == series.time) else { return false };
    let (Some(attribute), Some(&column)) = (promises.qis.get(place), view.qis.get(place)) else {
        return false;
    };
    let times: Vec<String> = series.histograms.iter().map(|(time, _)| time.clone()).collect();
    let reader = labels::Reader::new(attribute);
    let whole = reader.of_cut(&times, &[]) && times.iter().all(|time| reader.at_level(time));
    let histograms = histograms(view, column);
    let none = Histogram::new();
    let of = |time: &str| histograms.get(time).unwrap_or(&none);
    let drawn: BTreeSet<&str> = series.histograms.iter().map(|(_, of)| of.as_str()).collect();
    whole
        && drawn.len() as u64 <= series.most
        && is_ordered(series)
        && series.histograms.iter().all(|(time, stands)| of(time) == of(stands))
}

/// A time has its own histogram or that of the time before.
fn is_ordered(series: &HistogramSeries) -> bool {
    let mut standing = None;
    series.histograms.iter().all(|(time, of)| {
        let holds = time == of || standing == Some(of);
        standing = Some(of);
        holds
    })
}

/// By time the counts of all classes and sensitive values.
fn histograms<'a>(view: &View<'a>, time: usize) -> BTreeMap<&'a str, Histogram<'a>> {
    let mut histograms: BTreeMap<&str, Histogram<'_>> = BTreeMap::new();
    let others =
        (0..view.published.table.columns.len()).filter(|&column| column != time && column != view.class);
    let others: Vec<usize> = others.collect();
    for (row, &count) in view.published.counts.iter().enumerate() {
        let values = others.iter().map(|&column| view.cell(column, row)).collect();
        let counted = histograms.entry(view.cell(time, row)).or_default().entry(values).or_default();
        *counted = counted.saturating_add(count);
    }
    histograms
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use velamen_contract::PromisedAttribute;

    use super::*;
    use crate::tests::released;
    use crate::{CLASS_ID, Published};

    /// Class id, year, disease and count.
    type Years = [(&'static str, &'static str, &'static str, u64)];

    const ROWS: &Years = &[
        ("1", "2019", "A", 5),
        ("1", "2019", "B", 2),
        ("2", "2020", "A", 5),
        ("2", "2020", "B", 2),
        ("3", "2021", "A", 9),
    ];

    fn checked(rows: &Years, most: u64, histograms: &[(&str, &str)]) -> bool {
        let cells: Vec<([&str; 3], u64)> = rows.iter().map(|row| ([row.0, row.1, row.2], row.3)).collect();
        let rows: Vec<(&[&str], u64)> = cells.iter().map(|(cells, count)| (&cells[..], *count)).collect();
        let (table, counts) = released(&[CLASS_ID, "year", "disease"], &rows);
        let published = Published { table: &table, counts: &counts, people: None };
        let view = View::new(&published, 0, vec![1]);
        let hierarchy = r#"{ "rows": [["2019", "*"], ["2020", "*"], ["2021", "*"]] }"#;
        let attribute = PromisedAttribute {
            name: "year".into(),
            level: Some(0),
            hierarchy: serde_json::from_str(hierarchy).unwrap(),
            ..Default::default()
        };
        let text = |(time, of): &(&str, &str)| ((*time).to_owned(), (*of).to_owned());
        let histograms = histograms.iter().map(text).collect();
        let series = HistogramSeries { time: "year".into(), most, histograms };
        holds(&series, &view, &Promises { qis: vec![attribute], ..Promises::default() })
    }

    #[test]
    fn a_repeated_histogram_is_that_of_the_time_before() {
        let stated = [("2019", "2019"), ("2020", "2019"), ("2021", "2021")];
        assert!(checked(ROWS, 2, &stated) && checked(ROWS, 5, &stated));
        assert!(!checked(ROWS, 1, &stated), "more than were paid for");
        let other = [ROWS, &[("2", "2020", "C", 1)]].concat();
        assert!(!checked(&other, 2, &stated), "2020 has a value that 2019 has not");
        assert!(!checked(ROWS, 3, &[("2019", "2019"), ("2020", "2019"), ("2021", "2019")]));
        assert!(!checked(ROWS, 3, &stated[..2]), "a time without a histogram");
        assert!(!checked(ROWS, 3, &[("2019", "2019"), ("2020", "2019"), ("2021", "2021"), ("2022", "2021")]));
        assert!(
            !checked(ROWS, 3, &[("2019", "2020"), ("2020", "2020"), ("2021", "2021")]),
            "of a later time"
        );
        let back = [ROWS, &[("3", "2021", "A", 0)]].concat();
        assert!(!checked(&back, 3, &[("2019", "2019"), ("2020", "2020"), ("2021", "2019")]));
    }
}

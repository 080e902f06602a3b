//! Records as rows of numbers.

use velamen_measure::fidelity::Cover;

use crate::compare::bins::Bins;
use crate::compare::sides::{ORIGINAL, Sides};

/// An attribute that is no number has at most so many columns.
const COLUMNS: usize = 32;
/// Numbers have so many bins where they are counted.
const NUMBER_BINS: usize = 10;
/// What a whole record counts in a row of counts.
const WHOLE: f64 = 1000.0;

/// How attributes become columns: found on the original, the same for both tables.
pub(super) struct Features {
    columns: Vec<Columns>,
}

struct Columns {
    attribute: usize,
    /// Mean and standard deviation, of numbers.
    scale: Option<(f64, f64)>,
    bins: Bins,
}

/// A record's row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Numbers standardized, each other leaf a column with the share of the value that it is.
    pub(super) numbers: Vec<f64>,
    /// Every bin a column, numbers too; what a record's value is spread over adds up to [`WHOLE`].
    pub(super) counts: Vec<u32>,
}

impl Features {
    /// All attributes but the target.
    pub(super) fn new(sides: &Sides, target: usize) -> Self {
        let columns = (0..sides.attributes.len()).filter(|&a| a != target).map(|attribute| {
            let numeric = sides.attributes[attribute].space.numbers() > 0;
            let bins = Bins::new(sides, attribute, if numeric { NUMBER_BINS } else { COLUMNS });
            Columns { attribute, scale: numeric.then(|| scale(sides, attribute)), bins }
        });
        Self { columns: columns.collect() }
    }

    /// The rows of some combinations of a table.
    pub(super) fn rows(&self, sides: &Sides, side: usize, entries: &[usize]) -> Vec<Row> {
        let cells: Vec<Vec<Row>> = self.columns.iter().map(|columns| columns.cells(sides, side)).collect();
        let row = |&entry: &usize| {
            let mut row = Row { numbers: Vec::new(), counts: Vec::new() };
            for (columns, cells) in self.columns.iter().zip(&cells) {
                let cell = &cells[sides.tables[side].codes[columns.attribute][entry] as usize];
                row.numbers.extend(&cell.numbers);
                row.counts.extend(&cell.counts);
            }
            row
        };
        entries.iter().map(row).collect()
    }
}

impl Columns {
    /// By code, an attribute's part of the row.
    fn cells(&self, sides: &Sides, side: usize) -> Vec<Row> {
        let attribute = &sides.attributes[self.attribute];
        let cell = |cover: &Cover| {
            let mut shares = vec![0.0; self.bins.len];
            for (bin, share) in self.bins.shares(cover) {
                shares[bin] = share;
            }
            let counts = shares.iter().map(|share| (share * WHOLE).round() as u32).collect();
            let numbers = match self.scale {
                None => shares,
                Some((mean, deviation)) => {
                    let missing = attribute.space.missing();
                    let missing =
                        missing.map(|place| cover.share(&[velamen_measure::fidelity::Run::point(place)]));
                    // A missing number stands where the mean is, beside the column that tells it.
                    let value = attribute.space.mean(cover).map_or(0.0, |value| (value - mean) / deviation);
                    std::iter::once(value).chain(missing).collect()
                }
            };
            Row { numbers, counts }
        };
        attribute.covers[side].iter().map(cell).collect()
    }
}

/// The mean and the standard deviation of the original's numbers.
fn scale(sides: &Sides, a: usize) -> (f64, f64) {
    let attribute = &sides.attributes[a];
    let covers = &attribute.covers[ORIGINAL];
    let counts = sides.tables[ORIGINAL].marginal(a, covers.len());
    let values = || covers.iter().zip(&counts).filter_map(|(c, n)| Some((attribute.space.mean(c)?, n)));
    let records: f64 = values().map(|(_, n)| n).sum();
    if records <= 0.0 {
        // Every number is missing.
        return (0.0, 1.0);
    }
    let mean = values().map(|(value, n)| value * n).sum::<f64>() / records;
    let variance = values().map(|(value, n)| (value - mean).powi(2) * n).sum::<f64>() / records;
    (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
}

/// A row of counts with every value in one bin.
pub(super) fn whole(counts: &[u32]) -> Vec<u32> {
    counts.iter().map(|&count| u32::from(f64::from(count) > WHOLE / 2.0)).collect()
}

/// The smoothing that adds one record to every count.
pub(super) const SMOOTHING: f64 = WHOLE;

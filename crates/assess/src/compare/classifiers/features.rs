//! Records as rows of numbers.

use velamen_measure::fidelity::Cover;

use crate::compare::bins::Bins;
use crate::compare::sides::{Attribute, ORIGINAL, Sides};

/// An attribute that is no number has at most so many columns.
const COLUMNS: usize = 32;
/// Numbers have so many bins where they are counted.
const NUMBER_BINS: usize = 10;
/// What a whole record counts in a row of counts.
const WHOLE: f64 = 1000.0;

/// How attributes become columns: found on the original, the same for both tables.
pub(super) struct Features {
    columns: Vec<FeatureColumns>,
}

struct FeatureColumns {
    attribute: usize,
    /// Mean and standard deviation, of numbers.
    scale: Option<(f64, f64)>,
    bins: Bins,
}

/// A record's row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FeatureRow {
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
            FeatureColumns { attribute, scale: numeric.then(|| scale(sides, attribute)), bins }
        });
        Self { columns: columns.collect() }
    }

    /// The rows of some combinations of a table.
    pub(super) fn rows(&self, sides: &Sides, side: usize, entries: &[usize]) -> Vec<FeatureRow> {
        let cells: Vec<Vec<FeatureRow>> =
            self.columns.iter().map(|columns| columns.cells(sides, side)).collect();
        entries.iter().map(|entry| self.row(&sides.tables[side].codes, &cells, *entry)).collect()
    }

    /// The parts of a row one after the other, from the cells of each attribute by its code.
    fn row(&self, codes: &[Vec<u32>], cells: &[Vec<FeatureRow>], entry: usize) -> FeatureRow {
        let mut row = FeatureRow { numbers: Vec::new(), counts: Vec::new() };
        for (columns, cells) in self.columns.iter().zip(cells) {
            let cell = &cells[codes[columns.attribute][entry] as usize];
            row.numbers.extend(&cell.numbers);
            row.counts.extend(&cell.counts);
        }
        row
    }
}

impl FeatureColumns {
    /// By code, an attribute's part of the row.
    fn cells(&self, sides: &Sides, side: usize) -> Vec<FeatureRow> {
        let attribute = &sides.attributes[self.attribute];
        attribute.covers[side].iter().map(|cover| self.cell(attribute, cover)).collect()
    }

    /// The part of the row that a label is, from what it covers.
    fn cell(&self, attribute: &Attribute, cover: &Cover) -> FeatureRow {
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
        FeatureRow { numbers, counts }
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

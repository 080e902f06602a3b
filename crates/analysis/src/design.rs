//! Records as columns of numbers, and the columns of a regression on one scale.

use crate::estimate::NotEstimable;
use crate::matrix::Symmetric;

/// A column of a regression: its name and its number of each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// As estimates call it.
    pub name: String,
    /// By row.
    pub values: Vec<f64>,
}

/// How many records each row stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// Equal records by row.
    pub counts: Vec<f64>,
    /// What one of them weighs: 1, or the probability that it is real.
    pub weights: Vec<f64>,
}

impl Records {
    /// One record of weight 1 by row.
    #[must_use]
    pub fn single(rows: usize) -> Self {
        Self { counts: vec![1.0; rows], weights: vec![1.0; rows] }
    }

    /// The records of a row, each by its weight.
    pub(crate) fn mass(&self, row: usize) -> f64 {
        self.counts[row] * self.weights[row]
    }

    /// All records by their weight.
    #[must_use]
    pub fn total(&self) -> f64 {
        (0..self.counts.len()).map(|row| self.mass(row)).sum()
    }
}

/// Columns with mean 0 and deviation 1, so that normal equations lose no digits.
pub(crate) struct Standardized {
    /// By row, the intercept first where there is one.
    pub(crate) rows: Vec<Vec<f64>>,
    means: Vec<f64>,
    deviations: Vec<f64>,
    intercept: bool,
}

impl Standardized {
    pub(crate) fn new(columns: &[Column], records: &Records, intercept: bool) -> Result<Self, NotEstimable> {
        let total = records.total();
        if total <= 0.0 {
            return Err(NotEstimable::NoRecords);
        }
        let moments: Vec<(f64, f64)> = columns.iter().map(|column| moments(column, records, total)).collect();
        Ok(Self {
            rows: (0..records.counts.len()).map(|row| scaled(columns, &moments, row, intercept)).collect(),
            means: moments.iter().map(|(mean, _)| *mean).collect(),
            deviations: moments.iter().map(|(_, deviation)| *deviation).collect(),
            intercept,
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.means.len() + usize::from(self.intercept)
    }

    /// Coefficients and their variances on the columns' own scale; the intercept first where there is one.
    pub(crate) fn unscaled(&self, beta: &[f64], covariance: &Symmetric) -> Vec<(f64, f64)> {
        let first = usize::from(self.intercept);
        let scale = |c: usize| if self.deviations[c] > 0.0 { self.deviations[c] } else { 1.0 };
        let slopes = (0..self.means.len())
            .map(|c| (beta[first + c] / scale(c), covariance.at(first + c, first + c) / scale(c).powi(2)));
        if !self.intercept {
            return slopes.collect();
        }
        // The intercept at 0 is that at the means less Σ mean / deviation · slope.
        let at_zero: Vec<f64> =
            std::iter::once(1.0).chain((0..self.means.len()).map(|c| -self.means[c] / scale(c))).collect();
        let value = at_zero.iter().zip(beta).map(|(a, b)| a * b).sum();
        let variance = covariance.times(&at_zero).iter().zip(&at_zero).map(|(a, b)| a * b).sum();
        std::iter::once((value, variance)).chain(slopes).collect()
    }
}

/// A row of columns with mean 0 and deviation 1, after that of the intercept.
fn scaled(columns: &[Column], moments: &[(f64, f64)], row: usize, intercept: bool) -> Vec<f64> {
    let values = columns.iter().zip(moments).map(|(column, (mean, deviation))| {
        (column.values[row] - mean) / if *deviation > 0.0 { *deviation } else { 1.0 }
    });
    intercept.then_some(1.0).into_iter().chain(values).collect()
}

/// Mean and deviation of a column; a deviation within rounding of the mean is none.
fn moments(column: &Column, records: &Records, total: f64) -> (f64, f64) {
    let rows = 0..column.values.len();
    let mean = rows.clone().map(|row| records.mass(row) * column.values[row]).sum::<f64>() / total;
    let square = |row: usize| records.mass(row) * (column.values[row] - mean).powi(2);
    let deviation = (rows.map(square).sum::<f64>() / total).sqrt();
    (mean, if deviation > 1e-12 * mean.abs() { deviation } else { 0.0 })
}

/// The name of the coefficient that stands before those of the columns: it has a value, and is no effect of anything.
pub const INTERCEPT: &str = "(intercept)";

/// The names of coefficients.
pub(crate) fn named(columns: &[Column], intercept: bool) -> Vec<String> {
    let first = intercept.then(|| INTERCEPT.to_owned());
    first.into_iter().chain(columns.iter().map(|column| column.name.clone())).collect()
}

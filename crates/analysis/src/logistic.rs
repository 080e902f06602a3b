//! Logistic regression by iteratively reweighted least squares.

use crate::design::{Column, Records, Standardized, named};
use crate::estimate::{NotEstimable, Scale};
use crate::linear::{Coefficients, coefficients, dot};
use crate::matrix::Symmetric;

/// Iterations before a fit counts as without end.
const ITERATIONS: u32 = 60;
/// On columns of deviation 1 a coefficient beyond this separates the outcome.
const SEPARATED: f64 = 100.0;

/// The odds of the outcome, whose values are 0, 1 or shares between them.
///
/// # Errors
/// [`NotEstimable`] where the outcome does not vary or columns separate it.
pub fn logistic(
    outcome: &[f64],
    columns: &[Column],
    records: &Records,
) -> Result<Coefficients, NotEstimable> {
    let design = Standardized::new(columns, records, true)?;
    let total = records.total();
    let hits: f64 = (0..outcome.len()).map(|row| records.mass(row) * outcome[row]).sum();
    if hits <= 0.0 || hits >= total {
        return Err(NotEstimable::Constant);
    }
    let mut beta = vec![0.0; design.width()];
    beta[0] = (hits / (total - hits)).ln();
    let mut distinct = usize::MAX;
    for _ in 0..ITERATIONS {
        let (information, score) = step(&design, outcome, records, &beta);
        let (inverse, kept) = information.inverse();
        // Columns that follow from others show at once; one that is lost later is where the outcome no longer varies.
        let now = kept.iter().filter(|kept| **kept).count();
        if now < distinct && distinct != usize::MAX {
            return Err(NotEstimable::Separated);
        }
        distinct = now;
        let change = inverse.times(&score);
        for (value, change) in beta.iter_mut().zip(&change) {
            *value += change;
        }
        if !beta.iter().all(|value| value.abs() < SEPARATED) {
            return Err(NotEstimable::Separated);
        }
        if change.iter().all(|change| change.abs() < 1e-11) {
            let unscaled = design.unscaled(&beta, &inverse);
            let names = named(columns, true);
            return Ok(coefficients(&names, &unscaled, &kept, (f64::INFINITY, total, Scale::Ratio)));
        }
    }
    Err(NotEstimable::Separated)
}

/// The information and the score at some coefficients.
fn step(design: &Standardized, outcome: &[f64], records: &Records, beta: &[f64]) -> (Symmetric, Vec<f64>) {
    let mut information = Symmetric::zero(design.width());
    let mut score = vec![0.0; design.width()];
    for (row, x) in design.rows.iter().enumerate() {
        let mass = records.mass(row);
        let p = 1.0 / (1.0 + (-dot(x, beta)).exp());
        information.add_outer(x, mass * p * (1.0 - p));
        for (sum, value) in score.iter_mut().zip(x) {
            *sum += mass * value * (outcome[row] - p);
        }
    }
    information.mirror();
    (information, score)
}

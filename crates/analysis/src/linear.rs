//! Linear regression by least squares.

use crate::design::{Column, Records, Standardized, named};
use crate::estimate::{Estimate, NotEstimable, Scale};
use crate::groups::is_constant;
use crate::matrix::Symmetric;

/// A regression's coefficients by name; one that follows from earlier ones is not estimable.
pub(crate) type Coefficients = Vec<(String, Result<Estimate, NotEstimable>)>;

/// Least squares with an intercept; rows count as often as their records do.
///
/// # Errors
/// [`NotEstimable`] with no more records than coefficients, or with an outcome of one value.
pub fn linear(outcome: &[f64], columns: &[Column], records: &Records) -> Result<Coefficients, NotEstimable> {
    let design = Standardized::new(columns, records, true)?;
    if is_constant(outcome, records) {
        return Err(NotEstimable::Constant);
    }
    let (normal, right) = normal_equations(&design, outcome, records);
    let (mut inverse, kept) = normal.inverse();
    let beta = inverse.times(&right);
    let total = records.total();
    let df = total - kept.iter().filter(|kept| **kept).count() as f64;
    if df <= 0.0 {
        return Err(NotEstimable::TooFew);
    }
    let residual = |row: usize| outcome[row] - dot(&design.rows[row], &beta);
    let squares: f64 = (0..outcome.len()).map(|row| records.mass(row) * residual(row).powi(2)).sum();
    scaled(&mut inverse, squares / df);
    let unscaled = design.unscaled(&beta, &inverse);
    Ok(coefficients(&named(columns, true), &unscaled, &kept, (df, total, Scale::Effect)))
}

fn normal_equations(design: &Standardized, outcome: &[f64], records: &Records) -> (Symmetric, Vec<f64>) {
    let mut normal = Symmetric::zero(design.width());
    let mut right = vec![0.0; design.width()];
    for (row, x) in design.rows.iter().enumerate() {
        let mass = records.mass(row);
        normal.add_outer(x, mass);
        for (sum, value) in right.iter_mut().zip(x) {
            *sum += mass * value * outcome[row];
        }
    }
    normal.mirror();
    (normal, right)
}

fn scaled(matrix: &mut Symmetric, factor: f64) {
    for row in 0..matrix.size {
        for column in 0..matrix.size {
            matrix.set(row, column, matrix.at(row, column) * factor);
        }
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Estimates of a regression: values with variances, degrees of freedom, records and scale.
pub(crate) fn coefficients(
    names: &[String],
    values: &[(f64, f64)],
    kept: &[bool],
    (df, records, scale): (f64, f64, Scale),
) -> Coefficients {
    let each = names.iter().zip(values).zip(kept).map(|((name, (value, variance)), kept)| {
        let estimate = Estimate::new(*value, variance.max(0.0), df, records, scale);
        (name.clone(), kept.then_some(estimate).ok_or(NotEstimable::Aliased))
    });
    each.collect()
}

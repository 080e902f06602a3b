//! Means, proportions and what two groups differ in.

use crate::design::Records;
use crate::estimate::{Estimate, NotEstimable, Scale};

/// A mean with the interval of Student's t.
///
/// # Errors
/// [`NotEstimable`] below two records.
pub fn mean(values: &[f64], records: &Records) -> Result<Estimate, NotEstimable> {
    let (mean, variance, n) = moments(values, records)?;
    Ok(Estimate::new(mean, variance / n, n - 1.0, n, Scale::Level))
}

/// Whether the records that count have one value, so that whatever sums make of it is rounding.
pub(crate) fn is_constant(values: &[f64], records: &Records) -> bool {
    let mut counted = (0..values.len()).filter(|row| records.mass(*row) > 0.0).map(|row| values[row]);
    let first = counted.next();
    counted.all(|value| Some(value) == first)
}

/// Mean, variance with n − 1, and records.
fn moments(values: &[f64], records: &Records) -> Result<(f64, f64, f64), NotEstimable> {
    let n = records.total();
    if n <= 0.0 {
        return Err(NotEstimable::NoRecords);
    }
    if n <= 1.0 {
        return Err(NotEstimable::TooFew);
    }
    if is_constant(values, records) {
        let value = (0..values.len()).find(|row| records.mass(*row) > 0.0).map_or(0.0, |row| values[row]);
        return Ok((value, 0.0, n));
    }
    let mean = (0..values.len()).map(|row| records.mass(row) * values[row]).sum::<f64>() / n;
    let square = |row: usize| records.mass(row) * (values[row] - mean).powi(2);
    Ok((mean, (0..values.len()).map(square).sum::<f64>() / (n - 1.0), n))
}

/// A proportion with Wilson's interval; `hits` are shares from 0 to 1.
///
/// # Errors
/// [`NotEstimable`] without records.
pub fn proportion(hits: &[f64], records: &Records) -> Result<Estimate, NotEstimable> {
    let n = records.total();
    if n <= 0.0 {
        return Err(NotEstimable::NoRecords);
    }
    let sum: f64 = (0..hits.len()).map(|row| records.mass(row) * hits[row]).sum();
    // Sums of shares miss 1 by their rounding.
    let p = (sum / n).clamp(0.0, 1.0);
    Ok(Estimate::new(p, p * (1.0 - p) / n, f64::INFINITY, n, Scale::Proportion))
}

/// Second mean − first mean, by Welch.
///
/// # Errors
/// [`NotEstimable`] below two records of a group.
pub fn difference_of_means(values: &[f64], groups: [&Records; 2]) -> Result<Estimate, NotEstimable> {
    let (a, of_a, n) = moments(values, groups[0])?;
    let (b, of_b, m) = moments(values, groups[1])?;
    let (u, v) = (of_a / n, of_b / m);
    let df = (u + v).powi(2) / (u * u / (n - 1.0) + v * v / (m - 1.0));
    let df = if df.is_finite() { df } else { n + m - 2.0 };
    Ok(Estimate::new(b - a, u + v, df, n + m, Scale::Effect))
}

/// Second proportion − first proportion, with Wald's interval.
///
/// # Errors
/// [`NotEstimable`] without records of a group.
pub fn difference_of_proportions(hits: &[f64], groups: [&Records; 2]) -> Result<Estimate, NotEstimable> {
    let (a, b) = (proportion(hits, groups[0])?, proportion(hits, groups[1])?);
    let (value, variance) = (b.value - a.value, a.variance + b.variance);
    Ok(Estimate::new(value, variance, f64::INFINITY, a.records + b.records, Scale::Effect))
}

/// The odds of a hit in the second group against those in the first, with Woolf's interval.
///
/// # Errors
/// [`NotEstimable`] without records of a group, or with an empty cell.
pub fn odds_ratio(hits: &[f64], groups: [&Records; 2]) -> Result<Estimate, NotEstimable> {
    let (a, b) = (proportion(hits, groups[0])?, proportion(hits, groups[1])?);
    let cells =
        [b.value * b.records, (1.0 - b.value) * b.records, a.value * a.records, (1.0 - a.value) * a.records];
    if cells.iter().any(|cell| *cell <= 0.0) {
        return Err(NotEstimable::Separated);
    }
    let value = (cells[0] * cells[3] / (cells[1] * cells[2])).ln();
    let variance = cells.iter().map(|cell| 1.0 / cell).sum();
    Ok(Estimate::new(value, variance, f64::INFINITY, a.records + b.records, Scale::Ratio))
}

/// Pearson's correlation: interval by Fisher's z, test by Student's t.
///
/// # Errors
/// [`NotEstimable`] below four records, or where a column does not vary.
pub fn correlation(x: &[f64], y: &[f64], records: &Records) -> Result<Estimate, NotEstimable> {
    let (mean_x, of_x, n) = moments(x, records)?;
    let (mean_y, of_y, _) = moments(y, records)?;
    if n <= 3.0 {
        return Err(NotEstimable::TooFew);
    }
    if of_x <= 0.0 || of_y <= 0.0 {
        return Err(NotEstimable::Unvarying);
    }
    let product = |row: usize| records.mass(row) * (x[row] - mean_x) * (y[row] - mean_y);
    let r = (0..x.len()).map(product).sum::<f64>() / (n - 1.0) / (of_x * of_y).sqrt();
    // A correlation of 1 has no z.
    let z = r.clamp(-1.0 + f64::EPSILON, 1.0 - f64::EPSILON).atanh();
    let estimate = Estimate::new(z, 1.0 / (n - 3.0), f64::INFINITY, n, Scale::Correlation);
    Ok(Estimate { test_df: Some(n - 2.0), ..estimate })
}

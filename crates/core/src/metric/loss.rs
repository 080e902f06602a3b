//! Loss (LM, full leaf share, geometric mean).
//!
//! # Definition
//! Per attribute v = (S − N/M) / (N − N/M) with S = Σ over records of the share of the domain that
//! the cell covers (1 where suppressed); over the m attributes (Π (v + 1))^(1/m) − 1. Range 0 to 1,
//! less is better, monotone. An attribute whose domain has one value counts 0.
//!
//! # References
//! Iyengar 2002, "Transforming data to satisfy privacy constraints".

use super::{CellMetric, Domains};

/// The loss metric.
pub const LOSS: CellMetric = CellMetric {
    name: "loss",
    summary: "share of each attribute's domain that a released cell covers, geometric mean over attributes",
    cell: |hierarchy, level, code| hierarchy.share(level, code),
    aggregate,
};

fn aggregate(sums: &[f64], domains: &Domains) -> f64 {
    let factor = |(sum, leaves): (&f64, &f64)| {
        let least = domains.records / leaves;
        let range = domains.records - least;
        1.0 + if range > 0.0 { (sum - least) / range } else { 0.0 }
    };
    let product: f64 = sums.iter().zip(&domains.leaves).map(factor).product();
    product.powf(1.0 / sums.len() as f64) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_generalized_is_0_and_everything_is_1() {
        let domains = Domains { records: 8.0, leaves: vec![4.0, 2.0] };
        assert_eq!(aggregate(&[2.0, 4.0], &domains), 0.0);
        assert_eq!(aggregate(&[8.0, 8.0], &domains), 1.0);
        // v = (1, 0): √2 − 1.
        assert!((aggregate(&[8.0, 4.0], &domains) - (2f64.sqrt() - 1.0)).abs() < 1e-15);
    }
}

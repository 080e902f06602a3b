//! LM as Lee 2017 uses it.
//!
//! # Definition
//! The mean over all quasi-identifier cells of the degree of generalization D (1 where suppressed).
//! Range 0 to 1, less is better, monotone.
//!
//! # References
//! Lee et al. 2017, BMC Med Inform Decis Mak 17:104; Iyengar 2002.

use super::{CellMetric, Domains};

/// Iyengar's LM over degrees of generalization.
pub const LM: CellMetric = CellMetric {
    name: "lm",
    summary: "mean degree of generalization of all quasi-identifier cells",
    cell: |hierarchy, level, code| hierarchy.degree(level, code),
    aggregate,
};

fn aggregate(sums: &[f64], domains: &Domains) -> f64 {
    sums.iter().sum::<f64>() / (domains.records * sums.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_mean_degree() {
        // Lee 2017, Table 5: four records of degrees 2/99, 0, 990/99999 and four of 6/99, 0, 225/99999.
        let (age, zip) = (4.0 * 2.0 / 99.0 + 4.0 * 5.0 / 99.0, 4.0 * (990.0 + 225.0) / 99_999.0);
        let domains = Domains { records: 8.0, leaves: vec![100.0, 2.0, 100_000.0] };
        let expected =
            (4.0 * (2.0 / 99.0 + 990.0 / 99_999.0) / 3.0 + 4.0 * (5.0 / 99.0 + 225.0 / 99_999.0) / 3.0) / 8.0;
        assert!((aggregate(&[age, 0.0, zip], &domains) - expected).abs() < 1e-15);
    }
}

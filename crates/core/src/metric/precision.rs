//! Precision (Prec, as a loss).
//!
//! # Definition
//! The mean over all quasi-identifier cells of level / height (1 where suppressed). Range 0 to 1,
//! less is better, monotone.
//!
//! # References
//! Sweeney 2002, "Achieving k-anonymity privacy protection using generalization and suppression".

use super::{CellMetric, Domains};
use crate::hierarchy::Hierarchy;

/// Levels climbed, as a share of the hierarchy's height.
pub const PRECISION: CellMetric =
    CellMetric { name: "precision", summary: "mean share of the hierarchy climbed", cell, aggregate };

fn cell(hierarchy: &Hierarchy, level: u8, _code: u32) -> f64 {
    if hierarchy.top() == 0 { 0.0 } else { f64::from(level) / f64::from(hierarchy.top()) }
}

fn aggregate(sums: &[f64], domains: &Domains) -> f64 {
    sums.iter().sum::<f64>() / (domains.records * sums.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Rule;

    #[test]
    fn counts_levels_not_leaves() {
        let (_, hierarchy) = Rule::Flat.over(vec!["a".into(), "b".into(), "c".into()], false);
        assert_eq!((cell(&hierarchy, 0, 2), cell(&hierarchy, 1, 0)), (0.0, 1.0));
    }
}

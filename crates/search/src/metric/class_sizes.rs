//! What the metrics of class sizes know before grouping: how many classes a node has at most.

use velamen_core::frequency::Counted;
use velamen_core::lattice::Node;

/// The most classes that a node can have.
#[derive(Debug)]
pub(super) struct MostClasses {
    pub(super) records: f64,
    distinct: f64,
    /// Per attribute and level, how many values occur.
    widths: Vec<Vec<f64>>,
}

impl MostClasses {
    pub(super) fn new(table: &Counted<'_>) -> Self {
        let widths = |qi: &velamen_core::frequency::QuasiIdentifier| {
            (0..=qi.hierarchy.top()).map(|level| qi.hierarchy.width(level) as f64).collect()
        };
        Self {
            records: table.records() as f64,
            distinct: table.len() as f64,
            widths: table.qis.iter().map(widths).collect(),
        }
    }

    /// min(distinct combinations, Π values at the levels).
    pub(super) fn at(&self, node: &Node) -> f64 {
        let product: f64 =
            node.0.iter().zip(&self.widths).map(|(&level, widths)| widths[usize::from(level)]).product();
        product.min(self.distinct)
    }
}

/// Σ c².
pub(super) fn squares(sizes: &[u64]) -> f64 {
    sizes.iter().map(|&size| (size as f64).powi(2)).sum()
}

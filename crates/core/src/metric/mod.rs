//! Utility metrics, one file each, found by name in [`REGISTRY`].
//!
//! The metrics here sum a figure over the cells of the table ([`CellMetric`]); a suppressed
//! record's cells count 1. They can steer the search, because a node's figure without suppression
//! needs only the marginal counts and bounds its figure with suppression from below.

mod lm;
mod loss;
mod precision;
pub mod rce;
pub mod released;

pub use lm::LM;
pub use loss::LOSS;
pub use precision::PRECISION;

use crate::frequency::FrequencyTable;
use crate::hierarchy::Hierarchy;
use crate::lattice::Node;

/// How a domain looks to a metric: what an aggregate may divide by.
#[derive(Debug, Clone)]
pub struct Domains {
    /// N: all records of the input, suppressed ones included.
    pub records: f64,
    /// Per attribute M, the leaves of the domain.
    pub leaves: Vec<f64>,
}

/// A metric that sums a figure over cells.
///
/// Laws: `cell` never falls from a value to its ancestor and lies in 0 … 1; `aggregate` never falls
/// when a sum rises.
#[derive(Clone, Copy)]
pub struct CellMetric {
    /// The name in `metric = "…"`.
    pub name: &'static str,
    /// One sentence for reports.
    pub summary: &'static str,
    /// The figure of one cell: hierarchy, level, code.
    pub cell: fn(&Hierarchy, u8, u32) -> f64,
    /// From the sums per attribute to the table's figure.
    pub aggregate: fn(&[f64], &Domains) -> f64,
}

impl std::fmt::Debug for CellMetric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every metric that a search can minimise, by name.
pub const REGISTRY: &[CellMetric] = &[LOSS, LM, PRECISION];

/// The metric of that name.
#[must_use]
pub fn find(name: &str) -> Option<CellMetric> {
    REGISTRY.iter().find(|metric| metric.name == name).copied()
}

/// A metric over one table: sums per attribute and level, ready for any node.
#[derive(Debug)]
pub struct Figures {
    metric: CellMetric,
    domains: Domains,
    /// Per attribute and level: Σ over all records of their cells' figure.
    sums: Vec<Vec<f64>>,
    /// Per attribute, level and code: the figure of one cell.
    cells: Vec<Vec<Vec<f64>>>,
}

impl Figures {
    /// Prepares a metric for a table. Time: O(attributes · levels · leaves).
    #[must_use]
    pub fn new(metric: CellMetric, table: &FrequencyTable) -> Self {
        let domains = Domains {
            records: table.records() as f64,
            leaves: table.qis.iter().map(|qi| qi.hierarchy.domain() as f64).collect(),
        };
        let cells: Vec<Vec<Vec<f64>>> = table
            .qis
            .iter()
            .map(|qi| {
                let h = &qi.hierarchy;
                (0..=h.top())
                    .map(|l| (0..h.width(l) as u32).map(|c| (metric.cell)(h, l, c)).collect())
                    .collect()
            })
            .collect();
        let sums = (0..table.qis.len()).map(|q| level_sums(table, q, &cells[q])).collect();
        Self { metric, domains, sums, cells }
    }

    /// The figure of one cell.
    #[must_use]
    pub fn cell(&self, qi: usize, level: u8, code: u32) -> f64 {
        self.cells[qi][usize::from(level)][code as usize]
    }

    /// The node's figure if no record is suppressed; a lower bound of its figure if some are.
    #[must_use]
    pub fn without_suppression(&self, node: &Node) -> f64 {
        self.with_extra(node, &vec![0.0; node.0.len()])
    }

    /// The node's figure when suppression adds `extra` to each attribute's sum.
    #[must_use]
    pub fn with_extra(&self, node: &Node, extra: &[f64]) -> f64 {
        let sums: Vec<f64> =
            (0..extra.len()).map(|q| self.sums[q][usize::from(node.0[q])] + extra[q]).collect();
        (self.metric.aggregate)(&sums, &self.domains)
    }
}

fn level_sums(table: &FrequencyTable, qi: usize, cells: &[Vec<f64>]) -> Vec<f64> {
    let hierarchy = &table.qis[qi].hierarchy;
    let marginal = table.marginal(qi);
    let sum = |level: u8| {
        let cells = &cells[usize::from(level)];
        (0u32..).zip(&marginal).map(|(leaf, &n)| n as f64 * cells[hierarchy.code(level, leaf) as usize]).sum()
    };
    (0..=hierarchy.top()).map(sum).collect()
}

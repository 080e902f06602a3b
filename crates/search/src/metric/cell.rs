//! Metrics that sum a figure over the cells of the table.

use velamen_core::frequency::Counted;
use velamen_core::hierarchy::{Cell, Hierarchy};
use velamen_core::lattice::Node;

use super::{
    Aggregate, Bag, Metric, MetricOptions, Needs, Outcome, Recoded, Score, by_record, combine,
    generalization_factor, scaled_weights, suppression_factor,
};

/// A metric that sums a figure over cells.
///
/// Laws: `cell` never falls from a value to its ancestor; `normalise` never falls when the sum rises, and is affine in it.
#[derive(Clone, Copy)]
pub struct CellMetric {
    /// The name in `metric = "…"`.
    pub name: &'static str,
    /// One sentence for help.
    pub summary: &'static str,
    /// The figure of one cell.
    pub cell: fn(&Cell) -> f64,
    /// The figure of one suppressed cell.
    pub suppressed: fn(&Cell) -> f64,
    /// From an attribute's sum to its figure: sum, N, M, generalization factor.
    pub normalise: fn(f64, f64, f64, f64) -> f64,
    /// How attributes are put together where nothing is asked.
    pub aggregate: Aggregate,
    /// Whether `monotone` leaves out what suppression adds.
    pub can_ignore_suppression: bool,
}

impl std::fmt::Debug for CellMetric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A cell metric over one table: sums per attribute and level, ready for any node.
#[derive(Debug)]
pub struct CellFigures {
    metric: CellMetric,
    aggregate: Aggregate,
    weights: Vec<f64>,
    kept_factor: f64,
    suppressed_factor: f64,
    ignore_suppression: bool,
    records: f64,
    /// Per attribute M.
    domains: Vec<f64>,
    /// Per attribute and level: Σ over all records of their cells' figure, as if all were kept.
    sums: Vec<Vec<f64>>,
    /// Per attribute, level and code: what a suppressed record adds to that sum.
    extras: Vec<Vec<Vec<f64>>>,
}

impl CellFigures {
    /// Prepares a metric for a table. Time: O(attributes · levels · leaves).
    #[must_use]
    pub fn new(metric: CellMetric, table: &Counted<'_>, options: &MetricOptions) -> Self {
        let qis = table.qis.len();
        let mut figures = Self {
            metric,
            aggregate: options.aggregate.unwrap_or(metric.aggregate),
            weights: scaled_weights(options, qis),
            kept_factor: generalization_factor(options),
            suppressed_factor: suppression_factor(options),
            ignore_suppression: options.monotone && metric.can_ignore_suppression,
            records: table.records() as f64,
            domains: table.qis.iter().map(|qi| qi.hierarchy.domain() as f64).collect(),
            sums: Vec::with_capacity(qis),
            extras: Vec::with_capacity(qis),
        };
        table.count_marginals();
        for q in 0..qis {
            figures.add_attribute(table, q);
        }
        figures
    }

    fn add_attribute(&mut self, table: &Counted<'_>, q: usize) {
        let hierarchy = &table.qis[q].hierarchy;
        let cells: Vec<Vec<f64>> =
            (0..=hierarchy.top()).map(|level| cells_at(self.metric.cell, hierarchy, level)).collect();
        let marginal = table.marginal(q);
        let sum = |level: u8| -> f64 {
            let cells = &cells[usize::from(level)];
            let records = (0u32..).zip(marginal).map(|(leaf, &n)| (hierarchy.code(level, leaf), n as f64));
            self.kept_factor * records.map(|(code, n)| n * cells[code as usize]).sum::<f64>()
        };
        self.sums.push((0..=hierarchy.top()).map(sum).collect());
        let full = (self.metric.suppressed)(&Cell::suppressed(hierarchy.domain() as f64));
        let extra = |cell: &f64| self.reached(*cell, full) - self.kept_factor * cell;
        self.extras.push(cells.iter().map(|level| level.iter().map(extra).collect()).collect());
    }

    /// What a cell comes to if its record is suppressed, of which `full` is the figure at the top.
    fn reached(&self, cell: f64, full: f64) -> f64 {
        cell + self.suppressed_factor * (full - cell)
    }

    /// An attribute's weighted figure if every record were like this one.
    fn of_all(&self, q: usize, cell: f64) -> f64 {
        let all =
            (self.metric.normalise)(cell * self.records, self.records, self.domains[q], self.kept_factor);
        all * self.weights[q]
    }

    /// Each attribute's figure if its sum is what all records kept give and `extra`.
    fn attributes<'a>(&'a self, node: &'a Node, extra: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        (0..node.0.len()).map(move |q| {
            let sum = self.sums[q][usize::from(node.0[q])] + extra.get(q).copied().unwrap_or(0.0);
            (self.metric.normalise)(sum, self.records, self.domains[q], self.kept_factor)
        })
    }

    /// The node's figure if no record is suppressed; a lower bound of its figure if some are.
    #[must_use]
    pub fn without_suppression(&self, node: &Node) -> Score {
        combine(self.aggregate, self.attributes(node, &[]), &self.weights)
    }

    /// What the suppressed records add to each attribute's sum.
    fn extra(&self, node: &Node, suppressed: &Bag) -> Vec<f64> {
        let mut extra = vec![0.0; node.0.len()];
        if self.ignore_suppression {
            return extra;
        }
        let at_levels: Vec<&[f64]> =
            node.0.iter().zip(&self.extras).map(|(&level, extras)| &extras[usize::from(level)][..]).collect();
        for (size, codes) in suppressed.classes(extra.len()) {
            for ((extra, extras), &code) in extra.iter_mut().zip(&at_levels).zip(codes) {
                *extra += size * extras[code as usize];
            }
        }
        extra
    }
}

/// What single records cost by a metric.
///
/// Law: a node's figure is at least `figure` of the mean over its records of what each costs.
#[derive(Debug, Clone)]
pub struct ByRecord {
    /// By attribute, level and code, what a kept record costs: these are added up.
    pub kept: Vec<Vec<Vec<f64>>>,
    /// What a suppressed record costs: no less than a kept one.
    pub suppressed: f64,
    /// From the mean over the records to the figure; it never falls when the mean rises.
    pub figure: fn(f64) -> f64,
}

impl Metric for CellFigures {
    fn needs(&self) -> Needs {
        Needs { suppressed_codes: !self.ignore_suppression, ..Needs::default() }
    }

    fn bound(&self, node: &Node) -> Score {
        self.without_suppression(node)
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        combine(self.aggregate, self.attributes(at.node, &self.extra(at.node, at.suppressed)), &self.weights)
    }

    /// Less generalized, a suppressed record adds no less.
    fn carried(&self, node: &Node, lost: &Bag) -> Option<Vec<f64>> {
        (!self.ignore_suppression).then(|| self.extra(node, lost))
    }

    fn bound_with(&self, node: &Node, carried: &[f64]) -> Score {
        combine(self.aggregate, self.attributes(node, carried), &self.weights)
    }

    fn extras(&self) -> Option<&[Vec<Vec<f64>>]> {
        (!self.ignore_suppression).then_some(&self.extras)
    }

    /// Where a suppressed cell counts in full, whatever its value.
    fn by_record(&self) -> Option<ByRecord> {
        if self.ignore_suppression || self.suppressed_factor < 1.0 {
            return None;
        }
        let (part, figure) = by_record(self.aggregate)?;
        let part = |q: usize, cell: f64| part(self.of_all(q, cell), self.weights.len() as f64);
        let full = |q: usize| (self.metric.suppressed)(&Cell::suppressed(self.domains[q]));
        let attribute = |(q, levels): (usize, &Vec<Vec<f64>>)| -> Vec<Vec<f64>> {
            let level = |extras: &Vec<f64>| extras.iter().map(|extra| part(q, full(q) - extra)).collect();
            levels.iter().map(level).collect()
        };
        Some(ByRecord {
            kept: self.extras.iter().enumerate().map(attribute).collect(),
            suppressed: (0..self.extras.len()).map(|q| part(q, full(q))).sum(),
            figure,
        })
    }

    fn by_attribute(&self, at: &Outcome<'_>) -> Option<Vec<f64>> {
        Some(self.attributes(at.node, &self.extra(at.node, at.suppressed)).collect())
    }
}

/// The figure of each value of a level.
fn cells_at(of: fn(&Cell) -> f64, hierarchy: &Hierarchy, level: u8) -> Vec<f64> {
    (0..hierarchy.width(level) as u32).map(|code| of(&hierarchy.cell(level, code))).collect()
}

/// A metric's figure of a local recoding.
#[must_use]
pub fn of_recoded(metric: CellMetric, of: &Recoded<'_>, options: &MetricOptions) -> Score {
    let (sizes, kept_factor) = (of.sizes(), generalization_factor(options));
    let attributes = (0..of.attributes()).map(|q| recoded_attribute(metric, of, &sizes, kept_factor, q));
    let aggregate = options.aggregate.unwrap_or(metric.aggregate);
    combine(aggregate, attributes, &scaled_weights(options, of.attributes()))
}

fn recoded_attribute(metric: CellMetric, of: &Recoded<'_>, sizes: &[u64], kept_factor: f64, q: usize) -> f64 {
    let cells = sizes.iter().enumerate().map(|(class, &n)| n as f64 * (metric.cell)(&of.cell(class, q)));
    let domain = of.table.qis[q].hierarchy.domain() as f64;
    let full = (metric.suppressed)(&Cell::suppressed(domain));
    let sum = kept_factor * cells.sum::<f64>() + of.suppressed() * full;
    (metric.normalise)(sum, of.records(), domain, kept_factor)
}

/// A figure of suppressed cells that is 1.
pub(super) fn one(_: &Cell) -> f64 {
    1.0
}

/// The mean over records.
pub(super) fn mean(sum: f64, records: f64, _domain: f64, _factor: f64) -> f64 {
    if records > 0.0 { sum / records } else { 0.0 }
}

//! Utility metrics, one file each, found by name in [`REGISTRY`].
//!
//! A metric is bound to a table and then asked about lattice nodes: what a node costs once its
//! classes are known ([`Metric::figure`]), and what it costs at least before ([`Metric::bound`]) and
//! after ([`Metric::learned`]) they are, there and further up. Lower is better throughout; metrics of
//! which more is better are negated inside.

mod aggregate;
mod ambiguity;
mod average_class_size;
mod cell;
mod class_sizes;
mod conditional_entropy;
mod discernibility;
mod discernibility_star;
mod height;
mod kl_divergence;
mod lm;
mod loss;
mod ncp;
mod non_uniform_entropy;
mod outcome;
mod precision;
pub mod rce;
mod recoded;
pub mod released;
mod rows_retained;
mod score;

use aggregate::{by_record, combine};
pub use cell::{ByRecord, CellFigures, CellMetric, of_recoded};
pub use lm::LM;
pub use ncp::NCP;
pub use outcome::{Needs, Outcome};
pub use recoded::Recoded;
pub use score::Score;
pub use velamen_contract::metric::{Aggregate, MetricOptions, Reading};
pub use velamen_core::plan::Bag;

use velamen_core::frequency::Counted;
use velamen_core::lattice::Node;
use velamen_core::registry::{Named, Registry};

/// What a kept cell's figure is multiplied by: 1 up to g = ½, then 1 − 2(g − ½).
fn generalization_factor(options: &MetricOptions) -> f64 {
    1.0 - 2.0 * (options.gs_factor - 0.5).max(0.0)
}

/// How much of the way from its generalized figure to the full one a suppressed cell goes: 2g
/// below g = ½, then 1.
fn suppression_factor(options: &MetricOptions) -> f64 {
    (2.0 * options.gs_factor).min(1.0)
}

/// The weights of `attributes` attributes, the largest 1.
fn scaled_weights(options: &MetricOptions, attributes: usize) -> Vec<f64> {
    let largest = options.weights.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 { options.weights.iter().map(|w| w / largest).collect() } else { vec![1.0; attributes] }
}

/// A metric bound to a table.
///
/// Laws, for every node, every node above it, and whatever is suppressed there:
/// `bound(node)` is at most its `figure`; `learned` is at most the figure of the node and of all
/// nodes above it; `bound` never falls towards the top.
pub trait Metric: std::fmt::Debug + Send + Sync {
    /// What it must be told of the classes.
    fn needs(&self) -> Needs;

    /// A lower bound from marginal counts alone.
    fn bound(&self, node: &Node) -> Score;

    /// The node's figure.
    fn figure(&self, at: &Outcome<'_>) -> Score;

    /// A lower bound for the node and all above it that grouping has shown; `None` where it shows no
    /// more than [`Metric::bound`].
    fn learned(&self, _at: &Outcome<'_>) -> Option<Score> {
        None
    }

    /// What classes that are suppressed at a node and at all below it, parts of them included, add to
    /// the figure at every node below, in a form that [`Metric::bound_with`] understands.
    ///
    /// Law: the elementwise largest of several such vectors can be used in their place.
    fn carried(&self, _node: &Node, _lost: &Bag) -> Option<Vec<f64>> {
        None
    }

    /// [`Metric::bound`] with what is known to be lost at a node above.
    fn bound_with(&self, node: &Node, _carried: &[f64]) -> Score {
        self.bound(node)
    }

    /// By attribute, level and code, what a suppressed record adds to an attribute's part of
    /// [`Metric::bound_with`], where figures follow from such sums; else `None`.
    ///
    /// Law: `bound_with` of the sums over a node's suppressed records is its figure.
    fn extras(&self) -> Option<&[Vec<Vec<f64>>]> {
        None
    }

    /// What single records cost, where figures follow from that.
    fn by_record(&self) -> Option<ByRecord> {
        None
    }

    /// Each attribute's own figure, where the metric is put together from them.
    fn by_attribute(&self, _at: &Outcome<'_>) -> Option<Vec<f64>> {
        None
    }
}

/// A metric under the name that recipes use.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name in `metric = "…"`.
    pub name: &'static str,
    /// One sentence for help.
    pub summary: &'static str,
    /// What a report says of its range, and which end is better.
    pub range: &'static str,
    /// What a report calls it for a lay reader.
    pub words: &'static str,
    /// Whether its figure compares with the original records, so that no release shows it.
    pub needs_originals: bool,
    /// Whether more is better; scores are negated then.
    pub more_is_better: bool,
    /// How attributes are put together where nothing is asked; `None` where they are not.
    pub aggregate: Option<Aggregate>,
    /// Binds it to a table.
    pub bind: fn(&Counted<'_>, &MetricOptions) -> Box<dyn Metric>,
    /// The figure of a local recoding: that of a node where all classes have its levels.
    pub recoded: fn(&Recoded<'_>, &MetricOptions) -> Score,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Entry {
    /// A score as people read the metric.
    #[must_use]
    pub fn value(&self, score: &Score) -> f64 {
        if self.more_is_better { -score.first() } else { score.first() }
    }
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// The metric of recipes that name none.
pub const USUAL: Entry = loss::ENTRY;

/// The metric that takes least to bind and compute: it follows from the node alone.
pub const OF_NODE: Entry = height::ENTRY;

/// Every metric, by name.
pub static REGISTRY: Registry<Entry> = Registry::new(&[
    USUAL,
    lm::ENTRY,
    precision::ENTRY,
    OF_NODE,
    discernibility::ENTRY,
    discernibility_star::ENTRY,
    average_class_size::ENTRY,
    non_uniform_entropy::ENTRY,
    ambiguity::ENTRY,
    kl_divergence::ENTRY,
    ncp::ENTRY,
    rce::ENTRY,
    conditional_entropy::ENTRY,
    rows_retained::ENTRY,
]);

/// The metric of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.find(name)
}

/// Every metric that sums a figure over cells, by name: those that any release has, whatever its
/// recoding.
pub const CELL_METRICS: &[CellMetric] = &[loss::LOSS, lm::LM, precision::PRECISION, ncp::NCP];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = REGISTRY.iter().map(|e| e.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), REGISTRY.iter().count());
    }

    #[test]
    fn the_factor_is_neutral_in_the_middle() {
        let at = |gs_factor| {
            let options = MetricOptions { gs_factor, ..MetricOptions::default() };
            (generalization_factor(&options), suppression_factor(&options))
        };
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(at),
            [(1.0, 0.0), (1.0, 0.5), (1.0, 1.0), (0.5, 1.0), (0.0, 1.0)]
        );
    }

    #[test]
    fn weights_are_scaled_to_the_largest() {
        let options = MetricOptions { weights: vec![1.0, 4.0, 0.0], ..MetricOptions::default() };
        assert_eq!(scaled_weights(&options, 3), [0.25, 1.0, 0.0]);
        assert_eq!(scaled_weights(&MetricOptions::default(), 2), [1.0, 1.0]);
    }
}

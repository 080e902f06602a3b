//! Height.
//!
//! # Definition
//! Σ over the quasi-identifiers of the level (times the attribute's weight). Suppression does not
//! show. Range 0 to the height of the lattice, lower is better, monotone.
//!
//! # References
//! Samarati 2001, "Protecting respondents' identities in microdata release".

use velamen_core::lattice::Node;

use super::{
    Aggregate, Entry, Metric, MetricOptions, Needs, Outcome, Recoded, Score, combine, scaled_weights,
};

pub(super) const ENTRY: Entry = Entry {
    name: "height",
    summary: "sum of the levels",
    range: "0 and above, lower is better",
    words: "The levels of all quasi-identifiers, added up.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(Aggregate::Sum),
    bind: |table, options| Box::new(Height::new(table.qis.len(), options)),
    recoded: of_recoded,
};

/// The mean level of each attribute's cells.
fn of_recoded(of: &Recoded<'_>, options: &MetricOptions) -> Score {
    let (height, sizes) = (Height::new(of.attributes(), options), of.sizes());
    let levels = (0..of.attributes()).map(|q| mean_level(of, &sizes, q));
    combine(height.aggregate, levels, &height.weights)
}

fn mean_level(of: &Recoded<'_>, sizes: &[u64], q: usize) -> f64 {
    let kept = sizes.iter().enumerate().map(|(class, &n)| n as f64 * f64::from(of.value(class, q).level));
    let top = f64::from(of.table.qis[q].hierarchy.top());
    (kept.sum::<f64>() + of.suppressed() * top) / of.records()
}

#[derive(Debug)]
struct Height {
    aggregate: Aggregate,
    weights: Vec<f64>,
}

impl Height {
    fn new(attributes: usize, options: &MetricOptions) -> Self {
        let aggregate = options.aggregate.unwrap_or(Aggregate::Sum);
        Self { aggregate, weights: scaled_weights(options, attributes) }
    }
}

impl Metric for Height {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn bound(&self, node: &Node) -> Score {
        combine(self.aggregate, node.0.iter().map(|&level| f64::from(level)), &self.weights)
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        self.bound(at.node)
    }

    fn by_attribute(&self, at: &Outcome<'_>) -> Option<Vec<f64>> {
        Some(at.node.0.iter().map(|&level| f64::from(level)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_levels() {
        let height = Height::new(3, &MetricOptions::default());
        assert_eq!(height.bound(&Node(vec![1, 0, 2])), Score::One(3.0));
    }
}

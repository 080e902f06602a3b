//! Conditional entropy (CE).
//!
//! # Definition
//! Σ over the quasi-identifiers of H(X_a | Y_a), X_a the original and Y_a the released value, `*` for
//! a suppressed record; log base 2. Range 0 to Σ H(X_a), lower is better. Monotone where nothing is
//! suppressed; suppression can lower it, because it tells kept records apart from suppressed ones, so
//! the bound is 0 there.
//!
//! # References
//! Yoo, Shin & Lee 2012, "An approach to reducing information loss and achieving diversity of
//! sensitive attributes in k-anonymity methods".

use velamen_core::frequency::Counted;
use velamen_core::lattice::Node;

use super::non_uniform_entropy::bits_by_level;
use super::{
    Aggregate, Entry, Metric, MetricOptions, Needs, Outcome, Recoded, Score, combine, scaled_weights,
};

pub(super) const ENTRY: Entry = Entry {
    name: "conditional-entropy",
    summary: "entropy of the original values given the released ones, summed over attributes",
    range: "0 bits and above, lower is better",
    words: "How uncertain the original values remain once the released ones are known.",
    needs_originals: true,
    more_is_better: false,
    aggregate: Some(Aggregate::Sum),
    bind: |table, options| Box::new(ConditionalEntropy::new(table, options)),
    recoded: of_recoded,
};

fn of_recoded(of: &Recoded<'_>, options: &MetricOptions) -> Score {
    let attributes = (0..of.attributes()).map(|q| recoded_attribute(of, q));
    let aggregate = options.aggregate.unwrap_or(Aggregate::Sum);
    combine(aggregate, attributes, &scaled_weights(options, of.attributes()))
}

fn recoded_attribute(of: &Recoded<'_>, q: usize) -> f64 {
    let (kept, suppressed) = of.bits(q);
    (kept + suppressed) / of.records()
}

#[derive(Debug)]
struct ConditionalEntropy {
    aggregate: Aggregate,
    weights: Vec<f64>,
    records: f64,
    /// Per attribute the records of each leaf.
    marginals: Vec<Vec<u64>>,
    /// Per attribute, level and leaf, the leaf's code.
    maps: Vec<Vec<Vec<u32>>>,
    /// Per attribute and level, the bits lost without suppression.
    bits: Vec<Vec<f64>>,
}

impl ConditionalEntropy {
    fn new(table: &Counted<'_>, options: &MetricOptions) -> Self {
        let marginals: Vec<Vec<u64>> = (0..table.qis.len()).map(|q| table.marginal(q).to_vec()).collect();
        let hierarchies = || table.qis.iter().map(|qi| &qi.hierarchy);
        Self {
            aggregate: options.aggregate.unwrap_or(Aggregate::Sum),
            weights: scaled_weights(options, table.qis.len()),
            records: table.records() as f64,
            maps: hierarchies().map(|h| (0..=h.top()).map(|level| h.step(0, level)).collect()).collect(),
            bits: hierarchies().zip(&marginals).map(|(h, marginal)| bits_by_level(h, marginal)).collect(),
            marginals,
        }
    }

    fn attributes<'a>(&'a self, at: &'a Outcome<'_>) -> impl Iterator<Item = f64> + 'a {
        (0..at.node.0.len()).map(|q| {
            let level = usize::from(at.node.0[q]);
            let bits = match at.suppressed_leaves.get(q) {
                Some(suppressed) if !at.suppressed.sizes.is_empty() => self.split(q, level, suppressed),
                _ => self.bits[q][level],
            };
            bits / self.records
        })
    }

    /// n · H(X | Y) where some records of each leaf are suppressed.
    fn split(&self, q: usize, level: usize, suppressed: &[u64]) -> f64 {
        let map = &self.maps[q][level];
        let codes = map.iter().max().map_or(0, |&most| most as usize + 1);
        let kept: Vec<f64> = self.marginals[q].iter().zip(suppressed).map(|(n, s)| (n - s) as f64).collect();
        let mut groups = vec![0.0; codes];
        for (&kept, &code) in kept.iter().zip(map) {
            groups[code as usize] += kept;
        }
        let pool: u64 = suppressed.iter().sum();
        let lost = |part: f64, whole: f64| if part > 0.0 { -part * (part / whole).log2() } else { 0.0 };
        let of_kept = kept.iter().zip(map).map(|(&kept, &code)| lost(kept, groups[code as usize]));
        let of_suppressed = suppressed.iter().map(|&s| lost(s as f64, pool as f64));
        of_kept.chain(of_suppressed).sum()
    }
}

impl Metric for ConditionalEntropy {
    fn needs(&self) -> Needs {
        Needs { suppressed_leaves: true, ..Needs::default() }
    }

    fn bound(&self, _node: &Node) -> Score {
        combine(self.aggregate, self.weights.iter().map(|_| 0.0), &self.weights)
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        combine(self.aggregate, self.attributes(at), &self.weights)
    }

    fn by_attribute(&self, at: &Outcome<'_>) -> Option<Vec<f64>> {
        Some(self.attributes(at).collect())
    }
}

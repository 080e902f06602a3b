//! Non-uniform entropy.
//!
//! # Definition
//! Per attribute −Σ_v n_v log₂(n_v / n_g(v)) over all records as generalized at the node (v original
//! values, g(v) the released one), plus, for the suppressed records, −Σ_g c_g log₂(c_g / suppressed)
//! over their generalized values. `normalised`: divided by −Σ n_v log₂(n_v / n). `monotone` leaves
//! out the second term. Summed over the attributes. In bits, from 0, lower is better; the first term
//! is monotone and bounds it from below.
//!
//! # References
//! Gionis & Tassa 2009, "k-Anonymization with minimal loss of information".

use velamen_core::frequency::Counted;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::Node;

use super::{
    Aggregate, Entry, Metric, MetricOptions, Needs, Outcome, Recoded, Score, combine, generalization_factor,
    scaled_weights, suppression_factor,
};

pub(super) const ENTRY: Entry = Entry {
    name: "non-uniform-entropy",
    summary: "bits that the original values hold beyond the released ones, summed over attributes",
    range: "0 bits and above, lower is better",
    words: "How much information the original values held beyond the released ones, added up over attributes.",
    needs_originals: true,
    more_is_better: false,
    aggregate: Some(Aggregate::Sum),
    bind: |table, options| Box::new(NonUniformEntropy::new(table, options)),
    recoded: of_recoded,
};

fn of_recoded(of: &Recoded<'_>, options: &MetricOptions) -> Score {
    let metric = NonUniformEntropy::new(&Counted::of(of.table), options);
    let attributes = (0..of.attributes()).map(|q| recoded_attribute(&metric, of, q));
    combine(metric.aggregate, attributes, &metric.weights)
}

fn recoded_attribute(metric: &NonUniformEntropy, of: &Recoded<'_>, q: usize) -> f64 {
    let (kept, suppressed) = of.bits(q);
    let sum = metric.kept_factor * kept + suppressed;
    if metric.divisors[q] > 0.0 { sum / metric.divisors[q] } else { 0.0 }
}

/// −Σ n log₂(n / of) over parts of one whole.
fn bits(parts: impl Iterator<Item = f64>, whole: f64) -> f64 {
    parts.filter(|&part| part > 0.0).map(|part| -part * (part / whole).log2()).sum()
}

/// Per level: Σ over leaves of −n_v log₂(n_v / n_g(v)).
pub(super) fn bits_by_level(hierarchy: &Hierarchy, marginal: &[u64]) -> Vec<f64> {
    let at = |level: u8| bits_at(hierarchy, marginal, level);
    (0..=hierarchy.top()).map(at).collect()
}

#[derive(Debug)]
struct NonUniformEntropy {
    aggregate: Aggregate,
    weights: Vec<f64>,
    kept_factor: f64,
    suppressed_factor: f64,
    ignore_suppression: bool,
    /// Per attribute, what its figure is divided by.
    divisors: Vec<f64>,
    /// Per attribute and level, the first term.
    bits: Vec<Vec<f64>>,
    /// Per attribute and level, how many values occur.
    widths: Vec<Vec<usize>>,
}

impl NonUniformEntropy {
    fn new(table: &Counted<'_>, options: &MetricOptions) -> Self {
        let records = table.records() as f64;
        let marginals: Vec<Vec<u64>> = (0..table.qis.len()).map(|q| table.marginal(q).to_vec()).collect();
        let entropy = |marginal: &Vec<u64>| bits(marginal.iter().map(|&n| n as f64), records);
        let divisor = |marginal: &Vec<u64>| if options.normalised { entropy(marginal) } else { 1.0 };
        let hierarchies = || table.qis.iter().map(|qi| &qi.hierarchy);
        Self {
            aggregate: options.aggregate.unwrap_or(Aggregate::Sum),
            weights: scaled_weights(options, table.qis.len()),
            kept_factor: generalization_factor(options),
            suppressed_factor: suppression_factor(options),
            ignore_suppression: options.monotone,
            divisors: marginals.iter().map(divisor).collect(),
            bits: hierarchies().zip(&marginals).map(|(h, marginal)| bits_by_level(h, marginal)).collect(),
            widths: hierarchies().map(|h| (0..=h.top()).map(|level| h.width(level)).collect()).collect(),
        }
    }

    fn attributes<'a>(&'a self, node: &'a Node, extra: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        (0..node.0.len()).map(move |q| {
            let first = self.kept_factor * self.bits[q][usize::from(node.0[q])];
            let sum = first + self.suppressed_factor * extra.get(q).copied().unwrap_or(0.0);
            // A constant attribute has no bits to lose.
            if self.divisors[q] > 0.0 { sum / self.divisors[q] } else { 0.0 }
        })
    }

    /// Per attribute the second term.
    fn extra(&self, at: &Outcome<'_>) -> Vec<f64> {
        if self.ignore_suppression || at.suppressed.sizes.is_empty() {
            return Vec::new();
        }
        let attributes = at.node.0.len();
        let level = |q: usize| self.widths[q][usize::from(at.node.0[q])];
        let mut counts: Vec<Vec<f64>> = (0..attributes).map(|q| vec![0.0; level(q)]).collect();
        for (size, codes) in at.suppressed.classes(attributes) {
            for (counts, &code) in counts.iter_mut().zip(codes) {
                counts[code as usize] += size;
            }
        }
        let suppressed = at.suppressed.records() as f64;
        counts.iter().map(|counts| bits(counts.iter().copied(), suppressed)).collect()
    }
}

impl Metric for NonUniformEntropy {
    fn needs(&self) -> Needs {
        Needs { suppressed_codes: !self.ignore_suppression, ..Needs::default() }
    }

    fn bound(&self, node: &Node) -> Score {
        combine(self.aggregate, self.attributes(node, &[]), &self.weights)
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        combine(self.aggregate, self.attributes(at.node, &self.extra(at)), &self.weights)
    }

    fn by_attribute(&self, at: &Outcome<'_>) -> Option<Vec<f64>> {
        Some(self.attributes(at.node, &self.extra(at)).collect())
    }
}

/// The bits that a level takes from an attribute of these counts.
fn bits_at(hierarchy: &Hierarchy, marginal: &[u64], level: u8) -> f64 {
    let mut groups = vec![0.0; hierarchy.width(level)];
    let group = |leaf: u32| hierarchy.code(level, leaf) as usize;
    for (leaf, &n) in (0..).zip(marginal) {
        groups[group(leaf)] += n as f64;
    }
    let leaf = |(leaf, &n): (u32, &u64)| bits(std::iter::once(n as f64), groups[group(leaf)]);
    (0..).zip(marginal).map(leaf).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::hierarchy::{Rule, TableRule};

    #[test]
    fn bits_within_groups() {
        let rows = ["a;x;*", "b;x;*", "c;y;*"].map(|r| r.split(';').map(str::to_owned).collect());
        let rule = Rule::Table(TableRule::new(rows.to_vec()).unwrap());
        let (_, hierarchy) = rule.over(["a", "b", "c"].map(str::to_owned).to_vec(), false);
        // Level 1: two of a and two of b in x cost a bit each; level 2: 1.5 bits a record.
        assert_eq!(bits_by_level(&hierarchy, &[2, 2, 4]), [0.0, 4.0, 12.0]);
    }
}

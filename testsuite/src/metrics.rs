//! The utility metrics, naively: original and released records as lists of labels.

use std::collections::BTreeMap;

use velamen_search::metric::{Aggregate, MetricOptions};

use crate::Case;

/// A node's records as released, `None` where suppressed.
pub type Released = [Option<Vec<String>>];

/// How often each item occurs.
fn counts<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, f64> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_insert(0.0) += 1.0;
    }
    counts
}

/// Everything a figure can look at.
struct View<'a> {
    case: &'a Case,
    node: &'a [u8],
    released: &'a Released,
    options: &'a MetricOptions,
}

/// A metric's figure by its definition. Several numbers for the rank aggregate.
///
/// # Panics
/// If the metric has no definition here: add one.
#[must_use]
pub fn figure(
    case: &Case,
    metric: &str,
    options: &MetricOptions,
    node: &[u8],
    released: &Released,
) -> Vec<f64> {
    let view = View { case, node, released, options };
    let n = released.len() as f64;
    let mean = |figures: Vec<f64>| figures.iter().sum::<f64>() / n;
    let by_attribute = |figure: &dyn Fn(usize) -> f64| (0..case.qis()).map(figure).collect::<Vec<f64>>();
    let one = |_: usize| 1.0;
    let m = |q: usize| case.hierarchies[q].len() as f64;
    let leaves = |q: usize, label: &str| case.leaves(q, node[q], label);
    let (values, usual) = match metric {
        "loss" => {
            let (kept, _) = view.factors();
            let v = |q: usize| {
                let sum: f64 = view.cells(q, &|label| leaves(q, label) / m(q), one(q)).iter().sum();
                ((sum - kept * n / m(q)) / (n - kept * n / m(q))).max(0.0)
            };
            (by_attribute(&v), Aggregate::GeometricMean)
        }
        "lm" => (
            by_attribute(&|q| mean(view.cells(q, &|label| (leaves(q, label) - 1.0) / (m(q) - 1.0), 1.0))),
            Aggregate::ArithmeticMean,
        ),
        "precision" => (by_attribute(&|q| mean(view.precision(q))), Aggregate::ArithmeticMean),
        "ncp" => {
            let cell = |q: usize, label: &str| {
                let covered = leaves(q, label);
                if covered > 1.5 { covered / m(q) } else { 0.0 }
            };
            (by_attribute(&|q| mean(view.cells(q, &|label| cell(q, label), 1.0))), Aggregate::ArithmeticMean)
        }
        "rce" => (
            by_attribute(&|q| {
                view.cells(q, &|label| 1.0 - 1.0 / leaves(q, label), 1.0 - 1.0 / m(q)).iter().sum()
            }),
            Aggregate::Sum,
        ),
        "height" => (by_attribute(&|q| f64::from(node[q])), Aggregate::Sum),
        "non-uniform-entropy" => (by_attribute(&|q| view.entropy(q)), Aggregate::Sum),
        "conditional-entropy" => (by_attribute(&|q| view.conditional(q)), Aggregate::Sum),
        other => return vec![view.whole(other)],
    };
    combine(options, usual, &values)
}

fn combine(options: &MetricOptions, usual: Aggregate, values: &[f64]) -> Vec<f64> {
    let largest = options.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |q: usize| options.weights.get(q).map_or(1.0, |w| w / largest);
    let weighted: Vec<f64> = values.iter().enumerate().map(|(q, v)| v * weight(q)).collect();
    let m = values.len() as f64;
    vec![match options.aggregate.unwrap_or(usual) {
        Aggregate::GeometricMean => weighted.iter().map(|v| v + 1.0).product::<f64>().powf(1.0 / m) - 1.0,
        Aggregate::ArithmeticMean => weighted.iter().sum::<f64>() / m,
        Aggregate::Sum => weighted.iter().sum(),
        Aggregate::Max => weighted.iter().copied().fold(0.0, f64::max),
        Aggregate::Rank => {
            let mut ranked = weighted;
            ranked.sort_by(|a, b| b.total_cmp(a));
            return ranked;
        }
    }]
}

impl View<'_> {
    /// What generalized and suppressed cells are multiplied by.
    fn factors(&self) -> (f64, f64) {
        let g = self.options.gs_factor;
        if g < 0.5 { (1.0, 2.0 * g) } else { (1.0 - 2.0 * (g - 0.5), 1.0) }
    }

    fn value(&self, row: usize, q: usize) -> &str {
        &self.case.rows[row][q]
    }

    fn label(&self, row: usize, q: usize) -> &str {
        self.case.label(q, self.node[q], self.value(row, q))
    }

    /// Per record, the figure of a cell; a suppressed one goes from its generalized figure as far
    /// towards the full one as the factor says.
    fn cells(&self, q: usize, cell: &dyn Fn(&str) -> f64, full: f64) -> Vec<f64> {
        let (kept, suppressed) = self.factors();
        let figure = |row: usize| {
            let own = cell(self.label(row, q));
            if self.released[row].is_some() { kept * own } else { own + suppressed * (full - own) }
        };
        (0..self.released.len()).map(figure).collect()
    }

    fn precision(&self, q: usize) -> Vec<f64> {
        let climbed = f64::from(self.node[q]) / (self.case.hierarchies[q][0].len() - 1) as f64;
        match self.options.monotone {
            true => vec![self.factors().0 * climbed; self.released.len()],
            false => self.cells(q, &|_| climbed, 1.0),
        }
    }

    fn entropy(&self, q: usize) -> f64 {
        let rows = 0..self.released.len();
        let original = counts(rows.clone().map(|row| self.value(row, q)));
        let general = counts(rows.clone().map(|row| self.label(row, q)));
        let lost: f64 = rows
            .clone()
            .map(|row| -(original[self.value(row, q)] / general[self.label(row, q)]).log2())
            .sum();
        let gone: Vec<usize> = rows.clone().filter(|&row| self.released[row].is_none()).collect();
        let pool = counts(gone.iter().map(|&row| self.label(row, q)));
        let pooled: f64 =
            gone.iter().map(|&row| -(pool[self.label(row, q)] / gone.len() as f64).log2()).sum();
        let (kept, suppressed) = self.factors();
        let bits = kept * lost + if self.options.monotone { 0.0 } else { suppressed * pooled };
        let whole: f64 =
            rows.map(|row| -(original[self.value(row, q)] / self.released.len() as f64).log2()).sum();
        match self.options.normalised {
            true if whole > 0.0 => bits / whole,
            true => 0.0,
            false => bits,
        }
    }

    /// H(X | Y).
    fn conditional(&self, q: usize) -> f64 {
        let shown = |row: usize| if self.released[row].is_some() { self.label(row, q) } else { "suppressed" };
        let rows = 0..self.released.len();
        let both = counts(rows.clone().map(|row| (self.value(row, q), shown(row))));
        let general = counts(rows.clone().map(shown));
        let bits = |row: usize| -(both[&(self.value(row, q), shown(row))] / general[shown(row)]).log2();
        rows.map(bits).sum::<f64>() / self.released.len() as f64
    }

    /// The combinations of leaves that a record could have.
    fn area(&self, row: usize) -> f64 {
        (0..self.case.qis())
            .map(|q| match self.released[row] {
                Some(_) => self.case.leaves(q, self.node[q], self.label(row, q)),
                None => self.case.hierarchies[q].len() as f64,
            })
            .product()
    }

    /// Figures of the table as a whole.
    fn whole(&self, metric: &str) -> f64 {
        let n = self.released.len() as f64;
        let rows = 0..self.released.len();
        let kept = counts(self.released.iter().flatten());
        let suppressed = self.released.iter().filter(|row| row.is_none()).count() as f64;
        let sizes = |row: &Option<Vec<String>>| row.as_ref().map_or(suppressed, |row| kept[row]);
        match metric {
            "discernibility" => self.released.iter().map(|row| row.as_ref().map_or(n, |row| kept[row])).sum(),
            "discernibility-star" => {
                let classes = counts(rows.map(|row| self.case.generalized(&self.case.rows[row], self.node)));
                classes.values().map(|c| c * c).sum()
            }
            "average-class-size" => n / (kept.len() as f64 + f64::from(u8::from(suppressed > 0.0))),
            "ambiguity" => rows.map(|row| self.area(row)).sum(),
            "kl-divergence" => {
                let original = counts(rows.clone().map(|row| &self.case.rows[row][..self.case.qis()]));
                let bits = |row: usize| {
                    let p = original[&self.case.rows[row][..self.case.qis()]];
                    (p / (sizes(&self.released[row]) / self.area(row))).log2() / n
                };
                rows.map(bits).sum()
            }
            "rows-retained" => {
                let sensitive = |row: usize| &self.case.rows[row][self.case.qis()];
                counts(rows.map(|row| (&self.released[row], sensitive(row)))).len() as f64
            }
            other => panic!("no definition of {other} here: add one"),
        }
    }
}

//! How far released records are from the distribution that was found again, beyond what rounding to whole records explains.
//!
//! # Definition
//! Records are drawn clique by clique, attribute by attribute. In a step G records agree on what is drawn already of the clique,
//! and get a value v each: e = G·p(v | drawn) of them expected, the whole part of it for certain and the rest by systematic
//! sampling. So each count is e rounded up or down, is e on average, and other groups of the step have draws of their own.
//!
//! Take a cell of a table over the new attribute and some of the drawn ones: its counts of all groups, less e, have a sum that is
//! at most the number of groups with records, and has the variance V = Σ f(1 − f), for the fractions f of e. By Bernstein's
//! inequality it is above b = λ/3 + √(λ²/9 + 2Vλ), up or down, with a probability of 2e^−λ at most. λ is such that all cells of
//! all tables together are above theirs with a probability of [`DOUBT`] at most.
//!
//! What a table has beyond these bounds, Σ over its cells, is the distance between the two fits: half of it may be [`MOST`] of the
//! records. f(1 − f) has no jump where e is whole: fits that are near one another have bounds that are.

use std::collections::BTreeSet;

use super::places::Places;
use super::refit::{Fitted, Problem};
use super::tree::{self, Hung, Set, Step};

/// The share of the records by which half the distance of a table may exceed its bounds: both fits end near where they tend to
/// (`docs/methods/mst.md`).
pub(super) const MOST: f64 = 1e-3;
/// The probability that draws by the law are beyond the bounds.
const DOUBT: f64 = 1e-9;
/// What sums of rounded numbers may be off.
const ROUNDED: f64 = 1e-6;

/// The largest half distance beyond the bounds of all tables, as a share of the records. `counted` has the records of each
/// combination of values of some attributes, the last one's fastest.
pub(super) fn distance(
    problem: &Problem,
    (tree, fitted): (&[Hung], &[Fitted]),
    records: u64,
    counted: impl Fn(&Set) -> Option<Vec<u64>>,
) -> Option<f64> {
    let steps = tree::steps(tree);
    let measured: BTreeSet<&Set> = problem.tables.iter().map(|table| &table.set).collect();
    let tables: Vec<Vec<Set>> = steps.iter().map(|step| tables(step, &measured)).collect();
    let cells = |set: &Set| tree::cells(set.iter().copied(), &problem.sizes) as f64;
    let all: f64 = tables.iter().flatten().map(cells).sum();
    let lambda = (2.0 * all.max(1.0) / DOUBT).ln();
    let mut most = 0.0f64;
    for (step, tables) in steps.iter().zip(&tables) {
        let drawn = Drawn::of(step, fitted.get(step.clique)?, &problem.sizes, &counted)?;
        for set in tables {
            most = most.max(drawn.beyond(set, &problem.sizes, lambda));
        }
    }
    Some(most / 2.0 / (records as f64).max(1.0))
}

/// The tables that a step is judged by: over the new attribute alone, with each other one, with all, and as measured.
fn tables(step: &Step, measured: &BTreeSet<&Set>) -> Vec<Set> {
    let all = with(&step.known, step.attribute);
    let pairs = step.known.iter().map(|&other| with(&[other], step.attribute));
    let whole = measured
        .iter()
        .filter(|set| set.contains(&step.attribute) && set.iter().all(|a| all.contains(a)))
        .map(|set| (*set).clone());
    let tables: BTreeSet<Set> = pairs.chain(whole).chain([vec![step.attribute], all.clone()]).collect();
    tables.into_iter().collect()
}

fn with(known: &[usize], attribute: usize) -> Set {
    known.iter().copied().chain([attribute]).collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The counts of a step beside what was expected of it, over all that it looks at.
struct Drawn {
    set: Set,
    known: Set,
    counts: Vec<f64>,
    expected: Vec<f64>,
}

impl Drawn {
    fn of(
        step: &Step,
        clique: &Fitted,
        sizes: &[usize],
        counted: &impl Fn(&Set) -> Option<Vec<u64>>,
    ) -> Option<Self> {
        let set = with(&step.known, step.attribute);
        let counts: Vec<f64> = counted(&set)?.into_iter().map(|count| count as f64).collect();
        let joint = Places::of(&clique.set, &set, sizes).sum(&clique.cells);
        let groups = Places::of(&set, &step.known, sizes);
        let (sums, records) = (groups.sum(&joint), groups.sum(&counts));
        // Where nothing is expected of what is drawn already, the attribute is drawn as if by itself.
        let alone = Places::of(&set, &[step.attribute], sizes);
        let lonely = alone.sum(&joint);
        let all: f64 = lonely.iter().sum();
        let shares = joint.iter().zip(alone.spread(&lonely)).zip(groups.spread(&sums));
        let shares = shares.map(|((joint, lonely), sum)| if sum > 0.0 { joint / sum } else { lonely / all });
        let expected = shares.zip(groups.spread(&records)).map(|(share, records)| share * records).collect();
        Some(Self { set, known: step.known.clone(), counts, expected })
    }

    /// By how much the cells of one table are beyond their bounds, in sum.
    fn beyond(&self, set: &Set, sizes: &[usize], lambda: f64) -> f64 {
        let places = Places::of(&self.set, set, sizes);
        let away: Vec<f64> =
            self.counts.iter().zip(&self.expected).map(|(count, expected)| count - expected).collect();
        let groups = Places::of(&self.set, &self.known, sizes);
        let records = groups.sum(&self.counts);
        let there: Vec<f64> = groups.spread(&records).map(|records| f64::from(records > 0.0)).collect();
        let spread: Vec<f64> = self.expected.iter().map(|expected| variance(*expected)).collect();
        let bounds = places.sum(&there).into_iter().zip(places.sum(&spread));
        let bounds = bounds.map(|(groups, spread)| bernstein(spread, lambda).min(groups) + ROUNDED);
        let away = places.sum(&away);
        away.iter().zip(bounds).map(|(away, bound)| (away.abs() - bound).max(0.0)).sum()
    }
}

/// f(1 − f), for the fraction f of a number.
fn variance(expected: f64) -> f64 {
    let fraction = expected - expected.floor();
    fraction * (1.0 - fraction)
}

/// What a sum of independent numbers between −1 and 1 around 0 exceeds with a probability of e^−λ at most.
pub(super) fn bernstein(variance: f64, lambda: f64) -> f64 {
    lambda / 3.0 + (lambda * lambda / 9.0 + 2.0 * variance * lambda).sqrt()
}

#[cfg(test)]
mod tests;

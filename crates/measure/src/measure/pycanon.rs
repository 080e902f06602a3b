//! The figures that pycanon 1.3.6 computes.
//!
//! # Summary
//! pycanon is an independent checker. Several of its functions do not compute what the literature defines; so that
//! the two programs can be compared to the last digit, its figures are given beside ours, under its own name, and
//! nothing in the product decides by them.
//!
//! # Definition
//! As its source has it, for the default `gen=True`. `docs/methods/measure.md` quotes every oddity.
//!
//! | figure | definition |
//! | --- | --- |
//! | alpha, l | as [`crate::measure::alpha`], [`crate::measure::diversity::distinct`] |
//! | entropy l | trunc(min over classes of E^(−Σ q ln q)), in doubles: E is e rounded, so that m equally frequent values mostly give m − 1 |
//! | recursive l | its l, over all attributes given |
//! | recursive c | max over classes of ⌊r_1 / (r_l + … + r_m) + 1⌋, counts *ascending*; none if l = 1 |
//! | t | ordered distance if numeric, else equal distance; none for a numeric attribute with one value |
//! | basic beta | as [`crate::measure::beta::basic`] |
//! | enhanced beta | min(basic β, −ln of the rarest value's share) |
//! | delta | max \|ln(q / p)\| of the values present: the natural logarithm |
//!
//! With several attributes: the worst of each, and c with the joint l.
//!
//! # Errors
//! None. Where pycanon raises or returns NaN, `None`.
//!
//! # Complexity
//! As the measures of the same name.
//!
//! # References
//! J. Sáinz-Pardo Díaz, Á. López García, "A Python library to check the level of anonymity of a dataset",
//! Scientific Data 9, 785, 2022.
//!
//! # Deviations
//! Entropy l repeats pycanon's operations in the same order, but the last bits of `log` and `pow` differ between
//! platforms (and so between runs of pycanon itself): if the real entropy l is within 1e-9 of a whole number, the
//! two may differ by one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::measure::alpha::alpha;
use crate::measure::delta::log_ratio;
use crate::measure::grouped::{distinct_of, size_of};
use crate::measure::{Sensitive, beta, closeness, diversity};

/// pycanon's figures, for one attribute or for all together.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Pycanon {
    /// `alpha_k_anonymity`, its first figure.
    pub alpha: Option<f64>,
    /// `l_diversity`.
    pub l: Option<u64>,
    /// `entropy_l_diversity`.
    pub entropy_l: Option<u64>,
    /// `recursive_c_l_diversity`, its second figure.
    pub recursive_l: Option<u64>,
    /// `recursive_c_l_diversity`, its first figure.
    pub recursive_c: Option<u64>,
    /// `t_closeness`.
    pub t: Option<f64>,
    /// `basic_beta_likeness`.
    pub basic_beta: Option<f64>,
    /// `enhanced_beta_likeness`.
    pub enhanced_beta: Option<f64>,
    /// `delta_disclosure`.
    pub delta: Option<f64>,
}

/// pycanon's figures with one sensitive attribute.
///
/// ```
/// use velamen_measure::measure::{Sensitive, pycanon::alone};
/// let s = Sensitive { classes: vec![vec![(0, 9), (1, 1)], vec![(0, 5), (1, 5)]], ..Sensitive::default() };
/// assert_eq!(alone(&s).recursive_c, Some(2)); // nine against one needs c = 10
/// ```
pub fn alone(sensitive: &Sensitive) -> Pycanon {
    let l = diversity::distinct(sensitive);
    let basic_beta = beta::basic(sensitive);
    Pycanon {
        alpha: alpha(sensitive),
        l,
        entropy_l: entropy_l(sensitive).map(|l| l as u64),
        recursive_l: l,
        recursive_c: l.and_then(|l| recursive_c(sensitive, l)),
        t: t(sensitive),
        basic_beta,
        enhanced_beta: basic_beta.zip(ceiling(sensitive)).map(|(basic, ceiling)| basic.min(ceiling)),
        delta: log_ratio(sensitive, f64::ln),
    }
}

/// pycanon's figures with all these sensitive attributes at once, from those of each [`alone`], in the same order.
pub fn together(attributes: &[Sensitive], figures: &[Pycanon]) -> Pycanon {
    let l = worst(figures, |one| one.l, u64::min);
    let c = |l| attributes.iter().filter_map(|one| recursive_c(one, l)).max();
    Pycanon {
        alpha: worst(figures, |one| one.alpha, f64::max),
        l,
        entropy_l: worst(figures, |one| one.entropy_l, u64::min),
        recursive_l: l,
        recursive_c: l.and_then(c),
        t: worst(figures, |one| one.t, f64::max),
        basic_beta: worst(figures, |one| one.basic_beta, f64::max),
        enhanced_beta: worst(figures, |one| one.enhanced_beta, f64::max),
        delta: worst(figures, |one| one.delta, f64::max),
    }
}

/// None if any attribute has none, as an exception of one ends the whole.
fn worst<T>(figures: &[Pycanon], figure: fn(&Pycanon) -> Option<T>, pick: fn(T, T) -> T) -> Option<T> {
    let figures: Option<Vec<T>> = figures.iter().map(figure).collect();
    figures?.into_iter().reduce(pick)
}

/// Before it is cut to a whole number.
fn entropy_l(sensitive: &Sensitive) -> Option<f64> {
    let classes = sensitive.classes.iter().filter(|class| size_of(class) > 0);
    classes.map(|class| std::f64::consts::E.powf(-negative_entropy(class))).reduce(f64::min)
}

fn negative_entropy(class: &[(u32, u64)]) -> f64 {
    let size = size_of(class) as f64;
    let shares = class.iter().filter(|&&(_, count)| count > 0).map(|&(_, count)| count as f64 / size);
    numpy_sum(&shares.map(|share| share * share.ln()).collect::<Vec<_>>())
}

/// numpy's pairwise summation, in its order.
fn numpy_sum(terms: &[f64]) -> f64 {
    match terms.len() {
        0..8 => terms.iter().fold(0.0, |sum, term| sum + term),
        8..=128 => {
            let (blocks, rest) = terms.as_chunks::<8>();
            let mut r = [0.0; 8];
            for block in blocks {
                r.iter_mut().zip(block).for_each(|(sum, term)| *sum += term);
            }
            let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
            rest.iter().fold(sum, |sum, term| sum + term)
        }
        n => {
            let half = n / 2 - n / 2 % 8;
            numpy_sum(&terms[..half]) + numpy_sum(&terms[half..])
        }
    }
}

/// The rarest value's count is at most each other, so that the quotient is at most 1 and is 1 only if the sum is
/// of one count equal to the rarest: the class has exactly l values, all equally frequent. Then 2, else 1.
fn recursive_c(sensitive: &Sensitive, l: u64) -> Option<u64> {
    let even = |class: &Vec<(u32, u64)>| {
        let mut counts = class.iter().map(|&(_, count)| count).filter(|&count| count > 0);
        let first = counts.next();
        distinct_of(class) == l && counts.all(|count| Some(count) == first)
    };
    (l > 1).then(|| if sensitive.classes.iter().any(even) { 2 } else { 1 })
}

fn t(sensitive: &Sensitive) -> Option<f64> {
    if !sensitive.numeric {
        return closeness::equal(sensitive);
    }
    (sensitive.totals().present() > 1).then(|| closeness::ordered(sensitive)).flatten()
}

/// −ln of the rarest value's share.
fn ceiling(sensitive: &Sensitive) -> Option<f64> {
    let totals = sensitive.totals();
    let rarest = totals.counts.iter().copied().filter(|&count| count > 0).min()?;
    Some((totals.all as f64 / rarest as f64).ln())
}

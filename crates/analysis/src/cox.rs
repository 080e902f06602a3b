//! Cox's proportional hazards.

use crate::design::{Column, Records, Standardized, named};
use crate::estimate::{NotEstimable, Scale};
use crate::linear::{Coefficients, coefficients, dot};
use crate::matrix::Symmetric;

/// Iterations before a fit counts as without end.
const ITERATIONS: u32 = 60;
/// On columns of deviation 1 a coefficient beyond this has no finite estimate.
const SEPARATED: f64 = 25.0;

/// How events of one time are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ties {
    /// Efron's approximation.
    #[default]
    Efron,
    /// Breslow's approximation.
    Breslow,
}

/// The partial likelihood's pieces at one time.
struct Risk {
    sum: f64,
    first: Vec<f64>,
    second: Symmetric,
}

impl Risk {
    fn empty(width: usize) -> Self {
        Self { sum: 0.0, first: vec![0.0; width], second: Symmetric::zero(width) }
    }

    fn add(&mut self, x: &[f64], weight: f64) {
        self.sum += weight;
        for (sum, value) in self.first.iter_mut().zip(x) {
            *sum += weight * value;
        }
        self.second.add_outer(x, weight);
    }
}

/// Records with times, in the order of falling times.
struct Course<'a> {
    times: &'a [f64],
    events: &'a [f64],
    records: &'a Records,
    order: Vec<usize>,
}

/// Hazard ratios; `events` are 0, 1 or shares between them.
///
/// Equal records with an event are tied as often as there are such records, each by its weight: Efron's correction of
/// R's `coxph` for weighted records.
///
/// # Errors
/// [`NotEstimable`] without events, or where no finite estimate exists.
pub fn cox(
    times: &[f64],
    events: &[f64],
    columns: &[Column],
    records: &Records,
    ties: Ties,
) -> Result<Coefficients, NotEstimable> {
    let design = Standardized::new(columns, records, false)?;
    if !(0..events.len()).any(|row| records.mass(row) * events[row] > 0.0) {
        return Err(NotEstimable::Constant);
    }
    let mut order: Vec<usize> = (0..times.len()).filter(|&row| records.mass(row) > 0.0).collect();
    order.sort_by(|a, b| times[*b].total_cmp(&times[*a]));
    let course = Course { times, events, records, order };
    let mut beta = vec![0.0; design.width()];
    for _ in 0..ITERATIONS {
        let (information, score) = course.step(&design, &beta, ties);
        let (inverse, kept) = information.inverse();
        let change = inverse.times(&score);
        for (value, change) in beta.iter_mut().zip(&change) {
            *value += change;
        }
        if !beta.iter().all(|value| value.abs() < SEPARATED) {
            return Err(NotEstimable::Separated);
        }
        if change.iter().all(|change| change.abs() < 1e-11) {
            let unscaled = design.unscaled(&beta, &inverse);
            let facts = (f64::INFINITY, records.total(), Scale::Ratio);
            return Ok(coefficients(&named(columns, false), &unscaled, &kept, facts));
        }
    }
    Err(NotEstimable::NotConverged)
}

impl Course<'_> {
    /// The information and the score at some coefficients.
    fn step(&self, design: &Standardized, beta: &[f64], ties: Ties) -> (Symmetric, Vec<f64>) {
        let width = design.width();
        let (mut information, mut score) = (Symmetric::zero(width), vec![0.0; width]);
        let mut at_risk = Risk::empty(width);
        for tied in self.order.chunk_by(|a, b| self.times[*a] == self.times[*b]) {
            let mut dying = Risk::empty(width);
            let (mut events, mut weight) = (0.0, 0.0);
            for &row in tied {
                let x = &design.rows[row];
                let hazard = dot(x, beta).exp();
                let mass = self.records.mass(row);
                at_risk.add(x, mass * hazard);
                if self.events[row] > 0.0 {
                    let died = mass * self.events[row];
                    dying.add(x, died * hazard);
                    events += self.records.counts[row];
                    weight += died;
                    for (sum, value) in score.iter_mut().zip(x) {
                        *sum += died * value;
                    }
                }
            }
            if events > 0.0 {
                let terms = if ties == Ties::Efron { events.round().max(1.0) as u64 } else { 1 };
                for term in 0..terms {
                    let left = term as f64 / terms as f64;
                    subtract(&mut information, &mut score, (&at_risk, &dying), left, weight / terms as f64);
                }
            }
        }
        information.mirror();
        (information, score)
    }
}

/// One term of the partial likelihood: of those who die, a share is no longer at risk.
fn subtract(
    information: &mut Symmetric,
    score: &mut [f64],
    (at_risk, dying): (&Risk, &Risk),
    left: f64,
    weight: f64,
) {
    let sum = at_risk.sum - left * dying.sum;
    let mean: Vec<f64> =
        at_risk.first.iter().zip(&dying.first).map(|(all, died)| (all - left * died) / sum).collect();
    for row in 0..mean.len() {
        score[row] -= weight * mean[row];
        for column in 0..=row {
            let second = (at_risk.second.at(row, column) - left * dying.second.at(row, column)) / sum;
            let cell = information.at(row, column) + weight * (second - mean[row] * mean[column]);
            information.set(row, column, cell);
        }
    }
}

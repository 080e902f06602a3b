//! The distribution that follows measurements.
//!
//! # Definition
//! The p ≥ 0 with total N̂ of the least Σ ‖μ_m − y_m‖²/(2σ_m²) + τ·KL(p‖p₀): over measurements m, whose tables of p are μ_m.
//! p₀ has independent attributes with shares ∝ max(y, σ/2) of their first measurement alone. N̂ is the inverse-variance mean
//! of the measurements' totals.
//!
//! # How
//! The optimum is p₀·exp Σ θ_m. One measurement after the other gets its best θ while all others stay: with b = μe^−θ and
//! s = τσ², μ ← s·ω(ln(b/s) + (y + λ)/s), where ω + ln ω = x, and λ keeps the total. Where a clique has the measurement's
//! table, only its clique changes; messages tell the others. A sweep tours the tree and passes each message both ways.
//!
//! # Complexity
//! A sweep takes O(cells of cliques · (2 + measurements of each)).
//!
//! # References
//! McKenna, Sheldon and Miklau 2019, "Graphical-model based estimation and inference for differential privacy", for the
//! problem; they solve it by mirror descent. Lauritzen and Spiegelhalter 1988 for the messages.
//!
//! # Deviations
//! Exact block updates instead of gradient steps; p₀ is independent and not uniform; τ is not 0.

use libm::{exp, log};

use crate::margin::Margin;
use crate::tree::Set;
use crate::{Model, wright};

/// τ: what closeness to independent attributes is worth beside the measurements.
const TAU: f64 = 0.01;
/// Newton's steps for λ at most.
const MOST_STEPS: usize = 60;
/// How near a table's total is to N̂, and ω to its solution before the last step.
const NEAR: (f64, f64) = (1e-10, 1e-5);
/// The least expected count that is kept apart from 0.
const LEAST: f64 = 1e-280;

/// Noisy counts over a set of attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The attributes, ascending.
    pub set: Set,
    /// The noisy counts, the last attribute's values fastest.
    pub counts: Vec<f64>,
    /// The variance of each, above 0.
    pub variances: Vec<f64>,
}

impl Measurement {
    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn variance(&self) -> f64 {
        self.variances.iter().sum()
    }
}

/// Measurements, and what is known of their best θ.
#[derive(Debug, Clone)]
pub struct Fit {
    sizes: Vec<usize>,
    tau: f64,
    blocks: Vec<Block>,
}

/// A measurement with its θ.
#[derive(Debug, Clone)]
struct Block {
    measured: Measurement,
    theta: Vec<f64>,
    /// ω of the last update; empty before it.
    omega: Vec<f64>,
    lambda: f64,
}

impl Fit {
    /// Nothing measured yet of attributes with so many values each.
    #[must_use]
    pub fn new(sizes: Vec<usize>) -> Self {
        Self { sizes, tau: TAU, blocks: Vec::new() }
    }

    /// Adds a measurement.
    pub fn measure(&mut self, measured: Measurement) {
        let theta = vec![0.0; measured.counts.len()];
        self.blocks.push(Block { measured, theta, omega: Vec::new(), lambda: 0.0 });
    }

    /// The measurements.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.blocks.iter().map(|block| &block.measured)
    }

    /// N̂, at least 1: the model's total.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.estimate().max(1.0)
    }

    /// The inverse-variance mean of all totals, which noise can bring below 0.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        let weights: f64 = self.measurements().map(|measured| 1.0 / measured.variance()).sum();
        let sum: f64 = self.measurements().map(|measured| measured.total() / measured.variance()).sum();
        sum / weights
    }

    /// The model after sweeps until none moves more than the share `least` of a table, or `most` of them. `check` is asked
    /// before each whether to go on.
    ///
    /// # Errors
    /// What `check` gives.
    pub fn run<E>(
        &mut self,
        most: usize,
        least: f64,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Model, E> {
        let total = self.total();
        let mut model = self.start(total);
        let homes = self.homes(&model);
        for _ in 0..most {
            check()?;
            let moved = match model.root() {
                Some(root) => self.tour(&mut model, &homes, root, total),
                None => 0.0,
            };
            if moved < least {
                break;
            }
        }
        model.descend_all();
        Ok(model)
    }

    /// p₀·exp Σ θ with that total.
    fn start(&self, total: f64) -> Model {
        let sets: Vec<Set> = self.measurements().map(|measured| measured.set.clone()).collect();
        let shares: Vec<Vec<f64>> = (0..self.sizes.len()).map(|attribute| self.shares(attribute)).collect();
        let mut model = Model::independent(&self.sizes, &sets, &shares, total);
        if self.blocks.iter().all(|block| block.omega.is_empty()) {
            return model;
        }
        for (clique, at) in self.homes(&model).into_iter().enumerate() {
            let mut sums = vec![0.0; model.table(clique).len()];
            at.iter().for_each(|(block, margin)| margin.add(&mut sums, &self.blocks[*block].theta));
            let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let cells = model.table_mut(clique).iter_mut().zip(&sums);
            cells.for_each(|(cell, sum)| *cell *= exp(sum - most));
        }
        model.calibrate(total);
        model
    }

    /// p₀ of one attribute.
    fn shares(&self, attribute: usize) -> Vec<f64> {
        let alone = self.measurements().find(|measured| measured.set == [attribute]);
        let weights: Vec<f64> = match alone {
            None => vec![1.0; self.sizes[attribute]],
            Some(Measurement { counts, variances, .. }) => counts
                .iter()
                .zip(variances)
                .map(|(count, variance)| count.max(variance.sqrt() / 2.0))
                .collect(),
        };
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// By clique the measurements that are updated in it, and how it runs through them.
    fn homes(&self, model: &Model) -> Vec<Vec<(usize, Margin)>> {
        let mut homes = vec![Vec::new(); model.tables().count()];
        for (number, block) in self.blocks.iter().enumerate() {
            let home = model.home(&block.measured.set).expect("a measured set is part of a clique");
            homes[home].push((number, model.margin(home, &block.measured.set)));
        }
        homes
    }

    /// Updates a clique and all below it; the largest share of a table that moved.
    fn tour(&mut self, model: &mut Model, homes: &[Vec<(usize, Margin)>], clique: usize, total: f64) -> f64 {
        let mut moved = self.update(model, &homes[clique], clique, total);
        for child in model.children(clique).to_vec() {
            model.descend(child);
            moved = moved.max(self.tour(model, homes, child, total));
            model.rise(child);
        }
        if !model.children(clique).is_empty() {
            moved = moved.max(self.update(model, &homes[clique], clique, total));
        }
        moved
    }

    fn update(&mut self, model: &mut Model, at: &[(usize, Margin)], clique: usize, total: f64) -> f64 {
        let mut most = 0.0f64;
        for (number, margin) in at {
            let mut now = margin.sum(model.table(clique));
            now.iter_mut().for_each(|count| *count = count.max(LEAST));
            let (ratios, moved) = self.blocks[*number].update(&now, self.tau, total);
            margin.multiply(model.table_mut(clique), &ratios);
            most = most.max(moved);
        }
        most
    }
}

impl Block {
    /// The best θ while all others stay: by how much each count of `now` is multiplied, and the share of it that moves.
    fn update(&mut self, now: &[f64], tau: f64, total: f64) -> (Vec<f64>, f64) {
        let scales: Vec<f64> = self.measured.variances.iter().map(|variance| tau * variance).collect();
        // ln(b/s) + y/s, where b = μe^−θ.
        let cells = now.iter().zip(&self.theta).zip(&self.measured.counts).zip(&scales);
        let known: Vec<f64> =
            cells.map(|(((now, theta), count), scale)| log(now / scale) - theta + count / scale).collect();
        self.solve(&known, &scales, total);
        let mut moved = 0.0;
        let mut ratios = Vec::with_capacity(now.len());
        for (((&now, &omega), &scale), theta) in now.iter().zip(&self.omega).zip(&scales).zip(&mut self.theta)
        {
            let next = (scale * omega).max(LEAST);
            moved += (next - now).abs();
            *theta += log(next / now);
            ratios.push(next / now);
        }
        (ratios, moved / total)
    }

    /// ω and λ with Σ s·ω = N̂ and ω + ln ω = known + λ/s: a step for each ω and one for λ, by turns.
    fn solve(&mut self, known: &[f64], scales: &[f64], total: f64) {
        if self.omega.is_empty() {
            self.omega = known.iter().map(|&x| wright::from_below(x)).collect();
        }
        for _ in 0..MOST_STEPS {
            let (mut sum, mut slope, mut far) = (0.0, 0.0, 0.0f64);
            for ((omega, &x), &scale) in self.omega.iter_mut().zip(known).zip(scales) {
                let (next, distance) = wright::step(*omega, x + self.lambda / scale);
                *omega = next;
                far = far.max(distance);
                sum += scale * next;
                slope += next / (1.0 + next);
            }
            let missing = total - sum;
            if far < NEAR.1 && missing.abs() < NEAR.0 * total {
                break;
            }
            self.lambda += missing / slope.max(LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(fit: &mut Fit, sweeps: usize) -> Model {
        fit.run(sweeps, 1e-13, || Ok::<(), ()>(())).unwrap()
    }

    fn pseudo(number: usize) -> f64 {
        ((number * 7919 + 13) % 101) as f64
    }

    fn measured(set: Set, sizes: &[usize], variance: f64) -> Measurement {
        let len: usize = set.iter().map(|&a| sizes[a]).product();
        let all: f64 = (0..len).map(|cell| pseudo(cell + set[0] * 31)).sum();
        let counts = (0..len).map(|cell| 1000.0 * pseudo(cell + set[0] * 31) / all).collect();
        Measurement { set, counts, variances: vec![variance; len] }
    }

    /// What maximum entropy gives on the whole table: p₀·exp Σ (y − μ)/s by brute force, with that total.
    fn by_brute_force(fit: &Fit, model: &Model) -> Vec<f64> {
        let all: Set = (0..fit.sizes.len()).collect();
        let mut logs = vec![0.0; fit.sizes.iter().product()];
        for a in &all {
            let shares: Vec<f64> = fit.shares(*a).iter().map(|share| share.ln()).collect();
            Margin::of(&all, &vec![*a], &fit.sizes).add(&mut logs, &shares);
        }
        for m in fit.measurements() {
            let fitted = model.marginal(&m.set).unwrap();
            let cells = m.counts.iter().zip(&fitted).zip(&m.variances);
            let theta: Vec<f64> = cells.map(|((y, mu), variance)| (y - mu) / (fit.tau * variance)).collect();
            Margin::of(&all, &m.set, &fit.sizes).add(&mut logs, &theta);
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        logs.iter().map(|log| fit.total() * (log - most).exp() / sum).collect()
    }

    /// At the optimum, and only there, the gradient's table has the model's marginals.
    fn is_optimal(fit: &Fit, model: &Model) {
        let all: Set = (0..fit.sizes.len()).collect();
        let whole = by_brute_force(fit, model);
        for m in fit.measurements() {
            let fitted = model.marginal(&m.set).unwrap();
            let expected = Margin::of(&all, &m.set, &fit.sizes).sum(&whole);
            for (fitted, expected) in fitted.iter().zip(&expected) {
                assert!((fitted - expected).abs() < 1e-4 * fit.total(), "{:?}: {fitted} {expected}", m.set);
            }
        }
    }

    #[test]
    fn it_is_the_maximum_of_entropy_by_brute_force() {
        let sizes = vec![4, 3, 2, 2];
        let mut fit = Fit::new(sizes.clone());
        for set in [vec![0], vec![1], vec![2], vec![3], vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3]] {
            fit.measure(measured(set, &sizes, 400.0));
        }
        let model = run(&mut fit, 5000);
        is_optimal(&fit, &model);
        assert_eq!(model.tables().map(|(_, cells)| cells.len()).collect::<Vec<_>>().len(), 2);
    }

    #[test]
    fn a_fit_goes_on_from_where_it_was() {
        let sizes = vec![4, 3, 2, 2];
        let mut fit = Fit::new(sizes.clone());
        for set in [vec![0], vec![1], vec![2], vec![3], vec![0, 1]] {
            fit.measure(measured(set, &sizes, 400.0));
        }
        run(&mut fit, 300);
        // A clique more: the whole table is loaded again.
        fit.measure(measured(vec![1, 3], &sizes, 100.0));
        fit.measure(measured(vec![0, 3], &sizes, 900.0));
        let model = run(&mut fit, 5000);
        is_optimal(&fit, &model);
    }

    /// Without entropy it is the least squares of the measurements, where these are positive.
    #[test]
    fn on_a_tree_it_tends_to_least_squares() {
        let sizes = vec![3, 2, 3];
        let mut fit = Fit { tau: 1e-3, ..Fit::new(sizes.clone()) };
        let sets: [(Set, f64); 5] =
            [(vec![0], 4.0), (vec![1], 9.0), (vec![2], 4.0), (vec![0, 1], 25.0), (vec![1, 2], 16.0)];
        for (set, variance) in sets {
            let len: usize = set.iter().map(|&a| sizes[a]).product();
            let counts = (0..len).map(|cell| 1000.0 / len as f64 + pseudo(cell) / 20.0).collect();
            fit.measure(Measurement { set, counts, variances: vec![variance; len] });
        }
        let model = run(&mut fit, 20_000);
        let all: Set = vec![0, 1, 2];
        // Descent along the gradient over the whole table, its total kept.
        let mut cells = vec![fit.total() / 18.0; 18];
        for _ in 0..60_000 {
            let mut gradient = vec![0.0; 18];
            for m in fit.measurements() {
                let margin = Margin::of(&all, &m.set, &sizes);
                let sums = margin.sum(&cells);
                let away: Vec<f64> =
                    sums.iter().zip(&m.counts).zip(&m.variances).map(|((a, y), v)| (a - y) / v).collect();
                margin.add(&mut gradient, &away);
            }
            let mean = gradient.iter().sum::<f64>() / 18.0;
            cells.iter_mut().zip(&gradient).for_each(|(cell, slope)| *cell -= 0.1 * (slope - mean));
        }
        for m in fit.measurements() {
            let expected = Margin::of(&all, &m.set, &sizes).sum(&cells);
            let found = model.marginal(&m.set).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                // The pull of τ: a standard deviation here is 2 to 5.
                assert!((found - expected).abs() < 0.3, "{:?}: {found} {expected}", m.set);
            }
        }
    }

    #[test]
    fn tables_agree_and_have_the_total() {
        let sizes = vec![4, 3, 2, 5];
        let mut fit = Fit::new(sizes.clone());
        for set in [vec![0], vec![0, 1], vec![1, 2], vec![1, 3]] {
            fit.measure(measured(set, &sizes, 50.0));
        }
        let model = run(&mut fit, 200);
        let first = model.marginal(&vec![1]).unwrap();
        for (set, cells) in model.tables() {
            assert!((cells.iter().sum::<f64>() - fit.total()).abs() < 1e-6 * fit.total());
            if set.contains(&1) {
                let again = Margin::of(set, &vec![1], &sizes).sum(cells);
                assert!(first.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-6), "{set:?}");
            }
        }
        assert_eq!(model.marginal(&vec![0, 2]), None);
    }

    #[test]
    fn extreme_variances_are_fitted() {
        for variance in [1e-4, 1e12] {
            let sizes = vec![3, 2];
            let mut fit = Fit::new(sizes.clone());
            let counts = vec![0.0, 1000.0, 0.0, 0.0, 3.0, 500.0];
            fit.measure(Measurement {
                set: vec![0],
                counts: vec![1000.0, 0.0, 503.0],
                variances: vec![variance; 3],
            });
            fit.measure(Measurement {
                set: vec![0, 1],
                counts: counts.clone(),
                variances: vec![variance; 6],
            });
            let model = run(&mut fit, 200);
            let fitted = model.marginal(&vec![0, 1]).unwrap();
            assert!(fitted.iter().all(|count| count.is_finite() && *count >= 0.0));
            if variance < 1.0 {
                assert!(fitted.iter().zip(&counts).all(|(a, b)| (a - b).abs() < 0.1), "{fitted:?}");
            }
        }
    }

    #[test]
    fn a_wish_to_stop_is_heard() {
        let mut fit = Fit::new(vec![2]);
        fit.measure(measured(vec![0], &[2], 1.0));
        assert_eq!(fit.run(9, 0.0, || Err("stop")).unwrap_err(), "stop");
    }
}

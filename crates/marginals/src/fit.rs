//! The distribution that follows measurements.
//!
//! # Definition
//! The p ≥ 0 with total N̂ of the least Σ ‖μ_m − y_m‖²/(2σ_m²) + τ·KL(p‖p₀): over measurements m, whose tables of p are μ_m.
//! p₀ has independent attributes with shares ∝ max(y, σ/2) of their first measurement alone. N̂ is the inverse-variance mean
//! of the measurements' totals. Where combinations are [forbidden](Fit::forbid), p₀ is 0, and so is p.
//!
//! # How
//! The optimum is p₀·exp Σ θ_m, where θ_m = (y_m − μ_m)/(τσ_m²). One measurement after the other gets its best θ while all others
//! stay ([`Block`]). Where a clique has the measurement's table, only its clique changes; messages go to the others. A sweep
//! tours the tree and passes each message both ways. Before it, θ is shared between measurements that have an attribute in common
//! ([`agree`]): without that, sweeps move less and less long before they are near the optimum.
//!
//! # Complexity
//! A sweep takes O(cells of cliques · (2 + measurements of each)); some tens of sweeps come as near as numbers of 64 bits are.
//!
//! # References
//! McKenna, Sheldon and Miklau 2019, "Graphical-model based estimation and inference for differential privacy", for the
//! problem; they solve it by mirror descent. Lauritzen and Spiegelhalter 1988 for the messages.
//!
//! # Deviations
//! Updates of whole blocks instead of gradient steps; p₀ is independent and not uniform; τ is not 0.

use libm::exp;

use crate::Model;
use crate::agreed::agree;
use crate::block::Block;
use crate::margin::Margin;
use crate::measurement::Measurement;
use crate::station::Station;
use crate::tree::{self, Set};

/// τ: what closeness to independent attributes is worth beside the measurements.
const TAU: f64 = 0.01;

/// Measurements, and what is known of their best θ.
#[derive(Debug, Clone)]
pub struct Fit {
    sizes: Vec<usize>,
    tau: f64,
    measured: Vec<Measurement>,
    /// One for each set.
    blocks: Vec<Block>,
    /// Combinations that have no record: a set, and which of its cells.
    zeros: Vec<(Set, Vec<bool>)>,
}

impl Fit {
    /// Nothing measured yet of attributes with so many values each.
    #[must_use]
    pub fn new(sizes: Vec<usize>) -> Self {
        Self { sizes, tau: TAU, measured: Vec::new(), blocks: Vec::new(), zeros: Vec::new() }
    }

    /// Adds a measurement. Those of one set are fitted as their mean: one after the other they would take very many sweeps.
    pub fn measure(&mut self, measured: Measurement) {
        self.measured.push(measured.clone());
        if let Some(block) = self.blocks.iter_mut().find(|block| block.measured.set == measured.set) {
            block.average(&measured, self.tau);
            return;
        }
        self.blocks.push(Block::new(measured, self.tau));
    }

    /// Lets no record be in these cells of a table over a set, the last attribute's values fastest. Its attributes share a clique
    /// from now on.
    pub fn forbid(&mut self, set: Set, barred: Vec<bool>) {
        self.zeros.push((set, barred));
    }

    /// Whether some combination of all attributes is in no forbidden cell.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.zeros.is_empty() || self.prior(1.0).rise_all() > 0.0
    }

    /// The sets that share a clique: those measured, and those with forbidden cells.
    #[must_use]
    pub fn sets(&self) -> Vec<Set> {
        let zeros = self.zeros.iter().map(|(set, _)| set.clone());
        self.measurements().map(|measured| measured.set.clone()).chain(zeros).collect()
    }

    /// The cells of the tree if these sets were measured, too.
    #[must_use]
    pub fn cells_with(&self, more: &[Set]) -> f64 {
        let sets: Vec<Set> = self.sets().into_iter().chain(more.iter().cloned()).collect();
        tree::cliques(&sets, &self.sizes).iter().map(|set| tree::cells(set, &self.sizes) as f64).sum()
    }

    /// The measurements.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.measured.iter()
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
            agree(&mut self.blocks, &self.sizes, total);
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

    /// Independent attributes, and 0 in forbidden cells.
    fn prior(&self, total: f64) -> Model {
        let shares: Vec<Vec<f64>> = (0..self.sizes.len()).map(|attribute| self.shares(attribute)).collect();
        let mut model = Model::independent(&self.sizes, &self.sets(), &shares, total);
        for (set, barred) in &self.zeros {
            let Some(home) = model.home(set) else { continue };
            let kept: Vec<f64> = barred.iter().map(|&barred| f64::from(!barred)).collect();
            let margin = model.margin(home, set);
            margin.multiply(model.table_mut(home), &kept);
            model.keep(set, kept);
        }
        model
    }

    /// p₀·exp Σ θ with that total.
    fn start(&mut self, total: f64) -> Model {
        let mut model = self.prior(total);
        if !self.zeros.is_empty() {
            model.calibrate(total);
            self.bar(&model);
        }
        if self.blocks.iter().all(Block::is_new) {
            return model;
        }
        let open = model.positive();
        for (clique, at) in self.homes(&model).into_iter().enumerate() {
            let mut sums = vec![0.0; model.table(clique).len()];
            at.iter().for_each(|(station, margin)| margin.add(&mut sums, &station.theta(&self.blocks)));
            let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let cells = model.table_mut(clique).iter_mut().zip(&sums);
            cells.for_each(|(cell, sum)| *cell *= exp(sum - most));
        }
        model.calibrate(total);
        if model.positive() < open {
            // Too far apart for numbers of 64 bits: what became 0 would stay so.
            self.blocks.iter_mut().for_each(Block::forget);
            return self.start(total);
        }
        model
    }

    /// Notes the cells of measured tables that p₀ has no record in: no share is 0, so nothing else makes one of them 0.
    fn bar(&mut self, prior: &Model) {
        for block in &mut self.blocks {
            let cells = prior.marginal(&block.measured.set).unwrap_or_default();
            block.bar(cells.iter().map(|&cell| cell == 0.0).collect());
        }
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

    /// By clique the stations that are updated in it.
    fn homes(&self, model: &Model) -> Vec<Vec<(Station, Margin)>> {
        let mut homes = vec![Vec::new(); model.tables().count()];
        for station in Station::all(&self.blocks, &self.sizes) {
            let home = model.home(&station.set).expect("a measured set is part of a clique");
            let margin = model.margin(home, &station.set);
            homes[home].push((station, margin));
        }
        homes
    }

    /// Updates a clique and all below it; the largest share of a table that moved.
    fn tour(
        &mut self,
        model: &mut Model,
        homes: &[Vec<(Station, Margin)>],
        clique: usize,
        total: f64,
    ) -> f64 {
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

    fn update(&mut self, model: &mut Model, at: &[(Station, Margin)], clique: usize, total: f64) -> f64 {
        let mut most = 0.0f64;
        for (station, margin) in at {
            let mut counts = margin.sum(model.table(clique));
            let before = counts.clone();
            most = most.max(station.update(&mut counts, &mut self.blocks, total));
            let ratio = |(now, before): (&f64, &f64)| if *before > 0.0 { now / before } else { 1.0 };
            let ratios: Vec<f64> = counts.iter().zip(&before).map(ratio).collect();
            margin.multiply(model.table_mut(clique), &ratios);
        }
        most
    }
}

#[cfg(test)]
mod tests;

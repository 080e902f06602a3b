//! One measurement's θ, and its best value while all others stay.
//!
//! At the optimum of a block θ = (y − μ)/s, and μ is what it was, times e^(θ − θ_old), times one factor that keeps the total.
//! With ω = μ/s and r = (y − μ)/s − θ, a Newton's step in ln μ is (r + κ)/(1 + ω), where κ is such that the total stays.

use libm::exp;

use crate::measurement::Measurement;
use crate::wright;

/// Newton's steps of an update at most: later updates go on.
const MOST_STEPS: usize = 8;
/// A step in ln μ beyond which it is not Newton's but solved exactly, and another one follows.
const FAR: f64 = 0.5;
/// The steps of an exact solution.
const EXACT_STEPS: usize = 4;
/// The least ω that is kept apart from 0, and the deepest fall of ln μ in a step: a count that became 0 would stay so.
const LEAST: (f64, f64) = (1e-280, -40.0);

/// A measurement with its θ.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) measured: Measurement,
    pub(crate) theta: Vec<f64>,
    /// s = τσ².
    pub(crate) scales: Vec<f64>,
    /// The cells that no record can be in; empty where there are none.
    barred: Vec<bool>,
}

impl Block {
    pub(crate) fn new(measured: Measurement, tau: f64) -> Self {
        let (theta, scales) = (vec![0.0; measured.counts.len()], scales(&measured, tau));
        Self { measured, theta, scales, barred: Vec::new() }
    }

    /// Takes another measurement of the same set in.
    pub(crate) fn average(&mut self, other: &Measurement, tau: f64) {
        self.measured.average(other);
        self.scales = scales(&self.measured, tau);
    }

    /// Notes the cells that no record can be in.
    pub(crate) fn bar(&mut self, barred: Vec<bool>) {
        self.barred = barred;
    }

    /// Lets θ be as it began.
    pub(crate) fn forget(&mut self) {
        self.theta.fill(0.0);
    }

    /// Whether θ is as it began.
    pub(crate) fn is_new(&self) -> bool {
        self.theta.iter().all(|theta| *theta == 0.0)
    }

    pub(crate) fn is_barred(&self, cell: usize) -> bool {
        self.barred.get(cell).copied().unwrap_or(false)
    }

    /// The cells that records can be in.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> {
        (0..self.theta.len()).filter(|&cell| !self.is_barred(cell))
    }

    /// Brings θ to its best while all others stay: by how much each count of `now` is multiplied, and the share of `total` that
    /// moves.
    pub(crate) fn update(&mut self, now: &[f64], total: f64) -> (Vec<f64>, f64) {
        let mut next = now.to_vec();
        for _ in 0..MOST_STEPS {
            if self.step(&mut next, total) <= FAR {
                break;
            }
        }
        let moved: f64 = next.iter().zip(now).map(|(next, now)| (next - now).abs()).sum();
        let ratio = |(next, &now): (f64, &f64)| if now > 0.0 { next / now } else { 1.0 };
        (next.into_iter().zip(now).map(ratio).collect(), moved / total)
    }

    /// A step of all counts, with that total; the largest step in ln μ.
    fn step(&mut self, counts: &mut [f64], total: f64) -> f64 {
        let (common, mut far, mut sum) = (self.common(counts), 0.0f64, 0.0);
        for (cell, count) in counts.iter_mut().enumerate() {
            if self.is_barred(cell) {
                continue;
            }
            let (omega, gain) = (*count / self.scales[cell], self.gain(cell, *count) + common);
            let newton = gain / (1.0 + omega);
            far = far.max(newton.abs());
            let rise = if newton.abs() <= FAR { newton } else { exact(omega, gain) };
            *count *= exp(rise);
            sum += *count;
            self.theta[cell] += rise - common;
        }
        counts.iter_mut().for_each(|count| *count *= total / sum);
        far
    }

    /// r.
    fn gain(&self, cell: usize, count: f64) -> f64 {
        (self.measured.counts[cell] - count) / self.scales[cell] - self.theta[cell]
    }

    /// κ: Σ μ·(r + κ)/(1 + ω) = 0.
    fn common(&self, counts: &[f64]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for cell in self.open() {
            let weight = counts[cell] / (1.0 + counts[cell] / self.scales[cell]);
            sum += weight * self.gain(cell, counts[cell]);
            weights += weight;
        }
        if weights > 0.0 { -sum / weights } else { 0.0 }
    }
}

fn scales(measured: &Measurement, tau: f64) -> Vec<f64> {
    measured.variances.iter().map(|variance| tau * variance).collect()
}

/// The step in ln ω that ends where the sum of both steps, in ω and ln ω, is `gain`.
fn exact(omega: f64, gain: f64) -> f64 {
    let omega = omega.max(LEAST.0);
    let x = omega + libm::log(omega) + gain;
    let solved = (0..EXACT_STEPS).fold(wright::from_below(x), |omega, _| wright::step(omega, x));
    libm::log(solved / omega).max(LEAST.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share that moves is that of all records who change their cell, counted twice; barred cells stay.
    #[test]
    fn an_update_says_how_much_it_moves() {
        let measured =
            Measurement { set: vec![0], counts: vec![30.0, 50.0, 20.0], variances: vec![400.0; 3] };
        let mut block = Block::new(measured, 0.01);
        block.bar(vec![false, false, true]);
        let now = [60.0, 40.0, 0.0];
        let (ratios, moved) = block.update(&now, 100.0);
        let next: Vec<f64> = now.iter().zip(&ratios).map(|(now, ratio)| now * ratio).collect();
        assert!((next.iter().sum::<f64>() - 100.0).abs() < 1e-9 && ratios[2] == 1.0, "{ratios:?}");
        let away: f64 = now.iter().zip(&next).map(|(now, next)| (now - next).abs()).sum();
        assert!((moved - away / 100.0).abs() < 1e-12 && moved > 0.1, "{moved} {away}");
        // At its best, where nothing moves, both cells have θ = (y − μ)/s, but for one number.
        let mut counts = next;
        for _ in 0..20 {
            let (ratios, _) = block.update(&counts, 100.0);
            counts.iter_mut().zip(ratios).for_each(|(count, ratio)| *count *= ratio);
        }
        let beyond = [0, 1].map(|cell| block.gain(cell, counts[cell]));
        assert!((beyond[0] - beyond[1]).abs() < 1e-9, "{beyond:?}");
    }
}

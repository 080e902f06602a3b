//! Pitman's model by maximum likelihood.
//!
//! # Definition
//! Pitman's sampling formula with 0 ≤ α < 1 and θ > −α gives class sizes the log-likelihood, up to a
//! constant,
//!
//!   L = Σ ln(θ + iα) (i < u) − Σ ln(θ + i) (i < n) + Σⱼ sⱼ Σ ln(i − α) (i < j), all from i = 1.
//!
//! At its maximum, S₁ = E S₁ = N · Γ(θ + α + N − 1)Γ(θ + 1)/(Γ(θ + α)Γ(θ + N)).
//!
//! For a given α, ∂L/∂θ falls from +∞ at θ = −α below 0, if 1 < u < n: bisection gives θ(α). Along it
//! the derivative of L is ∂L/∂α, which is −∞ at α = 1, since a class has two records: bisection again,
//! or α = 0 (Ewens' formula) if it is not positive there.
//!
//! # References
//! Hoshino 2001, "Applying Pitman's sampling formula to microdata disclosure risk assessment";
//! Pitman 1995; Dankar et al. 2012, Appendix A.

use super::Sample;
use super::difference::{harmonic, ln_gamma_step};

const BISECTIONS: usize = 70;
/// ln(θ + α) is between minus and plus this.
const REACH: f64 = 60.0;

/// The parameters, with θ + α in place of θ: that is positive, and exact where it is near 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    pub(super) sum: f64,
    pub(super) alpha: f64,
}

/// The estimate; `None` where the likelihood has no maximum (all records unique).
pub(super) fn uniques(sample: &Sample) -> Option<f64> {
    fit(sample).map(|parameters| parameters.expected(sample.population as f64))
}

/// The parameters of greatest likelihood; `None` where there are none.
pub(super) fn fit(sample: &Sample) -> Option<Parameters> {
    let likelihood = Likelihood { sample, n: sample.records as f64, u: sample.classes as f64 };
    if sample.classes < 2 || sample.classes == sample.records {
        return None;
    }
    let slope = |alpha: f64| likelihood.slope_of_alpha(likelihood.best(alpha));
    let alpha = if slope(0.0) <= 0.0 { 0.0 } else { last_positive(0.0, 1.0, slope) };
    Some(likelihood.best(alpha))
}

impl Parameters {
    /// E S₁ in a population of this size.
    fn expected(self, population: f64) -> f64 {
        let shift = 1.0 - self.alpha;
        let ln_ratio = ln_gamma_step(self.sum, shift) - ln_gamma_step(self.sum + population - 1.0, shift);
        population * ln_ratio.exp()
    }
}

struct Likelihood<'a> {
    sample: &'a Sample,
    n: f64,
    u: f64,
}

impl Likelihood<'_> {
    /// The θ that is best for this α.
    fn best(&self, alpha: f64) -> Parameters {
        let at = |ln_sum: f64| Parameters { sum: ln_sum.exp(), alpha };
        at(last_positive(-REACH, REACH, |ln_sum| self.slope_of_theta(at(ln_sum))))
    }

    /// ∂L/∂θ.
    fn slope_of_theta(&self, at: Parameters) -> f64 {
        self.reciprocals(at) - harmonic(at.sum + 1.0 - at.alpha, self.n - 1.0)
    }

    /// ∂L/∂α.
    fn slope_of_alpha(&self, at: Parameters) -> f64 {
        let grown =
            |(&size, &classes): (&u64, &u64)| classes as f64 * harmonic(1.0 - at.alpha, (size - 1) as f64);
        let sizes: f64 = self.sample.sizes.iter().map(grown).sum();
        self.reciprocals(at) + self.weighted(at) - sizes
    }

    /// Σ 1/(θ + α + iα) for i = 0 … u − 2.
    fn reciprocals(&self, at: Parameters) -> f64 {
        let count = self.u - 1.0;
        if at.is_flat(count) {
            return count / at.sum * (1.0 - at.alpha * (count - 1.0) / (2.0 * at.sum));
        }
        harmonic(at.sum / at.alpha, count) / at.alpha
    }

    /// Σ i/(θ + α + iα) for i = 0 … u − 2.
    fn weighted(&self, at: Parameters) -> f64 {
        let count = self.u - 1.0;
        if at.is_flat(count) {
            let slope = at.alpha * (2.0 * count - 1.0) / (3.0 * at.sum);
            return count * (count - 1.0) / (2.0 * at.sum) * (1.0 - slope);
        }
        (count - at.sum * self.reciprocals(at)) / at.alpha
    }
}

impl Parameters {
    /// Whether the sums are those of two terms of a series in α, to 10⁻¹⁰; dividing by so small an
    /// α would lose what is left.
    fn is_flat(self, count: f64) -> bool {
        self.alpha * count <= 1e-5 * self.sum
    }
}

/// Where a function that is positive at `low` and not at `high` changes its sign.
fn last_positive(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

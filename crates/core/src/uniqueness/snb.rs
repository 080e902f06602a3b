//! The slide negative binomial estimator.
//!
//! # Definition
//! The population has K classes of sizes 1 + X, X negative binomial with P(X = 0) = b^a. So S₁ = K·b^a. A
//! record is in the sample with probability π; with r = (1 − π)(1 − b) and D = 1 − r,
//!
//!   E s₁ = Kπ (b/D)^a (1 + a·r/D),   E s₂ = Kπ² (b/D)^a · a(1 − b)(2 − (1 − a)r)/(2D²).
//!
//! K is Shlosser's estimate, K = u + s₁ Σ (1 − π)^i sᵢ/Σ iπ(1 − π)^(i − 1) sᵢ; a and b solve both
//! equations for the observed s₁ and s₂.
//!
//! E s₂/E s₁ grows with a, and for a given b is a quadratic equation in it; so b alone is searched,
//! on a grid from 1 downwards, then by bisection. Where nothing solves them (s₂ = 0, or sizes that
//! vary less than Poisson's) there is no estimate.
//!
//! # References
//! Chen and Keller-McNulty 1998, "Estimation of identification disclosure risk in microdata";
//! Shlosser 1981; Dankar et al. 2012, Appendix A.

use super::Sample;

/// b is searched for as 1/(1 + e^t) for t from −REACH to REACH.
const REACH: i32 = 25;
const STEPS_PER_UNIT: i32 = 4;
const BISECTIONS: usize = 60;

/// The estimate, or `None` if no parameters fit.
pub(super) fn uniques(sample: &Sample) -> Option<f64> {
    Equations::new(sample)?.solved()
}

struct Equations {
    /// π.
    fraction: f64,
    /// K.
    classes: f64,
    ones: f64,
    twos: f64,
}

impl Equations {
    fn new(sample: &Sample) -> Option<Self> {
        let (ones, twos) = (sample.of_size(1) as f64, sample.of_size(2) as f64);
        let usable = ones > 0.0 && twos > 0.0;
        usable.then(|| Self { fraction: sample.fraction(), classes: shlosser(sample), ones, twos })
    }

    /// K·b^a for the largest b that solves both.
    fn solved(&self) -> Option<f64> {
        let last = 2 * REACH * STEPS_PER_UNIT;
        let point = |i: i32| f64::from(i) / f64::from(STEPS_PER_UNIT) - f64::from(REACH);
        let start = (0..last).find(|&i| self.changes_sign(point(i), point(i + 1)))?;
        let logit = self.root(point(start), point(start + 1));
        Some(self.classes * (-self.a(logit) * logit.exp().ln_1p()).exp())
    }

    /// Whether a solution lies between two points.
    fn changes_sign(&self, from: f64, to: f64) -> bool {
        let (from, to) = (self.excess(from), self.excess(to));
        from.is_finite() && to.is_finite() && from * to <= 0.0
    }

    /// 1 − b and D for b = 1/(1 + e^t).
    fn parts(&self, logit: f64) -> (f64, f64) {
        let rest = 1.0 / (1.0 + (-logit).exp());
        (rest, 1.0 - (1.0 - self.fraction) * rest)
    }

    /// The a for which E s₂/E s₁ is as observed: with ρ = 2D s₂/(s₁π(1 − b)), the positive root of
    /// r·a² + (D + 1 − ρr)a − ρD = 0.
    fn a(&self, logit: f64) -> f64 {
        let (rest, d) = self.parts(logit);
        let r = 1.0 - d;
        let rho = 2.0 * d * self.twos / (self.ones * self.fraction * rest);
        let middle = d + 1.0 - rho * r;
        let root = (middle * middle + 4.0 * r * rho * d).sqrt();
        if middle > 0.0 { 2.0 * rho * d / (middle + root) } else { (root - middle) / (2.0 * r) }
    }

    /// ln of E s₁ over s₁.
    fn excess(&self, logit: f64) -> f64 {
        let (_, d) = self.parts(logit);
        let a = self.a(logit);
        let ln_ratio = -logit.exp().ln_1p() - d.ln();
        (self.classes * self.fraction / self.ones).ln() + a * ln_ratio + (a * (1.0 - d) / d).ln_1p()
    }

    fn root(&self, mut low: f64, mut high: f64) -> f64 {
        let sign = self.excess(low) > 0.0;
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            if (self.excess(middle) > 0.0) == sign {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high)
    }
}

/// Shlosser's estimate of the number of classes in the population.
fn shlosser(sample: &Sample) -> f64 {
    let pi = sample.fraction();
    let missed = |size: u64| (1.0 - pi).powf(size as f64);
    let (mut unseen, mut once) = (0.0, 0.0);
    for (&size, &classes) in &sample.sizes {
        unseen += missed(size) * classes as f64;
        once += size as f64 * pi * missed(size - 1) * classes as f64;
    }
    sample.classes as f64 + sample.of_size(1) as f64 * unseen / once
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E s₁ and E s₂ by summing over the sizes of the population.
    fn expected(classes: f64, a: f64, b: f64, fraction: f64) -> [f64; 2] {
        let mut probability = b.powf(a);
        let mut sums = [0.0; 2];
        for extra in 0..5000 {
            let size = f64::from(extra + 1);
            let once = size * fraction * (1.0 - fraction).powf(size - 1.0);
            let twice = size * (size - 1.0) / 2.0 * fraction.powi(2) * (1.0 - fraction).powf(size - 2.0);
            sums = [sums[0] + probability * once, sums[1] + probability * twice];
            probability *= (a + f64::from(extra)) / size * (1.0 - b);
        }
        sums.map(|sum| sum * classes)
    }

    #[test]
    fn the_equations_are_those_of_the_model_and_are_solved() {
        for (a, b, fraction) in [(1.0, 0.25, 0.1), (0.3, 0.1, 0.5), (5.0, 0.6, 0.3), (2.0, 0.05, 0.8)] {
            let [ones, twos] = expected(1000.0, a, b, fraction);
            let equations = Equations { fraction, classes: 1000.0, ones, twos };
            let logit = ((1.0 - b) / b).ln();
            assert!((equations.a(logit) - a).abs() < 1e-9 * a, "({a}, {b})");
            assert!(equations.excess(logit).abs() < 1e-9, "({a}, {b})");
            let found = equations.solved().unwrap();
            assert!((found / (1000.0 * b.powf(a)) - 1.0).abs() < 1e-6, "({a}, {b}): {found}");
        }
    }

    #[test]
    fn what_no_parameters_fit_has_no_estimate() {
        assert_eq!(uniques(&Sample::new(&[(1, 5), (3, 1)], 100).unwrap()), None);
        // 2 % of a population of geometric class sizes of mean 5.
        let small = Sample::new(&[(1, 1653), (2, 150), (3, 14), (4, 1)], 100_000).unwrap();
        assert_eq!(uniques(&small), None);
    }
}

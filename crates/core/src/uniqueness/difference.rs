//! Differences of the digamma and log-gamma functions, without the cancellation that the
//! difference of two large values has.

/// From here on the asymptotic series are exact to some 10⁻¹³.
const LARGE: f64 = 16.0;

/// Σ 1/(x + i) for i = 0 … count − 1, that is ψ(x + count) − ψ(x), for x > 0.
pub(super) fn harmonic(mut x: f64, count: f64) -> f64 {
    let end = x + count;
    let mut sum = 0.0;
    let mut left = count;
    while x < LARGE && left >= 1.0 {
        sum += 1.0 / x;
        x += 1.0;
        left -= 1.0;
    }
    if left < 1.0 {
        return sum;
    }
    let (a, b) = (x.powi(-2), end.powi(-2));
    let series = |s: f64| s * (1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s / 240.0)));
    sum + (left / x).ln_1p() + left / (2.0 * x * end) + series(a) - series(b)
}

/// ln Γ(x + shift) − ln Γ(x) for x > 0 and 0 ≤ shift ≤ 1.
pub(super) fn ln_gamma_step(mut x: f64, shift: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum -= (shift / x).ln_1p();
        x += 1.0;
    }
    let series = |x: f64| (1.0 / 12.0 - (1.0 / 360.0 - x.powi(-2) / 1260.0) * x.powi(-2)) / x;
    sum + (x - 0.5) * (shift / x).ln_1p() + shift * (x + shift).ln() - shift + series(x + shift) - series(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmonic_is_the_sum() {
        for x in [1e-6, 0.3, 1.0, 15.5, 40.0, 1e9] {
            for count in [0u32, 1, 2, 17, 1000] {
                let plain: f64 = (0..count).map(|i| 1.0 / (x + f64::from(i))).sum();
                let found = harmonic(x, f64::from(count));
                assert!((found - plain).abs() <= 1e-12 * plain, "{x} {count}: {found} {plain}");
            }
        }
        // m/x where x is far beyond m.
        assert!((harmonic(1e18, 1000.0) / 1e-15 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn gamma_steps_are_known_values() {
        // Γ(1.5) = √π/2, Γ(½) = √π, Γ(x + 1) = xΓ(x).
        let root = std::f64::consts::PI.sqrt();
        assert!((ln_gamma_step(1.0, 0.5) - (root / 2.0).ln()).abs() < 1e-12);
        assert!((ln_gamma_step(0.5, 0.5) + root.ln()).abs() < 1e-12);
        for x in [1e-6, 0.7, 15.9, 1e4, 1e12] {
            assert!((ln_gamma_step(x, 1.0) - x.ln()).abs() < 1e-11, "{x}");
            assert!(ln_gamma_step(x, 0.0).abs() < 1e-12);
        }
    }
}

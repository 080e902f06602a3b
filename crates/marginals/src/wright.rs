//! Wright's function: the ω with ω + ln ω = x.

use libm::{exp, log};

/// Below it ω is that of this x: no smaller number of records matters.
const LEAST: f64 = -600.0;

/// A number that is not above ω, and near it.
pub(crate) fn from_below(x: f64) -> f64 {
    if x > 1.0 {
        return x - log(x);
    }
    // ω = e^x e^−ω ≥ e^x (1 − ω).
    let power = exp(x.max(LEAST));
    power / (1.0 + power)
}

/// One step of Newton's method from `omega`.
///
/// The function is concave: a step never ends above the solution, and from there on steps only rise.
pub(crate) fn step(omega: f64, x: f64) -> f64 {
    let x = x.max(LEAST);
    let distance = x - omega - log(omega);
    let next = omega * (1.0 + distance / (1.0 + omega));
    // Too far above the solution the tangent ends below 0.
    if next > 0.0 { next } else { from_below(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_to_the_solution_from_anywhere() {
        for x in [-500.0, -30.0, -3.0, -0.1, 0.0, 1.0, 1.5, 8.0, 1e3, 1e9] {
            for start in [from_below(x), 1e-9, 1.0, 1e6] {
                let mut omega = start;
                (0..80).for_each(|_| omega = step(omega, x));
                assert!((omega + omega.ln() - x).abs() < 1e-9 * (1.0 + x.abs()), "{x} from {start}: {omega}");
            }
            let first = from_below(x);
            assert!(first + first.ln() <= x + 1e-12 * x.abs(), "{x}");
        }
        // ω(1) = 1.
        assert!((step(1.0, 1.0) - 1.0).abs() < 1e-15);
    }
}

//! Clopper and Pearson's bounds of a probability, from how often an event was seen.
//!
//! No incomplete beta function is needed: the bounds are solutions of P[Bin(n, p) ≥ hits] = level, and that
//! tail is a sum whose terms fall from the first one on. The first term is Loader's, which does not cancel.

use schemars::JsonSchema;
use serde::Serialize;

/// From here on Stirling's series is exact to some 10⁻¹⁴.
const LARGE: f64 = 16.0;
/// Far more than the rounding errors of a tail: bounds are rounded away from the estimate.
const MARGIN: f64 = 1.0 + 1e-9;

/// How often an event was seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Tally {
    /// The runs in which it was.
    pub hits: u64,
    /// All runs, at least as many.
    pub runs: u64,
}

impl Tally {
    /// The same of the opposite event.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self { hits: self.runs - self.hits, ..self }
    }

    /// A bound that is above the event's probability in a share of at most `level` of all such tallies.
    ///
    /// Time: O(√runs) for each of some fifty steps.
    #[must_use]
    pub fn lower(self, level: f64) -> f64 {
        match self.hits {
            0 => 0.0,
            hits if hits == self.runs => (level.ln() * MARGIN / self.runs as f64).exp(),
            _ => self.solved(level),
        }
    }

    /// A bound that is below the event's probability in a share of at most `level` of all such tallies.
    #[must_use]
    pub fn upper(self, level: f64) -> f64 {
        match self.hits {
            hits if hits == self.runs => 1.0,
            // 1 − level^(1/runs), which would lose its digits as it stands.
            0 => -(level.ln() * MARGIN / self.runs as f64).exp_m1(),
            _ => 1.0 - self.opposite().solved(level),
        }
    }

    /// The lower end of where P[Bin(runs, p) ≥ hits] = level; the tail grows with p.
    fn solved(self, level: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.hits as f64 / self.runs as f64);
        while high - low > high * 1e-13 {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                break;
            }
            if self.tail(middle) * MARGIN < level {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// P[Bin(runs, p) ≥ hits] for p below hits/runs, 0 < hits < runs.
    fn tail(self, p: f64) -> f64 {
        let (n, first) = (self.runs as f64, self.hits as f64);
        let odds = p / (1.0 - p);
        let (mut term, mut sum, mut at) = (1.0, 1.0, first);
        while term > sum * 1e-17 && at < n {
            term *= (n - at) / (at + 1.0) * odds;
            sum += term;
            at += 1.0;
        }
        term_at(n, first, p) * sum
    }
}

/// P[Bin(n, p) = x], 0 < x < n (Loader 2000).
fn term_at(n: f64, x: f64, p: f64) -> f64 {
    let y = n - x;
    let deviance = x * (x / (n * p)).ln() + y * (y / (n * (1.0 - p))).ln();
    let correction = beyond_stirling(n) - beyond_stirling(x) - beyond_stirling(y);
    (correction - deviance).exp() * (n / (std::f64::consts::TAU * x * y)).sqrt()
}

/// ln x! − (x + ½) ln x + x − ½ ln 2π, for x ≥ 1.
fn beyond_stirling(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum += (x + 0.5) * (1.0 / x).ln_1p() - 1.0;
        x += 1.0;
    }
    let s = x.powi(-2);
    sum + (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s / 1680.0))) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two-sided 95 % bounds, printed in tables of exact binomial limits.
    #[test]
    fn bounds_are_those_of_printed_tables() {
        let printed = [
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (2, 10, 0.0252, 0.5561),
            (5, 10, 0.1871, 0.8129),
            (10, 10, 0.6915, 1.0),
            (1, 20, 0.0013, 0.2487),
            (10, 20, 0.2720, 0.7280),
            (0, 100, 0.0, 0.0362),
            (1, 100, 0.0003, 0.0545),
            (10, 100, 0.0490, 0.1762),
            (50, 100, 0.3983, 0.6017),
        ];
        for (hits, runs, low, high) in printed {
            let tally = Tally { hits, runs };
            let found = (tally.lower(0.025), tally.upper(0.025));
            assert!(
                (found.0 - low).abs() < 5.1e-5 && (found.1 - high).abs() < 5.1e-5,
                "{tally:?}: {found:?}"
            );
        }
    }

    #[test]
    fn the_tail_at_a_bound_is_the_level() {
        // The whole sum in whole-number ratios, for a bound of a few runs.
        let plain = |n: u64, hits: u64, p: f64| -> f64 {
            let term = |x: u64| {
                let ways: f64 = (0..x).map(|i| (n - i) as f64 / (x - i) as f64).product();
                ways * p.powi(x as i32) * (1.0 - p).powi((n - x) as i32)
            };
            (hits..=n).map(term).sum()
        };
        for (hits, runs) in [(1, 2), (3, 7), (20, 50), (49, 50), (300, 900)] {
            for level in [0.3, 0.025, 1e-6] {
                let low = Tally { hits, runs }.lower(level);
                assert!((plain(runs, hits, low) / level - 1.0).abs() < 1e-6, "{hits} {runs} {level}");
            }
        }
    }

    #[test]
    fn many_runs_are_as_the_normal_law() {
        // z of 2.5 % and of 10⁻⁶; skewness moves a bound by z²/n at most.
        for (level, z) in [(0.025, 1.959_964), (1e-6, 4.753_424)] {
            for (hits, runs) in [(500_000u64, 1_000_000u64), (100_000, 1_000_000), (10_000_000, 100_000_000)]
            {
                let (p, n) = (hits as f64 / runs as f64, runs as f64);
                let low = Tally { hits, runs }.lower(level);
                assert!(
                    (low - (p - z * (p * (1.0 - p) / n).sqrt())).abs() < z * z / n,
                    "{hits} {runs}: {low}"
                );
            }
        }
    }

    #[test]
    fn edges_are_in_order() {
        for runs in [1, 2, 3, 1000, 1 << 40] {
            for hits in [0, 1, runs / 2, runs - 1, runs].map(|hits: u64| hits.min(runs)) {
                let tally = Tally { hits, runs };
                let (low, high) = (tally.lower(1e-4), tally.upper(1e-4));
                let share = hits as f64 / runs as f64;
                assert!(
                    (0.0..=share).contains(&low) && (share..=1.0).contains(&high),
                    "{tally:?}: {low} {high}"
                );
            }
        }
    }
}

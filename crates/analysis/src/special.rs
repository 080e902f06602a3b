//! The normal distribution and Student's t.
//!
//! Written here and not taken from a library: the incomplete beta function of `statrs` breaks off after a fixed number of
//! terms, and the degrees of freedom of a large table need more (decision 28).

use std::f64::consts::{PI, SQRT_2};

/// Terms of a continued fraction; some √(degrees of freedom) are needed.
const TERMS: u32 = 200_000;
/// Stands for a denominator of zero in Lentz's method.
const TINY: f64 = 1e-300;

/// P(Z > z) of the standard normal distribution.
pub(crate) fn normal_tail(z: f64) -> f64 {
    libm::erfc(z / SQRT_2) / 2.0
}

/// The z with P(|Z| ≤ z) = level.
pub(crate) fn normal_quantile(level: f64) -> f64 {
    quantile((1.0 - level) / 2.0, &normal_tail)
}

/// P(T > t) of Student's t; with infinite degrees of freedom the normal distribution's.
pub(crate) fn t_tail(t: f64, df: f64) -> f64 {
    if df.is_infinite() {
        return normal_tail(t);
    }
    if t < 0.0 {
        return 1.0 - t_tail(-t, df);
    }
    incomplete_beta(df / (df + t * t), t * t / (df + t * t), df / 2.0) / 2.0
}

/// The t with P(|T| ≤ t) = level.
pub(crate) fn t_quantile(level: f64, df: f64) -> f64 {
    quantile((1.0 - level) / 2.0, &|t| t_tail(t, df))
}

/// Where a falling tail reaches a probability below one half: bisection down to neighbouring numbers.
fn quantile(probability: f64, tail: &dyn Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > probability && high < 1e300 {
        (low, high) = (high, high * 2.0);
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if tail(middle) > probability { low = middle } else { high = middle }
    }
}

/// I_x(a, ½), the regularized incomplete beta function; `rest` is 1 − x without cancellation.
fn incomplete_beta(x: f64, rest: f64, a: f64) -> f64 {
    const B: f64 = 0.5;
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    // 1 / B(a, ½) = Γ(a + ½) / (Γ(a) √π)
    let front = (a * ln_of(x, rest) + B * rest.ln() + half_step(a) - PI.ln() / 2.0).exp();
    if x < (a + 1.0) / (a + B + 2.0) {
        front * fraction(x, a, B) / a
    } else {
        1.0 - front * fraction(rest, B, a) / B
    }
}

/// ln x, from 1 − x where that is the smaller one.
fn ln_of(x: f64, rest: f64) -> f64 {
    if rest < 0.5 { (-rest).ln_1p() } else { x.ln() }
}

/// ln Γ(a + ½) − ln Γ(a), whose terms cancel for large a.
fn half_step(a: f64) -> f64 {
    if a < 60.0 {
        return libm::lgamma(a + 0.5) - libm::lgamma(a);
    }
    let inverse = 1.0 / a;
    let square = inverse * inverse;
    let series = -1.0 / 8.0 + square * (1.0 / 192.0 + square * (-1.0 / 640.0 + square * 17.0 / 14336.0));
    a.ln() / 2.0 + inverse * series
}

/// The continued fraction of the incomplete beta function by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for term in 1..=TERMS {
        let m = f64::from(term);
        for numerator in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            value *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

fn away_from_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

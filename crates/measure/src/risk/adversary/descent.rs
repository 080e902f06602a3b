//! The least value of a smooth function: L-BFGS from a diagonal guess of its curvature.

use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 6;
/// How often a step is halved before the search ends.
const HALVINGS: usize = 12;
/// The share of the slope that a step has to keep.
const ENOUGH: f64 = 1e-4;
/// A step that gains less of the value ends the search.
const LITTLE: f64 = 1e-6;

/// A step, the change of the gradient along it, and one by their product.
struct Step {
    moved: Vec<f64>,
    turned: Vec<f64>,
    inverse: f64,
}

/// A point of little value, from a start, in at most so many steps. `curvature` is about the second derivative by
/// each coordinate.
pub(super) fn least(
    mut value: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    start: Vec<f64>,
    curvature: &[f64],
    steps: usize,
) -> Vec<f64> {
    let mut at = start;
    let (mut now, mut slope) = value(&at);
    let mut memory: VecDeque<Step> = VecDeque::with_capacity(MEMORY);
    for _ in 0..steps {
        let direction = direction(&slope, &memory, curvature);
        let fall = dot(&direction, &slope);
        if fall >= 0.0 {
            break;
        }
        let mut length = 1.0;
        let mut taken = None;
        for _ in 0..HALVINGS {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(at, by)| at + length * by).collect();
            let (then, turned) = value(&next);
            if then <= now + ENOUGH * length * fall {
                taken = Some((next, then, turned));
                break;
            }
            length *= 0.5;
        }
        let Some((next, then, slope_then)) = taken else { break };
        remember(&mut memory, difference(&next, &at), difference(&slope_then, &slope));
        let gained = now - then;
        (at, now, slope) = (next, then, slope_then);
        if gained <= LITTLE * now.abs() {
            break;
        }
    }
    at
}

fn remember(memory: &mut VecDeque<Step>, moved: Vec<f64>, turned: Vec<f64>) {
    let product = dot(&moved, &turned);
    if product <= 0.0 {
        return;
    }
    if memory.len() == MEMORY {
        memory.pop_front();
    }
    memory.push_back(Step { moved, turned, inverse: 1.0 / product });
}

/// The two loops of Nocedal 1980.
fn direction(slope: &[f64], memory: &VecDeque<Step>, curvature: &[f64]) -> Vec<f64> {
    let mut down: Vec<f64> = slope.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for step in memory.iter().rev() {
        let share = step.inverse * dot(&step.moved, &down);
        add(&mut down, -share, &step.turned);
        shares.push(share);
    }
    let scale = memory.back().map_or(1.0, |step| {
        let turned: Vec<f64> = step.turned.iter().zip(curvature).map(|(turned, c)| turned / c).collect();
        1.0 / (step.inverse * dot(&turned, &step.turned))
    });
    down.iter_mut().zip(curvature).for_each(|(down, curvature)| *down *= scale / curvature);
    for (step, share) in memory.iter().zip(shares.iter().rev()) {
        let back = step.inverse * dot(&step.turned, &down);
        add(&mut down, share - back, &step.moved);
    }
    down
}

/// Sums side by side: one after the other, each would wait for the one before.
const LANES: usize = 8;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_left), (b, b_left)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + a_left.iter().zip(b_left).map(|(a, b)| a * b).sum::<f64>()
}

fn add(to: &mut [f64], times: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * what);
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_length() {
        for long in [0usize, 1, 7, 8, 9, 31] {
            let a: Vec<f64> = (0..long).map(|i| i as f64).collect();
            assert_eq!(dot(&a, &a), (0..long).map(|i| (i * i) as f64).sum::<f64>());
        }
    }

    #[test]
    fn the_lowest_point_of_a_valley_is_found() {
        // Rosenbrock's: least at (1, 1), along a bent and narrow valley.
        let valley = |x: &[f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
        };
        let found = least(valley, vec![-1.2, 1.0], &[100.0, 100.0], 200);
        assert!((found[0] - 1.0).abs() < 1e-2 && (found[1] - 1.0).abs() < 1e-2, "{found:?}");
    }
}

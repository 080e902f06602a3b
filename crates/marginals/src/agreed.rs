//! What measurements that share an attribute expect of its values is made the same, without moving the distribution.
//!
//! # How
//! A function f of attribute a may move from the θ of one measurement to that of another: Σ θ stays, and so does p. At the optimum
//! μ = y − sθ for each measurement m, so that A_m = Σ (y − sθ), summed to a's values, is the same for all that have a. With B_m = Σ s,
//! summed alike, f_m = (A_m − C)/B_m for C = Σ (A_m/B_m) / Σ (1/B_m) brings that about, and Σ f_m = 0. Updates of single
//! measurements come there by many small moves, since in this direction nothing but the small s holds them.

use crate::block::Block;
use crate::margin::Margin;

/// Makes all measurements expect the same total, and the same counts of each attribute's values.
///
/// # Complexity
/// O(cells of measurements · their attributes).
pub(crate) fn agree(blocks: &mut [Block], sizes: &[usize], total: f64) {
    blocks.iter_mut().for_each(|block| level(block, total));
    for attribute in 0..sizes.len() {
        let sharing: Vec<&mut Block> =
            blocks.iter_mut().filter(|block| block.measured.set.contains(&attribute)).collect();
        if sharing.len() > 1 {
            share(sharing, attribute, sizes);
        }
    }
}

/// A constant of θ moves nothing: it is such that the measurement expects the total.
fn level(block: &mut Block, total: f64) {
    let (mut sum, mut scales) = (0.0, 0.0);
    for cell in block.open() {
        sum += expected(block, cell);
        scales += block.scales[cell];
    }
    if scales > 0.0 {
        block.theta.iter_mut().for_each(|theta| *theta += (sum - total) / scales);
    }
}

/// y − sθ.
fn expected(block: &Block, cell: usize) -> f64 {
    block.measured.counts[cell] - block.scales[cell] * block.theta[cell]
}

/// What a measurement expects of an attribute's values, A and B.
struct Seen {
    margin: Margin,
    expected: Vec<f64>,
    scales: Vec<f64>,
}

impl Seen {
    fn of(block: &Block, attribute: usize, sizes: &[usize]) -> Self {
        let margin = Margin::of(&block.measured.set, &vec![attribute], sizes);
        let (mut counts, mut scales) = (vec![0.0; block.theta.len()], vec![0.0; block.theta.len()]);
        for cell in block.open() {
            (counts[cell], scales[cell]) = (expected(block, cell), block.scales[cell]);
        }
        Self { expected: margin.sum(&counts), scales: margin.sum(&scales), margin }
    }
}

fn share(blocks: Vec<&mut Block>, attribute: usize, sizes: &[usize]) {
    let seen: Vec<Seen> = blocks.iter().map(|block| Seen::of(block, attribute, sizes)).collect();
    let agreed: Vec<f64> = (0..sizes[attribute]).map(|value| mean(&seen, value)).collect();
    for (block, seen) in blocks.into_iter().zip(seen) {
        let cells = seen.expected.iter().zip(&seen.scales).zip(&agreed);
        let moved: Vec<f64> = cells
            .map(|((expected, scale), agreed)| if *scale > 0.0 { (expected - agreed) / scale } else { 0.0 })
            .collect();
        seen.margin.add(&mut block.theta, &moved);
    }
}

/// C of a value: the mean of what is expected, by the inverse of B.
fn mean(seen: &[Seen], value: usize) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for seen in seen.iter().filter(|seen| seen.scales[value] > 0.0) {
        sum += seen.expected[value] / seen.scales[value];
        weights += seen.scales[value].recip();
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

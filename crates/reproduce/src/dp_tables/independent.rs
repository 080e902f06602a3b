//! Columns by themselves under the same budget: all of ρ for noisy counts of each, in the shares of `mst`, and nothing for pairs.

use velamen_dp::{Gaussian, Loss, Rational, Seed, Stream, Zcdp};
use velamen_marginals::{in_proportion, shuffle};

use super::error::Columns;

/// The streams of noise and of records.
const STREAMS: (u64, u64) = (0x5488, 0x5489);

/// Records whose columns follow noisy counts, and nothing in common; `None` where (ε, δ) buys nothing.
pub(super) fn records(original: &Columns, (epsilon, delta): (f64, f64), seed: &Seed) -> Option<Columns> {
    let loss =
        Loss { epsilon: Rational::from_decimal(epsilon).ok()?, delta: Rational::from_decimal(delta).ok()? };
    let rho = Zcdp::bought_by(loss)?;
    let weights: Vec<u128> = original.sizes().iter().map(|&size| two_thirds(size)).collect();
    let all: u128 = weights.iter().sum();
    let (mut noise, mut drawing) = (seed.stream(STREAMS.0), seed.stream(STREAMS.1));
    let mut noisy = Vec::with_capacity(weights.len());
    for (attribute, weight) in weights.iter().enumerate() {
        let law = Gaussian::new(rho.share(*weight, all)?.variance(1)?)?;
        noisy.push((counts(original, attribute, law, &mut noise), law.variance().to_f64()));
    }
    let records = total(&noisy);
    let columns = noisy.iter().map(|(counts, _)| column(counts, records, &mut drawing)).collect();
    Some(original.with(columns))
}

/// n^⅔ in units of 2⁻¹⁰.
fn two_thirds(size: usize) -> u128 {
    ((size as f64).powf(2.0 / 3.0) * 1024.0) as u128
}

fn counts(original: &Columns, attribute: usize, law: Gaussian, stream: &mut Stream) -> Vec<f64> {
    original.counts(&[attribute]).into_iter().map(|count| (count as i64 + law.draw(stream)) as f64).collect()
}

/// The mean of all totals, by the inverse of their variances.
fn total(noisy: &[(Vec<f64>, f64)]) -> u64 {
    let weight = |(counts, variance): &(Vec<f64>, f64)| (counts.len() as f64 * variance).recip();
    let sum: f64 = noisy.iter().map(|noisy| weight(noisy) * noisy.0.iter().sum::<f64>()).sum();
    (sum / noisy.iter().map(weight).sum::<f64>()).round().max(0.0) as u64
}

fn column(counts: &[f64], records: u64, stream: &mut Stream) -> Vec<u32> {
    let weights: Vec<f64> = counts.iter().map(|count| count.max(0.0)).collect();
    let shares = in_proportion(records, &weights, stream);
    let mut column: Vec<u32> =
        (0..).zip(shares).flat_map(|(value, share)| std::iter::repeat_n(value, share as usize)).collect();
    shuffle(&mut column, stream);
    column
}

//! How far the associations of pairs of attributes moved.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_measure::fidelity::association::Association;
use velamen_recipe::JobError;

use super::bins::Bins;
use super::sides::{ORIGINAL, RELEASED, Sides};

/// Attributes with more leaves are put into so many bins.
const BINS: usize = 32;

/// Pairs of values are counted in a table of at most so many cells, beyond it those that occur alone.
const MOST_CELLS: usize = 1 << 22;

/// How far the associations moved.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Associations {
    /// Attributes with more leaves than this are in so many bins.
    pub bins: usize,
    /// The mean of |V released − V original| over the pairs.
    pub mean_shift: f64,
    /// 1000 · (1 − the mean total variation over the pairs), from 0 to 1000: the k-marginal score with k = 2.
    pub k_marginal: f64,
    /// All pairs, the largest shifts first.
    pub pairs: Vec<PairShift>,
}

/// How far the association of two attributes moved: original and released.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PairShift {
    /// The attributes.
    pub attributes: [String; 2],
    /// Cramér's V.
    pub cramers_v: [f64; 2],
    /// Mutual information in bits.
    pub mutual_information: [f64; 2],
    /// V released − V original.
    pub shift: f64,
    /// Half the sum of the differences of the shares of pairs of bins.
    pub total_variation: f64,
}

/// By side and code, the shares of the bins.
type Spread = [Vec<Vec<(usize, f64)>>; 2];

pub(super) fn associations(sides: &Sides, context: &Context<'_>) -> Result<Associations, JobError> {
    let count = sides.attributes.len();
    let bins: Vec<Bins> = (0..count).map(|a| Bins::new(sides, a, BINS)).collect();
    let spread =
        |a: usize| -> Spread { std::array::from_fn(|side| bins[a].of_side(&sides.attributes[a], side)) };
    let spreads: Vec<Spread> = (0..count).map(spread).collect();
    let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
    let shift = |&pair: &(usize, usize)| context.check().map(|()| shift(sides, pair, &bins, &spreads));
    let mut pairs = pairs.par_iter().map(shift).collect::<Result<Vec<_>, _>>()?;
    pairs.sort_by(|a, b| b.shift.abs().total_cmp(&a.shift.abs()));
    let mean = |of: fn(&PairShift) -> f64| {
        pairs.iter().fold(0.0, |sum, pair| sum + of(pair)) / pairs.len().max(1) as f64
    };
    let (mean_shift, apart) = (mean(|pair| pair.shift.abs()), mean(|pair| pair.total_variation));
    Ok(Associations { bins: BINS, mean_shift, k_marginal: 1000.0 * (1.0 - apart), pairs })
}

/// How a pair of attributes goes together before and after.
fn shift(sides: &Sides, (a, b): (usize, usize), bins: &[Bins], spreads: &[Spread]) -> PairShift {
    let columns = bins[b].len;
    let [one, other] =
        [ORIGINAL, RELEASED].map(|side| joint(sides, side, (a, b), spreads, (bins[a].len, columns)));
    let (before, after) = (Association::new(&one, columns), Association::new(&other, columns));
    PairShift {
        attributes: [a, b].map(|a| sides.attributes[a].name.clone()),
        cramers_v: [before.cramers_v, after.cramers_v],
        mutual_information: [before.mutual_information, after.mutual_information],
        shift: after.cramers_v - before.cramers_v,
        total_variation: total_variation(&one, &other),
    }
}

/// ½ Σ |p − q| over the shares of two tables of counts, 1 where one of them is empty.
fn total_variation(one: &[f64], other: &[f64]) -> f64 {
    let [all, all_others] = [one, other].map(|counts| counts.iter().sum::<f64>());
    if all <= 0.0 || all_others <= 0.0 {
        return 1.0;
    }
    let apart = one.iter().zip(other).map(|(a, b)| (a / all - b / all_others).abs());
    apart.sum::<f64>() / 2.0
}

/// Records by pairs of bins: first by pairs of values, then one attribute after the other is spread, so
/// that a pair of wide values costs no more than their bins.
fn joint(
    sides: &Sides,
    side: usize,
    (a, b): (usize, usize),
    spreads: &[Spread],
    (rows, columns): (usize, usize),
) -> Vec<f64> {
    let values = spreads[a][side].len();
    let mut half = vec![0.0; values * columns];
    for ((x, y), weight) in pairs(sides, side, (a, b)) {
        for &(bin, share) in &spreads[b][side][y as usize] {
            half[x as usize * columns + bin] += weight * share;
        }
    }
    let mut whole = vec![0.0; rows * columns];
    for (x, line) in half.chunks_exact(columns).enumerate() {
        for &(bin, share) in &spreads[a][side][x] {
            for (cell, count) in whole[bin * columns..].iter_mut().zip(line) {
                *cell += share * count;
            }
        }
    }
    whole
}

/// Records by pairs of values that occur together.
fn pairs(sides: &Sides, side: usize, (a, b): (usize, usize)) -> Vec<((u32, u32), f64)> {
    let table = &sides.tables[side];
    let values = |attribute: usize| sides.attributes[attribute].covers[side].len();
    let cells = table.codes[a].iter().zip(&table.codes[b]).zip(&table.shown);
    let (rows, columns) = (values(a), values(b));
    if rows.saturating_mul(columns) > MOST_CELLS {
        let mut at: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut pairs: Vec<((u32, u32), f64)> = Vec::new();
        for ((&x, &y), weight) in cells {
            let place = *at.entry((x, y)).or_insert_with(|| {
                pairs.push(((x, y), 0.0));
                pairs.len() - 1
            });
            pairs[place].1 += weight;
        }
        return pairs;
    }
    let mut counts = vec![0.0; rows * columns];
    for ((&x, &y), weight) in cells {
        counts[x as usize * columns + y as usize] += weight;
    }
    let pair = |(cell, count)| (((cell / columns) as u32, (cell % columns) as u32), count);
    counts.into_iter().enumerate().map(pair).filter(|(_, count)| *count > 0.0).collect()
}

//! Values that noise drowns, put together before anything is measured of pairs, and taken apart again in the records.

use velamen_dp::{Rational, Stream};
use velamen_marginals::{Measurement, in_proportion, shuffle};

use super::NoisyTable;

/// Standard deviations that a noisy count is above 0 if its value is kept apart.
const DEVIATIONS: i128 = 3;

/// Which values of one attribute are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::method::private) struct Merging {
    /// By value its place: those kept apart in their order, then the merged one.
    pub(in crate::method::private) places: Vec<u32>,
    /// The values that are one, ascending; none or at least one.
    pub(in crate::method::private) merged: Vec<u32>,
}

impl Merging {
    /// From an attribute's noisy counts alone: values below 3σ become one, but for those that are tied to another attribute's.
    pub(in crate::method::private) fn of(noisy: &NoisyTable, tied: &[bool]) -> Self {
        let is_kept = |value: u32, count: i64| tied[value as usize] || is_above(count, noisy.variance);
        let kept = (0..).zip(&noisy.counts).filter(|&(value, &count)| is_kept(value, count)).count() as u32;
        let (mut places, mut merged, mut next) = (Vec::with_capacity(noisy.counts.len()), Vec::new(), 0);
        for (value, &count) in (0..).zip(&noisy.counts) {
            if is_kept(value, count) {
                places.push(next);
                next += 1;
            } else {
                places.push(kept);
                merged.push(value);
            }
        }
        Self { places, merged }
    }

    /// Each of so many values is kept apart.
    pub(in crate::method::private) fn none(values: usize) -> Self {
        Self { places: (0..values as u32).collect(), merged: Vec::new() }
    }

    /// The number of values that are left.
    pub(in crate::method::private) fn size(&self) -> usize {
        self.places.len() - self.merged.len() + usize::from(!self.merged.is_empty())
    }

    /// The noisy counts of what is left: the merged value's is the sum, with the sum of the variances.
    pub(in crate::method::private) fn measurement(&self, noisy: &NoisyTable) -> Measurement {
        let (mut counts, mut variances) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        for (&place, &count) in self.places.iter().zip(&noisy.counts) {
            counts[place as usize] += count as f64;
            variances[place as usize] += noisy.variance.to_f64();
        }
        Measurement { set: noisy.set.clone(), counts, variances }
    }

    /// The values of records again: those of the merged one in proportion to its values' noisy counts above 0.
    pub(in crate::method::private) fn undo(
        &self,
        codes: &mut [u32],
        noisy: &NoisyTable,
        stream: &mut Stream,
    ) {
        let mut values = vec![0; self.size()];
        self.places.iter().zip(0..).for_each(|(&place, value)| values[place as usize] = value);
        let merged = self.size() as u32 - 1;
        let is_merged = |code: u32| !self.merged.is_empty() && code == merged;
        let hidden = codes.iter().filter(|&&code| is_merged(code)).count();
        let weights: Vec<f64> =
            self.merged.iter().map(|&value| noisy.counts[value as usize].max(0) as f64).collect();
        let shares = if hidden > 0 { in_proportion(hidden as u64, &weights, stream) } else { Vec::new() };
        let alike = self.merged.iter().zip(&shares);
        let mut drawn: Vec<u32> =
            alike.flat_map(|(&value, &share)| std::iter::repeat_n(value, share as usize)).collect();
        shuffle(&mut drawn, stream);
        for code in codes {
            *code = if is_merged(*code) { drawn.pop().unwrap_or_default() } else { values[*code as usize] };
        }
    }
}

/// Whether y ≥ 3σ, in whole numbers: y²q ≥ 9p for σ² = p/q.
fn is_above(count: i64, variance: Rational) -> bool {
    let (p, q) = (i128::from(variance.numerator()), i128::from(variance.denominator()));
    let square = i128::from(count) * i128::from(count);
    count > 0 && square.checked_mul(q).is_none_or(|scaled| scaled >= DEVIATIONS * DEVIATIONS * p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_dp::Seed;

    fn noisy(counts: &[i64]) -> NoisyTable {
        NoisyTable { set: vec![0], variance: Rational::new(4, 1).unwrap(), counts: counts.to_vec() }
    }

    #[test]
    fn values_below_three_deviations_become_one() {
        let table = noisy(&[100, 5, 6, -40, 0]);
        let merging = Merging::of(&table, &[false; 5]);
        assert_eq!((&merging.places[..], &merging.merged[..]), (&[0, 2, 1, 2, 2][..], &[1, 3, 4][..]));
        let measured = merging.measurement(&table);
        assert_eq!((measured.counts, measured.variances), (vec![100.0, 6.0, -35.0], vec![4.0, 4.0, 12.0]));
        let mut codes = vec![0, 2, 2, 1, 2];
        merging.undo(&mut codes, &table, &mut Seed::from_number(1).stream(0));
        // Only value 1 has a noisy count above 0.
        assert_eq!(codes, [0, 1, 1, 2, 1]);
        let tied = Merging::of(&table, &[false, true, false, false, true]);
        assert_eq!((&tied.places[..], &tied.merged[..]), (&[0, 1, 2, 4, 3][..], &[3][..]));
    }

    #[test]
    fn all_values_can_be_kept_or_merged() {
        let all = Merging::of(&noisy(&[9, 8]), &[false; 2]);
        assert_eq!((all.size(), all.merged.len()), (2, 0));
        let mut codes = vec![1, 0];
        all.undo(&mut codes, &noisy(&[9, 8]), &mut Seed::from_number(1).stream(0));
        assert_eq!(codes, [1, 0]);
        let none = Merging::of(&noisy(&[-1, 2]), &[false; 2]);
        assert_eq!((none.size(), &none.places[..]), (1, &[0, 0][..]));
        let mut codes = vec![0; 4];
        none.undo(&mut codes, &noisy(&[-1, -2]), &mut Seed::from_number(1).stream(0));
        codes.sort_unstable();
        assert_eq!(codes, [0, 0, 1, 1], "evenly, where no count is above 0");
    }
}

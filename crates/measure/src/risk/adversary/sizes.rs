//! What a class's size shows: the law of padding, and from it how many records of a class are counterfeit.
//!
//! Let each record i of a class of m have odds w_i to be counterfeit rather than real by its value. The
//! probability that just the records of a set C of j are counterfeit is in proportion to:
//!
//!   P(m − j real) · P(m | m − j real) / (m over j) · Π w_i over C,
//!
//! since records stand in no order. The sums over all sets are elementary symmetric polynomials: with
//! `F_i(j) = F_{i−1}(j) + w_i F_{i−1}(j − 1)` over the records before i, and `B_i(j)` the like sum over those after it, the
//! probability of i is: w_i Σ_j F_{i−1}(j) B_i(j + 1) / Σ_j F_{i−1}(j) (B_i(j) + w_i B_i(j + 1)).

/// How small classes were padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Law {
    /// The least class size.
    pub k: u64,
    /// The largest size of a class that can hold counterfeits: the largest that padding aims at.
    pub largest: u64,
    /// The least number of real records of a released class, 1 or more.
    pub least_real: u64,
}

/// Sizes up to here are known to follow the law: padding for other models than k-anonymity goes on as it must.
const MOST_REACH: u64 = 64;

/// How far above k a class is called small.
const SMALL: u64 = 6;

impl Law {
    /// The most records of a class that is called small.
    pub(super) fn small(&self) -> u64 {
        self.k.saturating_add(SMALL)
    }

    /// Whether the release states which sizes padding aims at.
    pub(super) fn is_known(&self) -> bool {
        self.largest >= self.k && self.largest - self.k <= MOST_REACH
    }

    /// P(target = k + x): geometric with ratio ½, cut off at the largest.
    fn targets(&self) -> Vec<f64> {
        let weights: Vec<f64> = (0..=self.largest - self.k).map(|x| 0.5f64.powi(x as i32)).collect();
        let all: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / all).collect()
    }
}

/// The law with what is believed of the real classes' sizes.
pub(super) struct Sizes {
    law: Law,
    targets: Vec<f64>,
    /// P(r real records), for r up to the largest padded size.
    pub(super) real: Vec<f64>,
    /// The share of the real records that the adversary does not know.
    unknown: f64,
}

/// What one class after the other is summed in.
#[derive(Default)]
pub(super) struct Room {
    /// The odds of the class's records.
    pub(super) odds: Vec<f64>,
    /// Their probabilities.
    pub(super) found: Vec<f64>,
    /// F, rows of one length, each scaled by its sum.
    before: Vec<f64>,
    /// B, times the first factor.
    after: Vec<f64>,
}

/// How fast the sizes of real classes are taken to fall before anything is known.
const FALL: f64 = -1.5;

impl Sizes {
    pub(super) fn new(law: Law, unknown: f64) -> Self {
        let start = |size: u64| if size < law.least_real.max(1) { 0.0 } else { (size as f64).powf(FALL) };
        Self { law, targets: law.targets(), real: (0..=law.largest).map(start).collect(), unknown }
    }

    /// Fills in, by the number of counterfeits, the first factor above; `known` records are known to be real.
    fn numbers(&self, size: u64, known: u64, numbers: &mut Vec<f64>) {
        numbers.clear();
        let Some(x) = size.checked_sub(self.law.k).filter(|_| size <= self.law.largest) else {
            return numbers.push(1.0);
        };
        let aimed: f64 = self.targets[x as usize];
        let not_above: f64 = self.targets[..=x as usize].iter().sum();
        let (mut sets, mut hidden) = (1.0, 1.0);
        for j in 0..=size - known.max(1).min(size) {
            let met = if j == 0 { not_above } else { aimed };
            numbers.push(self.real[(size - j) as usize] * met * hidden / sets);
            sets *= (size - j) as f64 / (j + 1) as f64;
            // A counterfeit is one unknown real record less.
            hidden /= self.unknown;
        }
    }

    /// Fills in the probability of each record that is not known to be counterfeit, of which the room has the odds, and
    /// adds to `real` what the class shows of the sizes of real classes.
    pub(super) fn probabilities(&self, size: u64, known: u64, room: &mut Room, real: &mut [f64]) {
        let Room { odds, found, before, after } = room;
        self.numbers(size, known, after);
        let (n, width) = (odds.len(), after.len());
        before.clear();
        before.resize((n + 1) * width, 0.0);
        before[0] = 1.0;
        for (i, weight) in odds.iter().enumerate() {
            let (done, left) = before.split_at_mut((i + 1) * width);
            let (row, next) = (&done[i * width..], &mut left[..width.min(i + 2)]);
            next[0] = row[0];
            next[1..].iter_mut().zip(row.windows(2)).for_each(|(next, row)| *next = row[1] + weight * row[0]);
            scale(next);
        }
        tell(&before[n * width..], after, size, real);
        // One more than can be, for the last to look at.
        after.push(0.0);
        found.clear();
        found.resize(n, 0.0);
        for (i, weight) in odds.iter().enumerate().rev() {
            let row = &before[i * width..][..width.min(i + 1)];
            let (mut with, mut without) = (0.0, 0.0);
            for (first, after) in row.iter().zip(after.windows(2)) {
                with += first * weight * after[1];
                without += first * after[0];
            }
            found[i] = if with > 0.0 { with / (with + without) } else { 0.0 };
            (0..width).for_each(|j| after[j] += weight * after[j + 1]);
            scale(&mut after[..width]);
        }
    }
}

/// Adds the distribution of the number of real records.
fn tell(sums: &[f64], numbers: &[f64], size: u64, real: &mut [f64]) {
    let all: f64 = sums.iter().zip(numbers).map(|(sum, number)| sum * number).sum();
    if all > 0.0 {
        for (j, (sum, number)) in sums.iter().zip(numbers).enumerate() {
            real[size as usize - j] += sum * number / all;
        }
    }
}

fn scale(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|cell| *cell /= sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of records, one by one.
    fn by_sets(sizes: &Sizes, size: u64, known: u64, odds: &[f64]) -> Vec<f64> {
        let mut numbers = Vec::new();
        sizes.numbers(size, known, &mut numbers);
        let (mut all, mut of) = (0.0, vec![0.0; odds.len()]);
        for set in 0u32..1 << odds.len() {
            let members = || (0..odds.len()).filter(|i| set >> i & 1 == 1);
            let Some(number) = numbers.get(members().count()) else { continue };
            let weight = number * members().map(|i| odds[i]).product::<f64>();
            all += weight;
            members().for_each(|i| of[i] += weight);
        }
        of.iter().map(|weight| weight / all).collect()
    }

    #[test]
    fn sums_are_those_over_all_sets() {
        let law = Law { k: 3, largest: 9, least_real: 1 };
        for (unknown, known, size) in [(1.0, 0, 6), (0.7, 2, 7), (1.0, 0, 3), (0.7, 0, 9)] {
            let sizes = Sizes::new(law, unknown);
            let odds: Vec<f64> =
                (0..size - known).map(|i| [0.2, 3.0, 0.0, 1.0, 50.0][i as usize % 5]).collect();
            let mut real = vec![0.0; 10];
            // What another class left in the room changes nothing.
            let mut room = Room { found: vec![9.0; 3], before: vec![9.0; 30], ..Room::default() };
            room.odds.clone_from(&odds);
            sizes.probabilities(size, known, &mut room, &mut real);
            let (found, expected) = (room.found, by_sets(&sizes, size, known, &odds));
            assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?} {expected:?}");
            assert!((real.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let mean: f64 = real.iter().enumerate().map(|(r, p)| r as f64 * p).sum();
            assert!((size as f64 - mean - found.iter().sum::<f64>()).abs() < 1e-9);
        }
    }

    #[test]
    fn exact_padding_doubts_the_smallest_classes_alone() {
        let law = Law { k: 4, largest: 4, least_real: 1 };
        let sizes = Sizes::new(law, 1.0);
        let (mut room, mut real) = (Room { odds: vec![1.0; 4], ..Room::default() }, vec![0.0; 5]);
        sizes.probabilities(4, 0, &mut room, &mut real);
        assert!(room.found.iter().all(|doubt| *doubt > 0.3 && *doubt < 0.75), "{:?}", room.found);
        sizes.numbers(5, 0, &mut room.after);
        assert_eq!(room.after, [1.0]);
        assert!(!Law { largest: u64::MAX, ..law }.is_known());
    }
}

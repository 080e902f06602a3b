//! Suppression and insertion as the program has them: Algorithm 1 with other draws.
//!
//! - The noisy threshold never falls below t, and a class is suppressed below it, not at it.
//! - Noise is rounded to the nearest whole number.
//! - Eq. 3 has the size of the class where the paper has the number of its values.
//! - The class of the suppressed records gets counterfeits, too.
//! - EMD adds the difference of one value, the first of the domain, as often as there are values.

use velamen_core::classes::ClassTable;
use velamen_dp::Stream;
use velamen_search::method::ipa::published::{Loss, PublishedParams};

/// 2⁻⁵³: uniform points are its multiples.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// The classes of a node before they are perturbed.
pub(super) struct Perturbation<'a> {
    pub(super) classes: &'a ClassTable,
    /// By class, the mean penalty of a record's cells.
    pub(super) penalties: &'a [f64],
    /// By sensitive code, whether anybody has it.
    pub(super) occurs: &'a [bool],
}

/// Sums over the classes of a perturbed table.
#[derive(Default)]
struct Sums {
    cells: f64,
    records: f64,
    classes: f64,
    emd: f64,
    rate: f64,
}

impl Perturbation<'_> {
    /// What is lost in one run.
    pub(super) fn draw(&self, params: &PublishedParams, stream: &mut Stream) -> Loss {
        let (mut sums, mut stars) = (Sums::default(), vec![0u64; self.occurs.len()]);
        for class in 0..self.classes.len() {
            let (size, values) = (self.classes.sizes[class], self.classes.sensitive(class));
            if is_suppressed(size, params, stream) {
                values.iter().for_each(|&(value, count)| stars[value as usize] += count);
            } else {
                sums.add(self.insert(size, values, params, stream), size, self.penalties[class]);
            }
        }
        let stars: Vec<(u32, u64)> = (0..).zip(stars).filter(|cell| cell.1 > 0).collect();
        let size = stars.iter().map(|cell| cell.1).sum();
        if size > 0 {
            sums.add(self.insert(size, &stars, params, stream), size, 1.0);
        }
        sums.loss()
    }

    /// How many counterfeits a class gets, and what EMD makes of them.
    fn insert(
        &self,
        size: u64,
        values: &[(u32, u64)],
        params: &PublishedParams,
        stream: &mut Stream,
    ) -> (f64, f64) {
        let inserted = laplace(1.0 / params.insertion, stream).round();
        if inserted < 1.0 {
            return (0.0, 0.0);
        }
        let domain = self.occurs.iter().filter(|occurs| **occurs).count();
        let share = Weights::new(size, values, domain, params.value).share(self.first());
        let first = (0..inserted as u64).filter(|_| point(stream) < share).count() as f64;
        let before = values.iter().find(|cell| cell.0 == self.first()).map_or(0.0, |cell| cell.1 as f64);
        let moved = (before / size as f64 - (before + first) / (size as f64 + inserted)).abs();
        (inserted, domain as f64 * moved / 2.0)
    }

    /// The value that EMD looks at: the first that occurs.
    fn first(&self) -> u32 {
        self.occurs.iter().position(|occurs| *occurs).unwrap_or(0) as u32
    }
}

/// Eq. 4 with the program's Eq. 3.
struct Weights<'a> {
    values: &'a [(u32, u64)],
    size: u64,
    epsilon: f64,
    /// The weight of a value that the class does not have.
    absent: f64,
    whole: f64,
}

impl<'a> Weights<'a> {
    fn new(size: u64, values: &'a [(u32, u64)], domain: usize, epsilon: f64) -> Self {
        // As many records as values would divide by nothing: the score is nothing there.
        let left = domain as f64 - size as f64;
        let score = if left == 0.0 { 0.0 } else { 1.0 / ((size + 1) as f64 * left) };
        let absent = (epsilon * score / 2.0).exp();
        let mut weights = Self { values, size, epsilon, absent, whole: 0.0 };
        weights.whole = values.iter().map(|cell| weights.present(cell.1)).sum::<f64>()
            + absent * (domain - values.len()) as f64;
        weights
    }

    /// The weight of a value that so many records of the class have.
    fn present(&self, count: u64) -> f64 {
        (self.epsilon * count as f64 / (self.size + 1) as f64 / 2.0).exp()
    }

    /// The probability of a value.
    fn share(&self, value: u32) -> f64 {
        let own = self.values.iter().find(|cell| cell.0 == value);
        own.map_or(self.absent, |cell| self.present(cell.1)) / self.whole
    }
}

impl Sums {
    fn add(&mut self, (inserted, emd): (f64, f64), size: u64, penalty: f64) {
        let released = size as f64 + inserted;
        self.cells += released * penalty;
        self.records += released;
        self.classes += 1.0;
        self.emd += emd;
        self.rate += inserted / released;
    }

    fn loss(&self) -> Loss {
        let mean = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 0.0 };
        Loss {
            ncp: mean(self.cells, self.records),
            emd: mean(self.emd, self.classes),
            rate: mean(self.rate, self.classes),
        }
    }
}

fn is_suppressed(size: u64, params: &PublishedParams, stream: &mut Stream) -> bool {
    let t = params.threshold as f64;
    let noise = laplace((t - 1.0) / params.suppression, stream).round();
    (size as f64) < t + noise.max(0.0)
}

/// Lap(scale): a sign by the lowest bit, and −scale · ln u with u in (0, 1] by the 53 highest.
fn laplace(scale: f64, stream: &mut Stream) -> f64 {
    let word = stream.word();
    let magnitude = -scale * (((word >> 11) + 1) as f64 * UNIT).ln();
    if word & 1 == 0 { magnitude } else { -magnitude }
}

/// A uniform point, from 0 to below 1.
pub(super) fn point(stream: &mut Stream) -> f64 {
    (stream.word() >> 11) as f64 * UNIT
}

#[cfg(test)]
mod tests {
    use velamen_dp::Seed;

    use super::*;

    #[test]
    fn no_class_of_t_records_is_suppressed_by_a_low_threshold() {
        let mut stream = Seed::from_number(1).stream(0);
        let params = PublishedParams { threshold: 5, suppression: 1.0, ..PublishedParams::default() };
        let mut share = |size| (0..2000).filter(|_| is_suppressed(size, &params, &mut stream)).count();
        // Below t always; at t where the noise, Lap(4), rounds to 1 or more: ½ · e^(−1/8) = 0.441.
        assert_eq!(share(4), 2000);
        // P(|Z| > 5) = 6e-7.
        assert!((772..993).contains(&share(5)));
        assert_eq!(share(100), 0);
    }

    #[test]
    fn equation_3_takes_the_size_for_the_number_of_values() {
        let values = [(1, 4), (2, 2)];
        let weights = Weights::new(6, &values, 10, 2.0);
        let own = [(4.0f64 / 7.0).exp(), (2.0f64 / 7.0).exp()];
        // 10 − 6, where the paper has 10 − 2.
        let absent = (1.0f64 / (7.0 * 4.0)).exp();
        let whole = own[0] + own[1] + 8.0 * absent;
        assert!((weights.share(1) - own[0] / whole).abs() < 1e-12);
        assert!((weights.share(0) - absent / whole).abs() < 1e-12);
        assert!((Weights::new(10, &values, 10, 2.0).absent - 1.0).abs() < 1e-12);
    }
}

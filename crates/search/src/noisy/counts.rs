//! Noise on the counts of all cells, of which only those above a threshold are kept.

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::streams;
use velamen_dp::{CellLaw, Door, Loss, Rational};

use super::threshold::{Expected, Tail};
use super::{LEAST_EPSILON, MOST_FALSE_RECORDS};
use crate::method::MethodError;

/// By how much more than needed the threshold that δ asks for holds, so that a checker that rounds in
/// another way agrees.
const MARGIN: f64 = 1.0 - 1.0 / (1u64 << 30) as f64;

/// Where counts are released from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Threshold {
    /// Everywhere the same.
    Given(u64),
    /// The least with which so many empty cells are released on average.
    Sparse(f64),
    /// Only occupied cells are looked at, and so many keep that from showing, but for δ.
    Stable(u64),
}

/// The noise of counts and the threshold that they must reach.
#[derive(Debug, Clone, PartialEq)]
pub struct CellNoise {
    loss: Loss,
    tail: Tail,
    threshold: Threshold,
}

impl CellNoise {
    /// Noise for a loss; with δ > 0 empty cells are never released. `asked` is a threshold that is asked
    /// for, without one `false_cells` empty cells are released on average.
    ///
    /// # Errors
    /// A [`Problem`] if ε is below [`LEAST_EPSILON`] or has too many digits, or the threshold is 0.
    pub fn new(loss: Loss, asked: Option<u64>, false_cells: f64) -> Result<Self, Problem> {
        refuse_undrawable(loss.epsilon)?;
        if asked == Some(0) {
            return Err(Problem::of(&["least-count"], "least-count is a number of records, from 1"));
        }
        if !(false_cells > 0.0 && false_cells.is_finite()) {
            return Err(Problem::of(&["false-cells"], "false-cells is a number above 0"));
        }
        let tail = Tail::new(loss.epsilon);
        let threshold = match asked {
            _ if loss.delta > Rational::ZERO => {
                Threshold::Stable(asked.unwrap_or(1).max(stable(&tail, loss.delta)))
            }
            Some(count) => Threshold::Given(count),
            None => Threshold::Sparse(false_cells),
        };
        Ok(Self { loss, tail, threshold })
    }

    /// Whether only cells with a record can be released.
    #[must_use]
    pub fn occupied_only(&self) -> bool {
        matches!(self.threshold, Threshold::Stable(_))
    }

    /// The least count that is released of a domain of so many cells.
    #[must_use]
    pub fn threshold(&self, cells: u128) -> u64 {
        match self.threshold {
            Threshold::Given(count) | Threshold::Stable(count) => count,
            Threshold::Sparse(most) => self.tail.least(most / (cells.max(1) as f64).next_up()).max(1),
        }
    }

    /// What noise alone comes to in a domain of so many cells.
    #[must_use]
    pub fn expected(&self, cells: u128) -> Expected {
        if self.occupied_only() { Expected::NONE } else { self.tail.expected(cells, self.threshold(cells)) }
    }

    /// Whether noise alone makes no more records than one can do with.
    #[must_use]
    pub fn bearable(&self, cells: u128) -> bool {
        self.expected(cells).records <= MOST_FALSE_RECORDS
    }

    /// What is paid for and drawn in a domain of so many cells.
    fn law(&self, cells: u128) -> (CellLaw, Loss) {
        let law = CellLaw::new(self.loss.epsilon, self.threshold(cells), self.occupied_only());
        (law.expect("the loss was checked"), self.loss)
    }

    /// The cells that are released with their noisy counts, ascending. `occupied` are the cells with
    /// records, ascending, and their counts; `cells` is how many cells the domain has. They pass the door.
    ///
    /// Time: O(occupied + expected released) on average, and memory.
    ///
    /// # Errors
    /// [`MethodError::Interrupted`].
    pub fn draw(
        &self,
        (occupied, cells): (&[(u128, u64)], u128),
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Vec<(u128, u64)>, MethodError> {
        let mut noise = context.seed.stream(streams::OCCUPIED_CELLS);
        let mut empty = context.seed.stream(streams::EMPTY_CELLS);
        let check = || context.check().map_err(MethodError::from);
        door.cells("cells", (occupied, cells), self.law(cells), [&mut noise, &mut empty], check)
    }
}

/// Refuses an ε with which no noise is drawn.
///
/// # Errors
/// A [`Problem`] if ε is below [`LEAST_EPSILON`] or has too many digits.
pub(crate) fn refuse_undrawable(epsilon: Rational) -> Result<(), Problem> {
    let least = Rational::new(LEAST_EPSILON.0, LEAST_EPSILON.1).expect("it is a rational number");
    if epsilon < least {
        return Err(Problem::new(format!(
            "a step has epsilon {} only, less than {least}: its noise would be in the thousands",
            epsilon.to_f64()
        ))
        .mend("raise epsilon or the step's share"));
    }
    match CellLaw::new(epsilon, 1, false) {
        Some(_) => Ok(()),
        None => Err("epsilon and its shares have too many digits together".into()),
    }
}

/// The least T with P(noise ≥ T − 1) ≤ δ: a cell of one record is released no more often.
fn stable(tail: &Tail, delta: Rational) -> u64 {
    let delta = (delta.to_f64() * MARGIN).max(f64::MIN_POSITIVE);
    tail.least(delta) + 1
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use velamen_dp::{Seed, TwoSided};

    use super::*;
    use velamen_core::context::Silent;

    fn loss(epsilon: f64, delta: f64) -> Loss {
        let read = |value| Rational::from_decimal(value).unwrap();
        Loss { epsilon: read(epsilon), delta: read(delta) }
    }

    fn draw(noise: &CellNoise, occupied: &[(u128, u64)], cells: u128, seed: u64) -> Vec<(u128, u64)> {
        let seed = Seed::from_number(seed);
        let context = Context { seed: &seed, progress: &Silent, cancel: &AtomicBool::new(false) };
        noise.draw((occupied, cells), &context, &mut Door::paid_by(noise.loss)).unwrap()
    }

    /// The sparse way against noise for every cell, written out: each of five cells, two of them occupied,
    /// is released with the same frequency and the same mean count.
    #[test]
    fn skipping_empty_cells_changes_no_law() {
        const RUNS: u64 = 40_000;
        let noise = CellNoise::new(loss(0.8, 0.0), Some(2), 1.0).unwrap();
        let occupied = [(1u128, 3u64), (4, 1)];
        let (mut sparse, mut dense) = ([(0.0f64, 0.0f64); 5], [(0.0f64, 0.0f64); 5]);
        let law = TwoSided::new(Rational::from_decimal(0.8).unwrap(), 1).unwrap();
        let mut stream = Seed::from_number(1).stream(0);
        for run in 0..RUNS {
            for (cell, count) in draw(&noise, &occupied, 5, run) {
                let seen = &mut sparse[cell as usize];
                *seen = (seen.0 + 1.0, seen.1 + count as f64);
            }
            for (seen, count) in dense.iter_mut().zip([0, 3, 0, 0, 1]) {
                let noisy = count + law.draw(&mut stream);
                if noisy >= 2 {
                    *seen = (seen.0 + 1.0, seen.1 + noisy as f64);
                }
            }
        }
        for (cell, (sparse, dense)) in sparse.iter().zip(&dense).enumerate() {
            // Both frequencies have a standard deviation of at most ½/√RUNS, both sums of counts one of
            // below 3√RUNS; P(|Z| > 4.5) = 7e-6 each, and the seeds are fixed.
            let runs = RUNS as f64;
            assert!((sparse.0 - dense.0).abs() < 4.5 * 0.71 * runs.sqrt(), "{cell}: {sparse:?} {dense:?}");
            assert!((sparse.1 - dense.1).abs() < 4.5 * 4.2 * runs.sqrt(), "{cell}: {sparse:?} {dense:?}");
        }
    }

    #[test]
    fn thresholds_follow_from_public_numbers() {
        let sparse = CellNoise::new(loss(1.0, 0.0), None, 1.0).unwrap();
        for cells in [1u128, 1000, 1 << 40, 1 << 110] {
            let expected = sparse.expected(cells);
            assert!(expected.cells <= 1.0 + 1e-9, "{cells}: {expected:?}");
            let lower = (-(sparse.threshold(cells) as f64 - 1.0)).exp() / (1.0 + (-1.0f64).exp());
            assert!(sparse.threshold(cells) == 1 || lower * cells as f64 > 1.0, "{cells}");
        }
        let stable = CellNoise::new(loss(1.0, 1e-5), Some(3), 1.0).unwrap();
        // e^−(T − 1)/(1 + e^−1) ≤ 10⁻⁵ for T − 1 ≥ 11.2.
        assert_eq!(
            (stable.threshold(10), stable.threshold(1 << 100), stable.occupied_only()),
            (13, 13, true)
        );
        assert_eq!(CellNoise::new(loss(1.0, 1e-5), Some(40), 1.0).unwrap().threshold(10), 40);
        assert_eq!(stable.expected(1 << 100), Expected::NONE);
        assert!(!CellNoise::new(loss(1.0, 0.0), Some(1), 1.0).unwrap().bearable(1 << 40));
    }

    #[test]
    fn with_delta_no_empty_cell_is_released() {
        let noise = CellNoise::new(loss(0.5, 1e-3), None, 1.0).unwrap();
        for seed in 0..200 {
            let released = draw(&noise, &[(7, 30), (9, 1)], 1 << 100, seed);
            assert!(
                released.iter().all(|&(cell, count)| (cell == 7 || cell == 9) && count >= noise.threshold(1))
            );
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let noisy = CellNoise::new(loss(0.0005, 0.0), None, 1.0).unwrap_err();
        assert!(noisy.remedy().is_some_and(|mend| mend.starts_with("raise epsilon")), "{noisy}");
        assert!(CellNoise::new(loss(1.0, 0.0), Some(0), 1.0).unwrap_err().text().contains("least-count"));
        for false_cells in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(CellNoise::new(loss(1.0, 0.0), None, false_cells).is_err());
        }
    }
}

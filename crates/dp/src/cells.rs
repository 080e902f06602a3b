//! Noise on the counts of all cells of a domain, of which only those from a threshold on are given.
//!
//! # Definition
//! Each cell's count gets two-sided geometric noise of ε, 0 where the sum is negative; cells with at least T are given with it. Where
//! only occupied cells are looked at, T must keep from showing which they are, but for δ.
//!
//! # Complexity
//! Time O(occupied + given) expected, and memory, whatever the domain: of empty cells the successes alone are drawn ([`Rare`]).

use crate::{Geometric, Rare, Rational, Stream, TwoSided};

/// Draws between two looks at the wish to stop.
const BATCH: usize = 1 << 16;

/// Cells by number, ascending, and their counts; all others have none.
pub type CellCounts = Vec<(u128, u64)>;

/// The law of what is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellLaw {
    epsilon: Rational,
    law: TwoSided,
    above: Geometric,
    /// T.
    threshold: u64,
    occupied_only: bool,
}

impl CellLaw {
    /// Noise of ε and the threshold T; `None` if ε is 0 or has too many digits.
    #[must_use]
    pub fn new(epsilon: Rational, threshold: u64, occupied_only: bool) -> Option<Self> {
        let (law, above) = (TwoSided::new(epsilon, 1)?, Geometric::new(epsilon, 1)?);
        Some(Self { epsilon, law, above, threshold, occupied_only })
    }

    /// T.
    #[must_use]
    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Whether cells without a record are never given.
    #[must_use]
    pub fn occupied_only(&self) -> bool {
        self.occupied_only
    }

    /// The cells that are given. `occupied` are those with records; `cells` is how many there are. One stream is for occupied
    /// cells, one for empty ones. `check` is called now and then, and its error ends the drawing.
    pub(crate) fn draw<E>(
        &self,
        occupied: &[(u128, u64)],
        cells: u128,
        [noise, empty]: [&mut Stream; 2],
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<CellCounts, E> {
        let mut given = Vec::new();
        for batch in occupied.chunks(BATCH) {
            check()?;
            for &(cell, count) in batch {
                let noisy = clamped(count, self.law.draw(noise));
                if noisy >= self.threshold {
                    given.push((cell, noisy));
                }
            }
        }
        if !self.occupied_only {
            self.empty(occupied, cells, &mut given, empty, check)?;
        }
        Ok(given)
    }

    /// Adds the empty cells. The successes among all cells are drawn, and those at occupied ones left out: cells are independent
    /// of each other.
    fn empty<E>(
        &self,
        occupied: &[(u128, u64)],
        cells: u128,
        given: &mut CellCounts,
        stream: &mut Stream,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut places = Vec::new();
        for cell in Rare::new(self.epsilon, self.threshold).draw(cells, stream) {
            if places.len() % BATCH == 0 {
                check()?;
            }
            places.push(cell);
        }
        for cell in places {
            if occupied.binary_search_by_key(&cell, |occupied| occupied.0).is_err() {
                let beyond = u64::try_from(self.above.draw(stream)).unwrap_or(u64::MAX);
                given.push((cell, self.threshold.saturating_add(beyond)));
            }
        }
        given.sort_unstable();
        Ok(())
    }
}

/// A count with its noise, 0 where that is negative.
#[must_use]
pub fn clamped(count: u64, noise: i128) -> u64 {
    let sum = i128::from(count).saturating_add(noise).max(0);
    u64::try_from(sum).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_at_nothing_and_at_the_largest_number() {
        assert_eq!((clamped(3, -5), clamped(3, -1), clamped(u64::MAX, 5)), (0, 2, u64::MAX));
    }

    #[test]
    fn laws_without_noise_are_none() {
        assert_eq!(CellLaw::new(Rational::ZERO, 1, false), None);
        let law = CellLaw::new(Rational::new(1, 2).unwrap(), 7, true).unwrap();
        assert_eq!((law.threshold(), law.occupied_only()), (7, true));
        assert!(!CellLaw::new(Rational::new(1, 2).unwrap(), 7, false).unwrap().occupied_only());
    }

    /// The cells that are given of a hundred, and how often the drawing asked whether to go on.
    fn given(law: CellLaw, occupied: &[(u128, u64)]) -> (CellCounts, usize) {
        let seed = crate::Seed::from_number(92);
        let mut asked = 0;
        let streams = [&mut seed.stream(0), &mut seed.stream(1)];
        let drawn = law.draw(occupied, 100, streams, || {
            asked += 1;
            Ok::<(), std::convert::Infallible>(())
        });
        (drawn.unwrap(), asked)
    }

    #[test]
    fn only_counts_from_the_threshold_on_are_given() {
        // Of ε = 40 no count gets any noise, but for a probability of 1e-17.
        let law = |occupied_only| CellLaw::new(Rational::new(40, 1).unwrap(), 5, occupied_only).unwrap();
        let occupied = [(3, 4), (17, 5), (40, 9)];
        let kept = vec![(17, 5), (40, 9)];
        assert_eq!(given(law(true), &occupied).0, kept);
        assert_eq!(given(law(false), &occupied).0, kept);
    }

    #[test]
    fn empty_cells_are_given_once_each_beside_the_occupied() {
        let law = CellLaw::new(Rational::new(1, 10).unwrap(), 2, false).unwrap();
        let occupied: Vec<(u128, u64)> = (0..50).map(|cell| (2 * cell, 1000)).collect();
        let (cells, asked) = given(law, &occupied);
        assert!(cells.is_sorted_by(|cell, next| cell.0 < next.0), "each cell once");
        let (few, many): (CellCounts, CellCounts) = cells.iter().partition(|(_, count)| *count < 500);
        assert_eq!(many.len(), 50);
        assert!(!few.is_empty() && few.iter().all(|(cell, count)| cell % 2 == 1 && *count >= 2));
        assert_eq!(asked, 2, "once for the occupied cells and once for the others");
    }

    #[test]
    fn a_wish_to_stop_ends_the_drawing() {
        let law = CellLaw::new(Rational::new(1, 2).unwrap(), 1, false).unwrap();
        let seed = crate::Seed::from_number(90);
        let draw = |occupied: &[(u128, u64)]| {
            let (mut noise, mut empty) = (seed.stream(0), seed.stream(1));
            law.draw(occupied, 100, [&mut noise, &mut empty], || Err("stop"))
        };
        assert_eq!((draw(&[(0, 1)]), draw(&[])), (Err("stop"), Err("stop")));
    }
}

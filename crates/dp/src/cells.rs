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

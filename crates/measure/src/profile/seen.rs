//! One look at all distinct values of a column: how many have which shape, and how many look like names.

use rayon::prelude::*;

use super::Cells;
use super::patterns::{Look, PATTERNS, Pattern, Strength, Taken, Traits};
use super::persons::Names;

/// Values that one thread looks at in a row.
const RUN: usize = 2_048;

/// By how much the share of those that pass a check must exceed chance: digits are never quite even.
const BEYOND: f64 = 0.2;

/// A little over −ln 10⁻⁶: how improbable chance must be.
const IMPROBABLE: f64 = 13.816;

/// What was seen of one shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Distinct values that have it, as a whole.
    pub(super) whole: u64,
    /// Records of these.
    pub(super) records: u64,
    /// Distinct values that have it within.
    pub(super) within: u64,
    /// Distinct values that have its layout and not its check.
    pub(super) failed: u64,
}

impl Tally {
    fn and(self, other: Self) -> Self {
        Self {
            whole: self.whole + other.whole,
            records: self.records + other.records,
            within: self.within + other.within,
            failed: self.failed + other.failed,
        }
    }

    /// Distinct values that are or contain it.
    pub(super) fn found(self) -> u64 {
        self.whole + self.within
    }

    /// Whether more pass a check than chance allows: with a probability below 10⁻⁶ by Chernoff's bound, and by a
    /// margin that no unevenness of digits explains.
    pub(super) fn is_beyond(self, chance: f64) -> bool {
        let tried = self.found() + self.failed;
        let share = self.found() as f64 / tried.max(1) as f64;
        let divergence = term(share, chance) + term(1.0 - share, 1.0 - chance);
        share > chance + BEYOND && tried as f64 * divergence > IMPROBABLE
    }
}

fn term(of: f64, expected: f64) -> f64 {
    if of > 0.0 { of * (of / expected).ln() } else { 0.0 }
}

/// What was seen of a column.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// By the place of the shape in [`PATTERNS`].
    tallies: Vec<Tally>,
    pub(super) names: Names,
    distinct: u64,
    records: u64,
}

impl Seen {
    /// Looks at every value once, on all cores.
    pub(super) fn of(cells: Cells<'_>) -> Self {
        let runs = cells.0.par_chunks(RUN).map(Self::of_run);
        runs.reduce(Self::nothing, Self::and)
    }

    fn nothing() -> Self {
        Self {
            tallies: vec![Tally::default(); PATTERNS.len()],
            names: Names::default(),
            distinct: 0,
            records: 0,
        }
    }

    fn of_run(run: &[(&str, u64)]) -> Self {
        let mut seen = Self::nothing();
        for &(value, count) in run {
            let traits = Traits::of(value);
            seen.distinct += 1;
            seen.records += count;
            seen.names.add(value, traits);
            if !traits.is_plain() {
                seen.look(value, count, traits);
            }
        }
        seen
    }

    fn look(&mut self, value: &str, count: u64, traits: Traits) {
        let taken = Taken::of(value, traits);
        for place in taken.shapes() {
            let tally = &mut self.tallies[place];
            match taken.look(&PATTERNS[place]) {
                Look::Whole => {
                    tally.whole += 1;
                    tally.records += count;
                }
                Look::Within => tally.within += 1,
                Look::Layout => tally.failed += 1,
                Look::Nothing => {}
            }
        }
    }

    fn and(mut self, other: Self) -> Self {
        for (own, other) in self.tallies.iter_mut().zip(other.tallies) {
            *own = own.and(other);
        }
        self.names = self.names.and(other.names);
        self.distinct += other.distinct;
        self.records += other.records;
        self
    }

    /// The shapes with what was seen of them.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (&'static Pattern, Tally)> {
        PATTERNS.iter().zip(self.tallies.iter().copied())
    }

    /// The share of the records, or of the distinct values if that is more: what stands for a missing value can
    /// have most records.
    pub(super) fn share(&self, tally: Tally) -> f64 {
        part_of(tally.records, self.records).max(part_of(tally.whole, self.distinct))
    }

    /// Whether so few finds are enough: one of what cannot be mistaken, unless most that look so fail its check.
    pub(super) fn is_certain(pattern: &Pattern, tally: Tally) -> bool {
        matches!(pattern.strength, Strength::Unmistakable)
            && tally.found() > 0
            && tally.found() >= tally.failed
    }
}

fn part_of(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_told_from_design() {
        let tally = |whole, failed| Tally { whole, failed, ..Tally::default() };
        // Six of six have the probability 10⁻⁶ exactly, seven less.
        assert!(!tally(6, 0).is_beyond(0.1) && tally(7, 0).is_beyond(0.1));
        assert!(!tally(2_000, 18_000).is_beyond(0.1) && !tally(0, 0).is_beyond(0.1));
        // Significant, but by no margin: digits that are not quite even.
        assert!(!tally(3_000, 17_000).is_beyond(0.1));
        assert!(tally(7_000, 13_000).is_beyond(0.1));
    }
}

//! What an adversary can learn from runs of the same method on tables of her own: signs of the records, and what guesses by them
//! are worth.
//!
//! # Summary
//! Whoever knows the recipe can run it on tables like the original, where she knows the counterfeits. What she learns there she
//! tries on the release. The learner is for the caller to choose; here is what it sees, and how it is judged.
//!
//! # Definition
//! The signs of the records of a value in a class that can hold counterfeits, all of which follow from the release:
//! the size of the class; its records of the value, and their share; how many different values it has; the counterfeits in
//! the row of the catalog, the records that the row doubts, their quotient, and that over the size of the class; how populated
//! the classes around it are; the room of its labels, and the records that marginals lead to expect there; the sum of these quotients
//! over the records of the class, over its size; the log of the value's share of all records; and what the fixed adversary makes of
//! them: the logs of q(s | E) / p(s | E) and of the odds, and the probability.
//!
//! # References
//! Shokri et al. 2017 for adversaries who learn from tables of their own.
//!
//! # Deviations
//! None: the signs are ours.

use velamen_core::context::{Context, Interrupted};

use super::figures::AdversaryFigures;
use super::{Beliefs, NONE, Sight};

/// How many signs a record has.
pub const SIGNS: usize = 16;

/// Probabilities are no nearer to 0 and 1.
const LEAST: f64 = 1e-6;

/// Records by what signs compare them with.
struct Counts {
    /// Those that each row of the catalog doubts.
    doubted: Vec<u64>,
    /// Those of each value.
    of_value: Vec<u64>,
}

/// The signs of the records of a cell.
pub type Signs = [f64; SIGNS];

impl Sight {
    /// The signs of each cell; `None` where its records are real for sure.
    ///
    /// # Errors
    /// [`Interrupted`].
    pub fn signs(&self, context: &Context<'_>) -> Result<Vec<Option<Signs>>, Interrupted> {
        let ratios = self.ratios(context)?;
        let beliefs = self.scaled(&ratios, &self.nothing_known(), context)?;
        let counts = self.counts();
        let signs = |number: usize| self.signs_of(number, &counts, (ratios[number], &beliefs));
        Ok((0..self.cells.len()).map(|number| self.is_doubted(number).then(|| signs(number))).collect())
    }

    fn signs_of(&self, number: usize, counts: &Counts, (ratio, beliefs): (f64, &Beliefs)) -> Signs {
        let cell = self.cells[number];
        let (class, row) = (cell.class as usize, cell.row as usize);
        let (size, share) = (self.sizes[class] as f64, self.share(row, counts));
        let own = self.first[class]..self.first[class + 1];
        let doubted = own.clone().filter(|&other| self.is_doubted(other)).map(|other| self.cells[other]);
        let of_class: f64 =
            doubted.map(|other| other.records as f64 * self.share(other.row as usize, counts)).sum();
        let all = counts.of_value.iter().sum::<u64>().max(1) as f64;
        [
            size,
            cell.records as f64,
            cell.records as f64 / size,
            own.len() as f64,
            self.rows[row] as f64 * self.shares[row],
            counts.doubted[row] as f64,
            share,
            share / size,
            self.crowds[class],
            self.numbers[class][1],
            self.numbers[class][2],
            of_class / size,
            (counts.of_value[cell.value as usize] as f64 / all).ln(),
            ratio,
            beliefs.odds[number].clamp(LEAST, 1.0 / LEAST).ln(),
            beliefs.doubt[number],
        ]
    }

    /// The share of the records that a row doubts that it counts.
    fn share(&self, row: usize, counts: &Counts) -> f64 {
        self.rows[row] as f64 * self.shares[row] / counts.doubted[row].max(1) as f64
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts { doubted: vec![0; self.rows.len()], of_value: vec![0; self.domain()] };
        for (number, cell) in self.cells.iter().enumerate() {
            counts.of_value[cell.value as usize] += cell.records;
            if self.is_doubted(number) {
                counts.doubted[cell.row as usize] += cell.records;
            }
        }
        counts
    }

    fn is_doubted(&self, number: usize) -> bool {
        let cell = &self.cells[number];
        cell.row != NONE && self.can_hold[cell.class as usize]
    }

    /// The records of each cell.
    pub fn records(&self) -> impl Iterator<Item = u64> {
        self.cells.iter().map(|cell| cell.records)
    }

    /// What guesses are worth by the counterfeits of each cell and, where people are counted, by the people of each class of the
    /// release. `doubts`: by cell the probability that its records are counterfeit; `None` where they are real for sure.
    #[must_use]
    pub fn worth(
        &self,
        doubts: &[Option<f64>],
        counterfeits: &[u64],
        people: Option<&[u64]>,
    ) -> AdversaryFigures {
        let certain = |doubt: &Option<f64>| doubt.map(|doubt| doubt.clamp(LEAST, 1.0 - LEAST));
        let beliefs = Beliefs {
            doubt: doubts.iter().map(|doubt| certain(doubt).unwrap_or(0.0)).collect(),
            odds: doubts.iter().map(|doubt| certain(doubt).map_or(0.0, |p| p / (1.0 - p))).collect(),
        };
        self.judge(&beliefs, counterfeits, people)
    }
}

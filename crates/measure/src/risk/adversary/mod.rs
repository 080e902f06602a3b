//! The adversary who separates counterfeits from real records.
//!
//! # Summary
//! Lemma 1 counts: no counterfeit is pinned to a class by the catalog. This adversary guesses: from the release and
//! its manifest alone every record of a class that can hold counterfeits gets a probability to be one. How often that
//! helps is measured with the truth, which the custodian has.
//!
//! # Definition
//! A record with value s in a class E of group G has odds w = λ(G, s) · q(s | E) / p(s | E) to be counterfeit.
//! - p is what goes with the quasi-identifiers in classes that are surely real (those above the largest padded class,
//!   or outside every group): a multinomial logistic model of the released labels and all values above them, fitted
//!   by penalized likelihood.
//! - q is what counterfeits are drawn from: the same for all classes or, where the release says that draws are local,
//!   a second such model. It is fitted to the records of padded classes by their probabilities from a first round,
//!   and never to a class that it judges (two halves, each judged by the other).
//! - λ makes the probabilities of each catalog row add up to its count.
//! - `sizes`: by its size, a class has so many counterfeits with such a probability. What the law of padding leaves
//!   open, the sizes of real classes, is estimated by the same rounds (EM).
//!
//! In a class that shows no more values than its real records are promised to have, a value that one record has is real.
//!
//! Where hardly any class is surely real, p is fitted to all by what catalog and sizes say, in halves, too. A second
//! adversary knows some real records for sure, and so more of the catalog's rows and of the sizes; p and q are the same.
//!
//! # Parameters
//! [`Told`], what the manifest says. All else is fixed: one model, one seed, nothing tuned to a table.
//!
//! # Returns
//! [`AdversaryFigures`].
//!
//! [`Effort`] says how much is judged. Of a large release a sample is: whole groups, and of large groups some classes,
//! whose rows of the catalog are scaled to the records that are judged; what surely real records add to an area is
//! weighed by the share that is judged. Rates and areas are then estimates of those of all.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! O(steps · min(classes · values, fitted) · attributes · levels) to fit, O(rounds · Σ m²) for classes of m records.
//!
//! # References
//! Wong et al. 2007 (minimality); Lee et al. 2017, Lemma 1; Nocedal 1980 (L-BFGS).
//!
//! # Deviations
//! None: the attack is ours. It is estimation, no bound: a stronger adversary may exist.

mod crowd;
mod descent;
mod effort;
mod figures;
mod learned;
mod model;
mod one_number;
mod sight;
mod sizes;

use rayon::prelude::*;
use velamen_core::context::{Context, Interrupted};

pub use self::effort::Effort;
pub use self::figures::{AdversaryFigures, Matched};
pub use self::learned::{SIGNS, Signs};
use self::model::{Examples, Fit, Model, NONE, SMOOTHING};
use self::sight::most_classes;
pub use self::sight::{Sampled, Sight, Told};
pub use self::sizes::Law;
use self::sizes::{Room, Sizes};

/// Rounds of scaling to the catalog and of what is believed of sizes.
const ROUNDS: usize = 25;
/// Surely real records from which on no others are learned from.
const ENOUGH: u64 = 1000;
/// Steps of a fit: what goes with real records, and with counterfeits.
const STEPS: [usize; 2] = [40, 15];
/// What holds the weights, in records.
const RIDGE: [f64; 2] = [1.0, 10.0];
/// The largest factor in one round.
const LEAP: f64 = 5.0;
/// Odds beyond are as good as certain.
const CERTAIN: f64 = 1e6;
/// Classes that one thread takes at once.
const PART: usize = 256;

/// What the adversary thinks of each cell.
struct Beliefs {
    /// The probability that a record is counterfeit (of those not known).
    doubt: Vec<f64>,
    /// The odds by value alone; what counts within a class.
    odds: Vec<f64>,
}

/// What the sizes say of some classes: the probability of the records of each cell, and how many classes have each
/// number of real records.
type BySize = (Vec<(usize, f64)>, Vec<f64>);

/// Records that are known to be real, by cell, and the share that was drawn.
struct Known {
    records: Vec<u64>,
    share: f64,
}

impl Sight {
    fn nothing_known(&self) -> Known {
        Known { records: vec![0; self.cells.len()], share: 0.0 }
    }

    /// Log q(s | E) / p(s | E) of each cell, by the release alone.
    fn ratios(&self, context: &Context<'_>) -> Result<Vec<f64>, Interrupted> {
        let real = self.real_shares(context)?;
        context.check()?;
        // The rows settle what is common to a value; from its share of the catalog they settle soon.
        let drawn = self.drawn_shares();
        let flat: Vec<f64> =
            self.cells.iter().zip(&real).map(|(cell, real)| drawn[cell.value as usize].ln() - real).collect();
        if !self.told.local {
            return Ok(flat);
        }
        let first = self.scaled(&flat, &self.nothing_known(), context)?;
        let weight = |cell: usize| self.cells[cell].records as f64 * first.doubt[cell];
        let drawn = self.crossed(1, |class| self.can_hold[class], weight);
        Ok(drawn.iter().zip(&real).map(|(drawn, real)| drawn - real).collect())
    }

    /// The share of each value of all counterfeits.
    fn drawn_shares(&self) -> Vec<f64> {
        let mut counts = vec![SMOOTHING; self.domain()];
        let mut counted = vec![false; self.rows.len()];
        for cell in self.cells.iter().filter(|cell| cell.row != NONE) {
            if !std::mem::replace(&mut counted[cell.row as usize], true) {
                counts[cell.value as usize] += self.rows[cell.row as usize] as f64;
            }
        }
        let all: f64 = counts.iter().sum();
        counts.iter().map(|count| count / all).collect()
    }

    /// Log p(s | E) of each cell of a class that can hold counterfeits.
    fn real_shares(&self, context: &Context<'_>) -> Result<Vec<f64>, Interrupted> {
        let mut sure: Vec<usize> = (0..self.classes()).filter(|&class| !self.can_hold[class]).collect();
        let records = |cell: usize| self.cells[cell].records as f64;
        if sure.iter().map(|&class| self.sizes[class]).sum::<u64>() >= ENOUGH {
            sure.sort_by_key(|&class| std::cmp::Reverse(self.sizes[class]));
            sure.truncate(self.most_classes());
            sure.sort_unstable();
            let model = self.fit(0).model(&self.examples(&sure, records));
            return Ok(self.judged(|_| &model));
        }
        let first = self.scaled(&vec![0.0; self.cells.len()], &self.nothing_known(), context)?;
        Ok(self.crossed(0, |_| true, |cell| records(cell) * (1.0 - first.doubt[cell])))
    }

    fn most_classes(&self) -> usize {
        most_classes(self.fitted, self.domain())
    }

    fn fit(&self, which: usize) -> Fit {
        Fit { features: self.widths, values: self.domain(), ridge: RIDGE[which], steps: STEPS[which] }
    }

    fn examples(&self, classes: &[usize], weight: impl Fn(usize) -> f64) -> Examples<'_> {
        let seen = |&class: &usize| {
            let cells = self.first[class]..self.first[class + 1];
            cells.map(|cell| (self.cells[cell].value, weight(cell))).filter(|seen| seen.1 > 0.0).collect()
        };
        Examples {
            features: classes.iter().map(|&class| self.features(class)).collect(),
            seen: classes.iter().map(seen).collect(),
        }
    }

    /// Two models, each of every other class; a class is judged by the one that has not seen it.
    fn crossed(
        &self,
        which: usize,
        learns: impl Fn(usize) -> bool + Sync,
        weight: impl Fn(usize) -> f64 + Sync,
    ) -> Vec<f64> {
        let of = |half: usize| {
            let classes: Vec<usize> =
                (0..self.classes()).filter(|&class| class % 2 == half && learns(class)).collect();
            let apart = classes.len().div_ceil(self.most_classes() / 2).max(1);
            let classes: Vec<usize> = classes.into_iter().step_by(apart).collect();
            self.fit(which).model(&self.examples(&classes, &weight))
        };
        let models = rayon::join(|| of(0), || of(1));
        self.judged(|class| if class % 2 == 1 { &models.0 } else { &models.1 })
    }

    /// Log shares of the cells of all classes that can hold counterfeits; 0 elsewhere.
    fn judged<'a>(&self, model: impl Fn(usize) -> &'a Model + Sync) -> Vec<f64> {
        let of_class = |class: usize| {
            let cells = self.of_class(class);
            if self.can_hold[class] {
                model(class).log_shares(self.features(class), cells.iter().map(|cell| cell.value))
            } else {
                vec![0.0; cells.len()]
            }
        };
        (0..self.classes()).into_par_iter().with_min_len(PART).flat_map_iter(of_class).collect()
    }

    /// The probabilities by what the values say, scaled to the catalog.
    fn scaled(&self, ratios: &[f64], known: &Known, context: &Context<'_>) -> Result<Beliefs, Interrupted> {
        let odds: Vec<f64> = ratios.iter().map(|ratio| ratio.exp()).collect();
        let mut factors = vec![1.0; self.rows.len()];
        let mut sizes = self.told.law.is_known().then(|| Sizes::new(self.told.law, 1.0 - known.share));
        let mut beliefs = Beliefs { doubt: Vec::new(), odds: Vec::new() };
        for _ in 0..ROUNDS {
            context.check()?;
            beliefs.odds = self
                .cells
                .iter()
                .zip(&odds)
                .map(|(cell, odds)| self.weighed(cell, *odds, &factors))
                .collect();
            beliefs.doubt = match &mut sizes {
                Some(sizes) => self.by_sizes(sizes, &beliefs.odds, known),
                None => beliefs.odds.iter().map(|odds| odds / (1.0 + odds)).collect(),
            };
            self.scale_rows(&mut factors, &beliefs.doubt, known);
        }
        Ok(beliefs)
    }

    fn weighed(&self, cell: &sight::Cell, odds: f64, factors: &[f64]) -> f64 {
        let can_be = cell.row != NONE && self.can_hold[cell.class as usize];
        if can_be { (odds * factors[cell.row as usize]).clamp(1.0 / CERTAIN, CERTAIN) } else { 0.0 }
    }

    fn by_sizes(&self, sizes: &mut Sizes, odds: &[f64], known: &Known) -> Vec<f64> {
        let classes: Vec<usize> = (0..self.classes()).filter(|&class| self.can_hold[class]).collect();
        let parts: Vec<BySize> = classes
            .par_chunks(PART)
            .map(|classes| {
                let cells = classes.iter().map(|&class| self.of_class(class).len()).sum();
                let mut by_size = (Vec::with_capacity(cells), vec![0.0; sizes.real.len()]);
                let mut room = Room::default();
                for &class in classes {
                    self.class_by_sizes(class, sizes, odds, known, &mut room, &mut by_size);
                }
                by_size
            })
            .collect();
        let mut doubt = vec![0.0; self.cells.len()];
        let mut real = vec![0.0; sizes.real.len()];
        for (told, by) in parts {
            told.into_iter().for_each(|(cell, of)| doubt[cell] = of);
            real.iter_mut().zip(by).for_each(|(real, by)| *real += by);
        }
        let all: f64 = real.iter().sum();
        if all > 0.0 {
            sizes.real = real.iter().map(|real| real / all).collect();
        }
        doubt
    }

    /// Adds the probability of a record of each cell of a class.
    fn class_by_sizes(
        &self,
        class: usize,
        sizes: &Sizes,
        odds: &[f64],
        known: &Known,
        room: &mut Room,
        (told, real): &mut BySize,
    ) {
        let cells = self.first[class]..self.first[class + 1];
        let unknown = |cell: usize| (self.cells[cell].records - known.records[cell]) as usize;
        room.odds.clear();
        for cell in cells.clone() {
            room.odds.extend(std::iter::repeat_n(odds[cell], unknown(cell)));
        }
        let of_known = cells.clone().map(|cell| known.records[cell]).sum();
        sizes.probabilities(self.sizes[class], of_known, room, real);
        let mut at = 0;
        for cell in cells {
            at += unknown(cell);
            told.push((cell, if unknown(cell) > 0 { room.found[at - 1] } else { 0.0 }));
        }
    }

    fn scale_rows(&self, factors: &mut [f64], doubt: &[f64], known: &Known) {
        let mut sums = vec![0.0; self.rows.len()];
        for (number, cell) in self.cells.iter().enumerate().filter(|(_, cell)| cell.row != NONE) {
            sums[cell.row as usize] += (cell.records - known.records[number]) as f64 * doubt[number];
        }
        let counts = self.rows.iter().zip(&self.shares).map(|(&count, share)| count as f64 * share);
        for ((factor, sum), count) in factors.iter_mut().zip(&sums).zip(counts) {
            let by = if *sum > 0.0 { count / sum } else { 1.0 };
            *factor = (*factor * by.clamp(1.0 / LEAP, LEAP)).clamp(1.0 / CERTAIN, CERTAIN);
        }
    }
}

#[cfg(test)]
mod tests;

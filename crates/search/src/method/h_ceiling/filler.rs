//! Counterfeit records: how many, and of which sensitive values.
//!
//! Every class below its target is padded to it: other models hold of the real records already ([`super::real`]). Where
//! counterfeits stand in for people, or a model is about sizes, padding goes on until all hold ([`super::growth`]). Classes of too few real records get none: they are suppressed.

use std::ops::RangeInclusive;

use velamen_core::classes::ClassTable;
use velamen_core::earlier::Earlier;
use velamen_core::impossible::Pairs;
use velamen_core::plan::{Counterfeits, Fate};
use velamen_dp::{Seed, Stream};

use super::growth::{Bind, Growth};
use super::padding::Padding;
use super::pool::{Draw, Pool, Surroundings};

/// Draws the counterfeits of some classes.
#[derive(Clone)]
pub(super) struct Filler<'a> {
    pub(super) k: u64,
    pub(super) padding: Padding,
    pub(super) draw: Draw,
    /// The size of the sensitive domain.
    pub(super) values: u64,
    /// The real records of a class that may conceal: as many as it takes to be padded, and at most the largest
    /// size that a padded class can have.
    pub(super) sizes: RangeInclusive<u64>,
    /// The released records by sensitive value that are in none of the classes, and whose they are where people are
    /// counted.
    pub(super) apart: Vec<u64>,
    pub(super) apart_pairs: Vec<(u32, u32)>,
    /// Whether suppressed records show no values: those of classes that are too small, and those apart.
    pub(super) hides: bool,
    /// Whether counterfeits stand in for people in what models ask of values.
    pub(super) counterfeits_count: bool,
    /// Whether padding goes on until the models hold.
    pub(super) grows: bool,
    /// The models beyond k-anonymity, where there are any.
    pub(super) models: Option<&'a Bind<'a>>,
    /// The pairs that no counterfeit gets, where there are any.
    pub(super) pairs: Option<&'a Pairs>,
    /// An earlier release, where there was one.
    pub(super) earlier: Option<&'a Earlier>,
}

impl Filler<'_> {
    /// Pads the kept classes, drawing from two streams of the seed; `None` where padding should make models hold and cannot,
    /// or a counterfeit could only be impossible.
    ///
    /// Time: O(cells + counterfeits · log cells) for a size alone, see [`Growth`] otherwise.
    pub(super) fn fill(
        &self,
        (classes, fates): (&ClassTable, &[Fate]),
        near: Surroundings<'_>,
        seed: &Seed,
        streams: [u64; 2],
    ) -> Option<Vec<Counterfeits>> {
        let [mut targets, mut values] = streams.map(|stream| seed.stream(stream));
        let pool = Pool::new(classes, near, self.draw, &self.sizes, self.values);
        match self.models.filter(|_| self.grows) {
            Some(bind) => {
                let kept = fates.iter().map(|fate| *fate == Fate::Keep).collect();
                let released = self.shown(classes, fates);
                Growth::new(bind, (self.k, self.padding), (kept, released), pool)
                    .run(&mut targets, &mut values)
            }
            None => self.pad((classes, fates), &pool, &mut targets, &mut values),
        }
    }

    /// Pads every class below its target (Algorithm 1, lines 7–13), but for those that stood in an earlier release.
    fn pad(
        &self,
        (classes, fates): (&ClassTable, &[Fate]),
        pool: &Pool<'_>,
        targets: &mut Stream,
        values: &mut Stream,
    ) -> Option<Vec<Counterfeits>> {
        let largest = self.padding.largest_target(self.k);
        let mut missing = Vec::new();
        for class in (0..classes.len() as u32).filter(|&class| fates[class as usize] == Fate::Keep) {
            let size = classes.people(class as usize);
            if let Some(kept) = pool.kept(class, self.k, largest) {
                if !kept.is_empty() {
                    missing.push((class, 0));
                }
            } else if size < largest {
                let target = self.padding.target(self.k, targets);
                if size < target {
                    missing.push((class, target - size));
                }
            }
        }
        let mut padded = Vec::with_capacity(missing.len());
        for (class, count) in missing {
            let values = match pool.kept(class, self.k, largest) {
                Some(kept) => kept.clone(),
                None => pool.draw(class, count, values)?,
            };
            padded.push(Counterfeits { class, values });
        }
        Some(padded)
    }
}

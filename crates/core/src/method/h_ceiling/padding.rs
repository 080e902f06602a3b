//! Counterfeit records: how many, and of which sensitive values.
//!
//! For k-anonymity alone every class below its target is padded to it. Where other models must hold,
//! padding goes on until they do ([`super::growth`]).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_dp::{Seed, Stream, TruncatedGeometric};

use super::growth::{Bind, Growth};
use super::pool::Pool;
use crate::classes::ClassTable;
use crate::plan::Counterfeits;

/// How far a class is padded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// To a target drawn for every class: k plus a geometric draw (ratio ½, cut off above
    /// [`REACH`]). A released size then does not tell whether a class was padded.
    #[default]
    Random,
    /// To exactly k, as published. Exposed by the minimality attack: a class of more than k records
    /// is known to hold no counterfeit.
    Exact,
}

/// The largest geometric draw: classes of k … k + 6 records can hold counterfeits, and the rarest
/// target has probability 1/127.
pub const REACH: u64 = 6;

impl Padding {
    /// The largest target that can be drawn.
    #[must_use]
    pub fn largest_target(self, k: u64) -> u64 {
        match self {
            Self::Random => k + REACH,
            Self::Exact => k,
        }
    }

    fn target(self, k: u64, stream: &mut Stream) -> u64 {
        match self {
            Self::Random => k + TruncatedGeometric { most: REACH }.draw(stream),
            Self::Exact => k,
        }
    }
}

/// Where the sensitive values of counterfeits come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Draw {
    /// The table's own distribution: the value of a random real record outside the class, among
    /// the classes that can conceal. A value is drawn again where the class would get more
    /// counterfeits of it than there are such records, so that Lemma 1 can always be met.
    #[default]
    Empirical,
    /// The uniform distribution over the sensitive domain, as published.
    Uniform,
}

/// Draws the counterfeits of some classes.
#[derive(Clone, Copy)]
pub(super) struct Filler<'a> {
    pub(super) k: u64,
    pub(super) padding: Padding,
    pub(super) draw: Draw,
    /// The size of the sensitive domain.
    pub(super) values: u64,
    /// The largest released size of a class that may conceal.
    pub(super) concealing: u64,
    /// The models beyond k-anonymity, where there are any.
    pub(super) models: Option<&'a Bind<'a>>,
}

impl Filler<'_> {
    /// Pads the classes until the models hold, drawing from two streams of the seed; `None` where
    /// padding cannot make them hold.
    ///
    /// Time: O(cells + counterfeits · log cells) for k-anonymity alone, see [`Growth`] otherwise.
    pub(super) fn fill(
        &self,
        classes: &ClassTable,
        seed: &Seed,
        streams: [u64; 2],
    ) -> Option<Vec<Counterfeits>> {
        let [mut targets, mut values] = streams.map(|stream| seed.stream(stream));
        let pool = Pool::new(classes, self.draw, self.concealing, self.values);
        match self.models {
            Some(bind) => Growth::new(bind, *self, pool).run(&mut targets, &mut values),
            None => Some(self.pad(classes, &pool, &mut targets, &mut values)),
        }
    }

    /// Pads every class below its target (Algorithm 1, lines 7–13).
    fn pad(
        &self,
        classes: &ClassTable,
        pool: &Pool<'_>,
        targets: &mut Stream,
        values: &mut Stream,
    ) -> Vec<Counterfeits> {
        let largest = self.padding.largest_target(self.k);
        let mut missing = Vec::new();
        for (class, &size) in (0..).zip(&classes.sizes) {
            if size < largest {
                let target = self.padding.target(self.k, targets);
                if size < target {
                    missing.push((class, target - size));
                }
            }
        }
        let mut padded = Vec::with_capacity(missing.len());
        for (class, count) in missing {
            padded.push(Counterfeits { class, values: pool.draw(class, count, values) });
        }
        padded
    }

    /// How many counterfeits a class gets although the models hold of it.
    pub(super) fn slack(&self, stream: &mut Stream) -> u64 {
        self.padding.target(0, stream)
    }
}

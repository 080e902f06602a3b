//! How far a class is padded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_dp::{Stream, TruncatedGeometric};

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

    /// The targets that can be drawn, with their probabilities.
    pub(super) fn targets(self, k: u64) -> impl Iterator<Item = (u64, f64)> {
        let reach = self.largest_target(0);
        let all = (1u64 << (reach + 1)) - 1;
        (0..=reach).map(move |more| (k + more, (1u64 << (reach - more)) as f64 / all as f64))
    }

    pub(super) fn target(self, k: u64, stream: &mut Stream) -> u64 {
        match self {
            Self::Random => k + TruncatedGeometric { most: REACH }.draw(stream),
            Self::Exact => k,
        }
    }

    /// How many counterfeits a class gets although the models hold of it.
    pub(super) fn slack(self, stream: &mut Stream) -> u64 {
        self.target(0, stream)
    }
}

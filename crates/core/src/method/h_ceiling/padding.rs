//! Counterfeit records: how many, and of which sensitive values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_dp::{Empirical, Seed, Stream, TruncatedGeometric, below};

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
    /// The table's own distribution: far easier to conceal when the domain is large.
    #[default]
    Empirical,
    /// The uniform distribution over the sensitive domain, as published.
    Uniform,
}

/// Draws the counterfeits of a node.
#[derive(Debug)]
pub(super) struct Filler {
    k: u64,
    padding: Padding,
    values: Values,
}

#[derive(Debug)]
enum Values {
    Empirical(Empirical),
    Uniform(u64),
}

impl Filler {
    /// `marginal`: how many records have each value of the sensitive domain.
    pub(super) fn new(k: u64, padding: Padding, draw: Draw, marginal: &[u64]) -> Self {
        let uniform = Values::Uniform(marginal.len() as u64);
        let values = match draw {
            Draw::Uniform => uniform,
            Draw::Empirical => Empirical::new(marginal).map_or(uniform, Values::Empirical),
        };
        Self { k, padding, values }
    }

    /// Pads every class below its target (Algorithm 1, lines 7–13), drawing from two streams of
    /// the seed that belong to the node alone.
    pub(super) fn fill(&self, classes: &ClassTable, seed: &Seed, node: u64) -> Vec<Counterfeits> {
        let (mut targets, mut values) = (seed.stream(2 * node), seed.stream(2 * node + 1));
        let largest = self.padding.largest_target(self.k);
        let mut filled = Vec::new();
        for (class, &size) in (0..).zip(&classes.sizes) {
            if size >= largest {
                continue;
            }
            let target = self.padding.target(self.k, &mut targets);
            if size < target {
                filled.push(Counterfeits { class, values: self.draw(target - size, &mut values) });
            }
        }
        filled
    }

    fn draw(&self, count: u64, stream: &mut Stream) -> Vec<(u32, u64)> {
        let mut drawn: Vec<u32> = (0..count)
            .map(|_| match &self.values {
                Values::Empirical(sampler) => sampler.draw(stream) as u32,
                Values::Uniform(values) => below(stream, *values) as u32,
            })
            .collect();
        drawn.sort_unstable();
        drawn.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect()
    }
}

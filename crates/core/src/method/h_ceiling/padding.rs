//! Counterfeit records: how many, and of which sensitive values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_dp::{Seed, Stream, TruncatedGeometric, below};

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

/// Draws the counterfeits of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filler {
    pub(super) k: u64,
    pub(super) padding: Padding,
    pub(super) draw: Draw,
    /// The size of the sensitive domain.
    pub(super) values: u64,
    /// The largest released size of a class that may conceal.
    pub(super) concealing: u64,
}

/// Draws in vain after which a class is left with what Lemma 1 cannot cover: the node is then
/// infeasible. Reached only where hardly any record could conceal.
const MOST_DRAWS: u32 = 1000;

impl Filler {
    /// Pads every class below its target (Algorithm 1, lines 7–13), drawing from two streams of
    /// the seed that belong to the node alone.
    ///
    /// Time: O(cells + counterfeits · log cells).
    pub(super) fn fill(&self, classes: &ClassTable, seed: &Seed, node: u64) -> Vec<Counterfeits> {
        let (mut targets, mut values) = (seed.stream(2 * node), seed.stream(2 * node + 1));
        let largest = self.padding.largest_target(self.k);
        let mut missing = Vec::new();
        for (class, &size) in (0..).zip(&classes.sizes) {
            if size < largest {
                let target = self.padding.target(self.k, &mut targets);
                if size < target {
                    missing.push((class, target - size));
                }
            }
        }
        match self.draw {
            Draw::Uniform => {
                let draw = |count| (0..count).map(|_| below(&mut values, self.values) as u32).collect();
                counted(missing, draw)
            }
            Draw::Empirical => {
                let pool = Pool::new(classes, self.concealing, self.values);
                missing
                    .into_iter()
                    .map(|(class, count)| Counterfeits {
                        class,
                        values: pool.draw(class, count, &mut values),
                    })
                    .collect()
            }
        }
    }
}

fn counted(missing: Vec<(u32, u64)>, mut draw: impl FnMut(u64) -> Vec<u32>) -> Vec<Counterfeits> {
    let one = |(class, count)| {
        let mut drawn = draw(count);
        drawn.sort_unstable();
        let values = drawn.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
        Counterfeits { class, values }
    };
    missing.into_iter().map(one).collect()
}

/// The real records of the classes that can conceal.
struct Pool<'a> {
    classes: &'a ClassTable,
    /// Per class, how many records of the pool come before it; one more than there are classes.
    before: Vec<u64>,
    /// Per sensitive value, its records in the pool.
    totals: Vec<u64>,
}

impl<'a> Pool<'a> {
    fn new(classes: &'a ClassTable, concealing: u64, values: u64) -> Self {
        let (mut before, mut totals) = (vec![0], vec![0; values as usize]);
        let mut sum = 0;
        for (class, &size) in classes.sizes.iter().enumerate() {
            if size <= concealing {
                sum += size;
                classes.sensitive(class).iter().for_each(|&(value, count)| totals[value as usize] += count);
            }
            before.push(sum);
        }
        Self { classes, before, totals }
    }

    /// The values of `count` random records of the pool outside a class.
    fn draw(&self, class: u32, count: u64, stream: &mut Stream) -> Vec<(u32, u64)> {
        let own = self.before[class as usize]..self.before[class as usize + 1];
        let others = self.before.last().copied().unwrap_or(0) - (own.end - own.start);
        let mut drawn: Vec<(u32, u64)> = Vec::new();
        for _ in 0..count {
            // With nobody to conceal it any value will do: Lemma 1 then fails and the node is infeasible.
            let mut value = self.classes.sensitive(class as usize).first().map_or(0, |cell| cell.0);
            for _ in 0..if others == 0 { 0 } else { MOST_DRAWS } {
                let point = below(stream, others);
                value = self.value_at(if point < own.start { point } else { point + (own.end - own.start) });
                let taken = drawn.iter().find(|(v, _)| *v == value).map_or(0, |(_, n)| *n);
                if taken < self.totals[value as usize] - self.classes.count(class as usize, value) {
                    break;
                }
            }
            match drawn.iter_mut().find(|(v, _)| *v == value) {
                Some((_, n)) => *n += 1,
                None => drawn.push((value, 1)),
            }
        }
        drawn.sort_unstable();
        drawn
    }

    /// The sensitive value of the record at a position of the pool.
    fn value_at(&self, position: u64) -> u32 {
        let class = self.before.partition_point(|&before| before <= position) - 1;
        let mut left = position - self.before[class];
        for &(value, count) in self.classes.sensitive(class) {
            if left < count {
                return value;
            }
            left -= count;
        }
        unreachable!("a class holds as many records as its size says")
    }
}

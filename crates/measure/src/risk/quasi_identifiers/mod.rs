//! The smallest sets of attributes that tell records apart: candidates for quasi-identifiers.
//!
//! # Summary
//! Finds all minimal sets of attributes whose distinction or separation reaches a threshold, small sets
//! first, without looking at all subsets.
//!
//! # Definition
//! A set A of attributes parts the n records into classes that agree in A. Its *distinction* is the number
//! of classes over n (the distinct ratio of Motwani & Xu), its *separation* the share of the n(n−1)/2 pairs
//! of records that lie in different classes. Both never fall when an attribute joins. A set is *minimal* if
//! it reaches the threshold and no proper subset does.
//!
//! # Parameters
//! [`Threshold`]: which of the two, and how much, above 0 and at most 1. A budget in entries that are
//! touched, so that the search ends, and ends alike on any machine.
//!
//! # Errors
//! [`Interrupted`].
//!
//! # Complexity
//! The number of minimal sets can be exponential in the attributes; the budget bounds the time. A set is
//! measured in O(entries whose class has others in it). Memory: O(entries) a thread, and 16 bytes a set of
//! the level at hand.
//!
//! # References
//! Motwani & Xu 2007, "Efficient algorithms for masking and finding quasi-identifiers"; Agrawal & Srikant
//! 1994 for the levels; Huhtala et al. 1999 (TANE) for partitions without classes of one.
//!
//! # Deviations
//! Motwani & Xu find one small set greedily on a random sample, with an approximation; here all minimal sets
//! are found exactly, on the table that is given. See `docs/methods/profile.md`.

mod partition;

pub use partition::{SetFigures, merged};

use rayon::prelude::*;
use schemars::JsonSchema;
use velamen_core::context::{Context, Interrupted};

use self::partition::{Partition, Scratch, width};
use crate::risk::leak::Columns;

/// The most attributes that take part: one bit of a mask each.
pub const MOST_ATTRIBUTES: usize = 128;

/// The most minimal sets that are looked for; who wants to read more?
pub const MOST_FOUND: usize = 10_000;

/// Prefixes that are worked on between two looks at the budget.
const CHUNK: usize = 64;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Classes over records.
    Distinction,
    /// The share of pairs of records that are told apart.
    Separation,
}

impl Measure {
    /// The measure's figure.
    #[must_use]
    pub fn of(self, figures: &SetFigures, records: u64) -> f64 {
        match self {
            Self::Distinction => figures.distinction(records),
            Self::Separation => figures.separation(records),
        }
    }

    /// The share that is asked of sets when nobody says another.
    #[must_use]
    pub fn usual_share(self) -> f64 {
        match self {
            Self::Distinction => 0.5,
            Self::Separation => 0.999,
        }
    }
}

/// What a set has to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    measure: Measure,
    share: f64,
}

impl TryFrom<(Measure, f64)> for Threshold {
    type Error = String;

    fn try_from((measure, share): (Measure, f64)) -> Result<Self, String> {
        match share > 0.0 && share <= 1.0 {
            true => Ok(Self { measure, share }),
            false => Err("a threshold is a share, above 0 and at most 1".into()),
        }
    }
}

impl Threshold {
    /// The measure's [usual share](Measure::usual_share).
    #[must_use]
    pub fn usual(measure: Measure) -> Self {
        Self { measure, share: measure.usual_share() }
    }

    /// What is measured.
    #[must_use]
    pub fn measure(self) -> Measure {
        self.measure
    }

    /// How much is asked for.
    #[must_use]
    pub fn share(self) -> f64 {
        self.share
    }

    fn reached(self, figures: &SetFigures, records: u64) -> bool {
        self.measure.of(figures, records) >= self.share
    }

    /// Whether a set of these figures could reach it if an attribute of so many values joins.
    ///
    /// Each class falls into at most `width` parts: so many times the classes at most, and at least that
    /// part of the sum of squared sizes, by Cauchy and Schwarz.
    fn can_be_reached(self, figures: &SetFigures, width: usize, records: u64) -> bool {
        let width = width.max(1) as u128;
        let alike = match self.measure {
            Measure::Distinction => figures.alike,
            Measure::Separation => {
                let squares = 2 * figures.alike + u128::from(records);
                (squares / width).saturating_sub(u128::from(records)) / 2
            }
        };
        let classes = (u128::from(figures.classes) * width).min(u128::from(records)) as u64;
        self.reached(&SetFigures { classes, unique: 0, alike }, records)
    }
}

/// A minimal set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSet {
    /// The columns, ascending.
    pub attributes: Vec<usize>,
    /// What they tell apart.
    pub figures: SetFigures,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct SetSearch {
    /// The minimal sets: smaller ones first, then those that reach more, then in the order of the columns.
    pub found: Vec<FoundSet>,
    /// What all attributes together tell apart.
    pub whole: SetFigures,
    /// The size of sets at which the search gave up: all smaller minimal sets are found. `None`: all are.
    pub stopped_at: Option<usize>,
    /// How many sets were measured.
    pub measured: u64,
    /// Columns that took no part, being more than [`MOST_ATTRIBUTES`].
    pub left_out: Vec<usize>,
}

/// Finds the minimal sets; see the module.
///
/// # Errors
/// [`Interrupted`].
pub fn minimal(
    columns: Columns<'_>,
    threshold: Threshold,
    budget: u64,
    context: &Context<'_>,
) -> Result<SetSearch, Interrupted> {
    let mut walk = Walk::new(columns, threshold, *context);
    let (mut work, mut size) = (0, 1);
    let mut prefixes = walk.singles();
    let whole = walk.figures_of(&(0..columns.codes.len()).collect::<Vec<_>>());
    let mut stopped_at = None;
    if !threshold.reached(&whole, walk.records) {
        prefixes.clear();
    }
    while !prefixes.is_empty() && stopped_at.is_none() {
        size += 1;
        let mut next = Vec::new();
        for chunk in prefixes.chunks(CHUNK) {
            context.check()?;
            context.progress.step("searching sets of attributes", work, budget);
            if work > budget || walk.found.len() > MOST_FOUND {
                stopped_at = Some(size);
                break;
            }
            for grown in walk.grow_all(chunk)? {
                work += grown.work;
                walk.measured += grown.measured;
                walk.fresh.extend(grown.found);
                next.extend(grown.open);
            }
        }
        walk.settle();
        prefixes = next;
    }
    Ok(SetSearch { whole, stopped_at, measured: walk.measured, left_out: walk.left_out, found: walk.found })
}

/// Attributes as bits: the one of largest figure is bit 0.
type Mask = u128;

/// What became of a prefix.
#[derive(Default)]
struct Grown {
    found: Vec<FoundSet>,
    open: Vec<Mask>,
    work: u64,
    measured: u64,
}

struct Walk<'a> {
    columns: Columns<'a>,
    threshold: Threshold,
    context: Context<'a>,
    records: u64,
    /// The column behind each bit.
    order: Vec<usize>,
    /// The number of codes of each column.
    widths: Vec<usize>,
    left_out: Vec<usize>,
    found: Vec<FoundSet>,
    /// Found at the level at hand.
    fresh: Vec<FoundSet>,
    /// The masks of what was found at the levels before.
    masks: Vec<Mask>,
    measured: u64,
}

impl<'a> Walk<'a> {
    fn new(columns: Columns<'a>, threshold: Threshold, context: Context<'a>) -> Self {
        let widths: Vec<usize> = columns.codes.iter().map(|codes| width(codes)).collect();
        let records = columns.counts.iter().sum();
        let order = (0..columns.codes.len()).collect();
        let (left_out, found, fresh, masks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            columns,
            threshold,
            context,
            records,
            order,
            widths,
            left_out,
            found,
            fresh,
            masks,
            measured: 0,
        }
    }

    fn scratch(&self) -> Scratch {
        Scratch::new(self.widths.iter().copied().max().unwrap_or(0))
    }

    fn figures_of(&self, attributes: &[usize]) -> SetFigures {
        let mut scratch = self.scratch();
        let mut partition = Partition::whole(self.columns.counts);
        for &attribute in attributes {
            partition = partition.with(&self.columns.codes[attribute], self.columns.counts, &mut scratch);
        }
        partition.figures(self.columns.counts)
    }

    /// Orders the attributes, and settles the sets of one; the others are prefixes to grow from.
    fn singles(&mut self) -> Vec<Mask> {
        let alone: Vec<SetFigures> =
            (0..self.order.len()).into_par_iter().map(|attribute| self.figures_of(&[attribute])).collect();
        self.measured = alone.len() as u64;
        let figure = |attribute: usize| self.threshold.measure.of(&alone[attribute], self.records);
        let mut order = std::mem::take(&mut self.order);
        order.sort_by(|&a, &b| figure(b).total_cmp(&figure(a)).then(a.cmp(&b)));
        self.left_out = order.split_off(order.len().min(MOST_ATTRIBUTES));
        self.left_out.sort_unstable();
        self.order = order;
        let reached = |bit: &usize| self.threshold.reached(&alone[self.order[*bit]], self.records);
        let (reaching, open): (Vec<usize>, Vec<usize>) = (0..self.order.len()).partition(reached);
        let single =
            |&bit: &usize| FoundSet { attributes: vec![self.order[bit]], figures: alone[self.order[bit]] };
        self.fresh = reaching.iter().map(single).collect();
        self.settle();
        open.into_iter().map(|bit| 1 << bit).collect()
    }

    /// Files what the level at hand found.
    fn settle(&mut self) {
        let (records, measure) = (self.records, self.threshold.measure);
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_by(|a, b| {
            let figure = |found: &FoundSet| measure.of(&found.figures, records);
            figure(b).total_cmp(&figure(a)).then_with(|| a.attributes.cmp(&b.attributes))
        });
        let bit = |attribute: &usize| self.order.iter().position(|of| of == attribute);
        let mask =
            |found: &FoundSet| found.attributes.iter().filter_map(bit).fold(0, |mask: Mask, b| mask | 1 << b);
        self.masks.extend(fresh.iter().map(mask));
        self.found.append(&mut fresh);
    }

    fn grow_all(&self, prefixes: &[Mask]) -> Result<Vec<Grown>, Interrupted> {
        let grow = |scratch: &mut Scratch, &prefix: &Mask| self.grow(prefix, scratch);
        prefixes.par_iter().map_init(|| self.scratch(), grow).collect()
    }

    fn bits(mask: Mask) -> impl Iterator<Item = usize> {
        (0..MOST_ATTRIBUTES).filter(move |bit| mask >> bit & 1 == 1)
    }

    /// All sets of a prefix, which does not reach the threshold, and one attribute after its last one.
    fn grow(&self, prefix: Mask, scratch: &mut Scratch) -> Result<Grown, Interrupted> {
        let mut grown = Grown::default();
        let from = (Mask::BITS - prefix.leading_zeros()) as usize;
        let new = |bit: &usize| {
            let set = prefix | 1 << bit;
            !self.masks.iter().any(|found| set & found == *found)
        };
        let tail: Vec<usize> = (from..self.order.len()).filter(new).collect();
        grown.work = (self.masks.len() * (self.order.len() - from)) as u64 / 8 + 1;
        let mut partition = Partition::whole(self.columns.counts);
        for bit in Self::bits(prefix) {
            self.context.check()?;
            grown.work += partition.len() as u64;
            partition = self.joined(&partition, bit, scratch);
        }
        if self.has_hope(&partition, &tail, scratch, &mut grown)? {
            self.children(prefix, &partition, &tail, scratch, &mut grown)?;
        }
        Ok(grown)
    }

    fn joined(&self, partition: &Partition, bit: usize, scratch: &mut Scratch) -> Partition {
        partition.with(&self.columns.codes[self.order[bit]], self.columns.counts, scratch)
    }

    /// Whether a prefix reaches the threshold together with all that may still join it.
    fn has_hope(
        &self,
        prefix: &Partition,
        tail: &[usize],
        scratch: &mut Scratch,
        grown: &mut Grown,
    ) -> Result<bool, Interrupted> {
        let mut partition = prefix.clone();
        for &bit in tail {
            self.context.check()?;
            grown.work += 2 * partition.len() as u64;
            partition = self.joined(&partition, bit, scratch);
            if self.threshold.reached(&partition.figures(self.columns.counts), self.records) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn children(
        &self,
        prefix: Mask,
        partition: &Partition,
        tail: &[usize],
        scratch: &mut Scratch,
        grown: &mut Grown,
    ) -> Result<(), Interrupted> {
        let before = partition.figures(self.columns.counts);
        for &bit in tail {
            self.context.check()?;
            let (attribute, last) = (self.order[bit], Some(&bit) == tail.last());
            let set = prefix | 1 << bit;
            if self.threshold.can_be_reached(&before, self.widths[attribute], self.records) {
                let codes = &self.columns.codes[attribute];
                let figures = partition.figures_with(codes, self.columns.counts, scratch);
                grown.work += partition.len() as u64;
                grown.measured += 1;
                if self.threshold.reached(&figures, self.records) {
                    let mut attributes: Vec<usize> = Self::bits(set).map(|bit| self.order[bit]).collect();
                    attributes.sort_unstable();
                    grown.found.push(FoundSet { attributes, figures });
                    continue;
                }
            }
            if !last {
                grown.open.push(set);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

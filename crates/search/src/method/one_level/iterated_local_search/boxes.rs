//! What no node can be below: branch and bound over boxes of nodes.
//!
//! # Definition
//! A *box* is all nodes between a lower and an upper one. A record that is suppressed at the upper node is suppressed
//! in the whole box, since classes only fall apart below; any other costs at least its values at the lower node. A look
//! one level below the upper node, by attribute, shows more: a record that is suppressed there is kept only where this
//! attribute is at its upper level, so that it costs that much. The mean over the records is a lower bound of the box.
//!
//! A box is parted by its upper levels. Of the open attributes the first is lowered, or stays and the second is lowered,
//! and so on, those that lose most records first; if none is lowered, what is left is the upper node alone. So no upper
//! node is looked at twice, and every box is bounded from the looks at the box that it is part of. Boxes are
//! looked at in the order of their bound.
//!
//! # Complexity
//! Time O(combinations · open attributes) a box, memory O(boxes · attributes), at most [`MOST_BOXES`].
//!
//! # References
//! Land & Doig 1960 (branch and bound); LeFevre 2005 (Incognito: the subset property).

use std::collections::BTreeMap;

use rayon::prelude::*;
use velamen_core::lattice::Node;

use super::incremental::{Incremental, Scratch};
use crate::method::MethodError;
use crate::method::kit::evaluate::Outliers;
use crate::method::kit::search::{Best, NodeSearch};
use crate::metric::{ByRecord, Score};

/// Boxes that are held at once; of more, that of the highest bound is given up, and its bound is kept.
const MOST_BOXES: usize = 1 << 18;

/// Boxes looked at side by side; a constant, so that the result is the same on any number of threads.
const WAVE: usize = 4;

/// What rounding can add to a bound, relatively: as in [`Score::is_clearly_below`].
const ROUNDING: f64 = 1e-9;

/// All nodes between two, which of them included.
#[derive(Debug, Clone)]
struct Region {
    low: Node,
    high: Node,
    /// What a record costs at least, on average.
    bound: f64,
}

/// One level down from a region's upper node.
struct Step {
    attribute: usize,
    /// By record that is kept at the upper node, whether it is suppressed here.
    lost: Vec<bool>,
    /// What that adds to the bound.
    gain: f64,
}

/// What a look at a region shows.
#[derive(Default)]
struct Shown {
    /// The parts of it that can hold a better node.
    parts: Vec<Region>,
    /// Whether its upper node can be one.
    high: bool,
    looks: usize,
}

/// The records that a region's upper node keeps, each with what it costs at least in the region.
struct Kept {
    entries: Vec<u32>,
    costs: Vec<f64>,
    /// What the others cost.
    lost: f64,
}

/// The boxes that are left.
pub(super) struct Boxes<'a> {
    incremental: &'a Incremental<'a>,
    costs: ByRecord,
    /// By attribute and level, what a kept record costs, by leaf.
    kept: Vec<Vec<Vec<f64>>>,
    records: f64,
    /// By bound, then as they were found.
    queue: BTreeMap<(u64, u64), Region>,
    number: u64,
    given_up: Option<f64>,
    scratches: Vec<Scratch>,
    /// The passes over the table so far.
    pub(super) looked: usize,
}

impl<'a> Boxes<'a> {
    /// `None` where a figure does not follow from what single records cost.
    pub(super) fn new(search: &NodeSearch<'_>, incremental: &'a Incremental<'a>) -> Option<Self> {
        let costs = search.evaluate.metric().by_record()?;
        if search.evaluate.demand().outliers == Outliers::Relocate {
            return None;
        }
        let by_leaf = |(q, levels): (usize, &Vec<Vec<f64>>)| -> Vec<Vec<f64>> {
            let hierarchy = &search.table.qis[q].hierarchy;
            let level = |(level, costs): (u8, &Vec<f64>)| {
                hierarchy.step(0, level).iter().map(|&code| costs[code as usize]).collect()
            };
            (0u8..).zip(levels).map(level).collect()
        };
        let kept = costs.kept.iter().enumerate().map(by_leaf).collect();
        let (low, high) = (search.lattice.bottom(), search.lattice.top());
        let mut boxes = Self {
            incremental,
            costs,
            kept,
            records: search.table.records() as f64,
            queue: BTreeMap::new(),
            number: 0,
            given_up: None,
            scratches: (0..WAVE).map(|_| Scratch::default()).collect(),
            looked: 0,
        };
        boxes.push(Region { low, high, bound: 0.0 });
        Some(boxes)
    }

    /// Whether nothing is left that could be better than the best node.
    pub(super) fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// A figure that no anonymous node is below, given the best one.
    pub(super) fn at_least(&self, best: &Score) -> Score {
        let open = self.queue.first_key_value().map(|(_, region)| region.bound);
        let least = open.into_iter().chain(self.given_up).min_by(f64::total_cmp);
        let least = least.map(|bound| Score::One((self.costs.figure)(bound) * (1.0 - ROUNDING)));
        least.filter(|least| least.is_clearly_below(best)).unwrap_or_else(|| best.clone())
    }

    /// Looks at the boxes of least bound.
    pub(super) fn wave(&mut self, search: &NodeSearch<'_>, best: &mut Best) -> Result<(), MethodError> {
        search.context.check()?;
        let wave = self.next(best);
        let mut scratches = std::mem::take(&mut self.scratches);
        let looks = wave.par_iter().zip(&mut scratches);
        let shown: Vec<Shown> = looks.map(|(region, scratch)| self.look(region, best, scratch)).collect();
        self.scratches = scratches;
        for (region, shown) in wave.into_iter().zip(shown) {
            self.looked += shown.looks;
            if shown.high {
                let node = std::slice::from_ref(&region.high);
                if let Some(score) = search.examine(node)?.remove(0).checked.score() {
                    best.offer(score, &region.high);
                }
            }
            shown.parts.into_iter().for_each(|part| self.push(part));
        }
        Ok(())
    }

    fn next(&mut self, best: &Best) -> Vec<Region> {
        let mut wave = Vec::with_capacity(WAVE);
        while wave.len() < WAVE
            && let Some((_, region)) = self.queue.pop_first()
        {
            if !self.may_win(region.bound, best) {
                self.queue.clear();
                break;
            }
            wave.push(region);
        }
        wave
    }

    fn push(&mut self, region: Region) {
        self.number += 1;
        // Bounds are not negative, so that their bits are in their order.
        self.queue.insert((region.bound.to_bits(), self.number), region);
        if self.queue.len() > MOST_BOXES
            && let Some((_, region)) = self.queue.pop_last()
        {
            self.given_up = Some(self.given_up.map_or(region.bound, |bound| bound.min(region.bound)));
        }
    }

    /// Whether a node whose records cost so much on average can be better than the best, by more than rounding.
    fn may_win(&self, cost: f64, best: &Best) -> bool {
        let figure = Score::One((self.costs.figure)(cost));
        best.0.as_ref().is_none_or(|(best, _)| figure.is_clearly_below(best))
    }

    fn look(&self, region: &Region, best: &Best, scratch: &mut Scratch) -> Shown {
        let keys = self.incremental.keys(&region.high);
        let everyone = 0..keys.len() as u32;
        let suppressed = self.incremental.suppressed(everyone.clone(), |entry| keys[entry], scratch);
        let outliers = self.records_of(everyone.clone().zip(&suppressed));
        if outliers > self.incremental.most_outliers {
            return Shown { looks: 1, ..Shown::default() };
        }
        let entries = everyone.zip(suppressed).filter(|(_, lost)| !lost).map(|(entry, _)| entry).collect();
        let kept = Kept { entries, costs: Vec::new(), lost: outliers as f64 * self.costs.suppressed };
        let kept = Kept { costs: self.costs_at(&region.low, &kept.entries), ..kept };
        self.parted(region.clone(), kept, (&keys, outliers), best, scratch)
    }

    /// Looks one level down by attribute, and parts the region.
    fn parted(
        &self,
        mut region: Region,
        mut kept: Kept,
        (keys, outliers): (&[u64], u64),
        best: &Best,
        scratch: &mut Scratch,
    ) -> Shown {
        let mut shown = Shown { looks: 1, ..Shown::default() };
        let mut steps: Vec<Step> = Vec::new();
        let open = (0..region.low.0.len()).filter(|&q| region.low.0[q] < region.high.0[q]);
        for attribute in open.collect::<Vec<usize>>() {
            shown.looks += 1;
            let lost = self.lost_below(&region, attribute, (keys, &kept.entries), scratch);
            let more = self.records_of(kept.entries.iter().copied().zip(&lost));
            if outliers + more > self.incremental.most_outliers {
                // Whatever is anonymous has the upper level.
                self.raise(&region, attribute, &mut kept, |_| true);
                region.low.0[attribute] = region.high.0[attribute];
            } else {
                self.raise(&region, attribute, &mut kept, |at| lost[at]);
                steps.push(Step { attribute, lost, gain: 0.0 });
            }
        }
        for step in &mut steps {
            step.gain = self.total(&kept, |at| step.lost[at]) - self.total(&kept, |_| false);
        }
        steps.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.attribute.cmp(&b.attribute)));
        for Step { attribute, lost, .. } in steps {
            let bound = (self.total(&kept, |at| lost[at]) / self.records).max(region.bound);
            if self.may_win(bound, best) {
                let high = region.high.at(attribute, region.high.0[attribute] - 1);
                shown.parts.push(Region { low: region.low.clone(), high, bound });
            }
            self.raise(&region, attribute, &mut kept, |at| !lost[at]);
            region.low.0[attribute] = region.high.0[attribute];
            if !self.may_win(self.total(&kept, |_| false) / self.records, best) {
                return shown;
            }
        }
        shown.high = self.may_win(self.total(&kept, |_| false) / self.records, best);
        shown
    }

    fn records_of<'l>(&self, entries: impl Iterator<Item = (u32, &'l bool)>) -> u64 {
        entries.filter(|(_, lost)| **lost).map(|(entry, _)| self.incremental.counts[entry as usize]).sum()
    }

    /// Which of the kept entries are suppressed one level below the upper node.
    fn lost_below(
        &self,
        region: &Region,
        q: usize,
        (keys, entries): (&[u64], &[u32]),
        scratch: &mut Scratch,
    ) -> Vec<bool> {
        let (column, high) = (&self.incremental.columns[q], region.high.0[q]);
        let (from, onto) = (self.incremental.marks(q, high), self.incremental.marks(q, high - 1));
        let key = |entry: usize| {
            let leaf = column[entry] as usize;
            keys[entry].wrapping_sub(from[leaf]).wrapping_add(onto[leaf])
        };
        self.incremental.suppressed(entries.iter().copied(), key, scratch)
    }

    /// What entries cost at a node where they are kept.
    fn costs_at(&self, node: &Node, entries: &[u32]) -> Vec<f64> {
        let mut costs = vec![0.0; entries.len()];
        for (q, &level) in node.0.iter().enumerate() {
            let (of_leaf, column) = (&self.kept[q][usize::from(level)], &self.incremental.columns[q]);
            for (cost, &entry) in costs.iter_mut().zip(entries) {
                *cost += of_leaf[column[entry as usize] as usize];
            }
        }
        costs
    }

    /// Takes an attribute from its lower to its upper level for some of the entries.
    fn raise(&self, region: &Region, q: usize, kept: &mut Kept, which: impl Fn(usize) -> bool) {
        let [low, high] = [&region.low, &region.high].map(|node| &self.kept[q][usize::from(node.0[q])]);
        let column = &self.incremental.columns[q];
        for (at, (cost, &entry)) in kept.costs.iter_mut().zip(&kept.entries).enumerate() {
            if which(at) {
                let leaf = column[entry as usize] as usize;
                *cost += high[leaf] - low[leaf];
            }
        }
    }

    /// What all records cost if some of the kept are suppressed, too; nobody costs more than that.
    fn total(&self, kept: &Kept, suppressed: impl Fn(usize) -> bool) -> f64 {
        let most = self.costs.suppressed;
        let costs = kept.costs.iter().zip(&kept.entries).enumerate().map(|(at, (&cost, &entry))| {
            let cost = if suppressed(at) { most } else { cost.min(most) };
            cost * self.incremental.counts[entry as usize] as f64
        });
        kept.lost + costs.sum::<f64>()
    }
}

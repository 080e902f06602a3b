//! What a node comes to, from what a neighbour of it comes to: one pass over the table for one changed level.
//!
//! Each generalized value has a random mark, and a record's key is the sum of the marks of its values. So a record's
//! key at a node that differs in one attribute is its key here, less one mark and plus another, and classes are
//! records of equal keys. Two classes that share a key by chance would be taken for one: for n combinations the
//! probability is below n²/2⁶⁵ a node, and whoever releases a node groups it again by its values.
//!
//! What suppressed records add to the metric is kept by attribute in whole numbers of 2⁻³². So no figure depends
//! on the order in which it was summed or on the way to the node.

use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;

use super::Seen;
use crate::method::kit::evaluate::{Demand, Outliers};
use crate::metric::{Metric, Score};
use crate::model::{Class, ClassModel, Judge, Monotonicity};

/// The most combinations: each of them takes some 300 bytes in all chains.
const MOST_COMBINATIONS: usize = 1 << 18;

/// Units of what a suppressed record adds to the metric.
const UNITS: f64 = (1u64 << 32) as f64;

/// One attribute at one level: by leaf, the mark of its value and what a suppressed record adds.
struct Level {
    marks: Vec<u64>,
    extras: Vec<i64>,
}

/// A table prepared for looks at neighbours.
pub(super) struct Incremental<'a> {
    metric: &'a dyn Metric,
    pub(super) most_outliers: u64,
    /// The records that a class needs.
    least: u64,
    /// The fewest records that are too many outliers, where outliers need a class to go to: all.
    too_many: u64,
    pub(super) counts: &'a [u64],
    /// Per attribute, the leaf of each entry.
    pub(super) columns: &'a [Vec<u32>],
    /// The same by entry.
    rows: Vec<u32>,
    /// By attribute and level.
    levels: Vec<Vec<Level>>,
}

/// A node with what is known of each of its entries.
#[derive(Debug, Clone)]
pub(super) struct Place {
    keys: Vec<u64>,
    lost: Vec<bool>,
    extra: Vec<i64>,
}

/// Memory that one look after the other uses.
#[derive(Default)]
pub(super) struct Scratch {
    /// Key, number of the look, records.
    slots: Vec<(u64, u32, u32)>,
    look: u32,
    /// By entry, its slot.
    of_entry: Vec<u32>,
    pub(super) extra: Vec<i64>,
}

impl<'a> Incremental<'a> {
    /// `None` where a class is not judged by its size alone, the metric is not one of cells, or the table is too large:
    /// such nodes have to be grouped by their values.
    pub(super) fn new(table: &'a FrequencyTable, demand: &Demand<'a>) -> Option<Self> {
        let metric = demand.metric;
        let extras = metric.extras()?;
        let plain = table.population.is_none() && table.rest.person().is_none();
        let wildcards =
            table.qis.iter().any(|qi| (0..=qi.hierarchy.top()).any(|l| qi.hierarchy.wildcard(l).is_some()));
        if !plain || wildcards || table.len() > MOST_COMBINATIONS {
            return None;
        }
        let least = least_size(demand, table.records())?;
        // The metric does not see what is relocated.
        let relocates = demand.outliers == Outliers::Relocate;
        let units_each = if relocates { 0.0 } else { UNITS };
        let level = |q: usize, level: u8| {
            let hierarchy = &table.qis[q].hierarchy;
            let codes = hierarchy.step(0, level);
            let mark = |&code: &u32| mixed((q as u64) << 40 | u64::from(level) << 32 | u64::from(code));
            let units =
                |&code: &u32| (extras[q][usize::from(level)][code as usize] * units_each).round() as i64;
            Level { marks: codes.iter().map(mark).collect(), extras: codes.iter().map(units).collect() }
        };
        let levels = |q: usize| (0..=table.qis[q].hierarchy.top()).map(|l| level(q, l)).collect();
        let qis = table.qis.len();
        let row = |entry: usize| table.codes.iter().map(move |column| column[entry]);
        Some(Self {
            metric,
            most_outliers: demand.most_outliers,
            least,
            too_many: if relocates { table.records() } else { u64::MAX },
            counts: &table.counts,
            columns: &table.codes,
            rows: (0..table.len()).flat_map(row).collect(),
            levels: (0..qis).map(levels).collect(),
        })
    }

    /// The marks of an attribute's values at a level, by leaf.
    pub(super) fn marks(&self, q: usize, level: u8) -> &[u64] {
        &self.levels[q][usize::from(level)].marks
    }

    /// Each entry's key at a node.
    pub(super) fn keys(&self, node: &Node) -> Vec<u64> {
        let mut keys = vec![0u64; self.counts.len()];
        for (q, (column, &level)) in self.columns.iter().zip(&node.0).enumerate() {
            let marks = self.marks(q, level);
            keys.iter_mut()
                .zip(column)
                .for_each(|(key, &leaf)| *key = key.wrapping_add(marks[leaf as usize]));
        }
        keys
    }

    /// Which of some entries are in classes that are too small, taken by themselves.
    pub(super) fn suppressed(
        &self,
        entries: impl Iterator<Item = u32> + Clone,
        key: impl Fn(usize) -> u64,
        scratch: &mut Scratch,
    ) -> Vec<bool> {
        scratch.begin(self.counts.len());
        for entry in entries.clone() {
            scratch.add(entry as usize, key(entry as usize), self.counts[entry as usize]);
        }
        entries.map(|entry| scratch.records(entry as usize) < self.least).collect()
    }

    /// A node, and what it comes to.
    pub(super) fn enter(&self, node: &Node, scratch: &mut Scratch) -> (Place, Seen) {
        let keys = self.keys(node);
        let mut place = Place { keys, lost: vec![false; self.counts.len()], extra: vec![0; node.0.len()] };
        scratch.begin(self.counts.len());
        for (entry, &key) in place.keys.iter().enumerate() {
            scratch.add(entry, key, self.counts[entry]);
        }
        let mut outliers = 0;
        for entry in 0..self.counts.len() {
            if scratch.records(entry) < self.least {
                place.lost[entry] = true;
                outliers += self.counts[entry];
                self.add(node, entry, self.counts[entry] as i64, &mut place.extra);
            }
        }
        let seen = self.seen(node, outliers, &place.extra);
        (place, seen)
    }

    /// Adds what records of an entry add where they are suppressed.
    fn add(&self, node: &Node, entry: usize, records: i64, extra: &mut [i64]) {
        let qis = node.0.len();
        let leaves = &self.rows[entry * qis..(entry + 1) * qis];
        for (q, extra) in extra.iter_mut().enumerate() {
            *extra += records * self.levels[q][usize::from(node.0[q])].extras[leaves[q] as usize];
        }
    }

    /// What a node comes to with another level of one attribute; `scratch.extra` is what suppressed records add there.
    pub(super) fn look(
        &self,
        node: &Node,
        place: &Place,
        (q, to): (usize, u8),
        scratch: &mut Scratch,
    ) -> Seen {
        let (from, column) = (&self.levels[q][usize::from(node.0[q])], &self.columns[q]);
        let onto = &self.levels[q][usize::from(to)];
        let lower = to < node.0[q];
        scratch.begin(self.counts.len());
        for (entry, (&key, &leaf)) in place.keys.iter().zip(column).enumerate() {
            // Classes only fall apart below: what is lost here is lost there.
            if lower && place.lost[entry] {
                continue;
            }
            let leaf = leaf as usize;
            let key = key.wrapping_sub(from.marks[leaf]).wrapping_add(onto.marks[leaf]);
            scratch.add(entry, key, self.counts[entry]);
        }
        let mut extra = std::mem::take(&mut scratch.extra);
        extra.clone_from(&place.extra);
        let (mut outliers, mut own) = (0, 0);
        for (entry, &leaf) in column.iter().enumerate() {
            let was = place.lost[entry];
            let lost = (lower && was) || scratch.records(entry) < self.least;
            let records = self.counts[entry] as i64;
            if lost {
                outliers += self.counts[entry];
                own += records * onto.extras[leaf as usize];
            }
            if lost != was {
                self.add(node, entry, if lost { records } else { -records }, &mut extra);
            }
        }
        extra[q] = own;
        scratch.extra = extra;
        self.seen(&node.at(q, to), outliers, &scratch.extra)
    }

    /// Goes where the last look was.
    pub(super) fn go(&self, node: &Node, place: &mut Place, (q, to): (usize, u8), scratch: &Scratch) {
        let (from, onto) = (&self.levels[q][usize::from(node.0[q])], &self.levels[q][usize::from(to)]);
        let lower = to < node.0[q];
        for (entry, &leaf) in self.columns[q].iter().enumerate() {
            let leaf = leaf as usize;
            place.keys[entry] =
                place.keys[entry].wrapping_sub(from.marks[leaf]).wrapping_add(onto.marks[leaf]);
            place.lost[entry] = (lower && place.lost[entry]) || scratch.records(entry) < self.least;
        }
        place.extra.clone_from(&scratch.extra);
    }

    fn seen(&self, node: &Node, outliers: u64, extra: &[i64]) -> Seen {
        if outliers > self.most_outliers || outliers >= self.too_many {
            return Seen::Fails { outliers, height: node.height() };
        }
        Seen::Anonymous(self.score(node, extra))
    }

    fn score(&self, node: &Node, extra: &[i64]) -> Score {
        let extra: Vec<f64> = extra.iter().map(|&units| units as f64 / UNITS).collect();
        self.metric.bound_with(node, &extra)
    }
}

impl Scratch {
    fn begin(&mut self, entries: usize) {
        let slots = (2 * entries).next_power_of_two().max(2);
        if self.slots.len() != slots || self.look == u32::MAX {
            self.slots = vec![(0, 0, 0); slots];
            self.of_entry = vec![0; entries];
            self.look = 0;
        }
        self.look += 1;
    }

    #[inline]
    fn add(&mut self, entry: usize, key: u64, count: u64) {
        let mask = self.slots.len() - 1;
        // Sums of random marks are random in every bit.
        let mut at = (key >> 20) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.1 != self.look {
                *slot = (key, self.look, 0);
            }
            if slot.0 == key {
                slot.2 = slot.2.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
                self.of_entry[entry] = at as u32;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline]
    fn records(&self, entry: usize) -> u64 {
        u64::from(self.slots[self.of_entry[entry] as usize].2)
    }
}

/// The records from which a class of any size holds; `None` where models look at more than sizes.
fn least_size(demand: &Demand<'_>, records: u64) -> Option<u64> {
    let mut models: Vec<&dyn ClassModel> = Vec::new();
    for bound in demand.models {
        match &bound.judge {
            Judge::Class(model)
                if bound.column.is_none()
                    && bound.monotonicity == Monotonicity::Superset
                    && !bound.population =>
            {
                models.push(&**model);
            }
            _ => return None,
        }
    }
    let holds = |size: u64| {
        let class = Class::new(size, &[]);
        models.iter().all(|model| model.holds(&class))
    };
    // A size that holds makes every larger one hold.
    let (mut low, mut high) = (1, records.min(u64::from(u32::MAX)) + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// Numbers that look random, by the finalizer of SplitMix64 (Steele, Lea & Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

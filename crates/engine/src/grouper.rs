//! Counts of distinct combinations of codes, per worker.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use velamen_core::error::Problem;
use velamen_core::key::{Key, Layout, bits_for};

use crate::error::EngineError;

/// Bytes of keys that are kept as they come. Up to here sorting them at the end is faster than
/// counting them in a hash table that outgrows the caches; beyond, memory must follow the
/// distinct keys and not the rows: more are kept as they come only while most are distinct.
const RECENT: usize = 16 << 20;
/// Of the keys, one in so many is looked at for how many are distinct; each time that it occurs.
const SAMPLED: u64 = 64;
/// What a sample may be off by, as a part of it.
const OFF: u64 = 16;

/// Counts packed keys whose fields widen as dictionaries grow.
#[derive(Debug)]
pub(crate) struct Grouper {
    bits: Vec<u32>,
    layout: Layout,
    counts: Counts,
}

/// What one worker counted, its codes replaced by the table's.
#[derive(Debug)]
pub(crate) struct Entries<const W: usize> {
    /// One key per record.
    pub(crate) single: Vec<Key<W>>,
    /// Keys with their counts.
    pub(crate) counted: Vec<(Key<W>, u64)>,
}

#[derive(Debug, Default)]
struct Store<const W: usize> {
    recent: Vec<Key<W>>,
    /// How many recent keys there may be before they are looked at again.
    room: usize,
    /// About how many of them were distinct then.
    distinct: u64,
    counts: FxHashMap<Key<W>, u64>,
}

#[derive(Debug)]
enum Counts {
    One(Store<1>),
    Two(Store<2>),
    Four(Store<4>),
    Sixteen(Store<16>),
}

/// Runs a body for whichever width of key the counts have.
macro_rules! for_width {
    ($counts:expr, $store:ident => $body:expr) => {
        match $counts {
            Counts::One($store) => $body,
            Counts::Two($store) => $body,
            Counts::Four($store) => $body,
            Counts::Sixteen($store) => $body,
        }
    };
}

impl Counts {
    fn new(words: usize) -> Result<Self, EngineError> {
        match words {
            0 | 1 => Ok(Self::One(Store::default())),
            2 => Ok(Self::Two(Store::default())),
            3 | 4 => Ok(Self::Four(Store::default())),
            5..=16 => Ok(Self::Sixteen(Store::default())),
            _ => Err(EngineError::Limit(
                Problem::new("the released columns need more than 1024 bits a record")
                    .mend("drop some (role = \"identifier\")"),
            )),
        }
    }
}

impl Grouper {
    pub(crate) fn new(columns: usize) -> Self {
        let bits = vec![0; columns];
        let layout = Layout::new(&bits);
        Self { bits, layout, counts: Counts::One(Store::default()) }
    }

    /// Adds rows given as one slice of codes per column, all below the column's `widths`.
    pub(crate) fn add(
        &mut self,
        columns: &[Vec<u32>],
        widths: &[usize],
        rows: usize,
    ) -> Result<(), EngineError> {
        self.widen(widths)?;
        for_width!(&mut self.counts, store => store.add(&self.layout, columns, rows));
        Ok(())
    }

    /// At least so many keys are distinct; of those that were kept as they came, the first ones are not counted.
    pub(crate) fn distinct(&self) -> u64 {
        for_width!(&self.counts, store => store.counts.len() as u64 + store.distinct - store.distinct / OFF)
    }

    /// As [`Self::add`], where a row stands for as many records as its count says.
    pub(crate) fn add_counted(
        &mut self,
        columns: &[Vec<u32>],
        widths: &[usize],
        counts: &[u64],
    ) -> Result<(), EngineError> {
        self.widen(widths)?;
        for_width!(&mut self.counts, store => store.add_counted(&self.layout, columns, counts));
        Ok(())
    }

    /// Repacks all keys if a column needs more bits than it has.
    fn widen(&mut self, widths: &[usize]) -> Result<(), EngineError> {
        if self.bits.iter().zip(widths).all(|(&bits, &width)| bits_for(width) <= bits) {
            return Ok(());
        }
        for (bits, &width) in self.bits.iter_mut().zip(widths) {
            if bits_for(width) > *bits {
                // Two bits to spare: a column widens at most 16 times in its life.
                *bits = (bits_for(width) + 2).min(32);
            }
        }
        let layout = Layout::new(&self.bits);
        let mut counts = Counts::new(layout.words())?;
        for_width!(&self.counts, old => for_width!(&mut counts, new => old.repack(&self.layout, new, &layout)));
        (self.layout, self.counts) = (layout, counts);
        Ok(())
    }

    /// All combinations repacked by `layout` with codes replaced by `remap`, in no order.
    pub(crate) fn entries<const W: usize>(self, layout: &Layout, remap: &[Vec<u32>]) -> Entries<W> {
        for_width!(self.counts, store => store.remapped(&self.layout, layout, remap))
    }
}

impl<const W: usize> Store<W> {
    fn add(&mut self, layout: &Layout, columns: &[Vec<u32>], rows: usize) {
        let old = self.recent.len();
        self.recent.resize(old + rows, Key::ZERO);
        for (field, codes) in layout.fields().iter().zip(columns) {
            for (key, &code) in self.recent[old..].iter_mut().zip(codes) {
                key.set(*field, code);
            }
        }
        if !self.counts.is_empty() || self.is_full() {
            self.distinct = 0;
            for key in self.recent.drain(..) {
                *self.counts.entry(key).or_insert(0) += 1;
            }
        }
    }

    /// Whether more keys are kept as they came than is good; there is room for twice as many if most are distinct, since
    /// a hash table would take more.
    fn is_full(&mut self) -> bool {
        let kept = self.recent.len();
        if kept <= self.room.max(RECENT / size_of::<Key<W>>()) {
            return false;
        }
        let sampled = self.recent.iter().filter(|key| FxBuildHasher.hash_one(key) % SAMPLED == 0);
        self.distinct = (sampled.collect::<FxHashSet<_>>().len() as u64 * SAMPLED).min(kept as u64);
        self.room = 2 * kept;
        self.distinct < kept as u64 / 2
    }

    fn add_counted(&mut self, layout: &Layout, columns: &[Vec<u32>], counts: &[u64]) {
        for (row, count) in counts.iter().enumerate() {
            let mut key = Key::ZERO;
            for (field, codes) in layout.fields().iter().zip(columns) {
                key.set(*field, codes[row]);
            }
            *self.counts.entry(key).or_insert(0) += count;
        }
    }

    fn repack<const B: usize>(&self, from: &Layout, new: &mut Store<B>, to: &Layout) {
        let repacked = |key: &Key<W>| {
            let mut repacked = Key::ZERO;
            for (from, to) in from.fields().iter().zip(to.fields()) {
                repacked.set(*to, key.get(*from));
            }
            repacked
        };
        (new.room, new.distinct) = (self.room, self.distinct);
        new.recent = self.recent.iter().map(repacked).collect();
        new.counts = self.counts.iter().map(|(key, &count)| (repacked(key), count)).collect();
    }

    fn remapped<const B: usize>(self, from: &Layout, to: &Layout, remap: &[Vec<u32>]) -> Entries<B> {
        let remapped = |key: Key<W>| {
            let mut remapped = Key::ZERO;
            for ((from, to), codes) in from.fields().iter().zip(to.fields()).zip(remap) {
                remapped.set(*to, codes[key.get(*from) as usize]);
            }
            remapped
        };
        Entries {
            single: self.recent.into_iter().map(remapped).collect(),
            counted: self.counts.into_iter().map(|(key, count)| (remapped(key), count)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of the last of five columns with their counts.
    fn counted(grouper: Grouper) -> Vec<(u32, u64)> {
        let layout = Layout::new(&[17; 5]);
        let identity: Vec<Vec<u32>> = (0..5).map(|_| (0..1 << 17).collect()).collect();
        let entries = grouper.entries::<2>(&layout, &identity);
        let mut counts = std::collections::BTreeMap::new();
        let all = entries.single.iter().map(|key| (*key, 1)).chain(entries.counted);
        for (key, count) in all {
            *counts.entry(key.get(layout.fields()[4])).or_insert(0) += count;
        }
        counts.into_iter().collect()
    }

    #[test]
    fn keys_survive_widening_past_one_word() {
        let mut grouper = Grouper::new(5);
        for width in [2u32, 300, 70_000] {
            let rows: Vec<Vec<u32>> = (0..5).map(|_| vec![0, width - 1, width - 1]).collect();
            grouper.add(&rows, &[width as usize; 5], 3).unwrap();
        }
        assert_eq!(counted(grouper), [(0, 3), (1, 2), (299, 2), (69_999, 2)]);
    }

    #[test]
    fn counted_rows_go_with_single_ones() {
        let mut grouper = Grouper::new(5);
        let rows: Vec<Vec<u32>> = (0..5).map(|_| vec![0, 1]).collect();
        grouper.add_counted(&rows, &[2; 5], &[3, 40]).unwrap();
        grouper.add(&rows, &[2; 5], 2).unwrap();
        let wider: Vec<Vec<u32>> = (0..5).map(|_| vec![1, 70_000]).collect();
        grouper.add_counted(&wider, &[70_001; 5], &[500, 6]).unwrap();
        assert_eq!(counted(grouper), [(0, 4), (1, 541), (70_000, 6)]);
    }

    #[test]
    fn distinct_rows_are_kept_as_they_come_until_they_repeat() {
        let mut grouper = Grouper::new(2);
        let rows = 1 << 20;
        let of = |step: u32| [vec![step; rows], (0..rows as u32).collect()];
        let recent = |grouper: &Grouper| match &grouper.counts {
            Counts::One(store) => [store.recent.len() >> 20, store.counts.len() >> 20],
            _ => [usize::MAX; 2],
        };
        // Room for 2, then, since most are distinct, for 6.
        for step in 0..4 {
            grouper.add(&of(step), &[16, rows], rows).unwrap();
        }
        assert_eq!(recent(&grouper), [4, 0]);
        let least = grouper.distinct();
        assert!((5 << 19..=3 << 20).contains(&least), "{least}");
        // 4 of 7 are distinct, and 4 of 15 are not most.
        for _ in 0..3 {
            grouper.add(&of(0), &[16, rows], rows).unwrap();
        }
        assert_eq!(recent(&grouper), [7, 0]);
        for _ in 0..8 {
            grouper.add(&of(1), &[16, rows], rows).unwrap();
        }
        assert_eq!((recent(&grouper), grouper.distinct()), ([0, 4], 4 << 20));
        let entries =
            grouper.entries::<1>(&Layout::new(&[2, 20]), &[vec![0, 1, 2, 3], (0..1 << 20).collect()]);
        assert_eq!(entries.counted.iter().map(|(_, count)| count).sum::<u64>(), 15 << 20);
    }

    #[test]
    fn many_rows_are_counted_as_they_come() {
        let mut grouper = Grouper::new(5);
        let rows = 1 << 17;
        let columns: Vec<Vec<u32>> = (0..5).map(|_| (0..rows as u32).map(|row| row % 3).collect()).collect();
        for _ in 0..20 {
            grouper.add(&columns, &[1 << 14; 5], rows).unwrap();
        }
        assert!(matches!(&grouper.counts, Counts::Two(store) if store.counts.len() == 3));
        let total = 20 * rows as u64;
        assert_eq!(counted(grouper), [(0, total / 3 + 7), (1, total / 3 + 7), (2, total / 3 - 13)]);
    }
}

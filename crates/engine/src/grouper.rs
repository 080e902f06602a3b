//! Counts of distinct combinations of codes, per worker.

use rustc_hash::FxHashMap;
use velamen_core::key::{Key, Layout, bits_for};

use crate::error::EngineError;

/// Bytes of keys that are kept as they come. Up to here sorting them at the end is faster than
/// counting them in a hash table that outgrows the caches; beyond, memory must follow the
/// distinct keys and not the rows.
const RECENT: usize = 16 << 20;

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
                "the released columns need more than 1024 bits a record; drop some (role = \"identifier\")"
                    .into(),
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

    /// How many distinct keys are counted; those that were kept as they came are not.
    pub(crate) fn distinct(&self) -> u64 {
        for_width!(&self.counts, store => store.counts.len() as u64)
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
        let many = self.recent.len() * size_of::<Key<W>>() > RECENT;
        if many || !self.counts.is_empty() {
            for key in self.recent.drain(..) {
                *self.counts.entry(key).or_insert(0) += 1;
            }
        }
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

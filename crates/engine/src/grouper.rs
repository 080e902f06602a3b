//! Counts of distinct combinations of codes, per worker.

use rustc_hash::FxHashMap;
use velamen_core::key::{Key, Layout, bits_for};

use crate::error::EngineError;

/// A hash table of packed keys whose fields widen as dictionaries grow.
#[derive(Debug)]
pub(crate) struct Grouper {
    bits: Vec<u32>,
    layout: Layout,
    counts: Counts,
}

#[derive(Debug)]
enum Counts {
    One(FxHashMap<Key<1>, u64>),
    Two(FxHashMap<Key<2>, u64>),
    Four(FxHashMap<Key<4>, u64>),
    Sixteen(FxHashMap<Key<16>, u64>),
}

/// Runs a body for whichever width of key the counts have.
macro_rules! for_width {
    ($counts:expr, $map:ident => $body:expr) => {
        match $counts {
            Counts::One($map) => $body,
            Counts::Two($map) => $body,
            Counts::Four($map) => $body,
            Counts::Sixteen($map) => $body,
        }
    };
}

impl Counts {
    fn new(words: usize) -> Result<Self, EngineError> {
        match words {
            0 | 1 => Ok(Self::One(FxHashMap::default())),
            2 => Ok(Self::Two(FxHashMap::default())),
            3 | 4 => Ok(Self::Four(FxHashMap::default())),
            5..=16 => Ok(Self::Sixteen(FxHashMap::default())),
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
        Self { bits, layout, counts: Counts::One(FxHashMap::default()) }
    }

    /// Adds rows given as one slice of codes per column, all below the column's `widths`.
    pub(crate) fn add(
        &mut self,
        columns: &[Vec<u32>],
        widths: &[usize],
        rows: usize,
    ) -> Result<(), EngineError> {
        self.widen(widths)?;
        for_width!(&mut self.counts, counts => add_rows(counts, &self.layout, columns, rows));
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
        for_width!(&self.counts, old => for_width!(&mut counts, new => repack(old, &self.layout, new, &layout)));
        (self.layout, self.counts) = (layout, counts);
        Ok(())
    }

    /// All combinations repacked by `layout` with codes replaced by `remap`, in no order.
    pub(crate) fn entries<const W: usize>(self, layout: &Layout, remap: &[Vec<u32>]) -> Vec<(Key<W>, u64)> {
        let own = self.layout;
        for_width!(self.counts, counts => remapped(counts, &own, layout, remap))
    }
}

fn add_rows<const W: usize>(
    counts: &mut FxHashMap<Key<W>, u64>,
    layout: &Layout,
    columns: &[Vec<u32>],
    rows: usize,
) {
    let mut keys = vec![Key::<W>::ZERO; rows];
    for (field, codes) in layout.fields().iter().zip(columns) {
        for (key, &code) in keys.iter_mut().zip(codes) {
            key.set(*field, code);
        }
    }
    for key in keys {
        *counts.entry(key).or_insert(0) += 1;
    }
}

fn repack<const A: usize, const B: usize>(
    old: &FxHashMap<Key<A>, u64>,
    from: &Layout,
    new: &mut FxHashMap<Key<B>, u64>,
    to: &Layout,
) {
    new.reserve(old.len());
    new.extend(old.iter().map(|(key, &count)| {
        let mut repacked = Key::ZERO;
        for (from, to) in from.fields().iter().zip(to.fields()) {
            repacked.set(*to, key.get(*from));
        }
        (repacked, count)
    }));
}

fn remapped<const A: usize, const B: usize>(
    counts: FxHashMap<Key<A>, u64>,
    from: &Layout,
    to: &Layout,
    remap: &[Vec<u32>],
) -> Vec<(Key<B>, u64)> {
    let repacked = |(key, count): (Key<A>, u64)| {
        let mut repacked = Key::ZERO;
        for ((from, to), codes) in from.fields().iter().zip(to.fields()).zip(remap) {
            repacked.set(*to, codes[key.get(*from) as usize]);
        }
        (repacked, count)
    };
    counts.into_iter().map(repacked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_widening_past_one_word() {
        let columns = 5;
        let mut grouper = Grouper::new(columns);
        for width in [2u32, 300, 70_000] {
            let rows: Vec<Vec<u32>> = (0..columns).map(|_| vec![0, width - 1, width - 1]).collect();
            grouper.add(&rows, &[width as usize; 5], 3).unwrap();
        }
        let layout = Layout::new(&[17; 5]);
        let identity: Vec<Vec<u32>> = (0..5).map(|_| (0..70_000).collect()).collect();
        let mut entries = grouper.entries::<2>(&layout, &identity);
        entries.sort_unstable();
        let read: Vec<(u32, u64)> =
            entries.iter().map(|(key, n)| (key.get(layout.fields()[4]), *n)).collect();
        assert_eq!(read, [(0, 3), (1, 2), (299, 2), (69_999, 2)]);
    }
}

//! From a node's cells to those of a node where one attribute is more general.
//!
//! Cells ascend by key. Raising a field leaves the fields before it as they are, so only cells that
//! agree in those (a *group*) have to be brought in order and merged, and these stand together. What
//! follows in the key, its *tail*, is mostly a few bits: a group is counted by tail, in one slot per
//! value, and read off in order.

use super::Cell;
use super::slots::{Block, Slots};
use crate::key::{Field, Key, Tail};

/// The slots that are always worth counting in, 32 KiB of counts.
const FEW_SLOTS: usize = 1 << 12;

/// Most slots, 8 bytes each.
const MOST_SLOTS: usize = 1 << 22;

/// Cells that are written before they are handed on: they stay in the cache, and memory is taken for those alone that
/// there are.
const ROOM: usize = 2 * Block::<1>::MOST_CELLS;

/// Memory that one step after the other uses.
pub(super) struct Scratch<const W: usize> {
    pub(super) slots: Slots,
    block: Block<W>,
    /// Cells on their way; what is in it before does not matter.
    room: Vec<Cell<W>>,
}

impl<const W: usize> Default for Scratch<W> {
    fn default() -> Self {
        let room = vec![Cell { key: Key::ZERO, count: 0 }; ROOM];
        Self { slots: Slots::default(), block: Block::default(), room }
    }
}

/// The codes of one field are replaced by more general ones.
pub(super) struct Step<'a> {
    pub(super) field: Field,
    /// From a code to the more general one.
    pub(super) codes: &'a [u32],
    /// How many more general codes there are.
    pub(super) width: usize,
    /// The field and all after it, if that is at most a word.
    pub(super) tail: Option<Tail>,
}

impl Step<'_> {
    /// The more general cells, ascending by key.
    ///
    /// Time: O(cells) where the tail is short, else O(cells · log cells).
    pub(super) fn raise<const W: usize>(&self, from: &[Cell<W>], scratch: &mut Scratch<W>) -> Vec<Cell<W>> {
        let Some((tail, slots)) = self.tail.and_then(|tail| Some((tail, self.slots(tail)?))) else {
            return self.sort(from);
        };
        if tail == self.field.as_tail() && self.codes.is_sorted() {
            self.merge(from, scratch)
        } else if slots <= Block::<W>::MOST_SLOTS {
            self.count_side_by_side(from, tail, slots, scratch)
        } else if slots <= (8 * from.len()).clamp(FEW_SLOTS, MOST_SLOTS) {
            self.count(from, tail, slots, &mut scratch.slots)
        } else {
            self.sort(from)
        }
    }

    /// How many values a tail can have after the step; `None` past `usize`.
    fn slots(&self, tail: Tail) -> Option<usize> {
        let after = tail.bits() - self.field.bits();
        1usize.checked_shl(after)?.checked_mul(self.width)
    }

    #[inline]
    fn replace<const W: usize>(&self, mut key: Key<W>) -> Key<W> {
        key.set(self.field, self.codes[key.get(self.field) as usize]);
        key
    }

    /// Where nothing follows the field and its codes keep their order, so do the keys.
    ///
    /// Whether two cells merge is anyone's guess, so it decides where to write, not whether to.
    fn merge<const W: usize>(&self, from: &[Cell<W>], scratch: &mut Scratch<W>) -> Vec<Cell<W>> {
        let Some(first) = from.first() else { return Vec::new() };
        let (mut merged, room) = (Vec::new(), &mut scratch.room);
        let (mut last, mut at) = (Cell { key: self.replace(first.key), count: 0 }, 0);
        // As many as there is room for, but for the one that goes on.
        for part in from.chunks(ROOM - 1) {
            for cell in part {
                let key = self.replace(cell.key);
                let same = key == last.key;
                at += usize::from(!same);
                last = Cell { key, count: cell.count + if same { last.count } else { 0 } };
                room[at] = last;
            }
            merged.extend_from_slice(&room[..at]);
            room[0] = last;
            at = 0;
        }
        merged.push(last);
        merged.shrink_to_fit();
        merged
    }

    /// Counts by tail what agrees before it, many groups at once.
    fn count_side_by_side<const W: usize>(
        &self,
        from: &[Cell<W>],
        tail: Tail,
        slots: usize,
        scratch: &mut Scratch<W>,
    ) -> Vec<Cell<W>> {
        let Some(first) = from.first() else { return Vec::new() };
        let Scratch { block, room, .. } = scratch;
        let mut counted = Vec::new();
        let (mut head, mut group) = (first.key.split(tail).0, 0);
        for cell in from {
            let (next, slot) = self.replace(cell.key).split(tail);
            group += usize::from(next != head);
            head = next;
            if group == Block::<W>::GROUPS {
                let cells = block.drain(group, (tail, slots), room);
                counted.extend_from_slice(&room[..cells]);
                group = 0;
            }
            block.add(group, head, group * slots + slot, cell.count);
        }
        let cells = block.drain(group + 1, (tail, slots), room);
        counted.extend_from_slice(&room[..cells]);
        counted.shrink_to_fit();
        counted
    }

    /// Counts by tail what agrees before it, one group after the other.
    fn count<const W: usize>(
        &self,
        from: &[Cell<W>],
        tail: Tail,
        most: usize,
        slots: &mut Slots,
    ) -> Vec<Cell<W>> {
        slots.reserve(most);
        let mut counted = Vec::with_capacity(from.len());
        for group in from.chunk_by(|a, b| a.key.split(tail).0 == b.key.split(tail).0) {
            for cell in group {
                slots.add(self.replace(cell.key).split(tail).1, cell.count);
            }
            let head = group[0].key.split(tail).0;
            slots.drain(|slot, count| counted.push(Cell { key: head.join(tail, slot), count }));
        }
        counted.shrink_to_fit();
        counted
    }

    fn sort<const W: usize>(&self, from: &[Cell<W>]) -> Vec<Cell<W>> {
        let replaced = |cell: &Cell<W>| Cell { key: self.replace(cell.key), count: cell.count };
        let mut cells = from.iter().map(replaced).collect();
        sort_and_merge(&mut cells);
        cells
    }
}

/// Brings cells in order and adds up those of equal key.
pub(super) fn sort_and_merge<const W: usize>(cells: &mut Vec<Cell<W>>) {
    // Stable on purpose: it is adaptive, and raising a late attribute leaves long sorted runs.
    cells.sort_by_key(|cell| cell.key);
    merge(cells);
}

/// Adds up the cells of equal key, which stand side by side.
pub(super) fn merge<const W: usize>(cells: &mut Vec<Cell<W>>) {
    cells.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.count += next.count;
        }
        same
    });
    cells.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::key::{Layout, bits_for};

    /// A table of three fields, the one to raise, and its codes' replacements.
    fn cases() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<u32>>, usize, Vec<u32>)> {
        let widths = proptest::collection::vec(prop_oneof![1usize..4, 1usize..300, 4000usize..5000], 3);
        (widths, 0usize..3, 1u32..9).prop_flat_map(|(widths, raised, general)| {
            let row: Vec<_> = widths.iter().map(|&w| 0..w as u32).collect();
            let codes = proptest::collection::vec(0..general.min(widths[raised] as u32), widths[raised]);
            let codes = (codes, any::<bool>()).prop_map(|(mut codes, sorted)| {
                if sorted {
                    codes.sort_unstable();
                }
                codes
            });
            (Just(widths), proptest::collection::vec(row, 1..600), Just(raised), codes)
        })
    }

    fn agrees_with_sorting<const W: usize>(
        bits: &[u32],
        rows: &[Vec<u32>],
        raised: usize,
        codes: &[u32],
    ) -> Result<(), TestCaseError> {
        let layout = Layout::new(bits);
        let cell = |row: &Vec<u32>| {
            let mut key = Key::<W>::ZERO;
            layout.fields().iter().zip(row).for_each(|(field, code)| key.set(*field, *code));
            Cell { key, count: u64::from(row[0]) + 1 }
        };
        let mut from = rows.iter().map(cell).collect();
        sort_and_merge(&mut from);
        let width = codes.iter().max().map_or(0, |code| *code as usize + 1);
        let step = Step { field: layout.fields()[raised], codes, width, tail: layout.tail(raised) };
        let mut scratch = Scratch::default();
        for _ in 0..2 {
            // Twice, because the first step must leave the scratch as it found it.
            prop_assert_eq!(step.raise(&from, &mut scratch), step.sort(&from));
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_way_agrees_with_sorting((widths, rows, raised, codes) in cases()) {
            let bits: Vec<u32> = widths.iter().map(|&w| bits_for(w)).collect();
            agrees_with_sorting::<1>(&bits, &rows, raised, &codes)?;
            agrees_with_sorting::<4>(&[bits[0], 32, bits[2]], &rows, raised, &codes)?;
            agrees_with_sorting::<2>(&[bits[0], 32, 32], &rows, raised, &codes)?;
        }
    }
}

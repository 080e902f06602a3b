//! Counting cells by their tails, in one slot per value that a tail can have.

use super::Cell;
use crate::key::{Key, Tail};

/// A slot for each tail, given back in order. A bit per slot, and one per 64 of those, tell which are
/// in use, so that empty slots cost next to nothing.
#[derive(Default)]
pub(super) struct Slots {
    counts: Vec<u64>,
    used: Vec<u64>,
    used_words: Vec<u64>,
}

impl Slots {
    /// How many slots there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Sees to it that there are so many.
    pub(super) fn reserve(&mut self, slots: usize) {
        if slots > self.counts.len() {
            self.counts.resize(slots, 0);
            self.used.resize(slots.div_ceil(64), 0);
            self.used_words.resize(slots.div_ceil(64 * 64), 0);
        }
    }

    #[inline]
    pub(super) fn add(&mut self, slot: usize, count: u64) {
        self.counts[slot] += count;
        self.used[slot / 64] |= 1 << (slot % 64);
        self.used_words[slot / (64 * 64)] |= 1 << (slot / 64 % 64);
    }

    /// Hands out the slots in use with their counts, ascending, and empties them.
    #[inline]
    pub(super) fn drain(&mut self, mut each: impl FnMut(usize, u64)) {
        for (block, words) in self.used_words.iter_mut().enumerate() {
            for word in ones(std::mem::take(words)).map(|bit| block * 64 + bit) {
                for slot in ones(std::mem::take(&mut self.used[word])).map(|bit| word * 64 + bit) {
                    each(slot, std::mem::take(&mut self.counts[slot]));
                }
            }
        }
    }
}

/// The positions of the bits that are set, ascending.
#[inline]
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        position
    })
}

/// A few slots for each of many groups. Groups are mostly of one to three cells: asking where one
/// ends, and which slots it uses, would cost a mispredicted branch each, so that nothing is asked.
/// Groups are counted side by side, and then all slots are written out, the empty ones to be
/// overwritten by the next.
pub(super) struct Block<const W: usize> {
    heads: Vec<Key<W>>,
    counts: Vec<u64>,
}

impl<const W: usize> Block<W> {
    /// The most slots a group can have.
    pub(super) const MOST_SLOTS: usize = 32;

    /// Groups that are counted side by side.
    pub(super) const GROUPS: usize = 128;

    #[inline]
    pub(super) fn add(&mut self, group: usize, head: Key<W>, slot: usize, count: u64) {
        self.heads[group] = head;
        self.counts[slot] += count;
    }

    /// The most cells of a block.
    pub(super) const MOST_CELLS: usize = Self::GROUPS * Self::MOST_SLOTS;

    /// Writes the first groups to the beginning of `cells`, which has room for one cell more than there can be, empties
    /// them, and returns the number of cells.
    pub(super) fn drain(
        &mut self,
        groups: usize,
        (tail, slots): (Tail, usize),
        cells: &mut [Cell<W>],
    ) -> usize {
        let mut at = 0;
        for (head, counts) in self.heads[..groups].iter().zip(self.counts.chunks_exact_mut(slots)) {
            for (slot, count) in counts.iter_mut().enumerate() {
                cells[at] = Cell { key: head.join(tail, slot), count: *count };
                at += usize::from(*count > 0);
                *count = 0;
            }
        }
        at
    }
}

impl<const W: usize> Default for Block<W> {
    fn default() -> Self {
        Self { heads: vec![Key::ZERO; Self::GROUPS], counts: vec![0; Self::MOST_CELLS] }
    }
}

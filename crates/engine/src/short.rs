//! Codes of short cells, found with one multiplication and, as a rule, one comparison.

/// The longest cell that is packed into a word.
pub(crate) const LONGEST: usize = 7;

/// Slots of a table that no cache holds.
const LARGE: usize = 1 << 18;

/// Slots of an empty table.
const FIRST: usize = 64;

/// At most [`LONGEST`] bytes and their number in one word; never 0.
#[inline]
pub(crate) fn pack(cell: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..cell.len()].copy_from_slice(cell);
    tagged(u64::from_le_bytes(bytes), cell.len())
}

/// The first `length` bytes of a word read from the text, packed like a cell of that length.
#[inline]
pub(crate) fn pack_word(word: u64, length: usize) -> u64 {
    tagged(word & ((1 << (8 * length)) - 1), length)
}

#[inline]
fn tagged(word: u64, length: usize) -> u64 {
    word | ((length as u64 + 1) << 56)
}

/// An open-addressing table from packed cells to codes, at most half full, or three quarters where it is large.
#[derive(Debug)]
pub(crate) struct ShortTable {
    /// Packed cell, 0 where free, and its code. The length is a power of two.
    slots: Vec<(u64, u32)>,
    used: usize,
}

impl ShortTable {
    pub(crate) fn new() -> Self {
        Self { slots: vec![(0, 0); FIRST], used: 0 }
    }

    #[inline]
    pub(crate) fn get(&self, packed: u64) -> Option<u32> {
        let slots = self.slots.as_slice();
        let mask = slots.len() - 1;
        let mut index = hash(packed);
        loop {
            let (key, code) = slots[index & mask];
            if key == packed {
                return Some(code);
            }
            if key == 0 {
                return None;
            }
            index += 1;
        }
    }

    /// Adds a packed cell that is not there yet.
    pub(crate) fn insert(&mut self, packed: u64, code: u32) {
        if self.used >= most(self.slots.len()) {
            let larger = vec![(0, 0); self.slots.len() * 2];
            for (key, code) in std::mem::replace(&mut self.slots, larger) {
                if key != 0 {
                    self.place(key, code);
                }
            }
        }
        self.used += 1;
        self.place(packed, code);
    }

    fn place(&mut self, packed: u64, code: u32) {
        let mask = self.slots.len() - 1;
        let mut index = hash(packed) & mask;
        while self.slots[index].0 != 0 {
            index = (index + 1) & mask;
        }
        self.slots[index] = (packed, code);
    }
}

/// How many of so many slots are used before there are more of them. Tables that no cache holds wait for memory at each cell, and
/// for little else: they may be fuller, so that they take less of it.
fn most(slots: usize) -> usize {
    if slots < LARGE { slots / 2 } else { slots / 4 * 3 }
}

/// Fibonacci hashing; the high half is the well-mixed one.
#[inline]
fn hash(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_found_again_as_the_table_grows() {
        let mut table = ShortTable::new();
        let cells: Vec<String> = (0..5000).map(|n| format!("{n:x}")).chain([String::new()]).collect();
        for (code, cell) in (0..).zip(&cells) {
            assert_eq!(table.get(pack(cell.as_bytes())), None);
            table.insert(pack(cell.as_bytes()), code);
        }
        for (code, cell) in (0..).zip(&cells) {
            assert_eq!(table.get(pack(cell.as_bytes())), Some(code));
        }
    }

    #[test]
    fn a_word_packs_like_its_first_bytes() {
        let text = *b"ab\0,12\n9";
        for length in 0..=LONGEST {
            assert_eq!(pack_word(u64::from_le_bytes(text), length), pack(&text[..length]));
        }
    }
}

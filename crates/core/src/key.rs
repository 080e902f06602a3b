//! Packed keys: a record's codes side by side in a few machine words, so that grouping compares
//! and hashes integers instead of tuples of strings.

/// `W` words of 64 bits; word 0 is the most significant, so keys order like the tuples they pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key<const W: usize>([u64; W]);

impl<const W: usize> std::hash::Hash for Key<W> {
    /// Word by word: hashers take integers faster than slices.
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        for word in self.0 {
            state.write_u64(word);
        }
    }
}

impl<const W: usize> Key<W> {
    /// All codes zero.
    pub const ZERO: Self = Self([0; W]);

    /// The code in `field`.
    #[must_use]
    #[inline]
    pub fn get(&self, field: Field) -> u32 {
        ((self.0[field.word] >> field.shift) & field.mask) as u32
    }

    /// Replaces the code in `field`, which must be within the field's width.
    #[inline]
    pub fn set(&mut self, field: Field, code: u32) {
        let word = &mut self.0[field.word];
        *word = (*word & !(field.mask << field.shift)) | (u64::from(code) << field.shift);
    }
}

impl<const W: usize> Key<W> {
    /// The key without its tail, and the tail as a number.
    #[must_use]
    #[inline]
    pub fn split(mut self, tail: Tail) -> (Self, usize) {
        let word = &mut self.0[tail.word];
        let low = *word & tail.mask;
        *word ^= low;
        (self, low as usize)
    }

    /// The inverse of [`Key::split`].
    #[must_use]
    #[inline]
    pub fn join(mut self, tail: Tail, low: usize) -> Self {
        self.0[tail.word] |= low as u64;
        self
    }
}

/// The last bits of a key: those of some field and of all fields after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    word: usize,
    mask: u64,
}

impl Tail {
    /// How many bits it has.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.mask.count_ones()
    }
}

/// Where one attribute's code stands in a key. Fields never straddle words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    /// How many bits the field takes.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.mask.count_ones()
    }

    /// The field as a tail: the one that begins with it, where nothing follows.
    #[must_use]
    pub fn as_tail(self) -> Tail {
        Tail { word: self.word, mask: self.mask << self.shift }
    }
}

/// The fields of a key, the first attribute most significant; the last one ends at the last word's
/// lowest bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// A layout for attributes that need these many bits each (at most 32).
    #[must_use]
    pub fn new(bits: &[u32]) -> Self {
        let mut fields = Vec::with_capacity(bits.len());
        let (mut word, mut free) = (0, 64);
        for &width in bits {
            if width > free {
                word += 1;
                free = 64;
            }
            free -= width;
            let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
            fields.push(Field { word, shift: if width == 0 { 0 } else { free }, mask });
        }
        for field in fields.iter_mut().filter(|f| f.word == word && f.mask != 0) {
            field.shift -= free;
        }
        Self { fields, words: word + 1 }
    }

    /// The fields, in the order of the attributes.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The first `bits` bits of a key, or all if it has fewer in its first word: keys that differ there
    /// stand in the order of these bits.
    #[must_use]
    pub fn leading(&self, bits: u32) -> Field {
        let end = |field: &Field| 64 - (field.mask << field.shift).leading_zeros();
        let used = if self.words == 1 { self.fields.iter().map(end).max().unwrap_or(0) } else { 64 };
        let width = bits.min(used);
        let mask = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
        Field { word: 0, shift: if width == 0 { 0 } else { used - width }, mask }
    }

    /// The tail that begins with the field at `position`, empty past the last one; `None` where it
    /// reaches over more than the last word.
    #[must_use]
    pub fn tail(&self, position: usize) -> Option<Tail> {
        let (last, fields) = (self.words - 1, &self.fields[position..]);
        let mask = fields.iter().fold(0, |mask, field| mask | field.mask << field.shift);
        fields.iter().all(|field| field.word == last).then_some(Tail { word: last, mask })
    }

    /// The same fields in another order: attribute `i` of the result has field `order[i]`.
    #[must_use]
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self { fields: order.iter().map(|&position| self.fields[position]).collect(), words: self.words }
    }

    /// How many words a key of this layout needs.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }
}

/// The bits that hold any code below `count`.
#[must_use]
pub fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Runs `$body` with the constant `$w` bound to the least supported width of at least `$words`
/// words; `$too_wide` if there is none.
#[macro_export]
macro_rules! with_key_width {
    ($words:expr, $w:ident => $body:expr, else $too_wide:expr) => {
        match $words {
            0 | 1 => {
                const $w: usize = 1;
                $body
            }
            2 => {
                const $w: usize = 2;
                $body
            }
            3 | 4 => {
                const $w: usize = 4;
                $body
            }
            5..=16 => {
                const $w: usize = 16;
                $body
            }
            _ => $too_wide,
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_what_is_set_and_order_like_tuples() {
        let layout = Layout::new(&[7, 0, 30, 30, 5]);
        assert_eq!(layout.words(), 2);
        let key = |codes: [u32; 5]| {
            let mut key = Key::<2>::ZERO;
            for (field, code) in layout.fields().iter().zip(codes) {
                key.set(*field, code);
            }
            key
        };
        let (low, high) = (key([3, 0, 9, 1 << 29, 31]), key([3, 0, 10, 0, 0]));
        assert!(low < high);
        let read: Vec<u32> = layout.fields().iter().map(|f| low.get(*f)).collect();
        assert_eq!(read, [3, 0, 9, 1 << 29, 31]);
    }

    #[test]
    fn leading_bits_keep_the_order_of_keys() {
        for widths in [&[7, 9, 3][..], &[3, 2], &[0], &[30, 30, 30], &[12, 52, 1]] {
            let layout = Layout::new(widths);
            let leading = layout.leading(12);
            let key = |codes: &[u32]| {
                let mut key = Key::<2>::ZERO;
                layout.fields().iter().zip(codes).for_each(|(field, code)| key.set(*field, *code));
                key
            };
            let most = |&width: &u32| if width == 0 { 0 } else { u32::MAX >> (32 - width.min(32)) };
            let full: Vec<u32> = widths.iter().map(most).collect();
            let half: Vec<u32> = full.iter().map(|code| code / 2).collect();
            let [zero, half, full] =
                [&vec![0; full.len()], &half, &full].map(|codes| key(codes).get(leading));
            assert!(zero <= half && half <= full, "{widths:?}");
            let used: u32 = widths.iter().sum();
            assert!(used < 2 || full > zero, "{widths:?}: the leading bits tell nothing apart");
        }
    }

    #[test]
    fn a_tail_is_what_ends_the_key() {
        let layout = Layout::new(&[40, 30, 0, 5]);
        let bits = |position| layout.tail(position).map(Tail::bits);
        assert_eq!([0, 1, 2, 3, 4].map(bits), [None, Some(35), Some(5), Some(5), Some(0)]);
        let mut key = Key::<2>::ZERO;
        for (field, code) in layout.fields().iter().zip([6, 9, 0, 17]) {
            key.set(*field, code);
        }
        let tail = layout.tail(1).unwrap();
        let (head, low) = key.split(tail);
        assert_eq!((head.get(layout.fields()[0]), head.get(layout.fields()[1]), low), (6, 0, 9 << 5 | 17));
        assert_eq!(head.join(tail, low), key);
    }

    #[test]
    fn bits_hold_the_largest_code() {
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits_for), [0, 0, 1, 2, 2, 3, 8, 9]);
    }
}

//! A yes or no for each pair of ranks.

/// One bit for each pair of ranks, by the rarer one: v²/8 bytes for v ranks.
#[derive(Debug, Clone)]
pub(crate) struct Bits {
    row: usize,
    words: Vec<u64>,
}

impl Bits {
    /// No pair.
    pub(crate) fn none(ranks: usize) -> Self {
        let row = ranks.div_ceil(64).max(1);
        Self { row, words: vec![0; row * ranks] }
    }

    /// The row of each rank, as words in which bit b stands for the pair with rank b.
    pub(crate) fn rows_mut(&mut self) -> (usize, &mut [u64]) {
        (self.row, &mut self.words)
    }

    /// The row of one rank.
    pub(crate) fn row(&self, rarer: usize) -> &[u64] {
        &self.words[rarer * self.row..(rarer + 1) * self.row]
    }

    /// Whether the pair is in; `rarer` is the lower rank.
    pub(crate) fn has(&self, rarer: u32, commoner: u32) -> bool {
        bit(self.row(rarer as usize), commoner)
    }

    /// Adds a pair; `rarer` is the lower rank.
    pub(crate) fn add(&mut self, rarer: u32, commoner: u32) {
        self.words[rarer as usize * self.row + commoner as usize / 64] |= 1 << (commoner % 64);
    }
}

/// Whether a row has a rank.
pub(crate) fn bit(row: &[u64], rank: u32) -> bool {
    row[rank as usize / 64] >> (rank % 64) & 1 == 1
}

/// Which sets must be counted: all at first, later those that somebody's loss can have made rare.
#[derive(Debug, Clone)]
pub(crate) enum Suspects {
    All,
    /// By the rarest item of the set, each of its other items.
    Only(Bits),
}

impl Suspects {
    /// Hands out what is suspect, and suspects nothing more.
    pub(crate) fn take(&mut self, ranks: usize) -> Self {
        std::mem::replace(self, Self::Only(Bits::none(ranks)))
    }

    /// Which items must be looked at behind an item; `None` for all of them.
    pub(crate) fn behind(&self, rarest: usize) -> Option<&[u64]> {
        match self {
            Self::All => None,
            Self::Only(bits) => Some(bits.row(rarest)),
        }
    }

    /// Whether some set of which an item is the rarest must be counted.
    pub(crate) fn any(&self, rarest: usize) -> bool {
        self.behind(rarest).is_none_or(|row| row.iter().any(|&word| word != 0))
    }

    /// Suspects each pair of a person's items of which one is lost.
    pub(crate) fn pairs_of(&mut self, set: &[u32], lost: &[usize]) {
        let Self::Only(bits) = self else { return };
        for &at in lost {
            set[..at].iter().for_each(|&rarer| bits.add(rarer, set[at]));
            set[at + 1..].iter().for_each(|&commoner| bits.add(set[at], commoner));
        }
    }

    /// Suspects each triple of a person's items of which one is lost.
    pub(crate) fn triples_of(&mut self, set: &[u32], lost: &[usize]) {
        let Self::Only(bits) = self else { return };
        let Some(&last) = lost.iter().max() else { return };
        for rarest in 0..=last.min(set.len().saturating_sub(3)) {
            set[rarest + 1..].iter().for_each(|&other| bits.add(set[rarest], other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspected(bits: &Suspects, rarest: u32, other: u32) -> bool {
        bits.behind(rarest as usize).is_some_and(|row| bit(row, other))
    }

    #[test]
    fn each_set_that_loses_an_item_is_suspect() {
        let set = [3, 10, 64, 65, 130];
        for lost in [vec![0], vec![2], vec![4], vec![1, 3]] {
            let [mut pairs, mut triples] = [(); 2].map(|()| Suspects::Only(Bits::none(200)));
            pairs.pairs_of(&set, &lost);
            triples.triples_of(&set, &lost);
            for b in 0..set.len() {
                for a in 0..b {
                    let concerned = lost.contains(&a) || lost.contains(&b);
                    assert_eq!(suspected(&pairs, set[a], set[b]), concerned, "{a} {b} of {lost:?}");
                    for c in (b + 1..set.len()).filter(|c| concerned || lost.contains(c)) {
                        assert!(suspected(&triples, set[a], set[b]), "{a} {b} {c} of {lost:?}");
                        assert!(suspected(&triples, set[a], set[c]), "{a} {b} {c} of {lost:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn at_first_all_is_suspect_and_then_nothing() {
        let mut suspects = Suspects::All;
        let first = suspects.take(70);
        assert!(first.any(69) && first.behind(69).is_none());
        assert!(!suspects.any(69));
    }
}

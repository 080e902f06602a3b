//! Combinations of leaves and of labels, and what holds for them.

/// The codes of a group's keys.
pub(super) type Key = Vec<u32>;

/// The least, the greatest and the middle value.
pub(super) type Span = (f64, f64, f64);

/// Records that are alike in all that a query uses.
#[derive(Debug)]
pub(super) struct Pattern {
    /// By column of the table the label; 0 for columns that are not used.
    pub(super) labels: Vec<u32>,
    pub(super) stratum: usize,
    pub(super) records: u64,
}

/// How an expression stands where some leaves are fixed and others free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    pub(super) share: f64,
    pub(super) certain: bool,
    pub(super) possible: bool,
}

impl Truth {
    pub(super) const UNKNOWN: Self = Self { share: 0.5, certain: false, possible: true };
}

/// A value by combination of leaves.
pub(super) struct ByCombination<T> {
    pub(super) columns: Vec<usize>,
    pub(super) sizes: Vec<usize>,
    pub(super) values: Vec<T>,
}

impl<T: Copy> ByCombination<T> {
    /// How many leaves a column has.
    pub(super) fn size_of(&self, column: usize) -> usize {
        self.columns.iter().zip(&self.sizes).find(|(known, _)| **known == column).map_or(0, |(_, size)| *size)
    }

    /// The value at a combination of leaves.
    pub(super) fn at(&self, leaves: impl Iterator<Item = u32>) -> T {
        self.values[place(&self.sizes, leaves)]
    }
}

/// Where a combination of leaves stands among all.
pub(super) fn place(sizes: &[usize], leaves: impl Iterator<Item = u32>) -> usize {
    sizes.iter().zip(leaves).fold(0, |place, (size, leaf)| place * size + leaf as usize)
}

/// The next combination of places, the last column's fastest.
pub(super) fn advance<T>(at: &mut [usize], covered: &[Vec<T>]) {
    for (place, leaves) in at.iter_mut().zip(covered).rev() {
        *place += 1;
        if *place < leaves.len() {
            return;
        }
        *place = 0;
    }
}

//! What is asked of released sets.

/// What stands for an item that is not released.
pub const REMOVED: u32 = u32::MAX;

/// What is asked of the released sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// How many persons each set of items must be that of.
    pub k: u32,
    /// The most items that somebody knows of a person: 1, 2 or 3.
    pub m: u8,
    /// The most items of a person that are released. Of a larger set the rarest go first.
    pub largest_set: usize,
}

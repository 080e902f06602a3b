//! Counterfeits: records that nobody is behind.

/// Counterfeits of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterfeits {
    /// The class, an index into the plan's class table.
    pub class: u32,
    /// (sensitive code, count), ascending by code, counts at least 1.
    pub values: Vec<(u32, u64)>,
}

impl Counterfeits {
    /// How many records are added to the class.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum()
    }
}

//! What a released cell covers of its domain.

/// A released cell, as far as a figure can look at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The leaves of the domain that its value covers.
    pub leaves: f64,
    /// M: the leaves of the domain.
    pub domain: f64,
    /// Level / height of its hierarchy; 0 where there is no level above the leaves.
    pub climbed: f64,
}

impl Cell {
    /// A suppressed cell.
    #[must_use]
    pub fn suppressed(domain: f64) -> Self {
        Self { leaves: domain, domain, climbed: 1.0 }
    }
}

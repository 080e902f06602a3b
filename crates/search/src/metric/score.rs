//! What metrics are compared by.

use std::cmp::Ordering;

/// A metric's figure: one number, or several that are compared one after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum Score {
    /// One number.
    One(f64),
    /// Descending numbers, the first decides (the `rank` aggregate).
    Ranked(Vec<f64>),
}

impl Score {
    /// The number that decides first; 0 where there is none.
    #[must_use]
    pub fn first(&self) -> f64 {
        match self {
            Self::One(value) => *value,
            Self::Ranked(values) => values.first().copied().unwrap_or(0.0),
        }
    }

    fn values(&self) -> &[f64] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Ranked(values) => values,
        }
    }

    /// Whether the figure is less than another by more than rounding.
    #[must_use]
    pub fn is_clearly_below(&self, other: &Self) -> bool {
        let mut pairs = self.values().iter().zip(other.values());
        let apart = |(a, b): &(&f64, &f64)| (**a - **b).abs() > 1e-9 * a.abs().max(b.abs());
        pairs.find(apart).is_some_and(|(a, b)| a < b)
    }

    /// The order of figures, less first.
    #[must_use]
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        let (mine, others) = (self.values(), other.values());
        let unequal = mine.iter().zip(others).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        unequal.unwrap_or_else(|| mine.len().cmp(&others.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_compare_one_after_the_other() {
        let (a, b) = (Score::Ranked(vec![0.5, 0.1]), Score::Ranked(vec![0.5, 0.2]));
        assert_eq!(a.total_cmp(&b), Ordering::Less);
        assert_eq!(Score::One(1.0).total_cmp(&Score::One(0.5)), Ordering::Greater);
        assert!(a.is_clearly_below(&b) && !b.is_clearly_below(&a));
        assert!(!Score::One(1.0 - 1e-14).is_clearly_below(&Score::One(1.0)));
        assert_eq!((a.first(), Score::Ranked(vec![]).first()), (0.5, 0.0));
    }
}

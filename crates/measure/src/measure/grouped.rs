//! What is measured: class sizes and the counts of sensitive values, nothing else.

use std::fmt;

/// Counts of one sensitive attribute in every class.
///
/// A class's own counts are the denominator of its shares. They usually add up to its size; they do not where
/// sizes count people and the counts are of records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// The attribute's name.
    pub name: String,
    /// Its values in canonical order: numbers by size if all are numbers, else by code point.
    pub values: Vec<String>,
    /// Whether all values are numbers. Decides only which distance [`crate::measure::pycanon`] takes.
    pub numeric: bool,
    /// Per class: (value code, count), ascending code, no zero counts.
    pub classes: Vec<Vec<(u32, u64)>>,
    /// Per class its (person, value code), ascending and distinct, where people are counted; no class where each record is
    /// another person's. All figures but [`crate::measure::pycanon`]'s are then of people.
    pub people: Vec<Pairs>,
}

/// (person, value code), ascending and distinct.
pub type Pairs = Vec<(u32, u32)>;

/// A table grouped by its quasi-identifiers. Suppressed records form no class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grouped {
    /// Records per equivalence class, or people.
    pub sizes: Vec<u64>,
    /// How many people and records there are in all, where sizes count people.
    pub people: Option<(u64, u64)>,
    /// The sensitive attributes; each counts the same classes in the same order.
    pub sensitive: Vec<Sensitive>,
}

/// Why a [`Grouped`] describes no table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inconsistent {
    /// The attribute counts another number of classes than there are sizes.
    Classes {
        /// The attribute.
        attribute: String,
        /// Classes that it counts.
        counted: usize,
        /// Class sizes given.
        sizes: usize,
    },
    /// A code of this class is not below the number of values, or the codes do not ascend, or a count is zero.
    Cells {
        /// The attribute.
        attribute: String,
        /// Position of the class.
        class: usize,
    },
    /// A class without records, or without values.
    Empty {
        /// Position of the class.
        class: usize,
    },
    /// Two attributes share a name.
    Name {
        /// The name.
        attribute: String,
    },
}

impl fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classes { attribute, counted, sizes } => {
                write!(f, "attribute {attribute} counts {counted} classes, the table has {sizes}")
            }
            Self::Cells { attribute, class } => write!(
                f,
                "attribute {attribute}, class {class}: codes must ascend below the number of values, counts be positive"
            ),
            Self::Empty { class } => write!(f, "class {class} holds no record"),
            Self::Name { attribute } => write!(f, "attribute {attribute} is given twice"),
        }
    }
}

impl std::error::Error for Inconsistent {}

impl Grouped {
    /// Whether this describes a table at all. [`crate::measure::measure()`] computes something for any input; it means
    /// something only if this is `Ok`.
    ///
    /// # Errors
    /// The first inconsistency found.
    ///
    /// # Complexity
    /// O(cells + attributes²) time, no memory.
    pub fn check(&self) -> Result<(), Inconsistent> {
        if let Some(class) = self.sizes.iter().position(|&size| size == 0) {
            return Err(Inconsistent::Empty { class });
        }
        for (i, sensitive) in self.sensitive.iter().enumerate() {
            if self.sensitive[..i].iter().any(|other| other.name == sensitive.name) {
                return Err(Inconsistent::Name { attribute: sensitive.name.clone() });
            }
            sensitive.check(self.sizes.len())?;
        }
        Ok(())
    }
}

impl Sensitive {
    fn check(&self, sizes: usize) -> Result<(), Inconsistent> {
        if self.classes.len() != sizes {
            let (attribute, counted) = (self.name.clone(), self.classes.len());
            return Err(Inconsistent::Classes { attribute, counted, sizes });
        }
        for (class, cells) in self.classes.iter().enumerate() {
            if cells.is_empty() {
                return Err(Inconsistent::Empty { class });
            }
            let ascending = cells.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let known = cells.iter().all(|&(code, count)| (code as usize) < self.values.len() && count > 0);
            if !(ascending && known) {
                return Err(Inconsistent::Cells { attribute: self.name.clone(), class });
            }
        }
        Ok(())
    }

    /// Records of each value in the whole table, by code.
    pub(crate) fn totals(&self) -> Totals {
        let codes = self.classes.iter().flatten().map(|&(code, _)| code as usize + 1).max().unwrap_or(0);
        let mut counts = vec![0u64; codes.max(self.values.len())];
        for &(code, count) in self.classes.iter().flatten() {
            let slot = &mut counts[code as usize];
            *slot = slot.saturating_add(count);
        }
        let all = counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
        Totals { counts, all }
    }
}

/// Records of each value, and of all, in the whole table.
pub(crate) struct Totals {
    pub(crate) counts: Vec<u64>,
    pub(crate) all: u64,
}

impl Totals {
    /// Values that occur.
    pub(crate) fn present(&self) -> u64 {
        self.counts.iter().filter(|&&count| count > 0).count() as u64
    }
}

/// Records of one class.
pub(crate) fn size_of(class: &[(u32, u64)]) -> u64 {
    class.iter().fold(0, |sum: u64, &(_, count)| sum.saturating_add(count))
}

/// Values of one class.
pub(crate) fn distinct_of(class: &[(u32, u64)]) -> u64 {
    class.iter().filter(|&&(_, count)| count > 0).count() as u64
}

/// The largest of some floats, none of which is NaN.
pub(crate) fn largest(figures: impl Iterator<Item = f64>) -> Option<f64> {
    figures.reduce(f64::max)
}

/// The product of two counts: exact, since two 64-bit numbers fit.
pub(crate) fn times(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

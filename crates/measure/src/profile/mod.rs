//! What the cells and the name of a column tell of it: type, missing values, direct identifiers.
//!
//! Everything here looks at the distinct values of one column, each with its records, and at nothing else.
//! What is found names rules, shares and counts, never a value.

pub mod births;
mod chance;
pub mod finding;
pub mod header;
pub mod identifier;
pub mod kind;
pub mod missing;
mod names;
pub mod patterns;
pub mod person_numbers;
mod persons;
pub mod position;
pub mod runs;
mod seen;
mod serial;

pub use persons::has_titled;

/// The distinct values of a column, none of them missing, each with its records.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a>(pub &'a [(&'a str, u64)]);

impl<'a> Cells<'a> {
    /// The records that have a value.
    #[must_use]
    pub fn records(self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The number of distinct values.
    #[must_use]
    pub fn distinct(self) -> usize {
        self.0.len()
    }

    /// The records whose value fits.
    pub fn fitting(self, fits: impl Fn(&str) -> bool) -> u64 {
        self.0.iter().filter(|(value, _)| fits(value)).map(|(_, count)| count).sum()
    }

    /// Their share of all that have a value; 0 where there is none.
    pub fn share(self, fits: impl Fn(&str) -> bool) -> f64 {
        match self.records() {
            0 => 0.0,
            records => self.fitting(fits) as f64 / records as f64,
        }
    }

    /// Distinct values over records; 0 where there is none.
    #[must_use]
    pub fn distinction(self) -> f64 {
        match self.records() {
            0 => 0.0,
            records => self.distinct() as f64 / records as f64,
        }
    }

    /// The values.
    pub fn values(self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|(value, _)| *value)
    }
}

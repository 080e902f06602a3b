//! What is asked of linked tables and promised of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A privacy model over persons and their sets of codes. An item is a code of a column of the role `set`; items of all
/// such columns are one space, `table.column:code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", deny_unknown_fields)]
pub enum SetPromise {
    /// Each combination of released person columns is that of at least k persons.
    #[serde(rename = "k-anonymity")]
    Classes {
        /// The least number of persons, at least 2.
        k: u64,
    },
    /// Each set of at most m released items that one person has, at least k persons have (Terrovitis, Mamoulis and Kalnis,
    /// PVLDB 1(1), 2008).
    #[serde(rename = "km-anonymity")]
    Sets {
        /// The least number of persons, at least 2.
        k: u64,
        /// The most items that somebody knows of a person, 1 to 3.
        m: u8,
    },
    /// Both: the sets are counted inside each combination of released person columns (Poulis and others, ECML PKDD 2013).
    #[serde(rename = "k-km-anonymity")]
    SetsInClasses {
        /// The least number of persons, at least 2.
        k: u64,
        /// The most items that somebody knows of a person, 1 to 3.
        m: u8,
    },
}

impl SetPromise {
    /// The names of all, as recipes have them.
    pub const NAMES: [&str; 3] = ["k-anonymity", "km-anonymity", "k-km-anonymity"];

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Classes { .. } => "k-anonymity",
            Self::Sets { .. } => "km-anonymity",
            Self::SetsInClasses { .. } => "k-km-anonymity",
        }
    }

    /// The least number of persons.
    #[must_use]
    pub const fn k(&self) -> u64 {
        match *self {
            Self::Classes { k } | Self::Sets { k, .. } | Self::SetsInClasses { k, .. } => k,
        }
    }

    /// The most items that somebody knows of a person; none where sets are not looked at.
    #[must_use]
    pub const fn m(&self) -> u8 {
        match *self {
            Self::Classes { .. } => 0,
            Self::Sets { m, .. } | Self::SetsInClasses { m, .. } => m,
        }
    }

    /// Whether sets of items are those of at least k persons.
    #[must_use]
    pub const fn is_about_sets(&self) -> bool {
        !matches!(self, Self::Classes { .. })
    }

    /// Whether combinations of person columns are those of at least k persons.
    #[must_use]
    pub const fn is_about_classes(&self) -> bool {
        !matches!(self, Self::Sets { .. })
    }
}

/// For whom a release is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Anybody: dates are years or relative, numbers stand in bands or are left out.
    #[default]
    Public,
    /// Recipients who signed an agreement: shifted dates and rounded numbers are allowed.
    Agreement,
}

/// What becomes of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dates {
    /// No date is released.
    None,
    /// 1 January of each date's year.
    Year,
    /// Whole units since the person's first day, which is written as 2000-01-01.
    Relative(Unit),
    /// Each person's dates moved by one whole number of days, uniform in ± so many.
    Shift(u32),
}

/// What relative dates are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Seven days.
    Week,
    /// A calendar month.
    Month,
    /// Three calendar months.
    Quarter,
}

/// What holds of the numbers of rows that persons have in each table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The k persons of most rows have equally many.
    #[default]
    Cap,
    /// Each number of rows is that of at least k persons.
    Banded,
    /// Nothing.
    Free,
}

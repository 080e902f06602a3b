//! What a release of invented records states of all that was drawn on the original: noisy tables and private choices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use velamen_dp::Rational;

use crate::Statement;

/// Where it stands in the section of the method.
pub const MEASUREMENTS: &str = "measurements";

/// All that was drawn on the original.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measurements {
    /// ρ of zero-concentrated differential privacy, in units of 2⁻⁶⁰.
    pub rho: String,
    /// By how much one record changes a table of counts.
    pub sensitivity: u64,
    /// The values of each attribute at the level that was counted, in the order of all counts.
    pub domains: BTreeMap<String, Vec<String>>,
    /// The level of each attribute of which bins were counted, not what is released.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, u8>,
    /// The first noisy counts of each attribute, over all its values.
    pub alone: Vec<MeasuredTable>,
    /// Positions of the values that were put together then, since noise drowns their counts: in further tables they are one
    /// value, the last. Attributes without such values are left out.
    pub merged: BTreeMap<String, Vec<u32>>,
    /// Private choices, in their order.
    pub choices: Vec<ChosenSet>,
    /// Further noisy counts.
    pub tables: Vec<MeasuredTable>,
}

/// Noisy counts of each combination of some attributes' values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MeasuredTable {
    /// The attributes; the last one's values come fastest.
    pub attributes: Vec<String>,
    /// σ² of the discrete Gaussian noise, as `p/q`.
    pub variance: String,
    /// The noisy counts, parted by spaces.
    pub counts: String,
}

/// A choice by the exponential mechanism.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ChosenSet {
    /// Its ε, as `p/q`.
    pub epsilon: String,
    /// The attributes that were chosen to be measured together; null where nothing was.
    pub attributes: Option<Vec<String>>,
}

impl Statement {
    /// All that was drawn on the original, where records are invented from it; `None` where it is not said or does not read.
    #[must_use]
    pub fn measurements(&self) -> Option<Measurements> {
        Measurements::deserialize(self.entries().get(MEASUREMENTS)?).ok()
    }
}

impl MeasuredTable {
    /// σ²; `None` where it does not read.
    #[must_use]
    pub fn variance(&self) -> Option<Rational> {
        Rational::read(&self.variance)
    }

    /// The noisy counts; `None` where one does not read.
    #[must_use]
    pub fn counts(&self) -> Option<Vec<i64>> {
        self.counts.split_ascii_whitespace().map(|count| count.parse().ok()).collect()
    }
}

impl ChosenSet {
    /// ε; `None` where it does not read.
    #[must_use]
    pub fn epsilon(&self) -> Option<Rational> {
        Rational::read(&self.epsilon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_read_as_they_were_written() {
        let table =
            MeasuredTable { attributes: vec!["a".into()], variance: "7/2".into(), counts: "3 -1 0".into() };
        assert_eq!((table.variance(), table.counts()), (Rational::new(7, 2).ok(), Some(vec![3, -1, 0])));
        let read: MeasuredTable = serde_json::from_value(serde_json::to_value(&table).unwrap()).unwrap();
        assert_eq!(read, table);
        let torn = MeasuredTable { counts: "3 x".into(), variance: "7/0".into(), ..table };
        assert_eq!((torn.variance(), torn.counts()), (None, None));
        let choice = ChosenSet { epsilon: "5".into(), attributes: None };
        assert_eq!(choice.epsilon(), Rational::new(5, 1).ok());
    }
}

//! What a release of invented records states of all that was drawn on the original: noisy tables and private choices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use velamen_dp::Rational;

use crate::Statement;

/// Where it stands in the section of the method.
pub const MEASUREMENTS: &str = "measurements";

/// Whom draws on a table protect: the statement of a method.
pub const UNIT: &str = "unit";
/// A unit: one person with all of her records, for the original has a column that numbers persons.
pub const PERSON: &str = "person";
/// A unit: one record, for the original has no such column.
pub const RECORD: &str = "record";

/// The most cells of the model that records follow, and of a pair that is measured for it.
const MODEL_CELLS: &str = "model-cells";
const MAX_CELLS: &str = "max-cells";

/// Standard deviations that a noisy number of records is above 0 if it says that there were some.
const DEVIATIONS: f64 = 3.0;

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

impl Measurements {
    /// How many bins of an attribute were counted, where numbers are released that are drawn evenly within each.
    #[must_use]
    pub fn bins(&self, name: &str) -> Option<usize> {
        self.levels.get(name)?;
        Some(self.domains.get(name)?.iter().filter(|label| !label.is_empty()).count())
    }
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

    /// The most cells of a model that invented records follow.
    #[must_use]
    pub fn model_cells(&self) -> Option<u64> {
        self.entries().get(MODEL_CELLS)?.as_u64()
    }

    /// The most cells of a pair that is measured for such a model.
    #[must_use]
    pub fn max_cells(&self) -> Option<u64> {
        self.entries().get(MAX_CELLS)?.as_u64()
    }

    /// Whom draws protect, [`PERSON`] with all of a person's records or [`RECORD`]; `None` where it is not said.
    #[must_use]
    pub fn unit(&self) -> Option<&str> {
        self.entries().get(UNIT)?.as_str()
    }
}

impl Measurements {
    /// σ of the noise in the number of records, where that is below 3σ, so that noise may have made them all. Else `None`.
    ///
    /// The number is the mean of all tables' totals by the inverse of their variances, so that σ⁻² is the sum of these.
    #[must_use]
    pub fn drowned(&self, records: u64) -> Option<f64> {
        let precision =
            |table: &MeasuredTable| Some((table.counts()?.len() as f64 * table.variance()?.to_f64()).recip());
        let sum: f64 = self.alone.iter().chain(&self.tables).filter_map(precision).sum();
        let deviation = sum.sqrt().recip();
        (deviation.is_finite() && (records as f64) < DEVIATIONS * deviation).then_some(deviation)
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

    /// Totals of two and four counts have variances of 200 and 400: their mean one of 400/3.
    #[test]
    fn few_records_drown_in_noise() {
        let table = |counts: &str| MeasuredTable {
            attributes: vec!["a".into()],
            variance: "100".into(),
            counts: counts.into(),
        };
        let measured = Measurements {
            alone: vec![table("9 7")],
            tables: vec![table("4 4 4 4")],
            ..Measurements::default()
        };
        let deviation = (400.0f64 / 3.0).sqrt();
        assert_eq!((3.0 * deviation).floor(), 34.0);
        assert!((measured.drowned(34).unwrap() - deviation).abs() < 1e-9);
        assert_eq!((measured.drowned(35), measured.drowned(0).is_some()), (None, true));
        assert_eq!(Measurements::default().drowned(0), None, "nothing is known");
    }
}

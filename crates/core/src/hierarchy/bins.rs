//! Intervals that are read off the data: of equal width, or of equal frequency.
//!
//! # Summary
//! A short form of cuts, for numbers nobody has cuts for. What is read off the data is no public knowledge:
//! the release says so, and methods that are differentially private refuse it.
//!
//! # Definition
//! Equal width, b bins over min … max of N = max − min + 1 steps: bin i begins at min + ⌈i·N/b⌉. Equal
//! frequency, b bins over n records: bin i begins at the least value that at least i·n/b records lie below.
//! Records of one value stay together, so that bins can hold more than n/b and be fewer than b. A level of
//! fewer bins keeps every so manieth start of the first.
//!
//! # Parameters
//! The numbers of bins per level, each a divisor of the one before; `min` and `max`, read off the data where
//! they are not given; `decimals`.
//!
//! # Errors
//! Numbers of bins that do not divide, no record, one value only, more bins than steps.
//!
//! # Complexity
//! Time O(distinct values + bins · levels).
//!
//! # References
//! None.
//!
//! # Deviations
//! None.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Definition, HierarchyError};

/// Bins as recipes write them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bins {
    /// The numbers of bins of equal width, per level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_width: Option<Vec<u32>>,
    /// The numbers of bins of equal frequency, per level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_frequency: Option<Vec<u32>>,
    /// The least value of the domain; left out: of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The greatest value of the domain; left out: of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Decimals of the values; 0 for whole numbers.
    #[serde(default)]
    pub decimals: u32,
}

fn refuse<T>(text: &str) -> Result<T, HierarchyError> {
    Err(HierarchyError::Parameters(text.into()))
}

impl Bins {
    /// What does not depend on the data.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if not exactly one kind is given or the numbers do not divide.
    pub fn check(&self) -> Result<(), HierarchyError> {
        let bins = match (&self.equal_width, &self.equal_frequency) {
            (Some(bins), None) | (None, Some(bins)) => bins,
            _ => return refuse("give either `equal-width` or `equal-frequency`"),
        };
        let divide = bins.windows(2).all(|pair| pair[1] > 0 && pair[0] > pair[1] && pair[0] % pair[1] == 0);
        if bins.first().is_none_or(|&first| !(2..=1000).contains(&first)) || !divide || bins.contains(&1) {
            return refuse(
                "the numbers of bins are from 1000 down to 2, each a divisor of the one before: [20, 10, 5]",
            );
        }
        if self.decimals > 9 {
            return refuse("`decimals` are at most 9");
        }
        Ok(())
    }

    /// Whether the data must be looked at.
    #[must_use]
    pub fn reads_data(&self) -> bool {
        self.equal_frequency.is_some() || self.min.is_none() || self.max.is_none()
    }

    /// The cuts for values in units of 10^−decimals, ascending, each with its number of records.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if the values cannot be cut.
    pub fn definition(&self, values: &[(i64, u64)]) -> Result<Definition, HierarchyError> {
        self.check()?;
        let unit = 10f64.powi(self.decimals as i32);
        let units = |bound: f64| (bound * unit).round() as i64;
        let min = self.min.map(units).or_else(|| Some(values.first()?.0));
        let max = self.max.map(units).or_else(|| Some(values.last()?.0));
        let (Some(min), Some(max)) = (min, max) else { return refuse("no value to read bins off") };
        if min >= max {
            return refuse("bins need at least two different values; give `min` and `max`");
        }
        let starts = match (&self.equal_width, &self.equal_frequency) {
            (Some(bins), _) => levels(bins, |i, of| Some(wide(min, max, i, of))),
            (_, Some(bins)) => levels(bins, |i, of| frequent(values, i, of).filter(|&s| s > min && s <= max)),
            _ => Vec::new(),
        };
        if starts.iter().any(|level| level.is_empty() || level.iter().any(|&start| start <= min)) {
            return refuse("there are fewer different values than bins; ask for fewer");
        }
        let shown = |units: i64| units as f64 / unit;
        let cuts = starts.iter().map(|level| level.iter().map(|&start| shown(start)).collect()).collect();
        Ok(Definition::Cuts { cuts, min: shown(min), max: shown(max), decimals: self.decimals })
    }
}

/// Per level the starts of its bins after the first: every so manieth of the first level's.
fn levels(bins: &[u32], start: impl Fn(u64, u64) -> Option<i64>) -> Vec<Vec<i64>> {
    let finest = u64::from(bins[0]);
    let level = |&bins: &u32| {
        let step = finest / u64::from(bins);
        let mut starts: Vec<i64> = (1..u64::from(bins)).filter_map(|i| start(i * step, finest)).collect();
        starts.dedup();
        starts
    };
    bins.iter().map(level).collect()
}

fn wide(min: i64, max: i64, i: u64, of: u64) -> i64 {
    let steps = i128::from(max) - i128::from(min) + 1;
    let offset = (steps * i128::from(i) + i128::from(of) - 1) / i128::from(of);
    (i128::from(min) + offset) as i64
}

/// The least value that at least i/of of the records lie below.
fn frequent(values: &[(i64, u64)], i: u64, of: u64) -> Option<i64> {
    let records: u128 = values.iter().map(|value| u128::from(value.1)).sum();
    let mut below = 0u128;
    for &(value, count) in values {
        if below * u128::from(of) >= records * u128::from(i) {
            return Some(value);
        }
        below += u128::from(count);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(json: &str, values: &[(i64, u64)]) -> Result<Vec<Vec<f64>>, HierarchyError> {
        let bins: Bins = serde_json::from_str(json).unwrap();
        match bins.definition(values)? {
            Definition::Cuts { cuts, .. } => Ok(cuts),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn widths_are_equal() {
        let values: Vec<(i64, u64)> = (0..100).map(|value| (value, 1)).collect();
        assert_eq!(cuts(r#"{"equal-width":[4,2]}"#, &values).unwrap(), [vec![25.0, 50.0, 75.0], vec![50.0]]);
        assert_eq!(cuts(r#"{"equal-width":[2],"min":0,"max":9}"#, &[]).unwrap(), [[5.0]]);
    }

    #[test]
    fn frequencies_are_equal_but_for_ties() {
        let values: Vec<(i64, u64)> = (0..100).map(|value| (value * value, 1)).collect();
        assert_eq!(cuts(r#"{"equal-frequency":[4]}"#, &values).unwrap(), [[625.0, 2500.0, 5625.0]]);
        // Nine of ten records have the value 5: they stay together.
        let tied = [(1, 5), (5, 90), (9, 5)];
        assert_eq!(cuts(r#"{"equal-frequency":[4,2]}"#, &tied).unwrap(), [vec![9.0], vec![9.0]]);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        assert!(cuts(r#"{"equal-frequency":[2]}"#, &[(5, 9)]).is_err());
        assert!(cuts(r#"{"equal-width":[4],"min":0,"max":2}"#, &[]).is_err());
        assert!(cuts(r#"{"equal-width":[4]}"#, &[]).is_err());
        for bins in ["[4,3]", "[1]", "[]", "[4,0]", "[2,4]"] {
            assert!(cuts(&format!(r#"{{"equal-width":{bins}}}"#), &[(0, 1), (99, 1)]).is_err(), "{bins}");
        }
        assert!(cuts(r#"{"equal-width":[2],"equal-frequency":[2]}"#, &[]).is_err());
    }
}

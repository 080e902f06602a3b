//! Hierarchies as recipes and manifests write them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cuts, HierarchyError, IntervalRule, MaskRule, MaskSide, Rule, TableRule};

/// A hierarchy in full, without reference to a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Fields", untagged)]
#[schemars(untagged, deny_unknown_fields, !try_from)]
pub enum Definition {
    /// Nested intervals of one width per level.
    Interval {
        /// The widths, ascending, each a multiple of the one before.
        interval: Vec<f64>,
        /// The least value of the domain.
        min: f64,
        /// The greatest value of the domain.
        max: f64,
        /// Decimals of the values; 0 for whole numbers.
        #[serde(skip_serializing_if = "is_zero")]
        #[schemars(default)]
        decimals: u32,
    },
    /// Intervals between given cuts.
    Cuts {
        /// Per level the ascending starts of the intervals after the first.
        cuts: Vec<Vec<f64>>,
        /// The least value of the domain.
        min: f64,
        /// The greatest value of the domain.
        max: f64,
        /// Decimals of the values; 0 for whole numbers.
        #[serde(skip_serializing_if = "is_zero")]
        #[schemars(default)]
        decimals: u32,
    },
    /// Characters masked from one side.
    Mask {
        /// The side that is masked first.
        mask: Side,
        /// The number of characters.
        length: usize,
        /// How many different characters there can be: 10 for digits, 36 with letters.
        #[schemars(default = "digits")]
        alphabet: u64,
        /// Per level the number of masked characters; left out: 1, 2, … length.
        #[serde(skip_serializing_if = "Option::is_none")]
        levels: Option<Vec<usize>>,
    },
    /// A table, one row per leaf.
    Table {
        /// value, level 1, …, `*`.
        rows: Vec<Vec<String>>,
    },
    /// A value or `*`.
    Flat {
        /// How many values occur: read off the data, there being no public domain.
        domain: u64,
    },
}

impl Default for Definition {
    fn default() -> Self {
        Self::Flat { domain: 1 }
    }
}

/// All fields of all forms, so that a wrong one is named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    interval: Option<Vec<f64>>,
    cuts: Option<Vec<Vec<f64>>>,
    mask: Option<Side>,
    rows: Option<Vec<Vec<String>>>,
    domain: Option<u64>,
    min: Option<f64>,
    max: Option<f64>,
    #[serde(default)]
    decimals: u32,
    length: Option<usize>,
    alphabet: Option<u64>,
    levels: Option<Vec<usize>>,
}

impl TryFrom<Fields> for Definition {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let Fields { decimals, levels, .. } = fields;
        let bound = |bound: Option<f64>, name: &str| {
            bound.ok_or_else(|| format!("an interval hierarchy needs `{name}`, an end of the domain"))
        };
        match fields {
            Fields {
                interval: Some(interval),
                cuts: None,
                mask: None,
                rows: None,
                domain: None,
                min,
                max,
                ..
            } => Ok(Self::Interval { interval, min: bound(min, "min")?, max: bound(max, "max")?, decimals }),
            Fields {
                cuts: Some(cuts),
                interval: None,
                mask: None,
                rows: None,
                domain: None,
                min,
                max,
                ..
            } => Ok(Self::Cuts { cuts, min: bound(min, "min")?, max: bound(max, "max")?, decimals }),
            Fields {
                mask: Some(mask),
                interval: None,
                cuts: None,
                rows: None,
                domain: None,
                length,
                alphabet,
                ..
            } => {
                let length =
                    length.ok_or("a mask needs `length`, the number of characters of every value")?;
                Ok(Self::Mask { mask, length, alphabet: alphabet.unwrap_or_else(digits), levels })
            }
            Fields { rows: Some(rows), interval: None, cuts: None, mask: None, domain: None, .. } => {
                Ok(Self::Table { rows })
            }
            Fields { domain: Some(domain), interval: None, cuts: None, mask: None, rows: None, .. } => {
                Ok(Self::Flat { domain })
            }
            _ => {
                Err("a hierarchy is a file's path or exactly one of `interval`, `cuts`, `mask`, `rows`"
                    .into())
            }
        }
    }
}

/// A side of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Side {
    Right,
    Left,
}

/// The alphabet of masks where none is given.
fn digits() -> u64 {
    10
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl TryFrom<&Definition> for Rule {
    type Error = HierarchyError;

    fn try_from(definition: &Definition) -> Result<Self, HierarchyError> {
        match definition {
            Definition::Interval { interval, min, max, decimals } => {
                let sizes = units_of(interval, *decimals)?;
                interval_rule(Cuts::Sizes(sizes), *min, *max, *decimals)
            }
            Definition::Cuts { cuts, min, max, decimals } => {
                let starts = cuts.iter().map(|level| units_of(level, *decimals)).collect::<Result<_, _>>()?;
                interval_rule(Cuts::Starts(starts), *min, *max, *decimals)
            }
            Definition::Mask { mask, length, alphabet, levels } => {
                let side = match mask {
                    Side::Right => MaskSide::Right,
                    Side::Left => MaskSide::Left,
                };
                // A longer code is refused below, with its message.
                let levels = levels.clone().unwrap_or_else(|| (1..=(*length).min(255)).collect());
                MaskRule::new(side, *length, *alphabet, levels).map(Rule::Mask)
            }
            Definition::Table { rows } => TableRule::new(rows.clone()).map(Rule::Table),
            Definition::Flat { .. } => Ok(Rule::Flat),
        }
    }
}

fn interval_rule(cuts: Cuts, min: f64, max: f64, decimals: u32) -> Result<Rule, HierarchyError> {
    IntervalRule::new(cuts, units(min, decimals)?, units(max, decimals)?, decimals).map(Rule::Interval)
}

fn units_of(numbers: &[f64], decimals: u32) -> Result<Vec<i64>, HierarchyError> {
    numbers.iter().map(|&n| units(n, decimals)).collect()
}

/// A number in units of 10^−decimals.
fn units(number: f64, decimals: u32) -> Result<i64, HierarchyError> {
    let scaled = number * 10f64.powi(decimals.min(9) as i32);
    if !scaled.is_finite() || (scaled - scaled.round()).abs() > 1e-6 || scaled.abs() > 9e15 {
        return Err(HierarchyError::Parameters(format!(
            "{number} has more than {decimals} decimals; give `decimals`"
        )));
    }
    Ok(scaled.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(json: &str) -> Result<Rule, HierarchyError> {
        Rule::try_from(&serde_json::from_str::<Definition>(json).unwrap())
    }

    #[test]
    fn every_form_reads() {
        assert_eq!(rule(r#"{"interval":[5,10,20],"min":0,"max":99}"#).unwrap().top(), 4);
        assert_eq!(rule(r#"{"cuts":[[35,67]],"min":0,"max":99}"#).unwrap().top(), 2);
        assert_eq!(rule(r#"{"mask":"right","length":5}"#).unwrap().top(), 5);
        assert_eq!(rule(r#"{"interval":[0.5],"min":10,"max":50,"decimals":1}"#).unwrap().top(), 2);
        assert!(rule(r#"{"interval":[0.5],"min":10,"max":50}"#).is_err());
        assert!(serde_json::from_str::<Definition>(r#"{"interval":[5],"min":0}"#).is_err());
    }
}

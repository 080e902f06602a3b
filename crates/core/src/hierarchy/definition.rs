//! Hierarchies as recipes and manifests write them.

use std::sync::Arc;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bound::{Bound, digits};
use super::fields::{self, Fields, form};
use super::kind::{Facts, Form, OfKind, Standard, Structure};
use super::{Cuts, HierarchyError, IntervalRule, MaskRule, Rule, Side, TableRule};
use crate::error::Problem;

/// A hierarchy in full, without reference to a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Map<String, Value>", untagged)]
#[schemars(untagged, deny_unknown_fields, !try_from, transform = one_list)]
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
    /// Codes and dates: one of the kinds whose levels follow from the form of a value.
    Kind(OfKind),
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

impl Definition {
    /// The definition that a form of a kind writes.
    ///
    /// # Panics
    /// Never of a form that writes what it reads.
    #[must_use]
    pub fn of<F: Form>(form: &F) -> Self {
        let written = serde_json::to_value(form).ok().and_then(|fields| serde_json::from_value(fields).ok());
        written.expect("a form reads what it writes")
    }

    /// The form of that kind, if it is of it.
    #[must_use]
    pub fn form<F: Form>(&self) -> Option<F> {
        match self {
            Self::Kind(of) => of.form(),
            _ => None,
        }
    }

    /// What others need to know of its kind, if it is of one.
    #[must_use]
    pub fn facts(&self) -> Option<Facts> {
        match self {
            Self::Kind(of) => Some(of.facts()),
            _ => None,
        }
    }

    /// What it knows of values by their form, if it is of a kind.
    #[must_use]
    pub fn structure(&self) -> Option<Arc<dyn Structure>> {
        match self {
            Self::Kind(of) => of.structure().ok(),
            _ => None,
        }
    }

    /// Whether it is the structure of codes, which lists none.
    #[must_use]
    pub fn is_of_codes(&self) -> bool {
        self.facts().is_some_and(|facts| !facts.days)
    }
}

/// The kinds beside the other forms, not in a list of their own.
fn one_list(schema: &mut Schema) {
    let Some(Value::Array(forms)) = schema.get_mut("anyOf") else { return };
    let mut all = Vec::new();
    for mut form in std::mem::take(forms) {
        match form.get_mut("anyOf").map(Value::take) {
            Some(Value::Array(kinds)) => all.extend(kinds),
            _ => all.push(form),
        }
    }
    *forms = all;
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl TryFrom<Map<String, Value>> for Definition {
    type Error = String;

    fn try_from(mut fields: Map<String, Value>) -> Result<Self, String> {
        // As if it were left out.
        fields.retain(|_, value| !value.is_null());
        let unread = |error: serde_json::Error| error.to_string();
        match form(&fields)? {
            fields::Form::Kind(kind) => OfKind::read(kind, fields).map(Self::Kind).map_err(unread),
            fields::Form::Plain(form) => {
                plain(form, serde_json::from_value(Value::Object(fields)).map_err(unread)?)
            }
        }
    }
}

/// The definition of a form that is of no kind.
fn plain(form: &str, fields: Fields) -> Result<Definition, String> {
    let Fields { min, max, decimals, alphabet, levels, .. } = fields;
    let (decimals, alphabet) = (decimals.unwrap_or(0), alphabet.unwrap_or_else(digits));
    let is_one = "the form is one of those that are given";
    Ok(match form {
        "interval" => Definition::Interval {
            interval: fields.interval.expect(is_one),
            min: Bound::number(min, "min")?,
            max: Bound::number(max, "max")?,
            decimals,
        },
        "cuts" => Definition::Cuts {
            cuts: fields.cuts.expect(is_one),
            min: Bound::number(min, "min")?,
            max: Bound::number(max, "max")?,
            decimals,
        },
        "mask" => Definition::Mask {
            mask: fields.mask.expect(is_one),
            length: fields.length.ok_or("a mask needs `length`, the number of characters of every value")?,
            alphabet,
            levels,
        },
        "rows" => Definition::Table { rows: fields.rows.expect(is_one) },
        _ => Definition::Flat { domain: fields.domain.expect(is_one) },
    })
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
                // A longer code is refused below, with its message.
                let levels = levels.clone().unwrap_or_else(|| (1..=(*length).min(255)).collect());
                MaskRule::new(*mask, *length, *alphabet, levels).map(Rule::Mask)
            }
            Definition::Table { rows } => TableRule::new(rows.clone()).map(Rule::Table),
            Definition::Flat { .. } => Ok(Rule::Flat),
            Definition::Kind(of) => Standard::new(of).map(Rule::Standard),
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
        let problem = format!("{number} has more than {decimals} decimals");
        return Err(HierarchyError::Parameters(Problem::of(&["decimals"], problem).mend("give `decimals`")));
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

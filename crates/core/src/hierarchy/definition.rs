//! Hierarchies as recipes and manifests write them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fields::{Bound, Fields, digits};
use super::{
    AtcCodes, AtcRule, Cuts, DateLevel, DateRule, Edition, HierarchyError, Icd10Rule, IntervalRule, MaskRule,
    PrefixRule, Rule, Side, Standard, TableRule, UsZipRule,
};

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
    /// Diagnoses: code, category, block, chapter.
    Icd10 {
        /// Whose ICD-10.
        #[serde(rename = "icd-10")]
        icd_10: Edition,
        /// The most characters of a code, without the dot; left out: 4 for WHO, 7 for CM.
        #[serde(skip_serializing_if = "Option::is_none")]
        longest: Option<usize>,
        /// To how many characters the levels below the block cut codes; left out: one less each, down to 3.
        #[serde(skip_serializing_if = "Option::is_none")]
        lengths: Option<Vec<usize>>,
    },
    /// Medicines: substance, chemical, pharmacological and therapeutic subgroup, main group.
    Atc {
        /// Which codes are values.
        atc: AtcCodes,
    },
    /// ZIP codes of the United States: five digits, three.
    UsZip {
        /// The areas of three digits that are released as `000`.
        #[serde(rename = "us-zip")]
        us_zip: Vec<String>,
        /// Whether codes can have four more digits.
        #[serde(rename = "plus-4", default, skip_serializing_if = "std::ops::Not::not")]
        plus_4: bool,
    },
    /// Codes that begin with the codes above them.
    Prefix {
        /// The lengths of the levels, ascending; the last is the whole code's.
        prefix: Vec<usize>,
        /// 10 for digits, 36 with letters.
        #[schemars(default = "digits")]
        alphabet: u64,
        /// Whether codes of the other lengths are values too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shorter: bool,
    },
    /// Days.
    Date {
        /// The levels above the day, ascending.
        date: Vec<DateLevel>,
        /// The first day of the domain.
        min: String,
        /// The last day of the domain.
        max: String,
        /// How the input writes dates, such as `%d.%m.%Y`; left out: as ISO 8601.
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<String>,
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

impl Definition {
    /// Whether it is the structure of codes, which lists none.
    #[must_use]
    pub fn is_of_codes(&self) -> bool {
        matches!(self, Self::Icd10 { .. } | Self::Atc { .. } | Self::UsZip { .. } | Self::Prefix { .. })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl TryFrom<Fields> for Definition {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let form = fields.form()?;
        let Fields { min, max, decimals, alphabet, levels, .. } = fields;
        let (decimals, alphabet) = (decimals.unwrap_or(0), alphabet.unwrap_or_else(digits));
        let is_one = "the form is one of those that are given";
        Ok(match form {
            "interval" => Self::Interval {
                interval: fields.interval.expect(is_one),
                min: Bound::number(min, "min")?,
                max: Bound::number(max, "max")?,
                decimals,
            },
            "cuts" => Self::Cuts {
                cuts: fields.cuts.expect(is_one),
                min: Bound::number(min, "min")?,
                max: Bound::number(max, "max")?,
                decimals,
            },
            "mask" => Self::Mask {
                mask: fields.mask.expect(is_one),
                length: fields
                    .length
                    .ok_or("a mask needs `length`, the number of characters of every value")?,
                alphabet,
                levels,
            },
            "rows" => Self::Table { rows: fields.rows.expect(is_one) },
            "icd-10" => Self::Icd10 {
                icd_10: fields.icd_10.expect(is_one),
                longest: fields.longest,
                lengths: fields.lengths,
            },
            "atc" => Self::Atc { atc: fields.atc.expect(is_one) },
            "us-zip" => {
                Self::UsZip { us_zip: fields.us_zip.expect(is_one), plus_4: fields.plus_4.unwrap_or(false) }
            }
            "prefix" => Self::Prefix {
                prefix: fields.prefix.expect(is_one),
                alphabet,
                shorter: fields.shorter.unwrap_or(false),
            },
            "date" => Self::Date {
                date: fields.date.expect(is_one),
                min: Bound::day(min, "min")?,
                max: Bound::day(max, "max")?,
                format: fields.format,
            },
            _ => Self::Flat { domain: fields.domain.expect(is_one) },
        })
    }
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
            _ => standard(definition).map(Rule::Standard),
        }
    }
}

/// The rule of a definition that follows from the form of its values.
fn standard(definition: &Definition) -> Result<Standard, HierarchyError> {
    match definition {
        Definition::Icd10 { icd_10, longest, lengths } => {
            Icd10Rule::new(*icd_10, *longest, lengths.clone()).map(Standard::Icd10)
        }
        Definition::Atc { atc } => Ok(Standard::Atc(AtcRule::new(*atc))),
        Definition::UsZip { us_zip, plus_4 } => UsZipRule::new(us_zip, *plus_4).map(Standard::UsZip),
        Definition::Prefix { prefix, alphabet, shorter } => {
            PrefixRule::new(prefix.clone(), *alphabet, *shorter).map(Standard::Prefix)
        }
        Definition::Date { date, min, max, format } => {
            DateRule::new(date.clone(), min, max, format.as_deref()).map(Standard::Date)
        }
        _ => Err(HierarchyError::Parameters("the hierarchy has no such form".into())),
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

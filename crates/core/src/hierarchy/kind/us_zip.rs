//! ZIP codes of the United States, as the HIPAA privacy rule lets them be released: five digits → the area of
//! the first three, or `000` → `*`.
//!
//! # Summary
//! An area of three digits with 20 000 people or fewer is not released: all such areas become `000`.
//!
//! # Definition
//! 45 CFR 164.514(b)(2)(i)(B): the first three digits may stay where the area of all codes that share them has
//! more than 20 000 people by the current census; for all other areas they are changed to 000. With c codes an
//! area, an area covers c leaves and `000` as many times c as there are small areas, area 000 among them.
//!
//! # Parameters
//! The small areas; whether codes can have four more digits.
//!
//! # Errors
//! An area that is not three digits, or stands twice.
//!
//! # Complexity
//! A label in O(log areas).
//!
//! # References
//! [@hipaa164514]
//!
//! # Deviations
//! An area that the table of populations lacks has nobody in it as far as anyone knows, and becomes `000`.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::{Structure, codes_under};
use super::{Facts, Form, Kind};
use crate::error::Problem;
use crate::hierarchy::{Ancestor, HierarchyError};

/// The most people of an area that is not released.
pub const MOST_PEOPLE: u64 = 20_000;
/// What small areas are released as.
const SMALL: &str = "000";

/// ZIP codes of the United States: five digits, three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsZip {
    /// The areas of three digits that are released as `000`.
    #[serde(rename = "us-zip")]
    pub us_zip: Vec<String>,
    /// Whether codes can have four more digits.
    #[serde(rename = "plus-4", default, skip_serializing_if = "std::ops::Not::not")]
    pub plus_4: bool,
}

pub(super) const KIND: Kind = Kind::of::<UsZip>(&["plus-4"], Facts { listed: true, days: false });

impl Form for UsZip {
    const NAME: &'static str = "us-zip";
    type Structure = UsZipRule;

    fn structure(&self) -> Result<UsZipRule, HierarchyError> {
        UsZipRule::new(&self.us_zip, self.plus_4)
    }
}

/// ZIP codes and the areas too small to be released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsZipRule {
    small: BTreeSet<String>,
    plus_4: bool,
}

/// The areas of at most [`MOST_PEOPLE`] people, those without an entry included.
#[must_use]
pub fn small_areas(populations: &BTreeMap<String, u64>) -> Vec<String> {
    let people = |area: &String| populations.get(area).copied().unwrap_or(0);
    (0..1000).map(|area| format!("{area:03}")).filter(|area| people(area) <= MOST_PEOPLE).collect()
}

/// Whether a text is an area: three digits.
#[must_use]
pub fn is_area(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl UsZipRule {
    /// Codes of five digits, with `plus_4` also of nine, and the small areas.
    fn new(small: &[String], plus_4: bool) -> Result<Self, HierarchyError> {
        let mut areas: BTreeSet<String> = small.iter().cloned().collect();
        if !small.iter().all(|area| is_area(area)) || areas.len() != small.len() {
            let problem = "the small areas of `us-zip` are three digits each, each once";
            return Err(HierarchyError::Parameters(Problem::of(&["us-zip"], problem)));
        }
        areas.insert(SMALL.into());
        Ok(Self { small: areas, plus_4 })
    }

    fn ends(&self) -> &'static [usize] {
        if self.plus_4 { &[5, 9] } else { &[5] }
    }

    fn under(&self, length: usize) -> u64 {
        codes_under(length, self.ends(), |_| 10).expect("at most 10^9 codes and some")
    }

    /// The area as it is released.
    fn area(&self, area: &str) -> Ancestor {
        match self.small.contains(area) {
            true => Ancestor { label: SMALL.into(), leaves: self.small.len() as u64 * self.under(3) },
            false => Ancestor { label: area.into(), leaves: self.under(3) },
        }
    }
}

impl Structure for UsZipRule {
    fn top(&self) -> u8 {
        2 + u8::from(self.plus_4)
    }

    fn domain(&self) -> u64 {
        self.under(0)
    }

    fn read(&self, value: &str) -> Option<String> {
        let digits = match value.split_once('-') {
            Some((five, four)) if five.len() == 5 && four.len() == 4 => format!("{five}{four}"),
            _ => value.to_owned(),
        };
        let formed = digits.bytes().all(|byte| byte.is_ascii_digit()) && self.ends().contains(&digits.len());
        let dashed =
            || if digits.len() == 9 { format!("{}-{}", &digits[..5], &digits[5..]) } else { digits.clone() };
        formed.then(dashed)
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        match level + u8::from(!self.plus_4) {
            1 => Some(Ancestor { label: leaf.get(..5)?.into(), leaves: self.under(5) }),
            2 => Some(self.area(leaf.get(..3)?)),
            _ => None,
        }
    }

    fn leaves(&self) -> Option<Vec<String>> {
        (!self.plus_4).then(|| (0..100_000).map(|code| format!("{code:05}")).collect())
    }

    fn expectation(&self) -> String {
        match self.plus_4 {
            true => "a ZIP code of five digits, or of nine such as 12345-6789".into(),
            false => "a ZIP code of five digits (for nine, give `plus-4 = true`)".into(),
        }
    }

    fn shown(&self, level: u8) -> Option<String> {
        let area = level == self.safe_harbor();
        Some(if area { "first 3 digits" } else { "first 5 digits" }.to_owned())
    }

    /// The area of three digits.
    fn safe_harbor(&self) -> u8 {
        1 + u8::from(self.plus_4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(areas: &[&str]) -> Vec<String> {
        areas.iter().map(|area| (*area).to_owned()).collect()
    }

    #[test]
    fn small_areas_become_000() {
        let rule = UsZipRule::new(&small(&["036", "059"]), false).unwrap();
        assert_eq!(rule.ancestor("13053", 1), Some(Ancestor { label: "130".into(), leaves: 100 }));
        assert_eq!(rule.ancestor("03601", 1), Some(Ancestor { label: "000".into(), leaves: 300 }));
        assert_eq!((rule.ancestor("13053", 2), rule.domain(), rule.top()), (None, 100_000, 2));
        assert_eq!((rule.read("13053-1234"), rule.read("1305")), (None, None));
    }

    #[test]
    fn nine_digits_have_a_level_more() {
        let rule = UsZipRule::new(&[], true).unwrap();
        assert_eq!(rule.read("130531234").as_deref(), Some("13053-1234"));
        assert_eq!(rule.ancestor("13053-1234", 1), Some(Ancestor { label: "13053".into(), leaves: 10_001 }));
        assert_eq!(rule.ancestor("13053", 2).unwrap().leaves, 100 * 10_001);
        assert_eq!(rule.domain(), 100_000 * 10_001);
    }

    #[test]
    fn the_line_is_at_20_000_people() {
        let people = [("036", 20_000), ("130", 20_001)].map(|(area, people)| (area.to_owned(), people));
        let small = small_areas(&people.into());
        assert_eq!(
            (small.len(), small.contains(&"036".into()), small.contains(&"130".into())),
            (999, true, false)
        );
        assert!(UsZipRule::new(&["36".into()], false).is_err());
    }
}

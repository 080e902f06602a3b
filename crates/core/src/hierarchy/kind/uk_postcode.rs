//! Postcodes of the United Kingdom: unit → sector → district → area → `*`.
//!
//! # Summary
//! `SW1A 1AA` is one of some fifteen households, `SW1A 1` a sector, `SW1A` a district, `SW` an area.
//!
//! # Definition
//! An area is one letter or two. A district is an area with a digit, two digits, or a digit and a letter: 370 an area. A
//! sector adds a digit, a unit two letters, so that a sector covers 26² units and a district 10 · 26². Where districts are
//! values too, each covers itself besides.
//!
//! # Parameters
//! Whether values are units, districts (outward codes), or both.
//!
//! # Errors
//! None; what is no postcode is not of the domain.
//!
//! # Complexity
//! A label in O(1).
//!
//! # References
//! None; the form is that of the Royal Mail's codes.
//!
//! # Deviations
//! Codes are released in capital letters with one space. The form is checked, not whether a place has the code, so that the
//! domain holds codes that nobody has. `GIR 0AA`, the one code of another form, is refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::Structure;
use super::{Facts, Form, Kind};
use crate::hierarchy::{Ancestor, HierarchyError};

/// Which postcodes are values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Postcodes {
    /// Whole postcodes: `SW1A 1AA`.
    Unit,
    /// Outward codes, which are districts: `SW1A`.
    District,
    /// Both.
    Any,
}

/// Postcodes of the United Kingdom: unit, sector, district, area.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UkPostcode {
    /// Which postcodes are values.
    #[serde(rename = "uk-postcode")]
    pub uk_postcode: Postcodes,
}

pub(super) const KIND: Kind = Kind::of::<UkPostcode>(&[], Facts { listed: true, days: false });

impl Form for UkPostcode {
    const NAME: &'static str = "uk-postcode";
    type Structure = UkPostcodeRule;

    fn structure(&self) -> Result<UkPostcodeRule, HierarchyError> {
        Ok(UkPostcodeRule { values: self.uk_postcode })
    }
}

/// One letter or two.
const AREAS: u64 = 26 + 26 * 26;
/// A digit, two digits, or a digit and a letter.
const DISTRICTS: u64 = 10 + 100 + 260;
const SECTORS: u64 = 10;
const UNITS: u64 = 26 * 26;

/// Postcodes, by which of them are values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UkPostcodeRule {
    values: Postcodes,
}

impl UkPostcodeRule {
    fn in_district(&self) -> u64 {
        match self.values {
            Postcodes::Unit => SECTORS * UNITS,
            Postcodes::District => 1,
            Postcodes::Any => SECTORS * UNITS + 1,
        }
    }
}

/// The letters in front.
fn area(code: &str) -> &str {
    &code[..code.find(|c: char| c.is_ascii_digit()).unwrap_or(code.len())]
}

/// Whether capitals are an outward code.
fn is_district(code: &str) -> bool {
    let letters = area(code);
    let is_formed = letters.bytes().all(|byte| byte.is_ascii_uppercase()) && matches!(letters.len(), 1 | 2);
    let rest = &code.as_bytes()[letters.len()..];
    is_formed && matches!(rest, [b'0'..=b'9'] | [b'0'..=b'9', b'0'..=b'9' | b'A'..=b'Z'])
}

impl Structure for UkPostcodeRule {
    fn top(&self) -> u8 {
        if self.values == Postcodes::District { 2 } else { 4 }
    }

    fn domain(&self) -> u64 {
        AREAS * DISTRICTS * self.in_district()
    }

    fn read(&self, value: &str) -> Option<String> {
        let code = value.is_ascii().then(|| value.to_ascii_uppercase())?;
        if is_district(&code) {
            return (self.values != Postcodes::Unit).then_some(code);
        }
        let (outward, inward) = code.split_at_checked(code.len().checked_sub(3)?)?;
        let outward = outward.strip_suffix(' ').unwrap_or(outward);
        let is_inward = matches!(inward.as_bytes(), [b'0'..=b'9', b'A'..=b'Z', b'A'..=b'Z']);
        let is_unit = is_inward && is_district(outward);
        (is_unit && self.values != Postcodes::District).then(|| format!("{outward} {inward}"))
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let of = |label: &str, leaves| Some(Ancestor { label: label.to_owned(), leaves });
        let (district, is_unit) = leaf.split_once(' ').map_or((leaf, false), |(outward, _)| (outward, true));
        // Districts stand two levels higher where no value is narrower.
        match level + if self.values == Postcodes::District { 2 } else { 0 } {
            1 if is_unit => of(leaf.get(..leaf.len() - 2)?, UNITS),
            1 => of(district, 1),
            2 => of(district, self.in_district()),
            3 => of(area(leaf), DISTRICTS * self.in_district()),
            _ => None,
        }
    }

    fn expectation(&self) -> String {
        match self.values {
            Postcodes::Unit => {
                "a postcode of the United Kingdom, such as SW1A 1AA (for outward codes too: uk-postcode = \"any\")"
            }
            Postcodes::District => {
                "the outward code of a postcode of the United Kingdom, such as SW1A (for whole ones too: uk-postcode = \"any\")"
            }
            Postcodes::Any => "a postcode of the United Kingdom or its outward code, such as SW1A 1AA or SW1A",
        }
        .to_owned()
    }

    fn shown(&self, level: u8) -> Option<String> {
        let places: &[&str] = match self.values {
            Postcodes::District => &["postcode area"],
            Postcodes::Unit | Postcodes::Any => &["postcode sector", "postcode district", "postcode area"],
        };
        places.get(usize::from(level.checked_sub(1)?)).map(|place| (*place).to_owned())
    }

    /// None but `*`: the rule leaves three digits of a ZIP code, and nothing of other codes of places.
    fn safe_harbor(&self) -> u8 {
        self.top()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(uk_postcode: Postcodes) -> UkPostcodeRule {
        UkPostcode { uk_postcode }.structure().unwrap()
    }

    #[test]
    fn units_climb_to_their_area() {
        let rule = of(Postcodes::Unit);
        let over = |level| rule.ancestor("SW1A 1AA", level).unwrap();
        assert_eq!([1, 2, 3].map(|level| over(level).label), ["SW1A 1", "SW1A", "SW"]);
        assert_eq!([1, 2, 3].map(|level| over(level).leaves), [676, 6760, 2_501_200]);
        assert_eq!((rule.ancestor("SW1A 1AA", 4), rule.top()), (None, 4));
        assert_eq!(rule.domain(), 702 * 2_501_200);
        assert_eq!(rule.shown(2).as_deref(), Some("postcode district"));
    }

    #[test]
    fn a_postcode_has_one_spelling() {
        let rule = of(Postcodes::Any);
        for written in ["SW1A 1AA", "sw1a1aa", "SW1A1AA", "Sw1a 1aA"] {
            assert_eq!(rule.read(written).as_deref(), Some("SW1A 1AA"), "{written}");
        }
        for known in
            ["M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "EC1A 1BB", "W1T 1JY", "M1", "DN55", "EC1A", "W1T"]
        {
            assert_eq!(rule.read(known).as_deref(), Some(known));
        }
        for wrong in [
            "",
            "SW",
            "1AA",
            "SW1A  1AA",
            "SW1A 1A",
            "SWA1 1AA",
            "SW1A 11A",
            "SW1AA",
            "ÄB1 1AA",
            "GIR 0AA",
            "12345",
        ] {
            assert_eq!(rule.read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn districts_are_values_where_that_is_asked_for() {
        assert_eq!(of(Postcodes::Unit).read("SW1A"), None);
        let any = of(Postcodes::Any);
        assert_eq!(any.ancestor("SW1A", 1), Some(Ancestor { label: "SW1A".into(), leaves: 1 }));
        assert_eq!(any.ancestor("SW1A", 2), any.ancestor("SW1A 1AA", 2));
        let district = of(Postcodes::District);
        assert_eq!((district.read("sw1a").as_deref(), district.read("SW1A 1AA")), (Some("SW1A"), None));
        assert_eq!(district.ancestor("SW1A", 1), Some(Ancestor { label: "SW".into(), leaves: 370 }));
        assert_eq!((district.ancestor("SW1A", 2), district.top(), district.domain()), (None, 2, 702 * 370));
    }

    #[test]
    fn the_safe_harbor_allows_none_of_them() {
        assert_eq!([Postcodes::Unit, Postcodes::District].map(|values| of(values).safe_harbor()), [4, 2]);
    }
}

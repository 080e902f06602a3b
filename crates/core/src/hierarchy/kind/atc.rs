//! Medicines coded in ATC: substance → chemical, pharmacological, therapeutic subgroup → main group → `*`.
//!
//! # Summary
//! The anatomical therapeutic chemical classification has five levels of 1, 3, 4, 5 and 7 characters.
//!
//! # Definition
//! A code is one of the 14 main groups' letters, two digits, two letters and two digits: `A10BA02`. A group of
//! 5 characters covers 10² codes, one of 4 26 · 10², one of 3 26² · 10², a main group 10² · 26² · 10². Where
//! shorter codes are values too, each group covers itself besides.
//!
//! # Parameters
//! Whether codes of 1, 3, 4 and 5 characters are values.
//!
//! # Errors
//! None; what is no code is not of the domain.
//!
//! # Complexity
//! A label in O(1).
//!
//! # References
//! [@whocc2024atc]
//!
//! # Deviations
//! Codes are released in capital letters. The structure is checked, not whether a substance has the code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::{Structure, codes_under};
use super::{Facts, Form, Kind};
use crate::hierarchy::{Ancestor, HierarchyError};

/// Which codes are values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AtcCodes {
    /// Substances: seven characters.
    Full,
    /// Codes of any of the five levels.
    AnyLevel,
}

/// Medicines: substance, chemical, pharmacological and therapeutic subgroup, main group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Atc {
    /// Which codes are values.
    pub atc: AtcCodes,
}

pub(super) const KIND: Kind = Kind::of::<Atc>(&[], Facts { listed: true, days: false });

impl Form for Atc {
    const NAME: &'static str = "atc";
    type Structure = AtcRule;

    fn structure(&self) -> Result<AtcRule, HierarchyError> {
        Ok(AtcRule { codes: self.atc })
    }
}

/// The letters of the main groups.
const GROUPS: &str = "ABCDGHJLMNPRSV";
/// The characters of each of the classification's levels.
const LENGTHS: [usize; 5] = [1, 3, 4, 5, 7];

/// Codes of ATC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtcRule {
    codes: AtcCodes,
}

impl AtcRule {
    fn ends(&self) -> &'static [usize] {
        match self.codes {
            AtcCodes::Full => &LENGTHS[4..],
            AtcCodes::AnyLevel => &LENGTHS,
        }
    }

    fn under(&self, length: usize) -> u64 {
        let alphabet = |place| if is_letter(place) { 26 } else { 10 };
        codes_under(length, self.ends(), alphabet).expect("less than 10^7 codes a main group")
    }
}

/// Whether a character can stand at its place.
fn fits((place, byte): (usize, u8)) -> bool {
    match is_letter(place) {
        true => byte.is_ascii_uppercase(),
        false => byte.is_ascii_digit(),
    }
}

fn is_letter(place: usize) -> bool {
    matches!(place, 0 | 3 | 4)
}

impl Structure for AtcRule {
    fn top(&self) -> u8 {
        LENGTHS.len() as u8
    }

    fn domain(&self) -> u64 {
        GROUPS.len() as u64 * self.under(1)
    }

    fn read(&self, value: &str) -> Option<String> {
        let code = value.to_ascii_uppercase();
        let group = code.chars().next().is_some_and(|letter| GROUPS.contains(letter));
        let formed = self.ends().contains(&code.len()) && code.bytes().enumerate().all(fits);
        (group && formed).then_some(code)
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let length = *LENGTHS.iter().rev().nth(usize::from(level))?;
        let label = leaf.get(..length.min(leaf.len()))?.to_owned();
        Some(Ancestor { label, leaves: if leaf.len() < length { 1 } else { self.under(length) } })
    }

    fn expectation(&self) -> String {
        let lengths = match self.codes {
            AtcCodes::Full => "7 characters (for groups too: atc = \"any-level\")",
            AtcCodes::AnyLevel => "1, 3, 4, 5 or 7 characters",
        };
        format!("an ATC code of {lengths}, such as A10BA02, of one of the main groups {GROUPS}")
    }

    fn shown(&self, level: u8) -> Option<String> {
        let groups = ["chemical subgroup", "pharmacological subgroup", "therapeutic subgroup", "main group"];
        groups.get(usize::from(level.checked_sub(1)?)).map(|group| (*group).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(atc: AtcCodes) -> AtcRule {
        Atc { atc }.structure().unwrap()
    }

    #[test]
    fn substances_climb_to_their_main_group() {
        let rule = of(AtcCodes::Full);
        let over = |level| rule.ancestor("A10BA02", level).unwrap();
        assert_eq!([1, 2, 3, 4].map(|level| over(level).label), ["A10BA", "A10B", "A10", "A"]);
        assert_eq!([1, 2, 3, 4].map(|level| over(level).leaves), [100, 2600, 67_600, 6_760_000]);
        assert_eq!((rule.ancestor("A10BA02", 5), rule.domain()), (None, 14 * 6_760_000));
    }

    #[test]
    fn shorter_codes_are_values_where_that_is_asked_for() {
        let rule = of(AtcCodes::AnyLevel);
        assert_eq!(rule.read("a10b").as_deref(), Some("A10B"));
        assert_eq!(rule.ancestor("A10B", 1), Some(Ancestor { label: "A10B".into(), leaves: 1 }));
        assert_eq!(rule.ancestor("A10B", 2), Some(Ancestor { label: "A10B".into(), leaves: 1 + 26 * 101 }));
        assert_eq!(of(AtcCodes::Full).read("A10B"), None);
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let rule = of(AtcCodes::AnyLevel);
        for wrong in ["", "E10BA02", "A1", "A10BA0", "AA0BA02", "A1OBA02", "A10BA021", "A10B1", "Ä10BA02"] {
            assert_eq!(rule.read(wrong), None, "{wrong}");
        }
    }
}

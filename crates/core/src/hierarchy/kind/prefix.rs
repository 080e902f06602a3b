//! Codes with a prefix structure: administrative areas, statistical regions.
//!
//! # Summary
//! Each level cuts a code to fewer characters: Korean administrative codes 10 → 8 → 5 → 2, FIPS 5 → 2, NUTS
//! 5 → 4 → 3.
//!
//! # Definition
//! Codes have as many characters as the last of `lengths`, or, with `shorter`, as many as any of them. With an
//! alphabet of a characters, a prefix of l characters covers a^(n − l) codes of n; all lengths n add up.
//!
//! # Parameters
//! `lengths`, ascending; `alphabet`, 10 for digits or 36 for digits and letters; `shorter`.
//!
//! # Errors
//! Lengths that do not ascend from 1, another alphabet, more than 2⁶³ codes.
//!
//! # Complexity
//! A label in O(levels).
//!
//! # References
//! None; the levels are those of whoever gives the codes.
//!
//! # Deviations
//! Letters are released as capitals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::{Structure, codes_under};
use super::{Facts, Form, Kind};
use crate::error::Problem;
use crate::hierarchy::bound::digits;
use crate::hierarchy::{Ancestor, HierarchyError};

/// Codes that begin with the codes above them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prefix {
    /// The lengths of the levels, ascending; the last is the whole code's.
    pub prefix: Vec<usize>,
    /// 10 for digits, 36 with letters.
    #[serde(default = "digits")]
    pub alphabet: u64,
    /// Whether codes of the other lengths are values too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shorter: bool,
}

pub(super) const KIND: Kind =
    Kind::of::<Prefix>(&["alphabet", "shorter"], Facts { listed: false, days: false });

impl Form for Prefix {
    const NAME: &'static str = "prefix";
    type Structure = PrefixRule;

    fn structure(&self) -> Result<PrefixRule, HierarchyError> {
        PrefixRule::new(self.prefix.clone(), self.alphabet, self.shorter)
    }
}

/// The structure of such codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixRule {
    lengths: Vec<usize>,
    alphabet: u64,
    shorter: bool,
}

impl PrefixRule {
    /// Codes that are cut to each of the lengths in turn, the longest last.
    fn new(lengths: Vec<usize>, alphabet: u64, shorter: bool) -> Result<Self, HierarchyError> {
        let refuse = |keys: &[&str], text: &str| Err(HierarchyError::Parameters(Problem::of(keys, text)));
        let ascend = lengths.windows(2).all(|pair| pair[0] < pair[1]);
        if lengths.is_empty() || lengths[0] == 0 || !ascend || lengths.len() > 254 {
            return refuse(
                &["prefix"],
                "`prefix` lists the lengths of a code from the most general: [2, 5, 8, 10]",
            );
        }
        if ![10, 36].contains(&alphabet) {
            return refuse(
                &["alphabet", "prefix"],
                "the `alphabet` of a prefix is 10, digits, or 36, digits and letters",
            );
        }
        let rule = Self { lengths, alphabet, shorter };
        if codes_under(0, rule.ends(), |_| alphabet).is_none() {
            let problem = Problem::of(&["prefix"], "the codes of a prefix must not be more than 2^63");
            return Err(HierarchyError::Parameters(problem.mend("shorten the longest length")));
        }
        Ok(rule)
    }

    fn ends(&self) -> &[usize] {
        &self.lengths[if self.shorter { 0 } else { self.lengths.len() - 1 }..]
    }

    fn under(&self, length: usize) -> u64 {
        codes_under(length, self.ends(), |_| self.alphabet)
            .expect("fewer than the whole domain, which is checked")
    }
}

impl Structure for PrefixRule {
    fn top(&self) -> u8 {
        self.lengths.len() as u8
    }

    fn domain(&self) -> u64 {
        self.under(0)
    }

    fn read(&self, value: &str) -> Option<String> {
        let code = value.to_ascii_uppercase();
        let known = |byte: u8| byte.is_ascii_digit() || (self.alphabet == 36 && byte.is_ascii_uppercase());
        (self.ends().contains(&code.len()) && code.bytes().all(known)).then_some(code)
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let length = *self.lengths.iter().rev().nth(usize::from(level))?;
        let label = leaf.get(..length.min(leaf.len()))?.to_owned();
        Some(Ancestor { label, leaves: if leaf.len() < length { 1 } else { self.under(length) } })
    }

    fn expectation(&self) -> String {
        let lengths: Vec<String> = self.ends().iter().map(ToString::to_string).collect();
        let characters = if self.alphabet == 10 { "digits" } else { "digits and letters" };
        format!("a code of {} {characters}", lengths.join(" or "))
    }

    fn shown(&self, level: u8) -> Option<String> {
        let length = self.lengths.iter().rev().nth(usize::from(level))?;
        Some(format!("first {length} characters"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_cut_to_the_lengths() {
        let rule = PrefixRule::new(vec![2, 5, 8, 10], 10, false).unwrap();
        let over = |level| rule.ancestor("1168010100", level).unwrap();
        assert_eq!([1, 2, 3].map(|level| over(level).label), ["11680101", "11680", "11"]);
        assert_eq!([1, 2, 3].map(|level| over(level).leaves), [100, 100_000, 100_000_000]);
        assert_eq!((rule.top(), rule.domain(), rule.ancestor("1168010100", 4)), (4, 10_000_000_000, None));
        assert_eq!((rule.read("11680"), rule.read("116801010a")), (None, None));
    }

    #[test]
    fn shorter_codes_count_beside_longer_ones() {
        let rule = PrefixRule::new(vec![3, 4, 5], 36, true).unwrap();
        assert_eq!(rule.read("de2").as_deref(), Some("DE2"));
        assert_eq!(rule.ancestor("DE2", 2).unwrap().leaves, 1 + 36 + 36 * 36);
        assert_eq!(rule.ancestor("DE2", 1), Some(Ancestor { label: "DE2".into(), leaves: 1 }));
    }

    #[test]
    fn contradictions_are_refused() {
        for lengths in [vec![], vec![0, 2], vec![5, 2], vec![2, 2]] {
            assert!(PrefixRule::new(lengths, 10, false).is_err());
        }
        assert!(PrefixRule::new(vec![2], 8, false).is_err());
        assert!(PrefixRule::new(vec![2, 40], 36, false).is_err());
    }
}

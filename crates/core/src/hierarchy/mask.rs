//! Characters masked from one side: postcodes, codes with a prefix structure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ancestor, HierarchyError};
use crate::error::Problem;

/// A side of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Side {
    Right,
    Left,
}

/// Codes of one length over an alphabet; each level masks more characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskRule {
    side: Side,
    length: usize,
    alphabet: u64,
    masked: Vec<usize>,
}

impl MaskRule {
    /// Codes of `length` characters out of `alphabet`; `masked` says how many are hidden at each
    /// level above 0 and ends with all of them.
    ///
    /// # Errors
    /// [`HierarchyError::Parameters`] if the levels do not ascend to `length` or the domain exceeds 2⁶³.
    pub fn new(side: Side, length: usize, alphabet: u64, masked: Vec<usize>) -> Result<Self, HierarchyError> {
        let refuse = |text: &str| Err(HierarchyError::Parameters(Problem::of(&["mask"], text)));
        if length > 254 {
            return refuse("a mask covers at most 254 characters");
        }
        if length == 0 || alphabet < 2 {
            return refuse("a mask needs a length of at least 1 and an alphabet of at least 2");
        }
        if masked.first().is_none_or(|&m| m == 0) || masked.windows(2).any(|w| w[0] >= w[1]) {
            return refuse("the levels of a mask are numbers of masked characters and must ascend from 1");
        }
        if masked.last() != Some(&length) {
            return refuse("the last level of a mask must hide all characters");
        }
        if alphabet.checked_pow(length as u32).is_none_or(|d| d > 1 << 63) {
            return refuse("the domain of a mask, alphabet^length, must not exceed 2^63");
        }
        Ok(Self { side, length, alphabet, masked })
    }

    pub(super) fn top(&self) -> u8 {
        self.masked.len() as u8
    }

    pub(super) fn domain(&self) -> u64 {
        self.alphabet.pow(self.length as u32)
    }

    pub(super) fn contains(&self, value: &str) -> bool {
        value.chars().count() == self.length
            && (self.alphabet > 10 || value.bytes().all(|b| b.is_ascii_digit()))
    }

    pub(super) fn expectation(&self) -> String {
        match self.alphabet {
            0..=10 => format!("exactly {} digits (for letters, give `alphabet = 36`)", self.length),
            _ => format!("exactly {} characters", self.length),
        }
    }

    /// The masked form at a level above 0; `None` at the top.
    pub(super) fn ancestor(&self, value: &str, level: u8) -> Option<Ancestor> {
        let hidden = *self.masked.get(usize::from(level) - 1)?;
        if hidden == self.length {
            return None;
        }
        let shown = self.length - hidden;
        let stars = "*".repeat(hidden);
        let label = match self.side {
            Side::Right => value.chars().take(shown).chain(stars.chars()).collect(),
            Side::Left => stars.chars().chain(value.chars().skip(hidden)).collect(),
        };
        Some(Ancestor { label, leaves: self.alphabet.pow(hidden as u32) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_from_either_side() {
        let right = MaskRule::new(Side::Right, 5, 10, vec![2, 5]).unwrap();
        assert_eq!(right.ancestor("13053", 1).unwrap(), Ancestor { label: "130**".into(), leaves: 100 });
        assert!(right.ancestor("13053", 2).is_none());
        let left = MaskRule::new(Side::Left, 3, 36, vec![1, 3]).unwrap();
        assert_eq!(left.ancestor("A1é", 1).unwrap().label, "*1é");
        assert_eq!((right.domain(), left.contains("AB")), (100_000, false));
    }

    #[test]
    fn contradictions_are_refused() {
        for masked in [vec![], vec![0, 5], vec![3, 2, 5], vec![1, 2]] {
            assert!(MaskRule::new(Side::Right, 5, 10, masked).is_err());
        }
        assert!(MaskRule::new(Side::Right, 40, 10, vec![40]).is_err());
    }
}

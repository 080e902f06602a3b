//! Diagnoses coded in ICD-10: code → shorter codes → category → block → chapter → `*`.
//!
//! # Summary
//! The structure of the classification, not a list of its codes: what a category covers is how many codes can
//! be formed under it.
//!
//! # Definition
//! A category is a letter and two digits (in CM the last can be one of the classification's letters) in one of
//! the classification's blocks. A code is a category with up to four more characters: digits for WHO, digits
//! and letters (the placeholder `X` among them) for CM. A code can end after any of them from the category on.
//! With a alphabet and longest code of n characters, a prefix of l characters covers Σ_{e=l..n} a^(e−l) codes.
//!
//! # Parameters
//! The edition; `longest`, the most characters of a code; `lengths`, to how many characters the levels below
//! the block cut a code.
//!
//! # Errors
//! Lengths that do not descend to 3. A code that the structure has no place for is not of the domain.
//!
//! # Complexity
//! A label in O(blocks); nothing is listed.
//!
//! # References
//! [@who2019icd10], [@nchs2025icd10cm]
//!
//! # Deviations
//! Codes are released with dot and in capital letters, however they are written in the input. A code that is
//! shorter than a level cuts stays as it is at that level. Suffixes for daggers, asterisks and certainty are
//! refused: the classification's code ends before them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::icd10_blocks::{Block, CM_BLOCKS, LETTERED, WHO_BLOCKS, block_of};
use super::structure::{Structure, codes_under};
use super::{Facts, Form, Kind};
use crate::error::Problem;
use crate::hierarchy::{Ancestor, HierarchyError};

/// Whose ICD-10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edition {
    /// The World Health Organization's, and national ones that add digits to it.
    Who,
    /// The clinical modification of the United States.
    Cm,
}

/// Diagnoses: code, category, block, chapter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Icd10 {
    /// Whose ICD-10.
    #[serde(rename = "icd-10")]
    pub icd_10: Edition,
    /// The most characters of a code, without the dot; left out: 4 for WHO, 7 for CM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<usize>,
    /// To how many characters the levels below the block cut codes; left out: one less each, down to 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Vec<usize>>,
}

pub(super) const KIND: Kind = Kind::of::<Icd10>(&["longest", "lengths"], Facts { listed: true, days: false });

impl Form for Icd10 {
    const NAME: &'static str = "icd-10";
    type Structure = Icd10Rule;

    fn structure(&self) -> Result<Icd10Rule, HierarchyError> {
        Icd10Rule::new(self.icd_10, self.longest, self.lengths.clone())
    }
}

/// The characters of a category.
const CATEGORY: usize = 3;

/// Codes of ICD-10.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icd10Rule {
    edition: Edition,
    /// The lengths at which a code can end.
    ends: Vec<usize>,
    /// The lengths of the levels, descending.
    lengths: Vec<usize>,
}

impl Edition {
    /// The most characters of a code where none is given.
    fn longest(self) -> usize {
        match self {
            Self::Who => 4,
            Self::Cm => 7,
        }
    }

    fn blocks(self) -> (&'static [Block], &'static [(&'static str, &'static str)]) {
        match self {
            Self::Who => (&WHO_BLOCKS, &[]),
            Self::Cm => (&CM_BLOCKS, &LETTERED),
        }
    }

    fn alphabet(self) -> u64 {
        match self {
            Self::Who => 10,
            Self::Cm => 36,
        }
    }
}

impl Icd10Rule {
    /// Codes of at most `longest` characters, cut to `lengths` at the levels above them.
    fn new(
        edition: Edition,
        longest: Option<usize>,
        lengths: Option<Vec<usize>>,
    ) -> Result<Self, HierarchyError> {
        let refuse = |keys: &[&str], text: String| Err(HierarchyError::Parameters(Problem::of(keys, text)));
        let longest = longest.unwrap_or_else(|| edition.longest());
        if !(CATEGORY..=7).contains(&longest) {
            return refuse(
                &["longest"],
                "`longest` of ICD-10 is from 3, categories only, to 7 characters".into(),
            );
        }
        let lengths = lengths.unwrap_or_else(|| (CATEGORY..longest).rev().collect());
        let descend = lengths.windows(2).all(|pair| pair[0] > pair[1]);
        let ends = lengths.last().is_none_or(|&last| last == CATEGORY) || longest == CATEGORY;
        if !descend || !ends || lengths.first().is_some_and(|&first| first >= longest) {
            return refuse(
                &["lengths", "longest"],
                format!(
                    "`lengths` of ICD-10 are what levels cut codes to: they descend from below `longest` ({longest}) to 3, \
                 for example lengths = [4, 3]"
                ),
            );
        }
        Ok(Self { edition, ends: (CATEGORY..=longest).collect(), lengths })
    }

    fn under(&self, length: usize) -> u64 {
        codes_under(length, &self.ends, |_| self.edition.alphabet()).expect("at most 36^4 codes a category")
    }

    fn block(&self, category: &str) -> Option<&'static Block> {
        let (blocks, lettered) = self.edition.blocks();
        block_of(blocks, lettered, category)
    }

    fn categories(&self, of: impl Fn(&Block) -> bool) -> u64 {
        self.edition.blocks().0.iter().filter(|block| of(block)).map(Block::categories).sum()
    }
}

/// `E119` → `E11.9`.
fn dotted(code: &str) -> String {
    if code.len() <= CATEGORY { code.into() } else { format!("{}.{}", &code[..CATEGORY], &code[CATEGORY..]) }
}

/// `E11.9` → `E119`; a dot elsewhere than after a category with more behind it stays, and is no code.
fn plain(value: &str) -> String {
    let upper = value.to_ascii_uppercase();
    match upper.split_once('.') {
        Some((category, rest)) if category.len() == CATEGORY && !rest.is_empty() => {
            format!("{category}{rest}")
        }
        _ => upper,
    }
}

/// The categories of accidents and violence, births, perinatal states, and deaths of unknown cause.
const PUBLIC_EVENTS: [(&str, &str); 4] = [("V00", "Y98"), ("Z37", "Z38"), ("P00", "P96"), ("R95", "R99")];

/// Whether a code is that of an event that newspapers report.
#[must_use]
pub fn is_public_event(code: &str) -> bool {
    let code = plain(code);
    let Some(category) = code.get(..CATEGORY) else { return false };
    PUBLIC_EVENTS.iter().any(|(first, last)| (*first..=*last).contains(&category))
}

impl Structure for Icd10Rule {
    fn top(&self) -> u8 {
        self.lengths.len() as u8 + 3
    }

    fn domain(&self) -> u64 {
        self.categories(|_| true) * self.under(CATEGORY)
    }

    fn read(&self, value: &str) -> Option<String> {
        let code = plain(value);
        let known =
            |byte: u8| byte.is_ascii_digit() || (self.edition == Edition::Cm && byte.is_ascii_uppercase());
        let formed = code.is_ascii() && self.ends.contains(&code.len());
        let valid =
            formed && code.bytes().skip(CATEGORY).all(known) && self.block(&code[..CATEGORY]).is_some();
        valid.then(|| dotted(&code))
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let code = plain(leaf);
        let level = usize::from(level) - 1;
        if let Some(&length) = self.lengths.get(level) {
            let leaves = if code.len() < length { 1 } else { self.under(length) };
            return Some(Ancestor { label: dotted(&code[..length.min(code.len())]), leaves });
        }
        let block = self.block(code.get(..CATEGORY)?)?;
        let (label, categories) = match level - self.lengths.len() {
            0 => (block.label, block.categories()),
            1 => (block.chapter, self.categories(|other| other.chapter == block.chapter)),
            _ => return None,
        };
        Some(Ancestor { label: label.into(), leaves: categories * self.under(CATEGORY) })
    }

    fn expectation(&self) -> String {
        let longest = self.ends.last().copied().unwrap_or(CATEGORY);
        match self.edition {
            Edition::Who => format!(
                "an ICD-10 code of a category in one of the WHO's blocks, with up to {longest} letters and digits, such as \
                 I10 or E11.9 (national codes with more digits: `longest`)"
            ),
            Edition::Cm => format!(
                "an ICD-10-CM code of a category in one of its blocks, with up to {longest} letters and digits, such as \
                 I10 or S72.001A"
            ),
        }
    }

    fn public_events(&self) -> Option<fn(&str) -> bool> {
        Some(is_public_event)
    }

    fn shown(&self, level: u8) -> Option<String> {
        match self.top().checked_sub(level)? {
            1 => Some("chapter of the ICD-10".to_owned()),
            2 => Some("block of the ICD-10".to_owned()),
            _ => {
                let length = self.lengths.get(usize::from(level.checked_sub(1)?))?;
                Some(format!("first {length} characters of the code"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_and_births_are_public() {
        let public = ["V01", "V00.0", "w19.xxxa", "X85", "Y98", "Z37.0", "Z38", "P07.3", "R99"];
        assert!(public.iter().all(|code| is_public_event(code)));
        assert!(
            !["U99", "Y99", "Z36", "Z39", "O99", "P97", "R94", "I10", "E11.9", "V0"]
                .iter()
                .any(|code| is_public_event(code))
        );
    }

    fn labels(rule: &Icd10Rule, code: &str) -> Vec<String> {
        let leaf = rule.read(code).unwrap();
        (1..rule.top()).map(|level| rule.ancestor(&leaf, level).unwrap().label).collect()
    }

    #[test]
    fn codes_climb_to_their_chapter() {
        let who = Icd10Rule::new(Edition::Who, None, None).unwrap();
        assert_eq!(labels(&who, "e119"), ["E11", "E10-E14", "E00-E90"]);
        assert_eq!(labels(&who, "I10"), ["I10", "I10-I15", "I00-I99"]);
        assert_eq!(who.read("e11.9").as_deref(), Some("E11.9"));
        let cm = Icd10Rule::new(Edition::Cm, None, None).unwrap();
        assert_eq!(labels(&cm, "S72001A"), ["S72.001", "S72.00", "S72.0", "S72", "S70-S79", "S00-T88"]);
        assert_eq!(labels(&cm, "T40.1X1A")[..2], ["T40.1X1", "T40.1X"]);
        let short = Icd10Rule::new(Edition::Cm, None, Some(vec![3])).unwrap();
        assert_eq!(labels(&short, "C4A.9"), ["C4A", "C43-C44", "C00-D49"]);
        let categories = Icd10Rule::new(Edition::Who, Some(3), None).unwrap();
        assert_eq!(labels(&categories, "E11"), ["E10-E14", "E00-E90"]);
    }

    #[test]
    fn leaves_are_the_codes_that_can_be_formed() {
        let who = Icd10Rule::new(Edition::Who, None, None).unwrap();
        let leaves = |level| who.ancestor("E11.9", level).unwrap().leaves;
        assert_eq!([leaves(1), leaves(2)], [11, 55]);
        // E00–E07, E10–E14, E15–E16, E20–E35, E40–E46, E50–E64, E65–E68, E70–E90.
        assert_eq!(leaves(3), 11 * (8 + 5 + 2 + 16 + 7 + 15 + 4 + 21));
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let who = Icd10Rule::new(Edition::Who, None, None).unwrap();
        for wrong in
            ["", "E", "E1", "E11.", "E1.19", "E11.99", "E11.X", "E09", "É11", "11E", "E11.9*", " E11", "E..9"]
        {
            assert_eq!(who.read(wrong), None, "{wrong}");
        }
        assert!(Icd10Rule::new(Edition::Who, Some(8), None).is_err());
        assert!(Icd10Rule::new(Edition::Cm, None, Some(vec![5, 4])).is_err());
        assert!(Icd10Rule::new(Edition::Cm, None, Some(vec![7, 3])).is_err());
    }
}

//! Labels of ICD-10: codes, blocks and chapters.

#![allow(clippy::arithmetic_side_effects, reason = "numbers count what a definition lists")]

use std::sync::LazyLock;

use serde_json::{Map, Value};
use velamen_core::hierarchy::icd10_blocks::{CM, LETTERED, WHO};

use super::{Code, Entry, Labels, Place, lengths, whole};

pub(super) const ENTRY: Entry = Entry { name: "icd-10", read };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edition {
    Who,
    Cm,
}

#[derive(Debug)]
struct Icd10 {
    edition: Edition,
    longest: usize,
    lengths: Vec<usize>,
}

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    let edition = match fields.get("icd-10")?.as_str()? {
        "who" => Edition::Who,
        "cm" => Edition::Cm,
        _ => return None,
    };
    let longest = whole(fields, "longest").unwrap_or(if edition == Edition::Cm { 7 } else { 4 });
    let lengths = lengths(fields, "lengths").unwrap_or_else(|| (3..longest).rev().collect());
    Some(Box::new(Icd10 { edition, longest, lengths }))
}

impl Labels for Icd10 {
    fn places(&self, label: &str) -> Vec<Place> {
        icd10(self.edition, self.longest, &self.lengths, label)
    }

    fn leaves(&self) -> f64 {
        let categories: f64 = blocks(self.edition).iter().map(|block| block.2).sum();
        categories * per_category(self.edition, self.longest)
    }

    fn top(&self) -> usize {
        self.lengths.len() + 3
    }
}

/// A chapter, a block of it, and how many categories that has.
type Block = (&'static str, &'static str, f64);

static WHO_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| counted(Edition::Who));

static CM_BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| counted(Edition::Cm));

fn blocks(edition: Edition) -> &'static [Block] {
    if edition == Edition::Cm { &CM_BLOCKS } else { &WHO_BLOCKS }
}

fn counted(edition: Edition) -> Vec<Block> {
    let chapters = if edition == Edition::Who { &WHO } else { &CM };
    let of = |&(chapter, blocks): &(&'static str, &'static str)| {
        blocks.split(' ').map(move |block| (chapter, block, categories(edition, block)))
    };
    chapters.iter().flat_map(of).collect()
}

/// The categories of a block: those of two digits between its ends, and those with a letter.
fn categories(edition: Edition, block: &str) -> f64 {
    let letters =
        || (b'A'..=b'Z').flat_map(|letter| (0..100).map(move |n| format!("{}{n:02}", letter as char)));
    let numbered = letters().filter(|category| numbered_in(block, category)).count();
    let lettered = LETTERED.iter().filter(|entry| edition == Edition::Cm && entry.1 == block).count();
    (numbered + lettered) as f64
}

/// Capital letters come after digits, in ASCII as in the classification.
fn numbered_in(block: &str, category: &str) -> bool {
    block.split_once('-').is_some_and(|(first, last)| first <= category && category <= last)
}

fn per_category(edition: Edition, longest: usize) -> f64 {
    let alphabet: f64 = if edition == Edition::Who { 10. } else { 36. };
    (0..=longest.saturating_sub(3)).map(|more| alphabet.powf(more as f64)).sum()
}

fn icd10(edition: Edition, longest: usize, lengths: &[usize], label: &str) -> Vec<Place> {
    if label.contains('-') {
        return ranges(edition, longest, lengths.len(), label);
    }
    let code: String =
        label.chars().enumerate().filter(|(at, c)| (*at, *c) != (3, '.')).map(|(_, c)| c).collect();
    let dotted = label.chars().nth(3) == Some('.');
    let formed = |c: char| c.is_ascii_digit() || (edition == Edition::Cm && c.is_ascii_uppercase());
    let known = code.is_ascii() && (3..=longest).contains(&code.len()) && dotted == (code.len() > 3);
    let category = code.get(..3).is_some_and(|category| is_category(edition, category));
    if !known || !code.chars().skip(3).all(formed) || !category {
        return Vec::new();
    }
    let alphabet: fn(usize) -> f64 = if edition == Edition::Who { |_| 10. } else { |_| 36. };
    let all: Vec<usize> = std::iter::once(longest).chain(lengths.iter().copied()).collect();
    Code { ends: (3..=longest).collect(), alphabet }.places(code.len(), &all)
}

fn is_category(edition: Edition, category: &str) -> bool {
    let lettered = edition == Edition::Cm && LETTERED.iter().any(|(known, _)| *known == category);
    let numbered = category.chars().skip(1).all(|c| c.is_ascii_digit());
    lettered || (numbered && blocks(edition).iter().any(|block| numbered_in(block.1, category)))
}

/// Blocks stand above the lengths, chapters above the blocks.
fn ranges(edition: Edition, longest: usize, lengths: usize, label: &str) -> Vec<Place> {
    let of = |here: &dyn Fn(&&Block) -> bool| -> f64 {
        blocks(edition).iter().filter(here).map(|block| block.2).sum()
    };
    let counts = [of(&|block| block.1 == label), of(&|block| block.0 == label)];
    let leaves = counts.map(|categories| categories * per_category(edition, longest));
    (lengths + 1..).zip(leaves).filter(|place| place.1 > 0.).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};
    use super::*;

    #[test]
    fn codes_stand_where_their_length_says() {
        let who = r#"{"icd-10":"who"}"#;
        assert_eq!(of(who, "E11.9"), [(0, 1.)]);
        assert_eq!(of(who, "I10"), [(0, 1.), (1, 11.)]);
        assert_eq!(of(who, "E10-E14"), [(2, 55.)]);
        assert_eq!(of(who, "U00-U99"), [(3, 54. * 11.)]);
        for foreign in ["E119", "E11.", "E09", "E11.99", "E10-E15", "e11", "E1", "", "E11-9", "É11"] {
            assert_eq!(of(who, foreign), [], "{foreign}");
        }
    }

    #[test]
    fn letters_are_of_the_clinical_modification() {
        let (who, cm) = (r#"{"icd-10":"who"}"#, r#"{"icd-10":"cm"}"#);
        assert_eq!([of(who, "E11.A"), of(who, "C4A")], [[], []]);
        assert_eq!(of(cm, "E11.A1234"), [], "too long");
        assert_eq!(of(cm, "E11.A123"), [(0, 1.)]);
        // C4A and up to four more of 36.
        let under = 1. + 36. + 36f64.powi(2) + 36f64.powi(3) + 36f64.powi(4);
        assert_eq!(of(cm, "C4A").last(), Some(&(4, under)));
        for foreign in ["E11.a", "E11.é", "Q0A", "C4B", "X"] {
            assert_eq!(of(cm, foreign), [], "{foreign}");
        }
    }

    #[test]
    fn a_block_has_its_lettered_categories_in_the_clinical_modification_alone() {
        // C43, C44 and, in one edition, C4A; C7A is a block of its own. A category has itself and a code for each fourth character.
        let codes = |edition: &str| format!(r#"{{"icd-10":"{edition}","longest":4,"lengths":[3]}}"#);
        let (who, cm) = (codes("who"), codes("cm"));
        assert_eq!([of(&who, "C43-C44"), of(&cm, "C43-C44")], [[(2, 2. * 11.)], [(2, 3. * 37.)]]);
        assert_eq!([of(&who, "C7A-C7A"), of(&cm, "C7A-C7A")], [vec![], vec![(2, 37.)]]);
        // A00 to A09, in both.
        assert_eq!([of(&who, "A00-A09"), of(&cm, "A00-A09")], [[(2, 10. * 11.)], [(2, 10. * 37.)]]);
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_codes() {
        // So many categories, each with ten codes of four characters and itself.
        let chapters = |edition: Edition| -> f64 { blocks(edition).iter().map(|block| block.2).sum() };
        assert_eq!(extent(r#"{"icd-10":"who"}"#), (chapters(Edition::Who) * 11., 4));
        assert_eq!(extent(r#"{"icd-10":"who","longest":5}"#), (chapters(Edition::Who) * 111., 5));
        let per_category = 1. + 36. + 36. * 36. + 36f64.powi(3) + 36f64.powi(4);
        assert_eq!(extent(r#"{"icd-10":"cm"}"#), (chapters(Edition::Cm) * per_category, 7));
        assert_eq!(extent(r#"{"icd-10":"cm","lengths":[3]}"#), (chapters(Edition::Cm) * per_category, 4));
    }
}

//! Values that differ in spelling alone count as one.
//!
//! # Definition
//! Two values are one if they are equal in Unicode's compatible composed form (NFKC), in small letters, with every run of white space
//! as one blank, without outer ones, and without characters that nobody sees. The release shows them as recorded. The checker has a
//! reader of its own.
//!
//! # Complexity
//! O(values · length).

use std::hash::Hasher as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use unicode_normalization::UnicodeNormalization;

use super::people::Tally;
use super::{Class, ClassModel, Judge};

/// Characters that take no place: soft hyphen, zero-width ones, marks of direction, the byte order mark.
const UNSEEN: [char; 8] =
    ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}'];

/// A value without what spellings of it differ in.
fn spelled(value: &str) -> String {
    let seen: String = value.nfkc().filter(|character| !UNSEEN.contains(character)).collect();
    seen.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Equal for spellings of one value, and rarely for others; without a copy of plain ones, of which there can be many.
fn hash(value: &str) -> u64 {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_graphic());
    let mut hasher = FxHasher::default();
    match is_plain {
        true => value.bytes().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase())),
        false => spelled(value).bytes().for_each(|byte| hasher.write_u8(byte)),
    }
    hasher.finish()
}

/// By code the code of the value that stands for it: the first in the order of bytes of those that are one. `None` where each is a value
/// of its own.
pub(crate) fn one_for_each(values: &[String]) -> Option<Arc<[u32]>> {
    let mut hashes = FxHashSet::default();
    if values.iter().all(|value| hashes.insert(hash(value))) {
        return None;
    }
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&code| &values[code as usize]);
    let mut first: FxHashMap<String, u32> = FxHashMap::default();
    let mut one: Vec<u32> = (0..values.len() as u32).collect();
    for code in order {
        one[code as usize] = *first.entry(spelled(&values[code as usize])).or_insert(code);
    }
    (first.len() < values.len()).then(|| one.into())
}

/// The same people, each value counted with the one that stands for it.
pub(crate) fn together(tally: &Tally, one: &[u32]) -> Tally {
    let mut made = Tally {
        records: tally.records,
        counts: vec![0; tally.counts.len()],
        spread: vec![0.0; tally.spread.len()],
    };
    for (&code, count) in one.iter().zip(&tally.counts) {
        made.counts[code as usize] += count;
    }
    for (&code, share) in one.iter().zip(&tally.spread) {
        made.spread[code as usize] += share;
    }
    made
}

/// Pairs of people and values, ascending and distinct, with the value that stands for each.
pub(crate) fn pairs_together(pairs: &[(u32, u32)], one: &[u32]) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> =
        pairs.iter().map(|&(person, code)| (person, one[code as usize])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// A judge that sees one value where several are one.
pub(crate) fn judging(judge: Judge, one: Arc<[u32]>) -> Judge {
    match judge {
        Judge::Class(model) => Judge::Class(Arc::new(Spelled { model, one })),
        Judge::Table(model) => Judge::Table(model),
    }
}

#[derive(Debug)]
struct Spelled {
    model: Arc<dyn ClassModel>,
    one: Arc<[u32]>,
}

impl Spelled {
    fn with<T>(&self, class: &Class<'_>, ask: impl FnOnce(&Class<'_>) -> T) -> T {
        let pairs = pairs_together(class.pairs, &self.one);
        let mut sensitive: Vec<(u32, u64)> = Vec::new();
        if pairs.is_empty() {
            sensitive.extend(class.sensitive.iter().map(|&(code, count)| (self.one[code as usize], count)));
            sensitive.sort_unstable();
            sensitive.dedup_by(|next, kept| {
                let is_one = next.0 == kept.0;
                kept.1 += if is_one { next.1 } else { 0 };
                is_one
            });
        } else {
            super::people::had(&pairs, &mut sensitive);
        }
        ask(&Class { sensitive: &sensitive, pairs: &pairs, ..*class })
    }
}

impl ClassModel for Spelled {
    fn holds(&self, class: &Class<'_>) -> bool {
        self.with(class, |class| self.model.holds(class))
    }

    fn holds_of_values(&self, class: &Class<'_>) -> bool {
        self.with(class, |class| self.model.holds_of_values(class))
    }

    fn least_lost(&self, class: &Class<'_>) -> u64 {
        self.with(class, |class| self.model.least_lost(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Distribution, find};

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn spellings_are_one_and_words_are_not() {
        let values = texts(&[
            "HIV",
            "hiv",
            " HIV\u{a0}",
            "ｈｉｖ",
            "H\u{200b}IV",
            "HIV 2",
            "HIV  2",
            "\u{e9}",
            "e\u{301}",
        ]);
        let one = one_for_each(&values).unwrap();
        assert!(one[..5].iter().all(|code| *code == one[0]));
        assert_eq!((one[5] == one[6], one[5] == one[0], one[7] == one[8]), (true, false, true));
        assert!(one_for_each(&texts(&["A", "B", ""])).is_none());
    }

    #[test]
    fn a_class_of_spellings_is_not_diverse() {
        let values = texts(&["HIV", "hiv", "I10"]);
        let model = (find("distinct-l-diversity").unwrap().parse)(serde_json::json!({ "l": 2 })).unwrap();
        let counts = [4, 4, 4];
        let judge = model
            .bind(&Distribution { records: 12, values: &values, counts: &counts, ..Distribution::default() })
            .unwrap();
        let Judge::Class(judge) = judging(judge, one_for_each(&values).unwrap()) else {
            panic!("a class model")
        };
        assert!(!judge.holds(&Class::new(4, &[(0, 2), (1, 2)])));
        assert!(judge.holds(&Class::new(4, &[(0, 2), (2, 2)])));
        let of_people = |pairs: &[(u32, u32)]| judge.holds(&Class { pairs, ..Class::new(2, &[]) });
        assert!(!of_people(&[(1, 0), (1, 1), (2, 1)]));
        assert!(of_people(&[(1, 0), (1, 1), (2, 2)]));
    }
}

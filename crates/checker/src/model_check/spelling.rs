//! Values that differ in spelling alone count as one, whatever a release shows: compatible composed form (NFKC), small letters, one
//! blank for all white space between words, no character that nobody sees.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

/// Whether a character takes no place.
fn is_unseen(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn spelled(value: &str) -> String {
    let seen: String = value.nfkc().filter(|&character| !is_unseen(character)).collect();
    let words: Vec<String> = seen.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// By code the value that stands for it: of those that are one the first in the order of bytes.
pub(super) fn standing_for(values: &[String]) -> Vec<&str> {
    let mut least: BTreeMap<String, &str> = BTreeMap::new();
    let keys: Vec<String> = values.iter().map(|value| spelled(value)).collect();
    for (key, value) in keys.iter().zip(values) {
        let first = least.entry(key.clone()).or_insert(value);
        if value.as_str() < *first {
            *first = value;
        }
    }
    keys.iter().filter_map(|key| least.get(key).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_for_its_spellings() {
        let values: Vec<String> =
            ["i10", "I10\u{a0}", " I10", "I\u{ad}10", "I11"].map(str::to_owned).to_vec();
        assert_eq!(standing_for(&values), [" I10", " I10", " I10", " I10", "I11"]);
    }
}

//! Keys as they are written, without a string of its own for each: UUIDs as numbers, other texts one behind the other.

use std::borrow::Cow;

/// Texts one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

/// A column's keys by number, in the order in which they were met; the empty one stands there at most once.
///
/// Memory: 16 bytes for each key where all are UUIDs, else its text and 8 bytes.
#[derive(Debug)]
pub(crate) enum KeyTexts {
    /// UUIDs, and the number of the empty key.
    Uuids(Vec<u128>, Option<u32>),
    /// Anything else.
    Texts(Packed),
}

/// A column's texts by number.
#[derive(Debug)]
pub(crate) enum Values {
    /// Each a string.
    Each(Vec<String>),
    /// Keys.
    Keys(KeyTexts),
}

/// Where a UUID has its dashes.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// A UUID as it is written in small letters: any other spelling is another key.
pub(crate) fn uuid(text: &str) -> Option<u128> {
    let bytes: &[u8; 36] = text.as_bytes().try_into().ok()?;
    if DASHES.iter().any(|&place| bytes[place] != b'-') {
        return None;
    }
    let mut uuid = 0;
    for part in [0..8, 9..13, 14..18, 19..23, 24..36] {
        for byte in &bytes[part] {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return None,
            };
            uuid = (uuid << 4) | u128::from(digit);
        }
    }
    Some(uuid)
}

/// The text of a UUID.
pub(crate) fn shown(uuid: u128) -> String {
    let digits = format!("{uuid:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    parts.join("-")
}

impl Packed {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut packed = Self::default();
        texts.for_each(|text| packed.push(text));
        packed
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// A text by its place.
    pub(crate) fn get(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }
}

impl Default for KeyTexts {
    fn default() -> Self {
        Self::Uuids(Vec::new(), None)
    }
}

impl KeyTexts {
    /// The number of a key: that of the key before, if it is the same, else the next one.
    pub(crate) fn number(&mut self, key: &str) -> u32 {
        if let Self::Uuids(uuids, empty) = self {
            match uuid(key) {
                Some(uuid) => {
                    let last = uuids.len().wrapping_sub(1);
                    if uuids.last() != Some(&uuid) || *empty == Some(last as u32) {
                        uuids.push(uuid);
                    }
                }
                None if key.is_empty() => {
                    *empty = Some(uuids.len() as u32);
                    uuids.push(0);
                }
                None => *self = Self::Texts(self.packed()),
            }
        }
        if let Self::Texts(texts) = self
            && (key.is_empty() || texts.len() == 0 || texts.get(texts.len() - 1) != key)
        {
            texts.push(key);
        }
        self.len() as u32 - 1
    }

    fn len(&self) -> usize {
        match self {
            Self::Uuids(uuids, _) => uuids.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn text(&self, place: usize) -> Cow<'_, str> {
        match self {
            Self::Uuids(_, empty) if *empty == Some(place as u32) => Cow::Borrowed(""),
            Self::Uuids(uuids, _) => Cow::Owned(shown(uuids[place])),
            Self::Texts(texts) => Cow::Borrowed(texts.get(place)),
        }
    }

    /// The same as texts.
    fn packed(&self) -> Packed {
        let mut packed = Packed::default();
        (0..self.len()).for_each(|place| packed.push(&self.text(place)));
        packed
    }
}

impl Values {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Each(texts) => texts.len(),
            Self::Keys(keys) => keys.len(),
        }
    }

    /// A text by its number.
    pub(crate) fn text(&self, number: usize) -> Cow<'_, str> {
        match self {
            Self::Each(texts) => Cow::Borrowed(&texts[number]),
            Self::Keys(keys) => keys.text(number),
        }
    }

    /// All of them.
    pub(crate) fn into_strings(self) -> Vec<String> {
        match self {
            Self::Each(texts) => texts,
            Self::Keys(keys) => (0..keys.len()).map(|place| keys.text(place).into_owned()).collect(),
        }
    }

    /// Whether a text is empty.
    pub(crate) fn is_empty(&self, number: usize) -> bool {
        match self {
            Self::Each(texts) => texts[number].is_empty(),
            Self::Keys(KeyTexts::Uuids(_, empty)) => *empty == Some(number as u32),
            Self::Keys(KeyTexts::Texts(texts)) => texts.get(number).is_empty(),
        }
    }

    /// The UUID that a text is; `None` where it is none.
    pub(crate) fn uuid(&self, number: usize) -> Option<u128> {
        match self {
            Self::Each(texts) => uuid(&texts[number]),
            Self::Keys(KeyTexts::Uuids(uuids, empty)) => {
                (*empty != Some(number as u32)).then(|| uuids[number])
            }
            Self::Keys(KeyTexts::Texts(texts)) => uuid(texts.get(number)),
        }
    }

    /// Each as a string.
    pub(crate) fn into_each(self) -> Vec<String> {
        match self {
            Self::Each(texts) => texts,
            Self::Keys(keys) => (0..keys.len()).map(|place| keys.text(place).into_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "00000000-0000-0000-0000-000000000000";
    const TWO: &str = "ffffffff-0f2a-4b6c-8000-0123456789ab";

    fn numbered(keys: &[&str]) -> (Vec<u32>, KeyTexts) {
        let mut texts = KeyTexts::default();
        (keys.iter().map(|key| texts.number(key)).collect(), texts)
    }

    #[test]
    fn neighbours_share_a_key_and_nothing_else_does() {
        for keys in [["", ONE, ONE, TWO, ONE], ["", "a", "a", "b", "a"], ["", ONE, ONE, "a", ONE]] {
            let (numbers, texts) = numbered(&keys);
            assert_eq!(numbers, [0, 1, 1, 2, 3]);
            let values = Values::Keys(texts);
            let shown: Vec<String> = numbers.iter().map(|&n| values.text(n as usize).into_owned()).collect();
            assert_eq!(shown, keys);
            let places = 0..values.len();
            assert!(places.clone().all(|place| values.is_empty(place) == (place == 0)));
            assert!(places.clone().all(|place| values.uuid(place) == uuid(&values.text(place))));
            assert_eq!(values.into_each(), ["", keys[1], keys[3], keys[1]]);
        }
    }

    #[test]
    fn uuids_are_numbers_until_one_is_none() {
        let (_, uuids) = numbered(&[ONE, TWO]);
        assert!(matches!(uuids, KeyTexts::Uuids(..)));
        let (_, texts) = numbered(&[ONE, TWO, &TWO.to_uppercase()]);
        assert!(matches!(texts, KeyTexts::Texts(_)));
    }
}

//! Keys as they are written, without a string of its own for each.

use std::borrow::Cow;

use crate::filed::Filed;
use crate::uuid::uuid;

/// Texts one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

/// A column's texts by number.
#[derive(Debug)]
pub(crate) enum Values {
    /// Each a string.
    Each(Vec<String>),
    /// Keys of resources, by row.
    Filed(Filed),
}

impl Packed {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut packed = Self::default();
        texts.for_each(|text| packed.push(text));
        packed
    }

    pub(crate) fn push(&mut self, text: &str) {
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
}

impl Values {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Each(texts) => texts.len(),
            Self::Filed(keys) => keys.len(),
        }
    }

    /// A text by its number.
    pub(crate) fn text(&self, number: usize) -> Cow<'_, str> {
        match self {
            Self::Each(texts) => Cow::Borrowed(&texts[number]),
            Self::Filed(keys) => Cow::Owned(keys.text(number)),
        }
    }

    /// Each as a string.
    pub(crate) fn into_each(self) -> Vec<String> {
        match self {
            Self::Each(texts) => texts,
            Self::Filed(keys) => (0..keys.len()).map(|place| keys.text(place)).collect(),
        }
    }

    /// Whether a text is empty.
    pub(crate) fn is_empty(&self, number: usize) -> bool {
        match self {
            Self::Each(texts) => texts[number].is_empty(),
            Self::Filed(keys) => keys.is_empty(number),
        }
    }

    /// The UUID that a text is; `None` where it is none.
    pub(crate) fn uuid(&self, number: usize) -> Option<u128> {
        match self {
            Self::Each(texts) => uuid(&texts[number]),
            Self::Filed(keys) => keys.uuid(number),
        }
    }
}

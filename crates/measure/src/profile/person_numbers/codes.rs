//! Places of values by entry, lent where there are many.

use std::borrow::Cow;

/// Places of values, by entry. Tables of many millions of entries lend theirs.
#[derive(Debug, Clone)]
pub struct Codes<'a> {
    places: Cow<'a, [u32]>,
    /// Per entry, which of the places; in their order where it is not given.
    through: Option<&'a [u32]>,
}

impl<'a> Codes<'a> {
    /// One place an entry.
    #[must_use]
    pub fn of(places: impl Into<Cow<'a, [u32]>>) -> Self {
        Self { places: places.into(), through: None }
    }

    /// Per entry, which of the places.
    #[must_use]
    pub fn through(places: &'a [u32], index: &'a [u32]) -> Self {
        Self { places: Cow::Borrowed(places), through: Some(index) }
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.through.map_or(self.places.len(), <[u32]>::len)
    }

    /// The place of an entry's value.
    pub(super) fn at(&self, entry: usize) -> u32 {
        self.places[self.through.map_or(entry, |index| index[entry] as usize)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(|entry| self.at(entry))
    }

    /// The same entries, with these places for their places.
    pub(super) fn replaced(&self, by: &[u32]) -> Self {
        let places = self.places.iter().map(|&place| by[place as usize]).collect();
        Self { places: Cow::Owned(places), through: self.through }
    }

    /// The same without a copy.
    pub(super) fn lent(&self) -> Codes<'_> {
        Codes { places: Cow::Borrowed(&*self.places), through: self.through }
    }
}

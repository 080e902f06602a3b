//! Each person's values in the original.

use std::collections::BTreeMap;

use super::scene::{Sensitive, View};

/// The values of the people of an original, any of which is right.
pub(super) struct OwnValues<'v> {
    view: &'v View<'v>,
    attribute: &'v Sensitive,
    entries: BTreeMap<u32, Vec<u32>>,
}

impl<'v> OwnValues<'v> {
    pub(super) fn new(view: &'v View<'v>, attribute: &'v Sensitive) -> Self {
        Self { view, attribute, entries: view.people.entries() }
    }

    /// Those of an entry's person, each once, ascending.
    pub(super) fn of(&self, entry: u32) -> Vec<u32> {
        let people = &self.view.people;
        let value = |&entry: &u32| self.attribute.of[people.content[entry as usize] as usize];
        let own = people.whose.get(entry as usize).and_then(|who| self.entries.get(who));
        let mut values: Vec<u32> =
            own.map_or_else(|| vec![value(&entry)], |own| own.iter().map(value).collect());
        values.sort_unstable();
        values.dedup();
        values
    }
}

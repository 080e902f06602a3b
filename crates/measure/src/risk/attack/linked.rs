//! The people whom pseudonyms tell apart in a release, or its original does.

use std::collections::{BTreeMap, BTreeSet};

/// What a person has in a class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Has {
    /// The person; a counterfeit is one of its own.
    pub person: u32,
    /// The combination of values that are released as they are.
    pub content: u32,
    /// The share of such people that is real, as far as a catalog states it.
    pub real: f64,
}

/// Whose the released records are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Linked {
    /// What the people of each class have, each once.
    pub classes: Vec<Vec<Has>>,
    /// What those of the suppressed records have, where these show it.
    pub suppressed: Vec<Has>,
}

impl Linked {
    /// What people have in classes; the suppressed ones where there is none.
    pub(super) fn among<'l>(&'l self, classes: &'l [u32]) -> impl Iterator<Item = Has> + 'l {
        let suppressed = classes.is_empty().then_some(&self.suppressed).into_iter();
        let of_classes = classes.iter().map(|&class| &self.classes[class as usize]);
        of_classes.chain(suppressed).flatten().copied()
    }

    /// How many people have one of these contents there.
    pub(super) fn number(&self, classes: &[u32], is: impl Fn(u32) -> bool) -> u64 {
        let has = classes.iter().flat_map(|&class| &self.classes[class as usize]);
        let people: BTreeSet<u32> = has.filter(|has| is(has.content)).map(|has| has.person).collect();
        people.len() as u64
    }

    /// The same in other codes of contents; `None` where one of them has no other.
    #[must_use]
    pub fn in_codes(&self, other: &BTreeMap<u32, u32>) -> Option<Self> {
        let coded = |all: &Vec<Has>| -> Option<Vec<Has>> {
            all.iter().map(|has| Some(Has { content: *other.get(&has.content)?, ..*has })).collect()
        };
        let classes = self.classes.iter().map(coded).collect::<Option<_>>()?;
        Some(Self { classes, suppressed: coded(&self.suppressed)? })
    }
}

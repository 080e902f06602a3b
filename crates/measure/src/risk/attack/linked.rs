//! The people that pseudonyms tell apart in a release.

use std::collections::BTreeSet;

/// Whose the released records are, where pseudonyms tell it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Linked {
    /// Of each class the distinct pairs of a person and a content.
    pub classes: Vec<Vec<(u32, u32)>>,
    /// Those of the suppressed records.
    pub suppressed: Vec<(u32, u32)>,
}

impl Linked {
    /// The pairs of classes; the suppressed ones' where there is none.
    pub(super) fn among<'l>(&'l self, classes: &'l [u32]) -> impl Iterator<Item = (u32, u32)> + 'l {
        let suppressed = classes.is_empty().then_some(&self.suppressed).into_iter();
        let of_classes = classes.iter().map(|&class| &self.classes[class as usize]);
        of_classes.chain(suppressed).flatten().copied()
    }

    /// How many people have one of these contents there.
    pub(super) fn number(&self, classes: &[u32], is: impl Fn(u32) -> bool) -> u64 {
        let pairs = classes.iter().flat_map(|&class| &self.classes[class as usize]);
        let people: BTreeSet<u32> = pairs.filter(|pair| is(pair.1)).map(|pair| pair.0).collect();
        people.len() as u64
    }
}

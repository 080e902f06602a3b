//! Which released labels cover an original value, from the hierarchies that `release.json` states.

use std::collections::BTreeMap;

use velamen_core::hierarchy::{Hierarchy, NULL, TOP};
use velamen_core::label::Range;
use velamen_core::recoding::Recoding;
use velamen_core::release::ReleasedAttribute;

/// An attribute's released labels.
pub(super) struct Labels<'a> {
    hierarchy: &'a Hierarchy,
    places: BTreeMap<&'a str, u32>,
    /// The levels that labels can be at.
    levels: std::ops::RangeInclusive<u8>,
    ranges: Vec<(u32, Range<'a>)>,
    /// Whether a missing value matches any.
    wildcards: bool,
}

impl<'a> Labels<'a> {
    pub(super) fn new(attribute: &'a ReleasedAttribute, hierarchy: &'a Hierarchy, wildcards: bool) -> Self {
        let labels = || attribute.values.iter().map(|value| value.label.as_str()).zip(0..);
        let ranges = match attribute.recoding {
            Recoding::Ranges => {
                labels().filter_map(|(label, code)| Some((code, Range::read(label)?))).collect()
            }
            _ => Vec::new(),
        };
        let levels = attribute.level.map_or(0..=hierarchy.top(), |level| level..=level);
        Self { hierarchy, places: labels().collect(), levels, ranges, wildcards }
    }

    /// The codes of the labels that cover a leaf, ascending.
    pub(super) fn covering(&self, leaf: u32) -> Vec<u32> {
        let value = self.hierarchy.label(0, leaf);
        if self.wildcards && value == NULL {
            return (0..self.places.len() as u32).collect();
        }
        let above =
            self.levels.clone().map(|level| self.hierarchy.label(level, self.hierarchy.code(level, leaf)));
        let missing = self.wildcards.then_some(NULL);
        // Local recodings can release `*` where the hierarchy's top has a name.
        let top = (self.levels.start() < self.levels.end()).then_some(TOP);
        let mut codes: Vec<u32> =
            above.chain(missing).chain(top).filter_map(|label| self.places.get(label).copied()).collect();
        codes.extend(self.ranges.iter().filter(|(_, range)| range.has(value)).map(|(code, _)| *code));
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// The one label of a leaf where all are at one level.
    pub(super) fn at_level(&self, leaf: u32) -> Option<u32> {
        let level = *self.levels.start();
        self.places.get(self.hierarchy.label(level, self.hierarchy.code(level, leaf))).copied()
    }
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Rule;
    use velamen_core::recoding::ReleasedValue;

    use super::*;

    fn attribute(labels: &[&str], recoding: Recoding, level: Option<u8>) -> ReleasedAttribute {
        let value = |label: &&str| ReleasedValue { label: (*label).into(), ..Default::default() };
        let values = labels.iter().map(value).collect();
        ReleasedAttribute { name: "a".into(), level, recoding, height: 1, values }
    }

    fn flat(leaves: &[&str]) -> Hierarchy {
        Rule::Flat.over(leaves.iter().map(|leaf| (*leaf).to_owned()).collect(), false).1
    }

    #[test]
    fn ranges_cover_what_is_between() {
        let numbers = attribute(&["[-5--1]", "3", ">=40", "<=9", "*", "[1-7]"], Recoding::Ranges, None);
        let hierarchy = flat(&["-3", "3", "41"]);
        let labels = Labels::new(&numbers, &hierarchy, false);
        assert_eq!(
            [0, 1, 2].map(|leaf| labels.covering(leaf)),
            [vec![0, 3, 4], vec![1, 3, 4, 5], vec![2, 4]]
        );
        let texts = attribute(&["[Bern..Genf]", "Chur", "[A..b..C]"], Recoding::Ranges, None);
        let hierarchy = flat(&["B", "Chur", "Zug", "zoo"]);
        let labels = Labels::new(&texts, &hierarchy, false);
        // The last label can be read as A to `b..C`, before which `Zug` stands.
        let covering = [0, 1, 2, 3].map(|leaf| labels.covering(leaf));
        assert_eq!(covering, [vec![2], vec![0, 1, 2], vec![2], vec![]]);
    }

    #[test]
    fn missing_values_match_any_where_that_was_asked() {
        let released = attribute(&["", "x", "y"], Recoding::FullDomain, Some(0));
        let hierarchy = flat(&["", "x", "y"]);
        let covering = |wildcards| {
            let labels = Labels::new(&released, &hierarchy, wildcards);
            [0, 1].map(|leaf| labels.covering(leaf))
        };
        assert_eq!(covering(false), [vec![0], vec![1]]);
        assert_eq!(covering(true), [vec![0, 1, 2], vec![0, 1]]);
    }
}

//! The taxonomy tree of an attribute, and the cut through it that is released.

use std::collections::BTreeMap;

use velamen_core::hierarchy::Hierarchy;
use velamen_core::recoding::{Region, ReleasedValue};

/// A value of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Value {
    pub(super) level: u8,
    pub(super) code: u32,
}

/// The leaves that a value covers: how many, and the first.
type Extent = (u64, u32);

/// The tree of an attribute down to its least level. It follows from the hierarchy alone.
#[derive(Debug)]
pub(super) struct Taxonomy<'a> {
    hierarchy: &'a Hierarchy,
    least: u8,
    /// By label what readers take it for: the widest value that has it, or several that are as wide.
    told: BTreeMap<&'a str, Vec<Extent>>,
}

impl<'a> Taxonomy<'a> {
    pub(super) fn new(hierarchy: &'a Hierarchy, least: u8) -> Self {
        Self { hierarchy, least, told: told(hierarchy) }
    }

    /// All values of a level.
    pub(super) fn level(&self, level: u8) -> Vec<Value> {
        (0..self.hierarchy.width(level) as u32).map(|code| Value { level, code }).collect()
    }

    /// The values that a value is specialized into: those below it at the first level that has several. None where there is no
    /// such level, or where a label would be taken for another value.
    pub(super) fn below(&self, value: Value) -> Vec<Value> {
        let levels = (self.least..value.level).rev();
        let several = levels.map(|level| self.parts(value, level)).find(|parts| parts.len() > 1);
        several.filter(|parts| parts.iter().all(|part| self.is_told(*part))).unwrap_or_default()
    }

    /// The values of a lower level that a value covers.
    fn parts(&self, value: Value, level: u8) -> Vec<Value> {
        let above = self.hierarchy.step(level, value.level).into_iter().zip(0..);
        let under = above.filter(|(above, _)| *above == value.code);
        under.map(|(_, code)| Value { level, code }).collect()
    }

    /// Whether the label of a value names it alone, wherever it stands in the tree.
    pub(super) fn is_told(&self, value: Value) -> bool {
        let known = self.told.get(self.label(value));
        known.is_some_and(|extents| extents[..] == [self.extent(value)])
    }

    pub(super) fn label(&self, value: Value) -> &'a str {
        self.hierarchy.label(value.level, value.code)
    }

    fn extent(&self, value: Value) -> Extent {
        let Value { level, code } = value;
        (self.hierarchy.leaves(level, code), self.hierarchy.first_leaf(level, code))
    }

    /// By leaf, the place of the value of a cut that covers it.
    pub(super) fn places(&self, cut: &[Value]) -> Vec<u32> {
        let place: BTreeMap<Value, u32> = cut.iter().copied().zip(0..).collect();
        let leaves = 0..self.hierarchy.width(0) as u32;
        let of = |leaf| self.over(leaf).find_map(|value| place.get(&value).copied());
        leaves.map(|leaf| of(leaf).unwrap_or_default()).collect()
    }

    /// The values over a leaf, from the lowest on.
    fn over(&self, leaf: u32) -> impl Iterator<Item = Value> + '_ {
        (0..=self.hierarchy.top()).map(move |level| Value { level, code: self.hierarchy.code(level, leaf) })
    }

    /// The values of a cut as they are released, in its order, with the levels that readers of their labels take them for.
    pub(super) fn released(&self, cut: &[Value]) -> Vec<ReleasedValue> {
        let of = |&value: &Value| Region::of_node(self.hierarchy, value.level, self.extent(value).1).value;
        cut.iter().map(of).collect()
    }

    /// Brings a cut in the order of its first leaves.
    pub(super) fn sort(&self, cut: &mut [Value]) {
        cut.sort_by_key(|value| self.hierarchy.first_leaf(value.level, value.code));
    }
}

/// By label the widest values that have it. `*` stands for the whole domain, wherever it is written.
fn told(hierarchy: &Hierarchy) -> BTreeMap<&str, Vec<Extent>> {
    let mut told: BTreeMap<&str, Vec<Extent>> = BTreeMap::new();
    for level in 0..=hierarchy.top() {
        let mut first = vec![u32::MAX; hierarchy.width(level)];
        for leaf in (0..hierarchy.width(0) as u32).rev() {
            first[hierarchy.code(level, leaf) as usize] = leaf;
        }
        for (code, label) in (0u32..).zip(hierarchy.labels(level)) {
            let extent = (hierarchy.leaves(level, code), first[code as usize]);
            let widest = told.entry(label).or_default();
            match widest.first().map_or(0, |known| known.0).cmp(&extent.0) {
                std::cmp::Ordering::Less => *widest = vec![extent],
                std::cmp::Ordering::Equal if !widest.contains(&extent) => widest.push(extent),
                _ => {}
            }
        }
    }
    if let Some(whole) = told.get_mut(WHOLE) {
        *whole = vec![(hierarchy.domain(), 0)];
    }
    told
}

/// The label of the whole domain.
const WHOLE: &str = "*";

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::{Definition, Rule};

    use super::*;

    fn hierarchy(rows: &[&[&str]]) -> Hierarchy {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        let rule = Rule::try_from(&Definition::Table { rows }).unwrap();
        rule.over(rule.whole_domain(100).unwrap(), false).1
    }

    fn labels(tree: &Taxonomy<'_>, values: &[Value]) -> Vec<String> {
        values.iter().map(|value| tree.label(*value).to_owned()).collect()
    }

    /// Jobs: a chain (`artist` has one value below) is passed in one step.
    #[test]
    fn a_value_has_those_below_at_the_first_level_with_several() {
        let jobs = hierarchy(&[
            &["engineer", "professional", "*"],
            &["lawyer", "professional", "*"],
            &["dancer", "artist", "*"],
        ]);
        let tree = Taxonomy::new(&jobs, 0);
        let top = tree.level(2);
        assert_eq!(labels(&tree, &top), ["*"]);
        let mut parts = tree.below(top[0]);
        tree.sort(&mut parts);
        assert_eq!(labels(&tree, &parts), ["professional", "artist"]);
        assert_eq!(tree.below(parts[0]).len(), 2);
        assert_eq!(tree.below(parts[1]), []);
        assert_eq!(tree.places(&parts), [0, 0, 1]);
        let released = tree.released(&parts);
        // Nothing but level 1 has the label `artist`, though it has one leaf.
        assert_eq!((released[1].level, released[1].leaves, released[0].level), (1, 1, 1));
        let chain = hierarchy(&[&["a", "a", "*"], &["b", "b", "*"]]);
        let chained = Taxonomy::new(&chain, 0).released(&[Value { level: 1, code: 0 }]);
        assert_eq!(chained[0].level, 0);
        // Above the least level nothing is parted further.
        assert_eq!(Taxonomy::new(&jobs, 1).below(parts[0]), []);
        let straight = hierarchy(&[&["a", "a", "*"], &["b", "b", "*"]]);
        assert_eq!(Taxonomy::new(&straight, 0).below(Value { level: 2, code: 0 })[0].level, 1);
    }

    /// `I63` is a category and one of its codes: a cut with the code alone could not be read.
    #[test]
    fn a_label_that_is_taken_for_another_value_is_in_no_cut() {
        let codes = hierarchy(&[&["I63", "I63", "*"], &["I63.1", "I63", "*"], &["I64", "I64", "*"]]);
        let tree = Taxonomy::new(&codes, 0);
        let parts = tree.below(Value { level: 2, code: 0 });
        assert_eq!(labels(&tree, &parts), ["I63", "I64"]);
        assert_eq!(tree.below(parts[0]), []);
        let twice = hierarchy(&[&["x", "y", "*"], &["z", "x", "*"]]);
        assert_eq!(Taxonomy::new(&twice, 0).below(Value { level: 2, code: 0 }), []);
        let starred = hierarchy(&[&["x", "*", "all"], &["z", "y", "all"]]);
        assert_eq!(Taxonomy::new(&starred, 0).below(Value { level: 2, code: 0 }), []);
    }
}

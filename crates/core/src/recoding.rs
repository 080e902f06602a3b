//! Decisions by local recoding: each class has released values of its own.
//!
//! Where full-domain recoding takes every value of an attribute to one level (a
//! [`Plan`](crate::plan::Plan)), here two classes can release one original value under different
//! labels. Recipients know classes by their labels, so pieces of equal labels are one class.

use std::collections::BTreeMap;

use crate::counterfeits::Counterfeits;
use crate::hierarchy::Hierarchy;
use crate::step::Ends;

/// How the released values of a quasi-identifier relate to its hierarchy.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Recoding {
    /// All values are at one level.
    #[default]
    FullDomain,
    /// Each is a value of the hierarchy, at any level.
    Nodes,
    /// Each is a value of the hierarchy or a range of its leaves.
    Ranges,
    /// Each stands for the values of a class and need not be any of them: untruthful.
    Aggregates,
}

/// A released value of a quasi-identifier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleasedValue {
    /// What is released.
    pub label: String,
    /// The leaves of the domain that it covers, at least 1.
    pub leaves: u64,
    /// The lowest level of the hierarchy at which one value covers it.
    pub level: u8,
}

impl Hierarchy {
    /// The level that readers of the label of a leaf at `level` take it for: of the leaf's values with this label the widest,
    /// and of those as wide the lowest. It differs from `level` only where a label stands at several levels: whoever reads `I63`
    /// cannot tell the code from its category, and a missing value stays itself on every level but the top.
    #[must_use]
    pub(crate) fn told(&self, level: u8, leaf: u32) -> u8 {
        let code = |level| self.code(level, leaf);
        let label = self.label(level, code(level));
        let same = (0..=self.top()).filter(|&other| self.label(other, code(other)) == label);
        same.rev().max_by_key(|&level| self.leaves(level, code(level))).unwrap_or(level)
    }

    /// `told` for every leaf.
    #[must_use]
    pub fn all_told(&self, level: u8) -> Vec<u8> {
        (0..self.coded_leaves() as u32).map(|leaf| self.told(level, leaf)).collect()
    }
}

/// What a class releases of one attribute, with its place among the attribute's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The released value.
    pub value: ReleasedValue,
    /// The first and last leaf of the table that it covers: the canonical order.
    pub order: (u32, u32),
}

impl Region {
    /// The value of a hierarchy over a leaf, as its label is read.
    pub fn of_node(hierarchy: &Hierarchy, level: u8, leaf: u32) -> Self {
        let level = hierarchy.told(level, leaf);
        let code = hierarchy.code(level, leaf);
        let (label, leaves) = (hierarchy.label(level, code).to_owned(), hierarchy.leaves(level, code));
        let order = if level == 0 { (leaf, leaf) } else { (hierarchy.first_leaf(level, code), u32::MAX) };
        Self { value: ReleasedValue { label, leaves, level }, order }
    }
}

/// How many records of an entry of the frequency table.
pub type Member = (u32, u64);

/// Records that are released under the same values.
#[derive(Debug, Clone)]
pub struct Piece {
    /// One per quasi-identifier.
    pub regions: Vec<Region>,
    /// The records, at least one.
    pub members: Vec<Member>,
}

/// A method's whole decision on a table, by local recoding.
#[derive(Debug, Clone, Default)]
pub struct LocalPlan {
    /// What the released values are.
    pub recoding: Recoding,
    /// Per quasi-identifier what the ends of its ranges are; none where it has no ranges or sets. Empty for all.
    pub ends: Vec<Option<Ends>>,
    /// Per quasi-identifier its distinct released values, in canonical order.
    pub values: Vec<Vec<ReleasedValue>>,
    /// Per class and quasi-identifier an index into the values; classes ascend by them.
    pub codes: Vec<u32>,
    /// Per class its records, ascending by entry.
    pub members: Vec<Vec<Member>>,
    /// The records of no class, ascending by entry.
    pub suppressed: Vec<Member>,
    /// Classes with counterfeits, ascending by class.
    pub counterfeits: Vec<Counterfeits>,
    /// The catalog's groups, each ascending by class, disjoint.
    pub groups: Vec<Vec<u32>>,
}

impl LocalPlan {
    /// The same plan for a table in which each entry is another one.
    #[must_use]
    pub fn moved(self, places: &[u32]) -> Self {
        let place = |members: Vec<Member>| {
            merged(members.into_iter().map(|(entry, count)| (places[entry as usize], count)).collect())
        };
        let members = self.members.into_iter().map(place).collect();
        Self { members, suppressed: place(self.suppressed), ..self }
    }

    /// The plan that releases these pieces. Pieces of equal labels become one class, and a label
    /// of several coverages gets the widest of them.
    ///
    /// Time: O(pieces · attributes · log pieces + members · log members).
    #[must_use]
    pub fn new(recoding: Recoding, attributes: usize, pieces: Vec<Piece>, suppressed: Vec<Member>) -> Self {
        let mut plan = Self { recoding, suppressed: merged(suppressed), ..Self::default() };
        let mut columns: Vec<Vec<u32>> = Vec::with_capacity(attributes);
        for q in 0..attributes {
            let (values, codes) = distinct(pieces.iter().map(|piece| &piece.regions[q]));
            plan.values.push(values);
            columns.push(codes);
        }
        let mut classes: BTreeMap<Vec<u32>, Vec<Member>> = BTreeMap::new();
        for (piece, at) in pieces.into_iter().zip(0..) {
            let codes = columns.iter().map(|codes| codes[at]).collect();
            classes.entry(codes).or_default().extend(piece.members);
        }
        for (codes, members) in classes {
            plan.codes.extend(codes);
            plan.members.push(merged(members));
        }
        plan
    }
}

/// The distinct values of an attribute in canonical order, and the index of each region's.
fn distinct<'a>(regions: impl Iterator<Item = &'a Region> + Clone) -> (Vec<ReleasedValue>, Vec<u32>) {
    let mut widest: BTreeMap<&str, Region> = BTreeMap::new();
    for region in regions.clone() {
        let known = widest.entry(&region.value.label).or_insert_with(|| region.clone());
        known.value.leaves = known.value.leaves.max(region.value.leaves);
        known.value.level = known.value.level.max(region.value.level);
        known.order = (known.order.0.min(region.order.0), known.order.1.max(region.order.1));
    }
    let mut ordered: Vec<&Region> = widest.values().collect();
    ordered.sort_by_key(|region| (region.order, &region.value.label));
    let codes: BTreeMap<&str, u32> = ordered.iter().map(|r| r.value.label.as_str()).zip(0..).collect();
    let of_region = regions.map(|region| codes[region.value.label.as_str()]).collect();
    (ordered.into_iter().map(|region| region.value.clone()).collect(), of_region)
}

/// Ascending by code, counts of equal codes added up.
pub fn merged(mut members: Vec<Member>) -> Vec<Member> {
    members.sort_unstable();
    members.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(label: &str, leaves: u64, order: (u32, u32)) -> Region {
        Region { value: ReleasedValue { label: label.into(), leaves, level: 1 }, order }
    }

    #[test]
    fn pieces_of_equal_labels_are_one_class() {
        let piece = |label, order, members: &[Member]| Piece {
            regions: vec![region(label, 2, order)],
            members: members.to_vec(),
        };
        let pieces = vec![
            piece("[3-4]", (3, 4), &[(5, 1)]),
            piece("[1-2]", (1, 2), &[(2, 1), (0, 2)]),
            piece("[3-4]", (3, 4), &[(5, 2), (4, 1)]),
        ];
        let plan = LocalPlan::new(Recoding::Ranges, 1, pieces, vec![(9, 1)]);
        let labels: Vec<&str> = plan.values[0].iter().map(|value| value.label.as_str()).collect();
        assert_eq!((labels, plan.codes), (vec!["[1-2]", "[3-4]"], vec![0, 1]));
        assert_eq!(plan.members, [vec![(0, 2), (2, 1)], vec![(4, 1), (5, 3)]]);
    }
}

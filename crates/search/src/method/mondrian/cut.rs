//! Where Mondrian cuts a partition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::recoding::{Member, Region, ReleasedValue};

use super::scale::{Order, Scale};

/// Whether records of equal values stay together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Partitioning {
    /// They do: classes do not overlap.
    #[default]
    Strict,
    /// They may fall to both sides of a cut.
    Relaxed,
}

/// One attribute of the table, as it is cut.
#[derive(Debug, Clone)]
pub(in crate::method) struct Dimension<'a> {
    hierarchy: &'a Hierarchy,
    scale: Scale,
    /// By entry, its leaf code.
    codes: &'a [u32],
    /// By level and leaf, the level that the label tells.
    told: Vec<Vec<u8>>,
    /// The lowest level of a tree that may be released.
    lowest: u8,
    /// What the attribute counts.
    weight: f64,
}

/// Where the records of a partition lie in an attribute.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// First and last place in the order.
    Ordered(u32, u32),
    /// Level and code of the lowest node over all.
    Tree(u8, u32),
}

/// The least region over some records.
#[derive(Debug, Clone, Copy)]
pub(in crate::method) enum Hull {
    /// First and last place in the order.
    Ordered(u32, u32),
    /// The level of a node of the tree, and a leaf under it.
    Tree(u8, u32),
}

impl<'a> Dimension<'a> {
    /// As [`Dimension::new`], but an attribute without hierarchy is a value or `*`: nobody could tell
    /// how much of a domain that is read off the data a range covers.
    pub(in crate::method) fn declared(
        table: &'a FrequencyTable,
        qi: usize,
        rule: &velamen_core::hierarchy::Rule,
    ) -> Self {
        let dimension = Self::new(table, qi, rule);
        if matches!(rule, velamen_core::hierarchy::Rule::Flat) {
            return Self { scale: Scale::Tree, ..dimension };
        }
        dimension
    }

    /// The region of one entry.
    pub(in crate::method) fn hull(&self, entry: u32) -> Hull {
        self.hull_of(self.leaf(entry))
    }

    /// The leaf code of one entry.
    pub(in crate::method) fn leaf(&self, entry: u32) -> u32 {
        self.codes[entry as usize]
    }

    /// How many leaves occur.
    pub(in crate::method) fn width(&self) -> u32 {
        self.hierarchy.width(0) as u32
    }

    /// Where a leaf stands among the others, neighbours together as far as the attribute has any.
    pub(in crate::method) fn place(&self, leaf: u32) -> u32 {
        match &self.scale {
            Scale::Ordered(order) => order.rank[leaf as usize],
            Scale::Tree => leaf,
        }
    }

    /// The region of one leaf.
    pub(in crate::method) fn hull_of(&self, leaf: u32) -> Hull {
        match &self.scale {
            Scale::Ordered(order) => Hull::Ordered(order.rank[leaf as usize], order.rank[leaf as usize]),
            Scale::Tree => Hull::Tree(self.lowest, leaf),
        }
    }

    /// The least region over two.
    pub(in crate::method) fn join(&self, a: Hull, b: Hull) -> Hull {
        match (a, b) {
            (Hull::Ordered(a, b), Hull::Ordered(c, d)) => Hull::Ordered(a.min(c), b.max(d)),
            (Hull::Tree(a, leaf), Hull::Tree(b, other)) => {
                let under_one =
                    |level: &u8| self.hierarchy.code(*level, leaf) == self.hierarchy.code(*level, other);
                let level = (a.max(b)..=self.hierarchy.top()).find(under_one);
                Hull::Tree(level.unwrap_or(self.hierarchy.top()), leaf)
            }
            _ => unreachable!("an attribute has one scale"),
        }
    }

    /// The leaves of the domain under what is released of a region.
    pub(in crate::method) fn leaves(&self, hull: Hull) -> u64 {
        match (hull, &self.scale) {
            (Hull::Ordered(low, high), Scale::Ordered(order)) => order.covered(low, high, self.hierarchy),
            (Hull::Tree(level, leaf), _) => {
                let level = self.told[usize::from(level)][leaf as usize];
                self.hierarchy.leaves(level, self.hierarchy.code(level, leaf))
            }
            _ => unreachable!("an attribute has one scale"),
        }
    }

    /// The degree of generalization of a cell that covers so many leaves, by the attribute's weight.
    pub(in crate::method) fn degree(&self, leaves: u64) -> f64 {
        let domain = self.hierarchy.domain();
        if domain <= 1 { 0.0 } else { self.weight * (leaves - 1) as f64 / (domain - 1) as f64 }
    }

    /// As [`Dimension::of_nodes`], from a level of the hierarchy on, with a weight.
    pub(super) fn of_tree(table: &'a FrequencyTable, qi: usize, lowest: u8, weight: f64) -> Self {
        let (hierarchy, codes) = (&table.qis[qi].hierarchy, &table.codes[qi]);
        Self { hierarchy, scale: Scale::Tree, codes, told: told(hierarchy), lowest, weight }
    }

    /// As [`Dimension::new`], but regions are the lowest common values of the hierarchy.
    pub(super) fn of_nodes(
        table: &'a FrequencyTable,
        qi: usize,
        rule: &velamen_core::hierarchy::Rule,
    ) -> Self {
        Self { scale: Scale::Tree, ..Self::new(table, qi, rule) }
    }

    /// The same, cut in the order of its values where they are numbers.
    pub(super) fn by_numbers(&self) -> Self {
        Self { scale: Scale::of_numbers(self.hierarchy), ..self.clone() }
    }

    pub(super) fn new(table: &'a FrequencyTable, qi: usize, rule: &velamen_core::hierarchy::Rule) -> Self {
        let hierarchy = &table.qis[qi].hierarchy;
        let (scale, codes) = (Scale::new(rule, hierarchy), &table.codes[qi]);
        Self { hierarchy, scale, codes, told: told(hierarchy), lowest: 0, weight: 1.0 }
    }

    /// The normalised extent of a partition: 0 where it cannot be cut.
    pub(super) fn extent(&self, members: &[Member]) -> f64 {
        match (self.span(members), &self.scale) {
            (Span::Ordered(low, high), Scale::Ordered(order)) => order.extent(low, high),
            (Span::Tree(level, code), _) if level > self.lowest => self.hierarchy.degree(level, code),
            _ => 0.0,
        }
    }

    /// The cuts of a partition, those to be tried first in front; each gives two parts or more.
    pub(in crate::method) fn cuts(
        &self,
        members: &[Member],
        partitioning: Partitioning,
    ) -> Vec<Vec<Vec<Member>>> {
        match (&self.scale, self.span(members)) {
            (Scale::Ordered(order), Span::Ordered(low, high)) => {
                let sorted = self.in_order(order, members);
                let mut cuts = Vec::new();
                if let Some(null) = order.null.filter(|_| order.is_mixed(low, high)) {
                    cuts.push(cut_after(order, self.codes, &sorted, null));
                }
                match partitioning {
                    Partitioning::Strict => cuts.extend(
                        beside_median(order, self.codes, &sorted)
                            .into_iter()
                            .map(|place| cut_after(order, self.codes, &sorted, place)),
                    ),
                    Partitioning::Relaxed => cuts.push(halves(&sorted)),
                }
                cuts
            }
            (_, Span::Tree(level, _)) if level > self.lowest => vec![self.children(members, level - 1)],
            _ => Vec::new(),
        }
    }

    /// The cuts of a partition, and those that part one value, or one child of a node, from the others.
    pub(super) fn all_cuts<'m>(
        &'m self,
        members: &'m [Member],
        partitioning: Partitioning,
    ) -> impl Iterator<Item = Vec<Vec<Member>>> + 'm {
        let more: Box<dyn Iterator<Item = Vec<Vec<Member>>> + 'm> = match (&self.scale, self.span(members)) {
            (Scale::Ordered(order), Span::Ordered(low, high)) if low < high => {
                let sorted = self.in_order(order, members);
                let places = beside_mode(order, self.codes, &sorted).into_iter();
                Box::new(places.map(move |place| cut_after(order, self.codes, &sorted, place)))
            }
            (_, Span::Tree(level, _)) if level > self.lowest => {
                Box::new(one_against_others(self.children(members, level - 1)))
            }
            _ => Box::new(std::iter::empty()),
        };
        self.cuts(members, partitioning).into_iter().chain(more)
    }

    /// What is released of a partition.
    pub(in crate::method) fn region(&self, members: &[Member]) -> Region {
        let (level, code) = self.lowest_common(members);
        match (&self.scale, self.span(members)) {
            (Scale::Ordered(order), Span::Ordered(low, high)) => {
                order.region(low, high, level, self.hierarchy)
            }
            _ => {
                let label = self.hierarchy.label(level, code).to_owned();
                let codes = || members.iter().map(|&(entry, _)| self.codes[entry as usize]);
                let order = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
                let level = self.told[usize::from(level)][order.0 as usize];
                let leaves = self.leaves(Hull::Tree(level, order.0));
                Region { value: ReleasedValue { label, leaves, level }, order }
            }
        }
    }

    fn span(&self, members: &[Member]) -> Span {
        match &self.scale {
            Scale::Ordered(order) => {
                let ends = members.iter().map(|&(entry, _)| order.rank[self.codes[entry as usize] as usize]);
                let (low, high) = ends.fold((u32::MAX, 0), |(low, high), r| (low.min(r), high.max(r)));
                Span::Ordered(low, high)
            }
            Scale::Tree => {
                let (level, code) = self.lowest_common(members);
                Span::Tree(level, code)
            }
        }
    }

    /// The lowest node of the hierarchy over all records.
    pub(super) fn lowest_common(&self, members: &[Member]) -> (u8, u32) {
        let first = self.codes[members[0].0 as usize];
        let (mut level, mut code) = (self.lowest, self.hierarchy.code(self.lowest, first));
        for &(entry, _) in members {
            let leaf = self.codes[entry as usize];
            while leaf != first && self.hierarchy.code(level, leaf) != code {
                level += 1;
                code = self.hierarchy.code(level, first);
            }
        }
        (level, code)
    }

    fn in_order(&self, order: &Order, members: &[Member]) -> Vec<Member> {
        let mut sorted = members.to_vec();
        sorted.sort_by_key(|&(entry, _)| (order.rank[self.codes[entry as usize] as usize], entry));
        sorted
    }

    /// One part per child that occurs, ascending by its code.
    fn children(&self, members: &[Member], level: u8) -> Vec<Vec<Member>> {
        let child = |member: &Member| self.hierarchy.code(level, self.codes[member.0 as usize]);
        let mut sorted = members.to_vec();
        sorted.sort_by_key(child);
        sorted.chunk_by(|a, b| child(a) == child(b)).map(<[Member]>::to_vec).collect()
    }
}

/// By level and leaf, the level that the label tells.
fn told(hierarchy: &Hierarchy) -> Vec<Vec<u8>> {
    (0..=hierarchy.top()).map(|level| hierarchy.all_told(level)).collect()
}

/// The records up to a place in the order, and the others.
fn cut_after(order: &Order, codes: &[u32], sorted: &[Member], place: u32) -> Vec<Vec<Member>> {
    let until = sorted.partition_point(|&(entry, _)| order.rank[codes[entry as usize] as usize] <= place);
    vec![sorted[..until].to_vec(), sorted[until..].to_vec()]
}

/// The places after which the two cuts beside the median value lie, the more balanced first.
fn beside_median(order: &Order, codes: &[u32], sorted: &[Member]) -> Vec<u32> {
    let rank = |member: &Member| order.rank[codes[member.0 as usize] as usize];
    let total: u64 = sorted.iter().map(|member| member.1).sum();
    let (mut left, mut before) = (0, None);
    for run in sorted.chunk_by(|a, b| rank(a) == rank(b)) {
        let with_run = left + run.iter().map(|member| member.1).sum::<u64>();
        if 2 * with_run >= total {
            let after = (with_run < total).then(|| rank(&run[0]));
            let balanced = (2 * with_run - total) <= total - 2 * left;
            let both = if balanced { [after, before] } else { [before, after] };
            return both.into_iter().flatten().collect();
        }
        (left, before) = (with_run, Some(rank(&run[0])));
    }
    Vec::new()
}

/// The most children of a node that are each parted from the others.
const MOST_PARTED: usize = 8;

/// For each of the children of most records, it and all others; none where there are two children at most.
fn one_against_others(children: Vec<Vec<Member>>) -> impl Iterator<Item = Vec<Vec<Member>>> {
    let records = |child: usize| children[child].iter().map(|member| member.1).sum::<u64>();
    let mut largest: Vec<usize> = (0..children.len()).filter(|_| children.len() > 2).collect();
    largest.sort_by_key(|&child| (std::cmp::Reverse(records(child)), child));
    largest.truncate(MOST_PARTED);
    largest.into_iter().map(move |child| {
        let others = (0..children.len()).filter(|&other| other != child);
        let others = others.flat_map(|other| &children[other]).copied().collect();
        vec![children[child].clone(), others]
    })
}

/// The places after which the cuts on both sides of the most frequent value lie, as far as something is left there.
fn beside_mode(order: &Order, codes: &[u32], sorted: &[Member]) -> Vec<u32> {
    let rank = |member: &Member| order.rank[codes[member.0 as usize] as usize];
    let (mut mode, mut most, mut before, mut last) = ([None, None], 0, None, 0);
    for run in sorted.chunk_by(|a, b| rank(a) == rank(b)) {
        let records: u64 = run.iter().map(|member| member.1).sum();
        last = rank(&run[0]);
        if records > most {
            (mode, most) = ([before, Some(last)], records);
        }
        before = Some(last);
    }
    mode.into_iter().flatten().filter(|&place| place < last).collect()
}

/// Two halves of as many records, the first the larger by at most one; records of equal values
/// fall to either side in the order of the table.
fn halves(sorted: &[Member]) -> Vec<Vec<Member>> {
    let total: u64 = sorted.iter().map(|member| member.1).sum();
    let mut left = total.div_ceil(2);
    let mut parts = vec![Vec::new(), Vec::new()];
    for &(entry, count) in sorted {
        let first = count.min(left);
        left -= first;
        if first > 0 {
            parts[0].push((entry, first));
        }
        if count > first {
            parts[1].push((entry, count - first));
        }
    }
    parts
}

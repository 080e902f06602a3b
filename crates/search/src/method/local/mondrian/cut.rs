//! Where Mondrian cuts a partition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::{Hierarchy, NULL};
use velamen_core::recoding::{Member, Region, ReleasedValue, merged};

use super::grid::Shown;
use super::scale::{Order, Scale};
use crate::model::people;
use velamen_core::step::Ends;

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
    /// By level and leaf, the level that the label shows.
    told: Vec<Vec<u8>>,
    /// The lowest level of a tree that may be released.
    lowest: u8,
    /// What the attribute counts.
    weight: f64,
    /// By leaf, whether too few records have it for a class to show it; none where every leaf may be shown.
    rare: Option<Vec<bool>>,
}

/// Where the records of a partition lie in an attribute.
#[derive(Debug, Clone, Copy)]
enum Span {
    /// First and last place in the order.
    Ordered(u32, u32),
    /// Level and code of the lowest node over all.
    Tree(u8, u32),
}

/// How a partition is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::method) enum Cut {
    /// After a place in the order.
    After(u32),
    /// Into halves of as many records.
    Halves,
    /// Into the children of its node, which are at this level.
    Children(u8),
}

/// A place in the order, and how many records have it.
type Run = (u32, u64);

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
    /// how much of a domain that is read off the data a range covers. A value that fewer records have than a printed cell
    /// holds is `*`, however many counterfeits there will be.
    pub(in crate::method) fn declared(
        table: &'a FrequencyTable,
        qi: usize,
        rule: &velamen_core::hierarchy::Rule,
        shown: &Shown,
    ) -> Result<Self, Problem> {
        if !matches!(rule, velamen_core::hierarchy::Rule::Flat) {
            return Self::new(table, qi, rule, shown);
        }
        let hierarchy = &table.qis[qi].hierarchy;
        let is_rare = |(label, records): (&String, u64)| label != NULL && records < shown.cell;
        let rare = hierarchy.labels(0).iter().zip(people::marginal(table, qi)).map(is_rare).collect();
        Ok(Self { rare: Some(rare), ..Self::of_tree(table, qi, 0, 1.0) })
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
            Scale::Tree => Hull::Tree(self.floor(leaf), leaf),
        }
    }

    /// The lowest level at which a leaf may be released.
    fn floor(&self, leaf: u32) -> u8 {
        if self.is_rare(leaf) { self.hierarchy.top() } else { self.lowest }
    }

    fn is_rare(&self, leaf: u32) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare[leaf as usize])
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
        Self { hierarchy, scale: Scale::Tree, codes, told: told(hierarchy), lowest, weight, rare: None }
    }

    /// The same, cut in the order of its values where they are numbers.
    pub(super) fn by_numbers(&self) -> Self {
        Self { scale: Scale::of_numbers(self.hierarchy), ..self.clone() }
    }

    /// As it is cut, and released as far as `shown` allows.
    ///
    /// # Errors
    /// Why the step that the recipe gives does not go with the values.
    pub(super) fn new(
        table: &'a FrequencyTable,
        qi: usize,
        rule: &velamen_core::hierarchy::Rule,
        shown: &Shown,
    ) -> Result<Self, Problem> {
        let hierarchy = &table.qis[qi].hierarchy;
        let scale = Scale::new(rule, hierarchy, &people::marginal(table, qi), shown);
        let scale =
            scale.map_err(|problem| problem.after(&format!("attribute `{}`: ", table.qis[qi].name)))?;
        Ok(Self { scale, ..Self::of_tree(table, qi, 0, 1.0) })
    }

    /// The same, released as the lowest common values of the hierarchy.
    pub(super) fn of_nodes(&self) -> Self {
        Self { scale: Scale::Tree, ..self.clone() }
    }

    /// What the ends of its released ranges are, if it has any.
    pub(in crate::method) fn ends(&self) -> Option<Ends> {
        match &self.scale {
            Scale::Ordered(order) => Some(order.ends()),
            Scale::Tree => self.rare.as_ref().map(|_| Ends::Values),
        }
    }

    /// The normalized extent of a partition: 0 where it cannot be cut.
    pub(super) fn extent(&self, members: &[Member]) -> f64 {
        match (self.span(members), &self.scale) {
            (Span::Ordered(low, high), Scale::Ordered(order)) => order.extent(low, high),
            (Span::Tree(level, code), _) if level > self.lowest => self.hierarchy.degree(level, code),
            _ => 0.0,
        }
    }

    /// The cuts of a partition, those to be tried first in front.
    pub(in crate::method) fn cuts(&self, members: &[Member], partitioning: Partitioning) -> Vec<Cut> {
        match (&self.scale, self.span(members)) {
            (Scale::Ordered(order), Span::Ordered(low, high)) => {
                let apart = order.apart(low, high).map(Cut::After);
                let others = match partitioning {
                    Partitioning::Strict => {
                        let runs = self.runs(order, members, (low, high));
                        beside_median(&runs).into_iter().map(Cut::After).collect()
                    }
                    Partitioning::Relaxed => vec![Cut::Halves],
                };
                apart.chain(others).collect()
            }
            (_, Span::Tree(level, _)) if level > self.lowest => vec![Cut::Children(level - 1)],
            _ => Vec::new(),
        }
    }

    /// Two parts or more of a partition, in the order of its records.
    pub(in crate::method) fn parts(&self, members: &[Member], cut: Cut) -> Vec<Vec<Member>> {
        match (cut, &self.scale) {
            (Cut::After(place), Scale::Ordered(order)) => self.cut_after(order, members, place),
            (Cut::Halves, Scale::Ordered(order)) => halves(&self.in_order(order, members)),
            (Cut::Children(level), _) => self.children(members, level),
            (Cut::After(_) | Cut::Halves, Scale::Tree) => unreachable!("a tree has no order"),
        }
    }

    /// The cuts of a partition, and those that part one value, or one child of a node, from the others.
    pub(super) fn all_cuts<'m>(
        &'m self,
        members: &'m [Member],
        partitioning: Partitioning,
    ) -> impl Iterator<Item = Vec<Vec<Member>>> + 'm {
        let cuts = self.cuts(members, partitioning);
        let all: Box<dyn Iterator<Item = Vec<Vec<Member>>> + 'm> = match (&self.scale, self.span(members)) {
            (Scale::Ordered(order), Span::Ordered(low, high)) if low < high => {
                let sorted = self.in_order(order, members);
                let more = beside_mode(&self.runs(order, members, (low, high))).into_iter().map(Cut::After);
                Box::new(cuts.into_iter().chain(more).map(move |cut| self.parts(&sorted, cut)))
            }
            (_, Span::Tree(level, _)) if level > self.lowest => {
                let children = self.children(members, level - 1);
                Box::new(std::iter::once(children.clone()).chain(one_against_others(children)))
            }
            _ => Box::new(cuts.into_iter().map(|cut| self.parts(members, cut))),
        };
        all
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
            // What is `*` for being rare is not cut.
            Scale::Tree if members.iter().all(|&(entry, _)| self.is_rare(self.leaf(entry))) => {
                Span::Tree(self.lowest, 0)
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
        let mut level = members.iter().map(|&(entry, _)| self.floor(self.leaf(entry))).max().unwrap_or(0);
        let mut code = self.hierarchy.code(level, first);
        for &(entry, _) in members {
            let leaf = self.codes[entry as usize];
            while leaf != first && self.hierarchy.code(level, leaf) != code {
                level += 1;
                code = self.hierarchy.code(level, first);
            }
        }
        (level, code)
    }

    fn rank(&self, order: &Order, member: &Member) -> u32 {
        order.rank[self.codes[member.0 as usize] as usize]
    }

    fn in_order(&self, order: &Order, members: &[Member]) -> Vec<Member> {
        let mut sorted = members.to_vec();
        sorted.sort_by_key(|member| (self.rank(order, member), member.0));
        sorted
    }

    /// The places that occur, ascending, with their records.
    fn runs(&self, order: &Order, members: &[Member], (low, high): (u32, u32)) -> Vec<Run> {
        let places = (high - low) as usize + 1;
        if places > SPARSE * members.len() {
            return merged(members.iter().map(|member| (self.rank(order, member), member.1)).collect());
        }
        let mut counts = vec![0; places];
        for member in members {
            counts[(self.rank(order, member) - low) as usize] += member.1;
        }
        (low..).zip(counts).filter(|run| run.1 > 0).collect()
    }

    /// The records up to a place in the order, and the others.
    fn cut_after(&self, order: &Order, members: &[Member], place: u32) -> Vec<Vec<Member>> {
        let until = members.iter().filter(|member| self.rank(order, member) <= place).count();
        let mut parts = [Vec::with_capacity(until), Vec::with_capacity(members.len() - until)];
        for member in members {
            parts[usize::from(self.rank(order, member) > place)].push(*member);
        }
        parts.into()
    }

    /// One part per child that occurs, ascending by its code.
    fn children(&self, members: &[Member], level: u8) -> Vec<Vec<Member>> {
        let child = |member: &Member| match self.leaf(member.0) {
            rare if self.is_rare(rare) => u32::MAX,
            leaf => self.hierarchy.code(level, leaf),
        };
        let mut occurring: Vec<u32> = members.iter().map(child).collect();
        occurring.sort_unstable();
        let sizes: Vec<(u32, usize)> = occurring.chunk_by(u32::eq).map(|run| (run[0], run.len())).collect();
        let mut parts: Vec<Vec<Member>> = sizes.iter().map(|(_, size)| Vec::with_capacity(*size)).collect();
        for member in members {
            let of = child(member);
            parts[sizes.partition_point(|(other, _)| *other < of)].push(*member);
        }
        parts
    }
}

/// Places in the order for each record from which on counting by place takes longer than sorting.
const SPARSE: usize = 4;

/// By level and leaf, the level that the label shows.
fn told(hierarchy: &Hierarchy) -> Vec<Vec<u8>> {
    (0..=hierarchy.top()).map(|level| hierarchy.all_told(level)).collect()
}

/// The places after which the two cuts beside the median value lie, the more balanced first.
fn beside_median(runs: &[Run]) -> Vec<u32> {
    let total: u64 = runs.iter().map(|run| run.1).sum();
    let (mut left, mut before) = (0, None);
    for &(place, records) in runs {
        let with_run = left + records;
        if 2 * with_run >= total {
            let after = (with_run < total).then_some(place);
            let balanced = (2 * with_run - total) <= total - 2 * left;
            let both = if balanced { [after, before] } else { [before, after] };
            return both.into_iter().flatten().collect();
        }
        (left, before) = (with_run, Some(place));
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
fn beside_mode(runs: &[Run]) -> Vec<u32> {
    let (mut mode, mut most, mut before, mut last) = ([None, None], 0, None, 0);
    for &(place, records) in runs {
        last = place;
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

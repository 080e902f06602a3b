//! The values of an attribute at all levels that it may have, each with what is above it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::Hierarchy;

use super::task::Iab;
use crate::method::MethodError;

/// The generalizations that make a table, ascending: (attribute, level) by levels, where the highest
/// stands for those below it; (attribute, value) by subtrees, where a value stands for those under it.
pub(super) type State = Vec<(u32, u32)>;

/// One generalization.
pub(super) type Step = (u32, u32);

/// Above the most general value.
pub(super) const NONE: u32 = u32::MAX;

/// The values at the least level come first, numbered by their code; then those of the next.
pub(super) struct Tree {
    parent: Vec<u32>,
    /// Level and code of each value.
    place: Vec<(u8, u32)>,
    /// By code of the untouched data, the value that it has at first.
    base: Vec<u32>,
    /// How many values there are at the least level.
    bases: usize,
}

/// One tree per quasi-identifier; those of no shield stay at their least level.
pub(super) fn of(table: &FrequencyTable, task: &Iab<'_>) -> Result<Vec<Tree>, MethodError> {
    let (bottom, top) = (task.lattice.bottom(), task.lattice.top());
    let shielded = |q: usize| task.requirements.iter().any(|requirement| requirement.shield.contains(&q));
    let tree = |(q, qi): (usize, &QuasiIdentifier)| {
        let least = bottom.0[q];
        let most = if shielded(q) { top.0[q] } else { least };
        Tree::new(&qi.hierarchy, least, most).without_idle_steps(qi)
    };
    table.qis.iter().enumerate().map(tree).collect()
}

impl Tree {
    fn new(hierarchy: &Hierarchy, least: u8, most: u8) -> Self {
        let mut tree = Self {
            parent: Vec::new(),
            place: Vec::new(),
            base: hierarchy.step(0, least),
            bases: hierarchy.width(least),
        };
        for level in least..=most {
            let width = hierarchy.width(level);
            tree.place.extend((0..width as u32).map(|code| (level, code)));
            let first = tree.place.len() as u32;
            match level < most {
                true => {
                    tree.parent.extend(hierarchy.step(level, level + 1).into_iter().map(|code| first + code))
                }
                false => tree.parent.extend(std::iter::repeat_n(NONE, width)),
            }
        }
        tree
    }

    /// The tree in which every parent has more values of the table under it than its child.
    ///
    /// Where a label stands at two levels, one above the other, all values under the upper one begin there: a
    /// code without its last character cannot be told from the group that has its name. Refuses labels that
    /// stand for different values besides: a cut could hold both.
    fn without_idle_steps(mut self, qi: &QuasiIdentifier) -> Result<Self, MethodError> {
        let mut under = vec![0u32; self.len()];
        for base in 0..self.bases as u32 {
            self.path(base).for_each(|node| under[node as usize] += 1);
        }
        let mut first: FxHashMap<&str, u32> = FxHashMap::default();
        let mut start: Vec<u32> = (0..self.bases as u32).collect();
        for node in 0..self.len() as u32 {
            let (level, code) = self.place[node as usize];
            let known = *first.entry(qi.hierarchy.label(level, code)).or_insert(node);
            if !self.is_under(known, node) {
                return Err(MethodError::Unfit(
                    Problem::new(format!(
                        "recoding = \"subtree\": a label of `{}` stands at two levels of its hierarchy for \
                        different values",
                        qi.name
                    ))
                    .mend("give them different labels or choose recoding = \"full-domain\""),
                ));
            }
            if under[known as usize] < under[node as usize] {
                let narrower = |start: u32| under[start as usize] < under[node as usize];
                let all = (0..).zip(&mut start).filter(|(base, _)| self.is_under(*base, node));
                all.filter(|(_, start)| narrower(**start)).for_each(|(_, start)| *start = node);
            }
        }
        self.base.iter_mut().for_each(|base| *base = start[*base as usize]);
        let wider = |node: u32| self.path(node).find(|&above| under[above as usize] > under[node as usize]);
        self.parent = (0..self.len() as u32).map(|node| wider(node).unwrap_or(NONE)).collect();
        Ok(self)
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.place.len()
    }

    pub(super) fn level(&self, node: u32) -> u8 {
        self.place[node as usize].0
    }

    pub(super) fn code(&self, node: u32) -> u32 {
        self.place[node as usize].1
    }

    /// The value that a value of the untouched data has at first.
    pub(super) fn base(&self, leaf: u32) -> u32 {
        self.base[leaf as usize]
    }

    /// The value above, or [`NONE`].
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    /// A value and all above it.
    fn path(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), |&node| Some(self.parent(node)).filter(|&above| above != NONE))
    }

    /// Whether a value is another or below it.
    pub(super) fn is_under(&self, node: u32, above: u32) -> bool {
        self.path(node).any(|node| node == above)
    }

    /// The values that stand, up to a level, for the first ones below them; ascending.
    pub(super) fn raised_to(&self, level: u8) -> BTreeSet<u32> {
        let highest = |base: u32| self.path(base).take_while(|&node| self.level(node) <= level).last();
        self.base.iter().filter_map(|&base| highest(base).filter(|&node| node != base)).collect()
    }

    /// By value whether it is another or below it.
    pub(super) fn under(&self, above: u32) -> Vec<bool> {
        (0..self.len() as u32).map(|node| self.is_under(node, above)).collect()
    }

    /// Per value that values can have at first, what a state releases of it.
    pub(super) fn released(&self, attribute: u32, state: &State) -> Vec<u32> {
        let marks: Vec<u32> = state.iter().filter(|step| step.0 == attribute).map(|step| step.1).collect();
        let ends = |node: &u32| marks.binary_search(node).is_ok();
        (0..self.len() as u32).map(|base| self.path(base).find(ends).unwrap_or(base)).collect()
    }
}

//! A generalized table: the set of its generalizations, its rows, and what they violate.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use velamen_core::classes::Cell;
use velamen_core::frequency::FrequencyTable;
use velamen_core::key::{Field, Key, Layout, bits_for};

use super::task::{Figures, Iab, Reach, Requirement, Search, too_wide};
use super::tree::{self, NONE, State, Step, Tree};
use crate::method::MethodError;

/// The distinct rows of a table, ascending, with their records.
pub(super) type Rows<const W: usize> = Vec<Cell<W>>;

/// A row, by position, and a requirement that it violates.
pub(super) type Violation = (u32, u32);

/// The fields of a row: the values of each quasi-identifier, then the rest.
pub(super) fn layout(table: &FrequencyTable, task: &Iab<'_>) -> Result<Layout, MethodError> {
    let mut bits: Vec<u32> = tree::of(table, task)?.iter().map(|tree| bits_for(tree.len())).collect();
    bits.push(bits_for(table.rest.len));
    if bits.iter().any(|&bits| bits > 32) { Err(too_wide()) } else { Ok(Layout::new(&bits)) }
}

/// All tables that one table can be generalized to.
pub(super) struct Space<'a, const W: usize> {
    task: &'a Iab<'a>,
    trees: Vec<Tree>,
    fields: Vec<Field>,
    /// The attributes of any shield, ascending.
    shielded: Vec<usize>,
    base: Rows<W>,
}

impl<'a, const W: usize> Space<'a, W> {
    pub(super) fn new(
        table: &FrequencyTable,
        task: &'a Iab<'a>,
        layout: &Layout,
    ) -> Result<Self, MethodError> {
        let trees = tree::of(table, task)?;
        let (rest, fields) = layout.fields().split_last().expect("a layout has a field for the rest");
        let row = |entry: usize| {
            let mut key = Key::ZERO;
            for (q, field) in fields.iter().enumerate() {
                key.set(*field, trees[q].base(table.codes[q][entry]));
            }
            key.set(*rest, table.rest_index[entry]);
            Cell { key, count: table.counts[entry] }
        };
        let base = merged((0..table.len()).map(row).collect());
        let shielded: BTreeSet<usize> =
            task.requirements.iter().flat_map(|requirement| &requirement.shield).copied().collect();
        let (fields, shielded) = (fields.to_vec(), shielded.into_iter().collect());
        Ok(Self { task, trees, fields, shielded, base })
    }

    /// The rows of a state, from the untouched table.
    pub(super) fn rows(&self, state: &State) -> Rows<W> {
        let mut rows = self.base.clone();
        for &q in &self.shielded {
            let released = self.trees[q].released(self.task.reach, q as u32, state);
            for row in &mut rows {
                row.key.set(self.fields[q], released[row.key.get(self.fields[q]) as usize]);
            }
        }
        merged(rows)
    }

    /// The figures of a table that is one step from another, from that one's rows.
    pub(super) fn figures_after(&self, rows: &Rows<W>, (attribute, target): Step) -> Figures {
        let (tree, field) = (&self.trees[attribute as usize], self.fields[attribute as usize]);
        let step = tree.step(self.task.reach, target);
        let stepped = |row: &Cell<W>| {
            let mut row = *row;
            row.key.set(field, step[row.key.get(field) as usize]);
            row
        };
        self.figures(&merged(rows.iter().map(stepped).collect()))
    }

    pub(super) fn figures(&self, rows: &Rows<W>) -> Figures {
        let mut violating: Vec<u32> = self.violations(rows).into_iter().map(|(row, _)| row).collect();
        violating.dedup();
        Figures { violations: violating.len(), rows: rows.len() }
    }

    /// Ascending by row.
    pub(super) fn violations(&self, rows: &Rows<W>) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (requirement, number) in self.task.requirements.iter().zip(0..) {
            let shields: Vec<Key<W>> = rows.iter().map(|row| self.shield(requirement, &row.key)).collect();
            let mut records: FxHashMap<&Key<W>, u64> = FxHashMap::default();
            for (shield, row) in shields.iter().zip(rows) {
                *records.entry(shield).or_default() += row.count;
            }
            let small = (0..).zip(&shields).filter(|(_, shield)| records[shield] < requirement.k);
            violations.extend(small.map(|(row, _)| (row, number)));
        }
        violations.sort_unstable();
        violations
    }

    /// A row without all that is not in the shield.
    fn shield(&self, requirement: &Requirement, key: &Key<W>) -> Key<W> {
        let mut shield = Key::ZERO;
        for &q in &requirement.shield {
            shield.set(self.fields[q], key.get(self.fields[q]));
        }
        shield
    }

    /// The generalizations by which a table is expanded (Algorithm 1, lines 1 and 7).
    pub(super) fn steps(&self, rows: &Rows<W>) -> Vec<Step> {
        let steps: BTreeSet<Step> = match (self.task.reach, self.task.search) {
            (Reach::FullDomain, _) => self.level_steps(rows),
            (Reach::Subtree, Search::Exhaustive) => {
                rows.iter().flat_map(|row| self.steps_of(&row.key, &self.shielded)).collect()
            }
            (Reach::Subtree, Search::Greedy) => {
                let violations = self.violations(rows).into_iter();
                violations.flat_map(|violation| self.steps_against(rows, violation)).collect()
            }
            (Reach::Subtree, Search::Iab) => {
                let violations = self.violations(rows).into_iter();
                let options = violations.map(|violation| self.steps_against(rows, violation));
                options.min_by_key(BTreeSet::len).unwrap_or_default()
            }
        };
        steps.into_iter().collect()
    }

    /// By levels all rows have the same steps: one for each attribute of a shield that is violated.
    fn level_steps(&self, rows: &Rows<W>) -> BTreeSet<Step> {
        let Some(row) = rows.first() else { return BTreeSet::new() };
        if self.task.search == Search::Exhaustive {
            return self.steps_of(&row.key, &self.shielded).collect();
        }
        let violated: BTreeSet<u32> =
            self.violations(rows).into_iter().map(|violation| violation.1).collect();
        let shield = |requirement: u32| &self.task.requirements[requirement as usize].shield;
        violated.into_iter().flat_map(|requirement| self.steps_of(&row.key, shield(requirement))).collect()
    }

    fn steps_against(&self, rows: &Rows<W>, (row, requirement): Violation) -> BTreeSet<Step> {
        let shield = &self.task.requirements[requirement as usize].shield;
        self.steps_of(&rows[row as usize].key, shield).collect()
    }

    /// What one step makes of a row's values.
    fn steps_of(&self, key: &Key<W>, attributes: &[usize]) -> impl Iterator<Item = Step> {
        attributes.iter().filter_map(|&q| {
            let node = key.get(self.fields[q]);
            let above = Some(self.trees[q].parent(node)).filter(|&above| above != NONE)?;
            let target = match self.task.reach {
                Reach::FullDomain => u32::from(self.trees[q].level(above)),
                Reach::Subtree => above,
            };
            Some((q as u32, target))
        })
    }

    /// A state with one more generalization.
    pub(super) fn state_after(&self, state: &State, step: Step) -> State {
        let absorbed = |old: &Step| {
            old.0 == step.0
                && (self.task.reach == Reach::FullDomain
                    || self.trees[step.0 as usize].is_under(old.1, step.1))
        };
        let mut after: State = state.iter().filter(|old| !absorbed(old)).copied().collect();
        after.insert(after.partition_point(|old| *old < step), step);
        after
    }
}

/// Ascending, records of equal rows added up.
fn merged<const W: usize>(mut rows: Rows<W>) -> Rows<W> {
    rows.sort_unstable();
    rows.dedup_by(|next, kept| {
        let same = next.key == kept.key;
        if same {
            kept.count += next.count;
        }
        same
    });
    rows
}

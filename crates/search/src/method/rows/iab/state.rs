//! Tables by subtrees: the set of a table's generalizations, its rows, and what they violate.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use velamen_core::classes::Cell;
use velamen_core::frequency::FrequencyTable;
use velamen_core::key::{Field, Key, Layout, bits_for};

use super::search::Tables;
use super::task::{Iab, Requirement, RowFigures, RowStrategy, too_wide};
use super::tree::{self, NONE, State, Step, Tree};
use crate::method::MethodError;

/// The distinct rows of a table, ascending, with their records.
pub(super) struct RowCells<const W: usize> {
    cells: Vec<Cell<W>>,
    /// By requirement and row, whether the row violates it.
    small: Vec<Vec<bool>>,
}

impl<const W: usize> RowCells<W> {
    fn violates(&self, row: usize) -> bool {
        self.small.iter().any(|small| small[row])
    }

    /// Rows, by position, and the requirements that they violate, ascending.
    fn violations(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let of_row = move |row: usize| {
            (0..self.small.len())
                .filter(move |&number| self.small[number][row])
                .map(move |number| (row, number))
        };
        (0..self.cells.len()).flat_map(of_row)
    }
}

/// The fields of a row: the values of each quasi-identifier, then the rest.
pub(super) fn layout(table: &FrequencyTable, task: &Iab<'_>) -> Result<Layout, MethodError> {
    let mut bits: Vec<u32> = tree::of(table, task)?.iter().map(|tree| bits_for(tree.len())).collect();
    bits.push(bits_for(table.rest.len));
    if bits.iter().any(|&bits| bits > 32) { Err(too_wide()) } else { Ok(Layout::new(&bits)) }
}

/// All tables that one table can be generalized to by subtrees.
pub(super) struct Space<'a, const W: usize> {
    task: &'a Iab<'a>,
    trees: Vec<Tree>,
    fields: Vec<Field>,
    /// The attributes of any shield, ascending.
    shielded: Vec<usize>,
    base: Vec<Cell<W>>,
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

    /// By row whether its combination of a shield's values has too few records.
    fn small(&self, rows: &[Cell<W>], requirement: &Requirement) -> Vec<bool> {
        let shields: Vec<Key<W>> = rows.iter().map(|row| self.shield(requirement, &row.key)).collect();
        let mut records: FxHashMap<&Key<W>, u64> = FxHashMap::default();
        for (shield, row) in shields.iter().zip(rows) {
            *records.entry(shield).or_default() += row.count;
        }
        shields.iter().map(|shield| records[shield] < requirement.k).collect()
    }

    /// A row without all that is not in the shield.
    fn shield(&self, requirement: &Requirement, key: &Key<W>) -> Key<W> {
        let mut shield = Key::ZERO;
        for &q in &requirement.shield {
            shield.set(self.fields[q], key.get(self.fields[q]));
        }
        shield
    }

    /// The steps of one violating row and requirement that leave fewest choices, the first of them.
    fn fewest(&self, rows: &RowCells<W>) -> Vec<Step> {
        let choices = |(row, requirement): &(usize, usize)| {
            self.steps_of(&rows.cells[*row].key, &self.task.requirements[*requirement].shield).count()
        };
        let least = rows.violations().min_by_key(choices);
        least.map_or_else(Vec::new, |violation| self.steps_against(rows, violation).collect())
    }

    fn steps_against(
        &self,
        rows: &RowCells<W>,
        (row, requirement): (usize, usize),
    ) -> impl Iterator<Item = Step> {
        self.steps_of(&rows.cells[row].key, &self.task.requirements[requirement].shield)
    }

    /// What one step makes of a row's values.
    fn steps_of(&self, key: &Key<W>, attributes: &[usize]) -> impl Iterator<Item = Step> {
        attributes.iter().filter_map(|&q| {
            let above = self.trees[q].parent(key.get(self.fields[q]));
            (above != NONE).then_some((q as u32, above))
        })
    }
}

impl<const W: usize> Tables for Space<'_, W> {
    type Held = RowCells<W>;

    /// From the untouched table.
    fn rows(&self, state: &State) -> RowCells<W> {
        let mut cells = self.base.clone();
        for &q in &self.shielded {
            let released = self.trees[q].released(q as u32, state);
            for row in &mut cells {
                row.key.set(self.fields[q], released[row.key.get(self.fields[q]) as usize]);
            }
        }
        let cells = merged(cells);
        let small =
            self.task.requirements.iter().map(|requirement| self.small(&cells, requirement)).collect();
        RowCells { cells, small }
    }

    fn figures(&self, rows: &RowCells<W>) -> RowFigures {
        let violations = (0..rows.cells.len()).filter(|&row| rows.violates(row)).count();
        RowFigures { violations, rows: rows.cells.len() }
    }

    fn steps(&self, rows: &RowCells<W>) -> Vec<Step> {
        let mut steps: Vec<Step> = match self.task.search {
            RowStrategy::Exhaustive => {
                rows.cells.iter().flat_map(|row| self.steps_of(&row.key, &self.shielded)).collect()
            }
            RowStrategy::Greedy => {
                rows.violations().flat_map(|violation| self.steps_against(rows, violation)).collect()
            }
            RowStrategy::Iab => self.fewest(rows),
        };
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    fn state_after(&self, state: &State, step: Step) -> State {
        let absorbed = |old: &Step| old.0 == step.0 && self.trees[step.0 as usize].is_under(old.1, step.1);
        let mut after: State = state.iter().filter(|old| !absorbed(old)).copied().collect();
        after.insert(after.partition_point(|old| *old < step), step);
        after
    }

    /// Only rows with a value under the target change: they alone can come to be equal, and their
    /// combinations alone can grow.
    fn figures_after(&self, rows: &RowCells<W>, (attribute, target): Step) -> RowFigures {
        let (tree, field) = (&self.trees[attribute as usize], self.fields[attribute as usize]);
        let under = tree.under(target);
        let (mut figures, mut changed) = (RowFigures { violations: 0, rows: 0 }, Vec::new());
        for (row, cell) in rows.cells.iter().enumerate() {
            if under[cell.key.get(field) as usize] {
                let mut cell = *cell;
                cell.key.set(field, target);
                changed.push((row, cell));
            } else {
                figures.rows += 1;
                figures.violations += usize::from(rows.violates(row));
            }
        }
        let (places, cells): (Vec<usize>, Vec<Cell<W>>) = changed.into_iter().unzip();
        let mut violates = vec![false; cells.len()];
        for (requirement, small) in self.task.requirements.iter().zip(&rows.small) {
            let small = match requirement.shield.contains(&(attribute as usize)) {
                true => self.small(&cells, requirement),
                false => places.iter().map(|&row| small[row]).collect(),
            };
            violates.iter_mut().zip(small).for_each(|(violates, small)| *violates |= small);
        }
        let mut seen: FxHashSet<Key<W>> = FxHashSet::default();
        for (cell, violates) in cells.iter().zip(violates) {
            if seen.insert(cell.key) {
                figures.rows += 1;
                figures.violations += usize::from(violates);
            }
        }
        figures
    }
}

/// Ascending, records of equal rows added up.
fn merged<const W: usize>(mut rows: Vec<Cell<W>>) -> Vec<Cell<W>> {
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

//! Empty cells: what was removed must leave no trace, and an empty cell where others have something is one.
//!
//! A release shows in which columns cells were emptied and not which, so that there every empty cell of a code, a number or a list counts as
//! a code of its own. At least k persons have it in its column, and beside each code of its row: whoever knows the test knows whose
//! result is missing. A reference counts in its column alone.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::sets::{Items, codes};
use super::{Kept, Rules, Why};
use crate::loaded::{Cells, NONE, Rows};
use crate::plan::{PlannedTable, Use};

/// Leaves out rows with an empty cell that fewer than k persons have. Of a table of which having a row is a person column, the
/// whole column is emptied in their place.
pub(super) fn apply(rules: &Rules<'_>, tables: &mut [Rows], kept: &mut Kept) {
    for (table, planned) in rules.plan.tables.iter().enumerate() {
        if planned.parent.is_none() || planned.is_made_anew {
            continue;
        }
        for place in 0..planned.columns.len() {
            let column = Column { planned, rows: &tables[table], table, place };
            let rows = column.alone(kept, rules.plan.k());
            if rows.is_empty() {
                continue;
            }
            if planned.is_person_column {
                let all: Vec<usize> = kept.of(table).collect();
                let emptied = empty(&mut tables[table].columns[place], &all);
                kept.count_emptied(table, place, emptied);
            } else {
                rows.into_iter().for_each(|row| kept.leave(table, row, Why::Empty));
            }
        }
    }
}

/// A column of a table.
struct Column<'a> {
    planned: &'a PlannedTable,
    rows: &'a Rows,
    table: usize,
    place: usize,
}

impl Column<'_> {
    /// The rows whose empty cell fewer than k persons have.
    fn alone(&self, kept: &Kept, k: usize) -> Vec<usize> {
        let used = &self.planned.columns[self.place].used;
        let is_counted = matches!(
            used,
            Use::Set { .. }
                | Use::MainCode
                | Use::Code
                | Use::Value { .. }
                | Use::Band { .. }
                | Use::Reference(_)
        );
        if !is_counted || !kept.was_emptied((self.table, self.place), used, self.rows) {
            return Vec::new();
        }
        let empty: Vec<usize> = kept.of(self.table).filter(|&row| self.is_empty(row, kept)).collect();
        if self.is_of_few(&empty, k) {
            return empty;
        }
        if matches!(used, Use::Reference(_)) {
            return Vec::new();
        }
        let kinds = (0..self.planned.columns.len()).filter(|&other| other != self.place);
        kinds.flat_map(|kind| self.beside(kind, &empty, &kept.items, k)).collect()
    }

    /// Whether rows are those of fewer than k persons.
    fn is_of_few(&self, rows: &[usize], k: usize) -> bool {
        let mut persons = FxHashSet::default();
        let mut is_kth = |row: usize| persons.insert(self.rows.persons[row]) && persons.len() >= k;
        !rows.iter().any(|&row| is_kth(row))
    }

    /// The rows of those with an empty cell that have a code in another column beside which fewer than k persons have one.
    fn beside(&self, kind: usize, empty: &[usize], items: &Items, k: usize) -> Vec<usize> {
        if !matches!(self.planned.columns[kind].used, Use::Set { .. } | Use::MainCode | Use::Code) {
            return Vec::new();
        }
        let of = items.column(self.table, kind);
        let shown = |code: u32| of.map_or(code, |of| items.node(of, code));
        let codes = |row: usize| codes(&self.rows.columns[kind], row).filter(|code| *code != 0);
        let mut having: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        for &row in empty {
            for code in codes(row).map(shown) {
                let having = having.entry(code).or_default();
                if having.len() < k {
                    having.insert(self.rows.persons[row]);
                }
            }
        }
        let is_rare = |row: &usize| codes(*row).map(shown).any(|code| having[&code].len() < k);
        empty.iter().copied().filter(is_rare).collect()
    }

    /// Whether a row's cell is empty in the release.
    fn is_empty(&self, row: usize, kept: &Kept) -> bool {
        match (&self.rows.columns[self.place], &self.planned.columns[self.place].used) {
            (Cells::Coded(coded), _) => coded.at(row) == 0,
            (Cells::Lists(lists), _) => lists.of_row(row).is_empty(),
            (Cells::Numbers(numbers), _) => numbers[row].is_nan(),
            (Cells::References(rows), Use::Reference(other)) => {
                rows[row] == NONE || !kept.rows[*other][rows[row] as usize]
            }
            _ => false,
        }
    }
}

/// Empties cells of a column; how many had something.
fn empty(cells: &mut Cells, rows: &[usize]) -> u64 {
    match cells {
        Cells::Coded(coded) => coded.empty(rows),
        Cells::Numbers(numbers) => {
            let had = rows.iter().filter(|row| !numbers[**row].is_nan()).count();
            numbers.put(rows.iter().copied(), f64::NAN);
            had as u64
        }
        Cells::References(targets) => {
            let targets = Arc::make_mut(targets);
            let had = rows.iter().filter(|row| targets[**row] != NONE).count();
            rows.iter().for_each(|&row| targets[row] = NONE);
            had as u64
        }
        Cells::Unread | Cells::Lists(_) | Cells::Days(_) => 0,
    }
}

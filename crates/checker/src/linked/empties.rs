//! Empty cells that mark a person: of codes, numbers, lists and references, beside each code of their rows.
//!
//! Rows ascend by person, which another promise checks. So a person who was seen last need not be kept.

use velamen_contract::linked::Column;

use super::codes::Numbered;
use super::faults::{Faults, Place};
use super::keys::NOBODY;
use super::plan::Planned;
use super::rows::Row;

/// The empty cells of a table.
#[derive(Default)]
pub(super) struct Empties<'a> {
    columns: Vec<Emptied<'a>>,
    kinds: Vec<Kind<'a>>,
}

/// A column whose empty cells count.
struct Emptied<'a> {
    place: usize,
    name: &'a str,
    /// Whether they count beside each code of their rows, too.
    by_kind: bool,
    all: Persons,
}

/// A column of codes, which say what a row is about.
struct Kind<'a> {
    place: usize,
    items: Option<&'a str>,
    numbered: Numbered,
    /// By column and code.
    beside: Vec<Vec<Persons>>,
}

impl Kind<'_> {
    /// Looks at a row with empty cells.
    fn see(&mut self, person: u32, row: &Row, columns: &[Emptied<'_>]) {
        let cell = row.get(self.place).unwrap_or_default();
        match self.items {
            None => self.add(cell, person, row, columns),
            Some(delimiter) => cell.split(delimiter).for_each(|code| self.add(code, person, row, columns)),
        }
    }

    /// Counts a person for each empty cell beside a code.
    fn add(&mut self, code: &str, person: u32, row: &Row, columns: &[Emptied<'_>]) {
        if code.is_empty() {
            return;
        }
        let number = self.numbered.number(code) as usize;
        let others = columns.iter().zip(&mut self.beside).filter(|(column, _)| column.place != self.place);
        for (_, persons) in others.filter(|(column, _)| column.by_kind && column.is_empty(row)) {
            if persons.len() <= number {
                persons.resize(number.saturating_add(1), Persons::NONE);
            }
            if let Some(persons) = persons.get_mut(number) {
                persons.add(person);
            }
        }
    }
}

impl Emptied<'_> {
    fn is_empty(&self, row: &Row) -> bool {
        row.get(self.place).is_some_and(str::is_empty)
    }
}

/// How many persons were seen.
#[derive(Clone, Copy)]
struct Persons {
    last: u32,
    number: u64,
}

impl Persons {
    const NONE: Self = Self { last: NOBODY, number: 0 };

    fn add(&mut self, person: u32) {
        if self.last != person {
            self.last = person;
            self.number = self.number.saturating_add(1);
        }
    }

    const fn are_some_below(&self, k: u64) -> bool {
        self.number > 0 && self.number < k
    }
}

impl<'a> Empties<'a> {
    /// Of a table's columns in which cells were emptied; nothing of that of persons, who stay without their codes.
    pub(super) fn of(planned: &Planned<'a>) -> Self {
        if planned.is_person() {
            return Self::default();
        }
        let (mut columns, mut kinds) = (Vec::new(), Vec::new());
        for (place, (name, column)) in planned.table.columns.iter().enumerate() {
            let by_kind = match column {
                Column::Code
                | Column::Value { .. }
                | Column::Band { .. }
                | Column::Set { items: Some(_) } => true,
                // Rows without their parent are nobody's and never looked at.
                Column::Reference { .. } => false,
                _ => continue,
            };
            if planned.table.emptied.contains(name) {
                columns.push(Emptied { place, name, by_kind, all: Persons::NONE });
            }
        }
        for (place, column) in planned.table.columns.values().enumerate() {
            let items = match column {
                Column::Code => None,
                Column::Set { items } => items.as_deref(),
                _ => continue,
            };
            let beside = vec![Vec::new(); columns.len()];
            kinds.push(Kind { place, items, numbered: Numbered::default(), beside });
        }
        Self { columns, kinds }
    }

    /// Looks at the next row.
    pub(super) fn see(&mut self, person: u32, row: &Row) {
        if person == NOBODY {
            return;
        }
        let mut has_empty = false;
        for column in self.columns.iter_mut().filter(|column| column.is_empty(row)) {
            column.all.add(person);
            has_empty |= column.by_kind;
        }
        if !has_empty {
            return;
        }
        for kind in &mut self.kinds {
            kind.see(person, row, &self.columns);
        }
    }

    /// The columns in which fewer than k persons have an empty cell, or have one beside a code.
    pub(super) fn faults(&self, table: &str, k: u64) -> Faults {
        let mut faults = Faults::default();
        for (at, column) in self.columns.iter().enumerate() {
            let place = Place::table(table).column(column.name);
            if column.all.are_some_below(k) {
                faults.add(place, "an empty cell that fewer persons have than promised");
            }
            let beside = self.kinds.iter().filter_map(|kind| kind.beside.get(at)).flatten();
            for _ in beside.filter(|persons| persons.are_some_below(k)) {
                faults.add(place, "an empty cell beside a code that fewer persons have than promised");
            }
        }
        faults
    }
}

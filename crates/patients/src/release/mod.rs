//! The released tables: columns as they are written, new keys, the order of the rows.

mod columns;
mod keys;
mod values;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use rayon::prelude::*;
use velamen_contract::linked::{Column, Dates, Table};
use velamen_core::context::Context;
use velamen_job::SecretKey;
use velamen_recipe::JobError;

pub(crate) use columns::Out;

use crate::by_person::ByPerson;
use crate::days::{Change, NO_DAY};
use crate::keep::Kept;
use crate::loaded::{NONE, Rows};
use crate::persons::Demographics;
use crate::plan::{Plan, Use};

/// All that a release is made from.
pub(crate) struct Making<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) tables: &'a [Rows],
    pub(crate) demographics: &'a Demographics,
    pub(crate) kept: &'a Kept,
    pub(crate) shifts: &'a [i32],
    pub(crate) key: &'a SecretKey,
}

/// New keys of the rows that others lead to: of the person of each row, or of the row that a reference names.
#[derive(Debug, Clone)]
pub(crate) struct NewKeys {
    rows: Arc<Vec<u32>>,
    numbers: Arc<Vec<u32>>,
}

impl NewKeys {
    /// By the row to which each leads, and the new keys of these.
    pub(crate) fn of(rows: &Arc<Vec<u32>>, numbers: &Arc<Vec<u32>>) -> Self {
        Self { rows: Arc::clone(rows), numbers: Arc::clone(numbers) }
    }

    /// The new key to which a row leads; [`NONE`] where there is none.
    pub(crate) fn at(&self, row: u32) -> u32 {
        self.numbers.get(self.rows[row as usize] as usize).copied().unwrap_or(NONE)
    }

    /// Those of all rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.rows.len() as u32).map(|row| self.at(row))
    }
}

/// A released table.
#[derive(Debug)]
pub(crate) struct Released {
    pub(crate) name: String,
    pub(crate) file: String,
    /// The columns that are written, each with what the manifest says of it.
    pub(crate) columns: Vec<(String, Column, Out)>,
    /// Original rows in the order of the release.
    pub(crate) order: Vec<u32>,
    /// The new key of each original row that is released, and [`NONE`] of others.
    pub(crate) numbers: Arc<Vec<u32>>,
    /// The new key of the person of each row.
    pub(crate) of_persons: NewKeys,
    pub(crate) parent: Option<String>,
    pub(crate) is_person_column: bool,
    pub(crate) is_referred_to: bool,
    pub(crate) window: Option<[String; 2]>,
    /// The columns in which cells were emptied.
    pub(crate) emptied: BTreeSet<String>,
}

impl Released {
    /// What the manifest says of it.
    pub(crate) fn entry(&self) -> Table {
        let column = |(name, column, _): &(String, Column, Out)| (name.clone(), column.clone());
        Table {
            file: format!("{}/{}", velamen_contract::linked::DATA, self.file),
            records: self.order.len() as u64,
            parent: self.parent.clone(),
            is_person_column: self.is_person_column,
            is_referred_to: self.is_referred_to,
            window: self.window.clone(),
            emptied: self.emptied.clone(),
            columns: self.columns.iter().map(column).collect::<IndexMap<_, _>>(),
        }
    }
}

impl Making<'_> {
    /// The released tables, that of persons first. A table without a row is released with its header.
    ///
    /// # Errors
    /// [`JobError::interrupted`].
    pub(crate) fn tables(&self, context: &Context<'_>) -> Result<Vec<Released>, JobError> {
        let all = 0..self.plan.tables.len();
        let numbers = all.map(|table| context.check().map(|()| Arc::new(self.numbers(table))));
        let numbers: Vec<Arc<Vec<u32>>> = numbers.collect::<Result<_, _>>()?;
        context.check()?;
        let changes = self.changes();
        let released = |table: usize| self.is_released(table);
        let places: Vec<usize> = (0..self.plan.tables.len()).filter(|&table| released(table)).collect();
        let made = |&table: &usize| {
            context.check()?;
            Ok(match self.plan.tables[table].is_made_anew {
                true => self.periods(table, &numbers, &changes),
                false => self.table(table, &numbers, &changes),
            })
        };
        places.par_iter().map(made).collect()
    }

    fn is_released(&self, table: usize) -> bool {
        let planned = &self.plan.tables[table];
        let hidden_fact = planned.is_person_column && !self.demographics.shows_fact(table);
        let hidden_period = planned.is_made_anew && self.plan.dates == Dates::None;
        !hidden_fact && !hidden_period
    }

    /// The rows of the tables that are released: a day of a death that is not shown must not show in others.
    fn shown(&self) -> impl Iterator<Item = (usize, &Rows)> {
        self.tables.iter().enumerate().filter(|(table, _)| self.is_released(*table))
    }

    /// How the days of each person change.
    fn changes(&self) -> Vec<Change> {
        let firsts = self.kept.first_days(self.shown(), self.tables[0].number);
        let change = |(&first, &shift): (&i32, &i32)| Change { dates: self.plan.dates, shift, first };
        firsts.iter().zip(self.shifts).map(change).collect()
    }

    fn table(&self, table: usize, numbers: &[Arc<Vec<u32>>], changes: &[Change]) -> Released {
        let (planned, rows) = (&self.plan.tables[table], &self.tables[table]);
        let of_persons = NewKeys::of(&rows.persons, &numbers[0]);
        let columns = columns::of(self, table, numbers, changes);
        let mut order: Vec<u32> = self.kept.of(table).map(|row| row as u32).collect();
        let content: Vec<&Out> =
            columns.iter().map(|(_, _, out)| out).filter(|out| out.is_content()).collect();
        // The order of the original says nothing: persons by their new numbers, then what the row shows, then its own.
        if planned.parent.is_none() && !has_key(self, table) {
            order.par_sort_unstable_by(|&a, &b| by_content(&content, &numbers[table], a, b));
        } else {
            order = ByPerson::of(&order, &|row| of_persons.at(row)).into_rows();
            let same_person = |a: &u32, b: &u32| of_persons.at(*a) == of_persons.at(*b);
            order
                .par_chunk_by_mut(same_person)
                .for_each(|rows| rows.sort_unstable_by(|&a, &b| by_content(&content, &numbers[table], a, b)));
        }
        let was_emptied =
            |place: &usize| self.kept.was_emptied((table, *place), &planned.columns[*place].used, rows);
        let emptied = (0..planned.columns.len()).filter(was_emptied);
        let emptied = emptied.map(|place| planned.columns[place].name.clone());
        Released {
            name: planned.name.clone(),
            file: planned.released.clone(),
            emptied: emptied.filter(|name| columns.iter().any(|(shown, ..)| shown == name)).collect(),
            columns,
            order,
            numbers: Arc::clone(&numbers[table]),
            of_persons,
            parent: planned.column(&Use::Parent).map(|place| planned.columns[place].name.clone()),
            is_person_column: planned.is_person_column,
            is_referred_to: planned.is_referred_to,
            window: planned.window_text.clone(),
        }
    }

    /// A row for each released person with days: from the first to the last of them.
    fn periods(&self, table: usize, numbers: &[Arc<Vec<u32>>], changes: &[Change]) -> Released {
        let planned = &self.plan.tables[table];
        let mut spans = vec![(i32::MAX, i32::MIN); self.tables[0].number];
        for (other, rows) in self.shown() {
            for days in (0..rows.columns.len()).filter_map(|column| rows.days(column)) {
                for row in self.kept.of(other).filter(|&row| days[row] != NO_DAY) {
                    let person = rows.persons[row] as usize;
                    let day = changes[person].of(days[row]);
                    spans[person] = (spans[person].0.min(day), spans[person].1.max(day));
                }
            }
        }
        let persons: Vec<u32> = (0..spans.len() as u32)
            .filter(|&person| {
                self.demographics.is_in(person) && spans[person as usize].0 <= spans[person as usize].1
            })
            .collect();
        let own = self.of_periods(&persons);
        let span = |which: fn(&(i32, i32)) -> i32| Out::Days(spans.iter().map(which).collect());
        let mut columns = Vec::new();
        for column in &planned.columns {
            let (entry, out) = match &column.used {
                Use::Key => (Column::Key, Out::Key),
                Use::Parent => (Column::Reference { table: self.plan.tables[0].name.clone() }, Out::Person),
                Use::FirstDate => (Column::Date, span(|span| span.0)),
                Use::PeriodEnd => (Column::Date, span(|span| span.1)),
                Use::Constant(value) => {
                    (Column::Constant { value: value.clone() }, Out::Constant(value.clone()))
                }
                _ => continue,
            };
            columns.push((column.name.clone(), entry, out));
        }
        let mut order = persons;
        order.sort_unstable_by_key(|&person| numbers[0][person as usize]);
        Released {
            name: planned.name.clone(),
            file: planned.released.clone(),
            columns,
            order,
            numbers: Arc::new(own),
            of_persons: NewKeys::of(&self.tables[0].persons, &numbers[0]),
            parent: planned.column(&Use::Parent).map(|place| planned.columns[place].name.clone()),
            is_person_column: false,
            is_referred_to: false,
            window: None,
            emptied: BTreeSet::new(),
        }
    }
}

/// The order of two rows by what they show, then by their own new keys.
fn by_content(content: &[&Out], own: &[u32], a: u32, b: u32) -> Ordering {
    let mut orders = content.iter().map(|out| out.order(a, b));
    let shown = orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
    shown.then_with(|| own[a as usize].cmp(&own[b as usize]))
}

/// Whether a table's rows show keys.
fn has_key(making: &Making<'_>, table: usize) -> bool {
    making.plan.tables[table].column(&Use::Key).is_some()
}

//! What each released column shows.

use std::cmp::Ordering;
use std::sync::Arc;

use indexmap::IndexMap;
use velamen_contract::linked::{Column, Shape};

use super::values;
use super::{Making, NewKeys};
use crate::compact::{Compact, Distinct};
use crate::days::{Change, NO_DAY, show};
use crate::keep::texts;
use crate::loaded::{Cells, Coded, NONE};
use crate::persons::Source;
use crate::plan::{PlannedColumn, Use};

/// A released column, by the rows of the original table.
#[derive(Debug)]
pub(crate) enum Out {
    /// The row's new key.
    Key,
    /// The new key of the row's person.
    Person,
    /// New keys of other rows, or [`NONE`].
    Keys(NewKeys),
    /// Texts in the order of their bytes.
    Texts(Coded),
    /// Days, or [`NO_DAY`].
    Days(Distinct<i32>),
    /// One text.
    Constant(String),
}

impl Out {
    /// The texts that it shows, if it shows any.
    pub(crate) const fn texts(&self) -> Option<&Coded> {
        match self {
            Self::Texts(coded) => Some(coded),
            _ => None,
        }
    }

    /// Whether it shows more than keys.
    pub(super) fn is_content(&self) -> bool {
        matches!(self, Self::Texts(_) | Self::Days(_))
    }

    /// The order of two rows by what they show.
    pub(super) fn order(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        match self {
            Self::Texts(coded) => coded.at(a).cmp(&coded.at(b)),
            Self::Days(days) => days[a].cmp(&days[b]),
            Self::Key | Self::Person | Self::Keys(_) | Self::Constant(_) => Ordering::Equal,
        }
    }

    /// A cell of it.
    pub(crate) fn cell<'a>(&'a self, row: u32, own: u32, person: u32, text: &'a mut String) -> &'a str {
        use std::fmt::Write as _;
        text.clear();
        let number = |text: &mut String, number: u32| {
            if number != NONE {
                let _ = write!(text, "{number}");
            }
        };
        match self {
            Self::Texts(coded) => return &coded.texts[coded.at(row as usize) as usize],
            Self::Constant(value) => return value,
            Self::Key => number(text, own),
            Self::Person => number(text, person),
            Self::Keys(keys) => number(text, keys.at(row)),
            Self::Days(days) if days[row as usize] != NO_DAY => text.push_str(&show(days[row as usize])),
            Self::Days(_) => {}
        }
        text
    }
}

/// The released columns of a table, in the file's order.
pub(super) fn of(
    making: &Making<'_>,
    table: usize,
    numbers: &[Arc<Vec<u32>>],
    changes: &[Change],
) -> Vec<(String, Column, Out)> {
    let planned = &making.plan.tables[table];
    let mut columns = Vec::new();
    for (place, column) in planned.columns.iter().enumerate() {
        let made = OneColumn { making, table, place, column, numbers, changes }.made();
        columns.extend(made.map(|(entry, out)| (column.name.clone(), entry, out)));
    }
    columns
}

/// A column of a table that is made.
struct OneColumn<'a> {
    making: &'a Making<'a>,
    table: usize,
    place: usize,
    column: &'a PlannedColumn,
    numbers: &'a [Arc<Vec<u32>>],
    changes: &'a [Change],
}

impl OneColumn<'_> {
    fn made(&self) -> Option<(Column, Out)> {
        let Making { plan, tables, .. } = self.making;
        let planned = &plan.tables[self.table];
        let cells = &tables[self.table].columns[self.place];
        Some(match (&self.column.used, cells) {
            (Use::Key, _) => (Column::Key, Out::Key),
            (Use::Parent, _) => {
                let parent = planned.parent?;
                let entry = Column::Reference { table: plan.tables[parent].name.clone() };
                match cells {
                    Cells::References(rows) => (entry, self.keys(parent, rows)),
                    _ => (entry, Out::Person),
                }
            }
            (Use::Reference(other), Cells::References(rows)) => {
                (Column::Reference { table: plan.tables[*other].name.clone() }, self.keys(*other, rows))
            }
            (Use::QuasiIdentifier { .. }, _) => return self.person_column(),
            (Use::Set { items, .. }, _) => {
                (Column::Set { items: items.clone() }, Out::Texts(self.items(items.as_deref())))
            }
            (Use::MainCode | Use::Code, Cells::Coded(coded)) => (Column::Code, Out::Texts(coded.clone())),
            (Use::Insensitive, Cells::Coded(coded)) => (Column::Insensitive, Out::Texts(coded.clone())),
            (Use::Value { by, digits }, Cells::Numbers(found)) => {
                let entry = Column::Value { by: self.names(by), digits: *digits };
                (entry, Out::Texts(values::rounded(self.making, self.table, found, by)))
            }
            (Use::Band { bounds, by }, Cells::Numbers(found)) => (
                Column::Band { bounds: bounds.clone(), by: self.names(by) },
                Out::Texts(values::banded(found, bounds)),
            ),
            (Use::FirstDate | Use::Date, Cells::Days(days))
                if plan.dates != velamen_contract::linked::Dates::None =>
            {
                (Column::Date, Out::Days(self.days(days)))
            }
            (Use::Constant(value), _) => {
                (Column::Constant { value: value.clone() }, Out::Constant(value.clone()))
            }
            _ => return None,
        })
    }

    /// The names of columns of the same table that are released.
    fn names(&self, places: &[usize]) -> Vec<String> {
        let Making { plan, tables, .. } = self.making;
        let shown = places.iter().filter(|&&place| tables[self.table].coded(place).is_some());
        shown.map(|&place| plan.tables[self.table].columns[place].name.clone()).collect()
    }

    /// The new keys of the rows that are pointed to and stay.
    fn keys(&self, other: usize, rows: &Arc<Vec<u32>>) -> Out {
        Out::Keys(NewKeys::of(rows, &self.numbers[other]))
    }

    fn days(&self, days: &Distinct<i32>) -> Distinct<i32> {
        let persons = &self.making.tables[self.table].persons;
        let change = |(day, &person): (i32, &u32)| {
            if day == NO_DAY { day } else { self.changes[person as usize].of(day) }
        };
        days.iter().zip(persons.iter()).map(change).collect()
    }

    /// Codes as they climbed; a list is written in the order of its codes.
    fn items(&self, between: Option<&str>) -> Coded {
        let Making { tables, kept, .. } = self.making;
        let cells = &tables[self.table].columns[self.place];
        let Some(of) = kept.items.column(self.table, self.place) else { return Coded::default() };
        let texts = texts(cells);
        let shown = |code: u32| kept.items.text(of, texts, code).to_owned();
        match cells {
            Cells::Coded(coded) => Coded::of((0..texts.len() as u32).map(shown).collect(), &coded.codes),
            Cells::Lists(lists) => {
                let joined = |list: &Vec<u32>| {
                    let mut items: Vec<String> = list.iter().map(|&code| shown(code)).collect();
                    items.sort_unstable();
                    items.dedup();
                    items.join(between.unwrap_or(";"))
                };
                Coded::of(lists.lists.iter().map(joined).collect(), &lists.cells)
            }
            _ => Coded::default(),
        }
    }

    /// A person column at its level; one that shows nothing is left out, and a concept of OMOP is 0 then.
    fn person_column(&self) -> Option<(Column, Out)> {
        let Making { plan, demographics, kept, .. } = self.making;
        let place = demographics.attributes.iter().position(|a| a.source == Source::Column(self.place))?;
        let (attribute, number) = (&demographics.attributes[place], demographics.node[place]);
        let level = &attribute.levels[usize::from(number)];
        if level.is_empty() {
            let is_concept =
                plan.shape == Shape::Omop && self.column.name.to_ascii_lowercase().ends_with("_concept_id");
            return is_concept.then(|| (Column::Constant { value: "0".into() }, Out::Constant("0".into())));
        }
        let codes: Compact = attribute.leaves.iter().map(|&leaf| level.map[leaf as usize]).collect();
        let mut used: Vec<u32> = kept.of(0).map(|row| codes.at(row)).collect();
        used.sort_unstable();
        used.dedup();
        let label = |&code: &u32| (level.values[code as usize].clone(), level.labels[code as usize].clone());
        let mut labels: Vec<(String, String)> = used.iter().map(label).collect();
        labels.sort_unstable();
        let labels: IndexMap<String, String> = labels.into_iter().collect();
        let levels = if attribute.is_local { 0 } else { attribute.levels.len() as u8 };
        let out = Out::Texts(Coded::of(level.values.clone(), &codes));
        Some((Column::QuasiIdentifier { level: number, levels, labels }, out))
    }
}

//! The cells of a released row beside those of its original.

use velamen_contract::linked::{Column, Dates, Shape};

use super::days;
use super::faults::Kind;
use super::numbers::{Ends, Number};
use crate::beside::{Pair, Pairs, key};

/// A released row and an original one.
pub(super) struct Row<'a> {
    pub(super) pair: &'a Pair<'a>,
    pub(super) pairs: &'a Pairs<'a>,
    pub(super) row: usize,
    pub(super) original: usize,
    /// The ends of numbers; without them any number can stand at an end.
    pub(super) ends: Option<&'a Ends>,
}

impl<'a> Row<'a> {
    /// What is wrong with it, by column.
    pub(super) fn faults(&self) -> Vec<(Kind, &'a str)> {
        let columns = self.pair.table.columns.iter();
        columns.filter_map(|(name, column)| Some((self.fault(name, column)?, name.as_str()))).collect()
    }

    fn fault(&self, name: &str, column: &Column) -> Option<Kind> {
        let (released, original) =
            (self.pair.released.cell(name, self.row), self.pair.original.cell(name, self.original));
        let custody = self.pairs.custody;
        let table = self.pair.name;
        let (kind, fits) = match column {
            Column::Key | Column::Constant { .. } => return None,
            Column::Reference { table } if self.pair.table.parent.as_deref() == Some(name) => {
                (Kind::Persons, custody.original(table, released) == Some(original))
            }
            Column::Reference { table } => {
                let leads = || custody.original(table, released) == Some(original);
                (Kind::References, released.is_empty() || leads())
            }
            Column::QuasiIdentifier { .. } => {
                (Kind::PersonColumns, custody.shows(table, name, original, released))
            }
            Column::Set { items } => (Kind::Codes, self.are_own(name, items.as_deref(), released, original)),
            Column::Code | Column::Insensitive => {
                // By the custodian's record no cell of the column was emptied. Units that are not known are no cells of FHIR.
                let is_kept = self.pairs.manifest.shape != Shape::Fhir;
                let stays = is_kept && custody.was_emptied(table, name) == Some(false);
                (Kind::Codes, released == original || released.is_empty() && !stays)
            }
            Column::Value { by, digits } => {
                let by_original = key(self.pair.table).map(|_| self.original);
                let group = self.pair.group(by, self.row, by_original);
                let number = Number { column: name, group: &group, released, original };
                (Kind::Numbers, number.fits(*digits, self.ends))
            }
            Column::Band { bounds, .. } => {
                let number = Number { column: name, group: "", released, original };
                (Kind::Numbers, number.is_in_band(bounds))
            }
            Column::Date => (Kind::Dates, released.is_empty() || self.is_changed_day(released, original)),
        };
        (!fits).then_some(kind)
    }

    /// Whether each released code is one of the row's, or what stands for it.
    fn are_own(&self, column: &str, between: Option<&str>, released: &str, original: &str) -> bool {
        let custody = self.pairs.custody;
        let Some(between) = between else {
            return released.is_empty() || custody.shown(self.pair.name, column, original) == released;
        };
        let own = original.split(between).map(str::trim).filter(|code| !code.is_empty());
        let shown: Vec<&str> = own.map(|code| custody.shown(self.pair.name, column, code)).collect();
        released.split(between).filter(|code| !code.is_empty()).all(|code| shown.contains(&code))
    }

    /// Whether a day is the original one changed. Relative days are looked at by person.
    fn is_changed_day(&self, released: &str, original: &str) -> bool {
        let (Some(after), Some(before)) = (days::day(released), days::day(original)) else { return false };
        match self.pairs.manifest.dates {
            Dates::None => false,
            Dates::Year => days::is_year_of(after, before),
            Dates::Shift(most) => {
                let shift = self.pairs.custody.shift(&self.pair.persons[self.original]);
                shift.is_some_and(|days| {
                    days.unsigned_abs() <= most && days::between(before, after) == i64::from(days)
                })
            }
            Dates::Relative(_) => true,
        }
    }
}

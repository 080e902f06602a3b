//! Rows that stand where codes were removed.
//!
//! A visit of the original has rows with codes of a table; the released visit has none of them. The visit itself and what
//! else refers to it stand without their reason: a drug, a measurement. Who is the only person of their class with the
//! code of such a row is singled out by it.
//!
//! A cell of the original has a code or a number, and the released cell is empty. Who is the only person of their class with an
//! empty cell there, beside the code of such a row, is singled out by it.

use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::Column;

use super::known::Adversary;
use super::side::{Which, owners};
use crate::beside::{Pair, Pairs, key};
use crate::loaded::NONE;

/// What removed codes left behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Traces {
    /// Released rows that stand where all codes of a table were removed, or of which a cell was emptied.
    pub rows: u64,
    /// Persons who have one.
    pub persons: u64,
    /// Persons whom the code of one singles out among those of their person columns.
    pub alone: u64,
}

/// A visit: its table, and its row.
type Visit<'a> = (&'a str, u32);

/// What a row shows of what was removed: its table, the column of an empty cell or none, and the code that it is about.
type Sign<'a> = (&'a str, Option<&'a str>, String);

/// Counts them.
pub(super) fn traces(pairs: &Pairs<'_>, adversary: &Adversary) -> Traces {
    let owners = owners(pairs, Which::Released);
    let lost = lost(pairs);
    let mut holders: FxHashMap<Sign<'_>, FxHashSet<u32>> = FxHashMap::default();
    let (mut found, mut rows) = (Vec::new(), 0);
    for pair in pairs.all() {
        let visits = visits(pair, pairs, Which::Released);
        let about = code(pair);
        let emptied = emptied(pair);
        for (row, &person) in owners[pair.name].iter().enumerate().filter(|(_, person)| **person != NONE) {
            let code = about.map_or("", |about| pair.released.cell(about, row));
            let sign = |column| (pair.name, column, code.to_owned());
            let before = found.len();
            holders.entry(sign(None)).or_default().insert(person);
            let own = key(pair.table).map(|_| (pair.name, row as u32));
            let of_row = visits[row].iter().chain(&own);
            if of_row.filter_map(|visit| lost.get(visit)).flatten().any(|table| *table != pair.name) {
                found.push((person, sign(None)));
            }
            for &column in emptied.iter().filter(|column| pair.released.cell(column, row).is_empty()) {
                holders.entry(sign(Some(column))).or_default().insert(person);
                if was_emptied(pair, column, row) {
                    found.push((person, sign(Some(column))));
                }
            }
            rows += u64::from(found.len() > before);
        }
    }
    let persons: FxHashSet<u32> = found.iter().map(|(person, _)| *person).collect();
    let is_alone = |(person, sign): &(u32, Sign<'_>)| {
        let holders = holders.get(sign);
        let mut others = adversary.class_of(*person).iter().filter(|other| *other != person);
        !others.any(|other| holders.is_some_and(|holders| holders.contains(other)))
    };
    let alone: FxHashSet<u32> = found.iter().filter(|row| is_alone(row)).map(|(person, _)| *person).collect();
    Traces { rows, persons: persons.len() as u64, alone: alone.len() as u64 }
}

/// The columns of a table of which cells were emptied.
fn emptied<'a>(pair: &Pair<'a>) -> Vec<&'a str> {
    if pair.table.parent.is_none() {
        return Vec::new();
    }
    let names = pair
        .table
        .columns
        .iter()
        .filter(|(name, column)| is_counted(pair, name, column))
        .map(|(name, _)| name.as_str());
    names.filter(|name| (0..pair.released.rows).any(|row| was_emptied(pair, name, row))).collect()
}

/// Whether empty cells of a column show that something was removed.
fn is_counted(pair: &Pair<'_>, name: &str, column: &Column) -> bool {
    match column {
        Column::Set { .. } | Column::Code | Column::Value { .. } | Column::Band { .. } => true,
        Column::Reference { .. } => pair.table.parent.as_deref() != Some(name),
        _ => false,
    }
}

/// Whether a released cell is empty where the original one is not.
fn was_emptied(pair: &Pair<'_>, column: &str, row: usize) -> bool {
    let original = || pair.rows[row].map_or("", |row| pair.original.cell(column, row as usize));
    pair.released.cell(column, row).is_empty() && !original().trim().is_empty()
}

/// The column that says what a row is about: that of a set, or the one of most codes; a status has few.
fn code<'a>(pair: &Pair<'a>) -> Option<&'a str> {
    let columns = pair.table.columns.iter();
    let set = columns.clone().find(|(_, column)| matches!(column, Column::Set { .. }));
    let codes = columns.filter(|(_, column)| matches!(column, Column::Code));
    let most = || codes.rev().max_by_key(|(name, _)| distinct(pair, name));
    set.or_else(most).map(|(name, _)| name.as_str())
}

/// The number of different cells of a released column.
fn distinct(pair: &Pair<'_>, name: &str) -> usize {
    let cells: FxHashSet<&str> = (0..pair.released.rows).map(|row| pair.released.cell(name, row)).collect();
    cells.len()
}

/// The rows of other tables, but that of persons, to which each row refers.
fn visits<'a>(pair: &Pair<'_>, pairs: &'a Pairs<'_>, which: Which) -> Vec<Vec<Visit<'a>>> {
    let texts = which.of(pair);
    let mut visits = vec![Vec::new(); texts.rows];
    for (name, column) in &pair.table.columns {
        let Column::Reference { table } = column else { continue };
        let Some(other) = pairs.of(table).filter(|other| other.table.parent.is_some()) else { continue };
        let rows = which.of(other).rows_by(key(other.table).unwrap_or_default());
        for (row, visits) in visits.iter_mut().enumerate() {
            visits.extend(rows.get(texts.cell(name, row)).map(|&visit| (other.name, visit)));
        }
    }
    visits
}

/// The visits to which rows with codes of each table refer.
fn with_codes<'a>(pairs: &'a Pairs<'_>, which: Which) -> FxHashSet<(&'a str, Visit<'a>)> {
    let mut with = FxHashSet::default();
    for pair in pairs.all() {
        let is_set =
            |(name, column): (&'a String, &Column)| matches!(column, Column::Set { .. }).then_some(name);
        let Some(set) = pair.table.columns.iter().find_map(is_set) else { continue };
        for (row, visits) in visits(pair, pairs, which).into_iter().enumerate() {
            if !which.of(pair).cell(set, row).is_empty() {
                with.extend(visits.into_iter().map(|visit| (pair.name, visit)));
            }
        }
    }
    with
}

/// The tables all of whose rows with codes each released visit lost.
fn lost<'a>(pairs: &'a Pairs<'_>) -> FxHashMap<Visit<'a>, Vec<&'a str>> {
    let (before, after) = (with_codes(pairs, Which::Original), with_codes(pairs, Which::Released));
    let tables: FxHashSet<&str> = before.iter().map(|(table, _)| *table).collect();
    let mut lost: FxHashMap<Visit<'_>, Vec<&str>> = FxHashMap::default();
    for pair in pairs.all().filter(|pair| pair.table.parent.is_some()) {
        for (row, original) in pair.rows.iter().enumerate() {
            let Some(original) = original else { continue };
            let visit = (pair.name, row as u32);
            let gone = |table: &&&str| {
                before.contains(&(**table, (pair.name, *original))) && !after.contains(&(**table, visit))
            };
            let tables: Vec<&str> = tables.iter().filter(gone).copied().collect();
            if !tables.is_empty() {
                lost.insert(visit, tables);
            }
        }
    }
    lost
}

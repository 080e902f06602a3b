//! What tables show of persons: person columns, codes and days, of a release or of an original.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use velamen_contract::linked::{Column, LinkedManifest, Table};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_recipe::JobError;
use velamen_sets::Sets;

use crate::compact::Compact;
use crate::days::{self, NO_DAY};
use crate::fhir::{self, Held};
use crate::keep::{Items, first_items};
use crate::key_texts::Values;
use crate::loaded::{NONE, RowOf, Rows};
use crate::plan::folder::reading;
use crate::plan::{Plan, Use};
use crate::release::{Out, Released};

/// What the tables show, by person.
pub(crate) struct Shown {
    /// The values of the person columns.
    columns: Vec<Vec<u32>>,
    /// The codes of each.
    pub(crate) sets: Sets,
    /// The first days of each person.
    days: Vec<FirstDays>,
}

/// The gaps between the first three days of a person, where there are three.
type TwoGaps = Option<(i32, i32)>;

/// How many persons are known by the gaps between their days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// Persons with three different days or more.
    pub(crate) with_three_days: u64,
    /// Those of them who are alone by the gaps between their first three days.
    pub(crate) alone: u64,
}

impl Gaps {
    /// Of all persons.
    pub(crate) fn of(gaps: &[TwoGaps]) -> Self {
        let mut counts: FxHashMap<(i32, i32), u64> = FxHashMap::default();
        gaps.iter().flatten().for_each(|gaps| *counts.entry(*gaps).or_default() += 1);
        let alone = counts.values().filter(|count| **count == 1).count() as u64;
        Self { with_three_days: counts.values().sum(), alone }
    }

    /// Of the tables of a release that is made.
    pub(crate) fn of_released(tables: &[Released]) -> Self {
        let persons =
            tables.iter().flat_map(|table| table.of_persons.iter()).filter(|person| *person != NONE);
        let mut days = vec![FirstDays::NONE; persons.max().map_or(0, |most| most as usize + 1)];
        for table in tables {
            let dates = table.columns.iter().filter_map(|(_, column, out)| match (column, out) {
                (Column::Date, Out::Days(days)) => Some(days),
                _ => None,
            });
            for date in dates {
                for &row in table.order.iter().filter(|row| date[**row as usize] != NO_DAY) {
                    if let Some(of) = days.get_mut(table.of_persons.at(row) as usize) {
                        of.add(date[row as usize]);
                    }
                }
            }
        }
        Self::of(&days.iter().map(FirstDays::gaps).collect::<Vec<_>>())
    }

    /// Of the released tables in a folder.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if a table cannot be read.
    pub(crate) fn read(
        release: &Path,
        manifest: &LinkedManifest,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let is_read = |of: &Column| matches!(of, Column::Key | Column::Reference { .. } | Column::Date);
        Ok(Self::of(&Shown::of(release, manifest, &is_read, context)?.gaps()))
    }
}

/// The first three different days of a person, in their order; [`LATER`] in place of those that there are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FirstDays([i32; 3]);

/// A day after all others.
const LATER: i32 = i32::MAX;

impl FirstDays {
    const NONE: Self = Self([LATER; 3]);

    fn add(&mut self, mut day: i32) {
        for first in &mut self.0 {
            if day == *first {
                return;
            }
            if day < *first {
                std::mem::swap(first, &mut day);
            }
        }
    }

    /// The gaps between them.
    fn gaps(&self) -> TwoGaps {
        let [first, second, third] = self.0;
        (third != LATER).then(|| (second - first, third - second))
    }
}

/// A column's texts and the text of each row.
type Texts = (Values, Compact);

/// The columns of a table that are looked at.
struct Cells<'a> {
    table: &'a Table,
    texts: FxHashMap<&'a str, Texts>,
    rows: usize,
}

impl Shown {
    /// All of a release.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if a table cannot be read.
    pub(crate) fn read(
        release: &Path,
        manifest: &LinkedManifest,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        Self::of(release, manifest, &shows_persons, context)
    }

    /// All of an original that its plan would release, as recorded.
    pub(crate) fn of_original(plan: &Plan, tables: &[Rows]) -> Self {
        let (planned, rows) = (&plan.tables[0], &tables[0]);
        let is_known = |place: &usize| matches!(planned.columns[*place].used, Use::QuasiIdentifier { .. });
        let known = (0..planned.columns.len()).filter(is_known);
        let mut columns: Vec<Vec<u32>> =
            known.filter_map(|place| Some(rows.coded(place)?.codes.iter().collect())).collect();
        for fact in plan.facts() {
            columns.push(has_row(rows.number, &tables[fact].persons));
        }
        let mut days = vec![FirstDays::NONE; rows.number];
        for (rows, planned) in tables.iter().zip(&plan.tables).filter(|(_, planned)| !planned.is_made_anew) {
            for dates in (0..planned.columns.len()).filter_map(|column| rows.days(column)) {
                for (day, &person) in dates.iter().zip(rows.persons.iter()).filter(|(day, _)| *day != NO_DAY)
                {
                    if let Some(of) = days.get_mut(person as usize) {
                        of.add(day);
                    }
                }
            }
        }
        Self { columns, sets: first_items(&Items::of(plan, tables), tables), days }
    }

    /// The gaps between the first three days of each person.
    pub(crate) fn gaps(&self) -> Vec<TwoGaps> {
        self.days.iter().map(FirstDays::gaps).collect()
    }

    fn of(
        release: &Path,
        manifest: &LinkedManifest,
        is_read: &dyn Fn(&Column) -> bool,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        lead_to_persons(manifest)?;
        let mut tables = BTreeMap::new();
        let mut held = fhir::rows_of(release, manifest, &|| context.check().is_err())?;
        for (name, table) in &manifest.tables {
            context.check()?;
            let cells = match &mut held {
                Some(held) => Cells::held(held.remove(name), table, is_read)?,
                None => Cells::read((&release.join(&table.file), table), is_read, context)?,
            };
            tables.insert(name.as_str(), cells);
        }
        let persons = tables.get(manifest.persons.table.as_str()).map_or(0, |cells| cells.rows);
        let mut shown = Self {
            columns: Vec::new(),
            sets: Sets::from_pairs(persons, Vec::new()),
            days: vec![FirstDays::NONE; persons],
        };
        let (mut pairs, mut items) = (Vec::new(), FxHashMap::default());
        for (name, table) in &manifest.tables {
            let whose = whose(name, manifest, &tables, 0);
            if let Some(row) = whose.iter().position(|person| *person as usize >= persons) {
                let problem = format!("{}: row {} belongs to no released person", table.file, row + 1);
                return Err(damaged(Problem::new(problem)));
            }
            shown.take(name, &tables[name.as_str()], &whose, &mut items, &mut pairs);
            if table.is_person_column {
                shown.columns.push(has_row(persons, &whose));
            }
        }
        shown.sets = Sets::from_pairs(persons, pairs);
        Ok(shown)
    }

    /// Takes what a table shows.
    fn take<'a>(
        &mut self,
        name: &'a str,
        cells: &Cells<'a>,
        whose: &[u32],
        items: &mut FxHashMap<(&'a str, &'a str, String), u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        for (column, of) in &cells.table.columns {
            let Some((values, codes)) = cells.texts.get(column.as_str()) else { continue };
            match of {
                Column::QuasiIdentifier { .. } => self.columns.push(codes.iter().collect()),
                Column::Set { items: between } => {
                    let of = (name, column.as_str());
                    let numbers = (0..values.len())
                        .map(|value| numbered(&values.text(value), between.as_deref(), of, items));
                    let numbers: Vec<Vec<u32>> = numbers.collect();
                    for (code, &person) in codes.iter().zip(whose) {
                        pairs.extend(numbers[code as usize].iter().map(|&number| (person, number)));
                    }
                }
                Column::Date => {
                    let days: Vec<Option<i32>> =
                        (0..values.len()).map(|value| days::parse(&values.text(value))).collect();
                    for (code, &person) in codes.iter().zip(whose) {
                        if let (Some(day), Some(of)) =
                            (days[code as usize], self.days.get_mut(person as usize))
                        {
                            of.add(day);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The class of each person, and the sizes of all.
    pub(crate) fn classes(&self) -> (Vec<u32>, Vec<u64>) {
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut sizes: Vec<u64> = Vec::new();
        let mut classes = Vec::new();
        for person in 0..self.days.len() {
            let values: Vec<u32> = self.columns.iter().map(|column| column[person]).collect();
            let class = *known.entry(values).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[class as usize] += 1;
            classes.push(class);
        }
        (classes, sizes)
    }
}

/// The numbers of the codes of a cell.
fn numbered<'a>(
    cell: &str,
    between: Option<&str>,
    (table, column): (&'a str, &'a str),
    items: &mut FxHashMap<(&'a str, &'a str, String), u32>,
) -> Vec<u32> {
    let parts = between.map_or_else(|| vec![cell], |between| cell.split(between).collect());
    let mut numbers = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let next = items.len() as u32;
        numbers.push(*items.entry((table, column, part.to_owned())).or_insert(next));
    }
    numbers
}

impl<'a> Cells<'a> {
    fn read(
        (file, table): (&Path, &'a Table),
        is_read: &dyn Fn(&Column) -> bool,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let input = Input::open(file, &reading(None))?;
        let wanted: Vec<&'a String> =
            table.columns.iter().filter(|(_, of)| is_read(of)).map(|(name, _)| name).collect();
        let mut requests = Vec::new();
        for name in &wanted {
            let index = input.columns.iter().position(|column| column == *name);
            let index = index.ok_or_else(|| no_column(table, name))?;
            requests.push(ColumnRequest::as_recorded(index, name));
        }
        let read = input.read_in_order(&requests, context)?;
        let rows = read.codes.first().map_or(0, Vec::len);
        let names = wanted.into_iter().map(String::as_str);
        let codes = read.codes.into_iter().map(|codes| codes.into_iter().collect());
        let texts = names.zip(read.values.into_iter().map(Values::Each).zip(codes)).collect();
        Ok(Self { table, texts, rows })
    }

    /// As [`Self::read`], of rows that are in memory; of a kind of which no resource is released there are none.
    fn held(
        mut held: Option<Held>,
        table: &'a Table,
        is_read: &dyn Fn(&Column) -> bool,
    ) -> Result<Self, JobError> {
        let rows = held.as_ref().map_or(0, Held::rows);
        let mut texts = FxHashMap::default();
        for (name, _) in table.columns.iter().filter(|(_, of)| is_read(of)) {
            let of_column = match &mut held {
                None => (Values::Each(Vec::new()), Compact::default()),
                Some(held) => held.take_named(name).ok_or_else(|| no_column(table, name))?,
            };
            texts.insert(name.as_str(), of_column);
        }
        Ok(Self { table, texts, rows })
    }
}

fn no_column(table: &Table, name: &str) -> JobError {
    JobError::data(format!("{}: no column `{name}`", table.file)).expected("the columns of release.json")
}

/// The refusal of a release that is damaged, or of none.
fn damaged(problem: Problem) -> JobError {
    JobError::data(
        problem.mend("ask for the release again; `velamen verify` says what is wrong with this one"),
    )
}

/// Refuses a manifest whose tables do not lead to its persons.
fn lead_to_persons(manifest: &LinkedManifest) -> Result<(), JobError> {
    let persons = &manifest.persons.table;
    if manifest.tables.get(persons).is_none_or(|table| table.parent.is_some()) {
        return Err(refuse(persons, "is to be that of persons, and is not"));
    }
    for (name, table) in &manifest.tables {
        if table.columns.values().any(|of| refers_to_none(manifest, of)) {
            return Err(refuse(name, "refers to one that is not there"));
        }
        let is_person_column = |of: &Column| matches!(of, Column::QuasiIdentifier { .. });
        if name != persons && table.columns.values().any(is_person_column) {
            return Err(refuse(name, "has a person column, and its rows are no persons"));
        }
        let chain = std::iter::successors(Some(name.as_str()), |name| above(manifest, name));
        if chain.take(manifest.tables.len()).last() != Some(persons.as_str()) {
            return Err(refuse(name, "leads to no person"));
        }
    }
    Ok(())
}

/// Whether a column refers to a table that is not there.
fn refers_to_none(manifest: &LinkedManifest, of: &Column) -> bool {
    matches!(of, Column::Reference { table } if !manifest.tables.contains_key(table))
}

/// The refusal of a table that does not lead to persons.
fn refuse(name: &str, what: &str) -> JobError {
    let problem = Problem::new(format!("release.json: table `{name}` {what}"));
    damaged(problem.expected("tables that belong to the persons"))
}

/// The table to whose rows those of a table belong.
fn above<'a>(manifest: &'a LinkedManifest, name: &str) -> Option<&'a str> {
    let table = manifest.tables.get(name)?;
    match table.columns.get(table.parent.as_ref()?)? {
        Column::Reference { table } => Some(table),
        _ => None,
    }
}

/// The person of each row of a table, by their row in the table of persons.
fn whose(
    name: &str,
    manifest: &LinkedManifest,
    tables: &BTreeMap<&str, Cells<'_>>,
    depth: usize,
) -> Vec<u32> {
    let Some(cells) = tables.get(name).filter(|_| depth <= manifest.tables.len()) else { return Vec::new() };
    let Some(parent) = &cells.table.parent else { return (0..cells.rows as u32).collect() };
    let (Some(Column::Reference { table }), Some((values, codes))) =
        (cells.table.columns.get(parent), cells.texts.get(parent.as_str()))
    else {
        return Vec::new();
    };
    let above = whose(table, manifest, tables, depth + 1);
    let rows = rows_by_key(&tables[table.as_str()]);
    let row = |value: usize| rows.as_ref().and_then(|rows| rows.row(values, value));
    let person = |value: usize| row(value).and_then(|row| above.get(row as usize)).copied();
    let by_value: Vec<u32> = (0..values.len()).map(|value| person(value).unwrap_or(u32::MAX)).collect();
    codes.iter().map(|code| by_value[code as usize]).collect()
}

/// The row of each key of a table.
fn rows_by_key(cells: &Cells<'_>) -> Option<RowOf> {
    let key =
        cells.table.columns.iter().find(|(_, of)| matches!(of, Column::Key)).map(|(name, _)| name.as_str());
    let (values, codes) = cells.texts.get(key?)?;
    Some(RowOf::of_texts(values, codes))
}

/// Whether a column shows something of persons, or whose its rows are.
fn shows_persons(of: &Column) -> bool {
    matches!(
        of,
        Column::Key
            | Column::Reference { .. }
            | Column::QuasiIdentifier { .. }
            | Column::Set { .. }
            | Column::Date
    )
}

/// By person, 1 if one of the rows is theirs.
fn has_row(persons: usize, whose: &[u32]) -> Vec<u32> {
    let mut has = vec![0; persons];
    for &person in whose {
        if let Some(has) = has.get_mut(person as usize) {
            *has = 1;
        }
    }
    has
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_those_of_the_first_three_different_days() {
        let gaps = |days: &[i32]| {
            let mut first = FirstDays::NONE;
            days.iter().for_each(|&day| first.add(day));
            first.gaps()
        };
        assert_eq!(gaps(&[9, 4, 4, 100, 2, 9, 4, 30]), Some((2, 5)));
        assert_eq!(gaps(&[1, 2, 3]), gaps(&[4, 3, 2, 3, 4]));
        assert_eq!((gaps(&[7, 8, 7, 8]), gaps(&[])), (None, None));
    }
}

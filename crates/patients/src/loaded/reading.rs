//! Tables' files to rows in memory.

use std::sync::Arc;

use rayon::prelude::*;
use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_core::error::{Place, Problem};
use velamen_engine::{ColumnRequest, Scratch};
use velamen_recipe::JobError;

use super::keys::{RowOf, WrongKey};
use super::{Cells, Coded, Keys, Lists, NONE, Rows};
use crate::compact::{Compact, Distinct, Value};
use crate::days::{self, NO_DAY};
use crate::fhir::Held;
use crate::filed::Filed;
use crate::key_texts::Values;
use crate::plan::{Plan, PlannedTable, Use};
use crate::recipe::Orphans;

/// Reads every table of a plan: parents before their children, and those that wait for no other at the same time.
///
/// # Errors
/// [`JobError::data`] with table, row and column; never with a cell.
pub(crate) fn load(plan: &mut Plan, context: &Context<'_>) -> Result<Vec<Rows>, JobError> {
    let mut held = plan.take_rows();
    let plan = &*plan;
    let number = plan.tables.len();
    let mut tables: Vec<Option<Rows>> = (0..number).map(|_| None).collect();
    let mut rows_of: Vec<Option<RowOf>> = (0..number).map(|_| None).collect();
    loop {
        context.check()?;
        let is_ready = |&place: &usize| {
            tables[place].is_none()
                && (0..number).all(|other| tables[other].is_some() || !refers(&plan.tables[place], other))
        };
        let taken = |place: usize| (place, held.remove(&plan.tables[place].name));
        let ready: Vec<(usize, Option<Held>)> = (0..number).filter(is_ready).map(taken).collect();
        if ready.is_empty() {
            break;
        }
        let read = |(place, held): (usize, Option<Held>)| {
            let table = &plan.tables[place];
            let reader = TableReader { table, plan, tables: &tables, rows_of: &rows_of };
            (place, table.origin.during(context, || reader.read(held, context)))
        };
        let read: Vec<(usize, Result<Rows, JobError>)> = ready.into_par_iter().map(read).collect();
        for (place, rows) in read {
            let rows = rows?;
            plan.tables[place].origin.close();
            let is_looked_up = plan.tables.iter().any(|other| refers(other, place));
            rows_of[place] = rows.keys.as_ref().filter(|_| is_looked_up).map(Keys::rows);
            tables[place] = Some(rows);
        }
    }
    let tables: Vec<Rows> = tables.into_iter().flatten().collect();
    match tables.first() {
        Some(persons) if persons.number > 0 => Ok(tables),
        _ => Err(no_persons(plan)),
    }
}

/// The refusal of a table of persons that has a header alone.
fn no_persons(plan: &Plan) -> JobError {
    let Some(persons) = plan.tables.first() else { return JobError::data("no table of persons") };
    let file = plan.shown_file(persons);
    let problem = Problem::new(format!("table `{}` has no persons", persons.name));
    JobError::data(problem.expected(format!("{} with at least one row", file.display())))
}

/// Whether rows of a table point to rows of another.
fn refers(table: &PlannedTable, other: usize) -> bool {
    table.parent == Some(other) || table.columns.iter().any(|column| column.used == Use::Reference(other))
}

/// A table with those that were read before it.
struct TableReader<'a> {
    table: &'a PlannedTable,
    plan: &'a Plan,
    /// Those that were read; all that this one refers to are there.
    tables: &'a [Option<Rows>],
    rows_of: &'a [Option<RowOf>],
}

/// The person of each row, its parent's row, and whether it stays where some are nobody's.
type Parents = (Vec<u32>, Vec<u32>, Option<Vec<bool>>);

/// A column's distinct texts and the text of each row.
struct Texts {
    values: Values,
    codes: Compact,
    /// Whether cells are lists, each as the text of a JSON array.
    is_list: bool,
}

impl TableReader<'_> {
    /// The rows of its file, or those that are in memory already.
    fn read(&self, held: Option<Held>, context: &Context<'_>) -> Result<Rows, JobError> {
        let wanted: Vec<usize> = (0..self.table.columns.len()).filter(|&place| self.is_read(place)).collect();
        let (number, mut texts) = match held {
            None => self.texts(&wanted, context)?,
            Some(held) => self.held(&wanted, held),
        };
        let taken = |texts: &mut Vec<Option<Texts>>, place: Option<usize>| {
            place.and_then(|place| texts[place].take())
        };
        let keys =
            taken(&mut texts, self.table.column(&Use::Key)).map(|texts| self.keys(texts)).transpose()?;
        let parents = taken(&mut texts, self.table.column(&Use::Parent));
        let (persons, parent_rows, left) = match parents {
            None => ((0..number as u32).collect(), Vec::new(), None),
            Some(texts) => self.persons(&texts)?,
        };
        let (mut columns, mut dangling) = (Vec::new(), 0);
        for (place, texts) in texts.into_iter().enumerate() {
            columns.push(match texts {
                None => Cells::Unread,
                Some(texts) => self.cells(place, texts, &persons, &mut dangling)?,
            });
        }
        // Of persons themselves the new number is known by the row.
        if let (Some(place), Some(1..)) = (self.table.column(&Use::Parent), self.table.parent) {
            columns[place] = Cells::References(Arc::new(parent_rows));
        }
        let rows = Rows { number, keys, persons: Arc::new(persons), columns, orphans: 0, dangling };
        Ok(match left {
            None => rows,
            Some(left) => without(rows, &left).map_err(|error| self.unfiled(&error))?,
        })
    }

    /// Whether anything is made of a column's cells.
    fn is_read(&self, place: usize) -> bool {
        let column = &self.table.columns[place];
        if self.table.is_made_anew {
            return false;
        }
        let is_date = matches!(column.used, Use::FirstDate | Use::Date);
        let is_seen = !is_date || self.plan.looks_at_dates();
        is_seen && !matches!(column.used, Use::Dropped | Use::Constant(_) | Use::PeriodEnd)
    }

    /// The number of rows, and the texts of the columns that are looked at.
    fn texts(
        &self,
        wanted: &[usize],
        context: &Context<'_>,
    ) -> Result<(usize, Vec<Option<Texts>>), JobError> {
        let input = self.table.origin.open(&self.plan.reading())?;
        let request = |&index: &usize| ColumnRequest::as_recorded(index, &input.columns[index]);
        let requests: Vec<ColumnRequest> = wanted.iter().map(request).collect();
        let read = input.read_in_order(&requests, context)?;
        let number = read.codes.first().map_or(0, Vec::len);
        let mut texts: Vec<Option<Texts>> = self.table.columns.iter().map(|_| None).collect();
        let kinds = input.kinds().unwrap_or_default();
        for ((&place, values), codes) in wanted.iter().zip(read.values).zip(read.codes) {
            let is_list = kinds.get(place).is_some_and(|kind| kind.is_nested());
            let codes = codes.into_iter().collect();
            texts[place] = Some(Texts { values: Values::Each(values), codes, is_list });
        }
        Ok((number, texts))
    }

    /// As [`Self::texts`], of rows that are in memory.
    fn held(&self, wanted: &[usize], mut held: Held) -> (usize, Vec<Option<Texts>>) {
        let mut texts: Vec<Option<Texts>> = self.table.columns.iter().map(|_| None).collect();
        for &place in wanted {
            let (values, codes) = held.take(place);
            texts[place] = Some(Texts { values, codes, is_list: false });
        }
        (held.rows(), texts)
    }

    /// What is wrong in a row of a column.
    fn refuse(&self, row: usize, column: Option<usize>, problem: Problem) -> JobError {
        let name = column.map_or("", |column| self.table.columns[column].name.as_str());
        if let Some((file, within)) = self.plan.place(self.table, row) {
            let place = format!("{}: {within}, {}.{name}: ", file.display(), self.table.name);
            return JobError::data(problem.after(&place));
        }
        let place = format!("table `{}`, row {}, column `{name}`: ", self.table.name, row + 1);
        JobError::data(problem.after(&place)).at(Place::file(self.plan.shown_file(self.table)))
    }

    fn keys(&self, texts: Texts) -> Result<Keys, JobError> {
        Keys::of(texts.values, &texts.codes).map_err(|wrong| {
            let (wrong, values) = *wrong;
            let column = self.table.column(&Use::Key);
            match wrong {
                WrongKey::Empty(row) => self.refuse(
                    row,
                    column,
                    Problem::new("an empty key").expected("a key of its own in each row"),
                ),
                WrongKey::Twice(row) => {
                    let first = self.first_of((&values, &texts.codes), row);
                    let problem = Problem::new(format!("the key of an earlier row, {first}"));
                    self.refuse(row, column, problem.expected("a key of its own in each row"))
                }
            }
        })
    }

    /// The failure to file keys again.
    fn unfiled(&self, error: &std::io::Error) -> JobError {
        JobError::io(&Scratch::parent(), "use", error)
    }

    /// Whose each row is, and the rows that are left out because nobody's they are.
    fn persons(&self, texts: &Texts) -> Result<Parents, JobError> {
        let parent = self.table.parent.expect("a table with parents");
        let column = self.table.column(&Use::Parent);
        let parents = self.rows_of(parent, texts)?;
        let orphan = parents.iter().position(|&row| row == NONE);
        let persons = |row: u32| if row == NONE { NONE } else { self.person(parent, row) };
        let persons: Vec<u32> = parents.iter().map(|&row| persons(row)).collect();
        match (orphan, self.table.orphans) {
            (None, _) => Ok((persons, parents, None)),
            (Some(_), Orphans::Drop) => {
                let left = persons.iter().map(|&person| person != NONE).collect();
                Ok((persons, parents, Some(left)))
            }
            (Some(row), Orphans::Refuse) => {
                if texts.values.is_empty(texts.codes.at(row) as usize) {
                    return Err(self.refuse(row, column, self.without_parent(parent)));
                }
                let problem = format!("no row of `{}` has this key", self.plan.tables[parent].name);
                let mend = format!(
                    "mend it, or leave such rows out with [tables.{}] orphans = \"drop\"",
                    self.table.name
                );
                Err(self.refuse(row, column, Problem::new(problem).mend(mend)))
            }
        }
    }

    /// What is wrong with a row that names no parent.
    fn without_parent(&self, parent: usize) -> Problem {
        let name = &self.plan.tables[parent].name;
        let problem = match self.plan.shape {
            Shape::Fhir => Problem::new("it is missing").expected(format!("a reference to a {name}")),
            _ => Problem::new("an empty cell").expected(format!("the key of a row of `{name}`")),
        };
        problem.mend(format!(
            "mend it, or leave such rows out with [tables.{}] orphans = \"drop\"",
            self.table.name
        ))
    }

    /// Where the first row with the key of another one stands.
    fn first_of(&self, (values, codes): (&Values, &Compact), row: usize) -> String {
        let key = |row: usize| values.text(codes.at(row) as usize);
        let first = (0..row).find(|&other| key(other) == key(row)).unwrap_or(row);
        match self.plan.place(self.table, first) {
            Some((file, within)) => format!("{}: {within}", file.display()),
            None => format!("row {}", first + 1),
        }
    }

    /// Whose a row of another table is.
    fn person(&self, other: usize, row: u32) -> u32 {
        self.tables[other].as_ref().map_or(NONE, |rows| rows.persons[row as usize])
    }

    /// The row of another table that each row points to.
    fn rows_of(&self, other: usize, texts: &Texts) -> Result<Vec<u32>, JobError> {
        let rows = self.rows_of[other].as_ref();
        let row = |value: usize| rows.and_then(|rows| rows.row(&texts.values, value)).unwrap_or(NONE);
        if let Values::Filed(filed) = &texts.values {
            let found = by_runs(filed, row);
            return filed.check().map(|()| found).map_err(|error| self.unfiled(&error));
        }
        let by_value: Vec<u32> = (0..texts.values.len()).map(row).collect();
        Ok(texts.codes.iter().map(|code| by_value[code as usize]).collect())
    }

    fn cells(
        &self,
        place: usize,
        texts: Texts,
        persons: &[u32],
        dangling: &mut u64,
    ) -> Result<Cells, JobError> {
        Ok(match &self.table.columns[place].used {
            Use::Reference(other) => {
                Cells::References(Arc::new(self.references((place, *other), &texts, persons, dangling)?))
            }
            Use::FirstDate | Use::Date => Cells::Days(self.days(place, texts)?),
            Use::Value { .. } | Use::Band { .. } => Cells::Numbers(self.numbers(place, texts)?),
            Use::Set { items: Some(between), .. } => Cells::Lists(self.lists(place, texts, between)?),
            used => {
                let coded = Coded::of(texts.values.into_each(), &texts.codes);
                if !matches!(used, Use::Insensitive) {
                    self.check_concepts(place, &coded)?;
                }
                Cells::Coded(coded)
            }
        })
    }

    /// Refuses concepts of OMOP that are none: their column is one of whole numbers, and would show any text.
    fn check_concepts(&self, place: usize, coded: &Coded) -> Result<(), JobError> {
        let is_of_concepts = self.table.columns[place].name.to_ascii_lowercase().ends_with("_concept_id");
        if self.plan.shape != Shape::Omop || !is_of_concepts {
            return Ok(());
        }
        let is_concept = |text: &String| text.is_empty() || text.parse::<u64>().is_ok();
        let wrong = coded.texts.iter().position(|text| !is_concept(text));
        match wrong.and_then(|wrong| coded.codes.iter().position(|code| code as usize == wrong)) {
            None => Ok(()),
            Some(row) => {
                let problem =
                    Problem::new("no concept").expected("a whole number such as 8507, 0 or an empty cell");
                Err(self.refuse(row, Some(place), problem))
            }
        }
    }

    /// Lists of codes, which are released with a text between them: no code has it.
    fn lists(&self, place: usize, texts: Texts, between: &str) -> Result<Lists, JobError> {
        let coded = Coded::of(texts.values.into_each(), &texts.codes);
        if !texts.is_list {
            return Ok(Lists::of(&coded, between));
        }
        let lists = Lists::of_arrays(&coded);
        let has =
            |row: &usize| lists.of_row(*row).iter().any(|&code| lists.texts[code as usize].contains(between));
        match (0..coded.codes.len()).find(has) {
            None => Ok(lists),
            Some(row) => {
                let problem = Problem::new(format!(
                    "a code has `{between}` in it, which stands between released codes"
                ));
                Err(self.refuse(row, Some(place), problem.mend("give another text: items = \"|\"")))
            }
        }
    }

    /// The rows that a column points to: there, and of the same person.
    fn references(
        &self,
        (place, other): (usize, usize),
        texts: &Texts,
        persons: &[u32],
        dangling: &mut u64,
    ) -> Result<Vec<u32>, JobError> {
        let mut rows = self.rows_of(other, texts)?;
        let name = &self.plan.tables[other].name;
        for (row, found) in rows.iter_mut().enumerate() {
            let is_empty = || texts.values.is_empty(texts.codes.at(row) as usize);
            if *found == NONE && !is_empty() {
                *dangling += 1;
                if self.table.orphans == Orphans::Drop {
                    continue;
                }
                let problem = Problem::new(format!("no row of `{name}` has this key"));
                let mend =
                    format!("mend it, or empty it with [tables.{}] orphans = \"drop\"", self.table.name);
                return Err(self.refuse(row, Some(place), problem.mend(mend)));
            }
            let is_somebodys = persons[row] != NONE;
            if is_somebodys && *found != NONE && self.person(other, *found) != persons[row] {
                let problem =
                    Problem::new(format!("it points to a row of `{name}` that is another person's"));
                return Err(self.refuse(row, Some(place), problem.mend("mend the key")));
            }
        }
        Ok(rows)
    }

    fn days(&self, place: usize, texts: Texts) -> Result<Distinct<i32>, JobError> {
        let day = |text: &str| match days::parse(text) {
            Some(day) if days::is_open(day) => Some(NO_DAY),
            None if text.is_empty() => Some(NO_DAY),
            None if self.plan.shape == Shape::Fhir => days::partial(text, self.plan.dates),
            day => day,
        };
        self.parsed(place, texts, day, "no day", "YYYY-MM-DD, of which a time may follow")
    }

    fn numbers(&self, place: usize, texts: Texts) -> Result<Distinct<f64>, JobError> {
        let number = |text: &str| match text.is_empty() {
            true => Some(f64::NAN),
            false => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        };
        self.parsed(place, texts, number, "no number", "a number such as 70.5, or an empty cell")
    }

    fn parsed<T: Value>(
        &self,
        place: usize,
        texts: Texts,
        parse: impl Fn(&str) -> Option<T>,
        wrong: &str,
        expected: &str,
    ) -> Result<Distinct<T>, JobError> {
        let values = 0..texts.values.len();
        let parsed: Vec<Option<T>> = values.map(|value| parse(&texts.values.text(value))).collect();
        let is_wrong = |code: u32| parsed[code as usize].is_none();
        if parsed.iter().any(Option::is_none)
            && let Some(row) = texts.codes.iter().position(is_wrong)
        {
            return Err(self.refuse(row, Some(place), Problem::new(wrong).expected(expected)));
        }
        let all: Option<Vec<T>> = parsed.into_iter().collect();
        Ok(Distinct::of(all.unwrap_or_default(), texts.codes))
    }
}

/// The row of each key in a file. What belongs to one visit stands together in most exports, so that the key before is looked at first.
fn by_runs(filed: &Filed, row: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::with_capacity(filed.len());
    let mut before = None;
    for place in 0..filed.len() {
        let uuid = filed.uuid(place);
        let same = found.last().copied().filter(|_| uuid.is_some() && uuid == before);
        found.push(same.unwrap_or_else(|| row(place)));
        before = uuid;
    }
    found
}

/// The rows without those of nobody.
fn without(rows: Rows, kept: &[bool]) -> std::io::Result<Rows> {
    fn only(cells: &[u32], kept: &[bool]) -> Arc<Vec<u32>> {
        Arc::new(cells.iter().zip(kept).filter(|(_, kept)| **kept).map(|(cell, _)| *cell).collect())
    }
    let codes = |codes: &Compact| -> Compact {
        codes.iter().zip(kept).filter(|(_, kept)| **kept).map(|(code, _)| code).collect()
    };
    let column = |cells: Cells| match cells {
        Cells::Unread => Cells::Unread,
        Cells::References(rows) => Cells::References(only(&rows, kept)),
        Cells::Coded(coded) => {
            Cells::Coded(Coded { codes: Arc::new(codes(&coded.codes)), texts: coded.texts })
        }
        Cells::Lists(lists) => Cells::Lists(Lists { cells: codes(&lists.cells), ..lists }),
        Cells::Numbers(numbers) => Cells::Numbers(numbers.only(kept)),
        Cells::Days(days) => Cells::Days(days.only(kept)),
    };
    let number = kept.iter().filter(|kept| **kept).count();
    Ok(Rows {
        number,
        keys: rows.keys.map(|keys| keys.only(kept)).transpose()?,
        persons: only(&rows.persons, kept),
        columns: rows.columns.into_iter().map(column).collect(),
        orphans: (rows.number - number) as u64,
        dangling: rows.dangling,
    })
}

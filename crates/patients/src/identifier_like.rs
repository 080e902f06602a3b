//! Columns that would be released as recorded and look like what names a person, or hold days that no rule treats.
//!
//! | role | refused if its cells are |
//! | --- | --- |
//! | `insensitive` | contacts, numbers or names of people; days |
//! | `set`, `code` | days, times, sentences, names of people, or those of people who treat others; with the preset `hipaa-safe-harbor` contacts and numbers, too |
//! | `value` | seconds or milliseconds since 1970, or days |
//! | `quasi-identifier` without `birth = true` | births, or days of 90 years ago and more |
//!
//! Of a column that the shape releases in some form, codes are looked at for days, sentences, contacts and names of people, not for numbers; nothing
//! else, unless the recipe calls it insensitive. One that is released as recorded
//! and copies keys, those of its rows, of persons or of the rows that they refer to, is refused whatever was meant. The detectors are those of `profile`; no message shows a cell.

use std::path::Path;

use rustc_hash::FxHashSet;
use velamen_contract::linked::Shape;
use velamen_contract::manifest::Preset;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_measure::profile::Cells as Counted;
use velamen_measure::profile::births::{are_births, are_years};
use velamen_measure::profile::header::tells_births;
use velamen_recipe::{Code, JobError};

use crate::days;
use crate::loaded::{Cells, Coded, Keys, NONE, Rows};
use crate::looks::{Looks, is_day, looks, no_codes, no_standard_codes, of_numbers};
use crate::persons::until;
use crate::plan::{Plan, PlannedColumn, PlannedTable, Use};
use crate::recipe::LinkedRecipe;

/// Refuses the first column that must not be released as it is.
///
/// # Errors
/// [`JobError::recipe`] with table and column, and `Interrupted`.
pub(crate) fn check(
    recipe: &LinkedRecipe,
    path: &Path,
    (plan, tables): (&Plan, &[Rows]),
    context: &Context<'_>,
) -> Result<(), JobError> {
    let judge = Judge {
        is_strict: recipe.preset == Some(Preset::HipaaSafeHarbor),
        oldest: until(plan, tables).map(|until| until - plan.top_age as i32),
    };
    for (planned, rows) in plan.tables.iter().zip(tables) {
        for (place, column) in planned.columns.iter().enumerate() {
            context.check()?;
            let copies =
                || copies_keys((planned, rows), place, tables) || names_persons(rows, place, &tables[0]);
            if column.used == Use::Insensitive && copies() {
                let problem =
                    Problem::new("its cells are keys of the original, which would be released as recorded")
                        .mend("give it the role \"identifier\", which leaves it out");
                return Err(refusal(recipe, path, (planned, column), problem));
            }
            let is_meant = column.is_intended && !judge.is_strict;
            if is_meant || planned.is_made_anew {
                continue;
            }
            if let Some(looks) = standard(plan.shape, column, &rows.columns[place]) {
                return Err(refusal(recipe, path, (planned, column), said(&looks, planned)));
            }
            if !column.is_given {
                continue;
            }
            let numbers = match &rows.columns[place] {
                Cells::Numbers(numbers) => {
                    let filled: Vec<f64> =
                        numbers.held().into_iter().filter(|number| !number.is_nan()).collect();
                    of_numbers(&filled).map(|looks| said(&looks, planned))
                }
                _ => None,
            };
            let wrong = numbers.or_else(|| judge.wrong(planned, column, &counted(&rows.columns[place])));
            if let Some(problem) = wrong {
                return Err(refusal(recipe, path, (planned, column), problem));
            }
        }
    }
    Ok(())
}

fn refusal(
    recipe: &LinkedRecipe,
    path: &Path,
    (planned, column): (&PlannedTable, &PlannedColumn),
    problem: Problem,
) -> JobError {
    let problem = problem.after(&format!("table `{}`, column `{}`: ", planned.name, column.name));
    let at = ["tables", &planned.name, "attributes", &column.name];
    recipe.places.refuse(path, &at, problem).coded(Code::IDENTIFIER_LIKE)
}

/// What codes look like that are none, of a shape that has codes of its own.
fn standard(shape: Shape, column: &PlannedColumn, cells: &Cells) -> Option<Looks> {
    let has_codes = matches!(shape, Shape::Fhir | Shape::Synthea);
    let is_code = match column.used {
        Use::Code | Use::MainCode | Use::Set { .. } => true,
        Use::Insensitive => shape == Shape::Fhir,
        _ => false,
    };
    (has_codes && is_code).then(|| no_standard_codes(&counted(cells))).flatten()
}

/// Whether half of a column's cells or more are the key of their row, of its person, or of a row that it refers to.
fn copies_keys((planned, rows): (&PlannedTable, &Rows), place: usize, tables: &[Rows]) -> bool {
    let Some(coded) = rows.coded(place) else { return false };
    let own = rows.keys.as_ref().is_some_and(|keys| is_copy(coded, keys, |row| row as u32));
    let of_persons =
        || tables[0].keys.as_ref().is_some_and(|keys| is_copy(coded, keys, |row| rows.persons[row]));
    let mut columns = planned.columns.iter().zip(&rows.columns);
    own || of_persons()
        || columns.any(|(column, cells)| copies_referred((coded, column), cells, planned, tables))
}

/// The letters that a key has which is no mere count or age.
const LONG: usize = 5;

/// The most rows that a person is named in, on average: a mother, or a sponsor of a family.
const NAMED_IN: u64 = 6;

/// Whether half of a column's cells or more are keys of persons, whoever they are: two children of one mother would be known by hers.
fn names_persons(rows: &Rows, place: usize, persons: &Rows) -> bool {
    let Some(keys) = &persons.keys else { return false };
    let known: FxHashSet<String> = (0..persons.number).map(|row| plain(&keys.text(row))).collect();
    let filled = counted(&rows.columns[place]);
    let all: u64 = filled.iter().map(|(_, rows)| rows).sum();
    let named = filled.iter().filter(|(text, _)| text.len() >= LONG && known.contains(&plain(text)));
    let (names, same) = named.fold((0, 0), |(names, same), (_, rows)| (names + 1, same + rows));
    same > 0 && 2 * same >= all && same <= NAMED_IN * names
}

/// A key without blanks around it, in small letters; of a reference its last part.
fn plain(text: &str) -> String {
    let text = text.trim();
    text.rsplit('/').next().unwrap_or(text).to_lowercase()
}

/// The same of the rows that a column refers to.
fn copies_referred(
    (coded, column): (&Coded, &PlannedColumn),
    cells: &Cells,
    planned: &PlannedTable,
    tables: &[Rows],
) -> bool {
    let above = match column.used {
        Use::Parent => planned.parent,
        Use::Reference(table) => Some(table),
        _ => None,
    };
    match (cells, above.and_then(|above| tables[above].keys.as_ref())) {
        (Cells::References(to), Some(keys)) => is_copy(coded, keys, |row| to[row]),
        _ => false,
    }
}

/// Whether half of the cells or more are the key of the row that `to` gives.
fn is_copy(coded: &Coded, keys: &Keys, to: impl Fn(usize) -> u32) -> bool {
    let filled = || (0..coded.codes.len()).filter(|&row| coded.at(row) != 0);
    let text = |row: usize| &coded.texts[coded.at(row) as usize];
    let pairs = filled().map(|row| (row, to(row))).filter(|(_, other)| *other != NONE);
    let same = pairs.filter(|(row, other)| keys.text(*other as usize) == *text(*row)).count();
    same > 0 && 2 * same >= filled().count()
}

/// The values of a column that some row has, with their rows.
fn counted(cells: &Cells) -> Vec<(&str, u64)> {
    let (texts, rows): (&[String], Vec<u64>) = match cells {
        Cells::Coded(coded) => (&coded.texts, count(coded.texts.len(), coded.codes.iter())),
        Cells::Lists(lists) => {
            let items = (0..lists.cells.len()).flat_map(|row| lists.of_row(row).iter().copied());
            (&lists.texts, count(lists.texts.len(), items))
        }
        _ => return Vec::new(),
    };
    let counted = texts.iter().map(String::as_str).zip(rows);
    counted.filter(|(text, rows)| !text.is_empty() && *rows > 0).collect()
}

fn count(texts: usize, codes: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut rows = vec![0; texts];
    codes.for_each(|code| rows[code as usize] += 1);
    rows
}

/// What is judged by.
struct Judge {
    /// Whether a preset asks that nothing names a person, whatever was meant.
    is_strict: bool,
    /// The last year of birth of those whose age is not told.
    oldest: Option<i32>,
}

impl Judge {
    /// What is wrong with a column.
    fn wrong(&self, table: &PlannedTable, column: &PlannedColumn, values: &[(&str, u64)]) -> Option<Problem> {
        if values.is_empty() {
            return None;
        }
        let looks = || looks(&column.name, values).or_else(|| self.days(values)).or_else(|| times(values));
        let no_codes = || no_codes(&column.name, values).filter(|_| table.parent.is_some());
        match column.used {
            Use::Insensitive => looks().or_else(no_codes).map(|looks| said(&looks, table)),
            Use::Code | Use::MainCode | Use::Set { .. } => looks()
                .filter(|looks| self.is_strict || !matches!(looks, Looks::Direct(_)))
                .or_else(no_codes)
                .map(|looks| said(&looks, table)),
            Use::QuasiIdentifier { birth: false } => self.of_person(column, values),
            _ => None,
        }
    }

    /// One day is enough where a preset allows none.
    fn days(&self, values: &[(&str, u64)]) -> Option<Looks> {
        (self.is_strict && values.iter().any(|(value, _)| is_day(value))).then_some(Looks::Days)
    }

    /// What is wrong with a person column that is not called a birth.
    fn of_person(&self, column: &PlannedColumn, values: &[(&str, u64)]) -> Option<Problem> {
        if self.tells_births(&column.name, values) {
            let problem = Problem::new(
                "it looks like births: they are released in bands, and the oldest as one, where the recipe says so",
            );
            return Some(
                problem.mend("add birth = true; if they are no births, identifier-like = \"intended\""),
            );
        }
        match looks(&column.name, values) {
            Some(Looks::Direct(why)) if self.is_strict => Some(of_people(&why)),
            _ => None,
        }
    }

    fn tells_births(&self, name: &str, values: &[(&str, u64)]) -> bool {
        let cells = Counted(values);
        let is_old = |text: &str| self.oldest.is_some_and(|oldest| is_before(text, oldest));
        let is_year = |text: &str| text.len() == 4 && text.starts_with(['1', '2']);
        let are_dates = || looks(name, values) == Some(Looks::Days);
        let are_years = || cells.share(is_year) >= 0.95 && (tells_births(name) || are_years(cells));
        are_births(cells) || tells_births(name) && are_dates() || are_years() || cells.fitting(is_old) > 0
    }
}

/// Whether texts are times that are counted from 1970 on: hardly two are the same, which codes of nine or ten digits are.
fn times(values: &[(&str, u64)]) -> Option<Looks> {
    let rows: u64 = values.iter().map(|(_, rows)| rows).sum();
    let numbers = || values.iter().map(|(value, _)| value.parse().unwrap_or(f64::NAN)).collect::<Vec<f64>>();
    let are_many = values.len() as u64 * 2 >= rows;
    are_many.then(|| of_numbers(&numbers())).flatten().filter(|looks| *looks == Looks::Times)
}

/// Whether a cell is a day of that year or an earlier one.
fn is_before(text: &str, oldest: i32) -> bool {
    days::parse(text).is_some_and(|day| !days::is_open(day) && days::year(day) <= oldest)
}

fn said(looks: &Looks, table: &PlannedTable) -> Problem {
    match looks {
        Looks::Direct(why) => of_people(why),
        Looks::FreeText => Problem::new("its cells are sentences, which can name anybody").mend(
            "give it the role \"identifier\", which leaves it out. If they are meant to be released, add identifier-like = \"intended\"",
        ),
        Looks::Times => Problem::new("its numbers are times, counted in seconds or milliseconds since 1970").mend(
            "write them as YYYY-MM-DD and give the column the role \"date\", or \"identifier\", which leaves it out. If they are \
             no times, add identifier-like = \"intended\"",
        ),
        Looks::Days => Problem::new("its cells are days, which would be released as recorded").mend(
            if table.parent.is_none() {
                "give it the role \"quasi-identifier\" with a hierarchy (and birth = true, if they are births), or \
                 \"identifier\", which leaves it out. If they are meant to be released, add identifier-like = \"intended\""
            } else {
                "give it the role \"date\", or \"identifier\", which leaves it out. If they are meant to be released, add \
                 identifier-like = \"intended\""
            },
        ),
    }
}

fn of_people(why: &str) -> Problem {
    Problem::new(format!("it looks like {why}; it would be released as it is")).mend(
        "give it the role \"identifier\", which leaves it out. If it is meant to be released, add identifier-like = \"intended\"",
    )
}

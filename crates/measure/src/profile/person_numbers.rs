//! Columns that number the persons of a table that has several records of a person.
//!
//! A number repeats in many tables: a ward's, a physician's, a person's. What is a person's does not change within
//! a person's: sex and birth are constant, ages close. Two records of another number agree so by chance alone.
//!
//! Where no number does so, names and texts may tell people apart, some of whom share one (`namesakes`).

mod agreeing;
mod codes;
mod fixed;
mod groups;
mod namesakes;
mod spelling;
mod split;
mod together;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use self::agreeing::agreeing;
pub use self::codes::Codes;
use self::fixed::Fixed;
use self::groups::Groups;
use self::namesakes::Namesakes;
pub use self::spelling::spelled;
pub use self::split::split;
pub use self::together::together;
use self::words::{BIRTH, NUMBER, PERSONS, SEX, SEXES, STAYS};
use super::births::{self, are_births, are_years, shared_days, shared_texts};
use super::finding::{self, Sure};
use super::header::{self, About};
use super::identifier::Identifier;
use super::kind::{self, Kind};
use super::{Cells, finding::Column as Named};

/// The share of a person's further records that must agree with the first: the rest are slips of the pen.
const AGREE: f64 = 0.95;

/// Ages that are so many years apart can be of one person's records, if nothing but the age decides.
const YEARS: f64 = 5.0;

/// The same where sex or birth tell, too: cohorts are seen again for many years.
const MANY_YEARS: f64 = 20.0;

/// −ln of the probability by which a number that says nothing of persons is taken for one: 10⁻⁶.
const UNLIKELY: f64 = 13.8;

/// Of more distinct values about so many are looked at, evenly spread.
const ENOUGH: usize = 10_000;

/// Fewer numbers that repeat say nothing, unless the column's name does.
const LEAST_GROUPS: usize = 5;

/// Fewer records of one value do not show that it stands for none.
const LEAST_FILLED: u64 = 20;

/// How many times as many records as any other value has one that stands for none.
const TIMES_FILLED: u64 = 10;

/// The same where nothing but the sex decides: wards, implants or codes of a few kinds have one sex, too.
const LEAST_GROUPS_BY_SEX: usize = 20;

/// A trait of so few values is a sex.
const FEW_VALUES: usize = 5;

/// What a column says of a person that does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// The sex, or the birth.
    Constant,
    /// The age, which grows from record to record.
    Age,
}

/// What a column's name or values tell of a person that does not change.
#[must_use]
pub fn trait_of(name: &str, cells: Option<Cells<'_>>) -> Option<Trait> {
    let words = header::words(name);
    let says = |list: &str| list.split('|').any(|entry| words.iter().any(|word| word == entry));
    if matches!(header::about(name), Some((About::Age, _))) {
        return Some(Trait::Age);
    }
    let constant = says(SEX)
        || says(BIRTH)
        || name.contains("성별")
        || header::tells_births(name)
        || cells.is_some_and(are_sexes);
    constant.then_some(Trait::Constant)
}

/// Whether a column holds sex, birth or age, by its name or by its values.
fn holds_trait(name: &str, cells: Cells<'_>) -> bool {
    trait_of(name, Some(cells)).is_some()
        || are_births(cells)
        || header::about(name).is_none() && are_years(cells)
}

fn are_sexes(cells: Cells<'_>) -> bool {
    (2..=5).contains(&cells.distinct())
        && cells.values().all(|value| SEXES.split('|').any(|sex| sex == value.trim().to_lowercase()))
}

/// Whether a name alone says that a column numbers persons.
#[must_use]
pub fn is_named(name: &str) -> bool {
    let words = header::words(name);
    let whose = words.iter().position(|word| says(PERSONS, word));
    let korean =
        ["환자번호", "환자id", "수진자번호", "개인식별"].iter().any(|entry| words.concat().contains(entry));
    let number = words.len() == 1 || words.iter().any(|word| says(NUMBER, word));
    korean || whose.is_some() && number && header::about(name).is_none()
}

/// Whether a name says that a column numbers stays or cases, of which a person may have several.
#[must_use]
pub fn is_of_stays(name: &str) -> bool {
    !is_named(name) && header::words(name).iter().any(|word| says(STAYS, word))
}

fn says(list: &str, word: &str) -> bool {
    list.split('|').any(|entry| entry == word)
}

/// Whether the values could be record numbers: codes or whole numbers, by nothing else than a number's name.
#[must_use]
pub fn is_number_like(name: &str, cells: Cells<'_>) -> bool {
    if trait_of(name, None).is_some() || cells.distinct() < 2 {
        return false;
    }
    if !is_named(name) && tells_something_else(name) {
        return false;
    }
    let some = some(cells.0);
    let cells = Cells(&some);
    let (kind, _) = kind::of(cells);
    let found = finding::findings(Named { name, kind: &kind, cells });
    let sure = found.iter().find(|finding| finding.sure >= Sure::Likely);
    if sure.is_some_and(|finding| is_other(finding.identifier)) {
        return false;
    }
    match kind {
        Kind::WholeNumber | Kind::Code { .. } => true,
        Kind::Text { .. } => is_hash_like(cells),
        Kind::Empty | Kind::Decimal { .. } | Kind::Date { .. } => false,
    }
}

/// Evenly spread values, if there are many.
fn some<'a>(cells: &[(&'a str, u64)]) -> Vec<(&'a str, u64)> {
    let step = cells.len().div_ceil(ENOUGH).max(1);
    cells.iter().step_by(step).copied().collect()
}

/// Whether a name is that of something else: an income that never changes is no record number.
fn tells_something_else(name: &str) -> bool {
    let words = header::words(name);
    let numbered = words.iter().any(|word| NUMBER.split('|').any(|entry| entry == word));
    let other = header::identifier(name).is_some_and(|(identifier, _)| is_other(identifier));
    other || header::about(name).is_some() && !numbered
}

/// Whether an identifier is one of something else than of a person's records: telephones, places, dates, names.
fn is_other(identifier: Identifier) -> bool {
    use Identifier::{HealthPlan, MedicalRecord, Other, SocialSecurity};
    !matches!(identifier, MedicalRecord | HealthPlan | SocialSecurity | Other)
}

/// Long words with digits, as hashes and pseudonyms are.
fn is_hash_like(cells: Cells<'_>) -> bool {
    let word = |value: &str| value.len() >= 6 && !value.contains(char::is_whitespace);
    let digits = |value: &str| value.bytes().any(|byte| byte.is_ascii_digit());
    cells.share(word) >= AGREE && cells.share(digits) >= 0.5
}

/// A column of a table: values, and per entry of the table the place of one of them.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its values; the missing one is empty.
    pub values: Vec<&'a str>,
    /// Per entry, the place of its value.
    pub codes: Codes<'a>,
}

impl<'a> Column<'a> {
    /// The same with each value once, spellings of one as one.
    fn distinct(&self) -> Column<'_> {
        let mut places: BTreeMap<Cow<'_, str>, u32> = BTreeMap::new();
        let mut values = Vec::new();
        let mut place = |value: &'a str| {
            *places.entry(spelled(value)).or_insert_with(|| {
                values.push(value);
                values.len() as u32 - 1
            })
        };
        let of: Vec<u32> = self.values.iter().map(|value| place(value)).collect();
        let once = values.len() == of.len();
        let codes = if once { self.codes.lent() } else { self.codes.replaced(&of) };
        Column { name: self.name, values, codes }
    }

    /// Whether it holds the sex, the birth or the age of people.
    #[must_use]
    pub fn is_trait(&self, records: usize) -> bool {
        holds_trait(self.name, Cells(&some(&self.counted(&vec![1; records]))))
    }

    /// What to say where more records share a day of birth than different people would.
    #[must_use]
    pub fn births_are_shared(&self, records: usize) -> Option<String> {
        self.births_of("records", records)
    }

    /// The same of one record of each of some people, by their first entries.
    fn births_of_people(&self, firsts: &[u32]) -> Option<String> {
        let codes: Vec<u32> = firsts.iter().map(|&entry| self.codes.at(entry as usize)).collect();
        let of_people = Column { name: self.name, values: self.values.clone(), codes: Codes::of(codes) };
        of_people.births_of("its people", firsts.len())
    }

    fn births_of(&self, whose: &str, records: usize) -> Option<String> {
        let cells = self.counted(&vec![1; records]);
        let known = are_births(Cells(&some(&cells)));
        let named = || header::tells_births(self.name) && births::format_of(Cells(&some(&cells))).is_none();
        let is_age = || matches!(header::about(self.name), Some((About::Age, _)));
        let (shared, what) = match known {
            true => (shared_days(Cells(&cells)), "a day of birth"),
            false if named() => match shared_texts(Cells(&cells)) {
                Some(shared) => (Some(shared), "a value that by the name of its column is a day of birth"),
                None => (
                    births::shared_serials(Cells(&cells)),
                    "the number of a day, by the column's name one of birth,",
                ),
            },
            false => (births::shared_ages(Cells(&cells)).filter(|_| is_age()), "an age with its decimals"),
        };
        let shared = shared?;
        Some(format!(
            "{:.0} pairs of {whose} share {what} in `{}`, where different people would have about {:.0}",
            shared.pairs, self.name, shared.expected
        ))
    }

    /// The value that stands for no number, such as `unknown`: many records have it, and ten times as many as any other value.
    fn filler(&self, counts: &[u64]) -> Option<u32> {
        let mut records = vec![0_u64; self.values.len()];
        self.codes.iter().zip(counts).for_each(|(code, count)| records[code as usize] += count);
        let known =
            || (0..).zip(&records).filter(|&(code, _): &(u32, _)| !self.values[code as usize].is_empty());
        let (code, most) = known().max_by_key(|&(code, count)| (*count, code))?;
        let next = known().filter(|&(other, _)| other != code).map(|(_, count)| *count).max()?;
        (*most >= LEAST_FILLED && *most >= TIMES_FILLED * next).then_some(code)
    }

    /// Values with their records, without the missing one and those that nobody has.
    fn counted(&self, counts: &[u64]) -> Vec<(&'a str, u64)> {
        let mut records = vec![0; self.values.len()];
        self.codes.iter().zip(counts).for_each(|(code, count)| records[code as usize] += count);
        let counted = self.values.iter().copied().zip(records);
        counted.filter(|(value, records)| !value.is_empty() && *records > 0).collect()
    }
}

/// A column that numbers the persons of a table.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// How many persons it tells apart.
    pub persons: usize,
    /// How many records have a number.
    pub records: u64,
    /// Columns that tell the same persons apart.
    pub same: Vec<String>,
    /// Whether some people seem to share a value, as namesakes do.
    pub shared: bool,
    /// What shows that a person has several values, as of stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub births: Option<String>,
}

/// What shows that the people whom a column numbers are not all different ones: more of them share a day of birth in another column than
/// different people would.
#[must_use]
pub fn births_of_people(persons: &Column<'_>, columns: &[Column<'_>]) -> Option<String> {
    let counts = vec![1; persons.codes.len()];
    Groups::of(&persons.distinct(), &counts)?.births(columns)
}

/// The columns among `columns`, as far as they are suspects, that number persons, in their order; each entry of the table stands for `counts` records.
/// Columns that tell the same persons apart are one candidate. Where there is none, names and texts are looked at that tell people apart some of
/// whom share one; the ones that agree best stand first. Where `unknown`, codes and texts of which nobody knows what they are count, too, if no
/// trait can tell: of what somebody named, they are what they are called.
///
/// False alarms: a number that has nothing to do with persons is taken for one with a probability below 10⁻⁶, unless its
/// name says that it numbers persons.
#[must_use]
pub fn candidates(
    columns: &[Column<'_>],
    counts: &[u64],
    is_suspect: impl Fn(&str) -> bool,
    unknown: bool,
) -> Vec<Candidate> {
    let columns: Vec<Column<'_>> = columns.iter().map(Column::distinct).collect();
    let cells: Vec<Vec<(&str, u64)>> = columns.iter().map(|column| column.counted(counts)).collect();
    let mut traits: Vec<Fixed<'_>> = columns
        .iter()
        .zip(&cells)
        .filter_map(|(column, cells)| Some(Fixed::of(column, trait_of(column.name, Some(Cells(cells)))?)))
        .collect();
    // Where no name and no sex tells, births do, whatever their column is called.
    let births =
        columns.iter().zip(&cells).filter(|(_, cells)| traits.is_empty() && are_births(Cells(cells)));
    let births: Vec<[Fixed<'_>; 1]> =
        births.map(|(column, _)| [Fixed::of(column, Trait::Constant)]).collect();
    if traits.iter().any(|fixed| fixed.kind == Trait::Constant) {
        traits.iter_mut().for_each(|fixed| fixed.years = MANY_YEARS);
    }
    let mut found: Vec<(Candidate, Vec<u32>)> = Vec::new();
    for (column, cells) in columns.iter().zip(&cells) {
        if !is_suspect(column.name) || !is_number_like(column.name, Cells(cells)) {
            continue;
        }
        let Some(groups) = Groups::of(column, counts) else { continue };
        let by_births = || births.iter().any(|birth| groups.are_persons(birth, false));
        if !groups.are_persons(&traits, is_named(column.name)) && !by_births() {
            continue;
        }
        match found.iter_mut().find(|(_, parts)| *parts == groups.parts) {
            Some((same, _)) if is_named(column.name) && !is_named(&same.name) => {
                same.same.push(std::mem::replace(&mut same.name, column.name.to_owned()));
            }
            Some((same, _)) => same.same.push(column.name.to_owned()),
            None => {
                let births = groups.births(&columns);
                found.push((Candidate { births, ..groups.candidate(column.name) }, groups.parts));
            }
        }
    }
    if found.is_empty() {
        let suspects = columns.iter().zip(&cells).filter(|(column, cells)| {
            is_suspect(column.name) && namesakes::can_tell(column.name, Cells(cells))
        });
        let suspects: Vec<_> = suspects.collect();
        if suspects.is_empty() {
            return Vec::new();
        }
        let namesakes = Namesakes::of(&columns, &cells, counts, unknown);
        let told = suspects.into_iter().filter_map(|(column, cells)| {
            let groups = Groups::of(column, counts)?;
            let share = namesakes.are_told_by(column.name, Cells(cells), &groups)?;
            Some((share, Candidate { shared: true, ..groups.candidate(column.name) }))
        });
        let mut told: Vec<(f64, Candidate)> = told.collect();
        told.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        return told.into_iter().map(|(_, candidate)| candidate).collect();
    }
    found.into_iter().map(|(candidate, _)| candidate).collect()
}

#[cfg(test)]
mod tests;

//! Columns that number the persons of a table that has several records of a person.
//!
//! A number repeats in many tables: a ward's, a physician's, a person's. What is a person's does not change within
//! a person's: sex and birth are constant, ages close. Two records of another number agree so by chance alone.
//!
//! Where no number does so, names and texts may tell people apart, some of whom share one (`namesakes`).

mod codes;
mod namesakes;
mod spelling;
mod words;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::written::number;

pub use self::codes::Codes;
use self::namesakes::Namesakes;
pub use self::spelling::spelled;
use self::words::{BIRTH, NUMBER, PERSONS, SEX, SEXES};
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
            "{:.0} pairs of records share {what} in `{}`, where different people would have about {:.0}",
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
            None => found.push((groups.candidate(column.name), groups.parts)),
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

/// What does not change of a person, by entry: text as a number of its own, ages as they are.
struct Fixed<'a> {
    kind: Trait,
    /// By how much ages may differ.
    years: f64,
    /// By the value's place; `None` where it is missing.
    of_value: Vec<Option<f64>>,
    codes: Codes<'a>,
}

impl<'a> Fixed<'a> {
    fn of(column: &'a Column<'_>, kind: Trait) -> Self {
        let value = |(place, text): (usize, &&str)| match kind {
            _ if text.is_empty() => None,
            Trait::Age => number::parse(text).map(|number| number.value),
            Trait::Constant => Some(place as f64),
        };
        let of_value = column.values.iter().enumerate().map(value).collect();
        Self { kind, years: YEARS, of_value, codes: column.codes.lent() }
    }

    fn of_entry(&self, entry: usize) -> Option<f64> {
        self.of_value[self.codes.at(entry) as usize]
    }

    fn agree(&self, one: usize, other: usize) -> Option<bool> {
        let (one, other) = (self.of_entry(one)?, self.of_entry(other)?);
        Some(match self.kind {
            Trait::Constant => (one - other).abs() < 0.5,
            Trait::Age => (one - other).abs() <= self.years,
        })
    }

    /// The values that are known, with how many of the counted things have each.
    fn known(&self, counts: impl Iterator<Item = u64>) -> impl Iterator<Item = (f64, u64)> {
        let mut counted = vec![0; self.of_value.len()];
        self.codes.iter().zip(counts).for_each(|(code, count)| counted[code as usize] += count);
        let known = self.of_value.iter().zip(counted).filter_map(|(value, count)| Some(((*value)?, count)));
        known.filter(|(_, count)| *count > 0)
    }

    /// How many values occur, ages by the year.
    fn distinct(&self) -> usize {
        let values = self.known(std::iter::repeat(1)).map(|(value, _)| value as i64);
        values.collect::<BTreeSet<i64>>().len()
    }

    /// The probability that two records agree by chance.
    fn by_chance(&self, counts: &[u64]) -> f64 {
        let mut records: FxHashMap<u64, u64> = FxHashMap::default();
        let known = self.known(counts.iter().copied());
        known.for_each(|(value, count)| *records.entry(value.to_bits()).or_default() += count);
        let mut sorted: Vec<(f64, u64)> =
            records.into_iter().map(|(value, count)| (f64::from_bits(value), count)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: u64 = sorted.iter().map(|(_, count)| count).sum();
        let width = if self.kind == Trait::Age { self.years } else { 0.5 };
        let (mut first, mut end, mut within, mut agreeing) = (0, 0, 0_u64, 0.0);
        for &(value, count) in &sorted {
            while end < sorted.len() && sorted[end].0 <= value + width {
                within += sorted[end].1;
                end += 1;
            }
            while sorted[first].0 < value - width {
                within -= sorted[first].1;
                first += 1;
            }
            agreeing += count as f64 * within as f64;
        }
        if all == 0 { 1.0 } else { agreeing / (all as f64 * all as f64) }
    }
}

/// How many numbers have to repeat for these to say something.
fn least_groups(judged: &[&Fixed<'_>]) -> usize {
    if judged.iter().all(|fixed| fixed.distinct() <= FEW_VALUES) { LEAST_GROUPS_BY_SEX } else { LEAST_GROUPS }
}

/// The entries of each value of a column.
struct Groups<'a> {
    counts: &'a [u64],
    /// Per entry the first entry of its value; its own where it has none.
    parts: Vec<u32>,
    /// Values that several records have.
    repeated: usize,
    persons: usize,
    records: u64,
}

impl<'a> Groups<'a> {
    /// `None` where no value repeats.
    fn of(column: &Column<'_>, counts: &'a [u64]) -> Option<Self> {
        let filler = column.filler(counts);
        let mut first: Vec<Option<(u32, u64)>> = vec![None; column.values.len()];
        let mut parts = Vec::with_capacity(column.codes.len());
        for (entry, (code, count)) in column.codes.iter().zip(counts).enumerate() {
            if column.values[code as usize].is_empty() || filler == Some(code) {
                parts.push(entry as u32);
                continue;
            }
            let (of_value, records) = first[code as usize].get_or_insert((entry as u32, 0));
            *records += count;
            parts.push(*of_value);
        }
        let records = || first.iter().flatten().map(|(_, records)| *records);
        let repeated = records().filter(|records| *records > 1).count();
        let (persons, records) = (records().count(), records().sum());
        (repeated > 0).then_some(Self { counts, parts, repeated, persons, records })
    }

    fn candidate(&self, name: &str) -> Candidate {
        let (persons, records) = (self.persons, self.records);
        Candidate { name: name.to_owned(), persons, records, same: Vec::new(), shared: false }
    }

    /// Whether what does not change of a person does not change within a value, more than by chance.
    fn are_persons(&self, traits: &[Fixed<'_>], named: bool) -> bool {
        let constant: Vec<&Fixed<'_>> = traits.iter().filter(|fixed| fixed.kind == Trait::Constant).collect();
        // Ages of many years of visits speak against nobody where sex or birth tell.
        let judged: Vec<&Fixed<'_>> =
            if named && !constant.is_empty() { constant } else { traits.iter().collect() };
        if judged.is_empty() {
            return named;
        }
        let agreeing = |all: &[&Fixed<'_>]| self.agreeing(all);
        if judged.iter().any(|fixed| agreeing(&[fixed]).is_some_and(|(share, _)| share < AGREE)) {
            return false;
        }
        let Some((share, pairs)) = agreeing(&judged) else { return named };
        named
            || self.repeated >= least_groups(&judged) && self.tells_more_than_age(&judged) && {
                // All agree at most as often as any one of them does.
                let chance = judged.iter().map(|fixed| fixed.by_chance(self.counts)).fold(1.0, f64::min);
                pairs as f64 * divergence(share, chance) >= UNLIKELY
            }
    }

    /// Groups of ages have ages that agree, too: a person's number has more values than there are ages.
    fn tells_more_than_age(&self, judged: &[&Fixed<'_>]) -> bool {
        let only_ages = judged.iter().all(|fixed| fixed.kind == Trait::Age);
        !only_ages || judged.iter().map(|fixed| fixed.distinct()).all(|ages| 2 * self.persons > 3 * ages)
    }

    /// Of further records of a value, the share that agrees in all of these with the first, and how many there are.
    fn agreeing(&self, all: &[&Fixed<'_>]) -> Option<(f64, u64)> {
        let (mut agree, mut pairs) = (0, 0);
        for (entry, (&first, &count)) in self.parts.iter().zip(self.counts).enumerate() {
            // An entry's further records agree with its first one.
            let further = if first as usize == entry { count - 1 } else { count };
            if further == 0 {
                continue;
            }
            let known = all.iter().filter_map(|fixed| fixed.agree(first as usize, entry));
            if let Some(agrees) = known.reduce(|one, other| one && other) {
                pairs += further;
                agree += if agrees { further } else { 0 };
            }
        }
        (pairs > 0).then(|| (agree as f64 / pairs as f64, pairs))
    }
}

/// Of a share from a chance: `n` times it is a lower bound of −ln of the probability that `n` tries give that share or more
/// (Chernoff).
fn divergence(share: f64, chance: f64) -> f64 {
    if share <= chance {
        return 0.0;
    }
    let chance = chance.max(1e-12);
    let of = |share: f64, chance: f64| if share <= 0.0 { 0.0 } else { share * (share / chance).ln() };
    of(share, chance) + of(1.0 - share, 1.0 - chance)
}

#[cfg(test)]
mod tests;

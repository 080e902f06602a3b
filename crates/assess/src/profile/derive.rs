//! Columns that follow from dates and say more than these: ages and lengths of stay.

use std::collections::BTreeMap;
use std::time::SystemTime;

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_engine::Derived;
use velamen_engine::source::ReadOptions;
use velamen_measure::profile::header;
use velamen_measure::profile::header::About;
use velamen_measure::profile::kind::Kind;
use velamen_recipe::derived::derivations;
use velamen_recipe::{DerivedSection, JobError};

use super::read::ReadTable;
use super::suggest::strftime;
use super::{ColumnProfile, ProfileRequest};

/// Words of names of days on which something begins, and on which it ends.
const BEGIN: [&str; 7] = ["admi", "aufnahme", "eintritt", "start", "begin", "arrival", "입원"];
const END: [&str; 7] = ["discharge", "entlassung", "austritt", "end", "stop", "departure", "퇴원"];

/// Words of names of other days that ages are of.
const EVENT: [&str; 10] =
    ["visit", "encounter", "index", "event", "exam", "sample", "test", "surgery", "procedure", "내원"];

/// What is derived, and where the day of an age is not a record's own.
#[derive(Debug, Default)]
pub(super) struct Deriving {
    pub(super) sections: BTreeMap<String, DerivedSection>,
    /// Ages of one day for all.
    pub(super) fixed: bool,
}

/// The table with what can be derived of it, and how a recipe says so. What cannot be is noted.
pub(super) fn with_derived(
    mut table: ReadTable,
    request: &mut ProfileRequest,
    context: &Context<'_>,
) -> Result<(ReadTable, Deriving), JobError> {
    let mut deriving = suggested(&table.columns);
    let sources: Vec<String> = deriving.sections.values().flat_map(sources).collect();
    let is_source = |column: &&ColumnProfile| sources.contains(&column.name);
    let markers =
        table.columns.iter().filter(is_source).flat_map(|column| column.marker_texts.iter().cloned());
    let mut read = request.read.clone();
    read.null.extend(markers);
    read.trim |= table.trim;
    deriving.sections.retain(|name, section| match can_be_derived(name, section, &read, request, context) {
        Ok(()) => true,
        Err(problem) => {
            table.notes.push(format!("`{name}` could be derived, but {problem}"));
            false
        }
    });
    if deriving.sections.is_empty() {
        return Ok((table, deriving));
    }
    read.derived = derived(&deriving.sections)?;
    request.read = read;
    let mut again = ReadTable::read(request, context)?;
    again.trim |= table.trim;
    again.notes = table.notes;
    deriving.sections.iter().for_each(|(name, section)| drop_sources(&mut again.columns, name, section));
    Ok((again, deriving))
}

fn derived(sections: &BTreeMap<String, DerivedSection>) -> Result<Derived, JobError> {
    Ok(Derived { columns: derivations(sections).map_err(JobError::data)?, where_absent: false })
}

fn can_be_derived(
    name: &str,
    section: &DerivedSection,
    read: &ReadOptions,
    request: &ProfileRequest,
    context: &Context<'_>,
) -> Result<(), JobError> {
    let only = BTreeMap::from([(name.to_owned(), section.clone())]);
    let options = ReadOptions { derived: derived(&only)?, ..read.clone() };
    ReadTable::read_one(&request.table, &options, name, context)
}

fn sources(section: &DerivedSection) -> Vec<String> {
    let formula = section.formula(|_| None);
    formula.map(|formula| formula.sources().into_iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// What names and cells speak for.
fn suggested(columns: &[ColumnProfile]) -> Deriving {
    let has = |name: &str| columns.iter().any(|column| column.name == name);
    let dates = || columns.iter().filter(|column| written(column).is_some());
    let births = |column: &&ColumnProfile| header::tells_births(&column.name);
    let named = |words: &'static [&'static str]| {
        dates().filter(|column| !births(column)).find(|column| is_named(&column.name, words))
    };
    let (begin, end) = (named(&BEGIN), named(&END));
    let mut deriving = Deriving::default();
    let aged = columns.iter().any(|column| matches!(header::about(&column.name), Some((About::Age, _))));
    if let Some(birth) = dates().find(births).filter(|_| !aged && !has("age")) {
        // A day that many records lack, as that of a death, is not the day they refer to.
        let others = || dates().filter(|column| !births(column) && column.missing == 0);
        let only = || others().next().filter(|_| others().nth(1).is_none());
        let at = begin.or_else(|| named(&EVENT)).or_else(only);
        let day = at.map_or_else(end_of_last_year, |column| column.name.clone());
        deriving.fixed = at.is_none();
        if let Some(format) = common_format(Some(birth).into_iter().chain(at)) {
            let (age_at, birth) = (Some(day), Some(birth.name.clone()));
            deriving
                .sections
                .insert("age".into(), DerivedSection { age_at, birth, format, ..Default::default() });
        }
    }
    if let (Some(begin), Some(end)) = (begin, end)
        && let Some(format) = common_format([begin, end])
        && !has("length_of_stay")
    {
        let days_between = Some([begin.name.clone(), end.name.clone()]);
        deriving
            .sections
            .insert("length_of_stay".into(), DerivedSection { days_between, format, ..Default::default() });
    }
    deriving
}

fn is_named(name: &str, words: &[&str]) -> bool {
    let of_name = header::words(name);
    let fits =
        |word: &String, entry: &&str| word == entry || entry.chars().count() > 3 && word.starts_with(entry);
    words.iter().any(|entry| {
        of_name.iter().any(|word| fits(word, entry)) || !entry.is_ascii() && name.contains(entry)
    })
}

/// How a column writes whole dates, if it holds any: `None` within for ISO 8601.
fn written(column: &ColumnProfile) -> Option<Option<String>> {
    match &column.kind {
        Kind::Date { format, .. } if format.contains("YYYY") && format.contains("DD") => {
            Some(strftime(format))
        }
        _ => None,
    }
}

/// The format of all of them, where they have one besides ISO 8601 at most.
fn common_format<'a>(columns: impl IntoIterator<Item = &'a ColumnProfile>) -> Option<Option<String>> {
    let mut formats: Vec<String> = columns.into_iter().filter_map(|column| written(column)?).collect();
    formats.dedup();
    (formats.len() <= 1).then(|| formats.pop())
}

/// The last day of the year before this one, by the clock.
fn end_of_last_year() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("{}-12-31", 1969 + since / 31_556_952)
}

/// Births and ends are dropped: what follows from them says what is needed.
fn drop_sources(columns: &mut [ColumnProfile], name: &str, section: &DerivedSection) {
    let dropped = section.birth.as_ref().or(section.days_between.as_ref().map(|[_, end]| end));
    for column in columns.iter_mut().filter(|column| Some(&column.name) == dropped) {
        column.suggestion.role = Role::Identifier;
        column.suggestion.by_name = None;
        column.suggestion.why =
            format!("dropped: `{name}` is derived from it and keeps more of what an analysis needs");
    }
}

#[cfg(test)]
mod tests {
    use velamen_measure::profile::Cells;

    use super::*;

    fn dates(name: &str, format: [&str; 3]) -> ColumnProfile {
        let cells: Vec<(&str, u64)> = format.iter().map(|date| (*date, 5)).collect();
        ColumnProfile::of(name, Cells(&cells), 0, false)
    }

    const ISO: [&str; 3] = ["1950-01-13", "1960-02-28", "1999-12-31"];
    const GERMAN: [&str; 3] = ["13.01.1950", "28.02.1960", "31.12.1999"];

    #[test]
    fn births_and_stays_are_known_by_their_names() {
        let of = |columns: &[ColumnProfile]| suggested(columns).sections;
        let found = of(&[dates("Geburtsdatum", GERMAN), dates("Aufnahme", ISO), dates("Entlassung", ISO)]);
        let age = &found["age"];
        assert_eq!(age.age_at.as_deref(), Some("Aufnahme"));
        assert_eq!(age.format.as_deref(), Some("%d.%m.%Y"));
        let stay = ["Aufnahme", "Entlassung"].map(str::to_owned);
        assert_eq!(
            (&found["length_of_stay"].days_between, &found["length_of_stay"].format),
            (&Some(stay), &None)
        );
        let alone = suggested(&[dates("dob", ISO)]);
        assert!(
            alone.fixed && alone.sections["age"].age_at.as_ref().is_some_and(|day| day.ends_with("-12-31"))
        );
        let only = of(&[dates("dob", ISO), dates("registered", ISO)]);
        assert_eq!(only["age"].age_at.as_deref(), Some("registered"));
        assert!(suggested(&[dates("dob", ISO), dates("registered", ISO), dates("paid", ISO)]).fixed);
        let died = ColumnProfile { missing: 7, ..dates("died", ISO) };
        assert!(suggested(&[dates("dob", ISO), died]).fixed);
        assert!(of(&[dates("dob", ISO), dates("age", ISO)]).is_empty());
        assert!(of(&[dates("end_date", ISO), dates("weekend", ISO)]).is_empty());
    }
}

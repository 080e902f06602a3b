//! Pseudonyms and shifted dates: what replaces identifiers and dates before any method sees them.
//!
//! A pseudonym is HMAC-SHA-256(key, value) in hexadecimal digits (RFC 2104): the same value has the same
//! pseudonym wherever the same key is used, and without the key nobody can try values. A person's dates
//! move by one number of days, uniform on −days … days: HMAC-SHA-256(k, person) mod (2 · days + 1) − days
//! over the first 128 bits, with k = HMAC-SHA-256(key, [`SHIFT`]) so that no pseudonym betrays a shift. What
//! lies between two dates of a person stays as it was. A missing value stays missing.

use std::path::Path;

use chrono::{Days, NaiveDate};
use hmac::{Hmac, KeyInit, Mac};
use rustc_hash::FxHashMap;
use sha2::Sha256;
use velamen_core::error::Problem;
use velamen_core::frequency::{Column, FrequencyTable, RestColumn, Role};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::people;
use velamen_dp::Seed;
use velamen_engine::ColumnRequest;
use velamen_recipe::{Code, DateShift, ISO, Identities, JobError, KeySection, Resolved};
use velamen_search::method::Counterfeits;

/// What the key of date shifts is derived from.
const SHIFT: &str = "velamen date shift";

/// The least length of a key, in bytes.
const LEAST_KEY: usize = 16;

/// A secret key. Nothing shows it.
pub struct SecretKey(Vec<u8>);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey")
    }
}

impl SecretKey {
    /// The key that a section says where to find.
    ///
    /// # Errors
    /// [`JobError::io`] if its file cannot be read, [`JobError::usage`] if there is none or it is too short.
    pub fn read(section: &KeySection) -> Result<Self, JobError> {
        secret(section)
    }

    /// A key that nobody has.
    #[must_use]
    pub fn drawn(seed: &Seed) -> Self {
        Self(seed.to_hex().into_bytes())
    }

    /// HMAC-SHA-256 of a text under the key.
    #[must_use]
    pub fn mac(&self, text: &str) -> [u8; 32] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().into()
    }

    fn pseudonym(&self, value: &str) -> String {
        if value == NULL {
            return value.to_owned();
        }
        self.mac(value).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Days from −`days` to `days`.
    #[must_use]
    pub fn shift(&self, person: &str, days: u32) -> i64 {
        let high = u128::from_be_bytes(*self.mac(person).first_chunk().expect("32 bytes hold 16"));
        (high % u128::from(2 * days + 1)) as i64 - i64::from(days)
    }
}

/// Reads the key from its file or the environment.
pub(crate) fn key(identities: &Identities) -> Result<SecretKey, JobError> {
    secret(identities.key.as_ref().expect("a recipe with identities has a key"))
}

fn secret(section: &KeySection) -> Result<SecretKey, JobError> {
    let (bytes, place) = match (&section.file, &section.environment) {
        (Some(file), _) => {
            let bytes = std::fs::read(file).map_err(|error| JobError::io(file, "read the key", &error))?;
            (trimmed(bytes), file.display().to_string())
        }
        (None, name) => {
            let name = name.clone().unwrap_or_default();
            let value = std::env::var_os(&name).map(std::ffi::OsString::into_encoded_bytes);
            let unset = || {
                JobError::usage(format!("key: the environment has no variable `{name}`"))
                    .coded(Code::PSEUDONYM_KEY)
            };
            (value.ok_or_else(unset)?, format!("the environment's `{name}`"))
        }
    };
    if bytes.len() < LEAST_KEY {
        let made = "make one with: openssl rand -hex 32";
        let refusal = JobError::usage(format!(
            "{place}: the key has {} bytes, fewer than {LEAST_KEY}; {made}",
            bytes.len()
        ));
        return Err(refusal.coded(Code::PSEUDONYM_KEY));
    }
    Ok(SecretKey(bytes))
}

/// Without one line end.
fn trimmed(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    bytes
}

/// The columns to read first, if they are not the released ones, to which pseudonyms are added.
pub(crate) fn requests(
    identities: &Identities,
    columns: &[String],
    released: &mut Vec<ColumnRequest>,
) -> Option<Vec<ColumnRequest>> {
    if identities.is_empty() {
        return None;
    }
    let plain = |index: usize| ColumnRequest {
        index,
        name: columns[index].clone(),
        role: Role::Insensitive,
        rule: std::sync::Arc::new(Rule::Flat),
        whole_domain: false,
    };
    for (index, name) in columns.iter().enumerate() {
        if identities.pseudonym(name).is_some() {
            released.push(plain(index));
        }
    }
    released.sort_by_key(|request| request.index);
    let mut first = released.clone();
    for request in &mut first {
        if identities.shift(&request.name).is_some() {
            *request = plain(request.index);
        }
    }
    let persons = identities.shifts.iter().map(|shift| &shift.person);
    for person in persons {
        if !first.iter().any(|request| request.name == *person) {
            first.extend(columns.iter().position(|column| column == person).map(plain));
        }
    }
    first.sort_by_key(|request| request.index);
    Some(first)
}

/// The table with pseudonyms and moved dates, by the released columns.
///
/// Time: O(entries · columns · log entries), and one HMAC per distinct identifier.
pub(crate) fn apply(
    table: &FrequencyTable,
    identities: &Identities,
    key: &SecretKey,
    released: &[ColumnRequest],
) -> Result<FrequencyTable, JobError> {
    let shift_key = SecretKey(key.mac(SHIFT).to_vec());
    let mut columns = Vec::with_capacity(released.len());
    for request in released {
        let (mut values, mut codes) = raw(table, &request.name);
        if identities.pseudonym(&request.name).is_some() {
            values = values.iter().map(|value| key.pseudonym(value)).collect();
        }
        if let Some(shift) = identities.shift(&request.name) {
            (values, codes) = shifted(shift, &shift_key, (values, codes), raw(table, &shift.person))?;
            if !values.iter().all(|value| request.rule.contains(value)) {
                return Err(JobError::data(format!(
                    "attribute `{}`: moved dates leave the domain of the hierarchy",
                    request.name
                ))
                .mend(format!("widen it by the {} days of date-shift to either side", shift.days)));
            }
            values = values.into_iter().map(|value| request.rule.coded(&value).unwrap_or(value)).collect();
        }
        let ColumnRequest { name, role, rule, whole_domain, .. } = request;
        let (name, whole_domain) = (name.clone(), *whole_domain);
        columns.push(Column { name, role: *role, rule, whole_domain, values, codes });
    }
    Ok(FrequencyTable::of_columns(&columns, &table.counts))
}

/// A column's values and their code in each entry.
type Cells = (Vec<String>, Vec<u32>);

fn raw(table: &FrequencyTable, name: &str) -> Cells {
    if let Some(q) = table.qis.iter().position(|qi| qi.name == name) {
        return (table.qis[q].hierarchy.labels(0).to_vec(), table.codes[q].clone());
    }
    let column = table.rest.columns.iter().position(|column| column.name == name);
    let column = column.expect("every column that is named was read");
    let codes = table.rest_index.iter().map(|&rest| table.rest.codes[column][rest as usize]).collect();
    (table.rest.columns[column].values.clone(), codes)
}

/// The dates of each entry moved by its person's days.
fn shifted(shift: &DateShift, key: &SecretKey, dates: Cells, persons: Cells) -> Result<Cells, JobError> {
    let wrong =
        |problem: Problem| JobError::data(problem.after(&format!("attribute `{}`: ", shift.attribute)));
    let parsed: Vec<Option<Date>> = dates.0.iter().map(|date| Date::parse(date, &shift.format)).collect();
    let bad = parsed.iter().zip(&dates.0).filter(|(date, text)| date.is_none() && *text != NULL).count();
    if bad > 0 {
        let form = match &*shift.format {
            ISO => "2024-12-31, with or without a time after them",
            other => other,
        };
        let problem = Problem::new(format!("{bad} of its {} values are no dates", parsed.len()));
        let problem = problem.expected(format!("the form {form}"));
        return Err(wrong(problem.mend("name another with date-shift.format")));
    }
    let days: Vec<i64> = persons.0.iter().map(|person| key.shift(person, shift.days)).collect();
    let mut moved = Vec::new();
    let mut places: FxHashMap<(u32, i64), u32> = FxHashMap::default();
    let mut codes = Vec::with_capacity(dates.1.len());
    for (&date, &person) in dates.1.iter().zip(&persons.1) {
        if persons.0[person as usize] == NULL {
            return Err(wrong(
                Problem::new(format!("date-shift: a record has no `{}`", shift.person))
                    .mend("give every record one"),
            ));
        }
        let days = days[person as usize];
        let place = *places.entry((date, days)).or_insert_with(|| {
            moved.push(
                parsed[date as usize]
                    .as_ref()
                    .map_or_else(|| Some(NULL.into()), |date| date.after(days, &shift.format)),
            );
            moved.len() as u32 - 1
        });
        codes.push(place);
    }
    let moved: Option<Vec<String>> = moved.into_iter().collect();
    Ok((moved.ok_or_else(|| wrong("a moved date is out of the calendar".into()))?, codes))
}

/// A day and what follows it in the cell.
struct Date<'a> {
    day: NaiveDate,
    time: &'a str,
}

impl<'a> Date<'a> {
    fn parse(text: &'a str, format: &str) -> Option<Self> {
        if format != ISO {
            let day = NaiveDate::parse_from_str(text, format).ok()?;
            return Some(Self { day, time: "" });
        }
        let (day, time) = text.split_at_checked(10)?;
        let is_time = time.is_empty() || time.starts_with(['T', ' ']);
        let day = NaiveDate::parse_from_str(day, ISO).ok().filter(|_| is_time)?;
        Some(Self { day, time })
    }

    fn after(&self, days: i64, format: &str) -> Option<String> {
        let count = Days::new(days.unsigned_abs());
        let day = if days < 0 { self.day.checked_sub_days(count) } else { self.day.checked_add_days(count) };
        Some(format!("{}{}", day?.format(format), self.time))
    }
}

/// What the copy of a column of pseudonyms is called that says whose the records are, before the column's own name.
pub(crate) const PEOPLE_OF: &str = "people of ";

/// The pseudonyms that are those of people, unless the recipe says whose the records are.
pub(crate) fn of_people(recipe: &Resolved) -> Vec<String> {
    if recipe.attributes.iter().any(|attribute| attribute.role == Role::Person) {
        return Vec::new();
    }
    let names = recipe.identities.pseudonyms.iter().map(|(name, _)| name);
    names.filter(|name| !recipe.independent.contains(name)).cloned().collect()
}

/// Counts people by the pseudonym that several records share, by that of the most values if there are several: a copy
/// of it says whose the records are.
pub(crate) fn count_people(table: &mut FrequencyTable, pseudonyms: &[String]) {
    let columns = pseudonyms.iter().filter_map(|name| table.rest.position(name));
    let most = people::telling(columns.map(|column| (column, repeating(table, column))));
    if let Some(column) = most {
        let own = &table.rest.columns[column];
        let people = RestColumn {
            name: format!("{PEOPLE_OF}{}", own.name),
            role: Role::Person,
            values: own.values.clone(),
        };
        table.rest.columns.push(people);
        table.rest.codes.push(table.rest.codes[column].clone());
    }
}

/// How many people a column of the rest tells apart, if several records share a value of it.
fn repeating(table: &FrequencyTable, column: usize) -> Option<usize> {
    people::repeating(&table.rest.columns[column].values, &table.rest_marginal(column))
}

/// Refuses to count records where several share a pseudonym and the method cannot count people.
pub(crate) fn refuse_uncounted(
    table: &FrequencyTable,
    recipe: &Resolved,
    path: &Path,
) -> Result<(), JobError> {
    let shared = || of_people(recipe).into_iter().find(|name| table.rest.position(name).is_some());
    // Where missing values match any, records are counted, too.
    let catalogued = recipe.method.facts.counterfeits == Counterfeits::Catalogued;
    let counts_people = recipe.method.facts.persons && recipe.missing.is_own_value() && !catalogued;
    if counts_people || table.rest.person().is_none() {
        return Ok(());
    }
    let Some(name) = shared() else { return Ok(()) };
    let problem = Problem::new(format!(
        "several records share a pseudonym of `{name}`, so that people have to be counted, and the method, or missing = \
         \"wildcard\", counts records, or makes counterfeits, whose pseudonyms nobody shares"
    ))
    .mend(
        "choose name = \"optimal\" without it, drop the pseudonym, or write rows = \"independent\" at the \
            attribute if each record is of another person",
    );
    Err(recipe.places.refuse(path, &["attributes", &name], problem))
}

/// What to say of pseudonyms that several records share although each is said to be another person's.
pub(crate) fn linkable(table: &FrequencyTable, recipe: &Resolved) -> Option<String> {
    let independent =
        recipe.identities.pseudonyms.iter().filter(|(name, _)| recipe.independent.contains(name));
    let mut positions = independent.filter_map(|(name, _)| Some((name, table.rest.position(name)?)));
    let (name, _) = positions.find(|(_, column)| repeating(table, *column).is_some())?;
    Some(format!(
        "several records share a pseudonym in `{name}`, so that recipients can link them, and rows = \"independent\" says that \
         they are of different people: the promises count records"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_the_mac_that_others_compute() {
        // RFC 4231, test case 2.
        let key = SecretKey(b"Jefe".to_vec());
        assert_eq!(
            key.pseudonym("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(key.pseudonym(NULL), NULL);
    }

    #[test]
    fn shifts_are_uniform_and_bounded() {
        let key = SecretKey(b"0123456789abcdef".to_vec());
        let mut counts = [0u32; 7];
        for person in 0..7000 {
            counts[(key.shift(&person.to_string(), 3) + 3) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
    }

    #[test]
    fn dates_move_and_keep_their_time() {
        let after = |text: &str, days| Date::parse(text, ISO).and_then(|date| date.after(days, ISO));
        assert_eq!(after("2024-02-28", 2).as_deref(), Some("2024-03-01"));
        assert_eq!(after("2024-01-01T08:30:00", -1).as_deref(), Some("2023-12-31T08:30:00"));
        for wrong in ["2024-02-30", "2024-2-3", "20240203", "2024-01-01x", "31.12.2024", "1월 1일 2024년"]
        {
            assert_eq!(after(wrong, 1), None, "{wrong}");
        }
        let german = "%d.%m.%Y";
        let moved = Date::parse("31.12.2024", german).and_then(|date| date.after(1, german));
        assert_eq!(moved.as_deref(), Some("01.01.2025"));
    }

    #[test]
    fn one_line_end_is_no_part_of_the_key() {
        assert_eq!(trimmed(b"key\r\n".to_vec()), b"key");
        assert_eq!(trimmed(b"key\n\n".to_vec()), b"key\n");
    }
}

//! Keys of rows, and whose each row is.

use super::faults::{Faults, Place};

/// Nobody's: a row whose keys do not lead to a person.
pub(super) const NOBODY: u32 = u32::MAX;

/// A place that no key took.
const FREE: u32 = u32::MAX - 1;

/// A number that is no key.
const NO_KEY: u32 = 0;

/// The own keys of a table's rows as they are read, in the file's order.
#[derive(Default)]
pub(super) enum Collected {
    /// Before the first row.
    #[default]
    Nothing,
    /// Whole numbers.
    Numbers(Vec<u32>),
    /// UUIDs; none for a cell that is not one.
    Uuids(Vec<Option<u128>>),
}

impl Collected {
    /// Takes the key of the next row; `false` where it is none. The first decides the form.
    pub(super) fn take(&mut self, cell: &str) -> bool {
        if matches!(self, Self::Nothing) {
            *self = if uuid(cell).is_some() { Self::Uuids(Vec::new()) } else { Self::Numbers(Vec::new()) };
        }
        match self {
            Self::Nothing => false,
            Self::Numbers(keys) => {
                let key = number(cell);
                keys.push(key.unwrap_or(NO_KEY));
                key.is_some()
            }
            Self::Uuids(keys) => {
                keys.push(uuid(cell));
                keys.last().is_some_and(Option::is_some)
            }
        }
    }
}

/// Which row a key is that of, by number: persons are numbered by their keys in ascending order.
enum Form {
    /// 1 to n.
    Numbers,
    /// In ascending order.
    Uuids(Vec<u128>),
}

/// The keys of a table, each with its person.
pub(super) struct Keys {
    form: Form,
    persons: Vec<u32>,
}

impl Keys {
    /// Keys in the file's order; `person` gives the person of each row. Faults are keys that come twice and numbers beyond
    /// the number of rows.
    pub(super) fn new(
        collected: &Collected,
        persons: Option<&[u32]>,
        place: Place<'_>,
        faults: &mut Faults,
    ) -> Self {
        match collected {
            Collected::Nothing => Self { form: Form::Numbers, persons: Vec::new() },
            Collected::Numbers(keys) => {
                let numbers = keys.iter().map(|key| key.checked_sub(1).map(|number| number as usize));
                let owners = owners(numbers, keys.len(), persons, place, faults);
                Self { form: Form::Numbers, persons: owners }
            }
            Collected::Uuids(keys) => {
                let mut sorted: Vec<u128> = keys.iter().copied().flatten().collect();
                sorted.sort_unstable();
                sorted.dedup();
                let numbers = keys.iter().map(|key| sorted.binary_search(key.as_ref()?).ok());
                let owners = owners(numbers, sorted.len(), persons, place, faults);
                Self { form: Form::Uuids(sorted), persons: owners }
            }
        }
    }

    /// The number of each row, in the file's order: [`NOBODY`] for one whose key is none.
    pub(super) fn numbers(&self, collected: &Collected) -> Vec<u32> {
        let is_known = |number: &u32| (*number as usize) < self.len();
        let number = |key: &u32| key.checked_sub(1).filter(is_known).unwrap_or(NOBODY);
        match (collected, &self.form) {
            (Collected::Numbers(keys), _) => keys.iter().map(number).collect(),
            (Collected::Uuids(keys), Form::Uuids(sorted)) => {
                let place = |key: &Option<u128>| sorted.binary_search(key.as_ref()?).ok();
                keys.iter().map(|key| place(key).map_or(NOBODY, |place| place as u32)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many rows have a key.
    pub(super) const fn len(&self) -> usize {
        self.persons.len()
    }

    /// The number of the row that has this key, from 0 on.
    pub(super) fn find(&self, cell: &str) -> Option<u32> {
        let found = match &self.form {
            Form::Numbers => number(cell)?.checked_sub(1)?,
            Form::Uuids(sorted) => u32::try_from(sorted.binary_search(&uuid(cell)?).ok()?).ok()?,
        };
        self.persons.get(found as usize).filter(|owner| **owner != FREE).map(|_| found)
    }

    /// The person of the row of that number.
    pub(super) fn person(&self, row: u32) -> u32 {
        self.persons.get(row as usize).copied().filter(|person| *person != FREE).unwrap_or(NOBODY)
    }
}

/// By number of a key, the person of its row; without `persons` each row is a person.
fn owners(
    numbers: impl Iterator<Item = Option<usize>>,
    len: usize,
    persons: Option<&[u32]>,
    place: Place<'_>,
    faults: &mut Faults,
) -> Vec<u32> {
    let mut owners = vec![FREE; len];
    for (row, number) in numbers.enumerate() {
        // What is no key at all was found before.
        let Some(number) = number else { continue };
        let place = place.row((row as u64).saturating_add(1));
        let owner = match persons {
            Some(persons) => persons.get(row).copied().unwrap_or(NOBODY),
            None => number as u32,
        };
        match owners.get_mut(number) {
            None => faults.add(place, "a key beyond the number of rows"),
            Some(free) if *free == FREE => *free = owner,
            Some(_) => faults.add(place, "the key of another row"),
        }
    }
    owners
}

/// A whole number from 1 on, written in one way only.
fn number(cell: &str) -> Option<u32> {
    let is_written_so = !cell.starts_with('0') && cell.bytes().all(|byte| byte.is_ascii_digit());
    cell.parse().ok().filter(|_| is_written_so)
}

/// A UUID in small letters.
fn uuid(cell: &str) -> Option<u128> {
    let is_written_so = cell.len() == 36 && cell.bytes().enumerate().all(is_of_uuid);
    u128::from_str_radix(&cell.replace('-', ""), 16).ok().filter(|_| is_written_so)
}

/// Whether a byte can stand at that place of a UUID.
fn is_of_uuid((at, byte): (usize, u8)) -> bool {
    match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
    }
}

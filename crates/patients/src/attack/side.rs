//! The persons of the original, or of the release, as an adversary sees them.

use rustc_hash::FxHashMap;
use velamen_contract::linked::Column;

use crate::beside::{Pair, Pairs, Texts, key, parent};
use crate::days;
use crate::loaded::NONE;

/// Which tables are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Original,
    Released,
}

impl Which {
    pub(super) fn of<'a>(self, pair: &'a Pair<'_>) -> &'a Texts {
        match self {
            Self::Original => &pair.original,
            Self::Released => &pair.released,
        }
    }
}

/// A code with the day of its row, if there is one.
pub(super) type Dated = (u32, Option<i32>);

/// The numbers of released codes: table, column and text.
pub(super) type Codes = FxHashMap<(String, String, String), u32>;

/// The persons, by their row in the table of persons.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// What the person columns show or would show.
    pub(super) columns: Vec<Vec<String>>,
    /// The distinct codes of each, ascending.
    pub(super) codes: Vec<Vec<u32>>,
    /// Each code of each row with its day.
    pub(super) dated: Vec<Vec<Dated>>,
}

/// The person of each row of each table, or [`NONE`].
pub(super) fn owners<'a>(pairs: &'a Pairs<'_>, which: Which) -> FxHashMap<&'a str, Vec<u32>> {
    let mut owners: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    for pair in pairs.all() {
        let texts = which.of(pair);
        let above = parent(pair.table).and_then(|(column, table)| Some((column, pairs.of(table)?)));
        let of = match above {
            None if pair.table.parent.is_none() => (0..texts.rows as u32).collect(),
            None => vec![NONE; texts.rows],
            Some((column, above)) => {
                let rows = which.of(above).rows_by(key(above.table).unwrap_or_default());
                let persons = owners.get(above.name).map(Vec::as_slice).unwrap_or_default();
                let person = |row: &u32| persons.get(*row as usize).copied();
                (0..texts.rows)
                    .map(|row| rows.get(texts.cell(column, row)).and_then(person).unwrap_or(NONE))
                    .collect()
            }
        };
        owners.insert(pair.name, of);
    }
    owners
}

impl Side {
    /// Of all tables; codes of the original by what stands for them.
    pub(super) fn of(pairs: &Pairs<'_>, which: Which, numbers: &mut Codes) -> Self {
        let owners = owners(pairs, which);
        let persons = owners.get(pairs.manifest.persons.table.as_str()).map_or(0, Vec::len);
        let (columns, dated) = (vec![Vec::new(); persons], vec![Vec::new(); persons]);
        let mut side = Self { columns, codes: Vec::new(), dated };
        for pair in pairs.all() {
            let of = &owners[pair.name];
            if pair.table.is_person_column {
                side.take_fact(of);
            }
            for (name, column) in &pair.table.columns {
                match column {
                    Column::QuasiIdentifier { .. } => side.take_column(pairs, pair, which, name),
                    Column::Set { items } => {
                        side.take_codes((pairs, pair, which), (name, items.as_deref()), of, numbers)
                    }
                    _ => {}
                }
            }
        }
        side.codes = side.dated.iter().map(|dated| distinct(dated)).collect();
        side
    }

    fn take_fact(&mut self, owners: &[u32]) {
        let mut has = vec![false; self.columns.len()];
        owners.iter().filter(|person| **person != NONE).for_each(|&person| has[person as usize] = true);
        self.columns.iter_mut().zip(has).for_each(|(columns, has)| columns.push(has.to_string()));
    }

    fn take_column(&mut self, pairs: &Pairs<'_>, pair: &Pair<'_>, which: Which, name: &str) {
        for (row, columns) in self.columns.iter_mut().enumerate() {
            let cell = which.of(pair).cell(name, row);
            columns.push(shown((pairs, pair, which), name, cell).to_owned());
        }
    }

    fn take_codes(
        &mut self,
        of: (&Pairs<'_>, &Pair<'_>, Which),
        (name, between): (&str, Option<&str>),
        owners: &[u32],
        numbers: &mut Codes,
    ) {
        let (_, pair, which) = of;
        let texts = which.of(pair);
        let day = pair
            .table
            .columns
            .iter()
            .find(|(_, column)| matches!(column, Column::Date))
            .map(|(name, _)| name);
        for (row, &person) in owners.iter().enumerate().filter(|(_, person)| **person != NONE) {
            let day = day.and_then(|day| days::parse(texts.cell(day, row)));
            let cell = texts.cell(name, row);
            let codes: Vec<&str> =
                between.map_or_else(|| vec![cell], |between| cell.split(between).map(str::trim).collect());
            for code in codes.into_iter().filter(|code| !code.is_empty()) {
                let code = shown(of, name, code);
                let next = numbers.len() as u32;
                let number =
                    *numbers.entry((pair.name.to_owned(), name.to_owned(), code.to_owned())).or_insert(next);
                self.dated[person as usize].push((number, day));
            }
        }
    }
}

/// The codes, ascending.
fn distinct(dated: &[Dated]) -> Vec<u32> {
    let mut codes: Vec<u32> = dated.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// What stands for a code of the original; a released one is that already.
fn shown<'a>(
    (pairs, pair, which): (&'a Pairs<'_>, &'a Pair<'_>, Which),
    column: &str,
    code: &'a str,
) -> &'a str {
    match which {
        Which::Original => pairs.custody.shown(pair.name, column, code),
        Which::Released => code,
    }
}

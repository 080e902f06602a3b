//! Faults by kind, and the first of each.

use serde_json::{Map, Value, json};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rows,
    Persons,
    References,
    PersonColumns,
    Codes,
    Numbers,
    Dates,
    Emptied,
}

impl Kind {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Rows, "rows"),
        (Self::Persons, "persons"),
        (Self::References, "references"),
        (Self::PersonColumns, "person-columns"),
        (Self::Codes, "codes"),
        (Self::Numbers, "numbers"),
        (Self::Dates, "dates"),
        (Self::Emptied, "emptied"),
    ];
}

/// Table, column, and released row from 0 on.
pub(super) type Place<'a> = (&'a str, &'a str, usize);

/// The number of faults of each kind, and where the first is.
#[derive(Debug, Default)]
pub(super) struct Faults {
    counts: [u64; Kind::ALL.len()],
    first: [Option<Value>; Kind::ALL.len()],
}

impl Faults {
    pub(super) fn add(&mut self, kind: Kind, place: Place<'_>) {
        self.add_many(kind, place, 1);
    }

    /// A fault of a whole column.
    pub(super) fn add_column(&mut self, kind: Kind, table: &str, column: &str) {
        self.first[kind as usize].get_or_insert_with(|| json!({ "table": table, "column": column }));
        self.counts[kind as usize] += 1;
    }

    /// So many faults of which the first is there.
    pub(super) fn add_many(&mut self, kind: Kind, (table, column, row): Place<'_>, number: u64) {
        let first = || json!({ "table": table, "column": column, "row": row + 1 });
        self.first[kind as usize].get_or_insert_with(first);
        self.counts[kind as usize] += number;
    }

    pub(super) fn is_none(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    /// The numbers by kind; the first place of each that has faults.
    pub(super) fn reached(&self) -> Value {
        let count = |(kind, name): (Kind, &str)| (name.to_owned(), json!(self.counts[kind as usize]));
        let mut reached: Map<String, Value> = Kind::ALL.into_iter().map(count).collect();
        let place = |(kind, name): (Kind, &str)| Some((name.to_owned(), self.first[kind as usize].clone()?));
        let first: Map<String, Value> = Kind::ALL.into_iter().filter_map(place).collect();
        if !first.is_empty() {
            reached.insert("first".into(), Value::Object(first));
        }
        Value::Object(reached)
    }
}

//! Places at which a promise is broken.

use serde_json::{Value, json};

use crate::Finding;

/// A table, and where it is known a column and a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    table: &'a str,
    column: Option<&'a str>,
    row: Option<u64>,
}

impl<'a> Place<'a> {
    pub(super) const fn table(table: &'a str) -> Self {
        Self { table, column: None, row: None }
    }

    pub(super) const fn column(self, column: &'a str) -> Self {
        Self { column: Some(column), ..self }
    }

    /// A row, 1 for the first after the header.
    pub(super) const fn row(self, row: u64) -> Self {
        Self { row: Some(row), ..self }
    }

    fn to_json(self) -> Value {
        let mut place = serde_json::Map::new();
        place.insert("table".into(), json!(self.table));
        place.extend(self.column.map(|column| ("column".to_owned(), json!(column))));
        place.extend(self.row.map(|row| ("row".to_owned(), json!(row))));
        Value::Object(place)
    }
}

/// How many faults there are of one promise, and the first of them. A fault never shows a cell.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: u64,
    first: Option<Value>,
}

impl Faults {
    pub(super) fn add(&mut self, place: Place<'_>, what: &str) {
        self.found = self.found.saturating_add(1);
        if self.first.is_none() {
            let mut first = place.to_json();
            if let Some(first) = first.as_object_mut() {
                first.insert("fault".into(), json!(what));
            }
            self.first = Some(first);
        }
    }

    /// One that is about the release as a whole.
    pub(super) fn add_general(&mut self, what: &str) {
        self.found = self.found.saturating_add(1);
        self.first.get_or_insert_with(|| json!({ "fault": what }));
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.found = self.found.saturating_add(other.found);
        self.first = self.first.take().or(other.first);
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.found == 0
    }

    /// The number of faults and the first, beside what else was reached.
    pub(super) fn finding(self, promise: &str, asked: Value) -> Finding {
        let holds = self.is_empty();
        Finding::of(promise, asked, self.reached(), holds)
    }

    pub(super) fn reached(self) -> Value {
        match self.first {
            None => json!({ "faults": 0 }),
            Some(first) => json!({ "faults": self.found, "first": first }),
        }
    }
}

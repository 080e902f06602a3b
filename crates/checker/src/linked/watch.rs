//! What the cells of one column are checked for.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use velamen_contract::linked::Tier;

use super::codes::Codes;
use super::date::{Day, Rule};
use super::faults::{Faults, Place};
use super::keys::{Keys, NOBODY};
use super::number::{self, Ends};
use super::periods::Spans;
use super::rows::Row;

/// The faults of one table, by promise.
#[derive(Default)]
pub(super) struct Broken {
    pub(super) columns: Faults,
    pub(super) keys: Faults,
    pub(super) order: Faults,
    pub(super) values: Faults,
    pub(super) dates: Faults,
    pub(super) events: Faults,
    pub(super) traces: Faults,
    pub(super) ages: Faults,
}

/// A cell and whose it is.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    pub(super) row: &'a Row,
    pub(super) person: u32,
    pub(super) place: Place<'a>,
}

/// What a column's role asks for.
pub(super) enum Watch<'a> {
    /// A key: it was looked at in the first reading.
    Key,
    /// As recorded.
    Nothing,
    Reference(Reference<'a>),
    QuasiIdentifier(Labels<'a>),
    Set {
        items: Option<&'a str>,
        codes: Codes,
        /// Whether a person can have any number of rows.
        is_of_rows: bool,
    },
    Code(Codes),
    Value(Values),
    Band(Bands),
    Date(Days<'a>),
    Constant(&'a str),
}

/// The key of a released row.
pub(super) struct Reference<'a> {
    /// Whether it leads to the person: then it was followed in the first reading.
    pub(super) is_parent: bool,
    /// The place of the table that it refers to.
    pub(super) target: usize,
    pub(super) keys: Option<&'a Keys>,
    /// Which rows are referred to; none where nobody asks.
    pub(super) referred: Option<Vec<bool>>,
}

/// The labels of a person column, and each person's.
pub(super) struct Labels<'a> {
    pub(super) labels: &'a IndexMap<String, String>,
    pub(super) of_persons: Vec<u32>,
}

/// Numbers by group.
pub(super) struct Values {
    pub(super) by: Vec<usize>,
    pub(super) digits: u8,
    pub(super) tier: Tier,
    pub(super) ends: Ends,
    pub(super) group: String,
}

/// Bands by group.
pub(super) struct Bands {
    pub(super) names: BTreeSet<String>,
    pub(super) by: Vec<usize>,
    pub(super) codes: Codes,
}

/// Dates by rule; where they are relative, the first of each person.
pub(super) struct Days<'a> {
    pub(super) rule: Option<&'a Rule>,
    pub(super) first: Vec<Day>,
    /// Where periods are made of days, the first and the last of each person.
    pub(super) spans: Spans,
    /// The least year.
    pub(super) earliest: i64,
    /// The greatest year; 0 before the first date.
    pub(super) latest: i64,
}

impl Watch<'_> {
    /// Looks at the next cell.
    pub(super) fn see(&mut self, cell: Cell<'_>, broken: &mut Broken) {
        let needed = match self {
            Self::Key | Self::QuasiIdentifier(_) => true,
            // A row without its code is a trace of one that was removed.
            Self::Set { items: None, is_of_rows, .. } => *is_of_rows,
            Self::Reference(reference) => reference.is_parent,
            _ => false,
        };
        if cell.text.is_empty() && needed {
            broken.columns.add(cell.place, "an empty cell");
        }
        match self {
            Self::QuasiIdentifier(labels) => labels.see(cell, &mut broken.columns),
            Self::Constant(value) if cell.text != *value => {
                broken.columns.add(cell.place, "another value than the constant");
            }
            _ if !cell.text.is_empty() => self.see_filled(cell, broken),
            _ => {}
        }
    }

    fn see_filled(&mut self, cell: Cell<'_>, broken: &mut Broken) {
        match self {
            Self::Reference(reference) => reference.see(cell, &mut broken.keys),
            Self::Set { items, codes, .. } => {
                let is_as_written = items.is_none_or(|delimiter| ascend(cell.text.split(delimiter)));
                if !is_as_written {
                    // Nothing else would keep a cell's items from marking its row.
                    broken.columns.add(cell.place, "items that are empty, repeated or out of order");
                }
                if cell.person != NOBODY {
                    add_items(*items, codes, cell);
                }
            }
            Self::Code(codes) if cell.person != NOBODY => codes.add(cell.person, cell.text),
            Self::Value(values) => values.see(cell, &mut broken.values),
            Self::Band(bands) => bands.see(cell, &mut broken.values),
            Self::Date(days) => days.see(cell, &mut broken.dates),
            _ => {}
        }
    }
}

/// Whether items are there, each once, in the order of their bytes.
fn ascend<'a>(items: impl Iterator<Item = &'a str>) -> bool {
    let mut before = "";
    for item in items {
        if item <= before {
            return false;
        }
        before = item;
    }
    true
}

/// Adds the items of a cell: those between the delimiters, without empty ones.
fn add_items(delimiter: Option<&str>, codes: &mut Codes, cell: Cell<'_>) {
    match delimiter {
        None => codes.add(cell.person, cell.text),
        Some(delimiter) => {
            let items = cell.text.split(delimiter).filter(|item| !item.is_empty());
            items.for_each(|item| codes.add(cell.person, item));
        }
    }
}

impl Reference<'_> {
    fn see(&mut self, cell: Cell<'_>, faults: &mut Faults) {
        let Some((keys, found)) = self.keys.and_then(|keys| Some((keys, keys.find(cell.text)?))) else {
            // A parent that is not released was found in the first reading.
            if !self.is_parent {
                faults.add(cell.place, "a reference to no released row");
            }
            return;
        };
        if keys.person(found) != cell.person {
            faults.add(cell.place, "a reference to another person's row");
        }
        if let Some(mark) = self.referred.as_mut().and_then(|referred| referred.get_mut(found as usize)) {
            *mark = true;
        }
    }
}

impl Labels<'_> {
    fn see(&mut self, cell: Cell<'_>, faults: &mut Faults) {
        let Some(value) = self.labels.get_index_of(cell.text) else {
            return faults.add(cell.place, "a value without a label");
        };
        if let Some(of_person) = self.of_persons.get_mut(cell.person as usize) {
            *of_person = value as u32;
        }
    }
}

impl Values {
    fn see(&mut self, cell: Cell<'_>, faults: &mut Faults) {
        let Some(number) = number::read(cell.text) else {
            return faults.add(cell.place, "no number");
        };
        if number::written(number) != cell.text {
            faults.add(cell.place, "a number that is not in its one spelling");
        }
        if number::significant_digits(cell.text) > usize::from(self.digits) {
            faults.add(cell.place, "more significant digits than stated");
        }
        if self.tier == Tier::Public {
            faults.add(cell.place, "a number outside a band in a release for anybody");
        }
        if cell.person == NOBODY {
            return;
        }
        self.group.clear();
        grouped(&mut self.group, &self.by, cell.row);
        self.ends.add(&self.group, cell.person, number);
    }
}

/// Adds the cells of columns to a text by which groups are known.
fn grouped(group: &mut String, by: &[usize], row: &Row) {
    for text in by.iter().map(|by| row.get(*by).unwrap_or_default()) {
        // With its length in front, no text can be taken for the end of another.
        group.push_str(&text.len().to_string());
        group.push(':');
        group.push_str(text);
    }
}

impl Bands {
    fn see(&mut self, cell: Cell<'_>, faults: &mut Faults) {
        if !self.names.contains(cell.text) {
            return faults.add(cell.place, "the name of no band");
        }
        if cell.person != NOBODY {
            let mut group = cell.text.to_owned();
            grouped(&mut group, &self.by, cell.row);
            self.codes.add(cell.person, &group);
        }
    }
}

impl Days<'_> {
    fn see(&mut self, cell: Cell<'_>, faults: &mut Faults) {
        match self.rule.map(|rule| rule.read(cell.text)) {
            None => {}
            Some(Err(fault)) => faults.add(cell.place, fault),
            Some(Ok(day)) => {
                let year = cell.text.get(..4).and_then(|year| year.parse().ok()).unwrap_or_default();
                self.earliest = self.earliest.min(year);
                self.latest = self.latest.max(year);
                if let Some(first) = self.first.get_mut(cell.person as usize) {
                    *first = day.min(*first);
                }
                if let Some(span) = self.spans.get_mut(cell.person as usize) {
                    *span = (day.min(span.0), day.max(span.1));
                }
            }
        }
    }
}

//! The second reading: every cell of a table, once whose rows are whose is known.

use velamen_contract::linked::{Column, LinkedManifest, Shape};

use super::codes::Codes;
use super::date::{Day, Rule};
use super::empties::Empties;
use super::events;
use super::faults::{Faults, Place};
use super::keys::NOBODY;
use super::number::{self, Ends};
use super::owners::Owned;
use super::periods::{self, Spans};
use super::plan::{Plan, Planned};
use super::rows::Row;
use super::source::{self, Folder};
use super::unreadable::Unreadable;
use super::watch::{Bands, Broken, Cell, Days, Labels, Reference, Values, Watch};
use super::years::Years;

/// What all tables are read with.
pub(super) struct Reading<'a> {
    pub(super) release: Folder<'a>,
    pub(super) manifest: &'a LinkedManifest,
    pub(super) plan: &'a Plan<'a>,
    pub(super) owned: &'a [Owned],
    pub(super) persons: usize,
    /// None where the window does not read.
    pub(super) rule: Option<Rule>,
    /// Those of tables with a window of their own.
    pub(super) rules: Vec<Option<Rule>>,
    /// The table of periods, by its place.
    pub(super) periods: Option<usize>,
}

/// The persons of what fewest have in one column.
pub(super) struct Fewest<'a> {
    pub(super) table: &'a str,
    pub(super) column: &'a str,
    pub(super) persons: u64,
}

/// What a table shows.
#[derive(Default)]
pub(super) struct Seen<'a> {
    pub(super) broken: Broken,
    pub(super) rows: u64,
    /// Person → rows.
    pub(super) of_persons: Vec<u32>,
    /// Of each person column, person → value.
    pub(super) quasi_identifiers: Vec<Vec<u32>>,
    /// Of each column of sets.
    pub(super) sets: Vec<Codes>,
    pub(super) codes: Vec<Fewest<'a>>,
    pub(super) ends: Vec<Fewest<'a>>,
    /// Of each column of relative dates, person → first day.
    pub(super) first_days: Vec<Vec<Day>>,
    /// The first and the last day of each person, where periods are made of them; of the table of periods, column by column.
    pub(super) spans: Spans,
    pub(super) spans_by_column: Vec<(&'a str, Spans)>,
    /// The least year of a date; that of no date where there is none.
    pub(super) earliest: i64,
    /// The greatest year of a date; 0 where there is none.
    pub(super) latest: i64,
    /// Table → which of its rows are referred to from here.
    pub(super) referred: Vec<(usize, Vec<bool>)>,
}

impl<'a> Reading<'a> {
    /// Reads the table at a place.
    pub(super) fn read(&'a self, at: usize) -> Result<Seen<'a>, Unreadable> {
        let mut seen = Seen { of_persons: vec![0; self.persons], earliest: i64::MAX, ..Seen::default() };
        let (Some(planned), Some(owned)) = (self.plan.tables.get(at), self.owned.get(at)) else {
            return Ok(seen);
        };
        let columns: Vec<(&str, &Column)> =
            planned.table.columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
        let mut watches: Vec<Watch<'a>> =
            columns.iter().zip(0..).map(|((_, column), place)| self.watch(at, place, column)).collect();
        let mut empties = Empties::of(planned);
        let years = Years::of(self.manifest, planned.table);
        let mut source = source::of_table(self.release, self.manifest, (planned.name, planned.table))?;
        let (mut row, mut before, mut person_before) = (Row::new(), Row::new(), NOBODY);
        while source.next(&mut row)? {
            let person = owned.persons.get(seen.rows as usize).copied().unwrap_or(NOBODY);
            seen.rows = seen.rows.saturating_add(1);
            self.release.check(seen.rows)?;
            let place = Place::table(planned.name).row(seen.rows);
            if let Some(rows) = seen.of_persons.get_mut(person as usize) {
                *rows = rows.saturating_add(1);
            }
            for ((watch, (name, _)), text) in watches.iter_mut().zip(&columns).zip(&row) {
                let cell = Cell { text, row: &row, person, place: place.column(name) };
                watch.see(cell, &mut seen.broken);
            }
            empties.see(person, &row);
            if let Some(years) = &years {
                years.see(&row, place, &mut seen.broken.ages);
            }
            if let Some(fault) = out_of_order(planned, (person_before, &before), (person, &row)) {
                seen.broken.order.add(place, fault);
            }
            if person != NOBODY {
                person_before = person;
            }
            std::mem::swap(&mut row, &mut before);
        }
        if source.has_needless_bytes() {
            let table = Place::table(planned.name);
            let place = source.needless_row().map_or(table, |row| table.row(row));
            seen.broken.columns.add(place, "bytes that its cells do not need");
        }
        seen.broken.traces = empties.faults(planned.name, self.manifest.k());
        for (watch, (name, _)) in watches.into_iter().zip(columns) {
            self.look_for_events(&watch, (planned.name, name), &mut seen.broken.events);
            seen.finish((planned.name, name), self.periods == Some(at), watch);
        }
        Ok(seen)
    }

    /// Looks for codes of public events in a column that is said to have none.
    fn look_for_events(&self, watch: &Watch<'_>, (table, column): (&str, &str), faults: &mut Faults) {
        let is_named =
            |name: &String| name.strip_prefix(table).and_then(|rest| rest.strip_prefix('.')) == Some(column);
        let named = &self.manifest.public_events;
        // Codes of FHIR name their system, so that no column has to be named for them.
        let is_told_by_system = self.manifest.shape == Shape::Fhir
            && !named.is_empty()
            && matches!(watch, Watch::Set { .. } | Watch::Code(_));
        if !is_told_by_system && !named.iter().any(is_named) {
            return;
        }
        let place = Place::table(table).column(column);
        match watch {
            Watch::Set { codes, .. } | Watch::Code(codes) => events::check(codes, place, faults),
            _ => faults.add(place, "no column of codes"),
        }
    }

    /// What to look for in a column of the table at a place.
    fn watch(&'a self, at: usize, place: usize, column: &'a Column) -> Watch<'a> {
        match column {
            Column::Key => Watch::Key,
            Column::Insensitive => Watch::Nothing,
            Column::Reference { table } => self.reference(at, place, table),
            Column::QuasiIdentifier { labels, .. } => {
                Watch::QuasiIdentifier(Labels { labels, of_persons: vec![u32::MAX; self.persons] })
            }
            Column::Set { items } => {
                let is_of_rows = self.plan.tables.get(at).is_some_and(|planned| !planned.is_person());
                Watch::Set { items: items.as_deref(), codes: Codes::default(), is_of_rows }
            }
            Column::Code => Watch::Code(Codes::default()),
            Column::Value { by, digits } => self.values(at, by, *digits),
            Column::Band { bounds, by } => Watch::Band(Bands {
                names: number::bands(bounds).into_iter().collect(),
                by: self.places(at, by),
                codes: Codes::default(),
            }),
            Column::Date => Watch::Date(self.days(at)),
            Column::Constant { value } => Watch::Constant(value),
        }
    }

    fn reference(&'a self, at: usize, place: usize, table: &str) -> Watch<'a> {
        let Some((target, _, found)) = self.manifest.tables.get_full(table) else { return Watch::Nothing };
        let keys = self.owned.get(target).and_then(|owned| owned.keys.as_ref());
        let is_parent = self.plan.tables.get(at).and_then(|planned| planned.parent);
        let is_parent = is_parent.is_some_and(|parent| parent.column == place);
        // A row that refers to one of its own table is no reason for either.
        let asked = found.is_referred_to && target != at;
        let referred = keys.filter(|_| asked).map(|keys| vec![false; keys.len()]);
        Watch::Reference(Reference { is_parent, target, keys, referred })
    }

    fn values(&self, at: usize, by: &[String], digits: u8) -> Watch<'a> {
        let by = self.places(at, by);
        let tier = self.manifest.tier;
        Watch::Value(Values { by, digits, tier, ends: Ends::default(), group: String::new() })
    }

    /// The places of columns of a table.
    fn places(&self, at: usize, names: &[String]) -> Vec<usize> {
        let planned = self.plan.tables.get(at);
        let place = |name: &String| planned.and_then(|planned| planned.table.columns.get_index_of(name));
        names.iter().filter_map(place).collect()
    }

    fn days(&'a self, at: usize) -> Days<'a> {
        let own = self.rules.get(at).and_then(Option::as_ref);
        let rule = own.or(self.rule.as_ref());
        let is_relative = rule.is_some_and(Rule::is_relative);
        let first = vec![Day::MAX; if is_relative { self.persons } else { 0 }];
        let spans = vec![periods::NONE; if self.periods.is_some() { self.persons } else { 0 }];
        Days { rule, first, spans, earliest: i64::MAX, latest: 0 }
    }
}

/// What is wrong with a row after another: persons ascend, and the rows of one person do by their cells, without keys and
/// references, as bytes.
fn out_of_order(planned: &Planned<'_>, before: (u32, &Row), now: (u32, &Row)) -> Option<&'static str> {
    if before.0 == NOBODY || now.0 == NOBODY {
        return None;
    }
    // Persons without a key are numbered by their rows, which have to be in the order of what they show.
    let is_numbered = planned.key.is_some() || !planned.is_person();
    if is_numbered && before.0 < now.0 {
        return None;
    }
    if is_numbered && before.0 > now.0 {
        return Some("a person before the last one");
    }
    let is_content =
        |(column, _): &(&Column, &str)| !matches!(column, Column::Key | Column::Reference { .. });
    let cells = |row| planned.table.columns.values().zip(row).filter(is_content).map(|(_, cell)| cell);
    cells(before.1).gt(cells(now.1)).then_some("content before that of the last row")
}

impl<'a> Seen<'a> {
    fn finish(&mut self, (table, column): (&'a str, &'a str), are_periods: bool, watch: Watch<'_>) {
        let fewest = |persons: Option<u64>| persons.map(|persons| Fewest { table, column, persons });
        match watch {
            Watch::Key | Watch::Nothing | Watch::Constant(_) => {}
            Watch::Band(bands) => self.ends.extend(fewest(bands.codes.fewest())),
            Watch::Reference(reference) => {
                self.referred.extend(reference.referred.map(|referred| (reference.target, referred)));
            }
            Watch::QuasiIdentifier(labels) => self.quasi_identifiers.push(labels.of_persons),
            Watch::Set { codes, .. } => {
                self.codes.extend(fewest(codes.fewest_so_far()));
                self.sets.push(codes);
            }
            Watch::Code(codes) => self.codes.extend(fewest(codes.fewest())),
            Watch::Value(values) => self.ends.extend(fewest(values.ends.fewest())),
            Watch::Date(days) => {
                self.earliest = self.earliest.min(days.earliest);
                self.latest = self.latest.max(days.latest);
                self.first_days.push(days.first);
                match are_periods {
                    true => self.spans_by_column.push((column, days.spans)),
                    false => periods::widen(&mut self.spans, &days.spans),
                }
            }
        }
    }
}

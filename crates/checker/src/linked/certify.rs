//! From a release and its manifest to a finding for each promise.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Value, json};
use velamen_contract::linked::{Column, Counts, Dates, LinkedManifest, SetPromise, Table, Tier, not_covered};

use super::classes::Classes;
use super::codes::Codes;
use super::date::{self, Day, Rule};
use super::faults::{Faults, Place};
use super::itemsets::Sets;
use super::owners::{self, Owned};
use super::plan::Plan;
use super::seen::{Fewest, Reading, Seen};
use super::source::{Alone, Folder, Host};
use super::unreadable::Unreadable;
use super::watch::Broken;
use super::{ages, counts, folder, labels, periods, years};
use crate::Finding;

use super::{
    AGES, CODE_FLOOR, COLUMNS, COUNTS, DATES, KEYS, LABELS, METHOD, NOT_COVERED, ORDER, PUBLIC_EVENTS,
    RECORDS, SHIFT, TRACES, VALUES,
};

/// The most items of a set that are counted.
const MOST_ITEMS: u8 = 3;

/// Checks every promise of a release of linked tables from its folder alone.
///
/// # Errors
/// A file that cannot be opened, or is not of its format.
pub fn certify(release: &Path, manifest: &LinkedManifest) -> Result<Vec<Finding>, Unreadable> {
    certify_with(release, manifest, &Alone)
}

/// The same with what a host lends: it reads further formats, and can end the check.
///
/// # Errors
/// As [`certify`], and [`Unreadable::Interrupted`].
pub fn certify_with(
    release: &Path,
    manifest: &LinkedManifest,
    host: &dyn Host,
) -> Result<Vec<Finding>, Unreadable> {
    let release = Folder { path: release, host };
    let mut columns = Faults::default();
    let Some(plan) = Plan::of(manifest, &mut columns) else { return Ok(unread(manifest, columns)) };
    if !folder::check(release, &plan, &mut columns)? {
        return Ok(unread(manifest, columns));
    }
    let mut keys = Faults::default();
    let owned = owners::read(release, &plan, &mut keys)?;
    let persons = owned.get(plan.persons).map_or(0, |owned: &Owned| owned.persons.len());
    let rule = Rule::new(manifest.dates, manifest.window.as_ref());
    let own = |table: &Table| Rule::new(manifest.dates, Some(table.window.as_ref()?));
    let rules = manifest.tables.values().map(own).collect();
    let periods = periods::of(manifest).map(|(at, _)| at);
    let reading = Reading { release, manifest, plan: &plan, owned: &owned, persons, rule, rules, periods };
    let mut tables =
        (0..plan.tables.len()).into_par_iter().map(|at| reading.read(at)).collect::<Result<Vec<_>, _>>()?;
    let mut broken = Broken { columns, keys, ..Broken::default() };
    tables.iter_mut().for_each(|seen| broken.extend(std::mem::take(&mut seen.broken)));
    let labels = labels::check(release.path, manifest)?;
    release.check(0)?;
    let made = Release { reading: &reading, tables };
    let findings = made.findings(broken, labels);
    // A count that was ended says nothing.
    release.check(0)?;
    Ok(findings)
}

/// The findings on a release whose tables are not those of its manifest.
fn unread(manifest: &LinkedManifest, columns: Faults) -> Vec<Finding> {
    let models = manifest.privacy.iter().map(SetPromise::name);
    let ages = manifest.ages.iter().map(|_| AGES);
    let rest = [RECORDS, KEYS, ORDER].into_iter().chain(models);
    let events = manifest.public_events.first().map(|_| PUBLIC_EVENTS);
    let rest = rest.chain([CODE_FLOOR]).chain(events).chain([COUNTS, VALUES, DATES, LABELS]);
    let rest = rest.chain(ages).chain([TRACES]);
    let first = columns.finding(COLUMNS, json!("as listed"));
    std::iter::once(first).chain(rest.map(not_checked)).chain([covered(manifest)]).collect()
}

fn not_checked(promise: &str) -> Finding {
    Finding::not_checked(promise, Value::Null, "the tables are not those of the manifest")
}

/// A release as it was read.
struct Release<'a> {
    reading: &'a Reading<'a>,
    tables: Vec<Seen<'a>>,
}

impl Release<'_> {
    fn findings(mut self, broken: Broken, labels: Faults) -> Vec<Finding> {
        let manifest = self.reading.manifest;
        let mut findings = vec![
            broken.columns.finding(COLUMNS, json!("as listed")),
            self.records(),
            broken.keys.finding(KEYS, json!("new, and each within its person")),
            broken.order.finding(ORDER, json!("by person, then by content")),
        ];
        findings.extend(self.privacy());
        findings.push(self.code_floor());
        if !manifest.public_events.is_empty() {
            findings.push(self.public_events(broken.events));
        }
        findings.push(self.counts());
        findings.push(self.values(broken.values));
        findings.extend(self.dates(broken.dates));
        findings.extend(self.ages(broken.ages));
        findings.push(self.traces(broken.traces));
        findings.push(covered(manifest));
        findings.push(labels.finding(LABELS, json!("as in the manifest")));
        findings.push(stated(manifest));
        findings
    }

    /// What is known of ages; nothing if no birth is shown and no number is an age of the oldest.
    fn ages(&self, old: Faults) -> Option<Finding> {
        let manifest = self.reading.manifest;
        let Some(ages) = &manifest.ages else {
            let unstated = || Finding::of(AGES, json!("stated"), json!("not stated"), false);
            let shown = (!old.is_empty()).then(|| old.finding(AGES, json!({ "top": years::TOP })));
            return shown.or_else(|| ages::is_missing(manifest).then(unstated));
        };
        let mut faults = ages::check(ages, self.years(), manifest);
        if let Some(latest) = self.last_relative_year() {
            ages::check_relative(ages, latest, &mut faults);
        }
        faults.extend(old);
        let found = faults.finding(AGES, json!({ "top": ages.top, "until": ages.until }));
        // Without a date of a calendar nothing shows when the data end.
        Some(if self.years().is_some() { found } else { found.shown_in_part() })
    }

    /// The least and the greatest year of a date, where dates are those of a calendar and there are any.
    fn years(&self) -> Option<(i64, i64)> {
        let is_calendar = matches!(self.reading.manifest.dates, Dates::Year | Dates::Shift(_));
        let earliest = self.tables.iter().map(|seen| seen.earliest).min()?;
        let latest = self.tables.iter().map(|seen| seen.latest).max()?;
        (is_calendar && latest > 0).then_some((earliest, latest))
    }

    /// The greatest year of a date, where dates are relative; 0 where there is none.
    fn last_relative_year(&self) -> Option<i64> {
        let latest = self.tables.iter().map(|seen| seen.latest).max()?;
        matches!(self.reading.manifest.dates, Dates::Relative(_)).then_some(latest)
    }

    fn records(&self) -> Finding {
        let manifest = self.reading.manifest;
        let stated = manifest.tables.iter().map(|(name, table)| (name.clone(), json!(table.records)));
        let read =
            manifest.tables.keys().zip(&self.tables).map(|(name, seen)| (name.clone(), json!(seen.rows)));
        let (stated, read) =
            (stated.collect::<serde_json::Map<_, _>>(), read.collect::<serde_json::Map<_, _>>());
        let asked = json!({ "persons": manifest.persons.records, "tables": stated });
        let reached = json!({ "persons": self.reading.persons, "tables": read });
        let holds = asked == reached;
        Finding::of(RECORDS, asked, reached, holds)
    }

    /// The privacy models, in the manifest's order.
    fn privacy(&mut self) -> Vec<Finding> {
        let (classes, sets) = (self.classes(), self.sets());
        let promises = &self.reading.manifest.privacy;
        let host = self.reading.release.host;
        promises.iter().map(|promise| judged(promise, fewest(promise, &classes, &sets, host))).collect()
    }

    /// The person columns, and for each fact who has it.
    fn classes(&mut self) -> Classes {
        let plan = self.reading.plan;
        let mut columns = Vec::new();
        for (at, (planned, seen)) in plan.tables.iter().zip(&mut self.tables).enumerate() {
            if at == plan.persons {
                columns.append(&mut seen.quasi_identifiers);
            } else if planned.table.is_person_column {
                columns.push(seen.of_persons.iter().map(|rows| (*rows).min(1)).collect());
            }
        }
        Classes::new(&columns, self.reading.persons)
    }

    /// The items of all columns of sets, in one space.
    fn sets(&mut self) -> Sets {
        let all: Vec<Codes> =
            self.tables.iter_mut().flat_map(|seen| std::mem::take(&mut seen.sets)).collect();
        let (mut pairs, mut before) = (Vec::new(), 0_usize);
        for codes in all {
            let (first, distinct) = (before as u32, codes.len());
            let item = |(code, person): (u32, u32)| (person, code.saturating_add(first));
            pairs.extend(codes.into_pairs().into_iter().map(item));
            before = before.saturating_add(distinct);
        }
        Sets::new(pairs, self.reading.persons, before)
    }

    fn code_floor(&mut self) -> Finding {
        let manifest = self.reading.manifest;
        let all = self.tables.iter_mut().flat_map(|seen| std::mem::take(&mut seen.codes));
        let mut faults = Faults::default();
        if manifest.code_floor < manifest.k() {
            faults.add_general("the floor is below the k of a privacy model");
        }
        floor(CODE_FLOOR, manifest.code_floor, all, faults)
    }

    fn public_events(&self, mut faults: Faults) -> Finding {
        let LinkedManifest { public_events, tables, .. } = self.reading.manifest;
        for name in public_events {
            let is_there = name.rsplit_once('.').is_some_and(|(table, column)| {
                tables.get(table).is_some_and(|of| of.columns.contains_key(column))
            });
            if !is_there {
                faults.add_general("a column of no public events that is not there");
            }
        }
        faults.finding(PUBLIC_EVENTS, json!({ "columns": public_events }))
    }

    fn values(&mut self, faults: Faults) -> Finding {
        let all = self.tables.iter_mut().flat_map(|seen| std::mem::take(&mut seen.ends));
        floor(VALUES, self.reading.manifest.k(), all, faults)
    }

    fn counts(&self) -> Finding {
        let manifest = self.reading.manifest;
        let (name, persons): (&str, counts::Persons) = match manifest.counts {
            Counts::Free => return Finding::stated(COUNTS, json!("free")),
            Counts::Cap => ("cap", counts::at_the_top),
            Counts::Banded => ("banded", counts::fewest),
        };
        let (mut fewest, mut faults) = (None, Faults::default());
        for (planned, seen) in self.reading.plan.tables.iter().zip(&self.tables) {
            let place = Place::table(planned.name);
            if planned.table.is_person_column {
                if counts::is_more_than_one(&seen.of_persons) {
                    faults.add(place, "a person has more than one row of a fact");
                }
            } else if let Some(persons) = persons(&seen.of_persons).filter(|_| !planned.is_person()) {
                fewest = Some(fewest.map_or(persons, |fewest: u64| fewest.min(persons)));
                if persons < manifest.k() {
                    faults.add(place, "a number of rows singles out fewer than k persons");
                }
            }
        }
        let (holds, asked) = (faults.is_empty(), json!({ name: manifest.k() }));
        Finding::of(COUNTS, asked, with_persons(fewest, faults), holds)
    }

    /// The form of dates, and with a shift the custodian's word for how it was drawn.
    fn dates(&self, mut faults: Faults) -> Vec<Finding> {
        let manifest = self.reading.manifest;
        match &self.reading.rule {
            None => faults.add_general("the window does not read: expected two dates, YYYY-MM-DD"),
            Some(rule) => self.first_days(rule, &mut faults),
        }
        let windows = manifest.tables.iter().filter_map(|(name, table)| Some((name, table.window.as_ref()?)));
        for (name, window) in windows {
            if !date::is_within(window, manifest.window.as_ref()) {
                faults.add(Place::table(name), "a window that does not lie inside that of all");
            }
        }
        self.periods(&mut faults);
        let asked = serde_json::to_value(manifest.dates).unwrap_or_default();
        let Dates::Shift(days) = manifest.dates else { return vec![faults.finding(DATES, asked)] };
        if manifest.tier == Tier::Public {
            faults.add_general("a shift in a release for anybody");
        }
        if manifest.window.is_none() {
            faults.add_general("a shift without a window, at whose ends it shows");
        }
        if days == 0 {
            faults.add_general("a shift by no days");
        }
        vec![
            faults.finding(DATES, asked),
            Finding::stated(SHIFT, json!({ "days": days, "drawn": "uniform" })),
        ]
    }

    /// Periods are those of the released days.
    fn periods(&self, faults: &mut Faults) {
        let Some((at, names)) = periods::of(self.reading.manifest) else { return };
        let (Some(planned), Some(seen)) = (self.reading.plan.tables.get(at), self.tables.get(at)) else {
            return;
        };
        let mut all = Vec::new();
        self.tables.iter().for_each(|seen| periods::widen(&mut all, &seen.spans));
        periods::check((planned.name, names), (&seen.of_persons, &seen.spans_by_column), &all, faults);
    }

    /// Everybody who has a relative date has the first of all; other dates are not among the first days.
    fn first_days(&self, rule: &Rule, faults: &mut Faults) {
        let mut first = vec![Day::MAX; self.reading.persons];
        for days in self.tables.iter().flat_map(|seen| &seen.first_days) {
            first.iter_mut().zip(days).for_each(|(first, day)| *first = (*first).min(*day));
        }
        let is_later = |day: &&Day| **day != Day::MAX && **day != rule.first();
        for _ in first.iter().filter(is_later) {
            faults.add_general("a person whose first day is not that of all");
        }
    }

    /// Rows that no other refers to, beside the empty cells that too few persons have.
    fn traces(&self, mut faults: Faults) -> Finding {
        let tables = self.reading.plan.tables.iter().enumerate().zip(self.reading.owned);
        for ((at, planned), owned) in tables.filter(|((_, planned), _)| planned.table.is_referred_to) {
            let rows = owned.keys.as_ref().map_or(0, |keys| keys.len());
            let mut is_reached = vec![false; rows];
            let marks =
                self.tables.iter().flat_map(|seen| &seen.referred).filter(|(target, _)| *target == at);
            for (_, marks) in marks {
                is_reached.iter_mut().zip(marks).for_each(|(reached, mark)| *reached |= mark);
            }
            for _ in is_reached.iter().filter(|reached| !**reached) {
                faults.add(Place::table(planned.name), "a row that no other refers to");
            }
        }
        let asked =
            json!({ "visits": "each is referred to", "empty-cells": { "k": self.reading.manifest.k() } });
        faults.finding(TRACES, asked)
    }
}

/// The number of persons of what fewest have, of all that a model is about.
fn fewest(promise: &SetPromise, classes: &Classes, sets: &Sets, host: &dyn Host) -> Option<u64> {
    let is_counted = (1..=MOST_ITEMS).contains(&promise.m());
    let (of_classes, within) = match promise.is_about_classes() {
        true => (classes.least(), Some(&*classes.of_persons)),
        false => (None, None),
    };
    let of_sets = is_counted.then(|| sets.fewest(within, promise.m(), host)).flatten();
    of_classes.into_iter().chain(of_sets).min()
}

/// A model, by the number of persons of what fewest have.
fn judged(promise: &SetPromise, fewest: Option<u64>) -> Finding {
    let asked = match promise.m() {
        0 => json!({ "k": promise.k() }),
        m => json!({ "k": promise.k(), "m": m }),
    };
    let is_counted = !promise.is_about_sets() || (1..=MOST_ITEMS).contains(&promise.m());
    let is_read = promise.k() >= 2 && is_counted;
    let holds = is_read && fewest.is_none_or(|fewest| fewest >= promise.k());
    Finding::of(promise.name(), asked, json!({ "k": fewest }), holds)
}

/// A promise that everything is that of enough persons.
fn floor<'a>(
    promise: &str,
    least: u64,
    all: impl Iterator<Item = Fewest<'a>>,
    mut faults: Faults,
) -> Finding {
    let all: Vec<Fewest<'_>> = all.collect();
    for fewest in all.iter().filter(|fewest| fewest.persons < least) {
        faults.add(Place::table(fewest.table).column(fewest.column), "fewer persons than promised");
    }
    let fewest = all.iter().map(|fewest| fewest.persons).min();
    let holds = faults.is_empty();
    Finding::of(promise, json!({ "k": least }), with_persons(fewest, faults), holds)
}

/// The number of persons beside the faults.
fn with_persons(fewest: Option<u64>, faults: Faults) -> Value {
    let mut all = json!({ "k": fewest });
    if let (Some(all), Value::Object(faults)) = (all.as_object_mut(), faults.reached()) {
        all.extend(faults);
    }
    all
}

/// What no released table shows: the custodian's word.
fn stated(manifest: &LinkedManifest) -> Finding {
    let LinkedManifest { shape, window, method, persons, generalized_codes, .. } = manifest;
    let asked = json!({
        "shape": shape,
        "window": window,
        "method": method.name,
        "demographics": method.demographics,
        "suppressed": persons.suppressed,
        "as-recorded": as_recorded(manifest),
        "generalized-codes": generalized_codes,
    });
    Finding::stated(METHOD, asked)
}

/// The columns that are called insensitive.
fn as_recorded(manifest: &LinkedManifest) -> Vec<String> {
    let mut names = Vec::new();
    for (name, table) in &manifest.tables {
        let columns = table.columns.iter().filter(|(_, column)| matches!(column, Column::Insensitive));
        names.extend(columns.map(|(column, _)| format!("{name}.{column}")));
    }
    names
}

/// Whether what is not promised is said.
fn covered(manifest: &LinkedManifest) -> Finding {
    let of_shift = not_covered::OF_A_SHIFT.into_iter().filter(|_| matches!(manifest.dates, Dates::Shift(_)));
    let due: Vec<&str> = not_covered::ALWAYS.into_iter().chain(of_shift).collect();
    let is_said = |sentence: &&str| manifest.not_covered.iter().any(|said| said == sentence);
    let missing: Vec<&str> = due.iter().copied().filter(|sentence| !is_said(sentence)).collect();
    let holds = missing.is_empty();
    let asked = json!({ "sentences": due.len() });
    Finding::of(NOT_COVERED, asked, json!({ "missing": missing }), holds)
}

impl Broken {
    fn extend(&mut self, other: Self) {
        self.columns.extend(other.columns);
        self.keys.extend(other.keys);
        self.order.extend(other.order);
        self.values.extend(other.values);
        self.dates.extend(other.dates);
        self.events.extend(other.events);
        self.traces.extend(other.traces);
        self.ages.extend(other.ages);
    }
}

//! What can be read off a release, as numbers, and the events that are chosen before any run.

use velamen_core::frequency::FrequencyTable;
use velamen_core::release::{Release, SUPPRESSED};
use velamen_core::risk::audit::{CHOOSE, Event, Feature, JUDGE, LEARN, Observed, Seen, Test, WITH, WITHOUT};

use super::neighbours::Pair;
use crate::recipe::{Resolved, ResolvedAttribute};

/// The kinds of numbers, by [`Feature::kind`].
const KINDS: [&str; 14] = [
    "runs without a release",
    "released records",
    "suppressed records",
    "classes",
    "counterfeits",
    "the level of an attribute, counted from 1",
    "records of a class",
    "records of a class with the same other values",
    "suppressed records with the same other values",
    "records of the added record's class",
    "records of its class with its other values",
    "suppressed records with its other values",
    "all records with its other values",
    "the likelihood of all that was released, in sixteenths around 2^20",
];
const FAILS: u8 = 0;
const RECORDS: u8 = 1;
const SUPPRESSED_RECORDS: u8 = 2;
const CLASSES: u8 = 3;
const COUNTERFEITS: u8 = 4;
const LEVEL: u8 = 5;
const CLASS: u8 = 6;
const CELL: u8 = 7;
const STARRED: u8 = 8;
const OWN_CLASS: u8 = 9;
const OWN_CELL: u8 = 10;
const OWN_STARRED: u8 = 11;
const OWN_VALUE: u8 = 12;
const SCORE: u8 = 13;

fn whole(kind: u8) -> Feature {
    Feature::of(kind, [])
}

/// The number of all features of a run together.
pub(super) fn score() -> Feature {
    whole(SCORE)
}

/// A run that released nothing.
pub(super) fn failed() -> Observed {
    vec![(whole(FAILS), 1)]
}

/// Whether any run released something.
pub(super) fn releases(seen: &Seen) -> bool {
    let released = Event { feature: whole(FAILS), test: Test::Exactly(0) };
    [WITH, WITHOUT].into_iter().any(|table| seen.tally(released, table, &[LEARN, CHOOSE, JUDGE]).hits > 0)
}

/// An event in words, without a value of the data.
pub(super) fn told(event: Event) -> String {
    let kind = KINDS[usize::from(event.feature.kind)];
    match event.test {
        Test::AtLeast(bound) => format!("{kind}: at least {bound}"),
        Test::Below(bound) => format!("{kind}: less than {bound}"),
        Test::Exactly(number) => format!("{kind}: exactly {number}"),
        Test::Not(number) => format!("{kind}: anything but {number}"),
    }
}

/// The record that one table has more, by what a release may show of it.
pub(super) struct Target {
    /// Per quasi-identifier of the table and level, its label.
    labels: Vec<Vec<String>>,
    /// Its other values, in the order of the released columns.
    rest: Vec<String>,
}

impl Target {
    pub(super) fn new(recipe: &Resolved, pair: &Pair, table: &FrequencyTable) -> Self {
        let named = |name: &str| {
            let found = recipe.attributes.iter().zip(&pair.target).find(|(known, _)| known.name == name);
            found.expect("every column of the table is of the recipe")
        };
        let labels = |(attribute, cell): (&ResolvedAttribute, &String)| {
            let leaf = attribute.rule.coded(cell).unwrap_or_else(|| cell.clone());
            let above = (1..=attribute.rule.top()).map(|level| attribute.rule.label_at(&leaf, level));
            std::iter::once(leaf.clone()).chain(above).collect()
        };
        Self {
            labels: table.qis.iter().map(|qi| labels(named(&qi.name))).collect(),
            rest: table.rest.columns.iter().map(|column| named(&column.name).1.clone()).collect(),
        }
    }

    fn is_in(&self, release: &Release, class: usize) -> bool {
        let values = release.qis.iter().zip(release.class(class)).zip(&self.labels);
        values.into_iter().all(|((qi, &code), labels)| {
            let value = &qi.values[code as usize];
            labels.get(usize::from(value.level)) == Some(&value.label)
        })
    }

    fn has(&self, release: &Release, rest: u32) -> bool {
        rest_labels(release, rest).eq(self.rest.iter().map(String::as_str))
    }
}

fn class_labels(release: &Release, class: usize) -> impl Iterator<Item = &str> {
    release.qis.iter().zip(release.class(class)).map(|(qi, &code)| qi.label(code))
}

fn rest_labels(release: &Release, rest: u32) -> impl Iterator<Item = &str> {
    let columns = release.rest.columns.iter().zip(&release.rest.codes);
    columns.map(move |(column, codes)| column.values[codes[rest as usize] as usize].as_str())
}

/// All numbers of a release.
pub(super) fn observe(release: &Release, target: &Target) -> Observed {
    let mut seen = vec![
        (whole(RECORDS), release.records()),
        (whole(SUPPRESSED_RECORDS), release.suppressed),
        (whole(CLASSES), release.sizes.len() as u64),
        (whole(COUNTERFEITS), release.counterfeits()),
    ];
    let levels = release.qis.iter().filter_map(|qi| Some((&*qi.name, qi.level?)));
    seen.extend(levels.map(|(name, level)| (Feature::of(LEVEL, [name]), u64::from(level) + 1)));
    let own: Vec<bool> = (0..release.sizes.len()).map(|class| target.is_in(release, class)).collect();
    for (class, &size) in release.sizes.iter().enumerate() {
        seen.push((Feature::of(CLASS, class_labels(release, class)), size));
    }
    let (mut own_cell, mut own_starred, mut own_value) = (0, 0, 0);
    for row in &release.rows {
        let has = target.has(release, row.rest);
        own_value += if has { row.count } else { 0 };
        let rest = rest_labels(release, row.rest);
        if row.class == SUPPRESSED {
            own_starred += if has { row.count } else { 0 };
            seen.push((Feature::of(STARRED, rest), row.count));
        } else {
            own_cell += if has && own[row.class as usize] { row.count } else { 0 };
            let labels = class_labels(release, row.class as usize).chain(rest);
            seen.push((Feature::of(CELL, labels), row.count));
        }
    }
    let own_class = release.sizes.iter().zip(&own).filter(|(_, own)| **own).map(|(size, _)| size).sum();
    let own =
        [(OWN_CLASS, own_class), (OWN_CELL, own_cell), (OWN_STARRED, own_starred), (OWN_VALUE, own_value)];
    seen.extend(own.map(|(kind, count)| (whole(kind), count)));
    seen
}

/// The events that are looked at whatever the runs show.
pub(super) fn chosen(recipe: &Resolved, pair: &Pair, table: &FrequencyTable) -> Vec<Event> {
    let at_least = |feature, bound| Event { feature, test: Test::AtLeast(bound) };
    let mut events = vec![at_least(whole(FAILS), 1), at_least(whole(RECORDS), pair.records())];
    let copies = pair.copies();
    for kind in [OWN_CLASS, OWN_CELL, OWN_STARRED, OWN_VALUE] {
        events.push(at_least(whole(kind), 1));
        if copies > 1 {
            events.push(at_least(whole(kind), copies));
        }
    }
    for qi in &table.qis {
        let named = recipe.attributes.iter().find(|attribute| attribute.name == qi.name);
        let (least, most) = named.map_or((0, qi.hierarchy.top()), |attribute| attribute.levels);
        let level = Feature::of(LEVEL, [&*qi.name]);
        // A level counts from 1, and the least one tells nothing beside a release.
        events.extend((least..most).map(|below| at_least(level, u64::from(below) + 2)));
    }
    events
}

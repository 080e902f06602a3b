//! What can be read off a run and the files that it leaves, as numbers, and the events that are chosen
//! before any run.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use velamen_checker::CLASS_ID;
use velamen_core::frequency::Role;
use velamen_engine::formula::unescape;
use velamen_job::Outcome;
use velamen_measure::risk::audit::{
    CHOOSE, Event, Feature, JUDGE, LEARN, Observed, Seen, Test, WITH, WITHOUT,
};
use velamen_recipe::{JobError, Resolved, ResolvedAttribute};
use velamen_report::manifest;

use super::neighbours::Pair;

/// The kinds of numbers, by [`Feature::kind`].
const KINDS: [&str; 24] = [
    "runs without a release",
    "released records",
    "suppressed records",
    "classes",
    "the exit code",
    "the level of an attribute, counted from 1",
    "records of a class",
    "records of a class with the same other values",
    "suppressed records with the same other values",
    "records of the added record's class",
    "records of its class with its other values",
    "suppressed records with its other values",
    "all records with its other values",
    "files of the release",
    "lines of standard error",
    "bytes of a file",
    "the content of a file, as a number",
    "a figure of release.json, as a number",
    "how often a file shows one of the added record's other values",
    "records of a class with the same value of one of several other attributes",
    "suppressed records with the same value of one of several other attributes",
    "records of the added record's class with its value of one of several other attributes",
    "suppressed records with its value of one of several other attributes",
    // The last: of equal events the first is stated, and this one says least.
    "the likelihood of all that was released, in sixteenths around 2^20",
];
const FAILS: u8 = 0;
const RECORDS: u8 = 1;
const SUPPRESSED_RECORDS: u8 = 2;
const CLASSES: u8 = 3;
const EXIT: u8 = 4;
const LEVEL: u8 = 5;
const CLASS: u8 = 6;
const CELL: u8 = 7;
const STARRED: u8 = 8;
const OWN_CLASS: u8 = 9;
const OWN_CELL: u8 = 10;
const OWN_STARRED: u8 = 11;
const OWN_VALUE: u8 = 12;
const FILES: u8 = 13;
const WORDS: u8 = 14;
const SIZE: u8 = 15;
const CONTENT: u8 = 16;
const FIGURE: u8 = 17;
const SHOWN: u8 = 18;
const VALUE: u8 = 19;
const STARRED_VALUE: u8 = 20;
const OWN_CELL_VALUE: u8 = 21;
const OWN_STARRED_VALUE: u8 = 22;
const SCORE: u8 = 23;

/// Kinds whose labels hold no value of the data: names of files and attributes, keys, messages.
const NAMED: [u8; 8] = [LEVEL, WORDS, SIZE, CONTENT, FIGURE, SHOWN, OWN_CELL_VALUE, OWN_STARRED_VALUE];
/// Lists of the manifest that are longer are one number.
const MOST_ITEMS: usize = 16;
/// Where 0 lies among the numbers of figures, which may be negative.
const ZERO: f64 = (1u64 << 52) as f64;

fn whole(kind: u8) -> Feature {
    Feature::of(kind, [])
}

/// The number of all features of a run together.
pub(super) fn score() -> Feature {
    whole(SCORE)
}

/// Whether any run released something.
pub(super) fn releases(seen: &Seen) -> bool {
    let released = Event { feature: whole(FAILS), test: Test::Exactly(0) };
    [WITH, WITHOUT].into_iter().any(|table| seen.tally(released, table, &[LEARN, CHOOSE, JUDGE]).hits > 0)
}

/// An event in words, without a value of the data. `name` is what [`Naming`] found.
pub(super) fn told(event: Event, name: Option<&str>) -> String {
    let kind = KINDS[usize::from(event.feature.kind)];
    let kind = name.map_or_else(|| kind.to_owned(), |name| format!("{kind} ({name})"));
    match event.test {
        Test::AtLeast(bound) => format!("{kind}: at least {bound}"),
        Test::Below(bound) => format!("{kind}: less than {bound}"),
        Test::Exactly(number) => format!("{kind}: exactly {number}"),
        Test::Not(number) => format!("{kind}: anything but {number}"),
    }
}

/// The record that one table has more, by what a release may show of it.
pub(super) struct Target {
    /// Per quasi-identifier its name and its label at each level.
    qis: Vec<(String, Vec<String>)>,
    /// Its other values, with the names of their columns.
    rest: Vec<(String, String)>,
}

impl Target {
    pub(super) fn new(recipe: &Resolved, pair: &Pair) -> Self {
        let named = || recipe.attributes.iter().zip(&pair.target);
        let of = |role: Role| named().filter(move |(attribute, _)| attribute.role == role);
        Self {
            qis: of(Role::QuasiIdentifier).map(|(a, cell)| (a.name.clone(), labels(a, cell))).collect(),
            rest: named()
                .filter(|(attribute, _)| matches!(attribute.role, Role::Sensitive | Role::Insensitive))
                .map(|(attribute, cell)| (attribute.name.clone(), cell.clone()))
                .collect(),
        }
    }
}

/// What a release may show of a cell, by level.
fn labels(attribute: &ResolvedAttribute, cell: &str) -> Vec<String> {
    if !attribute.rule.contains(cell) {
        return vec![cell.to_owned(), "*".to_owned()];
    }
    let leaf = attribute.rule.coded(cell).unwrap_or_else(|| cell.to_owned());
    let above = (1..=attribute.rule.top()).map(|level| attribute.rule.label_at(&leaf, level));
    std::iter::once(leaf.clone()).chain(above).collect()
}

/// Takes a number: its kind, what sets it apart from others of that kind, and the number.
trait Take: FnMut(u8, &[&str], u64) {}
impl<F: FnMut(u8, &[&str], u64)> Take for F {}

/// A finished run: how it ended, and the folder where its release is if there is one.
pub(super) struct Ended<'a> {
    pub(super) result: &'a Result<Outcome, JobError>,
    pub(super) release: &'a Path,
    /// Paths that differ from run to run, which no message of a user's run holds.
    pub(super) hidden: [&'a Path; 2],
}

impl Ended<'_> {
    /// All numbers of the run.
    pub(super) fn observed(&self, target: &Target) -> Observed {
        let mut seen = Vec::new();
        self.each(target, &mut |kind, labels, value| {
            seen.push((Feature::of(kind, labels.iter().copied()), value));
        });
        seen
    }

    /// What sets a number apart from others of its kind, where that is no value of the data.
    pub(super) fn name(&self, target: &Target, feature: Feature) -> Option<String> {
        let mut name = None;
        self.each(target, &mut |kind, labels, _| {
            let meant = NAMED.contains(&kind) && Feature::of(kind, labels.iter().copied()) == feature;
            if meant {
                name = Some(labels.join("."));
            }
        });
        name
    }

    fn each(&self, target: &Target, take: &mut impl Take) {
        self.words(take);
        let mut names: Vec<String> = std::fs::read_dir(self.release)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        // They follow from manifest and data, which are looked at, as `verify` shows.
        let manifest = self.manifest();
        let told = manifest["documents"].as_array().cloned().unwrap_or_default();
        names.retain(|name| !told.iter().any(|file| file == name.as_str()));
        names.sort();
        take(FILES, &[], names.len() as u64);
        let mut data = None;
        for name in &names {
            let content = std::fs::read(self.release.join(name)).unwrap_or_default();
            take(SIZE, &[name], content.len() as u64 + 1);
            take(CONTENT, &[name], number_of(&content));
            let text = String::from_utf8_lossy(&content);
            for (column, value) in target.rest.iter().filter(|(_, value)| !value.is_empty()) {
                take(SHOWN, &[name, column], text.matches(value.as_str()).count() as u64);
            }
            if name.starts_with("data.") {
                data = Some(content);
            }
        }
        figures(&manifest, &mut Vec::new(), take);
        for (name, level) in manifest["node"].as_object().into_iter().flatten() {
            take(LEVEL, &[name], level.as_u64().unwrap_or(0) + 1);
        }
        let escaped = manifest["data"]["escaped"] == true;
        ReleasedRows::of(&data.unwrap_or_default(), escaped, target).counts(take);
    }

    /// The content of each file of the release.
    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.release).into_iter().flatten().flatten();
        entries.map(|entry| named_content(&entry)).collect()
    }

    fn manifest(&self) -> Value {
        let text = std::fs::read(self.release.join(manifest::FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// The exit code and each line on standard error.
    fn words(&self, take: &mut impl Take) {
        let (code, lines) = self.told();
        take(FAILS, &[], u64::from(code > 0));
        take(EXIT, &[], code.into());
        lines.iter().for_each(|line| take(WORDS, &[line], 1));
    }

    /// The exit code, and lines on standard error without the paths that differ from run to run.
    pub(super) fn told(&self) -> (u8, Vec<String>) {
        let (code, lines) = match self.result {
            Ok(outcome) => (0, outcome.warnings.clone()),
            Err(error) => (error.exit_code(), vec![error.to_string()]),
        };
        let hide = |line: String, path: &&Path| line.replace(&*path.to_string_lossy(), "…");
        let hidden = |line: String| self.hidden.iter().fold(line, hide);
        (code, lines.into_iter().map(hidden).collect())
    }
}

/// The name of a file and its bytes.
fn named_content(entry: &std::fs::DirEntry) -> (String, Vec<u8>) {
    let content = std::fs::read(entry.path()).unwrap_or_default();
    (entry.file_name().to_string_lossy().into_owned(), content)
}

/// A content as a number above 0; two that share one are taken for the same.
fn number_of(content: &[u8]) -> u64 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(content);
    (hasher.finish() >> 1) | 1
}

/// Every figure of the manifest under its keys.
fn figures<'a>(value: &'a Value, keys: &mut Vec<&'a str>, take: &mut impl Take) {
    match value {
        Value::Object(fields) if keys.last() != Some(&"hierarchy") => {
            for (key, value) in fields {
                keys.push(key);
                figures(value, keys, take);
                keys.pop();
            }
        }
        Value::Array(items) if items.len() <= MOST_ITEMS => {
            const PLACES: [&str; MOST_ITEMS] =
                ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"];
            for (place, value) in PLACES.into_iter().zip(items) {
                keys.push(place);
                figures(value, keys, take);
                keys.pop();
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            take(FIGURE, keys, ((number * 1e6).round() + ZERO).max(0.0) as u64);
        }
        other => take(FIGURE, keys, number_of(other.to_string().as_bytes())),
    }
}

/// The released file.
struct ReleasedRows<'a> {
    /// Per row whether it is of the target's class, and whether it has the target's other values.
    own: Vec<[bool; 2]>,
    /// Per row the class, quasi-identifiers and other values.
    rows: Vec<(String, Vec<String>, Vec<String>)>,
    target: &'a Target,
}

impl<'a> ReleasedRows<'a> {
    fn of(file: &[u8], escaped: bool, target: &'a Target) -> Self {
        let mut reader = csv::Reader::from_reader(file);
        let columns = reader.headers().cloned().unwrap_or_default();
        let place = |name: &str| columns.iter().position(|column| column == name);
        let class = place(CLASS_ID);
        let places = |names: &mut dyn Iterator<Item = &String>| -> Vec<Option<usize>> {
            names.map(|name| place(name)).collect()
        };
        let qis = places(&mut target.qis.iter().map(|(name, _)| name));
        let rest = places(&mut target.rest.iter().map(|(name, _)| name));
        let mut found = Self { own: Vec::new(), rows: Vec::new(), target };
        for record in reader.records().flatten() {
            let cell = |place: &Option<usize>| {
                let cell = place.and_then(|place| record.get(place)).unwrap_or_default();
                if escaped { unescape(cell) } else { cell }.to_owned()
            };
            let cells = |places: &[Option<usize>]| places.iter().map(cell).collect::<Vec<_>>();
            found.add((cell(&class), cells(&qis), cells(&rest)));
        }
        found
    }

    fn add(&mut self, row: (String, Vec<String>, Vec<String>)) {
        let qis = row.1.iter().zip(&self.target.qis).all(|(cell, (_, labels))| labels.contains(cell));
        let rest = row.2.iter().zip(&self.target.rest).all(|(cell, (_, value))| cell == value);
        self.own.push([qis, rest]);
        self.rows.push(row);
    }

    fn counts(&self, take: &mut impl Take) {
        let (mut suppressed, mut own) = (0, [0u64; 4]);
        let mut groups = std::collections::BTreeMap::<(u8, Vec<&str>), u64>::new();
        let mut classes = std::collections::BTreeSet::new();
        for ((class, qis, rest), &[is_in, has]) in self.rows.iter().zip(&self.own) {
            let (qis, rest) = (qis.iter().map(String::as_str), rest.iter().map(String::as_str));
            own[3] += u64::from(has);
            if class.is_empty() {
                suppressed += 1;
                own[2] += u64::from(has);
                *groups.entry((STARRED, rest.collect())).or_default() += 1;
                continue;
            }
            classes.insert(class);
            own[0] += u64::from(is_in);
            own[1] += u64::from(is_in && has);
            *groups.entry((CLASS, qis.clone().collect())).or_default() += 1;
            *groups.entry((CELL, qis.chain(rest).collect())).or_default() += 1;
        }
        self.counts_by_attribute(take);
        take(RECORDS, &[], self.rows.len() as u64);
        take(SUPPRESSED_RECORDS, &[], suppressed);
        take(CLASSES, &[], classes.len() as u64);
        for ((kind, labels), count) in groups {
            take(kind, &labels, count);
        }
        for (kind, count) in [OWN_CLASS, OWN_CELL, OWN_STARRED, OWN_VALUE].into_iter().zip(own) {
            take(kind, &[], count);
        }
    }
}

impl ReleasedRows<'_> {
    /// Counts of the values of each of several other attributes by itself.
    fn counts_by_attribute(&self, take: &mut impl Take) {
        if self.target.rest.len() < 2 {
            return;
        }
        for (place, (name, value)) in self.target.rest.iter().enumerate() {
            let mut groups = BTreeMap::<(u8, Vec<&str>), u64>::new();
            let mut own = [0u64; 2];
            for ((class, qis, rest), &[is_in, _]) in self.rows.iter().zip(&self.own) {
                let has = u64::from(rest[place] == *value);
                let at = [name.as_str(), rest[place].as_str()];
                if class.is_empty() {
                    own[1] += has;
                    *groups.entry((STARRED_VALUE, at.to_vec())).or_default() += 1;
                } else {
                    own[0] += if is_in { has } else { 0 };
                    let labels = qis.iter().map(String::as_str).chain(at).collect();
                    *groups.entry((VALUE, labels)).or_default() += 1;
                }
            }
            for ((kind, labels), count) in groups {
                take(kind, &labels, count);
            }
            take(OWN_CELL_VALUE, &[name], own[0]);
            take(OWN_STARRED_VALUE, &[name], own[1]);
        }
    }
}

/// The events that are looked at whatever the runs show.
pub(super) fn chosen(recipe: &Resolved, pair: &Pair) -> Vec<Event> {
    let at_least = |feature, bound| Event { feature, test: Test::AtLeast(bound) };
    let mut events = vec![at_least(whole(FAILS), 1), at_least(whole(RECORDS), pair.records())];
    let copies = pair.copies();
    for kind in [OWN_CLASS, OWN_CELL, OWN_STARRED, OWN_VALUE] {
        events.push(at_least(whole(kind), 1));
        if copies > 1 {
            events.push(at_least(whole(kind), copies));
        }
    }
    let others =
        |attribute: &&ResolvedAttribute| matches!(attribute.role, Role::Sensitive | Role::Insensitive);
    let others: Vec<&ResolvedAttribute> = recipe.attributes.iter().filter(others).collect();
    for attribute in others.iter().filter(|_| others.len() > 1) {
        let of = |kind| Feature::of(kind, [&*attribute.name]);
        events.extend([OWN_CELL_VALUE, OWN_STARRED_VALUE].map(|kind| at_least(of(kind), 1)));
    }
    for qi in recipe.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier) {
        let level = Feature::of(LEVEL, [&*qi.name]);
        // A level counts from 1, and the least one tells nothing beside a release.
        events.extend((qi.levels.0..qi.levels.1).map(|below| at_least(level, u64::from(below) + 2)));
    }
    events
}

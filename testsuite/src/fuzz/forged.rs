//! Releases that somebody changed: every reader of a release answers, whatever its files hold.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use serde_json::{Map, Value};
use tempfile::TempDir;
use velamen_assess::measure_release;
use velamen_core::context::Context;
use velamen_engine::source::Batches;
use velamen_job::published::Published;
use velamen_job::{RunOptions, Session, conclusion, verify, write_report, write_truthful};
use velamen_recipe::{JobError, Recipe};

use super::source::Source;
use super::with_context;

/// The table of the releases.
pub const TABLE: &str = "\
age,sex,zip,disease,stay,cost
31,F,13053,flu,3,10
33,M,13053,cold,1,20
35,F,13068,flu,2,10
38,F,13068,cold,9,30
39,M,13053,angina,4,10
41,F,14850,flu,1,20
44,M,14850,cold,1,20
45,M,14853,flu,2,10
47,F,14853,angina,7,40
48,M,14850,cold,3,10
52,F,13053,flu,2,20
57,M,13068,cold,8,10
58,F,14850,flu,1,30
61,M,14853,cold,2,10
64,F,14853,angina,6,20
90,M,13068,flu,5,50
";

/// What all recipes have; roles and privacy follow.
const COMMON: &str = r#"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 5 }
"#;

/// What the recipes differ in: each method leaves other files and other promises.
const OWN: [&str; 5] = [
    r#"
unnamed = "drop"
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "h-ceiling"
adversary-limit = 1
h = 0.5
counterfeit-limit = 0.5
suppression-limit = 0.2
"#,
    r#"
unnamed = "drop"
[attributes.disease]
role = "sensitive"
description = "what was found"
[attributes.cost]
role = "insensitive"
unit = "EUR"
[[privacy]]
model = "k-anonymity"
k = 3
[[privacy]]
model = "t-closeness"
t = 0.6
[method]
name = "optimal"
"#,
    r#"
unnamed = "drop"
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "distinct-l-diversity"
l = 2
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "mondrian"
"#,
    r#"
unnamed = "drop"
[attributes.disease]
role = "sensitive"
domain = ["flu", "cold", "angina"]
[attributes.sex]
hierarchy = { rows = [["F", "*"], ["M", "*"]] }
[attributes.zip]
hierarchy = { rows = [["13053", "130", "*"], ["13068", "130", "*"], ["14850", "148", "*"], ["14853", "148", "*"]] }
[[privacy]]
model = "differential-privacy"
epsilon = 8.0
[method]
name = "contingency-table"
"#,
    r#"
unnamed = "drop"
[input]
path = "memory"
missing = "wildcard"
null = ["F"]
[[privacy]]
model = "k-anonymity"
k = 2
[method]
name = "suppression"
suppression-limit = 0.5
"#,
];

/// The table in memory.
pub(super) fn batches() -> Batches {
    static BATCHES: OnceLock<Batches> = OnceLock::new();
    let batches = BATCHES.get_or_init(|| {
        let mut rows = TABLE.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let names = rows.next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = rows.collect();
        let column = |at: usize| -> ArrayRef {
            Arc::new(rows.iter().map(|row| Some(row[at])).collect::<StringArray>())
        };
        let columns = names.iter().enumerate().map(|(at, name)| (*name, column(at)));
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        Batches { schema: batch.schema(), batches: vec![batch] }
    });
    Batches { schema: Arc::clone(&batches.schema), batches: batches.batches.clone() }
}

/// The recipes, as data.
pub(super) fn recipes() -> &'static [Value] {
    static RECIPES: OnceLock<Vec<Value>> = OnceLock::new();
    RECIPES.get_or_init(|| {
        let recipe = |own: &&str| {
            let common: Value = toml::from_str(COMMON).expect("the common part reads");
            let mut whole: Value = toml::from_str(own).expect("its own part reads");
            merge(&mut whole, common, 0);
            whole
        };
        OWN.iter().map(recipe).collect()
    })
}

/// Adds the keys of sections and attributes that are not there.
fn merge(into: &mut Value, from: Value, depth: usize) {
    let (Some(into), Value::Object(from)) = (into.as_object_mut(), from) else { return };
    for (key, value) in from {
        match into.get_mut(&key) {
            Some(own) if depth < 2 => merge(own, value, depth + 1),
            Some(_) => {}
            None => drop(into.insert(key, value)),
        }
    }
}

pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The files of a good release by each recipe.
pub(super) fn releases() -> &'static [Files] {
    static RELEASES: OnceLock<Vec<Files>> = OnceLock::new();
    RELEASES.get_or_init(|| recipes().iter().map(files).collect())
}

fn files(recipe: &Value) -> Files {
    let text = toml::to_string(recipe).expect("a recipe is a table");
    let recipe = Recipe::in_memory(&text).and_then(|recipe| recipe.over(batches()).resolve());
    let recipe = recipe.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut files = Files::new();
    with_context(|context| {
        let run = || -> Result<Files, JobError> {
            let mut table = Session::open(&recipe, &RunOptions::default(), context)?.read(context)?;
            Ok(table.search(context)?.in_memory(context)?.certify(context)?.files())
        };
        files = run().unwrap_or_else(|error| panic!("{error}\n{text}"));
    });
    files
}

/// A folder with a good release: with a catalog, of one level by attribute, of ranges, of noisy counts, of wildcards.
#[must_use]
pub fn good_release(number: usize) -> TempDir {
    written(&releases()[number])
}

pub(super) fn written(files: &Files) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a temporary file can be written");
    }
    folder
}

/// A good release with some changes, as its recipients would read it.
pub fn release(bytes: &[u8]) {
    let mut source = Source::new(bytes);
    let mut files = source.one(releases()).clone();
    let names: Vec<String> = files.keys().filter(|name| !name.ends_with(".html")).cloned().collect();
    for _ in 0..=source.below(5) {
        // The manifest is what all the others are read by.
        let name = if source.once_in(2) { "release.json" } else { source.one(&names).as_str() };
        let Some(content) = files.get_mut(name) else { continue };
        match source.below(12) {
            0 => drop(files.remove(name)),
            1 => *content = source.text(64).into_bytes(),
            2 => content.truncate(source.below(content.len() + 1)),
            _ if name.ends_with(".json") => change_json(content, &mut source),
            _ => change_table(content, &mut source),
        }
    }
    let folder = written(&files);
    with_context(|context| read(folder.path(), source.once_in(4), context));
}

/// All that reads a release folder.
pub(super) fn read(folder: &Path, with_population: bool, context: &Context<'_>) {
    let population = folder.join("population");
    if with_population {
        std::fs::write(&population, TABLE).expect("a temporary file can be written");
    }
    let population = with_population.then_some(population.as_path());
    let found = verify(folder, population, context);
    drop(found.map(|findings| conclusion(&findings)));
    drop(Published::load(folder, None, context));
    drop(measure_release(folder, &Default::default(), context));
    drop(write_report(folder, &folder.join("report.html"), None, context));
    let elsewhere = tempfile::tempdir().expect("a temporary folder can be made");
    drop(write_truthful(folder, &elsewhere.path().join("truthful.csv"), context));
}

/// Changes a value somewhere in a JSON document.
fn change_json(content: &mut Vec<u8>, source: &mut Source<'_>) {
    let Ok(mut document) = serde_json::from_slice::<Value>(content) else { return };
    let nodes = count(&document);
    let other = {
        let mut copy = document.clone();
        nth(&mut copy, &mut source.below(nodes)).cloned().unwrap_or_default()
    };
    let Some(node) = nth(&mut document, &mut source.below(nodes)) else { return };
    match (source.below(6), node) {
        (0, node) => *node = other,
        (1, Value::Object(keys)) => change_key(keys, other, source),
        (2, Value::Object(keys)) => {
            let names: Vec<String> = keys.keys().cloned().collect();
            if !names.is_empty() {
                keys.remove(source.one(&names));
            }
        }
        (1, Value::Array(items)) => items.push(other),
        (2, Value::Array(items)) => drop(items.pop()),
        (3, Value::Array(items)) => items.reverse(),
        (_, Value::Number(number)) if source.once_in(2) => {
            let near = number.as_f64().unwrap_or(0.0) + *source.one(&[1.0, -1.0, 0.5, 1e-9]);
            if let Some(near) = serde_json::Number::from_f64(near) {
                *number = if near.as_f64().is_some_and(|n| n.fract() == 0.0 && n >= 0.0) {
                    (near.as_f64().unwrap_or(0.0) as u64).into()
                } else {
                    near
                };
            }
        }
        (_, node) => *node = source.odd(),
    }
    *content = serde_json::to_vec(&document).unwrap_or_default();
}

/// Keys of manifests that not every release has.
const KEYS: [&str; 16] = [
    "top",
    "bottom",
    "recoding",
    "missing-values",
    "domain-from-data",
    "level",
    "sample",
    "counterfeits",
    "spent",
    "suppress",
    "suppression-limit",
    "largest-padded-class",
    "group-classes",
    "person",
    "impossible",
    "rce",
];

fn change_key(keys: &mut Map<String, Value>, other: Value, source: &mut Source<'_>) {
    let name = match source.once_in(4) {
        true => source.text(6),
        false => (*source.one(&KEYS)).to_owned(),
    };
    keys.insert(name, if source.once_in(2) { other } else { source.odd() });
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Object(keys) => keys.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// The node of that number, counted from the root.
fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Object(keys) => keys.values_mut().find_map(|inner| nth(inner, left)),
        Value::Array(items) => items.iter_mut().find_map(|inner| nth(inner, left)),
        _ => None,
    }
}

/// Cells that a table of a release could hold, or should not.
const CELLS: [&str; 16] = [
    "*",
    "",
    "1",
    "0",
    "-1",
    "F",
    "flu",
    "130**",
    "13053",
    "[30-39]",
    "[39-30]",
    "1 2",
    "1 1",
    "99999999999999999999",
    "\"",
    "'=1",
];

/// Changes a cell, a row or the order of delimited text.
fn change_table(content: &mut Vec<u8>, source: &mut Source<'_>) {
    let text = String::from_utf8_lossy(content).into_owned();
    let mut rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    if rows.is_empty() {
        return;
    }
    let (at, other) = (source.below(rows.len()), source.below(rows.len()));
    let cell = source.below(rows[at].len());
    match source.below(8) {
        0 => drop(rows.remove(at)),
        1 => rows.insert(at, rows[other].clone()),
        2 => rows.swap(at, other),
        3 => rows.iter_mut().for_each(|row| row.truncate(cell)),
        4 => rows[at].insert(cell, (*source.one(&CELLS)).into()),
        5 => rows[at][cell] = rows[other].get(cell).cloned().unwrap_or_default(),
        6 => rows[at][cell] = source.text(8),
        _ => rows[at][cell] = (*source.one(&CELLS)).into(),
    }
    let lines: Vec<String> = rows.iter().map(|row| row.join(",") + "\n").collect();
    *content = lines.concat().into_bytes();
}

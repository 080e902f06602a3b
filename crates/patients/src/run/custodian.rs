//! The custodian's folder: old and new keys, shifts, what was lost. Never to be published.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde_json::{Map, Value, json};
use velamen_checker::Finding;
use velamen_contract::linked::Dates;
use velamen_job::CUSTODIAN_FILE;
use velamen_recipe::JobError;

use super::Survived;
use crate::documents::VERSION;
use crate::loaded::NONE;
use crate::recipe::LinkedRecipe;
use crate::release::{Making, Released};

/// Old and new keys.
const KEYS: &str = "keys.csv";

/// By how many days each person's dates moved.
const SHIFTS: &str = "shifts.csv";

/// What is known besides the release itself.
pub(super) struct Known<'a> {
    pub(super) findings: &'a [Finding],
    pub(super) survived: Survived,
    pub(super) recipe: &'a LinkedRecipe,
}

/// Writes all of it.
pub(super) fn write(
    folder: &Path,
    making: &Making<'_>,
    released: &[Released],
    known: &Known<'_>,
) -> Result<(), JobError> {
    let record = record(making, known);
    let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
    file(&folder.join(CUSTODIAN_FILE), &|writer| writer.write_all(text.as_bytes()))?;
    file(&folder.join(KEYS), &|writer| keys(making, released, writer))?;
    if matches!(making.plan.dates, Dates::Shift(_)) {
        file(&folder.join(SHIFTS), &|writer| shifts(making, writer))?;
    }
    Ok(())
}

fn file(path: &Path, fill: &dyn Fn(&mut BufWriter<File>) -> std::io::Result<()>) -> Result<(), JobError> {
    let made = File::create(path).and_then(|file| {
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        fill(&mut writer)?;
        writer.flush()
    });
    made.map_err(|error| JobError::io(path, "write", &error))
}

fn record(making: &Making<'_>, known: &Known<'_>) -> Value {
    let mut gone: Map<String, Value> = Map::new();
    for ((table, why), rows) in &making.kept.gone {
        let name = &making.plan.tables[*table].name;
        gone.entry(name.clone()).or_insert_with(|| json!({}))[why.words()] = json!(rows);
    }
    let mut emptied: Map<String, Value> = Map::new();
    for ((table, column), cells) in &making.kept.emptied {
        let table = &making.plan.tables[*table];
        emptied.insert(format!("{}.{}", table.name, table.columns[*column].name), json!(cells));
    }
    let recipe = known.recipe;
    json!({
        "notice": "For the custodian only: never publish this folder.",
        "velamen": VERSION,
        "input": recipe.input.folder.as_ref().or(recipe.input.path.as_ref()),
        "key": recipe.key,
        "survived": known.survived,
        "left-out-tables": making.plan.dropped,
        "left-out-rows": gone,
        "emptied-cells": emptied,
        "checked": known.findings.iter().map(|f| json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state })).collect::<Vec<_>>(),
    })
}

/// Table, original key, released key.
fn keys(making: &Making<'_>, released: &[Released], writer: &mut BufWriter<File>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(["table", "original", "released"])?;
    for (planned, rows) in making.plan.tables.iter().zip(making.tables) {
        let (Some(keys), Some(table)) =
            (&rows.keys, released.iter().find(|table| table.name == planned.name))
        else {
            continue;
        };
        for (row, &number) in table.numbers.iter().enumerate().filter(|(_, number)| **number != NONE) {
            writer.write_record([planned.name.as_str(), &keys.text(row), &number.to_string()])?;
        }
    }
    writer.flush()
}

/// Person, days.
fn shifts(making: &Making<'_>, writer: &mut BufWriter<File>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(["person", "days"])?;
    for (person, days) in making.shifts.iter().enumerate() {
        let original =
            making.tables[0].keys.as_ref().map_or_else(|| person.to_string(), |keys| keys.text(person));
        writer.write_record([original, days.to_string()])?;
    }
    writer.flush()
}

//! The custodian's folder: old and new keys, shifts, what was lost. Never to be published.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use serde_json::{Map, Value, json};
use velamen_checker::Finding;
use velamen_contract::linked::{Dates, Shape};
use velamen_core::context::Context;
use velamen_job::{CUSTODIAN_FILE, RECORDED};
use velamen_recipe::JobError;

use super::{Survived, losses};
use crate::beside::{CLIMBED, EMPTIED, ENCODING, INPUT, KEYS, MADE_ANEW, SHIFTS, TABLES};
use crate::documents::VERSION;
use crate::keep;
use crate::loaded::NONE;
use crate::persons::{Attribute, Source};
use crate::plan::PlannedTable;
use crate::recipe::LinkedRecipe;
use crate::release::{Making, Released};
use crate::stop::Stoppable;

/// How many persons had and have each code: table, column, code, persons before, persons after.
const LOSSES: &str = "losses.csv";

/// What is known besides the release itself.
pub(super) struct Known<'a> {
    pub(super) findings: &'a [Finding],
    pub(super) survived: Survived,
    pub(super) recipe: &'a LinkedRecipe,
    /// The sum of the release's statement.
    pub(super) statement: Option<String>,
    /// How many persons had each code of sets.
    pub(super) before: &'a [u32],
}

/// Writes all of it.
pub(super) fn write(
    folder: &Path,
    making: &Making<'_>,
    released: &[Released],
    known: &Known<'_>,
    context: &Context<'_>,
) -> Result<(), JobError> {
    let record = record(making, known);
    let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
    let file = |name: &str, fill: Fill<'_>| file(&folder.join(name), fill, context);
    file(CUSTODIAN_FILE, &|writer| writer.write_all(text.as_bytes()))?;
    file(KEYS, &|writer| keys(making, released, writer))?;
    file(CLIMBED, &|writer| climbed(making, writer))?;
    file(LOSSES, &|writer| losses::write(making, known.before, writer))?;
    if matches!(making.plan.dates, Dates::Shift(_)) {
        file(SHIFTS, &|writer| shifts(making, writer))?;
    }
    Ok(())
}

/// A file on its way, and what fills it.
type Writer<'a> = BufWriter<Stoppable<'a, File>>;
type Fill<'a> = &'a dyn Fn(&mut Writer<'_>) -> std::io::Result<()>;

fn file(path: &Path, fill: Fill<'_>, context: &Context<'_>) -> Result<(), JobError> {
    let stop = || context.check().is_err();
    let made = File::create(path).and_then(|file| {
        let mut writer = BufWriter::with_capacity(1 << 20, Stoppable { file, stop: &stop });
        fill(&mut writer)?;
        writer.flush()
    });
    context.check()?;
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
    let (anew, made): (Vec<&PlannedTable>, Vec<&PlannedTable>) =
        making.plan.tables.iter().partition(|table| table.is_made_anew);
    let files: Map<String, Value> =
        made.iter().map(|table| (table.name.clone(), original(table, recipe))).collect();
    json!({
        "notice": "For the custodian only: never publish this folder.",
        "velamen": VERSION,
        INPUT: input(recipe),
        ENCODING: recipe.input.encoding,
        TABLES: files,
        MADE_ANEW: anew.iter().map(|table| &table.name).collect::<Vec<_>>(),
        "key": recipe.key,
        "survived": known.survived,
        RECORDED: known.statement,
        "left-out-tables": making.plan.dropped,
        "left-out-rows": gone,
        EMPTIED: emptied,
        "checked": known.findings.iter().map(|f| json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state })).collect::<Vec<_>>(),
    })
}

/// The folder of the tables, or the only one; none of tables in memory.
fn input(recipe: &LinkedRecipe) -> Option<Value> {
    let given = recipe.input.folder.as_ref().or(recipe.input.path.as_ref());
    given.filter(|_| !recipe.in_memory.tables).map(|path| absolute(path))
}

/// Where a table's original is: a path; of an archive, a database, resources and tables in memory the name that its file has
/// or would have.
fn original(table: &PlannedTable, recipe: &LinkedRecipe) -> Value {
    let is_packed = recipe.input.folder.as_ref().is_some_and(|folder| folder.is_file());
    let has_no_file = is_packed || recipe.in_memory.tables || recipe.input.shape == Some(Shape::Fhir);
    match table.origin.file() {
        Some(file) if !has_no_file => absolute(file),
        _ => json!(table.file.file_name().map(|name| name.to_string_lossy())),
    }
}

/// A path that leads to the same file from any folder.
fn absolute(path: &Path) -> Value {
    let found = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    json!(found.to_string_lossy())
}

/// Table, column, code, released: codes that climbed, and values of person columns that became others.
fn climbed(making: &Making<'_>, writer: &mut Writer<'_>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(["table", "column", "code", "released"])?;
    let items = &making.kept.items;
    for of in &items.columns {
        let texts = keep::texts(&making.tables[of.table].columns[of.column]);
        for code in 1..texts.len() as u32 {
            let shown = [texts[code as usize].as_str(), items.text(of, texts, code)];
            changed(&making.plan.tables[of.table], of.column, shown, &mut writer)?;
        }
    }
    for (attribute, &level) in making.demographics.attributes.iter().zip(&making.demographics.node) {
        let Source::Column(place) = attribute.source else { continue };
        if attribute.is_local {
            by_class(making, attribute, place, &mut writer)?;
            continue;
        }
        let (level, coded) = (&attribute.levels[usize::from(level)], making.tables[0].coded(place));
        for (text, &value) in coded.iter().flat_map(|coded| &coded.texts).zip(&level.map) {
            changed(&making.plan.tables[0], place, [text, &level.values[value as usize]], &mut writer)?;
        }
    }
    writer.flush()
}

/// What classes show of each value of a person column, also where that is the value itself.
fn by_class<W: std::io::Write>(
    making: &Making<'_>,
    attribute: &Attribute,
    place: usize,
    writer: &mut csv::Writer<W>,
) -> std::io::Result<()> {
    let (table, Some(coded)) = (&making.plan.tables[0], making.tables[0].coded(place)) else { return Ok(()) };
    let of = |person: usize| (coded.at(person), attribute.leaves[person]);
    let pairs: BTreeSet<(u32, u32)> = making.kept.of(0).map(of).collect();
    for (text, value) in pairs {
        let (text, value) = (&coded.texts[text as usize], &attribute.levels[0].values[value as usize]);
        writer.write_record([table.name.as_str(), &table.columns[place].name, text, value])?;
    }
    Ok(())
}

/// A code and what stands for it, where that is another.
fn changed<W: std::io::Write>(
    table: &PlannedTable,
    column: usize,
    [code, released]: [&str; 2],
    writer: &mut csv::Writer<W>,
) -> std::io::Result<()> {
    if code != released {
        writer.write_record([table.name.as_str(), &table.columns[column].name, code, released])?;
    }
    Ok(())
}

/// Table, original key, released key.
fn keys(making: &Making<'_>, released: &[Released], writer: &mut Writer<'_>) -> std::io::Result<()> {
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
fn shifts(making: &Making<'_>, writer: &mut Writer<'_>) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(["person", "days"])?;
    for (person, days) in making.shifts.iter().enumerate() {
        let original =
            making.tables[0].keys.as_ref().map_or_else(|| person.to_string(), |keys| keys.text(person));
        writer.write_record([original, days.to_string()])?;
    }
    writer.flush()
}

//! The custodian's folder: the seed, where the counterfeits are, figures over the original records.
//! Never to be published.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use velamen_checker::Finding;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role, Strays};
use velamen_core::plan::Counterfeits;
use velamen_core::release::Release;
use velamen_engine::formula::escape;
use velamen_measure::risk::certain::{self, Certain};
use velamen_measure::risk::minimality;
use velamen_recipe::{JobError, RecordedReading, Resolved, Target};
use velamen_report::language::{of_below, speaking};
use velamen_report::manifest::FILE;
use velamen_report::{Manifest, telling};
use velamen_search::method::{Cell, File};

use super::made::Made;
use super::originals::{self, OfColumn};
use super::pages;
use super::persons::People;
use super::searched::Searched;
use crate::budget::unix_seconds;
use crate::checksums::sha256;
use crate::folders::{COUNTERFEITS, CUSTODIAN_FILE};
use crate::verify::recorded;

/// The page's name: not that of the public page, so that nobody publishes one for the other.
const REPORT: &str = "custodian-report.html";

/// `custodian.json`, `counterfeits.csv`, the report with the original distributions and the method's own files, by name.
pub(super) fn files<P: Sync>(
    made: &Made<'_, P>,
    (findings, checked): (&[Finding], &[Finding]),
    original: &Map<String, Value>,
    context: &Context<'_>,
) -> Result<BTreeMap<String, Vec<u8>>, JobError> {
    let Made { searched, release, ids, manifest, .. } = made;
    let Searched { recipe, table, decision, .. } = searched;
    let counted = searched.counted();
    let people = searched.apart.people.as_ref().and_then(|people| people.of_classes(release));
    let (certain, minimality) = (certain(made), attack(recipe, release, people.as_deref()));
    let telling = searched.judged;
    let holdings = searched.apart.people.as_ref().map(People::holdings);
    let largest_share = holdings.as_ref().and_then(|(_, released)| released.by_record(1.0));
    let mut record = json!({
        "notice": "For the custodian only: never publish this folder.",
        "velamen": manifest.velamen,
        recorded::MANIFEST: manifest_sha256(manifest),
        "finished-unix-seconds": unix_seconds(),
        "input": recipe.input.label(),
        "query": recipe.input.text(),
        "read": RecordedReading::of(&recipe.read),
        "table": recipe.table.as_ref().map(Target::label),
        "seed": context.seed.to_hex(),
        "key": recipe.identities.key,
        "person": recipe.attributes.iter().find(|one| one.role == Role::Person).map(|one| &one.name),
        "original-people": holdings.as_ref().map(|(original, _)| original.people()),
        "largest-share-of-a-group": largest_share.map(|risk| risk.highest),
        "original-records": counted.records(),
        "distinct-combinations": table.len(),
        "search": decision.search,
        "original-figures": decision.figures,
        "minimality-attack": minimality,
        "provably-real": certain,
        "adversary": telling,
        "checked": checked.iter().map(|f| json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state })).collect::<Vec<_>>(),
    });
    if let Some(fields) = record.as_object_mut() {
        fields.extend(original.clone());
    }
    if recipe.method.is_private() {
        record["not-as-declared"] = strays(&table.strays);
    }
    let originals = originals(made);
    record["sensitive"] = originals.iter().map(OfColumn::recorded).collect::<Map<_, _>>().into();
    let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
    let mut files = BTreeMap::from([(CUSTODIAN_FILE.to_owned(), text.into_bytes())]);
    let placed = counterfeits(table, decision.outcome.counterfeits(), ids)?;
    files.extend(placed.map(|bytes| (COUNTERFEITS.to_owned(), bytes)));
    for file in &decision.files {
        files.insert(file.name.to_owned(), of_table(file, ids)?);
    }
    let figures = &record["original-figures"];
    let told = || originals.iter().flat_map(OfColumn::told).collect::<Vec<_>>();
    let sentences = speaking(manifest.about.language, told);
    let notes = speaking(manifest.about.language, || {
        decision.notes.iter().map(|note| of_below(note)).collect::<Vec<_>>()
    });
    let sentences = sentences.into_iter().chain(notes).collect();
    let told = (sentences, telling.as_ref(), made.costly(), holdings);
    let page = pages::private(manifest, findings, &counted, release, figures, told);
    files.extend(page.map(|page| (REPORT.to_owned(), page.into_bytes())));
    Ok(files)
}

/// The SHA-256 of `release.json`, by which the custodian knows the release again.
fn manifest_sha256(manifest: &Manifest) -> Option<String> {
    let files = velamen_report::files(manifest);
    files.iter().find(|(name, _)| name == FILE).map(|(_, bytes)| sha256(bytes))
}

/// What the original records show of each sensitive column; nothing where noise hides them.
fn originals<P>(made: &Made<'_, P>) -> Vec<OfColumn> {
    let Made { searched, release, ids, manifest, .. } = made;
    let (table, counterfeits) = (&searched.table, searched.decision.outcome.counterfeits());
    if searched.recipe.method.is_private() {
        return Vec::new();
    }
    let values = table.rest.sensitive().next().map_or(&[][..], |column| &table.rest.columns[column].values);
    let placed = counterfeits.iter().flat_map(|of| {
        let class = ids[of.class as usize] as usize - 1;
        of.values.iter().map(move |&(value, count)| (class, &*values[value as usize], count))
    });
    let people = searched.apart.people.as_ref().map(People::by_class);
    originals::of_columns(
        &searched.counted(),
        release,
        manifest,
        &placed.collect::<Vec<_>>(),
        people.as_deref(),
    )
}

/// The records that the table's domains do not hold.
fn strays(strays: &Strays) -> Value {
    json!({
        "quasi-identifier-outside-its-domain": strays.outside.iter().sum::<u64>(),
        "sensitive-value-outside-its-domain": strays.dropped,
        "malformed": strays.malformed,
    })
}

fn attack(recipe: &Resolved, release: &Release, people: Option<&[u64]>) -> Value {
    let Some((k, largest)) = recipe.method.particulars().padded else { return Value::Null };
    serde_json::to_value(minimality::attack(release, k, largest, people)).unwrap_or_default()
}

/// Records of filled-up classes that the catalog proves real; `None` where nothing is filled up.
fn certain<P>(made: &Made<'_, P>) -> Option<Certain> {
    let (_, largest) = made.searched.recipe.method.particulars().padded?;
    Some(certain::certain(&made.release, largest, telling::real_values(&made.manifest)))
}

/// ClassID; sensitive value; counterfeits in that class.
fn counterfeits(
    table: &FrequencyTable,
    counterfeits: &[Counterfeits],
    ids: &[u64],
) -> Result<Option<Vec<u8>>, JobError> {
    let Some(sensitive) = table.rest.sensitive().next().filter(|_| !counterfeits.is_empty()) else {
        return Ok(None);
    };
    let failed = |error: csv::Error| unwritten(COUNTERFEITS, &error);
    let column = &table.rest.columns[sensitive];
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["ClassID", &*escape(&column.name), "Count"]).map_err(failed)?;
    let mut rows: Vec<(u64, u32, u64)> = counterfeits
        .iter()
        .flat_map(|c| c.values.iter().map(|&(value, count)| (ids[c.class as usize], value, count)))
        .collect();
    rows.sort_unstable();
    for (id, value, count) in rows {
        let value = escape(&column.values[value as usize]);
        writer.write_record([&*id.to_string(), &value, &count.to_string()]).map_err(failed)?;
    }
    writer.into_inner().map(Some).map_err(|error| unwritten(COUNTERFEITS, &error))
}

fn unwritten(name: &str, error: &dyn std::fmt::Display) -> JobError {
    JobError::unusable(format!("{name}: cannot write: {error}"))
}

/// A table that the method makes for the custodian.
fn of_table(file: &File, ids: &[u64]) -> Result<Vec<u8>, JobError> {
    let failed = |error: csv::Error| unwritten(file.name, &error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(file.header.iter().map(|name| escape(name).into_owned())).map_err(failed)?;
    for row in &file.rows {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => escape(text).into_owned(),
            Cell::Class(class) => ids[*class].to_string(),
        };
        writer.write_record(row.iter().map(cell)).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| unwritten(file.name, &error))
}

//! A folder of resources to tables: one file for each kind, a row for each resource.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_recipe::JobError;

use super::bands;
use super::components;
use super::element::{self, Form};
use super::extensions::MISSING;
use super::files::{BUNDLE, files};
use super::found::{Found, Place, UUID};
use super::medications::{self, MEDICATION, Medications};
use super::places::Places;
use super::resource::Resource;
use super::row::{Row, ends_after_begin, known, one_of_each_choice};
use crate::archive::Unpacked;
use crate::shape::{self, Fate};

/// What the names of temporary folders begin with.
const PREFIX: &str = "velamen-fhir-";

/// What becomes of days of which a year or a month alone is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Days {
    /// They stay.
    #[default]
    AsRecorded,
    /// They become the first day of their year or month; births are those of a release.
    Whole,
    /// They become the first day of their year or month, and so do births.
    Original,
}

/// Tables from the files of a folder; they go when this is dropped. `shown` is what messages call the folder, and of the kinds
/// in `orphans` the rows that belong to no patient will be left out.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::data`] with file, line and path of what is not of FHIR R4.
pub(crate) fn flattened(
    folder: &Path,
    shown: &Path,
    days: Days,
    orphans: &BTreeSet<&str>,
) -> Result<Unpacked, JobError> {
    let failed = |error: std::io::Error| JobError::io(&std::env::temp_dir(), "use", &error);
    let scratch = Scratch::new(PREFIX).map_err(failed)?;
    let files = files(folder, shown)?;
    let orphans = orphans.iter().map(|kind| (*kind).to_owned()).collect();
    let mut tables = Tables { folder: scratch.path().to_owned(), days, orphans, ..Tables::default() };
    for file in &files {
        if file.is_bundle || file.begins_with(MEDICATION)? {
            file.each(&mut |all| tables.look_up(all))?;
        }
    }
    for file in &files {
        file.each(&mut |all| tables.add(all))?;
    }
    for writer in tables.writers.into_values() {
        writer.into_inner().map_err(|error| failed(error.into_error())).map(drop)?;
    }
    let notes = tables.left.into_iter().map(|(kind, left)| left.words(&kind)).collect();
    let folder = scratch.path().to_owned();
    Ok(Unpacked::new(scratch, folder).placed(tables.places, notes))
}

/// Resources that are left out.
struct Left {
    number: u64,
    first: String,
}

impl Left {
    fn words(&self, kind: &str) -> String {
        let Self { number, first } = self;
        let are = if *number == 1 { "a resource is" } else { &format!("{number} resources are") };
        format!(
            "table `{kind}`: {are} left out, because a modifier changes what it says; the first is {first}"
        )
    }
}

/// The tables that grow.
#[derive(Default)]
struct Tables {
    folder: PathBuf,
    writers: BTreeMap<String, csv::Writer<BufWriter<File>>>,
    /// The ids of resources whose full address is another UUID, by file: each bundle has addresses of its own.
    renamed: BTreeMap<(PathBuf, String), String>,
    /// What other resources say by reference.
    medications: Medications,
    /// The server that full addresses name; ids of two servers can be the same.
    server: Option<String>,
    places: Places,
    /// The resources of kinds that stay that are left out, because others change what they say.
    left: BTreeMap<String, Left>,
    days: Days,
    /// The kinds of which rows that belong to nobody are left out.
    orphans: BTreeSet<String>,
}

impl Tables {
    /// Notes what other resources refer to: ids of full addresses, and the codes of medications.
    fn look_up(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        for found in all {
            let resource = Resource::of(found)?;
            let Some(id) = resource.text("id").or_else(|| found.uuid().map(str::to_owned)) else { continue };
            self.medications.add(&id, found, &resource)?;
            let Some(address) = found.address.as_deref().filter(|address| address.starts_with(UUID)) else {
                continue;
            };
            let key = (found.place.file.to_owned(), address.to_owned());
            if self.renamed.insert(key, id).is_some() {
                let problem = Problem::new("the full address of an earlier entry");
                return Err(found.place.refuse("", problem.expected("an address of its own for each entry")));
            }
        }
        Ok(())
    }

    fn add(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        let rows: Vec<Result<Vec<Row>, JobError>> = all.par_iter().map(|found| self.rows(found)).collect();
        rows.into_iter()
            .zip(all)
            .try_for_each(|(rows, found)| rows?.into_iter().try_for_each(|row| self.write(row, &found.place)))
    }

    fn write(&mut self, row: Row, place: &Place<'_>) -> Result<(), JobError> {
        let failed = |error: csv::Error| {
            JobError::io(&std::env::temp_dir(), "write", &io::Error::other(error.to_string()))
        };
        self.one_server(&row, place)?;
        if !self.writers.contains_key(&row.kind) {
            let writer = begun(&self.folder, &row)?;
            self.writers.insert(row.kind.clone(), writer);
        }
        match self.writers.get_mut(&row.kind) {
            Some(writer) if !row.cells.is_empty() => {
                self.places.add(&row.kind, place.file, place.within);
                writer.write_record(&row.cells).map_err(failed)
            }
            _ if known(&row.kind).is_none() => {
                self.places.add(&row.kind, place.file, place.within);
                Ok(())
            }
            _ => {
                self.leave(&row.kind, place);
                Ok(())
            }
        }
    }

    /// Counts a resource that is left out, though others of its kind stay.
    fn leave(&mut self, kind: &str, place: &Place<'_>) {
        if known(kind).is_some_and(|known| known.fate != Fate::Dropped) {
            let first = || Left { number: 0, first: format!("{}: {}", place.file.display(), place.within) };
            self.left.entry(kind.to_owned()).or_insert_with(first).number += 1;
        }
    }

    /// Refuses a second server: who is `7` there is another person than `7` here.
    fn one_server(&mut self, row: &Row, place: &Place<'_>) -> Result<(), JobError> {
        for server in &row.servers {
            if *self.server.get_or_insert_with(|| server.clone()) != *server {
                let problem = Problem::new("a reference to another server than that of earlier ones");
                let problem = problem.expected("resources of one server: ids of two can be the same");
                return Err(place.refuse(&format!(", {}", row.kind), problem));
            }
        }
        Ok(())
    }

    /// A resource, and each of its components as one of its own.
    fn rows(&self, found: &Found<'_>) -> Result<Vec<Row>, JobError> {
        let resource = Resource::of(found)?;
        let whole = self.row(found, &resource)?;
        let parts = components::of(&whole, &resource);
        let what = format!(", {}.{}", whole.kind, components::ELEMENT);
        let mut rows = vec![whole];
        rows.extend(parts.map_err(|problem| found.place.refuse(&what, problem))?);
        Ok(rows)
    }

    fn row(&self, found: &Found<'_>, resource: &Resource<'_>) -> Result<Row, JobError> {
        let place = &found.place;
        let Some(kind) = resource.text("resourceType").filter(|kind| is_name(kind)) else {
            let problem = Problem::new("no resource").expected("an object with `resourceType`");
            return Err(place.refuse("", problem));
        };
        if kind == BUNDLE {
            let problem = Problem::new("a bundle in the place of a resource");
            return Err(place.refuse("", problem.expected("bundles in files of their own that end in .json")));
        }
        if let Some(version) = other_version(&kind, resource) {
            let problem = Problem::new(format!("a resource of FHIR {version}")).expected("FHIR R4 (4.0.1)");
            return Err(place.refuse(&format!(", {kind}"), problem.mend("convert the export first")));
        }
        found.check_address(&kind, resource.text("id").as_deref())?;
        let mut servers: Vec<String> = found.server(&kind).map(str::to_owned).into_iter().collect();
        // Whether kinds that nobody knows are left out is for the recipe to say.
        let Some(known) = known(&kind) else { return Ok(Row { cells: Vec::new(), kind, servers }) };
        if is_modified(resource) {
            return match known.fate {
                // What it says is not what its elements say.
                Fate::Rows | Fate::Dropped => Ok(Row { cells: Vec::new(), kind, servers }),
                _ => Err(place.refuse(&format!(", {kind}"), modified())),
            };
        }
        let columns = known.columns;
        let cells = columns.iter().map(|(path, _)| {
            let cell = self.cell(found, resource, (&kind, path), &mut servers);
            let cell = cell.and_then(|cell| bound(&kind, path, cell));
            cell.map_err(|problem| place.refuse(&format!(", {kind}.{path}"), problem))
        });
        let mut cells = cells.collect::<Result<Vec<String>, _>>()?;
        one_of_each_choice(columns, &mut cells);
        ends_after_begin(columns, &mut cells);
        Ok(Row { cells, kind, servers })
    }

    fn cell(
        &self,
        found: &Found<'_>,
        resource: &Resource<'_>,
        (kind, path): (&str, &str),
        servers: &mut Vec<String>,
    ) -> Result<String, Problem> {
        let form = Form::of(path);
        let (outer, inner) = path.split_once('.').unwrap_or((path, ""));
        let value = resource.value(outer)?;
        if self.days == Days::Whole && value.is_null() && [bands::NUMBER, bands::UNIT].contains(&path) {
            let range = resource.value(bands::RANGE)?;
            return if form == Form::Number {
                Ok(bands::name(&range))
            } else {
                element::cell(bands::unit(&range), form)
            };
        }
        if let Form::Reference(other) = form {
            let renamed = |address: &str| {
                let key = (found.place.file.to_owned(), address.to_owned());
                self.renamed.get(&key).cloned()
            };
            let reference = element::reference(&value, other, &renamed, self.orphans.contains(kind));
            let drop =
                || format!("correct it, or leave such rows out with [tables.{kind}] orphans = \"drop\"");
            let reference = reference.map_err(|problem| problem.mend(drop()))?;
            servers.extend(reference.server);
            return Ok(reference.key);
        }
        element::check(&value, !inner.is_empty(), form)?;
        let cell = match shape::system(path) {
            Some(system) => element::coded_by(&value, &system(kind)),
            None => element::cell(element::within(&value, inner, form), form)?,
        };
        Ok(match (form, self.days) {
            (Form::Id, _) if cell.is_empty() => found.uuid().unwrap_or_default().to_owned(),
            (Form::Day, Days::Whole | Days::Original) => whole(cell),
            (Form::Birth, Days::Whole | Days::Original) if cell.is_empty() => "*".into(),
            // Only the year is ever released.
            (Form::Birth, Days::AsRecorded | Days::Original) => whole(cell),
            (Form::Code, _) if cell.is_empty() && path == "gender" => "unknown".into(),
            (Form::Extension(_), Days::Whole) if cell.is_empty() => MISSING.into(),
            (Form::Concept, _) if cell.is_empty() && path == medications::ELEMENT => {
                self.medications.of(resource, found)?
            }
            _ => cell,
        })
    }
}

/// The extension that changes what others say.
const MODIFIER: &str = "modifierExtension";

/// Elements that turn a resource into its opposite, or into less than it seems, if they are true.
const TURNED: [&str; 2] = ["doNotPerform", "isSubpotent"];

/// Whether a resource says something else than its elements by themselves.
fn is_modified(resource: &Resource<'_>) -> bool {
    resource.has(MODIFIER, "[")
        || resource.has("implicitRules", "")
        || TURNED.iter().any(|name| resource.has(name, "true"))
}

fn modified() -> Problem {
    let problem = Problem::new("a modifier extension changes what it says, and nobody knows how");
    problem.mend("leave the resource out of the folder")
}

/// A code, if R4 has it for this element.
fn bound(kind: &str, path: &str, cell: String) -> Result<String, Problem> {
    let codes = shape::codes(kind, path);
    let code = cell.rsplit('|').next().unwrap_or_default();
    let system = shape::system(path).map(|system| system(kind));
    let is_of_system =
        system.as_ref().is_none_or(|system| cell.rsplit_once('|').is_some_and(|(of, _)| of == system));
    if !cell.is_empty() && !is_of_system {
        return Err(
            Problem::new("a code of another system than R4 has here").expected(system.unwrap_or_default())
        );
    }
    if cell.is_empty() || codes.is_empty() || codes.contains(&code) {
        return Ok(cell);
    }
    Err(Problem::new("a code that R4 does not have here").expected(codes.join(", ")))
}

/// A table's file with its header. A kind that is left out has no columns, and a table has one.
fn begun(folder: &Path, row: &Row) -> Result<csv::Writer<BufWriter<File>>, JobError> {
    let path = folder.join(format!("{}.csv", row.kind));
    let failed = |error: io::Error| JobError::io(&path, "write", &error);
    let file = File::create(&path).map_err(failed)?;
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 18, file));
    let columns = known(&row.kind).map_or(&[][..], |known| known.columns);
    let names = columns.iter().map(|(name, _)| *name).chain(columns.is_empty().then_some("id"));
    writer.write_record(names).map_err(|error| failed(io::Error::other(error.to_string())))?;
    Ok(writer)
}

/// Whether a text can be the name of a kind of resources, and so of a file.
fn is_name(kind: &str) -> bool {
    !kind.is_empty() && kind.len() < 64 && kind.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// `2015` → `2015-01-01`, `2015-03` → `2015-03-01`.
fn whole(day: String) -> String {
    match day.len() {
        4 => day + "-01-01",
        7 => day + "-01",
        _ => day,
    }
}

/// The version that a resource is of, where it has elements that R4 has not.
fn other_version(kind: &str, resource: &Resource<'_>) -> Option<&'static str> {
    let has = |name: &str| resource.has(name, "");
    let is_later = match kind {
        "Encounter" => resource.has("class", "[") || has("actualPeriod"),
        "MedicationRequest" => has("medication"),
        "Procedure" => has("occurrenceDateTime") || has("occurrencePeriod"),
        "Condition" => has("participant"),
        "Observation" => has("bodyStructure"),
        "AllergyIntolerance" => resource.has("type", "{"),
        _ => false,
    };
    let is_earlier = match kind {
        "Condition" => has("assertedDate") || has("context") || resource.has("clinicalStatus", "\""),
        "Observation" => has("context") || has("related") || has("comment"),
        "Procedure" => has("context") || has("notDone"),
        "MedicationRequest" | "DiagnosticReport" | "CarePlan" => has("context"),
        "Immunization" => has("date") || has("notGiven") || has("wasNotGiven"),
        "Patient" => has("animal"),
        "AllergyIntolerance" => has("assertedDate") || resource.has("clinicalStatus", "\""),
        _ => false,
    };
    if is_later { Some("R5") } else { is_earlier.then_some("STU3") }
}

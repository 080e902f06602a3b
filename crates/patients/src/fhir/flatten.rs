//! A folder of resources to tables: one file for each kind, a row for each resource.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use velamen_contract::linked::{RESOURCES, Shape};
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_recipe::JobError;

use super::element::{Form, cell, within};
use crate::archive::Unpacked;
use crate::shape::{self, Fate, KnownTable};

/// What the names of temporary folders begin with.
const PREFIX: &str = "velamen-fhir-";

/// How addresses of resources that have no server begin.
const UUID: &str = "urn:uuid:";

/// How files of a bundle end.
const BUNDLE: &str = "json";

/// What a server writes beside the resources of an export.
const LOG: &str = "log";

/// What becomes of days of which a year or a month alone is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Days {
    /// They stay.
    AsRecorded,
    /// They become the first day of their year or month.
    Whole,
}

/// Tables from the files of a folder; they go when this is dropped.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::data`] with file, line and path of what is not of FHIR R4.
pub(crate) fn flattened(folder: &Path, days: Days) -> Result<Unpacked, JobError> {
    let failed = |error: std::io::Error| JobError::io(&std::env::temp_dir(), "use", &error);
    let scratch = Scratch::new(PREFIX).map_err(failed)?;
    let files = files(folder)?;
    let mut tables = Tables {
        folder: scratch.path().to_owned(),
        writers: BTreeMap::new(),
        renamed: BTreeMap::new(),
        days,
    };
    for file in files.iter().filter(|file| file.is_bundle) {
        file.each(&mut |all| tables.rename(all))?;
    }
    for file in &files {
        file.each(&mut |all| tables.add(all))?;
    }
    for writer in tables.writers.into_values() {
        writer.into_inner().map_err(|error| failed(error.into_error())).map(drop)?;
    }
    let folder = scratch.path().to_owned();
    Ok(Unpacked::new(scratch, folder))
}

/// A file of resources.
struct Resources {
    path: PathBuf,
    is_bundle: bool,
}

/// Where a resource stands.
struct Place<'a> {
    file: &'a Path,
    /// `line 7` or `entry 7`.
    within: String,
}

impl Place<'_> {
    fn refuse(&self, what: &str, problem: Problem) -> JobError {
        let place = format!("{}: {}{what}: ", self.file.display(), self.within);
        JobError::data(problem.after(&place))
    }
}

/// The files of a folder that hold resources: NDJSON and bundles, packed or not. The log of an export is none.
fn files(folder: &Path) -> Result<Vec<Resources>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read the folder", &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let Some((stem, ending)) = name.rsplit_once('.') else { continue };
        if stem == LOG || stem.is_empty() || !path.is_file() {
            continue;
        }
        let is_bundle = ending == BUNDLE;
        if is_bundle || ending == RESOURCES {
            files.push(Resources { is_bundle, path });
        }
    }
    if files.is_empty() {
        let problem = Problem::new(format!("{}: no file of FHIR resources", folder.display()));
        return Err(JobError::data(problem.expected("Patient.ndjson and others, or bundles in .json")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// How many lines are read before they are taken apart beside each other.
const AHEAD: usize = 4096;

/// A line, or an entry of a bundle: its place, its text and its full address.
struct Found<'a> {
    place: Place<'a>,
    text: Cow<'a, str>,
    address: Option<String>,
}

/// Takes some resources of a file, in its order.
type Take<'a> = dyn FnMut(&[Found<'_>]) -> Result<(), JobError> + 'a;

/// The entries of a bundle.
#[derive(Deserialize)]
struct Bundle<'a> {
    #[serde(rename = "resourceType")]
    kind: String,
    #[serde(borrow, default)]
    entry: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "fullUrl")]
    address: Option<String>,
    #[serde(borrow)]
    resource: Option<&'a RawValue>,
}

impl Resources {
    fn open(&self) -> Result<Box<dyn Read>, JobError> {
        let file = File::open(&self.path).map_err(|error| JobError::io(&self.path, "open", &error))?;
        let is_packed = self.path.extension().is_some_and(|end| end == "gz");
        Ok(if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
    }

    /// Takes every resource of the file.
    fn each(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        if self.is_bundle { self.entries(take) } else { self.lines(take) }
    }

    fn lines(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        let mut lines = BufReader::with_capacity(1 << 20, self.open()?).lines().zip(1u64..).peekable();
        while lines.peek().is_some() {
            let mut found = Vec::new();
            for (line, number) in lines.by_ref().take(AHEAD) {
                let place = Place { file: &self.path, within: format!("line {number}") };
                let unread = |error: io::Error| {
                    place.refuse("", Problem::new(format!("it cannot be read: {}", error.kind())))
                };
                let line = line.map_err(unread)?;
                let text = Cow::Owned(line.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(line));
                found.push(Found { place, text, address: None });
            }
            found.retain(|found| !found.text.trim().is_empty());
            take(&found)?;
        }
        Ok(())
    }

    fn entries(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        let place = |within: String| Place { file: &self.path, within };
        let mut text = String::new();
        let read = self.open()?.read_to_string(&mut text);
        read.map_err(|error| JobError::io(&self.path, "read", &error))?;
        let whole = place("the bundle".into());
        let bundle: Bundle<'_> = serde_json::from_str(&text).map_err(|error| no_json(&whole, &error))?;
        if bundle.kind != "Bundle" {
            // One resource by itself.
            return take(&[Found { place: whole, text: Cow::Borrowed(&text), address: None }]);
        }
        let found = bundle.entry.into_iter().zip(1u64..).filter_map(|(entry, number)| {
            let text = Cow::Borrowed(entry.resource?.get());
            Some(Found { place: place(format!("entry {number}")), text, address: entry.address })
        });
        take(&found.collect::<Vec<_>>())
    }
}

/// JSON's own message would show the text.
fn no_json(place: &Place<'_>, error: &serde_json::Error) -> JobError {
    let problem = Problem::new(format!("no JSON at character {}", error.column()));
    place.refuse("", problem.expected("one resource"))
}

/// The tables that grow.
struct Tables {
    folder: PathBuf,
    writers: BTreeMap<String, csv::Writer<BufWriter<File>>>,
    /// The ids of resources whose full address is another UUID, by file: each bundle has addresses of its own.
    renamed: BTreeMap<(PathBuf, String), String>,
    days: Days,
}

/// A row of a table, or a resource of a kind that is left out.
struct Row {
    kind: String,
    cells: Vec<String>,
}

impl Tables {
    /// Notes under which id a resource stands that others know by its full address.
    fn rename(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        for found in all {
            let Some(address) = found.address.as_deref().filter(|address| address.starts_with(UUID)) else {
                continue;
            };
            let Some(id) = Resource::of(found)?.text("id") else { continue };
            let key = (found.place.file.to_owned(), address.to_owned());
            if self.renamed.insert(key, id).is_some() {
                let problem = Problem::new("the full address of an earlier entry");
                return Err(found.place.refuse("", problem.expected("an address of its own for each entry")));
            }
        }
        Ok(())
    }

    fn add(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        let rows: Vec<Result<Row, JobError>> = all.par_iter().map(|found| self.row(found)).collect();
        rows.into_iter().try_for_each(|row| self.write(row?))
    }

    fn write(&mut self, row: Row) -> Result<(), JobError> {
        let failed = |error: csv::Error| {
            JobError::io(&std::env::temp_dir(), "write", &io::Error::other(error.to_string()))
        };
        if !self.writers.contains_key(&row.kind) {
            let writer = begun(&self.folder, &row)?;
            self.writers.insert(row.kind.clone(), writer);
        }
        match self.writers.get_mut(&row.kind) {
            Some(writer) if !row.cells.is_empty() => writer.write_record(&row.cells).map_err(failed),
            _ => Ok(()),
        }
    }

    fn row(&self, found: &Found<'_>) -> Result<Row, JobError> {
        let (place, resource) = (&found.place, Resource::of(found)?);
        let Some(kind) = resource.text("resourceType").filter(|kind| is_name(kind)) else {
            let problem = Problem::new("no resource").expected("an object with `resourceType`");
            return Err(place.refuse("", problem));
        };
        if let Some(version) = other_version(&kind, &resource) {
            let problem = Problem::new(format!("a resource of FHIR {version}")).expected("FHIR R4 (4.0.1)");
            return Err(place.refuse(&format!(", {kind}"), problem.mend("convert the export first")));
        }
        if let Some(known) = known(&kind).filter(|_| resource.has(MODIFIER, "[")) {
            return match known.fate {
                // What it says is not what its elements say.
                Fate::Rows => Ok(Row { cells: Vec::new(), kind }),
                _ => Err(place.refuse(&format!(", {kind}"), modified())),
            };
        }
        let columns = known(&kind).map_or(&[][..], |known| known.columns);
        let cells = columns.iter().map(|(path, _)| {
            let cell = self.cell(found, &resource, path).and_then(|cell| bound(&kind, path, cell));
            cell.map_err(|problem| place.refuse(&format!(", {kind}.{path}"), problem))
        });
        let mut cells = cells.collect::<Result<Vec<String>, _>>()?;
        one_of_each_choice(columns, &mut cells);
        Ok(Row { cells, kind })
    }

    fn cell(&self, found: &Found<'_>, resource: &Resource<'_>, path: &str) -> Result<String, Problem> {
        let form = Form::of(path);
        let renamed = |address: &str| {
            let key = (found.place.file.to_owned(), address.to_owned());
            self.renamed.get(&key).cloned()
        };
        let (outer, inner) = path.split_once('.').unwrap_or((path, ""));
        let value = resource.value(outer);
        let cell = cell(within(&value, inner, form), form, &renamed)?;
        Ok(match (form, self.days) {
            (Form::Id, _) if cell.is_empty() => found.uuid().unwrap_or_default().to_owned(),
            (Form::Day, Days::Whole) => whole(cell),
            (Form::Birth, Days::Whole) if cell.is_empty() => "*".into(),
            // Only the year is ever released.
            (Form::Birth, Days::AsRecorded) => whole(cell),
            (Form::Code, _) if cell.is_empty() && path == "gender" => "unknown".into(),
            _ => cell,
        })
    }
}

impl Found<'_> {
    /// The UUID of its full address.
    fn uuid(&self) -> Option<&str> {
        self.address.as_deref()?.strip_prefix(UUID)
    }
}

/// The element that changes what others say.
const MODIFIER: &str = "modifierExtension";

fn modified() -> Problem {
    let problem = Problem::new("a modifier extension changes what it says, and nobody knows how");
    problem.mend("leave the resource out of the folder")
}

/// A code, if R4 has it for this element.
fn bound(kind: &str, path: &str, cell: String) -> Result<String, Problem> {
    let codes = shape::codes(kind, path);
    let code = cell.rsplit('|').next().unwrap_or_default();
    if cell.is_empty() || codes.is_empty() || codes.contains(&code) {
        return Ok(cell);
    }
    Err(Problem::new("a code that R4 does not have here").expected(codes.join(", ")))
}

/// Of elements that exclude each other the first stays: a value is a quantity or a concept, a procedure has a day or a period.
fn one_of_each_choice(columns: &[(&str, shape::Known)], cells: &mut [String]) {
    for choice in ["value", "performed"] {
        let mut first: Option<&str> = None;
        for ((path, _), cell) in
            columns.iter().zip(&mut *cells).filter(|((path, _), _)| path.starts_with(choice))
        {
            let outer = path.split('.').next().unwrap_or(path);
            match first {
                _ if cell.is_empty() => {}
                None => first = Some(outer),
                Some(first) if first != outer => cell.clear(),
                Some(_) => {}
            }
        }
    }
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

fn known(kind: &str) -> Option<&'static KnownTable> {
    shape::tables(Shape::Fhir).iter().find(|table| table.name == kind)
}

/// A resource whose elements are read when they are asked for: most are left out.
struct Resource<'a>(FxHashMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Resource<'a> {
    fn of(found: &'a Found<'_>) -> Result<Self, JobError> {
        serde_json::from_str(&found.text).map(Self).map_err(|error| no_json(&found.place, &error))
    }

    /// An element; null where there is none.
    fn value(&self, name: &str) -> Value {
        self.0.get(name).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.value(name).as_str().map(str::to_owned)
    }

    /// Whether it has an element that begins so; any, if nothing is given.
    fn has(&self, name: &str, begins: &str) -> bool {
        self.0.get(name).is_some_and(|raw| raw.get() != "null" && raw.get().starts_with(begins))
    }
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
        _ => false,
    };
    let is_earlier = match kind {
        "Condition" => has("assertedDate") || has("context") || resource.has("clinicalStatus", "\""),
        "Observation" | "Procedure" | "MedicationRequest" | "DiagnosticReport" => has("context"),
        "Immunization" => has("date") || has("notGiven"),
        "AllergyIntolerance" => has("assertedDate") || resource.has("clinicalStatus", "\""),
        _ => false,
    };
    if is_later { Some("R5") } else { is_earlier.then_some("STU3") }
}

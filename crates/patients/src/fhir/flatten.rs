//! A folder of resources to tables: one file for each kind, a row for each resource.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use velamen_contract::linked::Shape;
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_recipe::JobError;

use super::element::{Form, at, cell};
use crate::archive::Unpacked;
use crate::shape::{self, KnownTable};

/// What the names of temporary folders begin with.
const PREFIX: &str = "velamen-fhir-";

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
        file.each(&mut |place, resource, address| tables.rename(place, resource, address))?;
    }
    for file in &files {
        file.each(&mut |place, resource, _| tables.add(place, resource))?;
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
        if let "ndjson" | "jsonl" | "json" = ending {
            files.push(Resources { is_bundle: ending == "json", path });
        }
    }
    if files.is_empty() {
        let problem = Problem::new(format!("{}: no file of FHIR resources", folder.display()));
        return Err(JobError::data(problem.expected("Patient.ndjson and others, or bundles in .json")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Takes a resource with its place and its full address.
type Take<'a> = dyn FnMut(&Place<'_>, &Value, Option<&str>) -> Result<(), JobError> + 'a;

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
        let mut reader = BufReader::with_capacity(1 << 20, self.open()?);
        let mut line = String::new();
        for number in 1u64.. {
            line.clear();
            let place = Place { file: &self.path, within: format!("line {number}") };
            let read = reader.read_line(&mut line);
            if read.map_err(|error| {
                place.refuse("", Problem::new(format!("it cannot be read: {}", error.kind())))
            })? == 0
            {
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            let resource = parsed(serde_json::from_str(&line), &place)?;
            take(&place, &resource, None)?;
        }
        Ok(())
    }

    fn entries(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        let whole = Place { file: &self.path, within: "the bundle".into() };
        let bundle: Value = parsed(serde_json::from_reader(BufReader::new(self.open()?)), &whole)?;
        if bundle["resourceType"] != "Bundle" {
            // One resource by itself.
            return take(&whole, &bundle, None);
        }
        for (number, entry) in bundle["entry"].as_array().into_iter().flatten().enumerate() {
            let place = Place { file: &self.path, within: format!("entry {}", number + 1) };
            if !entry["resource"].is_null() {
                take(&place, &entry["resource"], entry["fullUrl"].as_str())?;
            }
        }
        Ok(())
    }
}

/// JSON's own message would show the text.
fn parsed(read: serde_json::Result<Value>, place: &Place<'_>) -> Result<Value, JobError> {
    read.map_err(|error| {
        let column = error.column();
        place.refuse("", Problem::new(format!("no JSON at character {column}")).expected("one resource"))
    })
}

/// The tables that grow.
struct Tables {
    folder: PathBuf,
    writers: BTreeMap<String, csv::Writer<BufWriter<File>>>,
    /// The ids of resources whose full address is another UUID.
    renamed: BTreeMap<String, String>,
    days: Days,
}

impl Tables {
    /// Notes under which id a resource stands that others know by its full address.
    fn rename(&mut self, _: &Place<'_>, resource: &Value, address: Option<&str>) -> Result<(), JobError> {
        if let (Some(id), Some(address)) = (resource["id"].as_str(), address)
            && address.strip_prefix("urn:uuid:").is_some_and(|uuid| uuid != id)
        {
            self.renamed.insert(address.to_owned(), id.to_owned());
        }
        Ok(())
    }

    fn add(&mut self, place: &Place<'_>, resource: &Value) -> Result<(), JobError> {
        let Some(kind) = resource["resourceType"].as_str().filter(|kind| is_name(kind)) else {
            let problem = Problem::new("no resource").expected("an object with `resourceType`");
            return Err(place.refuse("", problem));
        };
        if let Some(version) = other_version(kind, resource) {
            let problem = Problem::new(format!("a resource of FHIR {version}")).expected("FHIR R4 (4.0.1)");
            return Err(place.refuse(&format!(", {kind}"), problem.mend("convert the export first")));
        }
        let known = shape::tables(Shape::Fhir).iter().find(|table| table.name == kind);
        let row = known.map(|known| self.row(place, resource, known)).transpose()?;
        let failed = |error: csv::Error| {
            JobError::io(&self.folder, "write", &std::io::Error::other(error.to_string()))
        };
        if !self.writers.contains_key(kind) {
            let path = self.folder.join(format!("{kind}.csv"));
            let file = File::create(&path).map_err(|error| JobError::io(&path, "write", &error))?;
            let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 18, file));
            let header = known.map_or(&[][..], |known| known.columns).iter().map(|(name, _)| *name);
            // A kind that is left out has no columns, and a table has one.
            let header: Vec<&str> =
                header.chain(row.as_ref().is_none_or(Vec::is_empty).then_some("id")).collect();
            writer.write_record(header).map_err(failed)?;
            self.writers.insert(kind.to_owned(), writer);
        }
        match (self.writers.get_mut(kind), row) {
            (Some(writer), Some(row)) if !row.is_empty() => writer.write_record(row).map_err(failed),
            _ => Ok(()),
        }
    }

    /// The cells of a resource.
    fn row(&self, place: &Place<'_>, resource: &Value, known: &KnownTable) -> Result<Vec<String>, JobError> {
        let renamed = |address: &str| self.renamed.get(address).cloned();
        let read = |(path, _): &(&'static str, shape::Known)| {
            let form = Form::of(path);
            let cell = cell(at(resource, path, form), form, &renamed);
            let cell = cell.map_err(|problem| place.refuse(&format!(", {}.{path}", known.name), problem))?;
            Ok(match (form, self.days) {
                (Form::Day, Days::Whole) => whole(cell),
                (Form::Birth, Days::Whole) if cell.is_empty() => "*".into(),
                (Form::Code, _) if cell.is_empty() && *path == "gender" => "unknown".into(),
                _ => cell,
            })
        };
        known.columns.iter().map(read).collect()
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
fn other_version(kind: &str, resource: &Value) -> Option<&'static str> {
    let has = |name: &str| !resource[name].is_null();
    let is_later = match kind {
        "Encounter" => resource["class"].is_array() || has("actualPeriod"),
        "MedicationRequest" => has("medication"),
        "Procedure" => has("occurrenceDateTime") || has("occurrencePeriod"),
        _ => false,
    };
    let is_earlier = match kind {
        "Condition" => has("assertedDate") || has("context") || resource["clinicalStatus"].is_string(),
        "Observation" | "Procedure" | "MedicationRequest" | "DiagnosticReport" => has("context"),
        "Immunization" => has("date") || has("notGiven"),
        "AllergyIntolerance" => has("assertedDate") || resource["clinicalStatus"].is_string(),
        _ => false,
    };
    if is_later { Some("R5") } else { is_earlier.then_some("STU3") }
}

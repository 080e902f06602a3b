//! A folder of resources to tables: one for each kind, a row for each resource.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_recipe::JobError;

use super::addresses::Addresses;
use super::bands;
use super::components;
use super::element::{self, Form};
use super::extensions::MISSING;
use super::files::{BUNDLE, files};
use super::found::{Found, Left, Place};
use super::held::Held;
use super::human;
use super::json::Tape;
use super::kinds::{Column, KIND, Kind, Kinds};
use super::medications::{self, MEDICATION, Medications};
use super::modifiers::{is_denied, is_modified};
use super::places::Places;
use super::resource::Resource;
use super::row::Row;
use super::units;
use super::versions;
use crate::archive::Unpacked;
use crate::humans::Humans;
use crate::shape::Fate;
use crate::stop::{self, Stop};

/// The element that can say that nothing of a resource is so.
const VERIFICATION: &str = "verificationStatus";

/// Why resources are left out.
const MODIFIED: &str = "because a modifier changes what it says";
const DENIED: &str = "as refuted, not done or entered in error";

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

/// What is asked of resources beside their cells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// What becomes of days.
    pub(crate) days: Days,
    /// The kinds of which rows that belong to no patient will be left out.
    pub(crate) orphans: BTreeSet<String>,
    /// The names of units that stay, beside those that are known, where units have no code; nothing if all stay.
    pub(crate) units: Option<Vec<String>>,
    /// Whether rows with codes of public events will be left out: of a concept's codings, one of these counts.
    pub(crate) drops_events: bool,
}

/// Tables from the files of a folder: their files have headers alone, their rows are in memory. They go when this is dropped.
/// `shown` is what messages call the folder.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::data`] with file, line and path of what is not of FHIR R4;
/// [`JobError::interrupted`].
pub(crate) fn flattened(
    folder: &Path,
    shown: &Path,
    asked: Asked,
    stop: Stop<'_>,
) -> Result<Unpacked, JobError> {
    let failed = |error: std::io::Error| JobError::io(&Scratch::parent(), "use", &error);
    let scratch = Arc::new(Scratch::new(PREFIX).map_err(failed)?);
    let files = files(folder, shown)?;
    let kinds = Kinds::new();
    let mut tables = Tables::new(&scratch, &kinds, asked);
    for file in &files {
        if file.is_bundle || file.begins_with(MEDICATION)? {
            file.each(&mut |all| stop::check(stop).and_then(|()| tables.look_up(all)))?;
        }
    }
    for file in &files {
        let empty = file.each(&mut |all| stop::check(stop).and_then(|()| tables.add(all)))?;
        tables.empty.add(empty);
    }
    let modified = tables.left.iter().map(|(kind, left)| left.words(kind, MODIFIED));
    let denied = tables.denied.iter().map(|(kind, left)| left.words(kind, DENIED));
    let empty = (tables.empty.number > 0).then(|| empty_words(&tables.empty));
    let unknown = (tables.unknown.number > 0).then(|| units::words(&tables.unknown));
    let several = tables.humans.several().map(|several| (human::words(&several, &tables.places), several));
    let said = several.iter().map(|(words, _)| words.clone());
    let notes = said.chain(modified).chain(denied).chain(empty).chain(unknown).collect();
    let folder = scratch.path().to_owned();
    let rows = tables.rows.into_iter().filter_map(|(name, held)| held.map(|held| (name, held))).collect();
    let certain = several.filter(|(_, several)| several.is_certain).map(|(words, _)| words);
    Ok(Unpacked::new(scratch, folder).placed(tables.places, notes).with_rows(rows).with_several(certain))
}

/// What is said of entries of bundles that have no resource.
fn empty_words(Left { number, first }: &Left) -> String {
    let are = if *number == 1 { "an entry has" } else { &format!("{number} entries have") };
    format!("{are} no resource, such as a request or an answer alone; the first is {first}")
}

/// The row of a resource, and those of its parts.
type Rows<'a> = (Row<'a>, Vec<Row<'a>>);

/// The tables that grow.
struct Tables<'a> {
    folder: Arc<Scratch>,
    kinds: &'a Kinds,
    /// The rows of each kind; of one that nobody knows nothing.
    rows: BTreeMap<String, Option<Held>>,
    addresses: Addresses,
    /// What other resources say by reference.
    medications: Medications,
    /// The server that full addresses name; ids of two servers can be the same.
    server: Option<String>,
    places: Places,
    /// The resources of kinds that stay that are left out, because others change what they say.
    left: BTreeMap<String, Left>,
    /// Those that say that what they describe is not so.
    denied: BTreeMap<String, Left>,
    /// The entries of bundles that have no resource.
    empty: Left,
    /// Who patients are.
    humans: Humans,
    /// The numbers that are left out, because their unit is no known one.
    unknown: Left,
    asked: Asked,
}

impl<'k> Tables<'k> {
    fn new(folder: &Arc<Scratch>, kinds: &'k Kinds, asked: Asked) -> Self {
        Self {
            folder: Arc::clone(folder),
            kinds,
            rows: BTreeMap::new(),
            addresses: Addresses::default(),
            medications: Medications::default(),
            server: None,
            places: Places::default(),
            left: BTreeMap::new(),
            denied: BTreeMap::new(),
            empty: Left::default(),
            humans: Humans::default(),
            unknown: Left::default(),
            asked,
        }
    }

    /// Notes what other resources refer to: ids of full addresses, and the codes of medications.
    fn look_up(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        let mut tape = Tape::default();
        for found in all {
            let resource = Resource::of(found, &mut tape, self.kinds)?;
            let uuid = || found.uuid().map(Cow::Borrowed);
            let Some(id) = resource.text("id").or_else(uuid) else { continue };
            self.medications.add(&id, found, resource)?;
            self.addresses.add(found, &id)?;
        }
        Ok(())
    }

    fn add(&mut self, all: &[Found<'_>]) -> Result<(), JobError> {
        let rows = all.par_iter().map_init(Tape::default, |tape, found| self.rows(found, tape));
        let rows: Vec<Result<Rows<'_>, JobError>> = rows.collect();
        rows.into_iter().zip(all).try_for_each(|(rows, found)| {
            let (whole, parts) = rows?;
            self.keep(whole, &found.place)?;
            parts.into_iter().try_for_each(|part| self.keep(part, &found.place))
        })
    }

    fn keep(&mut self, mut row: Row<'_>, place: &Place<'_>) -> Result<(), JobError> {
        self.one_server(&row, place)?;
        let kind = self.kinds.get(&row.kind);
        let quantity = kind.and_then(|kind| kind.quantity);
        if let (Some(declared), Some(quantity)) = (self.asked.units.as_deref(), quantity)
            && !units::only_known(&mut row.cells, quantity, declared)
        {
            self.unknown.count(place);
        }
        // Others refer to visits, which go later.
        if row.is_denied && !row.cells.is_empty() {
            self.leave(&row, place);
        }
        if !self.rows.contains_key(&*row.kind) {
            begun(self.folder.path(), &row.kind, kind)?;
            let held = kind.map(|kind| Held::new(kind, &self.folder));
            self.rows.insert(row.kind.clone().into_owned(), held);
        }
        match self.rows.get_mut(&*row.kind) {
            Some(Some(held)) if !row.cells.is_empty() => {
                self.places.add(&row.kind, place.file, place.within);
                if let (Some(human), Some(id)) = (&row.human, row.cells.first()) {
                    self.humans.add(id, human);
                }
                let failed = |error| JobError::io(self.folder.path(), "write into", &error);
                held.add(&row.cells).map_err(failed)?;
            }
            _ if kind.is_none() => self.places.add(&row.kind, place.file, place.within),
            _ => self.leave(&row, place),
        }
        Ok(())
    }

    /// Counts a resource that is left out, though others of its kind stay.
    fn leave(&mut self, row: &Row<'_>, place: &Place<'_>) {
        if self.kinds.get(&row.kind).is_some_and(|kind| kind.fate != Fate::Dropped) {
            let left = if row.is_denied { &mut self.denied } else { &mut self.left };
            left.entry(row.kind.clone().into_owned()).or_default().count(place);
        }
    }

    /// Refuses a second server: who is `7` there is another person than `7` here.
    fn one_server(&mut self, row: &Row<'_>, place: &Place<'_>) -> Result<(), JobError> {
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
    fn rows<'a>(&self, found: &Found<'a>, tape: &mut Tape<'a>) -> Result<Rows<'a>, JobError> {
        let resource = Resource::of(found, tape, self.kinds)?;
        let whole = self.row(found, resource)?;
        let parts = components::of(&whole, self.kinds.get(&whole.kind), resource, self.asked.drops_events)
            .map_err(|problem| {
                found.place.refuse(&format!(", {}.{}", whole.kind, components::ELEMENT), problem)
            })?;
        Ok((whole, parts))
    }

    fn row<'a>(&self, found: &Found<'a>, resource: Resource<'_, 'a>) -> Result<Row<'a>, JobError> {
        let place = &found.place;
        let Some(kind) = resource.text(KIND).filter(|kind| is_name(kind)) else {
            let problem = Problem::new("no resource").expected("an object with `resourceType`");
            return Err(place.refuse("", problem));
        };
        if kind == BUNDLE {
            let problem = Problem::new("a bundle in the place of a resource");
            return Err(place.refuse("", problem.expected("bundles in files of their own that end in .json")));
        }
        if let Some((version, element)) = versions::other(&kind, resource) {
            let problem = Problem::new(format!("an element of FHIR {version}")).expected("FHIR R4 (4.0.1)");
            return Err(
                place.refuse(&format!(", {kind}.{element}"), problem.mend("convert the export first"))
            );
        }
        found.check_address(&kind, resource.text("id").as_deref())?;
        let mut servers: Vec<String> = found.server(&kind).map(str::to_owned).into_iter().collect();
        // Whether kinds that nobody knows are left out is for the recipe to say.
        let Some(known) = self.kinds.get(&kind) else { return Ok(Row::left(kind, servers)) };
        if known.fate == Fate::Dropped {
            return Ok(Row::left(kind, servers));
        }
        let is_modified = is_modified(resource)
            .map_err(|(name, problem)| place.refuse(&format!(", {kind}.{name}"), problem))?;
        if is_modified {
            return match known.fate {
                // What it says is not what its elements say.
                Fate::Rows => Ok(Row::left(kind, servers)),
                _ => Err(place.refuse(&format!(", {kind}"), modified())),
            };
        }
        let mut cells = Vec::with_capacity(known.columns.len());
        for column in &known.columns {
            let cell = self.cell(found, resource, (known, column), &mut servers);
            let cell = cell.and_then(|cell| column.bound(cell));
            let refused = |problem| place.refuse(&format!(", {kind}.{}", column.path), problem);
            let cell = cell.map_err(refused)?;
            if cell.is_empty() && column.path == VERIFICATION && resource.has(VERIFICATION, "") {
                // Words alone may say that it is refuted.
                return Ok(Row::denied(kind, servers));
            }
            cells.push(cell);
        }
        // A release is compared as it is.
        let is_denied = self.asked.days != Days::Whole && is_denied(resource, known);
        if is_denied && known.fate == Fate::Rows {
            return Ok(Row::denied(kind, servers));
        }
        known.one_of_each_choice(&mut cells);
        known.ends_after_begin(&mut cells);
        // A release shows nothing of them.
        let is_asked = known.fate == Fate::Persons && self.asked.days != Days::Whole;
        Ok(Row { cells, is_denied, human: is_asked.then(|| human::of(resource)), ..Row::left(kind, servers) })
    }

    fn cell<'a>(
        &self,
        found: &Found<'a>,
        resource: Resource<'_, 'a>,
        (kind, column): (&Kind, &Column),
        servers: &mut Vec<String>,
    ) -> Result<Cow<'a, str>, Problem> {
        let Column { path, form, .. } = *column;
        let element = resource.of_column(column)?;
        let value = element.node();
        if self.asked.days == Days::Whole && value.is_null() && matches!(form, Form::Number | Form::Unit) {
            let range = resource.value(bands::RANGE)?;
            return if form == Form::Number {
                Ok(bands::name(range.node()).into())
            } else {
                element::cell(bands::unit(range.node()), form)
            };
        }
        if let Form::Reference(other) = form {
            let renamed = |address: &str| self.addresses.id(found.place.file, address);
            let reference =
                element::reference(value, other, &renamed, self.asked.orphans.contains(kind.name));
            let drop = || {
                format!("correct it, or leave such rows out with [tables.{}] orphans = \"drop\"", kind.name)
            };
            let reference = reference.map_err(|problem| problem.mend(drop()))?;
            servers.extend(reference.server);
            return Ok(reference.key);
        }
        element::check(value, !column.inner.is_empty(), form)?;
        let cell = match &column.system {
            Some(system) => element::coded_by(value, system),
            None => element::code(element::within(value, column.inner, form), form, self.asked.drops_events)?,
        };
        Ok(match (form, self.asked.days) {
            (Form::Id, _) if cell.is_empty() => found.uuid().unwrap_or_default().to_owned().into(),
            (Form::Day, Days::AsRecorded) => without_time(cell),
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

fn modified() -> Problem {
    let problem = Problem::new("a modifier extension changes what it says, and nobody knows how");
    problem.mend("leave the resource out of the folder")
}

/// Writes a table's file with its header. A kind that is left out has no columns, and a table has one.
fn begun(folder: &Path, name: &str, kind: Option<&Kind>) -> Result<(), JobError> {
    let path = folder.join(format!("{name}.csv"));
    let columns = kind.map_or(&[][..], |kind| &kind.columns);
    let names: Vec<&str> = columns.iter().map(|column| column.path).collect();
    let header = if names.is_empty() { "id".to_owned() } else { names.join(",") };
    std::fs::write(&path, header + "\n").map_err(|error| JobError::io(&path, "write", &error))
}

/// Whether a text can be the name of a kind of resources, and so of a file.
fn is_name(kind: &str) -> bool {
    !kind.is_empty() && kind.len() < 64 && kind.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// `2015` → `2015-01-01`, `2015-03` → `2015-03-01`.
fn whole(day: Cow<'_, str>) -> Cow<'_, str> {
    match day.len() {
        4 => day + "-01-01",
        7 => day + "-01",
        _ => day,
    }
}

/// `2015-03-01T10:00:00Z` → `2015-03-01`: no time is ever released.
fn without_time(day: Cow<'_, str>) -> Cow<'_, str> {
    match day {
        Cow::Borrowed(day) => Cow::Borrowed(day.split_once('T').map_or(day, |(day, _)| day)),
        Cow::Owned(day) => Cow::Owned(day.split_once('T').map(|(day, _)| day.to_owned()).unwrap_or(day)),
    }
}

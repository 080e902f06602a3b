//! The custodian's folder as it is read back: where the original is, old and new keys, shifts, climbed codes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use velamen_contract::linked::Shape;
use velamen_core::error::Problem;
use velamen_job::{CUSTODIAN_FILE, sha256};

use crate::archive::{self, Unpacked};
use crate::fhir::{self, Held};
use crate::recipe::given_file;
use crate::shape;
use crate::stop::Stop;

/// Old and new keys: table, original, released.
pub(crate) const KEYS: &str = "keys.csv";

/// By how many days each person's dates moved: person, days.
pub(crate) const SHIFTS: &str = "shifts.csv";

/// Codes and values of person columns that stand at an ancestor: table, column, code, released.
pub(crate) const CLIMBED: &str = "climbed.csv";

/// The field of `custodian.json` with the original file of each table.
pub(crate) const TABLES: &str = "tables";

/// The field of `custodian.json` with the tables that have no original rows.
pub(crate) const MADE_ANEW: &str = "made-anew-tables";

/// The field of `custodian.json` with the number of emptied cells by `TABLE.column`.
pub(crate) const EMPTIED: &str = "emptied-cells";

/// The field of `custodian.json` with the encoding of the original tables' text.
pub(crate) const ENCODING: &str = "encoding";

/// The field of `custodian.json` with the folder of the original tables, or the only one.
pub(crate) const INPUT: &str = "input";

/// What is known of how a release was made.
#[derive(Debug, Default)]
pub(crate) struct Custody {
    /// The original file of each table.
    pub(crate) files: IndexMap<String, PathBuf>,
    /// How their text is encoded.
    pub(crate) encoding: Option<String>,
    /// Their folder, where it had to be unpacked; it stays as long as this does.
    _unpacked: Option<Unpacked>,
    /// The rows of resources, by kind, until they are looked at.
    resources: Mutex<BTreeMap<String, Held>>,
    /// The tables that have no original rows.
    pub(crate) made_anew: FxHashSet<String>,
    /// The columns in which cells were emptied, as `TABLE.column`; `None` of a run that did not record it.
    emptied: Option<FxHashSet<String>>,
    keys: FxHashMap<String, TableKeys>,
    shifts: FxHashMap<String, i32>,
    climbed: FxHashMap<(String, String), FxHashMap<String, Vec<String>>>,
}

/// The keys of a table.
#[derive(Debug, Default)]
struct TableKeys {
    /// The original key of each released one; none where the list has two, or an original one twice.
    original: FxHashMap<String, Option<String>>,
    /// The released key of each original one.
    released: FxHashMap<String, String>,
}

/// Why the custodian's folder or the original cannot be read, and how to mend it.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) Problem);

impl Custody {
    /// Reads the custodian's folder; `original` is the folder of the original tables, one that is packed as ZIP, or the only
    /// table, where they are no longer where they were.
    ///
    /// # Errors
    /// [`Missing`] if a file is not there or not of its form, or the original is no longer where it was.
    pub(crate) fn read(
        folder: &Path,
        original: Option<&Path>,
        shape: Shape,
        stop: Stop<'_>,
    ) -> Result<Self, Missing> {
        let record = record(&folder.join(CUSTODIAN_FILE))?;
        let mut unpacked = unpacked(&record, original, stop)?;
        if shape == Shape::Fhir {
            let given = original.or_else(|| record[INPUT].as_str().map(Path::new));
            let folder = unpacked.as_ref().map(Unpacked::folder).or(given);
            unpacked = folder.map(|folder| flattened(folder, stop)).transpose()?;
        }
        let original = unpacked.as_ref().map(Unpacked::folder).or(original);
        let files = files(&record, folder, original, unpacked.is_some())?;
        let encoding = record[ENCODING].as_str().map(str::to_owned);
        let resources = Mutex::new(unpacked.as_mut().map(Unpacked::take_rows).unwrap_or_default());
        let mut custody = Self { files, encoding, _unpacked: unpacked, resources, ..Self::default() };
        let anew = record[MADE_ANEW].as_array().into_iter().flatten();
        custody.made_anew = anew.filter_map(Value::as_str).map(str::to_owned).collect();
        custody.emptied = record[EMPTIED].as_object().map(|cells| cells.keys().cloned().collect());
        rows(&folder.join(KEYS), ["table", "original", "released"], &mut |[table, original, released]| {
            custody.keys.entry(table.to_owned()).or_default().add(original, released);
            true
        })?;
        if folder.join(SHIFTS).exists() {
            rows(&folder.join(SHIFTS), ["person", "days"], &mut |[person, days]| {
                let Ok(days) = days.parse() else { return false };
                custody.shifts.insert(person.to_owned(), days).is_none_or(|other| other == days)
            })?;
        }
        rows(&folder.join(CLIMBED), ["table", "column", "code", "released"], &mut |[
            table,
            column,
            code,
            released,
        ]| {
            let of = custody.climbed.entry((table.to_owned(), column.to_owned())).or_default();
            of.entry(code.to_owned()).or_default().push(released.to_owned());
            true
        })?;
        Ok(custody)
    }

    /// The original rows of a kind of resources, of which nothing is left here.
    pub(crate) fn rows(&self, kind: &str) -> Option<Held> {
        self.resources.lock().ok()?.remove(kind)
    }

    /// The original key of a released row.
    pub(crate) fn original(&self, table: &str, released: &str) -> Option<&str> {
        self.keys.get(table)?.original.get(released)?.as_deref()
    }

    /// By how many days the dates of a person moved.
    pub(crate) fn shift(&self, person: &str) -> Option<i32> {
        self.shifts.get(person).copied()
    }

    /// What stands for a code.
    pub(crate) fn shown<'a>(&'a self, table: &str, column: &str, code: &'a str) -> &'a str {
        self.stands_for(table, column, code).and_then(|shown| shown.last()).map_or(code, String::as_str)
    }

    /// Whether a value of a person column is released as this one: of several that stand for it, in different classes, as one.
    pub(crate) fn shows(&self, table: &str, column: &str, value: &str, released: &str) -> bool {
        let shown = self.stands_for(table, column, value);
        shown.map_or(value == released, |shown| shown.iter().any(|shown| shown == released))
    }

    fn stands_for(&self, table: &str, column: &str, code: &str) -> Option<&Vec<String>> {
        self.climbed.get(&(table.to_owned(), column.to_owned()))?.get(code)
    }

    /// Whether cells of a column were emptied; `None` where that is not recorded.
    pub(crate) fn was_emptied(&self, table: &str, column: &str) -> Option<bool> {
        Some(self.emptied.as_ref()?.contains(&format!("{table}.{column}")))
    }

    /// Whether codes of a column climbed.
    pub(crate) fn has_climbed(&self, table: &str, column: &str) -> bool {
        self.climbed.contains_key(&(table.to_owned(), column.to_owned()))
    }
}

impl TableKeys {
    fn add(&mut self, original: &str, released: &str) {
        let twice = self.original.contains_key(released);
        self.original.insert(released.to_owned(), Some(original.to_owned()).filter(|_| !twice));
        if let Some(other) = self.released.insert(original.to_owned(), released.to_owned()) {
            self.original.insert(other, None);
            self.original.insert(released.to_owned(), None);
        }
    }
}

/// The SHA-256 of a file, if it can be read.
pub(crate) fn sum_of(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| sha256(&bytes))
}

fn record(path: &Path) -> Result<Value, Missing> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|_| {
        let mend = "name the folder that was made beside the release";
        Missing(Problem::new(format!("{} cannot be read", path.display())).mend(mend))
    })?;
    serde_json::from_str(&text).map_err(|_| {
        Missing(Problem::new(format!("{} is not what a run wrote", path.display())).mend("restore it"))
    })
}

/// The original tables, where they are packed as ZIP.
fn unpacked(record: &Value, original: Option<&Path>, stop: Stop<'_>) -> Result<Option<Unpacked>, Missing> {
    let given = original.or_else(|| record[INPUT].as_str().map(Path::new));
    let packed = given.filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip")));
    let Some(path) = packed else { return Ok(None) };
    archive::unpacked(path, stop).map_err(|_| {
        Missing(Problem::new(format!("{} cannot be unpacked", path.display())).mend("put it back"))
    })
}

/// The tables of original resources.
fn flattened(folder: &Path, stop: Stop<'_>) -> Result<Unpacked, Missing> {
    // Whose rows are left out was decided when the release was made.
    let every = shape::tables(Shape::Fhir).iter().map(|table| table.name.to_owned()).collect();
    let asked = fhir::Asked { days: fhir::Days::Original, orphans: every, ..fhir::Asked::default() };
    fhir::flattened(folder, folder, asked, stop).map_err(|_| {
        Missing(
            Problem::new(format!("{} cannot be read as FHIR", folder.display()))
                .mend("put the original back"),
        )
    })
}

/// The original files, all of which have to be there.
fn files(
    record: &Value,
    folder: &Path,
    original: Option<&Path>,
    is_unpacked: bool,
) -> Result<IndexMap<String, PathBuf>, Missing> {
    let Some(tables) = record[TABLES].as_object() else {
        let path = folder.join(CUSTODIAN_FILE);
        let problem = Problem::new(format!("{} does not name the original files", path.display()));
        return Err(Missing(problem.mend("make the release again")));
    };
    let file = |(name, file): (&String, &Value)| {
        (name.clone(), now_at(name, Path::new(file.as_str().unwrap_or_default()), original))
    };
    let files: IndexMap<String, PathBuf> = tables.iter().map(file).collect();
    match files.iter().find(|(_, file)| !file.is_file()) {
        None => Ok(files),
        Some((name, file)) => {
            let problem = Problem::new(format!("the original of table `{name}` is not there"));
            let mend = match record[INPUT].is_null() {
                true => format!("export it from the database as {}, and name its folder", file.display()),
                // A file in a temporary folder is nobody's.
                false if is_unpacked => format!("put {} back", record[INPUT].as_str().unwrap_or_default()),
                false => format!("put {} back", file.display()),
            };
            Err(Missing(problem.mend(mend)))
        }
    }
}

/// Where a file is that can have been moved: in a folder under its name or as the table that a caller gave, or the only one.
fn now_at(table: &str, file: &Path, original: Option<&Path>) -> PathBuf {
    match (original, file.file_name()) {
        (Some(folder), Some(name)) if folder.is_dir() => {
            let given = folder.join(given_file(table));
            if given.is_file() { given } else { folder.join(name) }
        }
        (Some(only), _) => only.to_owned(),
        (None, _) => file.to_owned(),
    }
}

/// Takes each row of a list; `take` says whether it is of its form.
fn rows<const N: usize>(
    path: &Path,
    header: [&str; N],
    take: &mut dyn FnMut([&str; N]) -> bool,
) -> Result<(), Missing> {
    let mut reader = csv::Reader::from_path(path).map_err(|_| {
        Missing(Problem::new(format!("{} cannot be read", path.display())).mend("restore it"))
    })?;
    let wrong = |row: usize| {
        let place = if row == 0 { "the header".to_owned() } else { format!("row {row}") };
        let problem = Problem::new(format!("{}: {place} is not what a run wrote", path.display()));
        Missing(problem.expected(header.join(",")).mend("restore it"))
    };
    if reader.headers().map_err(|_| wrong(0))? != header[..] {
        return Err(wrong(0));
    }
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|_| wrong(row + 1))?;
        let cells: [&str; N] = std::array::from_fn(|place| record.get(place).unwrap_or_default());
        if !take(cells) {
            return Err(wrong(row + 1));
        }
    }
    Ok(())
}

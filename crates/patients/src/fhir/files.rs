//! Files of resources: NDJSON and bundles, packed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use velamen_contract::linked::RESOURCES;
use velamen_core::error::Problem;
use velamen_engine::FileFormat;
use velamen_recipe::JobError;

use super::found::{Found, Place, no_json};
use super::json::Elements;
use super::places::Within;
use super::resource;

/// How files of a bundle end.
const BUNDLES: &str = "json";

/// The kind of resources that hold others.
pub(super) const BUNDLE: &str = "Bundle";

/// How files of resources end that are not written as JSON, and archives.
const OTHERS: [&str; 3] = ["xml", "ttl", "zip"];

/// How files of resources end, too.
const LINES: &str = "jsonl";

/// What a server writes beside the resources of an export.
const LOG: &str = "log";

/// A file of resources.
pub(super) struct Resources {
    path: PathBuf,
    /// What messages call it.
    shown: PathBuf,
    pub(super) is_bundle: bool,
}

/// The files of a folder that hold resources: NDJSON and bundles, packed or not. The log of an export is none. Other files of
/// tables are refused, and so are folders that have some: nothing is passed over without a word.
pub(super) fn files(folder: &Path, called: &Path) -> Result<Vec<Resources>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read the folder", &error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let shown = called.join(&name);
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            refuse_inside(&path, &shown)?;
            continue;
        }
        let plain = name.to_ascii_lowercase();
        let plain = plain.strip_suffix(".gz").unwrap_or(&plain);
        let Some((stem, ending)) = plain.rsplit_once('.').filter(|(stem, _)| *stem != LOG) else { continue };
        let is_bundle = ending == BUNDLES;
        if is_bundle || ending == RESOURCES || ending == LINES {
            files.push(Resources { is_bundle, path, shown });
        } else if OTHERS.contains(&ending)
            || FileFormat::named(Path::new(stem)).is_some()
            || FileFormat::named(&path).is_some()
        {
            let problem = Problem::new(format!("{}: no file of FHIR resources", shown.display()));
            let problem = problem.expected("NDJSON, or a bundle in .json, each also with .gz");
            return Err(JobError::data(problem.mend("take it out of the folder")));
        }
    }
    if files.is_empty() {
        let problem = Problem::new(format!("{}: no file of FHIR resources", called.display()));
        return Err(JobError::data(problem.expected("Patient.ndjson and others, or bundles in .json")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Refuses a folder within the folder that has files of tables.
fn refuse_inside(folder: &Path, shown: &Path) -> Result<(), JobError> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| JobError::io(shown, "read the folder", &error))?;
    let mut names = entries.flatten().map(|entry| entry.path());
    match names.any(|name| name.is_file() && FileFormat::named(&name).is_some()) {
        false => Ok(()),
        true => {
            let problem = Problem::new(format!("{}: a folder of files within the folder", shown.display()));
            Err(JobError::data(problem.mend("put all resources into one folder")))
        }
    }
}

/// How many lines are read before they are taken apart beside each other.
const AHEAD: usize = 4096;

/// Lines one behind the other.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Block {
    /// Puts the next lines of a file in place of the last ones; none after its end.
    fn read(&mut self, reader: &mut impl BufRead) -> io::Result<()> {
        self.bytes.clear();
        self.ends.clear();
        while self.ends.len() < AHEAD && reader.read_until(b'\n', &mut self.bytes)? > 0 {
            self.ends.push(self.bytes.len());
        }
        Ok(())
    }

    /// The lines, without their ends.
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| {
            let line = &self.bytes[start..end];
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            line.strip_suffix(b"\r").unwrap_or(line)
        })
    }
}

/// Takes some resources of a file, in its order.
pub(super) type Take<'a> = dyn FnMut(&[Found<'_>]) -> Result<(), JobError> + 'a;

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
        let file = File::open(&self.path).map_err(|error| JobError::io(&self.shown, "open", &error))?;
        let is_packed = self.path.extension().is_some_and(|end| end == "gz");
        Ok(if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
    }

    /// Takes every resource of the file.
    pub(super) fn each(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        if self.is_bundle { self.entries(take) } else { self.lines(take) }
    }

    /// Whether the first resource is of a kind: files of an export hold one kind each.
    pub(super) fn begins_with(&self, kind: &str) -> Result<bool, JobError> {
        let mut line = String::new();
        // What cannot be read is said where all is read.
        let read = BufReader::new(self.open()?).read_line(&mut line);
        Ok(read.is_ok() && resource::is_of(line.trim_start_matches('\u{feff}'), kind))
    }

    fn lines(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        let mut reader = BufReader::with_capacity(1 << 20, self.open()?);
        let mut block = Block::default();
        let mut before = 0;
        loop {
            let place = |line: usize| Place { file: &self.shown, within: Within::Line(before + line as u64) };
            let unread = |line: usize, kind: io::ErrorKind| {
                place(line).refuse("", Problem::new(format!("it cannot be read: {kind}")))
            };
            block.read(&mut reader).map_err(|error| unread(block.ends.len() + 1, error.kind()))?;
            if block.ends.is_empty() {
                return Ok(());
            }
            let mut found = Vec::with_capacity(block.ends.len());
            for (line, number) in block.lines().zip(1..) {
                let text =
                    std::str::from_utf8(line).map_err(|_| unread(number, io::ErrorKind::InvalidData))?;
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                if !text.trim().is_empty() {
                    found.push(Found { place: place(number), text, address: None });
                }
            }
            take(&found)?;
            before += block.ends.len() as u64;
        }
    }

    fn entries(&self, take: &mut Take<'_>) -> Result<(), JobError> {
        let place = |within: Within| Place { file: &self.shown, within };
        let mut text = String::new();
        let read = self.open()?.read_to_string(&mut text);
        read.map_err(|error| JobError::io(&self.shown, "read", &error))?;
        let whole = place(Within::Whole);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if is_list_of_files(text) {
            return Ok(());
        }
        let bundle: Bundle<'_> = serde_json::from_str(text).map_err(|error| no_json(&whole, &error))?;
        if bundle.kind != BUNDLE {
            // One resource by itself.
            return take(&[Found { place: whole, text, address: None }]);
        }
        let found = bundle.entry.into_iter().zip(1u64..).filter_map(|(entry, number)| {
            let text = entry.resource?.get();
            Some(Found { place: place(Within::Entry(number)), text, address: entry.address })
        });
        take(&found.collect::<Vec<_>>())
    }
}

/// Whether a text is what a server says of a whole export: which files there are.
fn is_list_of_files(text: &str) -> bool {
    let has = |elements: &Elements<'_>, name| elements.get(name).is_some();
    serde_json::from_str::<Elements<'_>>(text)
        .is_ok_and(|of| has(&of, "transactionTime") && has(&of, "output") && !has(&of, "resourceType"))
}

//! Files of resources: NDJSON and bundles, packed or not.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde_json::value::RawValue;
use velamen_contract::linked::{DATA, RESOURCES};
use velamen_contract::manifest::FILE;
use velamen_core::error::Problem;
use velamen_engine::FileFormat;
use velamen_recipe::JobError;

use super::found::{Found, Left, Place};
use super::places::Within;
use super::resource;
use super::wrong::{no_bundle, no_utf8};

/// How files of a bundle end.
const BUNDLES: &str = "json";

/// The kind of resources that hold others.
pub(super) const BUNDLE: &str = "Bundle";

/// How files of resources end that are not written as JSON, and archives.
const OTHERS: [&str; 3] = ["xml", "ttl", "zip"];

/// How files of resources end, too.
const LINES: &str = "jsonl";

/// What packed files begin with.
const GZIP: &[u8] = &[0x1f, 0x8b];

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
    if let Some(inside) = of_release(folder) {
        return files(&inside, &called.join(DATA));
    }
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
        let (stem, ending) = plain.rsplit_once('.').unwrap_or((plain, ""));
        if stem == LOG {
            continue;
        }
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
        } else if begins_a_resource(&path) {
            let problem = Problem::new(format!("{}: no file of FHIR resources by its name", shown.display()));
            let problem = problem.expected("NDJSON in .ndjson, or a bundle in .json, each also with .gz");
            return Err(JobError::data(problem.mend("rename it, or take it out of the folder")));
        }
    }
    if files.is_empty() {
        let problem = Problem::new(format!("{}: no file of FHIR resources", called.display()));
        return Err(JobError::data(problem.expected("Patient.ndjson and others, or bundles in .json")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    once(&files)?;
    Ok(files)
}

/// Whether a file begins as a resource does, or is packed, so that nobody sees. One that cannot be read is not passed over either.
fn begins_a_resource(path: &Path) -> bool {
    let mut start = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    read.map_or(true, |read| start[..read].trim_ascii_start().starts_with(b"{") || start.starts_with(GZIP))
}

/// Refuses a file that is there packed and unpacked: its resources would count twice.
fn once(files: &[Resources]) -> Result<(), JobError> {
    let plain = |file: &Resources| file.shown.with_extension("");
    let is_packed = |file: &Resources| file.shown.extension().is_some_and(|end| end == "gz");
    let is_second = |file: &&Resources| is_packed(file) && files.iter().any(|one| one.shown == plain(file));
    match files.iter().find(is_second) {
        None => Ok(()),
        Some(file) => {
            let names = (file.shown.display(), plain(file));
            let problem = format!("{}: a second file beside {}", names.0, names.1.display());
            Err(JobError::data(Problem::new(problem).mend("leave one of the two out")))
        }
    }
}

/// The folder of the resources within a release.
fn of_release(folder: &Path) -> Option<PathBuf> {
    let inside = folder.join(DATA);
    (folder.join(FILE).is_file() && inside.is_dir()).then_some(inside)
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

/// How many bytes of them: memory does not follow the length of lines.
const AHEAD_BYTES: usize = 1 << 20;

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
        let is_full = |block: &Self| block.ends.len() >= AHEAD || block.bytes.len() >= AHEAD_BYTES;
        while !is_full(self) && reader.read_until(b'\n', &mut self.bytes)? > 0 {
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

/// A file that is one JSON object: a bundle, a resource by itself, or what a server says of a whole export.
#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(rename = "resourceType", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    entry: Option<Vec<Entry<'a>>>,
    #[serde(rename = "transactionTime", borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

impl Whole<'_> {
    /// Whether it lists the files of an export.
    fn is_list_of_files(&self) -> bool {
        self.kind.is_none() && self.time.is_some() && self.output.is_some()
    }
}

/// An entry of a bundle.
#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(rename = "fullUrl")]
    address: Option<String>,
    #[serde(borrow)]
    resource: Option<&'a RawValue>,
    #[serde(borrow)]
    request: Option<Request<'a>>,
}

/// What a server is asked to do with an entry.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
}

/// Requests after which a resource is another one, or gone: what stands elsewhere in the folder is not what the sender means.
const CHANGES: [&str; 2] = ["DELETE", "PATCH"];

impl Entry<'_> {
    /// The request to change a resource that stands elsewhere.
    fn change(&self) -> Option<&'static str> {
        let method = self.request.as_ref()?.method.as_deref()?;
        CHANGES.into_iter().find(|change| change.eq_ignore_ascii_case(method))
    }
}

/// Refuses an entry that changes a resource of another place.
fn refuse_change(entry: &Entry<'_>, place: &Place<'_>) -> Result<(), JobError> {
    let Some(change) = entry.change() else { return Ok(()) };
    let problem = Problem::new(format!("a request to {change} a resource, which nobody carries out here"));
    let problem = problem.expected("resources as they are");
    Err(place.refuse("", problem.mend("carry it out and export again, or take the entry out")))
}

impl Resources {
    fn open(&self) -> Result<Box<dyn Read>, JobError> {
        let file = File::open(&self.path).map_err(|error| JobError::io(&self.shown, "open", &error))?;
        let is_packed = self.path.extension().is_some_and(|end| end == "gz");
        Ok(if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
    }

    /// Takes every resource of the file; the entries that have none.
    pub(super) fn each(&self, take: &mut Take<'_>) -> Result<Left, JobError> {
        if self.is_bundle { self.entries(take) } else { self.lines(take).map(|()| Left::default()) }
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
                let text = std::str::from_utf8(line).map_err(|_| no_utf8(&place(number), line))?;
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                if !text.trim().is_empty() {
                    found.push(Found { place: place(number), text, address: None });
                }
            }
            take(&found)?;
            before += block.ends.len() as u64;
        }
    }

    fn entries(&self, take: &mut Take<'_>) -> Result<Left, JobError> {
        let place = |within: Within| Place { file: &self.shown, within };
        let mut bytes = Vec::new();
        let read = self.open()?.read_to_end(&mut bytes);
        read.map_err(|error| JobError::io(&self.shown, "read", &error))?;
        let whole = place(Within::Whole);
        let text = String::from_utf8(bytes).map_err(|error| no_utf8(&whole, error.as_bytes()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_entry = |text: &str| serde_json::from_str::<Entry<'_>>(text).is_ok();
        let bundle: Whole<'_> =
            serde_json::from_str(text).map_err(|error| no_bundle(&whole, text, &error, is_entry))?;
        if bundle.is_list_of_files() {
            return Ok(Left::default());
        }
        if bundle.kind.as_deref() != Some(BUNDLE) {
            // One resource by itself.
            take(&[Found { place: whole, text, address: None }])?;
            return Ok(Left::default());
        }
        let (mut found, mut empty) = (Vec::new(), Left::default());
        for (entry, number) in bundle.entry.unwrap_or_default().into_iter().zip(1u64..) {
            let place = place(Within::Entry(number));
            refuse_change(&entry, &place)?;
            match entry.resource.map(RawValue::get) {
                Some(text) => found.push(Found { place, text, address: entry.address }),
                None => empty.count(&place),
            }
        }
        found.chunks(AHEAD).try_for_each(take)?;
        Ok(empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_few_long_lines_and_many_short_ones() {
        let long = "x".repeat(AHEAD_BYTES / 2 + 1);
        let text = format!("{long}\r\n{long}\n{long}\n\nlast");
        let (mut reader, mut block) = (text.as_bytes(), Block::default());
        let mut lines = || {
            block.read(&mut reader).unwrap();
            block.lines().map(<[u8]>::len).collect::<Vec<_>>()
        };
        assert_eq!([lines(), lines(), lines()], [vec![long.len(); 2], vec![long.len(), 0, 4], Vec::new()]);
        let text = "\n".repeat(AHEAD + 1);
        let mut reader = text.as_bytes();
        block.read(&mut reader).unwrap();
        assert_eq!((block.lines().count(), reader.len()), (AHEAD, 1));
    }
}

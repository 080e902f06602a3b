//! Where figures come from: operations on the release, its files, and with the custodian's folder its original.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use velamen_job::{CUSTODIAN_FILE, original_of};
use velamen_recipe::JobError;
use velamen_report::manifest::FILE;

use super::ask::{Asks, EvidenceRequest};
use super::pick::{Asked, Source};

/// An answer, or why there is none.
type Answer = Result<Value, String>;

/// The answers, each asked for once.
pub(super) struct Sources<'a> {
    release: &'a Path,
    asks: &'a dyn Asks,
    custodian: Option<(&'a Path, Value)>,
    /// The original, or why it cannot be used.
    original: Result<PathBuf, &'static str>,
    /// The names of the promised models.
    pub(super) models: Vec<String>,
    answers: [OnceCell<Answer>; Source::ALL.len()],
}

impl<'a> Sources<'a> {
    /// The sources of a release that was verified.
    pub(super) fn new(
        request: &'a EvidenceRequest,
        findings: Value,
        asks: &'a dyn Asks,
    ) -> Result<Self, JobError> {
        let manifest = read(&request.release.join(FILE))?;
        let custodian = match &request.custodian {
            Some(folder) => Some((folder.as_path(), custodians(folder, &findings)?)),
            None => None,
        };
        let promised = manifest["privacy"].as_array().into_iter().flatten();
        let models = promised.filter_map(|one| one["model"].as_str()).map(str::to_owned).collect();
        let answers = Source::ALL.map(|source| match source {
            Source::Manifest => OnceCell::from(Ok(manifest.clone())),
            Source::Verify => OnceCell::from(Ok(findings.clone())),
            _ => OnceCell::new(),
        });
        let record = custodian.as_ref().map_or(&Value::Null, |(_, record)| record);
        let original = original_of(record);
        Ok(Self { release: &request.release, asks, custodian, original, models, answers })
    }

    /// `release.json`.
    pub(super) fn manifest(&self) -> &Value {
        self.answer(Source::Manifest).unwrap_or(&Value::Null)
    }

    /// Whether the custodian's folder is there.
    pub(super) fn is_custodian(&self) -> bool {
        self.custodian.is_some()
    }

    /// The file that the release was made of, where the custodian's folder names one that is there and has not changed.
    pub(super) fn original(&self) -> Option<&Path> {
        self.original.as_deref().ok()
    }

    /// What to say where the custodian's folder is given, and no figure of the original can be.
    pub(super) fn without_original(&self) -> Option<String> {
        let (_, record) = self.custodian.as_ref()?;
        let why = self.original.as_ref().err().filter(|_| !record["input-path"].is_null())?;
        Some(format!("the form has no figure of the original: {why}"))
    }

    /// A source's answer, or why there is none.
    pub(super) fn answer(&self, source: Source) -> Result<&Value, &str> {
        let held = Source::ALL.iter().zip(&self.answers).find(|(one, _)| **one == source);
        let Some((_, cell)) = held else { return Err("there is no such source") };
        cell.get_or_init(|| self.asked(source)).as_ref().map_err(String::as_str)
    }

    fn asked(&self, source: Source) -> Answer {
        if source.is_custodians() && self.custodian.is_none() {
            return Err("figures of the original records need the custodian's folder".into());
        }
        if source == Source::Before
            && let Some(why) = self.not_comparable()
        {
            return Err(why.into());
        }
        match (self.operation(source), &self.custodian) {
            (Some((name, request)), _) => self
                .asks
                .ask(name, request.into())
                .map(|(answer, _)| answer)
                .map_err(|error| error.to_string()),
            (None, Some((_, record))) if source == Source::Custodian => Ok(record.clone()),
            (None, _) => {
                Err(self.original.as_ref().err().copied().unwrap_or("there is no such figure").into())
            }
        }
    }

    /// Whether a person has several records, so that people are counted.
    pub(super) fn has_people(&self) -> bool {
        let manifest = self.manifest();
        [&manifest["method"]["person"], &manifest["records-per-person"]].iter().any(|of| !of.is_null())
    }

    /// Why the risk of the original is no figure that stands beside the release's.
    fn not_comparable(&self) -> Option<&'static str> {
        let manifest = self.manifest();
        if self.has_people() && self.person().is_none() {
            return Some(
                "a person has several records, and the risk of the original would count records: `velamen risk ORIGINAL --person COLUMN` counts people",
            );
        }
        (!manifest["sample"].is_null())
            .then_some("the release is of a random sample of the original's records")
    }

    /// The original's column that says whose its records are, where a person has several.
    fn person(&self) -> Option<Value> {
        let (_, record) = self.custodian.as_ref()?;
        // Folders of earlier versions do not name it.
        let named = [&record["person"], &self.manifest()["method"]["person"]];
        named.into_iter().find(|name| name.is_string()).cloned().or_else(|| self.pseudonymous())
    }

    /// Whether the risk of the release is that of people, whom its pseudonyms tell apart.
    pub(super) fn counts_people(&self) -> bool {
        self.answer(Source::Risk).is_ok_and(|risk| !risk["people"].is_null())
    }

    /// The column whose pseudonyms say whose the records of the release are.
    fn pseudonymous(&self) -> Option<Value> {
        let attributes = self.manifest()["attributes"].as_object().filter(|_| self.counts_people())?;
        let mut named = attributes.iter().filter(|(_, one)| !one["pseudonym"].is_null());
        let (name, _) = named.next()?;
        named.next().is_none().then(|| json!(name))
    }

    /// The operation that answers, and what it is asked.
    fn operation(&self, source: Source) -> Option<(&'static str, Map<String, Value>)> {
        let release = json!(self.release);
        let original = || self.original().map(|path| json!(path));
        let (name, request) = match source {
            Source::Manifest | Source::Custodian => return None,
            Source::Verify => ("verify", vec![("release", release)]),
            Source::Risk => ("risk", vec![("table", release), ("special-uniques", json!(0))]),
            Source::Profile => {
                ("profile", vec![("table", json!(self.released_file()?)), ("header", json!(true))])
            }
            Source::Before => {
                let asked = [("table", release), ("before", original()?), ("special-uniques", json!(0))];
                ("risk", asked.into_iter().chain(self.person().map(|person| ("person", person))).collect())
            }
            Source::Original => ("profile", vec![("table", original()?)]),
            Source::Attack => {
                let attacks = json!(["linkage", "inference"]);
                ("attack", vec![("release", release), ("original", original()?), ("attacks", attacks)])
            }
        };
        let mut request: Map<String, Value> =
            request.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        if source.is_custodians() {
            request.extend(self.reading());
        }
        Some((name, request))
    }

    fn released_file(&self) -> Option<PathBuf> {
        let name = self.manifest()["data"]["file"].as_str()?;
        Some(self.release.join(name))
    }

    /// How the original was read, as options say it.
    fn reading(&self) -> Vec<(String, Value)> {
        let Some((_, record)) = &self.custodian else { return Vec::new() };
        let read = &record["read"];
        let mut options: Vec<(String, Value)> = ["format", "delimiter", "sheet", "skip-lines", "encoding"]
            .into_iter()
            .filter(|key| !read[*key].is_null())
            .map(|key| (key.to_owned(), read[key].clone()))
            .collect();
        if read["null"].as_array().is_some_and(|markers| !markers.is_empty()) {
            options.push(("null".into(), read["null"].clone()));
        }
        let header = if read["headerless"] == true { "no-header" } else { "header" };
        options.push((header.into(), json!(true)));
        if read["decimal"] == "," {
            options.push(("decimal-comma".into(), json!(true)));
        }
        options
    }

    /// A request as the words of its command.
    fn words(&self, operation: &str, request: &Map<String, Value>) -> String {
        request.iter().map(|(key, value)| words(key, value, self.asks.is_plain(operation, key))).collect()
    }

    /// The command that shows a figure again.
    pub(super) fn command(&self, asked: &Asked) -> String {
        let nothing = Value::Null;
        let answer = self.answer(asked.from).unwrap_or(&nothing);
        let filter = quoted(&asked.filter(&self.models, answer));
        let file = |folder: &Path, name: &str| quoted(&folder.join(name).display().to_string());
        match (self.operation(asked.from), &self.custodian) {
            (Some((name, request)), _) => {
                format!("velamen {name}{} --json | jq {filter}", self.words(name, &request))
            }
            (None, Some((folder, _))) if asked.from == Source::Custodian => {
                format!("jq {filter} {}", file(folder, CUSTODIAN_FILE))
            }
            (None, _) => format!("jq {filter} {}", file(self.release, FILE)),
        }
    }
}

/// The record of a custodian's folder that belongs to a release: what was checked then was found again.
fn custodians(folder: &Path, findings: &Value) -> Result<Value, JobError> {
    let record = read(&folder.join(CUSTODIAN_FILE))?;
    match ["records", "classes", "suppressed"].iter().find(|promise| differs(&record, findings, promise)) {
        None => Ok(record),
        Some(what) => {
            let problem =
                format!("{}: the folder of another release, which has other {what}", folder.display());
            Err(JobError::usage(problem)
                .expected("the folder that was made beside the release, NAME.custodian"))
        }
    }
}

/// Whether a promise was found otherwise when the release was made.
fn differs(record: &Value, findings: &Value, promise: &str) -> bool {
    let then = reached(&record["checked"], promise);
    then.is_some() && then != reached(findings, promise)
}

fn reached<'a>(findings: &'a Value, promise: &str) -> Option<&'a Value> {
    let found = findings.as_array()?.iter().find(|finding| finding["promise"] == promise)?;
    Some(&found["reached"])
}

/// A value of a request as the words of its command; the name of the release or table stands alone.
fn words(key: &str, value: &Value, is_plain: bool) -> String {
    match value {
        Value::Bool(_) => format!(" --{key}"),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            format!(" --{key} {}", quoted(&items.join(",")))
        }
        _ => {
            let value = quoted(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            if is_plain { format!(" {value}") } else { format!(" --{key} {value}") }
        }
    }
}

/// A word as shells read it.
fn quoted(word: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "/._-+:=,@".contains(one);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A file in JSON.
fn read(path: &Path) -> Result<Value, JobError> {
    let text = std::fs::read(path).map_err(|error| JobError::io(path, "read", &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| JobError::data(format!("{}: {error}", path.display())).expected("JSON"))
}

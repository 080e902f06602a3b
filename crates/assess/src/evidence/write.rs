//! The file of a form.

use std::path::Path;

use serde_json::{Map, Value};
use velamen_core::error::Problem;
use velamen_job::{CUSTODIAN_FILE, attestation, output_file, outputs, sign};
use velamen_recipe::{Code, JobError, Read};
use velamen_report::manifest::FILE;

use super::ask::EvidenceRequest;
use super::filled::Evidence;
use super::name::FormName;
use super::{markdown, page};

/// What a file is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A page.
    Html,
    /// Markdown.
    Markdown,
    /// JSON: the document that a machine reads, where the form has one, else all of it.
    Json,
}

/// Where a form goes.
#[derive(Debug)]
pub(super) struct Target<'a> {
    file: &'a Path,
    kind: Kind,
    request: &'a EvidenceRequest,
}

impl<'a> Target<'a> {
    /// Where a form goes, if anywhere; nothing that is read is written over, and no release is changed.
    pub(super) fn of(request: &'a EvidenceRequest) -> Result<Option<Self>, JobError> {
        let mut reads = vec![Read::release(&request.release)];
        reads.extend(request.custodian.as_deref().map(Read::release));
        let written = [request.output.as_deref(), request.answers.as_deref()];
        for file in written.into_iter().flatten() {
            outputs::refuse(file, &reads)?;
        }
        for file in written.into_iter().flatten() {
            refuse_kept(file, request)?;
        }
        let owned: Vec<_> = written.into_iter().flatten().map(Path::to_owned).collect();
        outputs::refuse_clashes(&owned)?;
        let target = match &request.output {
            Some(file) => Some(Self { file, kind: kind(file)?, request }),
            None => None,
        };
        let signs = target.as_ref().is_some_and(Self::is_statement);
        match (&request.key, signs) {
            (Some(_), false) => Err(JobError::usage("--key signs a statement alone")
                .mend("give --for attestation and an --output that ends with .json, or leave --key out")),
            (None, true) => {
                Err(JobError::usage("--for attestation: a statement proves nothing without a signature")
                    .mend("give --key FILE, as `velamen sign new` makes it"))
            }
            _ => Ok(target),
        }
    }

    /// Whether it is a statement to be signed.
    fn is_statement(&self) -> bool {
        self.request.form == FormName::Attestation && self.kind == Kind::Json
    }

    /// Writes a form.
    pub(super) fn write(&self, evidence: &Evidence) -> Result<(), JobError> {
        if let (true, Some(statement), Some(key)) =
            (self.is_statement(), &evidence.document, &self.request.key)
        {
            return attestation::write(statement, &self.request.release, self.file, key, sign::password());
        }
        let text = match self.kind {
            Kind::Html => page::html(evidence),
            Kind::Markdown => markdown::markdown(evidence),
            Kind::Json => json(evidence),
        };
        output_file::write(self.file, |path| {
            std::fs::write(path, &text).map_err(|error| JobError::io(path, "write the form", &error))
        })
    }
}

/// Refuses a file that is somebody else's: the key, the original, a file of a release or of a custodian's folder, or one that no
/// form and no answers were written to.
fn refuse_kept(file: &Path, request: &EvidenceRequest) -> Result<(), JobError> {
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if [FILE, CUSTODIAN_FILE].iter().any(|mark| beside.join(mark).is_file()) {
        return refused(file, "lies in a release or in a custodian's folder, which would be changed");
    }
    if request.key.as_deref().is_some_and(|key| same_file(key, file)) {
        return refused(file, "is the key, which would be written over");
    }
    // What is no file of answers is refused where it is read.
    if !file.is_file() || request.output.as_deref() != Some(file) {
        return Ok(());
    }
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let is_form = ["filled from checks", "velamen"].iter().any(|mark| text.contains(mark));
    match is_form || request.form == FormName::DpRegistry && is_entry(&text) {
        true => Ok(()),
        false => refused(file, "already exists, and is no form that was filled here"),
    }
}

/// Whether a text is an entry of the registry, which has nothing beside its deployment.
fn is_entry(text: &str) -> bool {
    let entry: Option<Map<String, Value>> = serde_json::from_str(text).ok();
    entry.is_some_and(|entry| entry.len() == 1 && entry.contains_key("deployment"))
}

fn refused(file: &Path, what: &str) -> Result<(), JobError> {
    let problem = Problem::new(format!("{}: {what}", file.display())).mend("name another output");
    Err(JobError::usage(problem).coded(Code::OVERWRITES_INPUT))
}

fn same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

fn json(evidence: &Evidence) -> String {
    let text = match &evidence.document {
        Some(document) => serde_json::to_string_pretty(document),
        None => serde_json::to_string_pretty(evidence),
    };
    text.unwrap_or_default() + "\n"
}

/// What a file's name says that it is.
fn kind(file: &Path) -> Result<Kind, JobError> {
    match file.extension().and_then(|end| end.to_str()) {
        Some("html") => Ok(Kind::Html),
        Some("md") => Ok(Kind::Markdown),
        Some("json" | "jsonld") => Ok(Kind::Json),
        _ => Err(JobError::usage(
            Problem::new(format!("--output {}: no form is written so", file.display()))
                .expected("a name that ends with .html, .md, .json or .jsonld"),
        )),
    }
}

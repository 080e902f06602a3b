//! The file of a form.

use std::path::Path;

use velamen_core::error::Problem;
use velamen_job::{attestation, output_file, outputs, sign};
use velamen_recipe::{JobError, Read};

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
